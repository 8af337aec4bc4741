"""Changes of facts since a position in the journal, for what was computed from the facts at that position."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx

MAX_CHANGES = 5_000
"""More changes are not reported: rereading all facts is then just as fast."""


@dataclass(frozen=True, slots=True)
class JournalPosition:
    """The last change that a transaction sees.

    Attributes:
        change: its number; 0 where the journal is empty.
        identity: the call, its timestamp, the table and the row, by which another change of that number is noticed.
    """

    change: int
    identity: tuple[int, str, str, int] | None


@dataclass(frozen=True, slots=True)
class FactChanges:
    """Facts that were inserted, updated or deleted.

    Attributes:
        rows: their row numbers, ascending.
        entities: the rows of the entities at their ends, before or after.
        literals: their literals, before or after.
    """

    rows: tuple[int, ...]
    entities: frozenset[int]
    literals: frozenset[str]


def position(tx: Tx) -> JournalPosition:
    """The position of the journal in the snapshot of this transaction."""
    row = tx.conn.execute(f"{_SELECT_POSITION} ORDER BY journal.id DESC LIMIT 1").fetchone()
    return _position(row) if row else JournalPosition(0, None)


def since(tx: Tx, start: JournalPosition) -> FactChanges | None:
    """The facts that were changed after a position.

    None if the journal cannot tell: it was trimmed or purged since, more than MAX_CHANGES rows were changed, or
    an entity moved to another group.
    """
    if start.change:
        row = tx.conn.execute(f"{_SELECT_POSITION} WHERE journal.id = ?", (start.change,)).fetchone()
        if row is None or _position(row) != start:
            return None
    count = position(tx).change - start.change
    if not 0 <= count <= MAX_CHANGES:
        return None
    changes = tx.conn.execute(
        "SELECT tbl, row, CASE WHEN tbl IN ('fact', 'entity') THEN was END FROM journal WHERE id > ?", (start.change,)
    ).fetchall()
    # The numbers of changes are consecutive: missing ones were deleted.
    if len(changes) != count:
        return None
    states_before = [(table, row, json.loads(was)) for table, row, was in changes if was is not None]
    of_facts = [before for table, _, before in states_before if table == "fact"]
    of_entities = [(row, before) for table, row, before in states_before if table == "entity"]
    if any("subject" not in before for before in of_facts) or _was_any_moved(tx, of_entities):
        return None
    rows = sorted({row for table, row, _ in changes if table == "fact"})
    ends = [(before["subject"], before["object"], before["literal"]) for before in of_facts]
    ends += tx.conn.execute(
        "SELECT subject, object, literal FROM fact WHERE id IN (SELECT value FROM json_each(?))", (json_array(rows),)
    ).fetchall()
    return FactChanges(
        tuple(rows),
        frozenset(entity for end in ends for entity in end[:2] if entity is not None),
        frozenset(end[2] for end in ends if end[2] is not None),
    )


_SELECT_POSITION = """
    SELECT journal.id, journal.call, call.at, journal.tbl, journal.row
    FROM journal JOIN call ON call.id = journal.call
"""


def _position(row: tuple[int, int, str, str, int]) -> JournalPosition:
    return JournalPosition(row[0], (row[1], row[2], row[3], row[4]))


def _was_any_moved(tx: Tx, states_before: list[tuple[int, dict[str, object]]]) -> bool:
    """Whether an entity was in another group before; also true if its former state is unknown."""
    groups = dict(
        tx.conn.execute(
            "SELECT id, group_id FROM entity WHERE id IN (SELECT value FROM json_each(?))",
            (json_array([row for row, _ in states_before]),),
        ).fetchall()
    )
    return any(
        "group_id" not in before or groups.get(row, before["group_id"]) != before["group_id"]
        for row, before in states_before
    )


# A cache for readers' results, for as long as the database does not change.

T = TypeVar("T")
_VALUES = "what was computed of this revision"


def cached(tx: Tx, key: Any, compute: Callable[[], T]) -> T:
    """The value for a key on this connection, recomputed when the database has changed.

    A write transaction caches nothing beyond itself.
    """
    revision, values = tx.connection_cache.get(_VALUES, (None, {}))
    if revision != tx.revision:
        values = {}
        tx.connection_cache[_VALUES] = tx.revision, values
    if key not in values:
        values[key] = compute()
    value: T = values[key]
    return value
