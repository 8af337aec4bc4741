"""Name normalisation: a name with its forms. The key decides identity, the folded form is for comparison.

Names with equal keys are one name. The folded form loses more and is only for finding names, never for identity.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from keepgraph import lazy

FORM_SEPARATOR = " \n "
"""Separates the folded forms of a name that has several."""

_LETTERS_WITHOUT_ACCENT = str.maketrans(
    {"ø": "o", "æ": "ae", "ß": "ss", "ł": "l", "đ": "d", "œ": "oe", "ð": "d", "þ": "th", "ı": "i", "ħ": "h"}
    | {"Ø": "o", "Æ": "ae", "ẞ": "ss", "Ł": "l", "Đ": "d", "Œ": "oe", "Ð": "d", "Þ": "th", "Ħ": "h"}
)
_COMBINING_ACCENTS = lazy.compile("[\u0300-\u036f]")
_NEGATION = lazy.compile("n['´ʼ’‘]t\\b")
_APOSTROPHES = lazy.compile("['`´ʼ’‘]")
_VARIATION_SELECTORS = lazy.compile("[\ufe00-\ufe0f]")
_MINUS = lazy.compile(r"(?<!\S)-(?=\d)|(?<=\w)-(?!\S)")
_SIX_DIGITS = lazy.compile(r"\d{3} ?\d{3}")
_NUMBER_IN_GROUPS = lazy.compile(r"(?<!\S)[1-9]\d{0,2}(?: \d{3}){2,}(?!\S)")
_LETTERS_BEFORE_NUMBER = lazy.compile(r"(?<!\S)([a-z]{1,3})(?=\d{6,12}(?!\S))")
_NON_LATIN_RANGES = (("\u0370", "\u1dff"), ("\u2e80", "\ud7ff"), ("\uf900", "\uffdc"))
_SHARP_S = str.maketrans({"ß": "ss", "ẞ": "SS"})
# Thai, Lao, Myanmar, Khmer; kana, Hangul, ideographs and their extensions. A character goes with the marks after it.
_UNSPACED_CHARACTER = lazy.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\uac00-\ud7a3\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]"
    "[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u3099\u309a]*"
)
_NAME_SYMBOLS = "+#"
_JOINERS = {"\u200c", "\u200d"}  # invisible, but they carry meaning in some scripts

_ARTICLES = frozenset(["the"])
_HONORIFICS = frozenset("mr mrs ms mx dr prof sir madam herr frau hr fru hrn fr dra sra dott".split())
_LEGAL_FORMS = frozenset(
    "inc ltd llc llp gmbh corp corporation co ag sa bv nv plc sarl srl pty oyj "
    "limited incorporated aktiengesellschaft aktiebolag aksjeselskap aktieselskab osakeyhtio pte pvt kft "
    "ltda".split()
)
# Those of several words, by their last word.
_LEGAL_PHRASES: dict[str, list[tuple[str, ...]]] = {
    "haftung": [("gesellschaft", "mit", "beschrankter", "haftung")],
    "kg": [("gmbh", "co", "kg")],
    "company": [
        ("limited", "liability", "company"),
        ("public", "limited", "company"),
        ("private", "limited", "company"),
    ],
    "partnership": [("limited", "liability", "partnership")],
    "azioni": [("societa", "per", "azioni")],
    "a": [("s", "p", "a")],
    "anonyme": [("societe", "anonyme")],
    "anonima": [("sociedad", "anonima")],
    "limitada": [("sociedad", "limitada")],
    "vennootschap": [("besloten", "vennootschap"), ("naamloze", "vennootschap")],
    "o": [("sp", "z", "o", "o")],
}
_SMALL_WORDS = frozenset("a an and at by de der des for in la of on or the to und von with y".split())


@lazy.dataclass(frozen=True)
class Name:
    """A name as somebody writes it, with the forms in which it is compared. A form is computed on first use, once."""

    written: str

    @classmethod
    def of_folded(cls, folded: str) -> Name:
        """A name of which only the folded form is known, as the indexes and the lexicons have it."""
        name = cls(folded)
        name.__dict__["folded"] = folded
        return name

    @lazy.cached_property
    def text(self) -> str:
        """The form to store and show: see `clean`."""
        return clean(self.written)

    @lazy.cached_property
    def key(self) -> str:
        """The form that decides identity: see the function `key`."""
        return key(self.written)

    @lazy.cached_property
    def folded(self) -> str:
        """The form for comparison only: lower case, without accents, apostrophes and punctuation.

        One space stands between words. `+` and `#` stay after a letter. Symbols that distinguish names (mathematics,
        currencies, emoji, a minus) become words of their own.
        """
        return _fold(self.text)

    @lazy.cached_property
    def latin(self) -> str | None:
        """The folded form in Latin letters of a name in another script: ivan petrov for Иван Петров; else None."""
        return _romanise(self.text)

    @property
    def indexed_forms(self) -> str:
        """The folded form, and the one in Latin letters if there is one, joined by FORM_SEPARATOR: what is stored."""
        return f"{self.folded}{FORM_SEPARATOR}{self.latin}" if self.latin else self.folded

    @lazy.cached_property
    def words(self) -> tuple[str, ...]:
        """The words that distinguish the folded name: without articles, and without legal forms at the end."""
        return self.words_without(frozenset())

    def words_without(self, ignored: frozenset[str], *, honorifics: bool = False) -> tuple[str, ...]:
        """The words of the name without those `ignored`; with `honorifics` without these too: Dr, Mrs.

        A name of such words only is returned whole.
        """
        computed: dict[tuple[frozenset[str], bool], tuple[str, ...]] = self.__dict__.setdefault("_words", {})
        if (ignored, honorifics) not in computed:
            computed[ignored, honorifics] = _significant_words(self.folded, ignored, honorifics=honorifics)
        return computed[ignored, honorifics]

    @lazy.cached_property
    def legal_form(self) -> str | None:
        """The legal form at the end of the name, folded: gmbh, of Bluefin GmbH; None if it has none."""
        words = self.folded.split()
        length = _length_of_legal_form(words)
        return " ".join(words[-length:]) if length else None

    @lazy.cached_property
    def initials(self) -> frozenset[str]:
        """The initials of all words, of those that are not small, and with what a hyphen joins counted once."""
        words = self.folded.split()
        hyphenated = "".join(_fold(part)[:1] for part in self.text.split())
        return frozenset([first_letters(words), first_letters(without_small_words(words)), hyphenated])


def first_letters(words: Sequence[str]) -> str:
    """The first letters of words, joined."""
    return "".join(word[0] for word in words)


def without_small_words(words: Sequence[str]) -> list[str]:
    """The words whose letter initials do not leave out; the trigger on names (name_to_initial) skips the same."""
    return [word for word in words if word not in _SMALL_WORDS]


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


def _fold(name: str) -> str:
    if name.isascii() and name.replace(" ", "").isalnum():
        return " ".join(name.lower().split())  # most names: none of the steps below changes more
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


def _significant_words(folded: str, ignored: frozenset[str], *, honorifics: bool) -> tuple[str, ...]:
    words = _with_numbers_in_one_piece(folded).split()
    omitted = _ARTICLES | _HONORIFICS if honorifics else _ARTICLES
    significant = [word for word in words if word not in omitted and word not in ignored]
    while length := _length_of_legal_form(significant):
        del significant[-length:]
    return tuple(significant or words)


def _with_numbers_in_one_piece(folded: str) -> str:
    """A folded name with the digits of long numbers together, and apart from letters before: EP 3 412 087."""
    if not _SIX_DIGITS.search(folded):
        return folded
    together = _NUMBER_IN_GROUPS.sub(lambda groups: groups[0].replace(" ", ""), folded)
    return _LETTERS_BEFORE_NUMBER.sub(r"\1 ", together)


def _length_of_legal_form(words: Sequence[str]) -> int:
    """How many words at the end are a legal form, where there are others before; else 0."""
    if len(words) < 2:
        return 0
    for phrase in _LEGAL_PHRASES.get(words[-1], ()):
        if len(words) > len(phrase) and tuple(words[-len(phrase) :]) == phrase:
            return len(phrase)
    return int(words[-1] in _LEGAL_FORMS)


def _romanise(name: str) -> str | None:
    if name.isascii() or not any(first <= c <= last for c in name for first, last in _NON_LATIN_RANGES):
        return None
    from anyascii import anyascii

    # anyascii begins every ideograph and every syllable with a capital: ZhangWei.
    divided = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", anyascii(unicodedata.normalize("NFC", name)))
    return _fold(divided) or None


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
