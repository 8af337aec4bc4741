"""A run of the gardener: each pass reads the graph and offers proposals. No entity and no fact changes.

Each pass reads in its own transaction and offers in one short write, so a run may end anywhere: what it has offered
is complete, and the lock ends with the process.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.garden import passes
from keepgraph.engine.garden.passes import Outcome, Pass
from keepgraph.engine.knowledge.projects import Scope
from keepgraph.engine.maintenance.jobs import Job
from keepgraph.engine.review import proposals as review
from keepgraph.engine.review.proposals import OfferReport, Proposal
from keepgraph.store.garden import GardenRun
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

# Sessions: the conversations whose calls a run of the gardener examined. Only calls of the group count.


@dataclass(frozen=True, slots=True)
class SessionCounts:
    """Conversations and their calls since the previous run, in one group.

    Attributes:
        considered, used: conversations with calls; those whose calls asserted something that a new proposal rests on.
        entries_considered, entries_used: their calls; those among them. A read-only tool is one entry for each
            conversation if reads are counted.
        entries_asked_once: counted reads that came only once in their conversation, which prove nothing.
        reads_are_counted: whether the settings ask for it.
    """

    considered: int = 0
    used: int = 0
    entries_considered: int = 0
    entries_used: int = 0
    entries_asked_once: int = 0
    reads_are_counted: bool = False


def count_session(tx: Tx, *, since: str, facts: Collection[str]) -> SessionCounts:
    """Count the conversations of the group since a timestamp, given the ids of the facts that proposals rest on."""
    calls: Counter[str] = Counter(store.garden.calls_of_conversations(tx, since=since))
    reads = store.garden.of_conversations(tx, since=since) if tx.settings.count_reads else []
    calls.update(conversation for conversation, _, _ in reads)
    behind = store.garden.calls_behind(tx, sorted(facts), since=since)
    return SessionCounts(
        considered=len(calls),
        used=len({conversation for conversation, _ in behind}),
        entries_considered=calls.total(),
        entries_used=len(behind),
        entries_asked_once=sum(times == 1 for _, _, times in reads),
        reads_are_counted=tx.settings.count_reads,
    )


def count_asked_once(tx: Tx) -> int:
    """How many read-only tools were called only once in a conversation of the group; 0 if reads are not counted."""
    reads = store.garden.of_conversations(tx, since="") if tx.settings.count_reads else []
    return sum(times == 1 for _, _, times in reads)


MAX_NEW_OF_A_PASS = 20
MAX_SHOWN = 20
LOCK = "garden"
"""Lets one run at a time work on a graph, across processes; the lock ends with a killed run."""


_FACT_ID = re.compile(r"fact_[0-9a-z]{26}")
_STOPS = (errors.Cancelled, errors.DeadlineExceeded)


@dataclass(frozen=True, slots=True)
class PassReport:
    """What a pass did.

    Attributes:
        outcome: what it examined and proposed, and where the next run continues.
        offered: what became of these proposals.
        new: those that were not open before, as stored.
    """

    name: str
    outcome: Outcome
    offered: OfferReport = field(default_factory=OfferReport)
    new: tuple[Proposal, ...] = ()

    @property
    def counts(self) -> dict[str, Any]:
        """All but the proposals themselves, as stored with the run."""
        outcome, offered = self.outcome, self.offered
        return {
            "considered": outcome.considered,
            "proposed": len(outcome.proposals),
            "new": len(self.new),
            "open": offered.open,
            "decided": offered.decided,
            "quiet": offered.quiet,
            "over_limit": offered.over_limit,
            "position": outcome.position,
            "note": outcome.note,
        }


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did.

    Attributes:
        is_running_elsewhere: whether another run was in progress; then this one did nothing.
        last_run: when the latest run in the group ended, in local time; None if there was none.
        stopped: the code of the error that ended it before the last pass; None if it finished.
        waiting: how many proposals of the group are open.
    """

    scope: Scope
    is_running_elsewhere: bool = False
    last_run: str | None = None
    waiting: int = 0
    stopped: str | None = None
    passes: tuple[PassReport, ...] = ()
    sessions: SessionCounts = field(default_factory=SessionCounts)

    @property
    def new(self) -> list[Proposal]:
        return [proposal for each in self.passes for proposal in each.new]


def run(
    job: Job,
    *,
    project: str | None = None,
    names: Sequence[str] | None = None,
    origin: str = "call",
    dry_run: bool = False,
) -> RunReport:
    """Run passes over the group of the call, or over the named group or project.

    Args:
        project: only what rests on this project, on its direct neighbours, or on a fact about either.
        names: the passes to run; None for all.
        dry_run: return what would be new, and offer nothing.

    Raises:
        errors.EntityNotFound: the project does not exist.
    """
    with job.read() as tx:
        scope = knowledge.projects.read_known(tx, project)
    with store.run_locks.try_lock(job.database.path, LOCK) as is_alone:
        if not is_alone:
            return _with_state(job, RunReport(scope, is_running_elsewhere=True))
        return _run_alone(job, scope, _in_order(job, scope, names), origin=origin, dry_run=dry_run)


def _in_order(job: Job, scope: Scope, names: Sequence[str] | None) -> list[Pass]:
    """The chosen passes, with those that the last run did not reach first."""
    chosen = [each for each in passes.ALL if names is None or each.name in names]
    with job.read(group=scope.group) as tx:
        last = store.garden.last(tx)
    done = {name for name, counts in last.passes.items() if "considered" in counts} if last else set()
    is_cut_short = names is None and any(each.name not in done for each in chosen)
    return sorted(chosen, key=lambda each: each.name in done) if is_cut_short else chosen


def _run_alone(job: Job, scope: Scope, chosen: Sequence[Pass], *, origin: str, dry_run: bool) -> RunReport:
    with job.read(group=scope.group) as tx:
        started_at = tx.at
        last = store.garden.last(tx)
        members = None if scope.project is None else store.garden.ids_around(tx, scope.project)
    row = None
    if not dry_run:
        with _write(job, scope) as tx:  # at once, so that a killed run is on record
            row = store.garden.begin(tx, started_at=started_at, origin=origin)
    reports: list[PassReport] = []
    stopped = None
    for number, each in enumerate(chosen):
        job.report_progress(number, len(chosen), each.purpose)
        if job.is_cancelled():
            stopped = errors.Cancelled.code
            break
        try:
            reports.append(_run_pass(job, scope, each, last, members=members, row=row))
        except _STOPS as error:
            stopped = error.code
            break
    job.report_progress(len(reports), len(chosen), "done")
    if row is not None:
        _note_end(job, scope, last, reports, row=row, started_at=started_at, origin=origin)
    report = RunReport(scope, stopped=stopped, passes=tuple(reports))
    return _with_state(job, report, since=last.ended_at if last else "")


def _with_state(job: Job, report: RunReport, *, since: str = "") -> RunReport:
    """A report completed with the state at the end of the run, even if the run was stopped."""
    facts = {id for proposal in report.new for id in proposal.rests_on if _FACT_ID.fullmatch(id)}
    with job.database.read(job.tool, session=job.session) as tx:
        tx = replace(tx, group=report.scope.group)
        last = store.garden.last(tx)
        return replace(
            report,
            last_run=timestamps.format_local(last.ended_at, tx.zone) if last else None,
            waiting=sum(store.review_proposals.count_open(tx).values()),
            sessions=SessionCounts() if report.is_running_elsewhere else count_session(tx, since=since, facts=facts),
        )


def _run_pass(
    job: Job, scope: Scope, each: Pass, last: GardenRun | None, *, members: set[str] | None, row: int | None
) -> PassReport:
    """Run a pass; `row` is the row of the run, None in a dry run."""
    position = int(last.passes.get(each.name, {}).get("position", 0)) if last else 0
    try:
        with job.read(group=scope.group) as tx:
            outcome = each.propose(tx, position)
            if members is not None:
                outcome = replace(outcome, proposals=tuple(_of_project(tx, outcome.proposals, members)))
    except errors.ModelUnavailable as error:
        outcome = Outcome((), position=position, note=error.message)
    if not outcome.proposals:
        return PassReport(each.name, outcome)
    with _write(job, scope) as tx:
        offered, new = _offer(tx, outcome.proposals, dry_run=row is None)
        if row is not None and new:
            store.garden.count_proposed(tx, row, len(new))
    return PassReport(each.name, outcome, offered, new)


def _offer(tx: Tx, proposed: Sequence[Proposal], *, dry_run: bool) -> tuple[OfferReport, tuple[Proposal, ...]]:
    """Offer proposals; return the new ones too, as stored."""

    def act() -> tuple[OfferReport, tuple[Proposal, ...]]:
        report = review.offer(tx, proposed, limit=MAX_NEW_OF_A_PASS)
        stored = [store.review_proposals.by_id(tx, id) for id in report.new]
        keys = {(one.kind, one.key): one.id for one in stored if one is not None}
        new = {
            (one.kind, one.key): replace(one, id=None if dry_run else keys[one.kind, one.key])
            for one in proposed
            if (one.kind, one.key) in keys
        }
        return report, tuple(new.values())

    return tx.dry_run(act) if dry_run else act()


def _note_end(
    job: Job,
    scope: Scope,
    last: GardenRun | None,
    reports: Sequence[PassReport],
    *,
    row: int,
    started_at: str,
    origin: str,
) -> None:
    """Note that a run has ended, with the positions where its passes continue."""
    positions = {
        name: {"position": of_pass.get("position", 0)} for name, of_pass in (last.passes if last else {}).items()
    }
    done = {report.name: report.counts for report in reports}
    with _write(job, scope) as tx:
        ended_at = tx.at
        run_done = GardenRun(
            started_at=started_at,
            ended_at=ended_at,
            conversation=tx.session,
            origin=origin,
            proposed=sum(len(report.new) for report in reports),
            passes={**positions, **done},
        )
        store.garden.end(tx, row, run_done)


@contextmanager
def _write(job: Job, scope: Scope) -> Iterator[Tx]:
    """A short write outside the journal: undo does not concern proposals."""
    with job.database.write(job.tool, session=job.session) as tx:
        yield replace(tx, group=scope.group)


def _of_project(tx: Tx, proposed: Sequence[Proposal], members: set[str]) -> Iterator[Proposal]:
    for proposal in proposed:
        if members.intersection(proposal.rests_on):
            yield proposal
            continue
        facts = [fact for id in proposal.rests_on if _FACT_ID.fullmatch(id) and (fact := store.facts.by_id(tx, id))]
        ends = {end.id for fact in facts for end in (fact.subject, fact.object) if end is not None}
        if members & ends:
            yield proposal


# When a server runs the gardener by itself: after some idle minutes, and each pass at most once a day.

_BETWEEN_RUNS = timedelta(hours=20)
"""Less than a day, so that a nightly run is not put off by the run of the evening before."""

IDLE_SECONDS = 600.0
"""How long no call may have come before a server runs it."""


def due_passes(tx: Tx) -> list[str]:
    """The passes that no run in the group has finished within a day, whoever started it."""
    recent = store.garden.ended_since(tx, timestamps.from_datetime(tx.now - _BETWEEN_RUNS))
    done = {name for run in recent for name, counts in run.passes.items() if "considered" in counts}
    return [name for name in passes.NAMES if name not in done]
