"""Restoration of a backup: a checked copy of it replaces the graph, and what was there before is kept."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, permissions, store
from keepgraph.engine.upkeep import backups
from keepgraph.model import Key


def restore(
    graph: Path, backup: Path, *, key: Key | None, others: Sequence[Key], now: datetime, keep: int
) -> Path | None:
    """Replace a graph with a copy of a backup.

    Args:
        key: what the graph is encrypted with, and will be; None for a plain one.
        others: keys that the backup may have been encrypted with.
        keep: how many backups of each kind stay.

    Returns:
        The file in which the graph that was there before is kept; None where there was none.

    Raises:
        errors.BackupFailed: the backup is damaged, or what is there now can be neither kept nor replaced.
        errors.GraphSchemaDiffers: the backup has other tables, indexes, triggers or views than a graph of its version.
        errors.MigrationEdited, GraphTooNew: this version of Keepgraph would not open it.
        errors.KeyWrong: no key opens the backup.
        errors.GraphBusy: somebody has the graph open.
    """
    backup_key = backups.find_key(backup, [key, None, *others])
    permissions.make_folder(graph.parent)
    part = store.files.temporary_file(graph)
    with store.file_locks.exclusive(graph, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
        _copy_backup(backup, backup_key, part, key)
        kept_file = _keep_current(graph, key, now=now, keep=keep)
        try:
            for companion in (store.wal.file(graph), Path(f"{graph}-shm"), Path(f"{graph}-journal")):
                companion.unlink(missing_ok=True)
            store.copies.replace_file(part, graph)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise errors.BackupFailed(
                f"{graph} cannot be replaced: {store.sqlite_errors.reason(error)}",
                hint=f"What is there now is kept in {kept_file} too." if kept_file else None,
            ) from error
    return kept_file


def set_aside(graph: Path, *, now: datetime) -> Path:
    """Copy the files of a graph, and of its write-ahead log, as they are, byte by byte.

    Only for who holds the exclusive lock, and has not opened the graph.

    Raises:
        errors.BackupFailed: there is no room for them.
    """
    permissions.make_folder(backups.folder(graph))
    aside = backups.free_file(graph, backups.DAMAGED, now)
    for suffix in ("-wal", ""):
        if (source := Path(f"{graph}{suffix}")).exists():
            _copy_file(source, Path(f"{aside}{suffix}"))
    return aside


def _copy_backup(backup: Path, backup_key: Key | None, part: Path, key: Key | None) -> None:
    store.copies.verify(backup, key=backup_key, as_migrated=True)
    conn = store.copies.open_copy(backup, key=backup_key)
    try:
        store.copies.copy(conn, part, key=key, was_encrypted=backup_key is not None)
    finally:
        conn.close()


def _keep_current(graph: Path, key: Key | None, *, now: datetime, keep: int) -> Path | None:
    """Keep the present graph before it is replaced: as a backup where it can be read, else its files as they are."""
    if not graph.exists() or graph.stat().st_size == 0:
        return None
    permissions.make_folder(backups.folder(graph))
    with _ignoring_damage(graph):
        if file := _back_up_current(graph, key, now=now, keep=keep):
            return file
    return set_aside(graph, now=now)


def _back_up_current(graph: Path, key: Key | None, *, now: datetime, keep: int) -> Path | None:
    """Make a backup of the present graph, if it is not damaged."""
    if store.wal.count_lost_transactions(graph):
        return None
    file = backups.free_file(graph, backups.BEFORE_RESTORE, now)
    # Read only: a damaged file and its log must stay as they are.
    conn = store.connections.connect(graph, "ro", key=key)
    try:
        store.schema_parts.refuse_differences(conn, graph)
        if store.copies.find_problems(conn, encrypted=key is not None):
            return None
        part = store.files.temporary_file(file)
        store.copies.copy(conn, part, key=key, was_encrypted=key is not None)
        os.replace(part, file)
        permissions.sync(file)
        backups.rotate(graph, keep=keep, now=now, made=file)
        conn.close()
        with store.copies.open_exclusively(graph, key=key):
            pass  # This moves the log into the file, should the restoration fail and the file stay.
        return file
    finally:
        conn.close()


@contextmanager
def _ignoring_damage(graph: Path) -> Iterator[None]:
    """Go on where a graph cannot be read; but not where another program is using it."""
    try:
        yield
    except errors.GraphBusy:
        raise
    except sqlite.Error as error:
        if store.sqlite_errors.result_code(error) in store.sqlite_errors.BUSY:
            raise errors.GraphBusy(f"{graph} is open in another program", hint="Close it there first.") from error
    except errors.KeepgraphError:
        pass


def _copy_file(source: Path, target: Path) -> None:
    import shutil

    part = store.files.temporary_file(target)
    try:
        part.unlink(missing_ok=True)
        store.files.create(part)
        shutil.copyfile(source, part)
        os.replace(part, target)
        permissions.sync(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        reason = store.sqlite_errors.reason(error)
        raise errors.BackupFailed(f"what is there now cannot be kept in {target}: {reason}") from error
