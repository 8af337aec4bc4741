"""Time limits of a backfill that a read waits for."""

from __future__ import annotations

import time
from collections.abc import Callable

from keepgraph import errors
from keepgraph.store.cancellation import CancellationCheck

MAX_SECONDS_OF_A_READ = 1.0
"""How long a read waits for all that is backfilled before it; at most about one batch longer."""

_WAIT_FOR_WRITER_SECONDS = 1.0


def countdown() -> Callable[[], float]:
    """How many seconds a read still waits, counted from now on."""
    until = time.monotonic() + MAX_SECONDS_OF_A_READ
    return lambda: max(until - time.monotonic(), 0.0)


def short_wait() -> CancellationCheck:
    """A cancellation check for the writes of a backfill that a read waits for.

    It gives up waiting for another writer after a second: a better answer is not worth a longer wait.
    """
    until = time.monotonic() + _WAIT_FOR_WRITER_SECONDS
    return lambda: errors.GraphBusy("another program is writing") if time.monotonic() > until else None
