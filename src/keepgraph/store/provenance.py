"""SQL for provenance: the assertions behind each fact, with source, confidence, time, session and tool."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from keepgraph.model import Fact
from keepgraph.store import journal
from keepgraph.store.transactions import Tx


def insert(tx: Tx, fact: int, *, source: str | None, confidence: float, recorded_at: str) -> None:
    tx.conn.execute(
        f"""
        INSERT INTO provenance (id, fact, source, confidence, recorded_at, session, tool, episode)
        VALUES ({journal.unused_row_sql("provenance")}, ?, ?, ?, ?, ?, ?, ?)
        """,
        (fact, source, confidence, recorded_at, tx.session, tx.tool, tx.episode),
    )


def insert_many(tx: Tx, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows of: row, row of the fact, source, confidence, recorded_at, session, tool, row of the episode."""
    tx.conn.executemany(
        """
        INSERT INTO provenance (id, fact, source, confidence, recorded_at, session, tool, episode)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        rows,
    )


def move(tx: Tx, *, source: Fact, target: Fact) -> None:
    """Move the assertions of one fact to another."""
    tx.conn.execute("UPDATE provenance SET fact = ? WHERE fact = ?", (target.row, source.row))


def first_source(tx: Tx, fact: int) -> str | None:
    row = tx.conn.execute(
        """
        SELECT source
        FROM provenance
        WHERE fact = ? AND source IS NOT NULL
        ORDER BY recorded_at, id
        LIMIT 1
        """,
        (fact,),
    ).fetchone()
    return row[0] if row else None


def fact_rows_by_assertion(tx: Tx, facts: Sequence[int]) -> list[tuple[int, str]]:
    """The row of the fact and the timestamp of each assertion of these facts, in the order of the assertions."""
    rows = tx.conn.execute(
        """
        SELECT fact, recorded_at
        FROM provenance
        WHERE fact IN (SELECT value FROM json_each(:facts)) AND (:known IS NULL OR recorded_at <= :known)
        ORDER BY recorded_at, id
        """,
        {"facts": json.dumps(list(facts)), "known": tx.known_at},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def has_assertion(tx: Tx, fact: int, *, source: str | None, confidence: float) -> bool:
    """Whether this session has made the same assertion of a fact, out of the same episode if any."""
    row = tx.conn.execute(
        """
        SELECT 1
        FROM provenance
        WHERE fact = ? AND source IS ? AND confidence = ? AND session IS ? AND episode IS ?
        LIMIT 1
        """,
        (fact, source, confidence, tx.session, tx.episode),
    ).fetchone()
    return row is not None


def newest_assertions(
    tx: Tx, facts: Sequence[int], *, limit: int
) -> list[tuple[int, int, str | None, str, str, str | None]]:
    """The assertions of these facts, newest first: the row, the fact, the source, the timestamp, tool and session."""
    rows = tx.conn.execute(
        """
        SELECT id, fact, source, recorded_at, tool, session
        FROM provenance
        WHERE fact IN (SELECT value FROM json_each(?))
        ORDER BY id DESC
        LIMIT +?
        """,
        (json.dumps(list(facts)), limit),
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def of_episode(tx: Tx, episode: int) -> list[tuple[int, int, str]]:
    """The assertions out of an episode, oldest first: the row, the fact and the timestamp."""
    rows = tx.conn.execute(
        "SELECT id, fact, recorded_at FROM provenance WHERE episode = ? ORDER BY recorded_at, id", (episode,)
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def episodes_of_fact(tx: Tx, fact: int) -> list[int]:
    """The rows of the episodes out of which a fact was recorded, newest first."""
    rows = tx.conn.execute(
        "SELECT DISTINCT episode FROM provenance WHERE fact = ? AND episode IS NOT NULL ORDER BY episode DESC", (fact,)
    )
    return [row[0] for row in rows]


def count_others(tx: Tx, facts: Sequence[int], *, besides: Sequence[int]) -> dict[int, int]:
    """How many other assertions each of these facts has; those without any are left out."""
    rows = tx.conn.execute(
        """
        SELECT fact, count(*)
        FROM provenance
        WHERE fact IN (SELECT value FROM json_each(:facts)) AND id NOT IN (SELECT value FROM json_each(:besides))
        GROUP BY fact
        """,
        {"facts": json.dumps(list(facts)), "besides": json.dumps(list(besides))},
    )
    return dict(rows.fetchall())


def delete(tx: Tx, rows: Sequence[int]) -> None:
    """Delete some assertions; the facts stay."""
    tx.conn.executemany("DELETE FROM provenance WHERE id = ?", [(row,) for row in rows])
