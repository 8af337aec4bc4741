"""SQL for the types that entities were given because nobody said what they are."""

from __future__ import annotations

import json
from collections.abc import Collection

from keepgraph.store.transactions import Tx


def among(tx: Tx, entities: Collection[int]) -> set[int]:
    """Of these entities, by row, those whose type is assumed."""
    rows = tx.conn.execute(
        "SELECT id FROM assumed_type WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(entities)),)
    )
    return {row[0] for row in rows}


def mark(tx: Tx, entities: Collection[int]) -> None:
    """Note that the types of these entities, by row, are assumed."""
    tx.conn.executemany("INSERT INTO assumed_type (id) VALUES (?) ON CONFLICT DO NOTHING", [(row,) for row in entities])


def replace(tx: Tx, entity: int, *, type_row: int, is_assumed: bool) -> None:
    """Give an entity whose type is assumed another one, which may be assumed as well."""
    tx.conn.execute("UPDATE entity SET type = ? WHERE id = ?", (type_row, entity))
    if not is_assumed:
        tx.conn.execute("DELETE FROM assumed_type WHERE id = ?", (entity,))
