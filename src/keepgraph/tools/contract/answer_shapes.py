"""The shapes of answers: entities, facts, texts and other results as dicts; and the names that arguments give.

Conflicts of facts are a sentence, the facts, and the call that would settle it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from keepgraph import errors, store
from keepgraph.engine import knowledge, vector_backfill
from keepgraph.engine.knowledge import past_and_future
from keepgraph.engine.knowledge.projects import Scope
from keepgraph.engine.verification import conflicts
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language.normalisation import Name
from keepgraph.model import (
    ADVISORY_FLAGS,
    Candidate,
    Decision,
    Entity,
    Episode,
    Event,
    Fact,
    Import,
    Proposal,
    RecordedFact,
    Ref,
    Resolution,
)
from keepgraph.store.communities import Community
from keepgraph.store.details import EntityDetails, FactDetails
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import brief_answers

if TYPE_CHECKING:
    from keepgraph.engine.knowledge.rollup import Narrative
    from keepgraph.engine.query.schema import Label, RelationshipType, Schema

    SchemaTerm = TypeVar("SchemaTerm", Label, RelationshipType)
    from keepgraph.engine.verification.conflicts import Conflict

Why = Mapping[str, Mapping[str, Any]]
"""Why a hit is in a ranked list: by retriever, its rank and score there."""

MAX_UNUSED_DESCRIBED = 8
"""At most this many unused labels, and unused relationship types, are described in a schema; others are only named."""

MAX_UNUSED_NAMES = 100

MAX_GROUPS_SHOWN = 8
MAX_GROUPS_COUNTED = 100

REMAINS = (
    "undo can bring it back: the journal still has it, and so do backups made before. "
    "To remove it from there too, a person runs `kg purge`."
)
"""What remains of what was deleted, until it is purged."""

MAX_NARRATIVE = 3000
"""At most this many characters of a narrative stand in the answer about its week."""


def ref(reference: Mapping[str, Any]) -> Ref:
    """The entity that an argument names, by id, or by type and name."""
    return Ref(id=reference.get("id"), type=reference.get("type"), name=reference.get("name"))


def name(text: str) -> Name:
    """The name that an argument gives.

    Raises:
        errors.NameOrAliasRequired: it is empty.
    """
    name = Name(text)
    if not name.key:
        raise errors.NameOrAliasRequired("the name is empty")
    return name


def filled(**fields: Any) -> dict[str, Any]:
    """The fields that have a value."""
    return {name: value for name, value in fields.items() if value}


def entity(entity: Entity) -> dict[str, Any]:
    return {"type": entity.type, "id": entity.id, "name": entity.name}


def entity_in_full(tx: Tx, entity_: Entity) -> dict[str, Any]:
    """An entity with its aliases, and with its summary and its properties where it has some."""
    details = store.details.of_entities(tx, [entity_.row])[entity_.row]
    return {
        **entity(entity_),
        "aliases": store.entities.aliases(tx, entity_),
        "created_at": timestamps.format_local(entity_.created_at, tx.zone),
        **filled(summary=details.summary, properties=dict(details.properties)),
    }


def scope(tx: Tx, scope: Scope, *, named: Sequence[str] = ()) -> dict[str, Any]:
    """The group that a call worked in, and what its texts are about: the project, and other entities that it named."""
    others = [other for text in named for other in knowledge.entities.all_named(tx, Name(text))]
    about = {other.id: other for other in ([scope.project] if scope.project else []) + others}
    answer: dict[str, Any] = {"group_id": scope.group, "about": [entity(other) for other in about.values()]}
    if scope.created and scope.project:
        near = knowledge.entities.possible_duplicates(tx, scope.project)
        answer["auto_created_entities"] = [entity(scope.project)]
        answer["possible_duplicates"] = [{"new": entity(scope.project), **candidate(existing)} for existing in near]
    return answer


def read_scope(scope: Scope) -> dict[str, Any]:
    """What a reader's `project` was taken for: the project and how its name was resolved, or a group.

    Where it is a group, and a project is called so too, the hint says how to name the project.
    """
    answer: dict[str, Any] = {
        "project": entity(scope.project) if scope.project else None,
        "resolution": resolution(scope.resolution) if scope.resolution else None,
    }
    if scope.named_group or scope.name is not None:
        answer["group_id"] = scope.group
    if namesake := scope.namesake:
        answer["hint"] = (
            f"{scope.group!r} was taken for the group of this id. There is also the {namesake.type} {namesake.name!r}: "
            f"name it {namesake.type}:{namesake.name}."
        )
    return answer


def fact(tx: Tx, fact: Fact, *, seen_from: Entity | None = None) -> dict[str, Any]:
    """A fact; where it is shown as one of an entity that is its object, also how it reads from there."""
    return {
        "id": fact.id,
        "subject": entity(fact.subject),
        "predicate": fact.predicate,
        "object": object_of_fact(fact),
        "source": fact.source,
        "confidence": fact.confidence,
        "recorded_at": timestamps.format_local(fact.recorded_at, tx.zone),
        **validity(tx, fact),
        **beginning(tx, fact),
        **_reading(tx, fact, seen_from),
        **({"scope": projects_of(tx, fact)} if fact.scope else {}),
    }


def projects_of(tx: Tx, fact: Fact) -> list[str]:
    """The names of the only projects in which a fact holds; the id of one that no longer exists."""
    found = {project: knowledge.entities.find_by_id(tx, project) for project in fact.scope}
    return [entity.name if entity else project for project, entity in found.items()]


def beginning(tx: Tx, fact: Fact) -> dict[str, str]:
    """The field that says that a fact may not have begun by the time asked for; empty if that is known."""
    if not knowledge.past_and_future.begins_unknown(fact, tx.at):
        return {}
    return {"beginning": f"unknown, recorded {timestamps.local_date(fact.recorded_at, tx.zone)}"}


def other_times(
    tx: Tx, entities: Sequence[int], *, predicates: Sequence[str] | None = None, names_entities: bool = False
) -> dict[str, Any]:
    """Ended and future facts of some entities, by row, in lines; empty if there are none."""
    ended, to_come = past_and_future.of_entities(tx, entities, predicates=predicates, names_entities=names_entities)
    return {
        name: [*told.lines, *([f"{told.more} more {'to come' if told is to_come else 'ended'}"] if told.more else [])]
        for name, told in (("ended", ended), ("to_come", to_come))
        if told.lines
    }


def object_of_fact(fact: Fact) -> dict[str, Any]:
    return entity(fact.object) if fact.object else {"literal": fact.literal}


def validity(tx: Tx, fact: Fact) -> dict[str, Any]:
    return {
        "valid_from": fact.valid_from and timestamps.format_local(fact.valid_from, tx.zone),
        "valid_to": fact.valid_to and timestamps.format_local(fact.valid_to, tx.zone),
    }


def fact_as_text(tx: Tx, fact: Fact) -> dict[str, Any]:
    """A fact as a sentence, with its id and when it holds."""
    return {"fact_id": fact.id, "text": knowledge.facts.sentence(fact), **validity(tx, fact)}


def may_have_ended(tx: Tx, ended: Sequence[Fact]) -> dict[str, Any]:
    """What rests on facts that have ended, as candidates to end too; nothing if nothing does."""
    resting = knowledge.ending.resting_on(tx, ended) if ended else []
    return {"may_have_ended": [fact_as_text(tx, fact) for fact in resting]} if resting else {}


def settled_by(tool: str | None, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
    """The call that would settle a conflict; nothing if no call would."""
    return filled(settled_by=tool and {"tool": tool, "arguments": dict(arguments or {})})


def dated_facts(tx: Tx, facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """Facts that say the same of different times."""
    return [{"fact_id": fact.id, **validity(tx, fact)} for fact in facts]


def blockers(tx: Tx, facts: Sequence[Fact]) -> list[dict[str, Any]]:
    """Blockers by their facts: what is blocked by what, and when that ended."""
    return [
        {"fact_id": fact.id, "text": knowledge.facts.sentence(fact), "valid_to": validity(tx, fact)["valid_to"]}
        for fact in facts
    ]


def effect(tx: Tx, result: RecordedFact) -> dict[str, Any]:
    """What recording did to a fact, to others that say the same, and to blockers; empty lists are left out."""
    hint = result.open_blockers and (
        "No blocker was closed. If one of open_blockers is settled, record this again "
        f'with its id as subject: {{"id": "{result.open_blockers[0].id}"}}.'
    )
    return {
        "effect": result.effect,
        **filled(
            validity_before=result.before and validity(tx, result.before),
            also_ended=result.also_ended and dated_facts(tx, result.also_ended),
            overlapping=result.overlapping and dated_facts(tx, result.overlapping),
            closed_blockers=result.closed_blockers and blockers(tx, result.closed_blockers),
            open_blockers=result.open_blockers and blockers(tx, result.open_blockers),
            hint=hint,
        ),
    }


def resolution(resolution: Resolution) -> dict[str, Any]:
    off, missing = resolution.embedding_off, resolution.names_without_vector
    return {
        "method": resolution.method,
        "score": resolution.score,
        "candidates": [candidate(match) for match in resolution.candidates],
        **filled(
            because=resolution.reason,
            hint=resolution.hint,
            ambiguous=resolution.is_ambiguous,
            embedding=f"off: {off}" if off else missing and vector_backfill.describe_missing(missing),
        ),
    }


def alias(tx: Tx, result: RecordedFact) -> dict[str, Any]:
    """That a fact gave its subject another name, with all that it has; nothing if it did not."""
    if result.alias is None:
        return {}
    subject = result.fact.subject
    return {
        "note": f"“{result.alias}” is another name of {subject.name}, and finds it.",
        "aliases": store.entities.aliases(tx, subject),
    }


def mapped_words(result: RecordedFact) -> dict[str, Any]:
    """What was taken for other wordings, and what does not fit; nothing if all was given by its name and fits."""
    mapped = result.mapped_predicate
    return filled(
        mapped_predicate=mapped
        and {"given": mapped.given, "predicate": mapped.word, **filled(reversed=mapped.is_reversed)},
        mapped_types=result.mapped_types and [{"given": word.given, "type": word.word} for word in result.mapped_types],
        warning=result.ends_warning,
    )


def candidate(candidate: Candidate) -> dict[str, Any]:
    return {**entity(candidate.entity), "method": candidate.method, "score": candidate.score}


def narrative(tx: Tx, narrative: Narrative) -> dict[str, Any]:
    """The narrative of a week, with the beginning of a long text."""
    episode = narrative.episode
    return {
        "week": narrative.week,
        "text": narrative.text[:MAX_NARRATIVE],
        "truncated": len(narrative.text) > MAX_NARRATIVE,
        "doc_id": episode.id,
        "source": episode.source,
        "written_at": timestamps.format_local(narrative.recorded_at, tx.zone),
        **filled(session=narrative.session),
    }


def event(tx: Tx, event: Event) -> dict[str, Any]:
    return {
        "at": timestamps.format_local(event.at, tx.zone),
        "what": event.kind,
        "text": event.text,
        "tool": event.tool,
        "session": event.session,
        "source": event.source,
        "fact_id": event.fact,
        "call": event.call,
        "change": event.change,
        **imported(tx, event.imported),
    }


def imported(tx: Tx, by: Import | None) -> dict[str, Any]:
    """When an import brought something, and from which file; nothing if it was recorded here."""
    if by is None:
        return {}
    return {"imported_at": timestamps.format_local(by.at, tx.zone), **filled(imported_from=by.file)}


def decision(tx: Tx, decision: Decision, *, names_projects: bool = False) -> dict[str, Any]:
    """A decision; in a list of all projects, with the names of its own."""
    return {
        **({"projects": [project.name for project in decision.projects]} if names_projects else {}),
        "id": decision.id,
        "name": decision.name,
        "decided_on": decision.decided_on,
        "decided_by": [entity(person) for person in decision.decided_by],
        "source": decision.source,
        "confidence": decision.confidence,
        "supersedes": entity(decision.supersedes) if decision.supersedes else None,
        "followed_up": decision.followed_up,
        **imported(tx, decision.imported),
    }


def node(tx: Tx, entity: Entity, details: EntityDetails, *, why: Why | None = None) -> dict[str, Any]:
    """An entity as a node of the graph; `details` is that of store/details.py, `why` what put it into a list."""
    return {
        "uuid": entity.id,
        "id": entity.id,
        "name": entity.name,
        "labels": list(graph_vocabulary.labels_of_type(tx, entity.type)),
        "type": entity.type,
        "summary": details.summary,
        "created_at": timestamps.format_local(entity.created_at, tx.zone),
        "group_id": details.group,
        "attributes": dict(details.properties),
        **_why(why),
    }


def proposed_node(tx: Tx, proposal: Proposal, *, group: str | None = None, why: Why | None = None) -> dict[str, Any]:
    """A proposed entity as a node: a name in texts that no entity has. Its type is a guess."""
    return {
        "uuid": proposal.id,
        "id": proposal.id,
        "name": proposal.subject,
        "labels": ["Proposed"],
        "type": proposal.subject_type,
        "summary": proposal.evidence or "",
        "created_at": timestamps.format_local(proposal.created_at, tx.zone),
        "group_id": group or tx.group,
        "attributes": {"confidence": proposal.confidence},
        "proposed": True,
        **_why(why),
    }


def edge(
    tx: Tx,
    fact: Fact,
    details: FactDetails | None = None,
    *,
    why: Why | None = None,
    seen_from: Entity | None = None,
) -> dict[str, Any]:
    """A fact as an edge of the graph. A literal is a target without a uuid.

    Args:
        details: that of store/details.py.
        seen_from: the entity as one of whose facts it is shown; where that is its object, `reads` says how it reads
            from there.
    """
    return {
        "uuid": fact.id,
        "name": fact.predicate,
        "fact": knowledge.facts.sentence(fact),
        "source_node_uuid": fact.subject.id,
        "source_name": fact.subject.name,
        "target_node_uuid": fact.object.id if fact.object else None,
        "target_name": fact.object.name if fact.object else fact.literal,
        "created_at": timestamps.format_local(fact.recorded_at, tx.zone),
        "valid_at": fact.valid_from and timestamps.format_local(fact.valid_from, tx.zone),
        "invalid_at": fact.valid_to and timestamps.format_local(fact.valid_to, tx.zone),
        "expired_at": fact.retracted_at and timestamps.format_local(fact.retracted_at, tx.zone),
        "group_id": details.group if details else tx.group,
        "confidence": fact.confidence,
        "source": fact.source,
        "episodes": list(details.episodes) if details else [],
        **beginning(tx, fact),
        **_reading(tx, fact, seen_from),
        **_why(why),
    }


def mention_predicates(tx: Tx) -> tuple[str, ...]:
    """The names that stand for a mention where it is shown as an edge, the one that is shown first."""
    return graph_vocabulary.read(tx).names_of_role("mentions") or ("mentions",)


def mention_edge(
    tx: Tx,
    *,
    id: str,
    name: str,
    place: str,
    episode: Episode,
    quote: str,
    others: Sequence[str] = (),
    confidence: float = 1.0,
) -> dict[str, Any]:
    """A mention as an edge, from an entity to the text that mentions it.

    Args:
        id, name: those of the entity, or of the proposed entity.
        place: "<row of the chunk>:<row of the entity>", or "<row of the chunk>:<id>" of a proposal.
        quote: the sentence that mentions it.
        others: the names of the other entities that the chunk mentions.
    """
    return {
        "uuid": f"mention:{place}",
        "name": mention_predicates(tx)[0],
        "fact": f"{name} is mentioned in “{episode.name}”: {quote}",
        "source_node_uuid": id,
        "source_name": name,
        "target_node_uuid": episode.id,
        "target_name": episode.name,
        "created_at": timestamps.format_local(episode.recorded_at, tx.zone),
        "valid_at": timestamps.format_local(episode.occurred_at, tx.zone),
        "invalid_at": None,
        "expired_at": None,
        "group_id": episode.group,
        "confidence": confidence,
        "source": episode.source or None,
        "episodes": [episode.id],
        "mentioned_with": list(others),
    }


def episode(
    tx: Tx, episode: Episode, *, content: str | None = None, chunk: str | None = None, why: Why | None = None
) -> dict[str, Any]:
    """An episode; `content` is its text or the beginning of it, `chunk` the part that matched."""
    answer: dict[str, Any] = {"uuid": episode.id, "name": episode.name}
    if content is not None:
        answer["content"] = content
    if chunk is not None:
        answer["chunk"] = chunk
    return {
        **answer,
        "source": episode.kind,
        "source_description": episode.source,
        "valid_at": timestamps.format_local(episode.occurred_at, tx.zone),
        "created_at": timestamps.format_local(episode.recorded_at, tx.zone),
        "group_id": episode.group,
        **_why(why),
    }


def quotation(tx: Tx, episode: Episode, quote: str) -> dict[str, Any]:
    """A passage of a text: at most 200 characters, with the name and the time of the text."""
    return {
        "doc_id": episode.id,
        "name": episode.name,
        "valid_at": timestamps.format_local(episode.occurred_at, tx.zone),
        "quote": brief_answers.quote(quote),
    }


def other_groups(tx: Tx) -> dict[str, Any]:
    """The groups besides that of the call that hold something, with how many entities and texts each has."""
    groups = store.groups.others(tx, limit=MAX_GROUPS_COUNTED)
    shown = groups[:MAX_GROUPS_SHOWN]
    return {
        "groups": [
            {"group_id": group, "entities": entities, "episodes": episodes} for group, entities, episodes in shown
        ],
        "more": len(groups) - len(shown),
    }


def other_groups_if_any(tx: Tx) -> dict[str, Any]:
    """The other groups, for an answer that has nothing from the group of the call."""
    groups = other_groups(tx)
    return filled(other_groups=groups["groups"] and groups)


def community(tx: Tx, community: Community, *, why: Why | None = None) -> dict[str, Any]:
    """A community, without its members."""
    return {
        "uuid": community.id,
        "name": community.name,
        "summary": community.summary,
        "member_count": community.members,
        "created_at": timestamps.format_local(community.created_at, tx.zone),
        "group_id": community.group,
        "named_by": community.named_by,
        **_why(why),
    }


def schema(schema: Schema) -> dict[str, Any]:
    """The labels and types that are used in full, with the first of the others; of the rest their names."""
    labels, unused_labels = _used_first(schema.labels)
    types, unused_types = _used_first(schema.types)
    answer = {
        "node_count": sum(label.own_count for label in schema.labels),
        "relationship_count": sum(relationship.count for relationship in schema.types),
        "node_labels": {
            label.name: {
                "count": label.count,
                "properties": sorted(label.properties),
                "sampled": label.sampled,
                "ancestors": list(label.ancestors),
                "description": label.description,
            }
            for label in labels
        },
        "relationship_types": {relationship.name: _relationship_type(schema, relationship) for relationship in types},
        "property_kinds": {
            "nodes": schema.node_properties,
            "relationships": dict(schema.relationship_properties),
        },
    }
    if unused_labels or unused_types:
        shown_labels, shown_types = unused_labels[:MAX_UNUSED_NAMES], unused_types[:MAX_UNUSED_NAMES]
        answer["unused"] = {
            "labels": [label.name for label in shown_labels],
            "types": [relationship.name for relationship in shown_types],
            "more": len(unused_labels) - len(shown_labels) + len(unused_types) - len(shown_types),
        }
    if schema.incomplete:
        answer["incomplete"] = list(schema.incomplete)
    return answer


def _used_first(terms: Sequence[SchemaTerm]) -> tuple[list[SchemaTerm], list[SchemaTerm]]:
    """The terms to describe, in their order: the used ones and a few of the others; and the rest."""
    first_unused = [term for term in terms if not term.count][:MAX_UNUSED_DESCRIBED]
    described = [term for term in terms if term.count or term in first_unused]
    return described, [term for term in terms if term not in described]


def _relationship_type(schema: Schema, relationship: RelationshipType) -> dict[str, Any]:
    return {
        "count": relationship.count,
        "patterns": [[pattern.source, pattern.target] for pattern in relationship.patterns],
        "pattern_counts": [pattern.count for pattern in relationship.patterns],
        "properties": sorted(schema.relationship_properties),
        "meant_sources": list(relationship.intended_sources),
        "meant_targets": list(relationship.intended_targets),
        "description": relationship.description,
        **filled(
            inverse=list(relationship.inverses),
            symmetric=relationship.is_symmetric,
            transitive=relationship.is_transitive,
        ),
    }


def _why(why: Why | None) -> dict[str, Any]:
    return {} if why is None else {"why": {source: dict(rank) for source, rank in why.items()}}


def _reading(tx: Tx, fact: Fact, seen_from: Entity | None) -> dict[str, Any]:
    """How a fact reads from its object, by an inverse or a symmetric predicate; nothing if it does not."""
    term = knowledge.past_and_future.read_from(tx, fact, seen_from) if seen_from is not None else None
    if term is None or seen_from is None:
        return {}
    sentence = knowledge.facts.phrase(seen_from.name, term.name, fact.subject.name, form=term.sentence)
    return {"reads": {"name": term.name, "fact": sentence}}


_ONCE = ("retracted", *ADVISORY_FLAGS)


def of_recorded(tx: Tx, recorded: RecordedFact) -> dict[str, Any]:
    """The conflicts of a fact that was just recorded, and what may have ended with those that it ended, if anything.

    That it was retracted once is said when it is recorded again, and not each time that it is repeated; nor is what
    usually holds alone.
    """
    fact = recorded.fact
    found = [
        conflict for conflict in conflicts.of_fact(tx, fact) if not (recorded.deduplicated and conflict.kind in _ONCE)
    ]
    ended = [*recorded.superseded, *([fact] if recorded.effect == "ended" else [])]
    return {
        **({"conflicts": describe(tx, found, besides=fact)} if found else {}),
        **may_have_ended(tx, ended),
    }


def describe(tx: Tx, found: Iterable[Conflict], *, besides: Fact | None = None) -> list[dict[str, Any]]:
    """Conflicts as an answer shows them.

    Args:
        besides: a fact that the answer shows already.
    """
    return [
        {
            "kind": conflict.kind,
            "sentence": conflict.statement,
            **_advice(conflict, besides),
            "facts": [fact_as_text(tx, fact) for fact in conflict.facts if besides is None or fact.row != besides.row],
            **settled_by(conflict.tool, conflict.arguments),
        }
        for conflict in found
    ]


def _advice(conflict: Conflict, fact: Fact | None) -> dict[str, str]:
    """What to do of a fact that stands beside the one that was recorded."""
    if conflict.kind not in ADVISORY_FLAGS or conflict.tool is None or fact is None:
        return {}
    return {"advice": conflicts.describe((conflict.tool, conflict.arguments or {}), fact=fact)}
