"""Public ids: unique, of one length, in the order in which they were made."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph import store
from keepgraph.temporal import timestamps

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
NOW = datetime(2026, 5, 15, 10, tzinfo=UTC)


def milliseconds(made: str) -> int:
    value = 0
    for letter in made.split("_")[1][:10]:
        value = value * 32 + ALPHABET.index(letter)
    return value


@pytest.mark.parametrize(("prefix", "length"), [("ent", 30), ("fact", 31), ("ep", 29)])
def test_an_id_is_a_prefix_and_26_characters(prefix, length):
    made = store.ids.ulids()(prefix, NOW)

    assert len(made) == length
    assert made.startswith(f"{prefix}_")
    assert set(made.removeprefix(f"{prefix}_")) <= set(ALPHABET)


def test_ids_of_one_moment_are_different_and_sort_as_they_were_made():
    new_id = store.ids.ulids()
    made = [new_id("ent", NOW) for _ in range(20_000)]

    assert len(set(made)) == len(made)
    assert sorted(made) == made


def test_ids_of_one_moment_count_up_whatever_their_prefix():
    new_id = store.ids.ulids()
    made = [new_id(prefix, NOW).split("_")[1] for prefix in ("ent", "fact", "ent", "fact")]

    assert sorted(made) == made


def test_later_ids_sort_later():
    new_id = store.ids.ulids()
    made = [new_id("ent", NOW + timedelta(milliseconds=n)) for n in range(2000)]

    assert sorted(made) == made


def test_two_makers_do_not_agree():
    assert store.ids.ulids()("ent", NOW) != store.ids.ulids()("ent", NOW)


def test_threads_may_share_a_maker():
    new_id = store.ids.ulids()
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: new_id("ent", NOW), range(5000)))

    assert len(set(made)) == len(made)


@given(st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)))
def test_the_time_of_an_id_is_the_stamp_of_its_row(moment):
    since = timestamps.to_datetime(timestamps.from_datetime(moment)) - datetime(1970, 1, 1, tzinfo=UTC)

    assert milliseconds(store.ids.ulids()("ent", moment)) == since // timedelta(milliseconds=1)


@pytest.mark.parametrize(
    "moment", [datetime(1, 1, 1, tzinfo=UTC), datetime(1969, 12, 31, tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
)
def test_any_clock_gives_an_id(moment):
    assert len(store.ids.ulids()("ent", moment)) == 30


def test_a_clock_that_goes_back_repeats_no_id():
    new_id = store.ids.ulids()
    made = [new_id("ent", NOW - timedelta(milliseconds=n % 3)) for n in range(3000)]

    assert len(set(made)) == len(made)
