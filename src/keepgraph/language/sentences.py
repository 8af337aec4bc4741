"""Where sentences begin and end in a text of any kind. Knows lines, bullets and abbreviations, and no language else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_LONGEST = 1_000
_WRAPPED = 50

_END = re.compile(r"[.!?…]{1,3}[\"'”’)\]*_]{0,4}(?=\s)|[。！？｡]")
_LINE = re.compile(r"[^\r\n]+")
_LEAD = re.compile(r"\s{0,40}(?:[-*+•>]\s{1,4}|#{1,6}\s{1,4}|\d{1,3}[.)]\s{1,4}|\[[ xX]\]\s{1,4}|\|\s{0,4}){0,4}")
_BEFORE_A_PERIOD = re.compile(
    r"(?:^|[\s(])([A-Za-z]|Mrs?|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|cf|approx|No|Inc|Ltd|Co)$"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence by its place in the text.

    Attributes:
        start: its first sign, after bullets, heading marks and numbers of a list.
        end: after its last sign, the closing punctuation included.
        quoted: whether it stands in a block that quotes another (`> …`).
        heading: whether its line is a heading (`# …`).
    """

    start: int
    end: int
    quoted: bool = False
    heading: bool = False


@lru_cache(maxsize=4)
def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences in their order, none longer than 1,000 characters (what is longer is divided at a space).

    A line ends a sentence, unless it was wrapped: then the next one begins in small letters. The same text is looked at
    for several things, one after the other: it is divided once.
    """
    return tuple(_sentences(text))


def _sentences(text: str) -> Iterator[Sentence]:
    for start, end in _blocks(text):
        lead = _LEAD.match(text, start, end)
        begin = lead.end() if lead else start
        marks = text[start:begin]
        yield from (
            Sentence(one, other, quoted=">" in marks, heading="#" in marks) for one, other in _within(text, begin, end)
        )


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Lines, with those that go on where the one before was wrapped."""
    start = end = last = -1
    for line in _LINE.finditer(text):
        first = next((c for c in line[0][:200] if not c.isspace()), "")
        if not first:
            continue
        neighbours = text.count("\n", end, line.start()) <= 1 if end >= 0 else False
        if neighbours and first.islower() and end - last >= _WRAPPED and text[end - 1] not in ".!?:":
            last, end = line.start(), line.end()
            continue
        if start >= 0:
            yield start, end
        start, last, end = line.start(), line.start(), line.end()
    if start >= 0:
        yield start, end


def _within(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in _END.finditer(text, start, end):
        if (
            found[0].startswith(".")
            and not found[0].startswith("..")
            and _BEFORE_A_PERIOD.search(text, max(start, found.start() - 8), found.start())
        ):
            continue
        yield from _divided(text, start, found.end())
        start = found.end()
    yield from _divided(text, start, end)


def _divided(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > _LONGEST:
        cut = text.rfind(" ", start + _LONGEST // 2, start + _LONGEST)
        cut = cut if cut > 0 else start + _LONGEST
        yield start, cut
        start = cut + 1 if text[cut].isspace() else cut
    if start < end:
        yield start, end
