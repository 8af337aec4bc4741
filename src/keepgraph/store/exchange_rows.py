"""Row types of whole graphs, as an export writes and an import reads them, and queries for many owners at once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from keepgraph.store.transactions import Tx

NameKey = tuple[str, str, str]
"""The identity of an entity's name: group, entity type, and normalisation key of the name."""


class EntityRow(NamedTuple):
    """An entity as it is stored; `properties` is JSON."""

    row: int
    id: str
    group: str
    type: str
    name: str
    key: str
    summary: str
    properties: str
    created_at: str


class EpisodeRow(NamedTuple):
    """An episode as it is stored, without its text."""

    row: int
    id: str
    group: str
    kind: str
    name: str
    source: str
    digest: str
    occurred_at: str
    recorded_at: str
    session: str | None


class ChunkRow(NamedTuple):
    """A chunk as it is stored, without what is derived from its text; `annotations` is JSON."""

    place: int
    text: str
    heading: str
    speaker: str | None
    annotations: str


class FactRow(NamedTuple):
    """A fact as it is stored, with row numbers of its subject, predicate and object; None: an open validity."""

    row: int
    id: str
    subject: int
    predicate: int
    object: int | None
    literal: str | None
    text: str
    confidence: float
    recorded_at: str
    valid_from: str | None
    valid_to: str | None
    retracted_at: str | None
    known_from: str | None


class FactExportRow(NamedTuple):
    """A fact with the public ids of its subject and object, and the name of its predicate."""

    row: int
    id: str
    subject: str
    predicate: str
    object: str | None
    literal: str | None
    text: str
    confidence: float
    recorded_at: str
    valid_from: str | None
    valid_to: str | None
    retracted_at: str | None
    known_from: str | None


class Validity(NamedTuple):
    """An earlier validity of a fact, and when it was believed. The field names are keys of the export."""

    valid_from: str | None
    valid_to: str | None
    known_from: str
    known_to: str


class Assertion(NamedTuple):
    """One assertion of a fact; `episode` is the public id of the episode that it comes from."""

    source: str | None
    confidence: float
    recorded_at: str
    session: str | None
    tool: str
    episode: str | None


SELECT_ENTITY = """
    SELECT entity.id, entity.public_id, entity.group_id, entity_type.name, entity.name, entity.name_key,
           entity.summary, entity.properties, entity.created_at
"""
SELECT_FROM_ENTITY = f"{SELECT_ENTITY} FROM entity JOIN entity_type ON entity_type.id = entity.type"

FACT_COLUMNS = """
    fact.literal, fact.text, fact.confidence, fact.recorded_at,
    nullif(fact.valid_from, ''), nullif(fact.valid_to, '~'), fact.retracted_at, nullif(fact.known_from, '')
"""

ASSERTION_COLUMNS = """
    provenance.source, provenance.confidence, provenance.recorded_at, provenance.session, provenance.tool,
    (SELECT public_id FROM episode WHERE episode.id = provenance.episode)
"""

SELECT_FROM_EPISODE = """
    SELECT id, public_id, group_id, kind, name, source, digest, occurred_at, recorded_at, session
    FROM episode
"""


def chunks(tx: Tx, episode: int) -> list[ChunkRow]:
    """The chunks of an episode, ordered by place."""
    rows = tx.conn.execute(
        "SELECT place, text, heading, speaker, named FROM chunk WHERE episode = ? ORDER BY place, id", (episode,)
    )
    return [ChunkRow(*row) for row in rows]


def earlier_validities(tx: Tx, rows: Iterable[int]) -> dict[int, list[Validity]]:
    """The earlier validities of facts by fact row, the oldest first."""
    by_fact = group_by_owner(
        tx,
        """
        SELECT fact, nullif(valid_from, ''), nullif(valid_to, '~'), known_from, known_to
        FROM earlier_validity
        WHERE fact IN (SELECT value FROM json_each(?))
        ORDER BY fact, known_from, known_to, valid_from, valid_to
        """,
        rows,
    )
    return {fact: [Validity(*row) for row in validities] for fact, validities in by_fact.items()}


def assertions(tx: Tx, rows: Iterable[int]) -> dict[int, list[tuple[int, Assertion]]]:
    """Every assertion of some facts by fact row, each with its own row, in the order in which they were made."""
    by_fact = group_by_owner(
        tx,
        f"""
        SELECT fact, id, {ASSERTION_COLUMNS}
        FROM provenance
        WHERE fact IN (SELECT value FROM json_each(?))
        ORDER BY fact, recorded_at, id
        """,
        rows,
    )
    return {fact: [(row, Assertion(*columns)) for row, *columns in fact_rows] for fact, fact_rows in by_fact.items()}


def group_by_owner(tx: Tx, query: str, rows: Iterable[int]) -> dict[int, list[Any]]:
    """The rows of a query with one JSON parameter, grouped by the first column, which is dropped."""
    by_owner: dict[int, list[Any]] = {}
    for owner, *columns in tx.conn.execute(query, (to_json_list(rows),)):
        by_owner.setdefault(owner, []).append(tuple(columns))
    return by_owner


def to_json_list(values: Iterable[Any]) -> str:
    return json.dumps(list(values), ensure_ascii=False)
