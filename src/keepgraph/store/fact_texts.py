"""SQL for the texts of facts: which may have changed with a name or a predicate, and rewriting them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from keepgraph.store.connections import json_array
from keepgraph.store.facts import WITH_ANY_ENTITY
from keepgraph.store.transactions import Tx


def rows_touching(tx: Tx, *, entities: Collection[int], predicates: Collection[int] = ()) -> list[int]:
    """The facts with one of these entities at an end, or of one of these predicates; retracted and ended ones too."""
    return tx.column(
        f"""
        {WITH_ANY_ENTITY}
        UNION
        SELECT id FROM fact WHERE predicate IN (SELECT value FROM json_each(:predicates))
        ORDER BY id
        """,
        {"entities": json_array(entities), "predicates": json_array(predicates)},
    )


def read(tx: Tx, facts: Collection[int]) -> dict[int, str]:
    """The texts of facts by row; rows without a fact are left out."""
    return tx.mapping(
        "SELECT id, text FROM fact WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", (json_array(facts),)
    )


def update(tx: Tx, texts: Mapping[int, str]) -> None:
    """Write the texts of facts, by row."""
    tx.conn.executemany("UPDATE fact SET text = ? WHERE id = ?", [(text, row) for row, text in texts.items()])
