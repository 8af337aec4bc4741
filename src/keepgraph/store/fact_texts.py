"""SQL for the texts of facts: which may have changed with a name or a predicate, and rewriting them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from keepgraph.store.transactions import Tx


def rows_touching(tx: Tx, *, entities: Collection[int], predicates: Collection[int] = ()) -> list[int]:
    """The facts with one of these entities at an end, or of one of these predicates; retracted and ended ones too."""
    # Retracted facts are in other indexes than current ones, and facts with a literal in another one.
    return tx.column(
        """
        SELECT id FROM fact
        WHERE subject IN (SELECT value FROM json_each(:entities)) AND object IS NOT NULL AND retracted_at IS NULL
        UNION
        SELECT id FROM fact
        WHERE subject IN (SELECT value FROM json_each(:entities)) AND literal IS NOT NULL AND retracted_at IS NULL
        UNION
        SELECT id FROM fact
        WHERE object IN (SELECT value FROM json_each(:entities)) AND object IS NOT NULL AND retracted_at IS NULL
        UNION
        SELECT id FROM fact WHERE subject IN (SELECT value FROM json_each(:entities)) AND retracted_at IS NOT NULL
        UNION
        SELECT id FROM fact WHERE object IN (SELECT value FROM json_each(:entities)) AND retracted_at IS NOT NULL
        UNION
        SELECT id FROM fact WHERE predicate IN (SELECT value FROM json_each(:predicates))
        ORDER BY id
        """,
        {"entities": json.dumps(list(entities)), "predicates": json.dumps(list(predicates))},
    )


def read(tx: Tx, facts: Collection[int]) -> dict[int, str]:
    """The texts of facts by row; rows without a fact are left out."""
    return tx.mapping(
        "SELECT id, text FROM fact WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", (json.dumps(list(facts)),)
    )


def update(tx: Tx, texts: Mapping[int, str]) -> None:
    """Write the texts of facts, by row."""
    tx.conn.executemany("UPDATE fact SET text = ? WHERE id = ?", [(text, row) for row, text in texts.items()])
