"""Checks of a graph from outside: settings, permissions, key, write-ahead log, unfinished work, backups and timers.

The checks of its tables are in `engine.maintenance.integrity`.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from keepgraph import errors, permissions, store
from keepgraph.cli import clients, garden_timers, graph_options, installation
from keepgraph.cli.garden_timers import Timer
from keepgraph.engine.maintenance import backups, jobs
from keepgraph.engine.maintenance.integrity import FIX, RESTORE, Check, State
from keepgraph.english import count_noun, listed
from keepgraph.model import Backup, Key, KeyLocation, Profile
from keepgraph.profiles import keys, profile, settings_file
from keepgraph.store.database import Database

# Inspection of a graph from outside: its settings, files, modes, lock, keys and backups. Changes nothing.
#
# Most of it works without opening the graph, which may be what is broken.

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
            key_source=keys.key_source(target.path, target.profile.key, ask=target.ask_passphrase),
            any_schema=True,
        )
    except UnicodeDecodeError as error:
        # SQLite quotes a name of the schema that is not UTF-8.
        raise errors.GraphDamaged(f"{target.path} is damaged: its schema cannot be read") from error


def readable_by_others(target: InspectedGraph) -> list[Path]:
    """Files and folders of the graph that users other than the owner can reach."""
    graph, location = target.path, target.profile.key
    key_file = Path(location.file) if location and location.file else keys.default_file(graph)
    key_variable = os.environ.get("KG_KEY_FILE")
    paths = [
        *([graph] if graph.is_file() else []),
        *(Path(f"{graph}{suffix}") for suffix in ("-wal", "-shm", "-journal", "-lock")),
        settings_file.path(graph),
        key_file,
        *([permissions.expanded(key_variable)] if key_variable else []),
        keys.wrapped_file(graph),
        *sorted(graph.parent.glob(f"{graph.name}.before-*")),
        *partial_files(target),
    ]
    folder = backups.folder(graph)
    paths += [folder, *sorted(folder.iterdir())] if folder.is_dir() else []
    if profile.name_of(graph) is not None:
        paths.append(graph.parent)
    if key_file.parent == keys.default_file(graph).parent:
        paths.append(key_file.parent)
    return [path for path in dict.fromkeys(paths) if path.exists() and _file_mode(path) & _GROUP_AND_OTHERS]


def client_finds_key(target: InspectedGraph, used: Key | None) -> bool:
    """Whether a server started by a client, without our environment or a terminal, finds this key."""
    if used is None:
        return True
    try:
        found = keys.key_source(target.path, target.profile.key, ask=None, environment={}).candidates()
        return any(key.digits == used.digits for key in found)
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
    found: list[Key] = []
    try:
        for key in keys.key_source(target.path, target.profile.key, ask=target.ask_passphrase).candidates():
            found.append(key)
    except errors.KeepgraphError:
        pass  # check_key reports why
    return found


def usable_backups(graph: Path) -> list[Backup]:
    """The backups from which a graph can be restored, newest first."""
    return [backup for backup in backups.list_all(graph) if backup.kind != backups.DAMAGED]


def _file_mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


_MAX_SHOWN = 3
_ONE_DAY = timedelta(days=1)
_LEAST_SPACE = 1_000_000
_KNOWN_SETTINGS = {
    "": (*settings_file.PROFILE, *settings_file.TABLES),
    **{table: tuple(checks) for table, checks in settings_file.TABLES.items()},
}


def check_settings(target: InspectedGraph) -> Iterator[Check]:
    file = settings_file.path(target.path)
    if target.settings_error is not None:
        yield Check("settings", State.WRONG, target.settings_error.message, target.settings_error.hint)
    elif not file.is_file():
        yield Check("settings", State.OK, f"there is no {file.name}, so the defaults apply")
    elif unknown := _unknown_settings(file):
        message = f"{file} has settings that this version does not know: {', '.join(unknown)}"
        yield Check("settings", State.NOTE, message, "Remove them if they are mistakes.")
    else:
        yield Check("settings", State.OK, f"{file} is readable")


def check_file(target: InspectedGraph) -> Iterator[Check]:
    graph = target.path
    problem = None
    if not graph.exists():
        problem = f"there is no graph at {graph}"
    elif not graph.is_file():
        yield Check("file", State.WRONG, f"{graph} is not a file", "Name the graph's own file with --db or KG_DB.")
        return
    elif not graph.stat().st_size:
        problem = f"{graph} is empty"
    if problem is None:
        yield Check("file", State.OK, f"{graph}, {graph.stat().st_size / 1e6:.1f} MB, {store.files.kind(graph).value}")
        if shared := profile.find_shared_folder(graph):
            message = f"its folder {shared}: it may be damaged there, or exist twice"
            yield Check("file", State.NOTE, message, profile.SHARED_FOLDER_ADVICE)
        return
    yield Check("file", State.WRONG, problem, RESTORE if usable_backups(graph) else errors.GraphNotFound.default_hint)


def check_space(target: InspectedGraph) -> Iterator[Check]:
    """Whether the disk has room for a call, and for a copy of the graph."""
    import shutil

    if not target.path.is_file():
        return
    size, free = target.path.stat().st_size, shutil.disk_usage(target.path.parent).free
    room = f"{free / 1e6:,.1f} MB are free on its disk"
    if free < _LEAST_SPACE:
        yield Check("space", State.WRONG, f"the disk is full: {room}", "Make room: until then nothing can be recorded.")
    elif free < size:
        message = f"{room}, too little for a backup of {size / 1e6:,.1f} MB"
        yield Check("space", State.NOTE, message, "Make room: encrypt, purge and restore also write a full copy.")
    else:
        yield Check("space", State.OK, room)


def check_permissions(target: InspectedGraph) -> Iterator[Check]:
    if os.name != "posix":
        return
    if paths := readable_by_others(target):
        names = [f"{path} (mode {_file_mode(path):04o})" for path in paths]
        yield Check("permissions", State.WRONG, f"other users can reach {listed(names, _MAX_SHOWN)}", FIX)
    else:
        yield Check("permissions", State.OK, "only the owner can reach the files of the graph")


def check_key(target: InspectedGraph, database: Database) -> Iterator[Check]:
    """Which key opened the graph, and whether a client would find it."""
    location, key = target.profile.key, database.key
    if key is None:
        yield Check("key", State.OK, "none: the graph is not encrypted")
        return
    message = f"the graph is encrypted, and {key.origin} opens it (fingerprint {key.fingerprint})"
    if location is not None and location.fingerprint not in (None, key.fingerprint):
        message += f"; the settings name another key (fingerprint {location.fingerprint})"
        yield Check("key", State.WRONG, message, FIX)
    elif not client_finds_key(target, key):
        message += "; a server started by a client will not find it: clients pass on no KG_KEY, and cannot ask"
        yield Check("key", State.NOTE, message, _key_command_for_clients(location))
    else:
        yield Check("key", State.OK, message)


def _key_command_for_clients(location: KeyLocation | None) -> str:
    key_source = os.environ.get("KG_KEY_FILE") or ("-" if os.environ.get("KG_KEY") else None)
    if key_source is None:
        return "kg rekey --key file"
    is_found_by_clients = location is not None and location.source in ("file", "keyring")
    return f"kg key import {shlex.quote(key_source)}{'' if is_found_by_clients else ' --key file'}"


def check_log(target: InspectedGraph) -> Iterator[Check]:
    if target.lost_transactions:
        changes = count_noun(target.lost_transactions, "change")
        message = f"the log is damaged: {changes} in it cannot be read; --fix copies the files aside and drops them"
        yield Check("log", State.WRONG, message, FIX)
    elif not target.is_idle:
        yield Check("log", State.OK, "not checked: another program has the graph open")
    else:
        state = "undamaged" if store.wal.has_content(target.path) else "empty"
        yield Check("log", State.OK, f"the write-ahead log is {state}")


def explain_open_failure(target: InspectedGraph, error: errors.KeepgraphError) -> Iterator[Check]:
    """Why a graph cannot be opened, and what to do; other checks report some of the reasons."""
    match error:
        case errors.KeyMissing() | errors.KeyWrong() | errors.KeyInvalid() | errors.GraphNotEncrypted():
            name = "key"
        case errors.GraphTooNew() | errors.MigrationEdited() | errors.GraphSchemaDiffers():
            name = "version"
        case errors.GraphReadOnly():
            yield Check("version", State.NOTE, "the tables are of an older version; any command updates them", FIX)
            return
        case errors.GraphDamaged():
            if not target.lost_transactions:
                yield Check("integrity", State.WRONG, error.message, RESTORE)
            return
        case errors.GraphUnavailable() if usable_backups(target.path):
            yield Check("file", State.WRONG, error.message, RESTORE)
            return
        case _:
            name = "file"
    yield Check(name, State.WRONG, error.message, error.hint)


def check_unfinished_work(target: InspectedGraph, database: Database | None) -> Iterator[Check]:
    """Interrupted work: unfinished files, a change of the key, an encryption."""
    if partials := partial_files(target):
        names = listed(list(map(str, partials)), _MAX_SHOWN)
        if target.is_idle:
            yield Check("pending", State.WRONG, f"interrupted work left {names}", FIX)
        else:
            yield Check("pending", State.NOTE, f"{names} may be left over, or another program is writing it")
    location = target.profile.key
    if location is not None and location.source == "file":
        try:
            has_two_keys = len(keys.read(Path(location.file or keys.default_file(target.path)))) > 1
        except errors.KeepgraphError:
            has_two_keys = False
        if has_two_keys:
            message = "there are two keys: a change of the key was interrupted, or a backup still needs the old one"
            yield Check("pending", State.NOTE, message, "kg rekey")
    change = jobs.find_change(location, is_encrypted=_is_encrypted(target))
    if change is not None:
        yield Check("pending", State.WRONG, change.message, change.command)


def check_backups(target: InspectedGraph, database: Database | None, *, created_at: datetime | None) -> Iterator[Check]:
    """Whether backups exist and are encrypted as the graph is, and whether the newest can be restored."""
    graph = target.path
    usable = usable_backups(graph)
    yield from _check_unencrypted_backups(target, database)
    if usable:
        yield from _check_newest_backup(target, database, usable)
    elif created_at is None or datetime.now(UTC) - created_at > _ONE_DAY:
        yield Check("backups", State.NOTE, "there is none", "kg backup" if database is not None else None)
    else:
        yield Check("backups", State.OK, "there is none: the graph is new")


def _check_unencrypted_backups(target: InspectedGraph, database: Database | None) -> Iterator[Check]:
    encrypted = database.key is not None if database is not None else _is_encrypted(target)
    unencrypted = jobs.plain_backups(target.path) if encrypted else []
    damaged = {backup.file for backup in backups.list_all(target.path) if backup.kind == backups.DAMAGED}
    for paths, advice in (
        ([path for path in unencrypted if path not in damaged], FIX if database is not None else "Delete them."),
        ([path for path in unencrypted if path in damaged], "Delete it when you no longer need it."),
    ):
        if paths:
            names = listed(list(map(str, paths)), _MAX_SHOWN)
            message = f"the graph is encrypted, but its text is readable in {names}"
            yield Check("backups", State.WRONG, message, advice)


def _check_newest_backup(target: InspectedGraph, database: Database | None, usable: list[Backup]) -> Iterator[Check]:
    newest = usable[0]
    keys: list[Key | None] = [database.key] if database is not None else [*find_keys(target)]
    problems = None
    # The backups of a graph that was decrypted keep their key.
    for key in dict.fromkeys([*keys, None, *find_keys(target)]):
        problems = store.integrity.find_problems_of_file(newest.file, key=key)
        if problems is not None:
            break
    description = f"{newest.file.name}, {_age(newest.at)} old"
    others = f", and {len(usable) - 1} more" if len(usable) > 1 else ""
    advice = "kg backup" if database is not None else "kg backup --list"
    if problems is None and database is None:
        yield Check("backups", State.NOTE, f"the newest is {description}{others}; it cannot be read without the key")
    elif problems is None:
        yield Check("backups", State.WRONG, f"the key of the graph does not open the newest, {description}", advice)
    elif problems:
        yield Check("backups", State.WRONG, f"the newest, {description}, is damaged: {problems[0]}", advice)
    else:
        yield Check("backups", State.OK, f"the newest is {description}, and readable{others}")


def _is_encrypted(target: InspectedGraph) -> bool:
    if target.exists:
        return store.files.kind(target.path) is store.files.Kind.ENCRYPTED
    return target.profile.key is not None and target.profile.key.encrypted


def _unknown_settings(path: Path) -> list[str]:
    import tomllib

    settings = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    tables = {"": settings, **{name: settings[name] for name in _KNOWN_SETTINGS if name and name in settings}}
    return [
        f"{table}.{name}" if table else name
        for table, values in tables.items()
        for name in values
        if name not in _KNOWN_SETTINGS[table]
    ]


def _age(at: datetime) -> str:
    days = (datetime.now(UTC) - at).days
    return "less than a day" if days < 1 else "a day" if days == 1 else f"{days:,} days"


# Checks of clients: whether the server starts, and whether Claude Desktop is configured to start it.


def check_server(ctx: click.Context) -> Check:
    """Start the server as a client does, read-only so that it changes nothing."""
    command = [*clients.own_command(), "serve", "--read-only", *graph_options.naming_arguments(ctx)]
    try:
        server = installation.connect(command)
    except errors.HandshakeFailed as error:
        return Check("server", State.WRONG, error.message, "kg serve")
    except errors.DeadlineExceeded as error:
        return Check("server", State.NOTE, error.message, "Try again when the machine is less busy.")
    message = f"{server.server} {server.version} answers"
    if server.server != "keepgraph":
        return Check("server", State.WRONG, f"{command[0]} is another program: {message}")
    return Check("server", State.OK, message)


def check_claude_desktop(ctx: click.Context) -> Iterator[Check]:
    """Whether the configuration of Claude Desktop starts this installation with this graph."""
    desktop = clients.CLIENTS["claude-desktop"]
    install = f"kg install {desktop.name}"
    machine = clients.this_machine()
    if not any(location.folder.is_dir() for location in desktop.locations(machine)):
        yield Check(desktop.name, State.OK, f"{desktop.title} is not on this machine")
        return
    graph_arguments = graph_options.naming_arguments(ctx)
    entries = clients.find_entries(machine, name=clients.entry_name(graph_arguments))
    our_entries = [entry for entry in entries if entry.client == desktop and (entry.entry is not None or entry.problem)]
    if not our_entries:
        yield Check(desktop.name, State.NOTE, f"{desktop.title} does not know this graph", install)
    for entry in our_entries:
        if entry.problem is not None:
            advice = "Correct the file, or move it away."
            yield Check(desktop.name, State.WRONG, f"its configuration cannot be read: {entry.problem}", advice)
        elif not entry.command:
            yield Check(desktop.name, State.WRONG, f"the entry {entry.name} in {entry.file} starts nothing", install)
        elif not entry.is_runnable:
            yield Check(desktop.name, State.WRONG, f"it starts {entry.command[0]}, which does not exist", install)
        elif not _is_this_installation(entry.command):
            yield Check(desktop.name, State.NOTE, f"it starts another installation, {entry.command[0]}", install)
        elif not _contains(entry.command, graph_arguments):
            yield Check(desktop.name, State.NOTE, f"its entry {entry.name} is for another graph", install)
        else:
            yield Check(desktop.name, State.OK, f"the entry {entry.name} in {entry.file} starts this installation")


def _is_this_installation(command: Sequence[str]) -> bool:
    own = clients.own_command()
    if list(command[: len(own)]) == own:
        return True
    # A link to the script is this installation. A link to Python may belong to any virtual environment.
    return len(own) == 1 and os.path.exists(command[0]) and os.path.samefile(command[0], own[0])


def _contains(command: Sequence[str], arguments: Sequence[str]) -> bool:
    return any(
        list(command[position : position + len(arguments)]) == list(arguments) for position in range(len(command))
    )


# Checks of the gardener: its last run, and whether the timers on this machine start an existing program.

_NAME = "garden"
_INSTALL = "kg garden --install"


def check_garden(target: InspectedGraph, database: Database | None) -> Iterator[Check]:
    machine = clients.this_machine()
    timer = garden_timers.timer(machine, clients.own_command(), target.path.resolve())
    yield _check_timer(target, timer, last_run=_last_run(database))
    for file in garden_timers.installed(machine):
        if file != timer.files[0][0]:
            yield from _check_other_timer(file)


def _check_timer(target: InspectedGraph, timer: Timer, *, last_run: str) -> Check:
    """Whether the timer of this graph is installed, and as this installation would install it."""
    missing = [file for file, _ in timer.files if not file.is_file()]
    if len(missing) == len(timer.files):
        by_server = "once a day in an idle server" if target.profile.garden_when_idle else "on request only"
        return Check(_NAME, State.OK, f"no timer runs the gardener: it runs {by_server}; {last_run}")
    if missing:
        return Check(_NAME, State.WRONG, f"its timer is only partly installed: {missing[0]} is missing", _INSTALL)
    command = garden_timers.command_of(_content(timer.files[0][0]))
    if not command or not os.access(command[0], os.X_OK):
        program = command[0] if command else "nothing"
        return Check(_NAME, State.WRONG, f"its timer starts {program}, which does not exist", _INSTALL)
    if command != garden_timers.command_of(timer.files[0][1]):
        return Check(_NAME, State.NOTE, f"its timer starts another installation, {command[0]}", _INSTALL)
    return Check(_NAME, State.OK, f"the timer {timer.name} runs the gardener each night; {last_run}")


def _check_other_timer(file: Path) -> Iterator[Check]:
    graph = garden_timers.graph_of(garden_timers.command_of(_content(file)))
    if graph is not None and not graph.is_file():
        message = f"the timer {file.name} is for {graph}, which does not exist"
        yield Check(_NAME, State.NOTE, message, f"kg --db {shlex.quote(str(graph))} garden --uninstall")


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _last_run(database: Database | None) -> str:
    """When the gardener last ran on a graph, in words."""
    if database is None:
        return "its last run is unknown"
    try:
        with database.read("doctor") as tx:
            last = store.garden.last(tx)
    except errors.KeepgraphError:
        return "its last run is unknown"
    return f"it last ran on {last.ended_at[:10]}" if last else "it has not run yet"
