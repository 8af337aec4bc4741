"""SQL for identifiers that entities have as names, aliases, literals or properties: e-mail addresses, DOIs, URLs."""

from __future__ import annotations

from collections.abc import Collection

from keepgraph.model import Entity
from keepgraph.store import facts
from keepgraph.store.entities import SELECT_ENTITIES, read_entities
from keepgraph.store.transactions import Tx


def bearers(tx: Tx, identifier: str) -> list[Entity]:
    """The entities of the group whose name, alias or current literal of a kind for identifiers is exactly this one.

    Args:
        identifier: in its canonical spelling, in lower case.
    """
    return read_entities(
        tx,
        f"""
        {SELECT_ENTITIES}
        WHERE entity.id IN (
                SELECT entity FROM alias WHERE alias_key = :identifier
                UNION ALL
                SELECT id FROM entity WHERE group_id = :group AND name_key = :identifier
                UNION ALL
                SELECT fact.subject
                FROM fact
                JOIN predicate ON predicate.id = fact.predicate
                WHERE fact.literal = :identifier
                  AND fact.retracted_at IS NULL
                  AND fact.valid_to = '~'
                  AND predicate.literal_kind IN ('identifier', 'url')
              )
          AND +entity.group_id = :group
        ORDER BY entity.id
        """,
        {"identifier": identifier, "group": tx.group},
    )


def bearer(tx: Tx, identifier: str, *, of_types: Collection[str] | None) -> Entity | None:
    """The only one of the bearers that has one of these types (None: any type)."""
    fitting = [entity for entity in bearers(tx, identifier) if of_types is None or entity.type in of_types]
    return fitting[0] if len(fitting) == 1 else None


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
