"""The command line `kg`: click commands, one module for each group, and output on the terminal.

Modules are imported when a command needs them, so that `kg` starts quickly.
"""

from __future__ import annotations

import atexit
import gc
import sys

from keepgraph.cli.root import kg


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal whose encoding lacks a letter of a name should still show the rest.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # Most of what a command makes stays until its end: a tenth of its time went into the search for cycles in it.
    gc.set_threshold(20_000)
    atexit.register(gc.freeze)
    kg(prog_name="kg")
