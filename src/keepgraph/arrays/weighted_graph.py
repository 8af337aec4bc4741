"""A weighted graph without directions as arrays: symmetric compressed sparse rows, an entry for each neighbour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WeightedGraph:
    """Nodes, numbered from 0 in the order of their keys, and the weights of the edges between them.

    Attributes:
        keys: the keys of the nodes, ascending, each once.
        offsets, ends, weights: the neighbours of node n are `ends[offsets[n] : offsets[n + 1]]`, ascending, each once;
            their weights stand at the same places. An edge is there from both of its ends.
    """

    keys: Integers
    offsets: Integers
    ends: Integers
    weights: Weights

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def degrees(self) -> Integers:
        """The number of neighbours of each node."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> Integers:
        """The node to which each entry of `ends` belongs."""
        return np.repeat(np.arange(len(self)), self.degrees)


def build(sources: Integers, targets: Integers, weights: Weights, *, nodes: Integers | None = None) -> WeightedGraph:
    """The graph of some edges between keys: the weights of the same two ends are added, loops are left out.

    Args:
        nodes: keys that are in the graph even where no edge has them.
    """
    proper = (sources != targets) & (weights > 0)
    count = int(proper.sum())
    alone = np.empty(0, dtype=np.int64) if nodes is None else nodes
    keys, numbers = np.unique(np.concatenate([sources[proper], targets[proper], alone]), return_inverse=True)
    lower = np.minimum(numbers[:count], numbers[count : 2 * count])
    upper = np.maximum(numbers[:count], numbers[count : 2 * count])
    size = np.int64(max(len(keys), 1))
    pairs, places = np.unique(lower * size + upper, return_inverse=True)
    sums = np.bincount(places, weights=weights[proper], minlength=len(pairs))
    first, second = pairs // size, pairs % size
    owners, ends = np.concatenate([first, second]), np.concatenate([second, first])
    order = np.argsort(owners * size + ends, kind="stable")
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=len(keys)))]).astype(np.int64)
    return WeightedGraph(keys, offsets, ends[order], np.concatenate([sums, sums])[order])


def damp_hubs(graph: WeightedGraph, *, percentile: float, min_degree: int) -> WeightedGraph:
    """Weaken hubs: edges weigh less in proportion to the neighbours of their ends beyond that percentile.

    Args:
        min_degree: a node with at most this many neighbours is not a hub.
    """
    if not len(graph):
        return graph
    limit = max(float(np.percentile(graph.degrees, percentile)), min_degree)
    factors = np.minimum(1.0, limit / graph.degrees)
    return WeightedGraph(
        graph.keys, graph.offsets, graph.ends, graph.weights * factors[graph.owners] * factors[graph.ends]
    )


def modularity(graph: WeightedGraph, labels: Integers) -> float:
    """Newman's modularity of a division of the nodes: 0 is that of chance, 1 the most there can be."""
    total = float(graph.weights.sum())
    if not total:
        return 0.0
    owners = graph.owners
    inside = float(graph.weights[labels[owners] == labels[graph.ends]].sum())
    strengths = np.bincount(labels[owners], weights=graph.weights)
    return inside / total - float(((strengths / total) ** 2).sum())


# Breadth-first search over edges of small whole lengths: how far each node is from the nearest of some nodes.

_UNREACHED = np.iinfo(np.int64).max
"""The distance of a node that is farther away than asked, or not connected at all."""


def distances(graph: WeightedGraph, starts: Integers, lengths: Integers, *, limit: int) -> Integers:
    """The distance of each node, and UNREACHED where it is more than the limit.

    Args:
        starts: the numbers of the nodes whose distance is 0.
        lengths: of each entry of `graph.ends`, 1 or more.
    """
    distance = np.full(len(graph), _UNREACHED, dtype=np.int64)
    distance[starts] = 0
    owners = graph.owners
    for level in range(limit):
        steps = np.flatnonzero(distance[owners] == level)
        np.minimum.at(distance, graph.ends[steps], level + lengths[steps])
    distance[distance > limit] = _UNREACHED
    return distance


# Personalised PageRank: how often a walk that keeps returning to some nodes comes by each node.
#
# At each step the walk goes on along an edge, with a chance in proportion to its weight, or returns to the seeds. The
# ranks are the distribution r = (1 − c) Pᵀ r + c s, found by power iteration, where P holds the chances of the steps, s
# those of the seeds, and c is the chance to return.
#
# Source: Page, Brin, Motwani and Winograd, The PageRank Citation Ranking, 1999; for retrieval with c = 1/2: Gutiérrez
# et al., HippoRAG, NeurIPS 2024.

_RESTART = 0.5
_TOLERANCE = 1e-4
_MAX_ITERATIONS = 50


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
    restart: float = _RESTART,
    tolerance: float = _TOLERANCE,
    max_iterations: int = _MAX_ITERATIONS,
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
