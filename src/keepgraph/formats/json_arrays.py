"""Streaming reader of JSON arrays: one element after the other, without holding the whole file.

The standard library has no incremental parser. Here a buffer slides over the text: its decoder tries to read an element
from the buffer, and the buffer grows until the element is complete or too long.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from keepgraph import errors

MAX_ELEMENT_CHARACTERS = 64_000_000
"""Characters of an element, at most; for an export of chats, an element is a whole conversation."""

_READ_CHARACTERS = 1 << 20
# A string, a bracket, or the quotation mark of a string whose end is not in the buffer yet.
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{}]', re.DOTALL)
_REST_OF_STRING = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_WHITE_SPACE = re.compile(r"\s*")


class Element(NamedTuple):
    """An element of an array: its number, from 1, and its value, or the error why it cannot be read."""

    number: int
    value: Any
    error: errors.KeepgraphError | None = None


def read_elements(source: IO[str], *, max_characters: int = MAX_ELEMENT_CHARACTERS) -> Iterator[Element]:
    """The elements of an array in order. An element that cannot be read gives an error, and those after it follow.

    If even the end of an element cannot be found, its error is the last result. Memory: at most twice the longest
    element.
    """
    buffer = _ArrayBuffer(source, max_characters)
    if buffer.peek() != "[":
        yield Element(0, None, errors.InvalidArguments("it is not an array of JSON"))
        return
    buffer.advance(1)
    number = 0
    after_comma = False
    while True:
        following = buffer.peek()
        if following == "]" and (number == 0 or not after_comma):
            return
        number += 1
        if not following:
            yield Element(number, None, errors.InvalidArguments("the file ends before its array does; it was cut off"))
            return
        element, can_continue = buffer.read_element(number)
        yield element
        if not can_continue:
            return
        following = buffer.peek()
        after_comma = following == ","
        if after_comma:
            buffer.advance(1)
        elif following != "]":
            problem = "is not followed by a comma" if following else "is the last; the file ends before its array does"
            yield Element(number + 1, None, errors.InvalidArguments(f"element {number} {problem}"))
            return


class _ArrayBuffer:
    """A buffer that slides over a text, and a position in it."""

    def __init__(self, source: IO[str], max_characters: int) -> None:
        self._source, self._max_characters = source, max_characters
        self._decoder = json.JSONDecoder()
        self._buffer, self._position = "", 0

    def peek(self) -> str:
        """Skip white space and return the next character, without consuming it; "" at the end of the text."""
        while True:
            blank = _WHITE_SPACE.match(self._buffer, self._position)
            self._position = blank.end() if blank else self._position
            if self._position < len(self._buffer):
                return self._buffer[self._position]
            if not self._read_more(_READ_CHARACTERS):
                return ""

    def advance(self, characters: int) -> None:
        self._position += characters

    def read_element(self, number: int) -> tuple[Element, bool]:
        """The element at the position, and whether reading can continue after it."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._position)
                if end < len(self._buffer) or self._buffer[end - 1] in '}]"':
                    self._position = end
                    return Element(number, value), True
                problem = "it ends in the middle"  # a number may continue after the buffer
            except json.JSONDecodeError as error:
                problem = error.msg
            except RecursionError:
                return self._skip_element(number, "it is nested too deep")
            except ValueError as error:
                return self._skip_element(number, str(error))
            held = len(self._buffer) - self._position
            if held > self._max_characters:
                return self._skip_element(number, f"{problem}, within {self._max_characters:,} characters")
            # The buffer doubles each time, so that a long element is parsed only a few times from its start.
            if not self._read_more(max(_READ_CHARACTERS, held)):
                return self._skip_element(number, problem)

    def _skip_element(self, number: int, problem: str) -> tuple[Element, bool]:
        can_continue = self._skip_to_end()
        return Element(number, None, errors.InvalidArguments(f"not JSON that can be read: {problem}")), can_continue

    def _skip_to_end(self) -> bool:
        """Go to the end of an element by counting brackets, with a small buffer; whether the end was found."""
        depth = 0
        while True:
            for token in _STRING_OR_BRACKET.finditer(self._buffer, self._position):
                self._position = token.end()
                sign = token.group()
                if sign == '"':
                    break
                depth += 1 if sign in "[{" else -1 if sign in "]}" else 0
                if depth <= 0 and sign[0] != '"':
                    return depth == 0
            else:
                self._position = len(self._buffer)
                if not self._read_more(_READ_CHARACTERS):
                    return False
                continue
            if not self._skip_string():
                return False

    def _skip_string(self) -> bool:
        """Go to the end of a string that is longer than the buffer; whether the end was found."""
        while True:
            rest = _REST_OF_STRING.match(self._buffer, self._position)
            self._position = rest.end() if rest else self._position
            if self._buffer[self._position : self._position + 1] == '"':
                self._position += 1
                return True
            if not self._read_more(_READ_CHARACTERS):
                return False

    def _read_more(self, characters: int) -> bool:
        """Drop what is before the position and append more of the text; False at the end of the text."""
        text = self._source.read(characters)
        self._buffer = self._buffer[self._position :] + text
        self._position = 0
        return bool(text)
