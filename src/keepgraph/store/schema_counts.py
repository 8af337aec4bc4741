"""Counts for the schema of a graph: which types facts connect, literals, and the keys of properties.

A fact holds if a Cypher query would see it: not retracted, valid at a given timestamp, of the group of the call.
"""

from __future__ import annotations

from keepgraph.store import cardinalities, catalogue_sql, facts, groups
from keepgraph.store.transactions import Tx

_VALID = "fact.valid_from <= :at AND :at < fact.valid_to"
HOLDS = f"fact.retracted_at IS NULL AND {_VALID} AND +s.group_id = :group"

# What is to be added to the counts of open facts, so that they become the counts of those that hold at :at.
_NOT_OPEN = f"""
    SELECT subject, predicate, object, 1 AS sign FROM fact
    WHERE retracted_at IS NULL AND valid_to <> '~' AND valid_to > :at AND {_VALID}
    UNION ALL
    SELECT subject, predicate, object, -1 FROM fact
    WHERE retracted_at IS NULL AND valid_from <> '' AND valid_from > :at AND valid_to = '~'
"""

# What is to be added to the counts of all facts that hold at :at, for those of the facts that were known then.
_NOT_KNOWN = f"""
    SELECT subject, predicate, object, -1 FROM fact INDEXED BY fact_recorded
    WHERE recorded_at > :known AND known_from = '' AND retracted_at IS NULL AND {_VALID}
    UNION ALL
    SELECT subject, predicate, object, -1 FROM fact INDEXED BY fact_known
    WHERE known_from > :known AND known_from <> '' AND retracted_at IS NULL AND {_VALID}
    UNION ALL
    SELECT subject, predicate, object, 1 FROM fact
    WHERE retracted_at > :known AND iif(known_from = '', recorded_at, known_from) <= :known AND {_VALID}
    UNION ALL
    SELECT subject, predicate, object, 1
    FROM earlier_validity AS earlier CROSS JOIN fact ON fact.id = earlier.fact
    WHERE earlier.known_from <= :known AND :known < earlier.known_to
      AND earlier.valid_from <= :at AND :at < earlier.valid_to
"""

# The facts that hold and were known, where those are fewer than the facts that were recorded later.
_KNOWN = f"""
    SELECT subject, predicate, object, 1 AS sign FROM fact INDEXED BY fact_recorded
    WHERE recorded_at <= :known AND iif(known_from = '', recorded_at, known_from) <= :known
      AND (retracted_at IS NULL OR retracted_at > :known) AND {_VALID}
    UNION ALL
    SELECT subject, predicate, object, 1
    FROM earlier_validity AS earlier CROSS JOIN fact ON fact.id = earlier.fact
    WHERE earlier.known_from <= :known AND :known < earlier.known_to
      AND earlier.valid_from <= :at AND :at < earlier.valid_to
"""


def count_patterns(tx: Tx, *, at: str) -> list[tuple[int, int, int | None, int]]:
    """The number of facts that hold, by predicate, type of the subject and type of the object; None is a literal.

    All three by row number. The counts of `cardinalities` are corrected by the facts that have an end, begin later or,
    with `tx.known_at`, were not known or are not known any more: it takes as long as there are such facts. Where fewer
    were known than were not, those that were are counted.
    """
    counts: dict[tuple[int, int, int | None], int] = {}
    if tx.known_at is not None and _most_are_recorded_later(tx):
        changes = _KNOWN
    else:
        counts = {count[:3]: count.open_facts for count in cardinalities.facts_by_ends(tx, group=tx.group)}
        changes = _NOT_OPEN if tx.known_at is None else f"{_NOT_OPEN} UNION ALL {_NOT_KNOWN}"
    # CROSS JOIN keeps the changes first.
    rows = tx.conn.execute(
        f"""
        SELECT change.predicate, s.type, o.type, sum(change.sign)
        FROM ({changes}) AS change
        CROSS JOIN entity AS s ON s.id = change.subject
        LEFT JOIN entity AS o ON o.id = change.object
        WHERE s.group_id = :group
        GROUP BY change.predicate, s.type, o.type
        """,
        {"at": at, "group": tx.group, "known": tx.known_at},
    )
    for predicate, subject_type, object_type, difference in rows:
        ends = (predicate, subject_type, object_type)
        counts[ends] = counts.get(ends, 0) + difference
    return sorted(
        ((*ends, count) for ends, count in counts.items() if count), key=lambda row: (row[0], row[1], row[2] or 0)
    )


def count_open_patterns(tx: Tx) -> list[tuple[int, int, int | None, int]]:
    """The same of the facts that have no end, as triggers keep them: at any moment nearly those that hold now."""
    return [(*count[:3], count.open_facts) for count in cardinalities.facts_by_ends(tx, group=tx.group)]


def _most_are_recorded_later(tx: Tx) -> bool:
    """Whether more than half of the facts were recorded after `tx.known_at`, by the order of their rows."""
    row = tx.conn.execute(
        """
        SELECT 2 * coalesce((SELECT id FROM fact WHERE recorded_at <= :known ORDER BY recorded_at DESC LIMIT 1), 0)
               < coalesce((SELECT max(id) FROM fact), 0)
        """,
        {"known": tx.known_at},
    ).fetchone()
    return bool(row[0])


def count_unknown_entities(tx: Tx) -> dict[int, int]:
    """How many entities of the group were not known at `tx.known_at`, by the row of their type. It reads them all."""
    known = catalogue_sql.KNOWN_ENTITY.format(row="entity", known=":known")
    rows = tx.conn.execute(
        f"SELECT type, count(*) FROM entity WHERE group_id = :group AND NOT {known} GROUP BY type",
        {"group": tx.group, "known": tx.known_at},
    )
    return dict(rows.fetchall())


def count_literals(tx: Tx, *, at: str) -> int:
    """The number of different literals of facts that hold."""
    # Without other groups the index of literals has all that is asked for.
    in_group = "TRUE" if groups.is_only_group(tx) else "subject IN (SELECT id FROM entity WHERE group_id = :group)"
    row = tx.conn.execute(
        f"""
        SELECT count(DISTINCT fact.literal)
        FROM {facts.table_as_known(tx)}
        WHERE fact.literal IS NOT NULL AND fact.retracted_at IS NULL AND {_VALID} AND {in_group}
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
    known = "TRUE" if tx.known_at is None else catalogue_sql.KNOWN_ENTITY.format(row="entity", known=":known")
    all_rows = f"SELECT properties FROM entity WHERE type = :type AND group_id = :group AND {known}"
    sampled_rows = f"""
        SELECT * FROM ({all_rows} ORDER BY id LIMIT +:half)
        UNION ALL
        SELECT * FROM ({all_rows} ORDER BY id DESC LIMIT +:half)
    """
    rows = tx.conn.execute(
        f"""
        SELECT DISTINCT property.key, property.type
        FROM ({all_rows if sample is None else sampled_rows}) AS entity, json_each(entity.properties) AS property
        WHERE entity.properties <> '{{}}' AND property.type <> 'null'
        ORDER BY property.key, property.type
        """,
        {"type": type_row, "group": tx.group, "half": (sample or 0) // 2, "known": tx.known_at},
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
