"""Activity of a server: how many calls there were, how many are in progress, and how long there has been none."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Activity:
    """Counts calls; any thread may ask.

    Attributes:
        calls: how many calls have begun.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.calls = 0
        self._clock = clock
        self._going_on = 0
        self._last_end = clock()
        self._lock = threading.Lock()
        self._ended = threading.Event()

    @contextmanager
    def call(self) -> Iterator[None]:
        """A call in progress, while this context lasts."""
        with self._lock:
            self.calls += 1
            self._going_on += 1
        try:
            yield
        finally:
            with self._lock:
                self._going_on -= 1
                self._last_end = self._clock()
            self._ended.set()

    def idle_seconds(self) -> float:
        """How long there has been no call; 0 during one."""
        with self._lock:
            return 0.0 if self._going_on else self._clock() - self._last_end

    def await_end(self, seconds: float) -> None:
        """Wait until a call ends, or for this long; for one thread."""
        self._ended.wait(seconds)
        self._ended.clear()

    def stop_waiting(self) -> None:
        """Wake the waiting thread."""
        self._ended.set()
