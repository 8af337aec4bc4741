"""The age limit of the journal, by which undo ends, and the compaction of the file after it was trimmed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import store
from keepgraph.model import Key
from keepgraph.store.database import Database
from keepgraph.temporal import timestamps

_CALLS_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class TrimmedJournal:
    """How many calls were deleted from the journal, and the oldest that is left: its number and its timestamp."""

    calls: int
    oldest: tuple[int, str] | None


def trim(database: Database, *, days: int | None, now: datetime) -> TrimmedJournal:
    """Delete the calls of the journal that are older than so many days, in short writes; None deletes nothing."""
    deleted = 0
    while days is not None:
        before = timestamps.from_datetime(now - timedelta(days=days))
        with database.read("compact") as tx:
            oldest = store.journal.oldest_call(tx)
        if oldest is None or oldest[1] >= before:
            break
        with database.write("compact") as tx:
            trimmed = store.journal.trim(tx, before=before, limit=_CALLS_AT_ONCE)
            store.imported_rows.cut_unused(tx)
        if not trimmed:
            break
        deleted += trimmed
    with database.read("compact") as tx:
        return TrimmedJournal(deleted, store.journal.oldest_call(tx))


def compact(graph: Path, *, key: Key | None) -> None:
    """Make the file of a graph as small as it can be.

    Raises:
        errors.GraphBusy: somebody has it open.
        errors.GraphWriteFailed: the disk is full, or the write failed otherwise; the file is as it was.
    """
    with (
        store.file_locks.exclusive(graph, timeout=store.copies.LOCK_TIMEOUT_SECONDS),
        store.copies.open_exclusively(graph, key=key) as conn,
    ):
        try:
            store.compaction.compact(conn)
        except sqlite.Error as error:
            raise store.sqlite_errors.translate(error, graph, writing=True, cancellation=None) from error
