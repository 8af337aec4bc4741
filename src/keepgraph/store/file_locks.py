"""File locks: a shared lock while a process has a graph open, an exclusive one to replace its file.

The lock is taken on a file beside the graph, `graph.db-lock`; the system releases it when the process ends, however it
ends, and the last to release it removes the file. Where such locks are missing (on Windows), an open file cannot be
replaced anyway.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from keepgraph import errors

fcntl: Any
try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None

_RETRY_SECONDS = 0.05


class SharedLock:
    """While held, tells others that this process has a graph open: nobody may then replace its file."""

    def __init__(self, graph: Path) -> None:
        self._file = lock_file(graph)
        self._descriptor: int | None = None

    @property
    def descriptor(self) -> int | None:
        """The descriptor of the lock file, while the lock is held; None if there is no such file."""
        return self._descriptor

    def acquire(self, *, timeout: float) -> None:
        """Wait until nobody is replacing the file of the graph, then share the lock.

        Raises:
            errors.GraphBusy: somebody still is after `timeout` seconds.
        """
        if self._descriptor is None and fcntl is not None:
            # In a read-only folder, nothing can be replaced either.
            with suppress(OSError):
                self._descriptor = _lock_or_wait(
                    self._file, fcntl.LOCK_SH, timeout=timeout, problem="is being encrypted, decrypted or restored"
                )

    @contextmanager
    def try_exclusive(self) -> Iterator[bool]:
        """Whether no other process holds the lock; inside, none can take it. For use before the graph is opened."""
        if self._descriptor is None or fcntl is None:
            yield False
            return
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._share_again()
            yield False
            return
        try:
            yield True
        finally:
            self._share_again()

    def release(self) -> None:
        if self._descriptor is not None:
            _unlock(self._file, self._descriptor)
            self._descriptor = None

    def _share_again(self) -> None:
        """Retake the shared lock: flock first releases the old one, and another process may then remove the file."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = _lock(self._file, fcntl.LOCK_SH)


@contextmanager
def exclusive(graph: Path, *, timeout: float) -> Iterator[None]:
    """Hold the exclusive lock of a graph, to replace its file.

    Raises:
        errors.GraphBusy: somebody else still has it open after `timeout` seconds.
        errors.GraphReadOnly: no file can be created beside it.
    """
    if fcntl is None:
        yield
        return
    try:
        os.close(os.open(lock_file(graph), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    except PermissionError as error:
        raise errors.GraphReadOnly(f"{graph} is in a read-only folder") from error
    descriptor = _lock_or_wait(lock_file(graph), fcntl.LOCK_EX, timeout=timeout, problem="is open in another program")
    try:
        yield
    finally:
        _unlock(lock_file(graph), descriptor)


def lock_file(graph: Path) -> Path:
    return Path(f"{graph}-lock")


def _lock_or_wait(file: Path, kind: int, *, timeout: float, problem: str) -> int:
    deadline = time.monotonic() + timeout
    while True:
        try:
            return _lock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                raise errors.GraphBusy(
                    f"{str(file).removesuffix('-lock')} {problem}",
                    hint="Quit what uses it (Claude Desktop, `kg serve`), then try again. Nothing was changed.",
                ) from error
        time.sleep(_RETRY_SECONDS)


def _lock(file: Path, kind: int) -> int:
    """A descriptor of the lock file, locked; the file is still the one that others open by this name."""
    while True:
        descriptor = os.open(file, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, kind)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(descriptor), os.stat(file)):
                    return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _unlock(file: Path, descriptor: int) -> None:
    """Release a lock. Its last holder removes the file; a waiting process notices, and creates another."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.unlink(missing_ok=True)
    except OSError:
        pass  # others hold it
    finally:
        os.close(descriptor)
