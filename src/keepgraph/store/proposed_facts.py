"""SQL for proposed facts, relations that wait in their own words, and for dismissed wordings."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from keepgraph.model import ProposedFact
from keepgraph.store import journal
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx

_COLUMNS = """
    id, public_id, subject, subject_type, wording, wording_key, object, object_type, confidence, source, evidence,
    episode, session, recorded_at, reason
"""


def find_row(tx: Tx, fact: ProposedFact) -> int | None:
    """The row of the equal proposed fact of the same text."""
    row = tx.conn.execute(
        """
        SELECT id
        FROM proposed_fact
        WHERE group_id = ? AND wording_key = ? AND subject = ? AND object = ? AND coalesce(episode, 0) = ?
        """,
        (tx.group, fact.wording_key, fact.subject, fact.object, fact.episode or 0),
    ).fetchone()
    return row[0] if row else None


def find_any(tx: Tx, public_id: str) -> tuple[str, ProposedFact] | None:
    """The proposed fact of any group with this public id, and its group."""
    row = tx.conn.execute(
        f"SELECT group_id, {_COLUMNS} FROM proposed_fact WHERE public_id = ?", (public_id,)
    ).fetchone()
    return None if row is None else (row[0], ProposedFact(*row[1:]))


def insert(tx: Tx, fact: ProposedFact) -> int:
    """Insert a proposed fact; returns its row."""
    cursor = tx.conn.execute(
        f"""
        INSERT INTO proposed_fact (id, public_id, group_id, subject, subject_type, wording, wording_key, object,
                                   object_type, confidence, source, evidence, episode, session, recorded_at, reason)
        VALUES ({journal.unused_row_sql("proposed_fact")}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            fact.id,
            tx.group,
            fact.subject,
            fact.subject_type,
            fact.wording,
            fact.wording_key,
            fact.object,
            fact.object_type,
            fact.confidence,
            fact.source,
            fact.evidence,
            fact.episode,
            fact.session,
            fact.recorded_at,
            fact.reason,
        ),
    )
    return int(cursor.lastrowid)


def waiting(tx: Tx, *, wording_keys: Collection[str] | None = None, limit: int = -1) -> list[ProposedFact]:
    """The proposed facts of the group, in order of arrival; those in these wordings, or all."""
    return _select(
        tx,
        """
        WHERE group_id = :group
          AND (:keys IS NULL OR wording_key IN (SELECT value FROM json_each(:keys)))
        ORDER BY id
        LIMIT +:limit
        """,
        {
            "group": tx.group,
            "keys": None if wording_keys is None else json_array(wording_keys),
            "limit": limit,
        },
    )


def of_episode(tx: Tx, episode: int) -> list[ProposedFact]:
    """The proposed facts that an episode states, in order of arrival."""
    return _select(tx, "WHERE episode = :episode ORDER BY id", {"episode": episode})


def count(tx: Tx) -> int:
    """How many facts of the group are proposed."""
    return tx.number("SELECT count(*) FROM proposed_fact WHERE group_id = ?", (tx.group,))


def counts_by_group(tx: Tx) -> dict[str, int]:
    """How many facts are proposed in each group that has some, the group of the transaction first."""
    return tx.mapping(
        "SELECT group_id, count(*) FROM proposed_fact GROUP BY group_id ORDER BY group_id <> ?, group_id", (tx.group,)
    )


def types_of_names(tx: Tx, name_keys: Collection[str]) -> dict[str, tuple[str, bool]]:
    """By the key of a name that only one entity has: its type, and whether that is assumed."""
    rows = tx.conn.execute(
        """
        SELECT entity.name_key, min(entity_type.name), max(assumed_type.id) IS NOT NULL
        FROM entity
        JOIN entity_type ON entity_type.id = entity.type
        LEFT JOIN assumed_type ON assumed_type.id = entity.id
        WHERE entity.group_id = :group AND entity.name_key IN (SELECT value FROM json_each(:keys))
        GROUP BY entity.name_key
        HAVING count(*) = 1
        """,
        {"group": tx.group, "keys": json_array(name_keys)},
    )
    return {key: (entity_type, bool(is_assumed)) for key, entity_type, is_assumed in rows}


def set_reason(tx: Tx, row: int, reason: str) -> None:
    tx.conn.execute("UPDATE proposed_fact SET reason = ? WHERE id = ? AND reason <> ?", (reason, row, reason))


def delete(tx: Tx, rows: Iterable[int]) -> None:
    tx.conn.executemany("DELETE FROM proposed_fact WHERE id = ?", [(row,) for row in rows])


def delete_in_wordings(tx: Tx, wording_keys: Collection[str]) -> int:
    """Delete what is proposed in these wordings in any group, and that they were dismissed; returns how many facts."""
    keys = json_array(sorted(wording_keys))
    tx.conn.execute("DELETE FROM dismissed_wording WHERE wording_key IN (SELECT value FROM json_each(?))", (keys,))
    return int(
        tx.conn.execute(
            "DELETE FROM proposed_fact WHERE wording_key IN (SELECT value FROM json_each(?))", (keys,)
        ).rowcount
    )


def dismissed_wordings(tx: Tx) -> dict[str, str]:
    """The dismissed wordings of the group, by their keys."""
    return tx.mapping("SELECT wording_key, wording FROM dismissed_wording WHERE group_id = ? ORDER BY id", (tx.group,))


def insert_dismissed(tx: Tx, *, wording: str, wording_key: str, dismissed_at: str) -> None:
    """Note that a wording was dismissed; nothing changes if it already was."""
    tx.conn.execute(
        f"""
        INSERT INTO dismissed_wording (id, group_id, wording_key, wording, dismissed_at)
        VALUES ({journal.unused_row_sql("dismissed_wording")}, ?, ?, ?, ?)
        ON CONFLICT (group_id, wording_key) DO NOTHING
        """,
        (tx.group, wording_key, wording, dismissed_at),
    )


def delete_dismissed(tx: Tx, wording_keys: Iterable[str]) -> None:
    """Let wordings be proposed again."""
    tx.conn.executemany(
        "DELETE FROM dismissed_wording WHERE group_id = ? AND wording_key = ?",
        [(tx.group, wording_key) for wording_key in wording_keys],
    )


def _select(tx: Tx, conditions: str, values: dict[str, Any]) -> list[ProposedFact]:
    return [ProposedFact(*row) for row in tx.conn.execute(f"SELECT {_COLUMNS} FROM proposed_fact {conditions}", values)]
