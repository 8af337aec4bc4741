"""Queries of an export and an import: the whole graph in the order of public ids; what a graph has, and many rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from keepgraph.model import Import
from keepgraph.store import journal
from keepgraph.store.connections import json_array
from keepgraph.store.transactions import Tx

_Reference = TypeVar("_Reference", int, str)

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


class FactRow(NamedTuple, Generic[_Reference]):
    """A fact as stored, with the row numbers of its subject, predicate and object; None: an open validity.

    `scope` is JSON.
    """

    row: int
    id: str
    subject: _Reference
    predicate: _Reference
    object: _Reference | None
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


FactExportRow: TypeAlias = FactRow[str]
"""A fact with the public ids of its subject and object, and the name of its predicate."""


class Validity(NamedTuple):
    """An earlier validity of a fact, and when it was believed. The field names are keys of the export."""

    valid_from: str | None
    valid_to: str | None
    known_from: str
    known_to: str


class Assertion(NamedTuple):
    """One assertion of a fact; `statement` is what the text states, and `episode` is its public id."""

    source: str | None
    confidence: float
    recorded_at: str
    session: str | None
    tool: str
    statement: int | None
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
    provenance.statement, (SELECT public_id FROM episode WHERE episode.id = provenance.episode)
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


SELECT_FACT = f"SELECT fact.id, fact.public_id, fact.subject, fact.predicate, fact.object, {FACT_COLUMNS}"


def entities_by_id(tx: Tx, ids: Iterable[str]) -> dict[str, EntityRow]:
    """Entities of any group by public id."""
    result_rows = tx.conn.execute(
        f"{SELECT_FROM_ENTITY} WHERE entity.public_id IN (SELECT value FROM json_each(?))", (json_array(ids),)
    )
    return {row[1]: EntityRow(*row) for row in result_rows}


def entities_by_former_id(tx: Tx, ids: Iterable[str]) -> dict[str, EntityRow]:
    """The entities of any group that others were merged into, by the public ids of those others."""
    result_rows = tx.conn.execute(
        f"""
        {SELECT_ENTITY}, former_id.public_id
        FROM former_id
        JOIN entity ON entity.id = former_id.entity
        JOIN entity_type ON entity_type.id = entity.type
        WHERE former_id.public_id IN (SELECT value FROM json_each(?))
        """,
        (json_array(ids),),
    )
    return {row[9]: EntityRow(*row[:9]) for row in result_rows}


def entities_by_name(tx: Tx, names: Iterable[NameKey]) -> dict[NameKey, EntityRow]:
    """The entities with these canonical names."""
    result_rows = tx.conn.execute(
        f"""
        {SELECT_ENTITY}
        FROM json_each(?) AS lookup
        CROSS JOIN entity_type ON entity_type.name = lookup.value ->> 1
        CROSS JOIN entity
            ON entity.group_id = lookup.value ->> 0
            AND entity.name_key = lookup.value ->> 2
            AND entity.type = entity_type.id
        """,
        (json_array(names),),
    )
    return {(row[2], row[3], row[5]): EntityRow(*row) for row in result_rows}


def entities_by_alias(tx: Tx, names: Iterable[NameKey]) -> dict[NameKey, list[EntityRow]]:
    """The entities that have these names as aliases, ordered by row."""
    result_rows = tx.conn.execute(
        f"""
        {SELECT_ENTITY}, alias.alias_key
        FROM json_each(?) AS lookup
        CROSS JOIN alias ON alias.alias_key = lookup.value ->> 2
        CROSS JOIN entity ON entity.id = alias.entity AND entity.group_id = lookup.value ->> 0
        CROSS JOIN entity_type ON entity_type.id = entity.type AND entity_type.name = lookup.value ->> 1
        ORDER BY entity.id
        """,
        (json_array(names),),
    )
    by_name: dict[NameKey, list[EntityRow]] = {}
    for row in result_rows:
        by_name.setdefault((row[2], row[3], row[9]), []).append(EntityRow(*row[:9]))
    return by_name


def aliases_by_key(tx: Tx, rows: Iterable[int]) -> dict[int, list[tuple[str, str, str]]]:
    """The aliases of entities by entity row, each as (normalisation key, timestamp, alias)."""
    return group_by_owner(
        tx,
        """
        SELECT entity, alias_key, created_at, alias
        FROM alias
        WHERE entity IN (SELECT value FROM json_each(?))
        ORDER BY id
        """,
        rows,
    )


def episodes_by_id(tx: Tx, ids: Iterable[str]) -> dict[str, EpisodeRow]:
    """Episodes of any group by public id."""
    result_rows = tx.conn.execute(
        f"{SELECT_FROM_EPISODE} WHERE public_id IN (SELECT value FROM json_each(?))", (json_array(ids),)
    )
    return {row[1]: EpisodeRow(*row) for row in result_rows}


def episodes_by_digest(tx: Tx, digests: Iterable[str]) -> list[EpisodeRow]:
    """The episodes of any group with these digests of their texts, oldest first."""
    result_rows = tx.conn.execute(
        f"{SELECT_FROM_EPISODE} WHERE digest IN (SELECT value FROM json_each(?)) ORDER BY id", (json_array(digests),)
    )
    return [EpisodeRow(*row) for row in result_rows]


def facts_by_id(tx: Tx, ids: Iterable[str]) -> dict[str, FactRow[int]]:
    """Facts of any group by public id, retracted ones too."""
    result_rows = tx.conn.execute(
        f"{SELECT_FACT} FROM fact WHERE fact.public_id IN (SELECT value FROM json_each(?))", (json_array(ids),)
    )
    return {row[1]: FactRow(*row) for row in result_rows}


def facts_by_content(tx: Tx, facts: Iterable[FactRow[int]]) -> list[FactRow[int]]:
    """The facts, not retracted, with the same subject, predicate, object or literal, and validity as these."""
    keys_by_column: dict[str, list[tuple[Any, ...]]] = {"object": [], "literal": []}
    for fact in facts:
        target = ("object", fact.object) if fact.object is not None else ("literal", fact.literal)
        keys_by_column[target[0]].append((fact.subject, fact.predicate, target[1], fact.valid_from, fact.valid_to))
    return [
        FactRow(*row)
        for column, keys in keys_by_column.items()
        if keys
        for row in tx.conn.execute(
            f"""
            {SELECT_FACT}
            FROM json_each(?) AS lookup
            CROSS JOIN fact
                ON fact.subject = lookup.value ->> 0
                AND fact.predicate = lookup.value ->> 1
                AND fact.{column} = lookup.value ->> 2
                AND fact.valid_from = coalesce(lookup.value ->> 3, '')
                AND fact.valid_to = coalesce(lookup.value ->> 4, '~')
            WHERE fact.retracted_at IS NULL AND fact.{column} IS NOT NULL
            """,
            (json_array(keys),),
        )
    ]


def count_assertions(tx: Tx, fact: int, source: str, confidence: float) -> int:
    """How many assertions a fact has from this source with this confidence."""
    return tx.number(
        "SELECT count(*) FROM provenance WHERE fact = ? AND source = ? AND confidence = ?", (fact, source, confidence)
    )


def insert_episodes(tx: Tx, rows: Iterable[EpisodeRow]) -> None:
    """Insert episodes; `insert_chunks` inserts their chunks."""
    tx.conn.executemany(
        """
        INSERT INTO episode (id, public_id, group_id, kind, name, source, digest, occurred_at, recorded_at, session,
                             pinned)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        list(rows),
    )


def insert_chunks(tx: Tx, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert chunks. Columns: row, episode row, place, text, heading, speaker, named, speaker key, spaced text."""
    tx.conn.executemany(
        """
        INSERT INTO chunk (id, episode, place, text, heading, speaker, named, speaker_key, spaced)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        list(rows),
    )


def set_entities(tx: Tx, entities: Iterable[EntityRow]) -> None:
    """Set the ids, summaries, properties and times of entities."""
    tx.conn.executemany(
        "UPDATE entity SET public_id = ?, summary = ?, properties = ?, created_at = ? WHERE id = ?",
        [(each.id, each.summary, each.properties, each.created_at, each.row) for each in entities],
    )


def set_aliases(tx: Tx, rows: Iterable[tuple[str, str, str, int, str]]) -> None:
    """Set the spellings and times of aliases. Columns: alias, folded, timestamp, entity row, normalisation key."""
    tx.conn.executemany(
        "UPDATE alias SET alias = ?, alias_folded = ?, created_at = ? WHERE entity = ? AND alias_key = ?", list(rows)
    )


def delete_former_ids(tx: Tx, ids: Iterable[str]) -> None:
    tx.conn.executemany("DELETE FROM former_id WHERE public_id = ?", [(each,) for each in ids])


def set_facts(tx: Tx, facts: Iterable[FactRow[int]]) -> None:
    """Set everything of facts that are not retracted but their predicates, literals and validities."""
    tx.conn.executemany(
        """
        UPDATE fact
        SET public_id = ?, subject = ?, object = ?, text = ?, confidence = ?, recorded_at = ?,
            known_from = coalesce(?, '')
        WHERE id = ?
        """,
        [
            (
                each.id,
                each.subject,
                each.object,
                each.text,
                each.confidence,
                each.recorded_at,
                each.known_from,
                each.row,
            )
            for each in facts
        ],
    )


def set_episodes(tx: Tx, episodes: Iterable[EpisodeRow]) -> None:
    """Set the ids, times of recording and sessions of episodes."""
    tx.conn.executemany(
        "UPDATE episode SET public_id = ?, recorded_at = ?, session = ? WHERE id = ?",
        [(each.id, each.recorded_at, each.session, each.row) for each in episodes],
    )


def set_entity_type(tx: Tx, entity: int, type_row: int) -> None:
    """Change the type of an entity."""
    tx.conn.execute("UPDATE entity SET type = ? WHERE id = ?", (type_row, entity))


# SQL for imported rows: a file says when and by what they were recorded.

_TABLES = ("entity", "alias", "provenance", "episode")
"""The tables whose rows say when they were recorded, and whose imports are noted."""


def note(tx: Tx, *, file: str | None) -> None:
    """Mark all rows that the call of this transaction, an import, has inserted so far.

    Args:
        file: the name of the file, of 1 to 255 characters; None is standard input.
    """
    tx.conn.execute(
        """
        INSERT INTO imported_rows (tbl, first, last, imported_at, file)
        SELECT tbl, min(row), max(row), :at, :file
        FROM journal
        WHERE call = :call AND op = 'insert' AND tbl IN (SELECT value FROM json_each(:tables))
        GROUP BY tbl
        """,
        {"call": tx.call, "at": tx.at, "file": file, "tables": json.dumps(_TABLES)},
    )


def of_rows(tx: Tx, table: str, rows: Iterable[int]) -> dict[int, Import]:
    """The imports of rows of a table, by their numbers; rows that were recorded here are left out."""
    imported = tx.conn.execute(
        """
        SELECT value, imported_at, file
        FROM json_each(:rows) JOIN imported_rows ON imported_rows.id = (
            SELECT id FROM imported_rows WHERE tbl = :table AND last >= value ORDER BY last LIMIT 1
        )
        WHERE first <= value
        """,
        {"rows": json_array(rows), "table": table},
    )
    return {row: Import(at, file) for row, at, file in imported}


def of_facts(tx: Tx, facts: Iterable[int]) -> dict[int, Import]:
    """The first imports of facts that only imports assert, by the rows of the facts."""
    imported = tx.conn.execute(
        """
        SELECT provenance.fact, min(imported_at), file
        FROM json_each(:facts)
        JOIN provenance ON provenance.fact = value
        LEFT JOIN imported_rows ON first <= provenance.id AND imported_rows.id = (
            SELECT id FROM imported_rows WHERE tbl = 'provenance' AND last >= provenance.id ORDER BY last LIMIT 1
        )
        GROUP BY provenance.fact
        HAVING count(imported_rows.id) = count(*)
        """,
        {"facts": json_array(facts)},
    )
    return {row: Import(at, file) for row, at, file in imported}


def count_imported_assertions(tx: Tx) -> tuple[int, int]:
    """How many assertions there are in all groups, and how many of them came with an import."""
    row = tx.conn.execute(
        """
        SELECT (SELECT count(*) FROM provenance),
               (SELECT count(*) FROM imported_rows JOIN provenance ON provenance.id BETWEEN first AND last
                WHERE tbl = 'provenance')
        """
    ).fetchone()
    return int(row[0]), int(row[1])


def cut_unused(tx: Tx) -> None:
    """Forget the row numbers that may be reused, now that the journal no longer has them."""
    for table in _TABLES:
        unused = journal.unused_row(tx, table)
        tx.conn.execute("DELETE FROM imported_rows WHERE tbl = ? AND first >= ?", (table, unused))
        tx.conn.execute("UPDATE imported_rows SET last = ? WHERE tbl = ? AND last >= ?", (unused - 1, table, unused))
