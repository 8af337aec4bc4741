"""Files as text: decoded, line by line or element by element, never held whole. Knows no format."""

from __future__ import annotations

import codecs
import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

from keepgraph import errors
from keepgraph.language import canonical

LINE_AT_MOST = 32_000_000
"""Characters of a line of JSON: an entity with all that was ever observed of it."""

ELEMENT_AT_MOST = 64_000_000
"""Characters of an element of an array: a conversation with all that was said in it."""

_AT_ONCE = 1 << 20
_NO_CHARACTER = re.compile("[\ud800-\udfff\x00]")
# A string, a bracket, or the beginning of a string that goes on after what is held.
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{}]', re.DOTALL)
_IN_STRING = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_BETWEEN = re.compile(r"\s*")


@contextmanager
def text(file: IO[bytes]) -> Iterator[IO[str]]:
    """A file from its start as text: UTF-8, or UTF-16 where it begins with its mark. Leaves the file open.

    One that cannot be wound back is UTF-8. Bytes that are no text become lone surrogates, which `whole` knows.
    """
    start = b""
    if file.seekable():
        file.seek(0)
        start = file.read(2)
        file.seek(0)
    encoding = "utf-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    decoded = io.TextIOWrapper(file, encoding=encoding, errors="surrogateescape", newline="")
    try:
        yield decoded
    finally:
        decoded.detach()


def is_whole(line: str) -> bool:
    """Whether a text can be kept: it has no lone surrogates, and no NUL."""
    return not _NO_CHARACTER.search(line)


def whole(said: str) -> str:
    """A text as it can be kept: what is no character is shown as �."""
    if is_whole(said):
        return said
    return canonical.valid(said).replace("\0", "\ufffd")


class NumberedLine(NamedTuple):
    """A line and its number; None instead of a line that is too long."""

    number: int
    text: str | None


def lines(source: IO[str], *, at_most: int = LINE_AT_MOST) -> Iterator[NumberedLine]:
    """Every line with its ending. Of one that is longer than `at_most` no more is held than that."""
    number = 0
    while line := source.readline(at_most + 1):
        number += 1
        if len(line) <= at_most or line.endswith(("\n", "\r")):
            yield NumberedLine(number, line)
            continue
        while line and not line.endswith(("\n", "\r")):
            line = source.readline(at_most + 1)
        yield NumberedLine(number, None)


class Element(NamedTuple):
    """An element of an array of JSON: which it is, from 1, and its value, or why it has none."""

    number: int
    value: Any
    error: errors.KeepgraphError | None = None


def elements(source: IO[str], *, at_most: int = ELEMENT_AT_MOST) -> Iterator[Element]:
    """The elements of an array of JSON, one after the other; one that cannot be read does not stop those after it.

    Where the end of an element cannot be found, that is the last that is given. Holds the longest element twice, at
    most.
    """
    window = _Window(source, at_most)
    if window.next_character() != "[":
        yield Element(0, None, errors.InvalidArguments("it is not an array of JSON"))
        return
    window.pass_over(1)
    number = 0
    while True:
        following = window.next_character()
        if following == "]" and (number == 0 or not window.after_comma):
            return
        number += 1
        if not following:
            yield Element(number, None, errors.InvalidArguments("the file ends before its array does; it was cut off"))
            return
        element, goes_on = window.element(number)
        yield element
        if not goes_on:
            return
        following = window.next_character()
        window.after_comma = following == ","
        if window.after_comma:
            window.pass_over(1)
        elif following != "]":
            problem = "is not followed by a comma" if following else "is the last; the file ends before its array does"
            yield Element(number + 1, None, errors.InvalidArguments(f"element {number} {problem}"))
            return


class _Window:
    """A part of a text, which moves over it."""

    def __init__(self, source: IO[str], at_most: int) -> None:
        self._source, self._at_most = source, at_most
        self._decoder = json.JSONDecoder()
        self._held, self._at = "", 0
        self.after_comma = False

    def next_character(self) -> str:
        """The next one that is no white space; "" at the end."""
        while True:
            blank = _BETWEEN.match(self._held, self._at)
            self._at = blank.end() if blank else self._at
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._read_on(_AT_ONCE):
                return ""

    def pass_over(self, characters: int) -> None:
        self._at += characters

    def element(self, number: int) -> tuple[Element, bool]:
        """The element that begins here, and whether it can be read on after it."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._held, self._at)
                if end < len(self._held) or self._held[end - 1] in '}]"':
                    self._at = end
                    return Element(number, value), True
                problem = "it ends in the middle"  # a number may go on
            except json.JSONDecodeError as error:
                problem = error.msg
            except RecursionError:
                return self._passed_over(number, "it is nested too deep")
            except ValueError as error:
                return self._passed_over(number, str(error))
            held = len(self._held) - self._at
            if held > self._at_most:
                return self._passed_over(number, f"{problem}, within {self._at_most:,} characters")
            # Twice as much each time, so that a long one is not read over and over.
            if not self._read_on(max(_AT_ONCE, held)):
                return self._passed_over(number, problem)

    def _passed_over(self, number: int, problem: str) -> tuple[Element, bool]:
        goes_on = self._leave()
        return Element(number, None, errors.InvalidArguments(f"not JSON that can be read: {problem}")), goes_on

    def _leave(self) -> bool:
        """Go to the end of an element by its brackets alone, holding little of it; whether there is one."""
        depth = 0
        while True:
            for token in _TOKEN.finditer(self._held, self._at):
                self._at = token.end()
                sign = token.group()
                if sign == '"':
                    break
                depth += 1 if sign in "[{" else -1 if sign in "]}" else 0
                if depth <= 0 and sign[0] != '"':
                    return depth == 0
            else:
                self._at = len(self._held)
                if not self._read_on(_AT_ONCE):
                    return False
                continue
            if not self._leave_string():
                return False

    def _leave_string(self) -> bool:
        """Go to the end of a string that goes on after what is held; whether there is one."""
        while True:
            inside = _IN_STRING.match(self._held, self._at)
            self._at = inside.end() if inside else self._at
            if self._held[self._at : self._at + 1] == '"':
                self._at += 1
                return True
            if not self._read_on(_AT_ONCE):
                return False

    def _read_on(self, characters: int) -> bool:
        more = self._source.read(characters)
        self._held = self._held[self._at :] + more
        self._at = 0
        return bool(more)
