"""Calendar arithmetic: days, months, quarters and weeks of ISO 8601 in the proleptic Gregorian calendar.

A day is a number: day 0 is 1970-01-01. The calendar has no first year, and year 0 comes before year 1.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from keepgraph.errors import QueryFailed

if TYPE_CHECKING:
    from datetime import datetime
    from zoneinfo import ZoneInfo


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
    """The day with the same number some months later; the last day of that month if it is shorter."""
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


# Time zones: parsing and formatting of offsets, and the offset of a named zone at some time.
#
# A zone is an offset from UTC in seconds, or a name of the IANA database.

Zone = int | str

UTC = 0

_OFFSET = re.compile(r"([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?", re.ASCII)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*", re.ASCII)
_MAX_OFFSET = 18 * 3600


def parse_zone(text: str) -> Zone:
    """`Z`, `+01:00`, `-0230`, `+02`, `+00:53:28` or `Europe/Stockholm`."""
    if text in ("Z", "z") or text.startswith(("+", "-")):
        return parse_offset(text)
    # The proposal that brought time zones to openCypher writes America/Los Angeles.
    name = text.replace(" ", "_")
    if len(name) > 64 or not _NAME.fullmatch(name):
        raise _unknown_zone(text)
    _zone_info(name)
    return name


def parse_offset(text: str) -> int:
    if text in ("Z", "z"):
        return UTC
    match = _OFFSET.fullmatch(text)
    if not match:
        raise _unknown_zone(text)
    sign, hours, minutes, seconds = match.groups(default="0")
    offset = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    if int(minutes) > 59 or int(seconds) > 59 or offset > _MAX_OFFSET:
        raise _zone_error(f"There is no offset {text}; offsets go from -18:00 to +18:00, with up to 59 minutes.")
    return -offset if sign == "-" else offset


def format_offset(offset: int) -> str:
    """`+01:00`; `Z` for UTC; with seconds only where there are some, `+00:53:28`."""
    if offset == UTC:
        return "Z"
    minutes, seconds = divmod(abs(offset), 60)
    text = f"{'-' if offset < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{text}:{seconds:02d}" if seconds else text


def offsets_of_local(name: str, day: int, second: int) -> tuple[int, int]:
    """The two offsets that a zone may have at this second of a local day.

    They differ only where clocks are changed: the first is the greater one if this local time happens twice, and the
    smaller one if it never happens.
    """
    local = _local_datetime(_zone_info(name), day, second)
    return _offset_seconds(local), _offset_seconds(local.replace(fold=1))


def offset_of_instant(name: str, seconds: int) -> int:
    """The offset of a zone, so many seconds after the start of 1970 in UTC."""
    zone_info = _zone_info(name)
    return _offset_seconds(zone_info.fromutc(_local_datetime(zone_info, *divmod(seconds, 86_400))))


def _local_datetime(zone_info: ZoneInfo, day: int, second: int) -> datetime:
    """A local time, in a year that Python's datetime has and that has the same rules of the zone.

    The calendar repeats every 400 years, and before 1800 there were no rules.
    """
    from datetime import datetime

    year, month, day_of_month = year_month_day(day)
    if year < 400:
        year = 400 + year % 400
    elif year > 9599:
        year = 9200 + year % 400
    minutes, second = divmod(second, 60)
    hour, minute = divmod(minutes, 60)
    return datetime(year, month, day_of_month, hour, minute, second, tzinfo=zone_info)


def _offset_seconds(local: datetime) -> int:
    offset = local.utcoffset()
    return int(offset.total_seconds()) if offset is not None else UTC


@lru_cache(maxsize=512)
def _zone_info(name: str) -> ZoneInfo:
    from importlib.util import find_spec
    from pathlib import Path
    from zoneinfo import ZoneInfo

    try:
        # The database of the package tzdata before that of the system: distributions build theirs with different
        # offsets for the time before 1970, and a query must have the same answer everywhere.
        package = find_spec("tzdata")
        for folder in (package and package.submodule_search_locations) or ():
            path = Path(folder, "zoneinfo", *name.split("/"))
            if path.is_file():
                with path.open("rb") as file:
                    return ZoneInfo.from_file(file, name)
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError) as error:
        raise _unknown_zone(name) from error


def _unknown_zone(text: str) -> QueryFailed:
    shown = repr(text if len(text) <= 64 else text[:60] + "…")
    return _zone_error(
        f"There is no time zone {shown}; write an offset such as '+01:00', or a name of the IANA database."
    )


def _zone_error(message: str) -> QueryFailed:
    return QueryFailed(
        message,
        detail="InvalidArgumentValue",
        kind="ArgumentError",
        hint="Zones are written 'Z', '+01:00' or 'Europe/Stockholm'.",
    )
