"""Counts days in the Gregorian calendar of ISO 8601, its weeks and quarters too. Knows no time of day and no text.

A day is a number: day 0 is 1970-01-01. The calendar reaches back without end, and year 0 comes before year 1.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

DAYS_IN_400_YEARS = 146_097

_EPOCH = 719_162  # days from 0001-01-01 to 1970-01-01
_COMMON = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LEAP = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_BEFORE = {False: (0, *accumulate(_COMMON)), True: (0, *accumulate(_LEAP))}


def day_number(year: int, month: int, day: int) -> int:
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400 + _BEFORE[is_leap(year)][month - 1] + day - 1 - _EPOCH


def year_month_day(number: int) -> tuple[int, int, int]:
    cycles, rest = divmod(number + _EPOCH, DAYS_IN_400_YEARS)
    centuries = min(rest // 36_524, 3)  # the last century of four, and the last year of four, have one day more
    fours, rest = divmod(rest - centuries * 36_524, 1_461)
    years = min(rest // 365, 3)
    rest -= years * 365
    year = 400 * cycles + 100 * centuries + 4 * fours + years + 1
    before = _BEFORE[is_leap(year)]
    month = bisect_right(before, rest)
    return year, month, rest - before[month - 1] + 1


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    return (_LEAP if is_leap(year) else _COMMON)[month - 1]


def days_in_year(year: int) -> int:
    return 366 if is_leap(year) else 365


def day_of_year(number: int) -> int:
    year, _, _ = year_month_day(number)
    return number - day_number(year, 1, 1) + 1


def months_later(number: int, months: int) -> int:
    """The same day so many months later, or the last day of that month if it has no such day."""
    year, month, day = year_month_day(number)
    year, month = divmod(year * 12 + month - 1 + months, 12)
    return day_number(year, month + 1, min(day, days_in_month(year, month + 1)))


# Weeks: they begin on Monday, and a week belongs to the year that has most of its days.


def day_of_week(number: int) -> int:
    """Monday is 1, Sunday is 7."""
    return (number + 3) % 7 + 1


def year_and_week(number: int) -> tuple[int, int]:
    thursday = number - day_of_week(number) + 4
    year, _, _ = year_month_day(thursday)
    return year, (thursday - day_number(year, 1, 1)) // 7 + 1


def weeks_in_year(year: int) -> int:
    return year_and_week(day_number(year, 12, 28))[1]


def day_in_week(year: int, week: int, weekday: int) -> int:
    in_first_week = day_number(year, 1, 4)
    return in_first_week - day_of_week(in_first_week) + 7 * (week - 1) + weekday


# Quarters


def quarter_of(month: int) -> int:
    return (month + 2) // 3


def first_day_of_quarter(year: int, quarter: int) -> int:
    return day_number(year, 3 * quarter - 2, 1)


def days_in_quarter(year: int, quarter: int) -> int:
    return sum(days_in_month(year, 3 * quarter - month) for month in range(3))


def day_of_quarter(number: int) -> int:
    year, month, _ = year_month_day(number)
    return number - first_day_of_quarter(year, quarter_of(month)) + 1
