"""Worker threads for blocking calls: each call has a deadline, and stops when the client cancels its request."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.to_thread

from keepgraph import errors
from keepgraph.store.cancellation import Cancellation, CancellationCheck

GRACE_SECONDS = 1.0
"""How long after its deadline a call may take to stop by itself."""

_PAUSE_SECONDS = 0.02
_T = TypeVar("_T")
_log = logging.getLogger("keepgraph.mcp")


async def run(work: Callable[[CancellationCheck], _T], *, limiter: anyio.CapacityLimiter, seconds: float) -> _T:
    """Run blocking work in a thread, outside the event loop.

    When the request is cancelled, the work is interrupted, and this waits a moment for the end of its thread.
    A thread that cannot stop is left to itself a second after the deadline: the caller is answered, and nothing that
    the work has written is committed any more.

    Args:
        work: takes the cancellation check that it, or the database below it, makes now and then.
        limiter: how many threads of this kind may run at once.
        seconds: the deadline of the work, from now on; waiting for the limiter counts.

    Raises:
        errors.KeepgraphError: the work failed. An unforeseen exception becomes an InternalError.
    """
    cancellation = Cancellation(seconds)
    outcomes: list[_T | errors.KeepgraphError] = []
    ended = anyio.Event()
    thread = anyio.CancelScope(shield=True)

    async def work_in_thread() -> None:
        with thread:
            outcomes.append(
                await anyio.to_thread.run_sync(
                    functools.partial(_catch_errors, work, cancellation), limiter=limiter, abandon_on_cancel=True
                )
            )
        ended.set()

    async with anyio.create_task_group() as group:
        group.start_soon(work_in_thread)
        try:
            with anyio.move_on_after(seconds + GRACE_SECONDS):
                await ended.wait()
            while not ended.is_set() and not cancellation.answer():
                await anyio.sleep(_PAUSE_SECONDS)
        except anyio.get_cancelled_exc_class():
            cancellation.cancel()
            with anyio.move_on_after(GRACE_SECONDS, shield=True):
                await ended.wait()
            raise
        finally:
            thread.cancel()
    if not outcomes:
        _log.warning("a call could not be stopped at its deadline; its thread goes on")
        raise cancellation.deadline_exceeded()
    outcome = outcomes[0]
    if isinstance(outcome, errors.KeepgraphError):
        raise outcome
    return outcome


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
