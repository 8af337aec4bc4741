"""Decisions: what was decided, when, by whom, and whether it was followed up (ADR 0009).

A decision is an entity of that type, or the object of a decided_in fact. It was made when its decided_in and
belongs_to facts begin to hold, or, if they have no validity, when the first of them was recorded. It belongs to the
projects at the other end of those facts. All tools that show decisions read them here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from keepgraph import store
from keepgraph.model import Decision, Entity, Fact
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

DECISION_PREDICATES = ("decided_in", "belongs_to")
_FOLLOW_UPS_FROM_DECISION = ("resolved_by", "blocked_by", "reports_to")
_FOLLOW_UPS_TO_DECISION = ("resolved_by", "depends_on")
_NEVER_DECISIONS = ("person", "project", "source")


def of_project(tx: Tx, project: Entity, *, since: str = "", limit: int | None = None) -> tuple[list[Decision], int]:
    """The decisions of a project, newest first, and how many there are without the limit.

    Args:
        since: a local date, YYYY-MM-DD: only those of that day and later.
    """
    facts = store.facts.touching(tx, project, DECISION_PREDICATES, at=timestamps.from_datetime(tx.now))
    return _newest_first(tx, _decisions_in(facts), since, limit)


def of_all_projects(tx: Tx, *, since: str) -> tuple[list[Decision], int]:
    """All decisions of the group made on the local day `since` or later, newest first, and how many there are."""
    start = timestamps.day_start(timestamps.parse_date(since), tx.zone)
    recent = store.facts.recorded_or_valid_since(
        tx, DECISION_PREDICATES, at=timestamps.from_datetime(tx.now), since=start
    )
    unlinked = store.entities.without_facts_since(tx, "decision", DECISION_PREDICATES, since=start)
    return _newest_first(tx, [*_decisions_in(recent), *unlinked], since, None)


def members(tx: Tx, project: Entity) -> set[int]:
    """The rows of a project, of what belongs to it directly, and of what was decided in it."""
    facts = store.facts.touching(tx, project, DECISION_PREDICATES, at=timestamps.from_datetime(tx.now))
    belonging = {fact.subject.row for fact in facts if fact.predicate == "belongs_to" and fact.object == project}
    return (
        {project.row} | belonging | {decision.row for decision in _decisions_in(facts) if isinstance(decision, Entity)}
    )


def _decisions_in(facts: Iterable[Fact]) -> list[Entity | Fact]:
    """The decisions in decided_in and belongs_to facts, each once: entities, and facts with a decision as literal."""
    decisions: dict[str, Entity | Fact] = {}
    for fact in facts:
        decision = _decision_of_fact(fact)
        if decision is not None:
            decisions[decision.id] = decision
    return list(decisions.values())


def _decision_of_fact(fact: Fact) -> Entity | Fact | None:
    ends = [end for end in (fact.subject, fact.object) if end is not None]
    for end in ends:
        if end.type == "decision":
            return end
    if fact.predicate != "decided_in":
        return None
    if fact.literal is not None and fact.subject.type in ("person", "project"):
        return fact
    return next((end for end in reversed(ends) if end.type not in _NEVER_DECISIONS), None)


def _newest_first(
    tx: Tx, undated: Sequence[Entity | Fact], since: str, limit: int | None
) -> tuple[list[Decision], int]:
    at = timestamps.from_datetime(tx.now)
    entities = [decision for decision in undated if isinstance(decision, Entity)]
    began_at = store.facts.began(
        tx, [decision.row for decision in entities if decision.type == "decision"], DECISION_PREDICATES, at=at
    )
    # An entity of another type is a decision by its decided_in facts alone, so only they date it.
    other_rows = [decision.row for decision in entities if decision.type != "decision"]
    began_at |= store.facts.began(tx, other_rows, DECISION_PREDICATES[:1], at=at)
    by_id = {
        decision.id: (_decided_at(decision, began_at), decision)
        for decision in undated
        if timestamps.local_date(_decided_at(decision, began_at), tx.zone) >= since
    }
    newest = sorted(by_id.values(), key=lambda pair: (pair[0], pair[1].id), reverse=True)
    return [_describe_decision(tx, decision, moment) for moment, decision in newest[:limit]], len(newest)


def _decided_at(decision: Entity | Fact, began_at: Mapping[int, str]) -> str:
    if isinstance(decision, Fact):
        return decision.valid_from or decision.recorded_at
    return began_at.get(decision.row, decision.created_at)


def _describe_decision(tx: Tx, decided: Entity | Fact, decided_at: str) -> Decision:
    if isinstance(decided, Fact):
        return _describe_literal_decision(tx, decided, decided_at)
    at = timestamps.from_datetime(tx.now)
    facts = store.facts.touching(
        tx, decided, (*DECISION_PREDICATES, *_FOLLOW_UPS_FROM_DECISION, *_FOLLOW_UPS_TO_DECISION, "tagged"), at=at
    )
    links = [fact for fact in facts if fact.predicate in DECISION_PREDICATES]
    people = {
        fact.subject.id: fact.subject
        for fact in links
        if fact.predicate == "decided_in"
        and fact.object == decided
        and fact.subject.type not in ("project", "decision")
    }
    superseded = (
        fact.subject
        for fact in facts
        if fact.predicate == "resolved_by" and fact.object == decided and fact.subject.type == "decision"
    )
    return Decision(
        id=decided.id,
        name=decided.name,
        decided_at=decided_at,
        decided_on=timestamps.local_date(decided_at, tx.zone),
        decided_by=tuple(people.values()),
        source=next((fact.source for fact in links if fact.source), None),
        confidence=min((fact.confidence for fact in links), default=1.0),
        supersedes=next(superseded, None),
        followed_up=any(_follows_up(fact, decided) for fact in facts),
    )


def _describe_literal_decision(tx: Tx, fact: Fact, decided_at: str) -> Decision:
    """A decision that is a literal, not an entity: person or project decided_in "the text"."""
    return Decision(
        id=fact.id,
        name=fact.literal or "",
        decided_at=decided_at,
        decided_on=timestamps.local_date(decided_at, tx.zone),
        decided_by=(fact.subject,) if fact.subject.type == "person" else (),
        source=fact.source,
        confidence=fact.confidence,
        supersedes=None,
        followed_up=False,
    )


def _follows_up(fact: Fact, decision: Entity) -> bool:
    """Whether a fact follows a decision up: it is resolved, blocked, owned by someone, depended on, or tagged done."""
    if fact.predicate == "tagged":
        return (fact.literal or "").strip().casefold() in {"done", "implemented", "closed"}
    if fact.subject == decision:
        return fact.predicate in _FOLLOW_UPS_FROM_DECISION
    return fact.predicate in _FOLLOW_UPS_TO_DECISION
