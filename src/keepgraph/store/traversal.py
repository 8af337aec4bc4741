"""SQL for traversals: which entities and facts there are, and where steps lead from many at once.

Rows are given and returned by row number, in order. A step returns pairs: the position of the row that it starts
from, and the row that it leads to; one pair for each fact, so that what is reached twice comes twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from keepgraph.store import facts
from keepgraph.store.connections import json_array
from keepgraph.store.derived_tables import FACT_VECTORS
from keepgraph.store.schema_parts import HOLDS
from keepgraph.store.transactions import Tx

Pairs = list[tuple[int, int]]

_OF_PREDICATES = """
    (:predicates IS NULL
     OR predicate IN (SELECT id FROM predicate WHERE name IN (SELECT value FROM json_each(:predicates))))
"""


def entities(tx: Tx, *, of_types: Sequence[str] | None) -> Iterator[int]:
    """The entities of the group, oldest first; None for those of any type."""
    rows = tx.conn.execute(
        """
        SELECT id FROM entity
        WHERE group_id = :group
          AND (:types IS NULL
               OR type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:types))))
        ORDER BY id
        """,
        {"group": tx.group, "types": None if of_types is None else json_array(of_types)},
    )
    return (row[0] for row in rows)


def current_facts(tx: Tx, *, predicates: Sequence[str] | None, at: str) -> Iterator[int]:
    """The facts of the group that hold, oldest first; None for those of any predicate."""
    rows = _execute(
        tx,
        f"""
        SELECT fact.id FROM FACTS
        JOIN entity ON entity.id = fact.subject
        WHERE {HOLDS} AND {_OF_PREDICATES} AND entity.group_id = :group
        ORDER BY fact.id
        """,
        predicates=predicates,
        at=at,
        group=tx.group,
    )
    return (row[0] for row in rows)


def facts_of(
    tx: Tx, entities: Sequence[int], *, side: str, predicates: Sequence[str] | None, at: str
) -> Iterator[tuple[int, int, int | None]]:
    """The facts that hold with some entities as subject or object: position, fact, and the entity at the other end.

    Args:
        side: "subject" for the facts with them as subject, "object" as object. The other end of a fact with a literal
            is None.
    """
    other = "object" if side == "subject" else "subject"
    # One SELECT for each of the partial indexes: those of facts with an object, and with a literal.
    kinds = ("object", "literal") if side == "subject" else ("object",)
    selects = [
        f"""
        SELECT given.key, fact.id, fact.{other}
        FROM json_each(:given) AS given
        CROSS JOIN FACTS
        WHERE fact.{side} = given.value AND fact.{kind} IS NOT NULL AND {HOLDS} AND {_OF_PREDICATES}
        """
        for kind in kinds
    ]
    rows = _execute(tx, f"{' UNION ALL '.join(selects)} ORDER BY 1, 2", given=entities, predicates=predicates, at=at)
    return iter(rows)


def ends_of(tx: Tx, given: Sequence[int], *, side: str, predicates: Sequence[str] | None) -> Iterator[tuple[int, int]]:
    """The entities at one end of some facts: position, entity. Literals are left out.

    Args:
        side: "subject" or "object".
        predicates: only of facts of these; None is any.
    """
    rows = _execute(
        tx,
        f"""
        SELECT given.key, fact.{side}
        FROM json_each(:given) AS given
        CROSS JOIN fact
        WHERE fact.id = given.value AND fact.{side} IS NOT NULL AND {_OF_PREDICATES}
        ORDER BY given.key
        """,
        given=given,
        predicates=predicates,
    )
    return iter(rows)


def with_vectors(tx: Tx, given: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Those of some facts whose sentences are embedded: position, fact."""
    rows = _execute(
        tx,
        f"""
        SELECT given.key, given.value
        FROM json_each(:given) AS given
        CROSS JOIN {FACT_VECTORS.vector_table} AS vector
        WHERE vector.{FACT_VECTORS.key} = given.value
        ORDER BY given.key
        """,
        given=given,
    )
    return iter(rows)


def existing_facts(tx: Tx, given: Sequence[int]) -> set[int]:
    """Those of some facts that are still there, and not retracted."""
    rows = _execute(
        tx,
        """
        SELECT id FROM fact
        WHERE id IN (SELECT value FROM json_each(:given)) AND retracted_at IS NULL
        """,
        given=given,
    )
    return {row[0] for row in rows}


def _execute(
    tx: Tx, query: str, *, given: Sequence[int] = (), predicates: Sequence[str] | None = None, **values: Any
) -> Any:
    return tx.conn.execute(
        query.replace("FACTS", facts.table_as_known(tx)),
        {
            "given": json_array(given),
            "predicates": None if predicates is None else json_array(predicates),
            "known": tx.known_at,
            **values,
        },
    )
