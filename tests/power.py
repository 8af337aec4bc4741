"""A disk under SQLite that keeps every write, fails when told to, and shows what could be found after a power cut.

The product's own SQLite has no way to put such a disk under it. So `Driver` stands in for sqlcipher3 with apsw,
another copy of SQLite, which can; what is found after a cut is then opened with the product as it is.
"""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
from sqlcipher3 import dbapi2 as sqlite

SECTOR = 512
"""What a disk writes whole or not at all."""

_MADE_DURABLE = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL
"""The kinds of files with whose first sync SQLite on Unix syncs the folder too."""

_FAULTS: dict[str, tuple[type[apsw.Error], int]] = {
    "open": (apsw.CantOpenError, apsw.SQLITE_CANTOPEN),
    "read": (apsw.IOError, apsw.SQLITE_IOERR_READ),
    "write": (apsw.IOError, apsw.SQLITE_IOERR_WRITE),
    "sync": (apsw.IOError, apsw.SQLITE_IOERR_FSYNC),
    "truncate": (apsw.IOError, apsw.SQLITE_IOERR_TRUNCATE),
    "delete": (apsw.IOError, apsw.SQLITE_IOERR_DELETE),
    "room": (apsw.FullError, apsw.SQLITE_FULL),
}
"""What fails, and how SQLite calls that; `room` is a write for which there is no room."""


# The disk


@dataclass(frozen=True, slots=True)
class Write:
    file: int
    offset: int
    content: bytes


@dataclass(frozen=True, slots=True)
class Resize:
    file: int
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    file: int


@dataclass(frozen=True, slots=True)
class FailedSync:
    """What was to be synced never reaches the disk, unless it is written again: the system takes it for clean."""

    file: int


@dataclass(frozen=True, slots=True)
class Name:
    """A name was given to a file, or taken away from the file that had it."""

    name: str
    file: int | None


@dataclass(frozen=True, slots=True)
class SyncFolder:
    folder: str


Event = Write | Resize | Sync | FailedSync | Name | SyncFolder


class Disk:
    """A folder and those in it, with a log of all that is done to the files there. What there is at first is safe.

    It sees what SQLite does, and what the product does without SQLite while it is `watched`.

    Attributes:
        vfs: the name under which SQLite knows it.
        log: what was done, in order.
        first: the files that were there, each with its number and its content.
        failed: how many operations were made to fail.
        tried: how many operations of each kind there were, since `fail` was last called.
    """

    _numbers = itertools.count(1)

    def __init__(self, folder: Path) -> None:
        self.vfs = f"keepgraph-test-{next(self._numbers)}"
        self.log: list[Event] = []
        self.failed = 0
        self.tried: Counter[str] = Counter()
        self._folder = folder.resolve()
        self._fails: tuple[str, int, bool] | None = None
        self._files = itertools.count(1)
        self.first: dict[str, tuple[int, bytes]] = {
            self._name(file): (next(self._files), file.read_bytes())
            for file in sorted(self._folder.rglob("*"))
            if file.is_file() and not file.name.endswith("-shm")
        }
        self._names = {name: number for name, (number, _) in self.first.items()}
        self._registered = _Vfs(self)

    def fail(self, operation: str, *, after: int, lasting: bool) -> None:
        """Let an operation fail after so many that succeed: the next one, or all until `mend`."""
        self.tried.clear()
        self._fails = operation, after, lasting

    def mend(self) -> None:
        self._fails = None

    def close(self) -> None:
        self._registered.unregister()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """See how files are renamed, taken away and synced without SQLite."""
        replace, unlink, fsync = os.replace, os.unlink, os.fsync

        def replaced(source: Any, target: Any, **more: Any) -> None:
            replace(source, target, **more)
            self.renamed(source, target)

        def unlinked(path: Any, **more: Any) -> None:
            unlink(path, **more)
            self.deleted(path)

        def synced(number: int) -> None:
            fsync(number)
            self.synced(number)

        os.replace, os.unlink, os.fsync = replaced, unlinked, synced
        try:
            yield
        finally:
            os.replace, os.unlink, os.fsync = replace, unlink, fsync

    def opened(self, path: str) -> int:
        """The number of the file that has this name now; a file that nobody told us of has just been made."""
        name = self._name(path)
        if name not in self._names:
            self._names[name] = next(self._files)
            self.log.append(Name(name, self._names[name]))
        return self._names[name]

    def renamed(self, source: Any, target: Any) -> None:
        number = self._names.pop(self._name(source), None)
        if number is not None:
            self._names[self._name(target)] = number
            self.log += [Name(self._name(target), number), Name(self._name(source), None)]

    def deleted(self, path: Any) -> None:
        if self._names.pop(self._name(path), None) is not None:
            self.log.append(Name(self._name(path), None))

    def synced(self, number: int) -> None:
        """Something was synced by the number under which the system has it open."""
        found = os.fstat(number)
        for path in (self._folder, *self._folder.rglob("*")):
            if os.path.samestat(found, path.stat()):
                if path.is_dir():
                    self.synced_folder(path)
                elif self._name(path) in self._names:
                    self.log.append(Sync(self._names[self._name(path)]))
                return

    def synced_folder(self, folder: Path) -> None:
        self.log.append(SyncFolder(self._name(folder)))

    def _name(self, path: Any) -> str:
        path = Path(path)
        return path.relative_to(self._folder).as_posix() if path.is_relative_to(self._folder) else str(path)

    def check(self, operation: str) -> None:
        """Raise what SQLite is to take for an error of the disk, if this is the moment for one."""
        self.tried[operation] += 1
        if self._fails is None or self._fails[0] != operation:
            return
        _, after, lasting = self._fails
        if self.tried[operation] == after + 1 or (lasting and self.tried[operation] > after):
            self.failed += 1
            kind, number = _FAULTS[operation]
            error = kind(f"{operation} was made to fail")
            error.result, error.extendedresult = number & 0xFF, number
            raise error


class _Vfs(apsw.VFS):
    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        super().__init__(disk.vfs, "unix")

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 (SQLite's name)
        if name is None:
            return apsw.VFSFile("unix", name, flags)
        self.disk.check("open")
        return _File(self.disk, name, flags)

    def xDelete(self, name: str, sync: bool) -> None:  # noqa: N802
        self.disk.check("delete")
        super().xDelete(name, sync)
        self.disk.deleted(name)
        if sync:
            self.disk.synced_folder(Path(name).parent)

    def excepthook(self, *_: object) -> None:
        """Errors reach SQLite; nobody else needs to hear of them."""


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: Any, flags: list[int]) -> None:
        asked = flags[0]
        super().__init__("unix", name, flags)
        self.disk = disk
        self.path = name if isinstance(name, str) else name.filename()
        self.number = disk.opened(self.path)
        self.only_read = bool(flags[1] & apsw.SQLITE_OPEN_READONLY)
        self.syncs_folder = bool(asked & apsw.SQLITE_OPEN_CREATE and asked & _MADE_DURABLE)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self.disk.check("read")
        return super().xRead(amount, offset)

    def xWrite(self, content: Any, offset: int) -> None:  # noqa: N802
        content = bytes(content)
        try:
            self.disk.check("write")
            self.disk.check("room")
        except apsw.Error:
            # As much of it as there was room for.
            self._write(content[: len(content) // 2], offset)
            raise
        self._write(content, offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self.disk.check("truncate")
        super().xTruncate(size)
        self.disk.log.append(Resize(self.number, size))

    def xSync(self, flags: int) -> None:  # noqa: N802
        try:
            self.disk.check("sync")
        except apsw.Error:
            self.disk.log.append(FailedSync(self.number))
            raise
        self.disk.log.append(Sync(self.number))
        if self.syncs_folder:
            self.disk.synced_folder(Path(self.path).parent)
            self.syncs_folder = False

    def xLock(self, level: int) -> None:  # noqa: N802
        # Beside an empty file SQLite tries this to take a journal away, and does not mind if it fails; apsw would.
        if not (self.only_read and level == apsw.SQLITE_LOCK_RESERVED):
            super().xLock(level)

    def excepthook(self, *_: object) -> None:
        """As above."""

    def _write(self, content: bytes, offset: int) -> None:
        super().xWrite(content, offset)
        self.disk.log.append(Write(self.number, offset, content))


# After the cut


@dataclass(slots=True)
class _Stored:
    """A file: what is safe of it, and what was done since: its size at each moment, the moments when it was cut.

    In memory, where programs read it, it may say something else: what a failed sync did not bring to the disk.
    """

    safe: bytes = b""
    sizes: list[int] = field(default_factory=list)
    cuts: list[int] = field(default_factory=list)
    sectors: dict[int, list[tuple[int, bytes]]] = field(default_factory=dict)
    in_memory: dict[int, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sizes = self.sizes or [len(self.safe)]

    def write(self, offset: int, content: bytes) -> None:
        moment, end = len(self.sizes), offset + len(content)
        self.sizes.append(max(self.sizes[-1], end))
        for number in range(offset // SECTOR, (end - 1) // SECTOR + 1):
            start = number * SECTOR
            was = self._latest(number)
            low, high = max(offset, start), min(end, start + SECTOR)
            now = was[: low - start] + content[low - offset : high - offset] + was[high - start :]
            self.sectors.setdefault(number, []).append((moment, now))
            self.in_memory.pop(number, None)

    def resize(self, size: int) -> None:
        moment = len(self.sizes)
        for number in range(size // SECTOR, max(self.sizes[-1] - 1, 0) // SECTOR + 1):
            kept = self._latest(number)[: max(0, size - number * SECTOR)]
            self.sectors.setdefault(number, []).append((moment, kept.ljust(SECTOR, b"\0")))
            self.in_memory.pop(number, None)
        self.cuts.append(moment)
        self.sizes.append(size)

    def sync(self) -> None:
        self.safe = self.found(lambda _, states: states[-1][1], size=self.sizes[-1], rest=bytes)
        self.sizes = [len(self.safe)]
        self.cuts = []
        self.sectors = {}

    def fail_to_sync(self) -> None:
        self.in_memory.update({number: states[-1][1] for number, states in self.sectors.items()})
        self.sectors = {}

    def found(
        self, pick: Callable[[bytes, list[tuple[int, bytes]]], bytes], *, size: int, rest: Callable[[int], bytes]
    ) -> bytes:
        """The content, with one of its states picked for each sector written since the sync.

        What lies in the file and was never written is what `rest` says: zeros, or what the disk held before.
        """
        content = bytearray(self.safe[:size])
        content += rest(size - len(content))
        for number, states in self.sectors.items():
            start = number * SECTOR
            if start < size:
                was = bytes(content[start : start + SECTOR]).ljust(SECTOR, b"\0")
                content[start : start + SECTOR] = pick(was, states)
        return bytes(content[:size])

    def _latest(self, number: int) -> bytes:
        if number in self.sectors:
            return self.sectors[number][-1][1]
        if number in self.in_memory:
            return self.in_memory[number]
        return self.safe[number * SECTOR : (number + 1) * SECTOR].ljust(SECTOR, b"\0")


class Replay:
    """What a disk holds for certain, and what it may hold besides, at one moment of its log after the other."""

    def __init__(self, disk: Disk) -> None:
        self._log = disk.log
        self._at = 0
        self._files = {number: _Stored(content) for number, content in disk.first.values()}
        self._names: dict[str, list[int | None]] = {name: [number] for name, (number, _) in disk.first.items()}

    def advance(self, moment: int) -> None:
        """Go on until so many events of the log have happened."""
        for event in self._log[self._at : moment]:
            match event:
                case Write(file, offset, content):
                    self._files[file].write(offset, content)
                case Resize(file, size):
                    self._files[file].resize(size)
                case Sync(file):
                    self._files[file].sync()
                case FailedSync(file):
                    self._files[file].fail_to_sync()
                case Name(name, file):
                    self._names.setdefault(name, [None]).append(file)
                    if file is not None:
                        self._files.setdefault(file, _Stored())
                case SyncFolder(folder):
                    for name, files in self._names.items():
                        if Path(name).parent.as_posix() == folder:
                            del files[:-1]
        self._at = moment

    def leave(self, folder: Path, chance: random.Random) -> None:
        """Write into an empty folder what a disk might hold now, had the power gone."""
        for name, files in sorted(self._names.items()):
            file = chance.choice(files)
            if file is not None:
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_bytes(_after_a_cut(self._files[file], chance))


def _after_a_cut(file: _Stored, chance: random.Random) -> bytes:
    """Each sector is found as it was at some moment since the last sync, and so is the size.

    Only a change of the size has an order: what was written before the file was cut is not found in it afterwards,
    nor the other way round.
    """
    last = len(file.sizes) - 1
    share = chance.choice((0.1, 0.5, 0.9, 0.98))
    rest = chance.choice((bytes, chance.randbytes))
    kind = chance.choice(("all", "none", "in order", "in order but torn", "any", "any"))
    if kind == "any":
        at = chance.randint(0, len(file.cuts))
        first, last = [0, *file.cuts][at], [*(cut - 1 for cut in file.cuts), last][at]
        size = file.sizes[chance.choice((last, chance.randint(first, last)))]
    else:
        first, last = 0, {"all": last, "none": 0}.get(kind, chance.randint(0, last))
        size = file.sizes[last]

    def pick(was: bytes, states: Sequence[tuple[int, bytes]]) -> bytes:
        done = [state for moment, state in states if moment <= first] or [was]
        since = [state for moment, state in states if first < moment <= last]
        if not since:
            return done[-1]
        if kind == "any":
            return chance.choice(since) if chance.random() < share else done[-1]
        if kind == "in order but torn" and states[len(since) - 1][0] == last and chance.random() < 0.5:
            return [*done, *since][-2]
        return since[-1]

    return file.found(pick, size=size, rest=rest)


# The driver


class Driver:
    """Stands in for the module sqlcipher3.dbapi2, on a disk.

    Attributes:
        synchronous: what is set in place of what the product sets; None for just that.
        pages_a_checkpoint: how long the write-ahead log grows before SQLite moves it into the file.
    """

    def __init__(self, disk: Disk, *, synchronous: str | None = None, pages_a_checkpoint: int = 1000) -> None:
        self.disk = disk
        self.synchronous = synchronous
        self.pages_a_checkpoint = pages_a_checkpoint
        self._connections: list[Connection] = []

    def connect(self, name: str, *, uri: bool = False, timeout: float = 5.0, **_: object) -> Connection:
        self._connections.append(Connection(self, name, uri=uri, timeout=timeout))
        return self._connections[-1]

    def close(self) -> None:
        """Close every connection that is still open."""
        while self._connections:
            self._connections.pop().close()

    def __getattr__(self, name: str) -> Any:
        return getattr(sqlite, name)


class Connection:
    """A connection of apsw that speaks as one of sqlcipher3."""

    def __init__(self, driver: Driver, name: str, *, uri: bool, timeout: float) -> None:
        self._driver = driver
        flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_URI if uri else apsw.SQLITE_OPEN_CREATE)
        with _translated():
            self._conn = apsw.Connection(name, flags=flags, vfs=driver.disk.vfs)
        self._conn.set_busy_timeout(int(timeout * 1000))
        # SQLite's own checkpoint after a commit may fail and the commit still stands; apsw would raise all the same.
        self._conn.set_wal_hook(self._checkpoint)

    def execute(self, query: str, values: Any = ()) -> Rows:
        if self._driver.synchronous is not None and query.startswith("PRAGMA synchronous"):
            query = f"PRAGMA synchronous = {self._driver.synchronous}"
        if query.startswith("PRAGMA wal_autocheckpoint"):
            query = "SELECT 0"  # it would take away the hook, and with it the checkpoints to be tried
        with _translated():
            cursor = self._conn.execute(query, values)
            with suppress(apsw.ExecutionCompleteError):
                columns = cursor.get_description()
                return Rows(cursor.fetchall(), columns=columns)
            return Rows([], rowcount=self._conn.changes(), lastrowid=self._conn.last_insert_rowid())

    @property
    def total_changes(self) -> int:
        return self._conn.total_changes()

    def executemany(self, query: str, values: Iterable[Any]) -> None:
        with _translated():
            self._conn.executemany(query, values)

    def backup(self, target: Connection) -> None:
        with _translated():
            copying = target._conn.backup("main", self._conn, "main")
            failure = None
            try:
                copying.step()
            except apsw.Error as error:
                failure = error
            # Only now: apsw trips over an error that is under way when it closes.
            copying.close(failure is not None)
            if failure:
                raise failure

    def create_function(self, name: str, arguments: int, function: Any, *, deterministic: bool = False) -> None:
        self._conn.create_scalar_function(name, function, arguments, deterministic=deterministic)

    def set_key(self, *_: object) -> None:
        """Nothing is encrypted here."""

    def load_extension(self, name: str) -> None:
        with _translated():
            self._conn.load_extension(name)

    def close(self) -> None:
        # SQLite closes whatever happens to its last checkpoint.
        with suppress(apsw.IOError, apsw.FullError, apsw.CantOpenError):
            self._conn.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._conn, name)

    def _checkpoint(self, conn: apsw.Connection, schema: str, pages: int) -> int:
        if pages >= self._driver.pages_a_checkpoint:
            with suppress(apsw.Error):
                conn.wal_checkpoint(schema)
        return apsw.SQLITE_OK


class Rows:
    """A cursor that has all its rows already."""

    def __init__(
        self, rows: list[tuple[Any, ...]], *, columns: Any = (), rowcount: int = -1, lastrowid: int | None = None
    ) -> None:
        self.description = [(name, *[None] * 6) for name, _ in columns] or None
        self.rowcount = rowcount
        self.lastrowid = lastrowid
        self._rows = iter(rows)

    def fetchone(self) -> tuple[Any, ...] | None:
        return next(self._rows, None)

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        return list(itertools.islice(self._rows, size))

    def fetchall(self) -> list[tuple[Any, ...]]:
        return list(self._rows)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self._rows


@contextmanager
def _translated() -> Iterator[None]:
    """Raise what sqlcipher3 would."""
    try:
        yield
    except apsw.Error as error:
        number = getattr(error, "result", 0) or getattr(apsw, f"SQLITE_{type(error).__name__[:-5].upper()}", 1)
        told = _kind(number)(str(error))
        told.sqlite_errorcode = getattr(error, "extendedresult", 0) or number
        told.sqlite_errorname = apsw.mapping_result_codes.get(number, "SQLITE_ERROR")
        raise told from error


def _kind(number: int) -> type[sqlite.Error]:
    match number:
        case apsw.SQLITE_CORRUPT | apsw.SQLITE_NOTADB:
            return sqlite.DatabaseError
        case apsw.SQLITE_CONSTRAINT | apsw.SQLITE_MISMATCH:
            return sqlite.IntegrityError
        case apsw.SQLITE_TOOBIG:
            return sqlite.DataError
        case apsw.SQLITE_MISUSE:
            return sqlite.ProgrammingError
        case apsw.SQLITE_INTERNAL | apsw.SQLITE_NOTFOUND:
            return sqlite.InternalError
    return sqlite.OperationalError


# What a graph holds


def everything(conn: Any) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table of a connection by its primary key, those of the full-text indexes included.

    The revision of the vocabulary is left out: it is made at random.
    """
    tables = conn.execute(
        """
        SELECT name
        FROM sqlite_schema
        WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name <> 'vocabulary_revision'
        ORDER BY name
        """
    ).fetchall()
    return {name: conn.execute(f"SELECT * FROM {name}").fetchall() for (name,) in tables}


def faults(conn: Any) -> list[str]:
    """What is not in order: the file, what refers to nothing, facts without their provenance, text or journal."""
    checks = {
        "integrity": "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
        "foreign keys": "SELECT * FROM pragma_foreign_key_check",
        "provenance": "SELECT id FROM fact WHERE id NOT IN (SELECT fact FROM provenance)",
        "text": "SELECT id FROM fact WHERE id NOT IN (SELECT id FROM fact_text_docsize)",
        "names": "SELECT id FROM entity WHERE 2 * id NOT IN (SELECT id FROM name_trigram_docsize)",
        "journal": "SELECT id FROM fact EXCEPT SELECT row FROM journal WHERE tbl = 'fact' AND op = 'insert'",
        "calls": "SELECT id FROM journal WHERE call NOT IN (SELECT id FROM call)",
    }
    found = [f"{what}: {rows[:3]}" for what, query in checks.items() if (rows := conn.execute(query).fetchall())]
    for index in ("fact_text", "name_trigram"):
        try:
            conn.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
        except sqlite.DatabaseError as error:
            found.append(f"{index}: {error}")
    return found
