"""Shortest paths and cycles: the k shortest paths without loops between two nodes; one cycle through each component.

Sources: J. Y. Yen, "Finding the K Shortest Loopless Paths in a Network", Management Science 17 (1971); two-sided search
by I. Pohl, "Bi-directional Search", Machine Intelligence 6 (1971). Of paths of one length, that with the smallest
sum of the costs of its inner nodes comes first; the order of the others is fixed.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
        avoided: by node, whether a path may not go through it; it may begin and end there. None: no node is avoided.
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
    """The first of the shortest paths that avoids the nodes of the root, and whose first step is not forbidden."""
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


# Cycles in a directed graph: one shortest cycle through each strongly connected component.
#
# Nodes that nothing leads to, or that lead nowhere, are peeled off first (Kahn, 1962); what remains is small in a graph
# that is meant to have no cycles. Its components are those of Tarjan (1972), without recursion.

_Nodes = NDArray[np.int64]


def find_cycles(sources: _Nodes, targets: _Nodes, *, limit: int) -> list[list[int]]:
    """Cycles in a graph of edges from `sources` to `targets`, each as its nodes in order; loops are left out.

    Args:
        sources, targets: arrays of the same length.
        limit: of how many components a cycle is returned; those with the smallest nodes first.
    """
    followers = _core(sources, targets)
    components = [component for component in _components(followers) if len(component) > 1]
    components.sort(key=min)
    return [_shortest_cycle(followers, component) for component in components[:limit]]


def _core(sources: _Nodes, targets: _Nodes) -> dict[int, list[int]]:
    """The edges between nodes that are in cycles, or between cycles: the followers of each node, in order."""
    is_edge = sources != targets
    sources, targets = sources[is_edge], targets[is_edge]
    if not len(sources):
        return {}
    nodes, numbers = np.unique(np.concatenate([sources, targets]), return_inverse=True)
    ends = numbers.reshape(2, -1)
    alive = np.ones(len(nodes), dtype=bool)
    for one, other in ((ends[0], ends[1]), (ends[1], ends[0])):
        _peel(one, other, alive)
    within = alive[ends[0]] & alive[ends[1]]
    followers: dict[int, set[int]] = {}
    for source, target in zip(nodes[ends[0][within]].tolist(), nodes[ends[1][within]].tolist(), strict=True):
        followers.setdefault(source, set()).add(target)
    return {node: sorted(others) for node, others in followers.items()}


def _peel(sources: _Nodes, targets: _Nodes, alive: NDArray[np.bool_]) -> None:
    """Remove nodes without incoming edges from remaining nodes, until none is left."""
    within = alive[sources] & alive[targets]
    order = np.argsort(sources[within], kind="stable")
    starts, ends = sources[within][order], targets[within][order]
    offsets = np.searchsorted(starts, np.arange(len(alive) + 1))
    leading = np.bincount(ends, minlength=len(alive))
    frontier = np.flatnonzero(alive & (leading == 0))
    while len(frontier):
        alive[frontier] = False
        reached = np.concatenate([ends[offsets[node] : offsets[node + 1]] for node in frontier])
        np.subtract.at(leading, reached, 1)
        frontier = np.unique(reached)
        frontier = frontier[alive[frontier] & (leading[frontier] == 0)]


def _components(followers: Mapping[int, Sequence[int]]) -> Iterable[list[int]]:
    """The strongly connected components of the nodes that have followers."""
    numbers: dict[int, int] = {}
    lowest: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    for root in followers:
        if root in numbers:
            continue
        numbers[root] = lowest[root] = len(numbers)
        stack.append(root)
        on_stack.add(root)
        path = [(root, iter(followers[root]))]
        while path:
            node, rest = path[-1]
            for follower in rest:
                if follower not in numbers:
                    numbers[follower] = lowest[follower] = len(numbers)
                    stack.append(follower)
                    on_stack.add(follower)
                    path.append((follower, iter(followers.get(follower, ()))))
                    break
                if follower in on_stack:
                    lowest[node] = min(lowest[node], numbers[follower])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[node])
                if lowest[node] == numbers[node]:
                    component = [stack.pop()]
                    while component[-1] != node:
                        component.append(stack.pop())
                    on_stack.difference_update(component)
                    yield component


def _shortest_cycle(followers: Mapping[int, Sequence[int]], component: Sequence[int]) -> list[int]:
    """A shortest cycle through the smallest node of a component."""
    inside, start = set(component), min(component)
    previous = {start: start}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for follower in followers.get(node, ()):
            if follower == start:
                cycle = [node]
                while cycle[-1] != start:
                    cycle.append(previous[cycle[-1]])
                return cycle[::-1]
            if follower in inside and follower not in previous:
                previous[follower] = node
                queue.append(follower)
    raise AssertionError("every node of a strongly connected component is in a cycle")
