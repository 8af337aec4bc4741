"""The command line `kg`: click commands, one module for each group, and output on the terminal.

Modules are imported when a command needs them, so that `kg` starts quickly.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

from keepgraph.cli.root import kg


def main() -> None:
    """Run the command line."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed by the caller; the lowest free descriptor is the closed one
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (open to the end)
    for stream in (sys.stdout, sys.stderr):
        # A terminal whose encoding lacks a letter of a name should still show the rest.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # Most of what a command makes stays until its end: a tenth of its time went into the search for cycles in it.
    gc.set_threshold(20_000)
    atexit.register(gc.freeze)
    kg(prog_name="kg")
