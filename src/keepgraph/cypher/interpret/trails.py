"""Trails: paths of variable length in which no relationship occurs twice, found depth first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from keepgraph import errors
from keepgraph.arrays.adjacency import Key
from keepgraph.cypher.interpret.evaluate import Row, Run
from keepgraph.cypher.plan import type_directions
from keepgraph.cypher.plan.algebra import PathSlot
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.syntax.tree_walk import labels_match
from keepgraph.cypher.values import Node, Path, Relationship

MAX_HOPS = 1_000

Trail = list[Relationship]
HopTest = Callable[[Row, Relationship, Run], bool]
UnusedTest = Callable[[Row, Relationship], bool]
RowTest = Callable[[Row, Run], bool]


@dataclass(frozen=True, slots=True)
class PathSearch:
    """What a pattern of variable length, or a shortest path, asks for.

    Attributes:
        direction: 'out', 'in' or 'both', as seen from the node at which the search starts.
        types: the types that each relationship may have; None for any.
        least, most: the number of relationships; `most` is None where there is no limit.
        reversed: whether the search starts at the right end of the pattern, so that its trails are turned round.
        unused: tells whether a relationship is none of those that the pattern has bound before; None for no test.
        hop_test: tells whether a relationship fulfils the conditions on each of them; None for no test.
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


def find_trails(search: PathSearch, row: Row, start: Node, run: Run) -> Iterator[tuple[Trail, Key]]:
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
    trail: Trail = []
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
                if len(trail) >= MAX_HOPS:
                    raise path_too_long()
                used.add(relationship.id)
                stack.append((end, iter(expand(Node(end), direction, types))))
                break
            trail.pop()
        else:
            stack.pop()
            if trail:
                used.discard(trail.pop().id)


def path_too_long() -> errors.QueryTooLarge:
    return errors.QueryTooLarge(
        f"a path of this pattern is longer than {MAX_HOPS:,} relationships",
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
        followed
        for followed, types_so in type_directions.split(direction, types)
        if _has_type(relationship, types_so, run)
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
