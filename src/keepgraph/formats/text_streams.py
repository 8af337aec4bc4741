"""Files as decoded text: encoding, lines of bounded length, and replacement of characters that cannot be stored."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple

from keepgraph.language import utf8

MAX_LINE_CHARACTERS = 32_000_000
"""Characters of a line, at most; a line of JSON may be an entity with all its observations."""


UNDECODED = re.compile("[\udc80-\udcff]")
"""A byte that is not in the encoding of the file."""

_INVALID_CHARACTER = re.compile("[\ud800-\udfff\x00]")


@contextmanager
def open_text(file: IO[bytes]) -> Iterator[IO[str]]:
    """Decode a file from its start: UTF-8, or UTF-16 if it begins with a byte order mark. Leaves the file open.

    A file that cannot be sought is UTF-8. Bytes that cannot be decoded become lone surrogates, which `is_valid` finds
    and `replace_invalid` replaces.
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


def is_valid(line: str) -> bool:
    """Whether a text can be stored: it has no lone surrogates and no NUL."""
    return not _INVALID_CHARACTER.search(line)


def replace_invalid(text: str) -> str:
    """The text with � in place of what cannot be stored."""
    if is_valid(text):
        return text
    return utf8.replace_surrogates(text).replace("\0", "\ufffd")


class NumberedLine(NamedTuple):
    """A line and its number, from 1; the text is None if the line is too long."""

    number: int
    open_text: str | None


def read_lines(source: IO[str], *, max_characters: int = MAX_LINE_CHARACTERS) -> Iterator[NumberedLine]:
    """Every line with its ending. No more than `max_characters` of a line are held in memory."""
    number = 0
    while line := source.readline(max_characters + 1):
        number += 1
        if len(line) <= max_characters or line.endswith(("\n", "\r")):
            yield NumberedLine(number, line)
            continue
        while line and not line.endswith(("\n", "\r")):
            line = source.readline(max_characters + 1)
        yield NumberedLine(number, None)
