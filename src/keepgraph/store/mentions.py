"""Which chunks speak of which entities, and which chunks and names wait to be read. Decides nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence

from keepgraph.model import Chunk, Mention
from keepgraph.store.database import Tx


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


def unread_names(tx: Tx, *, limit: int) -> list[tuple[int, str | None, str | None, str | None]]:
    """Some names that have not been looked for in texts: the number, the name, the group, and the type of the entity.

    Of all groups. One whose name has gone in the meantime has its number alone.
    """
    rows = tx.conn.execute(
        """
        SELECT surface, coalesce(named.name, alias.alias), coalesce(named.group_id, owner.group_id), entity_type.name
        FROM name_unread
        LEFT JOIN entity AS named ON surface % 2 = 0 AND named.id = surface / 2
        LEFT JOIN alias ON surface % 2 = 1 AND alias.id = surface / 2
        LEFT JOIN entity AS owner ON owner.id = alias.entity
        LEFT JOIN entity_type ON entity_type.id = coalesce(named.type, owner.type)
        ORDER BY surface
        LIMIT ?
        """,
        (limit,),
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def name_was_read(tx: Tx, surfaces: Sequence[int]) -> None:
    """Let names wait no longer to be looked for."""
    tx.conn.execute(
        "DELETE FROM name_unread WHERE surface IN (SELECT value FROM json_each(?))", (json.dumps(list(surfaces)),)
    )


def let_wait(tx: Tx, chunks: Sequence[int]) -> None:
    """Let chunks be read anew."""
    tx.conn.executemany("INSERT OR IGNORE INTO chunk_unread VALUES (?)", [(row,) for row in chunks])


def chunks_with_words(tx: Tx, match: str, *, group: str, limit: int, spelled: Sequence[str] = ()) -> list[int]:
    """The chunks of a group that a full-text query matches; the name of their episode counts as their words.

    Args:
        spelled: in the chunk or in the name of its episode one of these stands, letter case included.
    """
    rows = tx.conn.execute(
        """
        SELECT chunk.id
        FROM chunk_text
        JOIN chunk ON chunk.id = chunk_text.rowid
        JOIN episode ON episode.id = chunk.episode
        WHERE chunk_text MATCH :match AND episode.group_id = :group
          AND (:spelled = '[]' OR EXISTS (SELECT 1 FROM json_each(:spelled) AS asked
                                          WHERE instr(chunk.text, asked.value) + instr(episode.name, asked.value) > 0))
        LIMIT :limit
        """,
        {"match": match, "group": group, "limit": limit, "spelled": json.dumps(list(spelled), ensure_ascii=False)},
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


def count_in(tx: Tx, episodes: Sequence[int]) -> int:
    """How often the chunks of these episodes mention an entity."""
    return _count_in(tx, "SELECT count(*) FROM mention JOIN chunk ON chunk.id = mention.chunk", episodes)


def count_unread_in(tx: Tx, episodes: Sequence[int]) -> int:
    """How many chunks of these episodes wait to be read."""
    return _count_in(tx, "SELECT count(*) FROM chunk_unread JOIN chunk ON chunk.id = chunk_unread.chunk", episodes)


def _count_in(tx: Tx, counted: str, episodes: Sequence[int]) -> int:
    query = f"{counted} WHERE chunk.episode IN (SELECT value FROM json_each(?))"
    return int(tx.conn.execute(query, (json.dumps(list(episodes)),)).fetchone()[0])


def waiting(tx: Tx) -> tuple[int, int]:
    """How many chunks wait to be read, and how many names to be looked for."""
    row = tx.conn.execute("SELECT (SELECT count(*) FROM chunk_unread), (SELECT count(*) FROM name_unread)").fetchone()
    return int(row[0]), int(row[1])


def count_chunks(tx: Tx) -> int:
    """How many chunks there are, in all groups."""
    return int(tx.conn.execute("SELECT count(*) FROM chunk").fetchone()[0])


def let_all_wait(tx: Tx) -> None:
    """Let every chunk be read anew; then no name has to be looked for."""
    tx.conn.execute("INSERT OR IGNORE INTO chunk_unread SELECT id FROM chunk")
    tx.conn.execute("DELETE FROM name_unread")


def version(tx: Tx) -> int:
    """A number that rises with every change to what readings are made from."""
    return int(tx.conn.execute("SELECT coalesce(max(id), 0) FROM journal").fetchone()[0])


def first_chunks(tx: Tx, episodes: Sequence[int]) -> set[int]:
    """The chunk with which each of these episodes begins."""
    rows = tx.conn.execute(
        """
        SELECT (SELECT chunk.id FROM chunk WHERE chunk.episode = asked.value ORDER BY place, chunk.id LIMIT 1)
        FROM json_each(?) AS asked
        """,
        (json.dumps(list(episodes)),),
    )
    return {row[0] for row in rows}


def called(tx: Tx, keys: Sequence[str], *, group: str) -> list[tuple[str, str, int, str, str, str]]:
    """The entities of a group by keys of their names and aliases.

    Each with the key, the name or alias as it is written, the row of the entity, its type, its name, and how: name or
    alias.
    """
    rows = tx.conn.execute(
        """
        SELECT asked.value, entity.name, entity.id, entity_type.name, entity.name, 'name'
        FROM json_each(:keys) AS asked
        CROSS JOIN entity ON entity.group_id = :group AND entity.name_key = asked.value
        JOIN entity_type ON entity_type.id = entity.type
        UNION ALL
        SELECT asked.value, alias.alias, entity.id, entity_type.name, entity.name, 'alias'
        FROM json_each(:keys) AS asked
        CROSS JOIN alias ON alias.alias_key = asked.value
        JOIN entity ON entity.id = alias.entity AND +entity.group_id = :group
        JOIN entity_type ON entity_type.id = entity.type
        """,
        {"keys": json.dumps(list(keys), ensure_ascii=False), "group": group},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def beginning(tx: Tx, parts: Sequence[str], *, group: str) -> list[str]:
    """Those of these beginnings with which a name of the group, or any alias, begins: short ones as a whole word."""
    ends = "(length(asked.value) > 2 OR substr({0}, length(asked.value) + 1, 1) NOT GLOB '[a-z0-9]')"
    rows = tx.conn.execute(
        f"""
        SELECT asked.value
        FROM json_each(:parts) AS asked
        WHERE EXISTS (
                SELECT 1 FROM entity
                WHERE group_id = :group AND name_key >= asked.value AND name_key < asked.value || char(1114111)
                  AND {ends.format("name_key")})
           OR EXISTS (
                SELECT 1 FROM alias
                WHERE alias_key >= asked.value AND alias_key < asked.value || char(1114111)
                  AND {ends.format("alias_key")})
        """,
        {"parts": json.dumps(list(parts), ensure_ascii=False), "group": group},
    )
    return [row[0] for row in rows]


def persons_with_word(tx: Tx, match: str, *, group: str, limit: int) -> list[tuple[int, str, str]]:
    """Persons whose name or alias a full-text query finds: the row, the name, and the name or alias that was found."""
    rows = tx.conn.execute(
        """
        SELECT entity.id, entity.name, coalesce(alias.alias, entity.name)
        FROM entity_text
        LEFT JOIN alias ON entity_text.rowid % 2 = 1 AND alias.id = entity_text.rowid / 2
        JOIN entity ON entity.id = iif(entity_text.rowid % 2 = 0, entity_text.rowid / 2, alias.entity)
        JOIN entity_type ON entity_type.id = entity.type
        WHERE entity_text MATCH :match AND entity_type.name = 'person' AND entity.group_id = :group
        LIMIT :limit
        """,
        {"match": match, "group": group, "limit": limit},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def row_of(tx: Tx, public_id: str) -> int | None:
    """The row of an entity of the group by its id, or by the id of one that was merged into it."""
    row = tx.conn.execute(
        """
        SELECT id FROM entity WHERE public_id = :id AND +group_id = :group
        UNION ALL
        SELECT entity.id FROM former_id JOIN entity ON entity.id = former_id.entity
        WHERE former_id.public_id = :id AND +entity.group_id = :group
        LIMIT 1
        """,
        {"id": public_id, "group": tx.group},
    ).fetchone()
    return row[0] if row else None


def forget_waiting(tx: Tx, chunks: Sequence[int]) -> None:
    """Let chunks that are no longer there wait no longer."""
    tx.conn.executemany("DELETE FROM chunk_unread WHERE chunk = ?", [(row,) for row in chunks])


def count_unread(tx: Tx, chunks: Sequence[int]) -> int:
    """How many of these chunks wait to be read."""
    row = tx.conn.execute(
        "SELECT count(*) FROM chunk_unread WHERE chunk IN (SELECT value FROM json_each(?))", (json.dumps(list(chunks)),)
    ).fetchone()
    return int(row[0])
