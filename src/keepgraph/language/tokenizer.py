"""Tokenizer: divides a text into tokens with their offsets, and says where a name may begin and end.

Cases that it is made for: Ada's, C++, .NET, PostgreSQL-based, Node.js, José with a combining accent, 北京.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from keepgraph import lazy
from keepgraph.lazy import dataclass

UNSPACED_SCRIPTS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3006\u3041-\u3096\u309d-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Characters of scripts that put no space between words (Thai, Khmer, Japanese, Chinese …), for a character class."""

_ADDRESS = lazy.compile(
    r"(?:[a-zA-Z][a-zA-Z+.-]{0,20}://|www\.)[^\s<>\"'`]+|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
)

# Above this code point lie ideographs and variation selectors: no combining marks of scripts with spaces.
_LAST_MARK = 0x20000
_JOINERS = "\u200c\u200d"
_PREFIXES = "@#$("
_SUFFIXES = ".!?)%*°™®"
_NAME_SYMBOLS = "+#"
_SEPARATORS = frozenset('/–—,;:|()[]{}<>"“”„«»‹›=*`~…、。，！？「」『』（）：；·\\')
_APOSTROPHES = "'’ʼ"
_HYPHENS = "-‐‑"
_CLITICS = frozenset("s S ll re ve d m".split())
_ELIDED_ARTICLES = frozenset("l d j m n t c qu dell all nell sull un L D".split())
_HYPHEN_SUFFIXES = frozenset(
    "based powered related driven like style specific compatible only first backed side level free ready native led "
    "wide owned enabled hosted managed wise built inspired".split()
)
_HYPHEN_PREFIXES = frozenset("non pre post anti ex pro semi multi cross mid self inter intra".split())
# Longer ones first: the first that fits is taken off.
_KOREAN_PARTICLES = tuple(
    "에서 에게 으로 까지 부터 보다 처럼 께서 한테 이다 입니다 이라 라고".split()
    + list("은는이가을를의에와과도로만씨님")
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, or a part of one.

    Attributes:
        start, end: offsets of its letters and digits in the text, the end exclusive.
        starts: offsets at which a name may begin with it; empty if it is joined to the token before.
        ends: offsets at which a name may end with it; empty if it is joined to the token after.
        after_space: whether white space stands before it.
        after_break: whether an empty line stands before it.
    """

    start: int
    end: int
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    after_space: bool
    after_break: bool


def tokenize(text: str) -> Iterator[Token]:
    """The tokens of a text in their order."""
    words = _words(text)
    separated = [text[left[1] : right[0]] == " " or _is_separated(text, left, right) for left, right in pairwise(words)]
    for index, (start, end) in enumerate(words):
        before = text[words[index - 1][1] : start] if index else " "
        may_start = not index or separated[index - 1]
        may_end = index == len(words) - 1 or separated[index]
        yield Token(
            start=start,
            end=end,
            starts=_starts(text, start) if may_start else (),
            ends=_ends(text, start, end) if may_end else (),
            after_space=before == " " or any(c.isspace() for c in before),
            after_break=index > 0 and before.count("\n") > 1,
        )


def address_spans(text: str) -> Iterator[tuple[int, int]]:
    """The URLs and e-mail addresses of a text as (start, end): tokens in which no other names are looked for."""
    # The pattern tries a run of letters at each of its letters; few texts have an address.
    if "@" in text or "://" in text or "www." in text:
        yield from (match.span() for match in _ADDRESS.finditer(text))


def unspaced_runs(text: str) -> list[tuple[int, int]]:
    """The runs of characters of scripts that put no space between words, as (start, end)."""
    return [match.span() for match in _unspaced_pattern().finditer(text)]


def is_combining_mark(character: str) -> bool:
    """Whether a character belongs to the letter before it."""
    return character in _JOINERS or unicodedata.category(character)[0] == "M"


def _words(text: str) -> list[tuple[int, int]]:
    """Runs of letters, marks and digits as (start, end); an address is one."""
    pattern = _ascii_word_pattern() if text.isascii() else _word_pattern()
    addresses = list(address_spans(text))
    if not addresses:
        return [match.span() for match in pattern.finditer(text)]
    words: list[tuple[int, int]] = []
    position = 0
    for start, end in addresses:
        while end > start and text[end - 1] in ".,;:!?)]*_":
            end -= 1
        words += [match.span() for match in pattern.finditer(text, position, start)]
        words.append((start, end))
        position = end
    return words + [match.span() for match in pattern.finditer(text, position)]


def _is_separated(text: str, left: tuple[int, int], right: tuple[int, int]) -> bool:
    """Whether a name may end with the left of two neighbouring words, and another begin with the right."""
    between = text[left[1] : right[0]].lstrip(_NAME_SYMBOLS)
    if not between:
        return left[1] == right[0]  # another script
    if len(between) > 1 or between.isspace() or between in _SEPARATORS:
        return between not in ("__", "::")
    left_word, right_word = text[left[0] : left[1]], text[right[0] : right[1]]
    if between in _APOSTROPHES:
        is_possessive = len(left_word) > 1 and left_word[0].isupper() and right_word.islower()
        return right_word in _CLITICS or left_word in _ELIDED_ARTICLES or is_possessive
    if between in _HYPHENS:
        return _is_separated_by_hyphen(left_word, right_word)
    return False


def _is_separated_by_hyphen(left: str, right: str) -> bool:
    """PostgreSQL-based and non-Django are two words each; Anna-Maria and user-service are one."""
    if right.lower() in _HYPHEN_SUFFIXES or left.lower() in _HYPHEN_PREFIXES:
        return True
    if not (left + right).isascii() and left.lower() == left.upper() and right.lower() == right.upper():
        return True  # no letter case
    lower_case = right if any(c.isupper() for c in left) else left
    name = left if lower_case is right else right
    return (
        len(name) > 1 and len(lower_case) > 2 and lower_case.isalpha() and lower_case.islower() and name.lower() != name
    )


def _starts(text: str, start: int) -> tuple[int, ...]:
    before = text[start - 1 : start]
    is_detached = start < 2 or not text[start - 2].isalnum()
    if before == "." and is_detached and text[start - 2 : start - 1] != ".":
        return (start - 1,)  # .NET is not NET
    if before and before in _PREFIXES and is_detached:
        return (start, start - 1)
    return (start,)


def _ends(text: str, start: int, end: int) -> tuple[int, ...]:
    """After the word, and after a symbol that may belong to it: C++ (which is not C), Yahoo!, U.S."""
    after_symbols = end
    while text[after_symbols : after_symbols + 1] and text[after_symbols] in _NAME_SYMBOLS:
        after_symbols += 1
    ends = [after_symbols]
    if text[after_symbols : after_symbols + 1] and text[after_symbols] in _SUFFIXES:
        ends.append(after_symbols + 1)
    if "\uac00" <= text[end - 1] <= "\ud7a3":
        particle = next((particle for particle in _KOREAN_PARTICLES if text.endswith(particle, start + 1, end)), None)
        if particle:
            ends.append(end - len(particle))
    return tuple(ends)


@cache
def _ascii_word_pattern() -> re.Pattern[str]:
    return re.compile("[A-Za-z0-9]+")


@cache
def _word_pattern() -> re.Pattern[str]:
    # ASCII by itself: most of any text is ASCII, and the other classes take many times as long for each character.
    return re.compile(f"(?:[A-Za-z0-9]+|(?=[^\\x00-\\x7f])(?:[^\\W_{UNSPACED_SCRIPTS}]|[{_mark_class()}]))+")


@cache
def _unspaced_pattern() -> re.Pattern[str]:
    return re.compile(f"[{UNSPACED_SCRIPTS}](?:[{UNSPACED_SCRIPTS}]|[{_mark_class()}])*")


@cache
def _mark_class() -> str:
    """Combining marks for a character class, without those of unspaced scripts."""
    unspaced = re.compile(f"[{UNSPACED_SCRIPTS}]")
    marks = [c for c in map(chr, range(0x300, _LAST_MARK)) if is_combining_mark(c) and not unspaced.match(c)]
    return "".join(map(re.escape, marks))
