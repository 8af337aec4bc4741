"""Locks on work that only one process may do at a time on a graph; a process that dies loses them.

The system holds the lock, on a file beside the graph: it ends with its process, whatever happens. A leftover file
means nothing by itself.
"""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from keepgraph import errors
from keepgraph.store.transactions import Tx

fcntl: Any
msvcrt: Any
try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None
    import msvcrt

_ATTEMPTS = 4
_PAUSE_SECONDS = 0.03


@contextmanager
def try_lock(graph: Path, work: str) -> Iterator[bool]:
    """Whether nobody else does this work on a graph; inside, nobody else can.

    Args:
        work: the name of the work, a part of the name of the file.

    Raises:
        errors.GraphReadOnly: no file can be created beside the graph.
    """
    file = lock_file(graph, work)
    descriptor = _try_repeatedly(file)
    try:
        yield descriptor is not None
    finally:
        if descriptor is not None:
            # Windows removes no file that is open; elsewhere it is removed while nobody else can lock it.
            if fcntl is not None:
                file.unlink(missing_ok=True)
            os.close(descriptor)
            with suppress(OSError):
                if fcntl is None:
                    file.unlink(missing_ok=True)


def _try_repeatedly(file: Path) -> int | None:
    """A descriptor of the file, locked; None if somebody else holds the lock, and is not only checking it."""
    for _ in range(_ATTEMPTS):
        try:
            descriptor = os.open(file, os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600)
        except PermissionError as error:
            raise errors.GraphReadOnly(f"{file.parent} is a read-only folder") from error
        if _lock(descriptor, exclusive=True) and _is_file_of_name(descriptor, file):
            return descriptor
        os.close(descriptor)
        time.sleep(_PAUSE_SECONDS)
    return None


def _is_file_of_name(descriptor: int, file: Path) -> bool:
    """Whether an open file is still the one that others open by this name."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(file))
    except FileNotFoundError:
        return False


def is_locked(tx: Tx, work: str) -> bool:
    """Whether somebody does this work on the graph of a transaction."""
    graph = Path(tx.conn.execute("SELECT file FROM pragma_database_list WHERE name = 'main'").fetchone()[0])
    try:
        descriptor = os.open(lock_file(graph, work), os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        return not _lock(descriptor, exclusive=False)
    finally:
        os.close(descriptor)


def remove_files(graph: Path) -> None:
    """Remove what killed runs have left beside a deleted graph."""
    for file in graph.parent.glob(f"{glob.escape(graph.name)}-*-lock"):
        file.unlink(missing_ok=True)


def lock_file(graph: Path, work: str) -> Path:
    return Path(f"{graph}-{work}-lock")


def _lock(descriptor: int, *, exclusive: bool) -> bool:
    """Lock an open file until it is closed; returns whether that was possible at once."""
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        else:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
