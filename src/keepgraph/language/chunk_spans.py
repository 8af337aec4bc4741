"""Spans of chunks: divides a stretch of text at the best boundaries until every part fits, then joins small neighbours.

A span is (start, end) in characters. White space belongs to the span before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from itertools import pairwise
from typing import TypeAlias

from keepgraph import interruption
from keepgraph.language import sentences, text_boundaries
from keepgraph.lazy import dataclass

MAX_BYTES = 1_000
"""The size of a chunk, white space at its end aside: about what the embedder reads of it.

It is counted in bytes of UTF-8, because letters of other scripts make more word pieces. A heading that stays with what
follows may add to it."""

TARGET_BYTES = 500
"""A chunk of this size is not joined with the block after it."""

# A last chunk below this size is joined with the one before, if that does not make it larger than MAX_BYTES and this.
_MIN_LAST_BYTES = 100
_LAST_OVERSIZE_BYTES = 200

Span: TypeAlias = tuple[int, int]
_Boundaries: TypeAlias = Callable[[str, int, int], list[int]]
"""Gives the places to cut in a stretch of text, by its start and end."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a stretch of text. The beginning of a block is a better place to cut than one within."""

    start: int
    end: int
    begins_block: bool


def cut(text: str, start: int, end: int, blocks: Sequence[int], *, line_blocks: Set[int] = frozenset()) -> list[Span]:
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


def _divide(text: str, start: int, end: int, cuts: Sequence[int]) -> Iterator[Span]:
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


def _divide_to_fit(text: str, start: int, end: int, levels: Sequence[_Boundaries]) -> Iterator[Span]:
    """A span in parts of at most MAX_BYTES, cut at the first level of boundaries that makes them small enough."""
    interruption.raise_if_due()
    if not levels or _size(text, start, end)[0] <= MAX_BYTES:
        yield start, end
        return
    if levels[0] is _character_cuts:
        yield from pairwise([start, *_character_cuts(text, start, end), end])
        return
    for part_start, part_end in _divide(text, start, end, levels[0](text, start, end)):
        yield from _divide_to_fit(text, part_start, part_end, levels[1:])


def _character_cuts(text: str, start: int, end: int) -> list[int]:
    return text_boundaries.character_cuts(text, start, end, max_bytes=MAX_BYTES)


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


def _join_small(text: str, parts: Sequence[_Part]) -> list[Span]:
    """Neighbours joined while they fit; from TARGET_BYTES on, a span ends where the next block begins."""
    spans: list[Span] = []
    last_size = last_space = 0
    for part in parts:
        size, space = _size(text, part.start, part.end)
        is_full = last_size + last_space + size > MAX_BYTES or (part.begins_block and last_size >= TARGET_BYTES)
        if spans and not is_full:
            spans[-1] = (spans[-1][0], part.end)
            last_size += last_space + size
        else:
            spans.append((part.start, part.end))
            last_size = size
        last_space = space
    if len(spans) > 1 and last_size < _MIN_LAST_BYTES:
        joined = (spans[-2][0], spans[-1][1])
        if _size(text, *joined)[0] <= MAX_BYTES + _LAST_OVERSIZE_BYTES:
            spans[-2:] = [joined]
    return spans


def _size(text: str, start: int, end: int) -> tuple[int, int]:
    """The size of a span in bytes of UTF-8, and the number of white space characters at its end, which do not count."""
    part = text[start:end]
    visible = part.rstrip()
    size = len(visible) if visible.isascii() else len(visible.encode("utf-8", "surrogatepass"))
    return size, len(part) - len(visible)
