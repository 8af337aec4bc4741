"""Abstention: no entity is returned where the best score is too low, or two candidates have it."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph.model import Candidate, Resolution

MAX_CANDIDATES = 5
"""How many candidates an answer names."""

_IMPOSSIBLE = 0.001
"""Below this probability nothing is returned, whatever the threshold: such a candidate was refused."""


def choose(candidates: Sequence[Candidate], *, threshold: float) -> Resolution:
    """The best candidate, if its score reaches the threshold and no other is as good.

    Args:
        candidates: by descending score.

    Returns:
        With an entity, the other candidates are those above the threshold; without one, they are the best of all.
    """
    if not candidates or candidates[0].score < max(threshold, _IMPOSSIBLE) or _is_ambiguous(candidates):
        return Resolution(None, "none", 0.0, tuple(candidates[:MAX_CANDIDATES]))
    best = candidates[0]
    others = tuple(candidate for candidate in candidates[1:MAX_CANDIDATES] if candidate.score >= threshold)
    return Resolution(best.entity, best.method, best.score, others, best.reason)


def _is_ambiguous(candidates: Sequence[Candidate]) -> bool:
    return len(candidates) > 1 and candidates[1].score == candidates[0].score
