"""SQL for a part of the graph as columns: its facts with their times and sources, its names, and texts about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from keepgraph.store.search_filters import json_array
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
    """A text, from its beginning to as many characters as were asked for."""

    row: int
    name: str
    kind: str
    at: str
    text: str


def facts(tx: Tx, entities: Sequence[int], *, at: str | None, limit: int) -> list[FactRow]:
    """The facts that are not retracted, with their subjects and objects among some entities, in the order of rows.

    Args:
        at: those that hold at this timestamp; None is whenever they hold.
    """
    rows = tx.conn.execute(
        """
        SELECT subject, predicate, object, literal, nullif(valid_from, ''), nullif(valid_to, '~'), recorded_at,
               (SELECT source FROM provenance
                WHERE provenance.fact = fact.id AND source IS NOT NULL
                ORDER BY provenance.recorded_at, provenance.id LIMIT 1)
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
    return dict(tx.conn.execute("SELECT id, name FROM predicate").fetchall())


def aliases(tx: Tx, entities: Sequence[int]) -> list[tuple[int, str]]:
    """The other names of some entities, with the rows of these."""
    rows = tx.conn.execute(
        "SELECT entity, alias FROM alias WHERE entity IN (SELECT value FROM json_each(?)) ORDER BY entity, id",
        (json_array(entities),),
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def summaries(tx: Tx, entities: Sequence[int]) -> list[tuple[int, str]]:
    """The summaries of some entities, of those that have one, with the rows of these."""
    rows = tx.conn.execute(
        """
        SELECT id, summary FROM entity
        WHERE summary <> '' AND id IN (SELECT value FROM json_each(?))
        ORDER BY id
        """,
        (json_array(entities),),
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def texts_about(tx: Tx, entities: Sequence[int], *, characters: int, limit: int) -> list[TextRow]:
    """The newest texts of the group that mention some of these entities, each cut after so many characters."""
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
    rows = tx.conn.execute(
        """
        SELECT DISTINCT chunk.episode, mention.entity
        FROM chunk JOIN mention ON mention.chunk = chunk.id
        WHERE chunk.episode IN (SELECT value FROM json_each(?))
        ORDER BY chunk.episode, mention.entity
        """,
        (json_array(texts),),
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def changed_facts(tx: Tx, column: str, *, since: str, until: str, limit: int) -> list[int]:
    """The rows of the facts of the group that are not retracted, with a timestamp in a span, newest first.

    Args:
        column: valid_from, valid_to or recorded_at.
        since: not in the span itself.
        until: the end of it.
    """
    if column not in ("valid_from", "valid_to", "recorded_at"):
        raise ValueError(column)
    rows = tx.conn.execute(
        f"""
        SELECT fact.id FROM fact JOIN entity ON entity.id = fact.subject
        WHERE fact.{column} > :since AND fact.{column} <= :until AND fact.{column} <> '~'
          AND fact.retracted_at IS NULL AND entity.group_id = :group
        ORDER BY fact.{column} DESC, fact.id DESC
        LIMIT +:limit
        """,
        {"since": since, "until": until, "group": tx.group, "limit": limit},
    )
    return [row[0] for row in rows]
