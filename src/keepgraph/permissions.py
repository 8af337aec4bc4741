"""Files and folders that only their owner can read, written so that they are complete on disk."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write(file: Path, text: str) -> None:
    """Write a file with mode 0600, atomically; it is on disk when this returns. A symbolic link is followed."""
    file = file.resolve()
    make_folder(file.parent)
    for other in file.parent.iterdir():
        if other.suffix == ".part" and other.stem.startswith(f".{file.name}."):
            other.unlink(missing_ok=True)  # of an interrupted write; it may hold a key
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
    """Create a folder, and any missing parents, with mode 0700."""
    missing = [ancestor for ancestor in (folder, *folder.parents) if not ancestor.exists()]
    for new in reversed(missing):
        new.mkdir(mode=0o700, exist_ok=True)
        sync_folder(new.parent)


def is_running(process: int) -> bool:
    """Whether a process with this number runs; true if that is unknown."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def expanded(name: str) -> Path:
    """A path as a person writes it: ~ is the home folder; ~name of an unknown user is left unchanged."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def beside(graph: Path, suffix: str) -> Path:
    """A file beside a graph: `graph.toml` for `graph.db`, and `graph.sqlite.toml` for `graph.sqlite`."""
    return graph.with_suffix(suffix) if graph.suffix == ".db" else graph.with_name(graph.name + suffix)


def sync(file: Path) -> None:
    """Sync a file and its name to disk."""
    descriptor = os.open(file, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to disk, if the platform can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
