"""Text boundaries: where paragraphs, lines, words and characters begin, as places to cut a text.

Each function takes a stretch of a text by its start and end, and gives offsets in it, best before a word.
"""

from __future__ import annotations

import unicodedata

from keepgraph import lazy

_SPACE = lazy.compile(r"\s*+")
_PARAGRAPH_END = lazy.compile(r"(?>\r\n|\n|\r)[^\S\r\n]*+(?>\r\n|\n|\r)\s*+")
_LINE_END = lazy.compile(r"(?>\r\n|\n|\r)\s*+")
_WORD_END = lazy.compile(r"\s++")
# A visible character hardly ever has more code points; the search for its beginning stops here.
_MAX_CLUSTER = 64
_JOINED_TO_THE_LEFT = lazy.compile(
    "[\u200c\u200d\u1160-\u11ff\ua960-\ua97c\ud7b0-\ud7ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\udc00-\udfff]"
)
_FLAG_LETTERS = ("\U0001f1e6", "\U0001f1ff")


def paragraph_starts(text: str, start: int, end: int) -> list[int]:
    return [match.end() for match in _PARAGRAPH_END.finditer(text, start, end)]


def line_starts(text: str, start: int, end: int) -> list[int]:
    return [match.end() for match in _LINE_END.finditer(text, start, end)]


def word_starts(text: str, start: int, end: int) -> list[int]:
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
        position = next((cut for cut in range(limit, lowest, -1) if is_character_boundary(text, cut)), limit)
        cuts.append(position)


def skip_space(text: str, start: int, end: int) -> int:
    """The offset after the white space that begins at `start`."""
    match = _SPACE.match(text, start, end)
    return match.end() if match else start


def is_character_boundary(text: str, offset: int) -> bool:
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
