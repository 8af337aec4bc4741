"""Jobs: long work in many short calls, each with its own transaction and its own instant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from keepgraph import interruption, store
from keepgraph.lazy import dataclass
from keepgraph.store.cancellation import CancellationCheck, of_a_finished_write
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx

Progress = Callable[[int, int | None, str], None]
"""Called with how much is done, of how much (None: not known yet), and what is being worked on."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a tool that is a job gets in the place of a transaction.

    Attributes:
        tool: what the journal names as the tool of each call.
        session: the conversation it came from, if known.
        cancellation: checked between calls, and while one reads; a call that writes is finished.
        progress: called from time to time.
    """

    database: Database
    tool: str
    session: str | None = None
    cancellation: CancellationCheck | None = None
    progress: Progress | None = None

    @contextmanager
    def read(self, *, group: str | None = None) -> Iterator[Tx]:
        """One snapshot of the graph, in the group of the database or another."""
        with self.database.read(self.tool, session=self.session, cancellation=self.cancellation) as tx:
            yield tx if group is None else replace(tx, group=group)

    @contextmanager
    def write(self, *, group: str | None = None) -> Iterator[Tx]:
        """A call of its own in the journal: all of it is on disk when this ends, or none of it."""
        finishing = of_a_finished_write(self.cancellation)
        with (
            interruption.by(finishing),
            self.database.write(self.tool, session=self.session, cancellation=finishing) as tx,
        ):
            yield store.journal.begin_call(tx if group is None else replace(tx, group=group))

    def report_progress(self, done: int, total: int | None, what: str) -> None:
        if self.progress is not None:
            self.progress(done, total, what)

    def is_cancelled(self) -> bool:
        """Whether to end after this call; what was done stays."""
        return self.cancellation is not None and self.cancellation() is not None
