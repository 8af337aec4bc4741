"""A cache of results computed from current facts: until somebody writes, or a fact begins or ceases to hold."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar

from keepgraph import store
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

T = TypeVar("T")


def get(tx: Tx, key: Hashable, compute: Callable[[], T]) -> T:
    """The value for a key at the instant of the call, recomputed when other facts hold."""
    at = timestamps.from_datetime(tx.now)
    if tx.known_at is not None:
        return compute()
    entries: list[_Entry] = store.fact_changes.cached(tx, ("timed", tx.group, key), list)
    for entry in entries:
        if entry.since <= at and (entry.until is None or at < entry.until):
            value: T = entry.value
            return value
    value = compute()
    entries[:] = [_Entry(at, store.graph_statistics.next_change(tx, after=at), value)]
    return value


@dataclass(frozen=True, slots=True)
class _Entry:
    """A value, and the timestamps between which it is the same if nobody writes."""

    since: str
    until: str | None
    value: Any
