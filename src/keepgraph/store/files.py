"""The file of a graph, seen from outside: plain or encrypted, the files beside it, and removal without a trace.

Closing a file drops the locks that SQLite holds on it for the whole process, so a graph is never opened here while
this process has it open as a database, except to say why it could not be opened.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from enum import Enum
from pathlib import Path

from keepgraph import permissions

PLAIN_HEADER = b"SQLite format 3\x00"
PAGE_SIZE = 4096
# A chi-square test tells encrypted pages, which look random, from anything else.
_MIN_BYTES_FOR_CHI_SQUARE = 1024
_MAX_CHI_SQUARE = 420.0
"""Chi-square of 4,080 random bytes over 256 values is 255 ± 23; text and zeros are far above."""

Identity = tuple[int, int] | None
"""Device and inode, which tell one file from another of the same name; None before a file is open."""


def identify(location: str) -> Identity:
    """The identity of the file at a location; None if there is none. Each call asks: a Path would be slower."""
    try:
        status = os.stat(location)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


class Kind(Enum):
    """What the first page of a file looks like."""

    EMPTY = "empty"
    PLAIN = "plain"
    ENCRYPTED = "encrypted"
    JUNK = "junk"


def kind(path: Path) -> Kind:
    """What a file looks like from outside: an encrypted graph consists of whole pages, and the first looks random."""
    with path.open("rb") as file:
        page = file.read(PAGE_SIZE)
    if not page:
        return Kind.EMPTY
    if page.startswith(PLAIN_HEADER):
        return Kind.PLAIN
    has_whole_pages = path.stat().st_size % PAGE_SIZE == 0
    return Kind.ENCRYPTED if has_whole_pages and _looks_random(page) else Kind.JUNK


def create(path: Path) -> None:
    """Create an empty file for its owner alone, and the folders above it. SQLite's own files inherit its mode."""
    permissions.make_folder(path.parent)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def temporary_file(path: Path) -> Path:
    """The file beside a graph for its next version, while it is encrypted, decrypted or restored."""
    return path.with_name(f".{path.name}-part")


def prompt_history(path: Path) -> Path:
    """The file beside a graph with the input history of `kg query`; an encrypted graph has none."""
    return permissions.beside(path, ".history")


def overwrite_with_zeros(descriptor: int) -> None:
    """Write zeros over an open file. Best effort: a disk may keep old blocks all the same."""
    size = os.fstat(descriptor).st_size
    os.lseek(descriptor, 0, os.SEEK_SET)
    chunk = bytes(1 << 20)
    for offset in range(0, size, len(chunk)):
        os.write(descriptor, chunk[: size - offset])
    os.fsync(descriptor)


def with_sidecars(path: Path) -> list[Path]:
    """A database file with those that SQLite may create beside it."""
    return [Path(f"{path}{suffix}") for suffix in ("", "-journal", "-wal", "-shm")]


def remove_overwritten(path: Path) -> None:
    """Write zeros over a file and those that SQLite created beside it, and remove them."""
    for file in with_sidecars(path):
        with suppress(FileNotFoundError):
            descriptor = os.open(file, os.O_RDWR)
            try:
                overwrite_with_zeros(descriptor)
            finally:
                os.close(descriptor)
            file.unlink()


def _looks_random(page: bytes) -> bool:
    if len(page) < _MIN_BYTES_FOR_CHI_SQUARE:
        return False
    expected = len(page) / 256
    counts = Counter(page)
    return sum((counts[byte] - expected) ** 2 / expected for byte in range(256)) < _MAX_CHI_SQUARE
