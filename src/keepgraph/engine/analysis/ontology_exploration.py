"""Exploring an ontology: all its classes, or one with its relationships, place in the hierarchy and usage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from keepgraph import errors, store
from keepgraph.engine.analysis import ontology, ontology_search
from keepgraph.engine.analysis.ontology import Ontology, OntologyClass, Pattern, Usage
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import EntityType, Predicate, VocabularySet
from keepgraph.store.profiling import FactEnds
from keepgraph.store.transactions import Tx

# Gaps between an ontology and the graph: words declared but unused, and words used otherwise than declared.

_NEVER_USED = "never_used"
_END_NEVER_USED = "end_never_used"
_RELATIONSHIP_NEVER_USED = "relationship_never_used"
_OUTSIDE_ENDS = "outside_ends"
_ABSTRACT_WITH_ENTITIES = "abstract_with_entities"
_RETIRED_IN_USE = "retired_in_use"

_EXAMPLES_OF_GAPS = 3


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap: its kind, and what it is in words.

    Attributes:
        word: the predicate or the type that it is about besides the class itself.
        count: how many entities or facts there are of it.
        pattern: the types that such facts connect.
    """

    kind: str
    text: str
    word: str | None = None
    count: int = 0
    pattern: Pattern | None = None
    examples: tuple[FactEnds, ...] = ()


def _of_class(entry: OntologyClass, used: Usage) -> list[Gap]:
    """The gaps of a class."""
    if isinstance(entry.term, Predicate):
        return _of_predicate(entry.term, used)
    return _of_type(entry.term, used)


def _with_examples(tx: Tx, gap: Gap, used: Usage) -> Gap:
    """A gap with some of the facts that show it."""
    if gap.pattern is None or gap.word is None:
        return gap
    types = used.vocabulary.type_by_name
    ends = (types[gap.pattern.source].row, None if gap.pattern.target is None else types[gap.pattern.target].row)
    predicate = used.vocabulary.predicate_by_name[gap.word]
    return replace(
        gap,
        examples=tuple(store.profiling.sample_facts(tx, predicate.row, limit=_EXAMPLES_OF_GAPS, ends=ends)),
    )


def _of_type(term: EntityType, used: Usage) -> list[Gap]:
    vocabulary = used.vocabulary
    own, count = used.entities.get(term.name, 0), used.count_entities(term.name)
    if count == 0:
        return [Gap(_NEVER_USED, f"No entity is of the type {term.name}.")]
    gaps = []
    if term.is_abstract and own:
        gaps.append(Gap(_ABSTRACT_WITH_ENTITIES, f"{term.name} is abstract, and entities are of it.", count=own))
    if term.retired_at is not None:
        gaps.append(Gap(_RETIRED_IN_USE, f"{term.name} is retired, and entities are of it.", count=own))
    for declared in vocabulary.usable_predicates:
        if declared.inverse_of is None:
            gaps += _of_type_in_predicate(term.name, declared, used)
    kinds = set(vocabulary.with_subtypes([term.name]))
    for name in used.patterns:
        outside = [pattern for pattern in used.outside_ends(name) if {pattern.source, pattern.target} & kinds]
        gaps += [_outside(vocabulary.predicate_by_name[name], pattern) for pattern in outside]
    return gaps


def _of_type_in_predicate(entity_type: str, predicate: Predicate, used: Usage) -> list[Gap]:
    """A gap where a predicate is declared for a type and no entity of the type, or of a subtype, has such a fact."""
    kinds = set(used.vocabulary.with_subtypes([entity_type]))
    return [
        Gap(_RELATIONSHIP_NEVER_USED, _unused_end(predicate, verb, entity_type), predicate.name)
        for verb, declared, types in _sides(predicate, used)
        if declared and used.vocabulary.fits_side(declared, entity_type) and not types & kinds
    ]


def _sides(predicate: Predicate, used: Usage) -> Iterator[tuple[str, Sequence[str], set[str | None]]]:
    """For each end of a predicate: its verb, the types that it is declared for, and those that its facts have there."""
    patterns = used.patterns.get(predicate.name, ())
    yield "come from", predicate.sources, {pattern.source for pattern in patterns}
    yield "lead to", predicate.targets, {pattern.target for pattern in patterns}


def _unused_end(predicate: Predicate, verb: str, entity_type: str) -> str:
    return f"{predicate.name} is declared to {verb} {entity_type}; no fact does."


def _of_predicate(predicate: Predicate, used: Usage) -> list[Gap]:
    count = used.count_facts(predicate.name)
    if count == 0:
        return [Gap(_NEVER_USED, f"No fact has the predicate {predicate.name}.")]
    gaps = []
    if predicate.retired_at is not None:
        gaps.append(Gap(_RETIRED_IN_USE, f"{predicate.name} is retired, and facts have it.", count=count))
    gaps += [
        Gap(_END_NEVER_USED, _unused_end(predicate, verb, name), name)
        for verb, declared, types in _sides(predicate, used)
        for name in declared
        if not types & set(used.vocabulary.with_subtypes([name]))
    ]
    return gaps + [_outside(predicate, pattern) for pattern in used.outside_ends(predicate.name)]


def _outside(predicate: Predicate, pattern: Pattern) -> Gap:
    declared = f"{' or '.join(predicate.sources) or 'any type'} → {_declared_target(predicate)}"
    used = f"{pattern.source} to {pattern.target or 'a literal'}"
    text = f"{predicate.name} is declared for {declared}, and leads from {used}."
    return Gap(_OUTSIDE_ENDS, text, predicate.name, pattern.count, pattern)


def _declared_target(predicate: Predicate) -> str:
    if predicate.literal_kind is not None:
        return f"a literal ({predicate.literal_kind})"
    return " or ".join(predicate.targets) or "any type"


MAX_DEPTH = 4
_EXAMPLES = 5
_GAPS_WITH_EXAMPLES = 20
_CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class ClassCandidate:
    """A class that a name may mean, with a score from 0 to 1."""

    entry: OntologyClass
    score: float


@dataclass(frozen=True, slots=True)
class ClassResolution:
    """What a name means in an ontology: a class, or near ones. `others` have the same wording."""

    entry: OntologyClass | None
    candidates: tuple[ClassCandidate, ...] = ()
    others: tuple[OntologyClass, ...] = ()


@dataclass(frozen=True, slots=True)
class Relationship:
    """A predicate at a type, or, of a predicate, a type at its end.

    Attributes:
        entry: the predicate; of a predicate, the type.
        declared: whether the ends of the predicate are declared so.
        inherited_from: the ancestor of the type for which it is declared; None if that is the type itself.
        count: how many facts there are.
        coverage: the share of the entities of the type that have such a fact; None if nothing is of the type.
    """

    entry: OntologyClass
    declared: bool
    count: int
    inherited_from: str | None = None
    coverage: float | None = None


@dataclass(frozen=True, slots=True)
class ClassNeighbour:
    """A class some steps away along parents, children and the declared ends of predicates."""

    entry: OntologyClass
    distance: int
    previous: OntologyClass
    by: str


@dataclass(frozen=True, slots=True)
class OntologyExploration:
    """What is around a class."""

    centre: OntologyClass
    usage: Usage
    outgoing: Sequence[Relationship]
    incoming: Sequence[Relationship]
    parents: Sequence[OntologyClass]
    children: Sequence[OntologyClass]
    siblings: Sequence[OntologyClass]
    neighbours: Sequence[ClassNeighbour]
    gaps: Sequence[Gap]
    entity_examples: Sequence[tuple[str, str, str]] = ()
    fact_examples: Sequence[FactEnds] = field(default=())


def resolve(tx: Tx, name_or_id: str) -> ClassResolution:
    """The class of a name, a label, a code or an id; near ones where there is none."""
    classes = ontology.read(tx)
    if named := classes.by_id.get(name_or_id):
        return ClassResolution(named)
    index = ontology_search.of_ontology(tx)
    positions = index.exact(name_or_id)
    for kind in store.vocabulary.KINDS:
        # The vocabulary itself says what a wording means where two words have it.
        term = graph_vocabulary.find(tx, kind, name_or_id)
        if term is not None:
            entry = classes.by_id[f"{kind}:{term.name}"]
            others = [classes.classes[position] for position in positions if position != entry.position]
            return ClassResolution(entry, others=tuple(others))
    if positions:
        entry, *others = (classes.classes[position] for position in positions)
        return ClassResolution(entry, others=tuple(others))
    return ClassResolution(None, _candidates(classes, index, name_or_id))


def explore(tx: Tx, centre: OntologyClass, *, depth: int) -> OntologyExploration:
    """What is around a class: all of it, for callers to cut; the first gaps have examples."""
    classes, used = ontology.read(tx), ontology.of_graph(tx)
    gaps = _of_class(centre, used)
    gaps[:_GAPS_WITH_EXAMPLES] = [_with_examples(tx, gap, used) for gap in gaps[:_GAPS_WITH_EXAMPLES]]
    neighbours = _neighbours(classes, centre, used, depth=depth)
    if isinstance(centre.term, Predicate):
        outgoing, incoming = _ends(classes, centre.term, used)
        return OntologyExploration(
            centre,
            used,
            outgoing,
            incoming,
            parents=(),
            children=(),
            siblings=_predicates_with_same_ends(classes, centre.term, used),
            neighbours=neighbours,
            gaps=gaps,
            fact_examples=store.profiling.sample_facts(tx, centre.term.row, limit=_EXAMPLES),
        )
    outgoing, incoming = _relationships(tx, classes, centre.term, used)
    rows = _rows(classes, centre.term.name)
    return OntologyExploration(
        centre,
        used,
        outgoing,
        incoming,
        parents=[classes.entity_class(name) for name in centre.term.parents],
        children=ontology.most_used_first(
            [classes.entity_class(name) for name in classes.children.get(centre.term.name, ())], used
        ),
        siblings=_siblings(classes, centre.term, used),
        neighbours=neighbours,
        gaps=gaps,
        entity_examples=store.profiling.sample_entities(tx, rows, limit=_EXAMPLES),
    )


def _candidates(classes: Ontology, index: ontology_search.WordIndex, name: str) -> tuple[ClassCandidate, ...]:
    scores = dict(index.similar_wordings(name, limit=_CANDIDATES))
    for position in index.beginning_with(name)[:_CANDIDATES]:
        scores[position] = max(scores.get(position, 0.0), 0.7)
    if not scores:
        scores = {position: 0.5 for position, _ in index.by_tokens(name)[:_CANDIDATES]}
    ordered = sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))
    return tuple(ClassCandidate(classes.classes[position], round(score, 2)) for position, score in ordered)[
        :_CANDIDATES
    ]


# A type


def _relationships(
    tx: Tx, classes: Ontology, term: EntityType, used: Usage
) -> tuple[list[Relationship], list[Relationship]]:
    """The predicates that come from a type, and those that lead to it: declared for it or an ancestor, or used."""
    kinds = set(used.vocabulary.with_subtypes([term.name]))
    rows = _rows(classes, term.name)
    total = used.count_entities(term.name)
    sides: list[list[Relationship]] = []
    for side in ("subject", "object"):
        connected = store.profiling.count_ends(tx, rows, side=side) if total else {}
        relationships = []
        for entry in classes.relationship_classes:
            predicate = entry.term
            if not isinstance(predicate, Predicate):
                continue
            declared_types = predicate.sources if side == "subject" else predicate.targets
            count = sum(
                pattern.count
                for pattern in used.patterns.get(predicate.name, ())
                if (pattern.source if side == "subject" else pattern.target) in kinds
            )
            nearest = next(
                (name for name in (term.name, *used.vocabulary.ancestors(term.name)) if name in declared_types), None
            )
            if not count and (nearest is None or predicate.retired_at is not None):
                continue
            relationships.append(
                Relationship(
                    entry,
                    declared=nearest is not None or not declared_types,
                    count=count,
                    inherited_from=nearest if nearest != term.name else None,
                    coverage=round(connected.get(predicate.row, 0) / total, 2) if total else None,
                )
            )
        relationships.sort(key=lambda relationship: (-relationship.count, relationship.entry.position))
        sides.append(relationships)
    return sides[0], sides[1]


def _siblings(classes: Ontology, term: EntityType, used: Usage) -> list[OntologyClass]:
    """The types with a parent in common; of a type without parents, none."""
    names = dict.fromkeys(
        child for parent in term.parents for child in classes.children.get(parent, ()) if child != term.name
    )
    return ontology.most_used_first([classes.entity_class(name) for name in names], used)


def _rows(classes: Ontology, entity_type: str) -> list[int]:
    names = classes.vocabulary.with_subtypes([entity_type])
    return [classes.vocabulary.type_by_name[name].row for name in names]


# A predicate


def _ends(classes: Ontology, term: Predicate, used: Usage) -> tuple[list[Relationship], list[Relationship]]:
    """The types that a predicate leads to, and those that it comes from: declared, or used."""
    patterns = used.patterns.get(term.name, ())
    sides = []
    for declared, of_pattern in ((term.targets, "target"), (term.sources, "source")):
        counts: dict[str, int] = dict.fromkeys(declared, 0)
        for pattern in patterns:
            name = getattr(pattern, of_pattern)
            if name is not None:
                counts[name] = counts.get(name, 0) + pattern.count
        sides.append(
            [
                Relationship(
                    classes.entity_class(name),
                    declared=used.vocabulary.fits_side(declared, name),
                    count=count,
                    inherited_from=next((kind for kind in used.vocabulary.ancestors(name) if kind in declared), None)
                    if name not in declared
                    else None,
                )
                for name, count in sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))
            ]
        )
    return sides[0], sides[1]


def _predicates_with_same_ends(classes: Ontology, term: Predicate, used: Usage) -> list[OntologyClass]:
    """The other predicates that are declared for the same types; none if it is declared for any."""
    if not term.sources and not term.targets:
        return []
    same = [
        entry
        for entry in classes.relationship_classes
        if isinstance(entry.term, Predicate)
        and entry.term.name != term.name
        and (entry.term.sources, entry.term.targets, entry.term.literal_kind)
        == (term.sources, term.targets, term.literal_kind)
    ]
    return ontology.most_used_first(same, used)


# Neighbours


def _neighbours(classes: Ontology, centre: OntologyClass, used: Usage, *, depth: int) -> list[ClassNeighbour]:
    """The types within some steps, nearest and most used first."""
    connections = _connections(classes)
    seen = {centre.position}
    ring = [centre]
    neighbours: list[ClassNeighbour] = []
    for distance in range(1, depth + 1):
        next_ring: dict[int, ClassNeighbour] = {}
        for previous in ring:
            for other, by in _steps(classes, connections, previous):
                if other.position not in seen:
                    next_ring.setdefault(other.position, ClassNeighbour(other, distance, previous, by))
        seen.update(next_ring)
        ring = ontology.most_used_first([neighbour.entry for neighbour in next_ring.values()], used)
        neighbours += [next_ring[entry.position] for entry in ring]
    return neighbours


def _connections(classes: Ontology) -> Mapping[str, list[tuple[str, str]]]:
    """By type, the types at the other ends of the predicates that are declared for it, with the predicate."""
    connections: dict[str, list[tuple[str, str]]] = {}
    for predicate in classes.vocabulary.usable_predicates:
        if predicate.inverse_of is None:
            for source in predicate.sources:
                for target in predicate.targets:
                    connections.setdefault(source, []).append((target, predicate.name))
                    connections.setdefault(target, []).append((source, predicate.name))
    return connections


def _steps(
    classes: Ontology, connections: Mapping[str, list[tuple[str, str]]], entry: OntologyClass
) -> Iterator[tuple[OntologyClass, str]]:
    term = entry.term
    if isinstance(term, Predicate):
        for name in term.sources:
            yield classes.entity_class(name), "source"
        for name in term.targets:
            yield classes.entity_class(name), "target"
        return
    for name in term.parents:
        yield classes.entity_class(name), "parent"
    for name in classes.children.get(term.name, ()):
        yield classes.entity_class(name), "child"
    for name, predicate in connections.get(term.name, ()):
        yield classes.entity_class(name), predicate


# The structure of an ontology: its classes, filtered and most used first, with how many there are of each kind.


@dataclass(frozen=True, slots=True)
class SetSize:
    """A set of the vocabulary, with the number of its classes."""

    set: VocabularySet
    entity_classes: int
    relationship_classes: int


@dataclass(frozen=True, slots=True)
class _OntologyStructure:
    """The classes that fit a filter, cut to a limit, and how many fit it."""

    usage: Usage
    sets: tuple[SetSize, ...]
    entity_classes: tuple[OntologyClass, ...]
    relationship_classes: tuple[OntologyClass, ...]
    entity_total: int
    relationship_total: int


def read(tx: Tx, *, query: str, set_name: str | None, only_used: bool, limit: int) -> _OntologyStructure:
    """The classes of the ontology, most used first and retired ones last.

    Args:
        query: the beginnings of words of their names, labels or codes; empty for any.
        set_name: the set that they are of.
        only_used: those alone that have an entity or a fact.
        limit: the most of each of the two kinds.

    Raises:
        errors.VocabularySetUnknown: the vocabulary has no such set.
    """
    classes = ontology.read(tx)
    used = ontology.of_graph(tx)
    _check_set(classes, set_name)
    index = ontology_search.of_ontology(tx)

    def fitting(entries: Sequence[OntologyClass]) -> list[OntologyClass]:
        return ontology.most_used_first(
            [
                entry
                for entry in entries
                if (set_name is None or entry.term.set == set_name)
                and (not only_used or ontology.count(entry, used))
                and (not query or index.has_all_tokens(entry.position, query))
            ],
            used,
        )

    entity_classes, relationship_classes = fitting(classes.entity_classes), fitting(classes.relationship_classes)
    return _OntologyStructure(
        used,
        _sets(classes, set_name),
        tuple(entity_classes[:limit]),
        tuple(relationship_classes[:limit]),
        len(entity_classes),
        len(relationship_classes),
    )


def _check_set(classes: Ontology, set_name: str | None) -> None:
    names = [candidate.name for candidate in classes.vocabulary.sets if candidate.retired_at is None]
    if set_name is not None and set_name not in names:
        raise errors.VocabularySetUnknown(
            f"this graph has no vocabulary set {set_name[:60]!r}", hint=f"It has {', '.join(names)}."
        )


def _sets(classes: Ontology, set_name: str | None) -> tuple[SetSize, ...]:
    return tuple(
        SetSize(
            candidate,
            sum(1 for entry in classes.entity_classes if entry.term.set == candidate.name),
            sum(1 for entry in classes.relationship_classes if entry.term.set == candidate.name),
        )
        for candidate in classes.vocabulary.sets
        if candidate.retired_at is None and set_name in (None, candidate.name)
    )
