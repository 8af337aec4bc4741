"""SQL for the overview of a graph: what is newest in it, found without reading all of it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from keepgraph.model import Entity
from keepgraph.store import entities
from keepgraph.store.proposals import UNDECIDED
from keepgraph.store.transactions import Tx


def newest_facts(tx: Tx, *, at: str, scanned: int, limit: int) -> list[int]:
    """The rows of the facts of the group that were recorded last and hold, newest first, of so many of all groups."""
    rows = tx.conn.execute(
        """
        SELECT newest.id
        FROM (SELECT id, subject, valid_from, valid_to, retracted_at, recorded_at FROM fact
              ORDER BY recorded_at DESC, id DESC LIMIT +:scanned) AS newest
        CROSS JOIN entity AS s ON s.id = newest.subject
        WHERE newest.retracted_at IS NULL AND newest.valid_from <= :at AND :at < newest.valid_to
          AND s.group_id = :group
        ORDER BY newest.recorded_at DESC, newest.id DESC
        LIMIT +:limit
        """,
        {"at": at, "scanned": scanned, "limit": limit, "group": tx.group},
    )
    return [row[0] for row in rows]


def newest_fact_by_entity(tx: Tx, types: Sequence[str], *, at: str, scanned: int, limit: int) -> list[tuple[int, int]]:
    """The entities of these types with the newest facts, and the newest of each that holds, both by row.

    Only so many of the newest facts of all groups are looked at.
    """
    rows = tx.conn.execute(
        """
        WITH newest AS MATERIALIZED (
            SELECT id, subject, object, valid_from, valid_to, recorded_at FROM fact
            WHERE retracted_at IS NULL
            ORDER BY recorded_at DESC, id DESC LIMIT +:scanned
        ),
        ends AS (
            SELECT subject AS end, id, recorded_at FROM newest WHERE valid_from <= :at AND :at < valid_to
            UNION ALL
            SELECT object, id, recorded_at FROM newest
            WHERE valid_from <= :at AND :at < valid_to AND object IS NOT NULL
        )
        SELECT entity.id, ends.id, max(ends.recorded_at || printf('%020d', ends.id)) AS newest_of_entity
        FROM ends
        CROSS JOIN entity ON entity.id = ends.end
        WHERE entity.group_id = :group
          AND entity.type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:types)))
        GROUP BY entity.id
        ORDER BY newest_of_entity DESC
        LIMIT +:limit
        """,
        {"types": json.dumps(list(types)), "at": at, "scanned": scanned, "limit": limit, "group": tx.group},
    )
    return [(entity, fact) for entity, fact, _ in rows]


def newest_entities(tx: Tx, types: Sequence[str], *, limit: int) -> list[Entity]:
    """The entities of these types that came last, newest first."""
    rows = tx.conn.execute(
        """
        SELECT id FROM entity
        WHERE type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:types)))
          AND group_id = :group
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"types": json.dumps(list(types)), "group": tx.group, "limit": limit},
    )
    numbers = [row[0] for row in rows]
    found = entities.by_rows(tx, numbers)
    return [found[number] for number in numbers]


def newest_rows_of_predicates(tx: Tx, predicates: Sequence[str], *, limit: int) -> tuple[list[tuple[int, int]], int]:
    """The facts of these predicates that were recorded last, as rows of fact and subject; and how many there are."""
    condition = """
        predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:names)))
        AND retracted_at IS NULL
    """
    values = {"names": json.dumps(list(predicates)), "limit": limit}
    total = tx.conn.execute(f"SELECT count(*) FROM fact WHERE {condition}", values).fetchone()[0]
    rows = tx.conn.execute(f"SELECT id, subject FROM fact WHERE {condition} ORDER BY id DESC LIMIT +:limit", values)
    return rows.fetchall(), int(total)


def count_proposed_names(tx: Tx) -> int:
    """How many names in texts are proposed as entities."""
    row = tx.conn.execute(
        f"SELECT count(*) FROM proposal WHERE group_id = ? AND kind = 'entity' AND {UNDECIDED}", (tx.group,)
    ).fetchone()
    return int(row[0])
