"""What goes wrong in the database, in our own words. Knows result codes, and no connection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors

Stop = Callable[[], errors.KeepgraphError | None]
"""Asked now and then while a call works: the reason to give up, or None to go on."""

# Primary result codes of SQLite, by what they mean to the caller.
BUSY = {5, 6}
_CANNOT_WRITE = {8, 10, 13, 23}
_CONSTRAINT = {19}
_INTERRUPTED = {9}
NO_LOG_POSSIBLE = {8, 14}
NOT_A_DATABASE = {26}
DAMAGED = {11, 26}


def code(error: sqlite.Error) -> int:
    """The primary result code of SQLite, 0 where the driver itself complains."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def told(error: sqlite.Error, path: Path, *, writing: bool, stop: Stop | None) -> errors.KeepgraphError:
    """What an error of the driver means to the caller."""
    number = code(error)
    name = getattr(error, "sqlite_errorname", None) or type(error).__name__
    if number in _INTERRUPTED:
        return (stop() if stop else None) or errors.Cancelled("the call was interrupted")
    if number in BUSY:
        return errors.GraphBusy(f"{path} is locked by another writer")
    if number in _CANNOT_WRITE and (writing or number in {8, 13}):
        reason = {8: "it is read-only", 13: "the disk is full"}.get(number, f"the write failed ({name})")
        return errors.GraphWriteFailed(f"{path} could not be written: {reason}")
    if number in _CONSTRAINT:
        return errors.GraphWriteFailed(
            f"the graph refused the write ({name}: {error})",
            hint="Nothing was changed. This is a fault in Keepgraph; please report it.",
        )
    if number in DAMAGED:
        return errors.GraphDamaged(f"{path} is damaged: it cannot be read to the end ({name})")
    return errors.GraphUnavailable(f"{path} cannot be read as a graph ({name})")
