"""Abbreviations and acronyms: full and short forms by lookup in a lexicon; initials and beginnings of words by form.

All words are folded. A full form of several words is looked up as a whole. A word counts as an acronym only if it is
written as one: in capitals, with dots or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from keepgraph import lazy
from keepgraph.language import lexicons
from keepgraph.language.normalisation import Name, first_letters, without_small_words


def expand(short: str) -> tuple[str, ...]:
    """The full forms that an abbreviation may stand for, in the order of the lexicon."""
    return _index()[0].get(short, ())


def abbreviate(full: str) -> tuple[str, ...]:
    """The abbreviations of a name or a word, in the order of the lexicon."""
    return _index()[1].get(full, ())


@cache
def _index() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """Full forms by short form, and short forms by full form."""
    full_forms: dict[str, tuple[str, ...]] = {}
    short_forms: dict[str, tuple[str, ...]] = {}
    for short, full in lexicons.pairs("abbreviations", "="):
        full_forms[short] = (*full_forms.get(short, ()), full)
        short_forms[full] = (*short_forms.get(full, ()), short)
    return full_forms, short_forms


_MAX_LETTERS = 6
_MAX_LETTERS_MIXED_CASE = 5
_MAX_WORDS = 7
_MAX_WORDS_WITHIN_NAME = 5

_LETTERS_AROUND_DIGIT = lazy.compile(r"[A-Z]{1,3}\d[A-Z]{1,3}")  # T2D
_LETTERS_BEFORE_NUMBER = lazy.compile(r"[A-Z]{2,4}\d{1,2}")  # UE5
_LETTER_BEFORE_ACRONYM = lazy.compile(r"([a-z])([A-Z]{2,4})")  # gRNA
_PLURAL = lazy.compile(r"^([A-Z][A-Z&]+)['’]?s$")
_CAPITALISED_PARTS = lazy.compile(r"[A-Z][a-z]*")


def read_initials(name: Name) -> str | None:
    """The letters of a name that is written like initials, folded: nyc for NYC, js for J.S.; else None."""
    without_article = name.text.removeprefix("the ").removeprefix("The ")
    name = name if without_article == name.text else Name(without_article)
    if plural := _PLURAL.match(name.text.replace(".", "")):
        return Name(plural[1]).folded.replace(" ", "")
    letters = "".join(name.folded.split())
    if not 2 <= len(letters) <= _MAX_LETTERS:
        return None
    if not letters.isalpha() and not any(
        pattern.fullmatch(name.text) for pattern in (_LETTERS_AROUND_DIGIT, _LETTERS_BEFORE_NUMBER)
    ):
        return None
    is_one_word = " " not in name.folded
    in_capitals = name.text.isupper()
    mixed_case = is_one_word and sum(c.isupper() for c in name.text) >= 2 and len(letters) <= _MAX_LETTERS_MIXED_CASE
    return letters if in_capitals or mixed_case else None


def read_word_beginnings(name: str) -> list[str]:
    """The beginnings of words that a name in mixed case consists of, in small letters: r, pi for RPi; else none."""
    if match := _LETTER_BEFORE_ACRONYM.fullmatch(name):
        return [match[1], match[2].lower()]  # guide RNA
    beginnings = [part.lower() for part in _CAPITALISED_PARTS.findall(name)]
    is_whole_name = len(beginnings) > 1 and "".join(beginnings) == name.lower()
    return beginnings if is_whole_name and any(len(beginning) > 1 for beginning in beginnings) else []


def begin(words: Sequence[str], beginnings: Sequence[str]) -> bool:
    """Whether each word begins with the beginning at its position."""
    return len(words) == len(beginnings) and all(
        word.startswith(beginning) for word, beginning in zip(words, beginnings, strict=True)
    )


def in_capitals_within(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each word in capitals of a name of 2 to 5 words, folded, with the other words: foi, of FOI request."""
    words = text.split()
    if not 2 <= len(words) <= _MAX_WORDS_WITHIN_NAME or text.isupper():
        return
    for place, word in enumerate(words):
        letters = word.replace(".", "").replace("&", "")
        if letters.isupper() and letters.isalpha() and 2 <= len(letters) <= _MAX_LETTERS_MIXED_CASE:
            yield letters.casefold(), Name(" ".join([*words[:place], *words[place + 1 :]])).folded.split()


def words_for(acronym: str, others: Sequence[str], words: Sequence[str]) -> Sequence[str]:
    """The neighbouring words of a name that have these initials, if the rest are the other words; else none."""
    for length in range(2, len(words)):
        for start in range(len(words) - length + 1):
            replaced, rest = words[start : start + length], [*words[:start], *words[start + length :]]
            initials = {first_letters(replaced), first_letters(without_small_words(replaced))}
            if acronym in initials and sorted(without_small_words(rest)) == sorted(without_small_words(others)):
                return replaced
    return ()


def of_name(name: Name) -> frozenset[str]:
    """The acronyms that a name of 2 to 7 words may have: sso for single sign-on, crdt for conflict-free … type."""
    word_count = len(without_small_words(name.folded.split()))
    return name.initials if 2 <= word_count <= _MAX_WORDS else frozenset()
