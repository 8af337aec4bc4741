"""Copies of a whole graph: under the same key, another or none, compared row by row with the original."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, permissions
from keepgraph.model import Key
from keepgraph.store import connections, file_locks, files, migrations, sqlite_errors, wal
from keepgraph.store.connections import Connection, quote_name
from keepgraph.store.transactions import Tx

T = TypeVar("T")

LOCK_TIMEOUT_SECONDS = 5.0
"""How long to wait for the exclusive lock before replacing the file of a graph."""

_ROWS_PER_BATCH = 2000
_PROBLEMS_SHOWN = 3
_WRITTEN_AT_ONCE = 1 << 17  # bytes: with fewer free, a write of pages finds no room

TableDigests = Mapping[str, tuple[int, str]]
"""By table: the number of its rows, and a SHA-256 of all their values."""


@connections.undecodable_text_as_corruption()
def digest_tables(conn: Connection) -> TableDigests:
    """Digests of all tables, including the tables behind the full-text indexes.

    For one consistent snapshot, call it inside a transaction. A million facts take about ten seconds.
    """
    return {table: _digest_table(conn, table, order) for table, order in _tables(conn)}


@connections.undecodable_text_as_corruption()
def find_problems(conn: Connection, *, encrypted: bool) -> list[str]:
    """SQLite's findings about a database: pages that cannot be read, indexes and references that do not match.

    Args:
        encrypted: whether the file is encrypted, so that the signature of every page can be verified.
    """
    problems = [str(row[0]) for row in conn.execute("PRAGMA cipher_integrity_check")] if encrypted else []
    problems += [str(row[0]) for row in conn.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    problems += [f"a row of {row[0]} refers to a missing row of {row[2]}" for row in _find_dangling_references(conn)]
    return problems


def copy(conn: Connection, target: Path, *, key: Key | None, was_encrypted: bool) -> TableDigests:
    """Copy the snapshot of a connection into a new file, and compare the two; the file is on disk when this returns.

    Args:
        conn: inside a read transaction, or with the file locked exclusively.
        key: the key of the copy; None leaves it plain.
        was_encrypted: whether the graph itself is encrypted.

    Raises:
        errors.BackupFailed: the copy differs from the original, or cannot be written.
        errors.GraphDamaged: the graph itself cannot be read to the end.
    """
    try:
        original, as_migrated = digest_tables(conn), migrations.is_as_migrated(conn)
    except sqlite.DatabaseError as error:
        error_class = (
            errors.GraphDamaged if sqlite_errors.result_code(error) in sqlite_errors.CORRUPT else errors.BackupFailed
        )
        raise error_class(f"the graph cannot be read to the end ({sqlite_errors.reason(error)})") from error
    remove(target)
    files.create(target)
    try:
        if was_encrypted == (key is not None):
            _copy_pages(conn, target, key)
        else:
            _copy_rows(conn, target, key)
        # A file with a changed schema is copied unchanged: a backup of it can still be encrypted.
        copied = verify(target, key=key, as_migrated=as_migrated)
        if copied != original:
            differing = [table for table in original if copied.get(table) != original[table]]
            raise errors.BackupFailed(f"the copy {target} differs from the original in {', '.join(differing)}")
    except (sqlite.Error, OSError) as error:
        remove(target)
        raise errors.BackupFailed(f"{target} could not be written ({sqlite_errors.reason(error)})") from error
    except errors.KeepgraphError:
        remove(target)
        raise
    permissions.sync(target)
    return original


def copy_snapshot(tx: Tx, target: Path, *, key: Key | None) -> TableDigests:
    """Copy what a transaction reads into a new file, under the graph's key; see `copy`."""
    return copy(tx.conn, target, key=key, was_encrypted=key is not None)


def verify(file: Path, *, key: Key | None, as_migrated: bool = False) -> TableDigests:
    """Read a copy from the first page to the last, and return its digests.

    Args:
        as_migrated: whether it must have exactly the tables, indexes, triggers and views of our migrations.

    Raises:
        errors.BackupFailed: it is damaged.
        errors.GraphSchemaDiffers: its schema differs.
        errors.MigrationEdited: it was made by another version of Keepgraph with other migrations.
        sqlite.Error: it cannot be opened with this key.
    """
    try:
        conn = open_copy(file, key=key)
    except sqlite.DatabaseError as error:
        if sqlite_errors.result_code(error) not in sqlite_errors.CORRUPT:
            raise
        raise errors.BackupFailed(f"{file} is damaged, or was cut short ({sqlite_errors.reason(error)})") from error
    try:
        if conn.execute("PRAGMA application_id").fetchone()[0] != migrations.APPLICATION_ID:
            raise errors.BackupFailed(f"{file} is not a graph, or is incomplete")
        if as_migrated:
            migrations.pending(conn, file)
            migrations.refuse_differences(conn, file)
        else:
            migrations.refuse_newer_schema(conn, file)
        if problems := find_problems(conn, encrypted=key is not None):
            raise errors.BackupFailed(f"{file} is damaged: {'; '.join(problems[:_PROBLEMS_SHOWN])}")
        return digest_tables(conn)
    except sqlite.DatabaseError as error:
        raise errors.BackupFailed(f"{file} is damaged ({sqlite_errors.reason(error)})") from error
    finally:
        conn.close()


def open_copy(file: Path, *, key: Key | None) -> Connection:
    """A connection to a copy that nobody else has open; SQLite creates no file beside it, unless it has a log."""
    return connections.connect(file, "ro", key=key, immutable=not wal.has_content(file))


def opens_with(file: Path, key: Key | None) -> bool:
    """Whether the first page of a file can be read with this key, or with none.

    Also true for a damaged file: then the key may be right.
    """
    try:
        connections.read_first_page(file, key=key)
    except sqlite.DatabaseError as error:
        if sqlite_errors.result_code(error) in sqlite_errors.NOT_A_DATABASE:
            return False
        if sqlite_errors.result_code(error) not in sqlite_errors.CORRUPT:
            raise
    return True


def is_empty(file: Path, *, key: Key | None) -> bool:
    """Whether a graph has neither entities nor texts."""
    conn = connections.connect(file, "ro", key=key)
    try:
        query = "SELECT NOT EXISTS (SELECT 1 FROM entity) AND NOT EXISTS (SELECT 1 FROM episode)"
        return bool(conn.execute(query).fetchone()[0])
    finally:
        conn.close()


def remove(file: Path) -> None:
    """Delete a copy, with any files that SQLite made beside it."""
    for sidecar in files.with_sidecars(file):
        sidecar.unlink(missing_ok=True)


@contextmanager
def lock_and_open(path: Path, *, key: Key | None) -> Iterator[Connection]:
    """The exclusive lock of a graph, and a connection as of `open_exclusively`."""
    with file_locks.exclusive(path, timeout=LOCK_TIMEOUT_SECONDS), open_exclusively(path, key=key) as conn:
        yield conn


@contextmanager
def open_exclusively(path: Path, *, key: Key | None) -> Iterator[Connection]:
    """A connection to a graph that no other program has open, after its log was moved into the file.

    Only for the holder of the exclusive lock (`file_locks.exclusive`).

    Raises:
        errors.GraphBusy: a program that does not use our lock has it open.
        errors.GraphDamaged: its log is damaged.
    """
    wal.refuse_damaged(path)
    try:
        conn = connections.connect(path, "rw", key=key, exclusive=True)
    except sqlite.OperationalError as error:
        if sqlite_errors.result_code(error) in sqlite_errors.CANNOT_OPEN_LOG:
            raise errors.GraphReadOnly(f"{path} or a file beside it is not writable") from error
        if sqlite_errors.result_code(error) not in sqlite_errors.BUSY:
            raise
        raise errors.GraphBusy(f"{path} is open in another program", hint="Close it there, then try again.") from error
    try:
        # The log would otherwise be read with the file that replaces this one.
        if conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            raise errors.GraphBusy(f"the log of {path} could not be emptied", hint="Try again in a moment.")
        yield conn
    finally:
        conn.close()


def replace_file(part: Path, path: Path, *, overwrite_old: bool = False) -> None:
    """Replace the file of a graph with a verified copy. Only for the holder of the exclusive lock.

    Args:
        overwrite_old: write zeros over the old, unencrypted file.
    """
    old = os.open(path, os.O_RDWR) if overwrite_old and path.exists() else None
    try:
        os.replace(part, path)
        remove(part)
        permissions.sync(path)
        if old is not None:
            files.overwrite_with_zeros(old)
    finally:
        if old is not None:
            os.close(old)


def rewrite(path: Path, *, old: Key | None, new: Key | None, part: Path) -> TableDigests:
    """Encrypt a graph, decrypt it, or give it another key: a verified copy replaces its file.

    If interrupted at any point, the graph has the old key or the new one. Only for the holder of the exclusive
    lock.

    Args:
        part: the file beside it for the copy.
    """
    with open_exclusively(path, key=old) as conn:
        digests = copy(conn, part, key=new, was_encrypted=old is not None)
        conn.close()
        replace_file(part, path, overwrite_old=old is None and new is not None)
    return digests


def rewrite_changed(path: Path, *, key: Key | None, part: Path, change: Callable[[Connection], T]) -> T:
    """Replace the file of a graph with a verified, changed copy of it; returns what `change` returned.

    If interrupted at any point, the file is either unchanged or changed. A plain file that is replaced is
    overwritten with zeros. Only for the holder of the exclusive lock.

    Args:
        part: the file beside it for the copy.
    """
    with open_exclusively(path, key=key) as conn:
        remove(part)
        files.create(part)
        try:
            as_migrated = migrations.is_as_migrated(conn)
            _copy_pages(conn, part, key)
            result = _change(part, key, change)
            verify(part, key=key, as_migrated=as_migrated)
            permissions.sync(part)
        except (sqlite.Error, OSError) as error:
            files.remove_overwritten(part)
            raise errors.BackupFailed(f"{path} could not be rewritten ({sqlite_errors.reason(error)})") from error
        except errors.KeepgraphError:
            files.remove_overwritten(part)
            raise
        conn.close()
        replace_file(part, path, overwrite_old=key is None)
    return result


def _change(file: Path, key: Key | None, change: Callable[[Connection], T]) -> T:
    """Change a copy that nobody else knows of; its journal is never written to the disk."""
    conn = connections.connect(file, "rw", key=key)
    try:
        conn.execute("PRAGMA journal_mode = MEMORY").fetchall()
        conn.execute("PRAGMA synchronous = OFF")
        result = change(conn)
        _enable_wal(conn)
    finally:
        conn.close()
    return result


def _copy_pages(conn: Connection, target: Path, key: Key | None) -> None:
    """Page by page: from plain to plain, or from one key to another."""
    copied = connections.connect(target, "rw", key=key)
    try:
        try:
            conn.backup(copied)
        except sqlite.OperationalError as error:
            # The driver gives a backup error no code.
            if not sqlite_errors.result_code(error) and shutil.disk_usage(target.parent).free < _WRITTEN_AT_ONCE:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target)) from error
            raise
        _drop_statistics(copied)
        _enable_wal(copied)
    finally:
        copied.close()


def _copy_rows(conn: Connection, target: Path, key: Key | None) -> None:
    """From plain to encrypted or back: the page layout differs, so every row is rewritten."""
    conn.execute("PRAGMA query_only = OFF")
    headers = {name: conn.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id")}
    conn.execute("ATTACH DATABASE ? AS copied KEY ?", (str(target), f"x'{key.digits}'" if key else ""))
    try:
        # Unsynced for speed: the copy is compared and synced when it is complete.
        conn.execute("PRAGMA copied.synchronous = OFF")
        conn.execute("SELECT sqlcipher_export('copied')").fetchall()
        for name, value in headers.items():
            conn.execute(f"PRAGMA copied.{name} = {int(value)}")
    finally:
        conn.execute("DETACH DATABASE copied")
    copied = connections.connect(target, "rw", key=key)
    try:
        _drop_statistics(copied)
        _enable_wal(copied)
    finally:
        copied.close()


def _enable_wal(conn: Connection) -> None:
    """Switch to a write-ahead log now, so that no reader finds the file while it is being switched."""
    conn.execute("PRAGMA journal_mode = WAL").fetchall()


def _tables(conn: Connection) -> list[tuple[str, str]]:
    """The tables with rows of their own, each with the ORDER BY that makes their order unique."""
    tables = []
    for name, without_rowid in conn.execute(
        """
        SELECT name, wr
        FROM pragma_table_list
        WHERE schema = 'main' AND type IN ('table', 'shadow') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name
        """
    ).fetchall():
        columns = conn.execute("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", (name,)).fetchall()
        tables.append((name, ", ".join(quote_name(column) for (column,) in columns) if without_rowid else "rowid"))
    return tables


def _digest_table(conn: Connection, table: str, order: str) -> tuple[int, str]:
    digest, count = hashlib.sha256(), 0
    rows = conn.execute(f"SELECT * FROM {quote_name(table)} ORDER BY {order}")
    while batch := rows.fetchmany(_ROWS_PER_BATCH):
        count += len(batch)
        # All copies are read in batches of the same size, so that equal rows give equal digests.
        digest.update("\n".join(map(repr, batch)).encode("utf-8", "surrogatepass"))
    return count, digest.hexdigest()


def _find_dangling_references(conn: Connection) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = conn.execute("PRAGMA foreign_key_check").fetchmany(20)
    return rows


# Compaction of a file: the segments of the full-text indexes are merged, and all pages are rewritten.


def compact(conn: Connection) -> None:
    """Make a file as small as possible. It then holds nothing that was deleted."""
    _drop_statistics(conn)
    # Deleted words stay in the segments of an index until they are merged.
    for (table,) in conn.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5 (%'"
    ).fetchall():
        conn.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
    conn.execute("VACUUM")


def _drop_statistics(conn: Connection) -> None:
    """Drop the tables of ANALYZE, which any SQLite tool may have made: they hold samples of names and texts.

    Their pages are overwritten with zeros.
    """
    tables = conn.execute(
        "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name GLOB 'sqlite_stat[1-4]'"
    ).fetchall()
    if tables:
        conn.execute("PRAGMA secure_delete = ON").fetchall()
    for (table,) in tables:
        conn.execute(f"DROP TABLE {table}")
