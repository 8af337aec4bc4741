"""Lists of what a graph holds, with counts: entities, facts, texts, tags, sources, and what has a date."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from keepgraph.model import Entity
from keepgraph.store import facts
from keepgraph.store.connections import json_array
from keepgraph.store.migrations import FACT_HOLDS, facts_with
from keepgraph.store.proposals import UNDECIDED
from keepgraph.store.transactions import Tx

_TYPES = "SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:types))"


def entities(tx: Tx, *, of_types: Collection[str], limit: int) -> list[tuple[Entity, int]]:
    """The entities of these types by name, each with its number of current facts."""
    rows = tx.conn.execute(
        f"""
        SELECT entity.id, entity.public_id, entity_type.name, entity.name, entity.created_at,
               (SELECT count(*) FROM ({facts_with("= entity.id", FACT_HOLDS, columns="1")}))
        FROM entity
        JOIN entity_type ON entity_type.id = entity.type
        WHERE entity.group_id = :group AND entity_type.name IN (SELECT value FROM json_each(:types))
        ORDER BY entity.name_key, entity.id
        LIMIT +:limit
        """,
        {"group": tx.group, "types": json_array(of_types), "at": tx.at, "limit": limit},
    )
    return [(Entity(*row[:5]), row[5]) for row in rows]


def newest_facts(tx: Tx, *, limit: int) -> list[int]:
    """The facts of the group that hold, by row, last recorded first."""
    return tx.column(
        f"""
        SELECT fact.id
        FROM fact JOIN entity ON entity.id = fact.subject
        WHERE +entity.group_id = :group AND {FACT_HOLDS}
        ORDER BY fact.recorded_at DESC, fact.id DESC
        LIMIT +:limit
        """,
        {"group": tx.group, "at": tx.at, "limit": limit},
    )


def facts_without_types(tx: Tx, predicates: Sequence[str], *, types: Collection[str]) -> list[int]:
    """The facts of some predicates that hold in the group and have no end of these types, by row."""
    is_of_types = "type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:types)))"
    return tx.column(
        f"""
        SELECT fact.id
        FROM {facts.table_as_known(tx)}
        JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
        WHERE fact.predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates)))
          AND {FACT_HOLDS} AND +s.group_id = :group AND NOT s.{is_of_types} AND (o.id IS NULL OR NOT o.{is_of_types})
        ORDER BY fact.id
        """,
        {
            "group": tx.group,
            "predicates": json_array(predicates),
            "types": json_array(types),
            "at": tx.at,
            "known": tx.known_at,
        },
    )


def tags(tx: Tx, *, tagging: Sequence[str], limit: int) -> tuple[list[tuple[str, int]], int]:
    """The tags of the group, most used first, with how many facts have each; and how many tags there are."""
    return _counted(
        tx,
        f"""
        SELECT coalesce(fact.literal, o.name)
        FROM fact
        JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
        WHERE fact.predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:tagging)))
          AND +s.group_id = :group AND {FACT_HOLDS}
        """,
        {"group": tx.group, "tagging": json_array(tagging), "at": tx.at},
        limit=limit,
    )


def sources(tx: Tx, *, limit: int) -> tuple[list[tuple[str, int]], int]:
    """Where facts and texts of the group come from, most frequent first, with counts; and how many there are."""
    return _counted(
        tx,
        """
        SELECT source
        FROM provenance
        WHERE source IS NOT NULL AND fact NOT IN (
            SELECT fact.id FROM entity CROSS JOIN fact ON fact.subject = entity.id WHERE entity.group_id <> :group
        )
        UNION ALL
        SELECT source FROM episode WHERE source <> '' AND group_id = :group
        """,
        {"group": tx.group},
        limit=limit,
    )


def facts_with_days(
    tx: Tx, *, predicates: Sequence[str], since: str, until: str, among: Collection[int] | None = None
) -> list[int]:
    """The facts of these predicates that hold, with a day as literal from `since` until `until`: rows, by day.

    Args:
        among: only facts about these entities, given by their rows.
    """
    among_these = "" if among is None else "AND fact.subject IN (SELECT value FROM json_each(:among))"
    values = {
        "predicates": json_array(predicates),
        "at": tx.at,
        "known": tx.known_at,
        "since": since,
        "until": until,
        "group": tx.group,
        "among": None if among is None else json_array(among),
    }
    return tx.column(
        f"""
        SELECT fact.id
        FROM {facts.table_as_known(tx)}
        JOIN entity AS s ON s.id = fact.subject
        WHERE fact.predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates)))
          {among_these}
          AND fact.literal IS NOT NULL AND fact.literal GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'
          AND substr(fact.literal, 1, 10) BETWEEN :since AND :until
          AND +s.group_id = :group AND {FACT_HOLDS}
        ORDER BY substr(fact.literal, 1, 10), fact.id
        """,
        values,
    )


def not_done(
    tx: Tx,
    *,
    of_types: Collection[str] | None,
    among: Collection[int] | None,
    done: Collection[str],
    resolving: Sequence[str],
    blocking: Sequence[str],
    blocked: Collection[int],
) -> list[int]:
    """The entities that nothing has resolved, and that no literal marks as done: rows, oldest first.

    Args:
        of_types: only of these types.
        among: only these, given by their rows.
        done: literals, in lower case.
        resolving: the predicates whose subject is resolved.
        blocking: the predicates whose subject is blocked.
        blocked: the rows of those that are not resolved yet, whatever these predicates say.
    """
    # By the numbers of the types, which an index has: by their names, all entities of the group would be read.
    of_these_types = "" if of_types is None else f"AND entity.type IN ({_TYPES})"
    among_these = "" if among is None else "AND entity.id IN (SELECT value FROM json_each(:among))"
    table = facts.table_as_known(tx)
    return tx.column(
        f"""
        SELECT entity.id FROM entity
        WHERE entity.group_id = :group AND (:known IS NULL OR entity.created_at <= :known)
          {of_these_types}
          {among_these}
          AND NOT EXISTS (
              SELECT 1 FROM {table}
              WHERE fact.subject = entity.id AND fact.literal IS NOT NULL AND {FACT_HOLDS}
                AND lower(trim(fact.literal)) IN (SELECT value FROM json_each(:done))
          )
          AND (entity.id IN (SELECT value FROM json_each(:blocked)) OR NOT EXISTS (
              SELECT 1 FROM {table}
              JOIN provenance ON provenance.fact = fact.id
              WHERE fact.subject = entity.id AND {FACT_HOLDS}
                AND fact.predicate IN (
                    SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:resolving))
                )
                AND NOT {facts.CLOSED_A_BLOCKER}
          ))
        ORDER BY entity.id
        """,
        {
            "group": tx.group,
            "types": None if of_types is None else json_array(of_types),
            "among": None if among is None else json_array(among),
            "done": json_array(done),
            "resolving": json_array(resolving),
            "blocking": json_array(blocking),
            "blocked": json_array(blocked),
            "at": tx.at,
            "known": tx.known_at,
        },
    )


def texts_beside(tx: Tx, entities: Sequence[int]) -> dict[int, list[str]]:
    """The aliases of entities, and the names and literals connected with them, by the rows of the entities."""
    table = facts.table_as_known(tx)
    rows = tx.conn.execute(
        f"""
        WITH wanted (id) AS MATERIALIZED (SELECT value FROM json_each(:entities))
        SELECT alias.entity, alias.alias FROM wanted JOIN alias ON alias.entity = wanted.id
        UNION ALL
        SELECT fact.subject, fact.literal
        FROM wanted JOIN {table} ON fact.subject = wanted.id
        WHERE fact.literal IS NOT NULL AND {FACT_HOLDS}
        UNION ALL
        SELECT fact.subject, entity.name
        FROM wanted JOIN {table} ON fact.subject = wanted.id JOIN entity ON entity.id = fact.object
        WHERE fact.object IS NOT NULL AND {FACT_HOLDS}
        UNION ALL
        SELECT fact.object, entity.name
        FROM wanted JOIN {table} ON fact.object = wanted.id JOIN entity ON entity.id = fact.subject
        WHERE fact.object IS NOT NULL AND {FACT_HOLDS}
        """,
        {"entities": json_array(entities), "at": tx.at, "known": tx.known_at},
    )
    texts: dict[int, list[str]] = {}
    for entity, text in rows:
        texts.setdefault(entity, []).append(text)
    return texts


def count_aliases(tx: Tx) -> int:
    """How many other names the entities of the group have."""
    return tx.number(
        "SELECT count(*) FROM alias JOIN entity ON entity.id = alias.entity WHERE entity.group_id = :group",
        {"group": tx.group},
    )


def count_proposals(tx: Tx) -> dict[str, int]:
    """How many names and facts were proposed by texts of the group, by kind: entity, fact."""
    return tx.mapping(
        f"SELECT kind, count(*) FROM proposal WHERE group_id = ? AND {UNDECIDED} GROUP BY kind", (tx.group,)
    )


def proposals(tx: Tx, *, kind: str, limit: int) -> list[int]:
    """The proposals of a kind in the group, by row, newest first."""
    return tx.column(
        f"SELECT id FROM proposal WHERE group_id = ? AND kind = ? AND {UNDECIDED} ORDER BY id DESC LIMIT +?",
        (tx.group, kind, limit),
    )


def _counted(tx: Tx, query: str, values: dict[str, Any], *, limit: int) -> tuple[list[tuple[str, int]], int]:
    """The texts that a query selects, most frequent first, with counts; and how many different ones there are."""
    # SQLite would sort all of them.
    counts = Counter(text for (text,) in tx.conn.execute(query, values))
    return sorted(counts.items(), key=lambda counted: (-counted[1], counted[0]))[:limit], len(counts)
