"""SQL for a part of the graph as columns: its facts with their times and sources, its names, and texts about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from keepgraph.store.connections import json_array
from keepgraph.store.migrations import FACT_HOLDS, SOURCE_OF
from keepgraph.store.transactions import Tx


class FactRow(NamedTuple):
    """A fact: rows of its subject, predicate and object, its literal, its times, and who said it first."""

    subject: int
    predicate: int
    object: int | None
    literal: str | None
    valid_from: str | None
    valid_to: str | None
    recorded_at: str
    source: str | None


class TextRow(NamedTuple):
    """A text, cut to the requested number of characters."""

    row: int
    name: str
    kind: str
    at: str
    text: str


def facts(tx: Tx, entities: Sequence[int], *, at: str | None, limit: int) -> list[FactRow]:
    """The unretracted facts with subjects and objects among some entities, by row.

    Args:
        at: only those that hold at this timestamp; None is all.
    """
    rows = tx.conn.execute(
        f"""
        SELECT subject, predicate, object, literal, nullif(valid_from, ''), nullif(valid_to, '~'), recorded_at,
               {SOURCE_OF.format(row="fact")}
        FROM fact
        WHERE retracted_at IS NULL
          AND subject IN (SELECT value FROM json_each(:entities))
          AND (object IS NULL OR object IN (SELECT value FROM json_each(:entities)))
          AND (:at IS NULL OR (valid_from <= :at AND :at < valid_to))
        ORDER BY subject, id
        LIMIT +:limit
        """,
        {"entities": json_array(entities), "at": at, "limit": limit},
    )
    return [FactRow(*row) for row in rows]


def predicate_names(tx: Tx) -> dict[int, str]:
    """The names of all predicates, by their row numbers."""
    return tx.mapping("SELECT id, name FROM predicate")


def aliases(tx: Tx, entities: Sequence[int]) -> list[tuple[int, str]]:
    """The other names of some entities, with the rows of the entities."""
    return tx.rows(
        "SELECT entity, alias FROM alias WHERE entity IN (SELECT value FROM json_each(?)) ORDER BY entity, id",
        (json_array(entities),),
    )


def summaries(tx: Tx, entities: Sequence[int]) -> list[tuple[int, str]]:
    """The summaries of some entities, if they have one, with the rows of the entities."""
    return tx.rows(
        """
        SELECT id, summary FROM entity
        WHERE summary <> '' AND id IN (SELECT value FROM json_each(?))
        ORDER BY id
        """,
        (json_array(entities),),
    )


def texts_about(tx: Tx, entities: Sequence[int], *, characters: int, limit: int) -> list[TextRow]:
    """The newest texts of the group that mention some of these entities, each cut to a number of characters."""
    rows = tx.conn.execute(
        """
        SELECT id, name, kind, occurred_at,
               substr((SELECT group_concat(text, '') FROM (SELECT text FROM chunk
                                                           WHERE episode = episode_.id ORDER BY place)), 1, :characters)
        FROM episode AS episode_
        WHERE group_id = :group
          AND EXISTS (SELECT 1 FROM chunk JOIN mention ON mention.chunk = chunk.id
                      WHERE chunk.episode = episode_.id
                        AND mention.entity IN (SELECT value FROM json_each(:entities)))
        ORDER BY occurred_at DESC, id DESC
        LIMIT +:limit
        """,
        {"group": tx.group, "entities": json_array(entities), "characters": characters, "limit": limit},
    )
    return [TextRow(*row) for row in rows]


def mentions_in(tx: Tx, texts: Sequence[int]) -> list[tuple[int, int]]:
    """Which entities some texts mention: rows of the text and of the entity, each pair once."""
    return tx.rows(
        """
        SELECT DISTINCT chunk.episode, mention.entity
        FROM chunk JOIN mention ON mention.chunk = chunk.id
        WHERE chunk.episode IN (SELECT value FROM json_each(?))
        ORDER BY chunk.episode, mention.entity
        """,
        (json_array(texts),),
    )


def changed_facts(tx: Tx, column: str, *, since: str, until: str, limit: int) -> list[int]:
    """The rows of the unretracted facts of the group with a timestamp in a span, newest first.

    Args:
        column: valid_from, valid_to or recorded_at.
        since: the start of the span, not included.
        until: its end.
    """
    if column not in ("valid_from", "valid_to", "recorded_at"):
        raise ValueError(column)
    return tx.column(
        f"""
        SELECT fact.id FROM fact JOIN entity ON entity.id = fact.subject
        WHERE fact.{column} > :since AND fact.{column} <= :until AND fact.{column} <> '~'
          AND fact.retracted_at IS NULL AND entity.group_id = :group
        ORDER BY fact.{column} DESC, fact.id DESC
        LIMIT +:limit
        """,
        {"since": since, "until": until, "group": tx.group, "limit": limit},
    )


# SQL for the graph of entities, proposed names and chunks: the facts and mentions around some of them.
#
# Of an entity with very many facts, or of a name in very many texts, only a limited number is read: a hub costs no
# more than others.

FactEdge = tuple[int, int, int, float]
"""The row numbers of a fact, its subject and its object, and its confidence."""

Mention = tuple[int, int, bool]
"""The row numbers of a chunk and an entity, or minus that of a proposed name; whether it is the speaker."""


def facts_of(tx: Tx, entities: Sequence[int], *, per_entity: int, limit: int) -> list[FactEdge]:
    """The facts between two entities that hold, with one of these as subject or object.

    A fact between two of them comes once for each. They are ordered by entity, as given.

    Args:
        per_entity: the limit for each entity, in each direction.
    """
    # CROSS JOIN keeps the order, so that the limit cuts what belongs to the last entities.
    return tx.rows(
        f"""
        SELECT near.id, near.subject, near.object, near.confidence
        FROM json_each(:entities) AS entity
        CROSS JOIN fact AS near ON near.id IN (
            SELECT id FROM (SELECT id FROM fact
                            WHERE subject = entity.value AND object IS NOT NULL AND {FACT_HOLDS} LIMIT +:each)
            UNION ALL
            SELECT id FROM (SELECT id FROM fact
                            WHERE object = entity.value AND object IS NOT NULL AND {FACT_HOLDS} LIMIT +:each)
        )
        WHERE near.subject <> near.object
        LIMIT +:limit
        """,
        {"entities": json_array(entities), "at": tx.at, "each": per_entity, "limit": limit},
    )


def mentions_of(
    tx: Tx, entities: Sequence[int], proposals: Sequence[int], *, per_node: int, limit: int
) -> list[Mention]:
    """The chunks that mention these entities and proposed names, by node, newest chunks first for each.

    Args:
        per_node: the limit for each.
    """
    rows = tx.rows(
        """
        SELECT near.chunk, near.entity, near.how = 'speaker'
        FROM json_each(:entities) AS entity
        CROSS JOIN mention AS near ON near.entity = entity.value AND near.chunk IN (
            SELECT chunk FROM mention WHERE mention.entity = entity.value ORDER BY chunk DESC LIMIT +:each
        )
        LIMIT +:limit
        """,
        {"entities": json_array(entities), "each": per_node, "limit": limit},
    )
    rows += tx.rows(
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
    )
    return rows


def text_mentions_in(tx: Tx, chunks: Sequence[int], *, per_chunk: int, limit: int) -> list[Mention]:
    """What these chunks mention: entities and proposed names, by chunk, in the given order.

    Args:
        per_chunk: the limit of entities, and of proposed names, for each.
    """
    rows = tx.rows(
        """
        SELECT near.chunk, near.entity, near.how = 'speaker'
        FROM json_each(:chunks) AS text
        CROSS JOIN mention AS near ON near.chunk = text.value AND near.entity IN (
            SELECT entity FROM mention WHERE mention.chunk = text.value LIMIT +:each
        )
        LIMIT +:limit
        """,
        {"chunks": json_array(chunks), "each": per_chunk, "limit": limit},
    )
    rows += tx.rows(
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
    )
    return rows
