"""Narratives: texts about an ISO week, of one project or of all, written by callers."""

from __future__ import annotations

import re
from datetime import date

from keepgraph import errors, lazy, store
from keepgraph.lazy import dataclass
from keepgraph.model import Entity, Episode
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

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
        errors.MomentInvalid: it is none of these.
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
    current = store.narratives.newest(tx, week, project)
    if current is None or current.episode != episode.row:
        store.narratives.insert(
            tx,
            episode.row,
            week=week,
            project=project.row if project else None,
            recorded_at=timestamps.from_datetime(tx.now),
        )


def read(tx: Tx, week: str, *, project: Entity | None) -> Narrative | None:
    """The newest narrative of a week and a project (None: of all projects)."""
    narrative = store.narratives.newest(tx, week, project)
    if narrative is None:
        return None
    episode = store.episodes.by_rows(tx, [narrative.episode])[narrative.episode]
    return Narrative(week, episode, store.episodes.text(tx, episode), narrative.recorded_at, narrative.session)
