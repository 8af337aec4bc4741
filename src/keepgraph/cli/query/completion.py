"""Tab completion at the prompt: keywords, functions, labels, relationship types, properties and commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from keepgraph import errors
from keepgraph.graph import Graph

readline: Any
try:
    import readline
except ImportError:  # on Windows
    readline = None

COMMANDS = ("help", "schema", "params", "param", "limit", "explain", "quit")

_WORD_DELIMITERS = " \t\n`~!@#%^&*()-=+[{]}\\|;:'\",<>/?."
_AFTER_COLON = re.compile(r"[:|&!]\s*\w*$")


@contextmanager
def tab_completion(graph: Graph) -> Iterator[None]:
    """Within this context, Tab completes the words of queries."""
    if readline is None:
        yield
        return
    readline.set_completer(_Completer(graph).complete)
    readline.set_completer_delims(_WORD_DELIMITERS)
    is_editline = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_editline else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(None)


def complete(words: dict[str, list[str]], before: str, prefix: str) -> list[str]:
    """The words that begin with a prefix and may stand after the beginning of a line.

    Args:
        words: the words of the graph by kind: keywords, functions, labels, types, properties.
        before: the line up to the prefix.
    """
    bracket = _innermost_bracket(before)
    if before.strip() == ":":
        candidates = list(COMMANDS)
    elif before.endswith("."):
        candidates = words["properties"]
    elif _AFTER_COLON.search(before) and bracket != "{":
        candidates = words["types"] if bracket == "[" else words["labels"]
    else:
        candidates = [*words["keywords"], *(f"{name}(" for name in words["functions"])]
    return [word for word in candidates if word.lower().startswith(prefix.lower())]


class _Completer:
    """The completer of readline: reads the words of the graph at the first Tab."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._words: dict[str, list[str]] | None = None
        self._candidates: list[str] = []

    def complete(self, text: str, state: int) -> str | None:
        """The candidate with the number `state`; readline asks for 0, 1, … until it gets None."""
        if state == 0:
            self._candidates = self._complete(readline.get_line_buffer()[: readline.get_begidx()], text)
        return self._candidates[state] if state < len(self._candidates) else None

    def _complete(self, before: str, prefix: str) -> list[str]:
        if self._words is None:
            try:
                self._words = self._graph.call("list_query_words")
            except errors.KeepgraphError:
                return []  # while the user types, there is no place to show an error
        return complete(self._words, before, prefix)


def _innermost_bracket(text: str) -> str:
    """The last opening bracket that is not closed; "" if there is none."""
    open_brackets = []
    for letter in text:
        if letter in "([{":
            open_brackets.append(letter)
        elif letter in ")]}" and open_brackets:
            open_brackets.pop()
    return open_brackets[-1] if open_brackets else ""
