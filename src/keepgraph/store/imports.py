"""Queries of an import: which of many entities, episodes and facts are in the graph, and inserts of many rows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from keepgraph.model import Import
from keepgraph.store import journal
from keepgraph.store.connections import json_array
from keepgraph.store.exports import (
    FACT_COLUMNS,
    SELECT_ENTITY,
    SELECT_FROM_ENTITY,
    SELECT_FROM_EPISODE,
    EntityRow,
    EpisodeRow,
    FactRow,
    NameKey,
    group_by_owner,
)
from keepgraph.store.transactions import Tx

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


def aliases(tx: Tx, rows: Iterable[int]) -> dict[int, list[tuple[str, str, str]]]:
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


def facts_by_id(tx: Tx, ids: Iterable[str]) -> dict[str, FactRow]:
    """Facts of any group by public id, retracted ones too."""
    result_rows = tx.conn.execute(
        f"{SELECT_FACT} FROM fact WHERE fact.public_id IN (SELECT value FROM json_each(?))", (json_array(ids),)
    )
    return {row[1]: FactRow(*row) for row in result_rows}


def facts_by_content(tx: Tx, facts: Iterable[FactRow]) -> list[FactRow]:
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


def set_facts(tx: Tx, facts: Iterable[FactRow]) -> None:
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
