"""Quiet kinds: kinds that people accept too rarely; nothing new of them is offered until somebody wakes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from keepgraph import store
from keepgraph.store import review_decisions
from keepgraph.store.review_decisions import ReviewDecision
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

WINDOW = 20
"""How many of the newest decisions count."""

MIN_ACCEPTED = 0.3
"""The share of these that must be accepted."""


@dataclass(frozen=True, slots=True)
class QuietKind:
    """A quiet kind: the number of its last decisions, and how many of them accepted."""

    kind: str
    decided: int
    accepted: int


def find(tx: Tx) -> list[QuietKind]:
    """The kinds of the group that are quiet."""
    return [quiet for kind in store.review_decisions.kinds(tx) if (quiet := _measure(tx, kind))]


def is_quiet(tx: Tx, kind: str) -> bool:
    return _measure(tx, kind) is not None


def wake(tx: Tx, kinds: Iterable[str]) -> list[str]:
    """Let these kinds be offered again: decisions made until now no longer count.

    Returns:
        Those that were quiet.
    """
    woken = [kind for kind in dict.fromkeys(kinds) if is_quiet(tx, kind)]
    for kind in woken:
        store.review_decisions.insert(
            tx, ReviewDecision(tx.group, kind, "", (), (), "woken", "", timestamps.from_datetime(tx.now))
        )
    return woken


def _measure(tx: Tx, kind: str) -> QuietKind | None:
    """The acceptance of a kind, if too low."""
    latest = store.review_decisions.latest_of_kind(tx, kind, limit=WINDOW)
    accepted = sum(decision in review_decisions.ACCEPTED for decision in latest)
    is_too_low = len(latest) == WINDOW and accepted < MIN_ACCEPTED * WINDOW
    return QuietKind(kind, len(latest), accepted) if is_too_low else None
