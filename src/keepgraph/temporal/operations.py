"""The door to temporal values: made, compared, ordered and taken apart. Knows no query.

A temporal value is a Date, LocalTime, Time, LocalDateTime, DateTime or Duration; `str()` writes it as ISO 8601 does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from keepgraph.temporal import calendar, construction, iso8601, time_zones
from keepgraph.temporal.construction import current
from keepgraph.temporal.durations import (
    DAYS_IN_MONTH,
    add,
    between,
    divide,
    in_days,
    in_months,
    in_seconds,
    multiply,
    subtract,
)
from keepgraph.temporal.truncation import truncate
from keepgraph.temporal.types import (
    DAY,
    SECOND,
    Clocked,
    Date,
    Dated,
    DateTime,
    Duration,
    Instant,
    LocalDateTime,
    LocalTime,
    Time,
    Zoned,
    checked,
    in_zone,
    misfit,
    rest,
    shown,
    whole,
)

__all__ = [
    "Date",
    "DateTime",
    "Duration",
    "LocalDateTime",
    "LocalTime",
    "Time",
    "add",
    "between",
    "compare",
    "component",
    "construct",
    "current",
    "divide",
    "equal",
    "from_epoch",
    "from_epoch_millis",
    "group_key",
    "in_days",
    "in_months",
    "in_seconds",
    "multiply",
    "sort_key",
    "subtract",
    "truncate",
]

Value = Instant | Duration

_AVERAGE_MONTH = int(DAYS_IN_MONTH * DAY)
_TYPES = (Date, LocalTime, Time, LocalDateTime, DateTime, Duration)


def construct(kind: str, argument: object, now: datetime) -> Value | None:
    """date(), localtime(), time(), localdatetime(), datetime() or duration() of a text, a map or another value."""
    if argument is None:
        return None
    if isinstance(argument, str):
        return _read(kind, argument, now)
    if isinstance(argument, Mapping):
        return construction.compose(kind, argument, now)
    if kind == "duration" and isinstance(argument, Duration):
        return argument
    if kind != "duration" and isinstance(argument, Instant):
        return construction.convert(kind, argument)
    raise misfit(f"{kind}() takes a string or a map, or another temporal value; {shown(argument)} is none of them.")


def from_epoch(seconds: object, nanoseconds: object) -> DateTime | None:
    """So many seconds and nanoseconds after 1970 began in UTC."""
    if seconds is None or nanoseconds is None:
        return None
    return _after_epoch(_integer(seconds) * SECOND + _integer(nanoseconds))


def from_epoch_millis(milliseconds: object) -> DateTime | None:
    return None if milliseconds is None else _after_epoch(_integer(milliseconds) * 10**6)


def equal(a: object, b: object) -> bool:
    """Of the same kind and the same in every part: the same instant in two zones is two values."""
    return a == b


def compare(a: object, b: object) -> int | None:
    """-1, 0 or 1; None for two kinds, and for durations unless they are equal, as a month may be 28 days or 31."""
    if type(a) is not type(b) or isinstance(a, Duration):
        return 0 if a == b else None
    one, other = sort_key(a), sort_key(b)
    return (one > other) - (one < other)


def sort_key(value: object) -> tuple[Any, ...]:
    """What orders the values of one kind: by instant, then from west to east, then by the name of the zone."""
    if isinstance(value, Zoned):
        return (value.instant, value.offset, (value.zone_name or "") if isinstance(value, DateTime) else "")
    if isinstance(value, Duration):
        average = value.months * _AVERAGE_MONTH + value.days * DAY + value.clock
        return (average, value.months, value.days, value.clock)
    if isinstance(value, Date):
        return (value.day,)
    if isinstance(value, LocalTime):
        return (value.clock,)
    if isinstance(value, LocalDateTime):
        return (value.instant,)
    raise misfit(f"{shown(value)} is no date, time or duration.")


def group_key(value: object) -> tuple[Any, ...]:
    """Equal for equal values, and different for different ones, also of two kinds."""
    return (_TYPES.index(type(value)), *sort_key(value))


def component(value: object, key: str) -> int | str | None:
    """What `value.key` is; null for a component that the value does not have."""
    if isinstance(value, Duration):
        part = _OF_DURATION.get(key)
        return part(value) if part else None
    if isinstance(value, Dated) and key in _OF_DAY:
        return _OF_DAY[key](value.day)
    if isinstance(value, Clocked) and key in _OF_CLOCK:
        return _OF_CLOCK[key](value.clock)
    if isinstance(value, Zoned) and key in _OF_ZONE:
        return _OF_ZONE[key](value)
    if isinstance(value, DateTime) and key in _OF_EPOCH:
        return value.instant // _OF_EPOCH[key]
    return None


def _read(kind: str, text: str, now: datetime) -> Value:
    if kind == "time":
        time, zone_name = iso8601.time(text)
        if zone_name is None:
            return time
        return Time(time.clock, construction.offset_in(time_zones.read(zone_name), None, now))
    return _READERS[kind](text)


_READERS: dict[str, Callable[[str], Value]] = {
    "date": iso8601.date,
    "localtime": iso8601.local_time,
    "localdatetime": iso8601.local_datetime,
    "datetime": iso8601.datetime,
    "duration": iso8601.duration,
}


def _after_epoch(instant: int) -> DateTime:
    checked(instant // DAY)
    return in_zone(instant, time_zones.UTC)


def _integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise misfit(f"The time since 1970 is counted in integers; {shown(value)} is none.")
    return value


_OF_DAY: dict[str, Callable[[int], int]] = {
    "year": lambda day: calendar.year_month_day(day)[0],
    "quarter": lambda day: calendar.quarter_of(calendar.year_month_day(day)[1]),
    "month": lambda day: calendar.year_month_day(day)[1],
    "week": lambda day: calendar.year_and_week(day)[1],
    "weekYear": lambda day: calendar.year_and_week(day)[0],
    "dayOfQuarter": calendar.day_of_quarter,
    "day": lambda day: calendar.year_month_day(day)[2],
    "ordinalDay": calendar.day_of_year,
    "dayOfWeek": calendar.day_of_week,
    "weekDay": calendar.day_of_week,
}
_OF_CLOCK: dict[str, Callable[[int], int]] = {
    "hour": lambda clock: clock // SECOND // 3600,
    "minute": lambda clock: clock // SECOND // 60 % 60,
    "second": lambda clock: clock // SECOND % 60,
    "millisecond": lambda clock: clock % SECOND // 10**6,
    "microsecond": lambda clock: clock % SECOND // 1000,
    "nanosecond": lambda clock: clock % SECOND,
}
_OF_ZONE: dict[str, Callable[[Time | DateTime], int | str]] = {
    "timezone": lambda value: value.zone if isinstance(value.zone, str) else time_zones.offset_text(value.offset),
    "offset": lambda value: time_zones.offset_text(value.offset),
    "offsetMinutes": lambda value: whole(value.offset, 60),
    "offsetSeconds": lambda value: value.offset,
}
_OF_EPOCH = {"epochSeconds": SECOND, "epochMillis": 10**6}
_OF_DURATION: dict[str, Callable[[Duration], int]] = {
    "years": lambda value: whole(value.months, 12),
    "quarters": lambda value: whole(value.months, 3),
    "months": lambda value: value.months,
    "weeks": lambda value: whole(value.days, 7),
    "days": lambda value: value.days,
    "hours": lambda value: whole(value.seconds, 3600),
    "minutes": lambda value: whole(value.seconds, 60),
    "seconds": lambda value: value.seconds,
    "milliseconds": lambda value: value.clock // 10**6,
    "microseconds": lambda value: value.clock // 1000,
    "nanoseconds": lambda value: value.clock,
    "quartersOfYear": lambda value: rest(whole(value.months, 3), 4),
    "monthsOfQuarter": lambda value: rest(value.months, 3),
    "monthsOfYear": lambda value: rest(value.months, 12),
    "daysOfWeek": lambda value: rest(value.days, 7),
    "minutesOfHour": lambda value: rest(whole(value.seconds, 60), 60),
    "secondsOfMinute": lambda value: rest(value.seconds, 60),
    "millisecondsOfSecond": lambda value: value.nanoseconds // 10**6,
    "microsecondsOfSecond": lambda value: value.nanoseconds // 1000,
    "nanosecondsOfSecond": lambda value: value.nanoseconds,
}
