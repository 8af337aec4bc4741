"""Backups: when one is due, what it is called, how many are kept, and how one is brought back.

They lie in a folder beside the graph, `graph.backups` for `graph.db`, encrypted as the graph is.
"""

from __future__ import annotations

import glob
import itertools
import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors, permissions, store
from keepgraph.model import Backup, Key
from keepgraph.store.database import Connection, Database, Tx

DAILY = "daily"
BY_HAND = "by-hand"
DAMAGED = "damaged"
BEFORE_RESTORE = "before-restore"

_NAME = re.compile(r"(\d{8}T\d{6}Z)(?:-(\d{1,6}))?-([a-z][a-z0-9_-]*)\.db")
_STAMP = "%Y%m%dT%H%M%SZ"


class Wanted(Exception):
    """What is to be done should not be done without a backup: make one of this kind, and call again."""


def see_to(tx: Tx, kind: str) -> None:
    """See, inside a call, that a backup of the graph was made before it.

    Raises:
        Wanted: none was.
    """
    if not tx.backed_up:
        raise Wanted(kind)


def refuse_to_begin_anew(graph: Path) -> None:
    """See that no empty graph takes the place of one that was lost while there are backups of it.

    Raises:
        errors.GraphNotFound, GraphDamaged: there are.
    """
    size = graph.stat().st_size if graph.exists() else None
    if not size and (kept := every(graph)):
        problem = f"there is no graph at {graph}" if size is None else f"{graph} is empty"
        kind = errors.GraphNotFound if size is None else errors.GraphDamaged
        raise kind(
            f"{problem}, and there are {len(kept)} backups of one",
            hint=f"`kg restore` brings the newest back; to begin anew, move {folder(graph)} away.",
        )


def folder(graph: Path) -> Path:
    """Where the backups of a graph are."""
    return permissions.beside(graph, ".backups")


def every(graph: Path, *, now: datetime | None = None) -> list[Backup]:
    """All backups in the folder of a graph, newest first.

    Those that say they are of a time after `now` were made while a clock was wrong: they come last.
    """
    found: list[tuple[bool, datetime, int, Backup]] = []
    try:
        files_there = list(folder(graph).iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []
    for file in files_there:
        # Digits that are no time, what has gone meanwhile, what is no file: none of them is a backup.
        with suppress(ValueError, OSError):
            match, about = _NAME.fullmatch(file.name), file.lstat()
            if match and stat.S_ISREG(about.st_mode):
                at = datetime.strptime(match[1], _STAMP).replace(tzinfo=UTC)
                past = now is None or at <= now
                found.append((past, at, int(match[2] or 1), Backup(file, at=at, kind=match[3], size=about.st_size)))
    return [each[-1] for each in sorted(found, key=lambda each: each[:3], reverse=True)]


def due(graph: Path, now: datetime) -> bool:
    """Whether the graph has changed since the last backup, and one of the two was on an earlier day.

    A graph that is new today needs none before tomorrow. To be asked before the graph is changed again.
    """
    changed = max(_modified(graph), _modified(store.wal.file(graph)) if store.wal.has_any(graph) else 0.0)
    last = max((_modified(backup.file) for backup in every(graph)), default=0.0)
    earlier = min(changed, last or changed)
    return changed > last and _day(earlier) < now.astimezone().date()


def make(database: Database, kind: str, *, target: Path | None = None) -> Backup:
    """Copy a graph as it is at one moment, while others go on writing, and compare the copy with it.

    Args:
        kind: why it is made. Of each kind so many stay as the profile says; older ones are taken away.
        target: a file of its own, which must not be there yet; None is the folder beside the graph.

    Raises:
        errors.BackupFailed: the copy cannot be written, or is not the same.
    """
    with database.read("backup") as tx:
        return _made(tx.conn, database, kind, target=target)


def before_migration(database: Database, conn: Connection, migration: str) -> None:
    """Copy a graph before its tables change; `conn` sees it as it was."""
    _made(conn, database, f"before-{migration}", target=None)


def restore(
    graph: Path, backup: Path, *, key: Key | None, others: Sequence[Key], now: datetime, keep: int
) -> Path | None:
    """Let a copy of a backup take the place of a graph. What was there is kept: the file where it is, or None.

    Args:
        key: what the graph is encrypted with, and will be; None for a plain one.
        others: keys that the backup may have been encrypted with.

    Raises:
        errors.BackupFailed: the backup is damaged, or there is no room to keep what is there now.
        errors.KeyWrong: no key opens the backup.
        errors.GraphBusy: somebody has the graph open.
    """
    used = _key_of(backup, [key, None, *others])
    permissions.make_folder(graph.parent)
    part = store.files.part(graph)
    with store.files.exclusively(graph, patience=store.copies.PATIENCE_SECONDS):
        _copy_of(backup, used, part, key)
        kept = _kept_aside(graph, key, now=now, keep=keep)
        for beside in (store.wal.file(graph), Path(f"{graph}-shm"), Path(f"{graph}-journal")):
            beside.unlink(missing_ok=True)
        store.copies.put_in_place(part, graph)
    return kept


def convert(graph: Path, *, old: Sequence[Key | None], new: Key | None) -> Iterator[tuple[Path, str | None]]:
    """Give every backup the key that the graph has now: each file, with what went wrong with it or None.

    For who holds the graph exclusively.
    """
    for part in folder(graph).glob(".*-part*"):
        store.files.remove_wiped(part)  # of a backup that was interrupted
    older = graph.parent.glob(f"{glob.escape(graph.name)}.before-*")  # as versions before this one called them
    for file in sorted([*(backup.file for backup in every(graph)), *older]):
        if file.name.endswith(("-wal", "-shm", "-journal", "-lock")) or store.copies.opens(file, new):
            continue
        try:
            used, times = _key_of(file, old), file.stat()
            store.copies.rewrite(file, old=used, new=new, part=store.files.part(file))
            # It is no younger for it: what was recorded since is not in it.
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
            yield file, None
        except (errors.KeepgraphError, sqlite.Error, OSError) as error:
            yield file, str(error)


def set_aside(graph: Path, *, now: datetime) -> Path:
    """Keep the very files of a graph, and of its log, as they are; only for who has it alone, and has it not open.

    Raises:
        errors.BackupFailed: there is no room for them.
    """
    permissions.make_folder(folder(graph))
    aside = _free_name(graph, DAMAGED, now)
    for ending in ("-wal", ""):
        if (source := Path(f"{graph}{ending}")).exists():
            _copy_file(source, Path(f"{aside}{ending}"))
    return aside


def locked(graph: Path) -> bool:
    """Whether there is a backup that nobody reads without a key."""
    return any(store.files.kind(backup.file) is store.files.Kind.ENCRYPTED for backup in every(graph))


def rotate(graph: Path, *, keep: int, now: datetime, made: Path) -> None:
    """Take away the oldest of each kind, so that so many stay. What was set aside as damaged is left to a person."""
    seen: dict[str, int] = {}
    for backup in every(graph, now=now):
        kind = backup.kind if backup.kind in (DAILY, BY_HAND, DAMAGED) else "before"
        seen[kind] = seen.get(kind, 0) + 1
        if seen[kind] > keep and kind != DAMAGED and backup.file != made:
            store.copies.remove(backup.file)
    for part in folder(graph).glob(".*-part*"):
        # Of a backup that was interrupted; the process that makes one now is alive.
        if not _alive(part.name) and _modified(part) < _modified(made):
            part.unlink(missing_ok=True)


def _alive(part: str) -> bool:
    """Whether the process whose number is in the name of a part still runs."""
    number = re.search(r"\.(\d+)-part", part)
    if number is None or os.name != "posix":
        return number is None
    try:
        os.kill(int(number[1]), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _made(conn: Connection, database: Database, kind: str, *, target: Path | None) -> Backup:
    now = database.clock()
    file = target or _free_name(database.path, kind, now)
    if target is not None and target.exists():
        raise errors.BackupFailed(f"{target} is there already", hint="Name a file that is not there yet.")
    part = file.with_name(f".{file.name}.{os.getpid()}-part")
    try:
        if target is None:
            permissions.make_folder(file.parent)
        store.copies.copy(conn, part, key=database.key, was_keyed=database.key is not None)
        os.replace(part, file)
        permissions.sync(file)
    except OSError as error:
        raise errors.BackupFailed(f"{file} cannot be written: {error.strerror}") from error
    finally:
        with suppress(OSError):
            store.copies.remove(part)
    if target is None:
        rotate(database.path, keep=database.backups_kept, now=now, made=file)
    return Backup(file=file, at=now, kind=kind, size=file.stat().st_size)


def _free_name(graph: Path, kind: str, now: datetime) -> Path:
    stamp = now.astimezone(UTC).strftime(_STAMP)
    names = (f"{stamp}{f'-{n}' if n > 1 else ''}-{kind}.db" for n in itertools.count(1))
    return next(folder(graph) / name for name in names if not (folder(graph) / name).exists())


def _key_of(file: Path, candidates: Sequence[Key | None]) -> Key | None:
    """Which of these opens a file."""
    if not file.is_file():
        raise errors.BackupNotFound(f"there is no backup {file}")
    for key in dict.fromkeys(candidates):
        if store.copies.opens(file, key):
            return key
    if store.files.kind(file) is store.files.Kind.ENCRYPTED:
        raise errors.KeyWrong(
            f"{file} is encrypted with another key", hint="Name the file with its key in KG_KEY_FILE."
        )
    raise errors.BackupFailed(f"{file} is not a graph, or was damaged", hint="Restore another backup.")


def _copy_of(backup: Path, used: Key | None, part: Path, key: Key | None) -> None:
    store.copies.check(backup, key=used)
    conn = store.copies.reading(backup, key=used)
    try:
        store.copies.copy(conn, part, key=key, was_keyed=used is not None)
    finally:
        conn.close()


def _kept_aside(graph: Path, key: Key | None, *, now: datetime, keep: int) -> Path | None:
    """Keep what is there before it goes: as a backup where it can be read, else the very files."""
    if not graph.exists() or graph.stat().st_size == 0:
        return None
    permissions.make_folder(folder(graph))
    sound = _free_name(graph, BEFORE_RESTORE, now)
    with _unless_busy(graph):
        if store.wal.lost(graph) == 0:
            # For reading: what is damaged stays as it is, log and all.
            conn = store.database.connect(graph, "ro", key=key)
            try:
                if not store.copies.complaints(conn, keyed=key is not None):
                    part = store.files.part(sound)
                    store.copies.copy(conn, part, key=key, was_keyed=key is not None)
                    os.replace(part, sound)
                    permissions.sync(sound)
                    rotate(graph, keep=keep, now=now, made=sound)
                    conn.close()
                    with store.copies.alone_with(graph, key=key):
                        pass  # its log is in the file then, should it stay after all
                    return sound
            finally:
                conn.close()
    return set_aside(graph, now=now)


@contextmanager
def _unless_busy(graph: Path) -> Iterator[None]:
    """Go on where a graph cannot be read; but not where somebody else is using it."""
    try:
        yield
    except errors.GraphBusy:
        raise
    except sqlite.Error as error:
        if store.sqlite_errors.code(error) in store.sqlite_errors.BUSY:
            raise errors.GraphBusy(f"{graph} is open in another program", hint="Close it there first.") from error
    except errors.KeepgraphError:
        pass


def _copy_file(source: Path, target: Path) -> None:
    import shutil

    part = store.files.part(target)
    try:
        part.unlink(missing_ok=True)
        store.files.create(part)
        shutil.copyfile(source, part)
        os.replace(part, target)
        permissions.sync(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise errors.BackupFailed(f"what is there now cannot be kept in {target}: {error.strerror}") from error


def _modified(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _day(stamp: float) -> date:
    return datetime.fromtimestamp(stamp).astimezone().date()
