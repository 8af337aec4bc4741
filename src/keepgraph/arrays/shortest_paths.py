"""The k shortest paths without loops between two nodes: two-sided breadth-first search within Yen's algorithm.

Sources: J. Y. Yen, "Finding the K Shortest Loopless Paths in a Network", Management Science 17 (1971); two-sided search
by I. Pohl, "Bi-directional Search", Machine Intelligence 6 (1971). Of paths of one length, that with the smallest
sum of the costs of its inner nodes comes first; the order of the others is fixed.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from keepgraph.arrays.fact_graph import FactGraph, Integers, Mask

Path = tuple[int, ...]
"""The numbers of the nodes, from the first to the last."""

_UNREACHED = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Rules:
    """What a path may do.

    Attributes:
        max_hops: the number of facts on the longest path.
        facts: the facts that it may follow, by position; None is all.
        avoided: by node, whether a path may not go through it; it may begin and end there. None is no node.
        costs: of each node, not negative.
        check: called before each step of a search; what it raises ends the search.
    """

    max_hops: int
    facts: Mask | None
    avoided: Mask | None
    costs: Integers
    check: Callable[[], None] = lambda: None


def find(graph: FactGraph, start: int, end: int, *, rules: Rules) -> Iterator[Path]:
    """The paths from one node to another, shortest first, each found when it is asked for.

    Paths through the same nodes by other facts are one path. From a node to itself there is the path of one node.
    """
    if start == end:
        yield (start,)
        return
    found: list[Path] = []
    candidates: list[tuple[int, int, Path]] = []
    seen: set[Path] = set()

    def add(root: Path, forbidden_next: frozenset[int]) -> None:
        rest = _search(graph, root[-1], end, root[:-1], forbidden_next, rules, max_hops=rules.max_hops - len(root) + 1)
        if rest is not None and (path := root + rest[1:]) not in seen:
            seen.add(path)
            heapq.heappush(candidates, (len(path), int(sum(rules.costs[list(path[1:-1])])), path))

    add((start,), frozenset())
    while candidates:
        _, _, path = heapq.heappop(candidates)
        yield path
        found.append(path)
        for length in range(1, len(path)):
            root = path[:length]
            add(root, frozenset(other[length] for other in found if other[:length] == root and len(other) > length))


def _search(
    graph: FactGraph,
    start: int,
    end: int,
    root: Sequence[int],
    forbidden_next: frozenset[int],
    rules: Rules,
    *,
    max_hops: int,
) -> Path | None:
    """The first of the shortest paths that goes through no node of the root, and at first to none that is forbidden."""
    if max_hops < 1:
        return None
    closed = np.zeros(len(graph), dtype=bool) if rules.avoided is None else rules.avoided.copy()
    closed[list(root)] = True
    closed[end] = False
    # The first step is made from the start, so that the other side never has to come back to it over what is forbidden.
    closed[start] = True
    forward, backward = _Side(graph, start, closed, rules), _Side(graph, end, closed, rules)
    forward.step(forbidden=sorted(forbidden_next))
    while True:
        meeting = forward.frontier[backward.distances[forward.frontier] == backward.level]
        if len(meeting):
            return _join(forward, backward, meeting, end)
        if forward.level + backward.level >= max_hops or not len(forward.frontier) or not len(backward.frontier):
            return None
        rules.check()
        (forward if forward.effort <= backward.effort else backward).step()


def _join(forward: _Side, backward: _Side, meeting: Integers, end: int) -> Path:
    """The cheapest of the paths through the nodes where both sides meet."""
    inner_costs = np.where(meeting == end, 0, forward.rules.costs[meeting])
    totals = forward.costs[meeting] + backward.costs[meeting] + inner_costs
    node = int(meeting[totals == totals.min()].min())
    return (*reversed(forward.way_back(node)), node, *backward.way_back(node))


class _Side:
    """One side of a search: how far each node is, at which cost of the nodes between, and by which node it is reached.

    Attributes:
        frontier: the nodes reached by the last step, ascending.
        level: the number of steps made.
    """

    def __init__(self, graph: FactGraph, origin: int, closed: Mask, rules: Rules) -> None:
        self.rules = rules
        self.frontier: Integers = np.array([origin], dtype=np.int64)
        self.level = 0
        self.distances: Integers = np.full(len(graph), -1, dtype=np.int64)
        self.distances[origin] = 0
        self.costs: Integers = np.full(len(graph), _UNREACHED, dtype=np.int64)
        self.costs[origin] = 0
        self._previous: Integers = np.full(len(graph), -1, dtype=np.int64)
        self._graph, self._origin, self._closed = graph, origin, closed

    @property
    def effort(self) -> int:
        """The number of facts that the next step looks at."""
        return int((self._graph.offsets[self.frontier + 1] - self._graph.offsets[self.frontier]).sum())

    def step(self, *, forbidden: Sequence[int] = ()) -> None:
        """Go on by one step, to nodes that are not reached yet."""
        owners, ends, _ = self._graph.expand(self.frontier, self.rules.facts)
        allowed = (self.distances[ends] < 0) & ~self._closed[ends]
        if forbidden:
            allowed &= ~np.isin(ends, forbidden)
        owners, ends = owners[allowed], ends[allowed]
        inner_costs = self.costs[owners] + np.where(owners == self._origin, 0, self.rules.costs[owners])
        np.minimum.at(self.costs, ends, inner_costs)
        cheapest = inner_costs == self.costs[ends]
        # The owners ascend, so that of equal ones the smallest is written last, and stays.
        self._previous[ends[cheapest][::-1]] = owners[cheapest][::-1]
        self.frontier = np.unique(ends)
        self.level += 1
        self.distances[self.frontier] = self.level

    def way_back(self, node: int) -> list[int]:
        """The nodes from one that was reached, itself left out, to the origin."""
        way: list[int] = []
        while node != self._origin:
            node = int(self._previous[node])
            way.append(node)
        return way
