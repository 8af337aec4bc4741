"""Which blockers are open. Each is closed by itself, never by the resolution of another.

`S blocked_by B` is closed by a later `B resolved_by …` or `S resolved_by B`. A later `S resolved_by X`, where X
names no blocker of S, closes it only if it was the only one open then: which of several it settles cannot be known.
Saying again that S is blocked by B opens it again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from keepgraph.engine import instants, names
from keepgraph.model import Entity, Fact
from keepgraph.store import facts
from keepgraph.store.db import Tx


def open_blockers(tx: Tx, *, project: Entity | None = None) -> list[Fact]:
    """The blocked_by facts that nothing has settled, newest first.

    With a project, those that touch it or something that belongs to it.
    """
    at = instants.stamp(tx.now)
    blocking = facts.by_predicate(tx, "blocked_by", at=at)
    if not blocking:
        return []
    resolutions = facts.by_predicate(tx, "resolved_by", at=at)
    by_subject: dict[int, list[Fact]] = defaultdict(list)
    for fact in [*blocking, *resolutions]:
        by_subject[fact.subject.row].append(fact)
    ours = None if project is None else parts_of(tx, project)
    still_open = []
    for subject in {fact.subject.row for fact in blocking}:
        own = by_subject[subject]
        if ours is not None:
            own = [fact for fact in own if fact.predicate != "blocked_by" or _touches(fact, ours)]
        of_blockers = [
            resolution
            for fact in own
            if fact.predicate == "blocked_by" and fact.object is not None
            for resolution in by_subject[fact.object.row]
            if resolution.predicate == "resolved_by" and fact.object.row != subject
        ]
        still_open += _still_open(tx, by_subject[subject], of_blockers, among=own)
    return sorted(still_open, key=lambda fact: (fact.recorded_at, fact.row), reverse=True)


def parts_of(tx: Tx, project: Entity) -> set[int]:
    """The row numbers of a project and of what belongs to it directly."""
    belongs = facts.touching(tx, project, ("belongs_to",), at=instants.stamp(tx.now))
    return {project.row} | {fact.subject.row for fact in belongs if fact.object == project}


def _touches(fact: Fact, rows: set[int]) -> bool:
    return fact.subject.row in rows or (fact.object is not None and fact.object.row in rows)


def _still_open(
    tx: Tx, of_subject: Sequence[Fact], of_blockers: Sequence[Fact], *, among: Sequence[Fact]
) -> list[Fact]:
    """Replay what was said of one subject and of its blockers, in the order in which it was said."""
    by_row = {fact.row: fact for fact in [*of_subject, *of_blockers]}
    subject = of_subject[0].subject
    blockers = {_object_key(fact) for fact in of_subject if fact.predicate == "blocked_by"}
    open_now: dict[str, Fact] = {}
    for _, _, row in facts.assertions(tx, list(by_row)):
        fact = by_row[row]
        settled = _object_key(fact) if fact.subject == subject else f"entity {fact.subject.row}"
        if fact.predicate == "blocked_by":
            open_now[settled] = fact
        elif settled in blockers:
            open_now.pop(settled, None)
        elif len(open_now) == 1:
            open_now.clear()
    wanted = {fact.row for fact in among}
    return [fact for fact in open_now.values() if fact.row in wanted]


def _object_key(fact: Fact) -> str:
    return f"entity {fact.object.row}" if fact.object else f"text {names.key(fact.literal or '')}"
