"""Reads dates, times and durations written as in ISO 8601, extended and basic. Knows no map and no clock."""

from __future__ import annotations

import re
from fractions import Fraction

from keepgraph.errors import QueryFailed
from keepgraph.temporal import components, time_zones
from keepgraph.temporal.durations import of_amounts
from keepgraph.temporal.time_zones import Zone
from keepgraph.temporal.types import (
    Date,
    DateTime,
    Duration,
    LocalDateTime,
    LocalTime,
    Time,
    on_the_wall,
    refused,
    shown,
)

_EXTENDED_DATE = re.compile(
    r"(?P<year>\d{4}|[+-]\d{1,9})"
    r"(?:-(?P<month>\d\d)(?:-(?P<day>\d\d))?"
    r"|-W(?P<week>\d\d)(?:-(?P<weekday>\d))?"
    r"|-Q(?P<quarter>\d)(?:-(?P<quarter_day>\d\d))?"
    r"|-(?P<ordinal>\d{3}))?",
    re.ASCII,
)
_BASIC_DATE = re.compile(
    r"(?P<year>\d{4})"
    r"(?:(?P<month>\d\d)(?P<day>\d\d)?"
    r"|W(?P<week>\d\d)(?P<weekday>\d)?"
    r"|Q(?P<quarter>\d)(?P<quarter_day>\d\d)?"
    r"|(?P<ordinal>\d{3}))",
    re.ASCII,
)
_ZONE = r"(?P<offset>Z|[+-][\d:]+)?(?:\[(?P<zone>[^\[\]]*)\])?"
_EXTENDED_TIME = re.compile(
    r"(?P<hour>\d\d)(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?)?" + _ZONE, re.ASCII
)
_BASIC_TIME = re.compile(
    r"(?P<hour>\d\d)(?:(?P<minute>\d\d)(?:(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?)?" + _ZONE, re.ASCII
)
_AMOUNT = r"[+-]?\d{1,19}(?:[.,]\d{1,18})?"
_AMOUNTS = re.compile(
    rf"(?P<sign>[+-])?P(?=.)(?:(?P<years>{_AMOUNT})Y)?(?:(?P<quarters>{_AMOUNT})Q)?(?:(?P<months>{_AMOUNT})M)?"
    rf"(?:(?P<weeks>{_AMOUNT})W)?(?:(?P<days>{_AMOUNT})D)?"
    rf"(?:T(?=.)(?:(?P<hours>{_AMOUNT})H)?(?:(?P<minutes>{_AMOUNT})M)?(?:(?P<seconds>{_AMOUNT})S)?)?",
    re.ASCII,
)
_DATE_AS_DURATION = re.compile(
    r"P(?P<years>\d{4})(?P<dash>-?)(?P<months>\d\d)(?P=dash)(?P<days>\d\d)"
    r"(?:T(?P<hours>\d\d)(?::?(?P<minutes>\d\d)(?::?(?P<seconds>\d\d(?:[.,]\d{1,9})?))?)?)?",
    re.ASCII,
)


def date(text: str) -> Date:
    if "T" in text:
        raise _unread("a date", text, "A date has no time; take localdatetime() or datetime(), or leave the time away.")
    return Date(_day(text))


def local_time(text: str) -> LocalTime:
    clock, offset, name = _clock(text.removeprefix("T"), text)
    if offset or name:
        raise _unread("a local time", text, "A local time has no time zone; take time(), or leave the zone away.")
    return LocalTime(clock)


def time(text: str) -> tuple[Time, str | None]:
    """The time, and the name of its zone if it has one in place of an offset: then the offset is that of UTC."""
    clock, offset, name = _clock(text.removeprefix("T"), text)
    return Time(clock, time_zones.read_offset(offset) if offset else time_zones.UTC), None if offset else name


def local_datetime(text: str) -> LocalDateTime:
    day, clock, offset, name = _day_and_clock(text)
    if offset or name:
        raise _unread("a local datetime", text, "It has no time zone; take datetime(), or leave the zone away.")
    return LocalDateTime(day, clock)


def datetime(text: str) -> DateTime:
    day, clock, offset, name = _day_and_clock(text)
    given = time_zones.read_offset(offset) if offset else None
    if name is None:
        return on_the_wall(day, clock, given or time_zones.UTC)
    zone: Zone = time_zones.read(name)
    found = on_the_wall(day, clock, zone, given)
    if given is not None and given != found.offset:
        raise refused(
            f"In {name}, clocks that show {LocalDateTime(day, clock)} are {time_zones.offset_text(found.offset)} "
            f"from UTC, not {time_zones.offset_text(given)}; leave out one of the two."
        )
    return found


def _day_and_clock(text: str) -> tuple[int, int, str | None, str | None]:
    before, mark, after = text.partition("T")
    return (_day(before), *_clock(after, text)) if mark else (_day(text), 0, None, None)


def _day(text: str) -> int:
    found = _EXTENDED_DATE.fullmatch(text) or _BASIC_DATE.fullmatch(text)
    if not found:
        raise _unread("a date", text, "Write it as 2015-07-21, 2015-W30-2, 2015-Q3-21 or 2015-202.")
    part = {name: int(digits) for name, digits in found.groupdict().items() if digits is not None}
    year = part["year"]
    if "week" in part:
        return components.day_in_week(year, part["week"], part.get("weekday", 1))
    if "quarter" in part:
        return components.day_in_quarter(year, part["quarter"], part.get("quarter_day", 1))
    if "ordinal" in part:
        return components.day_in_year(year, part["ordinal"])
    return components.day_in_month(year, part.get("month", 1), part.get("day", 1))


def _clock(text: str, whole_text: str) -> tuple[int, str | None, str | None]:
    """Nanoseconds from midnight, then what was written of an offset and of a zone."""
    found = _EXTENDED_TIME.fullmatch(text) or _BASIC_TIME.fullmatch(text)
    if not found:
        raise _unread("a time", whole_text, "Write it as 21:40:32.142 or 2140, with +01:00 or Z behind it if zoned.")
    hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
    fraction = int((found["fraction"] or "").ljust(9, "0"))
    return components.clock(hour, minute, second, fraction), found["offset"], found["zone"]


def duration(text: str) -> Duration:
    found = _AMOUNTS.fullmatch(text)
    if not found:
        return _date_as_duration(text)
    amounts = {
        unit: Fraction((amount or "0").replace(",", "."))
        for unit, amount in found.groupdict().items()
        if unit != "sign"
    }
    sign = -1 if found["sign"] == "-" else 1
    return of_amounts(
        sign * (amounts["years"] * 12 + amounts["quarters"] * 3 + amounts["months"]),
        sign * (amounts["weeks"] * 7 + amounts["days"]),
        sign * (amounts["hours"] * 3600 + amounts["minutes"] * 60 + amounts["seconds"]),
    )


def _date_as_duration(text: str) -> Duration:
    found = _DATE_AS_DURATION.fullmatch(text)
    if not found:
        raise _unread("a duration", text, "Write it as P1Y2M10DT2H30M1.5S, any of the amounts, in this order.")
    years, months, days, hours, minutes = (
        int(found[unit] or 0) for unit in ("years", "months", "days", "hours", "minutes")
    )
    seconds = Fraction((found["seconds"] or "0").replace(",", "."))
    components.within("months", months, 0, 12)
    components.within("days", days, 0, 31)
    components.clock(hours, minutes, int(seconds), 0)
    return of_amounts(Fraction(years * 12 + months), Fraction(days), hours * 3600 + minutes * 60 + seconds)


def _unread(what: str, text: str, advice: str) -> QueryFailed:
    return refused(f"{shown(text)} cannot be read as {what}. {advice}")
