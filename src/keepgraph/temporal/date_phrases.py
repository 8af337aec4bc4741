"""Dates as people say them: “yesterday”, “last Monday”, “in March”, “3 weeks ago”, read as a time span or an instant.

A phrase is understood as a whole or refused: no word of it is left out. Where a year or a month is not said, the last
one that has begun is meant, or the next one for a day that is to come. Weeks begin on Monday.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import MAXYEAR, UTC, date, datetime, time, timedelta
from typing import Literal, NamedTuple, TypeAlias

from keepgraph import english
from keepgraph.temporal import timestamps


class Span(NamedTuple):
    """The days from the first to the last, both included."""

    first: date
    last: date


_Read: TypeAlias = Callable[[re.Match[str], date], Span]
_Recurrence: TypeAlias = Literal["week", "month", "year"]
Unsaid: TypeAlias = Literal["last", "next", "any"]
"""What a day without a year, or without a month, is of: the last year that has begun, the next one, or any year."""


class DateUnclear(ValueError):
    """A text that is not a date, or is ambiguous."""


_MAX_LENGTH = 80

_MONTHS, _WEEKDAYS = english.MONTHS, english.WEEKDAYS
_NUMBERS = {**english.CARDINALS, "a": 1, "an": 1, "a couple": 2}

_SYNONYMS = {
    word: meant
    for meant, words in {
        "last": "past previous letzte letzten letzter letztes letztem vorige vorigen voriger voriges "
        "vergangene vergangenen",
        "next": "coming upcoming nächste nächsten nächster nächstes nächstem kommende kommenden kommender kommendes",
        "this": "current diese diesen dieser dieses diesem",
        "yesterday": "gestern", "today": "heute", "tomorrow": "morgen",
        "day before yesterday": "vorgestern", "day after tomorrow": "übermorgen",
        "monday": "montag", "tuesday": "dienstag", "wednesday": "mittwoch", "thursday": "donnerstag",
        "friday": "freitag", "saturday": "samstag sonnabend", "sunday": "sonntag",
        "january": "januar jänner", "february": "februar feber", "march": "märz", "may": "mai", "june": "juni",
        "july": "juli", "october": "oktober okt", "december": "dezember dez",
        "days": "tag tage tagen", "week": "woche", "weeks": "wochen", "weekend": "wochenende", "month": "monat monats",
        "months": "monate monaten", "quarter": "quartal", "year": "jahr", "years": "jahre jahren",
        "a": "ein eine einem einen einer", "two": "zwei", "three": "drei", "four": "vier", "five": "fünf",
        "six": "sechs", "seven": "sieben", "eight": "acht", "nine": "neun", "ten": "zehn",
        "beginning": "anfang", "mid": "middle mitte", "end": "ende", "calendar week": "kw",
    }.items()
    for word in words.split()
}  # fmt: skip
"""Other words for those of the patterns, in English and German."""


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_MONTH = rf"(?P<month>{_any_of(_MONTHS)})"
_WEEKDAY = rf"(?P<weekday>{_any_of(_WEEKDAYS)})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4}|(?:last|this|next) year)"
_NUMBER = rf"(?:\d{{1,4}}|{_any_of(_NUMBERS)})"
_UNIT = r"(?:days?|weeks?|fortnights?|months?|years?)"
_AMOUNTS = rf"(?P<amounts>{_NUMBER} {_UNIT}(?: (?:and )?{_NUMBER} {_UNIT})*)"
_WHICH = r"(?P<which>last|this|next)"
_PERIOD = r"(?P<period>week|weekend|month|quarter|year)"

_LEADING = re.compile(
    r"^(?:(?:since|from|until|till|to|by|in|on|at|during|of|as of|up to|through|"
    r"am(?! tomorrow)|im|seit|vom|ab|bis|zum) )+(?=\S)"
)
_SYNONYM = re.compile(rf"\b(?:{_any_of(_SYNONYMS)})\b")
_DAY_OF_GERMAN = re.compile(r"\b(\d{1,2})\. (?=[^\W\d])")
_GERMAN_AGO = re.compile(r"^vor (.+)$")
_EDGE = re.compile(r"^(?:(?P<first>beginning|start|1(?:st|th) day)|(?P<last>end|last day)) (?:of )?(?P<rest>.+)$")
_CLOCK = (
    r"(?:(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))? ?(?P<half>am|pm)|(?P<hour24>\d{1,2}):(?P<minute24>\d{2})|noon)"
)
_TIME = re.compile(rf"^(?:(?P<rest>.+?) )?(?:at )?{_CLOCK}$")
_TIME_FIRST = re.compile(rf"^(?:at )?{_CLOCK} (?:on )?(?P<rest>.+)$")
_HOURS = re.compile(
    rf"^(?:(?P<ago>{_NUMBER}) (?P<unit>hours?|minutes?) ago|in (?P<ahead>{_NUMBER}) (?P<unit_ahead>hours?|minutes?))$"
)
_YEARS_TO_A_LEAP_DAY = 8
_SAID = ("year", "three", "which", "week")
"""Groups of a pattern that say of which week, month or year a day is."""

_TOLD_DATE = re.compile(r"^(?P<one>\d{1,4})(?P<mark>[./-])(?P<two>\d{1,2})(?:(?P=mark)(?P<three>\d{1,4}))?\.?$")


def parse(text: str, *, now: datetime, end: bool = False) -> str:
    """The date or the local instant that a person means, in ISO 8601.

    A date in ISO 8601 comes back as it is. Of a time span, it is the first day, or with `end` the last day.

    Args:
        text: what the person said.
        now: the present, aware, in the time zone in which days are meant.

    Raises:
        DateUnclear: it is not a date, it may be more than one, or it lies outside the years 1 to 9999.
    """
    stripped = text.strip()
    with suppress(ValueError, OverflowError):
        timestamps.parse(stripped, now.tzinfo)
        return stripped
    meant = _meant(stripped, now, "last")
    if isinstance(meant, datetime):
        return _iso_instant(meant)
    return (meant.last if end else meant.first).isoformat()


def parse_as_said(text: str, *, now: datetime, unsaid: Unsaid = "last") -> str:
    """The date or the local instant that a person means, as exactly as it is said: `2026-06` for “June”.

    A day without a year is `--01-15` where it is of any year. Of a time span that is no month and no year, it is the
    first day; of one that is to come, the last.

    Raises:
        DateUnclear: as in `parse`.
    """
    if unsaid == "any" and (day := _day_of_any_year(_normalise(text.strip()))):
        return day
    meant = _meant(text.strip(), now, unsaid)
    if isinstance(meant, datetime):
        return _iso_instant(meant)
    if meant == _month(meant.first.year, meant.first.month):
        return meant.first.isoformat()[: len("2026-06")]
    if meant == _year(meant.first.year):
        return meant.first.isoformat()[: len("2026")]
    return (meant.last if unsaid == "next" else meant.first).isoformat()


def _meant(text: str, now: datetime, unsaid: Unsaid) -> datetime | Span:
    phrase = _normalise(text)
    try:
        meant = _instant(phrase, now, unsaid) or _span(phrase, now.date(), unsaid)
    except (OverflowError, ValueError) as error:
        if isinstance(error, DateUnclear):
            raise
        raise DateUnclear(f"“{_quoted(text)}” is not a calendar day") from error
    if meant is None:
        raise DateUnclear(f"“{_quoted(text)}” is not understood as a date")
    return meant


def _iso_instant(instant: datetime) -> str:
    return instant.isoformat(timespec="milliseconds" if instant.tzinfo else "minutes")


def _day_of_any_year(phrase: str) -> str | None:
    """`--01-15` for a day of a month without a year and without a day of the week; None for anything else."""
    phrase = _LEADING.sub("", phrase)
    leap_year = date(2024, 12, 31)
    if (match := _TOLD_DATE.match(phrase)) and not match["three"] and len(match["one"]) < 3:
        return _numeric(match, leap_year).first.strftime("--%m-%d")
    for pattern, read, _ in _RULES:
        if read is _read_day_of_month and (match := pattern.match(phrase)) and not (match["year"] or match["weekday"]):
            return _read_day_of_month(match, leap_year).first.strftime("--%m-%d")
    return None


def _normalise(text: str) -> str:
    """The phrase in small letters, without commas and articles, and without a preposition at its beginning."""
    if len(text) > _MAX_LENGTH:
        return ""
    phrase = re.sub(r"[\s,]+", " ", text.casefold().rstrip(".!")).strip()
    phrase = _GERMAN_AGO.sub(r"\1 ago", _DAY_OF_GERMAN.sub(r"\1 ", phrase))
    phrase = _SYNONYM.sub(lambda match: _SYNONYMS[match[0]], phrase)
    phrase = re.sub(r"\b(?:(?:the|der|die|das|den|dem) |this (?=last |next ))", "", phrase)
    phrase = re.sub(rf"\b(?:{_any_of(english.ORDINALS)})\b", lambda match: f"{english.ORDINALS[match[0]]}th", phrase)
    return re.sub(r"\ba couple of\b", "a couple", phrase)


def _quoted(text: str) -> str:
    return text if len(text) <= _MAX_LENGTH else f"{text[:_MAX_LENGTH]}…"


def _instant(phrase: str, now: datetime, unsaid: Unsaid) -> datetime | None:
    """The instant of a phrase with a time of day; None if it has none."""
    if phrase in ("now", "right now", "just now"):
        return now
    if match := _HOURS.match(phrase):
        unit = match["unit"] or match["unit_ahead"]
        seconds = _number(match["ago"] or match["ahead"]) * (3600 if unit.startswith("hour") else 60)
        # Elapsed time: not on the clock on the wall, which may have been changed in between.
        elapsed = timedelta(seconds=-seconds if match["ago"] else seconds)
        return (now.astimezone(UTC) + elapsed).astimezone(now.tzinfo)
    match = _TIME.match(phrase) or _TIME_FIRST.match(phrase)
    if match is None:
        return None
    rest = match["rest"]
    day = _span(rest, now.date(), unsaid) if rest and rest not in ("at", "on") else Span(now.date(), now.date())
    if day is None or day.first != day.last:
        return None
    return datetime.combine(day.first, _time_of_day(match))


def _time_of_day(match: re.Match[str]) -> time:
    if match["hour24"]:
        return time(int(match["hour24"]), int(match["minute24"]))
    if not match["half"]:
        return time(12)  # noon
    hour = int(match["hour"])
    if not 1 <= hour <= 12:
        raise ValueError("hours before and after noon are 1 to 12")
    return time(hour % 12 + (12 if match["half"] == "pm" else 0), int(match["minute"] or 0))


def _span(phrase: str, today: date, unsaid: Unsaid) -> Span | None:
    """The time span of a phrase; None if the phrase is unknown."""
    for pattern, read, recurrence in _RULES:
        if match := pattern.match(phrase):
            if unsaid == "next" and recurrence and not any(map(match.groupdict().get, _SAID)):
                return _next(match, today, read, recurrence)
            return read(match, today)
    if match := _EDGE.match(phrase):
        inner = _span(match["rest"], today, unsaid) or _span(f"this {match['rest']}", today, unsaid)
        day = inner and (inner.first if match["first"] else inner.last)
        return Span(day, day) if day else None
    shorter = _LEADING.sub("", phrase)
    return _span(shorter, today, unsaid) if shorter != phrase else None


def _next(match: re.Match[str], today: date, read: _Read, recurrence: _Recurrence) -> Span:
    """The next of the spans that recur each week, month or year; the present one is the next until it is over."""
    with suppress(DateUnclear):  # the last one, which may have been on another day of the week
        if (last := read(match, today)).last >= today:
            return last
    for number in range(1, _YEARS_TO_A_LEAP_DAY + 1):
        later = today + timedelta(weeks=number) if recurrence == "week" else None
        span = read(match, later or _shift_months(today, number * (12 if recurrence == "year" else 1)))
        if span.last >= today:
            return span
    raise ValueError("no such day")


def _numeric(match: re.Match[str], today: date) -> Span:
    """A date in figures: 2026/11/20, 20.11.2026, 20/11/2026, 20/11.

    Raises:
        DateUnclear: day and month may be either way round, or the year has two figures.
    """
    one, mark, two, three = match["one"], match["mark"], match["two"], match["three"]
    if len(one) == 4:
        return _day(int(one), int(two), int(three)) if three else _month(int(one), int(two))
    if len(one) > 2 or (three and len(three) != 4):
        raise DateUnclear(f"in “{match[0]}” the year is not clear; write it with four figures, as in 2026-11-20")
    year = int(three) if three else None
    first, second = int(one), int(two)
    if mark != "." and first <= 12 and second <= 12 and first != second:
        readings = [_in_past_year(second, first, year, today), _in_past_year(first, second, year, today)]
        raise DateUnclear(
            f"“{match[0]}” may be {_spelled(readings[0].first)} or {_spelled(readings[1].first)}; "
            f"write {readings[0].first} or {readings[1].first}"
        )
    if mark != "." and second > 12:
        first, second = second, first
    return _in_past_year(second, first, year, today)


def _spelled(day: date) -> str:
    return f"{day.day} {next(name for name, number in _MONTHS.items() if number == day.month).title()} {day.year}"


def _day(year: int, month: int, day: int) -> Span:
    meant = date(year, month, day)
    return Span(meant, meant)


def _month(year: int, month: int) -> Span:
    return Span(date(year, month, 1), date(year, month, monthrange(year, month)[1]))


def _year(year: int) -> Span:
    return Span(date(year, 1, 1), date(year, 12, 31))


def _months_from(first: date, count: int) -> Span:
    """So many months, from the first day of the first of them."""
    last = _shift_months(first, count - 1)
    return Span(first, _month(last.year, last.month).last)


def _week(monday: date) -> Span:
    return Span(monday, monday + timedelta(days=6))


def _shift_months(day: date, months: int) -> date:
    """The same day so many months later, or the last day of that month if it has no such day."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    if not 1 <= year <= MAXYEAR:
        raise OverflowError("outside the years 1 to 9999")
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _number(word: str) -> int:
    return int(word) if word.isdecimal() else _NUMBERS[word]


def _in_past_year(month: int, day: int, year: int | None, today: date) -> Span:
    """A day of a year; where no year is said, of the last year in which that day has come."""
    if year is not None:
        return _day(year, month, day)
    for past in range(today.year, max(today.year - 9, 0), -1):
        if day <= monthrange(past, month)[1] and date(past, month, day) <= today:
            return _day(past, month, day)
    raise ValueError("no such day")


def _said_year(match: re.Match[str], today: date) -> int | None:
    """The year that a phrase says; None if it says none."""
    said = match.groupdict().get("year")
    if said is None:
        return None
    return int(said) if said.isdecimal() else today.year + {"last": -1, "this": 0, "next": 1}[said.split()[0]]


def _read_day_of_month(match: re.Match[str], today: date) -> Span:
    span = _in_past_year(_MONTHS[match["month"]], int(match["day"]), _said_year(match, today), today)
    weekday = match.groupdict().get("weekday")
    if weekday and span.first.weekday() != _WEEKDAYS[weekday]:
        named = next(name for name, number in _WEEKDAYS.items() if number == span.first.weekday())
        raise DateUnclear(f"{_spelled(span.first)} is a {named.title()}, not a {weekday.title()}")
    return span


def _read_day_alone(match: re.Match[str], today: date) -> Span:
    """“the 16th”: the last one that has come."""
    day, month = int(match["day"]), today.replace(day=1)
    for _ in range(3):
        if day <= monthrange(month.year, month.month)[1] and month.replace(day=day) <= today:
            return _day(month.year, month.month, day)
        month = _shift_months(month, -1)
    raise ValueError("no such day")


def _read_month(match: re.Match[str], today: date) -> Span:
    month, year = _MONTHS[match["month"]], _said_year(match, today)
    if year is None:
        which = match.groupdict().get("which")
        is_over, has_begun = month < today.month, month <= today.month
        if which == "next":
            year = today.year + (1 if has_begun else 0)
        elif which == "last":
            year = today.year - (0 if is_over else 1)
        else:
            year = today.year - (0 if has_begun or which == "this" else 1)
    span = _month(year, month)
    thirds = {"early": (1, 10), "mid": (11, 20), "late": (21, span.last.day)}
    first, last = thirds.get(match.groupdict().get("part") or "", (1, span.last.day))
    return Span(span.first.replace(day=first), span.first.replace(day=last))


def _read_weekday(match: re.Match[str], today: date) -> Span:
    """A day of the week: the last one that has come, or the one before or after today, or of a named week."""
    weekday, which = _WEEKDAYS[match["weekday"]], match.groupdict().get("which")
    if match.groupdict().get("week") or which == "this":
        monday = today - timedelta(days=today.weekday())
        weeks = {"last": -1, "this": 0, "next": 1}[which or "this"]
        day = monday + timedelta(weeks=weeks, days=weekday)
    elif which == "next":
        day = today + timedelta(days=(weekday - today.weekday() - 1) % 7 + 1)
    elif which == "last":
        day = today - timedelta(days=(today.weekday() - weekday - 1) % 7 + 1)
    else:
        day = today - timedelta(days=(today.weekday() - weekday) % 7)
    return Span(day, day)


def _read_distance(match: re.Match[str], today: date) -> Span:
    """“3 weeks ago”, “in two days”: one day."""
    day = _at_distance(match["amounts"], today, back=bool(match["ago"]))
    return Span(day, day)


def _at_distance(amounts: str, today: date, *, back: bool) -> date:
    """The day some days, weeks, months and years before or after today."""
    sign, day = (-1 if back else 1), today
    for number, unit in re.findall(rf"({_NUMBER}) ({_UNIT})", amounts):
        count = sign * _number(number)
        if unit.startswith(("month", "year")):
            day = _shift_months(day, count * (12 if unit.startswith("year") else 1))
        else:
            day += timedelta(days=count * {"d": 1, "w": 7, "f": 14}[unit[0]])
    return day


def _read_running(match: re.Match[str], today: date) -> Span:
    """“the last 7 days”: up to today; “the next 7 days”: from today."""
    is_past = match["which"] == "last"
    day = _at_distance(match["amounts"], today, back=is_past)
    return Span(day, today) if is_past else Span(today, day)


def _read_period(match: re.Match[str], today: date) -> Span:
    """“last week”, “this month”, “the quarter before last”."""
    groups = match.groupdict()
    period, count = match["period"], {"last": -1, "this": 0, "next": 1}.get(groups.get("which") or "", -2)
    monday = today - timedelta(days=today.weekday())
    if period == "week":
        return _week(monday + timedelta(weeks=count))
    if period == "weekend":
        saturday = monday + timedelta(weeks=count, days=5)
        return Span(saturday, saturday + timedelta(days=1))
    if period == "year":
        return _year(today.year + count)
    months = 3 if period == "quarter" else 1
    first = today.replace(month=(today.month - 1) // months * months + 1, day=1)
    return _months_from(_shift_months(first, count * months), months)


def _read_part_of_year(match: re.Match[str], today: date) -> Span:
    """“Q3 2025”, “the first half of 2025”; without a year, the last one that has begun."""
    months = 3 if match["part"].startswith("q") else 6
    number = int(match["number"])
    if number > 12 // months:
        raise ValueError("a year has two halves and four quarters")
    year = _said_year(match, today)
    first_month = (number - 1) * months + 1
    if year is None:
        year = today.year - (0 if first_month <= today.month else 1)
    return _months_from(date(year, first_month, 1), months)


def _read_week_number(match: re.Match[str], today: date) -> Span:
    year, number = _said_year(match, today), int(match["number"])
    if year is None:
        current = today.isocalendar()
        year = current.year - (0 if number <= current.week else 1)
    return _week(date.fromisocalendar(year, number, 1))


def _read_decade(match: re.Match[str], _: date) -> Span:
    first = int(match["year"])
    return Span(_year(first).first, _year(first + 9).last)


def _read_named_day(match: re.Match[str], today: date) -> Span:
    days = {"day before yesterday": -2, "yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
    days |= {"day after tomorrow": 2, "last night": -1}
    day = today + timedelta(days=days.get(match["named"], 0))
    return Span(day, day)


def _rule(
    pattern: str, read: _Read, recurrence: _Recurrence | None = None
) -> tuple[re.Pattern[str], _Read, _Recurrence | None]:
    """A pattern, how it is read, and how often what it means recurs where no year and no week is said."""
    return re.compile(rf"^{pattern}$", re.ASCII), read, recurrence


_RULES: tuple[tuple[re.Pattern[str], _Read, _Recurrence | None], ...] = (
    (_TOLD_DATE, _numeric, "year"),
    _rule(
        r"(?P<named>day before yesterday|yesterday|today|tonight|last night|tomorrow|day after tomorrow|this(?= ))"
        r"(?: (?:morning|afternoon|evening|night))?",
        _read_named_day,
    ),
    _rule(rf"(?:{_WHICH} (?P<week>week(?: on)? )?)?{_WEEKDAY}", _read_weekday, "week"),
    _rule(rf"{_WEEKDAY} (?:of )?{_WHICH} (?P<week>week)", _read_weekday),
    _rule(
        rf"(?P<ahead>in )?{_AMOUNTS}(?(ahead)| (?:(?P<ago>ago|back|before today)|ahead|from (?:now|today)))",
        _read_distance,
    ),
    _rule(rf"{_WHICH} {_AMOUNTS}", _read_running),
    _rule(rf"{_WHICH} {_PERIOD}", _read_period),
    _rule(rf"{_PERIOD} before last", _read_period),
    _rule(rf"{_WHICH} {_MONTH}", _read_month),
    _rule(rf"(?:(?P<part>early|mid|late)(?: (?:in|of) |[ -]))?{_MONTH}(?: (?:of )?{_YEAR})?", _read_month, "year"),
    _rule(rf"(?:{_WEEKDAY} )?{_DAY} (?:of )?{_MONTH}(?: (?:of )?{_YEAR})?", _read_day_of_month, "year"),
    _rule(rf"(?:{_WEEKDAY} )?{_MONTH} {_DAY}(?: (?:of )?{_YEAR})?", _read_day_of_month, "year"),
    _rule(r"(?P<day>\d{1,2})(?:st|nd|rd|th)", _read_day_alone, "month"),
    _rule(r"(?:year )?(?P<year>\d{4})", lambda match, _: _year(int(match["year"]))),
    _rule(r"(?P<year>\d{3}0)s", _read_decade),
    _rule(rf"(?P<part>q|h) ?(?P<number>[1-4])(?: (?:of )?{_YEAR})?", _read_part_of_year, "year"),
    _rule(rf"{_YEAR} ?-?(?P<part>q|h) ?(?P<number>[1-4])", _read_part_of_year),
    _rule(rf"(?P<number>[1-4])(?:st|nd|rd|th) (?P<part>quarter|half)(?: (?:of )?{_YEAR})?", _read_part_of_year, "year"),
    _rule(rf"(?:calendar )?week (?P<number>\d{{1,2}})(?: (?:of )?{_YEAR})?", _read_week_number, "year"),
    _rule(r"(?P<year>\d{4})-?w(?P<number>\d{2})", _read_week_number),
)  # fmt: skip
