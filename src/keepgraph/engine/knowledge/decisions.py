"""What a decision is, when it was made, by whom, and whether anything came of it.

A decision is an entity of that type, or whatever a decided_in fact says was decided. It was made when its
decided_in and belongs_to facts begin to hold, or, where no fact says that, when the first of them was recorded.
It belongs to the projects at the other end of those facts. Every reader of decisions asks here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from keepgraph import store
from keepgraph.model import Decision, Entity, Fact
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps

LINKS = ("decided_in", "belongs_to")
_FOLLOW_UPS_OF_IT = ("resolved_by", "blocked_by", "reports_to")
_FOLLOW_UPS_BY_OTHERS = ("resolved_by", "depends_on")
_NOT_DECIDED = ("person", "project", "source")


def of_project(tx: Tx, project: Entity, *, since: str = "", limit: int | None = None) -> tuple[list[Decision], int]:
    """The decisions of a project, newest first, and how many there are without the limit.

    With `since`, those of that local day and later.
    """
    links = store.facts.touching(tx, project, LINKS, at=timestamps.stamp(tx.now))
    return _newest_first(tx, _decided(links), since, limit)


def everywhere(tx: Tx, *, since: str) -> tuple[list[Decision], int]:
    """All decisions of the group made on the local day `since` or later, newest first, and how many there are."""
    start = timestamps.day_start(timestamps.parse_date(since), tx.zone)
    recent = store.facts.new_since(tx, LINKS, at=timestamps.stamp(tx.now), since=start)
    unlinked = store.entities.unlinked_since(tx, "decision", LINKS, since=start)
    return _newest_first(tx, [*_decided(recent), *unlinked], since, None)


def parts_of(tx: Tx, project: Entity) -> set[int]:
    """The row numbers of a project, of what belongs to it directly, and of what was decided in it."""
    links = store.facts.touching(tx, project, LINKS, at=timestamps.stamp(tx.now))
    belongs = {fact.subject.row for fact in links if fact.predicate == "belongs_to" and fact.object == project}
    return {project.row} | belongs | {thing.row for thing in _decided(links) if isinstance(thing, Entity)}


def _decided(links: Iterable[Fact]) -> list[Entity | Fact]:
    """What these facts say was decided: entities, and facts whose literal is the decision."""
    found: dict[str, Entity | Fact] = {}
    for fact in links:
        decided = _decided_by_fact(fact)
        if decided is not None:
            found[decided.id] = decided
    return list(found.values())


def _decided_by_fact(fact: Fact) -> Entity | Fact | None:
    ends = [end for end in (fact.subject, fact.object) if end is not None]
    for end in ends:
        if end.type == "decision":
            return end
    if fact.predicate != "decided_in":
        return None
    if fact.literal is not None and fact.subject.type in ("person", "project"):
        return fact
    return next((end for end in reversed(ends) if end.type not in _NOT_DECIDED), None)


def _newest_first(
    tx: Tx, decided: Sequence[Entity | Fact], since: str, limit: int | None
) -> tuple[list[Decision], int]:
    at = timestamps.stamp(tx.now)
    entities_decided = [thing for thing in decided if isinstance(thing, Entity)]
    begun = store.facts.begun(tx, [thing.row for thing in entities_decided if thing.type == "decision"], LINKS, at=at)
    # What is no decision by its type was decided by its decided_in facts alone.
    others = [thing.row for thing in entities_decided if thing.type != "decision"]
    begun |= store.facts.begun(tx, others, LINKS[:1], at=at)
    dated = {
        thing.id: (_moment(thing, begun), thing)
        for thing in decided
        if timestamps.local_date(_moment(thing, begun), tx.zone) >= since
    }
    newest = sorted(dated.values(), key=lambda found: (found[0], found[1].id), reverse=True)
    return [_decision(tx, thing, moment) for moment, thing in newest[:limit]], len(newest)


def _moment(decided: Entity | Fact, begun: Mapping[int, str]) -> str:
    if isinstance(decided, Fact):
        return decided.valid_from or decided.recorded_at
    return begun.get(decided.row, decided.created_at)


def _decision(tx: Tx, decided: Entity | Fact, decided_at: str) -> Decision:
    if isinstance(decided, Fact):
        return _spoken(tx, decided, decided_at)
    at = timestamps.stamp(tx.now)
    around = store.facts.touching(tx, decided, (*LINKS, *_FOLLOW_UPS_OF_IT, *_FOLLOW_UPS_BY_OTHERS, "tagged"), at=at)
    links = [fact for fact in around if fact.predicate in LINKS]
    by = {
        fact.subject.id: fact.subject
        for fact in links
        if fact.predicate == "decided_in"
        and fact.object == decided
        and fact.subject.type not in ("project", "decision")
    }
    replaced = (
        fact.subject
        for fact in around
        if fact.predicate == "resolved_by" and fact.object == decided and fact.subject.type == "decision"
    )
    return Decision(
        id=decided.id,
        name=decided.name,
        decided_at=decided_at,
        decided_on=timestamps.local_date(decided_at, tx.zone),
        decided_by=tuple(by.values()),
        source=next((fact.source for fact in links if fact.source), None),
        confidence=min((fact.confidence for fact in links), default=1.0),
        supersedes=next(replaced, None),
        followed_up=any(_follows_up(fact, decided) for fact in around),
    )


def _spoken(tx: Tx, fact: Fact, decided_at: str) -> Decision:
    """A decision that is only told: person or project decided_in "the text"."""
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
    """Whether a fact shows that someone took a decision up: settled, under way, owned, built upon, or tagged done."""
    if fact.predicate == "tagged":
        return (fact.literal or "").strip().casefold() in {"done", "implemented", "closed"}
    if fact.subject == decision:
        return fact.predicate in _FOLLOW_UPS_OF_IT
    return fact.predicate in _FOLLOW_UPS_BY_OTHERS
