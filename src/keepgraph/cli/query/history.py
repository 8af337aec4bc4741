"""The history of the prompt: a file beside the graph. There is none for an encrypted graph: it would be plain text."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Any

import click

from keepgraph import permissions, store
from keepgraph.cli.output import terminal
from keepgraph.graph import Graph

readline: Any
try:
    import readline
except ImportError:  # on Windows
    readline = None

MAX_LINES = 1000


class PromptHistory:
    """The lines typed at the prompts of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._file = store.files.prompt_history(graph.path)
        self._is_encrypted = graph.database.key is not None
        self._is_wanted = readline is not None and not os.environ.get("KG_NO_HISTORY", "").strip()
        self._loaded_length = 0

    def load(self) -> None:
        """Give readline the lines of the file. The file of a graph that was encrypted since is wiped."""
        if self._is_encrypted:
            if self._file.is_file():
                with suppress(OSError):
                    store.files.remove_overwritten(self._file)
            click.secho("The graph is encrypted: what you type here is not kept.", dim=True)
        if readline is None:
            return
        readline.clear_history()
        if self._is_kept():
            for line in self._read():
                readline.add_history(line)
        self._loaded_length = readline.get_current_history_length()

    def save(self) -> None:
        """Add the lines typed since `load` to the file."""
        if readline is None:
            return
        length = int(readline.get_current_history_length())
        typed = [readline.get_history_item(place + 1) for place in range(self._loaded_length, length)]
        readline.clear_history()
        if self._is_kept() and typed:
            # The file is read again: another prompt may have written to it since.
            lines = [*self._read(), *(line for line in typed if line)][-MAX_LINES:]
            try:
                permissions.write(self._file, "".join(f"{line}\n" for line in lines))
            except (OSError, UnicodeEncodeError) as error:
                click.echo(f"What you typed was not kept: {terminal.printable(error)}", err=True)

    def _is_kept(self) -> bool:
        return self._is_wanted and not self._is_encrypted

    def _read(self) -> list[str]:
        try:
            return self._file.read_text(encoding="utf-8", errors="replace").splitlines()[-MAX_LINES:]
        except OSError:
            return []
