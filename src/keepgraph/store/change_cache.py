"""A cache of what readers computed, for as long as the database does not change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from keepgraph.store.transactions import Tx

T = TypeVar("T")
_VERSION = "version of the database"
_VALUES = "what was computed of this version"


def get(tx: Tx, key: Any, compute: Callable[[], T]) -> T:
    """The value for a key on this connection, computed anew when the database has changed.

    SQLite's counter `data_version` tells, whoever wrote: it differs from one read to the next of one connection when
    any other connection has committed in between. A transaction that writes keeps nothing beyond itself.
    """
    version = tx.conn.execute("PRAGMA data_version").fetchone()[0]
    if tx.connection_cache.get(_VERSION) != version:
        tx.connection_cache[_VERSION] = version
        tx.connection_cache[_VALUES] = {}
    values = tx.connection_cache[_VALUES]
    if key not in values:
        values[key] = compute()
    value: T = values[key]
    return value
