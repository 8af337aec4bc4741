"""Integrity of the indexes of names and texts: how many rows of each are wrong, and how an index is rebuilt.

No table is held in memory: for a million facts a few dozen megabytes at most.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from keepgraph.store import derived_tables
from keepgraph.store.connections import Connection, fetch_count
from keepgraph.store.derived_tables import TextIndex
from keepgraph.store.transactions import Tx

_ROWS_PER_BATCH = 20_000
_MAX_SUMS = 1 << 22
"""A sum has 8 bytes. Beyond so many rows several share one; then a wrong row is still found, but not counted alone."""

_64_BITS = (1 << 64) - 1


def find_problems(conn: Connection) -> set[str]:
    """What SQLite finds wrong with the structure of the full-text indexes."""
    tables = [index.table for index in derived_tables.INDEXES if not index.view]
    return {problem for table in tables for problem in _find_problems_in(conn, table)}


def count_wrong(tx: Tx, index: TextIndex) -> int:
    """How many rows an index should not have, lacks, or has with other words than the tables."""
    if index.words:
        return _count_wrong_postings(tx, index, index.words)
    return _count_wrong_initials(tx, index) if index.view else _count_wrong_full_text(tx.conn, index)


def rebuild(tx: Tx, index: TextIndex) -> None:
    """Rebuild an index from the tables that it indexes."""
    if index.view:
        for table in filter(None, (index.table, index.words)):
            tx.conn.execute(f"DELETE FROM {table}")
    else:
        tx.conn.execute(f"INSERT INTO {index.table} ({index.table}) VALUES ('delete-all')")
    for source in index.sources:
        tx.conn.execute(
            f"INSERT INTO {index.view or index.table} ({index.key}, {', '.join(index.columns)}) {source.rows}"
        )


def _count_wrong_initials(tx: Tx, index: TextIndex) -> int:
    """How many names of several words lack their initials, and how many initials belong to no such name."""
    indexed = f"SELECT {index.key} FROM {index.table}"
    of_no_name = fetch_count(
        tx.conn,
        f"""
        SELECT count(DISTINCT {index.key}) FROM {index.table}
        WHERE {index.key} NOT IN ({derived_tables.numbers(index.sources)})
        """,
    )
    return of_no_name + sum(
        fetch_count(
            tx.conn,
            f"""
            SELECT count(*) FROM {source.table}
            WHERE ({source.content[0]} LIKE '% %') IS NOT ({source.number} IN ({indexed}))
            """,
        )
        for source in index.sources
    )


def _count_wrong_postings(tx: Tx, index: TextIndex, words: str) -> int:
    """How many names have postings of other words than their own, and how many words stand in no name."""
    indexed = f"""
        SELECT posting.{index.key} AS number, written.word FROM {index.table} AS posting
        LEFT JOIN {words} AS written ON written.id = posting.word
    """
    expected = " UNION ".join(
        f"""
        SELECT named.number, written.value AS word
        FROM (SELECT {source.number} AS number, {source.content[0]} AS folded FROM {source.table}) AS named,
             json_each('[' || replace(json_quote(replace(folded, char(10), ' ')), ' ', '","') || ']') AS written
        WHERE written.value <> ''
        """
        for source in index.sources
    )
    wrong = "SELECT * FROM ({}) EXCEPT SELECT * FROM ({})"
    return fetch_count(
        tx.conn,
        f"""
        SELECT count(DISTINCT number) FROM (
            SELECT * FROM ({wrong.format(indexed, expected)}) UNION SELECT * FROM ({wrong.format(expected, indexed)})
        )
        """,
    ) + fetch_count(tx.conn, f"SELECT count(*) FROM {words} WHERE id NOT IN (SELECT word FROM {index.table})")


def _count_wrong_full_text(conn: Connection, index: TextIndex) -> int:
    """How many rows of a full-text index differ from the tables.

    FTS5's own integrity-check would do it, but it writes. So every token in the index is read, with its row and its
    position; the rows of the tables are indexed again in a temporary index, some at a time; and both are summed up by
    row. Where all is well, the sums are equal.
    """
    numbers = derived_tables.numbers(index.sources)
    size = fetch_count(conn, f"SELECT count(*) FROM ({numbers})")
    if _find_problems_in(conn, index.table):
        return max(size, 1)
    indexed = fetch_count(conn, f"SELECT count(*) FROM {index.table}_docsize")
    missing = fetch_count(
        conn, f"SELECT count(*) FROM ({numbers}) WHERE number NOT IN (SELECT id FROM {index.table}_docsize)"
    )
    excess = indexed - (size - missing)
    return max(missing + excess, _count_rows_with_other_words(conn, index, size))


def _find_problems_in(conn: Connection, table: str) -> list[str]:
    return [str(row[0]) for row in conn.execute(f"PRAGMA integrity_check({table})") if row[0] != "ok"]


def _count_rows_with_other_words(conn: Connection, index: TextIndex, size: int) -> int:
    sql = conn.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (index.table,)).fetchone()[0]
    option = re.search(r"tokenize='([^']*)'", sql)
    tokenizer = option[1] if option else "unicode61"
    columns = ", ".join(index.columns)
    sums = array("Q", bytes(8 * min(2 << size.bit_length(), _MAX_SUMS)))
    with _temporary_tables(conn):
        conn.execute(f"CREATE VIRTUAL TABLE temp.check_found USING fts5vocab (main, {index.table}, instance)")
        conn.execute(
            f"CREATE VIRTUAL TABLE temp.check_index USING fts5 ({columns}, content='', tokenize='{tokenizer}')"
        )
        conn.execute("CREATE VIRTUAL TABLE temp.check_should USING fts5vocab (temp, check_index, instance)")
        _add_to_sums(sums, conn.execute("SELECT term, doc, col, offset FROM temp.check_found"), 1)
        for source in index.sources:
            for first, last in _batches(conn, source.table):
                conn.execute(
                    f"INSERT INTO temp.check_index (rowid, {columns}) {source.rows} AND id BETWEEN ? AND ?",
                    (first, last),
                )
                _add_to_sums(sums, conn.execute("SELECT term, doc, col, offset FROM temp.check_should"), -1)
                conn.execute("INSERT INTO temp.check_index (check_index) VALUES ('delete-all')")
    return sum(1 for row_sum in sums if row_sum)


def _add_to_sums(sums: array[int], tokens: Any, sign: int) -> None:
    """Add the hash of every token (term, row, column, position) to the sum of its row, or subtract it."""
    mask = len(sums) - 1
    for token in tokens:
        slot = token[1] & mask
        sums[slot] = (sums[slot] + sign * hash(token)) & _64_BITS


def _batches(conn: Connection, table: str) -> Iterator[tuple[int, int]]:
    """The rows of a table in batches: the first and the last row number of each."""
    first = fetch_count(conn, f"SELECT coalesce(min(id), 0) FROM {table}")
    while True:
        last = conn.execute(
            f"SELECT max(id) FROM (SELECT id FROM {table} WHERE id >= ? ORDER BY id LIMIT +?)", (first, _ROWS_PER_BATCH)
        ).fetchone()[0]
        if last is None:
            return
        yield first, last
        first = last + 1


@contextmanager
def _temporary_tables(conn: Connection) -> Iterator[None]:
    """Let a connection make tables in memory. Its file was opened read-only, so nothing in the file can change."""
    conn.execute("PRAGMA query_only = OFF")
    conn.execute("SAVEPOINT scratch")
    try:
        yield
    finally:
        conn.execute("ROLLBACK TO scratch")
        conn.execute("RELEASE scratch")
        conn.execute("PRAGMA query_only = ON")
