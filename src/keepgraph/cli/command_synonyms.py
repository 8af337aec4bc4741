"""Words that people type instead of a command: synonyms, questions, and hints what to type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches


def command_line(words: Sequence[str]) -> list[str] | None:
    """The command line meant by one whose first word is not a command, or None."""
    first = words[0].casefold()
    if first == "help":
        asked = words[1:]
        return [*((asked and command_line(asked)) or asked), "--help"]
    if first in COMMAND_LINES:
        return [*COMMAND_LINES[first], *words[1:]]
    asked = " ".join(words).split()
    if len(asked) > 1 and asked[0].casefold() in _QUESTION_WORDS:
        return ["search", *words]
    return None


def advise(word: str, commands: Iterable[str]) -> str:
    """The hint for a word that is not a command."""
    if hint := _HINTS.get(word.casefold()):
        return hint
    if similar := get_close_matches(word.casefold(), [*commands, *COMMAND_LINES], n=1, cutoff=0.7):
        return f"Did you mean “{similar[0]}”?"
    return "See “kg --help”. To look something up: `kg search …`. To keep a note: `kg remember …`."


_PAGE = "To see the graph in your browser: `kg ui`. In the terminal: `kg overview`, and `kg show NAME`."
_NO_SETUP = 'No setup is needed: `kg remember "…"` or `kg record …` creates the graph. For a client: `kg install`.'
_SETTINGS = "Settings are in a file beside the graph: `kg profile show` shows its path and contents."
_CHANGES = "To change an entity: `kg set`, `kg rename`, `kg retype` or `kg edit`. To end a fact: `kg end`."

COMMAND_LINES = {
    "note": ("remember",),
    "save": ("remember",),
    "find": ("search",),
    "ask": ("search",),
    "ls": ("list",),
    "get": ("recall",),
    "lookup": ("recall",),
    "cat": ("show",),
    "browse": ("ui",),
    "web": ("ui",),
    "gui": ("ui",),
    "page": ("ui",),
    "new": ("add",),
    "create": ("add",),
    "rm": ("forget",),
    "remove": ("forget",),
    "delete": ("forget",),
    "mv": ("rename",),
    "close": ("resolve",),
    "done": ("resolve",),
    "todo": ("next",),
    "todos": ("next",),
    "tasks": ("next",),
    "count": ("stats",),
    "changes": ("log",),
    "whoami": ("me",),
    "doubles": ("duplicates",),
    "pending": ("review", "--list"),
    "reminder": ("remind",),
    "decision": ("decide",),
    **{
        kind: ("list", kind)
        for kind in (
            "people", "persons", "projects", "tags", "blockers", "texts", "notes", "facts", "types", "predicates",
            "sources", "groups", "proposals", "entities", "concepts",
        )
    },
}  # fmt: skip
"""Other words for a command, with its arguments; help does not list them."""

_QUESTION_WORDS = frozenset("who what where when which why how whose".split())
"""A command line that begins with one of these is a question, for `kg search`."""

_HINTS = {
    "today": "To-dos: `kg next`. Decisions and blockers: `kg week`. Changes: `kg log`.",
    "tomorrow": "Due soon: `kg next`.",
    "yesterday": "Changes: `kg log`. The state then: `kg week --as-of yesterday`.",
    "open": f"{_PAGE} For what is still to do: `kg next`.",
    "graph": _PAGE,
    "map": _PAGE,
    "version": "Type `kg --version`.",
    "config": _SETTINGS,
    "settings": _SETTINGS,
    "init": _NO_SETUP,
    "setup": _NO_SETUP,
    "login": "There is no account: the graph is a file on this machine. To encrypt it: `kg encrypt`.",
    "sync": "Nothing is sent anywhere. To copy the graph: `kg backup`, or `kg export`.",
    "update": _CHANGES,
    "change": _CHANGES,
    "chat": "A language model uses the graph through a client: `kg install`.",
}
"""The hint for a word that is not a command."""
