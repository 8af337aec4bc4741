"""Acceptance: how the shares of candidates become probabilities, as tables and laws."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.engine.resolution import acceptance
from keepgraph.engine.resolution.acceptance import Evidence
from keepgraph.language import name_features
from keepgraph.model import Candidate, Entity
from laws import examples

MODEL = json.loads(acceptance.WEIGHTS_FILE.read_text(encoding="utf-8"))
WEIGHTS = {"bias": -2.0, "good": 4.0, "bad": -4.0}
STEPS = ("letters", "meaning")

SHARES = [
    # the features of the candidates, the share of each
    ([{}], [0.119]),
    ([{"good": 1.0}], [0.881]),
    ([{"good": 1.0}, {"good": 1.0}], [0.468, 0.468]),
    ([{"good": 1.0}, {"bad": 1.0}], [0.881, 0.0]),
    ([{"unheard_of": 9.0}], [0.119]),
    ([{"good": 1_000.0}], [1.0]),
    ([], []),
]


def candidate(row: int, **features: float) -> Evidence:
    entity = Entity(row, f"ent_{row}", "concept", f"Name {row}", "2026-01-01T00:00:00Z")
    return Evidence(Candidate(entity, entity.name, "fuzzy", 0.5), features)


@pytest.mark.parametrize(("features", "shares"), SHARES)
def test_candidates_share_with_none_of_them(features, shares):
    """
    Two that fit equally well have less than a half each, and a feature that no weight knows changes nothing.
    """
    assert shares == [round(share, 3) for share in acceptance.probabilities(features, WEIGHTS)]


@given(st.lists(st.dictionaries(st.sampled_from(["good", "bad"]), st.floats(-1e6, 1e6)), max_size=6))
@examples(50, sweep=2000)
def test_shares_are_a_distribution(features):
    """
    Each is a probability, and together they leave room for none.
    """
    shares = acceptance.probabilities(features, WEIGHTS)

    assert all(0 <= share <= 1 for share in shares)
    assert sum(shares) <= 1 + 1e-9


@pytest.mark.parametrize(
    ("share", "probability"), [(0.0, 0.0), (0.25, 0.1), (0.5, 0.2), (0.75, 0.6), (1.0, 1.0), (1.5, 1.0)]
)
def test_a_probability_lies_on_the_line_between_two_points(share, probability):
    """
    Beyond the last point it stays.
    """
    assert probability == pytest.approx(acceptance.calibrated(share, [(0.0, 0.0), (0.5, 0.2), (1.0, 1.0)]))


def test_each_candidate_is_compared_with_the_best_of_the_others():
    """
    The leader has a lead and no rival; the other has a rival and no lead.
    """
    first, second = acceptance.compare(
        [
            candidate(1, rule_score=0.7, cosine=0.8, covered=1.0),
            candidate(2, rule_score=0.5, cosine=0.6, covered=0.5),
        ]
    )

    names = ("rival_covered", "leads_covered", "leads_cosine", "leads_rule")
    compared = [[round(each.features[name], 3) for name in names] for each in (first, second)]

    assert compared == [[0.0, 0.5, 0.8, 0.8], [0.5, 0.0, 0.0, 0.0]]


@pytest.mark.parametrize("step", STEPS)
def test_the_shipped_weights_keep_their_directions(step):
    """
    Evidence for a name never lowers its probability, and every weight is of a feature that exists.
    """
    weights = {name: weight for name, weight in MODEL["weights"][step].items() if name != "bias"}
    wrong = {name: weight for name, weight in weights.items() if weight * name_features.DIRECTIONS[name] < 0}

    assert wrong == {}


@pytest.mark.parametrize("step", STEPS)
def test_the_shipped_calibration_rises(step):
    """
    A greater share is never less probable.
    """
    curve = MODEL["calibration"][step]

    assert sorted(curve) == curve
    assert sorted(right for _, right in curve) == [right for _, right in curve]
    assert 0 <= curve[0][1] <= curve[-1][1] <= 1


def test_what_the_rules_take_for_a_weak_reason_is_no_more_probable_than_they_were_right():
    sure, weak = (acceptance._Precision(0.4, is_weak=is_weak) for is_weak in (False, True))

    assert [sure.of(0.1), sure.of(0.97), weak.of(0.1), weak.of(0.97)] == [0.4, 0.97, 0.4, 0.4]
