"""Breadth-first search over edges of small whole lengths: how far each node is from the nearest of some nodes."""

from __future__ import annotations

import numpy as np

from keepgraph.arrays.weighted_graph import Integers, WeightedGraph

UNREACHED = np.iinfo(np.int64).max
"""The distance of a node that is farther away than asked, or not connected at all."""


def distances(graph: WeightedGraph, starts: Integers, lengths: Integers, *, limit: int) -> Integers:
    """The distance of each node, and UNREACHED where it is more than the limit.

    Args:
        starts: the numbers of the nodes whose distance is 0.
        lengths: of each entry of `graph.ends`, 1 or more.
    """
    distance = np.full(len(graph), UNREACHED, dtype=np.int64)
    distance[starts] = 0
    owners = graph.owners
    for level in range(limit):
        steps = np.flatnonzero(distance[owners] == level)
        np.minimum.at(distance, graph.ends[steps], level + lengths[steps])
    distance[distance > limit] = UNREACHED
    return distance
