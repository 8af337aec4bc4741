"""Puts temporal values together from maps and from other temporal values. Knows no text but the name of a zone.

A map names components (`year`, `hour`), or values to take the rest from (`date`, `time`, `datetime`), or both.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from keepgraph.temporal import calendar, components, durations, time_zones
from keepgraph.temporal.time_zones import Zone
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
    on_the_wall,
    refused,
    shown,
)

Fields = Mapping[str, Any]

_OF_DATE = "year month day week dayOfWeek quarter dayOfQuarter ordinalDay".split()
_OF_FRACTION = "millisecond microsecond nanosecond".split()
_OF_CLOCK = ["hour", "minute", "second", *_OF_FRACTION]
_OF_EPOCH = ["epochSeconds", "epochMillis"]
_OF_MONTHS = {"years": 12, "quarters": 3, "months": 1}
_OF_DAYS = {"weeks": 7, "days": 1}
_OF_SECONDS = {
    "hours": Fraction(3600),
    "minutes": Fraction(60),
    "seconds": Fraction(1),
    "milliseconds": Fraction(1, 10**3),
    "microseconds": Fraction(1, 10**6),
    "nanoseconds": Fraction(1, 10**9),
}

COMPONENTS = {
    "date": ["date", "datetime", *_OF_DATE],
    "localtime": ["time", "datetime", *_OF_CLOCK],
    "time": ["time", "datetime", *_OF_CLOCK],
    "localdatetime": ["date", "time", "datetime", *_OF_DATE, *_OF_CLOCK],
    "datetime": ["date", "time", "datetime", *_OF_DATE, *_OF_CLOCK],
    "duration": [*_OF_MONTHS, *_OF_DAYS, *_OF_SECONDS],
}
ZONED = {"time", "datetime"}
_AROUND = {"datetime": ["timezone", *_OF_EPOCH], "duration": []}


def current(kind: str, now: datetime, timezone: object = None) -> Instant:
    """What the clocks of a zone show at an instant; in UTC if no zone is named."""
    passed = now - datetime(1970, 1, 1, tzinfo=UTC)
    instant = (passed.days * 86_400 + passed.seconds) * SECOND + passed.microseconds * 1000
    return convert(kind, in_zone(instant, time_zones.UTC if timezone is None else read_zone(timezone)))


def convert(kind: str, value: Instant) -> Instant:
    """The same in another kind: what that has no place for is left out, and a date begins at midnight, in UTC."""
    if kind == "date" and isinstance(value, Dated):
        return Date(value.day)
    if kind == "localtime" and isinstance(value, Clocked):
        return LocalTime(value.clock)
    if kind == "time" and isinstance(value, Clocked):
        return Time(value.clock, value.offset if isinstance(value, Zoned) else time_zones.UTC)
    if kind in ("localdatetime", "datetime") and isinstance(value, Dated):
        clock = value.clock if isinstance(value, Clocked) else 0
        if kind == "localdatetime":
            return LocalDateTime(value.day, clock)
        return value if isinstance(value, DateTime) else DateTime(value.day, clock, time_zones.UTC)
    missing = "time" if isinstance(value, Date) else "date"
    raise misfit(f"{kind}() needs a {missing}, which {shown(value)} does not have; add it with a map of components.")


def compose(kind: str, fields: Fields, now: datetime) -> Instant | Duration | None:
    """A value of a kind from a map; null if any of its components is."""
    known = [*COMPONENTS[kind], *_AROUND.get(kind, ["timezone"])]
    refuse_strangers(f"{kind}()", fields, known)
    if not fields:
        raise refused(f"{kind}({{}}) says nothing; name at least one of {', '.join(known)}.")
    if any(value is None for value in fields.values()):
        return None
    if kind == "duration":
        return _duration(fields)
    if fields.keys() == {"timezone"}:
        return current(kind, now, fields["timezone"])
    if "timezone" in fields and kind not in ZONED:
        raise refused(f"A value of {kind}() has no time zone; leave timezone out, or take time() or datetime().")
    if not fields.keys().isdisjoint(_OF_EPOCH):
        return _since_epoch(fields)
    if "datetime" in fields and ("date" in fields or "time" in fields):
        raise refused("datetime already gives the date and the time; leave out date and time, or datetime.")
    if kind == "date":
        return Date(day_of(fields))
    if kind == "localtime":
        return LocalTime(clock_of(fields))
    if kind == "time":
        return _time(fields, now)
    if kind == "localdatetime":
        return LocalDateTime(day_of(fields), clock_of(fields))
    return _datetime(fields)


def refuse_strangers(function: str, fields: Fields, known: list[str]) -> None:
    for name in fields:
        if name not in known:
            raise refused(f"{function} knows no component {shown(name)}; it knows {', '.join(known)}.")


def read_zone(value: object) -> Zone:
    if not isinstance(value, str):
        raise misfit(f"A time zone is a string such as '+01:00' or 'Europe/Stockholm'; {shown(value)} is none.")
    return time_zones.read(value)


def day_of(fields: Fields, truncated: int | None = None) -> int:
    """The day that the components name; what they leave open is that of the value they select, or the first."""
    base = _selected_day(fields, truncated)
    named = [form for form in _FORMS if not fields.keys().isdisjoint(form)]
    if len(named) > 1:
        one, other = (next(name for name in form if name in fields) for form in named[:2])
        raise refused(f"{one} and {other} belong to different ways of naming a day; use one of them.")
    form = named[0] if named else _FORMS[0]
    if base is None:
        _refuse_gaps(fields, ("year", *form))
    year, month, day = calendar.year_month_day(base) if base is not None else (0, 1, 1)
    if form == _BY_WEEK:
        year, week = calendar.year_and_week(base) if base is not None else (0, 1)
        weekday = calendar.day_of_week(base) if base is not None else 1
        return components.day_in_week(
            _integer(fields, "year", year), _integer(fields, "week", week), _integer(fields, "dayOfWeek", weekday)
        )
    year = _integer(fields, "year", year)
    if form == _BY_QUARTER:
        day = calendar.day_of_quarter(base) if base is not None else 1
        quarter = _integer(fields, "quarter", calendar.quarter_of(month))
        return components.day_in_quarter(year, quarter, _integer(fields, "dayOfQuarter", day))
    if form == _BY_ORDINAL:
        return components.day_in_year(year, _integer(fields, "ordinalDay", 1))
    return components.day_in_month(year, _integer(fields, "month", month), _integer(fields, "day", day))


def clock_of(fields: Fields, truncated: int | None = None) -> int:
    """The time of day that the components name; what they leave open is that of the value they select, or zero."""
    base = _selected_clock(fields, truncated)
    if base is None:
        _refuse_gaps(fields, _BY_CLOCK)
        base = 0
    seconds, fraction = divmod(base, SECOND)
    given = _fraction(fields)
    return components.clock(
        _integer(fields, "hour", seconds // 3600),
        _integer(fields, "minute", seconds // 60 % 60),
        _integer(fields, "second", seconds % 60),
        fraction if given is None else given,
    )


def offset_in(zone: Zone, source: object, now: datetime | None) -> int:
    """The offset of a zone for a time that has no date: at the instant that the time is taken from, or now."""
    if not isinstance(zone, str):
        return zone
    if isinstance(source, DateTime):
        return time_zones.offset_of_instant(zone, source.instant // SECOND)
    if now is None:
        raise refused(f"What the offset of {zone} is depends on the date, and a time has none; write '+01:00' or such.")
    at = current("datetime", now, zone)
    return at.offset if isinstance(at, DateTime) else time_zones.UTC


def _time(fields: Fields, now: datetime) -> Time:
    source = fields.get("time", fields.get("datetime"))
    clock = clock_of(fields)
    own = source.offset if isinstance(source, Zoned) else None
    if "timezone" not in fields:
        return Time(clock, own or time_zones.UTC)
    offset = offset_in(read_zone(fields["timezone"]), source, now)
    return Time(clock if own is None else (clock + (offset - own) * SECOND) % DAY, offset)


def _datetime(fields: Fields) -> DateTime:
    source = fields.get("time", fields.get("datetime"))
    day, clock = day_of(fields), clock_of(fields)
    zone = read_zone(fields["timezone"]) if "timezone" in fields else None
    if not isinstance(source, Zoned):
        return on_the_wall(day, clock, time_zones.UTC if zone is None else zone)
    found = on_the_wall(day, clock, source.zone, source.offset)
    return found if zone is None else in_zone(found.instant, zone)


def _since_epoch(fields: Fields) -> DateTime:
    strangers = [name for name in fields if name not in (*_OF_EPOCH, *_OF_FRACTION, "timezone")]
    if strangers or len([name for name in _OF_EPOCH if name in fields]) > 1:
        raise refused(
            "With epochSeconds or epochMillis, one of them, go only millisecond, microsecond, nanosecond and timezone."
        )
    if "epochMillis" in fields:
        if "millisecond" in fields:
            raise refused("epochMillis already counts milliseconds; leave millisecond out.")
        instant = _integer(fields, "epochMillis", 0) * 10**6 + (_fraction({**fields, "millisecond": 0}) or 0)
    else:
        instant = _integer(fields, "epochSeconds", 0) * SECOND + (_fraction(fields) or 0)
    checked(instant // DAY)
    return in_zone(instant, read_zone(fields.get("timezone", "Z")))


def _duration(fields: Fields) -> Duration:
    def total(units: Mapping[str, int | Fraction]) -> Fraction:
        return sum((durations.exactly(fields[name]) * units[name] for name in units if name in fields), Fraction(0))

    return durations.of_amounts(total(_OF_MONTHS), total(_OF_DAYS), total(_OF_SECONDS))


_BY_MONTH = ("month", "day")
_BY_WEEK = ("week", "dayOfWeek")
_BY_QUARTER = ("quarter", "dayOfQuarter")
_BY_ORDINAL = ("ordinalDay",)
_FORMS = (_BY_MONTH, _BY_WEEK, _BY_QUARTER, _BY_ORDINAL)
_BY_CLOCK = ("hour", "minute", "second")


def _selected_day(fields: Fields, truncated: int | None) -> int | None:
    for name in ("date", "datetime"):
        if name in fields:
            if not isinstance(fields[name], Dated):
                raise misfit(f"{name} needs a value that has a date; {shown(fields[name])} has none.")
            return int(fields[name].day)
    return truncated


def _selected_clock(fields: Fields, truncated: int | None) -> int | None:
    for name in ("time", "datetime"):
        if name in fields:
            if not isinstance(fields[name], Clocked):
                raise misfit(f"{name} needs a value that has a time; {shown(fields[name])} has none.")
            return int(fields[name].clock)
    return truncated


def _refuse_gaps(fields: Fields, names: tuple[str, ...]) -> None:
    """Smaller components may be left out, greater ones may not."""
    if names is _BY_CLOCK:
        names = (*_BY_CLOCK, next((name for name in _OF_FRACTION if name in fields), _OF_FRACTION[0]))
    elif "year" not in fields:
        raise refused("A date needs a year, or a value to take it from: {year: 2015} or {date: other}.")
    present = [name in fields for name in names]
    if sorted(present, reverse=True) != present:
        gap = names[present.index(False)]
        raise refused(f"{names[present.index(True, present.index(False))]} is given without {gap}; give {gap} too.")


def _fraction(fields: Fields) -> int | None:
    """The fraction of the second in nanoseconds; a unit counts what is beyond the next greater one that is given."""
    if fields.keys().isdisjoint(_OF_FRACTION):
        return None
    total, greatest = 0, SECOND
    for name, size in (("millisecond", 10**6), ("microsecond", 1000), ("nanosecond", 1)):
        if name in fields:
            amount = _integer(fields, name, 0)
            components.within(name, amount, 0, greatest // size - 1)
            total += amount * size
            greatest = size
    return total


def _integer(fields: Fields, name: str, otherwise: int) -> int:
    value = fields.get(name, otherwise)
    if isinstance(value, bool) or not isinstance(value, int):
        raise misfit(f"{name} is an integer; {shown(value)} is none.")
    return value
