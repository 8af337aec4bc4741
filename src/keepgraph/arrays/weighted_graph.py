"""A weighted graph without directions as arrays: symmetric compressed sparse rows, an entry for each neighbour."""

from __future__ import annotations

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
    """Let hubs connect less: edges weigh as much less as their ends have more neighbours than that percentile.

    Args:
        min_degree: with so many neighbours or fewer, a node is no hub.
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
