"""Truncation of dates and times to a unit, from millennium to microsecond."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from keepgraph.temporal import calendar, time_zones
from keepgraph.temporal.construction import (
    COMPONENTS,
    ZONED,
    check_component_names,
    check_zone,
    clock_of,
    day_of,
    offset_in,
)
from keepgraph.temporal.types import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    Date,
    DateTime,
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
    invalid_value,
    wrong_type,
)

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
    zone = source.zone if isinstance(source, WithOffset) else time_zones.UTC
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
        year, _, _ = calendar.year_month_day(day)
        return calendar.day_number(year - year % size, 1, 1)

    return first_day


def _start_of_week_year(day: int) -> int:
    year, _ = calendar.year_and_week(day)
    return calendar.day_in_week(year, 1, 1)


def _start_of_quarter(day: int) -> int:
    return day - calendar.day_of_quarter(day) + 1


def _start_of_month(day: int) -> int:
    _, _, day_of_month = calendar.year_month_day(day)
    return day - day_of_month + 1


def _start_of_week(day: int) -> int:
    return day - calendar.day_of_week(day) + 1


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
