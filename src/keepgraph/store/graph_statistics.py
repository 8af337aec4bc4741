"""Statistics of the graph for the Cypher planner and catalogue: counts, ends of predicates, when facts change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from keepgraph.model import Entity
from keepgraph.store import cardinalities, entities, facts, groups, migrations
from keepgraph.store.connections import json_array
from keepgraph.store.migrations import FACT_HOLDS
from keepgraph.store.transactions import Tx


def all_hold_since(tx: Tx) -> str:
    """The timestamp from which every unretracted fact holds for ever; `~` if one ends."""
    return str(
        tx.conn.execute(
            """
            SELECT CASE WHEN EXISTS (SELECT 1 FROM fact WHERE retracted_at IS NULL AND valid_to <> '~') THEN '~'
                        ELSE coalesce((SELECT max(valid_from) FROM fact WHERE valid_from <> ''), '')
                   END
            """
        ).fetchone()[0]
    )


def next_boundary(tx: Tx) -> str:
    """The timestamp after which other facts hold than at this one, if nobody writes; `~` if there is none."""
    row = tx.conn.execute(
        """
        SELECT (SELECT min(valid_to) FROM fact WHERE retracted_at IS NULL AND valid_to <> '~' AND valid_to > :at),
               (SELECT min(valid_from) FROM fact WHERE valid_from <> '' AND valid_from > :at)
        """,
        {"at": tx.at},
    ).fetchone()
    return min((timestamp for timestamp in row if timestamp is not None), default="~")


@dataclass(frozen=True, slots=True)
class FactSample:
    """How many facts there are, and the times of a sample of them, evenly spread over all rows.

    Attributes:
        size: how many facts were examined.
        counts: how many facts each predicate has, without retracted ones; 1 if all are retracted.
        timestamps: those in the sample, sorted, by their column: `recorded_at`, `valid_from` and `valid_to`.
    """

    size: int
    counts: dict[int, int]
    timestamps: dict[str, list[str]]


def sample_facts(tx: Tx) -> FactSample:
    """A sample of the unretracted facts; of a small graph all of them."""
    last = largest_fact_row(tx)
    rows = tx.conn.execute(
        """
        WITH RECURSIVE place(id) AS (
            SELECT 1 UNION ALL SELECT id + :stride FROM place WHERE id < :last
        )
        SELECT recorded_at, valid_from, valid_to
        FROM place JOIN fact USING (id)
        WHERE retracted_at IS NULL
        """,
        {"last": last, "stride": max(1, last // _SAMPLE_SIZE)},
    ).fetchall()
    columns = {name: sorted(row[at] for row in rows) for at, name in enumerate(_TIMESTAMP_COLUMNS)}
    return FactSample(
        max(1, len(rows)),
        dict.fromkeys(used_predicates(tx), 1) | cardinalities.facts_by_predicate(tx),
        {name: [value for value in values if value not in _ABSENT] for name, values in columns.items()},
    )


_SAMPLE_SIZE = 2_000
_TIMESTAMP_COLUMNS = ("recorded_at", "valid_from", "valid_to")
_ABSENT = ("", "~")


def largest_fact_row(tx: Tx) -> int:
    """The row number of the fact recorded last; 0 if there is none."""
    return tx.number("SELECT coalesce(max(id), 0) FROM fact")


def some_entity_has_value(tx: Tx) -> bool:
    """Whether any entity, of whatever group, has a property called `value`; by an index, which is usually empty."""
    return tx.is_true("SELECT EXISTS (SELECT 1 FROM entity WHERE properties ->> '$.value' IS NOT NULL)")


def used_types(tx: Tx) -> list[int]:
    """The rows of the entity types in use, in any group."""
    return _distinct(tx, "entity", "type", "TRUE")


def used_predicates(tx: Tx) -> list[int]:
    """The rows of the predicates in use, even by a retracted fact."""
    current = _distinct(tx, "fact", "predicate", "retracted_at IS NULL")
    return sorted({*current, *_distinct(tx, "fact", "predicate", "retracted_at IS NOT NULL")})


def _distinct(tx: Tx, table: str, column: str, condition: str) -> list[int]:
    """The different values of a column that an index begins with, by one index look-up for each."""
    least = f"SELECT min({column}) FROM {table} WHERE {condition}"
    return tx.column(
        f"""
        WITH RECURSIVE value(number) AS (
            {least}
            UNION ALL
            SELECT ({least} AND {column} > value.number) FROM value WHERE value.number IS NOT NULL
        )
        SELECT number FROM value WHERE number IS NOT NULL
        """
    )


def has_other_ends(tx: Tx, predicate: int, subjects: Sequence[int], objects: Sequence[int]) -> bool:
    """Whether a fact of a predicate has a subject or an object of another type than these; no types means any."""
    return tx.is_true(
        """
        SELECT EXISTS (
            SELECT 1
            FROM fact_count
            WHERE predicate = :predicate AND facts > 0
              AND (:subjects <> '[]' AND subject_type NOT IN (SELECT value FROM json_each(:subjects))
                   OR :objects <> '[]' AND object_type <> 0
                      AND object_type NOT IN (SELECT value FROM json_each(:objects)))
        )
        """,
        {"predicate": predicate, "subjects": json_array(subjects), "objects": json_array(objects)},
    )


# Counts for the schema of a graph: which types facts connect, literals, and the keys of properties.
#
# A fact holds if a Cypher query would see it: not retracted, valid at a given timestamp, of the group of the call.

_VALID = "fact.valid_from <= :at AND :at < fact.valid_to"
HOLDS_IN_GROUP = f"{FACT_HOLDS} AND +s.group_id = :group"

# What is added to the counts of open facts to get the counts of those that hold at :at.
_NOT_OPEN = f"""
    SELECT subject, predicate, object, 1 AS sign FROM fact
    WHERE retracted_at IS NULL AND valid_to <> '~' AND valid_to > :at AND {_VALID}
    UNION ALL
    SELECT subject, predicate, object, -1 FROM fact
    WHERE retracted_at IS NULL AND valid_from <> '' AND valid_from > :at AND valid_to = '~'
"""

# What is added to the counts of all facts that hold at :at to get those of the facts known then.
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

# The facts that hold and were known, if those are fewer than the facts recorded later.
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


def count_patterns(tx: Tx) -> list[tuple[int, int, int | None, int]]:
    """The number of facts that hold, by predicate, type of the subject and type of the object; None is a literal.

    All three by row number. The counts of `cardinalities` are corrected by the facts that have an end, begin later or,
    with `tx.known_at`, were not yet or are no longer known: it takes as long as there are such facts. If fewer were
    known than unknown, the known ones are counted.
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
        {"at": tx.at, "group": tx.group, "known": tx.known_at},
    )
    for predicate, subject_type, object_type, difference in rows:
        ends = (predicate, subject_type, object_type)
        counts[ends] = counts.get(ends, 0) + difference
    return sorted(
        ((*ends, count) for ends, count in counts.items() if count), key=lambda row: (row[0], row[1], row[2] or 0)
    )


def count_named_patterns(tx: Tx) -> list[tuple[str, str, str, int]]:
    """The same with names ("literal" for a literal), most first."""
    predicates, types = (tx.mapping(f"SELECT id, name FROM {table}") for table in ("predicate", "entity_type"))
    return [
        (predicates[predicate], types[subject_type], types.get(object_type, "literal"), count)
        for predicate, subject_type, object_type, count in sorted(count_patterns(tx), key=lambda row: -row[3])
    ]


def count_open_patterns(tx: Tx) -> list[tuple[int, int, int | None, int]]:
    """The same for the facts without an end, as triggers keep them: almost exactly those that hold now."""
    return [(*count[:3], count.open_facts) for count in cardinalities.facts_by_ends(tx, group=tx.group)]


def _most_are_recorded_later(tx: Tx) -> bool:
    """Whether more than half of the facts were recorded after `tx.known_at`, by the order of their rows."""
    return tx.is_true(
        """
        SELECT 2 * coalesce((SELECT id FROM fact WHERE recorded_at <= :known ORDER BY recorded_at DESC LIMIT 1), 0)
               < coalesce((SELECT max(id) FROM fact), 0)
        """,
        {"known": tx.known_at},
    )


def count_unknown_entities(tx: Tx) -> dict[int, int]:
    """How many entities of the group were unknown at `tx.known_at`, by the row of their type. It reads them all."""
    known = migrations.KNOWN_ENTITY.format(row="entity", known=":known")
    return tx.mapping(
        f"SELECT type, count(*) FROM entity WHERE group_id = :group AND NOT {known} GROUP BY type",
        {"group": tx.group, "known": tx.known_at},
    )


def count_literals(tx: Tx) -> int:
    """The number of different literals of facts that hold."""
    # Without other groups the index of literals has everything.
    in_group = "TRUE" if groups.is_only_group(tx) else "subject IN (SELECT id FROM entity WHERE group_id = :group)"
    return tx.number(
        f"""
        SELECT count(DISTINCT fact.literal)
        FROM {facts.table_as_known(tx)}
        WHERE fact.literal IS NOT NULL AND {FACT_HOLDS} AND {in_group}
        """,
        {"at": tx.at, "group": tx.group, "known": tx.known_at},
    )


def property_keys(tx: Tx, *, type_row: int, sample: int | None) -> list[tuple[str, str]]:
    """The keys of the properties that entities of a type have, each with the types of its values as SQLite names them.

    Args:
        sample: examine this many entities, half of them the oldest and half the newest: those show how the graph was
            used and how it is used now. None is all.
    """
    known = "TRUE" if tx.known_at is None else migrations.KNOWN_ENTITY.format(row="entity", known=":known")
    all_rows = f"SELECT properties FROM entity WHERE type = :type AND group_id = :group AND {known}"
    sampled_rows = f"""
        SELECT * FROM ({all_rows} ORDER BY id LIMIT +:half)
        UNION ALL
        SELECT * FROM ({all_rows} ORDER BY id DESC LIMIT +:half)
    """
    return tx.rows(
        f"""
        SELECT DISTINCT property.key, property.type
        FROM ({all_rows if sample is None else sampled_rows}) AS entity, json_each(entity.properties) AS property
        WHERE entity.properties <> '{{}}' AND property.type <> 'null'
        ORDER BY property.key, property.type
        """,
        {"type": type_row, "group": tx.group, "half": (sample or 0) // 2, "known": tx.known_at},
    )


def next_change(tx: Tx, *, after: str) -> str | None:
    """The first timestamp after this one at which a fact begins or ceases to hold, as known now."""
    changes: list[str | None] = tx.column(
        """
        SELECT min(change)
        FROM (
            SELECT min(valid_from) AS change FROM fact WHERE valid_from > :after AND valid_from <> ''
            UNION ALL
            SELECT min(valid_to) FROM fact WHERE valid_to > :after AND valid_to <> '~' AND retracted_at IS NULL
        )
        """,
        {"after": after},
    )
    return changes[0]


# A cache of results computed from current facts, until somebody writes, or a fact begins or ends.

T = TypeVar("T")
_MAX_INSTANTS = 8


@dataclass(frozen=True, slots=True)
class _Timed:
    """A value, and the timestamps from which and until which it is valid if nobody writes."""

    known_at: str | None
    since: str
    until: str | None
    value: Any


def cached(tx: Tx, key: Hashable, compute: Callable[[], T], *, is_final: Callable[[T], bool] = lambda _: True) -> T:
    """The value for a key at the instant of the call, recomputed if other facts hold.

    Args:
        is_final: whether a value may be kept.
    """
    at = tx.at
    entries: list[_Timed] = tx.cached(("timed", tx.group, key), list)
    for entry in entries:
        holds = entry.since == at or (entry.since < at and (entry.until is None or at < entry.until))
        if holds and entry.known_at == tx.known_at:
            known: T = entry.value
            return known
    value = compute()
    if is_final(value):
        del entries[: 1 - _MAX_INSTANTS]
        # As known at another instant, changes of facts are not looked up: the value is kept for this instant only.
        until = next_change(tx, after=at) if tx.known_at is None else at
        entries.append(_Timed(tx.known_at, at, until, value))
    return value


# SQL for the overview of a graph: what is newest in it, found without reading all of it.


def newest_facts(tx: Tx, *, scanned: int, limit: int) -> list[int]:
    """The rows of the newest current facts of the group, newest first, from a limited number of all groups."""
    return tx.column(
        """
        SELECT newest.id
        FROM (SELECT id, subject, valid_from, valid_to, retracted_at, recorded_at FROM fact
              ORDER BY recorded_at DESC, id DESC LIMIT +:scanned) AS newest
        CROSS JOIN entity AS s ON s.id = newest.subject
        WHERE newest.retracted_at IS NULL AND newest.valid_from <= :at AND :at < newest.valid_to
          AND s.group_id = :group
        ORDER BY newest.recorded_at DESC, newest.id DESC
        LIMIT +:limit
        """,
        {"at": tx.at, "scanned": scanned, "limit": limit, "group": tx.group},
    )


def newest_fact_by_entity(tx: Tx, types: Sequence[str], *, scanned: int, limit: int) -> list[tuple[int, int]]:
    """The entities of these types with the newest facts, and the newest of each that holds, both by row.

    Only a limited number of the newest facts of all groups is examined.
    """
    rows = tx.conn.execute(
        """
        WITH newest AS MATERIALIZED (
            SELECT id, subject, object, valid_from, valid_to, recorded_at FROM fact
            WHERE retracted_at IS NULL
            ORDER BY recorded_at DESC, id DESC LIMIT +:scanned
        ),
        ends AS (
            SELECT subject AS end, id, recorded_at FROM newest WHERE valid_from <= :at AND :at < valid_to
            UNION ALL
            SELECT object, id, recorded_at FROM newest
            WHERE valid_from <= :at AND :at < valid_to AND object IS NOT NULL
        )
        SELECT entity.id, ends.id, max(ends.recorded_at || printf('%020d', ends.id)) AS newest_of_entity
        FROM ends
        CROSS JOIN entity ON entity.id = ends.end
        WHERE entity.group_id = :group
          AND entity.type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:types)))
        GROUP BY entity.id
        ORDER BY newest_of_entity DESC
        LIMIT +:limit
        """,
        {"types": json_array(types), "at": tx.at, "scanned": scanned, "limit": limit, "group": tx.group},
    )
    return [(entity, fact) for entity, fact, _ in rows]


def newest_entities(tx: Tx, types: Sequence[str], *, limit: int) -> list[Entity]:
    """The newest entities of these types, newest first."""
    numbers = tx.column(
        """
        SELECT id FROM entity
        WHERE type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:types)))
          AND group_id = :group
        ORDER BY id DESC
        LIMIT +:limit
        """,
        {"types": json_array(types), "group": tx.group, "limit": limit},
    )
    found = entities.by_rows(tx, numbers)
    return [found[number] for number in numbers]


def newest_rows_of_predicates(tx: Tx, predicates: Sequence[str], *, limit: int) -> tuple[list[tuple[int, int]], int]:
    """The facts of these predicates recorded last, as rows of fact and subject; and how many there are."""
    condition = """
        predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:names)))
        AND retracted_at IS NULL
    """
    values = {"names": json_array(predicates), "limit": limit}
    rows = tx.rows(f"SELECT id, subject FROM fact WHERE {condition} ORDER BY id DESC LIMIT +:limit", values)
    return rows, tx.number(f"SELECT count(*) FROM fact WHERE {condition}", values)
