"""SQL for the rows that came with an import: what they say of when and by what they were recorded, a file says."""

from __future__ import annotations

import json
from collections.abc import Iterable

from keepgraph.model import Import
from keepgraph.store import journal
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

TABLES = ("entity", "alias", "provenance", "episode")
"""The tables whose rows say when they were recorded, and of which an import is noted."""


def note(tx: Tx, *, file: str | None) -> None:
    """Note all rows that the call of this transaction, an import, has inserted so far.

    Args:
        file: the name of the file, of 1 to 255 characters; None is standard input.
    """
    tx.conn.execute(
        """
        INSERT INTO imported_rows (tbl, first, last, imported_at, file)
        SELECT tbl, min(row), max(row), :at, :file
        FROM journal
        WHERE call = :call AND op = 'insert' AND tbl IN (SELECT value FROM json_each(:tables))
        GROUP BY tbl
        """,
        {"call": tx.call, "at": timestamps.from_datetime(tx.now), "file": file, "tables": json.dumps(TABLES)},
    )


def of_rows(tx: Tx, table: str, rows: Iterable[int]) -> dict[int, Import]:
    """The imports of rows of a table, by their numbers; rows that were recorded here are left out."""
    imported = tx.conn.execute(
        """
        SELECT value, imported_at, file
        FROM json_each(:rows) JOIN imported_rows ON imported_rows.id = (
            SELECT id FROM imported_rows WHERE tbl = :table AND last >= value ORDER BY last LIMIT 1
        )
        WHERE first <= value
        """,
        {"rows": json.dumps(list(rows)), "table": table},
    )
    return {row: Import(at, file) for row, at, file in imported}


def of_facts(tx: Tx, facts: Iterable[int]) -> dict[int, Import]:
    """The first imports of facts that only imports assert, by the rows of the facts."""
    imported = tx.conn.execute(
        """
        SELECT provenance.fact, min(imported_at), file
        FROM json_each(:facts)
        JOIN provenance ON provenance.fact = value
        LEFT JOIN imported_rows ON first <= provenance.id AND imported_rows.id = (
            SELECT id FROM imported_rows WHERE tbl = 'provenance' AND last >= provenance.id ORDER BY last LIMIT 1
        )
        GROUP BY provenance.fact
        HAVING count(imported_rows.id) = count(*)
        """,
        {"facts": json.dumps(list(facts))},
    )
    return {row: Import(at, file) for row, at, file in imported}


def count_assertions(tx: Tx) -> tuple[int, int]:
    """How many assertions there are, of all groups, and how many of them came with an import."""
    row = tx.conn.execute(
        """
        SELECT (SELECT count(*) FROM provenance),
               (SELECT count(*) FROM imported_rows JOIN provenance ON provenance.id BETWEEN first AND last
                WHERE tbl = 'provenance')
        """
    ).fetchone()
    return int(row[0]), int(row[1])


def cut_unused(tx: Tx) -> None:
    """Forget the row numbers that may be used again, now that the journal no longer has them."""
    for table in TABLES:
        unused = journal.unused_row(tx, table)
        tx.conn.execute("DELETE FROM imported_rows WHERE tbl = ? AND first >= ?", (table, unused))
        tx.conn.execute("UPDATE imported_rows SET last = ? WHERE tbl = ? AND last >= ?", (unused - 1, table, unused))
