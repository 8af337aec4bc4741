"""Opposites and synonyms: whether two words of statements exclude each other, or say the same, by lexicons and prefix.

Both words are given as they stand in the texts, in small letters. Narrower than `antonyms`, which distinguishes names:
here each pair says that one thing cannot be both, at one time and in one respect.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache

from keepgraph import lazy
from keepgraph.language import common_words, inflection, lexicons, normalisation
from keepgraph.language.normalisation import Name

_PREFIXES = ("un", "non-", "non", "in", "im", "il", "ir", "dis", "mis")
_MUSICAL_KEY = lazy.compile(r"keyof[a-g](?:flat|sharp)?(?:minor|major)")  # see claims
_MIN_PREFIXED = 4


def exclude(word: str, other: str, *, may_be_tension: bool = False) -> bool:
    """Whether one thing cannot be both words, or do both.

    Args:
        may_be_tension: whether it is enough that it is hard to see how both could be.
    """
    sides, their_sides = (_sides().get(inflection.stem(each), {}) for each in (word, other))
    for line, side in sides.items():
        if their_sides.get(line, side) != side and (may_be_tension or line[0] != "tension"):
            return True
    short, long = sorted((word, other), key=len)
    return len(short) >= _MIN_PREFIXED and any(long == prefix + short for prefix in _PREFIXES)


def exclusive_group(word: str) -> frozenset[str]:
    """The groups of values to which a value belongs, such as colours or cities; one thing has one value of a group."""
    if _MUSICAL_KEY.fullmatch(word):
        return frozenset(("musical key",))
    return _groups().get(normalisation.Name(word).folded.replace(" ", "_"), frozenset())


def is_place_group(groups: frozenset[str]) -> bool:
    """Whether one of these groups is of places."""
    return not groups.isdisjoint(("city", "country", "continent", "planet"))


@cache
def _sides() -> dict[str, dict[tuple[str, int], int]]:
    """By the stem of a word: the lines of the lexicon that have it, by kind and number, and on which of their sides."""
    sides: dict[str, dict[tuple[str, int], int]] = defaultdict(dict)
    for number, (kind, text) in enumerate(lexicons.pairs("opposites", ":")):
        for side, words in enumerate(text.split("/")):
            for word in words.split():
                sides[inflection.stem(word)][kind, number] = side
    return sides


@cache
def _groups() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = defaultdict(set)
    for group, values in lexicons.pairs("exclusive_values", ":"):
        for value in values.split():
            groups[value].add(group)
    return {value: frozenset(names) for value, names in groups.items()}


# Antonyms, negation and action words: whether two names say the contrary, by lookup in lexicons.
#
# Words are folded and English, with the commonest negations of some neighbouring languages.

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
    """Whether one has a word, and the other its antonym instead."""
    in_query, in_name = (frozenset().union(*map(_antonym_sides, words)) for words in (query, name))
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


def are_compatible_actions(word: str, other: str) -> bool:
    """Whether both words only name actions, and not opposite ones: adopt, use; keep, use; but not keep, change."""
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
    return is_action(word) or bool(_antonym_sides(word))


@lru_cache(maxsize=8192)
def _antonym_sides(word: str) -> frozenset[tuple[int, bool]]:
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
    """The kind of action that a word names: keeping, changing, doing, postponing or negating; else None."""
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


# Opposite statements: of two short statements on the same matter, whether one wants what the other refuses.
#
# Only texts alike except for the polarity are compared: "Adopt SQLite" and "Do not use SQLite", "Open the office"
# and "Close the office". See antonyms.py for the languages.


def matter(statement: str) -> tuple[str, ...]:
    """What a statement is about: its words in alphabetical order, without those of action, negation and grammar."""
    words = Name(statement).words
    return tuple(sorted({word for word in words if not (common_words.is_stop_word(word) or is_polar(word))}))


def are_opposite(statement: str, other: str) -> bool:
    """Whether two statements on the same matter (see `matter`) contradict each other.

    False where that is not sure: where one of them negates twice, or both negate.
    """
    words, other_words = Name(statement).words, Name(other).words
    negations, other_negations = _count_negations(words), _count_negations(other_words)
    if max(negations, other_negations) > 1 or matter(statement) != matter(other):
        return False
    if negations or other_negations:
        if negations == other_negations:
            return False
        # "Close" negates and is the antonym of "open": both say the same.
        without = [[word for word in one if not is_negating(word)] for one in (words, other_words)]
        by_antonym = differ_by_antonym(words, other_words) and not differ_by_antonym(*without)
        return by_antonym or _statement_sides(words) == _statement_sides(other_words)
    kinds = {_kinds(words), _kinds(other_words)}
    return differ_by_antonym(words, other_words) or kinds == {("keeping",), ("changing",)}


def _count_negations(words: Sequence[str]) -> int:
    return sum(map(is_negating, words))


def _statement_sides(words: Sequence[str]) -> set[str]:
    """The words that have antonyms, without those of actions: what is open, remote, or public."""
    return {word for word in words if is_polar(word) and not is_action(word)}


def _kinds(words: Sequence[str]) -> tuple[str, ...]:
    """The kinds of the actions that are neither done nor negated: keeping, changing, postponing."""
    kinds = {kind for word in words if (kind := action_kind(word)) not in (None, "doing", "negating")}
    return tuple(sorted(filter(None, kinds)))


# Synonyms: one form for words that say the same in a statement, whatever their inflection or derivation.

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
