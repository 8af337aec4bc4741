"""Which nodes can be reached, and the shortest way between two: walks that need no more than who neighbours whom.

Breadth first; the shortest way from both ends, always a step from the smaller frontier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from keepgraph.cypher.adjacency import Key, Neighbours

Rest = Callable[[int], None]


def reached(neighbours: Neighbours, start: Key, most: int | None, rest: Rest) -> Iterator[set[Key]]:
    """The nodes at each distance from 1 on, nearest first, without the start itself."""
    seen = {start}
    frontier = {start}
    depth = 0
    while frontier and (most is None or depth < most):
        depth += 1
        found: set[Key] = set()
        for node in frontier:
            found.update(neighbours(node))
        rest(len(found) + len(frontier))
        found -= seen
        if not found:
            return
        seen |= found
        yield found
        frontier = found


def returns(neighbours: Neighbours, start: Key, most: int | None, rest: Rest, *, directed: bool) -> bool:
    """Whether a trail leads from a node back to itself, within so many steps.

    Directed, it does as soon as any walk does. Undirected, a walk may come back over the relationship that it went
    over; a trail does not. Then every node is known by the branch, the neighbour of the start, that it was first
    reached through: two branches that meet close a circle.
    """
    if directed:
        seen: set[Key] = set()
        frontier: set[Key] = {start}
        depth = 0
        while frontier and (most is None or depth < most):
            depth += 1
            found: set[Key] = set()
            for node in frontier:
                found.update(neighbours(node))
            rest(len(found) + len(frontier))
            if start in found:
                return True
            frontier = found - seen
            seen |= frontier
        return False
    return _circle(neighbours, start, most, rest)


def _circle(neighbours: Neighbours, start: Key, most: int | None, rest: Rest) -> bool:
    near = list(neighbours(start))
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
            for other in neighbours(node):
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
    before: dict[Key, Key | None] = {start: None}
    behind: dict[Key, Key | None] = {end: None}
    ahead, back = [start], [end]
    length = 0
    while ahead and back and (most is None or length < most):
        length += 1
        if len(ahead) <= len(back):
            ahead, met = _step(forwards, ahead, before, behind, rest)
        else:
            back, met = _step(backwards, back, behind, before, rest)
        if met is not None:
            return [*reversed(list(_trace(before, met))), *list(_trace(behind, met))[1:]]
    return None


def _step(
    neighbours: Neighbours,
    frontier: Iterable[Key],
    known: dict[Key, Key | None],
    others: dict[Key, Key | None],
    rest: Rest,
) -> tuple[list[Key], Key | None]:
    """One step from one side; the node where both sides meet, if they do."""
    found: list[Key] = []
    for node in frontier:
        for other in neighbours(node):
            if other not in known:
                known[other] = node
                if other in others:
                    return found, other
                found.append(other)
    rest(len(found) + 1)
    return found, None


def _trace(known: dict[Key, Key | None], node: Key | None) -> Iterator[Key]:
    while node is not None:
        yield node
        node = known[node]
