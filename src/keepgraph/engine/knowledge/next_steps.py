"""Next steps: what is blocked, what is to do, what is due, and what waits for an answer.

What is to do has the tag next-action, or a type that the vocabulary also calls “to do”, and nothing says that it is
done. A resolution that closed a blocker says so of this blocker alone. What is due has a day under a predicate that the
vocabulary also calls “due”.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta

from keepgraph import store
from keepgraph.engine.knowledge import blockers, decisions, rollup
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Entity, Fact
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

DAYS_AHEAD = 14
MAX_ROWS = 50

_DONE = frozenset("done completed complete finished closed implemented cancelled canceled resolved shipped".split())
_TO_DO = "to do"
_DUE = "due"
_FIRST_DAY = "0001-01-01"


@dataclass(frozen=True, slots=True)
class NextSteps:
    """What is open. The lists are cut to a maximum length; the counts are of all.

    Attributes:
        today: the local day on which this holds.
        due: facts with their days, the earliest first; those before today are overdue.
        coming: facts with other days of the time ahead: meetings, releases.
        proposals: how many names and facts texts propose.
        proposed_facts: how many facts wait because their wording is not in the vocabulary.
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
    proposals: int = 0
    proposed_facts: int = 0
    other_proposals: int = 0


def next_steps(tx: Tx, *, project: Entity | None = None) -> NextSteps:
    """What is open, of one project or of all."""
    members = decisions.members(tx, project) if project else None
    blocking = blockers.open_blockers(tx, among=members)
    blocked = {blocker.subject for blocker in blocking}
    actions = [entity for entity in _actions(tx, blocked) if members is None or entity.row in members]
    today = tx.now.astimezone(tx.zone).date()
    ahead = (today + timedelta(days=DAYS_AHEAD)).isoformat()
    deadlines, others = _predicates_with_days(tx)
    due = _facts_with_days(tx, deadlines, since=_FIRST_DAY, until=ahead, members=members)
    not_done = {entity.row for entity in _not_done(tx, blocked, among={fact.subject.row for fact in due})}
    due = [fact for fact in due if fact.subject.row in not_done]
    coming = _facts_with_days(tx, others, since=today.isoformat(), until=ahead, members=members)
    return NextSteps(
        today=today.isoformat(),
        blockers=tuple(store.facts.by_rows(tx, [blocker.row for blocker in blocking[:MAX_ROWS]])),
        blocker_count=len(blocking),
        actions=tuple(actions[:MAX_ROWS]),
        action_count=len(actions),
        due=tuple(due[:MAX_ROWS]),
        due_count=len(due),
        coming=tuple(coming[:MAX_ROWS]),
        coming_count=len(coming),
        proposals=sum(store.listing.count_proposals(tx).values()) if project is None else 0,
        proposed_facts=store.proposed_facts.count(tx) if project is None else 0,
        other_proposals=store.review_proposals.count_besides_texts(tx) if project is None else 0,
    )


def nothing(tx: Tx) -> NextSteps:
    """No steps, of a project that does not exist."""
    return NextSteps(today=tx.now.astimezone(tx.zone).date().isoformat())


def _actions(tx: Tx, blocked: Collection[int]) -> list[Entity]:
    """What is tagged as a next action, and what is of a type of things to do and not done; each once."""
    tasks: list[Entity] = []
    if entity_type := graph_vocabulary.find(tx, store.vocabulary.ENTITY_TYPE, _TO_DO):
        tasks = _not_done(tx, blocked, of_types=graph_vocabulary.read(tx).with_subtypes([entity_type.name]))
    return list(dict.fromkeys([*rollup.tagged_next_actions(tx, blocked=blocked), *tasks]))


def _not_done(
    tx: Tx, blocked: Collection[int], *, of_types: Collection[str] | None = None, among: Collection[int] | None = None
) -> list[Entity]:
    vocabulary = graph_vocabulary.read(tx)
    return store.listing.open_entities(
        tx,
        of_types=of_types,
        among=among,
        done=_DONE,
        resolving=vocabulary.names_of_role("resolves"),
        blocking=vocabulary.names_of_role("blocks"),
        blocked=blocked,
        at=timestamps.from_datetime(tx.now),
    )


def _predicates_with_days(tx: Tx) -> tuple[list[str], list[str]]:
    """The predicates whose literals are dates: those of deadlines, and all others."""
    due = {term.name for term in graph_vocabulary.find_all(tx, store.vocabulary.PREDICATE, _DUE)}
    with_days = [term.name for term in graph_vocabulary.read(tx).predicates if term.literal_kind == "date"]
    return [name for name in with_days if name in due], [name for name in with_days if name not in due]


def _facts_with_days(
    tx: Tx, predicates: Sequence[str], *, since: str, until: str, members: Collection[int] | None
) -> list[Fact]:
    at = timestamps.from_datetime(tx.now)
    rows = store.listing.facts_with_days(tx, predicates=predicates, at=at, since=since, until=until)
    return [fact for fact in store.facts.by_rows(tx, rows) if members is None or fact.subject.row in members]
