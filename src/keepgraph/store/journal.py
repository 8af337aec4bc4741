"""The journal: every call, and every row that it changed, as triggers write them; read by history and undo."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

from keepgraph.lazy import replace
from keepgraph.model import Call, Change
from keepgraph.store import communities, earlier_versions
from keepgraph.store.connections import json_array, quote_name
from keepgraph.store.transactions import Tx

# By table: the columns of other tables that refer to its rows.
_REFERENCES = {
    "vocabulary_set": (("entity_type", "vocabulary_set"), ("predicate", "vocabulary_set")),
    "entity_type": (
        ("entity", "type"),
        ("entity_type", "replaced_by"),
        ("type_parent", "type"),
        ("type_parent", "parent"),
        ("type_disjoint", "type"),
        ("type_disjoint", "other"),
        ("predicate_end", "type"),
    ),
    "predicate": (
        ("fact", "predicate"),
        ("predicate", "inverse_of"),
        ("predicate", "replaced_by"),
        ("predicate_end", "predicate"),
    ),
    "entity": (
        ("alias", "entity"),
        ("former_id", "entity"),
        ("fact", "subject"),
        ("fact", "object"),
        ("assumed_type", "id"),
        ("owner", "entity"),
        ("narrative", "project"),
    ),
    "fact": (("provenance", "fact"), ("earlier_validity", "fact")),
    "episode": (
        ("chunk", "episode"),
        ("provenance", "episode"),
        ("proposed_fact", "episode"),
        ("narrative", "episode"),
    ),
}

_SELECT_CHANGE = "SELECT id, call, op, tbl, row, was FROM journal"


MAX_CHANGES_COUNTED = 5_000
"""How many changes of a call are read to count them by table; the numbers of all are consecutive."""


def unused_row_sql(table: str) -> str:
    """SQL for a row number that no row of a table has, or ever had according to the journal.

    SQLite would reuse the number of the last row after its deletion; then undo could not restore it.
    """
    return f"""
        max(coalesce((SELECT max(id) FROM {table}), 0),
            coalesce((SELECT max(row) FROM journal WHERE tbl = '{table}' AND op <> 'insert'), 0)) + 1
    """


def unused_row(tx: Tx, table: str) -> int:
    """The first row number that a table has never used; all later ones are free as well."""
    tx.memo.pop(("next row", table), None)  # the caller counts on from here
    return tx.number(f"SELECT {unused_row_sql(table)}")


def insert(tx: Tx, table: str, statement: str, values: Sequence[Any]) -> int:
    """Insert a row under an unused number, and return the number, which is looked up once a transaction.

    Args:
        statement: its first value is `coalesce(?, …)` with `unused_row_sql`.
        values: all but the first.
    """
    row = int(tx.conn.execute(statement, (tx.memo.get(("next row", table)), *values)).lastrowid)
    tx.memo["next row", table] = row + 1
    return row


def begin_call(tx: Tx) -> Tx:
    """Enter the call in the journal before anything is changed; the returned transaction has its number.

    Triggers journal all changes of the transaction under that number.
    """
    (number,) = tx.conn.execute(
        """
        INSERT INTO call (at, tool, session, group_id)
        VALUES (?, ?, ?, ?)
        RETURNING id
        """,
        (tx.at, tx.tool, tx.session, tx.group),
    ).fetchone()
    return replace(tx, call=int(number))


def run_before_history(tx: Tx, act: Callable[[Tx], None]) -> None:
    """Do part of the creation of a graph, which belongs to no call, so that nobody can undo it.

    The insertions, about a thousand, are not journalled at all; other changes are removed from the journal again.
    """
    triggers = tx.conn.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%!_journal!_insert' ESCAPE '!'"
    ).fetchall()
    for name, _ in triggers:
        tx.conn.execute(f"DROP TRIGGER {name}")
    tx = begin_call(tx)
    act(tx)
    tx.conn.execute("DELETE FROM journal WHERE call = ?", (tx.call,))
    tx.conn.execute("DELETE FROM call WHERE id = ?", (tx.call,))
    for _, sql in triggers:
        tx.conn.execute(sql)


def record_undo(tx: Tx, call: int) -> None:
    """Record that the call of this transaction undoes another one.

    The answer stored for its idempotency key is deleted: a retry must do the work again.
    """
    tx.conn.execute("UPDATE call SET undoes = ? WHERE id = ?", (call, tx.call))
    tx.conn.execute("DELETE FROM idempotency WHERE call = ?", (call,))


def list_calls(tx: Tx, *, limit: int, only: int | None = None) -> list[Call]:
    """Calls that changed something in the group, newest first; with `only`, just that one.

    For a call with very many changes, only the rows of the first are counted by table.
    """
    rows = tx.conn.execute(
        f"""
        SELECT call.id, call.at, call.tool, call.session, call.undoes,
               (SELECT json_group_object(tbl, touched)
                FROM (SELECT tbl, count(DISTINCT row) AS touched
                      FROM (SELECT tbl, row FROM journal
                            WHERE journal.call = call.id ORDER BY id LIMIT {MAX_CHANGES_COUNTED})
                      GROUP BY tbl)),
               (SELECT max(id) FROM journal WHERE journal.call = call.id)
               - (SELECT min(id) FROM journal WHERE journal.call = call.id) + 1
        FROM call
        WHERE coalesce(call.group_id, :group) = :group
          AND (:only IS NULL OR call.id = :only)
          AND EXISTS (SELECT 1 FROM journal WHERE journal.call = call.id)
        ORDER BY call.id DESC
        LIMIT +:limit
        """,
        {"group": tx.group, "only": only, "limit": limit},
    )
    undone = undone_calls(tx)
    return [
        Call(number, at, tool, session, undoes, undone.get(number), json.loads(changed), changes)
        for number, at, tool, session, undoes, changed, changes in rows
    ]


def undone_calls(tx: Tx) -> dict[int, int]:
    """The currently undone calls, each with the call that did it; an undo may be undone itself."""
    undoing_by_undone: dict[int, int] = {}
    for undoing, undone in tx.conn.execute("SELECT id, undoes FROM call WHERE undoes IS NOT NULL ORDER BY id DESC"):
        if undoing not in undoing_by_undone:
            undoing_by_undone.setdefault(undone, undoing)
    return undoing_by_undone


def find_last_undoable_call(tx: Tx) -> int | None:
    """The newest call of the group that changed something, is not undone, and was not made by undo.

    Forgetting a call also undoes it, but is an ordinary call, and the last one until it is undone. Only calls that undo
    itself has reverted are skipped, so that repeated undo goes back in time.
    """
    return tx.value(
        """
        SELECT call.id
        FROM call
        WHERE coalesce(call.group_id, :group) = :group
          AND (call.undoes IS NULL OR call.tool <> 'undo')
          AND call.tool <> 'purge'
          AND EXISTS (SELECT 1 FROM journal WHERE journal.call = call.id)
          AND call.id NOT IN (SELECT value FROM json_each(:undone))
        ORDER BY call.id DESC
        LIMIT 1
        """,
        {"group": tx.group, "undone": json_array(undone_calls(tx))},
    )


def changes_of_call(tx: Tx, call: int) -> list[Change]:
    """The changes of a call, newest first."""
    return _changes(tx, f"{_SELECT_CHANGE} WHERE call = ? ORDER BY id DESC", (call,))


def first_and_last_changes(tx: Tx, call: int, *, limit: int) -> list[Change]:
    """The first changes of a call and the last ones, at most `limit` of each, in order, without the rows as they
    were before."""
    rows = tx.conn.execute(
        """
        SELECT id, call, op, tbl, row FROM (SELECT * FROM journal WHERE call = :call ORDER BY id LIMIT +:limit)
        UNION
        SELECT id, call, op, tbl, row FROM (SELECT * FROM journal WHERE call = :call ORDER BY id DESC LIMIT +:limit)
        ORDER BY id
        """,
        {"call": call, "limit": limit},
    )
    return [Change(number, call, op, table, row, None) for number, call, op, table, row in rows]


def count_rows_changed(tx: Tx, call: int, table: str, op: str) -> int:
    """How many rows of a table a call inserted, updated or deleted, among its first changes."""
    return tx.number(
        f"""
        SELECT count(DISTINCT row)
        FROM (SELECT op, tbl, row FROM journal WHERE call = ? ORDER BY id LIMIT {MAX_CHANGES_COUNTED})
        WHERE tbl = ? AND op = ?
        """,
        (call, table, op),
    )


def purged_changes(tx: Tx, call: int) -> frozenset[int]:
    """The numbers of the changes of a call to rows that were purged since (store/purge.py)."""
    rows = tx.conn.execute(
        """
        SELECT id FROM journal
        WHERE call = :call AND was = :purged
        UNION ALL
        SELECT id FROM journal AS inserted
        WHERE call = :call AND op = 'insert' AND EXISTS (
            SELECT 1 FROM journal AS gone
            WHERE gone.tbl = inserted.tbl AND gone.row = inserted.row AND gone.op <> 'insert' AND gone.was = :purged
        )
        """,
        {"call": call, "purged": earlier_versions.PURGED},
    )
    return frozenset(row[0] for row in rows)


def is_purged_in_part(change: Change) -> bool:
    """Whether the row as it was before the change named something that was purged and is no longer known."""
    return change.before is not None and dict(change.before) == json.loads(earlier_versions.PURGED_IN_PART)


def find_change(tx: Tx, number: int) -> Change | None:
    changes = _changes(tx, f"{_SELECT_CHANGE} WHERE id = ?", (number,))
    return changes[0] if changes else None


def next_change_of_row(tx: Tx, change: Change) -> Change | None:
    """The next update or deletion of the same row; its `before` is the row as the given change left it."""
    changes = _changes(
        tx,
        f"{_SELECT_CHANGE} WHERE tbl = ? AND row = ? AND op <> 'insert' AND id > ? ORDER BY id LIMIT 1",
        (change.table, change.row, change.id),
    )
    return changes[0] if changes else None


def row_after(tx: Tx, change: Change) -> Mapping[str, Any] | None:
    """A row as a change left it; None if it deleted the row, or the journal no longer has it."""
    if change.op == "delete":
        return None
    following = next_change_of_row(tx, change)
    return following.before if following else current_row(tx, change.table, change.row)


def changed_columns(change: Change, after: Mapping[str, Any]) -> set[str]:
    """The columns of a row that an update changed, from the row as it left it."""
    return {column for column, value in (change.before or {}).items() if value != after.get(column)}


def later_calls_on_row(tx: Tx, table: str, row: int, *, after: int) -> list[int]:
    """The calls after `after` that changed a row, newest first; at most 20."""
    return tx.column(
        "SELECT DISTINCT call FROM journal WHERE call > ? AND tbl = ? AND row = ? ORDER BY call DESC LIMIT 20",
        (after, table, row),
    )


def standing_updates_of_row(tx: Tx, table: str, row: int, *, after: int) -> list[int]:
    """The calls after `after` that updated a row, and were neither undone nor made by undo; oldest first."""
    rows = tx.conn.execute(
        """
        SELECT DISTINCT call
        FROM journal
        WHERE call > ? AND tbl = ? AND row = ? AND op = 'update'
          AND (SELECT undoes FROM call WHERE call.id = journal.call) IS NULL
        ORDER BY call
        """,
        (after, table, row),
    ).fetchall()
    undone = undone_calls(tx) if rows else {}
    return [call for (call,) in rows if call not in undone]


def changes_of_rows(tx: Tx, table: str, rows: Sequence[int], *, limit: int) -> list[Change]:
    """The updates and deletions of rows of a table, newest first."""
    return _changes(
        tx,
        f"""
        {_SELECT_CHANGE}
        WHERE tbl = ? AND op <> 'insert' AND row IN (SELECT value FROM json_each(?))
        ORDER BY id DESC
        LIMIT +?
        """,
        (table, json_array(rows), limit),
    )


def deletions_of_facts(tx: Tx, entity: int, *, limit: int) -> list[Change]:
    """The deletions of facts with an entity as subject or object, newest first."""
    return _changes(
        tx,
        f"""
        {_SELECT_CHANGE}
        WHERE tbl = 'fact' AND op = 'delete' AND :entity IN (was ->> 'subject', was ->> 'object')
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"entity": entity, "limit": limit},
    )


def find_insertion(tx: Tx, table: str, row: int, *, at: str) -> Change | None:
    """The insertion of a row at a timestamp."""
    changes = _changes(
        tx,
        f"""
        {_SELECT_CHANGE}
        WHERE call IN (SELECT id FROM call WHERE at = ?) AND tbl = ? AND row = ? AND op = 'insert'
        ORDER BY id
        LIMIT 1
        """,
        (at, table, row),
    )
    return changes[0] if changes else None


def find_call(tx: Tx, call: int) -> tuple[str, str, str | None] | None:
    """The timestamp, the tool and the session of a call."""
    details = tx.conn.execute("SELECT at, tool, session FROM call WHERE id = ?", (call,)).fetchone()
    return tuple(details) if details else None


def current_row(tx: Tx, table: str, row: int) -> dict[str, Any] | None:
    """The current row, by column; None if there is none. That of a community includes its members."""
    if table == communities.TABLE:
        return communities.state(tx, row)
    cursor = tx.conn.execute(f"SELECT * FROM {_journalled(tx, table)} WHERE id = ?", (row,))
    values = cursor.fetchone()
    return dict(zip([column[0] for column in cursor.description], values, strict=True)) if values else None


def referring_rows(tx: Tx, table: str, row: int, *, limit: int = -1) -> list[tuple[str, int]]:
    """The rows that refer to a row: table and row number, newest first for each column, at most `limit` of each."""
    return [
        (other, result[0])
        for other, column in _REFERENCES.get(table, ())
        for result in tx.conn.execute(
            f"SELECT id FROM {other} WHERE {column} = ? ORDER BY id DESC LIMIT +?", (row, limit)
        )
    ]


def referred_rows(change: Change) -> list[tuple[str, int]]:
    """The rows that a row referred to before the change: table and row number."""
    before = change.before or {}
    return [
        (table, before[column])
        for table, columns in _REFERENCES.items()
        for other, column in columns
        if other == change.table and before.get(column) is not None
    ]


def conflicting_rows(tx: Tx, table: str, values: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Rows that now have the values that a unique index allows only once, at most 20."""
    query = {
        "entity": "SELECT id FROM entity WHERE group_id = :group_id AND name_key = :name_key AND type = :type",
        "alias": "SELECT id FROM alias WHERE alias_key = :alias_key AND entity = :entity",
        "owner": "SELECT id FROM owner WHERE group_id = :group_id OR entity = :entity",
        "fact": """
            SELECT id FROM fact
            WHERE subject = :subject AND predicate = :predicate AND object IS :object AND literal IS :literal
              AND valid_from = :valid_from AND valid_to = :valid_to AND retracted_at IS NULL
        """,
    }.get(table)
    rows = tx.conn.execute(f"{query} ORDER BY id DESC LIMIT 20", dict(values)) if query else []
    return [(table, row[0]) for row in rows if row[0] != values["id"]]


def delete_row(tx: Tx, table: str, row: int) -> None:
    if table == communities.TABLE:
        communities.delete(tx, row)
        return
    tx.conn.execute(f"DELETE FROM {_journalled(tx, table)} WHERE id = ?", (row,))


def restore_row(tx: Tx, table: str, values: Mapping[str, Any], *, exists: bool) -> bool:
    """Update a row to earlier values, or insert it again; False if a constraint no longer allows that.

    Args:
        exists: whether the row exists.
    """
    if table == communities.TABLE:
        communities.replace_state(tx, values)
        return True
    columns = [quote_name(column) for column in values]
    if exists:
        assignments = ", ".join(f"{column} = ?" for column in columns)
        statement = f"UPDATE {_journalled(tx, table)} SET {assignments} WHERE id = ?"
    else:
        places = ", ".join("?" * len(columns))
        statement = f"INSERT INTO {_journalled(tx, table)} ({', '.join(columns)}) VALUES ({places})"
    try:
        # A statement that fails on a constraint has changed nothing, so no savepoint is needed.
        tx.conn.execute(statement, [*values.values(), values["id"]] if exists else list(values.values()))
    except sqlite.IntegrityError:
        return False
    return True


def trim(tx: Tx, *, before: str, limit: int) -> int:
    """Delete the oldest calls made before a timestamp, at most `limit`, with their stored answers.

    Their changes can no longer be undone. The newest call always stays.

    Returns:
        How many calls that changed something were deleted.
    """
    (first_kept,) = tx.conn.execute(
        """
        SELECT min(
            coalesce((SELECT min(id) FROM call WHERE at >= :before), (SELECT max(id) FROM call)),
            coalesce((SELECT id FROM call ORDER BY id LIMIT 1 OFFSET :limit), (SELECT max(id) FROM call))
        )
        """,
        {"before": before, "limit": limit},
    ).fetchone()
    if first_kept is None:
        return 0
    (count,) = tx.conn.execute("SELECT count(DISTINCT call) FROM journal WHERE call < ?", (first_kept,)).fetchone()
    tx.conn.execute("DELETE FROM journal WHERE call < ?", (first_kept,))
    tx.conn.execute("DELETE FROM idempotency WHERE call < ?", (first_kept,))
    # A later call may say that it undid an earlier one.
    tx.conn.execute(
        """
        DELETE FROM call
        WHERE id < :first AND id NOT IN (SELECT undoes FROM call WHERE id >= :first AND undoes IS NOT NULL)
        """,
        {"first": first_kept},
    )
    return int(count)


def oldest_call(tx: Tx) -> tuple[int, str] | None:
    """The number and the timestamp of the oldest call that can be undone."""
    row = tx.conn.execute("SELECT id, at FROM call WHERE id = (SELECT min(call) FROM journal)").fetchone()
    return (int(row[0]), str(row[1])) if row else None


def _changes(tx: Tx, query: str, parameters: Sequence[Any] | Mapping[str, Any]) -> list[Change]:
    rows = tx.conn.execute(query, parameters)
    return [
        Change(number, call, operation, table, row, before and json.loads(before))
        for number, call, operation, table, row, before in rows
    ]


def _journalled(tx: Tx, table: str) -> str:
    """The quoted name of a table. As it comes from the journal, it must be a table with journal triggers."""
    key = ("journalled", table)
    if key not in tx.memo:
        query = "SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = ?"
        if not tx.conn.execute(query, (f"{table}_journal_insert",)).fetchone():
            raise ValueError(f"{table} is not journalled")
        tx.memo[key] = quote_name(table)
    return str(tx.memo[key])


# Answers by idempotency key, for callers that repeat a request.


def find_answer(tx: Tx, key: str) -> tuple[str, str] | None:
    """The digest of the request that came with this key, and its answer as JSON; None if the key is new."""
    row = tx.conn.execute(
        "SELECT digest, answer FROM idempotency WHERE group_id = ? AND key = ?", (tx.group, key)
    ).fetchone()
    return (row[0], row[1]) if row else None


def insert_answer(tx: Tx, key: str, *, digest: str, answer: str) -> None:
    tx.conn.execute(
        """
        INSERT INTO idempotency (group_id, key, call, digest, answer)
        VALUES (?, ?, ?, ?, ?)
        """,
        (tx.group, key, tx.call, digest, answer),
    )
