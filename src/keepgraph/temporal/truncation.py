"""Truncates dates and times to a unit, from millennium to microsecond. Knows no text but the names of the units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime

from keepgraph.temporal import calendar, time_zones
from keepgraph.temporal.construction import COMPONENTS, ZONED, clock_of, day_of, offset_in, read_zone, refuse_strangers
from keepgraph.temporal.types import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    Clocked,
    Date,
    Dated,
    DateTime,
    Instant,
    LocalDateTime,
    LocalTime,
    Time,
    Zoned,
    checked,
    misfit,
    on_the_wall,
    refused,
    shown,
)

_WITHIN_A_DAY = {
    "day": DAY,
    "hour": HOUR,
    "minute": MINUTE,
    "second": SECOND,
    "millisecond": 10**6,
    "microsecond": 1000,
}
_CLOCK = _WITHIN_A_DAY.keys() - {"day"}
_BELOW_MILLISECOND = {"microsecond", "nanosecond"}
_ABOVE_NANOSECOND = {"millisecond", "microsecond"}


def truncate(
    kind: str, unit: object, value: object, fields: object = None, now: datetime | None = None
) -> Instant | None:
    """The beginning of the unit that a value lies in, as a value of `kind`; `fields` then sets smaller components.

    A time zone in `fields` takes the place of the value's own: the clock stays as it is.
    """
    if unit is None or value is None:
        return None
    name = _unit(kind, unit)
    fields = {} if fields is None else fields
    if not isinstance(fields, Mapping):
        raise misfit(f"The last argument of {kind}.truncate() is a map of components; {shown(fields)} is none.")
    known = COMPONENTS[kind] + ["timezone"] * (kind in ZONED)
    refuse_strangers(f"{kind}.truncate()", fields, known)
    if any(component is None for component in fields.values()):
        return None
    day, clock = _beginning(kind, name, value)
    fields = _with_fraction_kept(name, fields, clock)
    if kind == "date":
        return Date(day_of(fields, day))
    if kind == "localdatetime":
        return LocalDateTime(day_of(fields, day), clock_of(fields, clock))
    if kind == "localtime":
        return LocalTime(clock_of(fields, clock))
    source = fields.get("time", fields.get("datetime", value))
    zone = source.zone if isinstance(source, Zoned) else time_zones.UTC
    if "timezone" in fields:
        zone = read_zone(fields["timezone"])
    if kind == "time":
        offset = source.offset if isinstance(source, Zoned) and "timezone" not in fields else None
        return Time(clock_of(fields, clock), offset_in(zone, source, now) if offset is None else offset)
    offset = source.offset if isinstance(source, DateTime) else None
    return on_the_wall(day_of(fields, day), clock_of(fields, clock), zone, offset)


def _unit(kind: str, unit: object) -> str:
    if kind in ("time", "localtime"):
        names = {name.lower(): name for name in _WITHIN_A_DAY}
    else:
        names = {name.lower(): name for name in (*_OF_DAYS, *_WITHIN_A_DAY) if kind != "date" or name not in _CLOCK}
    if not isinstance(unit, str):
        raise misfit(f"The unit of {kind}.truncate() is a string such as 'day'; {shown(unit)} is none.")
    if unit.lower() not in names:
        raise refused(f"{kind}.truncate() knows no unit {shown(unit)}; it knows {', '.join(names.values())}.")
    return names[unit.lower()]


def _beginning(kind: str, unit: str, value: object) -> tuple[int, int]:
    if kind in ("time", "localtime"):
        if not isinstance(value, Clocked):
            raise misfit(f"{kind}.truncate() needs a value that has a time; {shown(value)} has none.")
        return 0, value.clock - value.clock % _WITHIN_A_DAY[unit]
    if not isinstance(value, Dated):
        raise misfit(f"{kind}.truncate() needs a value that has a date; {shown(value)} has none.")
    if unit in _OF_DAYS:
        return checked(_OF_DAYS[unit](value.day)), 0
    clock = value.clock if isinstance(value, Clocked) else 0
    return value.day, clock - clock % _WITHIN_A_DAY[unit]


def _with_fraction_kept(unit: str, fields: Mapping[str, object], clock: int) -> Mapping[str, object]:
    """Nanoseconds are set beyond the milliseconds that were truncated to, not in their place."""
    if unit == "millisecond" and "millisecond" not in fields and not fields.keys().isdisjoint(_BELOW_MILLISECOND):
        return {**fields, "millisecond": clock % SECOND // 10**6}
    if unit == "microsecond" and "nanosecond" in fields and fields.keys().isdisjoint(_ABOVE_NANOSECOND):
        return {**fields, "microsecond": clock % SECOND // 1000}
    return fields


def _year_of(size: int) -> Callable[[int], int]:
    def first_day(day: int) -> int:
        year, _, _ = calendar.year_month_day(day)
        return calendar.day_number(year - year % size, 1, 1)

    return first_day


def _week_year(day: int) -> int:
    year, _ = calendar.year_and_week(day)
    return calendar.day_in_week(year, 1, 1)


def _quarter(day: int) -> int:
    return day - calendar.day_of_quarter(day) + 1


def _month(day: int) -> int:
    _, _, day_of_month = calendar.year_month_day(day)
    return day - day_of_month + 1


def _week(day: int) -> int:
    return day - calendar.day_of_week(day) + 1


_OF_DAYS = {
    "millennium": _year_of(1000),
    "century": _year_of(100),
    "decade": _year_of(10),
    "year": _year_of(1),
    "weekYear": _week_year,
    "quarter": _quarter,
    "month": _month,
    "week": _week,
}
