"""An explanation: the origins of something recorded, its changes, what contradicts it, and what rests on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from keepgraph import store
from keepgraph.engine.texts import storage
from keepgraph.language import inflection, normalisation, sentences
from keepgraph.model import Chunk, Entity, Episode, Event, Fact, Import, Resolution
from keepgraph.store.provenance import AssertionRow
from keepgraph.store.review_proposals import ReviewDecision
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

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


# Chains of provenance: from each assertion of a fact to its text, source or call.

_EPISODE_ID = re.compile(r"\bep_[0-9a-z]{26}\b")


def of_fact(tx: Tx, fact: Fact, *, limit: int) -> list[Origin]:
    """The origins of a fact, one for each assertion, oldest first."""
    assertions = store.provenance.assertions(tx, fact.row, limit=limit)
    calls = store.provenance.inserting_calls(
        tx, "provenance", {assertion.row: assertion.recorded_at for assertion in assertions}
    )
    episodes = store.episodes.by_rows(tx, [each.episode for each in assertions if each.episode is not None])
    imported = store.transfer.of_rows(tx, "provenance", [assertion.row for assertion in assertions])
    passages: dict[int, Passage] = {}
    origins = []
    for assertion in assertions:
        episode = _text_of(tx, assertion, episodes)
        if episode is not None and episode.row not in passages:
            passages[episode.row] = _find(tx, fact, episode)
        passage = passages[episode.row] if episode is not None else None
        origin = _origin(tx, fact, assertion, calls.get(assertion.row), passage)
        origins.append(mark_imported(tx, origin, imported.get(assertion.row)))
    return origins


def describe_call(tx: Tx, number: int | None, *, tool: str | None) -> str:
    """A note on the call besides its number: that it was an import, or that the log does not have it."""
    if number is None:
        oldest = store.journal.oldest_call(tx)
        begins = f"; it begins with call {oldest[0]} of {timestamps.local_date(oldest[1], tx.zone)}" if oldest else ""
        return f"The call is no longer in the log{begins}."
    called = store.journal.find_call(tx, number)
    if called is not None and tool is not None and called[1] != tool:
        return f"Call {number} ({called[1]}) brought it here; {tool} had recorded it before."
    return ""


def mark_imported(tx: Tx, origin: Origin, imported: Import | None) -> Origin:
    """Note on an origin that an import brought it, so that the rest comes from a file; None: it was recorded here."""
    if imported is None:
        return origin
    by = f"Call {origin.call} (import)" if origin.call is not None else "An import"
    file = f" from “{imported.file}”" if imported.file else ""
    note = f"{by} brought it here{file} on {timestamps.local_date(imported.at, tx.zone)}"
    is_asserted = origin.what == "asserted"
    if origin.at != imported.at:
        said = f"that {origin.tool} had recorded it before" if is_asserted else "the day of its creation"
        note += f"; {said} is what its file says"
    return replace(origin, note=f"{note}." if is_asserted else f"{origin.note} {note}.".strip(), imported=imported)


def _origin(tx: Tx, fact: Fact, assertion: AssertionRow, call: int | None, passage: Passage | None) -> Origin:
    return Origin(
        "asserted",
        assertion.recorded_at,
        assertion.tool,
        assertion.session,
        call,
        _end(assertion, call, passage),
        source=assertion.source,
        confidence=assertion.confidence,
        passage=passage,
        decisions=_decisions(tx, fact, assertion, call) if call is not None else (),
        note=describe_call(tx, call, tool=assertion.tool),
    )


def _decisions(tx: Tx, fact: Fact, assertion: AssertionRow, call: int) -> tuple[ReviewDecision, ...]:
    """The decisions by which a call asserted a fact; an import brings others, made at other times."""
    return tuple(
        decision
        for decision in store.review_proposals.of_call(tx, call)
        if decision.decided_at == assertion.recorded_at or fact.id in decision.rests_on
    )


def _end(assertion: AssertionRow, call: int | None, passage: Passage | None) -> EndOfChain:
    if passage is not None:
        return "text"
    if assertion.source:
        return "named_source"
    if call is not None:
        return "call"
    return "conversation" if assertion.session else "tool"


def _text_of(tx: Tx, assertion: AssertionRow, episodes: Mapping[int, Episode]) -> Episode | None:
    """The text that an assertion comes from: recorded from it, or named as its source by id or path."""
    if assertion.episode is not None:
        return episodes.get(assertion.episode)
    if not assertion.source:
        return None
    named = _EPISODE_ID.search(assertion.source)
    episode = store.episodes.by_id(tx, named[0]) if named else None
    if episode is not None and episode.group == tx.group:
        return episode
    return store.episodes.first_by_source(tx, assertion.source, kind=storage.DOCUMENT)


# The passage of a text that states a fact: the sentence that names both ends, best in the words of its predicate.

_MAX_CHUNKS = 500
"""How many chunks of a text are read: first those that mention the subject."""

_MAX_QUOTE = 400
_WORD = re.compile(r"\w+")


def _find(tx: Tx, fact: Fact, episode: Episode) -> Passage:
    """The sentence of a text that names most of a fact; the first sentence if none names any of it."""
    chunks = store.episodes.chunks(tx, episode)
    subject, target = _names(tx, fact.subject), _names(tx, fact.object) if fact.object else [fact.literal or ""]
    patterns = _pattern(subject), _pattern(target)
    words = {inflection.stem(word) for word in _WORD.findall(fact.predicate.lower().replace("_", " ")) if len(word) > 2}
    best: tuple[tuple[int, int], Chunk, str] | None = None
    for chunk in _in_order_of_promise(tx, fact, chunks):
        for sentence in _sentences(chunk):
            rank = _rank(sentence, chunk, patterns, words, subject)
            if best is None or rank > best[0]:
                best = (rank, chunk, sentence)
    if best is None:
        return Passage(episode, "", parts=len(chunks) or 1)
    (names, _), chunk, sentence = best
    named: Literal["both", "one", "none"] = "both" if names == 2 else "one" if names else "none"
    return _passage(episode, chunk, sentence, names=named, parts=len(chunks))


def _passage(
    episode: Episode, chunk: Chunk, sentence: str, *, names: Literal["both", "one", "none"] = "none", parts: int
) -> Passage:
    """A sentence with its place."""
    quote = sentence if len(sentence) <= _MAX_QUOTE else f"{sentence[: _MAX_QUOTE - 1]}…"
    return Passage(episode, quote, names, chunk.heading, chunk.speaker, chunk.position + 1, parts)


def _rank(
    sentence: str,
    chunk: Chunk,
    patterns: tuple[re.Pattern[str] | None, re.Pattern[str] | None],
    words: set[str],
    subject: Sequence[str],
) -> tuple[int, int]:
    """How many ends of the fact a sentence names, and whether it has words of the predicate."""
    is_speaker = chunk.speaker is not None and normalisation.key(chunk.speaker) in map(normalisation.key, subject)
    has_subject = is_speaker or (patterns[0] is not None and patterns[0].search(sentence) is not None)
    has_object = patterns[1] is not None and patterns[1].search(sentence) is not None
    shared = len(words & {inflection.stem(word) for word in _WORD.findall(sentence.lower())})
    return has_subject + has_object, shared


def _sentences(chunk: Chunk) -> Iterator[str]:
    for sentence in sentences.split(chunk.text):
        if words := " ".join(chunk.text[sentence.start : sentence.end].split()):
            yield words


def _in_order_of_promise(tx: Tx, fact: Fact, chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks to read: of a long text, those that mention both ends first."""
    if len(chunks) <= _MAX_CHUNKS:
        return list(chunks)
    ends = {fact.subject.row, fact.object.row if fact.object else fact.subject.row}
    mentioned: dict[int, set[int]] = {}
    for mention in store.mentions.in_chunks(tx, [chunk.row for chunk in chunks]):
        if mention.entity in ends:
            mentioned.setdefault(mention.chunk, set()).add(mention.entity)
    return sorted(chunks, key=lambda chunk: -len(mentioned.get(chunk.row, ())))[:_MAX_CHUNKS]


def _names(tx: Tx, entity: Entity) -> list[str]:
    return [entity.name, *store.entities.aliases(tx, entity)]


def _pattern(names: Sequence[str]) -> re.Pattern[str] | None:
    """A pattern for any of some names, as words of their own."""
    alternatives = [r"\s+".join(map(re.escape, name.split())) for name in names if name.strip()]
    if not alternatives:
        return None
    longest_first = sorted(set(alternatives), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", re.IGNORECASE)
