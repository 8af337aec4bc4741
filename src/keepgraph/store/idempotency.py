"""Answers by idempotency key, for callers that send the same request again."""

from __future__ import annotations

from keepgraph.store.transactions import Tx


def find_answer(tx: Tx, key: str) -> tuple[str, str] | None:
    """The digest of the request that came with this key, and its answer as JSON; None where the key is new."""
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
