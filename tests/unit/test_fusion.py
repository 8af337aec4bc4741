"""Several rankings become one, by reciprocal ranks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from keepgraph.engine.retrieval import fusion
from keepgraph.engine.retrieval.fusion import Hit, Placement

KEYS = st.integers(-30, 30).filter(bool)
RANKINGS = st.dictionaries(
    st.sampled_from(["words", "meaning", "graph"]),
    st.lists(st.tuples(KEYS, st.floats(0, 1)), unique_by=lambda scored: scored[0], max_size=20),
)


def keys(hits):
    return [hit.key for hit in hits]


def test_what_is_in_two_rankings_comes_before_what_is_as_high_in_one():
    hits = fusion.fuse({"words": [(1, 9.0), (2, 8.0)], "meaning": [(2, 0.9), (3, 0.8)]})

    assert keys(hits) == [2, 1, 3]


def test_every_hit_says_where_it_stood_and_with_what_score():
    hits = fusion.fuse({"words": [(1, 9.0)], "meaning": [(2, 0.9), (1, 0.8)]})

    assert {"words": Placement(1, 9.0), "meaning": Placement(2, 0.8)} == next(hit.why for hit in hits if hit.key == 1)


def test_a_retriever_may_count_more_than_others():
    rankings = {"names": [(1, 1.0)], "words": [(2, 1.0)], "meaning": [(2, 1.0)]}

    assert keys(fusion.fuse(rankings)) == [2, 1]
    assert keys(fusion.fuse(rankings, {"names": 3.0})) == [1, 2]


def test_proposed_names_come_after_entities_that_are_about_as_relevant():
    hits = fusion.scale_proposals([Hit(-1, 1.0), Hit(2, 0.9), Hit(3, 0.4)], 0.5)

    assert keys(hits) == [2, -1, 3]


def test_a_hit_may_have_weights_of_its_own():
    rankings = {"words": [(1, 9.0), (2, 8.0)]}
    hits = fusion.fuse(rankings, {"words": 1.0}, exceptions={2: {"words": 2.0}})

    assert keys(hits) == [2, 1]


@given(RANKINGS)
def test_fusing_loses_nothing_and_adds_nothing(rankings):
    hits = fusion.fuse(rankings)

    assert {key for ranking in rankings.values() for key, _ in ranking} == set(keys(hits))
    assert sorted(hits, key=lambda hit: (-hit.score, hit.key)) == hits


@given(RANKINGS)
def test_the_order_of_the_retrievers_does_not_matter(rankings):
    turned = dict(reversed(rankings.items()))

    assert keys(fusion.fuse(rankings)) == keys(fusion.fuse(turned))


def test_a_boost_lifts_those_that_are_meant_and_says_so():
    hits = fusion.boost([Hit(1, 1.0), Hit(2, 0.8)], {2}, by=1.5, source="names")

    assert keys(hits) == [2, 1]
    assert {"names": Placement(None, 1.5)} == hits[0].why


@given(RANKINGS, st.sets(KEYS), st.sampled_from(["names", "words"]))
def test_a_boosted_hit_says_all_that_it_said_before(rankings, boosted, source):
    before = {hit.key: dict(hit.why) for hit in fusion.fuse(rankings)}
    hits = fusion.boost(fusion.fuse(rankings), boosted, by=1.5, source=source)

    expected = {key: {**why, source: Placement(None, 1.5)} if key in boosted else why for key, why in before.items()}
    assert expected == {hit.key: dict(hit.why) for hit in hits}
    assert all(len(hit.why) == len(dict(hit.why)) for hit in hits)


def test_a_share_of_a_score_goes_to_neighbours():
    ranking = fusion.spread([(1, 8.0), (2, 3.0)], {1: [(2, 0.5)], 2: [(1, 0.25), (3, 0.5)]})

    assert ranking == [(1, 8.75), (2, 7.0), (3, 1.5)]


def test_a_member_of_several_groups_has_the_sum_of_their_scores():
    assert fusion.sum_scores([([7, 7], 2.0), ([7, 8], 1.0)]) == [(7, 3.0), (8, 1.0)]


def test_of_nothing_nothing_is_fused():
    assert fusion.fuse({}) == []
