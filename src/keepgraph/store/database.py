"""The database: one file, opened, unlocked and migrated, with one writer and a pool of readers."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any
from weakref import WeakSet

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors
from keepgraph.lazy import replace
from keepgraph.model import Key, KeySource, Settings
from keepgraph.store import connections, file_locks, files, journal, migrations, sqlite_errors, wal
from keepgraph.store.cancellation import CancellationCheck, committing, holding, interruptible, raise_if_cancelled
from keepgraph.store.connections import Connection, ReaderPool
from keepgraph.store.transactions import Tx
from keepgraph.store.writer_queue import WriterQueue

_MAX_LOG_BYTES = 4_000_000
"""A longer write-ahead log is emptied: one flipped bit in it loses every transaction that is only in the log."""

_MAX_LOG_BYTES_OF_WRITERS = 2 * _MAX_LOG_BYTES
"""A log of this length is emptied while other writers wait, however much there is to copy."""

_FEW_FRAMES = 200
"""How many frames are copied in about a millisecond: what other writers added during the main copy."""

_LOG_BYTES_BETWEEN_TRIES = 500_000
"""How much the log grows before the next attempt, if a reader prevents emptying it."""

_READERS_TIMEOUT_MS = 3
"""How long the next writer may wait for readers to end, so that the log can be emptied: most end soon."""


_of_this_process: WeakSet[Database] = WeakSet()
"""All open databases: SQLite shares one index of the log among them."""


class Database:
    """One SQLite file, with one connection that writes and a pool of those that read.

    Any number of threads may use it; no two transactions share a connection at the same time.
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
        before_migration: Callable[[Tx, Database, str], None] | None = None,
        on_create: Callable[[Tx], None] | None = None,
        on_upgrade: Callable[[Tx], None] | None = None,
        backups_kept: int = 7,
        any_schema: bool = False,
        leftovers: Callable[[], list[Path]] = list,
    ) -> None:
        """Open the file; create it, and apply pending migrations.

        With `read_only` neither happens, and nothing is ever written.

        Args:
            clock: the current time; each transaction asks it once.
            new_id: makes public ids (see ids.ulids).
            key_source: the candidate keys of an encrypted file.
            before_migration: backs up what a transaction sees; called with the name of the first migration.
            on_create: adds the initial content of a new graph, in the transaction that creates its tables.
            on_upgrade: upgrades what comes with this program in a graph whose tables are migrated, in the
                same transaction.
            backups_kept: how many backups of each kind to keep.
            any_schema: also open a file with a schema other than the migrations', to inspect it or to save
                what can be read; only with `read_only`.
            leftovers: unfinished files of interrupted work, overwritten and removed if nobody else has the
                file open.

        Raises:
            errors.GraphNotFound: there is no such file, and `create` is false.
            errors.GraphReadOnly: there are pending migrations, and `read_only` is true.
            errors.KeyMissing, KeyWrong, KeyInvalid, GraphNotEncrypted: file and key do not match.
            errors.GraphDamaged: the file or its log is damaged.
            errors.GraphSchemaDiffers: a table, index, trigger or view is missing, changed or unknown.
            errors.GraphFileError: it cannot be opened, or is not a graph that this version can read.
        """
        self.path = path
        self._location, self._log_location = str(path), str(wal.file(path))
        self.zone = zone
        self.group = group
        self.settings = settings or Settings()
        self.clock = clock
        self.backups_kept = backups_kept
        self._new_id = new_id
        self._readers = ReaderPool(path)
        self._writer: Connection | None = None
        self._writer_lock = threading.Lock()
        self._file: files.Identity = None
        self._log: files.Identity = None
        self._size = 0
        self._read_only = read_only
        self._any_schema = any_schema and read_only
        self._schema_cookie: int | None = None
        self._log_bytes_to_try = _MAX_LOG_BYTES
        self._key_source = key_source or KeySource()
        self._key: Key | None = None
        self._open_lock = file_locks.SharedLock(path)
        self._queue = WriterQueue()
        self._before_migration = before_migration
        self._leftovers = leftovers
        self._on_create = on_create
        self._on_upgrade = on_upgrade
        self._shared_cache: dict[str, Any] = {}
        self.prepared_tools: set[str] = set()
        try:
            with self._translated_errors(writing=False):
                self._open(create=create)
        except BaseException:
            self.close()
            raise

    @property
    def key(self) -> Key | None:
        """The key of the file; None for a plain one."""
        return self._key

    @contextmanager
    def read(
        self, tool: str, *, session: str | None = None, cancellation: CancellationCheck | None = None
    ) -> Iterator[Tx]:
        """A transaction with one snapshot of the graph, on a connection that cannot write."""
        with self._translated_errors(writing=False, cancellation=cancellation):
            if self._identify_file() != self._file:
                with holding(self._writer_lock, cancellation):
                    self._reopen_if_replaced()
            self._refuse_removed_log()
            reader = self._readers.take(self._file, self._key)
            conn = reader.conn
            try:
                with interruptible(conn, cancellation):
                    conn.execute("BEGIN")
                    revision = conn.execute("PRAGMA data_version").fetchone()[0]
                    if revision != reader.revision:
                        migrations.refuse_newer_schema(conn, self.path)
                        reader.revision = revision
                    self._note_log()
                    yield self._tx(
                        conn,
                        tool,
                        session,
                        revision=revision,
                        connection_cache=reader.cache,
                        cancellation=cancellation,
                    )
                    raise_if_cancelled(cancellation)
            except sqlite.Error:
                self._readers.discard(reader)
                raise
            except BaseException:
                connections.roll_back(conn)
                self._readers.put_back(reader)
                raise
            connections.roll_back(conn)
            self._readers.put_back(reader)

    @contextmanager
    def write(
        self,
        tool: str,
        *,
        session: str | None = None,
        cancellation: CancellationCheck | None = None,
        dry_run: bool = False,
    ) -> Iterator[Tx]:
        """A transaction that writes: at its end, all of it is on disk or none of it; none in a dry run.

        Its completions run after the commit, when the next writer may already write; `cancellation` then ends
        only them, not the call.
        """
        with (
            holding(self._writer_lock, cancellation),
            self._translated_errors(writing=True, cancellation=cancellation),
            ExitStack() as committed,
        ):
            self._reopen_if_replaced()
            self._refuse_removed_log()
            conn = self._open_writer()
            with self._queue.place(self._open_lock.descriptor) as place:
                try:
                    with interruptible(conn, cancellation):
                        connections.begin_immediate(conn, place, cancellation)
                        self._refuse_other_schema(conn)
                        self._note_log()
                        tx = self._tx(conn, tool, session)
                        yield tx
                    if dry_run:
                        conn.execute("ROLLBACK")
                        return
                    # Until the answer is complete, nobody is told that the call had no effect.
                    committed.enter_context(committing(cancellation))
                    conn.execute("COMMIT")
                    self._refuse_removed_log()
                    self._empty_log_in_turn()
                except BaseException:
                    if conn.in_transaction:
                        conn.execute("ROLLBACK")
                    else:
                        # SQLite has rolled back by itself; FTS5 may still have entries of that transaction in memory.
                        self._drop_writer()
                    raise
            self._complete(tx, cancellation)
            self._empty_log_beside_writers()

    def _empty_log_in_turn(self) -> None:
        """Empty a long log before the next writer starts, if most of it was copied while others wrote."""
        with suppress(OSError):
            size = wal.size(self.path)
            if size > self._log_bytes_to_try and (
                size > _MAX_LOG_BYTES_OF_WRITERS or self._count_frames_to_copy() <= _FEW_FRAMES
            ):
                self._empty_log(timeout_ms=_READERS_TIMEOUT_MS)
                self._postpone_next_try()

    def _empty_log_beside_writers(self) -> None:
        """Copy a long log into the file while others may write; it is emptied at once if nobody does."""
        with suppress(OSError):
            if self._writer is not None and wal.size(self.path) > self._log_bytes_to_try:
                with suppress(sqlite.Error):
                    self._writer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
                self._empty_log(timeout_ms=0)
                self._postpone_next_try()

    def _count_frames_to_copy(self) -> int:
        """How many frames of the log no checkpoint has copied into the file yet.

        SQLite before 3.51 does not know NOOP, and copies what it can.
        """
        with suppress(sqlite.Error):
            if self._writer is not None:
                _, frames, copied = self._writer.execute("PRAGMA wal_checkpoint(NOOP)").fetchone()
                return int(max(frames - copied, 0))
        return 0

    def _postpone_next_try(self) -> None:
        size = wal.size(self.path)
        self._log_bytes_to_try = size + _LOG_BYTES_BETWEEN_TRIES if size > _MAX_LOG_BYTES else _MAX_LOG_BYTES

    def _complete(self, tx: Tx, cancellation: CancellationCheck | None) -> None:
        """Run the completions of a committed write on its connection, which has the pages in memory.

        If they fail for any reason, the write stands, and `tx.completed` has fewer
        answers: an error would say that nothing was changed.
        """
        if not tx.completions:
            return
        tx.memo.clear()
        with suppress(Exception):
            try:
                with interruptible(tx.conn, cancellation):
                    tx.conn.execute("BEGIN")
                    for completion in tx.completions:
                        raise_if_cancelled(cancellation)
                        tx.completed.append(completion(replace(tx, connection_cache={}, cancellation=cancellation)))
            finally:
                connections.roll_back(tx.conn)
        if tx.conn.in_transaction:
            self._drop_writer()

    def log_size(self) -> int:
        """The length of the write-ahead log in bytes."""
        return wal.size(self.path)

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file, unless other readers prevent it."""
        with self._writer_lock:
            self._empty_log()

    def close_unused_readers(self) -> None:
        """Close all connections except one that have been idle since the last check, with their memory."""
        self._readers.close_unused()

    def close(self) -> None:
        with self._writer_lock:
            self._close_connections()
            self._open_lock.release()

    def _open(self, *, create: bool) -> None:
        if self.path.exists() and not self.path.is_file():
            raise errors.GraphUnavailable(f"{self.path} is not a file")
        size = self.path.stat().st_size if self.path.exists() else None
        if size is None and (self._read_only or not create):
            raise errors.GraphNotFound(f"there is no graph at {self.path}")
        candidates = connections.candidates(self._key_source)
        if size is None:
            # The first key is looked up before the file is created: without a key, no file is left behind.
            candidates = itertools.chain([next(candidates)], candidates)
            files.create(self.path)
        elif not size and self.path.is_file() and not self._read_only:
            self.path.chmod(0o600)
        self._open_lock.acquire(timeout=connections.LOCK_TIMEOUT_SECONDS)
        self._remove_interrupted_change()
        self._refuse_damaged_log()
        self._file = self._identify_file()
        for other in list(_of_this_process):
            if other._file == self._file:
                other._refuse_removed_log()
        _of_this_process.add(self)
        if not self._unlock(candidates):
            if self._read_only:
                raise errors.GraphReadOnly(
                    f"the tables of {self.path} are from an older version",
                    hint="Open it once without read-only to upgrade it.",
                )
            self._migrate()

    def _unlock(self, keys: Iterator[Key | None]) -> bool:
        """Find the key that opens the file; returns whether no migration is pending."""
        return connections.unlock(self.path, self._key_source, keys, self._is_current_with)

    def _is_current_with(self, key: Key | None) -> bool:
        """Whether no migration is pending in the file that this key opens, which becomes the key of the database."""
        self._key = key
        try:
            return self._is_current()
        except BaseException:
            self._key = None
            raise

    def _is_current(self) -> bool:
        reader = self._readers.take(self._file, self._key)
        try:
            has_pending = bool(migrations.pending(reader.conn, self.path))
            if has_pending and migrations.version(reader.conn):
                migrations.refuse_differences(reader.conn, self.path)
            elif not has_pending:
                self._refuse_other_schema(reader.conn)
            if has_pending:
                self._readers.discard(reader)
                return False
        except BaseException:
            self._readers.discard(reader)
            raise
        self._readers.put_back(reader)
        return True

    def _refuse_other_schema(self, conn: Connection) -> None:
        """Check the schema before a write, in full if it has changed since the last check.

        Reads need no check: no trigger runs on them, and the schema was checked when the file was opened.

        Raises:
            errors.GraphTooNew: a newer version of Keepgraph has migrated it meanwhile.
            errors.GraphSchemaDiffers: it differs from the migrations.
        """
        migrations.refuse_newer_schema(conn, self.path)
        cookie = conn.execute("PRAGMA schema_version").fetchone()[0]
        if cookie != self._schema_cookie and not self._any_schema:
            migrations.refuse_differences(conn, self.path)
            self._schema_cookie = cookie

    def _note_log(self) -> None:
        """Note which file the log is, when the first connection has it open."""
        if self._log is None and not self._readers.is_immutable:
            self._log = files.identify(self._log_location)

    def _refuse_removed_log(self) -> None:
        """Ensure that the connections' open log is that of the graph.

        SQLite removes the log when the last process closes the graph, which it knows by the others' locks. A process
        that also opens and closes one of the files loses its locks (https://www.sqlite.org/howtocorrupt.html,
        2.2): it would continue with a log that nobody else sees.

        Raises:
            errors.GraphUnavailable: it is not.
        """
        if not self._readers.count and self._writer is None:
            self._log = None
        if self._log is not None and files.identify(self._log_location) != self._log:
            raise errors.GraphUnavailable(
                f"another process has removed the log of {self.path}, because this one lost its locks: something in it "
                "has opened and closed the files of the graph",
                hint="What this call wanted to write is not recorded; all before it is. Close the graph, or end the "
                "server, and open it again. To copy an open graph, use only `kg backup`.",
            )

    def _remove_interrupted_change(self) -> None:
        """Delete the leftovers of an interrupted key change: its copy may be plain where the graph is not."""
        if self._read_only:
            return
        leftovers = [part for part in (files.temporary_file(self.path), *self._leftovers()) if part.exists()]
        if leftovers:
            with self._open_lock.try_exclusive() as is_alone:
                for part in leftovers if is_alone else ():
                    with suppress(OSError):
                        files.remove_overwritten(part)

    def _refuse_damaged_log(self) -> None:
        if wal.has_content(self.path):
            with self._open_lock.try_exclusive() as is_alone:
                if is_alone:
                    wal.refuse_damaged(self.path)

    def _identify_file(self) -> files.Identity:
        # Before the file is examined: another thread may note a longer one in between.
        file, size = self._file, self._size
        try:
            status = os.stat(self._location)
        except FileNotFoundError:
            raise errors.GraphNotFound(
                f"{self.path} was moved or deleted while it was open", hint="Put it back, or open another."
            ) from None
        identity = status.st_dev, status.st_ino
        if identity == file and status.st_size < size:
            raise errors.GraphDamaged(f"{self.path} was cut short while it was open")
        self._size = status.st_size
        return identity

    def _reopen_if_replaced(self) -> None:
        """Reopen the file if another has replaced it: writes must go to the file of that name."""
        current = self._identify_file()
        if self._file != current:
            # Set only when the new file is open; if that fails, the next call tries again.
            self._file = self._schema_cookie = None
            self._close_replaced()
            # What was computed from the other file does not apply to this one.
            self._shared_cache = {}
            if not self._unlock(connections.candidates(self._key_source)):
                raise errors.GraphReadOnly(
                    f"the file that has replaced {self.path} is from an older version",
                    hint="Restart the program that serves it to upgrade it.",
                )
            self._file = current

    def _close_replaced(self) -> None:
        """Close the connections to a replaced file, and ensure that its log is not read with the new one.

        Raises:
            errors.GraphUnavailable: changes to the old file are still in the log beside the new one.
        """
        self._close_connections()
        if wal.has_content(self.path):
            raise errors.GraphUnavailable(
                f"another file has replaced {self.path}, but the log of the old one is still beside it",
                hint=f"Stop every program that has it open, move {self.path.name}-wal and {self.path.name}-shm away, "
                "and start again.",
            )

    def _close_connections(self) -> None:
        self._readers.close()
        # Closing the last connection does this too, but not for a moved file.
        self._empty_log()
        self._drop_writer()
        self._log = None

    def _drop_writer(self) -> None:
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()

    def _empty_log(self, *, timeout_ms: int = connections.DRIVER_TIMEOUT_MS) -> None:
        """Move the log into the file and truncate it, as far as current readers and writers allow.

        Args:
            timeout_ms: how long to wait for them.
        """
        if self._writer is not None:
            with suppress(sqlite.Error):
                try:
                    self._writer.execute(f"PRAGMA busy_timeout = {timeout_ms}").fetchall()
                    self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                finally:
                    self._writer.execute(f"PRAGMA busy_timeout = {connections.DRIVER_TIMEOUT_MS}").fetchall()

    def _migrate(self) -> None:
        conn = self._open_writer()
        with self._queue.place(self._open_lock.descriptor) as place:
            connections.begin_immediate(conn, place, None)
            try:
                is_new = not migrations.version(conn)
                if not is_new:
                    migrations.refuse_differences(conn, self.path)
                migrations.apply(conn, self.path, now=self.clock(), before_first=self._back_up_before)
                if (act := self._on_create if is_new else self._on_upgrade) is not None:
                    journal.run_before_history(self._tx(conn, "create" if is_new else "upgrade", None), act)
                conn.execute("COMMIT")
            finally:
                connections.roll_back(conn)

    def _back_up_before(self, migration: str) -> None:
        """Make a backup before a migration, on a connection that sees the graph as it was."""
        if self._before_migration is not None:
            conn = connections.connect(self.path, "ro", key=self._key)
            try:
                self._before_migration(self._tx(conn, "backup", None), self, migration)
            finally:
                conn.close()

    def _open_writer(self) -> Connection:
        if self._readers.is_immutable:
            raise errors.GraphReadOnly(f"{self.path} is in a read-only folder")
        if self._writer is None:
            conn = connections.connect(self.path, "rw", key=self._key)
            try:
                connections.retry_while_locked(lambda: conn.execute("PRAGMA journal_mode = WAL").fetchall(), None)
                conn.execute("PRAGMA synchronous = FULL")
                # The log is emptied here, not in the commit of one writer while the others wait.
                conn.execute("PRAGMA wal_autocheckpoint = 0").fetchall()
                # A restarted log is truncated to its content, so that its length shows how much that is.
                conn.execute("PRAGMA journal_size_limit = 0").fetchall()
                conn.execute("PRAGMA foreign_keys = ON")
                # Parses the schema now, not while others wait for the write.
                conn.execute("SELECT 1 FROM sqlite_schema LIMIT 0").fetchall()
            except BaseException:
                conn.close()
                raise
            self._writer = conn
        return self._writer

    def _tx(
        self,
        conn: Connection,
        tool: str,
        session: str | None,
        *,
        revision: int = 0,
        connection_cache: dict[Any, Any] | None = None,
        cancellation: CancellationCheck | None = None,
    ) -> Tx:
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
            revision=revision,
            connection_cache={} if connection_cache is None else connection_cache,
            shared_cache=self._shared_cache,
            cancellation=cancellation,
        )

    @contextmanager
    def _translated_errors(self, *, writing: bool, cancellation: CancellationCheck | None = None) -> Iterator[None]:
        """Raise our own errors instead of those of the driver and the file system."""
        try:
            yield
        except sqlite.Error as error:
            raise sqlite_errors.translate(error, self.path, writing=writing, cancellation=cancellation) from error
        except UnicodeDecodeError as error:
            raise errors.GraphDamaged(f"{self.path} is damaged: it holds invalid text") from error
        except OSError as error:
            raise errors.GraphUnavailable(f"{self.path} cannot be opened: {error.strerror}") from error
