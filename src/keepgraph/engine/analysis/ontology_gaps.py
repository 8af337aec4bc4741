"""Gaps between an ontology and the graph: what is declared and never used, and what is used otherwise than declared."""

from __future__ import annotations

from dataclasses import dataclass, replace

from keepgraph import store
from keepgraph.engine.analysis.ontology import OntologyClass
from keepgraph.engine.analysis.usage import Pattern, Usage
from keepgraph.model import EntityType, Predicate
from keepgraph.store.profiling import FactEnds
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

NEVER_USED = "never_used"
END_NEVER_USED = "end_never_used"
RELATIONSHIP_NEVER_USED = "relationship_never_used"
OUTSIDE_ENDS = "outside_ends"
ABSTRACT_WITH_ENTITIES = "abstract_with_entities"
RETIRED_IN_USE = "retired_in_use"

_EXAMPLES = 3


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


def of_class(entry: OntologyClass, used: Usage) -> list[Gap]:
    """The gaps of a class."""
    if isinstance(entry.term, Predicate):
        return _of_predicate(entry.term, used)
    return _of_type(entry.term, used)


def with_examples(tx: Tx, gap: Gap, used: Usage) -> Gap:
    """A gap with some of the facts that show it."""
    if gap.pattern is None or gap.word is None:
        return gap
    types = used.vocabulary.type_by_name
    ends = (types[gap.pattern.source].row, None if gap.pattern.target is None else types[gap.pattern.target].row)
    predicate = used.vocabulary.predicate_by_name[gap.word]
    at = timestamps.from_datetime(tx.now)
    return replace(
        gap,
        examples=tuple(store.profiling.sample_facts(tx, predicate.row, at=at, limit=_EXAMPLES, ends=ends)),
    )


def _of_type(term: EntityType, used: Usage) -> list[Gap]:
    vocabulary = used.vocabulary
    own, count = used.entities.get(term.name, 0), used.count_entities(term.name)
    if count == 0:
        return [Gap(NEVER_USED, f"No entity is of the type {term.name}.")]
    gaps = []
    if term.is_abstract and own:
        gaps.append(Gap(ABSTRACT_WITH_ENTITIES, f"{term.name} is abstract, and entities are of it.", count=own))
    if term.retired_at is not None:
        gaps.append(Gap(RETIRED_IN_USE, f"{term.name} is retired, and entities are of it.", count=own))
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
    patterns = used.patterns.get(predicate.name, ())
    gaps = []
    for verb, declared, types in (
        ("come from", predicate.sources, {pattern.source for pattern in patterns}),
        ("lead to", predicate.targets, {pattern.target for pattern in patterns}),
    ):
        if declared and used.vocabulary.fits_side(declared, entity_type) and not types & kinds:
            text = f"{predicate.name} is declared to {verb} {entity_type}; no fact does."
            gaps.append(Gap(RELATIONSHIP_NEVER_USED, text, predicate.name))
    return gaps


def _of_predicate(predicate: Predicate, used: Usage) -> list[Gap]:
    count = used.count_facts(predicate.name)
    if count == 0:
        return [Gap(NEVER_USED, f"No fact has the predicate {predicate.name}.")]
    gaps = []
    if predicate.retired_at is not None:
        gaps.append(Gap(RETIRED_IN_USE, f"{predicate.name} is retired, and facts have it.", count=count))
    patterns = used.patterns[predicate.name]
    for side, declared, types in (
        ("come from", predicate.sources, {pattern.source for pattern in patterns}),
        ("lead to", predicate.targets, {pattern.target for pattern in patterns}),
    ):
        for name in declared:
            if not types & set(used.vocabulary.with_subtypes([name])):
                text = f"{predicate.name} is declared to {side} {name}; no fact does."
                gaps.append(Gap(END_NEVER_USED, text, name))
    return gaps + [_outside(predicate, pattern) for pattern in used.outside_ends(predicate.name)]


def _outside(predicate: Predicate, pattern: Pattern) -> Gap:
    declared = f"{' or '.join(predicate.sources) or 'any type'} → {_declared_target(predicate)}"
    used = f"{pattern.source} to {pattern.target or 'a literal'}"
    text = f"{predicate.name} is declared for {declared}, and leads from {used}."
    return Gap(OUTSIDE_ENDS, text, predicate.name, pattern.count, pattern)


def _declared_target(predicate: Predicate) -> str:
    if predicate.literal_kind is not None:
        return f"a literal ({predicate.literal_kind})"
    return " or ".join(predicate.targets) or "any type"
