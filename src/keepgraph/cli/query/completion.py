"""Tab completion at the prompt: keywords, functions, labels, relationship types, properties and commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from keepgraph import errors
from keepgraph.graph import Graph

COMMANDS = ("help", "schema", "params", "param", "limit", "explain", "quit")

_WORD = re.compile(r"(\w*)$")
_AFTER_COLON = re.compile(r"[:|&!]\s*\w*$")


class QueryCompleter(Completer):
    """Completes the words of queries; reads those of the graph at the first Tab."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._words: dict[str, list[str]] | None = None

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """The completions of the word before the cursor."""
        if self._words is None:
            try:
                self._words = self._graph.call("list_query_words")
            except errors.KeepgraphError:
                return  # while the user types, there is no place to show an error
        before, prefix, _ = _WORD.split(document.text_before_cursor, maxsplit=1)
        for word in complete(self._words, before, prefix):
            yield Completion(word, start_position=-len(prefix))


def complete(words: dict[str, list[str]], before: str, prefix: str) -> list[str]:
    """The words that begin with a prefix and may stand after the beginning of a query.

    Args:
        words: the words of the graph by kind: keywords, functions, labels, types, properties.
        before: what is typed up to the prefix.
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


def _innermost_bracket(text: str) -> str:
    """The last opening bracket that is not closed; "" if there is none."""
    open_brackets = []
    for letter in text:
        if letter in "([{":
            open_brackets.append(letter)
        elif letter in ")]}" and open_brackets:
            open_brackets.pop()
    return open_brackets[-1] if open_brackets else ""
