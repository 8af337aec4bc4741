"""Inspection of a graph from outside: its settings, files, modes, lock, keys and backups. Changes nothing.

Most of it works without opening the graph, which may be what is broken.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from keepgraph import errors, permissions, store
from keepgraph.engine.maintenance import backups
from keepgraph.model import Backup, Key, Profile
from keepgraph.profiles import key_locations, keys, profile, settings_file
from keepgraph.store.database import Database

_GROUP_AND_OTHERS = 0o077
_LOCK_TIMEOUT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class InspectedGraph:
    """A graph, and what can be seen without opening it.

    Attributes:
        profile: its settings; the defaults if they cannot be read.
        settings_error: why the settings cannot be read.
        ask_passphrase: asks the user once; None without a terminal.
        is_idle: whether no other program has the graph open.
        lost_transactions: how many transactions in its write-ahead log cannot be read.
    """

    path: Path
    profile: Profile
    settings_error: errors.KeepgraphError | None
    ask_passphrase: keys.AskPassphrase | None
    is_idle: bool
    lost_transactions: int

    @property
    def exists(self) -> bool:
        return self.path.is_file() and self.path.stat().st_size > 0


def inspect(graph: Path, ask: Callable[[str], str] | None) -> InspectedGraph:
    """Inspect a graph, which this process must not have open."""
    settings, settings_error = Profile(), None
    try:
        settings = settings_file.read(graph)
    except errors.SettingsInvalid as error:
        settings_error = error
    is_idle, lost_transactions = False, 0
    if graph.is_file():
        lock = store.file_locks.SharedLock(graph)
        try:
            lock.acquire(timeout=_LOCK_TIMEOUT_SECONDS)
            with lock.try_exclusive() as is_idle:
                lost_transactions = store.wal.count_lost_transactions(graph) if is_idle else 0
        except errors.GraphBusy:
            is_idle = False
        finally:
            lock.release()
    return InspectedGraph(graph, settings, settings_error, ask, is_idle, lost_transactions)


def open_read_only(target: InspectedGraph) -> Database:
    """Open the graph for reading, with the settings that can be read.

    Raises:
        errors.KeepgraphError: why it cannot be opened.
    """
    try:
        return Database(
            target.path,
            create=False,
            read_only=True,
            new_id=store.ids.ulids(),
            group=target.profile.group,
            settings=target.profile.settings,
            key_source=key_locations.key_source(target.path, target.profile.key, ask=target.ask_passphrase),
            any_schema=True,
        )
    except UnicodeDecodeError as error:
        # SQLite quotes a name of the schema that is not UTF-8.
        raise errors.GraphDamaged(f"{target.path} is damaged: its schema cannot be read") from error


def readable_by_others(target: InspectedGraph) -> list[Path]:
    """Files and folders of the graph that users other than the owner can reach."""
    graph, location = target.path, target.profile.key
    key_file = Path(location.file) if location and location.file else key_locations.default_file(graph)
    key_variable = os.environ.get("KG_KEY_FILE")
    paths = [
        *([graph] if graph.is_file() else []),
        *(Path(f"{graph}{suffix}") for suffix in ("-wal", "-shm", "-journal", "-lock")),
        settings_file.path(graph),
        key_file,
        *([permissions.expanded(key_variable)] if key_variable else []),
        key_locations.wrapped_file(graph),
        *sorted(graph.parent.glob(f"{graph.name}.before-*")),
        *partial_files(target),
    ]
    folder = backups.folder(graph)
    paths += [folder, *sorted(folder.iterdir())] if folder.is_dir() else []
    if profile.name_of(graph) is not None:
        paths.append(graph.parent)
    if key_file.parent == key_locations.default_file(graph).parent:
        paths.append(key_file.parent)
    return [path for path in dict.fromkeys(paths) if path.exists() and file_mode(path) & _GROUP_AND_OTHERS]


def client_finds_key(target: InspectedGraph, used: Key | None) -> bool:
    """Whether a server started by a client, without our environment or a terminal, finds this key."""
    if used is None:
        return True
    try:
        keys = key_locations.key_source(target.path, target.profile.key, ask=None, environment={}).candidates()
        return any(key.digits == used.digits for key in keys)
    except errors.KeepgraphError:
        return False


def partial_files(target: InspectedGraph) -> list[Path]:
    """Unfinished files of a graph or of a backup, left by interrupted work."""
    graph = target.path
    searches = [(graph.parent, f".{graph.name}-part"), (backups.folder(graph), ".*-part")]
    files = [path for folder, pattern in searches for path in folder.glob(pattern)]
    # SQLite leaves an empty log beside a file that was finished and renamed.
    logs = [path for folder, pattern in searches for path in folder.glob(f"{pattern}-wal") if path.stat().st_size]
    return sorted([*files, *logs])


def find_keys(target: InspectedGraph) -> list[Key]:
    """The keys that can be found for the graph."""
    keys: list[Key] = []
    try:
        for key in key_locations.key_source(target.path, target.profile.key, ask=target.ask_passphrase).candidates():
            keys.append(key)
    except errors.KeepgraphError:
        pass  # check_key reports why
    return keys


def usable_backups(graph: Path) -> list[Backup]:
    """The backups from which a graph can be restored, newest first."""
    return [backup for backup in backups.list_all(graph) if backup.kind != backups.DAMAGED]


def file_mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)
