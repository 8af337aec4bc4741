"""The allocator of the C library: few arenas, and free memory given back. For a process that runs for days.

The threads of a server allocate by turns, and glibc gives each an arena of its own, in which what is free between two
blocks stays with the process. Other C libraries are left as they are.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

_M_ARENA_MAX = -8
"""https://man7.org/linux/man-pages/man3/mallopt.3.html"""

_ARENAS = 2


def limit_arenas() -> None:
    """Let all threads share two arenas. Those that exist stay, so this comes before the first thread."""
    library = _library()
    if library is not None:
        library.mallopt(_M_ARENA_MAX, _ARENAS)


def release_free_memory() -> None:
    """Give the pages back to the system on which nothing is allocated."""
    library = _library()
    if library is not None:
        library.malloc_trim(0)


@cache
def _library() -> Any | None:
    """The C library, where it is glibc."""
    if sys.platform != "linux":
        return None
    import ctypes

    library = ctypes.CDLL(None)
    return library if hasattr(library, "malloc_trim") and hasattr(library, "mallopt") else None
