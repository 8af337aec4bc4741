"""SQL for the passes of the gardener: what has no facts, what is silent, what has several objects."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from keepgraph.model import Entity
from keepgraph.store import entities
from keepgraph.store.connections import json_array
from keepgraph.store.group_conflicts import in_group
from keepgraph.store.schema_parts import FACT_HOLDS, facts_with
from keepgraph.store.transactions import Tx


def without_anything(tx: Tx, *, after: int, before: str, limit: int) -> list[Entity]:
    """The entities about which nothing is known: no fact, no mention, no summary; after a row, by row.

    Args:
        before: only those created before this timestamp.
    """
    return _entities(
        tx,
        f"""
        SELECT id FROM entity
        WHERE id > :after AND group_id = :group AND created_at < :before AND summary = '' AND properties = '{{}}'
          AND NOT EXISTS ({facts_with("= entity.id", "retracted_at IS NULL", columns="1")})
          AND NOT EXISTS (SELECT 1 FROM mention WHERE mention.entity = entity.id)
          AND NOT EXISTS (SELECT 1 FROM owner WHERE owner.entity = entity.id)
          AND NOT EXISTS (SELECT 1 FROM narrative WHERE narrative.project = entity.id)
        ORDER BY id
        LIMIT +:limit
        """,
        {"group": tx.group, "after": after, "before": before, "limit": limit},
    )


def not_connected_with(tx: Tx, *, of_types: Collection[str], with_types: Collection[str], limit: int) -> list[Entity]:
    """The entities of some types that no fact connects with an entity of other types; newest first."""
    return _entities(
        tx,
        f"""
        SELECT id FROM entity
        WHERE type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:of_types)))
          AND group_id = :group
          AND NOT EXISTS (
              SELECT 1 FROM fact JOIN entity AS other ON other.id = fact.object
              WHERE fact.subject = entity.id AND fact.object IS NOT NULL AND {FACT_HOLDS}
                AND other.type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:with_types))))
          AND NOT EXISTS (
              SELECT 1 FROM fact JOIN entity AS other ON other.id = fact.subject
              WHERE fact.object = entity.id AND {FACT_HOLDS}
                AND other.type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:with_types))))
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {
            "of_types": json_array(of_types),
            "with_types": json_array(with_types),
            "group": tx.group,
            "at": tx.at,
            "limit": limit,
        },
    )


def connected_of_types(tx: Tx, entity: Entity, of_types: Collection[str], *, limit: int) -> list[Entity]:
    """The entities of some types that facts connect with an entity, directly or through one other."""
    return _entities(
        tx,
        f"""
        WITH beside (id) AS (
            SELECT object FROM fact WHERE subject = :entity AND object IS NOT NULL AND {FACT_HOLDS}
            UNION SELECT subject FROM fact WHERE object = :entity AND object IS NOT NULL AND {FACT_HOLDS}
            LIMIT 50
        ), near (id) AS (
            SELECT id FROM beside
            UNION SELECT object FROM fact
            WHERE subject IN (SELECT id FROM beside) AND object IS NOT NULL AND {FACT_HOLDS}
        )
        SELECT entity.id FROM near JOIN entity ON entity.id = near.id
        WHERE entity.type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:of_types)))
        LIMIT +:limit
        """,
        {"entity": entity.row, "of_types": json_array(of_types), "at": tx.at, "limit": limit},
    )


def ids_beside(tx: Tx, entity: Entity) -> set[str]:
    """The public ids of the entities that unretracted facts connect with an entity."""
    return tx.distinct(
        """
        SELECT public_id FROM entity WHERE id IN (
            SELECT object FROM fact WHERE subject = :entity AND object IS NOT NULL AND retracted_at IS NULL
            UNION SELECT subject FROM fact WHERE object = :entity AND object IS NOT NULL AND retracted_at IS NULL)
        """,
        {"entity": entity.row},
    )


def silent(tx: Tx, *, of_types: Collection[str], since: str, limit: int) -> list[tuple[Entity, str]]:
    """The entities of some types with facts that hold, but none recorded or begun since a timestamp, nor mentions.

    Each with when its last fact was recorded or began; the most recently silent first. Entities with properties
    that give their state are left out.
    """
    rows = tx.conn.execute(
        f"""
        WITH lively (id) AS MATERIALIZED (
            SELECT subject FROM fact WHERE recorded_at >= :since
            UNION SELECT object FROM fact WHERE recorded_at >= :since AND object IS NOT NULL
            UNION SELECT subject FROM fact WHERE valid_from >= :since AND valid_from <= :at
            UNION SELECT object FROM fact WHERE valid_from >= :since AND valid_from <= :at AND object IS NOT NULL
        )
        SELECT entity.id, (
            SELECT max(recorded_at) FROM ({facts_with("= entity.id", FACT_HOLDS, columns="recorded_at")})
        ) AS last
        FROM entity
        WHERE entity.type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:of_types)))
          AND entity.group_id = :group AND entity.created_at < :since
          AND entity.id NOT IN (SELECT id FROM lively)
          AND json_extract(entity.properties, '$.status') IS NULL
          AND NOT EXISTS (
              SELECT 1 FROM mention
              JOIN chunk ON chunk.id = mention.chunk
              JOIN episode ON episode.id = chunk.episode
              WHERE mention.entity = entity.id
                AND (episode.occurred_at >= :since OR episode.recorded_at >= :since))
        ORDER BY last DESC, entity.id
        LIMIT +:limit
        """,
        {"of_types": json_array(of_types), "since": since, "at": tx.at, "group": tx.group, "limit": limit},
    ).fetchall()
    by_row = entities.by_rows(tx, [row for row, last in rows if last])
    return [(by_row[row], last) for row, last in rows if last]


def subjects_by_objects(tx: Tx) -> list[tuple[str, int, int]]:
    """By predicate: how many subjects have current objects, and how many of these have exactly one."""
    return tx.rows(
        f"""
        SELECT predicate.name, count(*), sum(objects = 1)
        FROM (
            SELECT fact.predicate, count(*) AS objects FROM fact
            WHERE {FACT_HOLDS} AND fact.object IS NOT NULL AND {in_group(tx, "fact")}
            GROUP BY fact.subject, fact.predicate
        ) AS of_subject
        JOIN predicate ON predicate.id = of_subject.predicate
        GROUP BY of_subject.predicate
        ORDER BY of_subject.predicate
        """,
        {"at": tx.at, "group": tx.group},
    )


def facts_beside_each_other(tx: Tx, predicate: str, *, limit: int) -> list[int]:
    """The facts of a predicate that hold and whose subject has several such objects, by row; subject by subject."""
    return tx.column(
        f"""
        SELECT fact.id FROM fact
        WHERE fact.predicate = (SELECT id FROM predicate WHERE name = :predicate)
          AND fact.object IS NOT NULL AND {FACT_HOLDS}
          AND fact.subject IN (
              SELECT fact.subject FROM fact
              WHERE fact.predicate = (SELECT id FROM predicate WHERE name = :predicate)
                AND fact.object IS NOT NULL AND {FACT_HOLDS} AND {in_group(tx, "fact")}
              GROUP BY fact.subject HAVING count(*) BETWEEN 2 AND 3
              ORDER BY fact.subject DESC
              LIMIT +:limit)
        ORDER BY fact.subject DESC, fact.id
        """,
        {"predicate": predicate, "at": tx.at, "group": tx.group, "limit": limit},
    )


def ends_of_pattern(tx: Tx, *, predicate: str, subject_type: str, object_type: str, side: str, limit: int) -> list[int]:
    """The entities at one side (subject or object) of the facts of a predicate between two types that hold, by row."""
    return tx.column(
        f"""
        SELECT DISTINCT fact.{"subject" if side == "subject" else "object"}
        FROM fact
        JOIN entity AS s ON s.id = fact.subject
        JOIN entity AS o ON o.id = fact.object
        WHERE fact.predicate = (SELECT id FROM predicate WHERE name = :predicate) AND {FACT_HOLDS}
          AND s.type = (SELECT id FROM entity_type WHERE name = :subject_type) AND s.group_id = :group
          AND o.type = (SELECT id FROM entity_type WHERE name = :object_type)
        ORDER BY 1 DESC
        LIMIT +:limit
        """,
        {
            "predicate": predicate,
            "subject_type": subject_type,
            "object_type": object_type,
            "group": tx.group,
            "at": tx.at,
            "limit": limit,
        },
    )


def with_assumed_type(tx: Tx, *, limit: int) -> list[Entity]:
    """The entities of the group with an assumed type, newest first."""
    return _entities(
        tx,
        """
        SELECT assumed_type.id FROM assumed_type JOIN entity ON entity.id = assumed_type.id
        WHERE entity.group_id = :group
        ORDER BY assumed_type.id DESC
        LIMIT +:limit
        """,
        {"group": tx.group, "limit": limit},
    )


def names_of_types(tx: Tx, of_types: Collection[str], *, limit: int) -> list[tuple[int, str]]:
    """The rows and names of the entities of some types, newest first."""
    return tx.rows(
        """
        SELECT id, name FROM entity
        WHERE type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:of_types)))
          AND group_id = :group
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"of_types": json_array(of_types), "group": tx.group, "limit": limit},
    )


def usage(tx: Tx, entity: Entity, *, limit: int) -> list[tuple[str, str, str]]:
    """The facts of an entity that hold, up to a limit on each side: id, predicate and the side of the entity."""
    return tx.rows(
        f"""
        SELECT * FROM (
            SELECT fact.public_id, predicate.name, 'subject' FROM fact JOIN predicate ON predicate.id = fact.predicate
            WHERE fact.subject = :entity AND fact.object IS NOT NULL AND {FACT_HOLDS} LIMIT +:limit)
        UNION ALL
        SELECT * FROM (
            SELECT fact.public_id, predicate.name, 'object' FROM fact JOIN predicate ON predicate.id = fact.predicate
            WHERE fact.object = :entity AND fact.object IS NOT NULL AND {FACT_HOLDS} LIMIT +:limit)
        UNION ALL
        SELECT * FROM (
            SELECT fact.public_id, predicate.name, 'subject' FROM fact JOIN predicate ON predicate.id = fact.predicate
            WHERE fact.subject = :entity AND fact.literal IS NOT NULL AND {FACT_HOLDS} LIMIT +:limit)
        """,
        {"entity": entity.row, "at": tx.at, "limit": limit},
    )


def spelled_alike(tx: Tx, *, limit: int) -> list[tuple[int, int]]:
    """Pairs of entities of the group whose names have the same letters, whatever their accents, signs and spaces."""
    return tx.rows(
        """
        SELECT older.id, newer.id
        FROM (
            SELECT replace(name_folded, ' ', '') AS letters FROM entity WHERE group_id = :group
            GROUP BY replace(name_folded, ' ', '') HAVING count(*) BETWEEN 2 AND 5
        ) AS shared
        JOIN entity AS older ON replace(older.name_folded, ' ', '') = shared.letters AND older.group_id = :group
        JOIN entity AS newer ON replace(newer.name_folded, ' ', '') = shared.letters AND newer.group_id = :group
            AND newer.id > older.id
        WHERE shared.letters <> ''
        ORDER BY newer.id DESC, older.id
        LIMIT +:limit
        """,
        {"group": tx.group, "limit": limit},
    )


def count_facts(tx: Tx, rows: Sequence[int]) -> dict[int, int]:
    """How many unretracted facts each of these entities has, as subject or object; at most 1,000."""
    return tx.mapping(
        f"""
        SELECT value, (
            SELECT count(*) FROM ({facts_with("= value", "retracted_at IS NULL", columns="1")} LIMIT 1000)
        )
        FROM json_each(?)
        """,
        (json_array(rows),),
    )


def _entities(tx: Tx, query: str, values: dict[str, object]) -> list[Entity]:
    rows = [row[0] for row in tx.conn.execute(query, values)]
    by_row = entities.by_rows(tx, rows)
    return [by_row[row] for row in rows]


@dataclass(frozen=True, slots=True)
class ProposedName:
    """An unknown name that was read in a text: the row of its proposal, and the id of its oldest text."""

    row: int
    name: str
    type: str
    episode: str


def proposed_names(tx: Tx, *, after: int, limit: int) -> list[ProposedName]:
    """The names that texts propose as entities, after a row, in the order in which they were read."""
    rows = tx.conn.execute(
        """
        SELECT proposal.id, proposal.subject, proposal.subject_type,
               (SELECT episode.public_id FROM proposal_evidence
                JOIN chunk ON chunk.id = proposal_evidence.chunk
                JOIN episode ON episode.id = chunk.episode
                WHERE proposal_evidence.proposal = proposal.id ORDER BY chunk.id LIMIT 1) AS episode
        FROM proposal
        WHERE proposal.group_id = :group AND proposal.kind = 'entity' AND proposal.id > :after
        ORDER BY proposal.id
        LIMIT +:limit
        """,
        {"group": tx.group, "after": after, "limit": limit},
    )
    return [ProposedName(*row) for row in rows]
