"""What a file of another program says, as records in its own words. Knows no graph and no vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from keepgraph import errors


@dataclass(frozen=True, slots=True)
class Entity:
    """Something with a name.

    Attributes:
        place: its line in the file, from 1.
        type: the word of the file, in any vocabulary; "" where it gives none.
        observations: what is said of it, a text each, as it stands there.
        properties: fields that have no place of their own.
        line: the line as it stands in the file, where a line is the whole record; else "".
    """

    place: int
    type: str
    name: str
    aliases: tuple[str, ...] = ()
    summary: str = ""
    observations: tuple[str, ...] = ()
    properties: Mapping[str, Any] = field(default_factory=dict)
    line: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something said of a subject. Either `object` or `literal` is set.

    Attributes:
        place: its line in the file, from 1.
        subject_type: the word of the file; None where it does not say, so that the name alone must tell.
        predicate: the word of the file, in any vocabulary.
        object_type: as `subject_type`.
        confidence: as it stands there, from 0 to 1; None where it does not say.
        valid_from, valid_to: as they stand there, unread; None where they are open.
        properties: fields that a fact has no place for.
        line: the line as it stands in the file, where a line is the whole record; else "".
    """

    place: int
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
    properties: Mapping[str, Any] = field(default_factory=dict)
    line: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Turn:
    """What one said in a conversation, in one go.

    Attributes:
        speaker: "human" or "assistant".
        at: when, aware; None where the file does not say.
    """

    speaker: str
    text: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Episode:
    """A conversation.

    Attributes:
        place: which element of the file it is, from 1.
        source: where it can be read, the same whenever it is exported: "https://claude.ai/chat/…".
        name: its title, which may be empty.
        at: when it began, aware; None where the file does not say.
        left_out: what of it is no turn of either, and how often.
    """

    place: int
    source: str
    name: str
    at: datetime | None
    turns: tuple[Turn, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """All of it, each turn after the name of who speaks: "human: …", an empty line, "assistant: …"."""
        return "".join(self.pieces)

    @property
    def pieces(self) -> tuple[str, ...]:
        """The text divided into its turns: joined they are the text."""
        last = len(self.turns) - 1
        return tuple(
            f"{turn.speaker}: {turn.text}" + ("\n\n" if number < last else "") for number, turn in enumerate(self.turns)
        )


@dataclass(frozen=True, slots=True)
class Trouble:
    """A part of the file that cannot be taken, and why; what follows is read all the same."""

    place: int
    error: errors.KeepgraphError
    line: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something of the file that is left out on purpose, and how often it is there."""

    place: int
    what: str
    times: int = 1


Record: TypeAlias = Entity | Fact | Episode | Trouble | LeftOut
