"""Next steps: what is blocked, to do or due, which decisions want a follow-up, and what waits for an answer.

A task to do has the tag next-action, or a type that the vocabulary also calls “to do”, and nothing says that it is
done. A resolution that closed a blocker says so about this blocker alone. A due task has a day under a predicate that
the vocabulary also calls “due”.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, timedelta

from keepgraph import store
from keepgraph.engine.knowledge import blockers, decisions, literals
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.lazy import dataclass
from keepgraph.model import Decision, Entity, Fact
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

DAYS_AHEAD = 14
DAYS_BACK = 7
"""The days, with today, whose decisions want a follow-up: those of the weekly rollup."""
MAX_ROWS = 50
_MAX_NAME = 120
_MAX_DUE_AROUND = 10

_DONE = frozenset("done completed complete finished closed implemented cancelled canceled resolved shipped".split())
_NEXT_ACTION = "next-action"
_TO_DO = "to do"
_MADE = "created on"
"""What was written or founded today is not coming up; a release of next week is."""
_FIRST_DAY = "0001-01-01"


@dataclass(frozen=True, slots=True)
class NextSteps:
    """What is open. The lists are cut to a maximum length; the counts are of all.

    Attributes:
        today: the local day on which this holds.
        due: facts with their days, earliest first; those before today are overdue.
        coming: facts with other days in the time ahead: meetings, releases.
        follow_ups: the decisions of the last days that nobody has acted on.
        proposals: how many names and facts texts propose.
        proposed_facts: how many facts wait for a wording missing in the vocabulary.
        other_proposals: how many other proposals wait for review.
    """

    today: str
    blockers: tuple[Fact, ...] = ()
    blocker_count: int = 0
    actions: tuple[Entity, ...] = ()
    action_count: int = 0
    due: tuple[Fact, ...] = ()
    due_count: int = 0
    coming: tuple[Fact, ...] = ()
    coming_count: int = 0
    follow_ups: tuple[Decision, ...] = ()
    follow_up_count: int = 0
    proposals: int = 0
    proposed_facts: int = 0
    other_proposals: int = 0


def next_steps(tx: Tx, *, project: Entity | None = None) -> NextSteps:
    """What is open, of one project or of all."""
    members = decisions.members(tx, project) if project else None
    blocking = blockers.open_blockers(tx, among=members)
    blocked = {blocker.subject for blocker in blocking}
    tagged = tagged_next_actions(tx, blocked=blocked)
    open_actions = actions(tx, tagged=tagged, blocked=blocked, members=members)
    today, ahead = _days_ahead(tx)
    follow_ups = decisions.wanting_follow_up(decisions.made_between(tx, project, *days_back(tx)))
    deadlines = due(tx, blocked=blocked, members=members)
    days = _predicates_with_days(tx) - _deadlines(tx)
    made = {term.name for term in graph_vocabulary.terms_called(tx, store.vocabulary.PREDICATE, _MADE)}
    coming = [
        fact
        for fact in _facts_with_days(tx, days, since=today, until=ahead, among=members)
        if fact.predicate not in made or (fact.literal or "") > today
    ]
    return NextSteps(
        today=today,
        blockers=tuple(store.facts.by_rows(tx, [blocker.row for blocker in blocking[:MAX_ROWS]])),
        blocker_count=len(blocking),
        actions=tuple(store.entities.in_order(tx, open_actions[:MAX_ROWS])),
        action_count=len(open_actions),
        due=tuple(deadlines[:MAX_ROWS]),
        due_count=len(deadlines),
        coming=tuple(coming[:MAX_ROWS]),
        coming_count=len(coming),
        follow_ups=tuple(follow_ups[:MAX_ROWS]),
        follow_up_count=len(follow_ups),
        proposals=sum(store.listing.count_proposals(tx).values()) if project is None else 0,
        proposed_facts=store.proposals.count(tx) if project is None else 0,
        other_proposals=store.review_proposals.count_besides_texts(tx) if project is None else 0,
    )


def count_waiting(tx: Tx) -> int:
    """How much waits for a decision: what texts propose, facts in unknown wordings, other proposals."""
    return (
        sum(store.listing.count_proposals(tx).values())
        + store.proposals.count(tx)
        + store.review_proposals.count_besides_texts(tx)
    )


def nothing(tx: Tx) -> NextSteps:
    """No steps, for a project that does not exist."""
    return NextSteps(today=tx.now.astimezone(tx.zone).date().isoformat())


def actions(
    tx: Tx, *, tagged: Sequence[int], blocked: Collection[int], members: Collection[int] | None = None
) -> list[int]:
    """What is tagged as a next action, and unfinished entities of task types: rows, each once.

    Args:
        tagged: the rows of the tagged next actions.
        blocked: the rows of what has an open blocker: a resolution of another blocker has not resolved it.
        members: the rows of the members of a project, if only these are asked for.
    """
    tasks: list[int] = []
    if named := graph_vocabulary.terms_called(tx, store.vocabulary.ENTITY_TYPE, _TO_DO):
        tasks = _not_done(tx, blocked, of_types=graph_vocabulary.read(tx).with_subtypes([named[0].name]))
    found = dict.fromkeys([*tagged, *tasks])
    return [row for row in found if members is None or row in members]


def tagged_next_actions(tx: Tx, *, blocked: Collection[int], limit: int = -1) -> list[int]:
    """What is tagged as a next action and unresolved: rows, oldest tag first.

    Args:
        blocked: the rows of what has an open blocker: a resolution of another blocker has not resolved it.
    """
    vocabulary = graph_vocabulary.read(tx)
    return store.facts.tagged(
        tx,
        _NEXT_ACTION,
        tagging=vocabulary.names_of_role("tags"),
        resolving=vocabulary.names_of_role("resolves"),
        blocking=vocabulary.names_of_role("blocks"),
        blocked=blocked,
        limit=limit,
    )


def due(tx: Tx, *, blocked: Collection[int], members: Collection[int] | None = None) -> list[Fact]:
    """The facts that give a deadline of something unfinished, overdue or soon; earliest first."""
    return _still_open(tx, _with_deadlines(tx, members), blocked)


def due_around(tx: Tx, entities: Sequence[Entity]) -> list[str]:
    """What is due, or overdue, of these entities, earliest first, a line each: at most ten."""
    rows = [entity.row for entity in entities]
    if not (facts := _with_deadlines(tx, rows)):
        return []
    blocked = {blocker.subject for blocker in blockers.open_blockers(tx, among=rows)}
    today, _ = _days_ahead(tx)
    return [describe_due(fact, today=today) for fact in _still_open(tx, facts, blocked)[:_MAX_DUE_AROUND]]


def _with_deadlines(tx: Tx, among: Collection[int] | None) -> list[Fact]:
    """The facts that give a deadline, overdue or soon; earliest first."""
    if not (deadlines := _deadlines(tx)):
        return []
    _, ahead = _days_ahead(tx)
    return _facts_with_days(tx, deadlines, since=_FIRST_DAY, until=ahead, among=among)


def _still_open(tx: Tx, facts: list[Fact], blocked: Collection[int]) -> list[Fact]:
    """Those of some facts whose subjects are not done."""
    if not facts:
        return []
    not_done = set(_not_done(tx, blocked, among={fact.subject.row for fact in facts}))
    return [fact for fact in facts if fact.subject.row in not_done]


def describe_due(fact: Fact, *, today: str) -> str:
    """What is due, and when, in a line: `Due 2026-11-27: “Send the invoice”`."""
    day = (fact.literal or "")[: len(today)]
    return f"{'Overdue since' if day < today else 'Due'} {day}: “{fact.subject.name[:_MAX_NAME]}”"


def _not_done(
    tx: Tx, blocked: Collection[int], *, of_types: Collection[str] | None = None, among: Collection[int] | None = None
) -> list[int]:
    vocabulary = graph_vocabulary.read(tx)
    return store.listing.not_done(
        tx,
        of_types=of_types,
        among=among,
        done=_DONE,
        resolving=vocabulary.names_of_role("resolves"),
        blocking=vocabulary.names_of_role("blocks"),
        blocked=blocked,
    )


def _days_ahead(tx: Tx) -> tuple[str, str]:
    """Today, and the last day of the look-ahead."""
    today = date.fromisoformat(timestamps.local_date(tx.at, tx.zone))
    ahead = timedelta(days=min(DAYS_AHEAD, (date.max - today).days))
    return today.isoformat(), (today + ahead).isoformat()


def days_back(tx: Tx) -> tuple[str, str]:
    """The first and the last of the local days that the weekly rollup covers; the last is today."""
    today = date.fromisoformat(timestamps.local_date(tx.at, tx.zone))
    back = timedelta(days=min(DAYS_BACK - 1, (today - date.min).days))
    return (today - back).isoformat(), today.isoformat()


def _deadlines(tx: Tx) -> frozenset[str]:
    """The predicates whose literals are deadlines."""
    terms = graph_vocabulary.read(tx).predicate_by_name
    return frozenset(name for name in literals.deadlines(tx) if terms[name].literal_kind == "date")


def _predicates_with_days(tx: Tx) -> set[str]:
    return {term.name for term in graph_vocabulary.read(tx).predicates if term.literal_kind == "date"}


def _facts_with_days(
    tx: Tx, predicates: Collection[str], *, since: str, until: str, among: Collection[int] | None
) -> list[Fact]:
    rows = store.listing.facts_with_days(
        tx,
        predicates=sorted(predicates),
        since=since,
        until=until,
        among=among,
    )
    return store.facts.by_rows(tx, rows)
