"""Core dumps: none is written of a process that holds a key, which would be in it."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache

_PR_SET_DUMPABLE = 4
"""https://man7.org/linux/man-pages/man2/PR_SET_DUMPABLE.2const.html"""


@cache
def prevent() -> None:
    """Ask the system, once, to write no core dump of this process, nor of those that it starts.

    On Linux the limit does not hold for a program to which dumps are piped: there the process is marked too, which also
    keeps other programs of the user from reading its memory. On Windows nothing is done. It never fails: a system that
    refuses has no such limit.
    """
    try:
        import resource
    except ImportError:
        return
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
