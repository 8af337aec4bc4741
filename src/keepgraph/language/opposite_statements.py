"""Opposite statements: of two short statements on the same matter, whether one wants what the other refuses.

Only what is worded alike but for the polarity is compared: "Adopt SQLite" and "Do not use SQLite", "Open the office"
and "Close the office". See antonyms.py for the languages.
"""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph.language import antonyms, common_words
from keepgraph.language.normalisation import Name


def matter(statement: str) -> tuple[str, ...]:
    """What a statement is about: its words in alphabetical order, without those of action, negation and grammar."""
    words = Name(statement).words
    return tuple(sorted({word for word in words if not (common_words.is_stop_word(word) or antonyms.is_polar(word))}))


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
        without = [[word for word in one if not antonyms.is_negating(word)] for one in (words, other_words)]
        by_antonym = antonyms.differ_by_antonym(words, other_words) and not antonyms.differ_by_antonym(*without)
        return by_antonym or _sides(words) == _sides(other_words)
    kinds = {_kinds(words), _kinds(other_words)}
    return antonyms.differ_by_antonym(words, other_words) or kinds == {("keeping",), ("changing",)}


def _count_negations(words: Sequence[str]) -> int:
    return sum(map(antonyms.is_negating, words))


def _sides(words: Sequence[str]) -> set[str]:
    """The words that have antonyms, without those of actions: what is open, remote, or public."""
    return {word for word in words if antonyms.is_polar(word) and not antonyms.is_action(word)}


def _kinds(words: Sequence[str]) -> tuple[str, ...]:
    """The kinds of the actions that are neither done nor negated: keeping, changing, postponing."""
    kinds = {kind for word in words if (kind := antonyms.action_kind(word)) not in (None, "doing", "negating")}
    return tuple(sorted(filter(None, kinds)))
