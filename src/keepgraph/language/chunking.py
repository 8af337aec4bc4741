"""Cuts a text into the pieces in which it is found again. Knows no graph: text in, pieces out.

The pieces are a partition: joined, they are the text. White space belongs to the piece before it. All of it is linear
in the length of the text, and asks for no more than about 1,000 characters of any piece, which is what the embedder
reads of it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import itemgetter

from keepgraph.language import markdown

LIMIT = 1_000
"""The most that a piece weighs, white space at its end aside: bytes of UTF-8, as letters of other scripts make more
word pieces. A heading that stays with what follows may add to it."""

ENOUGH = 500
_TINY = 100
_SLACK = 200


_Level = Callable[[str, int, int], list[int]]
"""Finds places to cut in a stretch of text, from where to where."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text.

    Attributes:
        heading: where it stands: `Guide › Install`; None outside of any heading.
        speaker: who says it; None where nobody is named.
    """

    text: str
    heading: str | None = None
    speaker: str | None = None


def split(text: str, *, kind: str, outline: markdown.Outline | None = None) -> list[Piece]:
    """Cut a text of this kind: "document" (Markdown), "message", "json", or "text" as any other.

    Args:
        outline: of the document, where it has been read already.
    """
    if not text:
        return []
    if kind == "document":
        return _document(text, outline or markdown.outline(text))
    if kind == "message":
        return _message(text)
    return (_json(text) if kind == "json" else []) or _plain(text)


# Spans: from where to where in a text. A span that begins a block is a better place to cut than one within.


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    begins_block: bool


def _document(text: str, outline: markdown.Outline) -> list[Piece]:
    """At headings, then at blocks: paragraphs, list items, code. A heading stays with what follows it."""
    pieces: list[Piece] = []
    prose = {start for start, _ in outline.written}
    carried: list[int] = []  # headings with nothing under them but others
    ends = [*(section.start for section in outline.sections[1:]), len(text)]
    followed = [*(section.level for section in outline.sections[1:]), 0]
    for section, end, next_level in zip(outline.sections, ends, followed, strict=True):
        blocks = outline.blocks[bisect_left(outline.blocks, section.start) : bisect_left(outline.blocks, end)]
        if section.level and len(blocks) == 1 and next_level > section.level and len(carried) < 6:
            carried.append(section.start)
            continue
        start = carried[0] if carried else section.start
        kept = blocks[2:] if section.level else blocks
        in_lines = {each for each in (start, *kept) if not _is_prose(text, each, prose)}
        if section.level and len(blocks) > 1 and not _is_prose(text, blocks[1], prose):
            in_lines.add(start)
        spans = _cut(text, start, end, kept, in_lines=in_lines)
        pieces += [Piece(text[a:b], section.path) for a, b in spans]
        carried.clear()
    return pieces


def _is_prose(text: str, block: int, prose: Set[int]) -> bool:
    """Whether a block is made of sentences rather than of lines, as code and tables are."""
    return block in prose and not text.startswith("|", block)


def _plain(text: str) -> list[Piece]:
    """At paragraphs, then sentences; all of it somebody's words if it begins with a name."""
    speaker = _only_speaker(text)
    return [Piece(text[a:b], speaker=speaker) for a, b in _cut(text, 0, len(text), _paragraphs(text, 0, len(text)))]


def _message(text: str) -> list[Piece]:
    """At turns, then as any text."""
    turns = _turns(text)
    starts = [(0, None), *turns] if not turns or text[: turns[0][0]].strip() else [(0, turns[0][1]), *turns[1:]]
    pieces: list[Piece] = []
    for (start, speaker), end in zip(starts, [*(start for start, _ in starts[1:]), len(text)], strict=True):
        spans = _cut(text, start, end, _paragraphs(text, start, end))
        pieces += [Piece(text[a:b], speaker=speaker) for a, b in spans]
    return pieces


def _cut(
    text: str, start: int, end: int, blocks: Sequence[int], *, in_lines: Set[int] = frozenset()
) -> list[tuple[int, int]]:
    """Cut a stretch at the starts of its blocks and, where these are too large, within; join what is small.

    Args:
        in_lines: the starts of blocks that are not made of sentences.
    """
    spans = [
        _Span(a, b, begins_block=a == from_)
        for from_, to in _between(text, start, end, blocks)
        for a, b in _broken(text, from_, to, _LEVELS_OF_LINES if from_ in in_lines else _LEVELS)
    ]
    return _joined(text, spans)


def _broken(text: str, start: int, end: int, levels: Sequence[_Level]) -> Iterator[tuple[int, int]]:
    """A span, in parts that are small enough: paragraphs, or else sentences, lines, words, characters."""
    if not levels or _weight(text, start, end)[0] <= LIMIT:
        yield start, end
        return
    if levels[0] is _characters:
        yield from pairwise([start, *_characters(text, start, end), end])
        return
    for a, b in _between(text, start, end, levels[0](text, start, end)):
        yield from _broken(text, a, b, levels[1:])


def _between(text: str, start: int, end: int, cuts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The spans between these places, where each begins with something to see, and whole."""
    kept = [start]
    for each in cuts:
        cut = _past_space(text, each, end)
        if kept[-1] < cut < end and _is_whole(text, cut) and (kept[-1] > start or not _is_blank(text, start, cut)):
            kept.append(cut)
    yield from pairwise([*kept, end])


def _joined(text: str, spans: Sequence[_Span]) -> list[tuple[int, int]]:
    """Neighbours joined while they are small; a cut is rather made where a block begins."""
    joined: list[tuple[int, int]] = []
    weighed = blank = 0  # the last of them, and the white space at its end
    for span in spans:
        weight, space = _weight(text, span.start, span.end)
        full = weighed + blank + weight > LIMIT or (span.begins_block and weighed >= ENOUGH)
        if joined and not full:
            joined[-1] = (joined[-1][0], span.end)
            weighed += blank + weight
        else:
            joined.append((span.start, span.end))
            weighed = weight
        blank = space
    if len(joined) > 1 and weighed < _TINY and _weight(text, joined[-2][0], joined[-1][1])[0] <= LIMIT + _SLACK:
        joined[-2:] = [(joined[-2][0], joined[-1][1])]
    return joined


def _weight(text: str, start: int, end: int) -> tuple[int, int]:
    """What a span weighs, and the white space at its end."""
    part = text[start:end]
    seen = part.rstrip()
    weight = len(seen) if seen.isascii() else len(seen.encode("utf-8", "surrogatepass"))
    return weight, len(part) - len(seen)


def _is_blank(text: str, start: int, end: int) -> bool:
    return not text[start:end].strip()


# Where to cut: each function gives places in a stretch, best before a word.

_SPACE = re.compile(r"\s*+")


def _past_space(text: str, start: int, end: int) -> int:
    """Where the white space that begins at a place ends."""
    found = _SPACE.match(text, start, end)
    return found.end() if found else start


_PARAGRAPH = re.compile(r"(?>\r\n|\n|\r)[^\S\r\n]*+(?>\r\n|\n|\r)\s*+")
_LINE = re.compile(r"(?>\r\n|\n|\r)\s*+")
_WORD = re.compile(r"\s++")
_SENTENCE_END = re.compile(
    r"(?P<point>[.!?…।؟۔]++)[\"'”’»›)\]*_]*+(?P<space>\s*+)|[。！？｡]++[」』）”’\"']*+\s*+"  # the latter need no space
)
_ABBREVIATIONS = frozenset(
    "dr mr mrs ms mx prof st sr jr hr fr vs etc e.g i.e cf al fig figs no nr vol pp ed eds approx inc ltd co corp "
    "dept est gen gov rev sgt capt col lt z.b bzw ca usw d.h u.a evtl ggf inkl vgl abs str tel bspw p.ex sra dña "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun a.m p.m u.s u.k".split()
)
_LONGEST_ABBREVIATION = 12


def sentences(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The sentences of a stretch of text, each with the white space after it: a partition of it."""
    end = len(text) if end is None else end
    return list(_between(text, start, end, _sentence_starts(text, start, end)))


def _paragraphs(text: str, start: int, end: int) -> list[int]:
    return [each.end() for each in _PARAGRAPH.finditer(text, start, end)]


def _sentence_starts(text: str, start: int, end: int) -> list[int]:
    return [
        each.end()
        for each in _SENTENCE_END.finditer(text, start, end)
        if each["point"] is None or (each["space"] and not _goes_on(text, start, each.start(), each.end(), end))
    ]


def _goes_on(text: str, start: int, point: int, after: int, end: int) -> bool:
    """Whether a full stop does not end a sentence: it belongs to an abbreviation, or to the number of a list."""
    if text[point] != "." or text[point + 1 : point + 2] == ".":
        return False
    before = text[max(start, point - _LONGEST_ABBREVIATION) : point]
    word = before.split()[-1].lstrip("([{\"'“‘*_") if before and not before[-1].isspace() else ""
    return (
        word.casefold() in _ABBREVIATIONS
        or (len(word) == 1 and word.isalpha() and word != "I")
        or (word.isdigit() and len(word) <= 2)
        or text[after : min(after + 1, end)].islower()
    )


def _lines(text: str, start: int, end: int) -> list[int]:
    return [each.end() for each in _LINE.finditer(text, start, end)]


def _words(text: str, start: int, end: int) -> list[int]:
    return [each.end() for each in _WORD.finditer(text, start, end)]


def _characters(text: str, start: int, end: int) -> list[int]:
    """Places that are as far apart as they may, where nothing else is to be found: between whole characters."""
    places: list[int] = []
    at = start
    while True:
        window = text[at : at + LIMIT]
        if not window.isascii():
            window = window.encode("utf-8", "surrogatepass")[:LIMIT].decode("utf-8", "ignore")
        reach = at + max(len(window), 1)
        if reach >= end:
            return places
        whole = next((each for each in range(reach, max(at, reach - _CLUSTER), -1) if _is_whole(text, each)), reach)
        places.append(whole)
        at = whole


_LEVELS: tuple[_Level, ...] = (_paragraphs, _sentence_starts, _lines, _words, _characters)
_LEVELS_OF_LINES: tuple[_Level, ...] = (_paragraphs, _lines, _words, _characters)

_CLUSTER = 64
_JOINED_TO_THE_LEFT = re.compile(
    "[\u200c\u200d\u1160-\u11ff\ua960-\ua97c\ud7b0-\ud7ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\udc00-\udfff]"
)
_FLAGS = ("\U0001f1e6", "\U0001f1ff")


def _is_whole(text: str, at: int) -> bool:
    """Whether a cut before this character leaves what a reader sees as one character whole."""
    if not 0 < at < len(text):
        return True
    before, after = text[at - 1], text[at]
    if after.isascii():
        return (before, after) != ("\r", "\n") and before != "\u200d"
    if before == "\u200d" or unicodedata.category(after)[0] == "M" or _JOINED_TO_THE_LEFT.match(after):
        return False
    if _FLAGS[0] <= after <= _FLAGS[1]:
        flags = 0  # they come in pairs
        while flags < _CLUSTER and at - flags > 0 and _FLAGS[0] <= text[at - flags - 1] <= _FLAGS[1]:
            flags += 1
        return flags % 2 == 0
    return True


# Who speaks

_MOST_WORDS_OF_A_NAME = 5
_MOST_WORDS_OF_A_NAME_IN_TEXT = 3
_NAME_WORD = re.compile(r"@?[^\W_](?:[\w.'’·-]*[\w.)'’])?|[^\W\d_]\.|\([^()\s]{1,20}\)|&")
_PARTICLES = frozenset(
    "de da di do dos del della der den van von zu zur la le el al bin ibn bint ten ter y e and".split()
)
_ROLES = frozenset(
    "user assistant system human ai bot tool function developer agent customer client support operator model "
    "interviewer interviewee host guest moderator narrator speaker caller q a me you patient doctor teacher "
    "student".split()
)
_NO_NAMES = frozenset(
    "note notes nb todo fixme warning caution danger info tip hint important attention notice re fw fwd aw wg http "
    "https ftp mailto file ps p.s subject from to cc bcc date sent reply-to summary example examples e.g i.e update "
    "edit question answer problem solution error result results output input usage goal goals context background "
    "title author authors source sources tags status next see also reminder deadline agenda decision decisions "
    "action actions step steps conclusion description version location time when where what why who how yes no ok "
    "okay well so but and or then however remember fact facts idea ideas pros cons options plan".split()
)


def _turns(text: str) -> list[tuple[int, str]]:
    """Where somebody begins to speak, and who."""
    said = [(start, name) for start, name in _labels(text) if _may_be_a_name(name)]
    often = Counter(name for _, name in said)
    return [(start, name) for start, name in said if _is_a_name(name) or often[name] > 1]


def _labels(text: str) -> Iterator[tuple[int, str]]:
    """What stands before a colon at the start of a line, and where."""
    first = _past_space(text, 0, len(text))
    for start in (first, *(each.end() for each in _LINE.finditer(text, first))):
        if label := _LABEL.match(text, start):
            yield start, label[1]


_LABEL = re.compile(r"([^\s:：][^:：\r\n]{0,59}+)(?::(?=\s|$)|：)")


def _only_speaker(text: str) -> str | None:
    """Who says all of a text: it begins with a name, and no other line does."""
    labels = [(start, name) for start, name in _labels(text) if _may_be_a_name(name) and _is_a_name(name)]
    if len(labels) != 1 or text[: labels[0][0]].strip():
        return None
    name = labels[0][1]
    words = name.split()
    capital = all(word[0].isupper() or not word[0].islower() for word in words)
    return name if capital and len(words) <= _MOST_WORDS_OF_A_NAME_IN_TEXT else None


def _may_be_a_name(label: str) -> bool:
    """Whether these words can be a name at all."""
    words = label.split()
    return (
        0 < len(words) <= _MOST_WORDS_OF_A_NAME
        and label == label.strip()
        and words[0].casefold().rstrip(".") not in _NO_NAMES
        and words[-1].casefold().rstrip(".") not in _NO_NAMES - {"source"}
        and all(_NAME_WORD.fullmatch(word) for word in words)
        and any(c.isalpha() for c in label)
        and (len(words) == 1 or not words[0][0].islower() or words[0].casefold() in _PARTICLES | _ROLES)
    )


def _is_a_name(label: str) -> bool:
    """Whether these words are written as a name, or are a role."""
    words = label.split()
    return words[0].casefold() in _ROLES or all(
        not word[0].islower() or word in _PARTICLES or word[0] in "(@" for word in words
    )


# JSON

_DEEPEST = 8
_JSON_SPACE = re.compile(r"[ \t\r\n]*+")
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


def _json(text: str) -> list[Piece]:
    """At the elements or members on the outside and, of those too large, at the ones within. [] if it is not JSON."""
    try:
        starts = list(_values(text))
    except (ValueError, RecursionError):
        return []
    if not starts:
        return []
    starts[0] = (0, starts[0][1])
    groups = [(path, [start for start, _ in group]) for path, group in groupby(starts, key=itemgetter(1))]
    ends = [*(blocks[0] for _, blocks in groups[1:]), len(text)]
    return [
        Piece(text[a:b], path)
        for (path, blocks), end in zip(groups, ends, strict=True)
        for a, b in _cut(text, blocks[0], end, blocks[1:])
    ]


def _values(text: str) -> Iterator[tuple[int, str | None]]:
    """Where the values of a JSON text start, or of one line after the other, and the keys that lead there."""
    at = _after_space(text, 0)
    while at < len(text):
        end = _end_of_value(text, at)
        yield from _within(text, at, at, end, None, 0) if text[at] in "[{" else [(at, None)]
        at = _after_space(text, end)


def _within(
    text: str, start: int, opening: int, end: int, path: str | None, depth: int
) -> Iterator[tuple[int, str | None]]:
    """Where the elements of an array or the members of an object start; the first of them with the bracket before it.

    Args:
        start: where what belongs to the first element starts.
        opening: where the bracket is.
    """
    first = True
    at = _after_space(text, opening + 1)
    while at < end - 1:
        here, key = at, None
        if text[opening] == "{":
            key, at = _DECODER.raw_decode(text, at)
            at = _after_space(text, _after_space(text, at) + 1)  # the colon
        value, at = at, _end_of_value(text, at)
        here = start if first else here
        if text[value] in "[{" and depth < _DEEPEST and at - value > LIMIT:
            inner = f"{path}{markdown.BETWEEN_HEADINGS}{key}" if path and key else key or path
            yield from _within(text, here, value, at, inner and inner[:_LONGEST_PATH], depth + 1)
        else:
            yield here, path
        first = False
        at = _after_space(text, _after_space(text, at) + 1)  # the comma
    if first:
        yield start, path


_LONGEST_PATH = 200


def _end_of_value(text: str, start: int) -> int:
    return int(_DECODER.raw_decode(text, start)[1])


def _after_space(text: str, start: int) -> int:
    found = _JSON_SPACE.match(text, start)
    return found.end() if found else start
