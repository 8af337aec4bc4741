"""Chunking: divides a text into the chunks in which it is found again.

The chunks are a partition: joined, they are the text. White space belongs to the chunk before it. The time is linear in
the length of the text, and a chunk has about 1,000 characters at most, which is what the embedder reads of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Set
from itertools import groupby
from operator import itemgetter

from keepgraph.language import chunk_spans, json_values, markdown, speakers, text_boundaries
from keepgraph.lazy import dataclass

# Headings without text between them stay with the text that follows, at most so many.
_MAX_CARRIED_HEADINGS = 6


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A part of a text.

    Attributes:
        heading: the path of headings above it, `Guide › Install`, or of keys in JSON; None outside of any.
        speaker: who says it; None where nobody is named.
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
        spans = chunk_spans.cut(text, start, end, cuts, line_blocks=line_blocks)
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
        spans = chunk_spans.cut(text, start, end, text_boundaries.paragraph_starts(text, start, end))
        chunks += [TextChunk(text[first:last], speaker=speaker) for first, last in spans]
    return chunks


def _split_json(text: str) -> list[TextChunk]:
    """At the outermost values and, where one is too large, at those within it; an empty list if it is not JSON."""
    try:
        starts = list(json_values.value_starts(text, max_length=chunk_spans.MAX_BYTES))
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
        for first, last in chunk_spans.cut(text, blocks[0], end, blocks[1:])
    ]


def _split_prose(text: str) -> list[TextChunk]:
    """At paragraphs, then sentences; all of it is somebody's words if it begins with a name and a colon."""
    speaker = speakers.only_speaker(text)
    spans = chunk_spans.cut(text, 0, len(text), text_boundaries.paragraph_starts(text, 0, len(text)))
    return [TextChunk(text[first:last], speaker=speaker) for first, last in spans]
