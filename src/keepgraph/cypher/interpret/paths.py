"""Named paths: their values, built from the nodes and relationships in a row."""

from __future__ import annotations

from collections.abc import Callable

from keepgraph.cypher.interpret.runtime import Row
from keepgraph.cypher.plan.algebra import PathSlot
from keepgraph.cypher.values import Node, Path, Relationship


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
