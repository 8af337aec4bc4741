"""Statistics of the graph for the Cypher planner and catalogue: counts, ends of predicates, when facts change."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from keepgraph.store import cardinalities
from keepgraph.store.transactions import Tx


def all_hold_since(tx: Tx) -> str:
    """The timestamp from which on every fact that is not retracted holds for ever; `~` if one ends."""
    return str(
        tx.conn.execute(
            """
            SELECT CASE WHEN EXISTS (SELECT 1 FROM fact WHERE retracted_at IS NULL AND valid_to <> '~') THEN '~'
                        ELSE coalesce((SELECT max(valid_from) FROM fact WHERE valid_from <> ''), '')
                   END
            """
        ).fetchone()[0]
    )


def next_boundary(tx: Tx, *, at: str) -> str:
    """The timestamp after which other facts hold than at this one, if nobody writes; `~` if there is none."""
    row = tx.conn.execute(
        """
        SELECT (SELECT min(valid_to) FROM fact WHERE retracted_at IS NULL AND valid_to <> '~' AND valid_to > :at),
               (SELECT min(valid_from) FROM fact WHERE valid_from <> '' AND valid_from > :at)
        """,
        {"at": at},
    ).fetchone()
    return min((timestamp for timestamp in row if timestamp is not None), default="~")


def count_entities_by_type(tx: Tx) -> dict[int, int]:
    """How many entities there are of each type."""
    return cardinalities.entities_by_type(tx)


@dataclass(frozen=True, slots=True)
class FactSample:
    """How many facts there are, and what some of them, evenly spread over all rows, say of their times.

    Attributes:
        size: how many facts were looked at.
        counts: how many facts each predicate has, retracted ones left out; 1 where all are retracted.
        timestamps: those in the sample, sorted, by their column: `recorded_at`, `valid_from` and `valid_to`.
    """

    size: int
    counts: dict[int, int]
    timestamps: dict[str, list[str]]


def sample_facts(tx: Tx) -> FactSample:
    """A sample of the facts that are not retracted; of a small graph all of them."""
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
    """The row number of the fact that was recorded last; 0 where there is none."""
    return int(tx.conn.execute("SELECT coalesce(max(id), 0) FROM fact").fetchone()[0])


def some_entity_has_value(tx: Tx) -> bool:
    """Whether an entity, of whatever group, has a property called `value`; by an index, which is usually empty."""
    return bool(
        tx.conn.execute("SELECT EXISTS (SELECT 1 FROM entity WHERE properties ->> '$.value' IS NOT NULL)").fetchone()[0]
    )


def used_types(tx: Tx) -> list[int]:
    """The rows of the entity types that some entity has, of whatever group."""
    return _distinct(tx, "entity", "type", "TRUE")


def used_predicates(tx: Tx) -> list[int]:
    """The rows of the predicates that some fact has, a retracted one too."""
    current = _distinct(tx, "fact", "predicate", "retracted_at IS NULL")
    return sorted({*current, *_distinct(tx, "fact", "predicate", "retracted_at IS NOT NULL")})


def _distinct(tx: Tx, table: str, column: str, condition: str) -> list[int]:
    """The different values of a column that an index begins with, by one look into the index for each."""
    least = f"SELECT min({column}) FROM {table} WHERE {condition}"
    rows = tx.conn.execute(
        f"""
        WITH RECURSIVE value(number) AS (
            {least}
            UNION ALL
            SELECT ({least} AND {column} > value.number) FROM value WHERE value.number IS NOT NULL
        )
        SELECT number FROM value WHERE number IS NOT NULL
        """
    )
    return [row[0] for row in rows]


def has_other_ends(tx: Tx, predicate: int, subjects: Sequence[int], objects: Sequence[int]) -> bool:
    """Whether a fact of a predicate has a subject or an object of another type than these; no types means any."""
    row = tx.conn.execute(
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
        {"predicate": predicate, "subjects": json.dumps(list(subjects)), "objects": json.dumps(list(objects))},
    )
    return bool(row.fetchone()[0])
