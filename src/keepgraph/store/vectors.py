"""Vectors of names, facts and texts in the database: which wait for one, which are near. Knows no model.

A name has the number 2 × entity.id, an alias 2 × alias.id + 1; a fact that of its row; a chunk 2 × chunk.id, and,
read with the turn before it, 2 × chunk.id + 1. Distances are computed by the extension sqlite-vec, which is found by
its path and loaded when it is first needed: importing its package would import numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors
from keepgraph.store.database import Connection, Tx


@dataclass(frozen=True, slots=True)
class Kind:
    """What is given vectors: its name in the singular, its tables, and what is embedded of it.

    Attributes:
        key: the column with its number.
        text: SQL for its text, by `number`; null where there is none any more.
        beside: the columns that are kept with the signs, to be filtered by.
        filters: SQL for their values, by `number`.
    """

    noun: str
    prefix: str
    key: str
    text: str
    beside: tuple[str, ...] = ()
    filters: str | None = None

    @property
    def waiting(self) -> str:
        return f"{self.prefix}_unembedded"

    @property
    def vectors(self) -> str:
        return f"{self.prefix}_vector"

    @property
    def signs(self) -> str:
        return f"{self.prefix}_signs"


NAME = Kind(
    noun="name",
    prefix="name",
    key="surface",
    text="""
        CASE number % 2 WHEN 0 THEN (SELECT name FROM entity WHERE id = number / 2)
                        ELSE (SELECT alias FROM alias WHERE id = number / 2) END
    """,
    beside=("type", "group_id"),
    filters="""
        SELECT type, group_id FROM entity
        WHERE id = CASE number % 2 WHEN 0 THEN number / 2
                                   ELSE (SELECT entity FROM alias WHERE id = number / 2) END
    """,
)
FACT = Kind(noun="fact", prefix="fact", key="fact", text="(SELECT text FROM fact WHERE id = number)")
# A turn is read with the one before it: in the same text, or else in the message before it in the group.
_TURN_BEFORE = """
    coalesce(
        (SELECT earlier.text FROM chunk AS earlier
         WHERE earlier.episode = chunk.episode AND earlier.place < chunk.place
         ORDER BY earlier.place DESC LIMIT 1),
        (SELECT earlier.text FROM chunk AS earlier
         WHERE earlier.episode = (
             SELECT other.id FROM episode AS other
             WHERE other.group_id = episode.group_id AND other.kind = episode.kind AND other.id < episode.id
             ORDER BY other.id DESC LIMIT 1)
         ORDER BY earlier.place DESC LIMIT 1),
        '')
"""
CHUNK = Kind(
    noun="text",
    prefix="chunk",
    key="reading",
    text=f"""
        (SELECT CASE
             WHEN number % 2 = 1 THEN {_TURN_BEFORE} || char(10) || chunk.text
             WHEN chunk.speaker IS NOT NULL OR episode.kind = 'message' THEN chunk.text
             WHEN chunk.heading = '' THEN episode.name || char(10) || chunk.text
             ELSE chunk.heading || char(10) || chunk.text
         END
         FROM chunk JOIN episode ON episode.id = chunk.episode
         WHERE chunk.id = number / 2)
    """,
    beside=("group_id",),
    filters="""
        SELECT episode.group_id FROM chunk JOIN episode ON episode.id = chunk.episode WHERE chunk.id = number / 2
    """,
)
KINDS = (NAME, CHUNK, FACT)
"""In the order in which they are given their vectors: a question asks for names first."""

_WEIGHED = 200


def missing() -> str | None:
    """Why distances cannot be computed here, or None."""
    return None if _extension() else "sqlite-vec is not installed (pip install 'keepgraph[embeddings]')"


def space(tx: Tx) -> tuple[str, int] | None:
    """The model that made the vectors, and their dimension; None before the first."""
    row = tx.conn.execute("SELECT model, dimension FROM vector_space").fetchone()
    return (row[0], row[1]) if row else None


def set_space(tx: Tx, model: str, dimension: int) -> None:
    """Say which model makes the vectors from now on; those of another are dropped, and everything waits again."""
    for kind in KINDS:
        tx.conn.execute(f"DELETE FROM {kind.vectors}")
        tx.conn.execute(f"DELETE FROM {kind.signs}")
    tx.conn.execute("DELETE FROM vector_space")
    tx.conn.execute("INSERT INTO vector_space (id, model, dimension) VALUES (1, ?, ?)", (model, dimension))
    tx.conn.execute("INSERT OR IGNORE INTO name_unembedded SELECT 2 * id FROM entity")
    tx.conn.execute("INSERT OR IGNORE INTO name_unembedded SELECT 2 * id + 1 FROM alias")
    tx.conn.execute("INSERT OR IGNORE INTO fact_unembedded SELECT id FROM fact")
    tx.conn.execute("INSERT OR IGNORE INTO chunk_unembedded SELECT 2 * id FROM chunk")
    tx.conn.execute(
        """
        INSERT OR IGNORE INTO chunk_unembedded
        SELECT 2 * chunk.id + 1
        FROM chunk JOIN episode ON episode.id = chunk.episode
        WHERE chunk.speaker IS NOT NULL OR episode.kind = 'message'
        """
    )


def waiting(tx: Tx, kind: Kind = NAME) -> int:
    """How many of a kind have no vector yet."""
    return int(tx.conn.execute(f"SELECT count(*) FROM {kind.waiting}").fetchone()[0])


def any_waiting(tx: Tx, kind: Kind) -> bool:
    """Whether any of a kind has no vector yet: quicker than counting them."""
    return tx.conn.execute(f"SELECT 1 FROM {kind.waiting} LIMIT 1").fetchone() is not None


def next_waiting(tx: Tx, kind: Kind = NAME, *, limit: int) -> list[tuple[int, str]]:
    """Some of a kind that have no vector yet, by their numbers, the oldest first, with what is to be embedded."""
    rows = tx.conn.execute(
        f"""
        SELECT number, text
        FROM (SELECT number, {kind.text} AS text FROM (SELECT {kind.key} AS number FROM {kind.waiting}))
        WHERE text IS NOT NULL
        ORDER BY number
        LIMIT ?
        """,
        (limit,),
    )
    return rows.fetchall()  # type: ignore[no-any-return]


def insert(tx: Tx, made: Sequence[tuple[int, str, bytes, bytes]], kind: Kind = NAME) -> None:
    """Keep vectors, given as number, text, embedding (one byte a dimension) and signs (one bit).

    One whose text has changed meanwhile is left out; it goes on waiting.
    """
    columns = "".join(f", {column}" for column in kind.beside)
    for number, text, embedding, signs in made:
        told = {"number": number, "text": text, "embedding": embedding, "signs": signs}
        now = tx.conn.execute(f"SELECT {kind.text} FROM (SELECT :number AS number)", told).fetchone()[0]
        if now != text:
            continue
        beside = (
            tx.conn.execute(f"{kind.filters.replace('number', ':number')}", told).fetchone() if kind.filters else ()
        )
        tx.conn.execute(f"INSERT OR REPLACE INTO {kind.vectors} VALUES (:number, :embedding)", told)
        tx.conn.execute(
            f"INSERT OR REPLACE INTO {kind.signs} ({kind.key}, signs{columns}) VALUES (?, ?{', ?' * len(kind.beside)})",
            (number, signs, *beside),
        )
        tx.conn.execute(f"DELETE FROM {kind.waiting} WHERE {kind.key} = :number", told)


def nearest(tx: Tx, embedding: bytes, signs: bytes, *, of_type: str | None, limit: int) -> list[tuple[int, str, float]]:
    """The names nearest to a vector: the row of the entity, the name, and the cosine, nearest first.

    The signs of all are compared, and the bytes of those that come near: of the ten nearest, 99 in 100 are found.
    """
    load_extension(tx.conn)
    rows = tx.conn.execute(
        f"""
        WITH near AS MATERIALIZED (
            SELECT surface AS number
            FROM name_signs
            WHERE group_id = :group
              AND (:type IS NULL OR type = (SELECT id FROM entity_type WHERE name = :type))
            ORDER BY vec_distance_hamming(vec_bit(signs), vec_bit(:signs))
            LIMIT :weighed
        )
        SELECT iif(number % 2 = 0, number / 2, (SELECT entity FROM alias WHERE id = number / 2)),
               {NAME.text},
               1 - vec_distance_cosine(vec_int8(embedding), vec_int8(:embedding)) AS cosine
        FROM near
        JOIN name_vector ON surface = number
        ORDER BY cosine DESC, number
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


def load_extension(conn: Connection) -> None:
    """Give a connection the functions that compute distances.

    Raises:
        errors.ModelUnavailable: the extension cannot be loaded.
    """
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
