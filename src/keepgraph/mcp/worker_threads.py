"""Worker threads for blocking calls: each call has a deadline, and stops when the client cancels its request."""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from keepgraph import errors
from keepgraph.store.cancellation import CancellationCheck

_T = TypeVar("_T")
_log = logging.getLogger("keepgraph.mcp")


async def run(work: Callable[[CancellationCheck], _T], *, limiter: anyio.CapacityLimiter, seconds: float) -> _T:
    """Run blocking work in a thread, outside the event loop.

    When the request is cancelled, the work is interrupted, and this waits until its thread has ended.

    Args:
        work: takes the cancellation check that it, or the database below it, makes now and then.
        limiter: how many threads of this kind may run at once.
        seconds: the deadline of the work.

    Raises:
        errors.KeepgraphError: the work failed. An unforeseen exception becomes an InternalError.
    """
    cancellation = _Cancellation(seconds)
    async with anyio.create_task_group() as group:
        group.start_soon(cancellation.watch)
        try:
            outcome: _T | errors.KeepgraphError = await anyio.to_thread.run_sync(
                functools.partial(_catch_errors, work, cancellation), limiter=limiter
            )
        finally:
            group.cancel_scope.cancel()
    if isinstance(outcome, errors.KeepgraphError):
        raise outcome
    return outcome


class _Cancellation:
    """The cancellation check of one call: it gives the reason to stop, cancelled or past the deadline, or None."""

    def __init__(self, seconds: float) -> None:
        self._cancelled = threading.Event()
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds

    def __call__(self) -> errors.KeepgraphError | None:
        if self._cancelled.is_set():
            return errors.Cancelled("the client cancelled the call")
        if time.monotonic() > self._deadline:
            return errors.DeadlineExceeded(f"the call took more than {self._seconds:.0f} seconds")
        return None

    async def watch(self) -> None:
        """Sleep until the task group is cancelled, and tell the thread then."""
        try:
            await anyio.sleep_forever()
        finally:
            self._cancelled.set()


def _catch_errors(
    work: Callable[[CancellationCheck], _T], cancellation: CancellationCheck
) -> _T | errors.KeepgraphError:
    """The result of the work, or its error as a value: what a thread raises, the protocol would send on as it is."""
    try:
        return work(cancellation)
    except errors.KeepgraphError as error:
        return error
    except Exception:  # noqa: BLE001 (the one place of this interface where every error becomes an answer)
        _log.exception("a call failed in an unforeseen way")
        return errors.InternalError("the call failed in an unforeseen way; the server's log has the details")
