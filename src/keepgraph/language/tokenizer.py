"""Where a name may begin and end within a text: words, and what is divided off them. Knows no names.

Ada's, C++, .NET, PostgreSQL-based, Node.js, José with its accent as a sign of its own, 北京.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

UNDIVIDED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3006\u3041-\u3096\u309d-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Signs of scripts that put no space between words, for a character class."""

ADDRESS = re.compile(
    r"(?:[a-zA-Z][a-zA-Z+.-]{0,20}://|www\.)[^\s<>\"'`]+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
)
"""A place on the web, or for mail: one word, in which no other names are looked for."""

_MARKS_UP_TO = 0x20000
_JOINERS = "\u200c\u200d"
_BEFORE = "@#$("
_AFTER = ".!?)%*°™®"
_SYMBOLS_OF_NAMES = "+#"
_DIVIDING = frozenset('/–—,;:|()[]{}<>"“”„«»‹›=*`~…、。，！？「」『』（）：；·\\')
_APOSTROPHES = "'’ʼ"
_HYPHENS = "-‐‑"
_AFTER_A_NAME = frozenset("s S ll re ve d m".split())
_ELIDED = frozenset("l d j m n t c qu dell all nell sull un L D".split())
_TAILS = frozenset(
    "based powered related driven like style specific compatible only first backed side level free ready native led "
    "wide owned enabled hosted managed wise built inspired".split()
)
_HEADS = frozenset("non pre post anti ex pro semi multi cross mid self inter intra".split())
_PARTICLES = tuple(
    "에서 에게 으로 까지 부터 보다 처럼 께서 한테 이다 입니다 이라 라고".split()
    + list("은는이가을를의에와과도로만씨님")
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A word, or a part of one.

    Attributes:
        start, end: its letters and digits in the text.
        starts: where a name may begin with it; nowhere, if it is joined to what stands before.
        ends: where a name may end with it; nowhere, if it is joined to what follows.
        after_space: whether a space stands before it.
        after_break: whether an empty line stands before it.
    """

    start: int
    end: int
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    after_space: bool
    after_break: bool


def pieces(text: str) -> Iterator[Piece]:
    """The pieces of a text in their order."""
    parts = _parts(text)
    divided = [_divides(text, one, other) for one, other in pairwise(parts)]
    for place, (start, end) in enumerate(parts):
        before = text[parts[place - 1][1] : start] if place else " "
        open_before = not place or divided[place - 1]
        open_after = place == len(parts) - 1 or divided[place]
        yield Piece(
            start=start,
            end=end,
            starts=_starts(text, start) if open_before else (),
            ends=_ends(text, start, end) if open_after else (),
            after_space=any(c.isspace() for c in before),
            after_break=place > 0 and before.count("\n") > 1,
        )


def undivided(text: str) -> list[tuple[int, int]]:
    """The runs of signs of scripts that put no space between words, by their places."""
    return [found.span() for found in _undivided().finditer(text)]


def is_mark(sign: str) -> bool:
    """Whether a sign belongs to the letter before it."""
    return sign in _JOINERS or unicodedata.category(sign)[0] == "M"


def _parts(text: str) -> list[tuple[int, int]]:
    """Runs of letters, marks and digits; an address is one."""
    word = _ascii_word() if text.isascii() else _word()
    addresses = [found.span() for found in ADDRESS.finditer(text)]
    if not addresses:
        return [found.span() for found in word.finditer(text)]
    parts: list[tuple[int, int]] = []
    after = 0
    for start, end in addresses:
        while end > start and text[end - 1] in ".,;:!?)]*_":
            end -= 1
        parts += [found.span() for found in word.finditer(text, after, start)]
        parts.append((start, end))
        after = end
    return parts + [found.span() for found in word.finditer(text, after)]


def _divides(text: str, left: tuple[int, int], right: tuple[int, int]) -> bool:
    """Whether one word ends, and another begins, between two parts."""
    between = text[left[1] : right[0]].lstrip(_SYMBOLS_OF_NAMES)
    if not between:
        return left[1] == right[0]  # another script
    if len(between) > 1 or between.isspace() or between in _DIVIDING:
        return between not in ("__", "::")
    one, other = text[left[0] : left[1]], text[right[0] : right[1]]
    if between in _APOSTROPHES:
        after_a_name = len(one) > 1 and one[0].isupper() and other.islower()
        return other in _AFTER_A_NAME or one in _ELIDED or after_a_name
    if between in _HYPHENS:
        return _divides_at_hyphen(one, other)
    return False


def _divides_at_hyphen(one: str, other: str) -> bool:
    """PostgreSQL-based and non-Django are divided, Anna-Maria and user-service are one word."""
    if other.lower() in _TAILS or one.lower() in _HEADS:
        return True
    if not (one + other).isascii() and one.lower() == one.upper() and other.lower() == other.upper():
        return True  # no letter case
    small = other if any(c.isupper() for c in one) else one
    large = one if small is other else other
    return len(large) > 1 and len(small) > 2 and small.isalpha() and small.islower() and large.lower() != large


def _starts(text: str, start: int) -> tuple[int, ...]:
    before = text[start - 1 : start]
    alone = start < 2 or not text[start - 2].isalnum()
    if before == "." and alone and text[start - 2 : start - 1] != ".":
        return (start - 1,)  # .NET is not NET
    if before and before in _BEFORE and alone:
        return (start, start - 1)
    return (start,)


def _ends(text: str, start: int, end: int) -> tuple[int, ...]:
    """After the word, and with a sign that may belong to it: C++ (which is not C), Yahoo!, U.S."""
    symbols = end
    while text[symbols : symbols + 1] and text[symbols] in _SYMBOLS_OF_NAMES:
        symbols += 1
    found = [symbols]
    if text[symbols : symbols + 1] and text[symbols] in _AFTER:
        found.append(symbols + 1)
    if "\uac00" <= text[end - 1] <= "\ud7a3":
        particle = next((each for each in _PARTICLES if text.endswith(each, start + 1, end)), None)
        if particle:
            found.append(end - len(particle))
    return tuple(found)


@cache
def _ascii_word() -> re.Pattern[str]:
    return re.compile("[A-Za-z0-9]+")


@cache
def _word() -> re.Pattern[str]:
    return re.compile(f"(?:(?![{UNDIVIDED}])[^\\W_]|[{_marks()}])+")


@cache
def _undivided() -> re.Pattern[str]:
    return re.compile(f"[{UNDIVIDED}](?:[{UNDIVIDED}]|[{_marks()}])*")


@cache
def _marks() -> str:
    """The signs that belong to the letter before them, for a character class; without those of undivided scripts."""
    own = re.compile(f"[{UNDIVIDED}]")
    every = [c for c in map(chr, range(0x300, _MARKS_UP_TO)) if is_mark(c) and not own.match(c)]
    return "".join(map(re.escape, every))
