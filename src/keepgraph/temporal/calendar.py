"""Calendar arithmetic: days, months, quarters and weeks of ISO 8601 in the proleptic Gregorian calendar.

A day is a number: day 0 is 1970-01-01. The calendar has no first year, and year 0 comes before year 1.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

DAYS_IN_400_YEARS = 146_097

_EPOCH = 719_162  # days from 0001-01-01 to 1970-01-01
_COMMON_YEAR = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LEAP_YEAR = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAYS_BEFORE_MONTH = {False: (0, *accumulate(_COMMON_YEAR)), True: (0, *accumulate(_LEAP_YEAR))}
"""By whether the year is a leap year: the days before each month."""


def day_number(year: int, month: int, day: int) -> int:
    """The number of a day that exists; the components are not checked."""
    years = year - 1
    leap_days = years // 4 - years // 100 + years // 400
    return years * 365 + leap_days + _DAYS_BEFORE_MONTH[is_leap(year)][month - 1] + day - 1 - _EPOCH


def year_month_day(number: int) -> tuple[int, int, int]:
    """The inverse of `day_number`."""
    cycles, days = divmod(number + _EPOCH, DAYS_IN_400_YEARS)
    centuries = min(days // 36_524, 3)  # the last century of four, and the last year of four, have one more day
    four_years, days = divmod(days - centuries * 36_524, 1_461)
    years = min(days // 365, 3)
    days -= years * 365
    year = 400 * cycles + 100 * centuries + 4 * four_years + years + 1
    before = _DAYS_BEFORE_MONTH[is_leap(year)]
    month = bisect_right(before, days)
    return year, month, days - before[month - 1] + 1


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    return (_LEAP_YEAR if is_leap(year) else _COMMON_YEAR)[month - 1]


def days_in_year(year: int) -> int:
    return 366 if is_leap(year) else 365


def day_of_year(number: int) -> int:
    year, _, _ = year_month_day(number)
    return number - day_number(year, 1, 1) + 1


def add_months(number: int, months: int) -> int:
    """The day with the same number so many months later; the last day of that month if it is shorter."""
    year, month, day = year_month_day(number)
    year, month = divmod(year * 12 + month - 1 + months, 12)
    return day_number(year, month + 1, min(day, days_in_month(year, month + 1)))


# Weeks of ISO 8601: they begin on Monday, and belong to the year that has most of their days


def day_of_week(number: int) -> int:
    """Monday is 1, Sunday is 7."""
    return (number + 3) % 7 + 1


def year_and_week(number: int) -> tuple[int, int]:
    """The year that the week of a day belongs to, and the number of the week in it."""
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
