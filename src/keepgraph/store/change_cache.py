"""Keeps what readers have computed for as long as the database is the same. Knows no table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from keepgraph.store.database import Tx

T = TypeVar("T")
_VERSION = "version of the database"
_FRESH = "what was computed of this version"


def kept(tx: Tx, key: Any, make: Callable[[], T]) -> T:
    """What was made for this key on this connection, made anew when the database has changed.

    SQLite's own counter tells, whoever wrote: it differs from one read to the next of one connection when any other
    connection has committed in between. A transaction that writes keeps nothing beyond itself.
    """
    version = tx.conn.execute("PRAGMA data_version").fetchone()[0]
    if tx.kept.get(_VERSION) != version:
        tx.kept[_VERSION] = version
        tx.kept[_FRESH] = {}
    fresh = tx.kept[_FRESH]
    if key not in fresh:
        fresh[key] = make()
    found: T = fresh[key]
    return found
