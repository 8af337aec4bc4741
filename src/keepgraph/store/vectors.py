"""SQL for the vectors of names, facts and chunks: the queues of those without a vector, and the nearest names.

The tables are described in derived_tables. The extension sqlite-vec computes distances. It is found by its path, and
loaded when it is first needed: importing its package would import numpy.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors
from keepgraph.store import derived_tables
from keepgraph.store.connections import json_array
from keepgraph.store.derived_tables import NAME_VECTORS, VECTOR_KINDS, VectorKind
from keepgraph.store.transactions import Tx

_HAMMING_CANDIDATES = 200
_EXTENSION = "the extension that computes distances is loaded"


def extension_missing() -> str | None:
    """Why distances cannot be computed on this machine, in words; None if they can."""
    return None if _extension_path() else "the package sqlite-vec is not installed"


def model_and_dimension(tx: Tx) -> tuple[str, int] | None:
    """The model that made the vectors, and their dimension; None before the first backfill."""
    row = tx.conn.execute("SELECT model, dimension FROM vector_space").fetchone()
    return (row[0], row[1]) if row else None


def reset(tx: Tx, model: str, dimension: int) -> None:
    """Drop all vectors, set the model that makes them from now on, and put everything on the queues again."""
    for kind in VECTOR_KINDS:
        tx.conn.execute(f"DELETE FROM {kind.vector_table}")
        tx.conn.execute(f"DELETE FROM {kind.signs_table}")
        derived_tables.fill(tx, kind.queue)
    tx.conn.execute("DELETE FROM vector_space")
    tx.conn.execute("INSERT INTO vector_space (id, model, dimension) VALUES (1, ?, ?)", (model, dimension))


def count_missing(tx: Tx, kind: VectorKind = NAME_VECTORS, *, at_most: int | None = None) -> int:
    """How many of a kind have no vector yet.

    Args:
        at_most: count no further than one more than this.
    """
    counted = kind.queue.table if at_most is None else f"(SELECT 1 FROM {kind.queue.table} LIMIT {at_most + 1})"
    return tx.number(f"SELECT count(*) FROM {counted}")


def any_missing(tx: Tx, kind: VectorKind) -> bool:
    """Whether any of a kind has no vector yet: quicker than counting them."""
    return tx.conn.execute(f"SELECT 1 FROM {kind.queue.table} LIMIT 1").fetchone() is not None


def any_made(tx: Tx, kind: VectorKind) -> bool:
    """Whether any of a kind has a vector."""
    return tx.conn.execute(f"SELECT 1 FROM {kind.signs_table} LIMIT 1").fetchone() is not None


def missing(tx: Tx, kind: VectorKind, numbers: Sequence[int]) -> set[int]:
    """Those of some numbers that have no vector yet."""
    return tx.distinct(
        f"SELECT {kind.key} FROM {kind.queue.table} WHERE {kind.key} IN (SELECT value FROM json_each(?))",
        (json_array(numbers),),
    )


def next_missing(
    tx: Tx, kind: VectorKind = NAME_VECTORS, *, limit: int, among_newest: int | None = None
) -> list[tuple[int, str]]:
    """Some of a kind that have no vector yet, the newest first: the number, and the text to embed.

    Args:
        among_newest: only those among the last this many numbers, up to that of the newest row.
    """
    source = kind.sources[0]
    newest = f"(SELECT {source.number} FROM {source.table} ORDER BY id DESC LIMIT 1)"
    return tx.rows(
        f"""
        SELECT number, text
        FROM (
            SELECT number, {kind.text} AS text
            FROM (SELECT {kind.key} AS number FROM {kind.queue.table})
            WHERE :among IS NULL OR number > {newest} - :among
        )
        WHERE text IS NOT NULL
        ORDER BY number DESC
        LIMIT +:limit
        """,
        {"limit": limit, "among": among_newest},
    )


def insert(tx: Tx, vectors: Sequence[tuple[int, str, bytes, bytes]], kind: VectorKind = NAME_VECTORS) -> None:
    """Insert vectors: number, text, embedding (one byte a dimension) and signs (one bit a dimension).

    A vector whose text has changed meanwhile is left out, and stays on the queue.
    """
    columns = "".join(f", {column}" for column in kind.filter_columns)
    placeholders = ", ?" * len(kind.filter_columns)
    for number, text, embedding, signs in vectors:
        values = {"number": number, "text": text, "embedding": embedding, "signs": signs}
        current_text = tx.conn.execute(f"SELECT {kind.text} FROM (SELECT :number AS number)", values).fetchone()[0]
        if current_text != text:
            continue
        filter_values = (
            tx.conn.execute(f"{kind.filter_values.replace('number', ':number')}", values).fetchone()
            if kind.filter_values
            else ()
        )
        tx.conn.execute(f"INSERT OR REPLACE INTO {kind.vector_table} VALUES (:number, :embedding)", values)
        tx.conn.execute(
            f"INSERT OR REPLACE INTO {kind.signs_table} ({kind.key}, signs{columns}) VALUES (?, ?{placeholders})",
            (number, signs, *filter_values),
        )
        tx.conn.execute(f"DELETE FROM {kind.queue.table} WHERE {kind.key} = :number", values)


def nearest_names(
    tx: Tx, embedding: bytes, signs: bytes, *, of_types: Collection[str] | None, limit: int
) -> list[tuple[int, str, float]]:
    """The names nearest to a vector, nearest first: the row of the entity, the name, and the cosine.

    Two steps: the signs of all names are compared by Hamming distance, and the best candidates by the cosine of their
    bytes. Of the ten nearest names, this finds 99 in 100.
    """
    load_extension(tx)
    return tx.rows(
        f"""
        WITH near AS MATERIALIZED (
            SELECT surface AS number
            FROM name_signs
            WHERE group_id = :group
              AND (:types IS NULL
                   OR type IN (SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(:types))))
            ORDER BY vec_distance_hamming(vec_bit(signs), vec_bit(:signs))
            LIMIT +:weighed
        )
        SELECT iif(number % 2 = 0, number / 2, (SELECT entity FROM alias WHERE id = number / 2)),
               {NAME_VECTORS.text},
               1 - vec_distance_cosine(vec_int8(embedding), vec_int8(:embedding)) AS cosine
        FROM near
        JOIN name_vector ON surface = number
        ORDER BY cosine DESC, number
        LIMIT +:limit
        """,
        {
            "group": tx.group,
            "types": None if of_types is None else json_array(sorted(of_types)),
            "signs": signs,
            "embedding": embedding,
            "weighed": _HAMMING_CANDIDATES,
            "limit": limit,
        },
    )


def load_extension(tx: Tx) -> None:
    """Load the extension that computes distances into the connection.

    Raises:
        errors.ModelUnavailable: the extension cannot be loaded.
    """
    if tx.connection_cache.get(_EXTENSION):
        return
    is_loaded = tx.conn.execute(
        "SELECT 1 FROM pragma_function_list WHERE name = 'vec_distance_hamming' LIMIT 1"
    ).fetchone()
    if is_loaded:
        tx.connection_cache[_EXTENSION] = True
        return
    tx.conn.enable_load_extension(True)
    try:
        tx.conn.load_extension(_extension_path())
    except sqlite.Error as error:
        raise errors.ModelUnavailable(f"sqlite-vec is installed, but cannot be loaded ({error})") from error
    finally:
        tx.conn.enable_load_extension(False)


@cache
def _extension_path() -> str | None:
    """The path of the extension, without its suffix, which differs between platforms."""
    from importlib.util import find_spec

    package = find_spec("sqlite_vec")
    if package is None or not package.submodule_search_locations:
        return None
    folder = Path(next(iter(package.submodule_search_locations)))
    return str(folder / "vec0") if any(folder.glob("vec0.*")) else None
