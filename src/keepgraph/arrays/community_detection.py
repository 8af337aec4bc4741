"""Community detection: the division of a weighted graph into parts that are dense inside, by Leiden or by labels.

Sources: V. A. Traag, L. Waltman, N. J. van Eck, "From Louvain to Leiden: guaranteeing well-connected communities",
Scientific Reports 9 (2019), by graspologic-native; without that package U. N. Raghavan, R. Albert, S. Kumara, "Near
linear time algorithm to detect community structures in large-scale networks", Physical Review E 76 (2007), one node
after the other, and only those of which a neighbour has changed.
"""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np

from keepgraph.arrays import weighted_graph
from keepgraph.arrays.weighted_graph import Integers, WeightedGraph

LEIDEN = "leiden"
LABEL_PROPAGATION = "label_propagation"

_TOLERANCE = 0.02
"""Among divisions whose modularity is within this share of the best, the finest is taken: modularity merges small
communities in a large graph (S. Fortunato, M. Barthélemy, "Resolution limit in community detection", PNAS 104,
2007)."""

_MIN_SIZE = 3
"""Smaller parts are not communities: a finer division must not leave more nodes in them."""

_RESOLUTIONS = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
_ITERATIONS = 4

_ENTRIES_OF_SMALL_GRAPH = 20_000
_ITERATIONS_IN_SMALL_GRAPH = 10
_TRIALS_IN_SMALL_GRAPH = 5

_ENTRIES_OF_LARGE_GRAPH = 400_000
_RESOLUTION_IN_LARGE_GRAPH = 8.0
"""In a large graph one finer division is tried, at the same time as the first, in one iteration each."""

_MAX_VISITS_OF_NODE = 50
"""Label propagation ends after this many visits per node, on average. It usually needs three to ten."""

_VISITS_BETWEEN_CHECKS = 5_000
_WEIGHT_SCALE = 1_000_000


@dataclass(frozen=True, slots=True)
class Division:
    """A division of the nodes of a graph.

    Attributes:
        labels: by node the number of its part, from 0 in the order of their first nodes.
        method: LEIDEN or LABEL_PROPAGATION.
    """

    labels: Integers
    method: str


def detect(graph: WeightedGraph, *, seed: int, check: Callable[[], None] = lambda: None) -> Division:
    """Divide a graph; the same graph and seed give the same division.

    Args:
        check: called now and then; what it raises ends the detection.
    """
    try:
        import graspologic_native  # noqa: F401 (whether it is installed)
    except ImportError:
        return Division(propagate_labels(graph, seed=seed, check=check), LABEL_PROPAGATION)
    return Division(find_by_leiden(graph, seed=seed, check=check), LEIDEN)


def find_by_leiden(graph: WeightedGraph, *, seed: int, check: Callable[[], None] = lambda: None) -> Integers:
    """The finest division whose modularity is next to the best that Leiden finds. Needs graspologic-native.

    A division that leaves many more nodes alone or in pairs than the best one is none of these. In a graph that is not
    large, its modularity is not below that of label propagation.
    """
    entries = len(graph.ends)
    is_small, is_large = entries <= _ENTRIES_OF_SMALL_GRAPH, entries > _ENTRIES_OF_LARGE_GRAPH
    iterations = _ITERATIONS_IN_SMALL_GRAPH if is_small else 1 if is_large else _ITERATIONS
    resolutions = iter((1.0, *((_RESOLUTION_IN_LARGE_GRAPH,) if is_large else _RESOLUTIONS)))
    check()
    # Leiden runs outside the interpreter's lock: the next division is computed while this one is examined.
    with ThreadPoolExecutor(max_workers=2) as threads:
        run = partial(_run_leiden, graph, seed, iterations=iterations)
        runs = deque(threads.submit(run, resolution) for resolution in islice(resolutions, 2))
        least = (
            -1.0
            if is_large
            else max(
                weighted_graph.modularity(graph, propagate_labels(graph, seed=seed + offset, check=check))
                for offset in range(_TRIALS_IN_SMALL_GRAPH if is_small else 1)
            )
        )
        coarse = finest = runs.popleft().result()
        best = weighted_graph.modularity(graph, coarse)
        while runs:
            runs.extend(threads.submit(run, resolution) for resolution in islice(resolutions, 1))
            check()
            finer = runs.popleft().result()
            if not _is_as_good(graph, finer, best, least=least) or _splits_off(coarse, finer):
                break
            finest = finer
    return finest


def _run_leiden(graph: WeightedGraph, seed: int, resolution: float, *, iterations: int) -> Integers:
    import graspologic_native

    if not len(graph.ends):
        return np.arange(len(graph))
    _, part_of = graspologic_native.leiden_csr(
        graph.offsets,
        graph.ends.astype(np.int32),
        np.ascontiguousarray(graph.weights),
        len(graph),
        resolution=resolution,
        iterations=iterations,
        seed=seed,
        trials=_TRIALS_IN_SMALL_GRAPH if len(graph.ends) <= _ENTRIES_OF_SMALL_GRAPH else 1,
    )
    labels = np.fromiter((part_of[node] for node in range(len(graph))), dtype=np.int64, count=len(graph))
    return _absorb_small_parts(graph, _numbered(labels))


def _absorb_small_parts(graph: WeightedGraph, labels: Integers) -> Integers:
    """The division in which each node of a small part is in the larger one that it is most connected with.

    It is taken where its modularity is next to that of the division. Leiden moves the nodes of a pair together, or not
    at all, where each belongs to another part.
    """
    is_small = np.bincount(labels)[labels] < _MIN_SIZE
    owners = np.repeat(np.arange(len(graph)), np.diff(graph.offsets))
    leads_on = is_small[owners] & ~is_small[graph.ends]
    if not leads_on.any():
        return labels
    count = int(labels.max()) + 1
    pairs, places = np.unique(owners[leads_on] * count + labels[graph.ends[leads_on]], return_inverse=True)
    weights = np.bincount(places, weights=graph.weights[leads_on])
    strongest_last = np.lexsort((-pairs, weights, pairs // count))
    absorbed = labels.copy()
    # Of several parts of one node the last is written last, and stays.
    absorbed[pairs[strongest_last] // count] = pairs[strongest_last] % count
    return _numbered(absorbed) if _is_as_good(graph, absorbed, weighted_graph.modularity(graph, labels)) else labels


def _is_as_good(graph: WeightedGraph, labels: Integers, best: float, *, least: float = -1.0) -> bool:
    """Whether the modularity of a division is within the tolerance below the best one, and not below `least`."""
    return weighted_graph.modularity(graph, labels) >= max(best * (1 - _TOLERANCE), least)


def _splits_off(coarse: Integers, finer: Integers) -> bool:
    """Whether a finer division leaves more nodes alone or in pairs, by more than the tolerance."""
    in_small_parts = [int((np.bincount(labels)[labels] < _MIN_SIZE).sum()) for labels in (coarse, finer)]
    return in_small_parts[1] > in_small_parts[0] + _TOLERANCE * len(coarse)


def propagate_labels(graph: WeightedGraph, *, seed: int, check: Callable[[], None] = lambda: None) -> Integers:
    """The division in which each node has the label that weighs most among its neighbours.

    A node keeps its label as long as no other weighs more, so that two nodes never exchange theirs for ever.
    """
    # Whole numbers, so that equal sums are equal in any order.
    weights = np.rint(graph.weights * _WEIGHT_SCALE).astype(np.int64).tolist()
    ends, offsets = graph.ends.tolist(), graph.offsets.tolist()
    order = list(range(len(graph)))
    generator = random.Random(seed)  # noqa: S311 (an order, not a secret)
    generator.shuffle(order)
    labels = list(range(len(graph)))
    queue = deque(order)
    is_queued = bytearray(b"\x01") * len(graph)
    for visit in range(_MAX_VISITS_OF_NODE * len(graph)):
        if not queue:
            break
        if visit % _VISITS_BETWEEN_CHECKS == 0:
            check()
        node = queue.popleft()
        is_queued[node] = 0
        neighbours = ends[offsets[node] : offsets[node + 1]]
        sums: dict[int, int] = {}
        for neighbour, weight in zip(neighbours, weights[offsets[node] : offsets[node + 1]], strict=True):
            label = labels[neighbour]
            sums[label] = sums.get(label, 0) + weight
        most = max(sums.values(), default=0)
        if sums.get(labels[node]) == most or not sums:
            continue
        best = [label for label, total in sums.items() if total == most]
        labels[node] = best[0] if len(best) == 1 else generator.choice(best)
        for neighbour in neighbours:
            if not is_queued[neighbour] and labels[neighbour] != labels[node]:
                is_queued[neighbour] = 1
                queue.append(neighbour)
    return _numbered(np.array(labels, dtype=np.int64))


def _numbered(labels: Integers) -> Integers:
    """The same division with the parts numbered in the order of their first nodes."""
    _, first, parts = np.unique(labels, return_index=True, return_inverse=True)
    ranks = np.empty(len(first), dtype=np.int64)
    ranks[np.argsort(first)] = np.arange(len(first))
    return ranks[parts]


# Overlap of sets of numbers: which set of one list corresponds to which of another, each to at most one.


def match(old: Mapping[int, Sequence[int]], new: Sequence[Sequence[int]], *, least: float) -> dict[int, int]:
    """The old set that each new one continues: those that overlap most come first.

    Args:
        old: disjoint sets by key.
        new: disjoint sets.
        least: the least overlap (Jaccard: members of both, of the members of either) for a pair.

    Returns:
        The key of the old set by the position of the new one; those without a counterpart are left out.
    """
    owners = {member: key for key, members in old.items() for member in members}
    pairs = []
    for position, members in enumerate(new):
        for key, common in Counter(owners[member] for member in members if member in owners).items():
            overlap = common / (len(members) + len(old[key]) - common)
            if overlap >= least:
                pairs.append((-overlap, -common, key, position))
    matched: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, key, position in sorted(pairs):
        if key not in taken and position not in matched:
            matched[position] = key
            taken.add(key)
    return matched
