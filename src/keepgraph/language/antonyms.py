"""Antonyms, negation and action words: whether two names say the contrary, by lookup in lexicons.

Words are folded and English, with the commonest negations of some neighbouring languages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from keepgraph.language import lexicons

_PREFIX_STEMS = ("hyper", "hypo")
"""Stems in the lexicon of antonyms that are prefixes: any ending may follow them."""

_ANTONYM_PREFIXES = (
    ("hypo", "hyper"),
    ("micro", "macro"),
    ("inter", "intra"),
    ("pre", "pro"),
    ("over", "under"),
    ("off", "on"),
    ("min", "max"),
    ("pater", "mater"),
    ("exo", "endo"),
    ("abd", "add"),
    ("de", "re"),
    ("in", "ex"),
    ("major", "minor"),
    ("maj", "min"),
    ("north", "south"),
    ("east", "west"),
)
_OPPOSITE_PREFIXES = (
    *(pair for pair in _ANTONYM_PREFIXES if pair != ("major", "minor")),
    ("in", "out"),
    ("pre", "post"),
    ("up", "down"),
    ("mono", "poly"),
    ("single", "multi"),
    ("", "un"),
    ("", "dis"),
    ("en", "dis"),
)
_MIN_AFTER_PREFIX = 4
_ANTONYM_SUFFIXES = (("er", "ee"), ("or", "ee"))

# A decision to keep or to change something is worded as one to do something: "stay on", "move to" and "use".
_COMPATIBLE_ACTIONS = ({"doing", "keeping"}, {"doing", "changing"})


def differ_in_polarity(query: Sequence[str], name: Sequence[str], *, type_named: bool) -> bool:
    """Whether exactly one of the two negates, ends or forbids something.

    With `type_named`, the query names the type of the entity ("the decision on X"): it may then leave out the
    negation of the name.
    """
    query_negates, name_negates = (any(is_negating(word) for word in words) for words in (query, name))
    return query_negates != name_negates and not (type_named and name_negates)


def differ_by_antonym(query: Sequence[str], name: Sequence[str]) -> bool:
    """Whether one has a word, and the other has not that word but its antonym."""
    in_query, in_name = (frozenset().union(*map(_sides, words)) for words in (query, name))
    only_query, only_name = in_query - in_name, in_name - in_query
    return any((line, not is_first) in only_name for line, is_first in only_query)


def are_antonyms(word: str, other: str) -> bool:
    """Whether two similar words are antonyms by their prefix or suffix: import, export; employer, employee."""
    return any(
        (word.startswith(prefix) and other.startswith(opposite))
        or (word.startswith(opposite) and other.startswith(prefix))
        for prefix, opposite in _ANTONYM_PREFIXES
    ) or any(
        word[:-2] == other[:-2] and {word[-2:], other[-2:]} == {suffix, opposite}
        for suffix, opposite in _ANTONYM_SUFFIXES
    )


def have_opposite_prefixes(word: str, other: str) -> bool:
    """Whether two words are the same but for prefixes that say the contrary: insource, outsource."""
    return any(
        len(rest := first.removeprefix(prefix)) >= _MIN_AFTER_PREFIX
        and first == prefix + rest
        and second == opposite + rest
        for prefix, opposite in _OPPOSITE_PREFIXES
        for first, second in ((word, other), (other, word))
    )


def are_compatible_actions(word: str, other: str) -> bool:
    """Whether both words only say what is done, and not the contrary: adopt, use; keep, use; but not keep, change."""
    kind, other_kind = action_kind(word), action_kind(other)
    if kind is None or other_kind is None:
        return False
    return kind == other_kind or {kind, other_kind} in _COMPATIBLE_ACTIONS


def is_action(word: str) -> bool:
    """Whether a word only says what is done: use, keep, move, delay, stop."""
    return action_kind(word) is not None


@lru_cache(maxsize=8192)
def is_negating(word: str) -> bool:
    """Whether a word negates, ends or forbids."""
    return bool(_action_patterns()["negating"].fullmatch(word))


def is_polar(word: str) -> bool:
    """Whether a word says for or against what something is: an action, a negation, or a word that has an antonym."""
    return is_action(word) or bool(_sides(word))


@lru_cache(maxsize=8192)
def _sides(word: str) -> frozenset[tuple[int, bool]]:
    """The sides of the lexicon on which a word stands: the number of the line, and whether it is the first side.

    It stands where a stem does that it is, with an ending of at most 3 letters, or of 1 after a stem of at most 3.
    """
    stems = _stems()
    beginnings = (word[:length] for length in range(1, len(word) + 1))
    return frozenset().union(*(stems[stem] for stem in beginnings if stem in stems and _is_stem_of(stem, word)))


def _is_stem_of(stem: str, word: str) -> bool:
    return stem in _PREFIX_STEMS or len(word) - len(stem) <= (3 if len(stem) > 3 else 1)


@lru_cache(maxsize=8192)
def action_kind(word: str) -> str | None:
    """What a word does that only says what is done: keeping, changing, doing, postponing or negating; else None."""
    return next((kind for kind, pattern in _action_patterns().items() if pattern.fullmatch(word)), None)


@cache
def _stems() -> dict[str, frozenset[tuple[int, bool]]]:
    """The stems of the lexicon of antonyms, each with the sides of the lines on which it stands."""
    stems: dict[str, frozenset[tuple[int, bool]]] = {}
    for line, sides in enumerate(lexicons.pairs("antonyms", "/")):
        for side, is_first in zip(sides, (True, False), strict=True):
            for stem in side.split():
                stems[stem] = stems.get(stem, frozenset()) | {(line, is_first)}
    return stems


@cache
def _action_patterns() -> dict[str, re.Pattern[str]]:
    """A pattern for the words of each kind of action, in the order in which kinds are tried."""
    words_by_kind: dict[str, list[str]] = {}
    for kind, words in lexicons.pairs("action_words", ":"):
        words_by_kind.setdefault(kind, []).extend(words.split())
    return {
        kind: re.compile("|".join(word.replace("*", r"\w*") for word in words)) for kind, words in words_by_kind.items()
    }
