"""Candidate generation: the names in the graph that are worth scoring, from the index of words and that of trigrams.

Scoring 100,000 names takes 20 to 60 ms, and ranking them by shared trigrams takes as long (ADR 0004). So each word is
looked up among the distinct words of all names, as written, with a typo, or by a synonym (ADR 0060). If names that only
look similar are wanted too, the trigram index finds names that contain a half of each word of the query: one typo
leaves one half of a word unchanged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from keepgraph import store
from keepgraph.language import abbreviations, given_names, normalisation, typos
from keepgraph.store.transactions import Tx
from keepgraph.store.word_references import Fragments

IndexedName: TypeAlias = tuple[int, str, bool]
"""The row of an entity, a folded form of its name or alias, and whether that form is the romanised one."""

MIN_SCORE = 0.60
"""Candidates with a lower score are left out of the answer."""

# These bound the time of a query of frequent words in a large graph.
_MAX_NAMES = 30_000
_MAX_WEAK_NAMES = 1_000
_MAX_NAMES_SCORED = 40  # by each of the quick scorers
_MAX_WORDS_SEARCHED = 3
_MAX_WORDS_VARIED = 3
_MAX_SPELLINGS_OF_NAME = 12
_MIN_LETTERS_FOR_TWO_TYPOS = 7  # where another word of the name matches
_MAX_EDITS_OF_PLURAL = 3  # policy, policies


def generate(
    tx: Tx, words: Sequence[str], *, of_types: Collection[str] | None, include_weak: bool
) -> list[IndexedName]:
    """The indexed names that a query of these folded words may mean.

    They contain every word, with or without a typo. If there are none, and with `include_weak`, they share a word.
    """
    from rapidfuzz import fuzz, process

    forms = _search_index(tx, words, of_types, include_weak=include_weak)
    if len(forms) <= 2 * _MAX_NAMES_SCORED:
        return list(forms)
    # Too many for the rules of `similarity`: the quick scorers choose those that look most similar.
    closest = dict.fromkeys(
        indexed_name
        for spelling in _spellings_of_name(words)
        for scorer in (fuzz.ratio, fuzz.WRatio)
        for _, _, indexed_name in process.extract(
            spelling, forms, scorer=scorer, limit=_MAX_NAMES_SCORED, score_cutoff=100 * MIN_SCORE
        )
    )
    return list(closest)


def _search_index(
    tx: Tx, words: Sequence[str], of_types: Collection[str] | None, *, include_weak: bool
) -> dict[IndexedName, str]:
    """The folded form of each name that the index returns."""
    if include_weak:
        rows = store.entities.by_trigrams(tx, _trigram_query(words), of_types=of_types, limit=_MAX_NAMES)
    else:
        rows = names_with(tx, _searched(words), of_types=of_types, limit=_MAX_NAMES)
    rows += store.entities.by_letters(tx, "".join(words))
    if not rows and include_weak:
        any_word = " OR ".join(f'" {word} "' for word in words)
        rows = store.entities.by_trigrams(tx, any_word, of_types=of_types, limit=_MAX_WEAK_NAMES)
    return {
        (row, form, bool(position)): form
        for folded, row in rows
        for position, form in enumerate(folded.split(normalisation.FORM_SEPARATOR))
    }


def _trigram_query(words: Sequence[str]) -> str:
    """An FTS5 query for names that contain all these words, with or without a typo, or run together.

    A phrase of all letters is slow. Whole names that are run together are also found by their letters.

    It may return too many names, but misses none that similarity.compare accepts with one typo. The longest words are
    enough, and faster.
    """
    query = " AND ".join(map(_word_query, _searched(words)))
    joined = "".join(words)
    return query if len(words) == 1 else f'({query}) OR " {joined} "'


def _searched(words: Sequence[str]) -> Sequence[str]:
    """The longest words of a query; initials only if there is nothing else."""
    longest = sorted(words, key=len, reverse=True)[:_MAX_WORDS_SEARCHED]
    return [word for word in longest if len(word) > 1] or longest


def _word_query(word: str) -> str:
    """A query for a word, for what a typo leaves of it, and for its other names and spellings."""
    synonyms = sorted(_synonyms(word))
    terms = _shortest([*_fragments(word), *(f" {synonym} " for synonym in synonyms)])
    return "(" + " OR ".join(f'"{term}"' for term in terms) + ")"


def _shortest(terms: Sequence[str]) -> list[str]:
    """The terms, without those that contain another: names that have them have that one too."""
    distinct = list(dict.fromkeys(terms))
    return [term for term in distinct if not any(other in term for other in distinct if other != term)]


def _fragments(word: str) -> list[str]:
    """Parts of a word, at least one of which survives a typo.

    One typo leaves the first or the second half, unless it swaps the two letters in the middle. Of two typos in a
    long word, a third of the word is left.
    """
    if len(word) < typos.MIN_LETTERS:
        return [f" {word} "]
    middle = (len(word) + 1) // 2
    swapped = f" {word[: middle - 1]}{word[middle]}{word[middle - 1]}{word[middle + 1 :]} "
    around_middle = swapped[max(middle - 2, 0) : middle + 3]
    fragments = [f" {word[: max(middle, 2)]}", f"{word[min(middle, len(word) - 2) :]} ", around_middle]
    if len(word) >= typos.MIN_LETTERS_FOR_TWO_TYPOS:
        third = len(word) // 3
        fragments += [f" {word[:third]}", word[third : 2 * third], f"{word[2 * third :]} "]
    return fragments


def _spellings_of_name(words: Sequence[str]) -> list[str]:
    """The name as it is, and with a nickname or another spelling for one of its first words."""
    spellings = [" ".join(words)]
    for position, word in enumerate(words[:_MAX_WORDS_VARIED]):
        spellings += [
            " ".join([*words[:position], other, *words[position + 1 :]])
            for other in sorted(given_names.nicknames(word) | given_names.spellings(word))
        ]
    return spellings[:_MAX_SPELLINGS_OF_NAME]


def names_with(tx: Tx, words: Sequence[str], *, of_types: Collection[str] | None, limit: int) -> list[tuple[str, int]]:
    """Folded names and aliases that have each of these folded words, as written, with a typo, or as a synonym.

    Each comes with the row of its entity. None that `similarity.compare` accepts with one typo is missing.

    Args:
        of_types: only of entities of exactly these types; None for any.
    """
    alternatives = []
    for word in words:
        rows = _alternatives_of(tx, word)
        if not rows:
            return []
        alternatives.append(rows)
    return store.word_references.names_with(tx, alternatives, of_types=of_types, limit=limit)


def _alternatives_of(tx: Tx, word: str) -> frozenset[int]:
    """The rows of the words of names that a folded word may mean."""
    sure = {word, *_synonyms(word), *_with_middle_swapped(word)}
    near = store.word_references.near(tx, sure, [fragments_of(word)] if len(word) >= typos.MIN_LETTERS else [])
    meant = sure.intersection(near).union(_mistyped(word, near) if len(word) >= typos.MIN_LETTERS else ())
    return frozenset(near[each] for each in meant)


def _synonyms(word: str) -> frozenset[str]:
    """Nicknames, other spellings, full forms and abbreviations of a folded word."""
    return frozenset(
        given_names.nicknames(word)
        | given_names.spellings(word)
        | {*abbreviations.expand(word), *abbreviations.abbreviate(word)}
    )


def fragments_of(word: str) -> Fragments:
    """The halves of a word, of which a typo leaves one; and its middle and thirds, of which two typos leave one."""
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
    """The others that may be the word with one typo, two if they are long, or its plural or singular."""
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
