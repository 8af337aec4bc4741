"""Cardinalities: how many entities and facts there are by type, predicate and ends, kept by triggers (ADR 0057).

Reading them takes one row for each combination, however large the graph is.
"""

from __future__ import annotations

from typing import NamedTuple

from keepgraph.store.group_conflicts import in_group
from keepgraph.store.migrations import FACT_HOLDS, HOLDS
from keepgraph.store.transactions import Tx


class FactCount(NamedTuple):
    """Facts that are not retracted, of one predicate between two types.

    Attributes:
        predicate, subject_type, object_type: row numbers; None is a literal.
        facts: whenever they hold.
        open_facts: those without an end of validity.
    """

    predicate: int
    subject_type: int
    object_type: int | None
    facts: int
    open_facts: int


def facts_by_ends(tx: Tx, *, group: str | None = None) -> list[FactCount]:
    """The counts of facts by predicate, type of the subject and type of the object, in that order.

    Args:
        group: the group of the subjects; None is all groups together.
    """
    rows = tx.conn.execute(
        """
        SELECT predicate, subject_type, nullif(object_type, 0), sum(facts), sum(open_facts)
        FROM fact_count
        WHERE :group IS NULL OR group_id = :group
        GROUP BY predicate, subject_type, object_type
        HAVING sum(facts) > 0
        ORDER BY predicate, subject_type, object_type
        """,
        {"group": group},
    )
    return [FactCount(*row) for row in rows]


def facts_by_predicate(tx: Tx) -> dict[int, int]:
    """How many facts of all groups each predicate has, by row, without retracted ones."""
    return tx.mapping("SELECT predicate, sum(facts) FROM fact_count GROUP BY predicate HAVING sum(facts) > 0")


def entities_by_type(tx: Tx, *, group: str | None = None) -> dict[int, int]:
    """How many entities each type has, by row.

    Args:
        group: the group of the entities; None is all groups together.
    """
    return tx.mapping(
        """
        SELECT type, sum(entities)
        FROM entity_count
        WHERE :group IS NULL OR group_id = :group
        GROUP BY type
        HAVING sum(entities) > 0
        """,
        {"group": group},
    )


def count_wrong(tx: Tx) -> int:
    """How many of the stored counts are wrong. Reads all entities and facts."""
    return sum(
        tx.number(f"""
            SELECT count(*) FROM (
                SELECT * FROM (SELECT * FROM ({counted} EXCEPT SELECT * FROM {table})
                               UNION ALL
                               SELECT * FROM (SELECT * FROM {table} WHERE {count} <> 0 EXCEPT {counted}))
                GROUP BY {key}
            )
            """)
        for table, key, count, counted in _COUNTED
    )


def count_again(tx: Tx) -> None:
    """Replace the stored counts by fresh ones."""
    for table, _, _, counted in _COUNTED:
        tx.conn.execute(f"DELETE FROM {table}")
        tx.conn.execute(f"INSERT INTO {table} {counted}")


_COUNTED = (
    (
        "entity_count",
        "group_id, type",
        "entities",
        "SELECT group_id, type, count(*) AS entities FROM entity GROUP BY group_id, type",
    ),
    (
        "fact_count",
        "group_id, predicate, subject_type, object_type",
        "facts",
        """
        SELECT s.group_id, fact.predicate, s.type AS subject_type, coalesce(o.type, 0) AS object_type,
               count(*) AS facts, sum(fact.valid_to = '~') AS open_facts
        FROM fact
        JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
        WHERE fact.retracted_at IS NULL
        GROUP BY s.group_id, fact.predicate, s.type, coalesce(o.type, 0)
        """,
    ),
)
"""Each table of counts: its key, the count that is 0 when nothing is left, and SQL for its proper content."""


# SQL for statistics of predicates: how many objects a subject has, and how many facts hold in reverse.


def count_objects_by_subject(tx: Tx) -> list[tuple[int, int, int]]:
    """For each predicate, by row: how many subjects have a current fact, and how many have exactly one."""
    return _count_by_end(tx, "subject", "coalesce(object, literal)")


def count_subjects_by_object(tx: Tx) -> list[tuple[int, int, int]]:
    """For each predicate, by row: how many objects there are now, and how many have exactly one subject."""
    return _count_by_end(tx, "coalesce(object, literal)", "subject")


def count_changes(tx: Tx, predicate: int) -> int:
    """How many subjects have an ended fact of a predicate and another current one."""
    return tx.number(
        f"""
        SELECT count(DISTINCT ended.subject)
        FROM fact AS ended
        WHERE ended.predicate = :predicate AND ended.retracted_at IS NULL AND ended.valid_to <= :at
          AND {in_group(tx, "ended")}
          AND EXISTS (SELECT 1 FROM fact WHERE fact.predicate = :predicate AND fact.subject = ended.subject
                      AND {FACT_HOLDS})
        """,
        {"predicate": predicate, "at": tx.at, "group": tx.group},
    )


def count_reversed(tx: Tx, predicate: int) -> tuple[int, int, int]:
    """How many facts of a predicate hold between two entities now, how many of them in reverse as well, and
    how many entities are at both ends."""
    row = tx.conn.execute(
        f"""
        WITH pair AS MATERIALIZED (
            SELECT subject, object FROM fact
            WHERE predicate = :predicate AND object IS NOT NULL AND subject <> object AND {HOLDS}
              AND {in_group(tx, "fact")}
        )
        SELECT count(*),
               coalesce(sum(EXISTS (
                   SELECT 1 FROM fact WHERE fact.subject = pair.object AND fact.predicate = :predicate
                     AND fact.object = pair.subject AND fact.object IS NOT NULL AND {FACT_HOLDS})), 0),
               (SELECT count(*) FROM (SELECT subject FROM pair INTERSECT SELECT object FROM pair))
        FROM pair
        """,
        {"predicate": predicate, "at": tx.at, "group": tx.group},
    ).fetchone()
    return int(row[0]), int(row[1]), int(row[2])


def most_common_type(tx: Tx, predicate: int) -> int | None:
    """The type that most of the given subjects of a predicate have, by row."""
    return tx.value(
        f"""
        SELECT type FROM (
            SELECT entity.type AS type FROM fact JOIN entity ON entity.id = fact.subject
            WHERE fact.predicate = :predicate AND fact.retracted_at IS NULL AND :at < fact.valid_to
              AND {in_group(tx, "fact")}
            LIMIT 1000
        )
        GROUP BY type ORDER BY count(*) DESC, type LIMIT 1
        """,
        {"predicate": predicate, "at": tx.at, "group": tx.group},
    )


def _count_by_end(tx: Tx, end: str, other: str) -> list[tuple[int, int, int]]:
    return tx.rows(
        f"""
        SELECT predicate, count(*), sum(others = 1) FROM (
            SELECT predicate, count(DISTINCT {other}) AS others
            FROM fact
            WHERE {HOLDS} AND {in_group(tx, "fact")}
            GROUP BY predicate, {end}
        )
        GROUP BY predicate
        """,
        {"at": tx.at, "group": tx.group},
    )
