"""Work that a server does when nobody asks: it gives names their vectors. Knows threads, and no protocol."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from keepgraph import errors
from keepgraph.engine import vectors
from keepgraph.graph import Graph

_EVERY_SECONDS = 2.0
_BREATH_SECONDS = 0.05
_AT_ONCE = 64

_log = logging.getLogger("keepgraph.background")


@contextmanager
def vectors_kept(graph: Graph) -> Iterator[None]:
    """While this lasts, names that come in are given their vectors, a few at a time, in a thread of their own."""
    if graph.read_only:
        yield
        return
    ended = threading.Event()
    worker = threading.Thread(target=_work, args=(graph, ended), name="vectors", daemon=True)
    worker.start()
    try:
        yield
    finally:
        ended.set()
        worker.join()


def _work(graph: Graph, ended: threading.Event) -> None:
    pause = _EVERY_SECONDS
    while not ended.wait(pause):
        pause = _EVERY_SECONDS
        try:
            if vectors.can_be_made(graph.database):
                left = vectors.fill(graph.database, seconds=vectors.BOUND_SECONDS, at_most=_AT_ONCE)
                pause = _BREATH_SECONDS if left else _EVERY_SECONDS
        except errors.ModelUnavailable as error:
            _log.warning("vectors are no longer made: %s", error)
            return
        except errors.KeepgraphError as error:
            # A busy or a missing file is no reason to stop trying; whoever asks is told how many names wait.
            _log.info("no vectors were made: %s", error)
        except Exception:  # noqa: BLE001 (the one place where an error of this thread can be told)
            _log.exception("vectors are no longer made")
            return
