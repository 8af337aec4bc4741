"""Abbreviations: the full forms of a short form and the short forms of a full form, by lookup in a lexicon.

All words are folded. A full form of several words is looked up as a whole. Initials of any name are in `acronyms`.
"""

from __future__ import annotations

from functools import cache

from keepgraph.language import lexicons


def expand(short: str) -> tuple[str, ...]:
    """The full forms that an abbreviation may stand for, in the order of the lexicon."""
    return _index()[0].get(short, ())


def abbreviate(full: str) -> tuple[str, ...]:
    """The abbreviations of a name or a word, in the order of the lexicon."""
    return _index()[1].get(full, ())


@cache
def _index() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Full forms by short form, and short forms by full form."""
    full_forms: dict[str, tuple[str, ...]] = {}
    short_forms: dict[str, tuple[str, ...]] = {}
    for short, full in lexicons.pairs("abbreviations", "="):
        full_forms[short] = (*full_forms.get(short, ()), full)
        short_forms[full] = (*short_forms.get(full, ()), short)
    return full_forms, short_forms
