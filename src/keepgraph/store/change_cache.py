"""A cache of what readers computed, for as long as the database does not change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from keepgraph.store.transactions import Tx

T = TypeVar("T")
_VALUES = "what was computed of this revision"


def get(tx: Tx, key: Any, compute: Callable[[], T]) -> T:
    """The value for a key on this connection, computed anew when the database has changed.

    A transaction that writes keeps nothing beyond itself.
    """
    revision, values = tx.connection_cache.get(_VALUES, (None, {}))
    if revision != tx.revision:
        values = {}
        tx.connection_cache[_VALUES] = tx.revision, values
    if key not in values:
        values[key] = compute()
    value: T = values[key]
    return value
