"""The `kg` command: what a person types, and how answers look on a terminal. Imports what a command needs, no more."""

from __future__ import annotations

import sys

from keepgraph.cli.root import kg


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter of a name should still show the rest.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    kg(prog_name="kg")
