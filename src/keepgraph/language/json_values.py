"""The values of a JSON text, or of JSON Lines, by their offsets, and the keys that lead to them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from keepgraph import lazy

PATH_SEPARATOR = " › "

_MAX_DEPTH = 8
_MAX_PATH = 200
_SPACE = lazy.compile(r"[ \t\r\n]*+")
# Numbers stay text: a number of a million digits would take long to convert.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


def value_starts(text: str, *, max_length: int) -> Iterator[tuple[int, str | None]]:
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
            inner = f"{path}{PATH_SEPARATOR}{key}" if path and key else key or path
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
