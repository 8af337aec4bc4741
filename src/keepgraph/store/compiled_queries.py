"""Runs statements that were compiled from Cypher, and tells what the compiler wants to know of the tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors
from keepgraph.store import sqlite_errors
from keepgraph.store.database import Connection, Tx

_SAID_NO = 1
"""SQLite's code for a statement that failed by what it says: an overflow, a function that raised."""

_TOO_MUCH = {7, 18}
"""SQLite's codes for a statement that would need more memory than there is, or a value longer than may be."""

_INTERRUPTED = 9

_READING = {sqlite.SQLITE_SELECT, sqlite.SQLITE_READ, sqlite.SQLITE_FUNCTION, sqlite.SQLITE_RECURSIVE}
_MORE_THAN_READING = {"load_extension", "sqlcipher_export"}
_ONLY_READING = "whether statements may only read"

# The facts as they were known at a stamp, for the place of the table.
KNOWN_ONCE = """(
    SELECT id, public_id, subject, predicate, object, literal, text, confidence, recorded_at,
           valid_from, valid_to, NULL AS retracted_at
    FROM fact
    WHERE (retracted_at IS NULL OR retracted_at > {known})
      AND iif(known_from = '', recorded_at, known_from) <= {known}
    UNION ALL
    SELECT fact.id, public_id, subject, predicate, object, literal, text, confidence, recorded_at,
           once.valid_from, once.valid_to, NULL
    FROM fact JOIN earlier_validity AS once ON once.fact = fact.id
    WHERE once.known_from <= {known} AND {known} < once.known_to
)"""

SOURCE_OF = """(
    SELECT source FROM provenance
    WHERE provenance.fact = {row}.id AND source IS NOT NULL
    ORDER BY provenance.recorded_at, provenance.id LIMIT 1
)"""

ALIASES_OF = "(SELECT json_group_array(alias ORDER BY id) FROM alias WHERE alias.entity = {row}.id)"

GROUP_OF = "(SELECT g.group_id FROM entity AS g WHERE g.id = {row}.subject)"


def rows(
    conn: Connection,
    sql: str,
    arguments: Sequence[Any],
    *,
    refused: type[Exception],
    why: Callable[[], errors.KeepgraphError | None] = lambda: None,
) -> Iterator[tuple[Any, ...]]:
    """The rows of a statement, as they are found.

    Args:
        why: the reason for which it was interrupted.

    Raises:
        refused: the statement met a value that it cannot treat.
        errors.QueryTooLarge: it needs more than there is room for.
    """
    try:
        # Not `yield from`: a generator that is dropped would close the cursor, perhaps after its connection.
        for row in conn.execute(sql, arguments):  # noqa: UP028 (for that reason)
            yield row
    except MemoryError:
        raise errors.QueryTooLarge("the query needs more memory than there is") from None
    except sqlite.Error as error:
        number = sqlite_errors.code(error)
        if number == _SAID_NO:
            raise refused from error
        if number in _TOO_MUCH:
            raise errors.QueryTooLarge("the query needs more memory than there is") from error
        if number == _INTERRUPTED and (reason := why()) is not None:
            raise reason from error
        raise


@contextmanager
def only_reading(tx: Tx) -> Iterator[None]:
    """Let SQLite refuse every statement that would do more than read the tables."""
    # Setting an authorizer makes SQLite write all its statements anew: one is set, and stays, and is told when to look.
    switch: list[bool] | None = tx.kept.get(_ONLY_READING)
    if switch is None:
        switch = tx.kept[_ONLY_READING] = [False]
        tx.conn.set_authorizer(_authorizer(switch))
    switch[0] = True
    try:
        yield
    finally:
        switch[0] = False


def _authorizer(switch: Sequence[bool]) -> Callable[..., int]:
    def authorize(action: int, _: str | None, name: str | None, *__: str | None) -> int:
        reads = action in _READING and not (action == sqlite.SQLITE_FUNCTION and name in _MORE_THAN_READING)
        return int(sqlite.SQLITE_OK if reads or not switch[0] else sqlite.SQLITE_DENY)

    return authorize


def register(conn: Connection, prefix: str, name: str, function: Callable[..., Any]) -> None:
    """Let statements on this connection call a Python function."""
    conn.create_function(f"{prefix}{name}", -1, function, deterministic=name != "inexact")


def plan(tx: Tx, sql: str, arguments: Sequence[Any]) -> list[tuple[int, int, str]]:
    """What SQLite does for a statement: the number of each step, that of the step around it, and what it is."""
    found = tx.conn.execute(f"EXPLAIN QUERY PLAN {sql}", arguments)
    return [(row[0], row[1], row[3]) for row in found]


def settled(tx: Tx) -> str:
    """The stamp from which on every fact that is not retracted holds for ever; `~` if one ends."""
    return str(
        tx.conn.execute(
            """
            SELECT CASE WHEN EXISTS (SELECT 1 FROM fact WHERE retracted_at IS NULL AND valid_to <> '~') THEN '~'
                        ELSE coalesce((SELECT max(valid_from) FROM fact WHERE valid_from <> ''), '')
                   END
            """
        ).fetchone()[0]
    )


def next_boundary(tx: Tx, *, at: str) -> str:
    """The stamp after which other facts hold than at this one, if nobody writes; `~` if there is none."""
    row = tx.conn.execute(
        """
        SELECT (SELECT min(valid_to) FROM fact WHERE retracted_at IS NULL AND valid_to <> '~' AND valid_to > :at),
               (SELECT min(valid_from) FROM fact WHERE valid_from <> '' AND valid_from > :at)
        """,
        {"at": at},
    ).fetchone()
    return min((stamp for stamp in row if stamp is not None), default="~")


def entities_by_type(tx: Tx) -> dict[int, int]:
    """How many entities there are of each type."""
    return dict(tx.conn.execute("SELECT type, count(*) FROM entity GROUP BY type").fetchall())


def facts_by_predicate(tx: Tx) -> dict[int, int]:
    """How many facts there are of each predicate, retracted ones left out."""
    return dict(
        tx.conn.execute("SELECT predicate, count(*) FROM fact WHERE retracted_at IS NULL GROUP BY predicate").fetchall()
    )


def newest_fact(tx: Tx) -> int:
    """The number of the fact that was recorded last; 0 where there is none."""
    return int(tx.conn.execute("SELECT coalesce(max(id), 0) FROM fact").fetchone()[0])


def meant_ends(tx: Tx) -> list[tuple[int, str, int]]:
    """Between which types a predicate is meant to lead: predicate, side and type, by their numbers."""
    rows = tx.conn.execute("SELECT predicate, side, type FROM predicate_end ORDER BY predicate, side, type")
    return [(row[0], row[1], row[2]) for row in rows]


def contradicted(tx: Tx, predicate: int, subjects: Sequence[int], objects: Sequence[int]) -> bool:
    """Whether a fact of a predicate leads from or to another type than these; none of a side means any."""
    found = tx.conn.execute(
        """
        SELECT EXISTS (
            SELECT 1
            FROM fact
            JOIN entity AS s ON s.id = fact.subject
            LEFT JOIN entity AS o ON o.id = fact.object
            WHERE fact.predicate = :predicate AND fact.retracted_at IS NULL
              AND (:subjects <> '[]' AND s.type NOT IN (SELECT value FROM json_each(:subjects))
                   OR :objects <> '[]' AND o.type NOT IN (SELECT value FROM json_each(:objects)))
        )
        """,
        {"predicate": predicate, "subjects": json.dumps(list(subjects)), "objects": json.dumps(list(objects))},
    )
    return bool(found.fetchone()[0])
