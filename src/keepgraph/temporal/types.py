"""The six kinds of temporal value: what each holds, and how it is written. Knows not where they come from.

`day` counts days from 1970-01-01, `clock` nanoseconds from midnight, `offset` seconds by which local time is ahead of
UTC. The text is that of ISO 8601, as openCypher writes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from keepgraph.errors import QueryFailed
from keepgraph.temporal import calendar, time_zones
from keepgraph.temporal.base import Temporal
from keepgraph.temporal.time_zones import Zone

SECOND: Final = 1_000_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

LAST_YEAR: Final = 999_999_999
FIRST_DAY: Final = calendar.day_number(-LAST_YEAR, 1, 1)
LAST_DAY: Final = calendar.day_number(LAST_YEAR, 12, 31)
LONGEST: Final = 2**63 - 1


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
        return f"{LocalTime(self.clock)}{time_zones.offset_text(self.offset)}"

    @property
    def zone(self) -> Zone:
        return self.offset

    @property
    def instant(self) -> int:
        """Nanoseconds from midnight in UTC; not within a day, so that a later time is later in any offset."""
        return self.clock - self.offset * SECOND


@dataclass(frozen=True, slots=True)
class LocalDateTime(Temporal):
    day: int
    clock: int

    def __str__(self) -> str:
        return f"{Date(self.day)}T{LocalTime(self.clock)}"

    @property
    def instant(self) -> int:
        """Nanoseconds from 1970, as if local time were UTC."""
        return self.day * DAY + self.clock


@dataclass(frozen=True, slots=True)
class DateTime(Temporal):
    day: int
    clock: int
    offset: int
    zone_name: str | None = None

    def __str__(self) -> str:
        name = f"[{self.zone_name}]" if self.zone_name else ""
        return f"{Date(self.day)}T{LocalTime(self.clock)}{time_zones.offset_text(self.offset)}{name}"

    @property
    def zone(self) -> Zone:
        return self.zone_name or self.offset

    @property
    def instant(self) -> int:
        """Nanoseconds from 1970 in UTC."""
        return self.day * DAY + self.clock - self.offset * SECOND


@dataclass(frozen=True, slots=True)
class Duration(Temporal):
    """Months, days and seconds, each for itself, as no day has a fixed length in them; 0 <= nanoseconds < 10⁹."""

    months: int
    days: int
    seconds: int
    nanoseconds: int

    def __str__(self) -> str:
        years, months = whole(self.months, 12), rest(self.months, 12)
        text = "P" + _amounts((years, "Y"), (months, "M"), (self.days, "D"))
        clock = self.clock
        fraction = rest(clock, SECOND)
        seconds = whole(clock, SECOND)
        hours, minutes, seconds = whole(seconds, 3600), rest(whole(seconds, 60), 60), rest(seconds, 60)
        time = _amounts((hours, "H"), (minutes, "M"))
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


Dated = Date | LocalDateTime | DateTime
Clocked = LocalTime | Time | LocalDateTime | DateTime
Zoned = Time | DateTime
Instant = Date | LocalTime | Time | LocalDateTime | DateTime


def checked(day: int) -> int:
    """The day itself, if it is in a year that a date can have."""
    if not FIRST_DAY <= day <= LAST_DAY:
        raise refused(f"The result is beyond the years -{LAST_YEAR} to {LAST_YEAR} that a date can have.")
    return day


def local(instant: int) -> LocalDateTime:
    day, clock = divmod(instant, DAY)
    return LocalDateTime(checked(day), clock)


def in_zone(instant: int, zone: Zone) -> DateTime:
    """An instant, in nanoseconds from 1970 in UTC, as the clocks of a zone show it."""
    offset = time_zones.offset_of_instant(zone, instant // SECOND) if isinstance(zone, str) else zone
    day, clock = divmod(instant + offset * SECOND, DAY)
    return DateTime(checked(day), clock, offset, zone if isinstance(zone, str) else None)


def on_the_wall(day: int, clock: int, zone: Zone, offset: int | None = None) -> DateTime:
    """The instant at which the clocks of a zone show this.

    What they show twice is the first time, unless `offset` tells the second; what they skip is as much later as they
    skip.
    """
    if not isinstance(zone, str):
        return DateTime(checked(day), clock, zone)
    before, after = time_zones.offsets_of_local(zone, day, clock // SECOND)
    if before < after:
        return in_zone(day * DAY + clock - before * SECOND, zone)
    return DateTime(checked(day), clock, after if offset == after else before, zone)


def duration(months: int, days: int, clock: int) -> Duration:
    seconds, nanoseconds = divmod(clock, SECOND)
    if max(abs(months), abs(days), abs(seconds)) > LONGEST:
        raise refused("The duration is too long; its months, its days and its seconds must each fit into 64 bits.")
    return Duration(months, days, seconds, nanoseconds)


def whole(amount: int, unit: int) -> int:
    """How often the unit fits into the amount, towards zero: -7 days are -1 week."""
    return -(-amount // unit) if amount < 0 else amount // unit


def rest(amount: int, unit: int) -> int:
    return amount - whole(amount, unit) * unit


def refused(message: str) -> QueryFailed:
    """A value of the right kind that no temporal value can have."""
    return QueryFailed(message, detail="InvalidArgumentValue", kind="ArgumentError", hint=_HINT)


def misfit(message: str) -> QueryFailed:
    """A value of the wrong kind."""
    return QueryFailed(message, detail="InvalidArgumentValue", kind="TypeError", hint=_HINT)


def shown(value: object) -> str:
    """What was given, for a message: short, and in characters that can be written anywhere."""
    if isinstance(value, Temporal):
        return str(value)
    if isinstance(value, int) and abs(value) > LONGEST:
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


def _amounts(*amounts: tuple[int, str]) -> str:
    return "".join(f"{amount}{unit}" for amount, unit in amounts if amount)
