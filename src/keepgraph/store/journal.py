"""Calls, the rows they changed, and the answers kept for those who retry. The journal is written by triggers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

from keepgraph.model import Call, Change
from keepgraph.store.database import Tx

TABLES = (
    "entity_type",
    "predicate",
    "entity",
    "alias",
    "former_id",
    "fact",
    "provenance",
    "earlier_validity",
    "episode",
    "chunk",
)
"""The tables whose changes are journalled."""

_REFERRING = {
    "entity_type": (("entity", "type"),),
    "predicate": (("fact", "predicate"),),
    "entity": (("alias", "entity"), ("former_id", "entity"), ("fact", "subject"), ("fact", "object")),
    "fact": (("provenance", "fact"), ("earlier_validity", "fact")),
    "episode": (("chunk", "episode"), ("provenance", "episode")),
}

_CHANGE = "SELECT id, call, op, tbl, row, was FROM journal"


def unused_row(table: str) -> str:
    """SQL for a row number that no row of a table has, or had as far as the journal goes.

    SQLite gives the number of a deleted last row to the next one; then what was deleted could not come back.
    """
    return f"""
        max(coalesce((SELECT max(id) FROM {_known(table)}), 0),
            coalesce((SELECT max(row) FROM journal WHERE tbl = '{table}' AND op <> 'insert'), 0)) + 1
    """


def open_call(tx: Tx, *, at: str) -> int:
    """Enter the call that all changes of this transaction belong to; returns its number."""
    row = tx.conn.execute(
        """
        INSERT INTO call (at, tool, session, group_id)
        VALUES (?, ?, ?, ?)
        RETURNING id
        """,
        (at, tx.tool, tx.session, tx.group),
    ).fetchone()
    return int(row[0])


def mark_undoing(tx: Tx, call: int) -> None:
    """Note that the call of this transaction takes back another, and forget the answer kept for its retry."""
    tx.conn.execute("UPDATE call SET undoes = ? WHERE id = ?", (call, tx.call))
    tx.conn.execute("DELETE FROM idempotency WHERE call = ?", (call,))


def calls(tx: Tx, *, limit: int, only: int | None = None) -> list[Call]:
    """Calls that changed something in the group, newest first; with `only`, that one."""
    rows = tx.conn.execute(
        """
        SELECT call.id, call.at, call.tool, call.session, call.undoes,
               (SELECT json_group_object(tbl, touched)
                FROM (SELECT tbl, count(DISTINCT row) AS touched
                      FROM journal WHERE journal.call = call.id GROUP BY tbl))
        FROM call
        WHERE coalesce(call.group_id, :group) = :group
          AND (:only IS NULL OR call.id = :only)
          AND EXISTS (SELECT 1 FROM journal WHERE journal.call = call.id)
        ORDER BY call.id DESC
        LIMIT :limit
        """,
        {"group": tx.group, "only": only, "limit": limit},
    )
    undone = undone_by(tx)
    return [Call(*row) for row in ((*found[:5], undone.get(found[0]), json.loads(found[5])) for found in rows)]


def undone_by(tx: Tx) -> dict[int, int]:
    """The calls that are taken back at present, each with the call that did it; an undo may be taken back itself."""
    found: dict[int, int] = {}
    for undoing, undone in tx.conn.execute("SELECT id, undoes FROM call WHERE undoes IS NOT NULL ORDER BY id DESC"):
        if undoing not in found:
            found.setdefault(undone, undoing)
    return found


def last_standing(tx: Tx) -> int | None:
    """The newest call of the group that changed something, took nothing back and was not taken back itself."""
    row = tx.conn.execute(
        """
        SELECT call.id
        FROM call
        WHERE coalesce(call.group_id, :group) = :group
          AND call.undoes IS NULL
          AND EXISTS (SELECT 1 FROM journal WHERE journal.call = call.id)
          AND call.id NOT IN (SELECT value FROM json_each(:undone))
        ORDER BY call.id DESC
        LIMIT 1
        """,
        {"group": tx.group, "undone": json.dumps(list(undone_by(tx)))},
    ).fetchone()
    return int(row[0]) if row else None


def of_call(tx: Tx, call: int) -> list[Change]:
    """What a call changed, newest first."""
    return _changes(tx, f"{_CHANGE} WHERE call = ? ORDER BY id DESC", (call,))


def change(tx: Tx, number: int) -> Change | None:
    found = _changes(tx, f"{_CHANGE} WHERE id = ?", (number,))
    return found[0] if found else None


def next_of_row(tx: Tx, done: Change) -> Change | None:
    """The next update or deletion of the same row; its `was` is what the given change left behind."""
    found = _changes(
        tx,
        f"{_CHANGE} WHERE tbl = ? AND row = ? AND op <> 'insert' AND id > ? ORDER BY id LIMIT 1",
        (done.table, done.row, done.id),
    )
    return found[0] if found else None


def later_of_row(tx: Tx, table: str, row: int, *, after: int) -> list[int]:
    """The calls after one that touched a row, newest first."""
    rows = tx.conn.execute(
        "SELECT DISTINCT call FROM journal WHERE call > ? AND tbl = ? AND row = ? ORDER BY call DESC LIMIT 20",
        (after, table, row),
    )
    return [found[0] for found in rows]


def of_rows(tx: Tx, table: str, rows: Sequence[int], *, limit: int) -> list[Change]:
    """The updates and deletions of some rows of a table, newest first."""
    return _changes(
        tx,
        f"""
        {_CHANGE}
        WHERE tbl = ? AND op <> 'insert' AND row IN (SELECT value FROM json_each(?))
        ORDER BY id DESC
        LIMIT ?
        """,
        (table, json.dumps(list(rows)), limit),
    )


def deleted_facts(tx: Tx, entity: int, *, limit: int) -> list[Change]:
    """The deletions of facts that touched an entity, newest first."""
    return _changes(
        tx,
        f"""
        {_CHANGE}
        WHERE tbl = 'fact' AND op = 'delete' AND :entity IN (was ->> 'subject', was ->> 'object')
        ORDER BY id DESC
        LIMIT :limit
        """,
        {"entity": entity, "limit": limit},
    )


def insertion(tx: Tx, table: str, row: int, *, at: str) -> Change | None:
    """The change that brought a row at an instant."""
    found = _changes(
        tx,
        f"""
        {_CHANGE}
        WHERE call IN (SELECT id FROM call WHERE at = ?) AND tbl = ? AND row = ? AND op = 'insert'
        ORDER BY id
        LIMIT 1
        """,
        (at, table, row),
    )
    return found[0] if found else None


def made(tx: Tx, call: int) -> tuple[str, str, str | None] | None:
    """When a call was made, of which tool, in which session."""
    found = tx.conn.execute("SELECT at, tool, session FROM call WHERE id = ?", (call,)).fetchone()
    return tuple(found) if found else None


def current(tx: Tx, table: str, row: int) -> dict[str, Any] | None:
    """A row as it is now."""
    cursor = tx.conn.execute(f"SELECT * FROM {_known(table)} WHERE id = ?", (row,))
    found = cursor.fetchone()
    return dict(zip([column[0] for column in cursor.description], found, strict=True)) if found else None


def referring(tx: Tx, table: str, row: int, *, limit: int = -1) -> list[tuple[str, int]]:
    """The rows that refer to a row, by table and number, the newest of each first; with `limit`, so many of each."""
    return [
        (other, found[0])
        for other, column in _REFERRING.get(table, ())
        for found in tx.conn.execute(
            f"SELECT id FROM {other} WHERE {column} = ? ORDER BY id DESC LIMIT ?", (row, limit)
        )
    ]


def referred(change: Change) -> list[tuple[str, int]]:
    """The rows to which a row referred before it was changed."""
    was = change.was or {}
    return [
        (table, was[column])
        for table, columns in _REFERRING.items()
        for other, column in columns
        if other == change.table and was.get(column) is not None
    ]


def in_the_way(tx: Tx, table: str, was: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Rows that have now what only one row may have."""
    query = {
        "entity": "SELECT id FROM entity WHERE group_id = :group_id AND name_key = :name_key AND type = :type",
        "alias": "SELECT id FROM alias WHERE alias_key = :alias_key AND entity = :entity",
        "fact": """
            SELECT id FROM fact
            WHERE subject = :subject AND predicate = :predicate AND object IS :object AND literal IS :literal
              AND valid_from = :valid_from AND valid_to = :valid_to AND retracted_at IS NULL
        """,
    }.get(table)
    rows = tx.conn.execute(f"{query} ORDER BY id DESC LIMIT 20", dict(was)) if query else []
    return [(table, row[0]) for row in rows if row[0] != was["id"]]


def remove(tx: Tx, table: str, row: int) -> None:
    tx.conn.execute(f"DELETE FROM {_known(table)} WHERE id = ?", (row,))


def restore(tx: Tx, table: str, was: Mapping[str, Any]) -> bool:
    """Give a row back its values, or bring it back; False where something else has its place now."""
    columns = [_quoted(column) for column in was]
    changed = ", ".join(f"{column} = ?" for column in columns)
    update = f"UPDATE {_known(table)} SET {changed} WHERE id = ?"
    insert = f"INSERT INTO {_known(table)} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    try:
        with tx.savepoint():
            if not tx.conn.execute(update, [*was.values(), was["id"]]).rowcount:
                tx.conn.execute(insert, list(was.values()))
    except sqlite.IntegrityError:
        return False
    return True


def answered(tx: Tx, key: str) -> tuple[str, str] | None:
    """The digest of the request that came with this key, and the answer it got, as JSON."""
    row = tx.conn.execute(
        "SELECT digest, answer FROM idempotency WHERE group_id = ? AND key = ?", (tx.group, key)
    ).fetchone()
    return (row[0], row[1]) if row else None


def keep_answer(tx: Tx, key: str, *, digest: str, answer: str) -> None:
    tx.conn.execute(
        """
        INSERT INTO idempotency (group_id, key, call, digest, answer)
        VALUES (?, ?, ?, ?, ?)
        """,
        (tx.group, key, tx.call, digest, answer),
    )


def _changes(tx: Tx, query: str, values: Sequence[Any] | Mapping[str, Any]) -> list[Change]:
    found = tx.conn.execute(query, values)
    return [Change(*row) for row in ((*each[:5], each[5] and json.loads(each[5])) for each in found)]


def _known(table: str) -> str:
    if table not in TABLES:
        raise ValueError(f"{table} is not journalled")
    return table


def _quoted(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'
