"""SQL for facts as columns of numbers, and for the changes of facts since a position in the journal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph.store.connections import json_array
from keepgraph.store.facts import execute
from keepgraph.store.migrations import HOLDS
from keepgraph.store.transactions import Tx

_IN_GROUP = """
    retracted_at IS NULL
    AND (NOT :several_groups OR subject IN (SELECT id FROM entity WHERE group_id = :group))
"""


def between_entities(tx: Tx) -> Iterator[tuple[int, int, int, int]]:
    """The facts of the group between two entities that are not retracted, whenever they hold, by row.

    Of each: its row, and those of its subject, object and predicate. They are read one by one: all rows at once
    would take more memory than the arrays.
    """
    return _iterate(
        tx, f"SELECT id, subject, object, predicate FROM FACTS WHERE object IS NOT NULL AND {_IN_GROUP} ORDER BY id"
    )


def confidences_between_entities(tx: Tx) -> Iterator[tuple[int, int, int, float]]:
    """The facts of the group between two entities that hold: rows of subject, object and predicate,
    and the confidence.
    """
    # A scan of the table is faster than its indexes, none of which has the confidence.
    return _iterate(
        tx,
        f"""
        SELECT subject, object, predicate, confidence FROM fact NOT INDEXED
        WHERE object IS NOT NULL AND valid_from <= :at AND :at < valid_to AND {_IN_GROUP}
        """,
        at=tx.at,
    )


def recorded_between_entities(tx: Tx) -> Iterator[tuple[int, int, int, int, int, int]]:
    """All facts of the group between two entities, retracted and ended ones too, by row.

    Of each: its row, those of its subject, object and predicate, the second of 1970 when it was recorded, and
    whether it holds (1 or 0).
    """
    return _iterate(
        tx,
        f"""
        SELECT id, subject, object, predicate, unixepoch(recorded_at),
               {HOLDS}
        FROM FACTS
        WHERE object IS NOT NULL
          AND (NOT :several_groups OR subject IN (SELECT id FROM entity WHERE group_id = :group))
        ORDER BY id
        """,
        at=tx.at,
    )


def literals(tx: Tx) -> Iterator[tuple[int, str]]:
    """The literals of the facts of the group that hold, each with the row of its subject."""
    return _iterate(
        tx,
        f"""
        SELECT subject, literal FROM FACTS
        WHERE literal IS NOT NULL AND valid_from <= :at AND :at < valid_to AND {_IN_GROUP}
        """,
        at=tx.at,
    )


def among_entities(tx: Tx, entities: Sequence[int], *, limit: int) -> list[int]:
    """Rows of facts between some of these entities that hold, most certain first."""
    return tx.column(
        f"""
        SELECT id FROM fact
        WHERE subject IN (SELECT value FROM json_each(:entities)) AND object IN (SELECT value FROM json_each(:entities))
          AND subject <> object AND {HOLDS}
        ORDER BY confidence DESC, id
        LIMIT +:limit
        """,
        {"entities": json_array(entities), "at": tx.at, "limit": limit},
    )


def with_literals(tx: Tx, predicates: Sequence[str]) -> list[tuple[int, int, str, int]]:
    """The same for facts of some predicates with a literal: rows of fact and subject, literal, row of the predicate."""
    return _fetch(
        tx,
        f"""
        SELECT id, subject, literal, predicate FROM FACTS
        WHERE predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates)))
          AND literal IS NOT NULL AND {_IN_GROUP}
        ORDER BY id
        """,
        predicates=json_array(predicates),
    )


def of_rows(
    tx: Tx, facts: Sequence[int], *, predicates: Sequence[str]
) -> list[tuple[int, int, int | None, str | None, int, str | None, str | None]]:
    """Of some facts, those of the group that are not retracted, between entities or of some predicates, in their order.

    Of each: the rows of the fact, its subject and its object, its literal, the row of its predicate, and its validity
    as timestamps.
    """
    return _fetch(
        tx,
        f"""
        SELECT id, subject, object, literal, predicate, nullif(valid_from, ''), nullif(valid_to, '~') FROM FACTS
        WHERE id IN (SELECT value FROM json_each(:facts))
          AND (object IS NOT NULL
               OR predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates))))
          AND {_IN_GROUP}
        ORDER BY id
        """,
        facts=json_array(facts),
        predicates=json_array(predicates),
    )


def validities(tx: Tx) -> list[tuple[int, str | None, str | None]]:
    """The facts with limited validity, by row: row, and the timestamps of their validity."""
    return _fetch(
        tx,
        f"""
        SELECT id, nullif(valid_from, ''), nullif(valid_to, '~') FROM FACTS
        WHERE (valid_from <> '' OR valid_to <> '~') AND {_IN_GROUP}
        ORDER BY id
        """,
    )


def predicate_rows(tx: Tx, predicates: Sequence[str]) -> frozenset[int]:
    """The row numbers of predicates."""
    rows = tx.conn.execute(
        "SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(?))", (json_array(predicates),)
    )
    return frozenset(row[0] for row in rows)


def _fetch(tx: Tx, query: str, **values: Any) -> list[Any]:
    return list(_iterate(tx, query, **values))


def _iterate(tx: Tx, query: str, **values: Any) -> Iterator[Any]:
    several = tx.number("SELECT count(*) FROM (SELECT DISTINCT group_id FROM entity LIMIT 2)") > 1
    rows: Iterator[Any] = execute(tx, query, {"several_groups": several, "group": tx.group, **values})
    return rows


MAX_CHANGES = 5_000
"""More changes are not reported: rereading all facts is then just as fast."""


@dataclass(frozen=True, slots=True)
class JournalPosition:
    """The last change that a transaction sees.

    Attributes:
        change: its number; 0 if the journal is empty.
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
    groups = tx.mapping(
        "SELECT id, group_id FROM entity WHERE id IN (SELECT value FROM json_each(?))",
        (json_array([row for row, _ in states_before]),),
    )
    return any(
        "group_id" not in before or groups.get(row, before["group_id"]) != before["group_id"]
        for row, before in states_before
    )
