"""Connections to a SQLite or SQLCipher file: opened with a key, set up by PRAGMAs, and retried while it is locked."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

from keepgraph.model import Key
from keepgraph.store import sqlite_errors
from keepgraph.store.cancellation import CancellationCheck, raise_if_cancelled
from keepgraph.store.writer_queue import Place

Connection = Any
"""A connection of sqlcipher3, which ships no types."""

LOCK_TIMEOUT_SECONDS = 30.0
DRIVER_TIMEOUT_MS = 100
"""How long SQLite itself waits for a lock; it is short, so that a cancelled call does not wait on."""

_CACHE_KIB = 16_000
_CACHE_KIB_ENCRYPTED = 64_000
"""A page that has left the cache is decrypted anew when it is read again, which takes longer than reading it."""

_MIN_MEMORY_FOR_LARGE_CACHE = 4 << 30


def connect(
    path: Path, mode: str, *, key: Key | None = None, immutable: bool = False, exclusive: bool = False
) -> Connection:
    """A connection to a file, encrypted or not, that has read its first page.

    Whoever writes to a graph that others may have open uses `Database` instead.

    Args:
        mode: `ro` or `rw`.
        immutable: nobody changes the file, and it has no write-ahead log; SQLite then makes no file beside it.
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
    """Raise SQLITE_CORRUPT (code 11) where the driver fails to decode the text of an error or a schema as UTF-8.

    The words of a damaged schema may be any bytes, and the driver decodes them before it raises its own error.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        corrupt = sqlite.DatabaseError("the database holds text that is none")
        corrupt.sqlite_errorcode, corrupt.sqlite_errorname = 11, "SQLITE_CORRUPT"
        raise corrupt from error


@contextmanager
def undecodable_text_replaced(conn: Connection) -> Iterator[None]:
    """Read text that is not UTF-8 with replacement characters: damage is to be reported, not to end the reading."""
    text_factory = conn.text_factory
    conn.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        yield
    finally:
        conn.text_factory = text_factory


def fetch_count(conn: Connection, query: str, *values: object) -> int:
    """The number in the one row of a query."""
    return int(conn.execute(query, values).fetchone()[0])


def begin_immediate(conn: Connection, place: Place | None, cancellation: CancellationCheck | None) -> None:
    """Begin a write transaction, as soon as no other process has one, in the order of the queue.

    Args:
        place: in the queue of writers; None where there is no queue.
    """
    until = time.monotonic() + LOCK_TIMEOUT_SECONDS
    if place is not None:
        place.wait(until=until, cancellation=cancellation)
    retry_while_locked(lambda: conn.execute("BEGIN IMMEDIATE"), cancellation, until=until)


def retry_while_locked(
    attempt: Callable[[], object], cancellation: CancellationCheck | None, *, until: float | None = None
) -> None:
    """Try until the lock is free, it is cancelled, or the time is over: `until`, by the monotonic clock."""
    deadline = until or time.monotonic() + LOCK_TIMEOUT_SECONDS
    while True:
        try:
            attempt()
            return
        except sqlite.OperationalError as error:
            raise_if_cancelled(cancellation)
            if sqlite_errors.result_code(error) not in sqlite_errors.BUSY or time.monotonic() > deadline:
                raise
        # Random, so that several writers do not collide again and again.
        time.sleep(random.uniform(0.001, 0.02))  # noqa: S311 (jitter, not a secret)


def roll_back(conn: Connection) -> None:
    # SQLite may have rolled back by itself, after a full disk for instance.
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
        # The first statement that reads the file: it raises where the file cannot be read with this key.
        conn.execute("PRAGMA user_version").fetchall()
    except BaseException:
        conn.close()
        raise
    return conn


def _open(uri: str, key: Key | None) -> Connection:
    """A connection that has read nothing yet."""
    timeout = DRIVER_TIMEOUT_MS / 1000
    conn = sqlite.connect(uri, uri=True, isolation_level=None, timeout=timeout, check_same_thread=False)
    try:
        # Before the key: an error is raised by us, not logged to standard error by SQLCipher.
        conn.execute("PRAGMA cipher_log_level = NONE")
        if key is not None:
            # A raw key is used as it is; from a passphrase SQLCipher would derive one, for a tenth of a second.
            conn.set_key(f"x'{key.digits}'")
    except BaseException:
        conn.close()
        raise
    return conn


def _uri(path: Path, mode: str, *, immutable: bool) -> str:
    name = str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{name}?mode={mode}{'&immutable=1' if immutable else ''}"


def _cache_kib_encrypted() -> int:
    """How large the page cache of an encrypted file may become; small where the memory of the machine is not known."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf, other systems not these names
        return _CACHE_KIB
    return _CACHE_KIB_ENCRYPTED if memory >= _MIN_MEMORY_FOR_LARGE_CACHE else _CACHE_KIB
