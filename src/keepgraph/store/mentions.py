"""Which chunks speak of which entities, and which chunks and names wait to be read. Decides nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence

from keepgraph.model import Chunk, Entity, Mention
from keepgraph.store.db import Tx


def in_chunks(tx: Tx, chunks: Sequence[int]) -> list[Mention]:
    """What is mentioned in some chunks, by chunk and by place."""
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


def of_entity(tx: Tx, entity: Entity, *, limit: int) -> list[Mention]:
    """The mentions of an entity, the newest chunk first."""
    rows = tx.conn.execute(
        "SELECT chunk, entity, how, start, stop FROM mention WHERE entity = ? ORDER BY chunk DESC LIMIT ?",
        (entity.row, limit),
    )
    return [Mention(*row) for row in rows]


def count(tx: Tx, entities: Sequence[int]) -> dict[int, int]:
    """In how many episodes each of these entities is mentioned; those in none are left out."""
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


def replace(tx: Tx, chunk: Chunk, found: Sequence[Mention]) -> None:
    """Let a chunk mention just these, each entity once; it has been read then."""
    tx.conn.execute("DELETE FROM mention WHERE chunk = ?", (chunk.row,))
    tx.conn.executemany(
        "INSERT OR IGNORE INTO mention (chunk, entity, how, start, stop) VALUES (?, ?, ?, ?, ?)",
        [(chunk.row, each.entity, each.how, each.start, each.stop) for each in found],
    )
    tx.conn.execute("DELETE FROM chunk_unread WHERE chunk = ?", (chunk.row,))


def any_waiting(tx: Tx) -> bool:
    """Whether a chunk or a name waits to be read."""
    return bool(
        tx.conn.execute("SELECT EXISTS (SELECT 1 FROM chunk_unread) OR EXISTS (SELECT 1 FROM name_unread)").fetchone()[
            0
        ]
    )


def unread_chunks(tx: Tx, *, limit: int) -> list[int]:
    """Some chunks that wait to be read, the oldest first; of all groups."""
    rows = tx.conn.execute("SELECT chunk FROM chunk_unread ORDER BY chunk LIMIT ?", (limit,))
    return [row[0] for row in rows]


def unread_names(tx: Tx, *, limit: int) -> list[tuple[int, str, str]]:
    """Some names that have not been looked for in texts: the number, the name, and the group; of all groups."""
    rows = tx.conn.execute(
        """
        SELECT surface, coalesce(named.name, alias.alias), coalesce(named.group_id, owner.group_id)
        FROM name_unread
        LEFT JOIN entity AS named ON surface % 2 = 0 AND named.id = surface / 2
        LEFT JOIN alias ON surface % 2 = 1 AND alias.id = surface / 2
        LEFT JOIN entity AS owner ON owner.id = alias.entity
        WHERE coalesce(named.name, alias.alias) IS NOT NULL
        ORDER BY surface
        LIMIT ?
        """,
        (limit,),
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def name_was_read(tx: Tx, surfaces: Sequence[int]) -> None:
    tx.conn.execute(
        "DELETE FROM name_unread WHERE surface IN (SELECT value FROM json_each(?))", (json.dumps(list(surfaces)),)
    )


def let_wait(tx: Tx, chunks: Sequence[int]) -> None:
    """Let chunks be read anew."""
    tx.conn.executemany("INSERT OR IGNORE INTO chunk_unread VALUES (?)", [(row,) for row in chunks])


def chunks_with_words(tx: Tx, match: str, *, group: str, limit: int) -> list[int]:
    """The chunks of a group that a full-text query matches; the name of their episode counts as their words."""
    rows = tx.conn.execute(
        """
        SELECT chunk.id
        FROM chunk_text
        JOIN chunk ON chunk.id = chunk_text.rowid
        JOIN episode ON episode.id = chunk.episode
        WHERE chunk_text MATCH ? AND episode.group_id = ?
        LIMIT ?
        """,
        (match, group, limit),
    )
    return [row[0] for row in rows]


def chunks_with_letters(tx: Tx, letters: str, *, group: str, limit: int) -> list[int]:
    """The chunks of a group that hold these letters as they are, for scripts without spaces; all are looked at."""
    rows = tx.conn.execute(
        """
        SELECT chunk.id
        FROM chunk JOIN episode ON episode.id = chunk.episode
        WHERE instr(chunk.text, ?) > 0 AND episode.group_id = ?
        LIMIT ?
        """,
        (letters, group, limit),
    )
    return [row[0] for row in rows]
