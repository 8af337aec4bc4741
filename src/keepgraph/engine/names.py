"""What makes two names the same, or alike. Knows no table.

`key` decides identity: names with equal keys are one name. `fold` and `likeness` only compare, for reading.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

SURE = 0.80
"""Likeness from which a name on its own is taken to mean an entity."""

MARGIN = 0.04
"""Two entities nearer to each other than this are too close to call."""

SHORTEST = 3
"""Names with fewer letters and digits are only ever found exactly."""

BEARS_TWO_SLIPS = 9
"""Words of so many letters may have two slips in them."""

_FOLDED_EQUAL = 0.99
_SAME_WORDS = 0.97
_SAME_LETTERS = 0.96
_PARTIAL = 0.93
_BEST_TYPO = 0.98
_LONG_ENOUGH = 5
_MANY_LETTERS = 6

_LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "ß": "ss", "ł": "l", "đ": "d", "œ": "oe", "ð": "d", "þ": "th", "ı": "i", "ħ": "h"}
    | {"Ø": "o", "Æ": "ae", "ẞ": "ss", "Ł": "l", "Đ": "d", "Œ": "oe", "Ð": "d", "Þ": "th", "Ħ": "h"}
)
_ACCENTS = re.compile("[\u0300-\u036f]")
_NOT = re.compile("n['´ʼ’‘]t\\b")
_APOSTROPHES = re.compile("['`´ʼ’‘]")
_VARIATIONS = re.compile("[\ufe00-\ufe0f]")
_MINUS = re.compile(r"(?<!\S)-(?=\d)|(?<=\w)-(?!\S)")
_SYMBOLS_OF_NAMES = "+#"
_JOINERS = {"\u200c", "\u200d"}  # they carry meaning in some scripts
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile("[ivxlcdm]+")
_IDEOGRAPHS = re.compile("[\u2e80-\ud7ff\uf900-\ufaff]|[\U00020000-\U0003ffff]")
_ENDINGS_AFTER_A_VOWEL = frozenset("nst")
_ENDINGS = frozenset("aeioаяеиоыэюαηο\u093e\u0940\u09be\u09c0")

_UNIMPORTANT = frozenset(
    "the mr mrs ms mx dr prof sir madam inc ltd llc llp gmbh corp corporation co ag sa bv plc".split()
)
_GENERATIONS = frozenset("jr sr junior senior ii iii iv".split())
_OPPOSITE_STARTS = (("hypo", "hyper"), ("micro", "macro"), ("inter", "intra"), ("pre", "pro"), ("over", "under"))
_OPPOSITE_ENDS = (("er", "ee"), ("or", "ee"))
_SURNAMES_WITH_A = ("ov", "ev", "in", "yn", "ов", "ев", "ин", "ын")
_RELATING = frozenset(
    "from to over than before after with without for by against instead of not vs and or in on".split()
)
_CALENDAR = frozenset(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun".split()
)


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
    telling = [word for word in every if word not in _UNIMPORTANT and word not in besides]
    return telling or every


def likeness(asked: str, known: str, *, kind: str) -> float:
    """How surely the folded name `asked` means the one called `known`, an entity of type `kind`.

    0 means no; from SURE up it may be taken on its own. Every word asked for must be there, with at most
    a slip of the keyboard in it; digits must agree; for a person some of the names will do.
    """
    if asked == known:
        return _FOLDED_EQUAL if len(asked) > 1 else 0.0
    ours, theirs = words(asked, besides=(kind,)), words(known, besides=(kind,))
    if _weight(ours) < SHORTEST:
        return 0.0
    if "".join(ours) == "".join(theirs) and _DIGITS.findall(" ".join(ours)) == _DIGITS.findall(" ".join(theirs)):
        return _SAME_LETTERS if ours != theirs else _SAME_WORDS
    if _digits(ours) != _digits(theirs):
        return 0.0
    person = kind == "person"
    if _may_change_order(ours, person=person) and sorted(ours) == sorted(theirs):
        return _SAME_WORDS
    if len(ours) == len(theirs):
        return _aligned(ours, theirs, person=person)
    if person and len(ours) < len(theirs):
        return _PARTIAL * _part_of_person(ours, theirs)
    return 0.0


def shares(asked: str, known: str) -> float:
    """How alike two folded names look, below SURE: for naming candidates, never for choosing one."""
    from rapidfuzz import fuzz

    return min(SURE - 0.01, fuzz.WRatio(asked, known) / 100)


def _weight(telling: list[str]) -> int:
    """How many letters a name has, where an ideograph or a syllable says as much as two."""
    return sum(map(len, telling)) + sum(len(_IDEOGRAPHS.findall(word)) for word in telling)


def _digits(telling: list[str]) -> tuple[list[str], list[str]]:
    """The numbers in their order, and those within words: 2025 Q3 is Q3 2025, but 1:3 is not 3:1."""
    numbers = [word for word in telling if word.isdecimal()]
    return numbers, sorted(_DIGITS.findall(" ".join(word for word in telling if not word.isdecimal())))


def _may_change_order(telling: list[str], *, person: bool) -> bool:
    """Lovelace, Ada is Ada Lovelace; from MySQL to Postgres is not from Postgres to MySQL."""
    return person or (len(telling) <= 3 and not _RELATING.intersection(telling))


def _part_of_person(ours: list[str], theirs: list[str]) -> float:
    """A first or a last name, perhaps with others, for the whole."""
    if _GENERATIONS.intersection(theirs) - set(ours):
        return 0.0
    ends = (theirs[0], theirs[-1])
    for word in ours:
        if word in ends:
            return _aligned(ours, theirs, person=True)
    # A single name with a slip in it is two steps away: only a longer word bears that.
    alone = len(ours) == 1 and len(ours[0]) >= _LONG_ENOUGH
    return _aligned(ours, list(ends), person=True) if alone else 0.0


def _aligned(ours: list[str], theirs: list[str], *, person: bool) -> float:
    """Give each of our words another of theirs; the mean of how alike they are, scaled to SURE and up."""
    in_place = len(ours) == len(theirs) and not _may_change_order(ours, person=person)
    right = [word in theirs for word in ours]
    left = list(theirs)
    slips: list[float] = []
    for position, word in enumerate(ours):
        among = [theirs[position]] if in_place else left
        if word in among:
            if not in_place:
                left.remove(word)
            continue
        found = [
            (_slip(word, other, beside=any(right), first_name=person and (position == 0 or other == theirs[0])), other)
            for other in among
            if in_place or other not in ours
        ]
        alike, best = max(found, default=(0.0, ""))
        if alike == 0 or (person and not any(right) and _other_letter(word, best)):
            return 0.0
        if not in_place:
            left.remove(best)
        slips.append(alike)
    # Two slips are doubtful enough; with three it is another name.
    if len(slips) > 2:
        return 0.0
    mean = (len(ours) - len(slips) + sum(slips)) / len(ours)
    return SURE + (_BEST_TYPO - SURE) * mean


def _slip(ours: str, theirs: str, *, beside: bool, first_name: bool) -> float:
    """The share of letters in order if one word may be a mistyping of the other, else 0.

    `beside` says that there are words beside it that are right.
    """
    from rapidfuzz.distance import OSA

    if digit := _DIGITS.search(ours):
        # Only in the letters before the first digit, and only where they are many: sqlcypher3, sqlcipher3.
        tail = ours[digit.start() :]
        if not theirs.endswith(tail) or _DIGITS.search(theirs.removesuffix(tail)) or digit.start() < _MANY_LETTERS:
            return 0.0
        ours, theirs = ours[: digit.start()], theirs.removesuffix(tail)
    short, long = sorted((len(ours), len(theirs)))
    if short < (SHORTEST if beside else SHORTEST + 1) or long - short > 2 or _IDEOGRAPHS.search(ours + theirs):
        return 0.0
    # Nobody mistypes the first letter often, and much that begins otherwise is the opposite.
    if ours[0] != theirs[0] or _is_code(ours, theirs):
        return 0.0
    edits = OSA.distance(ours, theirs, score_cutoff=2)
    if edits > (2 if short >= BEARS_TWO_SLIPS else 1):
        return 0.0
    if short < _MANY_LETTERS and _other_letter(ours, theirs):
        return 0.0  # another letter in a short word makes another word: Mark, Mary
    if first_name and _another_ending(ours, theirs):
        return 0.0
    if _of_another_gender(ours, theirs):
        return 0.0
    return 1 - edits / long


def _other_letter(ours: str, theirs: str) -> bool:
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
