"""Queries of an export: the whole graph in the order of public ids, all groups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx

# Row types of whole graphs, as an export writes and an import reads them, and queries for many owners at once.

NameKey = tuple[str, str, str]
"""The identity of an entity's name: group, entity type, and normalisation key of the name."""


class EntityRow(NamedTuple):
    """An entity as stored; `properties` is JSON."""

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
    """An episode as stored, without its text."""

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
    pinned: int = 0


class ChunkRow(NamedTuple):
    """A chunk as stored, without what is derived from its text; `annotations` is JSON."""

    place: int
    text: str
    heading: str
    speaker: str | None
    annotations: str


class FactRow(NamedTuple):
    """A fact as stored, with row numbers of its subject, predicate and object; None: an open validity.

    `scope` is JSON.
    """

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
    scope: str = "[]"
    pinned: int = 0


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
    scope: str = "[]"
    pinned: int = 0


class Validity(NamedTuple):
    """An earlier validity of a fact, and when it was believed. The field names are keys of the export."""

    valid_from: str | None
    valid_to: str | None
    known_from: str
    known_to: str


class Assertion(NamedTuple):
    """One assertion of a fact; `episode` is the public id of its episode."""

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
    nullif(fact.valid_from, ''), nullif(fact.valid_to, '~'), fact.retracted_at, nullif(fact.known_from, ''),
    fact.scope, fact.pinned
"""

_ASSERTION_COLUMNS = """
    provenance.source, provenance.confidence, provenance.recorded_at, provenance.session, provenance.tool,
    (SELECT public_id FROM episode WHERE episode.id = provenance.episode)
"""

SELECT_FROM_EPISODE = """
    SELECT id, public_id, group_id, kind, name, source, digest, occurred_at, recorded_at, session, pinned
    FROM episode
"""


def chunks(tx: Tx, episode: int) -> list[ChunkRow]:
    """The chunks of an episode, ordered by place."""
    rows = tx.conn.execute(
        "SELECT place, text, heading, speaker, named FROM chunk WHERE episode = ? ORDER BY place, id", (episode,)
    )
    return [ChunkRow(*row) for row in rows]


def earlier_validities(tx: Tx, rows: Iterable[int]) -> dict[int, list[Validity]]:
    """The earlier validities of facts by fact row, oldest first."""
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
    """Every assertion of some facts by fact row, each with its own row, in chronological order."""
    by_fact = group_by_owner(
        tx,
        f"""
        SELECT fact, id, {_ASSERTION_COLUMNS}
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
    for owner, *columns in tx.conn.execute(query, (json_array(rows),)):
        by_owner.setdefault(owner, []).append(tuple(columns))
    return by_owner


BATCH_ROWS = 1000
"""How many rows are fetched and held in memory at once."""


class AssertionOrder(NamedTuple):
    """The position of an assertion among those with the same timestamp.

    Attributes:
        fact: the public id of its fact.
        nth: its number among the assertions of its fact, from 1; None if the fact has only one.
        previous: the row of the previous assertion of the same fact; None for the first.
    """

    recorded_at: str
    row: int
    fact: str
    nth: int | None
    previous: int | None


class ProposedFactRow(NamedTuple):
    """A proposed fact as an export writes it. The field names are keys of the export."""

    id: str
    group: str
    subject: str
    subject_type: str | None
    wording: str
    object: str
    object_type: str | None
    confidence: float
    source: str | None
    evidence: str
    episode: str | None
    session: str | None
    recorded_at: str
    reason: str


def dismissed_wordings(tx: Tx) -> list[tuple[str, str, str]]:
    """The dismissed wordings of all groups: group, wording, timestamp."""
    return tx.rows("SELECT group_id, wording, dismissed_at FROM dismissed_wording ORDER BY group_id, wording_key")


def proposed_facts(tx: Tx) -> Iterator[ProposedFactRow]:
    """Every proposed fact, ordered by public id."""
    rows = tx.conn.execute(
        """
        SELECT proposed_fact.public_id, proposed_fact.group_id, subject, subject_type, wording, object, object_type,
               confidence, proposed_fact.source, evidence, episode.public_id, proposed_fact.session,
               proposed_fact.recorded_at, reason
        FROM proposed_fact
        LEFT JOIN episode ON episode.id = proposed_fact.episode
        ORDER BY proposed_fact.public_id
        """
    )
    return (ProposedFactRow(*row) for row in rows)


def episodes(tx: Tx) -> Iterator[EpisodeRow]:
    """Every episode, ordered by public id."""
    return (EpisodeRow(*row) for row in tx.conn.execute(f"{SELECT_FROM_EPISODE} ORDER BY public_id"))


def entities(tx: Tx) -> Iterator[list[EntityRow]]:
    """Every entity, ordered by public id, in batches."""
    rows = tx.conn.execute(f"{SELECT_FROM_ENTITY} ORDER BY entity.public_id")
    while batch := rows.fetchmany(BATCH_ROWS):
        yield [EntityRow(*row) for row in batch]


def facts(tx: Tx) -> Iterator[list[FactExportRow]]:
    """Every fact, retracted ones too, ordered by public id, in batches."""
    rows = tx.conn.execute(
        f"""
        SELECT fact.id, fact.public_id, s.public_id, predicate.name, o.public_id, {FACT_COLUMNS}
        FROM fact
        JOIN predicate ON predicate.id = fact.predicate
        JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
        ORDER BY fact.public_id
        """
    )
    while batch := rows.fetchmany(BATCH_ROWS):
        yield [FactExportRow(*row) for row in batch]


def aliases(tx: Tx, rows: Iterable[int]) -> dict[int, list[tuple[str, str, str]]]:
    """The aliases of entities by entity row, each as (alias, timestamp, scope in JSON), oldest first."""
    return group_by_owner(
        tx,
        """
        SELECT entity, alias, created_at, scope
        FROM alias
        WHERE entity IN (SELECT value FROM json_each(?))
        ORDER BY entity, created_at, id
        """,
        rows,
    )


def former_ids(tx: Tx, rows: Iterable[int]) -> dict[int, list[tuple[str]]]:
    """The public ids of merged entities, by the row of the entity that they were merged into."""
    return group_by_owner(
        tx,
        """
        SELECT entity, public_id
        FROM former_id
        WHERE entity IN (SELECT value FROM json_each(?))
        ORDER BY entity, public_id
        """,
        rows,
    )


def assertions_at_repeated_timestamps(tx: Tx) -> Iterator[AssertionOrder]:
    """All assertions of the timestamps at which some fact was asserted again, in chronological order."""
    rows = tx.conn.execute(
        """
        WITH several AS (SELECT fact FROM provenance GROUP BY fact HAVING count(*) > 1),
        ranked AS MATERIALIZED (
            SELECT id, recorded_at, row_number() OVER assertions AS nth, lag(id) OVER assertions AS previous
            FROM provenance
            WHERE fact IN several
            WINDOW assertions AS (PARTITION BY fact ORDER BY recorded_at, id)
        )
        SELECT provenance.recorded_at, provenance.id, fact.public_id, ranked.nth, ranked.previous
        FROM provenance
        JOIN fact ON fact.id = provenance.fact
        LEFT JOIN ranked ON ranked.id = provenance.id
        WHERE provenance.recorded_at IN (SELECT recorded_at FROM ranked WHERE nth > 1)
        ORDER BY provenance.recorded_at, provenance.id
        """
    )
    return (AssertionOrder(*row) for row in rows)


def assertions_by_row(tx: Tx, rows: Iterable[int]) -> Iterator[tuple[int, str, Assertion]]:
    """Assertions by their rows, each with its row and the public id of its fact, in chronological order."""
    result_rows = tx.conn.execute(
        f"""
        SELECT provenance.id, fact.public_id, {_ASSERTION_COLUMNS}
        FROM provenance
        JOIN fact ON fact.id = provenance.fact
        WHERE provenance.id IN (SELECT value FROM json_each(?))
        ORDER BY provenance.recorded_at, provenance.id
        """,
        (json_array(rows),),
    )
    return ((row, fact, Assertion(*columns)) for row, fact, *columns in result_rows)
