"""How a person names an entity in a command line: type:name, in quotes where the shell needs them."""

from __future__ import annotations

import shlex

from keepgraph import lazy

_NEEDS_NO_QUOTES = lazy.compile(r"[\w@%+=:,./-]+")
_MEANS_SOMETHING_IN_QUOTES = lazy.compile(r'["$`\\!]')


def entity_argument(entity_type: str, name: str, entity_id: str) -> str:
    """`person:Ana`, or `"person:Ana Ruiz"`. The id stands for a name that nobody can type."""
    if not name.isprintable() or name != " ".join(name.split()):
        return entity_id
    return quoted(f"{entity_type}:{name}")


def quoted(argument: str) -> str:
    """An argument with quotes around it if a shell would read it otherwise without them."""
    if _NEEDS_NO_QUOTES.fullmatch(argument):
        return argument
    # Double quotes where they are enough: the shells of Windows know no others.
    return shlex.quote(argument) if _MEANS_SOMETHING_IN_QUOTES.search(argument) else f'"{argument}"'
