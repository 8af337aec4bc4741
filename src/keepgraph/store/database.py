"""Opens the database and hands out transactions. Knows no table."""

from __future__ import annotations

import itertools
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any, TypeVar

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors
from keepgraph.model import Key, KeySource, Settings
from keepgraph.store import files, migrations, sqlite_errors, wal

PATIENCE_SECONDS = 30.0
_POLL_SECONDS = 0.1
_STEPS_BETWEEN_POLLS = 1000
_LONG_LOG_BYTES = 4_000_000
_CACHE_KIB = 16_000

_BUT_DAMAGED = "If it is the right one, the file is damaged: `kg restore` brings a backup back."

T = TypeVar("T")
Connection = Any
"""A connection of sqlcipher3, which ships no types."""

Stop = sqlite_errors.Stop


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
        filled: which of the things that wait to be made were seen to, as far as there was time; see engine/pending.py.
        episode: the row of the text that what is recorded comes out of.
        backed_up: whether a backup was made for this call.
        memo: rows found in this transaction that nothing in it changes; forgotten when a part is undone.
        kept: what readers on this connection keep from one transaction to the next; see store/changes.py.
        stop: asked now and then for a reason to give up.
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
    filled: frozenset[str] = frozenset()
    episode: int | None = None
    backed_up: bool = False
    memo: dict[tuple[str, ...], Any] = field(default_factory=dict)
    kept: dict[Any, Any] = field(default_factory=dict)
    stop: Stop | None = None

    @contextmanager
    def interrupted(self, when: Callable[[], bool]) -> Iterator[None]:
        """Let a condition of the caller's interrupt a running statement, besides what may interrupt the call."""
        stop = self.stop

        def give_up() -> bool:
            return when() or (stop is not None and stop() is not None)

        self.conn.set_progress_handler(give_up, _STEPS_BETWEEN_POLLS)
        try:
            yield
        finally:
            _watch(self.conn, stop)

    def rehearse(self, act: Callable[[], T]) -> T:
        """What an act would come to; whatever it writes is undone."""
        try:
            with self.savepoint():
                raise _Rehearsed(act())
        except _Rehearsed as done:
            outcome: T = done.outcome
            return outcome

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo what was written inside when it raises; the transaction itself goes on."""
        self.conn.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self.memo.clear()
            # After some errors SQLite has rolled back all of it already.
            if self.conn.in_transaction:
                self.conn.execute("ROLLBACK TO part")
                self.conn.execute("RELEASE part")
            raise
        self.conn.execute("RELEASE part")


class _Rehearsed(Exception):
    """Ends a savepoint in which something was done only to see what it comes to."""

    def __init__(self, outcome: Any) -> None:
        super().__init__()
        self.outcome = outcome


@dataclass(frozen=True, slots=True)
class _Reader:
    """A connection that only reads, the file it is open on, and what is kept with it."""

    file: files.Identity
    conn: Connection
    kept: dict[Any, Any] = field(default_factory=dict)


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
        key_source: KeySource | None = None,
        before_migration: Callable[[Database, Connection, str], None] | None = None,
        backups_kept: int = 7,
    ) -> None:
        """Open the file; create it and bring its tables up to date where that is needed.

        With `read_only` neither is done, and nothing is ever written.

        Args:
            key_source: where the key of an encrypted file is found.
            before_migration: keeps a copy of what a connection sees, under a name; called before tables change.
            backups_kept: how many backups of each kind stay.

        Raises:
            errors.GraphNotFound: there is no such file, and `create` is false.
            errors.GraphReadOnly: its tables would have to be brought up to date first.
            errors.KeyMissing, KeyWrong, KeyInvalid, GraphNotEncrypted: file and key do not go together.
            errors.GraphDamaged: the file or its log is damaged.
            errors.GraphTrouble: it cannot be opened, or is not a graph that this version can read.
        """
        self.path = path
        self.zone = zone
        self.group = group
        self.settings = settings or Settings()
        self.clock = clock
        self.backups_kept = backups_kept
        self._new_id = new_id
        self._idle_readers: list[_Reader] = []
        self._pool_lock = threading.Lock()
        self._writer: Connection | None = None
        self._writer_lock = threading.Lock()
        self._immutable = False
        self._file: files.Identity = None
        self._length = 0
        self._read_only = read_only
        self._key_source = key_source or KeySource()
        self._key: Key | None = None
        self._presence = files.Presence(path)
        self._before_migration = before_migration
        try:
            with self._translated(writing=False):
                self._prepare(create=create)
        except BaseException:
            self.close()
            raise

    @property
    def key(self) -> Key | None:
        """The key that opens the file; None where it is plain."""
        return self._key

    @contextmanager
    def read(self, tool: str, *, session: str | None = None, stop: Stop | None = None) -> Iterator[Tx]:
        """One snapshot of the graph, on a connection that cannot write."""
        with self._translated(writing=False, stop=stop):
            if self._file_there() != self._file:
                with _held(self._writer_lock, stop):
                    self._follow_the_file()
            reader = self._take_reader()
            conn = reader.conn
            try:
                with _watched(conn, stop):
                    conn.execute("BEGIN")
                    migrations.refuse_newer(conn, self.path)
                    yield replace(self._tx(conn, tool, session), kept=reader.kept, stop=stop)
                    _give_up_if_told(stop)
            except sqlite.Error:
                conn.close()
                raise
            except BaseException:
                _roll_back(conn)
                self._put_back(reader)
                raise
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
                    migrations.refuse_newer(conn, self.path)
                    yield self._tx(conn, tool, session)
                    _give_up_if_told(stop)
                conn.execute("COMMIT")
            except BaseException:
                if conn.in_transaction:
                    conn.execute("ROLLBACK")
                else:
                    # SQLite has rolled back by itself, and the full-text index may remember what is gone.
                    self._drop_writer()
                raise
            if wal.size(self.path) > _LONG_LOG_BYTES:
                # What is in the log alone is lost with one flipped bit of it: it is kept short.
                self._empty_the_log()

    def log_size(self) -> int:
        """The length of the write-ahead log in bytes."""
        return wal.size(self.path)

    def checkpoint(self) -> None:
        """Move what the write-ahead log holds into the file, as far as other readers allow it."""
        with self._writer_lock:
            self._empty_the_log()

    def close(self) -> None:
        with self._writer_lock:
            self._close_connections()
            self._presence.let_go()

    def _prepare(self, *, create: bool) -> None:
        if self.path.exists() and not self.path.is_file():
            raise errors.GraphUnavailable(f"{self.path} is not a file")
        size = self.path.stat().st_size if self.path.exists() else None
        if size is None and (self._read_only or not create):
            raise errors.GraphNotFound(f"there is no graph at {self.path}")
        candidates = self._candidates()
        if size is None:
            # Before there is a file: without a key there shall be none.
            candidates = itertools.chain([next(candidates)], candidates)
            files.create(self.path)
        elif not size and self.path.is_file() and not self._read_only:
            self.path.chmod(0o600)
        self._presence.hold(patience=PATIENCE_SECONDS)
        self._tidy()
        self._check_log()
        self._file = self._file_there()
        if not self._unlock(candidates):
            if self._read_only:
                raise errors.GraphReadOnly(
                    f"the tables of {self.path} are of an older version",
                    hint="Open it once without read-only, to bring it up to date.",
                )
            self._migrate()

    def _candidates(self) -> Iterator[Key | None]:
        """The keys to try; none at all, where nobody said that there is one."""
        if self._key_source.expected:
            yield from self._key_source.candidates()
        else:
            yield None

    def _unlock(self, candidates: Iterator[Key | None]) -> bool:
        """Find the key that opens the file, if it has one; whether its tables are those of this version.

        A file that is still empty is given the first key there is.
        """
        tried: list[Key] = []
        while True:
            try:
                self._key = next(candidates)
            except StopIteration:
                break
            except errors.KeyMissing:
                if files.kind(self.path) is files.Kind.PLAIN:
                    break
                raise
            try:
                return self._up_to_date()
            except sqlite.DatabaseError as error:
                if sqlite_errors.code(error) not in sqlite_errors.NOT_A_DATABASE:
                    raise
            if self._key is not None:
                tried.append(self._key)
            elif files.kind(self.path) is files.Kind.ENCRYPTED:
                candidates = self._key_source.candidates()
            else:
                break
        self._key = None
        raise self._closed(tried)

    def _up_to_date(self) -> bool:
        reader = self._take_reader()
        try:
            if migrations.pending(reader.conn, self.path):
                reader.conn.close()
                return False
        except BaseException:
            reader.conn.close()
            raise
        self._put_back(reader)
        return True

    def _closed(self, tried: list[Key]) -> errors.KeepgraphError:
        """Why the file cannot be opened, with none or any of these keys."""
        kind = files.kind(self.path)
        right = [key for key in tried if key.fingerprint == self._key_source.fingerprint]
        origins = " and ".join(dict.fromkeys(key.origin for key in tried))
        if kind is files.Kind.PLAIN and self._key_source.expected:
            return errors.GraphNotEncrypted(f"{self.path} is not encrypted, and there is a key for it")
        if kind is files.Kind.PLAIN:
            return errors.GraphDamaged(f"{self.path} begins as a SQLite database and cannot be read as one")
        if right or (kind is files.Kind.JUNK and self._key_source.fingerprint):
            return errors.GraphDamaged(f"{self.path} was damaged, cut short or written over: its key does not open it")
        if kind is files.Kind.JUNK:
            return errors.GraphUnavailable(
                f"{self.path} is neither a plain nor an encrypted database: it is something else, or was cut short",
                hint="Name the graph's own file with --db or KG_DB.",
            )
        hint = None if self._key_source.fingerprint else f"{errors.KeyWrong.default_hint} {_BUT_DAMAGED}"
        return errors.KeyWrong(f"{self.path} is encrypted, and {origins} does not open it", hint=hint)

    def _tidy(self) -> None:
        """Take away what an interrupted change of the key has left, which may be plain where the graph is not."""
        part = files.part(self.path)
        if part.exists() and not self._read_only:
            with self._presence.alone() as alone, suppress(OSError):
                if alone:
                    files.remove_wiped(part)

    def _check_log(self) -> None:
        if wal.has_any(self.path):
            with self._presence.alone() as alone:
                if alone:
                    wal.refuse_damaged(self.path)

    def _file_there(self) -> files.Identity:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            raise errors.GraphNotFound(
                f"{self.path} was moved or deleted while it was open", hint="Put it back, or open another."
            ) from None
        identity = found.st_dev, found.st_ino
        if identity == self._file and found.st_size < self._length:
            raise errors.GraphDamaged(f"{self.path} was cut short while it was open")
        self._length = found.st_size
        return identity

    def _follow_the_file(self) -> None:
        """Notice when another file has taken the place of ours: what is written must be in the one that is there."""
        now = self._file_there()
        if self._file != now:
            # Followed only when it is open: until then every call finds out for itself.
            self._file = None
            self._let_go()
            if not self._unlock(self._candidates()):
                raise errors.GraphReadOnly(
                    f"the file that has taken the place of {self.path} is of an older version",
                    hint="Restart what serves it, to bring it up to date.",
                )
            self._file = now

    def _let_go(self) -> None:
        """Close what is open on a file that has gone, and see that its log is not read with the one that came.

        Raises:
            errors.GraphUnavailable: changes to the old file are still in the log that lies beside the new one.
        """
        self._close_connections()
        if wal.has_any(self.path):
            raise errors.GraphUnavailable(
                f"another file has taken the place of {self.path}, beside which the log of the old one still lies",
                hint=f"Stop every program that has it open, move {self.path.name}-wal and {self.path.name}-shm away, "
                "and start again.",
            )

    def _close_connections(self) -> None:
        with self._pool_lock:
            while self._idle_readers:
                self._idle_readers.pop().conn.close()
        # Closing the last connection does this too, but not for a file that has been moved.
        self._empty_the_log()
        self._drop_writer()

    def _drop_writer(self) -> None:
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()

    def _empty_the_log(self) -> None:
        if self._writer is not None:
            with suppress(sqlite.Error):
                self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _migrate(self) -> None:
        conn = self._open_writer()
        _begin_immediate(conn, None)
        try:
            migrations.apply(conn, self.path, now=self.clock(), before=self._keep_a_copy)
            conn.execute("COMMIT")
        finally:
            _roll_back(conn)

    def _keep_a_copy(self, migration: str) -> None:
        """Let somebody copy the graph as it is before a migration, on a connection that sees it so."""
        if self._before_migration is not None:
            conn = self._connect("ro")
            try:
                self._before_migration(self, conn, migration)
            finally:
                conn.close()

    def _open_writer(self) -> Connection:
        if self._immutable:
            raise errors.GraphReadOnly(f"{self.path} lies in a folder that cannot be written to")
        if self._writer is None:
            conn = self._connect("rw")
            try:
                _patiently(lambda: conn.execute("PRAGMA journal_mode = WAL").fetchall(), None)
                conn.execute("PRAGMA synchronous = FULL")
                conn.execute("PRAGMA foreign_keys = ON")
            except BaseException:
                conn.close()
                raise
            self._writer = conn
        return self._writer

    def _take_reader(self) -> _Reader:
        with self._pool_lock:
            while self._idle_readers:
                idle = self._idle_readers.pop()
                if idle.file == self._file:
                    return idle
                idle.conn.close()
        if not self._immutable:
            try:
                return _Reader(self._file, self._connect("ro"))
            except sqlite.OperationalError as error:
                if sqlite_errors.code(error) not in sqlite_errors.NO_LOG_POSSIBLE:
                    raise
                if wal.has_journal(self.path) and self._rolled_back():
                    return _Reader(self._file, self._connect("ro"))
                if wal.has_any(self.path):
                    raise
            # The write-ahead log cannot be made beside a file in a read-only folder; without one to read,
            # the file alone is the whole truth.
            self._immutable = True
        return _Reader(self._file, self._connect("ro", immutable=True))

    def _rolled_back(self) -> bool:
        """Let SQLite take back what an interrupted change of the journal mode has left; a reader may not."""
        with suppress(sqlite.OperationalError):
            self._connect("rw").close()
            return True
        return False

    def _put_back(self, reader: _Reader) -> None:
        with self._pool_lock:
            self._idle_readers.append(reader)

    def _connect(self, mode: str, *, immutable: bool = False) -> Connection:
        return connect(self.path, mode, key=self._key, immutable=immutable)

    def _tx(self, conn: Connection, tool: str, session: str | None) -> Tx:
        now = self.clock().astimezone(UTC)
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
            raise sqlite_errors.told(error, self.path, writing=writing, stop=stop) from error
        except UnicodeDecodeError as error:
            raise errors.GraphDamaged(f"{self.path} is damaged: it holds text that is none") from error
        except OSError as error:
            raise errors.GraphUnavailable(f"{self.path} cannot be opened: {error.strerror}") from error


def connect(
    path: Path, mode: str, *, key: Key | None = None, immutable: bool = False, alone: bool = False
) -> Connection:
    """A connection to a file, keyed or not, that has read its first page: `ro` or `rw`.

    Whoever writes to a graph that others may have open does it through `Database`.

    Args:
        immutable: nobody changes the file, and it has no log; nothing is then laid beside it.
        alone: have it to oneself; refused as busy while anybody else has it open.

    Raises:
        sqlite.Error: it cannot be opened, or not with this key.
    """
    name = str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    uri = f"file:{name}?mode={mode}{'&immutable=1' if immutable else ''}"
    with decoded():
        return _connected(uri, mode, key=key, alone=alone)


@contextmanager
def decoded() -> Iterator[None]:
    """What the driver cannot even say, because the words of a damaged schema are no text, is damage (code 11)."""
    try:
        yield
    except UnicodeDecodeError as error:
        damaged = sqlite.DatabaseError("the database holds text that is none")
        damaged.sqlite_errorcode, damaged.sqlite_errorname = 11, "SQLITE_CORRUPT"
        raise damaged from error


def _connected(uri: str, mode: str, *, key: Key | None, alone: bool) -> Connection:
    conn = sqlite.connect(uri, uri=True, isolation_level=None, timeout=_POLL_SECONDS, check_same_thread=False)
    try:
        # Before the key: what does not open is told by us, not on standard error.
        conn.execute("PRAGMA cipher_log_level = NONE")
        if key is not None:
            # As a raw key it is used as it is; a passphrase would be stretched for a tenth of a second.
            conn.set_key(f"x'{key.digits}'")
        conn.execute("PRAGMA trusted_schema = OFF")
        conn.execute("PRAGMA temp_store = MEMORY")
        conn.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        if alone:
            conn.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
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
    _watch(conn, stop)
    try:
        yield
    finally:
        conn.set_progress_handler(None, 0)


def _watch(conn: Connection, stop: Stop | None) -> None:
    if stop is None:
        conn.set_progress_handler(None, 0)
    else:
        conn.set_progress_handler(lambda: stop() is not None, _STEPS_BETWEEN_POLLS)


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
            if sqlite_errors.code(error) not in sqlite_errors.BUSY or time.monotonic() > give_up_at:
                raise
        time.sleep(random.uniform(0.001, 0.02))  # noqa: S311 (jitter, not a secret)


def _roll_back(conn: Connection) -> None:
    # SQLite may have rolled back by itself, after a full disk for instance.
    if conn.in_transaction:
        conn.execute("ROLLBACK")
