"""SQL for the lookups of mention detection: entities by the words of a text, and chunks by the words of a name."""

from __future__ import annotations

import json
from collections.abc import Sequence

from keepgraph.store.transactions import Tx


def entities_by_keys(tx: Tx, keys: Sequence[str], *, group: str) -> list[tuple[str, str, int, str, str, str]]:
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


def prefixes_of_names(tx: Tx, prefixes: Sequence[str], *, group: str) -> list[str]:
    """Those prefixes with which a name of the group or any alias begins; one of up to two letters as a whole word."""
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
        {"parts": json.dumps(list(prefixes), ensure_ascii=False), "group": group},
    )
    return [row[0] for row in rows]


def entities_with_word(
    tx: Tx, match: str, *, of_types: Sequence[str], group: str, limit: int
) -> list[tuple[int, str, str, str]]:
    """The entities of these types whose name or alias a full-text query matches.

    Each with its row, its type, its name, and the name or alias that matched.
    """
    rows = tx.conn.execute(
        """
        SELECT entity.id, entity_type.name, entity.name, coalesce(alias.alias, entity.name)
        FROM entity_text
        LEFT JOIN alias ON entity_text.rowid % 2 = 1 AND alias.id = entity_text.rowid / 2
        JOIN entity ON entity.id = iif(entity_text.rowid % 2 = 0, entity_text.rowid / 2, alias.entity)
        JOIN entity_type ON entity_type.id = entity.type
        WHERE entity_text MATCH :match
          AND entity_type.name IN (SELECT value FROM json_each(:types))
          AND entity.group_id = :group
        LIMIT +:limit
        """,
        {"match": match, "types": json.dumps(list(of_types)), "group": group, "limit": limit},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def entity_row(tx: Tx, public_id: str) -> int | None:
    """The row of the entity of the group with this public id or former id."""
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


def chunks_with_words(tx: Tx, match: str, *, group: str, limit: int, spelled: Sequence[str] = ()) -> list[int]:
    """The chunks of a group that a full-text query matches, in their text or in the name of their episode.

    Args:
        spelled: only chunks with one of these, case-sensitive, in their text or in the name of their episode.
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
        LIMIT +:limit
        """,
        {"match": match, "group": group, "limit": limit, "spelled": json.dumps(list(spelled), ensure_ascii=False)},
    )
    return [row[0] for row in rows]


def chunks_with_letters(tx: Tx, letters: str, *, group: str, limit: int) -> list[int]:
    """The chunks of a group that contain this text: a full scan, for scripts without spaces between words."""
    rows = tx.conn.execute(
        """
        SELECT chunk.id
        FROM chunk JOIN episode ON episode.id = chunk.episode
        WHERE instr(chunk.text, ?) > 0 AND episode.group_id = ?
        LIMIT +?
        """,
        (letters, group, limit),
    )
    return [row[0] for row in rows]
