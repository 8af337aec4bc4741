"""First-person words: "me" as a name, and questions about the person who asks."""

from __future__ import annotations

from functools import cache, lru_cache

from keepgraph import lazy
from keepgraph.language import lexicons
from keepgraph.language.normalisation import Name

_WORD = lazy.compile(r"[^\W_]+")
_AUXILIARIES = frozenset("do did am was have had will".split())
_WORDS_AFTER_TELLING = 3


def is_pronoun(text: str) -> bool:
    """Whether a name is only a word for the speaker: I, me, myself. ME and EU are more likely abbreviations.

    Accents count, except in words written with one: mí is a word for the speaker, and Èu is a name.
    """
    parts = text.split(None, 2)
    if len(parts) > 1 and (first := parts[0][0] + parts[1][0]).isascii() and first.isalnum():
        return False  # as most names are, it is of several words
    return _is_pronoun(text)


@lru_cache(maxsize=2048)
def _is_pronoun(text: str) -> bool:
    name = Name(text)
    is_abbreviation = len(name.text) > 1 and name.text.isascii() and name.text.isupper()
    return not is_abbreviation and (name.key in _words("pronouns") or _comparable(name) in _words("accented"))


def find_in_question(question: str) -> tuple[int, int] | None:
    """The offsets of the words of a question by which it asks about the one who asks; None if it does not.

    "What do you know about me?" and "who are my colleagues?" do, "tell me about Atlas" and "what did I write?" do not.
    """
    if is_pronoun(question.strip(" ?!.")):
        return 0, len(question)
    # ME in capitals is more likely an abbreviation.
    matches = [match for match in _WORD.finditer(question) if len(match[0]) == 1 or not match[0].isupper()]
    words = [_comparable_word(match[0]) for match in matches]
    for first in range(len(words)):
        length = _length_of_reference(words, first)
        if length:
            return matches[first].start(), matches[first + length - 1].end()
    return None


def _length_of_reference(words: list[str], position: int) -> int:
    """How many words from a position on refer to the person who asks; 0 if none."""
    for phrase in _about_phrases():
        if tuple(words[position : position + len(phrase)]) == phrase:
            return len(phrase)
    word = words[position]
    before = words[max(position - _WORDS_AFTER_TELLING, 0) : position]
    following = words[position + 1] if position + 1 < len(words) else ""
    if word in ("me", "myself"):
        return int(not _words("telling").intersection(before))
    if word in ("my", "mine"):
        return int(following not in _words("own_texts"))
    if word == "i" and before and before[-1] in _AUXILIARIES and "how" not in words[:position]:
        return int(bool(following) and following not in _words("asking"))
    return 0


@cache
def _words(kind: str) -> frozenset[str]:
    lines = lexicons.pairs("first_person", ":")
    return frozenset(word for name, line in lines if name == kind for word in line.split())


@cache
def _about_phrases() -> tuple[tuple[str, ...], ...]:
    """The phrases that ask about the speaker, each by its words."""
    return tuple(
        tuple(phrase.split())
        for name, line in lexicons.pairs("first_person", ":")
        if name == "about"
        for phrase in line.split("/")
    )


@lru_cache(maxsize=2048)
def _comparable_word(word: str) -> str:
    return _comparable(Name(word))


def _comparable(name: Name) -> str:
    return name.folded or name.key
