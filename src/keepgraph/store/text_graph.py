"""SQL for the graph of entities, proposed names and chunks: the facts and mentions around some of them.

Of an entity with very many facts, or of a name in very many texts, only so many are read: a hub costs no more than
others.
"""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph.store.search_filters import CURRENT_FACT, json_array
from keepgraph.store.transactions import Tx

FactEdge = tuple[int, int, int, float]
"""The row numbers of a fact, its subject and its object, and its confidence."""

Mention = tuple[int, int, bool]
"""The row numbers of a chunk and an entity, or that of a proposed name with a minus; whether it is the speaker."""


def facts_of(tx: Tx, entities: Sequence[int], *, at: str, per_entity: int, limit: int) -> list[FactEdge]:
    """The facts between two entities that hold at a timestamp, with one of these as subject or object.

    A fact between two of them comes once for each. They come by entity, in the order that is given.

    Args:
        per_entity: so many of each entity, in each direction.
    """
    # CROSS JOIN keeps the order, so that the limit cuts what belongs to the last entities.
    rows = tx.conn.execute(
        f"""
        SELECT near.id, near.subject, near.object, near.confidence
        FROM json_each(:entities) AS entity
        CROSS JOIN fact AS near ON near.id IN (
            SELECT id FROM (SELECT id FROM fact
                            WHERE subject = entity.value AND object IS NOT NULL AND {CURRENT_FACT} LIMIT +:each)
            UNION ALL
            SELECT id FROM (SELECT id FROM fact
                            WHERE object = entity.value AND object IS NOT NULL AND {CURRENT_FACT} LIMIT +:each)
        )
        WHERE near.subject <> near.object
        LIMIT +:limit
        """,
        {"entities": json_array(entities), "at": at, "each": per_entity, "limit": limit},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def mentions_of(
    tx: Tx, entities: Sequence[int], proposals: Sequence[int], *, per_node: int, limit: int
) -> list[Mention]:
    """The chunks that mention these entities and proposed names, by node, of each the newest chunks first.

    Args:
        per_node: so many of each.
    """
    rows = tx.conn.execute(
        """
        SELECT near.chunk, near.entity, near.how = 'speaker'
        FROM json_each(:entities) AS entity
        CROSS JOIN mention AS near ON near.entity = entity.value AND near.chunk IN (
            SELECT chunk FROM mention WHERE mention.entity = entity.value ORDER BY chunk DESC LIMIT +:each
        )
        LIMIT +:limit
        """,
        {"entities": json_array(entities), "each": per_node, "limit": limit},
    ).fetchall()
    rows += tx.conn.execute(
        """
        SELECT evidence.chunk, -evidence.proposal, 0
        FROM json_each(:proposals) AS proposed
        CROSS JOIN proposal ON proposal.id = proposed.value AND proposal.kind = 'entity'
        CROSS JOIN proposal_evidence AS evidence ON evidence.proposal = proposal.id AND evidence.chunk IN (
            SELECT chunk FROM proposal_evidence AS own WHERE own.proposal = proposed.value
            ORDER BY chunk DESC LIMIT +:each
        )
        LIMIT +:limit
        """,
        {"proposals": json_array(proposals), "each": per_node, "limit": limit},
    ).fetchall()
    return rows  # type: ignore[no-any-return]


def mentions_in(tx: Tx, chunks: Sequence[int], *, per_chunk: int, limit: int) -> list[Mention]:
    """What these chunks mention: entities and proposed names, by chunk, in the order that is given.

    Args:
        per_chunk: so many entities, and so many proposed names, of each.
    """
    rows = tx.conn.execute(
        """
        SELECT near.chunk, near.entity, near.how = 'speaker'
        FROM json_each(:chunks) AS text
        CROSS JOIN mention AS near ON near.chunk = text.value AND near.entity IN (
            SELECT entity FROM mention WHERE mention.chunk = text.value LIMIT +:each
        )
        LIMIT +:limit
        """,
        {"chunks": json_array(chunks), "each": per_chunk, "limit": limit},
    ).fetchall()
    rows += tx.conn.execute(
        """
        SELECT near.chunk, -near.proposal, 0
        FROM json_each(:chunks) AS text
        CROSS JOIN proposal_evidence AS near ON near.chunk = text.value AND near.proposal IN (
            SELECT proposal FROM proposal_evidence AS own WHERE own.chunk = text.value LIMIT +:each
        )
        CROSS JOIN proposal ON proposal.id = near.proposal AND proposal.kind = 'entity'
        LIMIT +:limit
        """,
        {"chunks": json_array(chunks), "each": per_chunk, "limit": limit},
    ).fetchall()
    return rows  # type: ignore[no-any-return]
