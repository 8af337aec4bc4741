"""The file of a graph as a file: what kind it is, and who has it open. Runs no SQL.

Closing a file drops the locks that SQLite holds on it for the whole process, so a graph is never opened here while
this process has it open as a database, but for telling why it could not be opened.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Any

from keepgraph import errors, permissions

fcntl: Any
try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

PLAIN_HEADER = b"SQLite format 3\x00"
PAGE_SIZE = 4096
_POLL_SECONDS = 0.05
_LEAST_FOR_CHI = 1024
_CHI_OF_CHANCE = 420.0
"""Chi-square of 4,080 random bytes over 256 values is 255 ± 23; text and zeros are far above."""

Identity = tuple[int, int] | None
"""What tells one file from another of the same name: its device and its number there."""


class Kind(Enum):
    """What the first page of a file looks like."""

    EMPTY = "empty"
    PLAIN = "plain"
    ENCRYPTED = "encrypted"
    JUNK = "junk"


def kind(path: Path) -> Kind:
    """What a file looks like from outside: an encrypted graph is whole pages of what looks like chance."""
    with path.open("rb") as file:
        first = file.read(PAGE_SIZE)
    if not first:
        return Kind.EMPTY
    if first.startswith(PLAIN_HEADER):
        return Kind.PLAIN
    whole = path.stat().st_size % PAGE_SIZE == 0
    return Kind.ENCRYPTED if whole and _looks_like_chance(first) else Kind.JUNK


def create(path: Path) -> None:
    """Make an empty file for its owner alone, and the folders above it. SQLite's own files inherit its mode."""
    permissions.make_folder(path.parent)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def part(path: Path) -> Path:
    """The file beside a graph in which its next version is made, while it is encrypted, decrypted or restored."""
    return path.with_name(f".{path.name}-part")


def history(path: Path) -> Path:
    """The file beside a graph with what was typed at the prompt of `kg query`; an encrypted graph has none."""
    return permissions.beside(path, ".history")


def wipe(number: int) -> None:
    """Write zeros over an open file. Best effort: a disk may keep old blocks all the same."""
    size = os.fstat(number).st_size
    os.lseek(number, 0, os.SEEK_SET)
    chunk = bytes(1 << 20)
    for at in range(0, size, len(chunk)):
        os.write(number, chunk[: size - at])
    os.fsync(number)


def with_companions(path: Path) -> list[Path]:
    """A database with the files that SQLite may lay beside it."""
    return [Path(f"{path}{ending}") for ending in ("", "-journal", "-wal", "-shm")]


def remove_wiped(path: Path) -> None:
    """Write zeros over a file and what SQLite laid beside it, and take them away."""
    for file in with_companions(path):
        with suppress(FileNotFoundError):
            number = os.open(file, os.O_RDWR)
            try:
                wipe(number)
            finally:
                os.close(number)
            file.unlink()


# Who has it open


class Presence:
    """Says, as long as it is held, that this process has a graph open: nobody may then put another in its place.

    It is a lock on a file beside the graph, `graph.db-lock`, which the system lets go when the process ends, however
    it ends; the last to let go takes the file away. Where there are no such locks (on Windows), a file that is open
    cannot be replaced anyway.
    """

    def __init__(self, path: Path) -> None:
        self._file = lock_file(path)
        self._number: int | None = None

    def hold(self, *, patience: float) -> None:
        """Wait until nobody is putting another file in the place of the graph, then hold it with all others.

        Raises:
            errors.GraphBusy: somebody still is after so many seconds.
        """
        if self._number is None and fcntl is not None:
            # In a folder that cannot be written to, nothing can be replaced either.
            with suppress(OSError):
                self._number = _patiently_locked(
                    self._file, fcntl.LOCK_SH, patience=patience, problem="is being encrypted, decrypted or restored"
                )

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Whether nobody else holds it; while this lasts, nobody else can. For before the graph is opened."""
        if self._number is None or fcntl is None:
            yield False
            return
        try:
            fcntl.flock(self._number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._share()
            yield False
            return
        try:
            yield True
        finally:
            self._share()

    def _share(self) -> None:
        """Hold it with others again. Between the two somebody may have had it alone, and taken the file away."""
        if self._number is not None:
            os.close(self._number)
            self._number = _locked(self._file, fcntl.LOCK_SH)

    def let_go(self) -> None:
        if self._number is not None:
            _unlocked(self._file, self._number)
            self._number = None


def lock_file(path: Path) -> Path:
    return Path(f"{path}-lock")


@contextmanager
def exclusively(path: Path, *, patience: float) -> Iterator[None]:
    """Have a graph to oneself, to put another file in its place.

    Raises:
        errors.GraphBusy: somebody else still has it open after so many seconds.
    """
    if fcntl is None:
        yield
        return
    try:
        os.close(os.open(lock_file(path), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    except PermissionError as error:
        raise errors.GraphReadOnly(f"{path} lies in a folder that cannot be written to") from error
    number = _patiently_locked(lock_file(path), fcntl.LOCK_EX, patience=patience, problem="is open in another program")
    try:
        yield
    finally:
        _unlocked(lock_file(path), number)


def _patiently_locked(file: Path, kind: int, *, patience: float, problem: str) -> int:
    give_up_at = time.monotonic() + patience
    while True:
        try:
            return _locked(file, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > give_up_at:
                raise errors.GraphBusy(
                    f"{str(file).removesuffix('-lock')} {problem}",
                    hint="Quit what uses it (Claude Desktop, `kg serve`), then try again. Nothing was changed.",
                ) from error
        time.sleep(_POLL_SECONDS)


def _locked(file: Path, kind: int) -> int:
    """An open lock file that is locked, and is still the one that others find there."""
    while True:
        number = os.open(file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(number, kind)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(number), os.stat(file)):
                    return number
        except BaseException:
            os.close(number)
            raise
        os.close(number)


def _unlocked(file: Path, number: int) -> None:
    """Let a lock go. Who has it alone takes the file away; whoever waits for it finds that out and makes another."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.unlink(missing_ok=True)
    except OSError:
        pass  # others hold it
    finally:
        os.close(number)


def _looks_like_chance(page: bytes) -> bool:
    if len(page) < _LEAST_FOR_CHI:
        return False
    expected = len(page) / 256
    counted = Counter(page)
    return sum((counted[value] - expected) ** 2 / expected for value in range(256)) < _CHI_OF_CHANCE
