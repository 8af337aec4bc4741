"""SQL for identifiers of documents that entities have as properties or as literals: URLs, DOIs, arXiv ids, ISBNs."""

from __future__ import annotations

from keepgraph.store import facts
from keepgraph.store.transactions import Tx


def with_letters(tx: Tx, letters: str, *, limit: int) -> list[tuple[int, str, str]]:
    """Properties and literals of the group that contain these letters, whatever their case, spaces and hyphens.

    Reads every property and every literal, because no index covers parts of them.

    Args:
        letters: in lower case, without spaces and hyphens.

    Returns:
        The row of the entity, the name of the property or predicate, and the text.
    """
    rows = tx.conn.execute(
        f"""
        SELECT entity.id, property.key, property.atom
        FROM entity, json_tree(entity.properties) AS property
        WHERE entity.group_id = :group
          AND entity.properties <> '{{}}'
          AND instr(replace(replace(lower(entity.properties), '-', ''), ' ', ''), :letters)
          AND property.type = 'text'
        UNION ALL
        SELECT * FROM (
            SELECT fact.subject, predicate.name, fact.literal
            FROM {facts.table_as_known(tx)}
            JOIN predicate ON predicate.id = fact.predicate
            JOIN entity ON entity.id = fact.subject
            WHERE fact.literal IS NOT NULL
              AND fact.retracted_at IS NULL
              AND instr(replace(replace(lower(fact.literal), '-', ''), ' ', ''), :letters)
              AND +entity.group_id = :group
        )
        LIMIT +:limit
        """,
        {"letters": letters, "group": tx.group, "limit": limit, "known": tx.known_at},
    )
    return [(row, str(key), text) for row, key, text in rows]
