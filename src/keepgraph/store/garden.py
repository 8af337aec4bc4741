"""SQL for the gardener: its runs, the reads between them, what has no facts, is silent, or has several objects."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph.model import Entity
from keepgraph.store import entities
from keepgraph.store.connections import json_array
from keepgraph.store.group_conflicts import in_group
from keepgraph.store.migrations import FACT_HOLDS, facts_with
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


def ids_around(tx: Tx, entity: Entity) -> set[str]:
    """The public ids of an entity and of those that unretracted facts connect with it."""
    return {entity.id} | tx.distinct(
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


@dataclass(frozen=True, slots=True)
class GardenRun:
    """A run in one group, as of its end.

    Attributes:
        conversation: the conversation of the call, if known.
        origin: call, timer or idle.
        proposed: how many proposals were new.
        passes: what each pass did, by its name.
    """

    started_at: str
    ended_at: str
    conversation: str | None
    origin: str
    proposed: int
    passes: Mapping[str, Mapping[str, Any]]


def begin(tx: Tx, *, started_at: str, origin: str) -> int:
    """Note that a run has begun; returns its row. A killed run keeps no end."""
    return tx.number(
        """
        INSERT INTO garden_run (group_id, started_at, conversation, origin, passes) VALUES (?, ?, ?, ?, '{}')
        RETURNING id
        """,
        (tx.group, started_at, tx.session, origin),
    )


def count_proposed(tx: Tx, row: int, proposed: int) -> None:
    """Add to the number of new proposals of a run."""
    tx.conn.execute("UPDATE garden_run SET proposed = proposed + ? WHERE id = ?", (proposed, row))


def end(tx: Tx, row: int, run: GardenRun) -> None:
    """Note that a run has ended, and what it did."""
    tx.conn.execute(
        "UPDATE garden_run SET ended_at = ?, proposed = ?, passes = ? WHERE id = ?",
        (run.ended_at, run.proposed, json.dumps(run.passes, ensure_ascii=False), row),
    )


def last(tx: Tx) -> GardenRun | None:
    """The latest run in the group; None if there was none."""
    row = tx.conn.execute(
        """
        SELECT started_at, ended_at, conversation, origin, proposed, passes
        FROM garden_run
        WHERE group_id = ? AND ended_at IS NOT NULL
        ORDER BY id DESC
        LIMIT 1
        """,
        (tx.group,),
    ).fetchone()
    return _run(row) if row else None


def totals(tx: Tx) -> tuple[int, int, int]:
    """How many runs of the group ended, how many proposals were new in all, and how many runs began and did not end.

    A run in progress counts as not ended.
    """
    runs, proposed, not_ended = tx.conn.execute(
        "SELECT count(ended_at), coalesce(sum(proposed), 0), count(*) - count(ended_at) FROM garden_run "
        "WHERE group_id = ?",
        (tx.group,),
    ).fetchone()
    return int(runs), int(proposed), int(not_ended)


def ended_since(tx: Tx, at: str) -> list[GardenRun]:
    """The runs in the group that ended after a timestamp, newest first."""
    rows = tx.conn.execute(
        """
        SELECT started_at, ended_at, conversation, origin, proposed, passes
        FROM garden_run
        WHERE group_id = ? AND ended_at > ?
        ORDER BY id DESC
        """,
        (tx.group, at),
    )
    return [_run(row) for row in rows]


def calls_of_conversations(tx: Tx, *, since: str) -> dict[str, int]:
    """How many calls changed something in the group since a timestamp, by conversation."""
    return tx.mapping(
        """
        SELECT session, count(*)
        FROM call
        WHERE at > :since AND session IS NOT NULL AND group_id = :group
          AND EXISTS (SELECT 1 FROM journal WHERE journal.call = call.id)
        GROUP BY session
        """,
        {"since": since, "group": tx.group},
    )


def calls_behind(tx: Tx, facts: Sequence[str], *, since: str) -> list[tuple[str, int]]:
    """The calls since a timestamp that asserted some of these facts, given by their ids: conversation and number."""
    return tx.rows(
        """
        SELECT DISTINCT call.session, call.id
        FROM fact
        JOIN provenance ON provenance.fact = fact.id
        JOIN call ON call.at = provenance.recorded_at AND call.session = provenance.session
        WHERE fact.public_id IN (SELECT value FROM json_each(:facts))
          AND provenance.recorded_at > :since AND call.group_id = :group
        ORDER BY call.id
        """,
        {"facts": json_array(facts), "since": since, "group": tx.group},
    )


def count_decisions(tx: Tx) -> tuple[int, int]:
    """How many proposals of the group were accepted, as they were or changed, and how many rejected."""
    accepted, rejected = tx.conn.execute(
        """
        SELECT coalesce(sum(decision IN ('accepted', 'edited', 'merged')), 0), coalesce(sum(decision = 'rejected'), 0)
        FROM review_decision
        WHERE group_id = ?
        """,
        (tx.group,),
    ).fetchone()
    return int(accepted), int(rejected)


def _run(row: Sequence[Any]) -> GardenRun:
    started_at, ended_at, conversation, origin, proposed, passes = row
    return GardenRun(started_at, ended_at, conversation, origin, proposed, json.loads(passes))


# SQL for optional counts, made only if the settings say so: calls that read, and unknown names.

_MAX_NAMES = 10_000


@dataclass(frozen=True, slots=True)
class UnknownName:
    """An unknown name that was asked for."""

    name: str
    times: int


def add_read(tx: Tx, *, conversation: str, tool: str) -> None:
    """Count a call that reads: the conversation, the tool and the times, but nothing of what was asked."""
    tx.conn.execute(
        """
        INSERT INTO read_count (conversation, group_id, tool, times, first_at, last_at)
        VALUES (:conversation, :group, :tool, 1, :at, :at)
        ON CONFLICT DO UPDATE SET times = times + 1, last_at = :at
        """,
        {"conversation": conversation, "group": tx.group, "tool": tool, "at": tx.at},
    )


def add_unknown_names(tx: Tx, names: Mapping[str, str]) -> None:
    """Count unknown names that a call asked for, by their keys; those not asked for longest make room."""
    tx.conn.executemany(
        """
        INSERT INTO unknown_name (group_id, name_key, name, times, last_at)
        VALUES (:group, :key, :name, 1, :at)
        ON CONFLICT DO UPDATE SET times = times + 1, last_at = :at
        """,
        [{"group": tx.group, "key": key, "name": name[:200], "at": tx.at} for key, name in names.items()],
    )
    tx.conn.execute(
        """
        DELETE FROM unknown_name
        WHERE group_id = :group AND name_key IN (
            SELECT name_key FROM unknown_name WHERE group_id = :group ORDER BY last_at DESC LIMIT -1 OFFSET :most)
        """,
        {"group": tx.group, "most": _MAX_NAMES},
    )


def of_conversations(tx: Tx, *, since: str) -> list[tuple[str, str, int]]:
    """The counted calls in the group since a timestamp: conversation, tool, times."""
    return tx.rows(
        """
        SELECT conversation, tool, times FROM read_count
        WHERE group_id = :group AND last_at > :since
        ORDER BY conversation, tool
        """,
        {"group": tx.group, "since": since},
    )


def unknown_names(tx: Tx, *, at_least: int, limit: int) -> list[UnknownName]:
    """The names asked for at least this often that no entity has now; most frequent first."""
    rows = tx.conn.execute(
        """
        SELECT name, times
        FROM unknown_name
        WHERE group_id = :group AND times >= :at_least
          AND NOT EXISTS (
              SELECT 1 FROM entity WHERE entity.group_id = :group AND entity.name_key = unknown_name.name_key)
          AND NOT EXISTS (
              SELECT 1 FROM alias JOIN entity ON entity.id = alias.entity
              WHERE alias.alias_key = unknown_name.name_key AND entity.group_id = :group)
        ORDER BY times DESC, name_key
        LIMIT +:limit
        """,
        {"group": tx.group, "at_least": at_least, "limit": limit},
    )
    return [UnknownName(*row) for row in rows]
