"""Abstention: no entity is returned if the best score is too low, or two candidates share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepgraph.language.normalisation import Name
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


def tell_apart(resolution: Resolution, name: Name, *, threshold: float) -> Resolution:
    """The resolution of a name, with a hint if several entities fit equally well."""
    best = [candidate for candidate in resolution.candidates if candidate.score >= threshold]
    best = best or list(resolution.candidates[:2])
    if resolution.entity is not None or len(best) < 2 or sum(candidate.score for candidate in best[:2]) < threshold:
        return resolution
    names = [f"{candidate.entity.name} ({candidate.entity.type})" for candidate in best]
    named = f"{', '.join(names[:-1])} and {names[-1]}"
    is_same_name = all(candidate.method in ("exact", "alias") for candidate in best)
    number = "Two" if len(best) == 2 else str(len(best))
    fit = "are called" if is_same_name else "may be meant by"
    hint = f"{number} {fit} “{name.text[:60]}”: {named}. Give the id of the one you mean, or its type, as in type:name."
    return replace(resolution, hint=resolution.hint or hint, is_ambiguous=True)


def _is_ambiguous(candidates: Sequence[Candidate]) -> bool:
    return len(candidates) > 1 and candidates[1].score == candidates[0].score
