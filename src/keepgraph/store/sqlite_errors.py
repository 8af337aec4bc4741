"""Errors of SQLite: what a result code means, and which of our own errors it becomes."""

from __future__ import annotations

import errno
from pathlib import Path

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors
from keepgraph.store.cancellation import CancellationCheck

SQL_REFUSED = {1}
"""A statement names a table or a column that is not there, or does not fit the schema otherwise."""

_READONLY = 8
_IO_ERROR = 10
_FULL = 13

_BYTES_TO_READ = 1 << 16
"""What must be free on a disk for SQLite to open a graph, even to read it: the index of the log has 32 KiB."""

# Primary result codes (https://www.sqlite.org/rescode.html), by what they mean to a caller.
BUSY = {5, 6}
CANNOT_OPEN_LOG = {_READONLY, 14}
CORRUPT = {11, 26}
NOT_A_DATABASE = {26}
_INTERRUPTED = {9}
_WRITE_FAILED = {_READONLY, _IO_ERROR, _FULL, 23}
_CONSTRAINT_VIOLATED = {19}

_REASONS = {_READONLY: "it is read-only", _FULL: "the disk is full"}


def result_code(error: sqlite.Error) -> int:
    """The primary result code of SQLite; 0 for an error of the driver itself."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def translate(
    error: sqlite.Error, path: Path, *, writing: bool, cancellation: CancellationCheck | None
) -> errors.KeepgraphError:
    """The error to raise in the place of one of the driver.

    Args:
        writing: whether it was raised in a write transaction.
        cancellation: tells why a statement was interrupted.
    """
    code, name = _FULL if is_disk_full(error, path) else result_code(error), _name(error)
    if code in _INTERRUPTED:
        return (cancellation() if cancellation else None) or errors.Cancelled("the call was interrupted")
    if code in BUSY:
        return errors.GraphBusy(f"{path} is locked by another writer")
    if code in _WRITE_FAILED and (writing or code in {_READONLY, _FULL}):
        reason = _REASONS.get(code, f"the write failed ({name})")
        return errors.GraphWriteFailed(f"{path} could not be written: {reason}")
    if code in _CONSTRAINT_VIOLATED:
        return errors.GraphWriteFailed(
            f"the graph refused the write ({name}: {error})",
            hint="Nothing was changed. This is a fault in Keepgraph; please report it.",
        )
    if code in CORRUPT:
        return errors.GraphDamaged(f"{path} is damaged: it cannot be read to the end ({name})")
    return errors.GraphUnavailable(f"{path} cannot be opened or read ({name})")


def reason(error: sqlite.Error | OSError) -> str:
    """What went wrong, in words, or by its name if there are none."""
    if isinstance(error, OSError):
        return "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else error.strerror or _name(error)
    return _REASONS.get(result_code(error), _name(error))


def is_disk_full(error: sqlite.Error, path: Path) -> bool:
    """Whether a file failed to grow for want of room: SQLite calls it an error of input or output."""
    if result_code(error) != _IO_ERROR:
        return False
    import shutil

    return shutil.disk_usage(path.parent).free < _BYTES_TO_READ


def _name(error: Exception) -> str:
    return getattr(error, "sqlite_errorname", None) or type(error).__name__
