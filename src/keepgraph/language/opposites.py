"""Opposites: whether two words of statements exclude each other, by lexicons and by prefix.

Both words are given as they stand in the texts, in small letters. Narrower than `antonyms`, which tells names apart:
here each pair says that one thing cannot be both, at one time and in one respect.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import Literal, TypeAlias

from keepgraph import lazy
from keepgraph.language import inflection, lexicons, normalisation

OppositeKind: TypeAlias = Literal["state", "manner", "verb", "word", "tension"]

_PREFIXES = ("un", "non-", "non", "in", "im", "il", "ir", "dis", "mis")
_KINDS: dict[str, OppositeKind] = {"state": "state", "manner": "manner", "word": "word", "tension": "tension"}
_MUSICAL_KEY = lazy.compile(r"keyof[a-g](?:flat|sharp)?(?:minor|major)")  # see claims
_MIN_PREFIXED = 4
_NOT_PREFIXED = frozenset(
    "inside income invaluable inflammable infamous indifferent discount discover display dispatch dispose distribute "
    "impress import imported important inform invest interest intent intense include inner input instance under union "
    "unit unite until unless unto distant disease district discuss into insure increase indeed index indent mission "
    "mister indoor insight install intend invent invoice inhabited impart impact imposing impose implant improve "
    "implied infer infirm infuse inspire instate instill irritate illegible disturb dismay disclose disband".split()
)


def find_kinds(word: str, other: str) -> frozenset[OppositeKind]:
    """Whether and how two words are opposites; empty if they are none.

    Returns:
        "state" where something is one or the other, "manner" for how or where to something is done, "verb" where it
        does one or the other, "word" wherever they stand, and "tension" where it is hard to see how both could be.
    """
    if "-" in word and "-" in other:
        head, _, tail = word.partition("-")
        other_head, _, other_tail = other.partition("-")
        if tail == other_tail and find_kinds(head, other_head) - {"tension"}:
            return frozenset(("state", "manner"))
    theirs = _sides(other)
    kinds: set[OppositeKind] = {
        kind
        for kind, sides in _sides(word).items()
        for line, side in sides
        if any(their_line == line and their_side != side for their_line, their_side in theirs.get(kind, ()))
    }
    if _differ_by_negative_prefix(word, other):
        kinds.add("manner")
    return frozenset(kinds)


def exclusive_group(word: str) -> frozenset[str]:
    """The groups of values to which a value belongs, such as colours or cities; one thing has one value of a group."""
    if _MUSICAL_KEY.fullmatch(word):
        return frozenset(("musical key",))
    return _groups().get(normalisation.Name(word).folded.replace(" ", "_"), frozenset())


def is_place_group(groups: frozenset[str]) -> bool:
    """Whether one of these groups is of places."""
    return not groups.isdisjoint(("city", "country", "continent", "planet"))


def _differ_by_negative_prefix(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    if len(short) < _MIN_PREFIXED or long in _NOT_PREFIXED:
        return False
    if long.removesuffix("less") == short.removesuffix("ful") and long.endswith("less") and short.endswith("ful"):
        return True
    return any(long == prefix + short for prefix in _PREFIXES)


def _sides(word: str) -> dict[OppositeKind, list[tuple[int, int]]]:
    """By kind: the lines of the lexicon that have a word, and on which of their sides."""
    states, verbs = _index()
    sides: dict[OppositeKind, list[tuple[int, int]]] = {}
    for kind, line, side in states.get(word, ()):
        sides.setdefault(kind, []).append((line, side))
    if verb_sides := verbs.get(inflection.stem(word)):
        sides["verb"] = verb_sides
    return sides


@cache
def _index() -> tuple[dict[str, list[tuple[OppositeKind, int, int]]], dict[str, list[tuple[int, int]]]]:
    """The states and other words as they are written, and the verbs by their stems."""
    states: dict[str, list[tuple[OppositeKind, int, int]]] = defaultdict(list)
    verbs: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for line, (kind, text) in enumerate(lexicons.pairs("opposites", ":")):
        for side, words in enumerate(text.split("/")):
            for word in words.split():
                if kind == "verb":
                    verbs[inflection.stem(word)].append((line, side))
                else:
                    states[word].append((_KINDS[kind], line, side))
    return dict(states), dict(verbs)


@cache
def _groups() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = defaultdict(set)
    for group, values in lexicons.pairs("exclusive_values", ":"):
        for value in values.split():
            groups[value].add(group)
    return {value: frozenset(names) for value, names in groups.items()}
