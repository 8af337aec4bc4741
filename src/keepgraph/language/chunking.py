"""Chunking: divides a text into the chunks in which it is found again, at the boundaries of its parts and speakers.

The chunks are a partition: joined, they are the text. White space belongs to the chunk before it. The time is linear in
the length of the text, and a chunk has about 1,000 characters at most, which is what the embedder reads of it.
"""

from __future__ import annotations

import json
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TypeAlias

from keepgraph import interruption, lazy
from keepgraph.language import markdown, sentences
from keepgraph.lazy import dataclass

# Text boundaries: where paragraphs, lines, words and characters begin, as places to cut a text.
#
# Each function takes a stretch of a text by its start and end, and gives offsets in it, best before a word.

_ANY_SPACE = lazy.compile(r"\s*+")
_PARAGRAPH_END = lazy.compile(r"(?>\r\n|\n|\r)[^\S\r\n]*+(?>\r\n|\n|\r)\s*+")
_LINE_END = lazy.compile(r"(?>\r\n|\n|\r)\s*+")
_WORD_END = lazy.compile(r"\s++")
# A visible character hardly ever has more code points; the search for its beginning stops here.
_MAX_CLUSTER = 64
_JOINED_TO_THE_LEFT = lazy.compile(
    "[\u200c\u200d\u1160-\u11ff\ua960-\ua97c\ud7b0-\ud7ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\udc00-\udfff]"
)
_FLAG_LETTERS = ("\U0001f1e6", "\U0001f1ff")


def _paragraph_starts(text: str, start: int, end: int) -> list[int]:
    return [match.end() for match in _PARAGRAPH_END.finditer(text, start, end)]


def _line_starts(text: str, start: int, end: int) -> list[int]:
    return [match.end() for match in _LINE_END.finditer(text, start, end)]


def _word_starts(text: str, start: int, end: int) -> list[int]:
    return [match.end() for match in _WORD_END.finditer(text, start, end)]


def character_cuts(text: str, start: int, end: int, *, max_bytes: int) -> list[int]:
    """Cuts that leave parts of at most `max_bytes` in UTF-8, and characters as a reader sees them whole."""
    cuts: list[int] = []
    position = start
    while True:
        window = text[position : position + max_bytes]
        if not window.isascii():
            window = window.encode("utf-8", "surrogatepass")[:max_bytes].decode("utf-8", "ignore")
        limit = position + max(len(window), 1)
        if limit >= end:
            return cuts
        lowest = max(position, limit - _MAX_CLUSTER)
        position = next((cut for cut in range(limit, lowest, -1) if _is_character_boundary(text, cut)), limit)
        cuts.append(position)


def skip_space(text: str, start: int, end: int) -> int:
    """The offset after the white space that begins at `start`."""
    match = _ANY_SPACE.match(text, start, end)
    return match.end() if match else start


def _is_character_boundary(text: str, offset: int) -> bool:
    """Whether a cut at an offset leaves whole what a reader sees as one character (a grapheme cluster)."""
    if not 0 < offset < len(text):
        return True
    before, after = text[offset - 1], text[offset]
    if after.isascii():
        return (before, after) != ("\r", "\n") and before != "\u200d"
    if before == "\u200d" or unicodedata.category(after)[0] == "M" or _JOINED_TO_THE_LEFT.match(after):
        return False
    if _FLAG_LETTERS[0] <= after <= _FLAG_LETTERS[1]:
        letters = 0  # two make a flag
        while letters < _MAX_CLUSTER and offset - letters > 0 and _is_flag_letter(text[offset - letters - 1]):
            letters += 1
        return letters % 2 == 0
    return True


def _is_flag_letter(character: str) -> bool:
    return _FLAG_LETTERS[0] <= character <= _FLAG_LETTERS[1]


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
    units = _speaker_turns(text)
    starts = [(0, None), *units] if not units or text[: units[0][0]].strip() else [(0, units[0][1]), *units[1:]]
    ends = [*(start for start, _ in starts[1:]), len(text)]
    chunks: list[TextChunk] = []
    for (start, speaker), end in zip(starts, ends, strict=True):
        spans = cut(text, start, end, _paragraph_starts(text, start, end))
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
    speaker = _only_speaker(text)
    spans = cut(text, 0, len(text), _paragraph_starts(text, 0, len(text)))
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
        offset = skip_space(text, before_space, end)
        if (
            starts[-1] < offset < end
            and _is_character_boundary(text, offset)
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
    return character_cuts(text, start, end, max_bytes=_MAX_BYTES)


_PROSE_LEVELS: tuple[_Boundaries, ...] = (
    _paragraph_starts,
    sentences.starts,
    _line_starts,
    _word_starts,
    _character_cuts,
)
_LINE_LEVELS: tuple[_Boundaries, ...] = (
    _paragraph_starts,
    _line_starts,
    _word_starts,
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


# Speakers of a conversation: labels such as `Ada:` or `user:` at the start of a line.

_MAX_WORDS = 5
# Outside of a conversation, where only the beginning of the text may name a speaker.
_MAX_WORDS_IN_TEXT = 3
_LABEL = lazy.compile(r"([^\s:：][^:：\r\n]{0,59}+)(?::(?=\s|$)|：)")
_NAME_WORD = lazy.compile(r"@?[^\W_](?:[\w.'’·-]*[\w.)'’])?|[^\W\d_]\.|\([^()\s]{1,20}\)|&")
_PARTICLES = frozenset(
    "de da di do dos del della der den van von zu zur la le el al bin ibn bint ten ter y e and".split()
)
_ROLES = frozenset(
    "user assistant system human ai bot tool function developer agent customer client support operator model "
    "interviewer interviewee host guest moderator narrator speaker caller q a me you patient doctor teacher "
    "student".split()
)
_NOT_NAMES = frozenset(
    "note notes nb todo fixme warning caution danger info tip hint important attention notice re fw fwd aw wg http "
    "https ftp mailto file ps p.s subject from to cc bcc date sent reply-to summary example examples e.g i.e update "
    "edit question answer problem solution error result results output input usage goal goals context background "
    "title author authors source sources tags status next see also reminder deadline agenda decision decisions "
    "action actions step steps conclusion description version location time when where what why who how yes no ok "
    "okay well so but and or then however remember fact facts idea ideas pros cons options plan".split()
)


def _speaker_turns(text: str) -> list[tuple[int, str]]:
    """The turns of a conversation: the offset at which each begins, and its speaker.

    A label that is not written like a name counts as one if it comes twice.
    """
    labels = [(start, label) for start, label in _labels(text) if _may_be_name(label)]
    counts = Counter(label for _, label in labels)
    return [(start, label) for start, label in labels if _is_written_as_name(label) or counts[label] > 1]


def _only_speaker(text: str) -> str | None:
    """The speaker of a whole text: it begins with a name as a label, and no other line does."""
    labels = [(start, label) for start, label in _labels(text) if _may_be_name(label) and _is_written_as_name(label)]
    if len(labels) != 1 or text[: labels[0][0]].strip():
        return None
    label = labels[0][1]
    words = label.split()
    is_capitalised = all(word[0].isupper() or not word[0].islower() for word in words)
    return label if is_capitalised and len(words) <= _MAX_WORDS_IN_TEXT else None


def _labels(text: str) -> Iterator[tuple[int, str]]:
    """What stands before a colon at the start of a line, with its offset."""
    first = skip_space(text, 0, len(text))
    for start in (first, *_line_starts(text, first, len(text))):
        if match := _LABEL.match(text, start):
            yield start, match[1]


def _may_be_name(label: str) -> bool:
    """Whether the words of a label can be a name at all."""
    words = label.split()
    return (
        0 < len(words) <= _MAX_WORDS
        and label == label.strip()
        and words[0].casefold().rstrip(".") not in _NOT_NAMES
        and words[-1].casefold().rstrip(".") not in _NOT_NAMES - {"source"}
        and all(_NAME_WORD.fullmatch(word) for word in words)
        and any(c.isalpha() for c in label)
        and (len(words) == 1 or not words[0][0].islower() or words[0].casefold() in _PARTICLES | _ROLES)
    )


def _is_written_as_name(label: str) -> bool:
    """Whether the words of a label are written as a name, or are a role (user, assistant)."""
    words = label.split()
    return words[0].casefold() in _ROLES or all(
        not word[0].islower() or word in _PARTICLES or word[0] in "(@" for word in words
    )
