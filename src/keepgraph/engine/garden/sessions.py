"""Sessions: the conversations whose calls a run of the gardener looked at. Only calls of the group count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from keepgraph import store
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class SessionCounts:
    """Conversations and their calls since the run before, in one group.

    Attributes:
        considered, used: conversations with calls; those of which a new proposal rests on what a call asserted.
        entries_considered, entries_used: their calls, and those calls; a tool that only reads is one entry for each
            conversation, where reads are counted.
        entries_asked_once: counted reads that came only once in their conversation, which tell nothing.
        reads_are_counted: whether the settings ask for it.
    """

    considered: int = 0
    used: int = 0
    entries_considered: int = 0
    entries_used: int = 0
    entries_asked_once: int = 0
    reads_are_counted: bool = False


def count(tx: Tx, *, since: str, facts: Collection[str]) -> SessionCounts:
    """Count the conversations of the group since a timestamp, given the ids of the facts on which proposals rest."""
    calls: Counter[str] = Counter(store.garden_runs.calls_of_conversations(tx, since=since))
    reads = store.read_counts.of_conversations(tx, since=since) if tx.settings.count_reads else []
    calls.update(conversation for conversation, _, _ in reads)
    behind = store.garden_runs.calls_behind(tx, sorted(facts), since=since)
    return SessionCounts(
        considered=len(calls),
        used=len({conversation for conversation, _ in behind}),
        entries_considered=calls.total(),
        entries_used=len(behind),
        entries_asked_once=sum(times == 1 for _, _, times in reads),
        reads_are_counted=tx.settings.count_reads,
    )


def count_asked_once(tx: Tx) -> int:
    """How many tools were called only once in a conversation of the group, to read; 0 where reads are not counted."""
    reads = store.read_counts.of_conversations(tx, since="") if tx.settings.count_reads else []
    return sum(times == 1 for _, _, times in reads)
