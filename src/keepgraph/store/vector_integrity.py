"""Integrity of vectors: of names, facts and chunks: which are wrong or missing, and how they are embedded again."""

from __future__ import annotations

from collections import Counter

from keepgraph.store import derived_tables
from keepgraph.store.connections import fetch_count
from keepgraph.store.derived_tables import VECTOR_KINDS, VectorKind
from keepgraph.store.transactions import Tx


def count_wrong(tx: Tx) -> dict[str, int]:
    """How many vectors are wrong, by what is wrong with them, in words to show."""
    counts: Counter[str] = Counter()
    for kind in VECTOR_KINDS:
        for problem, query in _queries(kind).items():
            counts[problem] += fetch_count(tx.conn, f"SELECT count(*) FROM ({query})")
    return {problem: number for problem, number in counts.items() if number}


def requeue_wrong(tx: Tx) -> None:
    """Delete wrong vectors, and put what they belong to on the list of what is to be embedded."""
    for kind in VECTOR_KINDS:
        key, waiting = kind.key, kind.queue.table
        for query in _queries(kind).values():
            tx.conn.execute(f"INSERT OR IGNORE INTO {waiting} SELECT * FROM ({query})")
        for table in (kind.vector_table, kind.signs_table):
            tx.conn.execute(f"DELETE FROM {table} WHERE {key} IN (SELECT {key} FROM {waiting})")
        tx.conn.execute(f"DELETE FROM {waiting} WHERE {key} NOT IN ({derived_tables.numbers(kind.sources)})")


def _queries(kind: VectorKind) -> dict[str, str]:
    """What may be wrong with vectors, in words to show, each with SQL for the numbers of those."""
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
