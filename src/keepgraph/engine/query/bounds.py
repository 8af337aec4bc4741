"""Bounds of a query: its time and its memory."""

from __future__ import annotations

import sys
import time

from keepgraph import errors
from keepgraph.store.transactions import Tx

MAX_SECONDS = 20.0
MAX_MEMORY = 1 << 30
"""How much the process may grow during one query, in bytes."""

_WORK_BETWEEN_CHECKS = 8
_SECONDS_BETWEEN_CHECKS = 0.01
"""Asking the system for the memory takes as long as thousands of steps of SQLite."""


class Bounds:
    """The bounds of one query, which begins now.

    A query that ends before the first check never asks for the memory; growth is measured from that check on.
    """

    def __init__(self, tx: Tx, seconds: float) -> None:
        self._cancellation = tx.cancellation
        self._seconds = seconds
        begin = time.monotonic()
        self._deadline = begin + seconds
        self._next_check = begin + min(seconds, _SECONDS_BETWEEN_CHECKS)
        self._memory: int | None = None
        self._work = 0
        self._reason: errors.KeepgraphError | None = None

    def count_work(self, amount: int) -> None:
        """Called by code that computes in Python, with the amount of work done.

        Raises:
            errors.KeepgraphError: the reason to stop.
        """
        self._work += amount
        if self._work > _WORK_BETWEEN_CHECKS:
            self._work = 0
            if self.exceeded() and self._reason is not None:
                raise self._reason

    def exceeded(self) -> bool:
        """Whether to stop; then there is a reason."""
        now = time.monotonic()
        if self._reason is None and now >= self._next_check:
            self._next_check = now + _SECONDS_BETWEEN_CHECKS
            memory = process_memory()
            if self._memory is None:
                self._memory = memory
            if now > self._deadline:
                self._reason = errors.QueryTooSlow(f"the query took more than {self._seconds:g} seconds")
            elif memory - self._memory > MAX_MEMORY:
                self._reason = errors.QueryTooLarge(f"the query takes more than {MAX_MEMORY >> 20} MB of memory")
            elif self._cancellation is not None:
                self._reason = self._cancellation()
        return self._reason is not None

    def reason(self) -> errors.KeepgraphError | None:
        """Why to stop; None to go on."""
        return self._reason


def process_memory() -> int:
    """The memory of the process in bytes, as closely as the system reports it; 0 if it does not."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * 4096
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
