"""Filters of a traversal: by properties (an OR of ANDs), and by where a short traversal from each item leads."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph.engine.traversal import records, steps
from keepgraph.engine.traversal.records import TIMES, Record
from keepgraph.engine.traversal.steps import Follow
from keepgraph.engine.traversal.streams import Stream
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_DEPTH = 4
_BATCH = 2_000
"""Short traversals begin at so many items at once, so that what they reach is bounded for each batch."""

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
    origins, reached = steps.follow(tx, stream.select(positions), path.step)
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
