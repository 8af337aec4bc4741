"""SQL for two entities: how connected each is, what they have in common, and the facts between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keepgraph.model import Entity
from keepgraph.store.connections import json_array
from keepgraph.store.schema_parts import HOLDS
from keepgraph.store.transactions import Tx


def degree(tx: Tx, entity: Entity, *, limit: int) -> int:
    """How many facts that hold connect an entity with others, counted up to a limit."""
    return tx.number(
        f"""
        SELECT count(*) FROM (
            SELECT 1 FROM fact
            WHERE subject = :entity AND object IS NOT NULL AND {HOLDS}
            UNION ALL
            SELECT 1 FROM fact
            WHERE object = :entity AND object IS NOT NULL AND {HOLDS}
            LIMIT +:limit
        )
        """,
        {"entity": entity.row, "at": tx.at, "limit": limit},
    )


def neighbours(tx: Tx, entity: Entity, *, limit: int) -> set[int]:
    """The entities that facts connect with an entity now, by row, up to a limit."""
    return tx.distinct(
        f"""
        SELECT object FROM fact
        WHERE subject = :entity AND object IS NOT NULL AND {HOLDS}
        UNION
        SELECT subject FROM fact
        WHERE object = :entity AND object IS NOT NULL AND {HOLDS}
        LIMIT +:limit
        """,
        {"entity": entity.row, "at": tx.at, "limit": limit},
    ) - {entity.row}


def are_neighbours(tx: Tx, entity: Entity, others: Sequence[int]) -> set[int]:
    """Those of some entities that facts connect with an entity now, by row."""
    return tx.distinct(
        f"""
        SELECT object FROM fact
        WHERE subject = :entity AND object IN (SELECT value FROM json_each(:others)) AND object IS NOT NULL
          AND {HOLDS}
        UNION
        SELECT subject FROM fact
        WHERE object = :entity AND subject IN (SELECT value FROM json_each(:others)) AND object IS NOT NULL
          AND {HOLDS}
        """,
        {"entity": entity.row, "others": json_array(others), "at": tx.at},
    )


def facts_between_two(tx: Tx, entity: Entity, other: Entity, *, limit: int) -> list[int]:
    """The facts between two entities that are not retracted, in either direction, by row, newest first."""
    return _rows(
        tx,
        """
        SELECT id FROM fact
        WHERE subject = :entity AND object = :other AND object IS NOT NULL AND retracted_at IS NULL
        UNION
        SELECT id FROM fact
        WHERE subject = :other AND object = :entity AND object IS NOT NULL AND retracted_at IS NULL
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"entity": entity.row, "other": other.row, "limit": limit},
    )


def literal_facts(tx: Tx, entity: Entity, literal: str, *, limit: int) -> list[int]:
    """The facts of an entity with a literal that are not retracted, by row, newest first."""
    return _rows(
        tx,
        """
        SELECT id FROM fact
        WHERE literal = :literal AND literal IS NOT NULL AND subject = :entity AND retracted_at IS NULL
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"entity": entity.row, "literal": literal, "limit": limit},
    )


def _rows(tx: Tx, query: str, values: dict[str, Any]) -> list[int]:
    return [row[0] for row in tx.conn.execute(query, values)]
