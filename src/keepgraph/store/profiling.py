"""Statistics for a profile of a graph: values of properties by type, ends of facts by predicate, samples of both.

A fact is counted if a Cypher query would see it; see `graph_statistics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors
from keepgraph.store import facts, graph_statistics, sqlite_errors
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx

VALUES_FOR_LANGUAGES = 30
"""How many of the oldest values of a property are returned, and of the newest."""

MAX_CHARACTERS = 1000
"""The length of a value; the rest is cut off."""

_UNREADABLE_VALUES = {0, 1}
"""SQLite's result codes for a value that cannot be decoded, and for invalid JSON."""


@dataclass(frozen=True, slots=True)
class PropertyValue:
    """A value of a property: how many entities have it, and its rank among the values, from 1.

    Attributes:
        by_count: its rank by frequency.
        by_age: its rank by the oldest entity that has it.
    """

    key: str
    text: str
    is_text: bool
    count: int
    by_count: int
    by_age: int


@dataclass(frozen=True, slots=True)
class PropertyStatistics:
    """A property of the entities of some types: how many have a non-empty value, and how many differ.

    Attributes:
        average_length: of its texts longer than a given length; None if there is none.
        values: the most frequent, the oldest and the newest, by frequency.
    """

    key: str
    present: int
    distinct: int
    average_length: float | None
    values: tuple[PropertyValue, ...]


@dataclass(frozen=True, slots=True)
class FactEnds:
    """A fact as a path: the names of its ends."""

    id: str
    source: str
    target: str


def properties(tx: Tx, type_rows: Sequence[int], *, top: int, longer_than: int) -> list[PropertyStatistics]:
    """The properties of the entities of these types, those of all entities first; a null and "" are not values.

    Args:
        top: how many of the most frequent values of each to return.
        longer_than: only texts with more characters count in the average length.

    Raises:
        errors.GraphDamaged: a value cannot be read.
    """
    try:
        rows = tx.conn.execute(
            """
            WITH chosen AS (
                SELECT id, name, summary, properties
                FROM entity
                WHERE type IN (SELECT value FROM json_each(:types)) AND group_id = :group
            ),
            value_of AS (
                SELECT id, 0 AS position, 'name' AS key, 'text' AS kind, name AS text FROM chosen
                UNION ALL
                SELECT id, 1, 'summary', 'text', summary FROM chosen WHERE trim(summary) <> ''
                UNION ALL
                SELECT alias.entity, 2, 'aliases', 'text', alias.alias
                FROM chosen JOIN alias ON alias.entity = chosen.id
                UNION ALL
                SELECT chosen.id, 3, property.key, property.type,
                       CASE property.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'
                            ELSE CAST(property.value AS TEXT) END
                FROM chosen, json_each(chosen.properties) AS property
                WHERE chosen.properties <> '{}' AND property.type <> 'null'
                  AND NOT (property.type = 'text' AND trim(property.value) = '')
                  AND property.key NOT IN ('name', 'summary', 'aliases')
            ),
            grouped AS (
                SELECT position, key, kind, text, count(*) AS number, min(id) AS oldest
                FROM value_of
                GROUP BY position, key, kind, text
            ),
            placed AS (
                SELECT position, key, kind = 'text' AS is_text, substr(text, 1, :characters) AS text, number,
                       row_number() OVER (PARTITION BY key ORDER BY number DESC, text, kind) AS by_count,
                       row_number() OVER (PARTITION BY key ORDER BY oldest, text, kind) AS by_age,
                       row_number() OVER (PARTITION BY key ORDER BY oldest DESC, text DESC, kind) AS from_newest,
                       count(*) OVER (PARTITION BY key) AS distinct_values,
                       sum(iif(kind = 'text' AND length(text) > :longer, length(text) * number, 0))
                           OVER (PARTITION BY key) AS characters,
                       sum(iif(kind = 'text' AND length(text) > :longer, number, 0)) OVER (PARTITION BY key) AS texts,
                       sum(number) OVER (PARTITION BY key) AS present
                FROM grouped
            )
            SELECT key, text, is_text, number, by_count, by_age, distinct_values, characters, texts, present
            FROM placed
            WHERE by_count <= :top OR by_age <= :some OR from_newest <= :some
            ORDER BY position, key, by_count
            """,
            {
                "types": json_array(type_rows),
                "group": tx.group,
                "characters": MAX_CHARACTERS,
                "longer": longer_than,
                "top": top,
                "some": VALUES_FOR_LANGUAGES,
            },
        ).fetchall()
        with_alias = _count_with_alias(tx, type_rows)
    except sqlite.Error as error:
        if sqlite_errors.result_code(error) in sqlite_errors.CORRUPT | _UNREADABLE_VALUES:
            raise errors.GraphDamaged(f"a property cannot be read: {error}") from error
        raise
    values_by_key: dict[str, list[PropertyValue]] = {}
    totals: dict[str, tuple[int, int, float | None]] = {}
    for key, text, is_text, number, by_count, by_age, distinct, characters, texts, present in rows:
        values_by_key.setdefault(key, []).append(PropertyValue(key, text, bool(is_text), number, by_count, by_age))
        # An entity has each property once, but may have several aliases.
        totals[key] = (with_alias if key == "aliases" else present, distinct, characters / texts if texts else None)
    return [PropertyStatistics(key, *totals[key], tuple(values)) for key, values in values_by_key.items()]


def literals(tx: Tx, *, top: int, longer_than: int) -> PropertyStatistics | None:
    """The literals of facts that hold, as the property `value` of their nodes; None if there is none."""
    rows = tx.conn.execute(
        f"""
        WITH grouped AS (
            SELECT fact.literal AS text, count(*) AS number, min(fact.id) AS oldest
            FROM {facts.table_as_known(tx)}
            CROSS JOIN entity AS s ON s.id = fact.subject
            WHERE fact.literal IS NOT NULL AND {graph_statistics.HOLDS_IN_GROUP}
            GROUP BY fact.literal
        ),
        placed AS (
            SELECT substr(text, 1, :characters) AS text, number,
                   row_number() OVER (ORDER BY number DESC, text) AS by_count,
                   row_number() OVER (ORDER BY oldest, text) AS by_age,
                   row_number() OVER (ORDER BY oldest DESC, text DESC) AS from_newest,
                   count(*) OVER () AS distinct_values,
                   avg(iif(length(text) > :longer, length(text), NULL)) OVER () AS average_length
            FROM grouped
        )
        SELECT text, number, by_count, by_age, distinct_values, average_length
        FROM placed
        WHERE by_count <= :top OR by_age <= :some OR from_newest <= :some
        ORDER BY by_count
        """,
        {
            "at": tx.at,
            "group": tx.group,
            "known": tx.known_at,
            "characters": MAX_CHARACTERS,
            "longer": longer_than,
            "top": top,
            "some": VALUES_FOR_LANGUAGES,
        },
    ).fetchall()
    if not rows:
        return None
    distinct, average_length = rows[0][4:]
    values = tuple(PropertyValue("value", row[0], True, *row[1:4]) for row in rows)
    return PropertyStatistics("value", distinct, distinct, average_length, values)


def count_ends(tx: Tx, type_rows: Sequence[int] | None = None, *, side: str = "subject") -> dict[int, int]:
    """How many entities are "subject" or "object" of facts that hold, by the row of the predicate.

    Args:
        type_rows: only entities of these types.
    """
    column = {"subject": "fact.subject", "object": "fact.object"}[side]
    of_types = "TRUE" if type_rows is None else "s.type IN (SELECT value FROM json_each(:types))"
    return tx.mapping(
        f"""
        SELECT fact.predicate, count(DISTINCT {column})
        FROM {facts.table_as_known(tx)}
        CROSS JOIN entity AS s ON s.id = {column}
        WHERE {of_types} AND {graph_statistics.HOLDS_IN_GROUP}
        GROUP BY fact.predicate
        """,
        {"at": tx.at, "group": tx.group, "known": tx.known_at, "types": json_array(type_rows or ())},
    )


def sample_facts(tx: Tx, predicate: int, *, limit: int, ends: tuple[int, int | None] | None = None) -> list[FactEnds]:
    """Some facts of a predicate that hold, the first by subject and object.

    Args:
        ends: the types that they connect, by row; None as the second is a literal.
    """
    rows = tx.conn.execute(
        f"""
        SELECT fact.public_id, s.name, coalesce(o.name, fact.literal)
        FROM {facts.table_as_known(tx)}
        CROSS JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
        WHERE fact.predicate = :predicate AND {graph_statistics.HOLDS_IN_GROUP}
          AND (:source IS NULL OR (s.type = :source AND o.type IS :target))
        ORDER BY fact.subject, fact.object, fact.id
        LIMIT +:limit
        """,
        {
            "predicate": predicate,
            "at": tx.at,
            "group": tx.group,
            "known": tx.known_at,
            "limit": limit,
            "source": ends[0] if ends else None,
            "target": ends[1] if ends else None,
        },
    )
    return [FactEnds(*row) for row in rows]


def sample_entities(tx: Tx, type_rows: Sequence[int], *, limit: int) -> list[tuple[str, str, str]]:
    """The id, the type and the name of some entities of these types, oldest first."""
    return tx.rows(
        """
        SELECT entity.public_id, entity_type.name, entity.name
        FROM entity
        JOIN entity_type ON entity_type.id = entity.type
        WHERE entity.type IN (SELECT value FROM json_each(?)) AND entity.group_id = ?
        ORDER BY entity.id
        LIMIT +?
        """,
        (json_array(type_rows), tx.group, limit),
    )


def sample_texts(tx: Tx, *, limit: int, characters: int) -> list[str]:
    """The beginnings of the newest episodes of the group."""
    rows = tx.conn.execute(
        """
        SELECT substr((
            SELECT group_concat(text, '')
            FROM (SELECT text FROM chunk WHERE chunk.episode = episode.id ORDER BY place LIMIT 3)
        ), 1, :characters)
        FROM episode
        WHERE group_id = :group
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"group": tx.group, "limit": limit, "characters": characters},
    )
    return [text for (text,) in rows if text]


def _count_with_alias(tx: Tx, type_rows: Sequence[int]) -> int:
    """How many entities of these types have an alias."""
    return tx.number(
        """
        SELECT count(*)
        FROM entity
        WHERE type IN (SELECT value FROM json_each(?)) AND group_id = ?
          AND EXISTS (SELECT 1 FROM alias WHERE alias.entity = entity.id)
        """,
        (json_array(type_rows), tx.group),
    )
