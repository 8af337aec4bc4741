"""Vectors of names in the database: which wait for one, which are near. Knows no model.

A name has the number 2 × entity.id, an alias 2 × alias.id + 1. Distances are computed by the extension sqlite-vec,
which is found by its path and loaded when it is first needed: importing its package would import numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors
from keepgraph.store.db import Connection, Tx

_TEXT = """
    CASE surface % 2 WHEN 0 THEN (SELECT name FROM entity WHERE id = surface / 2)
                     ELSE (SELECT alias FROM alias WHERE id = surface / 2) END
"""
_WEIGHED = 200


def missing() -> str | None:
    """Why distances cannot be computed here, or None."""
    return None if _extension() else "sqlite-vec is not installed (pip install 'keepgraph[embeddings]')"


def space(tx: Tx) -> tuple[str, int] | None:
    """The model that made the vectors, and their dimension; None before the first."""
    row = tx.conn.execute("SELECT model, dimension FROM vector_space").fetchone()
    return (row[0], row[1]) if row else None


def set_space(tx: Tx, model: str, dimension: int) -> None:
    """Say which model makes the vectors from now on; those of another are dropped, and every name waits again."""
    tx.conn.execute("DELETE FROM name_vector")
    tx.conn.execute("DELETE FROM name_signs")
    tx.conn.execute("DELETE FROM vector_space")
    tx.conn.execute("INSERT INTO vector_space (id, model, dimension) VALUES (1, ?, ?)", (model, dimension))
    tx.conn.execute("INSERT OR IGNORE INTO name_unembedded SELECT 2 * id FROM entity")
    tx.conn.execute("INSERT OR IGNORE INTO name_unembedded SELECT 2 * id + 1 FROM alias")


def waiting(tx: Tx) -> int:
    """How many names have no vector yet."""
    return int(tx.conn.execute("SELECT count(*) FROM name_unembedded").fetchone()[0])


def next_waiting(tx: Tx, *, limit: int) -> list[tuple[int, str]]:
    """Some names that have no vector yet, by their numbers, the oldest first."""
    rows = tx.conn.execute(
        f"SELECT surface, {_TEXT} AS text FROM name_unembedded WHERE text IS NOT NULL ORDER BY surface LIMIT ?",
        (limit,),
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def insert(tx: Tx, made: Sequence[tuple[int, str, bytes, bytes]]) -> None:
    """Keep vectors, given as number, text, embedding (one byte a dimension) and signs (one bit).

    One whose text has changed meanwhile is left out; it goes on waiting.
    """
    for surface, text, embedding, signs in made:
        row = tx.conn.execute(
            """
            SELECT entity.type, entity.group_id
            FROM entity
            WHERE :surface % 2 = 0 AND entity.id = :surface / 2 AND entity.name = :text
            UNION ALL
            SELECT entity.type, entity.group_id
            FROM alias JOIN entity ON entity.id = alias.entity
            WHERE :surface % 2 = 1 AND alias.id = :surface / 2 AND alias.alias = :text
            """,
            {"surface": surface, "text": text},
        ).fetchone()
        if row is None:
            continue
        tx.conn.execute("INSERT OR REPLACE INTO name_vector (surface, embedding) VALUES (?, ?)", (surface, embedding))
        tx.conn.execute(
            "INSERT OR REPLACE INTO name_signs (surface, type, group_id, signs) VALUES (?, ?, ?, ?)",
            (surface, *row, signs),
        )
        tx.conn.execute("DELETE FROM name_unembedded WHERE surface = ?", (surface,))


def nearest(tx: Tx, embedding: bytes, signs: bytes, *, of_type: str | None, limit: int) -> list[tuple[int, str, float]]:
    """The names nearest to a vector: the row of the entity, the name, and the cosine, nearest first.

    The signs of all are compared, and the bytes of those that come near: of the ten nearest, 99 in 100 are found.
    """
    _load_extension(tx.conn)
    rows = tx.conn.execute(
        f"""
        WITH near AS MATERIALIZED (
            SELECT surface
            FROM name_signs
            WHERE group_id = :group
              AND (:type IS NULL OR type = (SELECT id FROM entity_type WHERE name = :type))
            ORDER BY vec_distance_hamming(vec_bit(signs), vec_bit(:signs))
            LIMIT :weighed
        )
        SELECT iif(surface % 2 = 0, surface / 2, (SELECT entity FROM alias WHERE id = surface / 2)),
               {_TEXT},
               1 - vec_distance_cosine(vec_int8(embedding), vec_int8(:embedding)) AS cosine
        FROM near
        JOIN name_vector USING (surface)
        ORDER BY cosine DESC, surface
        LIMIT :limit
        """,
        {
            "group": tx.group,
            "type": of_type,
            "signs": signs,
            "embedding": embedding,
            "weighed": _WEIGHED,
            "limit": limit,
        },
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def _load_extension(conn: Connection) -> None:
    known = conn.execute("SELECT 1 FROM pragma_function_list WHERE name = 'vec_distance_hamming' LIMIT 1").fetchone()
    if known:
        return
    conn.enable_load_extension(True)
    try:
        conn.load_extension(_extension())
    except sqlite.Error as error:
        raise errors.ModelUnavailable(f"sqlite-vec is installed, but cannot be loaded ({error})") from error
    finally:
        conn.enable_load_extension(False)


def _extension() -> str | None:
    """The path of the extension, without the ending that differs between platforms."""
    package = find_spec("sqlite_vec")
    if package is None or not package.submodule_search_locations:
        return None
    folder = Path(next(iter(package.submodule_search_locations)))
    return str(folder / "vec0") if any(folder.glob("vec0.*")) else None
