"""Ontology classes as answers of tools: in a list, as a hit of a search, and in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph.engine.analysis import ontology
from keepgraph.engine.analysis.ontology import OntologyClass, Usage
from keepgraph.engine.analysis.ontology_exploration import ClassCandidate, ClassNeighbour, Gap, Relationship
from keepgraph.engine.analysis.ontology_search import ClassHit
from keepgraph.engine.query import graph_catalogue
from keepgraph.engine.vocabulary.wording_groups import WordingGroup
from keepgraph.model import EntityType, Predicate
from keepgraph.store.profiling import FactEnds
from keepgraph.tools.contract import answer_shapes, search_calls

MAX_LABELS = 5
MAX_WORDINGS = 20
MAX_EXAMPLES = 3
MAX_ENDS = 3


def entry(entry: OntologyClass, used: Usage, *, max_labels: int | None = MAX_LABELS) -> dict[str, Any]:
    """A class: what is always told, then what is said of it.

    Args:
        max_labels: the most of its other wordings; None is all.
    """
    labels = entry.shown_labels
    answer: dict[str, Any] = {
        "name": entry.term.name,
        "label": entry.cypher_name,
        "ontology_type": entry.ontology_type,
        "summary": entry.term.description,
        "alt_labels": list(labels[:max_labels]),
        "inherits_from": list(used.vocabulary.ancestors(entry.term.name)) if isinstance(entry.term, EntityType) else [],
        "examples": [str(example) for example in entry.details.get("examples", ())],
        "set": entry.term.set,
        "count": ontology.count(entry, used),
    }
    if max_labels is not None and len(labels) > max_labels:
        answer["more_labels"] = len(labels) - max_labels
    if entry.notation:
        answer["notation"] = entry.notation
    if entry.term.retired_at is not None:
        answer["retired"] = True
        if entry.term.replaced_by:
            answer["replaced_by"] = entry.term.replaced_by
    match entry.term:
        case EntityType():
            return answer | _of_type(entry.term, used)
        case Predicate():
            return answer | _of_predicate(entry, entry.term, max_labels=max_labels)


def shorten(entry: Mapping[str, Any]) -> dict[str, Any]:
    """A class by its names and its use, from its entry."""
    return {name: entry[name] for name in ("name", "label", "count")}


def hit(class_hit: ClassHit, used: Usage) -> dict[str, Any]:
    """A class among the results of a search."""
    answer = {"uuid": class_hit.entry.id, **entry(class_hit.entry, used)}
    if isinstance(class_hit.entry.term, Predicate):
        answer["fact"] = _sentence(class_hit.entry.term)
    return {**answer, "score": round(class_hit.hit.score, 4), "why": search_calls.why(class_hit.hit)}


def centre(entry_: OntologyClass, used: Usage) -> dict[str, Any]:
    """A class in full, with its labels by language."""
    languages: dict[str, list[str]] = {}
    for label in entry_.labels:
        if label.status != "hidden":
            languages.setdefault(label.language, []).append(label.label)
    answer = {"uuid": entry_.id, **entry(entry_, used, max_labels=None), "labels_by_language": languages}
    if uri := entry_.details.get("uri"):
        answer["uri"] = str(uri)
    if isinstance(entry_.term, Predicate):
        answer["fact"] = _sentence(entry_.term)
    return answer


def brief(entry: OntologyClass, used: Usage) -> dict[str, Any]:
    """A class by its names, its kind and its use."""
    return {
        "uuid": entry.id,
        "name": entry.term.name,
        "label": entry.cypher_name,
        "ontology_type": entry.ontology_type,
        "count": ontology.count(entry, used),
    }


def relationship(relationship: Relationship, used: Usage, *, of_predicate: bool) -> dict[str, Any]:
    """A predicate at a type; or, of a predicate, a type at its end."""
    term = relationship.entry.term
    answer: dict[str, Any] = {
        "uuid": relationship.entry.id,
        "name": term.name,
        "label": relationship.entry.cypher_name,
        "count": relationship.count,
        "declared": relationship.declared,
    }
    if isinstance(term, Predicate) and not of_predicate:
        answer |= _ends(term)
    if relationship.inherited_from is not None:
        answer["inherited_from"] = relationship.inherited_from
    if relationship.coverage is not None:
        answer["coverage"] = relationship.coverage
    return answer


def neighbour(neighbour: ClassNeighbour, used: Usage) -> dict[str, Any]:
    return {
        **brief(neighbour.entry, used),
        "distance": neighbour.distance,
        "via": {"from": neighbour.previous.term.name, "by": neighbour.by},
    }


def candidate(candidate: ClassCandidate, used: Usage) -> dict[str, Any]:
    return {**brief(candidate.entry, used), "score": candidate.score}


def gap(gap: Gap) -> dict[str, Any]:
    answer: dict[str, Any] = {"kind": gap.kind, "message": gap.text}
    if gap.word is not None:
        answer["word"] = gap.word
    if gap.count:
        answer["count"] = gap.count
    if gap.examples:
        answer["examples"] = paths(gap.examples)
    return answer


def paths(facts: Sequence[FactEnds]) -> list[dict[str, Any]]:
    """Facts as paths from a name to a name."""
    return [{"fact_id": fact.id, "source": fact.source, "target": fact.target} for fact in facts]


def wording_group(
    group: WordingGroup, *, max_wordings: int = MAX_WORDINGS, max_examples: int = MAX_EXAMPLES
) -> dict[str, Any]:
    """Wordings of one meaning in which facts wait, with the types at their ends and the nearest word."""
    answer: dict[str, Any] = {
        "count": group.count,
        "wordings": [{"wording": wording, "count": count} for wording, count in group.wordings[:max_wordings]],
        "ends": [{"source": end.source, "target": end.target, "count": end.count} for end in group.ends[:MAX_ENDS]],
        "nearest": group.nearest,
        "score": round(group.score, 2) if group.nearest else None,
        "reasons": dict(group.reasons),
        "examples": list(group.examples[:max_examples]),
    }
    if len(group.wordings) > max_wordings:
        answer["more_wordings"] = len(group.wordings) - max_wordings
    return answer | answer_shapes.filled(says_nothing=group.says_nothing)


def _of_type(term: EntityType, used: Usage) -> dict[str, Any]:
    answer: dict[str, Any] = {"parents": list(term.parents), "style": used.vocabulary.style(term.name)}
    own = used.entities.get(term.name, 0)
    if own != used.count_entities(term.name):
        answer["own_count"] = own
    if term.disjoint:
        answer["disjoint_with"] = list(term.disjoint)
    return answer


def _of_predicate(entry: OntologyClass, term: Predicate, *, max_labels: int | None) -> dict[str, Any]:
    answer: dict[str, Any] = _ends(term)
    if not term.has_binding_ends:
        answer["ends_are_advice"] = True
    if term.role:
        answer["role"] = term.role
    if term.flags:
        answer["flags"] = sorted(term.flags)
    if entry.inverses:
        answer["inverse"] = [
            {
                "name": inverse.term.name,
                "label": graph_catalogue.relationship_type(inverse.term.name),
                "alt_labels": ontology.shown(inverse.labels)[:max_labels],
            }
            for inverse in entry.inverses
        ]
    return answer


def _ends(term: Predicate) -> dict[str, Any]:
    ends: dict[str, Any] = {"source_entity": list(term.sources), "target_entity": list(term.targets)}
    return ends | answer_shapes.filled(literal=term.literal_kind)


def _sentence(term: Predicate) -> str:
    """How a fact of a predicate is read, with the types of its ends in the place of names."""
    subject = " or ".join(term.sources) or "anything"
    target = term.literal_kind or " or ".join(term.targets) or "anything"
    template = term.sentence or f"{{subject}} {term.name.replace('_', ' ')} {{object}}"
    return template.replace("{subject}", subject.replace("_", " ")).replace("{object}", target.replace("_", " "))
