"""Decisions on proposals, each noted in the transaction of the call that it makes, so that undo reverts both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import normalisation
from keepgraph.model import Entity
from keepgraph.store.purge import PUBLIC_ID
from keepgraph.store.review_proposals import ReviewDecision, ReviewProposal
from keepgraph.store.transactions import Tx

Decision = Literal["accepted", "edited", "merged", "rejected"]


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """The call that carries out a decision; `tool` is None if only the decision is noted."""

    tool: str | None
    arguments: Mapping[str, Any]


def find(tx: Tx, public_id: str) -> ReviewProposal:
    """The open proposal with this public id.

    Raises:
        errors.ProposalNotFound: the group has none.
        errors.ProposalClosed: it was decided, or is settled, or concerns something that has changed.
    """
    proposal = store.review_proposals.by_id(tx, public_id)
    if proposal is None:
        raise errors.ProposalNotFound(f"there is no proposal {public_id[:60]!r} in group {tx.group!r}")
    if not store.review_proposals.is_open(tx, proposal.row):
        decision = store.review_proposals.last(tx, proposal.kind, proposal.key)
        raise errors.ProposalClosed(
            f"the proposal has already been {decision}: {proposal.statement}",
            hint="To decide again, undo the call of that decision; `kg log` lists the calls.",
        )
    if reason := find_reason(tx, proposal):
        raise errors.ProposalClosed(f"{reason} The proposal is closed: {proposal.statement}")
    return proposal


def plan_acceptance(proposal: ReviewProposal, arguments: Mapping[str, Any]) -> PlannedCall:
    """The call of a proposal, with these arguments replacing or extending its own."""
    return PlannedCall(proposal.tool, {**proposal.arguments, **arguments})


def plan_merge(proposal: ReviewProposal, into: Mapping[str, Any] | None) -> PlannedCall:
    """The call that merges what a proposal is about with an existing entity.

    Raises:
        errors.InvalidArguments: the proposal is about something that cannot be merged, or the entity to merge with is
            missing.
    """
    if proposal.kind == "same_as":
        return PlannedCall(proposal.tool, proposal.arguments)
    if proposal.kind != "new_entity":
        raise errors.InvalidArguments(
            f"a proposal of kind {proposal.kind} cannot be merged",
            hint="Only names (new_entity) and pairs (same_as) can be merged: accept, reject or edit this one.",
        )
    if into is None:
        raise errors.InvalidArguments("the entity that the name refers to is missing", hint="Give it as `into`.")
    return PlannedCall("add_alias", {"entity": dict(into), "alias": proposal.arguments["entity"]["name"]})


def plan_rejection(proposal: ReviewProposal) -> PlannedCall:
    """The call that a rejection makes, if any: it deletes what waits in a wording."""
    mapped = [
        wording for mapping in proposal.arguments.get("map_wordings") or () for wording in mapping.get("wordings", ())
    ]
    is_of_wordings = proposal.kind == "new_word" and mapped
    return PlannedCall("extend_vocabulary", {"dismiss_wordings": mapped}) if is_of_wordings else PlannedCall(None, {})


@contextmanager
def note(tx: Tx, public_id: str, decision: Decision) -> Iterator[Tx]:
    """Note a decision around the call that it makes.

    What is recorded inside is attributed to the text that the proposal rests on, if there is one.

    Raises:
        errors.ProposalNotFound, errors.ProposalClosed: see `find`.
    """
    proposal = find(tx, public_id)
    episodes = store.review_proposals.episodes(tx, [each for each in proposal.rests_on if each.startswith("ep_")])
    first = next((episodes[each] for each in proposal.rests_on if each in episodes), None)
    yield tx if first is None else replace(tx, episode=first)
    store.review_proposals.insert_decision(
        tx,
        ReviewDecision(
            group=tx.group,
            proposal_kind=proposal.kind,
            key=proposal.key,
            rests_on=proposal.rests_on,
            evidence=proposal.evidence,
            decision=decision,
            statement=proposal.statement,
            decided_at=tx.at,
        ),
    )


# Stale proposals: settled, or about something that was changed or deleted since they were offered.
#
# This is never stored: a proposal is open again when what it is about is restored.

# Kinds that rest on many facts and may lose one.
_BROAD = frozenset({"functional", "new_word", "gap"})
_ABOUT_CURRENT_FACTS = frozenset({"contradiction", "probably_ended"})


def open_and_stale(
    tx: Tx, *, kinds: Sequence[str] | None = None
) -> tuple[list[ReviewProposal], list[tuple[ReviewProposal, str]]]:
    """The open proposals of the group, surest first; and the stale ones, with reasons."""
    waiting, stale = [], []
    for proposal in store.review_proposals.list_open(tx, kinds=kinds):
        reason = find_reason(tx, proposal)
        if reason is None:
            waiting.append(proposal)
        else:
            stale.append((proposal, reason))
    return waiting, stale


def find_reason(tx: Tx, proposal: ReviewProposal) -> str | None:
    """Why a proposal is stale, in a sentence; None if it may be decided."""
    in_call = frozenset(_ids(proposal.arguments))
    rested_on = frozenset() if proposal.kind in _BROAD else frozenset(_ids(proposal.rests_on))
    return (
        _missing(tx, in_call | rested_on, proposal)
        or _changed_facts(tx, in_call | rested_on, proposal)
        or _settled(tx, proposal)
    )


def _ids(value: Any) -> Iterator[str]:
    """The public ids in arguments."""
    if isinstance(value, str):
        if PUBLIC_ID.fullmatch(value):
            yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _ids(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _ids(part)


def _missing(tx: Tx, ids: frozenset[str], proposal: ReviewProposal) -> str | None:
    entities = sorted(each for each in ids if each.startswith("ent_"))
    present = store.review_proposals.entities(tx, entities, with_merged=proposal.kind != "same_as")
    if set(entities) - present:
        return "An entity that it is about has since been merged or deleted."
    episodes = [each for each in _ids(proposal.rests_on) if each.startswith("ep_")]
    if episodes and not store.review_proposals.episodes(tx, episodes):
        return "The text that it came from has since been deleted."
    return None


def _changed_facts(tx: Tx, ids: frozenset[str], proposal: ReviewProposal) -> str | None:
    facts = sorted(each for each in ids if each.startswith("fact_"))
    states = store.review_proposals.facts(tx, facts)
    if len(states) < len(facts):
        return "A fact that it depends on has since been deleted."
    if any(state.is_retracted for state in states.values()):
        return "A fact that it depends on has since been retracted."
    if proposal.kind in _ABOUT_CURRENT_FACTS and any(state.is_ended for state in states.values()):
        return "A fact that it is about has since ended."
    return None


def _settled(tx: Tx, proposal: ReviewProposal) -> str | None:
    """Why nothing is left to do, by the tool of the call and its arguments."""
    settled = {
        "add_entity": _is_entity_known,
        "record_fact": _is_fact_known,
        "add_alias": _is_alias_known,
        "update_entity": _has_type,
        "extend_vocabulary": _waits_for_nothing,
        "change_word": _has_flags,
    }.get(proposal.tool)
    return settled(tx, proposal.arguments) if settled else None


def _is_entity_known(tx: Tx, arguments: Mapping[str, Any]) -> str | None:
    name = (arguments.get("entity") or {}).get("name")
    if name and knowledge.entities.is_known(tx, normalisation.key(name)):
        return f"“{name}” is already known."
    return None


def _is_fact_known(tx: Tx, arguments: Mapping[str, Any]) -> str | None:
    if arguments.get("supersedes"):
        return None  # it is recorded again to end another fact
    subjects, objects = (_rows(tx, arguments.get(end)) for end in ("subject", "object"))
    if store.proposals.fact_exists(tx, subjects, str(arguments.get("predicate")), objects):
        return "The fact has since been recorded, or was retracted before."
    return None


def _rows(tx: Tx, reference: Any) -> list[int]:
    """The rows of the entities that a reference may mean."""
    if not isinstance(reference, Mapping):
        return []
    if public_id := reference.get("id"):
        entity = knowledge.entities.find_by_id(tx, public_id)
        return [entity.row] if entity else []
    key = normalisation.key(reference["name"]) if reference.get("name") else ""
    of_types = [reference["type"]] if reference.get("type") else None
    named = store.entities.by_key(tx, key, of_types=of_types) if key else []
    aliased = store.entities.by_alias_key(tx, key, of_types=of_types) if key else []
    return [*(entity.row for entity in named), *(entity.row for entity, _ in aliased)]


def _is_alias_known(tx: Tx, arguments: Mapping[str, Any]) -> str | None:
    entity = _entity(tx, arguments)
    alias = arguments.get("alias") or ""
    if entity and normalisation.key(alias) in {normalisation.key(each) for each in store.entities.aliases(tx, entity)}:
        return f"“{alias}” is already an alias of “{entity.name}”."
    return None


def _entity(tx: Tx, arguments: Mapping[str, Any]) -> Entity | None:
    public_id = (arguments.get("entity") or {}).get("id")
    return knowledge.entities.find_by_id(tx, public_id) if public_id else None


def _has_type(tx: Tx, arguments: Mapping[str, Any]) -> str | None:
    entity = _entity(tx, arguments)
    if entity and set(arguments) == {"entity", "type"} and entity.type == arguments["type"]:
        return f"“{entity.name}” already has this type."
    return None


def _has_flags(tx: Tx, arguments: Mapping[str, Any]) -> str | None:
    predicate = graph_vocabulary.read(tx).predicate_by_name.get(str(arguments.get("word")))
    values = arguments.get("values") or {}
    if predicate and set(values) == {"flags"} and predicate.flags.issuperset(values["flags"]):
        return f"{predicate.name} already has these flags."
    return None


def _waits_for_nothing(tx: Tx, arguments: Mapping[str, Any]) -> str | None:
    wordings = [*(arguments.get("dismiss_wordings") or ())]
    wordings += [wording for mapping in arguments.get("map_wordings") or () for wording in mapping["wordings"]]
    keys = [knowledge.proposed_facts.wording_key(wording) for wording in wordings]
    if keys and not store.proposals.waiting(tx, wording_keys=keys, limit=1):
        return "Nothing waits in this wording any longer."
    return None
