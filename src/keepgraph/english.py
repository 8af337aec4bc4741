"""English words of messages: a number with its noun, and a noun with its article."""

from __future__ import annotations

from collections.abc import Sequence

_IRREGULAR = {"person": "people"}
_SIBILANTS = ("s", "x", "z", "ch", "sh")


def count_noun(number: int, noun: str) -> str:
    """A number of things, in words: `1 fact`, `1,200 facts`, `2 proposed entities`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """The plural of a noun, which may have other words before it."""
    before, space, last = noun.rpartition(" ")
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif last.endswith("y") and last[-2:-1] not in "aeiou":
        last = f"{last[:-1]}ies"
    else:
        last += "es" if last.endswith(_SIBILANTS) else "s"
    return f"{before}{space}{last}"


def listed(names: Sequence[str], most: int, *, separator: str = ", ") -> str:
    """At most `most` names, and how many more there are: `Ana, Bob and 3 more`."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{separator.join(names[:most])}{more}"


def with_article(noun: str) -> str:
    """A noun, or the name of a type, with its indefinite article: a project, an organisation."""
    return f"{'an' if noun[:1].lower() in tuple('aeiou') else 'a'} {noun.replace('_', ' ')}"
