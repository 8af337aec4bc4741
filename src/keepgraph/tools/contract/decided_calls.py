"""Decisions on proposals, carried out: each is a call of the proposal's tool, with the decision in its transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from keepgraph import errors
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.engine.review import decisions, proposals, quiet_kinds, sources
from keepgraph.engine.review.decisions import Decision, PlannedCall
from keepgraph.store.review_proposals import ReviewProposal
from keepgraph.store.transactions import Tx
from keepgraph.tools.contract import catalogue, dispatch
from keepgraph.tools.contract.catalogue import Effect

_DECISIONS: dict[str, Decision] = {
    "accept": "accepted",
    "edit": "edited",
    "merge": "merged",
    "reject": "rejected",
}


def decide_all(job: Job, entries: Sequence[Mapping[str, Any]], *, group: str | None = None) -> list[dict[str, Any]]:
    """Carry out decisions one after the other, until the call is cancelled.

    Args:
        group: a group other than that of the job; the calls are made from the group of the job, where undo finds them.
    """
    decided = []
    for number, entry in enumerate(entries):
        if job.is_cancelled():
            break
        job.report_progress(number, len(entries), entry["id"])
        decided.append(_decide_one(job, entry, group))
    return decided


def wake(job: Job, kinds: Sequence[str], *, group: str | None = None) -> tuple[list[str], int | None]:
    """Let quiet kinds be proposed again, in one call; returns those that were quiet, and the call, for undo."""
    with job.write() as tx:
        woken = quiet_kinds.wake(_in_group(tx, group), kinds)
        return woken, tx.call if woken else None


def _decide_one(job: Job, entry: Mapping[str, Any], group: str | None) -> dict[str, Any]:
    """Carry out one decision; where the call fails, the proposal stays open, and the answer has the reason."""
    answer = {"id": entry["id"], "decision": entry["decision"], "done": False, "message": "", "call": None}
    try:
        return {**answer, "done": True, **_decide(job, entry, group)}
    except (errors.InvalidRequest, errors.Conflict) as error:
        hint = {"hint": error.hint} if error.hint else {}
        return {**answer, "message": error.message, "error": error.code, **hint}


def _decide(job: Job, entry: Mapping[str, Any], group: str | None) -> dict[str, Any]:
    proposal = _find(job, entry["id"], group)
    planned = _plan(proposal, entry)
    decision = _DECISIONS[entry["decision"]]

    def around(tx: Tx) -> AbstractContextManager[Tx]:
        return decisions.note(_in_group(tx, group), proposal.id, decision)

    if planned.tool is None:
        with job.write() as tx, around(tx):
            call = tx.call
        return {"call": call, "message": f"Rejected: {proposal.statement}"}
    _refuse_other_tools(planned.tool)
    answer = dispatch.call(job.database, planned.tool, planned.arguments, session=job.session, around=around)
    return {
        "call": answer["call"],
        "message": answer.get("message") or f"{decision.capitalize()}: {proposal.statement}",
    }


def _in_group(tx: Tx, group: str | None) -> Tx:
    return tx if group is None else replace(tx, group=group)


def _find(job: Job, public_id: str, group: str | None) -> ReviewProposal:
    """The open proposal; one that was read in a text and is not offered yet is offered first.

    Raises:
        errors.ProposalNotFound, errors.ProposalClosed: see `decisions.find`.
    """
    try:
        with job.read(group=group) as tx:
            return decisions.find(tx, public_id)
    except errors.ProposalNotFound:
        with job.write(group=group) as tx:
            if (of_text := sources.of_text(tx, public_id)) is not None:
                proposals.offer_again(tx, of_text)
            return decisions.find(tx, public_id)


def _plan(proposal: ReviewProposal, entry: Mapping[str, Any]) -> PlannedCall:
    """
    Raises:
        errors.InvalidArguments: something is given that does not belong to this decision, or is missing.
    """
    decision = entry["decision"]
    if (decision == "edit") != ("arguments" in entry) or ("into" in entry and decision != "merge"):
        raise errors.InvalidArguments(
            f"the decision {decision} does not fit what is given with it",
            hint="edit needs arguments, merge of a name needs into; accept and reject have neither.",
        )
    if decision == "reject":
        return decisions.plan_rejection(proposal)
    if decision == "merge":
        return decisions.plan_merge(proposal, entry.get("into"))
    return decisions.plan_acceptance(proposal, entry.get("arguments", {}))


def _refuse_other_tools(name: str) -> None:
    """
    Raises:
        errors.InvalidArguments: the tool does not write, or makes many calls: no decision could stand in its call.
    """
    tool = catalogue.find(name)
    if tool.effect is Effect.READ or tool.is_job:
        raise errors.InvalidArguments(
            f"{tool.name} cannot be called by accepting a proposal", hint="Call it yourself, and reject the proposal."
        )
