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

_FOLDED_EQUAL = 0.99
_SAME_WORDS = 0.97
_SAME_LETTERS = 0.96
_PARTIAL = 0.93
_BEST_TYPO = 0.98
_MANY_LETTERS = 6

_LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "ß": "ss", "ł": "l", "đ": "d", "œ": "oe", "ð": "d", "þ": "th", "ı": "i", "ħ": "h"}
    | {"Ø": "o", "Æ": "ae", "ẞ": "ss", "Ł": "l", "Đ": "d", "Œ": "oe", "Ð": "d", "Þ": "th", "Ħ": "h"}
)
_ACCENTS = re.compile("[\u0300-\u036f]")
_APOSTROPHES = re.compile("['`´ʼ’‘]")
_NOT_A_WORD = re.compile(r"(?<=\w)([+#]+)|[^\w]|_", re.UNICODE)
_INVISIBLE = {"\u200c", "\u200d"}  # joiners that carry meaning in some scripts
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivx]+")
_IDEOGRAPHS = re.compile("[\u2e80-\ud7ff\uf900-\ufaff]|[\U00020000-\U0003ffff]")

_UNIMPORTANT = frozenset(
    "the mr mrs ms mx dr prof sir madam inc ltd llc llp gmbh corp corporation co ag sa bv plc".split()
)
_CALENDAR = frozenset(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun".split()
)


def clean(name: str) -> str:
    """A name as it is kept and shown: composed, white space collapsed, without invisible characters."""
    visible = "".join(c for c in name if c in _INVISIBLE or unicodedata.category(c) != "Cf")
    return " ".join(unicodedata.normalize("NFC", visible).split())


def key(name: str) -> str:
    """What decides identity: NFKC, casefold, white space collapsed, symbols kept. C, C++ and C# differ."""
    composed = unicodedata.normalize("NFKC", clean(name)).casefold()
    return " ".join(unicodedata.normalize("NFKC", composed).split())


def fold(name: str) -> str:
    """A form for comparing alone: accents, apostrophes and punctuation gone; `+` and `#` stay after a letter."""
    plain = unicodedata.normalize("NFKC", clean(name)).translate(_LETTERS).casefold()
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", plain))
    plain = _NOT_A_WORD.sub(lambda found: found[1] or " ", _APOSTROPHES.sub("", plain))
    return " ".join(unicodedata.normalize("NFC", plain).split())


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
    if sum(map(len, asked.split())) < SHORTEST:
        return 0.0
    ours, theirs = words(asked, besides=(kind,)), words(known, besides=(kind,))
    if sorted(_DIGITS.findall(" ".join(ours))) != sorted(_DIGITS.findall(" ".join(theirs))):
        return 0.0
    if sum(map(len, ours)) < SHORTEST:
        return 0.0
    if sorted(ours) == sorted(theirs):
        return _SAME_WORDS
    if "".join(ours) == "".join(theirs):
        return _SAME_LETTERS
    if len(ours) == len(theirs):
        return _aligned(ours, theirs, person=kind == "person")
    if kind == "person" and len(ours) < len(theirs):
        return _PARTIAL * _aligned(ours, theirs, person=True)
    return 0.0


def shares(asked: str, known: str) -> float:
    """How alike two folded names look, below SURE: for naming candidates, never for choosing one."""
    from rapidfuzz import fuzz

    return min(SURE - 0.01, fuzz.WRatio(asked, known) / 100)


def _aligned(ours: list[str], theirs: list[str], *, person: bool) -> float:
    """Give each of our words another of theirs; the mean of how alike they are, scaled to SURE and up."""
    left = list(theirs)
    slips: list[float] = []
    rest = []
    for word in ours:
        if word in left:
            left.remove(word)
        else:
            rest.append(word)
    for word in rest:
        alike, best = max(
            (
                (_slip(word, other, first_name=person and (word == ours[0] or other == theirs[0])), other)
                for other in left
            ),
            default=(0.0, ""),
        )
        # A slip in a word of three letters only counts beside words that are right.
        alone = len(rest) > 1 or len(ours) == 1
        if alike == 0 or (alone and min(len(word), len(best)) == SHORTEST):
            return 0.0
        left.remove(best)
        slips.append(alike)
    # Of two slips each is doubtful; three are another name.
    if len(slips) > 2 or (len(slips) == 2 and len(ours) > 2 and len(ours) < len(theirs)):
        return 0.0
    # One name of a person with a slip in it is two steps away: only a long word bears that.
    if slips and len(ours) < len(theirs) and len(ours) == 1 and len(ours[0]) < 5:
        return 0.0
    mean = (len(ours) - len(slips) + sum(slips)) / len(ours)
    return SURE + (_BEST_TYPO - SURE) * mean if slips else _BEST_TYPO


def _slip(ours: str, theirs: str, *, first_name: bool) -> float:
    """The share of letters in order if one word may be a mistyping of the other, else 0."""
    from rapidfuzz.distance import OSA

    if digit := _DIGITS.search(ours):
        # Only in the letters before the first digit, and only where they are many: sqlcypher3, sqlcipher3.
        tail = ours[digit.start() :]
        if not theirs.endswith(tail) or _DIGITS.search(theirs.removesuffix(tail)) or digit.start() < _MANY_LETTERS:
            return 0.0
        ours, theirs = ours[: digit.start()], theirs.removesuffix(tail)
    short, long = sorted((len(ours), len(theirs)))
    if short < SHORTEST or long - short > 2 or _IDEOGRAPHS.search(ours + theirs):
        return 0.0
    if _is_code(ours, theirs):
        return 0.0
    edits = OSA.distance(ours, theirs, score_cutoff=2)
    if edits > (2 if short >= 9 else 1):
        return 0.0
    if short < 7 and ours[0] != theirs[0]:
        return 0.0
    if short < 6 and long == short and sorted(ours) != sorted(theirs):
        return 0.0  # another letter in a short word makes another word: Mark, Mary
    if first_name and _another_ending(ours, theirs):
        return 0.0
    return 1 - edits / long


def _is_code(ours: str, theirs: str) -> bool:
    """Words of which every letter counts: months and days, Roman numerals, names with symbols."""
    return (
        (ours in _CALENDAR and theirs in _CALENDAR)
        or bool(_ROMAN.fullmatch(ours) and _ROMAN.fullmatch(theirs))
        or any(symbol in ours + theirs for symbol in "+#")
    )


def _another_ending(ours: str, theirs: str) -> bool:
    """Whether two first names differ in their ending alone, as Martin, Martina and Christian, Christina do."""
    short, long = sorted((ours, theirs), key=len)
    if long[: len(short)] == short and long[len(short) :] in ("a", "e", "i", "o"):
        return True
    return len(short) == len(long) and short[:-2] == long[:-2] and (short[-1] in "aeio" or long[-1] in "aeio")
