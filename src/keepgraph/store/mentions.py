"""SQL for mentions: which chunks mention which entities."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from keepgraph.model import Chunk, Entity, Mention
from keepgraph.store.transactions import Tx


def in_chunks(tx: Tx, chunks: Sequence[int]) -> list[Mention]:
    """The mentions in some chunks, by chunk and by offset."""
    rows = tx.conn.execute(
        """
        SELECT chunk, entity, how, start, stop
        FROM mention
        WHERE chunk IN (SELECT value FROM json_each(?))
        ORDER BY chunk, start IS NULL, start, entity
        """,
        (json.dumps(list(chunks)),),
    )
    return [Mention(*row) for row in rows]


def chunks_with_both(tx: Tx, one: Entity, other: Entity, *, limit: int) -> list[int]:
    """The chunks that mention both entities, the newest episode first."""
    rows = tx.conn.execute(
        """
        SELECT one.chunk
        FROM mention AS one
        JOIN mention AS other ON other.chunk = one.chunk AND other.entity = :other
        JOIN chunk ON chunk.id = one.chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE one.entity = :one AND (:known IS NULL OR episode.recorded_at <= :known)
        ORDER BY episode.recorded_at DESC, episode.id DESC, chunk.place, chunk.id
        LIMIT +:limit
        """,
        {"one": one.row, "other": other.row, "limit": limit, "known": tx.known_at},
    )
    return [row[0] for row in rows]


def in_group(tx: Tx) -> Iterator[tuple[int, int]]:
    """The chunks of the group with the entities that each mentions, as pairs of row numbers, by chunk."""
    rows: Iterator[tuple[int, int]] = tx.conn.execute(
        """
        SELECT mention.chunk, mention.entity
        FROM mention JOIN entity ON entity.id = mention.entity
        WHERE entity.group_id = ?
        ORDER BY mention.chunk, mention.entity
        """,
        (tx.group,),
    )
    return rows


def count_episodes(tx: Tx, entities: Sequence[int]) -> dict[int, int]:
    """How many episodes mention each of these entities; those that none mentions are left out."""
    rows = tx.conn.execute(
        """
        SELECT mention.entity, count(DISTINCT chunk.episode)
        FROM mention
        JOIN chunk ON chunk.id = mention.chunk
        WHERE mention.entity IN (SELECT value FROM json_each(?))
        GROUP BY mention.entity
        """,
        (json.dumps(list(entities)),),
    )
    return dict(rows.fetchall())


def count_of_entity(tx: Tx, entity: Entity) -> int:
    """How many chunks mention an entity."""
    return int(tx.conn.execute("SELECT count(*) FROM mention WHERE entity = ?", (entity.row,)).fetchone()[0])


def episodes_of_entity(tx: Tx, entity: Entity, *, limit: int) -> list[int]:
    """The rows of the episodes that mention an entity, newest first."""
    rows = tx.conn.execute(
        """
        SELECT DISTINCT chunk.episode
        FROM mention
        JOIN chunk ON chunk.id = mention.chunk
        WHERE mention.entity = ?
        ORDER BY chunk.episode DESC
        LIMIT +?
        """,
        (entity.row, limit),
    )
    return [row[0] for row in rows]


def replace(tx: Tx, chunk: Chunk, mentions: Sequence[Mention]) -> None:
    """Replace the mentions of a chunk, each entity once, and mark the chunk as read."""
    tx.conn.execute("DELETE FROM mention WHERE chunk = ?", (chunk.row,))
    tx.conn.executemany(
        "INSERT OR IGNORE INTO mention (chunk, entity, how, start, stop) VALUES (?, ?, ?, ?, ?)",
        [(chunk.row, mention.entity, mention.how, mention.start, mention.stop) for mention in mentions],
    )
    tx.conn.execute("DELETE FROM chunk_unread WHERE chunk = ?", (chunk.row,))


def is_in_episode(tx: Tx, entity: Entity, episode: int) -> bool:
    """Whether an episode, given by its row, mentions an entity."""
    row = tx.conn.execute(
        """
        SELECT EXISTS (
            SELECT 1 FROM mention JOIN chunk ON chunk.id = mention.chunk
            WHERE mention.entity = ? AND chunk.episode = ?
        )
        """,
        (entity.row, episode),
    ).fetchone()
    return bool(row[0])


def count_in_episodes(tx: Tx, episodes: Sequence[int]) -> int:
    """How many mentions the chunks of these episodes have."""
    row = tx.conn.execute(
        """
        SELECT count(*)
        FROM mention
        JOIN chunk ON chunk.id = mention.chunk
        WHERE chunk.episode IN (SELECT value FROM json_each(?))
        """,
        (json.dumps(list(episodes)),),
    ).fetchone()
    return int(row[0])
