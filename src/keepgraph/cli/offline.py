"""Offline mode: an audit hook that blocks this process from the network."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_NETWORK_EVENTS = frozenset(
    {"socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}
)

_block_count = 0
_hook_installed = False


@contextmanager
def block_network() -> Iterator[None]:
    """Within this context, no code in this process can reach a network (audit hooks, PEP 578)."""
    global _block_count, _hook_installed
    if not _hook_installed:
        sys.addaudithook(_audit)  # a hook cannot be removed; outside the context it does nothing
        _hook_installed = True
    _block_count += 1
    try:
        yield
    finally:
        _block_count -= 1


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _NETWORK_EVENTS and _block_count:
        # A path is the address of a local socket, which the system keyring needs.
        if event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], str | bytes):
            return
        raise PermissionError("Keepgraph is offline: its profile says offline = true")
