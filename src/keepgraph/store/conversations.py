"""Conversations in the texts: who speaks, which chunks a speaker says, and the turns before and after a turn."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph.store import fact_changes
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx

_IS_TURN = "(chunk.speaker IS NOT NULL OR episode.kind = 'message')"


def speakers(tx: Tx) -> dict[str, str]:
    """The names of the speakers in texts, by key."""
    # Step by step through the index of keys: reading every chunk would be too slow.
    return tx.mapping(
        """
        WITH RECURSIVE speaker (key) AS (
            SELECT min(speaker_key) FROM chunk WHERE speaker_key IS NOT NULL
            UNION ALL
            SELECT (SELECT min(speaker_key) FROM chunk WHERE speaker_key > speaker.key)
            FROM speaker
            WHERE speaker.key IS NOT NULL
        )
        SELECT key, (SELECT speaker FROM chunk WHERE speaker_key = key LIMIT 1) FROM speaker WHERE key IS NOT NULL
        """
    )


def spoken_by(tx: Tx, chunks: Sequence[int], speakers: Sequence[str]) -> set[int]:
    """The chunks said by one of these speakers; speakers by their keys."""
    return tx.distinct(
        """
        SELECT id FROM chunk
        WHERE id IN (SELECT value FROM json_each(?)) AND speaker_key IN (SELECT value FROM json_each(?))
        """,
        (json_array(chunks), json_array(speakers)),
    )


def turns(tx: Tx, chunks: Sequence[int]) -> set[int]:
    """The chunks that are turns of a conversation: they have a speaker, or are messages."""
    if not any_document(tx):
        return set(chunks)
    return tx.distinct(
        f"""
        SELECT chunk.id
        FROM chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE chunk.id IN (SELECT value FROM json_each(?)) AND {_IS_TURN}
        """,
        (json_array(chunks),),
    )


def wholes(tx: Tx, chunks: Sequence[int]) -> dict[int, str]:
    """What each chunk is part of, by a key: its text, or, for a message, the messages of its group and day.

    A message with several turns is a conversation by itself.
    """
    return tx.mapping(
        """
        SELECT chunk.id,
               iif(episode.kind = 'message' AND NOT EXISTS (
                       SELECT 1 FROM chunk AS other WHERE other.episode = chunk.episode AND other.id <> chunk.id),
                   substr(episode.occurred_at, 1, 10) || ' ' || episode.group_id,
                   episode.public_id)
        FROM chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE chunk.id IN (SELECT value FROM json_each(?))
        """,
        (json_array(chunks),),
    )


def any_document(tx: Tx) -> bool:
    """Whether any chunk, of any group, is not a turn of a conversation."""

    def read() -> bool:
        return tx.is_true(
            """
            SELECT EXISTS (
                SELECT 1
                FROM chunk
                JOIN episode ON episode.id = chunk.episode
                WHERE chunk.speaker_key IS NULL AND episode.kind <> 'message'
            )
            """
        )

    return fact_changes.cached(tx, "any document", read)


def adjacent_turns(tx: Tx, chunks: Sequence[int]) -> dict[int, tuple[int | None, int | None]]:
    """The turns before and after each of some chunks that are turns: in the same text, or in the next message.

    Neighbours of a message are the ones stored before and after it in its group.
    """
    rows = tx.conn.execute(
        f"""
        SELECT chunk.id, {_adjacent("<", "DESC")}, {_adjacent(">", "ASC")}
        FROM chunk
        JOIN episode ON episode.id = chunk.episode
        WHERE chunk.id IN (SELECT value FROM json_each(?)) AND {_IS_TURN}
        """,
        (json_array(chunks),),
    )
    return {chunk: (before, after) for chunk, before, after in rows}


def _adjacent(side: str, order: str) -> str:
    return f"""
        coalesce(
            (SELECT other.id FROM chunk AS other
             WHERE other.episode = chunk.episode AND other.place {side} chunk.place
             ORDER BY other.place {order} LIMIT 1),
            (SELECT other.id FROM chunk AS other
             WHERE other.episode = (
                 SELECT next.id FROM episode AS next
                 WHERE next.group_id = episode.group_id AND next.kind = episode.kind AND next.id {side} episode.id
                 ORDER BY next.id {order} LIMIT 1)
               AND (episode.kind = 'message' OR other.speaker IS NOT NULL)
             ORDER BY other.place {order} LIMIT 1))
    """
