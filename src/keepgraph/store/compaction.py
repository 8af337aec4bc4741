"""Compaction of a file: the segments of the full-text indexes are merged, and all pages are written anew."""

from __future__ import annotations

from keepgraph.store.connections import Connection


def compact(conn: Connection) -> None:
    """Make a file as small as it can be. Nothing of what was deleted is in it afterwards."""
    drop_statistics(conn)
    # Deleted words stay in the segments of an index until these are merged.
    for (table,) in conn.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%'"
    ).fetchall():
        conn.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    conn.execute("VACUUM")


def drop_statistics(conn: Connection) -> None:
    """Drop the tables of ANALYZE, which any SQLite tool may have made: they hold samples of names and texts.

    Their pages are overwritten with zeros.
    """
    tables = conn.execute(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name GLOB 'sqlite_stat[1-4]'"
    ).fetchall()
    if tables:
        conn.execute("PRAGMA secure_delete = ON").fetchall()
    for (table,) in tables:
        conn.execute(f"DROP TABLE {table}")
