"""Limits of each caller over HTTP, and counters of what was answered and refused."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from keepgraph.mcp import refusals

_SECONDS = 60.0
_BYTES = 1_000_000
_ROUNDING = 1e-6


class Limits:
    """What one caller may do: calls and bytes a minute, and calls at the same time."""

    def __init__(
        self,
        *,
        calls_per_minute: int,
        megabytes_per_minute: int,
        calls_at_once: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._calls = _Allowance(calls_per_minute, clock)
        self._bytes = _Allowance(megabytes_per_minute * _BYTES, clock)
        self._at_once = calls_at_once
        self._running = 0

    def take_request(self) -> None:
        """
        Raises:
            refusals.TooManyCalls, refusals.TooManyBytes: the caller must wait.
        """
        for allowance, error in ((self._calls, refusals.TooManyCalls), (self._bytes, refusals.TooManyBytes)):
            if seconds := allowance.seconds_to_wait():
                refusal = error("this token has used up its allowance for a minute")
                refusal.retry_after = seconds
                raise refusal
        self._calls.take(1)

    def take_bytes(self, count: int) -> None:
        """Count bytes that were received or sent."""
        self._bytes.take(count)

    @contextmanager
    def call(self) -> Iterator[None]:
        """A call in progress, while this context lasts.

        Raises:
            refusals.TooManyAtOnce: too many others are.
        """
        if self._running >= self._at_once:
            refusal = refusals.TooManyAtOnce(f"this token has {self._running} calls in progress")
            refusal.retry_after = 1
            raise refusal
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1


class _Allowance:
    """So much a minute, all of it at once if need be. What is taken may exceed it; then the next one waits longer."""

    def __init__(self, per_minute: int, clock: Callable[[], float]) -> None:
        self._per_minute = per_minute
        self._clock = clock
        self._left, self._at = float(per_minute), clock()

    def take(self, count: int) -> None:
        self._refill()
        self._left -= count

    def seconds_to_wait(self) -> int:
        """Whole seconds until something may be taken; 0 if it may be now."""
        self._refill()
        return 0 if self._left > 1 - _ROUNDING else math.ceil((1 - self._left) * _SECONDS / self._per_minute)

    def _refill(self) -> None:
        now = self._clock()
        self._left = min(self._left + (now - self._at) * self._per_minute / _SECONDS, float(self._per_minute))
        self._at = now


class Metrics:
    """Counters in Prometheus' text format. They name no token, no graph and no tool."""

    def __init__(self) -> None:
        self._answers: Counter[int] = Counter()
        self._refusals: Counter[str] = Counter()
        self._seconds = 0.0
        self._bytes: Counter[str] = Counter()
        self.in_progress = 0

    def count_answer(self, status: int, *, seconds: float, received: int, sent: int) -> None:
        self._answers[status] += 1
        self._seconds += seconds
        self._bytes.update(received=received, sent=sent)

    def count_refusal(self, code: str) -> None:
        self._refusals[code] += 1

    def text(self) -> str:
        rows: list[tuple[str, str, dict[str, float]]] = [
            ("requests_total", "counter", {f'{{status="{key}"}}': n for key, n in sorted(self._answers.items())}),
            ("refusals_total", "counter", {f'{{code="{key}"}}': n for key, n in sorted(self._refusals.items())}),
            ("request_seconds_sum", "counter", {"": round(self._seconds, 3)}),
            ("request_seconds_count", "counter", {"": sum(self._answers.values())}),
            ("bytes_total", "counter", {f'{{direction="{key}"}}': n for key, n in sorted(self._bytes.items())}),
            ("requests_in_progress", "gauge", {"": self.in_progress}),
        ]
        lines = []
        for name, kind, values in rows:
            lines.append(f"# TYPE keepgraph_{name} {kind}")
            lines += [f"keepgraph_{name}{labels} {value}" for labels, value in values.items()]
        return "\n".join(lines) + "\n"
