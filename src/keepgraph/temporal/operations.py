"""Interface of the temporal types: construction, comparison, order, components and arithmetic, as in openCypher.

A temporal value is a Date, LocalTime, Time, LocalDateTime, DateTime or Duration; `str()` writes it in ISO 8601. All
functions raise QueryFailed for values that they cannot be applied to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from keepgraph.temporal import construction, iso8601, types
from keepgraph.temporal.construction import (
    COMPONENTS,
    ZONED,
    check_component_names,
    check_zone,
    clock_of,
    current,
    day_of,
    offset_in,
)
from keepgraph.temporal.durations import (
    AVERAGE_DAYS_IN_MONTH,
    add,
    between,
    divide,
    in_days,
    in_months,
    in_seconds,
    multiply,
    subtract,
)
from keepgraph.temporal.types import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    Date,
    DateTime,
    Duration,
    Instant,
    LocalDateTime,
    LocalTime,
    Time,
    WithDate,
    WithOffset,
    WithTime,
    at_local_time,
    check_day,
    describe,
    in_zone,
    invalid_value,
    truncated_quotient,
    truncated_remainder,
    wrong_type,
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

_AVERAGE_MONTH_LENGTH = int(AVERAGE_DAYS_IN_MONTH * DAY)
_TYPES = (Date, LocalTime, Time, LocalDateTime, DateTime, Duration)


def construct(kind: str, argument: object, now: datetime) -> Value | None:
    """The functions date(), localtime(), time(), localdatetime(), datetime() and duration().

    Args:
        kind: the name of the function.
        argument: a text in ISO 8601, a map of components, or another temporal value; None gives None.
        now: the instant of the query, for components that depend on it.
    """
    if argument is None:
        return None
    if isinstance(argument, str):
        return _parse(kind, argument, now)
    if isinstance(argument, Mapping):
        return construction.from_map(kind, argument, now)
    if kind == "duration" and isinstance(argument, Duration):
        return argument
    if kind != "duration" and isinstance(argument, Instant):
        return construction.convert(kind, argument)
    raise wrong_type(
        f"{kind}() takes a string or a map, or another temporal value; {describe(argument)} is none of them."
    )


def from_epoch(seconds: object, nanoseconds: object) -> DateTime | None:
    """The instant some seconds and nanoseconds after the start of 1970 in UTC."""
    if seconds is None or nanoseconds is None:
        return None
    return _from_epoch_nanoseconds(_check_integer(seconds) * SECOND + _check_integer(nanoseconds))


def from_epoch_millis(milliseconds: object) -> DateTime | None:
    """The instant so many milliseconds after the start of 1970 in UTC."""
    return None if milliseconds is None else _from_epoch_nanoseconds(_check_integer(milliseconds) * 10**6)


def equal(a: object, b: object) -> bool:
    """Whether two values have the same kind and the same components; one instant in two zones is two values."""
    return a == b


def compare(a: object, b: object) -> int | None:
    """-1, 0 or 1. None for values of two kinds, and for different durations, since a month has 28 to 31 days."""
    if type(a) is not type(b) or isinstance(a, Duration):
        return 0 if a == b else None
    left, right = sort_key(a), sort_key(b)
    return (left > right) - (left < right)


def sort_key(value: object) -> tuple[Any, ...]:
    """A key that orders the values of one kind: by instant, then by offset, then by the name of the zone.

    Durations are ordered by their length, with a month as long as in the average of 400 years.
    """
    if isinstance(value, WithOffset):
        return (value.instant, value.offset, (value.zone_name or "") if isinstance(value, DateTime) else "")
    if isinstance(value, Duration):
        length = value.months * _AVERAGE_MONTH_LENGTH + value.days * DAY + value.clock
        return (length, value.months, value.days, value.clock)
    if isinstance(value, Date):
        return (value.day,)
    if isinstance(value, LocalTime):
        return (value.clock,)
    if isinstance(value, LocalDateTime):
        return (value.instant,)
    raise wrong_type(f"{describe(value)} is no date, time or duration.")


def group_key(value: object) -> tuple[Any, ...]:
    """A key that is equal for equal values, and different for all others, also those of another kind."""
    return (_TYPES.index(type(value)), *sort_key(value))


def component(value: object, key: str) -> int | str | None:
    """The component `value.key`; None if the value has no such component."""
    if isinstance(value, Duration):
        compute = _DURATION_COMPONENTS.get(key)
        return compute(value) if compute else None
    if isinstance(value, WithDate) and key in _DATE_COMPONENTS:
        return _DATE_COMPONENTS[key](value.day)
    if isinstance(value, WithTime) and key in _CLOCK_COMPONENTS:
        return _CLOCK_COMPONENTS[key](value.clock)
    if isinstance(value, WithOffset) and key in _ZONE_COMPONENTS:
        return _ZONE_COMPONENTS[key](value)
    if isinstance(value, DateTime) and key in _EPOCH_COMPONENTS:
        return value.instant // _EPOCH_COMPONENTS[key]
    return None


def component_names() -> frozenset[str]:
    """The names of all components, of instants and of durations."""
    tables = (_DATE_COMPONENTS, _CLOCK_COMPONENTS, _ZONE_COMPONENTS, _EPOCH_COMPONENTS, _DURATION_COMPONENTS)
    return frozenset(name for table in tables for name in table)


def _parse(kind: str, text: str, now: datetime) -> Value:
    if kind == "time":
        time, zone_name = iso8601.parse_time(text)
        if zone_name is None:
            return time
        return Time(time.clock, construction.offset_in(types.parse_zone(zone_name), None, now))
    return _PARSERS[kind](text)


_PARSERS: dict[str, Callable[[str], Value]] = {
    "date": iso8601.parse_date,
    "localtime": iso8601.parse_local_time,
    "localdatetime": iso8601.parse_local_datetime,
    "datetime": iso8601.parse_datetime,
    "duration": iso8601.parse_duration,
}


def _from_epoch_nanoseconds(instant: int) -> DateTime:
    check_day(instant // DAY)
    return in_zone(instant, types.UTC)


def _check_integer(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(f"The time since 1970 is counted in integers; {describe(value)} is none.")
    return value


_DATE_COMPONENTS: dict[str, Callable[[int], int]] = {
    "year": lambda day: types.year_month_day(day)[0],
    "quarter": lambda day: types.quarter_of(types.year_month_day(day)[1]),
    "month": lambda day: types.year_month_day(day)[1],
    "week": lambda day: types.year_and_week(day)[1],
    "weekYear": lambda day: types.year_and_week(day)[0],
    "dayOfQuarter": types.day_of_quarter,
    "day": lambda day: types.year_month_day(day)[2],
    "ordinalDay": types.day_of_year,
    "dayOfWeek": types.day_of_week,
    "weekDay": types.day_of_week,
}
_CLOCK_COMPONENTS: dict[str, Callable[[int], int]] = {
    "hour": lambda clock: clock // SECOND // 3600,
    "minute": lambda clock: clock // SECOND // 60 % 60,
    "second": lambda clock: clock // SECOND % 60,
    "millisecond": lambda clock: clock % SECOND // 10**6,
    "microsecond": lambda clock: clock % SECOND // 1000,
    "nanosecond": lambda clock: clock % SECOND,
}
_ZONE_COMPONENTS: dict[str, Callable[[Time | DateTime], int | str]] = {
    "timezone": lambda value: value.zone if isinstance(value.zone, str) else types.format_offset(value.offset),
    "offset": lambda value: types.format_offset(value.offset),
    "offsetMinutes": lambda value: truncated_quotient(value.offset, 60),
    "offsetSeconds": lambda value: value.offset,
}
_EPOCH_COMPONENTS = {"epochSeconds": SECOND, "epochMillis": 10**6}
_DURATION_COMPONENTS: dict[str, Callable[[Duration], int]] = {
    "years": lambda value: truncated_quotient(value.months, 12),
    "quarters": lambda value: truncated_quotient(value.months, 3),
    "months": lambda value: value.months,
    "weeks": lambda value: truncated_quotient(value.days, 7),
    "days": lambda value: value.days,
    "hours": lambda value: truncated_quotient(value.seconds, 3600),
    "minutes": lambda value: truncated_quotient(value.seconds, 60),
    "seconds": lambda value: value.seconds,
    "milliseconds": lambda value: value.clock // 10**6,
    "microseconds": lambda value: value.clock // 1000,
    "nanoseconds": lambda value: value.clock,
    "quartersOfYear": lambda value: truncated_remainder(truncated_quotient(value.months, 3), 4),
    "monthsOfQuarter": lambda value: truncated_remainder(value.months, 3),
    "monthsOfYear": lambda value: truncated_remainder(value.months, 12),
    "daysOfWeek": lambda value: truncated_remainder(value.days, 7),
    "minutesOfHour": lambda value: truncated_remainder(truncated_quotient(value.seconds, 60), 60),
    "secondsOfMinute": lambda value: truncated_remainder(value.seconds, 60),
    "millisecondsOfSecond": lambda value: value.nanoseconds // 10**6,
    "microsecondsOfSecond": lambda value: value.nanoseconds // 1000,
    "nanosecondsOfSecond": lambda value: value.nanoseconds,
}


# Truncation of dates and times to a unit, from millennium to microsecond.

_UNIT_LENGTHS = {
    "day": DAY,
    "hour": HOUR,
    "minute": MINUTE,
    "second": SECOND,
    "millisecond": 10**6,
    "microsecond": 1000,
}
_CLOCK_UNITS = _UNIT_LENGTHS.keys() - {"day"}
_BELOW_MILLISECOND = {"microsecond", "nanosecond"}
_ABOVE_NANOSECOND = {"millisecond", "microsecond"}


def truncate(
    kind: str, unit: object, value: object, fields: object = None, now: datetime | None = None
) -> Instant | None:
    """The start of the unit that a value lies in, as a value of `kind`.

    Args:
        unit: `millennium` to `microsecond`, in any case.
        fields: components to set after the truncation. A time zone replaces that of the value; the local time stays.
        now: the instant of the query, for the offset of a named zone in a time without a date.
    """
    if unit is None or value is None:
        return None
    name = _parse_unit(kind, unit)
    fields = {} if fields is None else fields
    if not isinstance(fields, Mapping):
        raise wrong_type(f"The last argument of {kind}.truncate() is a map of components; {describe(fields)} is none.")
    allowed = COMPONENTS[kind] + ["timezone"] * (kind in ZONED)
    check_component_names(f"{kind}.truncate()", fields, allowed)
    if any(component is None for component in fields.values()):
        return None
    day, clock = _start_of_unit(kind, name, value)
    fields = _keep_fraction(name, fields, clock)
    if kind == "date":
        return Date(day_of(fields, day))
    if kind == "localdatetime":
        return LocalDateTime(day_of(fields, day), clock_of(fields, clock))
    if kind == "localtime":
        return LocalTime(clock_of(fields, clock))
    source = fields.get("time", fields.get("datetime", value))
    zone = source.zone if isinstance(source, WithOffset) else types.UTC
    if "timezone" in fields:
        zone = check_zone(fields["timezone"])
    if kind == "time":
        offset = source.offset if isinstance(source, WithOffset) and "timezone" not in fields else None
        return Time(clock_of(fields, clock), offset_in(zone, source, now) if offset is None else offset)
    offset = source.offset if isinstance(source, DateTime) else None
    return at_local_time(day_of(fields, day), clock_of(fields, clock), zone, offset)


def _parse_unit(kind: str, unit: object) -> str:
    if kind in ("time", "localtime"):
        names = {name.lower(): name for name in _UNIT_LENGTHS}
    else:
        names = {
            name.lower(): name
            for name in (*_CALENDAR_UNITS, *_UNIT_LENGTHS)
            if kind != "date" or name not in _CLOCK_UNITS
        }
    if not isinstance(unit, str):
        raise wrong_type(f"The unit of {kind}.truncate() is a string such as 'day'; {describe(unit)} is none.")
    if unit.lower() not in names:
        raise invalid_value(f"{kind}.truncate() knows no unit {describe(unit)}; it knows {', '.join(names.values())}.")
    return names[unit.lower()]


def _start_of_unit(kind: str, unit: str, value: object) -> tuple[int, int]:
    if kind in ("time", "localtime"):
        if not isinstance(value, WithTime):
            raise wrong_type(f"{kind}.truncate() needs a value that has a time; {describe(value)} has none.")
        return 0, value.clock - value.clock % _UNIT_LENGTHS[unit]
    if not isinstance(value, WithDate):
        raise wrong_type(f"{kind}.truncate() needs a value that has a date; {describe(value)} has none.")
    if unit in _CALENDAR_UNITS:
        return check_day(_CALENDAR_UNITS[unit](value.day)), 0
    clock = value.clock if isinstance(value, WithTime) else 0
    return value.day, clock - clock % _UNIT_LENGTHS[unit]


def _keep_fraction(unit: str, fields: Mapping[str, object], clock: int) -> Mapping[str, object]:
    """The fields with the milli- or microseconds that were truncated to: smaller components are added, not replaced."""
    if unit == "millisecond" and "millisecond" not in fields and not fields.keys().isdisjoint(_BELOW_MILLISECOND):
        return {**fields, "millisecond": clock % SECOND // 10**6}
    if unit == "microsecond" and "nanosecond" in fields and fields.keys().isdisjoint(_ABOVE_NANOSECOND):
        return {**fields, "microsecond": clock % SECOND // 1000}
    return fields


def _start_of_years(size: int) -> Callable[[int], int]:
    def first_day(day: int) -> int:
        year, _, _ = types.year_month_day(day)
        return types.day_number(year - year % size, 1, 1)

    return first_day


def _start_of_week_year(day: int) -> int:
    year, _ = types.year_and_week(day)
    return types.day_in_week(year, 1, 1)


def _start_of_quarter(day: int) -> int:
    return day - types.day_of_quarter(day) + 1


def _start_of_month(day: int) -> int:
    _, _, day_of_month = types.year_month_day(day)
    return day - day_of_month + 1


def _start_of_week(day: int) -> int:
    return day - types.day_of_week(day) + 1


_CALENDAR_UNITS = {
    "millennium": _start_of_years(1000),
    "century": _start_of_years(100),
    "decade": _start_of_years(10),
    "year": _start_of_years(1),
    "weekYear": _start_of_week_year,
    "quarter": _start_of_quarter,
    "month": _start_of_month,
    "week": _start_of_week,
}
