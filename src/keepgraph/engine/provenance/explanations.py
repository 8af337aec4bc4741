"""An explanation: the origins of something recorded, its changes, what contradicts it, and what rests on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from keepgraph.model import Episode, Event, Fact, Import, Resolution
from keepgraph.store.review_decisions import ReviewDecision

Kind: TypeAlias = Literal["fact", "entity", "text", "call"]

EndOfChain: TypeAlias = Literal["text", "named_source", "call", "conversation", "tool"]
"""Where a chain ends: in a text, in a named source, in a call in the log, in the conversation of a call
no longer in the log; or, if nothing is known about any of these, in the tool and the time alone."""

MAX_ORIGINS = 20
MAX_CHANGES = 30
MAX_DEPENDENTS = 50


@dataclass(frozen=True, slots=True)
class Passage:
    """The passage of a text that something comes from.

    Attributes:
        quote: the sentence, its white space collapsed; empty if the text is empty.
        names: how many ends of a fact the sentence names: "both", "one", or "none", if the text has no better one.
        heading: the headings above it.
        speaker: who says it, in a conversation.
        part: its place among the parts of the text, from 1; `parts` is how many there are.
    """

    episode: Episode
    quote: str
    names: Literal["both", "one", "none"] = "none"
    heading: str = ""
    speaker: str | None = None
    part: int = 1
    parts: int = 1


@dataclass(frozen=True, slots=True)
class Origin:
    """One way in which something came into the graph.

    Attributes:
        what: what came: "asserted", "created", "alias: Bobby", "stored".
        at: the timestamp when it was recorded.
        tool, session: the called tool, and the conversation of the call; None if unknown.
        call: the call that brought it, as in the log; None if the log does not have it.
        end: where the chain ends.
        source, confidence: of an assertion.
        passage: where a text says it.
        decisions: the decisions on proposals by which the call was made.
        note: a remark in a sentence: that an import brought it, or that the log is too young.
        imported: the import that brought it; then `at`, `tool` and `session` come from its file.
    """

    what: str
    at: str
    tool: str | None
    session: str | None
    call: int | None
    end: EndOfChain
    source: str | None = None
    confidence: float | None = None
    passage: Passage | None = None
    decisions: tuple[ReviewDecision, ...] = ()
    note: str = ""
    imported: Import | None = None


@dataclass(frozen=True, slots=True)
class Objection:
    """Something that contradicts a fact.

    Attributes:
        kind: the kind of a conflict, or "text_denies", "text_unsure", "other_validity", "proposal".
        statement: one sentence.
        facts: other facts in it.
        text: the public id of the text that says so.
        tool, arguments: the call that would settle it.
    """

    kind: str
    statement: str
    facts: tuple[Fact, ...] = ()
    text: str | None = None
    tool: str | None = None
    arguments: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The sentence of a stored text that states a fact; `text` is the public id of the text."""

    sentence: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Dependent:
    """Something that rests on what is explained, or that a call did.

    Attributes:
        kind: fact, entity, text, proposal, review (a decision on a proposal), community, narrative, or owner.
        id: its public id; None if it has none.
        text: its name or sentence.
        effect: what happens to it, in words: "would be deleted with it", "stays: …", "ended by it", "recorded".
    """

    kind: str
    id: str | None
    text: str
    effect: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why something is in the graph; every list is bounded, and `totals` has how many there are.

    Attributes:
        id: the public id; for a call, "call" with its number.
        state: for a fact: holds, ended, not_yet, or retracted; for a call: done or undone; else empty.
        statement: the answer in one or a few plain sentences.
        dependents: what rests on it; for a text, what falls with it and what stays.
        sources: for an entity, how many facts each source states.
        can_be_undone: for a call; None if it is too large to tell.
        undo_note: why not, in a sentence.
        resolution: how a name was understood, if not written exactly.
    """

    kind: Kind
    id: str
    name: str
    statement: str
    type: str | None = None
    state: str = ""
    origins: tuple[Origin, ...] = ()
    changes: tuple[Event, ...] = ()
    objections: tuple[Objection, ...] = ()
    confirmation: Confirmation | None = None
    dependents: tuple[Dependent, ...] = ()
    sources: tuple[tuple[str, int], ...] = ()
    totals: Mapping[str, int] = field(default_factory=dict)
    can_be_undone: bool | None = None
    undo_note: str = ""
    resolution: Resolution | None = None
