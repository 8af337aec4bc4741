"""Columns that are derived from names: normalised names, and the texts of facts. Read to check them, written to repair.

What they should be is computed by the caller. All are read as text, whatever a damaged row holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from keepgraph.store.connections import undecodable_text_replaced
from keepgraph.store.transactions import Tx

ENTITY = "entity"
ALIAS = "alias"

_NAME_COLUMNS = {ENTITY: ("name", "name_key", "name_folded"), ALIAS: ("alias", "alias_key", "alias_folded")}


def names(tx: Tx, table: str) -> Iterator[tuple[int, int, str, str, str]]:
    """Every name of entities or of aliases: its row, the row of the entity, the name, its key, its folded form."""
    name, key, folded = _NAME_COLUMNS[table]
    entity = "id" if table == ENTITY else "entity"
    texts = ", ".join(map(_as_text, (name, key, folded)))
    with undecodable_text_replaced(tx.conn):
        yield from tx.conn.execute(f"SELECT id, {entity}, {texts} FROM {table} ORDER BY id")


def find_name(tx: Tx, table: str, row: int) -> str | None:
    result = tx.conn.execute(f"SELECT {_NAME_COLUMNS[table][0]} FROM {table} WHERE id = ?", (row,)).fetchone()
    return str(result[0]) if result else None


def set_normalised_name(tx: Tx, table: str, row: int, *, key: str, folded: str) -> None:
    """Set the key and the folded form of a name. Nothing is changed if another name has that key."""
    _, key_column, folded_column = _NAME_COLUMNS[table]
    tx.conn.execute(
        f"UPDATE OR IGNORE {table} SET {key_column} = ?, {folded_column} = ? WHERE id = ?", (key, folded, row)
    )


def fact_texts(tx: Tx) -> Iterator[tuple[Any, ...]]:
    """Every fact: its row, subject and object, its text; the names of subject, predicate and object; its literal;
    and how the predicate reads a fact aloud."""
    with undecodable_text_replaced(tx.conn):
        yield from tx.conn.execute(f"{_fact_text_query()} ORDER BY fact.id")


def find_fact_text(tx: Tx, fact: int) -> tuple[Any, ...] | None:
    """The same columns of one fact."""
    row: tuple[Any, ...] | None = tx.conn.execute(f"{_fact_text_query()} WHERE fact.id = ?", (fact,)).fetchone()
    return row


def set_fact_text(tx: Tx, fact: int, text: str) -> None:
    tx.conn.execute("UPDATE fact SET text = ? WHERE id = ?", (text, fact))


def public_ids(tx: Tx, table: str, rows: list[int]) -> list[str]:
    """The public ids of entities or facts, in the order of their rows."""
    parameters = ", ".join("?" * len(rows))
    result = tx.conn.execute(f"SELECT public_id FROM {table} WHERE id IN ({parameters}) ORDER BY id", rows)
    return [row[0] for row in result]


def _fact_text_query() -> str:
    return f"""
        SELECT fact.id, fact.subject, fact.object, {_as_text("fact.text")}, {_as_text("s.name")},
               {_as_text("predicate.name")}, o.name, fact.literal, {_as_text("predicate.sentence")}
        FROM fact
        JOIN predicate ON predicate.id = fact.predicate
        JOIN entity AS s ON s.id = fact.subject
        LEFT JOIN entity AS o ON o.id = fact.object
    """


def _as_text(column: str) -> str:
    # A damaged row may hold a number, or nothing.
    return f"CAST(coalesce({column}, '') AS TEXT)"
