"""The week at a glance: decided, blocked, next. The words are templates; no model writes them."""

from __future__ import annotations

from datetime import MAXYEAR, MINYEAR, timedelta

from keepgraph import errors, store
from keepgraph.engine.knowledge import blockers, decisions
from keepgraph.model import Decision, Entity, Fact, Resolution, Week
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps

DAYS = 7
MAX_DECISIONS = 50
MAX_BLOCKERS = 50
MAX_NEXT_ACTIONS = 10
_NEXT_ACTION = "next-action"
_LONGEST_NAME = 120


def week(tx: Tx, *, project: Entity | None = None) -> Week:
    """The seven local days that end today, of one project or of all.

    Decisions are those made in these days. Blockers and tagged next actions are listed as long as they are open.
    """
    start, today = _period(tx)
    found = decisions.of_project(tx, project, since=start) if project else decisions.everywhere(tx, since=start)
    decided = [decision for decision in found[0] if decision.decided_on <= today]
    parts = decisions.parts_of(tx, project) if project else None
    blocked = blockers.open_blockers(tx, among=parts)
    shown = store.facts.by_rows(tx, [link.row for link in blocked[:MAX_BLOCKERS]])
    waiting = [decision for decision in decided if not decision.followed_up]
    tagged = [
        entity
        for entity in store.facts.tagged(tx, _NEXT_ACTION, at=timestamps.stamp(tx.now))
        if parts is None or entity.row in parts
    ]
    actions = [
        *(f"Resolve blocker on {_cut(fact.subject.name)}: {_object_name(fact)}" for fact in shown),
        *(
            f"Follow up on decision {_quoted(decision.name)} with an owner for its implementation"
            for decision in waiting
        ),
        *(f"Address tagged next action on {_cut(entity.name)}" for entity in tagged),
    ]
    return Week(
        start=start,
        end=today,
        decisions=tuple(decided[:MAX_DECISIONS]),
        blockers=tuple(shown),
        next_actions=tuple(actions[:MAX_NEXT_ACTIONS]),
        decision_count=len(decided),
        blocker_count=len(blocked),
        next_action_count=len(blocked) + len(waiting) + len(tagged),
    )


def nothing(tx: Tx) -> Week:
    """The same days with nothing in them, for a project that is not known."""
    start, today = _period(tx)
    return Week(
        start=start,
        end=today,
        decisions=(),
        blockers=(),
        next_actions=(),
        decision_count=0,
        blocker_count=0,
        next_action_count=0,
    )


def _period(tx: Tx) -> tuple[str, str]:
    """The first and the last local day of the week that ends today.

    Raises:
        errors.MomentInvalid: today is at the very end of the calendar, where weeks lack days.
    """
    if not MINYEAR < tx.now.year < MAXYEAR:
        raise errors.MomentInvalid(f"there is no week around the year {tx.now.year}")
    today = tx.now.astimezone(tx.zone).date()
    return (today - timedelta(days=DAYS - 1)).isoformat(), today.isoformat()


def summary(this: Week, *, project: Entity | None) -> str:
    """A sentence or two that read well with none, one and many."""
    where = f"on {_cut(project.name)}" if project else "across all projects"
    counts = [
        _count(this.decision_count, "decision", "was made", "were made", none="no decisions were made"),
        _count(this.blocker_count, "blocker", "is open", "are open", none="nothing is blocked"),
        _count(
            this.next_action_count,
            "next action",
            "is waiting",
            "are waiting",
            none="no next actions are waiting",
        ),
    ]
    text = f"This week {where}, {counts[0]}, {counts[1]} and {counts[2]}."
    if this.decisions:
        text += f" The most recent decision: {_quoted(this.decisions[0].name)} ({_credit(this.decisions[0])})."
    return text


def no_such_project(asked: str, found: Resolution) -> str:
    """What to say instead of a week."""
    near = [_quoted(candidate.entity.name) for candidate in found.candidates]
    perhaps = f" Perhaps {' or '.join(near)} was meant." if near else ""
    return f"No project called {_quoted(asked.strip())} is known.{perhaps}"


def _count(number: int, noun: str, one: str, many: str, *, none: str) -> str:
    if number == 0:
        return none
    return f"1 {noun} {one}" if number == 1 else f"{number} {noun}s {many}"


def _credit(decision: Decision) -> str:
    people = [_cut(entity.name) for entity in decision.decided_by[:3]]
    if len(decision.decided_by) > len(people):
        people.append(f"{len(decision.decided_by) - len(people)} more")
    return ", ".join([*people, decision.decided_on])


def _object_name(fact: Fact) -> str:
    return _quoted(fact.object.name if fact.object else fact.literal or "")


def _quoted(text: str) -> str:
    return f"“{_cut(text)}”"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"
