"""The forms of a name: as it is kept, as it is the same, as it is compared. Knows no table.

`key` decides identity: names with equal keys are one name. `fold` only compares, for reading.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

BETWEEN_FORMS = " \n "
"""Stands between the forms of a name that is compared in several."""

_LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "ß": "ss", "ł": "l", "đ": "d", "œ": "oe", "ð": "d", "þ": "th", "ı": "i", "ħ": "h"}
    | {"Ø": "o", "Æ": "ae", "ẞ": "ss", "Ł": "l", "Đ": "d", "Œ": "oe", "Ð": "d", "Þ": "th", "Ħ": "h"}
)
_ACCENTS = re.compile("[\u0300-\u036f]")
_NOT = re.compile("n['´ʼ’‘]t\\b")
_APOSTROPHES = re.compile("['`´ʼ’‘]")
_VARIATIONS = re.compile("[\ufe00-\ufe0f]")
_MINUS = re.compile(r"(?<!\S)-(?=\d)|(?<=\w)-(?!\S)")
_OTHER_SCRIPTS = (("\u0370", "\u1dff"), ("\u2e80", "\ud7ff"), ("\uf900", "\uffdc"))
_LONG_WHEN_FOLDED = str.maketrans({"ß": "ss", "ẞ": "SS"})
# Thai, Lao, Myanmar, Khmer; kana, Hangul, ideographs and their extensions. A sign goes with the marks that follow it.
_SPACELESS = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\uac00-\ud7a3\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"
    "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u3099\u309a]*"
)
_SYMBOLS_OF_NAMES = "+#"
_JOINERS = {"\u200c", "\u200d"}  # they carry meaning in some scripts

_ARTICLES = frozenset(["the"])
_TITLES = frozenset("mr mrs ms mx dr prof sir madam herr frau".split())
_LEGAL_FORMS = frozenset("inc ltd llc llp gmbh corp corporation co ag sa bv plc".split())


def clean(name: str) -> str:
    """A name as it is kept and shown: composed, white space collapsed, without invisible characters."""
    if name.isascii() and name.isprintable():
        return " ".join(name.split())
    visible = "".join(c for c in name if c in _JOINERS or c.isspace() or unicodedata.category(c) not in ("Cf", "Cc"))
    return " ".join(unicodedata.normalize("NFC", visible).split())


def key(name: str) -> str:
    """What decides identity: NFKC, casefold, white space collapsed, symbols kept. C, C++ and C# differ."""
    if name.isascii() and name.isprintable():
        return " ".join(name.lower().split())
    composed = unicodedata.normalize("NFKC", _VARIATIONS.sub("", clean(name))).casefold()
    return " ".join(unicodedata.normalize("NFKC", composed).split())


def fold(name: str) -> str:
    """A form for comparing alone: accents, apostrophes and punctuation gone.

    `+` and `#` stay after a letter; signs that tell things apart (mathematics, currencies, pictures, a minus)
    stand as words of their own.
    """
    plain = _VARIATIONS.sub("", unicodedata.normalize("NFKC", clean(name))).translate(_LETTERS).casefold()
    plain = _APOSTROPHES.sub("", _NOT.sub(" not", plain))
    plain = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", plain)))
    letters: list[str] = []
    for c in _MINUS.sub(" − ", plain.replace("!=", "≠")):
        kind = unicodedata.category(c)
        if kind[0] in "LMN" or (c in _SYMBOLS_OF_NAMES and letters and letters[-1] != " "):
            # Letters, marks and digits; in many scripts the vowels are marks.
            letters.append(c)
        elif kind in ("Sm", "Sc", "So") or c == "%":
            letters += [" ", c, " "]
        else:
            letters.append(" ")
    return " ".join("".join(letters).split())


def words(folded: str, *, besides: Collection[str] = ()) -> list[str]:
    """The words that tell a name from others: without articles, titles, legal forms and the words `besides`."""
    every = folded.split()
    titles = _TITLES if "person" in besides else frozenset()
    telling = [word for word in every if word not in _ARTICLES and word not in titles and word not in besides]
    while len(telling) > 1 and telling[-1] in _LEGAL_FORMS:
        telling.pop()
    return telling or every


def latin(name: str) -> str | None:
    """The folded form of a name in Latin letters, if it is written in others: Иван Петров is ivan petrov, else None."""
    if name.isascii() or not any(first <= c <= last for c in name for first, last in _OTHER_SCRIPTS):
        return None
    from anyascii import anyascii

    # Every ideograph and every syllable begins with a capital: ZhangWei.
    divided = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", anyascii(unicodedata.normalize("NFC", name)))
    return fold(divided) or None


def spaced(text: str) -> str | None:
    """A text as full text looks for it: compatible signs as one (NFKC), and a space between the signs of scripts that
    write none between words, or put endings to them; None where it is that already.

    Full text knows words by what is between them: so each sign is a word there, and a word is a phrase.
    """
    if text.isascii():
        return None
    plain = unicodedata.normalize("NFKC", text).translate(_LONG_WHEN_FOLDED)
    divided = _SPACELESS.sub(r" \g<0> ", plain)
    return None if divided == text else divided


def compared(name: str) -> str:
    """The forms in which a name is compared, as they are stored: folded, and in Latin letters if it is in others."""
    romanised = latin(name)
    return f"{fold(name)}{BETWEEN_FORMS}{romanised}" if romanised else fold(name)
