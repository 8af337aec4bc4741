"""SQL for the assumed types of entities whose type nobody gave."""

from __future__ import annotations

from collections.abc import Collection

from keepgraph.store import derived_tables
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx


def among(tx: Tx, entities: Collection[int]) -> set[int]:
    """Of these entities, by row, those whose type is assumed."""
    rows = tx.conn.execute(
        "SELECT id FROM assumed_type WHERE id IN (SELECT value FROM json_each(?))", (json_array(entities),)
    )
    return {row[0] for row in rows}


def with_property(tx: Tx, name: str) -> list[tuple[str, int, str]]:
    """The entities of all groups with an assumed type and a property with a text: group, row and text."""
    rows = tx.conn.execute(
        """
        SELECT entity.group_id, entity.id, json_extract(entity.properties, '$.' || :name)
        FROM assumed_type
        JOIN entity ON entity.id = assumed_type.id
        WHERE json_type(entity.properties, '$.' || :name) = 'text'
        ORDER BY entity.id
        """,
        {"name": name},
    )
    return [(group, row, text) for group, row, text in rows]


def mark(tx: Tx, entities: Collection[int]) -> None:
    """Mark the types of these entities, by row, as assumed."""
    tx.conn.executemany("INSERT INTO assumed_type (id) VALUES (?) ON CONFLICT DO NOTHING", [(row,) for row in entities])


def unmark(tx: Tx, entity: int) -> None:
    """Mark the type of an entity as given."""
    tx.conn.execute("DELETE FROM assumed_type WHERE id = ?", (entity,))


def replace(tx: Tx, entity: int, *, type_row: int, is_assumed: bool) -> None:
    """Change the assumed type of an entity to another, which may also be assumed."""
    tx.conn.execute("UPDATE entity SET type = ? WHERE id = ?", (type_row, entity))
    derived_tables.requeue_aliases(tx, [entity])
    if not is_assumed:
        unmark(tx, entity)
