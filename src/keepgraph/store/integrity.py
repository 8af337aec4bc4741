"""Integrity checks of a graph: its file, its schema, its vocabulary, its timestamps and its texts.

Everything is read on a connection that cannot write. See `index_integrity` and `vector_integrity` for derived data.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, package_files
from keepgraph.model import Key
from keepgraph.store import connections, copies, derived_tables, migrations, sqlite_errors
from keepgraph.store.connections import Connection, fetch_count, undecodable_text_replaced
from keepgraph.store.derived_tables import VECTOR_KINDS, TextIndex, VectorKind
from keepgraph.store.transactions import Tx

_TIMESTAMPS = {
    "migration": ("applied_at",),
    "entity": ("created_at",),
    "alias": ("created_at",),
    "fact": ("recorded_at", "valid_from", "valid_to", "retracted_at", "known_from"),
    "provenance": ("recorded_at",),
    "earlier_validity": ("valid_from", "valid_to", "known_from", "known_to"),
    "episode": ("occurred_at", "recorded_at"),
    "owner": ("set_at",),
    "narrative": ("recorded_at",),
    "call": ("at",),
}
# When something was recorded, which cannot be in the future. A validity may.
_RECORDED_AT = {
    "entity": "created_at",
    "fact": "recorded_at",
    "provenance": "recorded_at",
    "episode": "recorded_at",
    "owner": "set_at",
    "narrative": "recorded_at",
    "call": "at",
}


def find_problems(tx: Tx, *, encrypted: bool) -> list[str]:
    """SQLite's findings about the file, except in the full-text indexes, which can be rebuilt."""
    problems = copies.find_problems(tx.conn, encrypted=encrypted)
    in_indexes = _find_index_problems(tx.conn) if problems else set()
    return [problem for problem in problems if problem not in in_indexes]


def find_problems_of_file(file: Path, *, key: Key | None) -> list[str] | None:
    """What is wrong with a file that nobody has open, such as a backup; None if this is not its key.

    Combines SQLite's findings and differences between its schema and that of a graph of its version.
    """
    try:
        # Immutable, so that SQLite creates no file beside it; it has no log.
        conn = connections.connect(file, "ro", key=key, immutable=True)
        try:
            migrations.refuse_differences(conn, file)
            return copies.find_problems(conn, encrypted=key is not None)
        except errors.GraphSchemaDiffers as error:
            return [error.message]
        finally:
            conn.close()
    except sqlite.DatabaseError as error:
        if sqlite_errors.result_code(error) in sqlite_errors.NOT_A_DATABASE:
            return None
        return [sqlite_errors.translate(error, file, writing=False, cancellation=None).message]
    except UnicodeDecodeError:
        return ["what is wrong with it has bytes in it that are no text"]


def find_schema_differences(tx: Tx) -> migrations.Differences:
    """What the schema has in excess, lacks, or has in another form than the migrations."""
    return migrations.find_differences(tx.conn)


def created_at(tx: Tx) -> str | None:
    """The timestamp when the graph was created."""
    row = tx.conn.execute("SELECT min(applied_at) FROM migration").fetchone()
    return str(row[0]) if row[0] is not None else None


def episode_texts(tx: Tx) -> Iterator[tuple[str, str, str]]:
    """Every episode: its id, its stored digest, and its text."""
    with undecodable_text_replaced(tx.conn):
        yield from tx.conn.execute(
            """
            SELECT public_id, digest,
                   coalesce((SELECT group_concat(text, '')
                             FROM (SELECT text FROM chunk WHERE episode = episode.id ORDER BY place, id)), '')
            FROM episode
            ORDER BY id
            """
        )


def count_unknown_vocabulary(tx: Tx) -> dict[str, int]:
    """How many facts have a predicate, and entities a type, that is not in the vocabulary."""
    return {
        "facts": tx.number(
            "SELECT count(*) FROM fact WHERE NOT EXISTS (SELECT 1 FROM predicate WHERE id = fact.predicate)"
        ),
        "entities": tx.number(
            "SELECT count(*) FROM entity WHERE NOT EXISTS (SELECT 1 FROM entity_type WHERE id = entity.type)"
        ),
    }


def find_missing_vocabulary(tx: Tx) -> list[str]:
    """The entity types and predicates of a new graph that this one lacks."""
    checksums = tuple(migrations.checksum(file) for file in package_files.migrations())
    return sorted(f"{kind} {name}" for kind, name in _new_vocabulary(checksums) - _vocabulary(tx.conn))


def count_invalid_timestamps(tx: Tx) -> dict[str, int]:
    """How many rows have an invalid timestamp, by table; tables without such rows are left out."""
    counts = {
        table: tx.number(f"SELECT count(*) FROM {table} WHERE {' OR '.join(map(_is_invalid_timestamp, columns))}")
        for table, columns in _TIMESTAMPS.items()
    }
    return {table: number for table, number in counts.items() if number}


def count_recorded_after(tx: Tx, timestamp: str) -> dict[str, int]:
    """How many rows were recorded after a timestamp, by table; tables without such rows are left out."""
    counts = {
        table: tx.number(f"SELECT count(*) FROM {table} WHERE {column} > ?", (timestamp,))
        for table, column in _RECORDED_AT.items()
    }
    return {table: number for table, number in counts.items() if number}


def _is_invalid_timestamp(column: str) -> str:
    # A valid timestamp stays the same when SQLite parses and formats it. An open end is not a timestamp.
    return f"({column} NOT IN ('', '~') AND strftime('%Y-%m-%dT%H:%M:%fZ', {column}) IS NOT {column})"


@cache
def _new_vocabulary(checksums: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    """The types and predicates of a new graph, created in memory by the migrations with these checksums."""
    conn = sqlite.connect(":memory:", isolation_level=None)
    try:
        migrations.apply(conn, Path(":memory:"), now=datetime(2000, 1, 1, tzinfo=UTC), before_first=lambda _: None)
        return _vocabulary(conn)
    finally:
        conn.close()


def _vocabulary(conn: Connection) -> frozenset[tuple[str, str]]:
    rows = conn.execute("SELECT 'type', name FROM entity_type UNION ALL SELECT 'predicate', name FROM predicate")
    return frozenset((row[0], row[1]) for row in rows)


# Integrity of the indexes of names and texts: how many rows of each are wrong, and how an index is rebuilt.
#
# No table is held in memory: for a million facts a few dozen megabytes at most.

_ROWS_PER_BATCH = 20_000
_MAX_SUMS = 1 << 22
"""A sum has 8 bytes. Beyond this many rows several share one: wrong rows are still found, but not counted singly."""

_64_BITS = (1 << 64) - 1


def _find_index_problems(conn: Connection) -> set[str]:
    """SQLite's findings about the structure of the full-text indexes."""
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
    """How many names of several words lack their initials, and how many initials have no such name."""
    indexed = f"SELECT {index.key} FROM {index.table}"
    of_no_name = tx.number(f"""
        SELECT count(DISTINCT {index.key}) FROM {index.table}
        WHERE {index.key} NOT IN ({derived_tables.numbers(index.sources)})
        """)
    return of_no_name + sum(
        tx.number(f"""
            SELECT count(*) FROM {source.table}
            WHERE ({source.content[0]} LIKE '% %') IS NOT ({source.number} IN ({indexed}))
            """)
        for source in index.sources
    )


def _count_wrong_postings(tx: Tx, index: TextIndex, words: str) -> int:
    """How many names have postings of other words than their own, and how many words are in no name."""
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
    return tx.number(f"""
        SELECT count(DISTINCT number) FROM (
            SELECT * FROM ({wrong.format(indexed, expected)}) UNION SELECT * FROM ({wrong.format(expected, indexed)})
        )
        """) + tx.number(f"SELECT count(*) FROM {words} WHERE id NOT IN (SELECT word FROM {index.table})")


def _count_wrong_full_text(conn: Connection, index: TextIndex) -> int:
    """How many rows of a full-text index differ from the tables.

    FTS5's own integrity-check would do it, but it writes. So every token in the index is read, with its row and its
    position; the rows of the tables are reindexed in a temporary index, some at a time; and both are summed up by
    row. If all is well, the sums are equal.
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
    """Let a connection create tables in memory. Its file was opened read-only, so nothing in the file can change."""
    conn.execute("PRAGMA query_only = OFF")
    conn.execute("SAVEPOINT scratch")
    try:
        yield
    finally:
        conn.execute("ROLLBACK TO scratch")
        conn.execute("RELEASE scratch")
        conn.execute("PRAGMA query_only = ON")


# Integrity of vectors of names, facts and chunks: which are wrong or missing, and re-embedding them.


def count_wrong_vectors(tx: Tx) -> dict[str, int]:
    """How many vectors are wrong, by what is wrong with them, in displayable words."""
    counts: Counter[str] = Counter()
    for kind in VECTOR_KINDS:
        for problem, query in _queries(kind).items():
            counts[problem] += tx.number(f"SELECT count(*) FROM ({query})")
    return {problem: number for problem, number in counts.items() if number}


def requeue_wrong(tx: Tx) -> None:
    """Delete wrong vectors, and queue what they belong to for embedding."""
    for kind in VECTOR_KINDS:
        key, waiting = kind.key, kind.queue.table
        for query in _queries(kind).values():
            tx.conn.execute(f"INSERT OR IGNORE INTO {waiting} SELECT * FROM ({query})")
        for table in (kind.vector_table, kind.signs_table):
            tx.conn.execute(f"DELETE FROM {table} WHERE {key} IN (SELECT {key} FROM {waiting})")
        tx.conn.execute(f"DELETE FROM {waiting} WHERE {key} NOT IN ({derived_tables.numbers(kind.sources)})")


def _queries(kind: VectorKind) -> dict[str, str]:
    """What may be wrong with vectors, in displayable words, each with SQL for their numbers."""
    key, vectors, signs, waiting = kind.key, kind.vector_table, kind.signs_table, kind.queue.table
    numbers = derived_tables.numbers(kind.sources)
    filters = ", ".join(kind.filter_columns)
    misplaced = f"""
        SELECT number FROM (SELECT {key} AS number, {filters} FROM {signs})
        WHERE number IN ({numbers}) AND ({filters}) IS NOT ({kind.filter_values})
    """
    return {
        "of names, facts or texts that are not there": f"""
            SELECT {key} FROM {vectors} WHERE {key} NOT IN ({numbers})
            UNION SELECT {key} FROM {signs} WHERE {key} NOT IN ({numbers})
            UNION SELECT {key} FROM {waiting} WHERE {key} NOT IN ({numbers})
        """,
        "of which one half is missing": f"""
            SELECT {key} FROM {vectors} WHERE {key} NOT IN (SELECT {key} FROM {signs})
            UNION SELECT {key} FROM {signs} WHERE {key} NOT IN (SELECT {key} FROM {vectors})
        """,
        "of another length": f"""
            SELECT {key} FROM {vectors} WHERE length(embedding) IS NOT (SELECT dimension FROM vector_space)
            UNION SELECT {key} FROM {signs}
            WHERE length(signs) IS NOT (SELECT (dimension + 7) / 8 FROM vector_space)
        """,
        **({"kept under another type or group": misplaced} if filters else {}),
        "that are missing and not waited for": f"""
            SELECT number FROM ({numbers})
            WHERE number NOT IN (SELECT {key} FROM {vectors})
              AND number NOT IN (SELECT {key} FROM {signs})
              AND number NOT IN (SELECT {key} FROM {waiting})
        """,
    }
