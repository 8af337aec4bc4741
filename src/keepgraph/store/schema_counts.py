"""Counts what there is, to describe the graph: what facts connect, literals, the keys of properties. Decides nothing.

What holds is what queries in Cypher see: not retracted, valid at a given stamp, of the group of the call.
"""

from __future__ import annotations

from keepgraph.store import facts
from keepgraph.store.database import Tx

_HELD = "fact.retracted_at IS NULL AND fact.valid_from <= :at AND :at < fact.valid_to AND +s.group_id = :group"


def patterns(tx: Tx, *, at: str) -> list[tuple[int, int, int | None, int]]:
    """How many facts held by predicate, type of the subject and type of the object; None is a literal.

    All three by their row numbers.
    """
    # Through the facts in the order of an index that holds all of this, and never otherwise.
    rows = tx.conn.execute(
        f"""
        SELECT fact.predicate, s.type, o.type, count(*)
        FROM {facts.seen(tx)}
        CROSS JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
        WHERE {_HELD}
        GROUP BY fact.predicate, s.type, o.type
        """,
        {"at": at, "group": tx.group, "known": tx.known_at},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def count_literals(tx: Tx, *, at: str) -> int:
    """How many different texts facts held."""
    row = tx.conn.execute(
        f"""
        SELECT count(DISTINCT fact.literal)
        FROM {facts.seen(tx)}
        CROSS JOIN entity AS s ON s.id = fact.subject
        WHERE fact.literal IS NOT NULL AND {_HELD}
        """,
        {"at": at, "group": tx.group, "known": tx.known_at},
    ).fetchone()
    return int(row[0])


def keys(tx: Tx, *, type_row: int, sample: int | None) -> list[tuple[str, str]]:
    """The keys of the properties that entities of a type have, each with SQLite's word for the kind of its value.

    With `sample`, of the oldest and the newest entities, so many in all; those show how the graph was used and is.
    """
    ours = "SELECT properties FROM entity WHERE type = :type AND group_id = :group"
    some = f"""
        SELECT * FROM ({ours} ORDER BY id LIMIT :half)
        UNION ALL
        SELECT * FROM ({ours} ORDER BY id DESC LIMIT :half)
    """
    rows = tx.conn.execute(
        f"""
        SELECT DISTINCT held.key, held.type
        FROM ({ours if sample is None else some}) AS had, json_each(had.properties) AS held
        WHERE had.properties <> '{{}}' AND held.type <> 'null'
        ORDER BY held.key, held.type
        """,
        {"type": type_row, "group": tx.group, "half": (sample or 0) // 2},
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def next_change(tx: Tx, *, after: str) -> str | None:
    """The first stamp after this one at which a fact begins or ceases to hold, as far as is known now."""
    row = tx.conn.execute(
        """
        SELECT min(moment)
        FROM (
            SELECT min(valid_from) AS moment FROM fact WHERE valid_from > :after AND valid_from <> ''
            UNION ALL
            SELECT min(valid_to) FROM fact WHERE valid_to > :after AND valid_to <> '~' AND retracted_at IS NULL
        )
        """,
        {"after": after},
    ).fetchone()
    return row[0]  # type: ignore[no-any-return]
