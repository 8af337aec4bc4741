"""Shortest paths between two nodes: breadth first, or trail by trail where a whole path must fulfil a condition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from keepgraph.arrays.adjacency import Key
from keepgraph.cypher.interpret import bfs
from keepgraph.cypher.interpret.runtime import Row, Run
from keepgraph.cypher.interpret.trails import MAX_HOPS, PathSearch, Trail, find_trails, path_too_long
from keepgraph.cypher.values import Node, Relationship

Reached: TypeAlias = dict[Key, list[tuple[Relationship, Key]]]
"""Nodes, each with the relationships that lead to it on a shortest path, and where these start."""

_FEW = 100
"""So many pairs of nodes are looked up one by one, instead of all neighbours of one of them."""

_OPPOSITE = {"out": "in", "in": "out", "both": "both"}


def find_shortest(search: PathSearch, row: Row, first: Node, last: Node, run: Run) -> Iterator[Trail]:
    """The shortest trails from one node to another: one, or all of that length.

    Raises:
        errors.QueryTooLarge: a trail has more than MAX_HOPS relationships.
    """
    if search.condition is not None or search.least > 1:
        return _first_fitting(search, row, first, last, run)
    if search.hop_test is None and first != last:
        find = _all_between if search.all_shortest else _one_between
        return find(search, first, last, run)
    return _breadth_first(search, row, first, last, run)


def _one_between(search: PathSearch, first: Node, last: Node, run: Run) -> Iterator[Trail]:
    """One shortest trail, searched from both ends over nodes alone.

    Of several relationships between two nodes of it, the one with the lowest key is taken.
    """
    graph, direction, types = run.graph, search.direction, search.types
    forwards = graph.neighbours(direction, types)
    backwards = graph.neighbours(_OPPOSITE[direction], types)
    nodes = bfs.shortest_path(forwards, backwards, first.id, last.id, search.most, run.count_work)
    if nodes is None:
        return
    if len(nodes) > MAX_HOPS + 1:
        raise path_too_long()
    trail = []
    for start, end in pairwise(nodes):
        between = graph.between(Node(start), Node(end), direction, types)
        trail.append(min(between, key=lambda relationship: relationship.id))
    yield trail


def _all_between(search: PathSearch, first: Node, last: Node, run: Run) -> Iterator[Trail]:
    """All shortest trails, over the nodes that a search from both ends finds."""
    graph, direction, types = run.graph, search.direction, search.types
    forwards = graph.neighbours(direction, types)
    backwards = graph.neighbours(_OPPOSITE[direction], types)
    levels = bfs.shortest_path_levels(forwards, backwards, first.id, last.id, search.most, run.count_work)
    if levels is None:
        return
    if len(levels) > MAX_HOPS + 1:
        raise path_too_long()
    reached: Reached = {}
    for before, level in pairwise(levels):
        for node in level:
            # A node may have thousands of neighbours; whether it has one of a few is quickly looked up.
            adjacent = before if len(before) <= _FEW else before.intersection(backwards.of(node))
            reached[node] = [
                (relationship, previous)
                for previous in adjacent
                for relationship in graph.between(Node(previous), Node(node), direction, types)
            ]
    yield from _trails(reached, search, first, last, run)


def _breadth_first(search: PathSearch, row: Row, first: Node, last: Node, run: Run) -> Iterator[Trail]:
    """Breadth first; of each node, all relationships are kept over which it was first reached."""
    if first == last:
        if search.least == 0:
            yield []
        return
    reached = _reach(search, row, first, last, run)
    if last.id in reached:
        yield from _trails(reached, search, first, last, run)


def _trails(reached: Reached, search: PathSearch, first: Node, last: Node, run: Run) -> Iterator[Trail]:
    """The trails over relationships by which nodes were first reached, in the order of their keys from the end."""
    stack: list[tuple[Key, Trail]] = [(last.id, [])]
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


def _reach(search: PathSearch, row: Row, first: Node, last: Node, run: Run) -> Reached:
    """The nodes up to the distance of the last: for each, the relationships that lead to it and where they start."""
    expand, direction, types, hop_test = run.graph.expand, search.direction, search.types, search.hop_test
    reached: Reached = {first.id: []}
    frontier = [first.id]
    depth = 0
    while frontier and last.id not in reached and (search.most is None or depth < search.most):
        depth += 1
        if depth > MAX_HOPS:
            raise path_too_long()
        level: Reached = {}
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


def _first_fitting(search: PathSearch, row: Row, first: Node, last: Node, run: Run) -> Iterator[Trail]:
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
