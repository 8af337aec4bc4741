"""The garden toolset: what the gardener proposes, and the proposals that wait for a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from keepgraph import store
from keepgraph.engine import knowledge
from keepgraph.engine.garden import gardener
from keepgraph.engine.garden.gardener import RunReport, SessionCounts
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.engine.review import sources
from keepgraph.english import count_noun
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps
from keepgraph.tools.contract import decided_calls, derived_data, proposal_answers
from keepgraph.tools.contract.catalogue import Effect, tool
from keepgraph.tools.contract.derived_data import Need

MAX_PROPOSALS = 20
PROPOSALS_LISTED = 10

_NOTHING_PRUNED = "Nothing was changed or pruned"
_COUNTED_FIELDS = ("considered", "proposed", "new", "open", "decided", "quiet", "over_limit")


@tool(Effect.WRITE, is_job=True)
def run_night_gardener(
    job: Job,
    *,
    project: str | None = None,
    session_id: str | None = None,
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
def get_garden_status(tx: Tx, *, project: str | None = None, session_id: str | None = None) -> dict[str, Any]:
    """Report when the gardener last ran, what it proposed in all runs, what became of that, and whether it runs now."""
    tx, scope = knowledge.projects.enter_named(tx, project)
    last = store.garden_runs.last(tx)
    runs, proposed, not_ended = store.garden_runs.totals(tx)
    accepted, rejected = store.garden_runs.count_decisions(tx)
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
            knowledge.groups.refuse_unknown(tx, [group_id] if group_id != tx.group else [])
    if wake:
        answer["woken"], answer["woken_call"] = decided_calls.wake(job, wake, group=group_id)
    if decide:
        answer["decisions"] = decided_calls.decide_all(job, decide, group=group_id)
    if limit is None:
        limit = 0 if decide else PROPOSALS_LISTED
    if limit:
        derived_data.backfill_some(job.database, Need.MENTIONS)
        sources.collect(job, kinds=kinds, group=group_id)
    with job.read(group=group_id) as tx:
        return {**answer, **proposal_answers.review(tx, kinds=kinds, limit=limit)}


@tool(Effect.WRITE, is_job=True)
def train_gnn(
    job: Job,
    *,
    project: str | None = None,
    session_id: str | None = None,
    dry_run: bool = True,
    threshold: float = 0.6,
    seed: int = 0,
) -> dict[str, Any]:
    """Learn from the facts which others are likely, with the rule that says so, and which recorded ones are doubtful.

    Rules and an embedding are tested on the newest facts, and used only if they reliably beat counting; otherwise
    method is too_few_facts and nothing is suggested. No fact is changed or deleted; with dry_run false the suggestions
    wait in review_proposals.
    """
    from keepgraph.engine.review import learning
    from keepgraph.tools.contract import learning_answers

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
