"""Chunking: divides a text into the chunks in which it is found again.

The chunks are a partition: joined, they are the text. White space belongs to the chunk before it. The time is linear in
the length of the text, and a chunk has about 1,000 characters at most, which is what the embedder reads of it.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence, Set
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TypeAlias

from keepgraph import interruption, lazy
from keepgraph.language import markdown, sentences, speakers, text_boundaries
from keepgraph.lazy import dataclass

# At most this many consecutive headings stay with the text that follows.
_MAX_CARRIED_HEADINGS = 6


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A part of a text.

    Attributes:
        heading: the path of headings above it, `Guide › Install`, or of keys in JSON; None outside of any.
        speaker: who says it; None if nobody is named.
    """

    text: str
    heading: str | None = None
    speaker: str | None = None


def split(text: str, *, kind: str, outline: markdown.Outline | None = None) -> list[TextChunk]:
    """The chunks of a text of this kind: "document" (Markdown), "message", "json", or "text" as any other.

    Args:
        outline: of a document, where it has been parsed already.
    """
    if not text:
        return []
    if kind == "document":
        return _split_document(text, outline or markdown.parse_outline(text))
    if kind == "message":
        return _split_message(text)
    return (_split_json(text) if kind == "json" else []) or _split_prose(text)


def _split_document(text: str, outline: markdown.Outline) -> list[TextChunk]:
    """At headings, then at blocks: paragraphs, list items, code. A heading stays with what follows it."""
    chunks: list[TextChunk] = []
    prose = {start for start, _ in outline.prose}
    carried: list[int] = []
    ends = [*(section.start for section in outline.sections[1:]), len(text)]
    next_levels = [*(section.level for section in outline.sections[1:]), 0]
    for section, end, next_level in zip(outline.sections, ends, next_levels, strict=True):
        blocks = outline.blocks[bisect_left(outline.blocks, section.start) : bisect_left(outline.blocks, end)]
        has_only_subsections = section.level and len(blocks) == 1 and next_level > section.level
        if has_only_subsections and len(carried) < _MAX_CARRIED_HEADINGS:
            carried.append(section.start)
            continue
        start = carried[0] if carried else section.start
        # Not the heading, nor the block after it, with which it stays.
        cuts = blocks[2:] if section.level else blocks
        line_blocks = {block for block in (start, *cuts) if not _is_prose(text, block, prose)}
        if section.level and len(blocks) > 1 and not _is_prose(text, blocks[1], prose):
            line_blocks.add(start)
        spans = cut(text, start, end, cuts, line_blocks=line_blocks)
        chunks += [TextChunk(text[first:last], section.path) for first, last in spans]
        carried.clear()
    return chunks


def _is_prose(text: str, block: int, prose: Set[int]) -> bool:
    """Whether a block is made of sentences rather than of lines, as code and tables are."""
    return block in prose and not text.startswith("|", block)


def _split_message(text: str) -> list[TextChunk]:
    """At turns of a conversation, then as prose."""
    turns = speakers.turns(text)
    starts = [(0, None), *turns] if not turns or text[: turns[0][0]].strip() else [(0, turns[0][1]), *turns[1:]]
    ends = [*(start for start, _ in starts[1:]), len(text)]
    chunks: list[TextChunk] = []
    for (start, speaker), end in zip(starts, ends, strict=True):
        spans = cut(text, start, end, text_boundaries.paragraph_starts(text, start, end))
        chunks += [TextChunk(text[first:last], speaker=speaker) for first, last in spans]
    return chunks


def _split_json(text: str) -> list[TextChunk]:
    """At the outermost values and, if one is too large, within it; an empty list if it is not JSON."""
    try:
        starts = list(_value_starts(text, max_length=_MAX_BYTES))
    except (ValueError, RecursionError):
        return []
    if not starts:
        return []
    starts[0] = (0, starts[0][1])
    groups = [(path, [start for start, _ in group]) for path, group in groupby(starts, key=itemgetter(1))]
    ends = [*(blocks[0] for _, blocks in groups[1:]), len(text)]
    return [
        TextChunk(text[first:last], path)
        for (path, blocks), end in zip(groups, ends, strict=True)
        for first, last in cut(text, blocks[0], end, blocks[1:])
    ]


def _split_prose(text: str) -> list[TextChunk]:
    """At paragraphs, then sentences; a text that begins with a name and a colon has that speaker."""
    speaker = speakers.only_speaker(text)
    spans = cut(text, 0, len(text), text_boundaries.paragraph_starts(text, 0, len(text)))
    return [TextChunk(text[first:last], speaker=speaker) for first, last in spans]


# Spans of chunks: divides a stretch of text at the best boundaries until every part fits, then joins small neighbours.
#
# A span is (start, end) in characters. White space belongs to the span before it.

_MAX_BYTES = 1_000
"""The size of a chunk, white space at its end aside: about what the embedder reads of it.

It is counted in bytes of UTF-8, because letters of other scripts make more word pieces. A heading that stays with what
follows may add to it."""

TARGET_BYTES = 500
"""A chunk of this size is not joined with the block after it."""

# A last chunk below this size is joined with the one before, if that does not make it larger than MAX_BYTES and this.
_MIN_LAST_BYTES = 100
_LAST_OVERSIZE_BYTES = 200

_Span: TypeAlias = tuple[int, int]
_Boundaries: TypeAlias = Callable[[str, int, int], list[int]]
"""Gives the places to cut in a stretch of text, by its start and end."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a stretch of text. The beginning of a block is a better place to cut than one within."""

    start: int
    end: int
    begins_block: bool


def cut(text: str, start: int, end: int, blocks: Sequence[int], *, line_blocks: Set[int] = frozenset()) -> list[_Span]:
    """The spans of a stretch of text: cut at the starts of its blocks and, where a block is too large, within.

    Args:
        blocks: where its blocks start.
        line_blocks: the starts of blocks that are made of lines and not of sentences, as code and tables are.
    """
    parts = [
        _Part(part_start, part_end, begins_block=part_start == block_start)
        for block_start, block_end in _divide(text, start, end, blocks)
        for part_start, part_end in _divide_to_fit(
            text, block_start, block_end, _LINE_LEVELS if block_start in line_blocks else _PROSE_LEVELS
        )
    ]
    return _join_small(text, parts)


def _divide(text: str, start: int, end: int, cuts: Sequence[int]) -> Iterator[_Span]:
    """The spans between these cuts; none begins with white space, is blank, or divides a character."""
    starts = [start]
    for before_space in cuts:
        interruption.raise_if_due()
        offset = text_boundaries.skip_space(text, before_space, end)
        if (
            starts[-1] < offset < end
            and text_boundaries.is_character_boundary(text, offset)
            and (starts[-1] > start or text[start:offset].strip())
        ):
            starts.append(offset)
    yield from pairwise([*starts, end])


def _divide_to_fit(text: str, start: int, end: int, levels: Sequence[_Boundaries]) -> Iterator[_Span]:
    """A span in parts of at most MAX_BYTES, cut at the first level of boundaries that makes them small enough."""
    interruption.raise_if_due()
    if not levels or _size(text, start, end)[0] <= _MAX_BYTES:
        yield start, end
        return
    if levels[0] is _character_cuts:
        yield from pairwise([start, *_character_cuts(text, start, end), end])
        return
    for part_start, part_end in _divide(text, start, end, levels[0](text, start, end)):
        yield from _divide_to_fit(text, part_start, part_end, levels[1:])


def _character_cuts(text: str, start: int, end: int) -> list[int]:
    return text_boundaries.character_cuts(text, start, end, max_bytes=_MAX_BYTES)


_PROSE_LEVELS: tuple[_Boundaries, ...] = (
    text_boundaries.paragraph_starts,
    sentences.starts,
    text_boundaries.line_starts,
    text_boundaries.word_starts,
    _character_cuts,
)
_LINE_LEVELS: tuple[_Boundaries, ...] = (
    text_boundaries.paragraph_starts,
    text_boundaries.line_starts,
    text_boundaries.word_starts,
    _character_cuts,
)


def _join_small(text: str, parts: Sequence[_Part]) -> list[_Span]:
    """Neighbours joined while they fit; from TARGET_BYTES on, a span ends where the next block begins."""
    spans: list[_Span] = []
    last_size = last_space = 0
    for part in parts:
        size, space = _size(text, part.start, part.end)
        is_full = last_size + last_space + size > _MAX_BYTES or (part.begins_block and last_size >= TARGET_BYTES)
        if spans and not is_full:
            spans[-1] = (spans[-1][0], part.end)
            last_size += last_space + size
        else:
            spans.append((part.start, part.end))
            last_size = size
        last_space = space
    if len(spans) > 1 and last_size < _MIN_LAST_BYTES:
        joined = (spans[-2][0], spans[-1][1])
        if _size(text, *joined)[0] <= _MAX_BYTES + _LAST_OVERSIZE_BYTES:
            spans[-2:] = [joined]
    return spans


def _size(text: str, start: int, end: int) -> tuple[int, int]:
    """The size of a span in bytes of UTF-8, and the number of white space characters at its end, which do not count."""
    part = text[start:end]
    visible = part.rstrip()
    size = len(visible) if visible.isascii() else len(visible.encode("utf-8", "surrogatepass"))
    return size, len(part) - len(visible)


# The values of a JSON text, or of JSON Lines, by their offsets, and the keys that lead to them.

_PATH_SEPARATOR = " › "

_MAX_DEPTH = 8
_MAX_PATH = 200
_SPACE = lazy.compile(r"[ \t\r\n]*+")
# Numbers stay text: a number of a million digits would take long to convert.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


def _value_starts(text: str, *, max_length: int) -> Iterator[tuple[int, str | None]]:
    """Where the elements or members of the outermost values start, with the path of keys above them.

    An array or object that is longer than `max_length` characters is entered: it gives the starts of its own elements.
    The first start of an array or object includes its bracket and its key.

    Raises:
        ValueError: the text is not JSON; it may be raised after some starts.
        RecursionError: it is nested too deeply.
    """
    position = _skip_space(text, 0)
    while position < len(text):
        end = _value_end(text, position)
        if text[position] in "[{":
            yield from _starts_within(text, position, position, end, None, 0, max_length)
        else:
            yield position, None
        position = _skip_space(text, end)


def _starts_within(
    text: str, start: int, bracket: int, end: int, path: str | None, depth: int, max_length: int
) -> Iterator[tuple[int, str | None]]:
    """Where the elements of an array or the members of an object start.

    Args:
        start: where the first of them starts: at the key of the array or object, if it has one.
        bracket: where its opening bracket is.
    """
    is_first = True
    position = _skip_space(text, bracket + 1)
    while position < end - 1:
        member, key = position, None
        if text[bracket] == "{":
            key, position = _DECODER.raw_decode(text, position)
            position = _skip_space(text, _skip_space(text, position) + 1)  # the colon
        value, position = position, _value_end(text, position)
        member = start if is_first else member
        if text[value] in "[{" and depth < _MAX_DEPTH and position - value > max_length:
            inner = f"{path}{_PATH_SEPARATOR}{key}" if path and key else key or path
            inner = inner and inner[:_MAX_PATH]
            yield from _starts_within(text, member, value, position, inner, depth + 1, max_length)
        else:
            yield member, path
        is_first = False
        position = _skip_space(text, _skip_space(text, position) + 1)  # the comma
    if is_first:
        yield start, path


def _value_end(text: str, start: int) -> int:
    return int(_DECODER.raw_decode(text, start)[1])


def _skip_space(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start
