"""Reranking: another order for hits, by diversity (MMR), by distance, by a count, or by the scores of a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from keepgraph.engine.retrieval import weights
from keepgraph.engine.retrieval.fusion import Hit, Key, Placement, round_score


def by_diversity(hits: Sequence[Hit], similarity: Callable[[Key, Key], float], *, limit: int) -> list[Hit]:
    """Maximal marginal relevance, greedy: each next hit is relevant, and unlike those before it.

    Relevance is the fused score, as a share of the best. Source: Carbonell and Goldstein, The Use of MMR,
    Diversity-Based Reranking for Reordering Documents and Producing Summaries, SIGIR 1998.

    Args:
        similarity: of two hits, from 0 (nothing in common) to 1.
    """
    if not hits:
        return []
    top = hits[0].score or 1.0
    remaining = list(hits)
    nearest = dict.fromkeys((hit.key for hit in remaining), 0.0)
    chosen: list[Hit] = []
    while remaining and len(chosen) < limit:
        values = [
            weights.MMR_BALANCE * hit.score / top - (1 - weights.MMR_BALANCE) * nearest[hit.key] for hit in remaining
        ]
        best = max(range(len(remaining)), key=values.__getitem__)
        selected = remaining.pop(best)
        chosen.append(_placed(selected, "mmr", len(chosen) + 1, values[best]))
        for hit in remaining:
            nearest[hit.key] = max(nearest[hit.key], similarity(hit.key, selected.key))
    return chosen


def relevant_head(hits: Sequence[Hit], *, limit: int) -> int:
    """How many of the first hits are about as relevant as the best, so that something else may decide their order.

    Args:
        limit: never more than this, for what is not returned is not compared.
    """
    if not hits:
        return 0
    least = weights.SHARE_OF_BEST_IN_HEAD * hits[0].score
    return sum(hit.score >= least for hit in hits[:limit])


def by_distance(hits: Sequence[Hit], distances: Mapping[Key, int], *, head: int) -> list[Hit]:
    """The nearest of the head first, in steps, and what cannot be reached last; then the other hits.

    Hits that are equally far, and those behind the head, stay in the order that they had.
    """
    order = [*sorted(hits[:head], key=lambda hit: distances.get(hit.key, math.inf)), *hits[head:]]
    return [_placed(hit, "node_distance", rank, distances.get(hit.key)) for rank, hit in enumerate(order, 1)]


def by_count(hits: Sequence[Hit], counts: Mapping[Key, int], *, head: int) -> list[Hit]:
    """Those of the head with the highest count first; equal ones, and those behind the head, in the order they had."""
    order = [*sorted(hits[:head], key=lambda hit: -counts.get(hit.key, 0)), *hits[head:]]
    return [_placed(hit, "episode_mentions", rank, counts.get(hit.key, 0)) for rank, hit in enumerate(order, 1)]


def by_score(hits: Sequence[Hit], scores: Mapping[Key, float]) -> list[Hit]:
    """By the scores of a cross-encoder; what has no score comes last, in the order it had."""
    order = sorted(hits, key=lambda hit: -scores.get(hit.key, -math.inf))
    return [_placed(hit, "cross_encoder", rank, scores.get(hit.key)) for rank, hit in enumerate(order, 1)]


def _placed(hit: Hit, source: str, rank: int, score: float | None) -> Hit:
    """The hit with its placement in another ranking."""
    return hit._replace(why={**hit.why, source: Placement(rank, None if score is None else round_score(score))})
