"""The steps of a traversal: beginning with a type, and following facts and links from many nodes or edges at once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from keepgraph import errors, store
from keepgraph.engine.traversal import records
from keepgraph.engine.traversal.records import TIMES, Kind, Record, Stream
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

Direction = Literal["out", "in"]
Target = Literal["nodes", "vectors", "edges"]


@dataclass(frozen=True, slots=True)
class Label:
    """What connects nodes: a predicate, or a link of a triplet.

    Attributes:
        name: as the caller wrote it.
        predicate: the one under which its facts are stored; None for a link.
        is_inverse: whether the name is the inverse of that predicate, so that it is followed the other way.
        is_symmetric: whether its facts say the same from both ends.
        link: the kind of the link; None for a predicate.
    """

    name: str
    predicate: str | None = None
    is_inverse: bool = False
    is_symmetric: bool = False
    link: Kind | None = None


@dataclass(frozen=True, slots=True)
class Follow:
    """A step along a label.

    Attributes:
        target: what it leads to. From edges every step leads to their ends.
    """

    direction: Direction
    target: Target
    label: Label


Reached = tuple[Sequence[int], Stream]
"""For each row of a stream that a step reached, the position of the row that it came from; and that stream."""


def entities_of(tx: Tx, types: Sequence[str] | None) -> Stream:
    """All entities of some types, or of any."""
    return records.collect(Kind.ENTITIES, store.neighbourhood.entities(tx, of_types=types))


def triplets(tx: Tx) -> Stream:
    """All facts that hold, as nodes."""
    return records.collect(Kind.TRIPLETS, store.neighbourhood.current_facts(tx, predicates=None))


def edges_of(tx: Tx, label: Label) -> Stream:
    """All facts that hold of a predicate, as edges; or all links of a kind."""
    if label.predicate is not None:
        return records.collect(Kind.EDGES, store.neighbourhood.current_facts(tx, predicates=[label.predicate]))
    facts = list(store.neighbourhood.current_facts(tx, predicates=None))
    if label.link is Kind.LINKS_TO_VECTOR:
        return records.collect(label.link, (fact for _, fact in store.neighbourhood.with_vectors(tx, facts)))
    if label.link is Kind.LINKS_TO_OBJECT:
        ends = store.neighbourhood.ends_of(tx, facts, side="object", predicates=None)
        return records.collect(label.link, (facts[position] for position, _ in ends))
    return records.collect(Kind.LINKS_TO_SUBJECT, facts)


def follow(tx: Tx, stream: Stream, step: Follow) -> Reached:
    """Follow a label from each row of a stream, in order. Rows from which nothing leads on are left out.

    Raises:
        errors.TraversalTooLarge: it leads to more than streams.MAX_ITEMS rows.
    """
    origins: list[int] = []
    kind, pairs = _pairs(tx, stream, step)

    def rows() -> Iterator[int]:
        for origin, row in pairs:
            if len(origins) < records.MAX_ITEMS:
                origins.append(origin)
            yield row

    return origins, records.collect(kind, rows())


def _pairs(tx: Tx, stream: Stream, step: Follow) -> tuple[Kind, Iterable[tuple[int, int]]]:
    """The kind of things that a step reaches, and for each the position of its origin row."""
    match stream.kind:
        case Kind.ENTITIES:
            return _from_entities(tx, stream, step)
        case Kind.TRIPLETS:
            return _from_triplets(tx, stream, step)
        case Kind.EDGES:
            return Kind.ENTITIES, _ends_of_edges(tx, stream, step)
        case Kind.VECTORS:
            return _from_vectors(stream, step)
        case Kind.LINKS_TO_SUBJECT | Kind.LINKS_TO_OBJECT | Kind.LINKS_TO_VECTOR:
            return _ends_of_links(tx, stream, step)
    raise errors.TraversalEmpty("the traversal is blank, so no step leads on from it")


def _from_entities(tx: Tx, stream: Stream, step: Follow) -> tuple[Kind, Iterable[tuple[int, int]]]:
    if step.label.link is not None:
        return _links_from_entities(tx, stream, step)
    if step.target == "vectors":
        return Kind.VECTORS, ()  # entities are connected with entities
    # Outwards, an entity is the subject of the facts of a predicate; by its inverse, and inwards, the object.
    side = "subject" if (step.direction == "out") is not step.label.is_inverse else "object"
    sides = ("subject", "object") if step.label.is_symmetric else (side,)
    predicates = [step.label.predicate] if step.label.predicate else None
    found = [
        (position, fact, other)
        for of_side in sides
        for position, fact, other in store.neighbourhood.facts_of(tx, stream.rows, side=of_side, predicates=predicates)
    ]
    if len(sides) == 2:
        # A fact of something with itself is one fact, from whichever end.
        found = sorted(set(found))
    if step.target == "edges":
        return Kind.EDGES, ((position, fact) for position, fact, _ in found)
    return Kind.ENTITIES, ((position, other) for position, _, other in found if other is not None)


def _links_from_entities(tx: Tx, stream: Stream, step: Follow) -> tuple[Kind, Iterable[tuple[int, int]]]:
    """Links lead from triplets to entities, so an entity has them only inwards."""
    kind = step.label.link or Kind.NOTHING
    reached = kind if step.target == "edges" else Kind.TRIPLETS
    if step.direction == "out" or kind is Kind.LINKS_TO_VECTOR or step.target == "vectors":
        return reached, ()
    side = "subject" if kind is Kind.LINKS_TO_SUBJECT else "object"
    found = store.neighbourhood.facts_of(tx, stream.rows, side=side, predicates=None)
    return reached, ((position, fact) for position, fact, _ in found)


def _from_triplets(tx: Tx, stream: Stream, step: Follow) -> tuple[Kind, Iterable[tuple[int, int]]]:
    kind = step.label.link
    if kind is None or step.direction == "in":
        # A predicate connects entities, and no link leads to a triplet.
        return (Kind.EDGES if step.target == "edges" else Kind.ENTITIES), ()
    rows = stream.rows
    if kind is Kind.LINKS_TO_VECTOR:
        reached = kind if step.target == "edges" else Kind.VECTORS
        return reached, (() if step.target == "nodes" else store.neighbourhood.with_vectors(tx, rows))
    if step.target == "vectors":
        return Kind.VECTORS, ()
    side = "subject" if kind is Kind.LINKS_TO_SUBJECT else "object"
    ends = store.neighbourhood.ends_of(tx, rows, side=side, predicates=None)
    if step.target == "edges":
        return kind, ((position, rows[position]) for position, _ in ends)
    return Kind.ENTITIES, ends


def _from_vectors(stream: Stream, step: Follow) -> tuple[Kind, Iterable[tuple[int, int]]]:
    if step.label.link is not Kind.LINKS_TO_VECTOR or step.direction == "out":
        return Kind.TRIPLETS, ()
    return (step.label.link if step.target == "edges" else Kind.TRIPLETS), enumerate(stream.rows)


def _ends_of_edges(tx: Tx, stream: Stream, step: Follow) -> Iterable[tuple[int, int]]:
    """Edges lead on to their ends: outwards to the object, inwards to the subject."""
    if step.label.predicate is None or step.target == "vectors":
        return ()
    side = "object" if (step.direction == "out") is not step.label.is_inverse else "subject"
    return store.neighbourhood.ends_of(tx, stream.rows, side=side, predicates=[step.label.predicate])


def _ends_of_links(tx: Tx, stream: Stream, step: Follow) -> tuple[Kind, Iterable[tuple[int, int]]]:
    """Links lead outwards to what they are linked to, inwards to their triplet."""
    if step.label.link is not stream.kind:
        return Kind.ENTITIES, ()
    if step.direction == "in":
        return Kind.TRIPLETS, enumerate(stream.rows)
    if stream.kind is Kind.LINKS_TO_VECTOR:
        return Kind.VECTORS, enumerate(stream.rows)
    side = "subject" if stream.kind is Kind.LINKS_TO_SUBJECT else "object"
    return Kind.ENTITIES, store.neighbourhood.ends_of(tx, stream.rows, side=side, predicates=None)


# Filters of a traversal: by properties (an OR of ANDs), and by where a short traversal from each item leads.

MAX_DEPTH = 4
_BATCH = 2_000
"""How many starting points a short traversal handles at once, so that the results of each batch are bounded."""

OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A property compared with a value, or with several: then one of them has to fit; with `!=`, each."""

    key: str
    operator: str
    value: Any


@dataclass(frozen=True, slots=True)
class Filter:
    """What an item has to fulfil.

    Attributes:
        groups: all conditions of one of these groups; None is no condition, an empty list lets nothing pass.
        paths: each has to lead somewhere.
    """

    groups: tuple[tuple[Condition, ...], ...] | None = None
    paths: tuple[FilterPath, ...] = ()


@dataclass(frozen=True, slots=True)
class FilterPath:
    """A step from an item, and what something that it leads to has to fulfil."""

    step: Follow
    filter: Filter = Filter()


def walk(tx: Tx, stream: Stream, path: FilterPath) -> Stream:
    """What a step leads to from each row of a stream, as far as it passes the filter; see `follow`."""
    return apply(tx, follow(tx, stream, path.step)[1], path.filter)


def apply(tx: Tx, stream: Stream, filter: Filter) -> Stream:
    """The rows of a stream that pass, in order. What was deleted meanwhile does not."""
    return stream.select(_passing(tx, stream, filter))


def _passing(tx: Tx, stream: Stream, filter: Filter) -> list[int]:
    """The positions that pass."""
    positions = list(range(len(stream)))
    if filter.groups is not None:
        groups = filter.groups
        by_row = records.read(tx, stream)
        passing = {row for row, record in by_row.items() if any(_all(tx, group, record) for group in groups)}
        positions = [position for position in positions if stream.rows[position] in passing]
    for path in filter.paths:
        positions = [
            position
            for start in range(0, len(positions), _BATCH)
            for position in _leading_somewhere(tx, stream, positions[start : start + _BATCH], path)
        ]
    return positions


def _leading_somewhere(tx: Tx, stream: Stream, positions: Sequence[int], path: FilterPath) -> list[int]:
    """Those of some positions from which the step leads to something that passes."""
    origins, reached = follow(tx, stream.select(positions), path.step)
    passing = {origins[position] for position in _passing(tx, reached, path.filter)}
    return [position for number, position in enumerate(positions) if number in passing]


def _all(tx: Tx, conditions: Sequence[Condition], record: Record) -> bool:
    return all(_fulfils(tx, condition, record.get(condition.key)) for condition in conditions)


def _fulfils(tx: Tx, condition: Condition, value: Any) -> bool:
    """Whether a property fulfils a condition. One that is not there fulfils none."""
    if value is None and condition.value is not None:
        return False
    present = value if isinstance(value, list) else [value]
    wanted = condition.value if isinstance(condition.value, list) else [condition.value]
    quantifier = all if condition.operator == "!=" else any
    is_time = condition.key in TIMES
    return quantifier(
        _compare(tx, condition.operator, one, other, is_time=is_time) for one in present for other in wanted
    )


def _compare(tx: Tx, comparison: str, value: Any, other: Any, *, is_time: bool) -> bool:
    """Compare numbers by value, texts by code point, timestamps as instants; different kinds are only unequal."""
    if is_time and isinstance(other, str):
        value, other = _times(tx, comparison, value, other)
    if _kind(value) != _kind(other):
        return comparison == "!="
    if value is None or isinstance(value, dict):
        return comparison in ("==", "!=") and OPERATORS[comparison](value, other)
    return OPERATORS[comparison](value, other)


def _times(tx: Tx, comparison: str, value: str, other: str) -> tuple[str, str]:
    """A timestamp, and what it is compared with, in a form in which texts compare as times do.

    A day alone means that local day: `==` any instant of it, `>` what comes after it.
    """
    try:
        if comparison in ("==", "!=") and len(other) == len("2026-11-21"):
            return timestamps.local_date(value, tx.zone), timestamps.parse_date(other).isoformat()
        if comparison in (">", "<="):
            return value, timestamps.from_datetime(timestamps.parse_as_of(other, tx.zone))
        return value, timestamps.parse(other, tx.zone)
    except (ValueError, OverflowError):
        return value, other


def _kind(value: Any) -> type:
    """Numbers are of one kind, and a truth value is none."""
    if isinstance(value, bool):
        return bool
    return float if isinstance(value, int | float) else type(value)
