"""Who said what, when, and from which source: every assertion of every fact. Decides nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from keepgraph.model import Fact
from keepgraph.store import journal
from keepgraph.store.database import Tx


def insert(tx: Tx, fact: int, *, source: str | None, confidence: float, recorded_at: str) -> None:
    tx.conn.execute(
        f"""
        INSERT INTO provenance (id, fact, source, confidence, recorded_at, session, tool, episode)
        VALUES ({journal.unused_row("provenance")}, ?, ?, ?, ?, ?, ?, ?)
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


def take(tx: Tx, fact: Fact, other: Fact) -> None:
    """Let what was asserted of another fact count for this one. Each tells for itself how it was known earlier."""
    tx.conn.execute("UPDATE provenance SET fact = ? WHERE fact = ?", (fact.row, other.row))


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


def assertions(tx: Tx, facts: Sequence[int]) -> list[int]:
    """These facts in the order in which they were asserted; one that was asserted twice comes twice."""
    rows = tx.conn.execute(
        """
        SELECT fact
        FROM provenance
        WHERE fact IN (SELECT value FROM json_each(:facts)) AND (:known IS NULL OR recorded_at <= :known)
        ORDER BY recorded_at, id
        """,
        {"facts": json.dumps(list(facts)), "known": tx.known_at},
    )
    return [row[0] for row in rows]


def assertions_about(tx: Tx, facts: Sequence[int], *, limit: int) -> list[tuple[int, int, str | None, str]]:
    """The row of each assertion of these facts, its fact, its source and its stamp, newest first."""
    rows = tx.conn.execute(
        """
        SELECT id, fact, source, recorded_at
        FROM provenance
        WHERE fact IN (SELECT value FROM json_each(?))
        ORDER BY id DESC
        LIMIT ?
        """,
        (json.dumps(list(facts)), limit),
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def of_episode(tx: Tx, episode: int) -> list[tuple[int, int, str]]:
    """The assertions that came out of an episode: the row, the fact, and the stamp, in their order."""
    rows = tx.conn.execute(
        "SELECT id, fact, recorded_at FROM provenance WHERE episode = ? ORDER BY recorded_at, id", (episode,)
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def others(tx: Tx, facts: Sequence[int], *, besides: Sequence[int]) -> dict[int, int]:
    """How many assertions each of these facts has besides some; those without any are left out."""
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
