"""Synonyms: one form for words that say the same in a statement, whatever their inflection or derivation."""

from __future__ import annotations

from functools import cache, lru_cache

from keepgraph.language import inflection, lexicons

_MIN_ROOT = 4
_NO_LINES: frozenset[int] = frozenset()
_DERIVATIONS = (
    "ically", "ations", "ation", "itions", "ition", "ments", "ment", "ances", "ance", "ences", "ence", "ities", "ity",
    "ness", "ings", "ing", "ized", "ised", "ally", "ably", "ably", "ions", "ion", "ical", "ably", "able", "ible", "als",
    "ics", "ers", "ors", "ies", "al", "ic", "er", "or", "ly", "y", "s",
)  # fmt: skip


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """The form in which words of two statements are compared; `word` is in small letters.

    `allergic` and `allergy` have one, and so have `begins` and `starting`. It is for comparison only.
    """
    stem = inflection.stem(word)
    return _first_by_stem().get(stem) or _without_derivation(stem)


def are_synonyms_in_names(word: str, other: str) -> bool:
    """Whether one folded word may stand for the other in the name of a thing: annual, yearly; not whether it does."""
    lines = _lines_by_stem()
    return not lines.get(inflection.stem(word), _NO_LINES).isdisjoint(lines.get(inflection.stem(other), _NO_LINES))


def _without_derivation(stem: str) -> str:
    for ending in _DERIVATIONS:
        if stem.endswith(ending) and len(stem) - len(ending) >= _MIN_ROOT:
            return stem.removesuffix(ending)
    return stem


@cache
def _first_by_stem() -> dict[str, str]:
    first: dict[str, str] = {}
    for line in lexicons.lines("synonyms"):
        words = line.split()
        root = next((first[stem] for word in words if (stem := inflection.stem(word)) in first), None)
        for word in words:
            first.setdefault(inflection.stem(word), root or _without_derivation(inflection.stem(words[0])))
    return first


@cache
def _lines_by_stem() -> dict[str, frozenset[int]]:
    """In which lines of the lexicon of names each stem stands."""
    lines: dict[str, frozenset[int]] = {}
    for number, line in enumerate(lexicons.lines("name_synonyms")):
        for word in line.split():
            stem = inflection.stem(word)
            lines[stem] = lines.get(stem, _NO_LINES) | {number}
    return lines
