"""Abstention: no entity is returned where the best score is too low, or two candidates are too close to call."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph.model import Candidate, Resolution

MAX_CANDIDATES = 5
"""How many candidates an answer names."""


def choose(candidates: Sequence[Candidate], *, threshold: float, margin: float) -> Resolution:
    """The best candidate, if its score reaches the threshold and no other is as good or within the margin.

    Args:
        candidates: by descending score.

    Returns:
        With an entity, the other candidates are those above the threshold; without one, they are the best of all.
    """
    if not candidates or candidates[0].score < threshold or _is_ambiguous(candidates, margin):
        return Resolution(None, "none", 0.0, tuple(candidates[:MAX_CANDIDATES]))
    best = candidates[0]
    others = tuple(candidate for candidate in candidates[1:MAX_CANDIDATES] if candidate.score >= threshold)
    return Resolution(best.entity, best.method, best.score, others, best.reason)


def _is_ambiguous(candidates: Sequence[Candidate], margin: float) -> bool:
    best, second = candidates[0].score, candidates[1].score if len(candidates) > 1 else 0.0
    return second == best or second > best - margin
