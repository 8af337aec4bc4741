"""Compaction of a file: the segments of the full-text indexes are merged, and all pages are written anew."""

from __future__ import annotations

from keepgraph.store.connections import Connection


def compact(conn: Connection) -> None:
    """Make a file as small as it can be. Nothing of what was deleted is in it afterwards."""
    # Deleted words stay in the segments of an index until these are merged.
    for (table,) in conn.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%'"
    ).fetchall():
        conn.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    conn.execute("VACUUM")
