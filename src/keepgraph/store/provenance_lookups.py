"""SQL for explanations: the assertions of a fact, the calls that inserted rows, the sources of an entity's facts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple

from keepgraph.model import Entity
from keepgraph.store import journal
from keepgraph.store.transactions import Tx


class AssertionRow(NamedTuple):
    """An assertion of a fact as it is stored; `episode` is the row of the text that it comes from."""

    row: int
    source: str | None
    confidence: float
    recorded_at: str
    session: str | None
    tool: str
    episode: int | None


class SourceCount(NamedTuple):
    """How many facts one source states; where none is named, it is the tool that recorded them."""

    source: str | None
    tool: str | None
    facts: int


def assertions(tx: Tx, fact: int, *, limit: int) -> list[AssertionRow]:
    """The assertions of a fact, the oldest first."""
    rows = tx.conn.execute(
        """
        SELECT id, source, confidence, recorded_at, session, tool, episode
        FROM provenance
        WHERE fact = ?
        ORDER BY recorded_at, id
        LIMIT +?
        """,
        (fact, limit),
    )
    return [AssertionRow(*row) for row in rows]


def count_assertions(tx: Tx, fact: int) -> int:
    return int(tx.conn.execute("SELECT count(*) FROM provenance WHERE fact = ?", (fact,)).fetchone()[0])


def inserting_calls(tx: Tx, table: str, rows: Mapping[int, str]) -> dict[int, int]:
    """The numbers of the calls that first inserted rows of a table; those that the journal does not have are left out.

    Args:
        rows: row numbers with the timestamps of the rows. That is the time of the call, unless an import brought it:
            then the whole journal is read, once for all of these rows.
    """
    at_once = tx.conn.execute(
        """
        SELECT journal.row, min(journal.call)
        FROM json_each(:rows) AS wanted
        JOIN call ON call.at = wanted.value
        JOIN journal ON journal.call = call.id
        WHERE journal.tbl = :table AND journal.row = CAST(wanted.key AS INTEGER) AND journal.op = 'insert'
        GROUP BY journal.row
        """,
        {"table": table, "rows": json.dumps(dict(rows))},
    )
    calls: dict[int, int] = dict(at_once.fetchall())
    others = [row for row in rows if row not in calls]
    if others:
        imported = tx.conn.execute(
            """
            SELECT row, min(call)
            FROM journal
            WHERE tbl = ? AND op = 'insert' AND row IN (SELECT value FROM json_each(?))
            GROUP BY row
            """,
            (table, json.dumps(others)),
        )
        calls.update(imported.fetchall())
    return calls


def facts_ended_by_call(tx: Tx, call: int, *, limit: int) -> list[int]:
    """The rows of the facts whose validity a call gave an end."""
    rows = tx.conn.execute(
        """
        SELECT DISTINCT journal.row
        FROM journal
        JOIN fact ON fact.id = journal.row
        WHERE journal.call = ? AND journal.tbl = 'fact' AND journal.op = 'update'
          AND journal.was ->> 'valid_to' <> fact.valid_to AND fact.valid_to <> '~'
        ORDER BY journal.row
        LIMIT +?
        """,
        (call, limit),
    )
    return [row[0] for row in rows]


def rows_inserted_by_call(tx: Tx, call: int, table: str, *, limit: int) -> list[int]:
    """The first rows that a call inserted into a table."""
    rows = tx.conn.execute(
        "SELECT row FROM journal WHERE call = ? AND tbl = ? AND op = 'insert' ORDER BY id LIMIT +?",
        (call, table, limit),
    )
    return [row[0] for row in rows]


def later_calls(tx: Tx, call: int, *, limit: int) -> list[int]:
    """The calls that changed or deleted rows of a call since, newest first; of a large one, its first changes."""
    rows = tx.conn.execute(
        f"""
        SELECT DISTINCT later.call
        FROM (SELECT DISTINCT tbl, row FROM (
                  SELECT tbl, row FROM journal WHERE call = :call ORDER BY id LIMIT {journal.MAX_CHANGES_COUNTED}
              )) AS mine
        JOIN journal AS later ON later.tbl = mine.tbl AND later.row = mine.row
        WHERE later.op <> 'insert' AND later.call > :call
        ORDER BY later.call DESC
        LIMIT +:limit
        """,
        {"call": call, "limit": limit},
    )
    return [row[0] for row in rows]


def sources_of_entity(tx: Tx, entity: Entity, *, limit: int) -> list[SourceCount]:
    """Which sources state the facts about an entity that are not retracted, the most first."""
    rows = tx.conn.execute(
        f"""
        SELECT source, iif(source IS NULL, tool, NULL) AS by_tool, count(DISTINCT fact)
        FROM provenance
        WHERE fact IN ({_FACTS_OF_ENTITY})
        GROUP BY source, by_tool
        ORDER BY 3 DESC, 1, 2
        LIMIT +:limit
        """,
        {"entity": entity.row, "limit": limit},
    )
    return [SourceCount(*row) for row in rows]


def count_facts_of_entity(tx: Tx, entity: Entity) -> int:
    """How many facts with an entity as subject or object are not retracted, ended ones too."""
    query = f"SELECT count(*) FROM ({_FACTS_OF_ENTITY})"
    return int(tx.conn.execute(query, {"entity": entity.row}).fetchone()[0])


_FACTS_OF_ENTITY = """
    SELECT id FROM fact WHERE subject = :entity AND object IS NOT NULL AND retracted_at IS NULL
    UNION
    SELECT id FROM fact WHERE subject = :entity AND literal IS NOT NULL AND retracted_at IS NULL
    UNION
    SELECT id FROM fact WHERE object = :entity AND object IS NOT NULL AND retracted_at IS NULL
"""
