"""Traversal without rows: breadth-first search for reach, cycles and shortest paths, and depth-first for trails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

from keepgraph import errors
from keepgraph.arrays.adjacency import Key, Neighbours
from keepgraph.cypher.interpret.evaluate import Row, Run
from keepgraph.cypher.plan import optimizer
from keepgraph.cypher.plan.algebra import PathSlot
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.syntax.tree_walk import labels_match
from keepgraph.cypher.values import Node, Path, Relationship

# Trails: paths of variable length in which no relationship occurs twice, found depth first.

_MAX_HOPS = 1_000

_Trail = list[Relationship]
HopTest = Callable[[Row, Relationship, Run], bool]
UnusedTest = Callable[[Row, Relationship], bool]
RowTest = Callable[[Row, Run], bool]


@dataclass(frozen=True, slots=True)
class PathSearch:
    """What a pattern of variable length, or a shortest path, asks for.

    Attributes:
        direction: 'out', 'in' or 'both', as seen from the node at which the search starts.
        types: the types that each relationship may have; None for any.
        least, most: the number of relationships; `most` is None if there is no limit.
        reversed: whether the search starts at the right end of the pattern, so that its trails are turned round.
        unused: whether a relationship differs from those that the pattern has bound before; None for no test.
        hop_test: whether a relationship fulfils the conditions on each of them; None for no test.
        all_shortest: whether all shortest paths are wanted, not one.
        condition: what a shortest path must fulfil; None for nothing.
    """

    direction: str
    types: ast.LabelExpression | None
    least: int
    most: int | None
    reversed: bool = False
    unused: UnusedTest | None = None
    hop_test: HopTest | None = None
    all_shortest: bool = False
    condition: RowTest | None = None


def find_trails(search: PathSearch, row: Row, start: Node, run: Run) -> Iterator[tuple[_Trail, Key]]:
    """All trails from a node, each with the key of the node at its end; depth first, relationships in search order.

    Raises:
        errors.QueryTooLarge: a trail has more than MAX_HOPS relationships.
    """
    direction, types, least, most = search.direction, search.types, search.least, search.most
    unused, hop_test = search.unused, search.hop_test
    if least == 0:
        yield [], start.id
    if most is not None and most < max(least, 1):
        return
    expand = run.graph.expand
    trail: _Trail = []
    used: set[int] = set()
    stack = [(start.id, iter(expand(start, direction, types)))]
    while stack:
        node, relationships = stack[-1]
        for relationship in relationships:
            run.count_work(1)
            if relationship.id in used or (unused is not None and not unused(row, relationship)):
                continue
            if hop_test is not None and not hop_test(row, relationship, run):
                continue
            end = relationship.end if relationship.start == node else relationship.start
            trail.append(relationship)
            if len(trail) >= least:
                yield trail[:], end
            if most is None or len(trail) < most:
                if len(trail) >= _MAX_HOPS:
                    raise _path_too_long()
                used.add(relationship.id)
                stack.append((end, iter(expand(Node(end), direction, types))))
                break
            trail.pop()
        else:
            stack.pop()
            if trail:
                used.discard(trail.pop().id)


def _path_too_long() -> errors.QueryTooLarge:
    return errors.QueryTooLarge(
        f"a path of this pattern is longer than {_MAX_HOPS:,} relationships",
        hint="Give the pattern an end, such as [*1..5], or name its relationship types.",
    )


# Relationships that an earlier clause has bound

BoundEdge = tuple[Relationship | None, Key, Key]
"""A relationship, or None for a list of them, and the keys of the nodes at its start and end."""


def ends_of_bound_relationship(value: Any, types: ast.LabelExpression | None, run: Run) -> Iterator[BoundEdge]:
    """The ends of a value, if it is a relationship of these types."""
    if type(value) is Relationship and _has_type(value, types, run):
        yield value, value.start, value.end


def ends_of_bound_trail(
    value: Any,
    direction: str,
    types: ast.LabelExpression | None,
    length: tuple[int, int | None] | None,
    run: Run,
) -> Iterator[BoundEdge]:
    """The ends of a value, if it is a list of relationships that form a trail in this direction.

    Without direction a single relationship is such a trail both ways.
    """
    if length is None or not isinstance(value, list):
        return
    least, most = length
    if not value and least == 0:
        yield from ((None, node.id, node.id) for node in run.graph.nodes((), ()))
    if not value:
        return
    if not all(type(element) is Relationship and _has_type(element, types, run) for element in value):
        return
    if len(value) < least or (most is not None and len(value) > most):
        return
    if len({relationship.id for relationship in value}) < len(value):
        return
    directions = [direction_of(relationship, direction, types, run) for relationship in value]
    first = value[0]
    starts = {"out": [first.start], "in": [first.end], "both": list(dict.fromkeys((first.start, first.end)))}
    for start in starts[directions[0]]:
        node = start
        for relationship, followed in zip(value, directions, strict=True):
            if followed != "in" and relationship.start == node:
                node = relationship.end
            elif followed != "out" and relationship.end == node:
                node = relationship.start
            else:
                break
        else:
            yield None, start, node


def direction_of(relationship: Relationship, direction: str, types: ast.LabelExpression | None, run: Run) -> str:
    """The direction in which a relationship is followed where a pattern of these types has this direction."""
    if not isinstance(types, ast.TypesByDirection):
        return direction
    return next(
        followed for followed, types_so in optimizer.split(direction, types) if _has_type(relationship, types_so, run)
    )


def relationships_in(value: Any) -> list[Relationship]:
    return [element for element in value if type(element) is Relationship] if isinstance(value, list) else []


def _has_type(relationship: Relationship, types: ast.LabelExpression | None, run: Run) -> bool:
    return types is None or labels_match((run.graph.type(relationship),), types)


# Named paths: their values, built from the nodes and relationships in a row.


def build_path_function(path: PathSlot, names: tuple[str, ...]) -> Callable[[Row], Path]:
    """The function that builds a path from a row with columns of these names."""
    first = names.index(path.nodes[0])
    edge_positions = [names.index(column) for column in path.edges]

    def build_path(row: Row) -> Path:
        nodes = [row[first]]
        relationships: list[Relationship] = []
        for position in edge_positions:
            value = row[position]
            for relationship in value if isinstance(value, list) else (value,):
                last = nodes[-1].id
                nodes.append(Node(relationship.end if relationship.start == last else relationship.start))
                relationships.append(relationship)
        return Path(tuple(nodes), tuple(relationships))

    return build_path


def part_positions(path: PathSlot, names: tuple[str, ...]) -> list[int]:
    """Where the nodes and relationships of a path are in a row with columns of these names."""
    return [names.index(column) for column in (*path.nodes, *path.edges)]


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
    """Whether a trail of at most this many steps, in any direction, leads from a node back to it.

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


# Shortest paths between two nodes: breadth first, or trail by trail where a whole path must fulfil a condition.

_Reached: TypeAlias = dict[Key, list[tuple[Relationship, Key]]]
"""Nodes, each with the relationships that lead to it on a shortest path, and where these start."""

_FEW = 100
"""At most this many pairs of nodes are looked up one by one, instead of all neighbours of one of them."""

_OPPOSITE = {"out": "in", "in": "out", "both": "both"}


def find_shortest(search: PathSearch, row: Row, first: Node, last: Node, run: Run) -> Iterator[_Trail]:
    """The shortest trails from one node to another: one, or all of that length.

    Raises:
        errors.QueryTooLarge: a trail has more than MAX_HOPS relationships.
    """
    if search.condition is not None or search.least > 1:
        return _first_fitting(search, row, first, last, run)
    if search.hop_test is None and first != last:
        return _between(search, first, last, run)
    return _breadth_first(search, row, first, last, run)


def _between(search: PathSearch, first: Node, last: Node, run: Run) -> Iterator[_Trail]:
    """One shortest trail between two different nodes, or all, over the nodes that a search from both ends finds.

    Of one trail, of several relationships between two nodes of it, the one with the lowest key is taken.
    """
    graph, direction, types = run.graph, search.direction, search.types
    forwards = graph.neighbours(direction, types)
    backwards = graph.neighbours(_OPPOSITE[direction], types)
    met = _meet(forwards, backwards, first.id, last.id, search.most, run.count_work)
    if met is None:
        return
    before, behind = met
    if len(before) + len(behind) > _MAX_HOPS + 2:
        raise _path_too_long()
    # Both searches have just reached it, so it is in the last level of each.
    middle = before[-1] & behind[-1]
    if not search.all_shortest:
        node = min(middle, key=_sort_key)
        way, way_back = _trace_back(backwards, before, node), _trace_back(forwards, behind, node)
        yield [
            min(graph.between(Node(start), Node(end), direction, types), key=lambda relationship: relationship.id)
            for start, end in pairwise([*reversed(way), node, *way_back])
        ]
        return
    narrowed = _narrow(backwards, before, middle, run.count_work)
    levels = [*reversed(narrowed), middle, *_narrow(forwards, behind, middle, run.count_work)]
    reached: _Reached = {}
    for level_before, level in pairwise(levels):
        for key in level:
            # A node may have thousands of neighbours; whether it has one of a few is quickly looked up.
            adjacent = level_before if len(level_before) <= _FEW else level_before.intersection(backwards.of(key))
            reached[key] = [
                (relationship, previous)
                for previous in adjacent
                for relationship in graph.between(Node(previous), Node(key), direction, types)
            ]
    yield from _trails(reached, search, first, last, run)


def _breadth_first(search: PathSearch, row: Row, first: Node, last: Node, run: Run) -> Iterator[_Trail]:
    """Breadth first; of each node, all relationships are kept over which it was first reached."""
    if first == last:
        if search.least == 0:
            yield []
        return
    reached = _reach(search, row, first, last, run)
    if last.id in reached:
        yield from _trails(reached, search, first, last, run)


def _trails(reached: _Reached, search: PathSearch, first: Node, last: Node, run: Run) -> Iterator[_Trail]:
    """The trails over relationships by which nodes were first reached, in the order of their keys from the end."""
    stack: list[tuple[Key, _Trail]] = [(last.id, [])]
    while stack:
        node, trail = stack.pop()
        if node == first.id:
            yield trail[::-1]
            if not search.all_shortest:
                return
            continue
        steps = sorted(reached[node], key=lambda step: step[0].id, reverse=True)
        run.count_work(len(steps))
        stack.extend((previous, [*trail, relationship]) for relationship, previous in steps)


def _reach(search: PathSearch, row: Row, first: Node, last: Node, run: Run) -> _Reached:
    """The nodes up to the distance of the last: for each, the relationships that lead to it and where they start."""
    expand, direction, types, hop_test = run.graph.expand, search.direction, search.types, search.hop_test
    reached: _Reached = {first.id: []}
    frontier = [first.id]
    depth = 0
    while frontier and last.id not in reached and (search.most is None or depth < search.most):
        depth += 1
        if depth > _MAX_HOPS:
            raise _path_too_long()
        level: _Reached = {}
        for node in frontier:
            for relationship in expand(Node(node), direction, types):
                run.count_work(1)
                other = relationship.end if relationship.start == node else relationship.start
                if other in reached or (hop_test is not None and not hop_test(row, relationship, run)):
                    continue
                level.setdefault(other, []).append((relationship, node))
        reached.update(level)
        frontier = list(level)
    return reached


def _first_fitting(search: PathSearch, row: Row, first: Node, last: Node, run: Run) -> Iterator[_Trail]:
    """The shortest trails that fulfil the condition: all trails of one length are tried, then all of the next."""
    condition = search.condition
    length = search.least
    while search.most is None or length <= search.most:
        longer = False
        fits = False
        of_length = replace(search, least=length, most=length + 1)
        for trail, end in find_trails(of_length, row, first, run):
            if len(trail) > length:
                longer = True
                continue
            if end != last.id:
                continue
            if condition is None or condition((*row, trail[::-1] if search.reversed else trail), run):
                fits = True
                yield trail
                if not search.all_shortest:
                    return
        if fits or not longer:
            return
        length += 1
