"""Records of other programs' files, and the files as decoded text, in lines of bounded length."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, NamedTuple, TypeAlias

from keepgraph import errors
from keepgraph.language import utf8


@dataclass(frozen=True, slots=True)
class Entity:
    """Something with a name.

    Attributes:
        position: its line in the file, from 1.
        type: as the file has it, in any vocabulary; "" if it gives none.
        observations: texts about it, unchanged.
        properties: fields of the file that have no attribute here.
        line: the line of the file, unchanged, if the line is the whole record; else "".
    """

    position: int
    type: str
    name: str
    aliases: tuple[str, ...] = ()
    summary: str = ""
    observations: tuple[str, ...] = ()
    properties: Mapping[str, Any] = field(default_factory=dict)
    line: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact. Either `object` or `literal` is set.

    Attributes:
        position: its line in the file, from 1.
        subject_type: as the file has it; None if it gives none, so that only the name identifies the entity.
        predicate: as the file has it, in any vocabulary.
        object_type: as `subject_type`.
        confidence: from 0 to 1; None if the file gives none.
        valid_from, valid_to: unparsed; None for an open end.
        scope: the project in which it holds, by name or as `project:Atlas`; None for everywhere.
        properties: fields of the file that have no attribute here.
        line: the line of the file, unchanged, if the line is the whole record; else "".
    """

    position: int
    subject: str
    predicate: str
    subject_type: str | None = None
    object: str | None = None
    object_type: str | None = None
    literal: str | None = None
    source: str | None = None
    confidence: float | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    scope: str | None = None
    properties: Mapping[str, Any] = field(default_factory=dict)
    line: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of a conversation.

    Attributes:
        speaker: "human" or "assistant".
        at: when it was written, with a time zone; None if the file does not say.
    """

    speaker: str
    text: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """A conversation.

    Attributes:
        position: its number among the conversations of the file, from 1.
        source: its address, the same in every export: "https://claude.ai/chat/…".
        name: its title, which may be empty.
        started_at: with a time zone; None if the file does not say.
        skipped: parts that are not turns of either speaker, counted by kind.
    """

    position: int
    source: str
    name: str
    started_at: datetime | None
    turns: tuple[Turn, ...]
    skipped: Mapping[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The whole conversation: "human: …", an empty line, "assistant: …"."""
        return "".join(self.turn_texts)

    @property
    def turn_texts(self) -> tuple[str, ...]:
        """The text of each turn, after its speaker; joined they are `text`."""
        last = len(self.turns) - 1
        return tuple(
            f"{turn.speaker}: {turn.text}" + ("\n\n" if number < last else "") for number, turn in enumerate(self.turns)
        )


@dataclass(frozen=True, slots=True)
class ReadError:
    """A part of the file that cannot be read; what follows it is read all the same.

    Attributes:
        position: its line or its number in the file, from 1; 0 for the file as a whole.
        line: the line of the file, if it is known.
    """

    position: int
    error: errors.KeepgraphError
    line: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of the file that is left out on purpose, with how many of its kind."""

    position: int
    kind: str
    count: int = 1


Record: TypeAlias = Entity | Fact | Episode | ReadError | Skipped


# Files as decoded text: encoding, lines of bounded length, and replacement of characters that cannot be stored.

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


class _NumberedLine(NamedTuple):
    """A line and its number, from 1; the text is None if the line is too long."""

    number: int
    open_text: str | None


def read_lines(source: IO[str], *, max_characters: int = MAX_LINE_CHARACTERS) -> Iterator[_NumberedLine]:
    """Every line with its ending. No more than `max_characters` of a line are held in memory."""
    number = 0
    while line := source.readline(max_characters + 1):
        number += 1
        if len(line) <= max_characters or line.endswith(("\n", "\r")):
            yield _NumberedLine(number, line)
            continue
        while line and not line.endswith(("\n", "\r")):
            line = source.readline(max_characters + 1)
        yield _NumberedLine(number, None)
