"""Cancellation: when a call has to stop, its running statement is interrupted and its wait for a lock ends."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from keepgraph import errors, interruption

CancellationCheck = Callable[[], errors.KeepgraphError | None]
"""Called repeatedly while a call works: returns the reason to stop, or None to go on."""


class Cancellation:
    """The cancellation check of a call with a deadline, whose caller is answered even if its thread cannot stop.

    Its state is shared by all copies; any thread may use it.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._deadline: float | None = time.monotonic() + seconds
        self._state = _State()

    def __call__(self) -> errors.KeepgraphError | None:
        if self._state.is_answered or (self._deadline is not None and time.monotonic() > self._deadline):
            return self.deadline_exceeded()
        return errors.Cancelled("the client cancelled the call") if self._stops() else None

    def deadline_exceeded(self) -> errors.DeadlineExceeded:
        return errors.DeadlineExceeded(f"the call took more than {self._seconds:.0f} seconds")

    def until_answered(self) -> Cancellation:
        """The same for a write that finishes even if late, unless its caller has been answered."""
        finishing = copy.copy(self)
        finishing._deadline = None
        return finishing

    def cancel(self) -> None:
        """The caller no longer wants an answer."""
        self._state.is_cancelled = True

    def answer(self) -> bool:
        """Answer the caller instead of the thread; false while that is committing, which takes a moment.

        What the thread has written is never committed after this.
        """
        with self._state.lock:
            self._state.is_answered = not self._state.is_committing
            return self._state.is_answered

    def begin_commit(self) -> None:
        """
        Raises:
            errors.DeadlineExceeded: the caller was answered.
        """
        with self._state.lock:
            if self._state.is_answered:
                raise self.deadline_exceeded()
            self._state.is_committing = True

    def end_commit(self) -> None:
        self._state.is_committing = False

    def _stops(self) -> bool:
        return self._state.is_cancelled and self._deadline is not None


class _State:
    """What all copies of a cancellation share."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.is_cancelled = self.is_answered = self.is_committing = False


@contextmanager
def committing(cancellation: CancellationCheck | None) -> Iterator[None]:
    """Commit inside: the caller is not answered meanwhile; if already answered, the reason is raised."""
    raise_if_cancelled(cancellation)
    if not isinstance(cancellation, Cancellation):
        yield
        return
    cancellation.begin_commit()
    try:
        yield
    finally:
        cancellation.end_commit()


def of_a_finished_write(cancellation: CancellationCheck | None) -> CancellationCheck | None:
    """The check for a write that finishes even if the call is cancelled or late, unless its caller has an answer."""
    return cancellation.until_answered() if isinstance(cancellation, Cancellation) else None


# In instructions of SQLite's virtual machine: often enough to stop a long statement soon, seldom enough to make
# calling Python cheap.
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
    """Let `cancellation` interrupt the statements and the computations that run inside."""
    if cancellation is None:
        yield
        return
    interrupt_when_cancelled(conn, cancellation)
    try:
        with interruption.by(cancellation):
            yield
    finally:
        interrupt_when(conn, None)


@contextmanager
def holding(lock: threading.Lock, cancellation: CancellationCheck | None) -> Iterator[None]:
    """Hold a lock; `cancellation` ends the wait for it."""
    while not lock.acquire(timeout=_SECONDS_BETWEEN_CHECKS):
        raise_if_cancelled(cancellation)
    try:
        yield
    finally:
        lock.release()
