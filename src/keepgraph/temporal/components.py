"""Puts a day or a clock together from numbers, and refuses those that no calendar or clock has. Knows no text."""

from __future__ import annotations

from keepgraph.temporal import calendar
from keepgraph.temporal.types import HOUR, LAST_YEAR, MINUTE, SECOND, checked, refused, shown


def day_in_month(year: int, month: int, day: int) -> int:
    within("year", year, -LAST_YEAR, LAST_YEAR)
    within("month", month, 1, 12)
    within("day", day, 1, calendar.days_in_month(year, month), f" in month {month} of {year}")
    return calendar.day_number(year, month, day)


def day_in_week(year: int, week: int, weekday: int) -> int:
    within("year", year, -LAST_YEAR, LAST_YEAR)
    within("week", week, 1, calendar.weeks_in_year(year), f" in {year}")
    within("dayOfWeek", weekday, 1, 7)
    return checked(calendar.day_in_week(year, week, weekday))


def day_in_quarter(year: int, quarter: int, day: int) -> int:
    within("year", year, -LAST_YEAR, LAST_YEAR)
    within("quarter", quarter, 1, 4)
    within("dayOfQuarter", day, 1, calendar.days_in_quarter(year, quarter), f" in quarter {quarter} of {year}")
    return calendar.first_day_of_quarter(year, quarter) + day - 1


def day_in_year(year: int, day: int) -> int:
    within("year", year, -LAST_YEAR, LAST_YEAR)
    within("ordinalDay", day, 1, calendar.days_in_year(year), f" in {year}")
    return calendar.day_number(year, 1, 1) + day - 1


def clock(hour: int, minute: int, second: int, nanoseconds: int) -> int:
    """Nanoseconds from midnight."""
    within("hour", hour, 0, 23)
    within("minute", minute, 0, 59)
    within("second", second, 0, 59)
    return hour * HOUR + minute * MINUTE + second * SECOND + nanoseconds


def within(name: str, number: int, least: int, greatest: int, where: str = "") -> None:
    if not least <= number <= greatest:
        raise refused(f"{name} goes from {least} to {greatest}{where}; {shown(number)} is outside of it.")
