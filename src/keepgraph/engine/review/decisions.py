"""Decisions on proposals, each noted in the transaction of the call that it makes, so that undo takes both back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

from keepgraph import errors, store
from keepgraph.engine.review import staleness
from keepgraph.store.review_decisions import ReviewDecision
from keepgraph.store.review_proposals import ReviewProposal
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

Decision = Literal["accepted", "edited", "merged", "rejected"]


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """The call that carries out a decision; `tool` is None where nothing but the decision is to be noted."""

    tool: str | None
    arguments: Mapping[str, Any]


def find(tx: Tx, public_id: str) -> ReviewProposal:
    """The open proposal with this public id.

    Raises:
        errors.ProposalNotFound: there is none in the group.
        errors.ProposalClosed: it was decided, or is settled or about something that has changed.
    """
    proposal = store.review_proposals.by_id(tx, public_id)
    if proposal is None:
        raise errors.ProposalNotFound(f"there is no proposal {public_id[:60]!r} in group {tx.group!r}")
    if not store.review_proposals.is_open(tx, proposal.row):
        decision = store.review_decisions.last(tx, proposal.kind, proposal.key)
        raise errors.ProposalClosed(
            f"the proposal was {decision} before: {proposal.statement}",
            hint="To decide it anew, undo the call of that decision; `kg log` lists the calls.",
        )
    if reason := staleness.find_reason(tx, proposal):
        raise errors.ProposalClosed(f"{reason} The proposal is closed: {proposal.statement}")
    return proposal


def plan_acceptance(proposal: ReviewProposal, arguments: Mapping[str, Any]) -> PlannedCall:
    """The call of a proposal, with these arguments instead of or besides its own."""
    return PlannedCall(proposal.tool, {**proposal.arguments, **arguments})


def plan_merge(proposal: ReviewProposal, into: Mapping[str, Any] | None) -> PlannedCall:
    """The call that makes what a proposal is about one with an entity that exists.

    Raises:
        errors.InvalidArguments: the proposal is not about something that can be merged, or nothing to merge it with is
            given.
    """
    if proposal.kind == "same_as":
        return PlannedCall(proposal.tool, proposal.arguments)
    if proposal.kind != "new_entity":
        raise errors.InvalidArguments(
            f"a proposal of kind {proposal.kind} cannot be merged",
            hint="Merge is for names (new_entity) and for pairs (same_as): accept, reject or edit this one.",
        )
    if into is None:
        raise errors.InvalidArguments("the entity is missing that the name means", hint="Give it as `into`.")
    return PlannedCall("add_alias", {"entity": dict(into), "alias": proposal.arguments["entity"]["name"]})


def plan_rejection(proposal: ReviewProposal) -> PlannedCall:
    """The call that belongs to a rejection: what waits in a wording is deleted; else none."""
    mapped = [
        wording for mapping in proposal.arguments.get("map_wordings") or () for wording in mapping.get("wordings", ())
    ]
    is_of_wordings = proposal.kind == "new_word" and mapped
    return PlannedCall("extend_vocabulary", {"dismiss_wordings": mapped}) if is_of_wordings else PlannedCall(None, {})


@contextmanager
def note(tx: Tx, public_id: str, decision: Decision) -> Iterator[Tx]:
    """Note a decision around the call that it makes.

    What is recorded inside comes from the text on which the proposal rests, where there is one.

    Raises:
        errors.ProposalNotFound, errors.ProposalClosed: see `find`.
    """
    proposal = find(tx, public_id)
    episodes = store.review_evidence.episodes(tx, [each for each in proposal.rests_on if each.startswith("ep_")])
    first = next((episodes[each] for each in proposal.rests_on if each in episodes), None)
    yield tx if first is None else replace(tx, episode=first)
    store.review_decisions.insert(
        tx,
        ReviewDecision(
            group=tx.group,
            proposal_kind=proposal.kind,
            key=proposal.key,
            rests_on=proposal.rests_on,
            evidence=proposal.evidence,
            decision=decision,
            statement=proposal.statement,
            decided_at=timestamps.from_datetime(tx.now),
        ),
    )
