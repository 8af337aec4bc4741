"""Backups: when one is due, how it is made and compared, how many are kept, and under which key.

They are in a folder beside the graph, `graph.backups` for `graph.db`, encrypted as the graph is.
"""

from __future__ import annotations

import itertools
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, lazy, permissions, store
from keepgraph.english import count_noun
from keepgraph.model import Backup, Key
from keepgraph.profiles import keys, settings_file
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx

DAILY = "daily"
BY_HAND = "by-hand"
DAMAGED = "damaged"
BEFORE_RESTORE = "before-restore"

_NAME = lazy.compile(r"(\d{8}T\d{6}Z)(?:-(\d{1,6}))?-([a-z][a-z0-9_-]*)\.db")
_TIMESTAMP_FORMAT = "%Y%m%dT%H%M%SZ"


def refuse_to_start_empty(graph: Path) -> None:
    """Refuse to make an empty graph instead of a lost one that has backups.

    Raises:
        errors.GraphNotFound, GraphDamaged: there are.
    """
    size = graph.stat().st_size if graph.exists() else None
    if not size and (backups := list_all(graph)):
        problem = f"there is no graph at {graph}" if size is None else f"{graph} is empty"
        error_class = errors.GraphNotFound if size is None else errors.GraphDamaged
        raise error_class(
            f"{problem}, but {count_noun(len(backups), 'backup')} of one",
            hint=f"`kg restore` brings the newest back; to start afresh, move {folder(graph)} away.",
        )


def folder(graph: Path) -> Path:
    """The folder with the backups of a graph."""
    return permissions.beside(graph, ".backups")


def list_all(graph: Path, *, now: datetime | None = None) -> list[Backup]:
    """All backups in the folder of a graph, newest first.

    Backups whose name has a time after `now` were made while the clock was wrong: they come last.
    """
    dated: list[tuple[bool, datetime, int, Backup]] = []
    try:
        files = list(folder(graph).iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    for file in files:
        # Not a backup: a name whose digits are not a time, a file deleted in the meantime, a folder.
        with suppress(ValueError, OSError):
            match, status = _NAME.fullmatch(file.name), file.lstat()
            if match and stat.S_ISREG(status.st_mode):
                at = datetime.strptime(match[1], _TIMESTAMP_FORMAT).replace(tzinfo=UTC)
                is_past = now is None or at <= now
                dated.append((is_past, at, int(match[2] or 1), Backup(file, at=at, kind=match[3], size=status.st_size)))
    return [backup for *_, backup in sorted(dated, key=lambda entry: entry[:3], reverse=True)]


def files(graph: Path) -> list[Path]:
    """The files of all backups of a graph, by name."""
    return sorted(backup.file for backup in list_all(graph))


def unfinished(graph: Path) -> list[Path]:
    """Files of backups that were interrupted, or are being made by a process that has the graph open."""
    try:
        with os.scandir(folder(graph)) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.name[0] == "." and "-part" in entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []


def is_due(graph: Path, now: datetime) -> bool:
    """Whether the graph has changed since the last backup, and one of the two was on an earlier day.

    A graph that is new today needs none before tomorrow. Call it before the graph is changed again.
    """
    changed = max(_modified_at(graph), _modified_at(store.wal.file(graph)) if store.wal.has_content(graph) else 0.0)
    last_backup = max((_modified_at(backup.file) for backup in list_all(graph)), default=0.0)
    earlier = min(changed, last_backup or changed)
    return changed > last_backup and _day(earlier) < now.astimezone().date()


def make(database: Database, kind: str, *, target: Path | None = None) -> Backup:
    """Copy one snapshot of a graph, while others go on writing, and compare the copy with it.

    Args:
        kind: why it is made. The profile says how many of each kind stay; older ones are deleted.
        target: a file that must not exist yet; None is a new one in the folder of backups.

    Raises:
        errors.BackupFailed: the copy cannot be written, or differs.
    """
    with database.read("backup") as tx:
        return _make(tx, database, kind, target=target)


def make_before_migration(tx: Tx, database: Database, migration: str) -> None:
    """Make a backup before the tables change; the transaction has a snapshot from before the migration."""
    _make(tx, database, f"before-{migration}", target=None)


def reencrypt_all(graph: Path, *, old: Sequence[Key | None], new: Key | None) -> Iterator[tuple[Path, str | None]]:
    """Give every backup the key that the graph has now; None leaves it plain.

    Only for who holds the exclusive lock of the graph.

    Yields:
        Each file that was rewritten, with what went wrong or None.
    """
    for part in unfinished(graph):
        store.files.remove_overwritten(part)
    for file in files(graph):
        if store.copies.opens_with(file, new):
            continue
        try:
            used, status = find_key(file, old), file.stat()
            store.copies.rewrite(file, old=used, new=new, part=store.files.temporary_file(file))
            # The age of a backup is that of its content.
            os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
            yield file, None
        except (errors.KeepgraphError, sqlite.Error, OSError) as error:
            yield file, str(error)


def rotate(graph: Path, *, keep: int, now: datetime, made: Path) -> None:
    """Delete the oldest backups beyond `keep` of each kind, and what interrupted backups have left.

    Files that were set aside as damaged are never deleted: that is for a person to decide.

    Args:
        made: the backup that was just made; it stays.
    """
    counts: Counter[str] = Counter()
    for backup in list_all(graph, now=now):
        kind = backup.kind if backup.kind in (DAILY, BY_HAND, DAMAGED) else "before"
        counts[kind] += 1
        if counts[kind] > keep and kind != DAMAGED and backup.file != made:
            store.copies.remove(backup.file)
    for part in folder(graph).glob(".*-part*"):
        # A backup that is being made by another process must stay.
        if not _is_running(part.name) and _modified_at(part) < _modified_at(made):
            part.unlink(missing_ok=True)


def find_key(file: Path, candidates: Sequence[Key | None]) -> Key | None:
    """The first of some keys, or None for no key, that opens the file of a backup.

    Raises:
        errors.BackupNotFound: there is no such file.
        errors.KeyWrong: it is encrypted, and none of the keys opens it.
        errors.BackupFailed: it is neither plain nor encrypted.
    """
    if not file.is_file():
        raise errors.BackupNotFound(f"there is no backup {file}")
    for key in dict.fromkeys(candidates):
        if store.copies.opens_with(file, key):
            return key
    if store.files.kind(file) is store.files.Kind.ENCRYPTED:
        raise errors.KeyWrong(
            f"{file} is encrypted with another key",
            hint="Import its key into an empty profile, `kg key import FILE`, or name the file with it in KG_KEY_FILE.",
        )
    raise errors.BackupFailed(f"{file} is not a graph, or was damaged", hint="Restore another backup.")


def free_file(graph: Path, kind: str, now: datetime) -> Path:
    """The file for a new backup: the time and the kind, with a number where there is one of this second already."""
    timestamp = now.astimezone(UTC).strftime(_TIMESTAMP_FORMAT)
    names = (f"{timestamp}{f'-{n}' if n > 1 else ''}-{kind}.db" for n in itertools.count(1))
    return next(folder(graph) / name for name in names if not (folder(graph) / name).exists())


def _make(tx: Tx, database: Database, kind: str, *, target: Path | None) -> Backup:
    now = database.clock()
    file = target or free_file(database.path, kind, now)
    if target is not None and target.exists():
        raise errors.BackupFailed(f"{target} already exists", hint="Name a new file.")
    part = file.with_name(f".{file.name}.{os.getpid()}-part")
    try:
        if target is None:
            permissions.make_folder(file.parent)
        store.copies.copy_snapshot(tx, part, key=database.key)
        os.replace(part, file)
        permissions.sync(file)
    except OSError as error:
        raise errors.BackupFailed(f"{file} cannot be written: {store.sqlite_errors.reason(error)}") from error
    finally:
        with suppress(OSError):
            store.copies.remove(part)
    if target is None:
        rotate(database.path, keep=database.backups_kept, now=now, made=file)
    return Backup(file=file, at=now, kind=kind, size=file.stat().st_size)


def _is_running(part: str) -> bool:
    """Whether the process whose id is in the name of an unfinished file still runs."""
    number = re.search(r"\.(\d+)-part", part)
    return number is None or permissions.is_running(int(number[1]))


def _modified_at(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _day(seconds: float) -> date:
    return datetime.fromtimestamp(seconds).astimezone().date()


# Restoration of a backup: a checked copy of it replaces the graph, and what was there before is kept.


def restore(
    graph: Path, backup: Path, *, key: Key | None, others: Sequence[Key], now: datetime, keep: int
) -> Path | None:
    """Replace a graph with a copy of a backup.

    Args:
        key: what the graph is encrypted with, and will be; None for a plain one.
        others: keys that the backup may have been encrypted with.
        keep: how many backups of each kind stay.

    Returns:
        The file that keeps the previous graph; None without one.

    Raises:
        errors.BackupFailed: the backup is damaged, or the present graph can be neither kept nor replaced.
        errors.GraphSchemaDiffers: the backup has other tables, indexes, triggers or views than a graph of its version.
        errors.MigrationEdited, GraphTooNew: this version of Keepgraph would not open it.
        errors.KeyWrong: no key opens the backup.
        errors.GraphBusy: somebody has the graph open.
    """
    backup_key = find_key(backup, [key, None, *others])
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
                hint=f"The current graph is also kept in {kept_file}." if kept_file else None,
            ) from error
    return kept_file


def set_aside(graph: Path, *, now: datetime) -> Path:
    """Copy the files of a graph, and of its write-ahead log, as they are, byte by byte.

    Only for who holds the exclusive lock, and has not opened the graph.

    Raises:
        errors.BackupFailed: there is no room for them.
    """
    permissions.make_folder(folder(graph))
    aside = free_file(graph, DAMAGED, now)
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
    permissions.make_folder(folder(graph))
    with _ignoring_damage(graph):
        if file := _back_up_current(graph, key, now=now, keep=keep):
            return file
    return set_aside(graph, now=now)


def _back_up_current(graph: Path, key: Key | None, *, now: datetime, keep: int) -> Path | None:
    """Make a backup of the present graph, if it is not damaged."""
    if store.wal.count_lost_transactions(graph):
        return None
    file = free_file(graph, BEFORE_RESTORE, now)
    # Read only: a damaged file and its log must stay as they are.
    conn = store.connections.connect(graph, "ro", key=key)
    try:
        store.migrations.refuse_differences(conn, graph)
        if store.copies.find_problems(conn, encrypted=key is not None):
            return None
        part = store.files.temporary_file(file)
        store.copies.copy(conn, part, key=key, was_encrypted=key is not None)
        os.replace(part, file)
        permissions.sync(file)
        rotate(graph, keep=keep, now=now, made=file)
        conn.close()
        with store.copies.open_exclusively(graph, key=key):
            pass  # This moves the log into the file, should the restoration fail and the file stay.
        return file
    finally:
        conn.close()


@contextmanager
def _ignoring_damage(graph: Path) -> Iterator[None]:
    """Go on if a graph cannot be read, but not if another program is using it."""
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
        raise errors.BackupFailed(f"the current graph cannot be kept in {target}: {reason}") from error


# Deletion of a whole graph: its file and settings, and on demand its backups and its key.


def delete(graph: Path, *, forever: bool) -> str | None:
    """Delete a graph and its settings; with `forever` its backups and its key as well.

    Returns:
        What could not be deleted, in words.

    Raises:
        errors.GraphBusy: somebody has it open.
    """
    import shutil

    problem = None
    with store.file_locks.exclusive(graph, timeout=store.copies.LOCK_TIMEOUT_SECONDS):
        location = None
        with suppress(errors.SettingsInvalid):
            location = settings_file.read(graph).key
        for file in (store.files.temporary_file(graph), store.files.prompt_history(graph), graph):
            store.files.remove_overwritten(file)
        store.run_locks.remove_files(graph)
        if forever:
            shutil.rmtree(folder(graph), ignore_errors=True)
            try:
                if location is not None:
                    keys.delete(graph, location)
            except errors.KeyMissing as error:
                problem = error.message
        settings_file.path(graph).unlink(missing_ok=True)
    return problem
