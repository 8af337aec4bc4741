"""Sentence splitting for text of any kind: by lines, bullets and punctuation, with English abbreviations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from keepgraph import lazy
from keepgraph.lazy import dataclass

_MAX_LENGTH = 1_000

# A line is taken to be wrapped, and its sentence to go on in the next, only from this length on.
_MIN_WRAPPED_LINE = 50

_SENTENCE_END = lazy.compile(r"[.!?…]{1,3}[\"'”’)\]*_]{0,4}(?=\s)|[。！？｡]")
_LINE = lazy.compile(r"[^\r\n]+")
_LINE_MARKERS = lazy.compile(
    r"\s{0,40}(?:[-*+•>]\s{1,4}|#{1,6}\s{1,4}|\d{1,3}[.)]\s{1,4}|\[[ xX]\]\s{1,4}|\|\s{0,4}){0,4}"
)
_ABBREVIATION = lazy.compile(
    r"(?:^|[\s(])([A-Za-z]|Mrs?|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|cf|approx|No|Inc|Ltd|Co)$"
)
_LONGEST_ABBREVIATION = 8


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence by its offsets in the text.

    Attributes:
        start: its first character, after bullets, heading markers and list numbers.
        end: after its last character, the closing punctuation included.
        quoted: whether it stands in a block quotation (`> …`).
        heading: whether its line is a heading (`# …`).
    """

    start: int
    end: int
    quoted: bool = False
    heading: bool = False


@lru_cache(maxsize=4)
def split(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text in their order, none longer than 1,000 characters (a longer one is divided at a space).

    A line ends a sentence, unless it was wrapped: then the next line begins with a lower-case letter. The result is
    cached, because mention detection and relation extraction split the same text one after the other.
    """
    return tuple(_split(text))


def _split(text: str) -> Iterator[Sentence]:
    for start, end in _logical_lines(text):
        match = _LINE_MARKERS.match(text, start, end)
        first = match.end() if match else start
        markers = text[start:first]
        yield from (
            Sentence(sentence_start, sentence_end, quoted=">" in markers, heading="#" in markers)
            for sentence_start, sentence_end in _split_line(text, first, end)
        )


def _logical_lines(text: str) -> Iterator[tuple[int, int]]:
    """Lines as (start, end), each with the lines that continue it where it was wrapped."""
    start = end = last_start = -1
    for line in _LINE.finditer(text):
        first_character = next((c for c in line[0][:200] if not c.isspace()), "")
        if not first_character:
            continue
        is_adjacent = text.count("\n", end, line.start()) <= 1 if end >= 0 else False
        was_wrapped = end - last_start >= _MIN_WRAPPED_LINE
        if is_adjacent and first_character.islower() and was_wrapped and text[end - 1] not in ".!?:":
            last_start, end = line.start(), line.end()
            continue
        if start >= 0:
            yield start, end
        start, last_start, end = line.start(), line.start(), line.end()
    if start >= 0:
        yield start, end


def _split_line(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for match in _SENTENCE_END.finditer(text, start, end):
        is_single_period = match[0].startswith(".") and not match[0].startswith("..")
        before = max(start, match.start() - _LONGEST_ABBREVIATION)
        if is_single_period and _ABBREVIATION.search(text, before, match.start()):
            continue
        yield from _limit_length(text, start, match.end())
        start = match.end()
    yield from _limit_length(text, start, end)


def _limit_length(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A stretch of text without the white space around it, in parts of at most 1,000 characters."""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > _MAX_LENGTH:
        cut = text.rfind(" ", start + _MAX_LENGTH // 2, start + _MAX_LENGTH)
        cut = cut if cut > 0 else start + _MAX_LENGTH
        yield start, cut
        start = cut + 1 if text[cut].isspace() else cut
    if start < end:
        yield start, end
