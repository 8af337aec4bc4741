"""Keeps a command off the network: whatever in this process tries to reach it is refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_REACHING_OUT = frozenset(
    {"socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
)

_held = 0
_watching = False


@contextmanager
def held() -> Iterator[None]:
    """While this lasts, no library of ours can reach a network, by mistake or otherwise (PEP 578)."""
    global _held, _watching
    if not _watching:
        sys.addaudithook(_refuse)  # for good: hooks cannot be taken away, only be told to do nothing
        _watching = True
    _held += 1
    try:
        yield
    finally:
        _held -= 1


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _REACHING_OUT and _held:
        # The address of a socket within the machine is a path; the keyring is behind one.
        if event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], str | bytes):
            return
        raise PermissionError("Keepgraph is offline: its profile says offline = true")
