"""Work that a server does when nobody asks: texts are read, vectors made, the log kept short. Knows no protocol."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from keepgraph import errors
from keepgraph.engine.backfill import vectors
from keepgraph.engine.texts import mention_index
from keepgraph.engine.upkeep import backups
from keepgraph.graph import Graph

_EVERY_SECONDS = 2.0
_BREATH_SECONDS = 0.05
_AT_ONCE = 16  # the server ends only between two batches
_PUT_OFF_AT_MOST = 15
_BACKUPS_EVERY_SECONDS = 900.0

_log = logging.getLogger("keepgraph.background")


@contextmanager
def kept(graph: Graph, *, daily: bool = False) -> Iterator[None]:
    """While this lasts, a thread of its own sees to what comes in; with `daily`, it makes a backup a day as well."""
    if graph.read_only:
        yield
        return
    ended = threading.Event()
    worker = threading.Thread(target=_work, args=(graph, ended, daily), name="background", daemon=True)
    worker.start()
    try:
        yield
    finally:
        ended.set()
        worker.join()


def _work(graph: Graph, ended: threading.Event, daily: bool) -> None:
    duties: list[Callable[[], bool]] = [_Readings(graph), _Vectors(graph), _Log(graph)]
    if daily:
        duties.append(_Backups(graph))
    pause = _EVERY_SECONDS
    while duties and not ended.wait(pause):
        pause = _EVERY_SECONDS
        for duty in list(duties):
            try:
                if duty():
                    pause = _BREATH_SECONDS
            except errors.ModelUnavailable as error:
                _log.warning("vectors are no longer made: %s", error)
                duties.remove(duty)
            except errors.KeepgraphError as error:
                # A busy or a missing file is no reason to stop trying.
                _log.info("not now: %s", error)
            except Exception:  # noqa: BLE001 (the one place where an error of this thread can be told)
                _log.exception("%s is given up", type(duty).__name__)
                duties.remove(duty)


class _Filling:
    """Makes what waits, a few at a time, when it is quiet.

    Whoever brings more is not disturbed, and what another server is at already is not made twice: as long as others
    change how much waits, it is put off, though not for ever.
    """

    def __init__(self, due: Callable[[], int], fill: Callable[[], int]) -> None:
        self._due = due
        self._fill = fill
        self._last: int | None = None
        self._put_off = 0

    def __call__(self) -> bool:
        """Whether there is more to do at once."""
        now, before = self._due(), self._last
        self._last = now
        if not now:
            return False
        if before not in (None, now) and self._put_off < _PUT_OFF_AT_MOST:
            self._put_off += 1
            return False
        self._put_off = 0
        self._last = self._fill()
        return self._last > 0


class _Readings(_Filling):
    """Reads texts, and looks for new names in those that were read."""

    def __init__(self, graph: Graph) -> None:
        database = graph.database
        super().__init__(
            lambda: mention_index.due(database),
            lambda: mention_index.fill(database, seconds=mention_index.BOUND_SECONDS, at_most=_AT_ONCE),
        )


class _Vectors(_Filling):
    """Gives names, texts and facts their vectors."""

    def __init__(self, graph: Graph) -> None:
        database = graph.database
        super().__init__(
            lambda: vectors.due(database),
            lambda: vectors.fill(database, seconds=vectors.BOUND_SECONDS, at_most=_AT_ONCE),
        )


class _Log:
    """Empties the log when it has been quiet for a moment: what is in the log alone is lost with one flipped bit."""

    def __init__(self, graph: Graph) -> None:
        self._database = graph.database
        self._size = 0

    def __call__(self) -> bool:
        before, self._size = self._size, self._database.log_size()
        if self._size and self._size == before:
            self._database.checkpoint()
            self._size = self._database.log_size()
        return False


class _Backups:
    """Makes a backup once a day."""

    def __init__(self, graph: Graph) -> None:
        self._database = graph.database
        self._next = 0.0

    def __call__(self) -> bool:
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + _BACKUPS_EVERY_SECONDS
        if backups.due(self._database.path, datetime.now(UTC)):
            try:
                backups.make(self._database, backups.DAILY)
            except errors.BackupFailed as error:
                _log.warning("the daily backup was not made: %s", error)
        return False
