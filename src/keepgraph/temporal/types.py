"""The six temporal types: what each holds, and its text in ISO 8601 as openCypher writes it.

`day` is the number of days since 1970-01-01, `clock` the nanoseconds since midnight, `offset` the seconds by which
local time is ahead of UTC.

Days, months, quarters and weeks are those of ISO 8601 in the proleptic Gregorian calendar. The calendar has no first
year, and year 0 comes before year 1.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final

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


# The base class of the temporal types, so that an `isinstance` check need not load them.


class Temporal:
    """A date, a time, a date with a time, or a duration; the six types are in temporal/types.py."""

    __slots__ = ()


SECOND: Final = 1_000_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

MAX_YEAR: Final = 999_999_999
MIN_DAY: Final = day_number(-MAX_YEAR, 1, 1)
MAX_DAY: Final = day_number(MAX_YEAR, 12, 31)
MAX_INTEGER: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Date(Temporal):
    day: int

    def __str__(self) -> str:
        year, month, day = year_month_day(self.day)
        sign = "-" if year < 0 else "+" if year > 9999 else ""
        return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


@dataclass(frozen=True, slots=True)
class LocalTime(Temporal):
    clock: int

    def __str__(self) -> str:
        seconds, fraction = divmod(self.clock, SECOND)
        text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}"
        if not (fraction or seconds % 60):
            return text
        text += f":{seconds % 60:02d}"
        if not fraction:
            return text
        digits = f"{fraction:09d}"
        while digits.endswith("000"):
            digits = digits[:-3]
        return f"{text}.{digits}"


@dataclass(frozen=True, slots=True)
class Time(Temporal):
    clock: int
    offset: int

    def __str__(self) -> str:
        return f"{LocalTime(self.clock)}{format_offset(self.offset)}"

    @property
    def zone(self) -> Zone:
        return self.offset

    @property
    def instant(self) -> int:
        """Nanoseconds from midnight in UTC; may be negative or beyond one day, so that all offsets can be compared."""
        return self.clock - self.offset * SECOND


@dataclass(frozen=True, slots=True)
class LocalDateTime(Temporal):
    day: int
    clock: int

    def __str__(self) -> str:
        return f"{Date(self.day)}T{LocalTime(self.clock)}"

    @property
    def instant(self) -> int:
        """Nanoseconds since 1970, as if local time were UTC."""
        return self.day * DAY + self.clock


@dataclass(frozen=True, slots=True)
class DateTime(Temporal):
    day: int
    clock: int
    offset: int
    zone_name: str | None = None

    def __str__(self) -> str:
        name = f"[{self.zone_name}]" if self.zone_name else ""
        return f"{Date(self.day)}T{LocalTime(self.clock)}{format_offset(self.offset)}{name}"

    @property
    def zone(self) -> Zone:
        return self.zone_name or self.offset

    @property
    def instant(self) -> int:
        """Nanoseconds since 1970 in UTC."""
        return self.day * DAY + self.clock - self.offset * SECOND


@dataclass(frozen=True, slots=True)
class Duration(Temporal):
    """Months, days and seconds, kept apart since months and days differ in length; 0 <= nanoseconds < 10⁹."""

    months: int
    days: int
    seconds: int
    nanoseconds: int

    def __str__(self) -> str:
        years, months = truncated_quotient(self.months, 12), truncated_remainder(self.months, 12)
        text = "P" + _format_amounts((years, "Y"), (months, "M"), (self.days, "D"))
        clock = self.clock
        fraction = truncated_remainder(clock, SECOND)
        seconds = truncated_quotient(clock, SECOND)
        hours, minutes, seconds = (
            truncated_quotient(seconds, 3600),
            truncated_remainder(truncated_quotient(seconds, 60), 60),
            truncated_remainder(seconds, 60),
        )
        time = _format_amounts((hours, "H"), (minutes, "M"))
        if fraction:
            sign = "-" if clock < 0 else ""
            time += f"{sign}{abs(seconds)}.{abs(fraction):09d}".rstrip("0") + "S"
        elif seconds:
            time += f"{seconds}S"
        if time:
            return f"{text}T{time}"
        return text if text != "P" else "PT0S"

    @property
    def clock(self) -> int:
        """Seconds and their fraction, in nanoseconds."""
        return self.seconds * SECOND + self.nanoseconds


WithDate = Date | LocalDateTime | DateTime
WithTime = LocalTime | Time | LocalDateTime | DateTime
WithOffset = Time | DateTime
Instant = Date | LocalTime | Time | LocalDateTime | DateTime


def check_day(day: int) -> int:
    """The day itself, if it is in the range of years that a date can have."""
    if not MIN_DAY <= day <= MAX_DAY:
        raise invalid_value(f"The result is beyond the years -{MAX_YEAR} to {MAX_YEAR} that a date can have.")
    return day


def to_local_datetime(instant: int) -> LocalDateTime:
    """The local date and time so many nanoseconds after the start of 1970, also in local time."""
    day, clock = divmod(instant, DAY)
    return LocalDateTime(check_day(day), clock)


def in_zone(instant: int, zone: Zone) -> DateTime:
    """An instant, in nanoseconds since 1970 in UTC, as local time of a zone."""
    offset = offset_of_instant(zone, instant // SECOND) if isinstance(zone, str) else zone
    day, clock = divmod(instant + offset * SECOND, DAY)
    return DateTime(check_day(day), clock, offset, zone if isinstance(zone, str) else None)


def at_local_time(day: int, clock: int, zone: Zone, offset: int | None = None) -> DateTime:
    """The instant of a local time in a zone.

    A local time that happens twice (clocks are set back) is the first one, unless `offset` is that of the second. A
    local time that is skipped (clocks are set forward) becomes later by the time that is skipped.
    """
    if not isinstance(zone, str):
        return DateTime(check_day(day), clock, zone)
    before, after = offsets_of_local(zone, day, clock // SECOND)
    if before < after:
        return in_zone(day * DAY + clock - before * SECOND, zone)
    return DateTime(check_day(day), clock, after if offset == after else before, zone)


def make_duration(months: int, days: int, clock: int) -> Duration:
    """A duration of months, days and nanoseconds (`clock`).

    Raises:
        QueryFailed: one of them does not fit into 64 bits.
    """
    seconds, nanoseconds = divmod(clock, SECOND)
    if max(abs(months), abs(days), abs(seconds)) > MAX_INTEGER:
        raise invalid_value(
            "The duration is too long; its months, its days and its seconds must each fit into 64 bits."
        )
    return Duration(months, days, seconds, nanoseconds)


def truncated_quotient(amount: int, unit: int) -> int:
    """The amount divided by the unit, truncated towards zero: -10 days are -1 week."""
    return -(-amount // unit) if amount < 0 else amount // unit


def truncated_remainder(amount: int, unit: int) -> int:
    """What is left then, with the sign of the amount: -10 days are -1 week and -3 days."""
    return amount - truncated_quotient(amount, unit) * unit


def invalid_value(message: str) -> QueryFailed:
    """The error for a value of the right type that is out of range or has the wrong form."""
    return QueryFailed(message, detail="InvalidArgumentValue", kind="ArgumentError", hint=_HINT)


def wrong_type(message: str) -> QueryFailed:
    """The error for a value of the wrong type."""
    return QueryFailed(message, detail="InvalidArgumentValue", kind="TypeError", hint=_HINT)


def describe(value: object) -> str:
    """A value for a message: short, and a text in ASCII."""
    if isinstance(value, Temporal):
        return str(value)
    if isinstance(value, int) and abs(value) > MAX_INTEGER:
        return "a number beyond 64 bits"
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "a map"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    text = ascii(value[:60]) if isinstance(value, str) else repr(value)
    return text if len(text) <= 80 else text[:80] + "…"


_HINT = (
    "Dates and times are written as in ISO 8601, or as maps: date('2015-07-21'), date({year: 2015, month: 7, day: 21})."
)


def _format_amounts(*amounts: tuple[int, str]) -> str:
    return "".join(f"{amount}{unit}" for amount, unit in amounts if amount)
