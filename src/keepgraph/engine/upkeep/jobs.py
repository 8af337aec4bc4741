"""Long work in many short calls: each has a transaction and an instant to itself. Knows not what the work is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from keepgraph.engine.upkeep import calls
from keepgraph.store.database import Database, Stop, Tx

Progress = Callable[[int, int | None, str], None]
"""Told how much is done, of how much (None: nobody knows yet), and what is at hand."""


@dataclass(frozen=True, slots=True)
class Drive:
    """What long work is given in the place of a transaction."""

    database: Database
    tool: str
    session: str | None = None
    stop: Stop | None = None
    progress: Progress | None = None

    @contextmanager
    def read(self, *, group: str | None = None) -> Iterator[Tx]:
        """A short look at the graph."""
        with self.database.read(self.tool, session=self.session, stop=self.stop) as tx:
            yield tx if group is None else replace(tx, group=group)

    @contextmanager
    def write(self, *, group: str | None = None) -> Iterator[Tx]:
        """A short call of its own: all of it is on disk when this ends, or none of it."""
        with self.database.write(self.tool, session=self.session) as tx:
            yield calls.begin(tx if group is None else replace(tx, group=group))

    def told(self, done: int, total: int | None, what: str) -> None:
        """Say how far it has come, to whoever wants to know."""
        if self.progress is not None:
            self.progress(done, total, what)

    def should_stop(self) -> bool:
        """Whether there is a reason to end here; what was done stays."""
        return self.stop is not None and self.stop() is not None
