"""Whether the key of an encrypted graph is still within reach: without it, nobody goes on reading the graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from keepgraph.model import KeyLocation
from keepgraph.profiles import key_locations

SECONDS_BETWEEN_CHECKS = 60.0


class KeyCheck:
    """Tells, by a look every minute at most, whether the key is no longer where it was at the start.

    It is not while the keyring of the system is locked. Where the key of the graph was not there at the start, because
    a program gave it, and where the graph has none, it never is.
    """

    def __init__(self, graph: Path, location: KeyLocation | None, *, clock: Callable[[], float]) -> None:
        self._graph = graph
        self._location = location if location is not None and key_locations.is_available(graph, location) else None
        self._clock = clock
        self._last = clock()

    def is_lost(self) -> bool:
        now = self._clock()
        if self._location is None or now - self._last < SECONDS_BETWEEN_CHECKS:
            return False
        self._last = now
        return not key_locations.is_available(self._graph, self._location)
