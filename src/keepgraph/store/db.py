"""Opens the database and hands out transactions. Knows no table."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors
from keepgraph.model import Settings
from keepgraph.store import migrations, trouble

PATIENCE_SECONDS = 30.0
_POLL_SECONDS = 0.1
_PLAIN_HEADER = b"SQLite format 3\x00"
_STEPS_BETWEEN_POLLS = 1000

Connection = Any
"""A connection of sqlcipher3, which ships no types."""

_File = tuple[int, int] | None
"""What tells one file from another of the same name: its device and its number there."""

Stop = trouble.Stop


@dataclass(frozen=True, slots=True)
class Tx:
    """One transaction of one call, at one instant.

    Attributes:
        conn: the connection, inside a transaction that only `Database` ends.
        now: the instant of the call, in UTC; for a reader who asks `as_of`, the instant that is asked about.
        new_id: makes a public id from a prefix.
        zone: the time zone of local days; None means the system's.
        group: the partition that the call reads and writes.
        tool: the tool that was called.
        session: the conversation it came from, if known.
        call: the number of the call in the journal, where it may write.
        settings: how names are resolved.
        known_at: show what was known at this stamp; None is what is known now.
        vectors_filled: whether names that wait for their vectors were seen to, as far as there was time.
        memo: rows found in this transaction that nothing in it changes; forgotten when a part is undone.
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
    known_at: str | None = None
    vectors_filled: bool = False
    memo: dict[tuple[str, ...], Any] = field(default_factory=dict)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo what was written inside when it raises; the transaction itself goes on."""
        self.conn.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self.memo.clear()
            self.conn.execute("ROLLBACK TO part")
            self.conn.execute("RELEASE part")
            raise
        self.conn.execute("RELEASE part")


class Database:
    """One SQLite file, with a writer and as many readers as are needed at once.

    Any number of threads may use it; each transaction has a connection to itself.
    """

    def __init__(
        self,
        path: Path,
        *,
        create: bool = True,
        read_only: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[str, datetime], str],
        zone: tzinfo | None = None,
        group: str = "default",
        settings: Settings | None = None,
    ) -> None:
        """Open the file; create it and bring its tables up to date where that is needed.

        With `read_only` neither is done, and nothing is ever written.

        Raises:
            errors.GraphNotFound: there is no such file, and `create` is false.
            errors.GraphReadOnly: its tables would have to be brought up to date first.
            errors.GraphTrouble: it cannot be opened, or is not a graph that this version can read.
        """
        self.path = path
        self.zone = zone
        self.group = group
        self.settings = settings or Settings()
        self._clock = clock
        self._new_id = new_id
        self._idle_readers: list[tuple[_File, Connection]] = []
        self._pool_lock = threading.Lock()
        self._writer: Connection | None = None
        self._writer_lock = threading.Lock()
        self._immutable = False
        self._file: _File = None
        self._read_only = read_only
        with self._translated(writing=False):
            self._prepare(create=create)

    @contextmanager
    def read(self, tool: str, *, session: str | None = None, stop: Stop | None = None) -> Iterator[Tx]:
        """One snapshot of the graph, on a connection that cannot write."""
        with self._translated(writing=False, stop=stop):
            if self._file_there() != self._file:
                with _held(self._writer_lock, stop):
                    self._follow_the_file()
            reader = self._take_reader()
            conn = reader[1]
            try:
                with _watched(conn, stop):
                    conn.execute("BEGIN")
                    yield self._tx(conn, tool, session)
                    _give_up_if_told(stop)
            finally:
                _roll_back(conn)
                self._put_back(reader)

    @contextmanager
    def write(self, tool: str, *, session: str | None = None, stop: Stop | None = None) -> Iterator[Tx]:
        """All of it is on disk when this ends, or none of it."""
        with _held(self._writer_lock, stop), self._translated(writing=True, stop=stop):
            self._follow_the_file()
            conn = self._open_writer()
            try:
                with _watched(conn, stop):
                    _begin_immediate(conn, stop)
                    yield self._tx(conn, tool, session)
                    _give_up_if_told(stop)
                conn.execute("COMMIT")
            finally:
                _roll_back(conn)

    def checkpoint(self) -> None:
        """Move what the write-ahead log holds into the file, as far as other readers allow it."""
        with self._writer_lock:
            self._empty_the_log()

    def close(self) -> None:
        with self._writer_lock:
            self._close_connections()

    def _prepare(self, *, create: bool) -> None:
        size = self.path.stat().st_size if self.path.exists() else None
        if size is None and (self._read_only or not create):
            raise errors.GraphNotFound(f"there is no graph at {self.path}")
        if size is None:
            self._create_file()
        elif size and self.path.is_file():
            self._check_header()
        elif self.path.is_file() and not self._read_only:
            self.path.chmod(0o600)
        self._follow_the_file()
        if size:
            reader = self._take_reader()
            if not migrations.pending(reader[1], self.path):
                self._put_back(reader)
                return
            reader[1].close()
        if self._read_only:
            raise errors.GraphReadOnly(
                f"the tables of {self.path} are of an older version",
                hint="Open it once without read-only, to bring it up to date.",
            )
        self._migrate()

    def _file_there(self) -> _File:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            raise errors.GraphNotFound(
                f"{self.path} was moved or deleted while it was open", hint="Put it back, or open another."
            ) from None
        return found.st_dev, found.st_ino

    def _follow_the_file(self) -> None:
        """Notice when another file has taken the place of ours: what is written must be in the one that is there."""
        now = self._file_there()
        if self._file not in (None, now):
            self._let_go()
            self._check_header()
        self._file = now

    def _let_go(self) -> None:
        """Close what is open on a file that has gone, and see that its log is not read with the one that came.

        Raises:
            errors.GraphUnavailable: changes to the old file are still in the log that lies beside the new one.
        """
        self._close_connections()
        if self._has_log():
            raise errors.GraphUnavailable(
                f"another file has taken the place of {self.path}, beside which the log of the old one still lies",
                hint=f"Stop every program that has it open, move {self.path.name}-wal and {self.path.name}-shm away, "
                "and start again.",
            )

    def _close_connections(self) -> None:
        with self._pool_lock:
            while self._idle_readers:
                self._idle_readers.pop()[1].close()
        # Closing the last connection does this too, but not for a file that has been moved.
        self._empty_the_log()
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _empty_the_log(self) -> None:
        if self._writer is not None:
            with suppress(sqlite.Error):
                self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _create_file(self) -> None:
        missing = [folder for folder in self.path.parents if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=0o700, exist_ok=True)
        # The log files of SQLite inherit the mode of the file, so it must be right from the start.
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))

    def _check_header(self) -> None:
        with self.path.open("rb") as file:
            if file.read(len(_PLAIN_HEADER)) != _PLAIN_HEADER:
                raise errors.GraphUnavailable(
                    f"{self.path} is not a plain SQLite database: it is encrypted, or something else",
                    hint="Name the graph's own file with --db or KG_DB.",
                )

    def _migrate(self) -> None:
        conn = self._open_writer()
        _begin_immediate(conn, None)
        try:
            migrations.apply(conn, self.path, now=self._clock(), second=lambda: _connect(self.path, "ro"))
            conn.execute("COMMIT")
        finally:
            _roll_back(conn)

    def _open_writer(self) -> Connection:
        if self._immutable:
            raise errors.GraphReadOnly(f"{self.path} lies in a folder that cannot be written to")
        if self._writer is None:
            conn = _connect(self.path, "rw")
            try:
                _patiently(lambda: conn.execute("PRAGMA journal_mode = WAL").fetchall(), None)
                conn.execute("PRAGMA synchronous = FULL")
                conn.execute("PRAGMA foreign_keys = ON")
            except BaseException:
                conn.close()
                raise
            self._writer = conn
        return self._writer

    def _take_reader(self) -> tuple[_File, Connection]:
        with self._pool_lock:
            while self._idle_readers:
                file, conn = self._idle_readers.pop()
                if file == self._file:
                    return file, conn
                conn.close()
        if not self._immutable:
            try:
                return self._file, _connect(self.path, "ro")
            except sqlite.OperationalError as error:
                if trouble.code(error) not in trouble.NO_LOG_POSSIBLE or self._has_log():
                    raise
            # The write-ahead log cannot be made beside a file in a read-only folder; without one to read,
            # the file alone is the whole truth.
            self._immutable = True
        return self._file, _connect(self.path, "ro", immutable=True)

    def _put_back(self, reader: tuple[_File, Connection]) -> None:
        with self._pool_lock:
            self._idle_readers.append(reader)

    def _has_log(self) -> bool:
        log = Path(f"{self.path}-wal")
        return log.exists() and log.stat().st_size > 0

    def _tx(self, conn: Connection, tool: str, session: str | None) -> Tx:
        now = self._clock().astimezone(UTC)
        return Tx(
            conn=conn,
            now=now,
            new_id=lambda prefix: self._new_id(prefix, now),
            zone=self.zone,
            group=self.group,
            tool=tool,
            session=session,
            settings=self.settings,
        )

    @contextmanager
    def _translated(self, *, writing: bool, stop: Stop | None = None) -> Iterator[None]:
        """Turn what the driver and the file system raise into our own errors."""
        try:
            yield
        except sqlite.Error as error:
            raise trouble.told(error, self.path, writing=writing, stop=stop) from error
        except OSError as error:
            raise errors.GraphUnavailable(f"{self.path} cannot be opened: {error.strerror}") from error


def _connect(path: Path, mode: str, *, immutable: bool = False) -> Connection:
    name = str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    uri = f"file:{name}?mode={mode}{'&immutable=1' if immutable else ''}"
    conn = sqlite.connect(uri, uri=True, isolation_level=None, timeout=_POLL_SECONDS, check_same_thread=False)
    try:
        conn.execute("PRAGMA cipher_log_level = NONE")
        conn.execute("PRAGMA trusted_schema = OFF")
        conn.execute("PRAGMA temp_store = MEMORY")
        conn.execute("PRAGMA cache_size = -16000")
        if mode == "ro":
            conn.execute("PRAGMA query_only = ON")
            # The first statement that reads: it finds out whether the file can be read at all.
            conn.execute("PRAGMA user_version").fetchall()
    except BaseException:
        conn.close()
        raise
    return conn


@contextmanager
def _held(lock: threading.Lock, stop: Stop | None) -> Iterator[None]:
    """Hold a lock; while waiting for it, `stop` is asked."""
    while not lock.acquire(timeout=_POLL_SECONDS):
        _give_up_if_told(stop)
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _watched(conn: Connection, stop: Stop | None) -> Iterator[None]:
    """Let `stop` interrupt a running statement."""
    if stop is None:
        yield
        return
    conn.set_progress_handler(lambda: stop() is not None, _STEPS_BETWEEN_POLLS)
    try:
        yield
    finally:
        conn.set_progress_handler(None, 0)


def _give_up_if_told(stop: Stop | None) -> None:
    reason = stop() if stop else None
    if reason is not None:
        raise reason


def _begin_immediate(conn: Connection, stop: Stop | None) -> None:
    _patiently(lambda: conn.execute("BEGIN IMMEDIATE"), stop)


def _patiently(attempt: Callable[[], object], stop: Stop | None) -> None:
    """Try until the lock is free; the jitter keeps several writers from meeting again and again."""
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            attempt()
            return
        except sqlite.OperationalError as error:
            _give_up_if_told(stop)
            if trouble.code(error) not in trouble.BUSY or time.monotonic() > give_up_at:
                raise
        time.sleep(random.uniform(0.001, 0.02))  # noqa: S311 (jitter, not a secret)


def _roll_back(conn: Connection) -> None:
    # SQLite may have rolled back by itself, after a full disk for instance.
    if conn.in_transaction:
        conn.execute("ROLLBACK")
