"""Background tasks of a server: backfills, vectors and arrays, free memory, checkpoints, backups, the idle gardener."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from typing import Any

from keepgraph import errors, store
from keepgraph.activity import Activity
from keepgraph.engine import vector_backfill
from keepgraph.engine.garden import gardener
from keepgraph.engine.maintenance import backups, history
from keepgraph.engine.query import graph_catalogue, query_pipeline
from keepgraph.engine.texts import mention_index
from keepgraph.graph import Graph
from keepgraph.profiles import settings_file

_PAUSE_SECONDS = 2.0
_SHORT_PAUSE_SECONDS = 0.05  # while a backfill has more to do: lets calls in between two batches
_QUIET_SECONDS = 0.15  # since the last call: one call is often followed by another
_QUIET_SECONDS_OF_VECTORS = 2.0
"""Vectors cost several times the call that made them due; a search makes the newest itself."""
_BATCH_WORK = 1_500  # small, because a call, or a stopping server, waits for the end of a batch
_BATCH_CHUNKS = 16
_MAX_POSTPONED_SECONDS = 30.0
_BACKUP_CHECK_SECONDS = 900.0
_GARDEN_CHECK_SECONDS = 300.0
_MEMORY_SECONDS = 60.0
_IDLE_SECONDS = 600.0
"""After this long without use, arrays and signs in memory are dropped."""

_log = logging.getLogger("keepgraph.background")


@contextmanager
def running(
    graph: Graph, *, daily: bool = False, garden: bool = False, activity: Activity | None = None
) -> Iterator[None]:
    """Run the background tasks in their own thread while this context lasts.

    Args:
        daily: also make a backup once a day.
        garden: also run the gardener once a day, when nobody calls.
        activity: when somebody last called.
    """
    if graph.read_only:
        yield
        return
    stopped = threading.Event()
    calls = activity or Activity()
    worker = threading.Thread(
        target=_run_tasks, args=(graph, calls, stopped, daily, garden), name="background", daemon=True
    )
    worker.start()
    graph.has_background = True
    try:
        yield
    finally:
        graph.has_background = False
        stopped.set()
        calls.stop_waiting()
        worker.join()


def _run_tasks(graph: Graph, activity: Activity, stopped: threading.Event, daily: bool, garden: bool) -> None:
    """Run the backfills whenever a call has ended, and the other tasks in turn every two seconds.

    A task returns whether it has more to do at once.
    """
    backfills: list[Callable[[], bool]] = [_MentionBackfill(graph, activity), _VectorBackfill(graph, activity)]
    others: list[Callable[[], bool]] = [
        VectorSigns(graph),
        AdjacencyArrays(graph, stopped),
        _Checkpoint(graph),
        _Memory(graph),
    ]
    if daily:
        others.append(_DailyBackup(graph))
    if garden:
        others.append(_Garden(graph, activity, stopped))
    next_round, has_more = time.monotonic() + _PAUSE_SECONDS, False
    while True:
        activity.await_end(_SHORT_PAUSE_SECONDS if has_more else max(next_round - time.monotonic(), 0.0))
        if stopped.is_set():
            return
        has_more = _run_each(backfills)
        if time.monotonic() >= next_round:
            _run_each(others)
            next_round = time.monotonic() + _PAUSE_SECONDS


def _run_each(tasks: list[Callable[[], bool]]) -> bool:
    """Run some tasks, and remove those that can no longer run; returns whether any has more to do at once."""
    has_more = False
    for task in list(tasks):
        try:
            has_more = task() or has_more
        except errors.ModelUnavailable as error:
            _log.warning("vectors are no longer made: %s", error)
            tasks.remove(task)
        except errors.KeepgraphError as error:
            # A busy or missing file is not a reason to stop trying.
            _log.info("not now: %s", error)
        except Exception:  # noqa: BLE001 (the one place where an error of this thread can be reported)
            _log.exception("%s is given up", type(task).__name__)
            tasks.remove(task)
    return has_more


class _Backfill:
    """A backfill in small batches, when nobody calls.

    It is postponed, but not for ever, while a call of this server is in progress or has just ended, and while the
    amount due changes between two checks without a call: another program is writing, or doing the same backfill.
    """

    def __init__(
        self,
        activity: Activity,
        count_due: Callable[[], int],
        backfill: Callable[[], int],
        *,
        quiet_seconds: float = _QUIET_SECONDS,
    ) -> None:
        self._activity = activity
        self._quiet_seconds = quiet_seconds
        self._count_due = count_due
        self._backfill = backfill
        self._last_count: int | None = None
        self._last_calls = activity.calls
        self._postponed_since: float | None = None

    def __call__(self) -> bool:
        due, before = self._count_due(), self._last_count
        is_called = self._activity.calls != self._last_calls
        self._last_count, self._last_calls = due, self._activity.calls
        if not due:
            self._postponed_since = None
            return False
        is_busy = self._activity.idle_seconds() < self._quiet_seconds
        if (is_busy or (before not in (None, due) and not is_called)) and self._may_be_postponed():
            return is_busy and self._quiet_seconds < _PAUSE_SECONDS
        self._postponed_since = None
        self._last_count = self._backfill()
        return self._last_count > 0

    def _may_be_postponed(self) -> bool:
        now = time.monotonic()
        if self._postponed_since is None:
            self._postponed_since = now
        return now - self._postponed_since < _MAX_POSTPONED_SECONDS


class _MentionBackfill(_Backfill):
    """Detects mentions in new texts, and of new names in old texts."""

    def __init__(self, graph: Graph, activity: Activity) -> None:
        database = graph.database
        super().__init__(
            activity,
            lambda: mention_index.count_due(database),
            lambda: mention_index.backfill(
                database, seconds=vector_backfill.MAX_SECONDS_OF_A_READ, max_chunks=_BATCH_CHUNKS
            ),
        )


class _VectorBackfill(_Backfill):
    """Embeds names, texts and facts."""

    def __init__(self, graph: Graph, activity: Activity) -> None:
        database = graph.database
        super().__init__(
            activity,
            lambda: vector_backfill.count_due(database),
            lambda: vector_backfill.backfill(database, seconds=vector_backfill.MAX_SECONDS_OF_A_READ, work=_BATCH_WORK),
            quiet_seconds=_QUIET_SECONDS_OF_VECTORS,
        )


class _Use:
    """Whether something in memory is in use, by how often it has been used."""

    def __init__(self) -> None:
        self._count, self._last_change = 0, time.monotonic()

    def is_idle(self, count: int) -> bool:
        if count != self._count:
            self._count, self._last_change = count, time.monotonic()
        return time.monotonic() - self._last_change >= _IDLE_SECONDS


class VectorSigns:
    """Loads the sign bits of the vectors once somebody searches, and drops them when nobody does."""

    def __init__(self, graph: Graph) -> None:
        self._database = graph.database
        self._use = _Use()

    def __call__(self) -> bool:
        with self._database.read("vectors") as tx:
            searches = store.vector_search.count_searches(tx)
            if self._use.is_idle(searches):
                store.vector_search.drop(tx)
            elif searches:
                store.vector_search.load(tx)
        return False


class AdjacencyArrays:
    """Builds the arrays that long walks need, once one needs them, and drops them when none does.

    They are rebuilt after many changes, when nobody writes.
    """

    def __init__(self, graph: Graph, stopped: threading.Event) -> None:
        self._database = graph.database
        self._stopped = stopped
        self._position: store.fact_columns.JournalPosition | None = None
        self._use = _Use()

    def __call__(self) -> bool:
        with self._database.read("run_cypher", cancellation=self._interruption) as tx:
            before, self._position = self._position, store.fact_columns.position(tx)
            uses = graph_catalogue.count_uses(tx)
            if self._use.is_idle(uses):
                graph_catalogue.drop(tx)
            elif uses and before in (None, self._position):
                query_pipeline.share_adjacency(tx)
        return False

    def _interruption(self) -> errors.KeepgraphError | None:
        return errors.Cancelled("the server ends") if self._stopped.is_set() else None


class _Checkpoint:
    """Checkpoints the write-ahead log when nobody has written since the last check.

    SQLite drops what follows the first damaged frame of the log: one flipped bit can lose all that is only there.
    """

    def __init__(self, graph: Graph) -> None:
        self._database = graph.database
        self._size = 0

    def __call__(self) -> bool:
        before, self._size = self._size, self._database.log_size()
        if self._size and self._size == before:
            self._database.checkpoint()
            self._size = self._database.log_size()
        return False


class _Memory:
    """Frees what calls needed and nobody uses now: connections, and fragmented memory."""

    def __init__(self, graph: Graph) -> None:
        self._database = graph.database
        self._next_check = time.monotonic() + _MEMORY_SECONDS

    def __call__(self) -> bool:
        if time.monotonic() >= self._next_check:
            self._next_check = time.monotonic() + _MEMORY_SECONDS
            self._database.close_unused_readers()
            release_free_memory()
        return False


class _DailyBackup:
    """Makes a backup once a day, and then deletes journal entries past the time that the profile keeps."""

    def __init__(self, graph: Graph) -> None:
        self._database = graph.database
        self._next_check = 0.0

    def __call__(self) -> bool:
        if time.monotonic() < self._next_check:
            return False
        self._next_check = time.monotonic() + _BACKUP_CHECK_SECONDS
        if backups.is_due(self._database.path, datetime.now(UTC)):
            try:
                backups.make(self._database, backups.DAILY)
                days = settings_file.read(self._database.path).history_days
                history.trim(self._database, days=days, now=datetime.now(UTC))
            except errors.BackupFailed as error:
                _log.warning("the daily backup was not made: %s", error)
        return False


class _Garden:
    """Runs the gardener once a day, after some idle minutes; it stops as soon as somebody calls."""

    def __init__(self, graph: Graph, activity: Activity, stopped: threading.Event) -> None:
        self._graph = graph
        self._activity = activity
        self._stopped = stopped
        self._next_check = 0.0

    def __call__(self) -> bool:
        is_idle = self._activity.idle_seconds() >= gardener.IDLE_SECONDS
        if not is_idle or time.monotonic() < self._next_check:
            return False
        self._next_check = time.monotonic() + _GARDEN_CHECK_SECONDS
        with self._graph.database.read("run_night_gardener") as tx:
            due = gardener.due_passes(tx)
        if due:
            calls = self._activity.calls
            arguments = {"origin": "idle", "passes": due}
            self._graph.call_until(lambda: self._interruption(calls), "run_night_gardener", arguments)
        return False

    def _interruption(self, calls: int) -> errors.KeepgraphError | None:
        if self._stopped.is_set():
            return errors.Cancelled("the server ends")
        return errors.Cancelled("somebody calls") if self._activity.calls != calls else None


# The allocator of the C library: few arenas, and free memory returned. For a process that runs for days.
#
# The threads of a server allocate by turns, and glibc gives each its own arena, where free space between two blocks
# stays with the process. Other C libraries are left alone.

_M_ARENA_MAX = -8
"""https://man7.org/linux/man-pages/man3/mallopt.3.html"""

_ARENAS = 2


def limit_arenas() -> None:
    """Let all threads share two arenas. Existing ones stay, so this comes before the first thread."""
    library = _library()
    if library is not None:
        library.mallopt(_M_ARENA_MAX, _ARENAS)


def release_free_memory() -> None:
    """Return unused pages to the system."""
    library = _library()
    if library is not None:
        library.malloc_trim(0)


@cache
def _library() -> Any | None:
    """The C library, if it is glibc."""
    if sys.platform != "linux":
        return None
    import ctypes

    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None
