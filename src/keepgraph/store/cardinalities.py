"""Cardinalities: how many entities and facts there are by type, predicate and ends, as triggers keep them (ADR 0057).

Reading them takes as many rows as there are different combinations, however large the graph is.
"""

from __future__ import annotations

from typing import NamedTuple

from keepgraph.store.connections import fetch_count
from keepgraph.store.transactions import Tx


class FactCount(NamedTuple):
    """Facts that are not retracted, of one predicate between two types.

    Attributes:
        predicate, subject_type, object_type: row numbers; None is a literal.
        facts: whenever they hold.
        open_facts: those of them whose validity has no end.
    """

    predicate: int
    subject_type: int
    object_type: int | None
    facts: int
    open_facts: int


def facts_by_ends(tx: Tx, *, group: str | None = None) -> list[FactCount]:
    """The counts of facts by predicate, type of the subject and type of the object, in the order of these.

    Args:
        group: that of the subjects; None is all groups together.
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
    """How many facts of all groups there are of each predicate, by row, retracted ones left out."""
    rows = tx.conn.execute("SELECT predicate, sum(facts) FROM fact_count GROUP BY predicate HAVING sum(facts) > 0")
    return dict(rows.fetchall())


def entities_by_type(tx: Tx, *, group: str | None = None) -> dict[int, int]:
    """How many entities there are of each type, by row.

    Args:
        group: that of the entities; None is all groups together.
    """
    rows = tx.conn.execute(
        """
        SELECT type, sum(entities)
        FROM entity_count
        WHERE :group IS NULL OR group_id = :group
        GROUP BY type
        HAVING sum(entities) > 0
        """,
        {"group": group},
    )
    return dict(rows.fetchall())


def count_wrong(tx: Tx) -> int:
    """How many of the kept counts are not what counting gives. It reads all entities and facts."""
    return sum(
        fetch_count(
            tx.conn,
            f"""
            SELECT count(*) FROM (
                SELECT * FROM (SELECT * FROM ({counted} EXCEPT SELECT * FROM {table})
                               UNION ALL
                               SELECT * FROM (SELECT * FROM {table} WHERE {count} <> 0 EXCEPT {counted}))
                GROUP BY {key}
            )
            """,
        )
        for table, key, count, counted in _COUNTED
    )


def count_again(tx: Tx) -> None:
    """Put what counting gives in the place of the kept counts."""
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
"""Each table of counts: its key, the count that is 0 where nothing is left, and SQL for what it should hold."""
