"""Cycles in a directed graph: one shortest cycle through each strongly connected component.

Nodes that nothing leads to, or that lead nowhere, are peeled off first (Kahn, 1962); what remains is small in a graph
that is meant to have no cycles. Its components are those of Tarjan (1972), without recursion.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Nodes = NDArray[np.int64]


def find(sources: Nodes, targets: Nodes, *, limit: int) -> list[list[int]]:
    """Cycles in a graph of edges from `sources` to `targets`, each as its nodes in order; loops are left out.

    Args:
        sources, targets: arrays of the same length.
        limit: of how many components a cycle is returned; those with the smallest nodes first.
    """
    followers = _core(sources, targets)
    components = [component for component in _components(followers) if len(component) > 1]
    components.sort(key=min)
    return [_shortest_cycle(followers, component) for component in components[:limit]]


def _core(sources: Nodes, targets: Nodes) -> dict[int, list[int]]:
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


def _peel(sources: Nodes, targets: Nodes, alive: NDArray[np.bool_]) -> None:
    """Remove nodes without incoming edges from remaining nodes, until there is none."""
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
