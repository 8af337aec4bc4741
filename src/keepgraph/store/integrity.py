"""Integrity checks of a graph: its file, its schema, its vocabulary, its timestamps and its texts.

Everything is read on a connection that cannot write. See `index_integrity` and `vector_integrity` for derived data.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, package_files
from keepgraph.model import Key
from keepgraph.store import connections, copies, index_integrity, migrations, schema_parts, sqlite_errors
from keepgraph.store.connections import Connection, fetch_count, undecodable_text_replaced
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
    """What SQLite finds wrong with the file, except in the full-text indexes, which can be rebuilt."""
    problems = copies.find_problems(tx.conn, encrypted=encrypted)
    in_indexes = index_integrity.find_problems(tx.conn) if problems else set()
    return [problem for problem in problems if problem not in in_indexes]


def find_problems_of_file(file: Path, *, key: Key | None) -> list[str] | None:
    """What is wrong with a file that nobody has open, such as a backup; None where this is not its key.

    That is what SQLite finds, and how its schema differs from that of a graph of its version.
    """
    try:
        # Immutable, so that SQLite makes no file beside it; it has no log.
        conn = connections.connect(file, "ro", key=key, immutable=True)
        try:
            schema_parts.refuse_differences(conn, file)
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


def find_schema_differences(tx: Tx) -> schema_parts.Differences:
    """What the schema has too many, too few, or otherwise than the migrations make it."""
    return schema_parts.find_differences(tx.conn)


def created_at(tx: Tx) -> str | None:
    """The timestamp at which the graph was made."""
    row = tx.conn.execute("SELECT min(applied_at) FROM migration").fetchone()
    return str(row[0]) if row[0] is not None else None


def episode_texts(tx: Tx) -> Iterator[tuple[str, str, str]]:
    """Every episode: its id, the digest that was stored with it, and its text."""
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
        "facts": fetch_count(
            tx.conn, "SELECT count(*) FROM fact WHERE NOT EXISTS (SELECT 1 FROM predicate WHERE id = fact.predicate)"
        ),
        "entities": fetch_count(
            tx.conn, "SELECT count(*) FROM entity WHERE NOT EXISTS (SELECT 1 FROM entity_type WHERE id = entity.type)"
        ),
    }


def find_missing_vocabulary(tx: Tx) -> list[str]:
    """The entity types and predicates that a new graph has, and this one lacks."""
    checksums = tuple(migrations.checksum(file) for file in package_files.migrations())
    return sorted(f"{kind} {name}" for kind, name in _new_vocabulary(checksums) - _vocabulary(tx.conn))


def count_invalid_timestamps(tx: Tx) -> dict[str, int]:
    """How many rows have an invalid timestamp, by table; tables without such rows are left out."""
    counts = {
        table: fetch_count(
            tx.conn, f"SELECT count(*) FROM {table} WHERE {' OR '.join(map(_is_invalid_timestamp, columns))}"
        )
        for table, columns in _TIMESTAMPS.items()
    }
    return {table: number for table, number in counts.items() if number}


def count_recorded_after(tx: Tx, timestamp: str) -> dict[str, int]:
    """How many rows were recorded after a timestamp, by table; tables without such rows are left out."""
    counts = {
        table: fetch_count(tx.conn, f"SELECT count(*) FROM {table} WHERE {column} > ?", timestamp)
        for table, column in _RECORDED_AT.items()
    }
    return {table: number for table, number in counts.items() if number}


def _is_invalid_timestamp(column: str) -> str:
    # A valid timestamp is the same after SQLite has parsed and formatted it. An open end is no timestamp.
    return f"({column} NOT IN ('', '~') AND strftime('%Y-%m-%dT%H:%M:%fZ', {column}) IS NOT {column})"


@cache
def _new_vocabulary(checksums: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    """The types and predicates of a new graph, which is made in memory by the migrations with these checksums."""
    conn = sqlite.connect(":memory:", isolation_level=None)
    try:
        migrations.apply(conn, Path(":memory:"), now=datetime(2000, 1, 1, tzinfo=UTC), before_first=lambda _: None)
        return _vocabulary(conn)
    finally:
        conn.close()


def _vocabulary(conn: Connection) -> frozenset[tuple[str, str]]:
    rows = conn.execute("SELECT 'type', name FROM entity_type UNION ALL SELECT 'predicate', name FROM predicate")
    return frozenset((row[0], row[1]) for row in rows)
