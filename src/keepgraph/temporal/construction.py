"""Construction of temporal values from maps of components, from other temporal values, and from the clock.

A map has components (`year`, `hour`), or values that the other components are taken from (`date`, `time`,
`datetime`), or both.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from keepgraph.temporal import durations, types
from keepgraph.temporal.types import (
    DAY,
    HOUR,
    MAX_YEAR,
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
    Zone,
    at_local_time,
    check_day,
    describe,
    in_zone,
    invalid_value,
    wrong_type,
)

Fields = Mapping[str, Any]
"""A map of components, as a query gives it."""

_DATE_COMPONENTS = "year month day week dayOfWeek quarter dayOfQuarter ordinalDay".split()
_FRACTION_COMPONENTS = "millisecond microsecond nanosecond".split()
_CLOCK_COMPONENTS = ["hour", "minute", "second", *_FRACTION_COMPONENTS]
_EPOCH_COMPONENTS = ["epochSeconds", "epochMillis"]
_MONTHS_OF_UNIT = {"years": 12, "quarters": 3, "months": 1}
_DAYS_OF_UNIT = {"weeks": 7, "days": 1}
_SECONDS_OF_UNIT = {
    "hours": Fraction(3600),
    "minutes": Fraction(60),
    "seconds": Fraction(1),
    "milliseconds": Fraction(1, 10**3),
    "microseconds": Fraction(1, 10**6),
    "nanoseconds": Fraction(1, 10**9),
}

COMPONENTS = {
    "date": ["date", "datetime", *_DATE_COMPONENTS],
    "localtime": ["time", "datetime", *_CLOCK_COMPONENTS],
    "time": ["time", "datetime", *_CLOCK_COMPONENTS],
    "localdatetime": ["date", "time", "datetime", *_DATE_COMPONENTS, *_CLOCK_COMPONENTS],
    "datetime": ["date", "time", "datetime", *_DATE_COMPONENTS, *_CLOCK_COMPONENTS],
    "duration": [*_MONTHS_OF_UNIT, *_DAYS_OF_UNIT, *_SECONDS_OF_UNIT],
}
ZONED = {"time", "datetime"}
_EXTRA_COMPONENTS = {"datetime": ["timezone", *_EPOCH_COMPONENTS], "duration": []}


def current(kind: str, now: datetime, timezone: object = None) -> Instant:
    """The instant `now` in a time zone, as a value of this kind; in UTC if no zone is given."""
    since_epoch = now - datetime(1970, 1, 1, tzinfo=UTC)
    instant = (since_epoch.days * 86_400 + since_epoch.seconds) * SECOND + since_epoch.microseconds * 1000
    return convert(kind, in_zone(instant, types.UTC if timezone is None else check_zone(timezone)))


def convert(kind: str, value: Instant) -> Instant:
    """A value as one of another kind, without the components that this kind does not have.

    Where a time is missing it is midnight; where an offset is missing it is UTC.
    """
    if kind == "date" and isinstance(value, WithDate):
        return Date(value.day)
    if kind == "localtime" and isinstance(value, WithTime):
        return LocalTime(value.clock)
    if kind == "time" and isinstance(value, WithTime):
        return Time(value.clock, value.offset if isinstance(value, WithOffset) else types.UTC)
    if kind in ("localdatetime", "datetime") and isinstance(value, WithDate):
        clock = value.clock if isinstance(value, WithTime) else 0
        if kind == "localdatetime":
            return LocalDateTime(value.day, clock)
        return value if isinstance(value, DateTime) else DateTime(value.day, clock, types.UTC)
    missing = "time" if isinstance(value, Date) else "date"
    raise wrong_type(
        f"{kind}() needs a {missing}, which {describe(value)} does not have; add it with a map of components."
    )


def from_map(kind: str, fields: Fields, now: datetime) -> Instant | Duration | None:
    """A value of this kind from a map of components; None if one of them is null."""
    allowed = [*COMPONENTS[kind], *_EXTRA_COMPONENTS.get(kind, ["timezone"])]
    check_component_names(f"{kind}()", fields, allowed)
    if not fields:
        raise invalid_value(f"{kind}({{}}) is empty; give at least one of {', '.join(allowed)}.")
    if any(value is None for value in fields.values()):
        return None
    if kind == "duration":
        return _duration(fields)
    if fields.keys() == {"timezone"}:
        return current(kind, now, fields["timezone"])
    if "timezone" in fields and kind not in ZONED:
        raise invalid_value(f"A value of {kind}() has no time zone; leave timezone out, or take time() or datetime().")
    if not fields.keys().isdisjoint(_EPOCH_COMPONENTS):
        return _from_epoch(fields)
    if "datetime" in fields and ("date" in fields or "time" in fields):
        raise invalid_value("datetime already gives the date and the time; leave out date and time, or datetime.")
    if kind == "date":
        return Date(day_of(fields))
    if kind == "localtime":
        return LocalTime(clock_of(fields))
    if kind == "time":
        return _time(fields, now)
    if kind == "localdatetime":
        return LocalDateTime(day_of(fields), clock_of(fields))
    return _datetime(fields)


def check_component_names(function: str, fields: Fields, allowed: list[str]) -> None:
    for name in fields:
        if name not in allowed:
            raise invalid_value(f"{function} knows no component {describe(name)}; it knows {', '.join(allowed)}.")


def check_zone(value: object) -> Zone:
    if not isinstance(value, str):
        raise wrong_type(f"A time zone is a string such as '+01:00' or 'Europe/Stockholm'; {describe(value)} is none.")
    return types.parse_zone(value)


def day_of(fields: Fields, truncated: int | None = None) -> int:
    """The day of a map of components. A missing component is taken from the selected value, or is 1.

    Args:
        truncated: the day to take missing components from, if the map selects no other value.
    """
    base = _selected_day(fields, truncated)
    named = [form for form in _DATE_FORMS if not fields.keys().isdisjoint(form)]
    if len(named) > 1:
        first, second = (next(name for name in form if name in fields) for form in named[:2])
        raise invalid_value(f"{first} and {second} name a day in different ways; use one of them.")
    form = named[0] if named else _DATE_FORMS[0]
    if base is None:
        _check_no_gaps(fields, ("year", *form))
    year, month, day = types.year_month_day(base) if base is not None else (0, 1, 1)
    if form == _WEEK_AND_DAY:
        year, week = types.year_and_week(base) if base is not None else (0, 1)
        weekday = types.day_of_week(base) if base is not None else 1
        return day_in_week(
            _integer(fields, "year", year), _integer(fields, "week", week), _integer(fields, "dayOfWeek", weekday)
        )
    year = _integer(fields, "year", year)
    if form == _QUARTER_AND_DAY:
        day = types.day_of_quarter(base) if base is not None else 1
        quarter = _integer(fields, "quarter", types.quarter_of(month))
        return day_in_quarter(year, quarter, _integer(fields, "dayOfQuarter", day))
    if form == _ORDINAL_DAY:
        return day_in_year(year, _integer(fields, "ordinalDay", 1))
    return day_in_month(year, _integer(fields, "month", month), _integer(fields, "day", day))


def clock_of(fields: Fields, truncated: int | None = None) -> int:
    """The time of day of a map of components. A missing component is taken from the selected value, or is 0.

    Args:
        truncated: the time of day to take missing components from, if the map selects no other value.
    """
    base = _selected_clock(fields, truncated)
    if base is None:
        _check_no_gaps(fields, _TIME_COMPONENTS)
        base = 0
    seconds, fraction = divmod(base, SECOND)
    new_fraction = _fraction_of_second(fields)
    return nanosecond_of_day(
        _integer(fields, "hour", seconds // 3600),
        _integer(fields, "minute", seconds // 60 % 60),
        _integer(fields, "second", seconds % 60),
        fraction if new_fraction is None else new_fraction,
    )


def offset_in(zone: Zone, source: object, now: datetime | None) -> int:
    """The offset of a zone for a time without a date: that at the instant of `source`, or at `now`."""
    if not isinstance(zone, str):
        return zone
    if isinstance(source, DateTime):
        return types.offset_of_instant(zone, source.instant // SECOND)
    if now is None:
        raise invalid_value(
            f"What the offset of {zone} is depends on the date, and a time has none; write '+01:00' or such."
        )
    local_now = current("datetime", now, zone)
    return local_now.offset if isinstance(local_now, DateTime) else types.UTC


def _time(fields: Fields, now: datetime) -> Time:
    source = fields.get("time", fields.get("datetime"))
    clock = clock_of(fields)
    source_offset = source.offset if isinstance(source, WithOffset) else None
    if "timezone" not in fields:
        return Time(clock, source_offset or types.UTC)
    offset = offset_in(check_zone(fields["timezone"]), source, now)
    if source_offset is not None:
        clock = (clock + (offset - source_offset) * SECOND) % DAY
    return Time(clock, offset)


def _datetime(fields: Fields) -> DateTime:
    source = fields.get("time", fields.get("datetime"))
    day, clock = day_of(fields), clock_of(fields)
    zone = check_zone(fields["timezone"]) if "timezone" in fields else None
    if not isinstance(source, WithOffset):
        return at_local_time(day, clock, types.UTC if zone is None else zone)
    value = at_local_time(day, clock, source.zone, source.offset)
    return value if zone is None else in_zone(value.instant, zone)


def _from_epoch(fields: Fields) -> DateTime:
    others = [name for name in fields if name not in (*_EPOCH_COMPONENTS, *_FRACTION_COMPONENTS, "timezone")]
    if others or len([name for name in _EPOCH_COMPONENTS if name in fields]) > 1:
        raise invalid_value(
            "With epochSeconds or epochMillis, one of them, go only millisecond, microsecond, nanosecond and timezone."
        )
    if "epochMillis" in fields:
        if "millisecond" in fields:
            raise invalid_value("epochMillis already counts milliseconds; leave millisecond out.")
        instant = _integer(fields, "epochMillis", 0) * 10**6 + (_fraction_of_second({**fields, "millisecond": 0}) or 0)
    else:
        instant = _integer(fields, "epochSeconds", 0) * SECOND + (_fraction_of_second(fields) or 0)
    check_day(instant // DAY)
    return in_zone(instant, check_zone(fields.get("timezone", "Z")))


def _duration(fields: Fields) -> Duration:
    def total(units: Mapping[str, int | Fraction]) -> Fraction:
        return sum((durations.to_fraction(fields[name]) * units[name] for name in units if name in fields), Fraction(0))

    return durations.from_amounts(total(_MONTHS_OF_UNIT), total(_DAYS_OF_UNIT), total(_SECONDS_OF_UNIT))


_MONTH_AND_DAY = ("month", "day")
_WEEK_AND_DAY = ("week", "dayOfWeek")
_QUARTER_AND_DAY = ("quarter", "dayOfQuarter")
_ORDINAL_DAY = ("ordinalDay",)
_DATE_FORMS = (_MONTH_AND_DAY, _WEEK_AND_DAY, _QUARTER_AND_DAY, _ORDINAL_DAY)
_TIME_COMPONENTS = ("hour", "minute", "second")


def _selected_day(fields: Fields, truncated: int | None) -> int | None:
    for name in ("date", "datetime"):
        if name in fields:
            if not isinstance(fields[name], WithDate):
                raise wrong_type(f"{name} needs a value that has a date; {describe(fields[name])} has none.")
            return int(fields[name].day)
    return truncated


def _selected_clock(fields: Fields, truncated: int | None) -> int | None:
    for name in ("time", "datetime"):
        if name in fields:
            if not isinstance(fields[name], WithTime):
                raise wrong_type(f"{name} needs a value that has a time; {describe(fields[name])} has none.")
            return int(fields[name].clock)
    return truncated


def _check_no_gaps(fields: Fields, names: tuple[str, ...]) -> None:
    """Refuses a component that stands without the next greater one: a minute needs an hour."""
    if names is _TIME_COMPONENTS:
        names = (
            *_TIME_COMPONENTS,
            next((name for name in _FRACTION_COMPONENTS if name in fields), _FRACTION_COMPONENTS[0]),
        )
    elif "year" not in fields:
        raise invalid_value("A date needs a year, or a value to take it from: {year: 2015} or {date: other}.")
    present = [name in fields for name in names]
    if sorted(present, reverse=True) != present:
        gap = names[present.index(False)]
        raise invalid_value(
            f"{names[present.index(True, present.index(False))]} is given without {gap}; give {gap} too."
        )


def _fraction_of_second(fields: Fields) -> int | None:
    """The fraction of the second in nanoseconds; None if it is not given.

    A unit counts from the next greater one that is given: with a millisecond, a microsecond is 0 to 999.
    """
    if fields.keys().isdisjoint(_FRACTION_COMPONENTS):
        return None
    total, greater_unit = 0, SECOND
    for name, size in (("millisecond", 10**6), ("microsecond", 1000), ("nanosecond", 1)):
        if name in fields:
            amount = _integer(fields, name, 0)
            check_range(name, amount, 0, greater_unit // size - 1)
            total += amount * size
            greater_unit = size
    return total


def _integer(fields: Fields, name: str, default: int) -> int:
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(f"{name} is an integer; {describe(value)} is none.")
    return value


# Checks of numeric components: builds a day or a time of day from them, and refuses those out of range.


def day_in_month(year: int, month: int, day: int) -> int:
    check_range("year", year, -MAX_YEAR, MAX_YEAR)
    check_range("month", month, 1, 12)
    check_range("day", day, 1, types.days_in_month(year, month), f" in month {month} of {year}")
    return types.day_number(year, month, day)


def day_in_week(year: int, week: int, weekday: int) -> int:
    check_range("year", year, -MAX_YEAR, MAX_YEAR)
    check_range("week", week, 1, types.weeks_in_year(year), f" in {year}")
    check_range("dayOfWeek", weekday, 1, 7)
    return check_day(types.day_in_week(year, week, weekday))


def day_in_quarter(year: int, quarter: int, day: int) -> int:
    check_range("year", year, -MAX_YEAR, MAX_YEAR)
    check_range("quarter", quarter, 1, 4)
    check_range("dayOfQuarter", day, 1, types.days_in_quarter(year, quarter), f" in quarter {quarter} of {year}")
    return types.first_day_of_quarter(year, quarter) + day - 1


def day_in_year(year: int, day: int) -> int:
    check_range("year", year, -MAX_YEAR, MAX_YEAR)
    check_range("ordinalDay", day, 1, types.days_in_year(year), f" in {year}")
    return types.day_number(year, 1, 1) + day - 1


def nanosecond_of_day(hour: int, minute: int, second: int, nanoseconds: int) -> int:
    """The nanoseconds from midnight to this time of day."""
    check_range("hour", hour, 0, 23)
    check_range("minute", minute, 0, 59)
    check_range("second", second, 0, 59)
    return hour * HOUR + minute * MINUTE + second * SECOND + nanoseconds


def check_range(name: str, number: int, least: int, greatest: int, where: str = "") -> None:
    if not least <= number <= greatest:
        raise invalid_value(f"{name} goes from {least} to {greatest}{where}; {describe(number)} is outside of it.")
