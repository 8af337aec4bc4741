"""The weekly rollup: decisions, open blockers and next actions of seven days. Its sentences come from templates."""

from __future__ import annotations

import re
from datetime import MAXYEAR, MINYEAR, date

from keepgraph import english, errors, lazy, store
from keepgraph.engine.knowledge import blockers, decisions, next_steps
from keepgraph.lazy import dataclass
from keepgraph.model import Decision, Entity, Episode, Fact, Resolution, Week
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_DECISIONS = 50
MAX_BLOCKERS = 50
MAX_NEXT_ACTIONS = 10
_MAX_NAME = 120


def week(tx: Tx, *, project: Entity | None = None) -> Week:
    """The rollup of the seven local days that end today, for one project or for all.

    Decisions are those made in these days. Blockers, tagged next actions and tasks are all open ones, however old;
    due tasks are those overdue or due in the next days.
    """
    start, today = _period(tx)
    made = decisions.made_between(tx, project, start, today)
    members = decisions.members(tx, project) if project else None
    blocking = blockers.open_blockers(tx, among=members)
    listed = store.facts.by_rows(tx, [blocker.row for blocker in blocking[:MAX_BLOCKERS]])
    follow_ups = decisions.wanting_follow_up(made)
    blocked = {blocker.subject for blocker in blocking}
    due = next_steps.due(tx, blocked=blocked, members=members)
    due_rows = {fact.subject.row for fact in due}
    tagged = next_steps.tagged_next_actions(tx, blocked=blocked)
    is_tagged = set(tagged)
    open_actions = next_steps.actions(tx, tagged=tagged, blocked=blocked, members=members)
    others = [row for row in open_actions if row not in due_rows]
    actions = [
        *(f"Resolve blocker on {_shorten(fact.subject.name)}: {_quote_object(fact)}" for fact in listed),
        *(next_steps.describe_due(fact, today=today) for fact in due),
        *(
            f"Follow up on decision {_quote(decision.name)} with an owner for its implementation "
            f"(decided on {decision.decided_on}, nobody has acted on it)"
            for decision in follow_ups
        ),
        *(
            f"Address tagged next action on {_shorten(entity.name)}"
            if entity.row in is_tagged
            else f"Finish the task {_quote(entity.name)}"
            for entity in store.entities.in_order(tx, others[:MAX_NEXT_ACTIONS])
        ),
    ]
    return Week(
        start=start,
        end=today,
        decisions=tuple(made[:MAX_DECISIONS]),
        blockers=tuple(listed),
        next_actions=tuple(actions[:MAX_NEXT_ACTIONS]),
        decision_count=len(made),
        blocker_count=len(blocking),
        next_action_count=len(blocking) + len(due) + len(follow_ups) + len(others),
    )


def empty_week(tx: Tx) -> Week:
    """The same seven days without content, for a project that does not exist."""
    return Week(*_period(tx))


def _period(tx: Tx) -> tuple[str, str]:
    """The first and the last local day of the week that ends today.

    Raises:
        errors.MomentInvalid: today is in the first or the last year of the calendar (with as_of).
    """
    if not MINYEAR < tx.now.year < MAXYEAR:
        raise errors.MomentInvalid(f"there is no week around the year {tx.now.year}")
    return next_steps.days_back(tx)


def summarise(rollup: Week, *, project: Entity | None, group: str | None = None) -> str:
    """The rollup in one or two sentences; for all projects, or for the group that somebody named."""
    everywhere = "across all projects" if group is None else f"in the group {_quote(group)}"
    scope = f"on {_shorten(project.name)}" if project else everywhere
    made = _count(rollup.decision_count, "decision", "was made", "were made") or "no decisions were made"
    blocked = _count(rollup.blocker_count, "blocker", "is open", "are open") or "nothing is blocked"
    waiting = _count(rollup.next_action_count, "next action", "is waiting", "are waiting")
    text = f"This week {scope}, {made}, {blocked} and {waiting or 'no next actions are waiting'}."
    if rollup.decisions:
        text += f" The most recent decision: {_quote(rollup.decisions[0].name)} ({_attribution(rollup.decisions[0])})."
    return text


def describe_unknown_project(name: str, resolution: Resolution) -> str:
    """The summary for a project that does not exist, with similar names."""
    similar = [_quote(candidate.entity.name) for candidate in resolution.candidates]
    suggestion = f" Did you mean {' or '.join(similar)}?" if similar else ""
    return f"No project called {_quote(name.strip())} is known.{suggestion}"


def _count(number: int, noun: str, singular: str, plural: str) -> str:
    return f"{english.count_noun(number, noun)} {singular if number == 1 else plural}" if number else ""


def _attribution(decision: Decision) -> str:
    people = [_shorten(entity.name) for entity in decision.decided_by[:3]]
    if len(decision.decided_by) > len(people):
        people.append(f"{len(decision.decided_by) - len(people)} more")
    return ", ".join([*people, decision.decided_on, *(["imported"] if decision.imported else [])])


def _quote_object(fact: Fact) -> str:
    return _quote(fact.object.name if fact.object else fact.literal or "")


def _quote(text: str) -> str:
    return f"“{_shorten(text)}”"


def _shorten(text: str) -> str:
    return english.shorten(text, _MAX_NAME)


# Narratives: texts about an ISO week, of one project or of all, written by callers.

_WEEK = lazy.compile(r"(\d{4})-?[Ww](\d{1,2})", re.ASCII)
_EXAMPLE = "Give an ISO week (2026-W47), or a day in it (2026-11-20)."


@dataclass(frozen=True, slots=True)
class Narrative:
    """A text about a week: its episode, when it was stored for the week, and its session."""

    week: str
    episode: Episode
    text: str
    recorded_at: str
    session: str | None


def parse_week(tx: Tx, text: str) -> str:
    """The ISO week that a caller names: 2026-W47, or a day or an instant in it.

    Raises:
        errors.MomentInvalid: it is anything else.
    """
    stripped = text.strip()
    if written := _WEEK.fullmatch(stripped):
        return check_week(f"{written[1]}-W{int(written[2]):02d}")
    try:
        timestamp = timestamps.parse(stripped, tx.zone)
        return week_of(timestamps.local_date(timestamp, tx.zone))
    except (ValueError, OverflowError) as error:
        raise errors.MomentInvalid(f"the week {text[:60]!r} is {error}", hint=_EXAMPLE) from error


def check_week(week: str) -> str:
    """An ISO week unchanged.

    Raises:
        errors.MomentInvalid: the calendar has no such week.
    """
    try:
        date.fromisocalendar(int(week[:4]), int(week[6:]), 1)
    except ValueError as error:
        raise errors.MomentInvalid(f"the calendar has no week {week}", hint=_EXAMPLE) from error
    return week


def week_of(day: str) -> str:
    """The ISO week of a local day: the seven days from Monday to Sunday in which it lies."""
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year:04d}-W{week:02d}"


def keep(tx: Tx, episode: Episode, *, week: str, project: Entity | None) -> None:
    """Link an episode to a week, replacing an earlier text; nothing is written if it already is."""
    current = store.episodes.newest_narrative(tx, week, project)
    if current is None or current.episode != episode.row:
        store.episodes.insert_narrative(
            tx,
            episode.row,
            week=week,
            project=project.row if project else None,
            recorded_at=tx.at,
        )


def read(tx: Tx, week: str, *, project: Entity | None) -> Narrative | None:
    """The newest narrative of a week and a project (None: of all projects)."""
    narrative = store.episodes.newest_narrative(tx, week, project)
    if narrative is None:
        return None
    episode = store.episodes.by_rows(tx, [narrative.episode])[narrative.episode]
    return Narrative(week, episode, store.episodes.text(tx, episode), narrative.recorded_at, narrative.session)
