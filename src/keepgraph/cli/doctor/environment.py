"""What lies around a graph: settings, modes, users, log, key, parts, backups. Looks at files, and changes none.

What can be told without the graph is told without it, for it may be the graph that cannot be opened.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from keepgraph import errors, permissions, store
from keepgraph.engine.upkeep import backups
from keepgraph.engine.upkeep.integrity import FIX, RESTORE, Check, State
from keepgraph.model import Backup, Key, KeyPlace, Profile, Settings
from keepgraph.profiles import keys, profile
from keepgraph.store.database import Database

_OTHERS = 0o077
_SHOWN = 3
_A_DAY = timedelta(days=1)
_PATIENCE_SECONDS = 5.0
_TABLES = {
    "": ("zone", "group", "toolsets", "offline", "names", "search", "documents", "key", "backups"),
    "names": tuple(name for name in Settings.__slots__ if name not in ("cross_encoder", "document_roots")),
    "search": ("cross_encoder",),
    "documents": ("roots",),
    "key": KeyPlace.__slots__,
    "backups": ("daily", "keep"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A graph as it is met from outside.

    Attributes:
        said: its settings; the defaults where they cannot be read, for the reason in `problem`.
        ask: asks a person for a passphrase, once.
        alone: whether no other program has the graph open.
        lost: how many changes in its log cannot be read.
    """

    graph: Path
    said: Profile
    problem: errors.KeepgraphError | None
    ask: keys.Ask | None
    alone: bool
    lost: int

    @property
    def there(self) -> bool:
        return self.graph.is_file() and self.graph.stat().st_size > 0


def met(graph: Path, ask: Callable[[str], str] | None) -> Case:
    """See what a graph is like from outside. Not while this process has it open."""
    said, problem = Profile(), None
    try:
        said = profile.read(graph)
    except errors.SettingsInvalid as error:
        problem = error
    alone, lost = False, 0
    if graph.is_file():
        presence = store.files.Presence(graph)
        try:
            presence.hold(patience=_PATIENCE_SECONDS)
            with presence.alone() as alone:
                lost = store.wal.lost(graph) if alone else 0
        except errors.GraphBusy:
            alone = False
        finally:
            presence.let_go()
    return Case(graph, said, problem, ask, alone, lost)


def opened(case: Case) -> Database:
    """The graph for reading, by such settings as can be read.

    Raises:
        errors.KeepgraphError: why it cannot be opened.
    """
    try:
        return Database(
            case.graph,
            create=False,
            read_only=True,
            new_id=store.ids.ulids(),
            group=case.said.group,
            settings=case.said.names,
            key_source=keys.source(case.graph, case.said.key, ask=case.ask),
        )
    except UnicodeDecodeError as error:
        # SQLite words what is wrong with a name in the schema, and the name is no text.
        raise errors.GraphDamaged(f"{case.graph} is damaged: its schema cannot be read") from error


def settings(case: Case) -> Iterator[Check]:
    file = profile.settings_path(case.graph)
    if case.problem is not None:
        yield Check("settings", State.WRONG, case.problem.message, case.problem.hint)
    elif not file.is_file():
        yield Check("settings", State.OK, f"there is no {file.name}, so the defaults hold")
    elif unknown := _unknown_settings(file):
        seen = f"{file} has settings that this version does not know: {', '.join(unknown)}"
        yield Check("settings", State.NOTE, seen, "Take them out, if they are a slip.")
    else:
        yield Check("settings", State.OK, f"{file} can be read")


def file(case: Case) -> Iterator[Check]:
    graph = case.graph
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
        return
    yield Check("file", State.WRONG, problem, RESTORE if usable(graph) else errors.GraphNotFound.default_hint)


def file_modes(case: Case) -> Iterator[Check]:
    if os.name != "posix":
        return
    if found := open_to_others(case):
        names = [f"{path} (mode {_mode(path):04o})" for path in found]
        yield Check("permissions", State.WRONG, f"others may get at {_some(names)}", FIX)
    else:
        yield Check("permissions", State.OK, "what belongs to the graph is for its owner alone")


def open_to_others(case: Case) -> list[Path]:
    """The files and folders of a graph, as far as they are ours, that are not for their owner alone."""
    graph, place = case.graph, case.said.key
    key_file = Path(place.file) if place and place.file else keys.default_file(graph)
    named = os.environ.get("KG_KEY_FILE")
    ours = [
        *([graph] if graph.is_file() else []),
        *(Path(f"{graph}{ending}") for ending in ("-wal", "-shm", "-journal", "-lock")),
        profile.settings_path(graph),
        key_file,
        *([permissions.expanded(named)] if named else []),
        keys.wrapped_file(graph),
        *sorted(graph.parent.glob(f"{graph.name}.before-*")),
        *parts(case),
    ]
    folder = backups.folder(graph)
    ours += [folder, *sorted(folder.iterdir())] if folder.is_dir() else []
    if profile.name_of(graph) is not None:
        ours.append(graph.parent)
    if key_file.parent == keys.default_file(graph).parent:
        ours.append(key_file.parent)
    return [path for path in dict.fromkeys(ours) if path.exists() and _mode(path) & _OTHERS]


def key(case: Case, database: Database) -> Iterator[Check]:
    """How an open graph was opened, and whether a client could open it."""
    place, used = case.said.key, database.key
    if used is None:
        yield Check("key", State.OK, "there is none: the graph is not encrypted")
        return
    seen = f"the graph is encrypted, and {used.origin} opens it (fingerprint {used.fingerprint})"
    if place is not None and place.fingerprint not in (None, used.fingerprint):
        seen += f"; the settings speak of another key (fingerprint {place.fingerprint})"
        yield Check("key", State.WRONG, seen, FIX)
    elif not client_has(case, used):
        seen += "; a client that starts the server will not have it: it hands on no KG_KEY, and nobody can be asked"
        yield Check("key", State.NOTE, seen, _keep_where_a_client_finds_it(place))
    else:
        yield Check("key", State.OK, seen)


def _keep_where_a_client_finds_it(place: KeyPlace | None) -> str:
    given = os.environ.get("KG_KEY_FILE") or ("-" if os.environ.get("KG_KEY") else None)
    if given is None:
        return "kg rekey --key file"
    found_there = place is not None and place.source in ("file", "keyring")
    return f"kg key import {shlex.quote(given)}{'' if found_there else ' --key file'}"


def client_has(case: Case, used: Key | None) -> bool:
    """Whether a server that a client starts finds this key: without our environment, and with nobody to ask."""
    if used is None:
        return True
    try:
        found = keys.source(case.graph, case.said.key, ask=None, environment={}).candidates()
        return any(each.digits == used.digits for each in found)
    except errors.KeepgraphError:
        return False


def log(case: Case) -> Iterator[Check]:
    if case.lost:
        changes = "1 change" if case.lost == 1 else f"{case.lost:,} changes"
        seen = f"the log is damaged: {changes} in it cannot be read; --fix keeps the files aside and goes on without"
        yield Check("log", State.WRONG, seen, FIX)
    elif not case.alone:
        yield Check("log", State.OK, "another program has the graph open, and has looked at it")
    else:
        yield Check("log", State.OK, "it is whole" if store.wal.has_any(case.graph) else "nothing is left in it")


def closed(case: Case, problem: errors.KeepgraphError) -> Iterator[Check]:
    """Why a graph cannot be opened, and the way out."""
    match problem:
        case errors.KeyMissing() | errors.KeyWrong() | errors.KeyInvalid() | errors.GraphNotEncrypted():
            name = "key"
        case errors.GraphTooNew() | errors.MigrationEdited():
            name = "version"
        case errors.GraphReadOnly():
            yield Check("version", State.NOTE, "the tables are of an older version; any command updates them", FIX)
            return
        case errors.GraphDamaged():
            if not case.lost:
                yield Check("integrity", State.WRONG, problem.message, RESTORE)
            return
        case errors.GraphUnavailable() if usable(case.graph):
            yield Check("file", State.WRONG, problem.message, RESTORE)
            return
        case _:
            name = "file"
    yield Check(name, State.WRONG, problem.message, problem.hint)


def pending(case: Case, database: Database | None) -> Iterator[Check]:
    """What was begun and not ended."""
    if left := parts(case):
        names = _some([str(path) for path in left])
        if case.alone:
            yield Check("pending", State.WRONG, f"interrupted work has left {names}", FIX)
        else:
            yield Check("pending", State.NOTE, f"{names} may be left over, or is being made by another program")
    place = case.said.key
    if place is not None and place.source == "file":
        try:
            several = len(keys.read_file(Path(place.file or keys.default_file(case.graph)))) > 1
        except errors.KeepgraphError:
            several = False
        if several:
            seen = "two keys are kept: a change of the key was interrupted, or a backup still has the old one"
            yield Check("pending", State.NOTE, seen, "kg rekey")
    if database is not None and database.key is not None and place is not None and not place.encrypted:
        yield Check("pending", State.WRONG, "encrypting the graph was interrupted before its end", "kg encrypt")


def parts(case: Case) -> list[Path]:
    """Files that were being made, of a graph or of a backup, and did not take their place."""
    graph = case.graph
    patterns = [f".{graph.name}-part", f".{graph.name}.before-*-part"]
    places = [*((graph.parent, pattern) for pattern in patterns), (backups.folder(graph), ".*-part")]
    found = [path for folder, pattern in places for path in folder.glob(pattern)]
    # What SQLite lays beside a file, and leaves when that takes its place, is empty.
    logs = [path for folder, pattern in places for path in folder.glob(f"{pattern}-wal") if path.stat().st_size]
    return sorted([*found, *logs])


def kept(case: Case, database: Database | None, *, born: datetime | None) -> Iterator[Check]:
    """What backups there are, and whether the newest would help."""
    graph = case.graph
    found = usable(graph)
    yield from _text_on_disk(case, database)
    older = _of_older_versions(graph)
    if older:
        seen = f"an older version of Keepgraph has left {_some([str(path) for path in older])}"
        yield Check("backups", State.NOTE, seen, "Delete what you no longer need.")
    if found:
        yield from _newest(case, database, found)
    elif born is None or datetime.now(UTC) - born > _A_DAY:
        yield Check("backups", State.NOTE, "there is none yet", "kg backup" if database is not None else None)
    else:
        yield Check("backups", State.OK, "there is none yet: the graph is new")


def plain_backups(case: Case) -> list[Path]:
    """Backups, and what was kept by older versions, that are not encrypted."""
    found = [*(backup.file for backup in backups.every(case.graph)), *_of_older_versions(case.graph)]
    return [path for path in found if store.files.kind(path) is store.files.Kind.PLAIN]


def _text_on_disk(case: Case, database: Database | None) -> Iterator[Check]:
    encrypted = database.key is not None if database is not None else _is_encrypted(case)
    plain = plain_backups(case) if encrypted else []
    damaged = {backup.file for backup in backups.every(case.graph) if backup.kind == backups.DAMAGED}
    for found, mend in (
        ([path for path in plain if path not in damaged], FIX if database is not None else "Delete them."),
        ([path for path in plain if path in damaged], "Delete it when you no longer need it."),
    ):
        if found:
            seen = f"the graph is encrypted, and its text can be read in {_some([str(path) for path in found])}"
            yield Check("backups", State.WRONG, seen, mend)


def _newest(case: Case, database: Database | None, found: list[Backup]) -> Iterator[Check]:
    newest = found[0]
    known: list[Key | None] = [database.key] if database is not None else [*candidates(case)]
    complaints = None
    # A graph that was decrypted keeps the key of its backups.
    for candidate in dict.fromkeys([*known, None, *candidates(case)]):
        complaints = store.integrity.complaints_of(newest.file, key=candidate)
        if complaints is not None:
            break
    told = f"{newest.file.name}, {_age(newest.at)} old"
    others = f", and {len(found) - 1} more" if len(found) > 1 else ""
    make = "kg backup" if database is not None else "kg backup --list"
    if complaints is None and database is None:
        yield Check("backups", State.NOTE, f"the newest is {told}{others}; nobody can read it without the key")
    elif complaints is None:
        yield Check("backups", State.WRONG, f"the key of the graph does not open the newest, {told}", make)
    elif complaints:
        yield Check("backups", State.WRONG, f"the newest, {told}, is damaged: {complaints[0]}", make)
    else:
        yield Check("backups", State.OK, f"the newest is {told}, and can be read{others}")


def candidates(case: Case) -> list[Key]:
    """The keys that can be found for a graph."""
    found: list[Key] = []
    try:
        for each in keys.source(case.graph, case.said.key, ask=case.ask).candidates():
            found.append(each)
    except errors.KeepgraphError:
        pass  # why there are no more is told by the check of the key
    return found


def _is_encrypted(case: Case) -> bool:
    if case.there:
        return store.files.kind(case.graph) is store.files.Kind.ENCRYPTED
    return case.said.key is not None and case.said.key.encrypted


def usable(graph: Path) -> list[Backup]:
    """The backups from which a graph can be restored, newest first."""
    return [backup for backup in backups.every(graph) if backup.kind != backups.DAMAGED]


def _of_older_versions(graph: Path) -> list[Path]:
    beside = ("-wal", "-shm", "-journal", "-lock")
    return [path for path in sorted(graph.parent.glob(f"{graph.name}.before-*")) if not path.name.endswith(beside)]


def _unknown_settings(path: Path) -> list[str]:
    import tomllib

    said = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    tables = {"": said, **{name: said[name] for name in _TABLES if name and name in said}}
    return [
        f"{table}.{name}" if table else name
        for table, values in tables.items()
        for name in values
        if name not in _TABLES[table]
    ]


def _age(at: datetime) -> str:
    days = (datetime.now(UTC) - at).days
    return "less than a day" if days < 1 else "a day" if days == 1 else f"{days:,} days"


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _some(found: list[str]) -> str:
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return f"{', '.join(found[:_SHOWN])}{more}"
