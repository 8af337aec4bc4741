"""Cancellation: a running statement is interrupted, and waiting for a lock ends, when a call has a reason to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from keepgraph import errors

CancellationCheck = Callable[[], errors.KeepgraphError | None]
"""Called again and again while a call works: returns the reason to stop, or None to go on."""

# In instructions of SQLite's virtual machine: often enough to stop a long statement soon, and seldom enough that
# calling Python costs little.
_INSTRUCTIONS_BETWEEN_CHECKS = 1000
_SECONDS_BETWEEN_CHECKS = 0.1


def raise_if_cancelled(cancellation: CancellationCheck | None) -> None:
    reason = cancellation() if cancellation else None
    if reason is not None:
        raise reason


def interrupt_when(conn: Any, condition: Callable[[], bool] | None) -> None:
    """Let the connection interrupt its running statement (SQLITE_INTERRUPT) once `condition` is true; None: never."""
    conn.set_progress_handler(condition, _INSTRUCTIONS_BETWEEN_CHECKS if condition else 0)


def interrupt_when_cancelled(conn: Any, cancellation: CancellationCheck | None) -> None:
    interrupt_when(conn, None if cancellation is None else lambda: cancellation() is not None)


@contextmanager
def interruptible(conn: Any, cancellation: CancellationCheck | None) -> Iterator[None]:
    """Let `cancellation` interrupt the statements that run inside."""
    if cancellation is None:
        yield
        return
    interrupt_when_cancelled(conn, cancellation)
    try:
        yield
    finally:
        interrupt_when(conn, None)


@contextmanager
def holding(lock: threading.Lock, cancellation: CancellationCheck | None) -> Iterator[None]:
    """Hold a lock; `cancellation` ends the waiting for it."""
    while not lock.acquire(timeout=_SECONDS_BETWEEN_CHECKS):
        raise_if_cancelled(cancellation)
    try:
        yield
    finally:
        lock.release()
