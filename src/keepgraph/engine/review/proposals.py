"""Proposals: suggested calls, offered with what they rest on. No entity and no fact is written.

A proposal is identified by its kind and key. A decided one is offered again only when it rests on evidence that no
decision on it has seen.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Literal, get_args

from keepgraph import store
from keepgraph.engine.review import decisions
from keepgraph.language import normalisation, utf8
from keepgraph.store import review_proposals
from keepgraph.store.purge import PUBLIC_ID
from keepgraph.store.review_proposals import ReviewDecision, ReviewProposal
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

Kind = Literal[
    "new_entity",
    "new_fact",
    "new_word",
    "same_as",
    "alias",
    "contradiction",
    "doubtful",
    "probably_ended",
    "retype",
    "functional",
    "gap",
    "orphan",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

MAX_OPEN = 200
"""At most this many proposals are open in a group; more are offered when some are decided."""

OF_TEXTS: frozenset[Kind] = frozenset({"new_entity", "new_fact", "new_word", "alias"})
"""The kinds that come from texts; together they count as one kind."""

MAX_OF_KIND = 100
"""At most this many open proposals of one kind per group, to leave room for other kinds."""

_KEPT_STALE = timedelta(days=30)

MAX_STATEMENT = 2000
MAX_KEY = 2000
"""In characters."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A call that somebody may want to make.

    Attributes:
        kind: one of `KINDS`.
        key: identifies the proposal within its group and kind: ids or normalised names, no figures.
        statement: one plain sentence, or a question, at most 2,000 characters.
        score: how certain it is, 0 to 1; the most certain are offered and shown first.
        rests_on: the public ids of the facts, entities and episodes that it rests on, and the text of a rule.
        tool, arguments: the call that would do it, in dispatch's form. Name entities by id where they have one. An
            argument that only a person knows may be missing; then the proposal can only be edited.
        evidence: what it rests on as texts, where narrower than `rests_on`: the sentences of an episode, not
            all of it. A rejected proposal comes back when one of these is new.
        id: its public id, if it has one.
    """

    kind: Kind
    key: str
    statement: str
    score: float
    rests_on: tuple[str, ...]
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    id: str | None = None


@dataclass(frozen=True, slots=True)
class OfferReport:
    """What became of offered proposals, as counts.

    Attributes:
        new: the public ids of those that were not open before.
        open: those that were open already; they are now up to date.
        decided: those decided with the same evidence, or with nothing left to decide.
        quiet: those of quiet kinds.
        over_limit: those that did not fit within the limit.
    """

    new: tuple[str, ...] = ()
    open: int = 0
    decided: int = 0
    quiet: int = 0
    over_limit: int = 0


def offer(tx: Tx, proposals: Iterable[Proposal], *, limit: int) -> OfferReport:
    """Offer proposals: the most certain first, at most `limit` new ones, and at most `MAX_OPEN` open in the group.

    At most `MAX_OF_KIND` of one kind are open. Nothing of this is journalled: undo concerns what people and
    models did. Call it in a write.
    """
    new: list[str] = []
    counts: Counter[str] = Counter()
    silent = {quiet.kind for quiet in find(tx)}
    waiting, stale = decisions.open_and_stale(tx)
    _delete_old(tx, [proposal for proposal, _ in stale])
    room = min(limit, MAX_OPEN - len(waiting))
    of_kind = Counter(_class(proposal.kind) for proposal in waiting)
    for proposal in sorted(proposals, key=lambda each: (-each.score, each.kind, each.key)):
        digests = evidence_digests(tx, proposal.evidence or proposal.rests_on)
        known = store.review_proposals.known_evidence(tx, proposal.kind, proposal.key)
        stored = store.review_proposals.find(tx, proposal.kind, proposal.key)
        is_decided = known is not None and known.issuperset(digests)
        was_open = stored is not None and store.review_proposals.is_open(tx, stored.row)
        if is_decided or (not was_open and _is_settled(tx, proposal, digests)):
            counts["decided"] += 1
        elif was_open and stored is not None:
            counts["open"] += 1
            _bring_up_to_date(tx, stored, proposal, digests)
        elif proposal.kind in silent:
            counts["quiet"] += 1
        elif len(new) >= room or of_kind[_class(proposal.kind)] >= MAX_OF_KIND:
            counts["over_limit"] += 1
        else:
            of_kind[_class(proposal.kind)] += 1
            new.append(_open(tx, stored, proposal, digests))
    return OfferReport(tuple(new), **counts)


def are_up_to_date(tx: Tx, proposals: Iterable[Proposal], *, has_room: bool) -> bool:
    """Whether offering these would change nothing; if there is no room, new ones do not count. Reads only."""
    for proposal in proposals:
        digests = evidence_digests(tx, proposal.evidence or proposal.rests_on)
        known = store.review_proposals.known_evidence(tx, proposal.kind, proposal.key)
        if known is not None and known.issuperset(digests):
            continue
        stored = store.review_proposals.find(tx, proposal.kind, proposal.key)
        if stored is None or not store.review_proposals.is_open(tx, stored.row):
            if has_room and not _is_settled(tx, proposal, digests):
                return False
        elif _current(tx, stored, proposal, digests) != stored:
            return False
    return True


def offer_again(tx: Tx, proposal: Proposal) -> None:
    """Offer a proposal that somebody requests by id, regardless of limits and quiet kinds."""
    stored = store.review_proposals.find(tx, proposal.kind, proposal.key)
    if stored is None:
        _open(tx, None, proposal, evidence_digests(tx, proposal.evidence or proposal.rests_on))


def _class(kind: str) -> str:
    """The kind as it counts for the limit."""
    return "of texts" if kind in OF_TEXTS else kind


def _delete_old(tx: Tx, stale: Sequence[ReviewProposal]) -> None:
    """Delete stale proposals older than undo usually reaches."""
    before = timestamps.from_datetime(tx.now - _KEPT_STALE)
    store.review_proposals.delete(tx, [proposal.row for proposal in stale if proposal.offered_at < before])


def _bring_up_to_date(tx: Tx, stored: ReviewProposal, proposal: Proposal, digests: tuple[str, ...]) -> None:
    current = _current(tx, stored, proposal, digests)
    if current != stored:
        store.review_proposals.update(tx, current)


def _is_settled(tx: Tx, proposal: Proposal, digests: tuple[str, ...]) -> bool:
    """Whether nothing is left to decide: it is already so, or concerns something that does not exist."""
    return decisions.find_reason(tx, _stored(tx, proposal, digests, row=0, public_id="")) is not None


def _current(tx: Tx, stored: ReviewProposal, proposal: Proposal, digests: tuple[str, ...]) -> ReviewProposal:
    """An open proposal as it would be stored now, with the instant when it was first offered."""
    current = _stored(tx, proposal, digests, row=stored.row, public_id=stored.id)
    return replace(current, offered_at=stored.offered_at)


def _open(tx: Tx, stored: ReviewProposal | None, proposal: Proposal, digests: tuple[str, ...]) -> str:
    """Insert a proposal, or reopen a decided one with new evidence; returns its public id."""
    if stored is not None:
        store.review_proposals.update(tx, _stored(tx, proposal, digests, row=stored.row, public_id=stored.id))
        return stored.id
    public_id = proposal.id or tx.new_id("prop")
    store.review_proposals.insert(tx, _stored(tx, proposal, digests, row=0, public_id=public_id))
    return public_id


def _stored(tx: Tx, proposal: Proposal, digests: tuple[str, ...], *, row: int, public_id: str) -> ReviewProposal:
    return ReviewProposal(
        row=row,
        id=public_id,
        kind=proposal.kind,
        key=proposal.key[:MAX_KEY],
        statement=proposal.statement[:MAX_STATEMENT],
        score=min(1.0, max(0.0, proposal.score)),
        rests_on=tuple(proposal.rests_on)[:_MAX_EVIDENCE],
        evidence=digests,
        tool=proposal.tool,
        arguments=dict(proposal.arguments),
        offered_at=tx.at,
    )


# Evidence of proposals as digests, which show whether a decided proposal rests on something new.

_MAX_EVIDENCE = 500
"""The most pieces of evidence of a proposal that are compared."""

_DIGITS = 24
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def evidence_digests(tx: Tx, evidence: Iterable[str]) -> tuple[str, ...]:
    """One digest for each different piece of evidence, sorted.

    A fact counts by its content, so that it is the same evidence when recorded again; an episode by its text; an
    entity by its id, or by the id of the entity it was merged into. Any other text counts by its words: the figures
    in it may change.
    """
    pieces = sorted(set(evidence))[:_MAX_EVIDENCE]
    ids = [piece for piece in pieces if PUBLIC_ID.fullmatch(piece)]
    known = store.review_proposals.contents(tx, ids)
    return tuple(sorted({utf8.digest(known.get(piece) or _words(piece))[:_DIGITS] for piece in pieces}))


def _words(text: str) -> str:
    if PUBLIC_ID.fullmatch(text):
        return text
    return _NUMBER.sub("#", normalisation.clean(text).casefold())


# Quiet kinds: kinds that people accept too rarely; nothing new of them is offered until somebody wakes them.

_WINDOW = 20
"""How many of the newest decisions count."""

_MIN_ACCEPTED = 0.3
"""The share of these that must be accepted."""


@dataclass(frozen=True, slots=True)
class _QuietKind:
    """A quiet kind: the number of its last decisions, and how many of them accepted."""

    kind: str
    decided: int
    accepted: int


def find(tx: Tx) -> list[_QuietKind]:
    """The kinds of the group that are quiet."""
    return [quiet for kind in store.review_proposals.kinds(tx) if (quiet := _measure(tx, kind))]


def wake(tx: Tx, kinds: Iterable[str]) -> list[str]:
    """Let these kinds be offered again: decisions made until now no longer count.

    Returns:
        Those that were quiet.
    """
    woken = [kind for kind in dict.fromkeys(kinds) if _measure(tx, kind)]
    for kind in woken:
        store.review_proposals.insert_decision(tx, ReviewDecision(tx.group, kind, "", (), (), "woken", "", tx.at))
    return woken


def _measure(tx: Tx, kind: str) -> _QuietKind | None:
    """The acceptance of a kind, if too low."""
    latest = store.review_proposals.latest_of_kind(tx, kind, limit=_WINDOW)
    accepted = sum(decision in review_proposals.ACCEPTED for decision in latest)
    is_too_low = len(latest) == _WINDOW and accepted < _MIN_ACCEPTED * _WINDOW
    return _QuietKind(kind, len(latest), accepted) if is_too_low else None
