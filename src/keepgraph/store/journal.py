"""Calls, and the answers kept for those who retry. The journal itself is written by triggers."""

from __future__ import annotations

from keepgraph.store.db import Tx


def open_call(tx: Tx, *, at: str) -> int:
    """Enter the call that all changes of this transaction belong to; returns its number."""
    row = tx.conn.execute(
        """
        INSERT INTO call (at, tool, session)
        VALUES (?, ?, ?)
        RETURNING id
        """,
        (at, tx.tool, tx.session),
    ).fetchone()
    return int(row[0])


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
        VALUES (?, ?, (SELECT max(id) FROM call), ?, ?)
        """,
        (tx.group, key, digest, answer),
    )
