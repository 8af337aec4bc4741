"""Files and folders for their owner alone. Knows nothing of what is in them."""

from __future__ import annotations

import glob
import os
from contextlib import suppress
from pathlib import Path


def write(file: Path, text: str) -> None:
    """Write a file with mode 0600; it appears whole or not at all, and is on disk when this returns.

    Where it is a link, the file that it leads to is written.
    """
    file = file.resolve()
    make_folder(file.parent)
    for left in file.parent.glob(f".{glob.escape(file.name)}.*.part"):
        left.unlink(missing_ok=True)  # of a write that was ended; what it was to be may be a key
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as out:
            out.write(text.encode("utf-8"))
            out.flush()
            os.fsync(out.fileno())
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    sync_folder(file.parent)


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, with mode 0700."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
        sync_folder(each.parent)


def expanded(name: str) -> Path:
    """A path as a person writes it: ~ is home; ~nobody, whom the system does not know, is left as it is."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def beside(graph: Path, ending: str) -> Path:
    """What belongs to a graph: `graph.toml` for `graph.db`, and `graph.sqlite.toml` for a graph of another ending."""
    return graph.with_suffix(ending) if graph.suffix == ".db" else graph.with_name(graph.name + ending)


def sync(file: Path) -> None:
    """See that a file and its name are on disk."""
    number = os.open(file, os.O_RDWR)
    try:
        os.fsync(number)
    finally:
        os.close(number)
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """See that the names in a folder are on disk, where the platform can be told."""
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
