"""Computes with durations: from amounts, between two instants, added, multiplied. Knows no text and no map."""

from __future__ import annotations

import math
from fractions import Fraction

from keepgraph.temporal import calendar
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
    duration,
    in_zone,
    local,
    misfit,
    on_the_wall,
    refused,
    shown,
    whole,
)

_Placed = LocalDateTime | DateTime

# A fraction of a month is as long as in the average month of 400 years, 30.436875 days.
DAYS_IN_MONTH = Fraction(calendar.DAYS_IN_400_YEARS, 4800)


def of_amounts(months: Fraction, days: Fraction, seconds: Fraction) -> Duration:
    """A duration of these amounts; what is no whole month is given in days, what is no whole day in seconds."""
    days += (months - math.trunc(months)) * DAYS_IN_MONTH
    seconds += (days - math.trunc(days)) * 86_400
    return duration(math.trunc(months), math.trunc(days), math.trunc(seconds * SECOND))


def exactly(number: object) -> Fraction:
    """A number as it is written: 0.1 is a tenth."""
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise misfit(f"A duration is reckoned with numbers; {shown(number)} is none.")
    if isinstance(number, int):
        return Fraction(number)
    if not math.isfinite(number):
        raise refused(f"A duration cannot be reckoned with {number}.")
    return Fraction(repr(number))


# Between two instants


def between(a: object, b: object) -> Duration | None:
    """From a to b in months, then days, then seconds, so that `a + between(a, b)` is b."""
    if a is None or b is None:
        return None
    start, end, dated = _side_by_side("between", a, b)
    if not dated:
        return duration(0, 0, end.instant - start.instant)
    months = _months(start, end)
    start = _moved(start, months, 0, 0)
    days = _days(start, end)
    start = _moved(start, 0, days, 0)
    return duration(months, days, end.instant - start.instant)


def in_months(a: object, b: object) -> Duration | None:
    """The whole months from a to b; none if one of them has no date."""
    if a is None or b is None:
        return None
    start, end, dated = _side_by_side("inMonths", a, b)
    return duration(_months(start, end) if dated else 0, 0, 0)


def in_days(a: object, b: object) -> Duration | None:
    """The whole days from a to b; none if one of them has no date."""
    if a is None or b is None:
        return None
    start, end, dated = _side_by_side("inDays", a, b)
    return duration(0, _days(start, end) if dated else 0, 0)


def in_seconds(a: object, b: object) -> Duration | None:
    """The time that passes from a to b."""
    if a is None or b is None:
        return None
    start, end, _ = _side_by_side("inSeconds", a, b)
    return duration(0, 0, end.instant - start.instant)


def _side_by_side(function: str, a: object, b: object) -> tuple[_Placed, _Placed, bool]:
    """Both in one zone; what one lacks, the other lends it. And whether both have a date of their own."""
    one, other = _instant(function, a), _instant(function, b)
    day, other_day = _date_of(one), _date_of(other)
    dated = day is not None and other_day is not None
    day = day if day is not None else other_day or 0
    other_day = other_day if other_day is not None else day
    clock = one.clock if isinstance(one, Clocked) else 0
    other_clock = other.clock if isinstance(other, Clocked) else 0
    zone = one.zone if isinstance(one, Zoned) else None
    other_zone = other.zone if isinstance(other, Zoned) else zone
    zone = zone if zone is not None else other_zone
    if zone is None or other_zone is None:
        return LocalDateTime(day, clock), LocalDateTime(other_day, other_clock), dated
    start = one if isinstance(one, DateTime) else on_the_wall(day, clock, zone)
    end = other if isinstance(other, DateTime) else on_the_wall(other_day, other_clock, other_zone)
    return start, in_zone(end.instant, zone), dated


def _instant(function: str, value: object) -> Instant:
    if isinstance(value, Instant):
        return value
    raise misfit(
        f"duration.{function}() goes from one date or time to another, and {shown(value)} is neither;"
        " give date('2015-07-21') or the like."
    )


def _date_of(value: Instant) -> int | None:
    return value.day if isinstance(value, Dated) else None


def _months(start: _Placed, end: _Placed) -> int:
    last = end.day
    if last > start.day and end.clock < start.clock:
        last -= 1  # the last day is not over
    elif last < start.day and end.clock > start.clock:
        last += 1
    year, month, day = calendar.year_month_day(start.day)
    last_year, last_month, last_day = calendar.year_month_day(last)
    # 32 is more than any month has days, so that days cannot make up a month
    return whole(((last_year - year) * 12 + last_month - month) * 32 + last_day - day, 32)


def _days(start: _Placed, end: _Placed) -> int:
    return whole((end.day - start.day) * DAY + end.clock - start.clock, DAY)


# Arithmetic


def add(a: object, b: object) -> Instant | Duration | None:
    """An instant and a duration, in either order, or two durations."""
    if a is None or b is None:
        return None
    if isinstance(a, Duration) and isinstance(b, Duration):
        return duration(a.months + b.months, a.days + b.days, a.clock + b.clock)
    if isinstance(a, Instant) and isinstance(b, Duration):
        return _later(a, b.months, b.days, b.clock)
    if isinstance(a, Duration) and isinstance(b, Instant):
        return _later(b, a.months, a.days, a.clock)
    raise misfit(f"{shown(a)} and {shown(b)} cannot be added; a duration can be added to a date, a time or a duration.")


def subtract(a: object, b: object) -> Instant | Duration | None:
    """An instant without a duration, or a duration without another."""
    if a is None or b is None:
        return None
    if isinstance(b, Duration):
        if isinstance(a, Duration):
            return duration(a.months - b.months, a.days - b.days, a.clock - b.clock)
        if isinstance(a, Instant):
            return _later(a, -b.months, -b.days, -b.clock)
    if isinstance(a, Instant) and isinstance(b, Instant):
        raise misfit("One date or time cannot be subtracted from another; write duration.between(a, b).")
    raise misfit(f"{shown(b)} cannot be subtracted from {shown(a)}; a duration can, from a date, a time or a duration.")


def multiply(a: object, number: object) -> Duration | None:
    if a is None or number is None:
        return None
    if not isinstance(a, Duration):
        raise misfit(f"{shown(a)} cannot be multiplied; a duration can, by a number.")
    factor = exactly(number)
    return of_amounts(a.months * factor, a.days * factor, Fraction(a.clock, SECOND) * factor)


def divide(a: object, number: object) -> Duration | None:
    if a is None or number is None:
        return None
    if not isinstance(a, Duration):
        raise misfit(f"{shown(a)} cannot be divided; a duration can, by a number.")
    divisor = exactly(number)
    if not divisor:
        raise refused("A duration cannot be divided by zero.")
    return of_amounts(a.months / divisor, a.days / divisor, Fraction(a.clock, SECOND) / divisor)


def _later(value: Instant, months: int, days: int, clock: int) -> Instant:
    """What an instant has no place for, it ignores: a date the hours, a time the days."""
    if isinstance(value, Date):
        day = calendar.months_later(value.day, months) + days + whole(clock, DAY)
        return Date(checked(day))
    if isinstance(value, LocalTime):
        return LocalTime((value.clock + clock) % DAY)
    if isinstance(value, Time):
        return Time((value.clock + clock) % DAY, value.offset)
    return _moved(value, months, days, clock)


def _moved(value: _Placed, months: int, days: int, clock: int) -> _Placed:
    """Months and days on the calendar, then the time that passes."""
    day = checked(calendar.months_later(value.day, months) + days)
    if isinstance(value, LocalDateTime):
        return local(day * DAY + value.clock + clock)
    if day != value.day:
        value = on_the_wall(day, value.clock, value.zone, value.offset)
    return in_zone(value.instant + clock, value.zone) if clock else value
