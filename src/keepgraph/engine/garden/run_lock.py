"""The lock of the gardener: one run at a time on a graph, in whatever process. A run that was killed has lost it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from keepgraph import store
from keepgraph.store.transactions import Tx

_WORK = "garden"


def try_lock(graph: Path) -> AbstractContextManager[bool]:
    """Whether no other run is going on; inside, none can begin."""
    return store.run_locks.try_lock(graph, _WORK)


def is_running(tx: Tx) -> bool:
    return store.run_locks.is_locked(tx, _WORK)
