"""Timestamps and local days: parsing, storage format and display.

A timestamp is an instant as it is stored: UTC, always 24 characters, `2026-11-21T08:44:39.123Z`, so that the order of
the texts is the order of the instants. A zone of None is the time zone of the system, with its rules at that instant.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

from keepgraph import lazy

_END_OF_TIME = "9999-12-31T23:59:59.999Z"
_DATE = lazy.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
# Without the hour 24, which Python reads from 3.14 on.
_DATE_TIME = lazy.compile(r"\d{4}-\d{2}-\d{2}[T ](?!24)\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?", re.ASCII)


@lru_cache(maxsize=16)
def from_datetime(instant: datetime) -> str:
    """The timestamp of an aware datetime; what is less than a millisecond is cut off."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds")[: -len("+00:00")] + "Z"


def to_datetime(timestamp: str) -> datetime:
    """The instant of a timestamp, as an aware datetime in UTC."""
    return datetime.fromisoformat(timestamp)


def format_local(timestamp: str, zone: tzinfo | None) -> str:
    """A timestamp for display: local time with its offset, `2026-11-21T09:44:39.123+01:00`."""
    # Not cached for the zone of the system, which changes while the program runs when its user travels.
    return (
        _to_local_datetime(timestamp, None).isoformat(timespec="milliseconds")
        if zone is None
        else _format_in_zone(timestamp, zone)
    )


@lru_cache(maxsize=1024)
def _format_in_zone(timestamp: str, zone: tzinfo) -> str:
    return _to_local_datetime(timestamp, zone).isoformat(timespec="milliseconds")


def local_date(timestamp: str, zone: tzinfo | None) -> str:
    """The local day of a timestamp, `2026-11-21`."""
    return _to_local_datetime(timestamp, zone).date().isoformat()


def format_end(timestamp: str, zone: tzinfo | None) -> str:
    """The end of a validity as people say it: its last local day, or the local minute where it ends within a day."""
    end = _to_local_datetime(timestamp, zone)
    if timestamp == _END_OF_TIME:
        return end.date().isoformat()
    is_midnight = end.time() == time()
    return (end.date() - timedelta(days=1)).isoformat() if is_midnight else f"{end:%Y-%m-%d %H:%M}"


def parse_date(text: str) -> date:
    """A calendar date, `YYYY-MM-DD` and nothing else.

    Raises:
        ValueError: it is not one.
    """
    if not _DATE.fullmatch(text):
        raise ValueError("not a date of the form YYYY-MM-DD")
    return date.fromisoformat(text)


def day_start(day: date, zone: tzinfo | None) -> str:
    """The timestamp of the first instant of a local day.

    Raises:
        OverflowError: that instant lies outside the years 1 to 9999.
    """
    return from_datetime(_with_zone(datetime.combine(day, time()), zone))


def end_of_first_day(timestamp: str, zone: tzinfo | None) -> str | None:
    """The end of the local day that begins at a timestamp; None if no day begins at it."""
    start = _to_local_datetime(timestamp, zone)
    try:
        if day_start(start.date(), zone) != timestamp:
            return None
        return day_start(start.date() + timedelta(days=1), zone)
    except OverflowError:
        return None


def start_of_last_day(timestamp: str, zone: tzinfo | None) -> str | None:
    """The start of the local day that ends at a timestamp; None if no day ends at it."""
    end = _to_local_datetime(timestamp, zone)
    try:
        if day_start(end.date(), zone) != timestamp:
            return None
        return day_start(end.date() - timedelta(days=1), zone)
    except OverflowError:
        return None


def since(timestamp: str | None, zone: tzinfo | None) -> str | None:
    """The beginning of a validity as `parse` reads it: the local day that begins at it, else the instant itself."""
    if timestamp is None or end_of_first_day(timestamp, zone) is None:
        return timestamp
    return local_date(timestamp, zone)


def until(timestamp: str | None, zone: tzinfo | None) -> str | None:
    """The end of a validity as `parse` reads it: the local day that ends at it, else the instant itself."""
    start = start_of_last_day(timestamp, zone) if timestamp is not None else None
    return timestamp if start is None else local_date(start, zone)


def parse(text: str, zone: tzinfo | None, *, end: bool = False) -> str:
    """The timestamp of a date or an instant in ISO 8601. Without an offset it is local time.

    A date alone is the start of that local day; with `end` it is the start of the next day, so that a validity up to
    a date includes this date.

    Raises:
        ValueError, OverflowError: it is neither, or lies outside the years 1 to 9999.
    """
    try:
        if _DATE.fullmatch(text):
            day = date.fromisoformat(text)
            if end and day == date.max:
                return _END_OF_TIME  # people write 9999-12-31 for "without an end"
            return day_start(day + timedelta(days=1 if end else 0), zone)
        instant = datetime.fromisoformat(text) if _DATE_TIME.fullmatch(text) else None
    except ValueError as error:
        raise ValueError(f"not in the calendar: {text[:40]!r}") from error
    if instant is None:
        raise ValueError("neither a date nor an instant in ISO 8601")
    return from_datetime(_with_zone(instant, zone))


def parse_as_of(text: str, zone: tzinfo | None) -> datetime:
    """The instant of a query about a point in time; a date alone is the end of that local day, to include all of it.

    Raises:
        ValueError, OverflowError: as `parse`.
    """
    if _DATE.fullmatch(text):
        return to_datetime(parse(text, zone, end=True)) - timedelta(milliseconds=1)
    return to_datetime(parse(text, zone))


def _to_local_datetime(timestamp: str, zone: tzinfo | None) -> datetime:
    try:
        return to_datetime(timestamp).astimezone(zone)
    except OverflowError:
        return to_datetime(timestamp)  # within a day of the limits of datetime, where local time may be outside of them


def _with_zone(instant: datetime, zone: tzinfo | None) -> datetime:
    if instant.tzinfo is not None:
        return instant
    return instant.replace(tzinfo=zone) if zone else instant.astimezone()
