"""Dates as people say them, on a Sunday: 22 November 2026, five in the afternoon in Zurich."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.temporal import date_phrases

NOW = datetime(2026, 11, 22, 17, 5, tzinfo=ZoneInfo("Europe/Zurich"))

DAYS = [
    ("today", "2026-11-22"),
    ("Today!", "2026-11-22"),
    ("tonight", "2026-11-22"),
    ("yesterday", "2026-11-21"),
    ("yesterday morning", "2026-11-21"),
    ("the day before yesterday", "2026-11-20"),
    ("tomorrow", "2026-11-23"),
    ("the day after tomorrow", "2026-11-24"),
    ("Sunday", "2026-11-22"),
    ("Monday", "2026-11-16"),
    ("on Fri", "2026-11-20"),
    ("last Monday", "2026-11-16"),
    ("last Sunday", "2026-11-15"),
    ("this past Friday", "2026-11-20"),
    ("this Monday", "2026-11-16"),
    ("next Friday", "2026-11-27"),
    ("next Sunday", "2026-11-29"),
    ("Saturday last week", "2026-11-14"),
    ("last week Tuesday", "2026-11-10"),
    ("Wednesday of next week", "2026-11-25"),
    ("a day ago", "2026-11-21"),
    ("3 weeks ago", "2026-11-01"),
    ("two days ago", "2026-11-20"),
    ("a fortnight ago", "2026-11-08"),
    ("a couple of weeks ago", "2026-11-08"),
    ("9 months ago", "2026-02-22"),
    ("1 year and 2 months ago", "2025-09-22"),
    ("since a year ago", "2025-11-22"),
    ("in 3 days", "2026-11-25"),
    ("10 days from now", "2026-12-02"),
    ("gestern", "2026-11-21"),
    ("übermorgen", "2026-11-24"),
    ("Nächsten Freitag", "2026-11-27"),
    ("letzten Montag", "2026-11-16"),
    ("vor drei Wochen", "2026-11-01"),
    ("in 3 Tagen", "2026-11-25"),
    ("am 20. November", "2026-11-20"),
    ("3. März 2026", "2026-03-03"),
    ("20 Nov", "2026-11-20"),
    ("Nov 20th", "2026-11-20"),
    ("20th of November", "2026-11-20"),
    ("25 Nov", "2025-11-25"),
    ("on 20 November 2025", "2025-11-20"),
    ("November 20, 2025", "2025-11-20"),
    ("20 June last year", "2025-06-20"),
    ("Mon 16 Nov", "2026-11-16"),
    ("first of June", "2026-06-01"),
    ("29 February", "2024-02-29"),
    ("the 16th", "2026-11-16"),
    ("the 30th", "2026-10-30"),
    ("2026/11/20", "2026-11-20"),
    ("2026.11.20", "2026-11-20"),
    ("20.11.2026", "2026-11-20"),
    ("3.4.2026", "2026-04-03"),
    ("20/11/2026", "2026-11-20"),
    ("11/20/2026", "2026-11-20"),
    ("04/04/2026", "2026-04-04"),
    ("20/11", "2026-11-20"),
    ("end of June", "2026-06-30"),
    ("the end of last month", "2026-10-31"),
    ("beginning of May", "2026-05-01"),
    ("the first day of 2025", "2025-01-01"),
    ("end of the year", "2026-12-31"),
    ("12 March 0099", "0099-03-12"),
    ("31 December 9999", "9999-12-31"),
    ("two weeks from today", "2026-12-06"),
    ("1st day of March", "2026-03-01"),
]

SPANS = [
    ("in March", "2026-03-01", "2026-03-31"),
    ("June", "2026-06-01", "2026-06-30"),
    ("November", "2026-11-01", "2026-11-30"),
    ("December", "2025-12-01", "2025-12-31"),
    ("last March", "2026-03-01", "2026-03-31"),
    ("last November", "2025-11-01", "2025-11-30"),
    ("next March", "2027-03-01", "2027-03-31"),
    ("this December", "2026-12-01", "2026-12-31"),
    ("March 2025", "2025-03-01", "2025-03-31"),
    ("feb 2024", "2024-02-01", "2024-02-29"),
    ("June of last year", "2025-06-01", "2025-06-30"),
    ("2026-06", "2026-06-01", "2026-06-30"),
    ("early June", "2026-06-01", "2026-06-10"),
    ("mid-June", "2026-06-11", "2026-06-20"),
    ("in late February 2024", "2024-02-21", "2024-02-29"),
    ("last week", "2026-11-09", "2026-11-15"),
    ("this week", "2026-11-16", "2026-11-22"),
    ("the week before last", "2026-11-02", "2026-11-08"),
    ("next week", "2026-11-23", "2026-11-29"),
    ("last weekend", "2026-11-14", "2026-11-15"),
    ("last month", "2026-10-01", "2026-10-31"),
    ("this month", "2026-11-01", "2026-11-30"),
    ("last quarter", "2026-07-01", "2026-09-30"),
    ("last year", "2025-01-01", "2025-12-31"),
    ("the past 7 days", "2026-11-15", "2026-11-22"),
    ("the last two months", "2026-09-22", "2026-11-22"),
    ("the next 10 days", "2026-11-22", "2026-12-02"),
    ("2025", "2025-01-01", "2025-12-31"),
    ("in the year 1950", "1950-01-01", "1950-12-31"),
    ("the 1990s", "1990-01-01", "1999-12-31"),
    ("Q3 2025", "2025-07-01", "2025-09-30"),
    ("2025 Q3", "2025-07-01", "2025-09-30"),
    ("Q4", "2026-10-01", "2026-12-31"),
    ("the first half of 2025", "2025-01-01", "2025-06-30"),
    ("week 12", "2026-03-16", "2026-03-22"),
    ("week 50", "2025-12-08", "2025-12-14"),
    ("2025-W01", "2024-12-30", "2025-01-05"),
    ("middle of March", "2026-03-11", "2026-03-20"),
    ("early in March", "2026-03-01", "2026-03-10"),
    ("KW 3", "2026-01-12", "2026-01-18"),
]

INSTANTS = [
    ("now", "2026-11-22T17:05:00.000+01:00"),
    ("2 hours ago", "2026-11-22T15:05:00.000+01:00"),
    ("in 90 minutes", "2026-11-22T18:35:00.000+01:00"),
    ("noon", "2026-11-22T12:00"),
    ("yesterday at 3pm", "2026-11-21T15:00"),
    ("12:15 am", "2026-11-22T00:15"),
    ("20 Nov 14:30", "2026-11-20T14:30"),
    ("last Monday at 9:00", "2026-11-16T09:00"),
    ("at noon yesterday", "2026-11-21T12:00"),
    ("5pm tomorrow", "2026-11-23T17:00"),
    ("at 8 pm on 20 November 2025", "2025-11-20T20:00"),
]

AS_THEY_ARE = [
    "2026-11-20",
    "2026-11-20T14:30",
    "2026-11-20 14:30:15",
    "2026-11-20T14:30:00.123Z",
    "2026-11-20T14:30:00+05:30",
    "9999-12-31",
]

REFUSED = [
    ("", "not understood as a date"),
    ("   ", "not understood as a date"),
    ("am Morgen", "not understood as a date"),
    ("banana", "“banana” is not understood as a date"),
    ("soon", "not understood as a date"),
    ("a few days ago", "not understood as a date"),
    ("the meeting", "not understood as a date"),
    ("may the force", "not understood as a date"),
    ("march on", "not understood as a date"),
    ("before June", "not understood as a date"),
    ("after June", "not understood as a date"),
    ("between June and August", "not understood as a date"),
    ("yesterday tomorrow", "not understood as a date"),
    ("June 2026 14:00", "not understood as a date"),
    ("last summer", "not understood as a date"),
    ("10", "not understood as a date"),
    ("1732293000", "not understood as a date"),
    ("20 Nov 26", "not understood as a date"),
    ("ayer", "not understood as a date"),
    ("сегодня", "not understood as a date"),
    ("昨日", "not understood as a date"),
    ("٢٠ Nov", "not understood as a date"),
    ("in in in", "not understood as a date"),
    ("03/04/2026", "may be 3 April 2026 or 4 March 2026; write 2026-04-03 or 2026-03-04"),
    ("9-11-2026", "may be 9 November 2026 or 11 September 2026; write 2026-11-09 or 2026-09-11"),
    ("9/11", "may be 9 November 2026 or 11 September 2026"),
    ("20/11/26", "the year is not clear; write it with four figures"),
    ("Tuesday 16 November", "16 November 2026 is a Monday, not a Tuesday"),
    ("30 February", "not a calendar day"),
    ("March 32", "not a calendar day"),
    ("2026-02-30", "not a calendar day"),
    ("2026-13-01", "not a calendar day"),
    ("29 February 2025", "not a calendar day"),
    ("the 32nd", "not a calendar day"),
    ("week 54 2025", "not a calendar day"),
    ("25:00", "not a calendar day"),
    ("13 pm", "not a calendar day"),
    ("3000 years ago", "not a calendar day"),
    ("in 9999 years", "not a calendar day"),
    ("0000", "not a calendar day"),
    ("x" * 100_000, "not understood as a date"),
    ("in " * 100_000, "not understood as a date"),
]


@pytest.mark.parametrize(("phrase", "day"), DAYS)
def test_a_day_is_the_same_as_a_beginning_and_as_an_end(phrase: str, day: str) -> None:
    readings = {date_phrases.parse(phrase, now=NOW), date_phrases.parse(phrase, now=NOW, end=True)}

    assert {day} == readings


@pytest.mark.parametrize(("phrase", "first", "last"), SPANS)
def test_a_span_begins_with_its_first_day_and_ends_with_its_last(phrase: str, first: str, last: str) -> None:
    readings = (date_phrases.parse(phrase, now=NOW), date_phrases.parse(phrase, now=NOW, end=True))

    assert (first, last) == readings


@pytest.mark.parametrize(("phrase", "instant"), INSTANTS)
def test_a_time_of_day_is_read(phrase: str, instant: str) -> None:
    assert instant == date_phrases.parse(phrase, now=NOW)


@pytest.mark.parametrize("text", AS_THEY_ARE)
def test_a_date_in_iso_8601_comes_back_as_it_is(text: str) -> None:
    assert text == date_phrases.parse(f" {text} ", now=NOW)


@pytest.mark.parametrize(("phrase", "reason"), REFUSED)
def test_what_is_no_date_or_more_than_one_is_refused(phrase: str, reason: str) -> None:
    with pytest.raises(date_phrases.DateUnclear) as refused:
        date_phrases.parse(phrase, now=NOW)

    assert reason in str(refused.value)


@given(text=st.text(max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    try:
        meant = date_phrases.parse(text, now=NOW)
    except date_phrases.DateUnclear:
        return
    datetime.fromisoformat(meant)


@given(day=st.dates(), today=st.dates())
def test_a_day_that_is_spelled_out_is_that_day(day: date, today: date) -> None:
    now = datetime.combine(today, datetime.min.time(), UTC)
    spelled = [
        f"{day.day} {day:%B} {day.year:04}",
        f"{day:%b} {day.day}, {day.year:04}",
        f"{day:%A} {day.day}. of {day:%B} {day.year:04}".replace(".", ""),
        f"{day.day}.{day.month}.{day.year:04}",
    ]

    assert {day.isoformat()} == {date_phrases.parse(text, now=now) for text in spelled}


@given(today=st.dates(min_value=date(20, 1, 1), max_value=date(9990, 1, 1)), month=st.integers(1, 12))
def test_a_month_without_a_year_is_the_last_that_has_begun(today: date, month: int) -> None:
    now = datetime.combine(today, datetime.min.time(), UTC)
    first = date.fromisoformat(date_phrases.parse(f"in {date(2000, month, 1):%B}", now=now))

    assert (month, 1) == (first.month, first.day)
    assert first <= today
    assert today - first < timedelta(days=366)


@pytest.mark.parametrize(
    ("phrase", "now", "meant"),
    [
        ("2 hours ago", "2026-03-29T04:30+02:00", "2026-03-29T01:30:00.000+01:00"),
        ("an hour ago", "2026-03-29T03:10+02:00", "2026-03-29T01:10:00.000+01:00"),
        ("in 3 hours", "2026-03-29T00:30+01:00", "2026-03-29T04:30:00.000+02:00"),
        ("2 hours ago", "2026-10-25T03:30+01:00", "2026-10-25T02:30:00.000+02:00"),
        ("30 minutes ago", "2026-10-25T02:15+01:00", "2026-10-25T02:45:00.000+02:00"),
        ("in 24 hours", "2026-10-24T12:00+02:00", "2026-10-25T11:00:00.000+01:00"),
    ],
)
def test_hours_and_minutes_are_elapsed_time_where_the_clock_is_changed(phrase, now, meant):
    present = datetime.fromisoformat(now).astimezone(ZoneInfo("Europe/Zurich"))

    assert date_phrases.parse(phrase, now=present) == meant


@given(
    hours=st.integers(0, 9000),
    now=st.datetimes(datetime(1990, 1, 1), datetime(2035, 1, 1)),
    zone=st.sampled_from(["Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Africa/Casablanca"]),
)
def test_so_many_hours_ago_are_so_many_hours(hours, now, zone):
    present = now.replace(tzinfo=UTC).astimezone(ZoneInfo(zone))
    meant = datetime.fromisoformat(date_phrases.parse(f"{hours} hours ago", now=present))

    assert abs(present.astimezone(UTC) - meant.astimezone(UTC) - timedelta(hours=hours)) < timedelta(milliseconds=1)


@pytest.mark.parametrize(
    ("phrase", "last", "following"),
    [
        ("tomorrow", "2026-11-23", "2026-11-23"),
        ("15 January", "2026-01-15", "2027-01-15"),
        ("on the 16th", "2026-11-16", "2026-12-16"),
        ("the 31st", "2026-10-31", "2026-12-31"),
        ("Friday", "2026-11-20", "2026-11-27"),
        ("Sunday", "2026-11-22", "2026-11-22"),
        ("last Friday", "2026-11-20", "2026-11-20"),
        ("29 February", "2024-02-29", "2028-02-29"),
        ("20/11", "2026-11-20", "2027-11-20"),
        ("20 November 2025", "2025-11-20", "2025-11-20"),
        ("Friday 15 January", None, "2027-01-15"),
        ("Thursday 15 January", "2026-01-15", None),
        ("March", "2026-03", "2027-03"),
        ("November", "2026-11", "2026-11"),
        ("March 2025", "2025-03", "2025-03"),
        ("2025", "2025", "2025"),
        ("end of March", "2026-03-31", "2027-03-31"),
        ("Q1", "2026-01-01", "2027-03-31"),
        ("week 3", "2026-01-12", "2027-01-24"),
        ("next week", "2026-11-23", "2026-11-29"),
        ("Friday at noon", "2026-11-20T12:00", "2026-11-27T12:00"),
    ],
)
@pytest.mark.parametrize("unsaid", ["last", "next"])
def test_what_is_said_without_a_year_is_the_last_or_the_next(phrase, last, following, unsaid):
    expected = last if unsaid == "last" else following
    if expected is None:
        with pytest.raises(date_phrases.DateUnclear):
            date_phrases.parse_as_said(phrase, now=NOW, unsaid=unsaid)
    else:
        assert date_phrases.parse_as_said(phrase, now=NOW, unsaid=unsaid) == expected


@pytest.mark.parametrize(
    ("phrase", "day"),
    [
        ("15 January", "--01-15"),
        ("on Feb 29th", "--02-29"),
        ("20/11", "--11-20"),
        ("15 January 1990", "1990-01-15"),
        ("yesterday", "2026-11-21"),
        ("June", "2026-06"),
    ],
)
def test_a_day_without_a_year_may_be_of_any_year(phrase, day):
    assert date_phrases.parse_as_said(phrase, now=NOW, unsaid="any") == day
