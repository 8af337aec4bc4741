"""The garden toolset: what the gardener proposes, and the proposals that wait for a decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.garden import gardener
from keepgraph.engine.garden.gardener import RunReport, SessionCounts
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.engine.review import decisions, grounds, learning, proposals, sources
from keepgraph.engine.review.decisions import Decision, PlannedCall
from keepgraph.english import count_noun
from keepgraph.store.review_proposals import ReviewProposal
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import answer_shapes, catalogue, dispatch, learning_answers, schemas
from keepgraph.tools.contract.catalogue import Effect, Need, tool

MAX_PROPOSALS = 20
PROPOSALS_LISTED = 10

_NOTHING_PRUNED = "Nothing was changed or pruned"
_COUNTED_FIELDS = ("considered", "proposed", "new", "open", "decided", "quiet", "over_limit")


@tool(Effect.WRITE, is_job=True)
def run_night_gardener(
    job: Job,
    *,
    project: str | None = None,
    passes: list[str] | None = None,
    dry_run: bool = False,
    origin: str = "call",
) -> dict[str, Any]:
    """Check the graph and propose corrections; no fact and no entity changes.

    It proposes contradictions, duplicates, facts that have probably ended, wrong types, gaps, names and facts from
    texts, words: at most 20 new ones per pass. review_proposals lists and decides them. One run at a time.
    """
    report = gardener.run(job, project=project, names=passes, origin=origin, dry_run=dry_run)
    new = sorted(
        ((each.name, proposal) for each in report.passes for proposal in each.new),
        key=lambda pair: (-pair[1].score, pair[1].kind, pair[1].key),
    )
    return {
        "call": None,
        "message": _describe_run(report, dry_run=dry_run),
        "status": "already_running" if report.is_running_elsewhere else "stopped" if report.stopped else "done",
        "stopped": report.stopped,
        "dry_run": dry_run,
        "project": report.scope.label,
        "candidates_proposed": len(new),
        "relations_accepted": 0,
        "relations_rejected": 0,
        **_describe_sessions_as_counts(report.sessions),
        "nodes_pruned": 0,
        "edges_pruned": 0,
        "last_run": report.last_run,
        "passes": [_describe_pass(each.name, each.counts) for each in report.passes],
        "proposals": [
            {
                "id": proposal.id,
                "kind": proposal.kind,
                "statement": proposal.statement,
                "score": proposal.score,
                "pass": name,
            }
            for name, proposal in new[:MAX_PROPOSALS]
        ],
        "truncated": len(new) > MAX_PROPOSALS,
        "waiting": report.waiting,
        "sessions": _describe_sessions(report.sessions),
    }


@tool(Effect.READ)
def get_garden_status(tx: Tx, *, project: str | None = None) -> dict[str, Any]:
    """Report when the gardener last ran, what it proposed in all runs, what became of that, and whether it runs now."""
    tx, scope = knowledge.projects.enter_named(tx, project)
    last = store.garden.last(tx)
    runs, proposed, not_ended = store.garden.totals(tx)
    accepted, rejected = store.garden.count_decisions(tx)
    waiting = store.review_proposals.count_open(tx)
    counts = gardener.count_session(tx, since=last.ended_at if last else "", facts=())
    is_running = store.run_locks.is_locked(tx, gardener.LOCK)
    return {
        "message": _describe_status(runs, not_ended, sum(waiting.values()), is_running=is_running),
        "project": scope.label,
        "last_run": timestamps.format_local(last.ended_at, tx.zone) if last else None,
        "total_runs": runs,
        "relations_proposed": proposed,
        "relations_accepted": accepted,
        "relations_rejected": rejected,
        "session_entries_filtered_repeat_threshold": gardener.count_asked_once(tx),
        "nodes_pruned": 0,
        "edges_pruned": 0,
        "is_running": is_running,
        "origin": last.origin if last else None,
        "waiting": sum(waiting.values()),
        "waiting_by_kind": waiting,
        "passes": [
            _describe_pass(name, of_pass) for name, of_pass in (last.passes if last else {}).items() if "new" in of_pass
        ],
        "sessions": _describe_sessions(counts),
    }


@tool(Effect.WRITE, is_job=True)
def review_proposals(
    job: Job,
    *,
    kinds: Sequence[str] | None = None,
    limit: int | None = None,
    decide: Sequence[Mapping[str, Any]] = (),
    wake: Sequence[str] = (),
    group_id: str | None = None,
) -> dict[str, Any]:
    """List open proposals, and decide them: names and facts from texts, duplicates, contradictions, gaps.

    Each proposal has its evidence and the call made on acceptance. Decide what the user has decided, or what the texts
    leave no doubt about; `undo` reverts a decision by its call. A rejected proposal returns only with new evidence. If
    a proposal needs arguments, use edit.
    """
    answer: dict[str, Any] = {"call": None}
    if group_id is not None:
        with job.read() as tx:
            knowledge.projects.refuse_unknown(tx, [group_id] if group_id != tx.group else [])
    if wake:
        answer["woken"], answer["woken_call"] = _wake_kinds(job, wake, group=group_id)
    if decide:
        answer["decisions"] = _decide_all(job, decide, group=group_id)
    if limit is None:
        limit = 0 if decide else PROPOSALS_LISTED
    if limit:
        catalogue.backfill_some(job.database, Need.MENTIONS)
        sources.collect(job, kinds=kinds, group=group_id)
    with job.read(group=group_id) as tx:
        return {**answer, **_review(tx, kinds=kinds, limit=limit)}


@tool(Effect.WRITE, is_job=True)
def train_gnn(
    job: Job,
    *,
    project: str | None = None,
    dry_run: bool = True,
    threshold: float = 0.6,
    seed: int = 0,
) -> dict[str, Any]:
    """Learn from the facts which others are likely, with the rule that says so, and which recorded ones are doubtful.

    Rules and an embedding are tested on the newest facts, and used only if they reliably beat counting; otherwise
    method is too_few_facts and nothing is suggested. No fact is changed or deleted; with dry_run false the suggestions
    wait in review_proposals.
    """
    report = learning.run(job, project=project, threshold=threshold, seed=seed, dry_run=dry_run)
    return {"call": None, **learning_answers.learning(report, dry_run=dry_run)}


def _describe_run(report: RunReport, *, dry_run: bool) -> str:
    if report.is_running_elsewhere:
        return "Another run is in progress; this one did nothing. get_garden_status says when it has ended."
    new = count_noun(len(report.new), "new proposal")
    done = f"{new} would be made" if dry_run else f"{new}, {report.waiting} waiting for review"
    early = f" It ended early ({report.stopped}); the next run begins with the other passes." if report.stopped else ""
    return f"{done}. {_NOTHING_PRUNED}.{early}"


def _describe_status(runs: int, not_ended: int, waiting: int, *, is_running: bool) -> str:
    killed = max(0, not_ended - is_running)
    now = "It is running now" if is_running else "It is not running now"
    times = "It has not run yet" if not runs else "It ran once" if runs == 1 else f"It ran {runs:,} times"
    if killed:
        times += f", and {count_noun(killed, 'run')} began and did not end"
    waiting_now = f"{count_noun(waiting, 'proposal')} {'waits' if waiting == 1 else 'wait'}"
    return f"{times}. {now}. {waiting_now} for review. Nothing is ever pruned: it only proposes."


def _describe_pass(name: str, counts: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, **{field: counts[field] for field in _COUNTED_FIELDS}, "note": counts["note"]}


def _describe_sessions_as_counts(counts: SessionCounts) -> dict[str, int]:
    return {
        "sessions_considered": counts.considered,
        "sessions_used": counts.used,
        "session_entries_considered": counts.entries_considered,
        "session_entries_used": counts.entries_used,
        "session_entries_filtered_repeat_threshold": counts.entries_asked_once,
    }


def _describe_sessions(counts: SessionCounts) -> dict[str, Any]:
    if counts.reads_are_counted:
        message = "Calls that read are counted, by conversation and tool, without what was asked."
    else:
        message = "Calls that read are not counted; reads in [garden] of the settings turns that on."
    return {
        "considered": counts.considered,
        "used": counts.used,
        "entries_considered": counts.entries_considered,
        "entries_used": counts.entries_used,
        "reads_are_counted": counts.reads_are_counted,
        "message": message,
    }


# Decisions on proposals, carried out: each is a call of the proposal's tool, with the decision in its transaction.

_DECISIONS: dict[str, Decision] = {
    "accept": "accepted",
    "edit": "edited",
    "merge": "merged",
    "reject": "rejected",
}


def _decide_all(job: Job, entries: Sequence[Mapping[str, Any]], *, group: str | None = None) -> list[dict[str, Any]]:
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


def _wake_kinds(job: Job, kinds: Sequence[str], *, group: str | None = None) -> tuple[list[str], int | None]:
    """Let quiet kinds be proposed again, in one call; returns those that were quiet, and the call, for undo."""
    with job.write() as tx:
        woken = proposals.wake(_in_group(tx, group), kinds)
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


# Answers about proposals: those that are open, those that closed by themselves, and kinds that are quiet.

_MAX_CLOSED = 5


def _review(tx: Tx, *, kinds: Sequence[str] | None, limit: int) -> dict[str, Any]:
    """The open proposals, and what else there is to say of the review."""
    waiting, stale = decisions.open_and_stale(tx, kinds=kinds)
    counts = dict(sorted(Counter(proposal.kind for proposal in waiting).items()))
    quiet = [quiet for quiet in proposals.find(tx) if kinds is None or quiet.kind in kinds]
    not_offered = store.review_proposals.count_not_offered(tx) if kinds is None else 0
    closed = [{"id": each.id, "statement": each.statement, "reason": reason} for each, reason in stale[:_MAX_CLOSED]]
    return {
        "message": _message(len(waiting), len(stale)),
        "proposals": [_describe(tx, proposal) for proposal in waiting[:limit]],
        "total": len(waiting),
        "counts": counts,
        "truncated": len(waiting) > limit,
        **answer_shapes.filled(
            waiting=not_offered,
            closed=closed,
            closed_total=len(stale),
            quiet=[{"kind": each.kind, "decided": each.decided, "accepted": each.accepted} for each in quiet],
        ),
    }


def _message(waiting: int, stale: int) -> str:
    listed = f"{count_noun(waiting, 'proposal')} {'is' if waiting == 1 else 'are'} open."
    if not stale:
        return listed
    return f"{listed} {stale:,} closed by {'itself' if stale == 1 else 'themselves'}, because of later changes."


def _describe(tx: Tx, proposal: ReviewProposal) -> dict[str, Any]:
    return {
        "id": proposal.id,
        "kind": proposal.kind,
        "statement": proposal.statement,
        "score": round(proposal.score, 3),
        "rests_on": [{"id": ground.id, "text": ground.text} for ground in grounds.read(tx, proposal)],
        "rests_on_total": len(proposal.rests_on),
        "call": {"tool": proposal.tool, "arguments": proposal.arguments},
        "effect": grounds.describe_effect(tx, proposal),
        **answer_shapes.filled(needs=_missing_arguments(proposal)),
        "offered_at": timestamps.format_local(proposal.offered_at, tx.zone),
    }


def _missing_arguments(proposal: ReviewProposal) -> list[str]:
    """The required arguments of the call that the proposal does not give."""
    tool = catalogue.find(proposal.tool)
    required = schemas.load(tool.toolset, tool.name, "input").get("required", [])
    return [name for name in required if name not in proposal.arguments]
