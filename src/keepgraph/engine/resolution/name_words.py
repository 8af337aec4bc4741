"""Candidate generation by words: the names in the graph that have every word of a new one, with a typo or not.

Each word is looked for among the distinct words of all names, and only the names that have one of those that may be
meant are read (ADR 0060). Readers are also told of names that only look similar (`candidates`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from keepgraph import store
from keepgraph.language import abbreviations, given_names, typos
from keepgraph.store.name_words import Fragments
from keepgraph.store.transactions import Tx

_MIN_LETTERS_FOR_TWO_TYPOS = 7  # where another word of the name matches
_MAX_EDITS_OF_PLURAL = 3  # policy, policies


def names_with(tx: Tx, words: Sequence[str], *, of_types: Collection[str] | None, limit: int) -> list[tuple[str, int]]:
    """Folded names and aliases that have each of these folded words, as it is or with a typo, or a word for the same.

    Each comes with the row of its entity. None is missing that `similarity.compare` accepts with one typo in it.

    Args:
        of_types: only of entities of exactly these types; None for any.
    """
    alternatives = []
    for word in words:
        rows = alternatives_of(tx, word)
        if not rows:
            return []
        alternatives.append(rows)
    return store.name_words.names_with(tx, alternatives, of_types=of_types, limit=limit)


def alternatives_of(tx: Tx, word: str) -> frozenset[int]:
    """The rows of the words of names that may be meant by a folded word."""
    sure = {word, *synonyms(word), *_with_middle_swapped(word)}
    near = store.name_words.near(tx, sure, [_fragments(word)] if len(word) >= typos.MIN_LETTERS else [])
    meant = sure.intersection(near).union(_mistyped(word, near) if len(word) >= typos.MIN_LETTERS else ())
    return frozenset(near[each] for each in meant)


def synonyms(word: str) -> frozenset[str]:
    """Nicknames, other spellings, full forms and abbreviations of a folded word."""
    return frozenset(
        given_names.nicknames(word)
        | given_names.spellings(word)
        | {*abbreviations.expand(word), *abbreviations.abbreviate(word)}
    )


def _fragments(word: str) -> Fragments:
    """Its halves, one of which a typo leaves; and what two typos in a long word leave: its middle, or a third."""
    middle = (len(word) + 1) // 2
    start, end = word[: max(middle, 2)], word[min(middle, len(word) - 2) :]
    if len(word) < typos.MIN_LETTERS_FOR_TWO_TYPOS:
        return Fragments(len(word), start, end)
    third = len(word) // 3
    return Fragments(len(word), word[:third], word[2 * third :], word[third : 2 * third])


def _with_middle_swapped(word: str) -> list[str]:
    """The word with the two letters in its middle swapped: the one typo that leaves neither half as it was."""
    middle = (len(word) + 1) // 2
    if len(word) < typos.MIN_LETTERS or middle == len(word):
        return []
    return [f"{word[: middle - 1]}{word[middle]}{word[middle - 1]}{word[middle + 1 :]}"]


def _mistyped(word: str, others: Iterable[str]) -> list[str]:
    """Those of the others that may be the word with one typo, of longer ones with two, or its plural or singular."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    near = process.extract(word, list(others), scorer=OSA.distance, score_cutoff=_MAX_EDITS_OF_PLURAL, limit=None)
    return [other for other, edits, _ in near if _may_be(word, other, edits)]


def _may_be(word: str, other: str, edits: int) -> bool:
    if edits <= 1:
        return True
    short, long = (word, other) if len(word) <= len(other) else (other, word)
    return (
        (edits == 2 and len(short) >= _MIN_LETTERS_FOR_TWO_TYPOS)
        or long == f"{short}es"
        or (short.endswith("y") and long == f"{short[:-1]}ies")
    )
