"""Common words of English, which a capital alone does not make a name: stop words, frequent words, inflections.

The word list comes with the default embedding model (`ml.frequent_words`). Without it our own lexicons decide alone.
All words are in small letters.
"""

from __future__ import annotations

from functools import lru_cache

from keepgraph.language import given_names, lexicons, quantities
from keepgraph.ml import frequent_words

_MAX_CACHED = 20_000  # answers per function; texts ask for the same words again and again
_MAX_LETTERS = 40  # a longer word is a file name or an address, and not looked at

_SUFFIXES = tuple(
    "ed ing ly tion sion ment ness able ible ful less ous ive ise ize ify ance ence ship hood ism ist ability".split()
)
_SUFFIXES_OF_SENTENCE_OPENERS = frozenset(["ed", "ing", "ly"])  # of verbs, and of adjectives with an adverb
_PREFIXES = "un re over under pre mis dis non out de co sub inter".split()


@lru_cache(maxsize=_MAX_CACHED)
def is_stop_word(word: str) -> bool:
    """Whether a word only joins, points or comments: the, however, yesterday."""
    return word.replace("’", "'") in lexicons.words("stop_words")


@lru_cache(maxsize=_MAX_CACHED)
def is_common(word: str) -> bool:
    """Whether a word is common, even if something is named so: mark, stripe, board, may. A word in the word list is
    common if it is inflected there. Places and given names are in the list too, and are not inflected.
    """
    if (
        is_stop_word(word)
        or word in lexicons.words("words_that_are_names")
        or word in lexicons.words("sentence_openers")
        or quantities.is_calendar_word(word)
    ):
        return True
    return word in frequent_words.load() and not given_names.contains(word) and bool(_inflections(word))


@lru_cache(maxsize=_MAX_CACHED)
def is_rarely_name(word: str) -> bool:
    """Whether a word is common and hardly ever a name. Titles capitalise it too."""
    return (
        is_common(word) and not quantities.is_calendar_word(word) and word not in lexicons.words("words_that_are_names")
    )


@lru_cache(maxsize=_MAX_CACHED)
def may_begin_sentence(word: str) -> bool:
    """Whether a word often begins a sentence in its plain meaning, so that its capital there does not make it a name.

    Stop words do, verbs (marked, marking) and adjectives (swiftly); the lexicon has those that are names as well.
    """
    if is_stop_word(word) or word in lexicons.words("sentence_openers"):
        return True
    in_list = word in frequent_words.load() and not given_names.contains(word)
    return in_list and bool(_inflections(word) & _SUFFIXES_OF_SENTENCE_OPENERS)


@lru_cache(maxsize=_MAX_CACHED)
def is_english(word: str) -> bool:
    """Whether a word is English: the word itself or its stem is in the word list, or it has an English suffix.

    Names of places and of well-known things are in the list too: a word that is not English is a name, but a word
    that is English may be one. Without the word list, every word is English.
    """
    word_list = frequent_words.load()
    if not word_list or len(word) > _MAX_LETTERS or is_stop_word(word) or word in word_list or is_common(word):
        return True
    if word.endswith(_SUFFIXES):
        return True
    stems = {word.removesuffix(suffix) for suffix in ("s", "es", "d", "er", "est", "or", "y", "'s")} - {word}
    stems |= {word.removeprefix(prefix) for prefix in _PREFIXES} - {word}
    stems |= {stem.removesuffix("s") for stem in stems}
    if word.endswith(("ies", "ied", "ier")):
        stems.add(f"{word[:-3]}y")
    return any(len(stem) > 2 and (stem in word_list or f"{stem}e" in word_list) for stem in stems)


def may_be_part_of_name(word: str, key: str) -> bool:
    """Whether a word may be somebody's first or last name: written with a capital, or known as a given name."""
    if len(key) < 2 or not key.isalpha():
        return False
    return word[:1].isupper() or (given_names.contains(key) and not is_common(key))


def is_frequent(word: str) -> bool:
    """Whether a word is in the word list, as a word or a name. Without the word list, none is."""
    return word in frequent_words.load()


@lru_cache(maxsize=_MAX_CACHED)
def _inflections(word: str) -> frozenset[str]:
    """The endings with which a word is in the word list as well."""
    word_list = frequent_words.load()
    stem = word.removesuffix("e")
    endings = {ending for ending in ("s", "es", "ed", "ing", "ly") if word + ending in word_list}
    endings |= {
        ending for ending in ("ed", "ing") if stem + ending in word_list or word + word[-1:] + ending in word_list
    }
    if word.endswith("y") and {f"{word[:-1]}ied", f"{word[:-1]}ies"} & word_list:
        endings.add("ed")
    is_inflected = word.endswith(("ed", "ing")) and bool({word[:-2], word[:-1], word[:-3], f"{word[:-3]}e"} & word_list)
    return frozenset(endings | {"ed"} if is_inflected else endings)
