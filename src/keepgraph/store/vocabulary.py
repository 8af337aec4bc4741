"""SQL for the vocabulary: the allowed entity types and predicates."""

from __future__ import annotations

from keepgraph.model import VocabularyTerm
from keepgraph.store.transactions import Tx

ENTITY_TYPE = "entity_type"
PREDICATE = "predicate"
KINDS = (ENTITY_TYPE, PREDICATE)
_TABLES = {ENTITY_TYPE: "entity_type", PREDICATE: "predicate"}


def find(tx: Tx, kind: str, name: str) -> int | None:
    """The row of an entity type or a predicate, or None if the vocabulary lacks it."""
    if (kind, name) not in tx.memo:
        row = tx.conn.execute(f"SELECT id FROM {_TABLES[kind]} WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        tx.memo[kind, name] = row[0]
    return int(tx.memo[kind, name])


def terms(tx: Tx, kind: str) -> list[VocabularyTerm]:
    """All entity types or all predicates, in the order of their rows."""
    rows = tx.conn.execute(f"SELECT id, name, description, version FROM {_TABLES[kind]} ORDER BY id")
    return [VocabularyTerm(row=row[0], kind=kind, name=row[1], description=row[2], version=row[3]) for row in rows]
