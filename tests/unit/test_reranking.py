"""Hits are put into another order: by diversity, by distance, by a count, by the scores of a model."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from keepgraph.engine.retrieval import reranking
from keepgraph.engine.retrieval.fusion import Hit, Placement

KEYS = st.integers(-30, 30).filter(bool)
HITS = st.lists(KEYS, unique=True, max_size=20).map(
    lambda keys: [Hit(key, 1.0 / (place + 1)) for place, key in enumerate(keys)]
)


def keys(hits):
    return [hit.key for hit in hits]


def test_diversity_puts_off_what_is_like_what_was_chosen():
    twins = {frozenset({1, 2})}
    hits = reranking.by_diversity(
        [Hit(1, 1.0), Hit(2, 0.9), Hit(3, 0.5)],
        lambda one, other: 1.0 if frozenset({one, other}) in twins else 0.0,
        limit=3,
    )

    assert keys(hits) == [1, 3, 2]


@given(HITS, st.integers(0, 25))
def test_without_similarity_diversity_keeps_the_order(hits, limit):
    assert keys(hits)[:limit] == keys(reranking.by_diversity(hits, lambda one, other: 0.0, limit=limit))


def test_the_nearest_comes_first_and_what_cannot_be_reached_last():
    hits = reranking.by_distance([Hit(1, 3.0), Hit(2, 2.0), Hit(3, 1.0), Hit(4, 0.5)], {2: 2, 4: 0}, head=4)

    assert keys(hits) == [4, 2, 1, 3]
    assert [Placement(1, 0), Placement(2, 2), Placement(3, None), Placement(4, None)] == [
        hit.why["node_distance"] for hit in hits
    ]


def test_what_is_mentioned_most_comes_first():
    hits = reranking.by_count([Hit(1, 3.0), Hit(2, 2.0), Hit(3, 1.0)], Counter({3: 5, 1: 1}), head=3)

    assert keys(hits) == [3, 1, 2]


def test_what_a_model_has_not_read_comes_last():
    hits = reranking.by_score([Hit(1, 3.0), Hit(2, 2.0), Hit(3, 1.0)], {2: -1.5, 3: 0.5})

    assert keys(hits) == [3, 2, 1]


@given(HITS, st.dictionaries(KEYS, st.integers(0, 5)), st.integers(0, 20))
def test_another_order_loses_nothing(hits, values, head):
    assert sorted(keys(hits)) == sorted(keys(reranking.by_score(hits, values)))
    for rerank in (reranking.by_distance, reranking.by_count):
        order = keys(rerank(hits, values, head=head))

        assert sorted(keys(hits)[:head]) == sorted(order[:head])
        assert keys(hits)[head:] == order[head:]


def test_the_head_ends_where_hits_are_much_less_relevant_than_the_best():
    hits = [Hit(1, 1.0), Hit(2, 0.8), Hit(3, 0.6), Hit(4, 0.2)]

    assert [reranking.relevant_head(hits, limit=limit) for limit in (2, 10)] == [2, 3]
    assert reranking.relevant_head([], limit=10) == 0


def test_nothing_is_nothing_in_any_order():
    assert reranking.by_diversity([], lambda one, other: 0.0, limit=5) == []
    assert reranking.by_distance([], {}, head=0) == []
