"""Typos and spellings: whether one word may be a mistyping of another, and one spelling for variants of a word.

Edit distance alone takes antonyms, names of the other gender, codes and many plain words for typos of each other; the
rules here keep those apart. Words are folded (see `normalisation.Name`).
"""

from __future__ import annotations

import re
from functools import lru_cache

from keepgraph import lazy
from keepgraph.language import given_names, opposites, quantities

MIN_LETTERS = 3
"""Shorter names must match exactly: any typo makes another name."""

MIN_LETTERS_FOR_TWO_TYPOS = 9
"""A word with at least this many letters may have two typos."""

IDEOGRAPHS = "[\u2e80-\ud7ff\uf900-\ufaff]|[\U00020000-\U0003ffff]"  # slow to compile, so only when needed

# Below these lengths, in letters, a change makes another word more often than a typo.
_MIN_LETTERS_SWAPPED_START = 5  # the first two letters are swapped
_MIN_LETTERS_SUBSTITUTION = 6  # a letter is replaced: Mark, Mary
_MIN_LETTERS_OTHER_VOWEL = 8  # a vowel is replaced by another: Weeks, Wicks
_MIN_LETTERS_ANY_SUBSTITUTION = 8  # a letter is replaced by any other, if another word of the name matches

_VOWELS = frozenset("aeiou")
# Rows and columns of the QWERTY and AZERTY keyboards: neighbours are keys that a finger hits by mistake.
_KEYBOARD_LINES = tuple("qwertyuiop asdfghjkl zxcvbnm qaz wsx edc rfv tgb yhn ujm azertyuiop qsdfghjklm".split())
_SIMILAR_SOUNDS = tuple(map(frozenset, ("cs", "ck", "sz", "dt", "bp", "gj", "iy", "vw", "fv", "mn", "kq")))

_DIGITS = lazy.compile(r"\d+")
_ROMAN_NUMERAL = lazy.compile("[ivxlcdm]+")
_NAME_SYMBOLS = "+#"  # C, C++ and C# differ
_GENDER_ENDINGS = frozenset("aeioаяеиоыэюαηο\u093e\u0940\u09be\u09c0")
_MASCULINE_ENDINGS = ("os", "us", "is", "ios", "ius")
_GENDER_ENDINGS_AFTER_A_VOWEL = frozenset("nst")
_SURNAME_ENDINGS_BEFORE_A = ("ov", "ev", "in", "yn", "ов", "ев", "ин", "ын")


def similarity(word: str, other: str, *, has_context: bool, given_name: bool) -> float:
    """The share of letters without a typo, if `word` may be a mistyping of `other`; otherwise 0.

    Args:
        has_context: another word of the same name matches; then shorter words and more typos are accepted.
        given_name: one of the words stands where a given name stands; then its ending must not differ.
    """
    from rapidfuzz.distance import OSA

    if digit := _DIGITS.search(word):
        # A typo is accepted only in the letters before the first digit, and only if they are many: sqlcypher3.
        tail = word[digit.start() :]
        head = other.removesuffix(tail)
        if not other.endswith(tail) or _DIGITS.search(head) or digit.start() < _MIN_LETTERS_SUBSTITUTION:
            return 0.0
        word, other = word[: digit.start()], head
    short, long = sorted((len(word), len(other)))
    min_letters = MIN_LETTERS if has_context else MIN_LETTERS + 1
    if (
        short < min_letters
        or long - short > 2
        or (not (word + other).isascii() and re.search(IDEOGRAPHS, word + other))
    ):
        return 0.0
    two_typos = short >= MIN_LETTERS_FOR_TWO_TYPOS or (has_context and short >= _MIN_LETTERS_SUBSTITUTION + 1)
    edits = OSA.distance(word, other, score_cutoff=2)
    if (
        edits > (2 if two_typos else 1)
        or _every_letter_counts(word, other)
        or not _is_likely_typo(word, other, edits, has_context=has_context, given_name=given_name)
    ):
        return 0.0
    return 1 - edits / long


def is_substitution(word: str, other: str) -> bool:
    """Whether a letter is replaced by another, rather than left out, added or swapped with its neighbour."""
    return len(word) == len(other) and sorted(word) != sorted(other)


def _every_letter_counts(word: str, other: str) -> bool:
    """Whether two words must not be taken for typos: calendar words, Roman numerals, C++ and C#, antonyms."""
    return (
        (quantities.is_calendar_word(word) and quantities.is_calendar_word(other))
        or bool(_ROMAN_NUMERAL.fullmatch(word) and _ROMAN_NUMERAL.fullmatch(other))
        or any(symbol in word + other for symbol in _NAME_SYMBOLS)
        or opposites.are_antonyms(word, other)
    )


def _is_likely_typo(word: str, other: str, edits: int, *, has_context: bool, given_name: bool) -> bool:
    if word[0] != other[0] and not _is_typo_at_the_start(word, other, has_context=has_context):
        return False
    if min(len(word), len(other)) < _MIN_LETTERS_SUBSTITUTION and is_substitution(word, other):
        return False  # another letter in a short word makes another word: Mark, Mary
    if given_name and differ_in_ending(word, other):
        return False
    if _are_surnames_of_two_genders(word, other) or _is_frequent_word(word):
        return False
    return edits != 1 or not is_substitution(word, other) or _is_likely_substitution(word, other, has_context)


def _is_typo_at_the_start(word: str, other: str, *, has_context: bool) -> bool:
    """Whether a typo in the first letter is likely: swapped letters, or a letter in a long word.

    Most words that differ in the first letter are antonyms or different names.
    """
    if word[:2] == other[1::-1] and word[2:] == other[2:]:
        return len(word) >= _MIN_LETTERS_SWAPPED_START
    if "a" + word == other or word == "a" + other:
        return False  # asymmetric is not symmetric
    if given_names.contains(word) or len(word) < _MIN_LETTERS_SUBSTITUTION + (0 if has_context else 1):
        return False
    if not has_context and len(word) != len(other):
        return False  # methanol is not ethanol
    return word[1:] in (other[1:], other) or word == other[1:]


def differ_in_ending(word: str, other: str) -> bool:
    """Whether two given names differ only in their ending, as Martin, Martina and Theodoros, Theodora do."""
    short, long = sorted((word, other), key=len)
    if any(
        one.endswith("a") and another.endswith(ending) and one[:-1] == another.removesuffix(ending)
        for one, another in ((word, other), (other, word))
        for ending in _MASCULINE_ENDINGS
    ):
        return True
    if len(short) < len(long):
        after_a_vowel = short[-1] in _GENDER_ENDINGS and long[-1] in _GENDER_ENDINGS_AFTER_A_VOWEL
        return long[:-1] == short and (long[-1] in _GENDER_ENDINGS or long[-1] in "yw" or after_a_vowel)
    if short[:-1] == long[:-1]:
        return short[-1] in _GENDER_ENDINGS and long[-1] in _GENDER_ENDINGS
    return short[:-2] == long[:-2] and {short[-2:], long[-2:]} in ({"an", "na"}, {"er", "re"})


def _are_surnames_of_two_genders(word: str, other: str) -> bool:
    """Whether one is the feminine form of the other surname: Petrov, Petrova."""
    short, long = sorted((word, other), key=len)
    return long[:-1] == short and long[-1] in "aа" and short.endswith(_SURNAME_ENDINGS_BEFORE_A)


def _is_frequent_word(word: str) -> bool:
    """Whether a word is frequent English: then it is not a typo, such as paternity for maternity (ADR 0012)."""
    from keepgraph.ml import frequent_words

    return word in frequent_words.load()


def _is_likely_substitution(word: str, other: str, has_context: bool) -> bool:
    """Whether the replaced letter is a likely typo: a neighbouring key, a similar sound, a vowel in a long word."""
    if has_context and len(word) >= _MIN_LETTERS_ANY_SUBSTITUTION:
        return True
    typed, intended = next((a, b) for a, b in zip(word, other, strict=True) if a != b)
    if {typed, intended} <= _VOWELS:
        return len(word) >= _MIN_LETTERS_OTHER_VOWEL
    neighbouring_keys = any(
        abs(line.find(typed) - line.find(intended)) == 1
        for line in _KEYBOARD_LINES
        if typed in line and intended in line
    )
    return (
        neighbouring_keys
        or any({typed, intended} <= sounds for sounds in _SIMILAR_SOUNDS)
        or not (typed + intended).isascii()
    )


# Spelling normalisation of a word: digits for number words, American for British spelling.

_VERSION = lazy.compile(r"v(\d+)")
_BRITISH_TO_AMERICAN = (
    ("isation", "ization"),
    ("(?<=...)is(e[ds]?|ing)$", r"iz\1"),
    ("(?<=...)yse(?=[ds]?$)", "yze"),
    ("(?<=...)our(?=s?$)", "or"),
    ("(?<=[aeiou][btn])re$", "er"),
    ("(?<=[aeiou])tre(?=s?$)", "ter"),
    ("centre", "center"),
    ("fibre", "fiber"),
    ("grey", "gray"),
    ("(?<=[ae]f)ence$|(?<=off)ence$", "ense"),
    ("ogue(?=s?$)", "og"),
    ("paed", "ped"),
    ("anaes", "anes"),
    ("haem", "hem"),
    ("oest", "est"),
    ("gynaec", "gynec"),
    ("(?<=[aeiou])ll(?=(ed|ing|ers?)$)", "l"),
    ("aluminium", "aluminum"),
    ("mould", "mold"),
    ("programme", "program"),
    ("licence", "license"),
)


@lru_cache(maxsize=4096)
def normalise_spelling(word: str) -> str:
    """A folded word for comparison: two is 2, v3 is 3, colour is color. The result need not be a real word."""
    word = str(quantities.CARDINALS.get(word, word))
    if version := _VERSION.fullmatch(word):
        return version[1]
    for british, american in _BRITISH_TO_AMERICAN:
        word = re.sub(british, american, word)
    return word
