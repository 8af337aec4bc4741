"""A pool of connections that only read, so that transactions in several threads do not open one each time."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

from keepgraph.lazy import dataclass
from keepgraph.model import Key
from keepgraph.store import connections, files, sqlite_errors, wal
from keepgraph.store.connections import Connection


@dataclass(slots=True)
class Reader:
    """A connection that only reads.

    Attributes:
        file: the file that it has open.
        cache: what readers on it keep from one transaction to the next.
        revision: that of the database in its last transaction (see `Tx`); None before the first one.
    """

    file: files.Identity
    conn: Connection
    cache: dict[Any, Any] = field(default_factory=dict)
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class _Idle:
    """A reader that nobody uses, and how often unused ones had been looked for when it was put back."""

    reader: Reader
    looks: int


class ReaderPool:
    """The idle readers of one path.

    Attributes:
        is_immutable: whether the file lies in a folder that cannot be written to, so that it has no write-ahead log.
        count: how many readers are open, idle or in use.
    """

    def __init__(self, path: Path) -> None:
        self.is_immutable = False
        self.count = 0
        self._path = path
        self._idle: list[_Idle] = []
        self._looks = 0
        self._lock = threading.Lock()

    def take(self, file: files.Identity, key: Key | None) -> Reader:
        """The idle reader that was used last, where it has this file open, else a new one.

        Those of a file that was replaced are closed.
        """
        with self._lock:
            while self._idle:
                idle = self._idle.pop().reader
                if idle.file == file:
                    return idle
                self._close(idle)
        reader = Reader(file, self._connect(key))
        with self._lock:
            self.count += 1
        return reader

    def put_back(self, reader: Reader) -> None:
        with self._lock:
            self._idle.append(_Idle(reader, self._looks))

    def discard(self, reader: Reader) -> None:
        """Close a reader that was taken, in the place of putting it back."""
        with self._lock:
            self._close(reader)

    def close(self) -> None:
        """Close the idle readers."""
        with self._lock:
            while self._idle:
                self._close(self._idle.pop().reader)

    def close_unused(self) -> None:
        """Close the readers, but for one, that nobody used since the last time: each has a page cache of its own."""
        with self._lock:
            while len(self._idle) > 1 and self._idle[0].looks < self._looks:
                self._close(self._idle.pop(0).reader)
            self._looks += 1

    def _close(self, reader: Reader) -> None:
        self.count -= 1
        reader.conn.close()

    def _connect(self, key: Key | None) -> Connection:
        if not self.is_immutable:
            try:
                return connections.connect(self._path, "ro", key=key)
            except sqlite.OperationalError as error:
                if sqlite_errors.result_code(error) not in sqlite_errors.CANNOT_OPEN_LOG:
                    raise
                if wal.has_hot_journal(self._path) and self._roll_back_journal(key):
                    return connections.connect(self._path, "ro", key=key)
                if wal.has_content(self._path):
                    raise
            # In a read-only folder SQLite cannot make the files of a write-ahead log. If there is no log, all is in the
            # file itself, and it can be read without.
            self.is_immutable = True
        return connections.connect(self._path, "ro", key=key, immutable=True)

    def _roll_back_journal(self, key: Key | None) -> bool:
        """Let SQLite roll back an interrupted change of the journal mode, which takes a connection that may write."""
        with suppress(sqlite.OperationalError):
            connections.connect(self._path, "rw", key=key).close()
            return True
        return False
