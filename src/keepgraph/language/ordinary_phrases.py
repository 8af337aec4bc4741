"""Ordinary phrases: capitalised words that are not names, as in headings and lists.

They are told by the words themselves: frequent words, plurals and derived words (Invoices, Completion, Retry Policy).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from keepgraph.language import common_words, given_names, lexicons, name_similarity
from keepgraph.ml import frequent_words

_MAX_CACHED = 20_000

# Endings of derived words, each with what stands in their place in the word that they are derived from.
_DERIVATIONS = (
    ("ing", ("", "e")),
    ("ed", ("", "e")),
    ("ly", ("", "e", "y", "le")),
    ("ally", ("", "al")),
    ("ation", ("e", "ate")),
    ("tion", ("te", "t", "e")),
    ("sion", ("d", "de", "se", "s")),
    ("ment", ("", "e")),
    ("ness", ("", "e")),
    ("iness", ("y",)),
    ("ity", ("", "e")),
    ("ility", ("le",)),
    ("ance", ("", "e", "ant")),
    ("ence", ("", "e", "ent")),
    ("ability", ("able", "", "e")),
    ("able", ("", "e")),
    ("ible", ("", "e")),
    ("ful", ("",)),
    ("less", ("",)),
    ("ship", ("",)),
    ("ism", ("", "e")),
    ("ist", ("", "e", "ism")),
    ("ous", ("", "e", "y")),
    ("ive", ("e", "ion", "")),
    ("al", ("", "e")),
    ("er", ("", "e")),
    ("or", ("e", "")),
)
_MIN_STEM = 3


def is_ordinary(words: Sequence[str]) -> bool:
    """Whether words have only their plain meaning, so that their capitals do not make them a name.

    Before a plural or a derived word, any common word is ordinary: Warehouse Management.

    Args:
        words: in small letters.
    """
    if all(is_ordinary_word(word) for word in words):
        return True
    is_of_kind = is_plain_word(words[-1]) or _is_derived(words[-1])
    return is_of_kind and all(is_ordinary_word(word) or _is_common_noun(word) for word in words[:-1])


@lru_cache(maxsize=_MAX_CACHED)
def is_ordinary_word(word: str) -> bool:
    """Whether a word, in small letters, is an ordinary one: no name is mostly meant by it, even with a capital."""
    if is_plain_word(word):
        return True
    if _is_name(word):
        return False
    return (word in frequent_words.very_frequent() and common_words.is_common(word)) or _is_derived(word)


@lru_cache(maxsize=_MAX_CACHED)
def is_plain_word(word: str) -> bool:
    """Whether a word is hardly ever a name by itself: a stop word, a plural, one of the lexicon."""
    word = word.replace("’", "'").removesuffix("'s")
    if _is_name(word):
        return False
    return (
        common_words.is_stop_word(word)
        or name_similarity.is_generic(word)
        or word in lexicons.words("heading_words")
        or word in lexicons.words("interjections")
        or word in lexicons.words("ordinary_words")
        or _is_plural(word)
    )


def _is_common_noun(word: str) -> bool:
    return common_words.is_common(word) and word not in lexicons.words("well_known_names")


def _is_name(word: str) -> bool:
    """Whether a word is in use as a name as well, or mostly."""
    return (
        word in lexicons.words("well_known_names")
        or word in lexicons.words("words_that_are_names")
        or (given_names.contains(word) and not common_words.is_common(word))
    )


def _is_plural(word: str) -> bool:
    """Whether a word is the plural of a common one: invoices, policies, not Paris."""
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return False
    singulars = [
        word[:-1],
        *([word[:-2]] if word.endswith("es") else []),
        *([f"{word[:-3]}y"] if word[-3:] == "ies" else []),
    ]
    return any(
        len(singular) >= _MIN_STEM
        and (common_words.is_common(singular) or singular in lexicons.words("ordinary_words") or _is_derived(singular))
        for singular in singulars
    )


def _is_derived(word: str) -> bool:
    """Whether a word is an English one with an ending: completion, offered, reading."""
    for ending, replacements in _DERIVATIONS:
        if not word.endswith(ending):
            continue
        stem = word.removesuffix(ending)
        stems = [stem + replacement for replacement in replacements]
        if stem[-1:] == stem[-2:-1]:
            stems.append(stem[:-1])
        if any(len(each) >= _MIN_STEM and _is_base(each) for each in stems):
            return True
    return False


def _is_base(word: str) -> bool:
    return (common_words.is_common(word) or word in lexicons.words("ordinary_words")) and not (
        given_names.contains(word) and word not in frequent_words.load()
    )
