"""Writer queue: writers of a graph take numbered places in a file, in whatever process, and write in their order.

The queue only orders those who use it: the lock that protects the graph is SQLite's own (ADR 0059). A place is a byte
of the lock file that is locked while its writer waits or writes. The system unlocks it when the process ends, however
it ends, so nobody waits for the dead. The locks belong to the open file, not to the process (`F_OFD_SETLK`): threads
with databases of their own queue like processes. Where the system has no such locks, there is no queue.
"""

from __future__ import annotations

import os
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from keepgraph.lazy import dataclass
from keepgraph.store.cancellation import CancellationCheck, raise_if_cancelled

fcntl: Any
try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

_HAS_LOCKS = sys.platform == "linux" and hasattr(fcntl, "F_OFD_SETLK")
"""Elsewhere such a lock has another form, if it exists, and is untested."""

PATIENCE_SECONDS = 2.0
"""If the queue has not moved for this long, a process in it is suspended, or writes for long."""

WRITES_OF_A_TURN = 3
TURN_SECONDS = 0.012
"""A writer that goes on writing keeps its place for this many writes and no longer. A change of writers costs
about half a write: the next one has to wake up, and to read again what changed."""

GRACE_SECONDS = 0.0008
"""The pause between two writes of one turn: after a longer one, its place is passed."""

_COUNTER_BYTE = 1 << 40
"""Locked while a place is taken. No byte that is locked is ever written to."""

_FIRST_PLACE_BYTE = _COUNTER_BYTE + 1
_MAX_PLACES = 1 << 60
_COUNTER_TRIES = 500
_MIN_PAUSE_SECONDS = 0.0001
_MAX_PAUSE_SECONDS = 0.03
_USUAL_SECONDS_OF_A_TURN = 0.002


class _Progress(NamedTuple):
    """What the lock file says of the queue.

    Attributes:
        place: whose turn it is, or was; all places before it are passed.
        idle_since: when the last write of that turn ended, in nanoseconds of the monotonic clock, which all processes
            share; 0 while it writes.
    """

    place: int
    idle_since: int


_NEXT = struct.Struct("<q")  # the number of the next place: the first bytes of the file
_PROGRESS = struct.Struct("<qq")  # behind them
_LOCK = struct.Struct("hhqqi4x")  # `struct flock` of the system


class WriterQueue:
    """The place of one database in the queue. One thread at a time uses it."""

    def __init__(self) -> None:
        self._place: Place | None = None
        self._writes_left = 0
        self._last_end = 0.0

    @contextmanager
    def place(self, descriptor: int | None) -> Iterator[Place | None]:
        """A place for one write; None without a queue.

        It is that of the last write, if that has just ended; else the last of the queue.

        Args:
            descriptor: of the lock file of the graph; None if it could not be made.
        """
        if descriptor is None or not _HAS_LOCKS:
            yield None
            return
        began = time.monotonic()
        goes_on = began - self._last_end < GRACE_SECONDS
        if self._place is not None and not (goes_on and self._place.resume()):
            self._place.leave()
            self._place = None
        if self._place is None:
            self._place, self._writes_left = _take(descriptor), WRITES_OF_A_TURN
        try:
            yield self._place
        finally:
            if self._place is not None:
                self._writes_left -= 1
                self._last_end = time.monotonic()
                if goes_on and self._writes_left and self._last_end - self._place.turn_began < TURN_SECONDS:
                    self._place.pause()
                else:
                    self._place.leave()
                    self._place = None


@dataclass(slots=True)
class Place:
    """A place in the queue.

    Attributes:
        number: it counts from 0, and rises by one with each place that is taken.
        turn_began: when it was the first, by the monotonic clock; 0 before.
    """

    descriptor: int
    number: int
    turn_began: float = 0.0

    def wait(self, *, until: float, cancellation: CancellationCheck | None) -> None:
        """Wait until everybody ahead has written or died, or until waiting is no longer worth it.

        Args:
            until: the time, by the monotonic clock, after which nobody waits.

        Raises:
            errors.KeepgraphError: the reason of the cancellation.
        """
        if self.turn_began:
            return
        began = moved = time.monotonic()
        first = last = _read_progress(self.descriptor).place
        while not self._is_first():
            raise_if_cancelled(cancellation)
            now, current = time.monotonic(), _read_progress(self.descriptor).place
            if current != last:
                last, moved = current, now
            if now > until or now - moved > PATIENCE_SECONDS:
                break  # SQLite's lock decides, as if there were no queue
            a_turn = (now - began) / (current - first) if current > first else _USUAL_SECONDS_OF_A_TURN
            time.sleep(_pause(self.number - current, seconds_of_a_turn=a_turn))
        self.turn_began = time.monotonic()
        _write_progress(self.descriptor, self.number)

    def pause(self) -> None:
        """Say that another write may follow at once, in the same turn."""
        _write_progress(self.descriptor, self.number, idle_since=time.monotonic_ns())

    def resume(self) -> bool:
        """Go on in the same turn; false if the place has been passed."""
        if _read_progress(self.descriptor).place != self.number:
            return False
        _write_progress(self.descriptor, self.number)
        return True

    def leave(self) -> None:
        _set_lock(self.descriptor, fcntl.F_UNLCK, _FIRST_PLACE_BYTE + self.number)

    def _is_first(self) -> bool:
        """Whether nobody waits or writes at the places from the one whose turn it is to this one."""
        progress = _read_progress(self.descriptor)
        start = max(progress.place, 0)
        if progress.idle_since and time.monotonic_ns() - progress.idle_since > GRACE_SECONDS * 1e9:
            start += 1
        if start >= self.number:
            return True
        before = _lock(fcntl.F_RDLCK, _FIRST_PLACE_BYTE + start, self.number - start)
        return bool(_LOCK.unpack(fcntl.fcntl(self.descriptor, fcntl.F_OFD_GETLK, before))[0] == fcntl.F_UNLCK)


def _pause(ahead: int, *, seconds_of_a_turn: float) -> float:
    """How long to wait before looking again, in seconds: the next one looks often, one far behind rarely.

    Args:
        ahead: how many places there are from the one whose turn it is to this one.
    """
    seconds = seconds_of_a_turn * (0.02 if ahead <= 1 else 0.6 * (ahead - 1))
    return min(max(seconds, _MIN_PAUSE_SECONDS), _MAX_PAUSE_SECONDS)


def _take(descriptor: int) -> Place | None:
    """The next place, locked; None if that is impossible."""
    try:
        if not _lock_counter(descriptor):
            return None
        try:
            content = os.pread(descriptor, _NEXT.size, 0)
            number = _NEXT.unpack(content)[0] if len(content) == _NEXT.size else 0
            if not 0 <= number < _MAX_PLACES:
                number = 0  # the file was written by somebody else
            if not number:
                _write_progress(descriptor, -1)
            _set_lock(descriptor, fcntl.F_WRLCK, _FIRST_PLACE_BYTE + number)
            os.pwrite(descriptor, _NEXT.pack(number + 1), 0)
        finally:
            _set_lock(descriptor, fcntl.F_UNLCK, _COUNTER_BYTE)
    except OSError:
        return None  # a file system without such locks, or a full one
    return Place(descriptor, number)


def _lock_counter(descriptor: int) -> bool:
    """Lock the counter of places; whether that was possible. It is locked for some microseconds at a time."""
    for _ in range(_COUNTER_TRIES):
        try:
            _set_lock(descriptor, fcntl.F_WRLCK, _COUNTER_BYTE)
        except BlockingIOError:
            time.sleep(_MIN_PAUSE_SECONDS)
        else:
            return True
    return False


def _read_progress(descriptor: int) -> _Progress:
    content = os.pread(descriptor, _PROGRESS.size, _NEXT.size)
    return _Progress._make(_PROGRESS.unpack(content)) if len(content) == _PROGRESS.size else _Progress(-1, 0)


def _write_progress(descriptor: int, place: int, *, idle_since: int = 0) -> None:
    os.pwrite(descriptor, _PROGRESS.pack(place, idle_since), _NEXT.size)


def _lock(kind: int, start: int, length: int = 1) -> bytes:
    return _LOCK.pack(kind, os.SEEK_SET, start, length, 0)


def _set_lock(descriptor: int, kind: int, byte: int) -> None:
    """Lock or unlock one byte, at once or not at all (BlockingIOError)."""
    fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _lock(kind, byte))
