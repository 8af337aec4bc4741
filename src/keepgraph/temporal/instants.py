"""Instants as texts: which texts are read as instants or days, and what a temporal value is among timestamps.

A timestamp is stored as a text in UTC (`2026-11-21T08:44:39.123Z`), and timestamps compare as texts. A value without a
zone is in UTC.
"""

from __future__ import annotations

import re
from typing import Any

from keepgraph.errors import QueryFailed
from keepgraph.temporal import iso8601
from keepgraph.temporal.calendar import year_month_day
from keepgraph.temporal.types import DAY, HOUR, MINUTE, SECOND, Date, DateTime, LocalDateTime

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_INSTANT = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?", re.ASCII
)
_TIMESTAMP_LENGTH = len("2026-11-21T08:44:39.123Z")
_BEFORE_ALL, _AFTER_ALL = "", "~"


def read(text: str) -> Date | LocalDateTime | DateTime | None:
    """The day or the instant that a text is, in the extended format of ISO 8601; None for any other text."""
    try:
        if _DAY.fullmatch(text):
            return iso8601.parse_date(text)
        if _INSTANT.fullmatch(text):
            parse = iso8601.parse_datetime if re.search(r"Z|[+-]\d\d(?::?\d\d)?$", text[10:]) else _parse_local
            return parse(text.replace(" ", "T"))
    except QueryFailed:
        pass  # the 30th of February
    return None


def read_timestamp(text: str) -> DateTime | None:
    """The instant that a timestamp is; None for any other text."""
    instant = read(text) if len(text) == _TIMESTAMP_LENGTH and text[-1] == "Z" else None
    return instant if isinstance(instant, DateTime) else None


def bounds(value: Any) -> tuple[str, str] | None:
    """The first and the last timestamp that a day covers, or twice the one that an instant is; None for other values.

    What an instant has beyond milliseconds follows its Z, so that it comes after the timestamp and before the next.
    """
    if isinstance(value, str):
        value = read(value)
    if isinstance(value, Date):
        start = value.day * DAY
        return timestamp(start), timestamp(start + DAY - 1_000_000)
    if isinstance(value, LocalDateTime | DateTime):
        text = timestamp(value.instant)
        return text, text
    return None


def timestamp(instant: int) -> str:
    """The timestamp of an instant in nanoseconds since 1970; outside the years 0 to 9999, what all others are after
    or before."""
    day, clock = divmod(instant, DAY)
    year, month, day_of_month = year_month_day(day)
    if not 0 <= year <= 9999:
        return _BEFORE_ALL if year < 0 else _AFTER_ALL
    hour, minute, second = clock // HOUR, clock // MINUTE % 60, clock // SECOND % 60
    milliseconds, rest = divmod(clock % SECOND, 1_000_000)
    beyond = f"{rest:06d}".rstrip("0") if rest else ""
    return f"{year:04d}-{month:02d}-{day_of_month:02d}T{hour:02d}:{minute:02d}:{second:02d}.{milliseconds:03d}Z{beyond}"


def equal(left: Any, right: Any) -> bool:
    """Whether a text and a temporal value are one instant, or an instant and the day in which it lies."""
    first, second = bounds(left), bounds(right)
    if first is None or second is None:
        return False
    return (first[0] <= second[0] and second[1] <= first[1]) or (second[0] <= first[0] and first[1] <= second[1])


def order(left: Any, right: Any) -> int | None:
    """-1, 0 or 1 for a text and a temporal value, a day being its first instant; None where one is no instant."""
    first, second = bounds(left), bounds(right)
    if first is None or second is None:
        return None
    return (first[0] > second[0]) - (first[0] < second[0])


def _parse_local(text: str) -> LocalDateTime:
    return iso8601.parse_local_datetime(text)
