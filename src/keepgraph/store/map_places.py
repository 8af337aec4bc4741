"""SQL for the map: the places of entities on it, and what there is to place."""

from __future__ import annotations

from collections.abc import Iterable

from keepgraph.store.transactions import Tx

Place = tuple[int, float, float]
"""The row number of an entity, and its coordinates."""


def any_missing(tx: Tx) -> bool:
    """Whether an entity of the group has no place."""
    row = tx.conn.execute(
        """
        SELECT 1 FROM entity
        WHERE group_id = ? AND NOT EXISTS (SELECT 1 FROM map_place WHERE map_place.entity = entity.id)
        LIMIT 1
        """,
        (tx.group,),
    ).fetchone()
    return row is not None


def of_group(tx: Tx) -> list[Place]:
    """The places of the entities of the group, by row."""
    return tx.rows(
        """
        SELECT map_place.entity, map_place.x, map_place.y
        FROM map_place JOIN entity ON entity.id = map_place.entity
        WHERE entity.group_id = ?
        ORDER BY map_place.entity
        """,
        (tx.group,),
    )


def entities(tx: Tx) -> list[tuple[int, str, str, str]]:
    """The entities of the group, by row: row, public id, name, type."""
    return tx.rows(
        """
        SELECT entity.id, entity.public_id, entity.name, entity_type.name
        FROM entity JOIN entity_type ON entity_type.id = entity.type
        WHERE entity.group_id = ?
        ORDER BY entity.id
        """,
        (tx.group,),
    )


def replace(tx: Tx, places: Iterable[Place]) -> None:
    """Store the places of entities; those deleted meanwhile get none."""
    tx.conn.executemany(
        "INSERT OR REPLACE INTO map_place (entity, x, y) SELECT id, ?2, ?3 FROM entity WHERE id = ?1", places
    )
