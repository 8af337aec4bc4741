"""Timestamps and local days, at the limits of both."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.temporal import timestamps

ZURICH, AUCKLAND = ZoneInfo("Europe/Zurich"), ZoneInfo("Pacific/Auckland")
ZONES = [
    UTC,
    ZURICH,
    AUCKLAND,
    ZoneInfo("America/Sao_Paulo"),
    ZoneInfo("Asia/Kathmandu"),
    ZoneInfo("Pacific/Kiritimati"),
]

instants = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.sampled_from(ZONES))


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("day", ["2026-03-29", "2026-10-25", "2026-03-01", "2024-12-31"])
def test_the_ends_of_a_local_day_name_each_other_also_when_clocks_are_changed(zone, day):
    start, end = timestamps.parse(day, zone), timestamps.parse(day, zone, end=True)

    assert (timestamps.end_of_first_day(start, zone), timestamps.start_of_last_day(end, zone)) == (end, start)
    for within in (start[:-2] + "1Z", "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"):
        assert timestamps.end_of_first_day(within, zone) is None or within.startswith("0001")
        assert timestamps.start_of_last_day(within, zone) is None


@given(instants)
def test_a_stamp_is_the_instant_to_the_millisecond(instant):
    restored = timestamps.to_datetime(timestamps.from_datetime(instant))

    assert timedelta(0) <= instant - restored < timedelta(milliseconds=1)


@given(instants)
def test_a_stamp_has_always_the_same_form(instant):
    stamp = timestamps.from_datetime(instant)

    assert len(stamp) == 24
    assert (stamp[4], stamp[10], stamp[-1]) == ("-", "T", "Z")


@given(instants, instants)
def test_stamps_sort_as_the_instants_do(one, other):
    if one <= other:
        assert timestamps.from_datetime(one) <= timestamps.from_datetime(other)


@given(instants, st.sampled_from(ZONES))
def test_what_is_shown_can_be_read_again(instant, zone):
    stamp = timestamps.from_datetime(instant)

    assert timestamps.parse(timestamps.format_local(stamp, zone)[:29], UTC) == stamp or zone is not UTC
    assert timestamps.from_datetime(datetime.fromisoformat(timestamps.format_local(stamp, zone))) == stamp


@given(st.dates(date(1, 1, 2), date(9999, 12, 29)), st.sampled_from(ZONES))
def test_the_start_of_a_day_lies_in_it_and_the_moment_before_does_not(day, zone):
    start = timestamps.day_start(day, zone)
    before = timestamps.from_datetime(timestamps.to_datetime(start) - timedelta(milliseconds=1))

    assert timestamps.local_date(start, zone) == day.isoformat()
    assert timestamps.local_date(before, zone) < day.isoformat()


@given(st.dates(date(1, 1, 2), date(9999, 12, 29)), st.sampled_from(ZONES))
def test_the_end_of_a_day_is_the_start_of_the_next(day, zone):
    assert timestamps.parse(day.isoformat(), zone, end=True) == timestamps.day_start(day + timedelta(days=1), zone)


@pytest.mark.parametrize(
    ("day", "zone", "start", "hours"),
    [
        ("2026-03-29", ZURICH, "2026-03-28T23:00:00.000Z", 23),
        ("2026-10-25", ZURICH, "2026-10-24T22:00:00.000Z", 25),
        ("2026-09-27", AUCKLAND, "2026-09-26T12:00:00.000Z", 23),
        ("2026-04-05", AUCKLAND, "2026-04-04T11:00:00.000Z", 25),
        ("2026-07-01", ZURICH, "2026-06-30T22:00:00.000Z", 24),
        ("2018-11-04", ZoneInfo("America/Sao_Paulo"), "2018-11-04T03:00:00.000Z", 23),  # begins at one o'clock
        ("2024-11-03", ZoneInfo("America/Havana"), "2024-11-03T04:00:00.000Z", 25),  # has two midnights
    ],
)
def test_a_day_on_which_the_clocks_change_is_longer_or_shorter(day, zone, start, hours):
    first = timestamps.day_start(date.fromisoformat(day), zone)
    last = timestamps.parse(day, zone, end=True)

    assert first == start
    assert timestamps.to_datetime(last) - timestamps.to_datetime(first) == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("2026-05-01", "2026-04-30T22:00:00.000Z"),
        ("2026-05-01T09:30", "2026-05-01T07:30:00.000Z"),
        ("2026-05-01 09:30", "2026-05-01T07:30:00.000Z"),
        ("2026-05-01T09:30:15", "2026-05-01T07:30:15.000Z"),
        ("2026-05-01T09:30:15.123456", "2026-05-01T07:30:15.123Z"),
        ("2026-05-01T09:30:15.9999", "2026-05-01T07:30:15.999Z"),
        ("2026-05-01T09:30:15.5Z", "2026-05-01T09:30:15.500Z"),
        ("2026-05-01T09:30Z", "2026-05-01T09:30:00.000Z"),
        ("2026-05-01T09:30+02:00", "2026-05-01T07:30:00.000Z"),
        ("2026-05-01T09:30+0200", "2026-05-01T07:30:00.000Z"),
        ("2026-05-01T09:30-11:30", "2026-05-01T21:00:00.000Z"),
        ("2024-02-29", "2024-02-28T23:00:00.000Z"),
        ("0001-01-02", "0001-01-01T23:25:52.000Z"),
        ("0001-01-01T00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31", "9999-12-30T23:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ("2026-03-29T02:30", "2026-03-29T01:30:00.000Z"),  # a time that the clocks skip
        ("2026-10-25T02:30", "2026-10-25T00:30:00.000Z"),  # a time that comes twice: the first
    ],
)
def test_a_date_or_an_instant_is_read(text, stamp):
    assert timestamps.parse(text, ZURICH) == stamp


BAD = """now today 2026 2026-05 2026-5-1 20260501 2026-W18-5 2026-121 01.05.2026 05/01/2026 2026-02-30 2026-13-01
2026-00-10 2026-05-00 2025-02-29 2026-05-01T 2026-05-01T9:30 2026-05-01T24:00 2026-05-01T09:60 2026-05-01T09:30:60
2026-05-01T09 2026-05-01T09:30:15,5 2026-05-01T09:30+25:00 2026-05-01T09:30+2
2026-05-01T09:30:15.1234567 2026-05-01T09:30z
٢٠٢٦-٠٥-٠١ ２０２６-05-01 -2026-05-01 +2026-05-01 12026-05-01 0000-01-01 2026-05-01Z 2026-05-01+02:00 1e3 NaN""".split()


@pytest.mark.parametrize(
    "text", [*BAD, "", " ", "2026-05-01 ", " 2026-05-01", "2026-05-01\n", "2026-05-01T09:30\n", "2026-05-01\x00"]
)
def test_what_is_neither_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        timestamps.parse(text, ZURICH)


@pytest.mark.parametrize("text", [*BAD, "", "2026-05-01\n", "2026-05-01T09:30", "2026-05-01 "])
def test_only_a_calendar_date_is_a_date(text):
    with pytest.raises(ValueError, match=r"."):
        timestamps.parse_date(text)


@pytest.mark.parametrize("text", ["2026-13-01", "2026-02-30", "2026-05-01T25:00"])
def test_a_day_that_no_calendar_has_is_told_as_it_was_given(text):
    """
    Messages go on after “valid_from is”.
    """
    with pytest.raises(ValueError, match=f"^not in the calendar: '{text}'$"):
        timestamps.parse(text, ZURICH)


def test_the_last_of_days_as_an_end_means_for_ever():
    assert timestamps.parse("9999-12-31", ZURICH, end=True) == "9999-12-31T23:59:59.999Z"


@pytest.mark.parametrize(
    ("text", "end"),
    [("0001-01-01", False), ("0001-01-01T00:00+01:00", False), ("9999-12-31T23:30-01:00", False)],
)
def test_what_lies_outside_of_time_is_refused(text, end):
    with pytest.raises(OverflowError):
        timestamps.parse(text, ZURICH, end=end)


@pytest.mark.parametrize("stamp", ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])
@pytest.mark.parametrize("zone", ZONES)
def test_the_first_and_the_last_instant_can_be_shown(stamp, zone):
    assert timestamps.format_local(stamp, zone)
    assert timestamps.local_date(stamp, zone)


def test_a_zone_of_none_is_that_of_the_system(monkeypatch):
    import time

    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    try:
        assert timestamps.format_local("2026-05-01T00:00:00.000Z", None) == "2026-05-01T05:45:00.000+05:45"
        assert timestamps.parse("2026-05-01", None) == "2026-04-30T18:15:00.000Z"
        assert timestamps.local_date("2026-04-30T18:15:00.000Z", None) == "2026-05-01"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_an_offset_is_as_good_as_a_zone():
    assert (
        timestamps.format_local("2026-05-01T00:00:00.000Z", timezone(timedelta(hours=-3)))
        == "2026-04-30T21:00:00.000-03:00"
    )
