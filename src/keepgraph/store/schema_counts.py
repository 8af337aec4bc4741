"""Counts for the schema of a graph: which types facts connect, literals, and the keys of properties.

A fact holds if a Cypher query would see it: not retracted, valid at a given timestamp, of the group of the call.
"""

from __future__ import annotations

from keepgraph.store import facts
from keepgraph.store.transactions import Tx

HOLDS = "fact.retracted_at IS NULL AND fact.valid_from <= :at AND :at < fact.valid_to AND +s.group_id = :group"


def count_patterns(tx: Tx, *, at: str) -> list[tuple[int, int, int | None, int]]:
    """The number of facts that hold, by predicate, type of the subject and type of the object; None is a literal.

    All three by row number.
    """
    # CROSS JOIN keeps the facts first: they are read in the order of an index with all these columns.
    rows = tx.conn.execute(
        f"""
        SELECT fact.predicate, s.type, o.type, count(*)
        FROM {facts.table_as_known(tx)}
        CROSS JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
        WHERE {HOLDS}
        GROUP BY fact.predicate, s.type, o.type
        """,
        {"at": at, "group": tx.group, "known": tx.known_at},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def count_literals(tx: Tx, *, at: str) -> int:
    """The number of different literals of facts that hold."""
    row = tx.conn.execute(
        f"""
        SELECT count(DISTINCT fact.literal)
        FROM {facts.table_as_known(tx)}
        CROSS JOIN entity AS s ON s.id = fact.subject
        WHERE fact.literal IS NOT NULL AND {HOLDS}
        """,
        {"at": at, "group": tx.group, "known": tx.known_at},
    ).fetchone()
    return int(row[0])


def property_keys(tx: Tx, *, type_row: int, sample: int | None) -> list[tuple[str, str]]:
    """The keys of the properties that entities of a type have, each with the types of its values as SQLite names them.

    Args:
        sample: look at so many entities, half of them the oldest and half the newest: those show how the graph was used
            and how it is used now. None is all.
    """
    all_rows = "SELECT properties FROM entity WHERE type = :type AND group_id = :group"
    sampled_rows = f"""
        SELECT * FROM ({all_rows} ORDER BY id LIMIT :half)
        UNION ALL
        SELECT * FROM ({all_rows} ORDER BY id DESC LIMIT :half)
    """
    rows = tx.conn.execute(
        f"""
        SELECT DISTINCT property.key, property.type
        FROM ({all_rows if sample is None else sampled_rows}) AS entity, json_each(entity.properties) AS property
        WHERE entity.properties <> '{{}}' AND property.type <> 'null'
        ORDER BY property.key, property.type
        """,
        {"type": type_row, "group": tx.group, "half": (sample or 0) // 2},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def next_change(tx: Tx, *, after: str) -> str | None:
    """The first timestamp after this one at which a fact begins or ceases to hold, as far as is known now."""
    row = tx.conn.execute(
        """
        SELECT min(change)
        FROM (
            SELECT min(valid_from) AS change FROM fact WHERE valid_from > :after AND valid_from <> ''
            UNION ALL
            SELECT min(valid_to) FROM fact WHERE valid_to > :after AND valid_to <> '~' AND retracted_at IS NULL
        )
        """,
        {"after": after},
    ).fetchone()
    return row[0]  # type: ignore[no-any-return]
