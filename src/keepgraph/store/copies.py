"""Copies of a whole graph: as it is or under another key, compared row by row. Knows tables by what SQLite says."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, permissions
from keepgraph.model import Key
from keepgraph.store import database, files, migrations, sqlite_errors, wal
from keepgraph.store.database import Connection

PATIENCE_SECONDS = 5.0
_ROWS_AT_ONCE = 2000
_COMPLAINTS_SHOWN = 3

Contents = Mapping[str, tuple[int, str]]
"""Every table with the number of its rows and a digest of all that is in them."""


@database.decoded()
def contents(conn: Connection) -> Contents:
    """What is in every table, those of the indexes for full text too: the number of rows and their SHA-256.

    Inside a transaction it is one moment of the graph. A million facts take about ten seconds.
    """
    return {table: _digest(conn, table, order) for table, order in _tables(conn)}


@database.decoded()
def complaints(conn: Connection, *, keyed: bool) -> list[str]:
    """What SQLite finds wrong with a database: none, where all can be read and every index agrees with its table."""
    found = [str(row[0]) for row in conn.execute("PRAGMA cipher_integrity_check")] if keyed else []
    found += [str(row[0]) for row in conn.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    found += [f"a row of {row[0]} refers to one of {row[2]} that is not there" for row in _orphans(conn)]
    return found


def copy(conn: Connection, target: Path, *, key: Key | None, was_keyed: bool) -> Contents:
    """Copy what a connection sees into a new file, and compare; the file is on disk when this returns.

    Args:
        conn: inside a transaction that reads, or alone with its file.
        key: what the copy is encrypted with; None leaves it plain.
        was_keyed: whether the graph itself is encrypted.

    Raises:
        errors.BackupFailed: the copy is not what was copied, or cannot be written.
        errors.GraphDamaged: the graph itself cannot be read to the end.
    """
    try:
        original = contents(conn)
    except sqlite.DatabaseError as error:
        kind = errors.GraphDamaged if sqlite_errors.code(error) in sqlite_errors.DAMAGED else errors.BackupFailed
        raise kind(f"the graph cannot be read to the end ({_name(error)})") from error
    remove(target)
    files.create(target)
    try:
        if was_keyed == (key is not None):
            _copy_pages(conn, target, key)
        else:
            _copy_rows(conn, target, key)
        copied = check(target, key=key)
        if copied != original:
            differing = [table for table in original if copied.get(table) != original[table]]
            raise errors.BackupFailed(f"the copy {target} is not what was copied: {', '.join(differing)} differ")
    except (sqlite.Error, OSError) as error:
        remove(target)
        raise errors.BackupFailed(f"{target} could not be written ({_name(error)})") from error
    except errors.KeepgraphError:
        remove(target)
        raise
    permissions.sync(target)
    return original


def check(file: Path, *, key: Key | None) -> Contents:
    """Read a copy from the first page to the last.

    Raises:
        errors.BackupFailed: it is damaged.
        sqlite.Error: it cannot be opened with this key.
    """
    try:
        conn = reading(file, key=key)
    except sqlite.DatabaseError as error:
        if sqlite_errors.code(error) not in sqlite_errors.DAMAGED:
            raise
        raise errors.BackupFailed(f"{file} is damaged, or was cut short ({_name(error)})") from error
    try:
        if conn.execute("PRAGMA application_id").fetchone()[0] != migrations.APPLICATION_ID:
            raise errors.BackupFailed(f"{file} is not a graph, or is not whole")
        migrations.refuse_newer(conn, file)
        if found := complaints(conn, keyed=key is not None):
            raise errors.BackupFailed(f"{file} is damaged: {'; '.join(found[:_COMPLAINTS_SHOWN])}")
        return contents(conn)
    except sqlite.DatabaseError as error:
        raise errors.BackupFailed(f"{file} is damaged ({_name(error)})") from error
    finally:
        conn.close()


def reading(file: Path, *, key: Key | None) -> Connection:
    """A connection to a copy, which nobody else has open; nothing is laid beside it unless it has a log."""
    return database.connect(file, "ro", key=key, immutable=not wal.has_any(file))


def opens(file: Path, key: Key | None) -> bool:
    """Whether this key, or none, fits a file: whether its first page can be read with it."""
    try:
        database.connect(file, "ro", key=key, immutable=True).close()
    except sqlite.DatabaseError as error:
        if sqlite_errors.code(error) in sqlite_errors.NOT_A_DATABASE:
            return False
        if sqlite_errors.code(error) not in sqlite_errors.DAMAGED:
            raise
    return True


def remove(file: Path) -> None:
    """Take a copy away, with what SQLite may have laid beside it."""
    for each in files.with_companions(file):
        each.unlink(missing_ok=True)


@contextmanager
def alone_with(path: Path, *, key: Key | None) -> Iterator[Connection]:
    """A connection to a graph whose log is in the file; for who holds it exclusively (see files.exclusively).

    Raises:
        errors.GraphBusy: a program that is not ours has it open.
        errors.GraphDamaged: its log is damaged.
    """
    wal.refuse_damaged(path)
    try:
        conn = database.connect(path, "rw", key=key, alone=True)
    except sqlite.OperationalError as error:
        if sqlite_errors.code(error) in sqlite_errors.NO_LOG_POSSIBLE:
            raise errors.GraphReadOnly(f"{path} or what lies beside it cannot be written to") from error
        if sqlite_errors.code(error) not in sqlite_errors.BUSY:
            raise
        raise errors.GraphBusy(f"{path} is open in another program", hint="Close it there, then try again.") from error
    try:
        # What the log holds belongs to the file that goes.
        if conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            raise errors.GraphBusy(f"the log of {path} could not be emptied", hint="Try again in a moment.")
        yield conn
    finally:
        conn.close()


def put_in_place(part: Path, path: Path, *, wiped: bool = False) -> None:
    """Let a checked copy take the place of a graph that we are alone with. The old file is gone then.

    Args:
        wiped: write zeros over the old file.
    """
    old = os.open(path, os.O_RDWR) if wiped and path.exists() else None
    try:
        os.replace(part, path)
        remove(part)
        permissions.sync(path)
        if old is not None:
            files.wipe(old)
    finally:
        if old is not None:
            os.close(old)


def rewrite(
    path: Path,
    *,
    old: Key | None,
    new: Key | None,
    part: Path,
) -> Contents:
    """Encrypt a graph, decrypt it, or give it another key: a checked copy takes its place.

    It may be interrupted at any point: the graph is then as it was, or as it was to become. For who holds it
    exclusively.

    Args:
        part: the file beside it in which the copy is made.
    """
    with alone_with(path, key=old) as conn:
        found = copy(conn, part, key=new, was_keyed=old is not None)
        conn.close()
        put_in_place(part, path, wiped=old is None and new is not None)
    return found


def _copy_pages(conn: Connection, target: Path, key: Key | None) -> None:
    """As it is: page by page, each encrypted anew where there is a key."""
    copied = database.connect(target, "rw", key=key)
    try:
        conn.backup(copied)
        _let_have_a_log(copied)
    finally:
        copied.close()


def _copy_rows(conn: Connection, target: Path, key: Key | None) -> None:
    """From plain to encrypted or back: the layout of the pages differs, so every row is written anew."""
    conn.execute("PRAGMA query_only = OFF")
    numbers = {name: conn.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id")}
    conn.execute("ATTACH DATABASE ? AS copied KEY ?", (str(target), f"x'{key.digits}'" if key else ""))
    try:
        # It is compared, and synced, when it is done.
        conn.execute("PRAGMA copied.synchronous = OFF")
        conn.execute("SELECT sqlcipher_export('copied')").fetchall()
        for name, number in numbers.items():
            conn.execute(f"PRAGMA copied.{name} = {int(number)}")
    finally:
        conn.execute("DETACH DATABASE copied")
    copied = database.connect(target, "rw", key=key)
    try:
        _let_have_a_log(copied)
    finally:
        copied.close()


def _let_have_a_log(conn: Connection) -> None:
    """Let a graph have a write-ahead log already, so that no reader meets the change to it half done."""
    conn.execute("PRAGMA journal_mode = WAL").fetchall()


def _tables(conn: Connection) -> list[tuple[str, str]]:
    """The tables that hold something themselves, each with what its rows are ordered by."""
    found = []
    for name, without_rowid in conn.execute(
        """
        SELECT name, wr
        FROM pragma_table_list
        WHERE schema = 'main' AND type IN ('table', 'shadow') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
        ORDER BY name
        """
    ).fetchall():
        keys = conn.execute("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", (name,)).fetchall()
        found.append((name, ", ".join(_quoted(key) for (key,) in keys) if without_rowid else "rowid"))
    return found


def _digest(conn: Connection, table: str, order: str) -> tuple[int, str]:
    digest, count = hashlib.sha256(), 0
    rows = conn.execute(f"SELECT * FROM {_quoted(table)} ORDER BY {order}")
    while some := rows.fetchmany(_ROWS_AT_ONCE):
        count += len(some)
        # Row by row, so that it does not matter how many came at once.
        digest.update("\n".join(map(repr, some)).encode("utf-8", "surrogatepass"))
    return count, digest.hexdigest()


def _orphans(conn: Connection) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = conn.execute("PRAGMA foreign_key_check").fetchmany(20)
    return rows


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _name(error: Exception) -> str:
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return getattr(error, "sqlite_errorname", None) or type(error).__name__
