"""The history of the prompt: a file beside the graph. There is none for an encrypted graph: it would be plain text."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

import click
from prompt_toolkit.history import History

from keepgraph import permissions, store
from keepgraph.cli.output import terminal
from keepgraph.cli.query import statements
from keepgraph.graph import Graph

MAX_LINES = 1000


class PromptHistory(History):
    """The statements typed at the prompts of a graph."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self._file = store.files.prompt_history(graph.path)
        self._is_encrypted = graph.database.key is not None
        self._is_stored = not self._is_encrypted and not os.environ.get("KG_NO_HISTORY", "").strip()
        self._typed: list[str] = []

    def wipe_if_encrypted(self) -> None:
        """Wipe the file of a graph that was encrypted since, and tell the user that there will be none."""
        if self._is_encrypted:
            if self._file.is_file():
                with suppress(OSError):
                    store.files.remove_overwritten(self._file)
            click.secho("The graph is encrypted: what you type here is not kept.", dim=True)

    def load_history_strings(self) -> Iterable[str]:
        """The statements of the file, newest first."""
        return reversed(statements.split("\n".join(self._read())) if self._is_stored else [])

    def store_string(self, string: str) -> None:
        """Remember what was typed until `save`."""
        self._typed += string.encode("utf-8", "replace").decode("utf-8").split("\n")

    def save(self) -> None:
        """Add what was typed in this session to the file."""
        if self._is_stored and self._typed:
            # The file is read again: another prompt may have written to it since.
            lines = [*self._read(), *self._typed][-MAX_LINES:]
            try:
                permissions.write(self._file, "".join(f"{line}\n" for line in lines))
            except OSError as error:
                click.echo(f"What you typed was not kept: {terminal.printable(error)}", err=True)

    def _read(self) -> list[str]:
        try:
            return self._file.read_text(encoding="utf-8", errors="replace").splitlines()[-MAX_LINES:]
        except OSError:
            return []
