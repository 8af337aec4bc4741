"""Whole graphs in the database: what an export writes, and what an import asks, many rows at once. Decides nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from keepgraph.model import Word
from keepgraph.store import journal, vocabulary
from keepgraph.store.database import Tx

AT_ONCE = 1000
"""Rows that are read and held together."""

Named = tuple[str, str, str]
"""What a name is the name of: a group, a type and the key of the name."""


class EntityRow(NamedTuple):
    """An entity as it is kept."""

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
    """An episode as it is kept, without its text."""

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
    """A chunk as it is kept, without what is made of it; `named` is JSON."""

    place: int
    text: str
    heading: str
    speaker: str | None
    named: str


class FactRow(NamedTuple):
    """A fact as it is kept, in row numbers; an open validity is None."""

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


class FactInWords(NamedTuple):
    """A fact with the ids of its subject and object, and with its predicate by name."""

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
    """How the validity of a fact was known before."""

    valid_from: str | None
    valid_to: str | None
    known_from: str
    known_to: str


class Assertion(NamedTuple):
    """Who said a fact, when, how sure, in which session, with which tool, and the id of the text it came out of."""

    source: str | None
    confidence: float
    recorded_at: str
    session: str | None
    tool: str
    episode: str | None


class Said(NamedTuple):
    """An assertion in the order of a moment; of those that repeat one, which it is and the row of the one before."""

    recorded_at: str
    row: int
    fact: str
    nth: int | None
    before: int | None


_ENTITY = """
    SELECT entity.id, entity.public_id, entity.group_id, entity_type.name, entity.name, entity.name_key,
           entity.summary, entity.properties, entity.created_at
"""
_ENTITIES = f"{_ENTITY} FROM entity JOIN entity_type ON entity_type.id = entity.type"

_REST_OF_FACT = """
    fact.literal, fact.text, fact.confidence, fact.recorded_at,
    nullif(fact.valid_from, ''), nullif(fact.valid_to, '~'), fact.retracted_at, nullif(fact.known_from, '')
"""
_FACT = f"SELECT fact.id, fact.public_id, fact.subject, fact.predicate, fact.object, {_REST_OF_FACT}"

_SAID = """
    provenance.source, provenance.confidence, provenance.recorded_at, provenance.session, provenance.tool,
    (SELECT public_id FROM episode WHERE episode.id = provenance.episode)
"""

_EPISODES = """
    SELECT id, public_id, group_id, kind, name, source, digest, occurred_at, recorded_at, session
    FROM episode
"""


# For an export


def words(tx: Tx, *, version: str) -> list[Word]:
    """The words of a version, of both kinds, by kind and name."""
    return [
        each
        for kind in vocabulary.KINDS
        for each in sorted(vocabulary.words(tx, kind), key=lambda word: word.name)
        if each.version == version
    ]


def any_episodes(tx: Tx) -> bool:
    """Whether there are any texts."""
    return bool(tx.conn.execute("SELECT EXISTS (SELECT 1 FROM episode)").fetchone()[0])


def episodes(tx: Tx) -> Iterator[EpisodeRow]:
    """Every episode of every group by its id."""
    return (EpisodeRow(*row) for row in tx.conn.execute(f"{_EPISODES} ORDER BY public_id"))


def chunks(tx: Tx, episode: int) -> list[ChunkRow]:
    """The chunks of an episode by their places."""
    rows = tx.conn.execute(
        "SELECT place, text, heading, speaker, named FROM chunk WHERE episode = ? ORDER BY place, id", (episode,)
    )
    return [ChunkRow(*row) for row in rows]


def entities(tx: Tx) -> Iterator[list[EntityRow]]:
    """Every entity of every group by its id, some at a time."""
    rows = tx.conn.execute(f"{_ENTITIES} ORDER BY entity.public_id")
    while some := rows.fetchmany(AT_ONCE):
        yield [EntityRow(*row) for row in some]


def facts(tx: Tx) -> Iterator[list[FactInWords]]:
    """Every fact of every group by its id, retracted ones too, some at a time."""
    rows = tx.conn.execute(
        f"""
        SELECT fact.id, fact.public_id, s.public_id, predicate.name, o.public_id, {_REST_OF_FACT}
        FROM fact
        JOIN predicate ON predicate.id = fact.predicate
        JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
        ORDER BY fact.public_id
        """
    )
    while some := rows.fetchmany(AT_ONCE):
        yield [FactInWords(*row) for row in some]


def aliases(tx: Tx, rows: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
    """The aliases of entities, each with its stamp, in the order in which they were given."""
    return _gathered(
        tx,
        """
        SELECT entity, alias, created_at
        FROM alias
        WHERE entity IN (SELECT value FROM json_each(?))
        ORDER BY entity, created_at, id
        """,
        rows,
    )


def former_ids(tx: Tx, rows: Iterable[int]) -> dict[int, list[tuple[str]]]:
    return _gathered(
        tx,
        """
        SELECT entity, public_id
        FROM former_id
        WHERE entity IN (SELECT value FROM json_each(?))
        ORDER BY entity, public_id
        """,
        rows,
    )


def earlier(tx: Tx, rows: Iterable[int]) -> dict[int, list[Validity]]:
    """How the validities of facts were known before, the oldest first."""
    found = _gathered(
        tx,
        """
        SELECT fact, nullif(valid_from, ''), nullif(valid_to, '~'), known_from, known_to
        FROM earlier_validity
        WHERE fact IN (SELECT value FROM json_each(?))
        ORDER BY fact, known_from, known_to, valid_from, valid_to
        """,
        rows,
    )
    return {fact: [Validity(*each) for each in known] for fact, known in found.items()}


def assertions(tx: Tx, rows: Iterable[int]) -> dict[int, list[tuple[int, Assertion]]]:
    """Every assertion of some facts with its row, in the order in which they were made."""
    found = _gathered(
        tx,
        f"""
        SELECT fact, id, {_SAID}
        FROM provenance
        WHERE fact IN (SELECT value FROM json_each(?))
        ORDER BY fact, recorded_at, id
        """,
        rows,
    )
    return {fact: [(row, Assertion(*said)) for row, *said in every] for fact, every in found.items()}


def said_where_some_repeats(tx: Tx) -> Iterator[Said]:
    """Everything that was said at the moments at which something was said again, moment by moment in its order."""
    rows = tx.conn.execute(
        """
        WITH several AS (SELECT fact FROM provenance GROUP BY fact HAVING count(*) > 1),
        ranked AS MATERIALIZED (
            SELECT id, recorded_at, row_number() OVER said AS nth, lag(id) OVER said AS before
            FROM provenance
            WHERE fact IN several
            WINDOW said AS (PARTITION BY fact ORDER BY recorded_at, id)
        )
        SELECT provenance.recorded_at, provenance.id, fact.public_id, ranked.nth, ranked.before
        FROM provenance
        JOIN fact ON fact.id = provenance.fact
        LEFT JOIN ranked ON ranked.id = provenance.id
        WHERE provenance.recorded_at IN (SELECT recorded_at FROM ranked WHERE nth > 1)
        ORDER BY provenance.recorded_at, provenance.id
        """
    )
    return (Said(*row) for row in rows)


def assertions_by_row(tx: Tx, rows: Iterable[int]) -> Iterator[tuple[int, str, Assertion]]:
    """Assertions by their rows, each with its row and the id of the fact, in the order in which they were made."""
    found = tx.conn.execute(
        f"""
        SELECT provenance.id, fact.public_id, {_SAID}
        FROM provenance
        JOIN fact ON fact.id = provenance.fact
        WHERE provenance.id IN (SELECT value FROM json_each(?))
        ORDER BY provenance.recorded_at, provenance.id
        """,
        (_listed(rows),),
    )
    return ((row, fact, Assertion(*said)) for row, fact, *said in found)


# For an import


def entities_by_id(tx: Tx, ids: Iterable[str]) -> dict[str, EntityRow]:
    """Entities of any group."""
    found = tx.conn.execute(f"{_ENTITIES} WHERE entity.public_id IN (SELECT value FROM json_each(?))", (_listed(ids),))
    return {row[1]: EntityRow(*row) for row in found}


def entities_by_former_id(tx: Tx, ids: Iterable[str]) -> dict[str, EntityRow]:
    """The entities of any group into which others were merged, by the ids of those."""
    found = tx.conn.execute(
        f"""
        {_ENTITY}, former_id.public_id
        FROM former_id
        JOIN entity ON entity.id = former_id.entity
        JOIN entity_type ON entity_type.id = entity.type
        WHERE former_id.public_id IN (SELECT value FROM json_each(?))
        """,
        (_listed(ids),),
    )
    return {row[9]: EntityRow(*row[:9]) for row in found}


def entities_by_name(tx: Tx, names: Iterable[Named]) -> dict[Named, EntityRow]:
    """The entities that have these very names."""
    found = tx.conn.execute(
        f"""
        {_ENTITY}
        FROM json_each(?) AS wanted
        CROSS JOIN entity_type ON entity_type.name = wanted.value ->> 1
        CROSS JOIN entity
            ON entity.group_id = wanted.value ->> 0
            AND entity.name_key = wanted.value ->> 2
            AND entity.type = entity_type.id
        """,
        (_listed(names),),
    )
    return {(row[2], row[3], row[5]): EntityRow(*row) for row in found}


def entities_by_alias(tx: Tx, names: Iterable[Named]) -> dict[Named, list[EntityRow]]:
    """The entities that have these names as aliases."""
    found = tx.conn.execute(
        f"""
        {_ENTITY}, alias.alias_key
        FROM json_each(?) AS wanted
        CROSS JOIN alias ON alias.alias_key = wanted.value ->> 2
        CROSS JOIN entity ON entity.id = alias.entity AND entity.group_id = wanted.value ->> 0
        CROSS JOIN entity_type ON entity_type.id = entity.type AND entity_type.name = wanted.value ->> 1
        ORDER BY entity.id
        """,
        (_listed(names),),
    )
    gathered: dict[Named, list[EntityRow]] = {}
    for row in found:
        gathered.setdefault((row[2], row[3], row[9]), []).append(EntityRow(*row[:9]))
    return gathered


def episodes_by_id(tx: Tx, ids: Iterable[str]) -> dict[str, EpisodeRow]:
    """Episodes of any group."""
    found = tx.conn.execute(f"{_EPISODES} WHERE public_id IN (SELECT value FROM json_each(?))", (_listed(ids),))
    return {row[1]: EpisodeRow(*row) for row in found}


def episodes_by_digest(tx: Tx, digests: Iterable[str]) -> list[EpisodeRow]:
    """The episodes of any group with these very texts, the oldest first."""
    found = tx.conn.execute(
        f"{_EPISODES} WHERE digest IN (SELECT value FROM json_each(?)) ORDER BY id", (_listed(digests),)
    )
    return [EpisodeRow(*row) for row in found]


def insert_word(tx: Tx, kind: str, *, name: str, description: str, version: str) -> None:
    """A new word of the vocabulary."""
    table = {vocabulary.ENTITY_TYPE: "entity_type", vocabulary.PREDICATE: "predicate"}[kind]
    tx.conn.execute(
        f"INSERT INTO {table} (id, name, description, version) VALUES ({journal.unused_row(table)}, ?, ?, ?)",
        (name, description, version),
    )


def set_type(tx: Tx, entity: int, type_row: int) -> None:
    """Let an entity be of another type."""
    tx.conn.execute("UPDATE entity SET type = ? WHERE id = ?", (type_row, entity))


def times_said(tx: Tx, fact: int, source: str, confidence: float) -> int:
    """How often a source has said a fact, just as sure."""
    row = tx.conn.execute(
        "SELECT count(*) FROM provenance WHERE fact = ? AND source = ? AND confidence = ?", (fact, source, confidence)
    ).fetchone()
    return int(row[0])


def insert_episodes(tx: Tx, rows: Iterable[EpisodeRow]) -> None:
    """Add episodes; their chunks come by insert_chunks."""
    tx.conn.executemany(
        """
        INSERT INTO episode (id, public_id, group_id, kind, name, source, digest, occurred_at, recorded_at, session)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        list(rows),
    )


def insert_chunks(tx: Tx, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert rows of: row, row of the episode, place, text, heading, speaker, named, key of the speaker, spaced."""
    tx.conn.executemany(
        """
        INSERT INTO chunk (id, episode, place, text, heading, speaker, named, speaker_key, spaced)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        list(rows),
    )


def alias_keys(tx: Tx, rows: Iterable[int]) -> dict[int, list[tuple[str]]]:
    return _gathered(
        tx, "SELECT entity, alias_key FROM alias WHERE entity IN (SELECT value FROM json_each(?)) ORDER BY id", rows
    )


def facts_by_id(tx: Tx, ids: Iterable[str]) -> dict[str, FactRow]:
    """Facts of any group, retracted ones too."""
    found = tx.conn.execute(
        f"{_FACT} FROM fact WHERE fact.public_id IN (SELECT value FROM json_each(?))", (_listed(ids),)
    )
    return {row[1]: FactRow(*row) for row in found}


def twins(tx: Tx, facts: Iterable[FactRow]) -> list[FactRow]:
    """The facts, not retracted, that say the same as these of the same interval."""
    wanted: dict[str, list[tuple[Any, ...]]] = {"object": [], "literal": []}
    for fact in facts:
        said = ("object", fact.object) if fact.object is not None else ("literal", fact.literal)
        wanted[said[0]].append((fact.subject, fact.predicate, said[1], fact.valid_from, fact.valid_to))
    return [
        FactRow(*row)
        for column, those in wanted.items()
        if those
        for row in tx.conn.execute(
            f"""
            {_FACT}
            FROM json_each(?) AS wanted
            CROSS JOIN fact
                ON fact.subject = wanted.value ->> 0
                AND fact.predicate = wanted.value ->> 1
                AND fact.{column} = wanted.value ->> 2
                AND fact.valid_from = coalesce(wanted.value ->> 3, '')
                AND fact.valid_to = coalesce(wanted.value ->> 4, '~')
            WHERE fact.retracted_at IS NULL AND fact.{column} IS NOT NULL
            """,
            (_listed(those),),
        )
    ]


def free_row(tx: Tx, table: str) -> int:
    """The first of the row numbers that a table has not used yet; those after it are free as well."""
    return int(tx.conn.execute(f"SELECT {journal.unused_row(table)}").fetchone()[0])


def _gathered(tx: Tx, query: str, rows: Iterable[int]) -> dict[int, list[Any]]:
    """What a query finds, gathered by its first column."""
    gathered: dict[int, list[Any]] = {}
    for owner, *rest in tx.conn.execute(query, (_listed(rows),)):
        gathered.setdefault(owner, []).append(tuple(rest))
    return gathered


def _listed(values: Iterable[Any]) -> str:
    return json.dumps(list(values), ensure_ascii=False)
