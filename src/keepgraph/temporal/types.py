"""The six temporal types: what each holds, and its text in ISO 8601 as openCypher writes it.

`day` is the number of days since 1970-01-01, `clock` the nanoseconds since midnight, `offset` the seconds by which
local time is ahead of UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from keepgraph.errors import QueryFailed
from keepgraph.temporal import calendar
from keepgraph.temporal.calendar import Zone

# The base class of the temporal types, so that an `isinstance` check need not load them.


class Temporal:
    """A date, a time, a date with a time, or a duration; the six types are in temporal/types.py."""

    __slots__ = ()


SECOND: Final = 1_000_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

MAX_YEAR: Final = 999_999_999
MIN_DAY: Final = calendar.day_number(-MAX_YEAR, 1, 1)
MAX_DAY: Final = calendar.day_number(MAX_YEAR, 12, 31)
MAX_INTEGER: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Date(Temporal):
    day: int

    def __str__(self) -> str:
        year, month, day = calendar.year_month_day(self.day)
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
        return f"{LocalTime(self.clock)}{calendar.format_offset(self.offset)}"

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
        return f"{Date(self.day)}T{LocalTime(self.clock)}{calendar.format_offset(self.offset)}{name}"

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
    offset = calendar.offset_of_instant(zone, instant // SECOND) if isinstance(zone, str) else zone
    day, clock = divmod(instant + offset * SECOND, DAY)
    return DateTime(check_day(day), clock, offset, zone if isinstance(zone, str) else None)


def at_local_time(day: int, clock: int, zone: Zone, offset: int | None = None) -> DateTime:
    """The instant of a local time in a zone.

    A local time that happens twice (clocks are set back) is the first one, unless `offset` is that of the second. A
    local time that is skipped (clocks are set forward) becomes later by the time that is skipped.
    """
    if not isinstance(zone, str):
        return DateTime(check_day(day), clock, zone)
    before, after = calendar.offsets_of_local(zone, day, clock // SECOND)
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
