"""SQL for facts as columns of numbers: those between entities, and those with a literal of some predicates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from keepgraph.store.connections import json_array
from keepgraph.store.facts import execute
from keepgraph.store.schema_parts import HOLDS
from keepgraph.store.transactions import Tx

_IN_GROUP = """
    retracted_at IS NULL
    AND (NOT :several_groups OR subject IN (SELECT id FROM entity WHERE group_id = :group))
"""


def between_entities(tx: Tx) -> Iterator[tuple[int, int, int, int]]:
    """The facts of the group between two entities that are not retracted, whenever they hold, by row.

    Of each: its row, and those of its subject, object and predicate. They are read as they are asked for: so many rows
    at once would take more memory than the arrays.
    """
    return _iterate(
        tx, f"SELECT id, subject, object, predicate FROM FACTS WHERE object IS NOT NULL AND {_IN_GROUP} ORDER BY id"
    )


def confidences_between_entities(tx: Tx) -> Iterator[tuple[int, int, int, float]]:
    """The facts of the group between two entities that hold: rows of subject, object and predicate,
    and the confidence.
    """
    # A scan of the table is faster than its indexes, none of which has the confidence.
    return _iterate(
        tx,
        f"""
        SELECT subject, object, predicate, confidence FROM fact NOT INDEXED
        WHERE object IS NOT NULL AND valid_from <= :at AND :at < valid_to AND {_IN_GROUP}
        """,
        at=tx.at,
    )


def recorded_between_entities(tx: Tx) -> Iterator[tuple[int, int, int, int, int, int]]:
    """All facts of the group between two entities, retracted and ended ones too, by row.

    Of each: its row, those of its subject, object and predicate, the second of 1970 when it was recorded, and
    whether it holds (1 or 0).
    """
    return _iterate(
        tx,
        f"""
        SELECT id, subject, object, predicate, unixepoch(recorded_at),
               {HOLDS}
        FROM FACTS
        WHERE object IS NOT NULL
          AND (NOT :several_groups OR subject IN (SELECT id FROM entity WHERE group_id = :group))
        ORDER BY id
        """,
        at=tx.at,
    )


def literals(tx: Tx) -> Iterator[tuple[int, str]]:
    """The literals of the facts of the group that hold, each with the row of its subject."""
    return _iterate(
        tx,
        f"""
        SELECT subject, literal FROM FACTS
        WHERE literal IS NOT NULL AND valid_from <= :at AND :at < valid_to AND {_IN_GROUP}
        """,
        at=tx.at,
    )


def among_entities(tx: Tx, entities: Sequence[int], *, limit: int) -> list[int]:
    """Rows of facts between some of these entities that hold, most certain first."""
    return tx.column(
        f"""
        SELECT id FROM fact
        WHERE subject IN (SELECT value FROM json_each(:entities)) AND object IN (SELECT value FROM json_each(:entities))
          AND subject <> object AND {HOLDS}
        ORDER BY confidence DESC, id
        LIMIT +:limit
        """,
        {"entities": json_array(entities), "at": tx.at, "limit": limit},
    )


def with_literals(tx: Tx, predicates: Sequence[str]) -> list[tuple[int, int, str, int]]:
    """The same for facts of some predicates with a literal: rows of fact and subject, literal, row of the predicate."""
    return _fetch(
        tx,
        f"""
        SELECT id, subject, literal, predicate FROM FACTS
        WHERE predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates)))
          AND literal IS NOT NULL AND {_IN_GROUP}
        ORDER BY id
        """,
        predicates=json_array(predicates),
    )


def of_rows(
    tx: Tx, facts: Sequence[int], *, predicates: Sequence[str]
) -> list[tuple[int, int, int | None, str | None, int, str | None, str | None]]:
    """Of some facts, those of the group that are not retracted, between entities or of some predicates, in their order.

    Of each: the rows of the fact, its subject and its object, its literal, the row of its predicate, and its validity
    as timestamps.
    """
    return _fetch(
        tx,
        f"""
        SELECT id, subject, object, literal, predicate, nullif(valid_from, ''), nullif(valid_to, '~') FROM FACTS
        WHERE id IN (SELECT value FROM json_each(:facts))
          AND (object IS NOT NULL
               OR predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates))))
          AND {_IN_GROUP}
        ORDER BY id
        """,
        facts=json_array(facts),
        predicates=json_array(predicates),
    )


def validities(tx: Tx) -> list[tuple[int, str | None, str | None]]:
    """The facts with limited validity, by row: row, and the timestamps of their validity."""
    return _fetch(
        tx,
        f"""
        SELECT id, nullif(valid_from, ''), nullif(valid_to, '~') FROM FACTS
        WHERE (valid_from <> '' OR valid_to <> '~') AND {_IN_GROUP}
        ORDER BY id
        """,
    )


def predicate_rows(tx: Tx, predicates: Sequence[str]) -> frozenset[int]:
    """The row numbers of predicates."""
    rows = tx.conn.execute(
        "SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(?))", (json_array(predicates),)
    )
    return frozenset(row[0] for row in rows)


def _fetch(tx: Tx, query: str, **values: Any) -> list[Any]:
    return list(_iterate(tx, query, **values))


def _iterate(tx: Tx, query: str, **values: Any) -> Iterator[Any]:
    several = tx.number("SELECT count(*) FROM (SELECT DISTINCT group_id FROM entity LIMIT 2)") > 1
    rows: Iterator[Any] = execute(tx, query, {"several_groups": several, "group": tx.group, **values})
    return rows
