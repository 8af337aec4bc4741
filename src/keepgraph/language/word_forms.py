"""Word forms: which words of an index are forms of a word in German, French, Spanish, Italian, Portuguese or Russian.

Full-text indexes stem every word as an English one (the tokenizer `porter` of FTS5) and keep no accents. Words of other
languages are therefore compared by their Snowball stems when a question is asked, and nothing more is stored.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from threading import Lock
from typing import Any

from keepgraph.language import common_words, known_words, lexicons

_STEMMERS = {
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "ru": "russian",
}

LANGUAGES = frozenset(_STEMMERS)

_stemming = Lock()
"""A stemmer keeps the word that it works on."""

_MIN_LETTERS = 4
"""A shorter word is compared as it is: many others begin with it."""

_CHANGING_LETTERS = 1
"""How many letters at the end of a stem a form may lack or have in another way: cheval, chevaux."""

_MAX_ENDING = 5
"""How many letters a form may have more than the word."""

_MIN_PREFIX = 3

_MOST_FREQUENT = 5

MAX_FORMS = 12
"""How many forms of a word are looked for, the shortest first."""


def languages(words: Iterable[str]) -> frozenset[str] | None:
    """The languages that most function words of a question are of; empty if that is English.

    Args:
        words: in small letters.

    Returns:
        None if none is a function word: the question may be in any language.
    """
    counts = dict.fromkeys(_STEMMERS, 0)
    english = []
    for word in words:
        for language in function_words().get(word, ()):
            counts[language] += 1
        if common_words.is_stop_word(word):
            english.append(word)
    most = max(counts.values())
    likely = frozenset(key for key, count in counts.items() if count == most) if most else frozenset()
    if likely and len(english) >= most:
        # Those that are more frequent in that language say nothing: an, am, will.
        english = [word for word in english if not known_words.is_frequent(word, likely)]
    if not english and not likely:
        return None
    return frozenset() if len(english) >= most else likely


@cache
def function_words() -> dict[str, tuple[str, ...]]:
    """The languages of each function word."""
    by_word: dict[str, tuple[str, ...]] = {}
    for line in lexicons.lines("function_words"):
        language, *words = line.split()
        for word in words:
            by_word[word] = (*by_word.get(word, ()), language)
    return by_word


def most_frequent_words() -> dict[str, list[str]]:
    """Some function words of each language, none of which another of these languages has."""
    by_language: dict[str, list[str]] = {language: [] for language in _STEMMERS}
    for word, of_languages in function_words().items():
        if len(of_languages) == 1 and len(by_language[of_languages[0]]) < _MOST_FREQUENT:
            by_language[of_languages[0]].append(word)
    return by_language


def prefixes(word: str, of_languages: Collection[str]) -> set[str]:
    """How the forms of a word may begin in an index, in each of some languages. None of a short word."""
    if len(word) < _MIN_LETTERS:
        return set()
    stems = [_porter(stem) for language in of_languages for stem in _stems(word, language)]
    return {stem[: max(_MIN_PREFIX, len(stem) - _CHANGING_LETTERS)] for stem in stems if len(stem) >= _MIN_PREFIX}


def forms(word: str, terms: Iterable[str], *, of_languages: Collection[str]) -> list[str]:
    """Those of some terms of an index that have the stem of a word in one of some languages, at most MAX_FORMS."""
    begins = tuple(prefixes(word, of_languages))
    if not begins:
        return []
    stems = {language: set(map(_porter, _stems(word, language))) for language in sorted(of_languages)}
    own = _porter(_without_accents(word))
    found = (
        term
        for term in terms
        if term.startswith(begins)
        and len(term) <= len(word) + _MAX_ENDING
        and term not in (word, own)
        and any(not of_stem.isdisjoint((term, _porter(_stem(term, key)))) for key, of_stem in stems.items())
        and _porter(term) == term  # else the index would not find it: it stems what it is asked
    )
    return sorted(found, key=lambda term: (len(term), term))[:MAX_FORMS]


def _stems(word: str, language: str) -> set[str]:
    """The stems of a word with its accents, and without: without accents."""
    return {_without_accents(_stem(word, language)), _stem(_without_accents(word), language)}


@lru_cache(maxsize=20_000)
def _stem(word: str, language: str) -> str:
    stemmer = _stemmer(language)
    with _stemming:
        stem: str = stemmer.stemWord(word)
    return stem


def _porter(word: str) -> str:
    """The stem of a word in the indexes."""
    return _stem(word, "porter")


@cache
def _stemmer(language: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(_STEMMERS.get(language, language))


def _without_accents(word: str) -> str:
    """A word as the indexes have it: small letters, Latin ones without accents."""
    if word.isascii():
        return word
    return "".join(_base(c) for c in word)


def _base(character: str) -> str:
    base = unicodedata.normalize("NFD", character)[0]
    return base if base.isascii() else character
