"""A transaction as a tool call sees it: the connection, the instant, the partition, savepoints and dry runs.

`Database` begins and ends transactions; nothing here commits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from datetime import datetime, tzinfo
from typing import Any, TypeVar

from sqlcipher3 import dbapi2 as sqlite

from keepgraph.lazy import dataclass
from keepgraph.model import Settings
from keepgraph.store.cancellation import CancellationCheck, interrupt_when, interrupt_when_cancelled
from keepgraph.store.connections import Connection
from keepgraph.temporal import timestamps

T = TypeVar("T")

Completion = Callable[["Tx"], dict[str, Any]]
"""Called after the commit of a write, for what only its answer needs; returns the fields that it adds to the answer."""


@dataclass(frozen=True, slots=True)
class Tx:
    """One transaction of one call, at one instant.

    Attributes:
        conn: the connection, inside a transaction that only `Database` ends.
        now: the instant of the call, in UTC; for a read with `as_of`, the instant asked about.
        new_id: makes a public id from a prefix.
        zone: the time zone of local days; None means the system's.
        group: the partition that the call reads and writes.
        tool: the tool that was called.
        session: the conversation it came from, if known.
        call: the number of the call in the journal, if it may write.
        settings: how names are resolved.
        projects: the ids of projects; aliases that hold only in others do not count. Empty: every alias counts.
        known_at: show what was known at this timestamp; None: what is known now.
        episode: the row of the episode that is the origin of what the call records.
        memo: what this transaction has read, and the next free row numbers; cleared when changes are rolled back.
        revision: the revision of the database that a reader sees, SQLite's `data_version`: it differs from that of the
            previous transaction on this connection if anybody has committed in between.
        connection_cache: what readers on this connection keep from one transaction to the next. A writer starts with
            an empty one.
        shared_cache: what transactions of the same database share, on any connection; each value has its revision.
        cancellation: checked while statements run.
        unknown_names: the names that the call asked for and nothing has, by key; empty unless the settings have them
            counted.
        completions: called after the commit of this transaction, when other writers no longer wait for it.
        completed: the results of those that finished.
    """

    conn: Connection
    now: datetime
    new_id: Callable[[str], str]
    zone: tzinfo | None
    group: str
    tool: str
    session: str | None = None
    call: int | None = None
    settings: Settings = field(default_factory=Settings)
    projects: frozenset[str] = frozenset()
    known_at: str | None = None
    episode: int | None = None
    memo: dict[tuple[str | None, ...], Any] = field(default_factory=dict)
    revision: int = 0
    connection_cache: dict[Any, Any] = field(default_factory=dict)
    shared_cache: dict[str, Any] = field(default_factory=dict)
    cancellation: CancellationCheck | None = None
    unknown_names: dict[str, str] = field(default_factory=dict)
    completions: list[Completion] = field(default_factory=list)
    completed: list[dict[str, Any]] = field(default_factory=list)

    def rows(self, query: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> list[Any]:
        """The rows of a query."""
        rows: list[Any] = self.conn.execute(query, values).fetchall()
        return rows

    def column(self, query: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> list[Any]:
        """The first column of a query."""
        return [row[0] for row in self.conn.execute(query, values)]

    def distinct(self, query: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> set[Any]:
        """The different values in the first column of a query."""
        return {row[0] for row in self.conn.execute(query, values)}

    def value(self, query: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> Any | None:
        """The first column of the first row of a query; None if there is no row."""
        row = self.conn.execute(query, values).fetchone()
        return row[0] if row else None

    def mapping(self, query: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> dict[Any, Any]:
        """The second column of a query by the first."""
        return dict(self.conn.execute(query, values).fetchall())

    def number(self, query: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> int:
        """The number in the only row of a query."""
        return int(self.conn.execute(query, values).fetchone()[0])

    def is_true(self, query: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> bool:
        """Whether the condition in the only row of a query is true."""
        return bool(self.conn.execute(query, values).fetchone()[0])

    @property
    def at(self) -> str:
        """The instant of the call as a timestamp."""
        return timestamps.from_datetime(self.now)

    def cached(self, key: Any, compute: Callable[[], T]) -> T:
        """The value for a key on this connection, recomputed when the database has changed.

        A write transaction caches nothing beyond itself.
        """
        revision, values = self.connection_cache.get("values", (None, {}))
        if revision != self.revision:
            values = {}
            self.connection_cache["values"] = self.revision, values
        if key not in values:
            values[key] = compute()
        value: T = values[key]
        return value

    @property
    def changes(self) -> int:
        """How many rows were written on the connection so far: while it does not change, what was read is current."""
        return int(self.conn.total_changes)

    @contextmanager
    def interrupt_when(self, condition: Callable[[], bool]) -> Iterator[None]:
        """Let a condition of the caller interrupt a running statement, as well as the cancellation of the call."""
        cancellation = self.cancellation
        interrupt_when(self.conn, lambda: condition() or (cancellation is not None and cancellation() is not None))
        try:
            yield
        finally:
            interrupt_when_cancelled(self.conn, cancellation)

    def unless_late(self, is_late: Callable[[], bool], act: Callable[[], T]) -> T | None:
        """What `act` reads; None if its time is over, or runs out during a statement, which is then interrupted."""
        if is_late():
            return None
        try:
            with self.interrupt_when(is_late):
                return act()
        except sqlite.OperationalError as error:
            is_cancelled = self.cancellation is not None and self.cancellation() is not None
            if getattr(error, "sqlite_errorname", "") != "SQLITE_INTERRUPT" or is_cancelled or not is_late():
                raise
            return None

    def dry_run(self, act: Callable[[], T]) -> T:
        """What `act` returns; all that it writes is rolled back."""
        try:
            with self.savepoint():
                raise _DryRun(act())
        except _DryRun as dry_run:
            result: T = dry_run.result
            return result

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Roll back what was written inside when it raises; the transaction itself goes on."""
        changes = self.changes
        self.conn.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            if self.changes != changes:
                self.memo.clear()
            # After some errors, such as a full disk, SQLite has already rolled back the whole transaction.
            if self.conn.in_transaction:
                self.conn.execute("ROLLBACK TO part")
                self.conn.execute("RELEASE part")
            raise
        self.conn.execute("RELEASE part")


class _DryRun(Exception):
    """Leaves the savepoint of a dry run, with the result."""

    def __init__(self, result: Any) -> None:
        super().__init__()
        self.result = result
