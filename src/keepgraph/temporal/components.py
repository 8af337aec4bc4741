"""Checks of numeric components: builds a day or a time of day from them, and refuses those out of range."""

from __future__ import annotations

from keepgraph.temporal import calendar
from keepgraph.temporal.types import HOUR, MAX_YEAR, MINUTE, SECOND, check_day, describe, invalid_value


def day_in_month(year: int, month: int, day: int) -> int:
    check_range("year", year, -MAX_YEAR, MAX_YEAR)
    check_range("month", month, 1, 12)
    check_range("day", day, 1, calendar.days_in_month(year, month), f" in month {month} of {year}")
    return calendar.day_number(year, month, day)


def day_in_week(year: int, week: int, weekday: int) -> int:
    check_range("year", year, -MAX_YEAR, MAX_YEAR)
    check_range("week", week, 1, calendar.weeks_in_year(year), f" in {year}")
    check_range("dayOfWeek", weekday, 1, 7)
    return check_day(calendar.day_in_week(year, week, weekday))


def day_in_quarter(year: int, quarter: int, day: int) -> int:
    check_range("year", year, -MAX_YEAR, MAX_YEAR)
    check_range("quarter", quarter, 1, 4)
    check_range("dayOfQuarter", day, 1, calendar.days_in_quarter(year, quarter), f" in quarter {quarter} of {year}")
    return calendar.first_day_of_quarter(year, quarter) + day - 1


def day_in_year(year: int, day: int) -> int:
    check_range("year", year, -MAX_YEAR, MAX_YEAR)
    check_range("ordinalDay", day, 1, calendar.days_in_year(year), f" in {year}")
    return calendar.day_number(year, 1, 1) + day - 1


def nanosecond_of_day(hour: int, minute: int, second: int, nanoseconds: int) -> int:
    """The nanoseconds from midnight to this time of day."""
    check_range("hour", hour, 0, 23)
    check_range("minute", minute, 0, 59)
    check_range("second", second, 0, 59)
    return hour * HOUR + minute * MINUTE + second * SECOND + nanoseconds


def check_range(name: str, number: int, least: int, greatest: int, where: str = "") -> None:
    if not least <= number <= greatest:
        raise invalid_value(f"{name} goes from {least} to {greatest}{where}; {describe(number)} is outside of it.")
