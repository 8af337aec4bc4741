"""Parser of ISO 8601: dates, times and durations, extended or basic; and the instants that a graph stores as texts."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from keepgraph.errors import QueryFailed
from keepgraph.temporal import construction, types
from keepgraph.temporal.durations import from_amounts
from keepgraph.temporal.types import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    Date,
    DateTime,
    Duration,
    LocalDateTime,
    LocalTime,
    Time,
    Zone,
    at_local_time,
    describe,
    invalid_value,
    year_month_day,
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
_DURATION = re.compile(
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


def parse_date(text: str) -> Date:
    if "T" in text:
        raise _parse_error(
            "a date", text, "A date has no time; use localdatetime() or datetime(), or leave out the time."
        )
    return Date(_parse_day(text))


def parse_local_time(text: str) -> LocalTime:
    clock, offset, name = _parse_clock(text.removeprefix("T"), text)
    if offset or name:
        raise _parse_error("a local time", text, "A local time has no time zone; use time(), or leave out the zone.")
    return LocalTime(clock)


def parse_time(text: str) -> tuple[Time, str | None]:
    """The time, and the name of its zone if it has one instead of an offset; the offset is UTC then."""
    clock, offset, name = _parse_clock(text.removeprefix("T"), text)
    return Time(clock, types.parse_offset(offset) if offset else types.UTC), None if offset else name


def parse_local_datetime(text: str) -> LocalDateTime:
    day, clock, offset, name = _parse_day_and_clock(text)
    if offset or name:
        raise _parse_error("a local datetime", text, "It has no time zone; use datetime(), or leave out the zone.")
    return LocalDateTime(day, clock)


def parse_datetime(text: str) -> DateTime:
    day, clock, offset, name = _parse_day_and_clock(text)
    offset_seconds = types.parse_offset(offset) if offset else None
    if name is None:
        return at_local_time(day, clock, offset_seconds or types.UTC)
    zone: Zone = types.parse_zone(name)
    result = at_local_time(day, clock, zone, offset_seconds)
    if offset_seconds is not None and offset_seconds != result.offset:
        raise invalid_value(
            f"In {name}, clocks that show {LocalDateTime(day, clock)} are {types.format_offset(result.offset)} "
            f"from UTC, not {types.format_offset(offset_seconds)}; leave out one of the two."
        )
    return result


def _parse_day_and_clock(text: str) -> tuple[int, int, str | None, str | None]:
    date_text, separator, time_text = text.partition("T")
    return (_parse_day(date_text), *_parse_clock(time_text, text)) if separator else (_parse_day(text), 0, None, None)


def _parse_day(text: str) -> int:
    match = _EXTENDED_DATE.fullmatch(text) or _BASIC_DATE.fullmatch(text)
    if not match:
        raise _parse_error("a date", text, "Write it as 2015-07-21, 2015-W30-2, 2015-Q3-21 or 2015-202.")
    part = {name: int(digits) for name, digits in match.groupdict().items() if digits is not None}
    year = part["year"]
    if "week" in part:
        return construction.day_in_week(year, part["week"], part.get("weekday", 1))
    if "quarter" in part:
        return construction.day_in_quarter(year, part["quarter"], part.get("quarter_day", 1))
    if "ordinal" in part:
        return construction.day_in_year(year, part["ordinal"])
    return construction.day_in_month(year, part.get("month", 1), part.get("day", 1))


def _parse_clock(text: str, full_text: str) -> tuple[int, str | None, str | None]:
    """The nanoseconds from midnight, and the texts of the offset and of the name of the zone."""
    match = _EXTENDED_TIME.fullmatch(text) or _BASIC_TIME.fullmatch(text)
    if not match:
        raise _parse_error(
            "a time", full_text, "Write it as 21:40:32.142 or 2140, with +01:00 or Z behind it if zoned."
        )
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    fraction = int((match["fraction"] or "").ljust(9, "0"))
    return construction.nanosecond_of_day(hour, minute, second, fraction), match["offset"], match["zone"]


def parse_duration(text: str) -> Duration:
    match = _DURATION.fullmatch(text)
    if not match:
        return _parse_duration_as_date(text)
    amounts = {
        unit: Fraction((amount or "0").replace(",", "."))
        for unit, amount in match.groupdict().items()
        if unit != "sign"
    }
    sign = -1 if match["sign"] == "-" else 1
    return from_amounts(
        sign * (amounts["years"] * 12 + amounts["quarters"] * 3 + amounts["months"]),
        sign * (amounts["weeks"] * 7 + amounts["days"]),
        sign * (amounts["hours"] * 3600 + amounts["minutes"] * 60 + amounts["seconds"]),
    )


def _parse_duration_as_date(text: str) -> Duration:
    match = _DATE_AS_DURATION.fullmatch(text)
    if not match:
        raise _parse_error("a duration", text, "Write it as P1Y2M10DT2H30M1.5S, any of the amounts, in this order.")
    years, months, days, hours, minutes = (
        int(match[unit] or 0) for unit in ("years", "months", "days", "hours", "minutes")
    )
    seconds = Fraction((match["seconds"] or "0").replace(",", "."))
    construction.check_range("months", months, 0, 12)
    construction.check_range("days", days, 0, 31)
    construction.nanosecond_of_day(hours, minutes, int(seconds), 0)
    return from_amounts(Fraction(years * 12 + months), Fraction(days), hours * 3600 + minutes * 60 + seconds)


def _parse_error(what: str, text: str, advice: str) -> QueryFailed:
    return invalid_value(f"{describe(text)} cannot be read as {what}. {advice}")


# Instants as texts: which texts are read as instants or days, and what a temporal value is among timestamps.
#
# A timestamp is stored as a text in UTC (`2026-11-21T08:44:39.123Z`), and timestamps compare as texts. A value without
# a zone is in UTC.

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_INSTANT = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?", re.ASCII
)
_TIMESTAMP_LENGTH = len("2026-11-21T08:44:39.123Z")
_BEFORE_ALL, _AFTER_ALL = "", "~"


def read_instant(text: str) -> Date | LocalDateTime | DateTime | None:
    """The day or the instant that a text is, in the extended format of ISO 8601; None for any other text."""
    try:
        if _DAY.fullmatch(text):
            return parse_date(text)
        if _INSTANT.fullmatch(text):
            parse = parse_datetime if re.search(r"Z|[+-]\d\d(?::?\d\d)?$", text[10:]) else _parse_local
            return parse(text.replace(" ", "T"))
    except QueryFailed:
        pass  # the 30th of February
    return None


def read_timestamp(text: str) -> DateTime | None:
    """The instant that a timestamp is; None for any other text."""
    instant = read_instant(text) if len(text) == _TIMESTAMP_LENGTH and text[-1] == "Z" else None
    return instant if isinstance(instant, DateTime) else None


def bounds(value: Any) -> tuple[str, str] | None:
    """The first and the last timestamp that a day covers, or twice the one that an instant is; None for other values.

    What an instant has beyond milliseconds follows its Z, so that it comes after the timestamp and before the next.
    """
    if isinstance(value, str):
        value = read_instant(value)
    if isinstance(value, Date):
        start = value.day * DAY
        return _timestamp_of(start), _timestamp_of(start + DAY - 1_000_000)
    if isinstance(value, LocalDateTime | DateTime):
        text = _timestamp_of(value.instant)
        return text, text
    return None


def _timestamp_of(instant: int) -> str:
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
    """-1, 0 or 1 for a text and a temporal value, a day being its first instant; None if one is not an instant."""
    first, second = bounds(left), bounds(right)
    if first is None or second is None:
        return None
    return (first[0] > second[0]) - (first[0] < second[0])


def _parse_local(text: str) -> LocalDateTime:
    return parse_local_datetime(text)
