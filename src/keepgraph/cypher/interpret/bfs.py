"""Which nodes can be reached, and the shortest way between two: walks that need no more than who neighbours whom.

Breadth first; the shortest way from both ends, always a step from the smaller frontier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from keepgraph.arrays.adjacency import Key, Neighbours

Rest = Callable[[int], None]


def reached(
    neighbours: Neighbours, start: Key, most: int | None, rest: Rest, *, start_too: bool = False
) -> Iterator[set[Key]]:
    """The nodes at each distance from 1 on, nearest first.

    Args:
        start_too: whether the start comes among them where a walk leads back to it.
    """
    seen: set[Key] = set() if start_too else {start}
    frontier = {start}
    depth = 0
    while frontier and (most is None or depth < most):
        depth += 1
        found = neighbours.of_all(frontier)
        rest(len(found) + len(frontier))
        found -= seen
        if not found:
            return
        seen |= found
        yield found
        frontier = found


def returns(neighbours: Neighbours, start: Key, most: int | None, rest: Rest) -> bool:
    """Whether a trail leads from a node back to itself within so many steps, where the direction does not matter.

    A walk may come back over the relationship that it went over; a trail does not. So every node is known by the
    branch, the neighbour of the start, that it was first reached through: two branches that meet close a circle.
    """
    near = list(neighbours.of(start))
    if most is not None and most < 1:
        return False
    if start in near:
        return True
    if most is not None and most < 2:
        return False
    if len(set(near)) < len(near):
        return True
    branch: dict[Key, Key] = {node: node for node in near}
    frontier = near
    depth = 1
    # Two nodes at depths d and d or d + 1 that neighbour each other close a circle of 2d + 1 or 2d + 2.
    while frontier and (most is None or 2 * depth + 1 <= most):
        following: list[Key] = []
        new: dict[Key, Key] = {}
        for node in frontier:
            own = branch[node]
            for other in neighbours.of(node):
                if other == start:
                    continue
                if other in branch:
                    if branch[other] != own:
                        return True
                elif other in new:
                    if new[other] != own and (most is None or 2 * depth + 2 <= most):
                        return True
                else:
                    new[other] = own
                    following.append(other)
        rest(len(following) + len(frontier))
        branch.update(new)
        frontier = following
        depth += 1
    return False


def shortest(
    forwards: Neighbours, backwards: Neighbours, start: Key, end: Key, most: int | None, rest: Rest
) -> list[Key] | None:
    """The nodes of one shortest way between two different nodes, both included; None where there is none."""
    ahead, back = [{start}], [{end}]
    seen, seen_back = {start}, {end}
    length = 0
    while ahead[-1] and back[-1] and (most is None or length < most):
        length += 1
        if len(ahead[-1]) <= len(back[-1]):
            found = _step(forwards, ahead, seen, rest)
        else:
            found = _step(backwards, back, seen_back, rest)
        met = found & (seen_back if found is ahead[-1] else seen)
        if met:
            middle = min(met, key=_order)
            # Both sides have just come to it: it is in the last level of each.
            return [*reversed(_traced(backwards, ahead, middle)), middle, *_traced(forwards, back, middle)]
    return None


def _step(neighbours: Neighbours, levels: list[set[Key]], seen: set[Key], rest: Rest) -> set[Key]:
    """One level more of one side."""
    found = neighbours.of_all(levels[-1]) - seen
    rest(len(found) + len(levels[-1]))
    seen |= found
    levels.append(found)
    return found


def _traced(neighbours: Neighbours, levels: list[set[Key]], node: Key) -> list[Key]:
    """From a node in the last level back to the first, without the node itself."""
    way: list[Key] = []
    for level in reversed(levels[:-1]):
        node = min(level.intersection(neighbours.of(node)), key=_order)
        way.append(node)
    return way


def _order(key: Key) -> tuple[bool, Key]:
    return isinstance(key, str), key
