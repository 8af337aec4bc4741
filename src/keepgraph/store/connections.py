"""Connections to a SQLite or SQLCipher file: opened with a key, set up by PRAGMAs, and retried while it is locked."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import field
from pathlib import Path
from typing import Any, TypeVar

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors
from keepgraph.lazy import dataclass
from keepgraph.model import Key, KeySource
from keepgraph.store import files, sqlite_errors, wal
from keepgraph.store.cancellation import CancellationCheck, raise_if_cancelled
from keepgraph.store.writer_queue import Place

Connection = Any
"""A connection of sqlcipher3, which ships no types."""

LOCK_TIMEOUT_SECONDS = 30.0
DRIVER_TIMEOUT_MS = 100
"""How long SQLite itself waits for a lock; short, so that a cancelled call does not wait on."""

_STATEMENTS_KEPT = 2_000
"""How many prepared statements a connection keeps: more than the calls of one process have.

The driver's cache does not recover once it is full: a new statement takes the place of the newest, so that each is
prepared again whenever it is executed. With its 128 a new graph was full after its schema, and every fact recorded
took twice as long.
"""

_CACHE_KIB = 16_000
_CACHE_KIB_ENCRYPTED = 64_000
"""A page that has left the cache must be decrypted again, which takes longer than reading it."""

_MIN_MEMORY_FOR_LARGE_CACHE = 4 << 30


def connect(
    path: Path, mode: str, *, key: Key | None = None, immutable: bool = False, exclusive: bool = False
) -> Connection:
    """A connection to a file, encrypted or not, that has read its first page.

    Writers to a graph that others may have open use `Database` instead.

    Args:
        mode: `ro` or `rw`.
        immutable: nobody changes the file, and it has no write-ahead log; SQLite then creates no file beside it.
        exclusive: lock the file; refused as busy while anybody else has it open.

    Raises:
        sqlite.Error: it cannot be opened, or not with this key.
    """
    with undecodable_text_as_corruption():
        return _connect(_uri(path, mode, immutable=immutable), mode, key=key, exclusive=exclusive)


def read_first_page(path: Path, *, key: Key | None) -> None:
    """Read the first page of a file that nobody changes, and nothing else: the schema is not parsed.

    Raises:
        sqlite.Error: it cannot be opened, or not with this key.
    """
    conn = _open(_uri(path, "ro", immutable=True), key)
    try:
        conn.execute("PRAGMA user_version").fetchall()
    finally:
        conn.close()


@contextmanager
def undecodable_text_as_corruption() -> Iterator[None]:
    """Raise SQLITE_CORRUPT (code 11) if the driver fails to decode the text of an error or a schema as UTF-8.

    The text of a damaged schema may be any bytes, and the driver decodes it before it raises its own error.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        corrupt = sqlite.DatabaseError("the database holds invalid text")
        corrupt.sqlite_errorcode, corrupt.sqlite_errorname = 11, "SQLITE_CORRUPT"
        raise corrupt from error


@contextmanager
def undecodable_text_replaced(conn: Connection) -> Iterator[None]:
    """Read text that is not UTF-8 with replacement characters: damage must be reported, not end the reading."""
    text_factory = conn.text_factory
    conn.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        yield
    finally:
        conn.text_factory = text_factory


def fetch_count(conn: Connection, query: str, *values: object) -> int:
    """The number in the only row of a query."""
    return int(conn.execute(query, values).fetchone()[0])


def json_array(values: Iterable[int] | Iterable[str] | Iterable[tuple[Any, ...]]) -> str:
    """Values for `json_each(…)`: all of them numbers, all texts, or all tuples of such."""
    listed = list(values)
    # Numbers as Python writes them are JSON; to make an encoder for a few takes ten times as long.
    return str(listed) if not listed or type(listed[0]) is int else json.dumps(listed)


def quote_name(name: str) -> str:
    """The name of a table or a column as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def begin_immediate(conn: Connection, place: Place | None, cancellation: CancellationCheck | None) -> None:
    """Begin a write transaction as soon as no other process has one, in queue order.

    Args:
        place: in the queue of writers; None if there is no queue.
    """
    until = time.monotonic() + LOCK_TIMEOUT_SECONDS
    if place is not None:
        place.wait(until=until, cancellation=cancellation)
    retry_while_locked(lambda: conn.execute("BEGIN IMMEDIATE"), cancellation, until=until)


def retry_while_locked(
    attempt: Callable[[], object], cancellation: CancellationCheck | None, *, until: float | None = None
) -> None:
    """Try until the lock is free, the call is cancelled, or time is up: `until`, by the monotonic clock."""
    deadline = until or time.monotonic() + LOCK_TIMEOUT_SECONDS
    while True:
        try:
            attempt()
            return
        except sqlite.OperationalError as error:
            raise_if_cancelled(cancellation)
            if sqlite_errors.result_code(error) not in sqlite_errors.BUSY or time.monotonic() > deadline:
                raise
        # Random, so that several writers do not collide repeatedly.
        time.sleep(random.uniform(0.001, 0.02))  # noqa: S311 (jitter, not a secret)


def roll_back(conn: Connection) -> None:
    # SQLite may have rolled back by itself, for instance after a full disk.
    if conn.in_transaction:
        conn.execute("ROLLBACK")


def _connect(uri: str, mode: str, *, key: Key | None, exclusive: bool) -> Connection:
    conn = _open(uri, key)
    try:
        conn.execute("PRAGMA trusted_schema = OFF")
        conn.execute("PRAGMA temp_store = MEMORY")
        conn.execute(f"PRAGMA cache_size = -{_CACHE_KIB if key is None else _cache_kib_encrypted()}")
        if exclusive:
            conn.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
        if mode == "ro":
            conn.execute("PRAGMA query_only = ON")
        # The first statement that reads the file: it raises if this key cannot read it.
        conn.execute("PRAGMA user_version").fetchall()
    except BaseException:
        conn.close()
        raise
    return conn


def _open(uri: str, key: Key | None) -> Connection:
    """A connection that has read nothing yet."""
    conn = sqlite.connect(
        uri,
        uri=True,
        isolation_level=None,
        timeout=DRIVER_TIMEOUT_MS / 1000,
        check_same_thread=False,
        cached_statements=_STATEMENTS_KEPT,
    )
    try:
        # Before the key: we raise an error, instead of SQLCipher logging to standard error.
        conn.execute("PRAGMA cipher_log_level = NONE")
        if key is not None:
            # A raw key is used directly; from a passphrase SQLCipher would derive one, for a tenth of a second.
            conn.set_key(f"x'{key.digits}'")
    except BaseException:
        conn.close()
        raise
    return conn


def _uri(path: Path, mode: str, *, immutable: bool) -> str:
    name = str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{name}?mode={mode}{'&immutable=1' if immutable else ''}"


def _cache_kib_encrypted() -> int:
    """The maximum page cache of an encrypted file; small if the memory of the machine is unknown."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf, other systems lack these names
        return _CACHE_KIB
    return _CACHE_KIB_ENCRYPTED if memory >= _MIN_MEMORY_FOR_LARGE_CACHE else _CACHE_KIB


# Unlocking: tries the possible keys of a graph until one opens its file, and says why none does.

_IF_DAMAGED_HINT = "If it is the right one, the file is damaged: `kg restore` restores a backup."

T = TypeVar("T")


def candidates(source: KeySource) -> Iterator[Key | None]:
    """The keys to try; only None, which is no key, if nothing says that there is one."""
    if source.expected:
        yield from source.candidates()
    else:
        yield None


def unlock(path: Path, source: KeySource, keys: Iterator[Key | None], open_with: Callable[[Key | None], T]) -> T:
    """What `open_with` returns for the first of some keys that opens the file.

    An empty file is opened by any key: the first one becomes its key. If no key was expected and the
    file is encrypted, the candidates of `source` are tried anyway.

    Raises:
        errors.GraphNotEncrypted, GraphDamaged, GraphUnavailable, KeyWrong: no key opens it.
        errors.KeyMissing: there is no key for an encrypted file.
    """
    tried: list[Key] = []
    while True:
        try:
            key = next(keys)
        except StopIteration:
            break
        except errors.KeyMissing:
            if files.kind(path) is files.Kind.PLAIN:
                break
            raise
        try:
            return open_with(key)
        except sqlite.DatabaseError as error:
            if sqlite_errors.result_code(error) not in sqlite_errors.NOT_A_DATABASE:
                raise
        if key is not None:
            tried.append(key)
        elif files.kind(path) is files.Kind.ENCRYPTED:
            keys = source.candidates()
        else:
            break
    raise _refusal(path, source, tried)


def _refusal(path: Path, source: KeySource, tried: list[Key]) -> errors.KeepgraphError:
    """Why the file cannot be opened, with no key or with any of those tried."""
    kind = files.kind(path)
    tried_right_key = any(key.fingerprint == source.fingerprint for key in tried)
    origins = " and ".join(dict.fromkeys(key.origin for key in tried))
    if kind is files.Kind.PLAIN and source.expected:
        return errors.GraphNotEncrypted(f"{path} is not encrypted, and there is a key for it")
    if kind is files.Kind.PLAIN:
        return errors.GraphDamaged(f"{path} begins like a SQLite database but cannot be read as one")
    if tried_right_key or (kind is files.Kind.JUNK and source.fingerprint):
        return errors.GraphDamaged(f"{path} was damaged, cut short or overwritten: its key does not open it")
    if kind is files.Kind.JUNK:
        return errors.GraphUnavailable(
            f"{path} is neither a plain nor an encrypted database: it is something else, or was cut short",
            hint="Name the graph's own file with --db or KG_DB.",
        )
    hint = None if source.fingerprint else f"{errors.KeyWrong.default_hint} {_IF_DAMAGED_HINT}"
    return errors.KeyWrong(f"{path} is encrypted, and {origins} does not open it", hint=hint)


# A pool of read-only connections, so that transactions in several threads do not open a new one each time.


@dataclass(slots=True)
class _Reader:
    """A read-only connection.

    Attributes:
        file: its open file.
        is_for_once: whether the disk is full, so that it reads without the log, and must not see later writes.
        cache: what its readers cache between transactions.
        revision: that of the database in its last transaction (see `Tx`); None before the first one.
    """

    file: files.Identity
    conn: Connection
    is_for_once: bool = False
    cache: dict[Any, Any] = field(default_factory=dict)
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class _Idle:
    """An idle reader, and how many idle checks had been made when it was put back."""

    reader: _Reader
    looks: int


class ReaderPool:
    """The idle readers of one path.

    Attributes:
        is_immutable: whether the file is in a read-only folder, so that it has no write-ahead log.
        count: how many readers are open, idle or in use.
    """

    def __init__(self, path: Path) -> None:
        self.is_immutable = False
        self.count = 0
        self._path = path
        self._idle: list[_Idle] = []
        self._looks = 0
        self._lock = threading.Lock()

    def take(self, file: files.Identity, key: Key | None) -> _Reader:
        """The most recently used idle reader of this file, else a new one.

        Readers of a replaced file are closed.
        """
        with self._lock:
            while self._idle:
                idle = self._idle.pop().reader
                if idle.file == file:
                    return idle
                self._close(idle)
        reader = self._connect(file, key)
        with self._lock:
            self.count += 1
        return reader

    def put_back(self, reader: _Reader) -> None:
        with self._lock:
            if reader.is_for_once:
                self._close(reader)
            else:
                self._idle.append(_Idle(reader, self._looks))

    def discard(self, reader: _Reader) -> None:
        """Close a reader in use instead of putting it back."""
        with self._lock:
            self._close(reader)

    def close(self) -> None:
        """Close the idle readers."""
        with self._lock:
            while self._idle:
                self._close(self._idle.pop().reader)

    def close_unused(self) -> None:
        """Close all readers except one that have been idle since the last check: each has its own page cache."""
        with self._lock:
            while len(self._idle) > 1 and self._idle[0].looks < self._looks:
                self._close(self._idle.pop(0).reader)
            self._looks += 1

    def _close(self, reader: _Reader) -> None:
        self.count -= 1
        reader.conn.close()

    def _connect(self, file: files.Identity, key: Key | None) -> _Reader:
        is_full = False
        if not self.is_immutable:
            try:
                return _Reader(file, connect(self._path, "ro", key=key))
            except sqlite.OperationalError as error:
                is_full = sqlite_errors.is_disk_full(error, self._path)
                if not is_full and sqlite_errors.result_code(error) not in sqlite_errors.CANNOT_OPEN_LOG:
                    raise
                if wal.has_hot_journal(self._path) and self._roll_back_journal(key):
                    return _Reader(file, connect(self._path, "ro", key=key))
                if wal.has_content(self._path):
                    raise
            # In a read-only folder SQLite cannot create the files of a write-ahead log. If there is no log, the file is
            # complete and can be read without one. So it can on a full disk, until there is room.
            self.is_immutable = not is_full
        return _Reader(file, connect(self._path, "ro", key=key, immutable=True), is_for_once=is_full)

    def _roll_back_journal(self, key: Key | None) -> bool:
        """Let SQLite roll back an interrupted change of the journal mode, which takes a writable connection."""
        with suppress(sqlite.OperationalError):
            connect(self._path, "rw", key=key).close()
            return True
        return False
