"""Abstention: when the best candidate is the answer, and which candidates are named beside it."""

from __future__ import annotations

import pytest

from keepgraph.engine.resolution import abstention
from keepgraph.model import Candidate, Entity


def candidates(*scores: float) -> list[Candidate]:
    return [
        Candidate(Entity(row, f"ent_{row}", "person", f"Ada {row}", "2026-05-15"), f"Ada {row}", "fuzzy", score)
        for row, score in enumerate(scores, 1)
    ]


@pytest.mark.parametrize(
    ("scores", "is_sure"),
    [
        ((), False),
        ((0.9,), True),
        ((0.8,), True),  # the threshold itself is enough
        ((0.799,), False),
        ((0.95, 0.8), True),
        ((0.9, 0.8999), True),
        ((0.9, 0.9), False),
        ((1.0, 1.0), False),
    ],
)
def test_the_best_is_the_answer_from_the_threshold_up_and_with_no_other_as_good(scores, is_sure):
    resolution = abstention.choose(candidates(*scores), threshold=0.8)

    assert (resolution.entity is not None) is is_sure
    assert resolution.method == ("fuzzy" if is_sure else "none")
    assert resolution.score == (scores[0] if is_sure else 0.0)


@pytest.mark.parametrize(
    ("scores", "named"),
    [
        ((1.0, 0.9, 0.8, 0.79), [2, 3]),  # beside an answer, those that the threshold admits
        ((1.0, 0.95, 0.94, 0.93, 0.92, 0.91), [2, 3, 4, 5]),
        ((0.7, 0.6), [1, 2]),  # without one, the best of all
        ((0.9, 0.9, 0.3, 0.2, 0.1, 0.05), [1, 2, 3, 4, 5]),
    ],
)
def test_at_most_five_are_named(scores, named):
    resolution = abstention.choose(candidates(*scores), threshold=0.8)

    assert [candidate.entity.row for candidate in resolution.candidates] == named
