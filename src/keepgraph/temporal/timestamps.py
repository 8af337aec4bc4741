"""Instants and local days: how they are read, stored and shown. Knows no clock and no table.

A stamp is an instant as it is stored: UTC, always 24 characters, `2026-11-21T08:44:39.123Z`.
A zone of None means the system's own, at every instant as it was or will be then.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

_LAST = "9999-12-31T23:59:59.999Z"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DATE_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?", re.ASCII)


@lru_cache(maxsize=16)
def stamp(instant: datetime) -> str:
    """An aware instant as it is stored."""
    utc = instant.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z".rjust(24, "0")


def instant(stored: str) -> datetime:
    return datetime.fromisoformat(stored)


def shown(stored: str, zone: tzinfo | None) -> str:
    """A stamp for a reader: local time with its offset, `2026-11-21T09:44:39.123+01:00`."""
    # The zone of the system is not kept: who travels takes the machine along.
    return _local(stored, None).isoformat(timespec="milliseconds") if zone is None else _shown(stored, zone)


@lru_cache(maxsize=1024)
def _shown(stored: str, zone: tzinfo) -> str:
    return _local(stored, zone).isoformat(timespec="milliseconds")


def local_date(stored: str, zone: tzinfo | None) -> str:
    """The local day of a stamp, `2026-11-21`."""
    return _local(stored, zone).date().isoformat()


def parse_date(text: str) -> date:
    """A calendar date, `YYYY-MM-DD` and nothing else.

    Raises:
        ValueError: it is none.
    """
    if not _DATE.fullmatch(text):
        raise ValueError("not a date of the form YYYY-MM-DD")
    return date.fromisoformat(text)


def day_start(day: date, zone: tzinfo | None) -> str:
    """The stamp of the first instant of a local day.

    Raises:
        OverflowError: that instant lies outside the years 1 to 9999.
    """
    return stamp(_aware(datetime.combine(day, time()), zone))


def parse(text: str, zone: tzinfo | None, *, end: bool = False) -> str:
    """A date or an instant in ISO 8601, as a stamp. Without an offset it is local time.

    A date alone means the start of that local day, or with `end` the start of the next one,
    so that a validity up to a date includes it.

    Raises:
        ValueError, OverflowError: it is neither, or lies outside the years 1 to 9999.
    """
    if _DATE.fullmatch(text):
        day = date.fromisoformat(text)
        if end and day == date.max:
            return _LAST  # how people write "for ever"
        return day_start(day + timedelta(days=1 if end else 0), zone)
    if not _DATE_TIME.fullmatch(text):
        raise ValueError("neither a date nor an instant in ISO 8601")
    return stamp(_aware(datetime.fromisoformat(text), zone))


def moment(text: str, zone: tzinfo | None) -> datetime:
    """The instant that is asked about: a date means the end of that local day, so that the whole day counts.

    Raises:
        ValueError, OverflowError: as `parse`.
    """
    if _DATE.fullmatch(text):
        return instant(parse(text, zone, end=True)) - timedelta(milliseconds=1)
    return instant(parse(text, zone))


def _local(stored: str, zone: tzinfo | None) -> datetime:
    try:
        return instant(stored).astimezone(zone)
    except OverflowError:
        return instant(stored)  # within a day of the years 1 and 9999, where local time may have none


def _aware(moment: datetime, zone: tzinfo | None) -> datetime:
    if moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=zone) if zone else moment.astimezone()
