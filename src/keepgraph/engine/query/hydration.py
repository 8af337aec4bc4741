"""What a query found, made whole: nodes and relationships with labels and properties, temporal values as text.

The rows of many nodes are read at once, when all of them are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from keepgraph import errors
from keepgraph.cypher.table_graph import TableGraph
from keepgraph.cypher.values import Node, Path, Relationship
from keepgraph.model import GraphEdge, GraphNode, GraphPath
from keepgraph.temporal.base import Temporal

MOST_CHARACTERS = 32_000_000


def whole(rows: Sequence[Sequence[Any]], graph: TableGraph) -> list[tuple[Any, ...]]:
    """The rows with nothing in them that has to be asked of the graph.

    Raises:
        errors.QueryTooLarge: they are too long for an answer.
    """
    if all(map(_is_plain, rows)):
        if sum(len(value) for row in rows for value in row if type(value) is str) > MOST_CHARACTERS:
            raise _too_long()
        return [tuple(row) for row in rows]
    found = list(_parts(rows))
    edges = [each for each in found if isinstance(each, Relationship)]
    nodes = [each for each in found if isinstance(each, Node)]
    graph.prefetch([*nodes, *(Node(end) for edge in edges for end in (edge.start, edge.end))], edges)
    known: dict[Any, Any] = {}
    sizes: dict[str, int] = {}
    made, size = [], 0
    for row in rows:
        made.append(tuple([_whole(value, graph, known) for value in row]))
        size += _size(made[-1], sizes)
        if size > MOST_CHARACTERS:
            raise _too_long()
    return made


def _size(value: Any, sizes: dict[str, int]) -> int:
    """How long a value is when it is written, roughly."""
    kind = type(value)
    if kind is str:
        return len(value) + 2
    if kind is list or kind is tuple:
        return sum([_size(each, sizes) for each in value]) + 2
    if kind is dict:
        return sum([len(key) + _size(each, sizes) + 4 for key, each in value.items()])
    if kind is GraphPath:
        return sum([_size(each, sizes) for each in value.steps])
    if kind is GraphNode or kind is GraphEdge:
        if value.id not in sizes:
            sizes[value.id] = _size(value.properties, sizes) + 100
        return sizes[value.id]
    return 8


def _too_long() -> errors.QueryTooLarge:
    return errors.QueryTooLarge(f"the answer would have more than {MOST_CHARACTERS:,} characters")


def _is_plain(row: Sequence[Any]) -> bool:
    return all(value is None or type(value) in _PLAIN for value in row)


_PLAIN = (str, int, float, bool)


def _whole(value: Any, graph: TableGraph, known: dict[Any, Any]) -> Any:
    if value is None or type(value) in _PLAIN:
        return value
    if isinstance(value, Node | Relationship):
        if value not in known:
            known[value] = _node(value, graph) if isinstance(value, Node) else _edge(value, graph)
        return known[value]
    if isinstance(value, list):
        return [_whole(each, graph, known) for each in value]
    if isinstance(value, dict):
        return {key: _whole(each, graph, known) for key, each in value.items()}
    if isinstance(value, Path):
        steps: list[Any] = [value.nodes[0]]
        for edge, node in zip(value.relationships, value.nodes[1:], strict=True):
            steps += (edge, node)
        return GraphPath(tuple(_whole(each, graph, known) for each in steps))
    return str(value)


def _node(of: Node, graph: TableGraph) -> GraphNode:
    return GraphNode(graph.public_id(of), graph.labels(of), _plain(graph.properties(of)))


def _edge(of: Relationship, graph: TableGraph) -> GraphEdge:
    start, end = graph.public_id(Node(of.start)), graph.public_id(Node(of.end))
    return GraphEdge(graph.public_id(of), graph.type(of), start, end, _plain(graph.properties(of)))


def _plain(properties: Any) -> dict[str, Any]:
    return {key: str(value) if isinstance(value, Temporal) else value for key, value in properties.items()}


def _parts(value: Any) -> Iterator[Any]:
    """The nodes and relationships in a value, however deep."""
    if isinstance(value, Node | Relationship):
        yield value
    elif isinstance(value, Path):
        yield from value.nodes
        yield from value.relationships
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _parts(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _parts(each)
