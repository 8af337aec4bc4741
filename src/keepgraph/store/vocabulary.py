"""The words that are allowed: entity types and predicates, as the database holds them."""

from __future__ import annotations

from keepgraph.model import Word
from keepgraph.store.database import Tx

ENTITY_TYPE = "entity_type"
PREDICATE = "predicate"
KINDS = (ENTITY_TYPE, PREDICATE)
_TABLES = {ENTITY_TYPE: "entity_type", PREDICATE: "predicate"}


def find(tx: Tx, kind: str, name: str) -> int | None:
    """The row number of a word, or None where the vocabulary lacks it."""
    if (kind, name) not in tx.memo:
        row = tx.conn.execute(f"SELECT id FROM {_TABLES[kind]} WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        tx.memo[kind, name] = row[0]
    return int(tx.memo[kind, name])


def words(tx: Tx, kind: str) -> list[Word]:
    """All words of a kind, in the order in which they came in."""
    rows = tx.conn.execute(f"SELECT id, name, description, version FROM {_TABLES[kind]} ORDER BY id")
    return [Word(row=row[0], kind=kind, name=row[1], description=row[2], version=row[3]) for row in rows]
