"""Traversal sessions: handles to streams, in the memory of the process, that grow by one step with each call.

A handle lives for 30 minutes after its last use. 64 are open at once; one more closes that which was used longest ago.
A step that fails changes nothing.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

from keepgraph import errors
from keepgraph.engine.traversal.streams import Stream
from keepgraph.store.transactions import Tx

MAX_OPEN = 64
MAX_STEPS = 64
IDLE = timedelta(minutes=30)

_MAX_CLOSED_REMEMBERED = 1_000
_CACHE_KEY = "traversals"


@dataclass(slots=True)
class Traversal:
    """A stream and how far it was read.

    Attributes:
        position: of the next row that `next` gives.
        steps: the number of steps that led to the stream.
        skipped: the number of rows that were skipped because they were deleted meanwhile.
    """

    id: str
    used_at: datetime
    stream: Stream = field(default_factory=Stream)
    position: int = 0
    steps: int = 0
    skipped: int = 0
    lock: Lock = field(default_factory=Lock)

    def reset(self) -> None:
        """Make it blank again."""
        self.stream, self.position, self.steps, self.skipped = Stream(), 0, 0, 0

    def advance(self, step: Callable[[Stream], Stream]) -> None:
        """Let a step lead on to another stream; reading begins at its first row.

        Raises:
            errors.TraversalTooLarge: there were MAX_STEPS steps already.
        """
        if self.steps >= MAX_STEPS:
            raise errors.TraversalTooLarge(
                f"a traversal has at most {MAX_STEPS} steps", hint="Collect what there is, or begin again after reset."
            )
        self.stream = step(self.stream)
        self.position, self.skipped = 0, 0
        self.steps += 1


class Sessions:
    """The open traversals of a process, least recently used first."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, Traversal] = OrderedDict()
        self._closed: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def begin(self, now: datetime) -> Traversal:
        """A new, blank traversal."""
        traversal = Traversal(f"trav_{secrets.token_hex(13)}", used_at=now)
        with self._lock:
            self._close_idle(now)
            while len(self._open) >= MAX_OPEN:
                oldest, _ = self._open.popitem(last=False)
                self._remember(oldest, f"it was closed, since {MAX_OPEN} others were used after it")
            self._open[traversal.id] = traversal
        return traversal

    @contextmanager
    def use(self, id: str, now: datetime) -> Iterator[Traversal]:
        """The traversal with this id, for one call at a time.

        Raises:
            errors.TraversalNotFound: there is none, or it was closed.
        """
        with self._lock:
            self._close_idle(now)
            traversal = self._open.get(id)
            if traversal is None:
                reason = self._closed.get(id, "there is none with this id in this process")
                raise errors.TraversalNotFound(f"the traversal {id[:60]!r} is not open: {reason}")
            traversal.used_at = now
            self._open.move_to_end(id)
        with traversal.lock:
            yield traversal

    def _close_idle(self, now: datetime) -> None:
        while self._open:
            oldest = next(iter(self._open.values()))
            if now - oldest.used_at <= IDLE:
                return
            del self._open[oldest.id]
            self._remember(oldest.id, f"it was not used for {IDLE.seconds // 60} minutes")

    def _remember(self, id: str, reason: str) -> None:
        self._closed[id] = reason
        while len(self._closed) > _MAX_CLOSED_REMEMBERED:
            self._closed.popitem(last=False)


def of_process(tx: Tx) -> Sessions:
    """The sessions of the process that has this graph open."""
    sessions: Sessions = tx.shared_cache.setdefault(_CACHE_KEY, Sessions())
    return sessions
