"""Puts lists of what was found together into one, and into another order. Pure: knows no tables and no words."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

K = 10
"""Of reciprocal rank fusion. With the customary 60, being in many lists counts for more than being first in one."""

BALANCE = 0.5
"""How much relevance weighs against being like what is there already, in `diverse`."""

Key = int
Scored = Sequence[tuple[Key, float]]
"""What one source found, best first, with its own scores."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stood in one list, from 1, and its score there; None where it has none."""

    rank: int | None
    score: float | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """Something that was found, its fused score, and why: its place in each list, by the name of the source."""

    key: Key
    score: float
    why: Mapping[str, Place] = field(default_factory=dict)


def fuse(lists: Mapping[str, Scored], weights: Mapping[str, float] | None = None) -> list[Ranked]:
    """Fuse lists by reciprocal ranks, best first.

    Args:
        weights: of sources that do not count once.
    """
    scores: dict[Key, float] = {}
    why: dict[Key, dict[str, Place]] = {}
    for source, found in lists.items():
        weight = (weights or {}).get(source, 1.0)
        for rank, (key, score) in enumerate(found, 1):
            scores[key] = scores.get(key, 0.0) + weight / (K + rank)
            why.setdefault(key, {})[source] = Place(rank, _rounded(score))
    return _sorted(Ranked(key, score, why[key]) for key, score in scores.items())


def boosted(found: Iterable[Ranked], keys: Collection[Key], *, by: float, source: str) -> list[Ranked]:
    """Multiply the scores of some, and say that it was so."""
    return _sorted(
        replace(each, score=each.score * by, why={**each.why, source: Place(None, by)}) if each.key in keys else each
        for each in found
    )


def spread(found: Scored, neighbours: Mapping[Key, Iterable[tuple[Key, float]]]) -> list[tuple[Key, float]]:
    """Let each give a share of its score to those beside it.

    Args:
        neighbours: of each, with the share that they are given.
    """
    scores = dict(found)
    for key, score in found:
        for neighbour, share in neighbours.get(key, ()):
            scores[neighbour] = scores.get(neighbour, 0.0) + share * score
    return sorted(scores.items(), key=lambda each: (-each[1], each[0]))


def gathered(lists: Iterable[tuple[Sequence[Key], float]]) -> list[tuple[Key, float]]:
    """What is named again and again in groups that have scores, by the sum of those scores."""
    scores: dict[Key, float] = {}
    for keys, score in lists:
        for key in dict.fromkeys(keys):
            scores[key] = scores.get(key, 0.0) + score
    return sorted(scores.items(), key=lambda each: (-each[1], each[0]))


def diverse(found: Sequence[Ranked], likeness: Callable[[Key, Key], float], *, limit: int) -> list[Ranked]:
    """Maximal marginal relevance: each next is relevant, and unlike those before it.

    Relevance is the fused score, as a share of the best.

    Args:
        likeness: of two, from 0 (nothing in common) to 1.
    """
    if not found:
        return []
    top = found[0].score or 1.0
    left = list(found)
    nearest = dict.fromkeys((each.key for each in left), 0.0)
    chosen: list[Ranked] = []
    while left and len(chosen) < limit:
        values = [BALANCE * each.score / top - (1 - BALANCE) * nearest[each.key] for each in left]
        best = max(range(len(left)), key=values.__getitem__)
        taken = left.pop(best)
        chosen.append(_reranked(taken, "mmr", len(chosen) + 1, values[best]))
        for each in left:
            nearest[each.key] = max(nearest[each.key], likeness(each.key, taken.key))
    return chosen


def by_distance(found: Sequence[Ranked], distances: Mapping[Key, int]) -> list[Ranked]:
    """The nearest first; what cannot be reached comes last, in the order it had."""
    order = sorted(found, key=lambda each: distances.get(each.key, math.inf))
    return [_reranked(each, "node_distance", rank, distances.get(each.key)) for rank, each in enumerate(order, 1)]


def by_count(found: Sequence[Ranked], counts: Mapping[Key, int]) -> list[Ranked]:
    """Those with the highest count first; equal ones in the order they had."""
    order = sorted(found, key=lambda each: -counts.get(each.key, 0))
    return [_reranked(each, "episode_mentions", rank, counts.get(each.key, 0)) for rank, each in enumerate(order, 1)]


def by_score(found: Sequence[Ranked], scores: Mapping[Key, float]) -> list[Ranked]:
    """By the scores of a cross-encoder; what it has not read comes last, in the order it had."""
    order = sorted(found, key=lambda each: -scores.get(each.key, -math.inf))
    return [_reranked(each, "cross_encoder", rank, scores.get(each.key)) for rank, each in enumerate(order, 1)]


def _reranked(each: Ranked, source: str, rank: int, score: float | None) -> Ranked:
    return replace(each, why={**each.why, source: Place(rank, None if score is None else _rounded(score))})


def _sorted(found: Iterable[Ranked]) -> list[Ranked]:
    return sorted(found, key=lambda each: (-each.score, each.key))


def _rounded(score: float) -> float:
    return round(score, 4)
