"""Personalised PageRank: how often a walk that keeps returning to some nodes comes by each node.

At each step the walk goes on along an edge, with a chance in proportion to its weight, or returns to the seeds. The
ranks are the distribution r = (1 − c) Pᵀ r + c s, found by power iteration, where P holds the chances of the steps, s
those of the seeds, and c is the chance to return.

Source: Page, Brin, Motwani and Winograd, The PageRank Citation Ranking, 1999; for retrieval with c = 1/2: Gutiérrez et
al., HippoRAG, NeurIPS 2024.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from keepgraph.arrays.weighted_graph import WeightedGraph, Weights

RESTART = 0.5
TOLERANCE = 1e-4
MAX_ITERATIONS = 50


@dataclass(frozen=True, slots=True)
class Ranks:
    """The rank of each node.

    Attributes:
        values: from 0 to 1, by the number of the node; their sum is 1, or 0 where there is no seed.
        iterations: how many were made.
        converged: whether the last of them changed less than the tolerance.
    """

    values: Weights
    iterations: int
    converged: bool


def rank(
    graph: WeightedGraph,
    seeds: Weights,
    *,
    restart: float = RESTART,
    tolerance: float = TOLERANCE,
    max_iterations: int = MAX_ITERATIONS,
    check: Callable[[], None] = lambda: None,
) -> Ranks:
    """Rank the nodes of a graph by their nearness to the seeds.

    From a node without neighbours the walk returns to the seeds.

    Args:
        seeds: a weight for each node, 0 for all but the seeds; only their proportions count.
        restart: the chance to return to the seeds at each step, above 0 and at most 1.
        tolerance: stop when an iteration changes the ranks by less than that, all changes added up.
        check: called before each iteration; raises where the computation is to end.
    """
    total = float(seeds.sum())
    if not total:
        return Ranks(np.zeros(len(seeds)), 0, converged=True)
    seeds = seeds / total
    owners = graph.owners
    strengths = np.bincount(owners, weights=graph.weights, minlength=len(seeds))
    is_dead_end = strengths == 0
    chances = graph.weights / strengths[graph.ends]
    ranks, converged, iterations = seeds, False, 0
    while not converged and iterations < max_iterations:
        check()
        arriving = np.bincount(owners, weights=chances * ranks[graph.ends], minlength=len(seeds))
        returning = restart + (1 - restart) * ranks[is_dead_end].sum()
        following = (1 - restart) * arriving + returning * seeds
        following /= following.sum()
        converged = float(np.abs(following - ranks).sum()) < tolerance
        ranks, iterations = following, iterations + 1
    return Ranks(ranks, iterations, converged)
