"""Options that take a date as people say it: “yesterday”, “last Monday”, “in March”, 2026-11-20."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, tzinfo
from typing import Any

import click

from keepgraph import errors, lazy
from keepgraph.cli import graph_options
from keepgraph.cli.output import terminal
from keepgraph.profiles import settings_file
from keepgraph.temporal import date_phrases, timestamps

_DAY = lazy.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
EXAMPLES = "Such as yesterday, “last Monday”, “3 weeks ago”, “in March”, “20 Nov”, 2026-11-20 or 2026-11-20T14:30."
"""The hint for text that is not a date."""


class DateOption(click.ParamType):  # type: ignore[type-arg]  # a generic class in new versions of click only
    """A date or an instant in everyday words. The command gets it in ISO 8601, and the reading is shown.

    A time span (“June”) means its first day, or with `end` its last. With `days_only`, a time of day is refused.
    """

    name = "when"

    def __init__(
        self,
        *,
        end: bool = False,
        days_only: bool = False,
        error: type[errors.KeepgraphError] = errors.MomentInvalid,
    ) -> None:
        self.end = end
        self.days_only = days_only
        self.error = error

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        option = param.opts[0] if param and param.opts else "the date"
        if _DAY.fullmatch(value.strip()) and _is_day(value.strip()):
            return str(value.strip())

        zone = _zone(ctx) if ctx else None
        now = datetime.now(UTC).astimezone(zone)
        try:
            meant = date_phrases.parse(value, now=now, end=self.end)
        except date_phrases.DateUnclear as error:
            raise self.error(f"{option}: {error}", hint=EXAMPLES) from error
        if self.days_only and len(meant) > len("2026-11-20"):
            raise self.error(f"{option} takes a day, without a time of day", hint=EXAMPLES)
        if meant != value.strip():
            click.secho(f"{option} {terminal.printable(value)}: {_on_the_clock(meant, zone)}", dim=True, err=True)
        return meant


BEGINNING = DateOption()
"""An instant; a time span means its first day."""

END = DateOption(end=True)
"""An instant; a time span means its last day."""

FIRST_DAY = DateOption(days_only=True, error=errors.SinceInvalid)
"""A first day."""

LAST_DAY = DateOption(end=True, days_only=True)
"""A last day."""


def _on_the_clock(meant: str, zone: tzinfo | None) -> str:
    """A day, or an instant in the local time of that day."""
    if len(meant) > len("2026-11-20T14:30"):
        meant = timestamps.format_local(timestamps.parse(meant, zone), zone)
    return meant[:16].replace("T", " ")


def _is_day(text: str) -> bool:
    """Whether a text is a day in ISO 8601, which is not a phrase to parse."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _zone(ctx: click.Context) -> tzinfo | None:
    """The time zone of the graph on the command line; None is the system's."""
    from zoneinfo import ZoneInfo

    zone = settings_file.read(graph_options.graph_path(ctx).resolve()).zone
    return ZoneInfo(zone) if zone else None
