"""Interruption: a long computation that knows nothing of calls stops when the call that it belongs to must end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Check = Callable[[], Exception | None]
"""Returns the reason to stop, or None to go on."""

_check: ContextVar[Check | None] = ContextVar("interruption", default=None)


@contextmanager
def by(check: Check | None) -> Iterator[None]:
    """Let `check` stop what is computed inside, in this thread; None: nothing stops it."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)


def raise_if_due() -> None:
    """Raise the reason to stop, if there is one. Cheap enough for every sentence, and not for every letter."""
    check = _check.get()
    reason = check() if check is not None else None
    if reason is not None:
        raise reason
