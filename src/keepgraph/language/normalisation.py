"""Name normalisation: the clean form to store, the key that decides identity, the folded form for comparison.

Names with equal keys are one name. The folded form loses more and is only for finding names, never for identity.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

FORM_SEPARATOR = " \n "
"""Separates the folded forms of a name that has several."""

_LETTERS_WITHOUT_ACCENT = str.maketrans(
    {"ø": "o", "æ": "ae", "ß": "ss", "ł": "l", "đ": "d", "œ": "oe", "ð": "d", "þ": "th", "ı": "i", "ħ": "h"}
    | {"Ø": "o", "Æ": "ae", "ẞ": "ss", "Ł": "l", "Đ": "d", "Œ": "oe", "Ð": "d", "Þ": "th", "Ħ": "h"}
)
_COMBINING_ACCENTS = re.compile("[\u0300-\u036f]")
_NEGATION = re.compile("n['´ʼ’‘]t\\b")
_APOSTROPHES = re.compile("['`´ʼ’‘]")
_VARIATION_SELECTORS = re.compile("[\ufe00-\ufe0f]")
_MINUS = re.compile(r"(?<!\S)-(?=\d)|(?<=\w)-(?!\S)")
_NON_LATIN_RANGES = (("\u0370", "\u1dff"), ("\u2e80", "\ud7ff"), ("\uf900", "\uffdc"))
_SHARP_S = str.maketrans({"ß": "ss", "ẞ": "SS"})
# Thai, Lao, Myanmar, Khmer; kana, Hangul, ideographs and their extensions. A character goes with the marks after it.
_UNSPACED_CHARACTER = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\uac00-\ud7a3\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"
    "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u3099\u309a]*"
)
_NAME_SYMBOLS = "+#"
_JOINERS = {"\u200c", "\u200d"}  # invisible, but they carry meaning in some scripts

_ARTICLES = frozenset(["the"])
_HONORIFICS = frozenset("mr mrs ms mx dr prof sir madam herr frau".split())
_LEGAL_FORMS = frozenset("inc ltd llc llp gmbh corp corporation co ag sa bv plc".split())


def clean(name: str) -> str:
    """The form of a name to store and show: NFC, white space collapsed, without invisible characters."""
    if name.isascii() and name.isprintable():
        return " ".join(name.split())
    visible = "".join(c for c in name if c in _JOINERS or c.isspace() or unicodedata.category(c) not in ("Cf", "Cc"))
    return " ".join(unicodedata.normalize("NFC", visible).split())


def key(name: str) -> str:
    """The form that decides identity: NFKC, case folded, white space collapsed, symbols kept. C, C++ and C# differ."""
    if name.isascii() and name.isprintable():
        return " ".join(name.lower().split())
    composed = unicodedata.normalize("NFKC", _VARIATION_SELECTORS.sub("", clean(name))).casefold()
    return " ".join(unicodedata.normalize("NFKC", composed).split())


def fold(name: str) -> str:
    """The form for comparison only: lower case, without accents, apostrophes and punctuation, one space between words.

    `+` and `#` stay after a letter. Symbols that distinguish names (mathematics, currencies, emoji, a minus) become
    words of their own.
    """
    plain = (
        _VARIATION_SELECTORS.sub("", unicodedata.normalize("NFKC", clean(name)))
        .translate(_LETTERS_WITHOUT_ACCENT)
        .casefold()
    )
    plain = _APOSTROPHES.sub("", _NEGATION.sub(" not", plain))
    plain = unicodedata.normalize("NFC", _COMBINING_ACCENTS.sub("", unicodedata.normalize("NFD", plain)))
    letters: list[str] = []
    for c in _MINUS.sub(" − ", plain.replace("!=", "≠")):
        category = unicodedata.category(c)
        if category[0] in "LMN" or (c in _NAME_SYMBOLS and letters and letters[-1] != " "):
            # Letters, marks and digits; in many scripts the vowels are marks.
            letters.append(c)
        elif category in ("Sm", "Sc", "So") or c == "%":
            letters += [" ", c, " "]
        else:
            letters.append(" ")
    return " ".join("".join(letters).split())


def significant_words(folded: str, *, ignored: Collection[str] = ()) -> list[str]:
    """The words that distinguish a folded name: without articles, legal forms at the end, and the words `ignored`.

    Honorifics are left out too where `ignored` has the word person. A name of such words only is returned whole.
    """
    words = folded.split()
    honorifics = _HONORIFICS if "person" in ignored else frozenset()
    significant = [word for word in words if word not in _ARTICLES and word not in honorifics and word not in ignored]
    while len(significant) > 1 and significant[-1] in _LEGAL_FORMS:
        significant.pop()
    return significant or words


def folded_forms(name: str) -> str:
    """The folded form of a name, and its romanised form if it has one, joined by FORM_SEPARATOR: what is stored."""
    romanised = romanise(name)
    return f"{fold(name)}{FORM_SEPARATOR}{romanised}" if romanised else fold(name)


def romanise(name: str) -> str | None:
    """The folded form in Latin letters of a name in another script: ivan petrov for Иван Петров; None for others."""
    if name.isascii() or not any(first <= c <= last for c in name for first, last in _NON_LATIN_RANGES):
        return None
    from anyascii import anyascii

    # anyascii begins every ideograph and every syllable with a capital: ZhangWei.
    divided = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", anyascii(unicodedata.normalize("NFC", name)))
    return fold(divided) or None


def segment_characters(text: str) -> str | None:
    """A text as it is indexed for full-text search: NFKC, and a space around each character of unspaced scripts.

    Full-text search takes what stands between spaces as one word. In scripts that write no spaces, or attach endings,
    each character becomes a word, and a word becomes a phrase.

    Returns:
        None if that changes nothing.
    """
    if text.isascii():
        return None
    plain = unicodedata.normalize("NFKC", text).translate(_SHARP_S)
    divided = _UNSPACED_CHARACTER.sub(r" \g<0> ", plain)
    return None if divided == text else divided
