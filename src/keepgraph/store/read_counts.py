"""SQL for optional counts, made only if the settings say so: calls that read, and unknown names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from keepgraph.store.transactions import Tx

_MAX_NAMES = 10_000


@dataclass(frozen=True, slots=True)
class UnknownName:
    """An unknown name that was asked for."""

    name: str
    times: int


def add_read(tx: Tx, *, conversation: str, tool: str, at: str) -> None:
    """Count a call that reads: the conversation, the tool and the times, but nothing of what was asked."""
    tx.conn.execute(
        """
        INSERT INTO read_count (conversation, group_id, tool, times, first_at, last_at)
        VALUES (:conversation, :group, :tool, 1, :at, :at)
        ON CONFLICT DO UPDATE SET times = times + 1, last_at = :at
        """,
        {"conversation": conversation, "group": tx.group, "tool": tool, "at": at},
    )


def add_unknown_names(tx: Tx, names: Mapping[str, str], *, at: str) -> None:
    """Count unknown names that a call asked for, by their keys; those not asked for longest make room."""
    tx.conn.executemany(
        """
        INSERT INTO unknown_name (group_id, name_key, name, times, last_at)
        VALUES (:group, :key, :name, 1, :at)
        ON CONFLICT DO UPDATE SET times = times + 1, last_at = :at
        """,
        [{"group": tx.group, "key": key, "name": name[:200], "at": at} for key, name in names.items()],
    )
    tx.conn.execute(
        """
        DELETE FROM unknown_name
        WHERE group_id = :group AND name_key IN (
            SELECT name_key FROM unknown_name WHERE group_id = :group ORDER BY last_at DESC LIMIT -1 OFFSET :most)
        """,
        {"group": tx.group, "most": _MAX_NAMES},
    )


def of_conversations(tx: Tx, *, since: str) -> list[tuple[str, str, int]]:
    """The counted calls in the group since a timestamp: conversation, tool, times."""
    return tx.rows(
        """
        SELECT conversation, tool, times FROM read_count
        WHERE group_id = :group AND last_at > :since
        ORDER BY conversation, tool
        """,
        {"group": tx.group, "since": since},
    )


def unknown_names(tx: Tx, *, at_least: int, limit: int) -> list[UnknownName]:
    """The names asked for at least this often that no entity has now; most frequent first."""
    rows = tx.conn.execute(
        """
        SELECT name, times
        FROM unknown_name
        WHERE group_id = :group AND times >= :at_least
          AND NOT EXISTS (
              SELECT 1 FROM entity WHERE entity.group_id = :group AND entity.name_key = unknown_name.name_key)
          AND NOT EXISTS (
              SELECT 1 FROM alias JOIN entity ON entity.id = alias.entity
              WHERE alias.alias_key = unknown_name.name_key AND entity.group_id = :group)
        ORDER BY times DESC, name_key
        LIMIT +:limit
        """,
        {"group": tx.group, "at_least": at_least, "limit": limit},
    )
    return [UnknownName(*row) for row in rows]
