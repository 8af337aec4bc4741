"""Breadth-first search over neighbours alone: the nodes within reach, cycles, and a shortest path between two nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from keepgraph.arrays.adjacency import Key, Neighbours

CountWork = Callable[[int], None]
"""Called with how much was done since the last call; raises where it is time to stop."""


def reachable_levels(
    neighbours: Neighbours, start: Key, most: int | None, count_work: CountWork, *, include_start: bool = False
) -> Iterator[set[Key]]:
    """The nodes at each distance from 1 on, nearest first.

    Args:
        most: the greatest distance; None for no limit.
        include_start: whether the start is among them where a walk leads back to it.
    """
    seen: set[Key] = set() if include_start else {start}
    frontier = {start}
    depth = 0
    while frontier and (most is None or depth < most):
        depth += 1
        level = neighbours.of_all(frontier)
        count_work(len(level) + len(frontier))
        level -= seen
        if not level:
            return
        seen |= level
        yield level
        frontier = level


def is_on_cycle(neighbours: Neighbours, start: Key, most: int | None, count_work: CountWork) -> bool:
    """Whether a trail of at most so many steps leads from a node back to it, where the direction does not matter.

    A walk may return over the relationship that it came by; a trail may not. So each node is given the branch it was
    first reached through, which is a neighbour of the start: where two branches meet, there is a cycle.
    """
    adjacent = list(neighbours.of(start))
    if most is not None and most < 1:
        return False
    if start in adjacent:
        return True
    if most is not None and most < 2:
        return False
    if len(set(adjacent)) < len(adjacent):
        return True
    branches: dict[Key, Key] = {node: node for node in adjacent}
    frontier = adjacent
    depth = 1
    # Two neighbouring nodes at depths d and d, or d and d + 1, close a cycle of 2d + 1, or 2d + 2, steps.
    while frontier and (most is None or 2 * depth + 1 <= most):
        following: list[Key] = []
        new: dict[Key, Key] = {}
        for node in frontier:
            branch = branches[node]
            for other in neighbours.of(node):
                if other == start:
                    continue
                if other in branches:
                    if branches[other] != branch:
                        return True
                elif other in new:
                    if new[other] != branch and (most is None or 2 * depth + 2 <= most):
                        return True
                else:
                    new[other] = branch
                    following.append(other)
        count_work(len(following) + len(frontier))
        branches.update(new)
        frontier = following
        depth += 1
    return False


def shortest_path(
    forwards: Neighbours, backwards: Neighbours, start: Key, end: Key, most: int | None, count_work: CountWork
) -> list[Key] | None:
    """The nodes of one shortest path between two different nodes, both included; None where there is none."""
    met = _meet(forwards, backwards, start, end, most, count_work)
    if met is None:
        return None
    levels, levels_back = met
    # Both searches have just reached it, so it is in the last level of each.
    middle = min(levels[-1] & levels_back[-1], key=_sort_key)
    return [*reversed(_trace_back(backwards, levels, middle)), middle, *_trace_back(forwards, levels_back, middle)]


def shortest_path_levels(
    forwards: Neighbours, backwards: Neighbours, start: Key, end: Key, most: int | None, count_work: CountWork
) -> list[set[Key]] | None:
    """The nodes of all shortest paths between two different nodes, by their distance from the start; None if none."""
    met = _meet(forwards, backwards, start, end, most, count_work)
    if met is None:
        return None
    levels, levels_back = met
    middle = levels[-1] & levels_back[-1]
    before = _narrow(backwards, levels, middle, count_work)
    behind = _narrow(forwards, levels_back, middle, count_work)
    return [*reversed(before), middle, *behind]


def _meet(
    forwards: Neighbours, backwards: Neighbours, start: Key, end: Key, most: int | None, count_work: CountWork
) -> tuple[list[set[Key]], list[set[Key]]] | None:
    """The nodes at each distance from the start, and from the end, up to where the two searches meet; None if never.

    The search is bidirectional: each step expands the smaller of the two frontiers.
    """
    levels, levels_back = [{start}], [{end}]
    seen, seen_back = {start}, {end}
    length = 0
    while levels[-1] and levels_back[-1] and (most is None or length < most):
        length += 1
        if len(levels[-1]) <= len(levels_back[-1]):
            level = _expand_frontier(forwards, levels, seen, count_work)
        else:
            level = _expand_frontier(backwards, levels_back, seen_back, count_work)
        if level & (seen_back if level is levels[-1] else seen):
            return levels, levels_back
    return None


def _narrow(neighbours: Neighbours, levels: list[set[Key]], middle: set[Key], count_work: CountWork) -> list[set[Key]]:
    """Of each level but the last, from the last but one to the first, the nodes that lead to those in the middle."""
    narrowed, reached = [], middle
    for level in reversed(levels[:-1]):
        reached = level if len(level) == 1 else level & neighbours.of_all(reached)
        count_work(len(reached))
        narrowed.append(reached)
    return narrowed


def _expand_frontier(neighbours: Neighbours, levels: list[set[Key]], seen: set[Key], count_work: CountWork) -> set[Key]:
    """Add the next level to one side of the search."""
    level = neighbours.of_all(levels[-1]) - seen
    count_work(len(level) + len(levels[-1]))
    seen |= level
    levels.append(level)
    return level


def _trace_back(neighbours: Neighbours, levels: list[set[Key]], node: Key) -> list[Key]:
    """The nodes from one in the last level back to the first level, without the node itself."""
    path: list[Key] = []
    for level in reversed(levels[:-1]):
        node = min(level.intersection(neighbours.of(node)), key=_sort_key)
        path.append(node)
    return path


def _sort_key(key: Key) -> tuple[bool, Key]:
    # Keys of literals are texts, and cannot be compared with the numbers of rows.
    return isinstance(key, str), key
