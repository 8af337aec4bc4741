"""How one word may be another: in another spelling, for short, or by a slip of the keyboard. Knows no whole names.

Words are folded. What is near in letters and far in meaning is kept apart: opposites, other genders, codes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from keepgraph.language import lexicons, numbers

SHORTEST = 3
"""Names with fewer letters and digits are only ever found exactly."""

BEARS_TWO_SLIPS = 9
"""Words of so many letters may have two slips in them."""

_OTHER_SPELLING = 0.95
_NICKNAME = 0.90
_INITIAL = 0.85
_ABBREVIATION = 0.90
_PLURAL = 0.97
_LONG_ENOUGH = 5
_MANY_LETTERS = 6
_BEARS_ANOTHER_VOWEL = 8
_BEARS_ANY_LETTER = 8
_VOWELS = frozenset("aeiou")
_KEYS = tuple("qwertyuiop asdfghjkl zxcvbnm qaz wsx edc rfv tgb yhn ujm azertyuiop qsdfghjklm".split())
_ALIKE = tuple(map(frozenset, ("cs", "ck", "sz", "dt", "bp", "gj", "iy", "vw", "fv", "mn", "kq")))

_DIGITS = re.compile(r"\d+")
_VERSION = re.compile(r"v(\d+)")
_ROMAN = re.compile("[ivxlcdm]+")
IDEOGRAPHS = "[\u2e80-\ud7ff\uf900-\ufaff]|[\U00020000-\U0003ffff]"  # slow to compile, so only when needed
_SYMBOLS_OF_NAMES = "+#"
_ENDINGS_AFTER_A_VOWEL = frozenset("nst")
_ENDINGS = frozenset("aeioаяеиоыэюαηο\u093e\u0940\u09be\u09c0")
_OPPOSITE_STARTS = (
    ("hypo", "hyper"),
    ("micro", "macro"),
    ("inter", "intra"),
    ("pre", "pro"),
    ("over", "under"),
    ("off", "on"),
    ("min", "max"),
    ("pater", "mater"),
    ("exo", "endo"),
    ("abd", "add"),
    ("de", "re"),
    ("in", "ex"),
    ("major", "minor"),
    ("maj", "min"),
    ("north", "south"),
    ("east", "west"),
)
_OPPOSITE_ENDS = (("er", "ee"), ("or", "ee"))
_SURNAMES_WITH_A = ("ov", "ev", "in", "yn", "ов", "ев", "ин", "ын")
_CALENDAR = numbers.DAYS.union(numbers.DAYS_FOR_SHORT, numbers.MONTHS)
_BRITISH = (
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
_SOUNDS = (
    ("ph", "f"),
    ("tsch|tch", "ch"),
    ("sch", "sh"),
    ("ck", "k"),
    ("kh", "h"),
    ("c(?![heiy])", "k"),
    ("w", "v"),
    ("x", "ks"),
    ("[yj](?=[aou])", "i"),
    ("oh(?=[^aeiou]|$)", "o"),
    ("ae", "a"),
    ("oe", "o"),
    ("ue", "u"),
    ("(iy|ij|yi|y)$", "i"),
    ("ou$", "o"),
    (r"(.)\1+", r"\1"),
)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike two words or names are, from 0 to 1, and what links them where it is not their letters."""

    score: float
    because: str | None = None


NO = Likeness(0.0)


@lru_cache(maxsize=4096)
def alike(ours: str, theirs: str, *, beside: bool, person: bool, given: bool) -> Likeness:
    """How alike one word is to another, from 0 to 1. `beside` says that there are words beside it that are right."""
    if ours == theirs:
        return Likeness(1.0)
    if person:
        if theirs in lexicons.spellings(ours):
            return Likeness(_OTHER_SPELLING, f"“{ours}” is another spelling of “{theirs}”")
        if theirs in lexicons.nicknames(ours):
            short, long = (ours, theirs) if lexicons.is_short_for(ours, theirs) else (theirs, ours)
            return Likeness(_NICKNAME, f"“{short}” is short for “{long}”")
        if len(ours) == 1 and theirs.startswith(ours) and beside:
            return Likeness(_INITIAL, f"“{ours}” is an initial of “{theirs}”")
        if len(theirs) == 1 and ours.startswith(theirs) and beside:
            return Likeness(_INITIAL, f"“{theirs}” is an initial of “{ours}”")
        same_end = ours[-1] == theirs[-1] or not _another_ending(ours, theirs)
        if min(len(ours), len(theirs)) >= 4 and same_end and sound(ours) == sound(theirs):
            return Likeness(_OTHER_SPELLING, f"“{ours}” is spelled as “{theirs}” elsewhere")
    else:
        if _is_plural(ours, theirs) or _is_plural(theirs, ours):
            return Likeness(_PLURAL)
        if theirs in lexicons.spelled_out(ours) or ours in lexicons.spelled_out(theirs):
            return Likeness(_ABBREVIATION, f"“{ours}” stands for “{theirs}”")
    slip = _slip(ours, theirs, beside=beside, first_name=given)
    return Likeness(slip) if slip else NO


def _slip(ours: str, theirs: str, *, beside: bool, first_name: bool) -> float:
    """The share of letters in order if one word may be a mistyping of the other, else 0."""
    from rapidfuzz.distance import OSA

    if digit := _DIGITS.search(ours):
        # Only in the letters before the first digit, and only where they are many: sqlcypher3, sqlcipher3.
        tail = ours[digit.start() :]
        if not theirs.endswith(tail) or _DIGITS.search(theirs.removesuffix(tail)) or digit.start() < _MANY_LETTERS:
            return 0.0
        ours, theirs = ours[: digit.start()], theirs.removesuffix(tail)
    short, long = sorted((len(ours), len(theirs)))
    if short < (SHORTEST if beside else SHORTEST + 1) or long - short > 2 or re.search(IDEOGRAPHS, ours + theirs):
        return 0.0
    if _is_code(ours, theirs):
        return 0.0
    edits = OSA.distance(ours, theirs, score_cutoff=2)
    if edits > (2 if short >= BEARS_TWO_SLIPS or (beside and short >= _MANY_LETTERS + 1) else 1):
        return 0.0
    if ours[0] != theirs[0] and not _slip_at_the_start(ours, theirs, beside=beside):
        return 0.0
    if short < _MANY_LETTERS and is_another_letter(ours, theirs):
        return 0.0  # another letter in a short word makes another word: Mark, Mary
    if first_name and _another_ending(ours, theirs):
        return 0.0
    if _of_another_gender(ours, theirs) or _is_a_word(ours):
        return 0.0
    if edits == 1 and is_another_letter(ours, theirs) and not _is_likely(ours, theirs, beside=beside):
        return 0.0
    return 1 - edits / long


def _is_likely(ours: str, theirs: str, *, beside: bool) -> bool:
    """Whether a letter may stand for another by a slip: neighbouring keys, like sounds, a vowel in a long word."""
    if beside and len(ours) >= _BEARS_ANY_LETTER:
        return True
    one, other = next((a, b) for a, b in zip(ours, theirs, strict=True) if a != b)
    if {one, other} <= _VOWELS:
        return len(ours) >= _BEARS_ANOTHER_VOWEL
    beside = any(abs(row.find(one) - row.find(other)) == 1 for row in _KEYS if one in row and other in row)
    return beside or any({one, other} <= sounds for sounds in _ALIKE) or not (one + other).isascii()


def _is_a_word(word: str) -> bool:
    """Whether a word is in use as it is: then it was meant, and is no slip."""
    from keepgraph.ml import wordlist

    return word in wordlist.words()


def _slip_at_the_start(ours: str, theirs: str, *, beside: bool) -> bool:
    """Much that begins otherwise is the opposite or another name; swapped letters and slips in long words are not."""
    if ours[:2] == theirs[1::-1] and ours[2:] == theirs[2:]:
        return len(ours) >= _LONG_ENOUGH
    if "a" + ours == theirs or ours == "a" + theirs:
        return False  # asymmetric is not symmetric
    if lexicons.is_given_name(ours) or len(ours) < _MANY_LETTERS + (0 if beside else 1):
        return False
    if not beside and len(ours) != len(theirs):
        return False  # methanol is not ethanol
    return ours[1:] in (theirs[1:], theirs) or ours in (theirs[1:],)


def _is_plural(one: str, other: str) -> bool:
    return len(other) > SHORTEST and one in (f"{other}s", f"{other}es", f"{other[:-1]}ies" if other[-1] == "y" else "")


def is_date(word: str) -> bool:
    """Whether a word is a month or a day of the week."""
    return word in _CALENDAR


def is_another_letter(ours: str, theirs: str) -> bool:
    """Whether a letter stands in the place of another, as it does not where letters are missing or swapped."""
    return len(ours) == len(theirs) and sorted(ours) != sorted(theirs)


def _is_code(ours: str, theirs: str) -> bool:
    """Words of which every letter counts: months and days, Roman numerals, names with symbols."""
    return (
        (ours in _CALENDAR and theirs in _CALENDAR)
        or bool(_ROMAN.fullmatch(ours) and _ROMAN.fullmatch(theirs))
        or any(symbol in ours + theirs for symbol in _SYMBOLS_OF_NAMES)
        or _is_opposite(ours, theirs)
    )


def _is_opposite(ours: str, theirs: str) -> bool:
    return any(
        (ours.startswith(one) and theirs.startswith(other)) or (ours.startswith(other) and theirs.startswith(one))
        for one, other in _OPPOSITE_STARTS
    ) or any(ours[:-2] == theirs[:-2] and {ours[-2:], theirs[-2:]} == {one, other} for one, other in _OPPOSITE_ENDS)


def _of_another_gender(ours: str, theirs: str) -> bool:
    """Whether one is the other surname with an a: Petrov, Petrova."""
    short, long = sorted((ours, theirs), key=len)
    return long[:-1] == short and long[-1] in "aа" and short.endswith(_SURNAMES_WITH_A)


def _another_ending(ours: str, theirs: str) -> bool:
    """Whether two first names differ in their ending alone, as Martin, Martina and Christian, Christina do."""
    short, long = sorted((ours, theirs), key=len)
    if len(short) < len(long):
        after_a_vowel = short[-1] in _ENDINGS and long[-1] in _ENDINGS_AFTER_A_VOWEL
        return long[:-1] == short and (long[-1] in _ENDINGS or long[-1] in "yw" or after_a_vowel)
    if short[:-1] == long[:-1]:
        return short[-1] in _ENDINGS and long[-1] in _ENDINGS
    return short[:-2] == long[:-2] and {short[-2:], long[-2:]} in ({"an", "na"}, {"er", "re"})


@lru_cache(maxsize=4096)
def plain(word: str) -> str:
    """A word of a thing's name: numbers as digits, versions without their v, one spelling for British and American."""
    word = str(numbers.CARDINALS.get(word, word))
    if version := _VERSION.fullmatch(word):
        return version[1]
    for british, american in _BRITISH:
        word = re.sub(british, american, word)
    return word


def sounded(word: str) -> str:
    """A word as it is written where v is w, and a soft vowel has a j before it: Volkov is Wolkow."""
    return re.sub("i(?=[aou])", "j", word.replace("v", "w"))


@lru_cache(maxsize=4096)
def sound(word: str) -> str:
    """What is left of a word where languages and times differ in how they write a name."""
    for pattern, sound in _SOUNDS:
        word = re.sub(pattern, sound, word)
    return word
