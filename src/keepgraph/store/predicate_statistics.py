"""SQL for statistics of predicates: how many objects a subject has, and how many facts hold the other way round."""

from __future__ import annotations

from keepgraph.store.group_conflicts import in_group
from keepgraph.store.transactions import Tx


def count_objects_by_subject(tx: Tx, *, now: str) -> list[tuple[int, int, int]]:
    """For each predicate, by row, of how many subjects something holds now, and of how many exactly one thing does."""
    return _count_by_end(tx, "subject", "coalesce(object, literal)", now=now)


def count_subjects_by_object(tx: Tx, *, now: str) -> list[tuple[int, int, int]]:
    """For each predicate, by row, how many objects there are now, and how many of them have exactly one subject."""
    return _count_by_end(tx, "coalesce(object, literal)", "subject", now=now)


def count_changes(tx: Tx, predicate: int, *, now: str) -> int:
    """Of how many subjects a fact of a predicate has ended and another one holds now."""
    row = tx.conn.execute(
        f"""
        SELECT count(DISTINCT ended.subject)
        FROM fact AS ended
        WHERE ended.predicate = :predicate AND ended.retracted_at IS NULL AND ended.valid_to <= :now
          AND {in_group(tx, "ended")}
          AND EXISTS (SELECT 1 FROM fact WHERE fact.predicate = :predicate AND fact.subject = ended.subject
                      AND fact.retracted_at IS NULL AND fact.valid_from <= :now AND :now < fact.valid_to)
        """,
        {"predicate": predicate, "now": now, "group": tx.group},
    ).fetchone()
    return int(row[0])


def count_reversed(tx: Tx, predicate: int, *, now: str) -> tuple[int, int, int]:
    """How many facts of a predicate hold between two entities now, how many of them the other way round as well, and
    how many entities are at either end of some."""
    row = tx.conn.execute(
        f"""
        WITH pair AS MATERIALIZED (
            SELECT subject, object FROM fact
            WHERE predicate = :predicate AND object IS NOT NULL AND subject <> object AND retracted_at IS NULL
              AND valid_from <= :now AND :now < valid_to AND {in_group(tx, "fact")}
        )
        SELECT count(*),
               coalesce(sum(EXISTS (
                   SELECT 1 FROM fact WHERE fact.subject = pair.object AND fact.predicate = :predicate
                     AND fact.object = pair.subject AND fact.object IS NOT NULL AND fact.retracted_at IS NULL
                     AND valid_from <= :now AND :now < valid_to)), 0),
               (SELECT count(*) FROM (SELECT subject FROM pair INTERSECT SELECT object FROM pair))
        FROM pair
        """,
        {"predicate": predicate, "now": now, "group": tx.group},
    ).fetchone()
    return int(row[0]), int(row[1]), int(row[2])


def most_common_type(tx: Tx, predicate: int, *, now: str) -> int | None:
    """The type that most of some subjects of a predicate have, by row."""
    row = tx.conn.execute(
        f"""
        SELECT type FROM (
            SELECT entity.type AS type FROM fact JOIN entity ON entity.id = fact.subject
            WHERE fact.predicate = :predicate AND fact.retracted_at IS NULL AND :now < fact.valid_to
              AND {in_group(tx, "fact")}
            LIMIT 1000
        )
        GROUP BY type ORDER BY count(*) DESC, type LIMIT 1
        """,
        {"predicate": predicate, "now": now, "group": tx.group},
    ).fetchone()
    return int(row[0]) if row else None


def _count_by_end(tx: Tx, end: str, other: str, *, now: str) -> list[tuple[int, int, int]]:
    rows = tx.conn.execute(
        f"""
        SELECT predicate, count(*), sum(others = 1) FROM (
            SELECT predicate, count(DISTINCT {other}) AS others
            FROM fact
            WHERE retracted_at IS NULL AND valid_from <= :now AND :now < valid_to AND {in_group(tx, "fact")}
            GROUP BY predicate, {end}
        )
        GROUP BY predicate
        """,
        {"now": now, "group": tx.group},
    )
    return rows.fetchall()  # type: ignore[no-any-return]
