"""Lists become one, and are put into another order."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.engine.retrieval import reranking
from keepgraph.engine.retrieval.reranking import Place, Ranked

KEYS = st.integers(-30, 30).filter(bool)
LISTS = st.dictionaries(
    st.sampled_from(["words", "meaning", "graph"]),
    st.lists(st.tuples(KEYS, st.floats(0, 1)), unique_by=lambda each: each[0], max_size=20),
)
RANKED = st.lists(KEYS, unique=True, max_size=20).map(
    lambda keys: [Ranked(key, 1.0 / (place + 1)) for place, key in enumerate(keys)]
)


def keys(found):
    return [each.key for each in found]


def test_what_is_in_two_lists_comes_before_what_is_as_high_in_one():
    found = reranking.fuse({"words": [(1, 9.0), (2, 8.0)], "meaning": [(2, 0.9), (3, 0.8)]})

    assert keys(found) == [2, 1, 3]


def test_everything_says_where_it_stood_and_with_what_score():
    found = reranking.fuse({"words": [(1, 9.0)], "meaning": [(2, 0.9), (1, 0.8)]})

    assert {"words": Place(1, 9.0), "meaning": Place(2, 0.8)} == next(each.why for each in found if each.key == 1)


def test_a_source_may_count_more_than_others():
    lists = {"names": [(1, 1.0)], "words": [(2, 1.0)], "meaning": [(2, 1.0)]}

    assert keys(reranking.fuse(lists)) == [2, 1]
    assert keys(reranking.fuse(lists, {"names": 3.0})) == [1, 2]


@given(LISTS)
def test_fusing_loses_nothing_and_adds_nothing(lists):
    found = reranking.fuse(lists)

    assert {key for each in lists.values() for key, _ in each} == set(keys(found))
    assert sorted(found, key=lambda each: (-each.score, each.key)) == found


@given(LISTS)
def test_the_order_of_the_sources_does_not_matter(lists):
    turned = dict(reversed(lists.items()))

    assert keys(reranking.fuse(lists)) == keys(reranking.fuse(turned))


def test_a_boost_lifts_those_that_are_meant_and_says_so():
    found = reranking.boosted([Ranked(1, 1.0), Ranked(2, 0.8)], {2}, by=1.5, source="names")

    assert keys(found) == [2, 1]
    assert {"names": Place(None, 1.5)} == found[0].why


def test_a_share_of_a_score_goes_to_those_beside():
    found = reranking.spread([(1, 8.0), (2, 3.0)], {1: [(2, 0.5)], 2: [(1, 0.25), (3, 0.5)]})

    assert found == [(1, 8.75), (2, 7.0), (3, 1.5)]


def test_what_many_name_is_gathered_by_their_scores():
    assert reranking.gathered([([7, 7], 2.0), ([7, 8], 1.0)]) == [(7, 3.0), (8, 1.0)]


def test_diversity_puts_off_what_is_like_what_was_chosen():
    twins = {frozenset({1, 2})}
    found = reranking.diverse(
        [Ranked(1, 1.0), Ranked(2, 0.9), Ranked(3, 0.5)],
        lambda one, other: 1.0 if frozenset({one, other}) in twins else 0.0,
        limit=3,
    )

    assert keys(found) == [1, 3, 2]


@given(RANKED, st.integers(0, 25))
def test_without_likeness_diversity_keeps_the_order(found, limit):
    assert keys(found)[:limit] == keys(reranking.diverse(found, lambda one, other: 0.0, limit=limit))


def test_the_nearest_comes_first_and_what_cannot_be_reached_last():
    found = reranking.by_distance([Ranked(1, 3.0), Ranked(2, 2.0), Ranked(3, 1.0), Ranked(4, 0.5)], {2: 2, 4: 0})

    assert keys(found) == [4, 2, 1, 3]
    assert [Place(1, 0), Place(2, 2), Place(3, None), Place(4, None)] == [each.why["node_distance"] for each in found]


def test_what_is_mentioned_most_comes_first():
    found = reranking.by_count([Ranked(1, 3.0), Ranked(2, 2.0), Ranked(3, 1.0)], Counter({3: 5, 1: 1}))

    assert keys(found) == [3, 1, 2]


def test_what_a_model_has_not_read_comes_last():
    found = reranking.by_score([Ranked(1, 3.0), Ranked(2, 2.0), Ranked(3, 1.0)], {2: -1.5, 3: 0.5})

    assert keys(found) == [3, 2, 1]


@pytest.mark.parametrize("rerank", [reranking.by_distance, reranking.by_count, reranking.by_score])
@given(found=RANKED, values=st.dictionaries(KEYS, st.integers(0, 5)))
def test_another_order_loses_nothing(rerank, found, values):
    assert sorted(keys(found)) == sorted(keys(rerank(found, values)))


def test_nothing_found_is_nothing_in_any_order():
    assert reranking.fuse({}) == []
    assert reranking.diverse([], lambda one, other: 0.0, limit=5) == []
    assert reranking.by_distance([], {}) == []
