"""Durations: from amounts, between two instants, and in arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction

from keepgraph.temporal import types
from keepgraph.temporal.types import (
    DAY,
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
    make_duration,
    to_local_datetime,
    truncated_quotient,
    wrong_type,
)

_AnyDateTime = LocalDateTime | DateTime

# The calendar repeats every 400 years, so this is exact: 30.436875 days.
AVERAGE_DAYS_IN_MONTH = Fraction(types.DAYS_IN_400_YEARS, 4800)


def from_amounts(months: Fraction, days: Fraction, seconds: Fraction) -> Duration:
    """A duration of these amounts. A fraction of a month becomes days, a fraction of a day seconds."""
    days += (months - math.trunc(months)) * AVERAGE_DAYS_IN_MONTH
    seconds += (days - math.trunc(days)) * 86_400
    return make_duration(math.trunc(months), math.trunc(days), math.trunc(seconds * SECOND))


def to_fraction(number: object) -> Fraction:
    """The number as it is written in decimal: 0.1 is exactly a tenth."""
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise wrong_type(f"A duration is reckoned with numbers; {describe(number)} is none.")
    if isinstance(number, int):
        return Fraction(number)
    if not math.isfinite(number):
        raise invalid_value(f"A duration cannot be reckoned with {number}.")
    return Fraction(repr(number))


# Between two instants


def between(a: object, b: object) -> Duration | None:
    """From a to b in whole months, then whole days, then seconds, so that `a + between(a, b)` is b."""
    if a is None or b is None:
        return None
    start, end, dated = _in_one_zone("between", a, b)
    if not dated:
        return make_duration(0, 0, end.instant - start.instant)
    months = _whole_months(start, end)
    start = _shift(start, months, 0, 0)
    days = _whole_days(start, end)
    start = _shift(start, 0, days, 0)
    return make_duration(months, days, end.instant - start.instant)


def in_months(a: object, b: object) -> Duration | None:
    """The whole months from a to b; 0 if one of them has no date."""
    if a is None or b is None:
        return None
    start, end, dated = _in_one_zone("inMonths", a, b)
    return make_duration(_whole_months(start, end) if dated else 0, 0, 0)


def in_days(a: object, b: object) -> Duration | None:
    """The whole days from a to b; 0 if one of them has no date."""
    if a is None or b is None:
        return None
    start, end, dated = _in_one_zone("inDays", a, b)
    return make_duration(0, _whole_days(start, end) if dated else 0, 0)


def in_seconds(a: object, b: object) -> Duration | None:
    """The elapsed time from a to b."""
    if a is None or b is None:
        return None
    start, end, _ = _in_one_zone("inSeconds", a, b)
    return make_duration(0, 0, end.instant - start.instant)


def _in_one_zone(function: str, a: object, b: object) -> tuple[_AnyDateTime, _AnyDateTime, bool]:
    """Both values as dates with times in one zone, and whether both have a date of their own.

    A date or a zone that one of them does not have is taken from the other; a missing time is midnight.
    """
    first, second = _check_instant(function, a), _check_instant(function, b)
    first_day, second_day = _date_of(first), _date_of(second)
    both_dated = first_day is not None and second_day is not None
    first_day = first_day if first_day is not None else second_day or 0
    second_day = second_day if second_day is not None else first_day
    first_clock = first.clock if isinstance(first, WithTime) else 0
    second_clock = second.clock if isinstance(second, WithTime) else 0
    first_zone = first.zone if isinstance(first, WithOffset) else None
    second_zone = second.zone if isinstance(second, WithOffset) else first_zone
    first_zone = first_zone if first_zone is not None else second_zone
    if first_zone is None or second_zone is None:
        return LocalDateTime(first_day, first_clock), LocalDateTime(second_day, second_clock), both_dated
    start = first if isinstance(first, DateTime) else at_local_time(first_day, first_clock, first_zone)
    end = second if isinstance(second, DateTime) else at_local_time(second_day, second_clock, second_zone)
    return start, in_zone(end.instant, first_zone), both_dated


def _check_instant(function: str, value: object) -> Instant:
    if isinstance(value, Instant):
        return value
    raise wrong_type(
        f"duration.{function}() goes from one date or time to another, and {describe(value)} is neither;"
        " give date('2015-07-21') or the like."
    )


def _date_of(value: Instant) -> int | None:
    return value.day if isinstance(value, WithDate) else None


def _whole_months(start: _AnyDateTime, end: _AnyDateTime) -> int:
    last = end.day
    if last > start.day and end.clock < start.clock:
        last -= 1  # the last day is not complete
    elif last < start.day and end.clock > start.clock:
        last += 1
    year, month, day = types.year_month_day(start.day)
    last_year, last_month, last_day = types.year_month_day(last)
    # 32 is more than the days of any month, so that the difference of days never counts as a month
    return truncated_quotient(((last_year - year) * 12 + last_month - month) * 32 + last_day - day, 32)


def _whole_days(start: _AnyDateTime, end: _AnyDateTime) -> int:
    return truncated_quotient((end.day - start.day) * DAY + end.clock - start.clock, DAY)


# Arithmetic


def add(a: object, b: object) -> Instant | Duration | None:
    """The sum of an instant and a duration, in either order, or of two durations."""
    if a is None or b is None:
        return None
    if isinstance(a, Duration) and isinstance(b, Duration):
        return make_duration(a.months + b.months, a.days + b.days, a.clock + b.clock)
    if isinstance(a, Instant) and isinstance(b, Duration):
        return _add_to_instant(a, b.months, b.days, b.clock)
    if isinstance(a, Duration) and isinstance(b, Instant):
        return _add_to_instant(b, a.months, a.days, a.clock)
    raise wrong_type(
        f"{describe(a)} and {describe(b)} cannot be added; a duration can be added to a date, a time or a duration."
    )


def subtract(a: object, b: object) -> Instant | Duration | None:
    """The difference of an instant and a duration, or of two durations."""
    if a is None or b is None:
        return None
    if isinstance(b, Duration):
        if isinstance(a, Duration):
            return make_duration(a.months - b.months, a.days - b.days, a.clock - b.clock)
        if isinstance(a, Instant):
            return _add_to_instant(a, -b.months, -b.days, -b.clock)
    if isinstance(a, Instant) and isinstance(b, Instant):
        raise wrong_type("One date or time cannot be subtracted from another; write duration.between(a, b).")
    raise wrong_type(
        f"{describe(b)} cannot be subtracted from {describe(a)}; a duration can, from a date, a time or a duration."
    )


def multiply(a: object, number: object) -> Duration | None:
    if a is None or number is None:
        return None
    if not isinstance(a, Duration):
        raise wrong_type(f"{describe(a)} cannot be multiplied; a duration can, by a number.")
    factor = to_fraction(number)
    return from_amounts(a.months * factor, a.days * factor, Fraction(a.clock, SECOND) * factor)


def divide(a: object, number: object) -> Duration | None:
    if a is None or number is None:
        return None
    if not isinstance(a, Duration):
        raise wrong_type(f"{describe(a)} cannot be divided; a duration can, by a number.")
    divisor = to_fraction(number)
    if not divisor:
        raise invalid_value("A duration cannot be divided by zero.")
    return from_amounts(a.months / divisor, a.days / divisor, Fraction(a.clock, SECOND) / divisor)


def _add_to_instant(value: Instant, months: int, days: int, clock: int) -> Instant:
    """Adds to an instant; parts that it does not have are ignored: hours for a date, days for a time."""
    if isinstance(value, Date):
        day = types.add_months(value.day, months) + days + truncated_quotient(clock, DAY)
        return Date(check_day(day))
    if isinstance(value, LocalTime):
        return LocalTime((value.clock + clock) % DAY)
    if isinstance(value, Time):
        return Time((value.clock + clock) % DAY, value.offset)
    return _shift(value, months, days, clock)


def _shift(value: _AnyDateTime, months: int, days: int, clock: int) -> _AnyDateTime:
    """Adds months and days in the calendar, and then the elapsed time."""
    day = check_day(types.add_months(value.day, months) + days)
    if isinstance(value, LocalDateTime):
        return to_local_datetime(day * DAY + value.clock + clock)
    if day != value.day:
        value = at_local_time(day, value.clock, value.zone, value.offset)
    return in_zone(value.instant + clock, value.zone) if clock else value
