"""English words of messages: a number with its noun, and a noun with its article."""

from __future__ import annotations

import re

_IRREGULAR = {"person": "people"}
_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$")
_CONSONANT_AND_Y = re.compile(r"(?<=[^aeiou])y$")


def count_noun(number: int, noun: str) -> str:
    """A number of things, in words: `1 fact`, `1,200 facts`, `2 proposed entities`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """The plural of a noun, which may have other words before it."""
    before, space, last = noun.rpartition(" ")
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif _CONSONANT_AND_Y.search(last):
        last = _CONSONANT_AND_Y.sub("ies", last)
    else:
        last += "es" if _SIBILANT.search(last) else "s"
    return f"{before}{space}{last}"


def with_article(noun: str) -> str:
    """A noun, or the name of a type, with its indefinite article: a project, an organisation."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun.replace('_', ' ')}"
