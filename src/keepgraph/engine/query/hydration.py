"""Hydration of query results: nodes and relationships with labels and properties, temporal values as text.

All nodes and relationships of a result are read together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from types import NoneType
from typing import Any

from keepgraph import errors
from keepgraph.cypher.table_graph import TableGraph
from keepgraph.cypher.values import Node, Path, Relationship
from keepgraph.model import GraphEdge, GraphNode, GraphPath
from keepgraph.temporal.types import Temporal

MAX_CHARACTERS = 32_000_000

_PLAIN_TYPES = {str, int, float, bool, NoneType}
"""The types of values that a result has as they are."""


def hydrate(rows: Sequence[Sequence[Any]], graph: TableGraph) -> list[tuple[Any, ...]]:
    """The rows with their nodes, relationships and paths read from the graph.

    Raises:
        errors.QueryTooLarge: they are too long for an answer.
    """
    if set(map(type, chain.from_iterable(rows))) <= _PLAIN_TYPES:
        if sum(len(value) for value in chain.from_iterable(rows) if type(value) is str) > MAX_CHARACTERS:
            raise _too_long()
        return list(map(tuple, rows))
    parts = list(_graph_parts(rows))
    edges = [part for part in parts if isinstance(part, Relationship)]
    nodes = [part for part in parts if isinstance(part, Node)]
    graph.prefetch([*nodes, *(Node(end) for edge in edges for end in (edge.start, edge.end))], edges)
    hydrated: dict[Any, Any] = {}
    sizes: dict[str, int] = {}
    results, size = [], 0
    for row in rows:
        results.append(tuple([_hydrate_value(value, graph, hydrated) for value in row]))
        size += _size(results[-1], sizes)
        if size > MAX_CHARACTERS:
            raise _too_long()
    return results


def _graph_parts(value: Any) -> Iterator[Any]:
    """The nodes and relationships in a value, however deep."""
    if isinstance(value, Node | Relationship):
        yield value
    elif isinstance(value, Path):
        yield from value.nodes
        yield from value.relationships
    elif isinstance(value, list | tuple):
        for element in value:
            yield from _graph_parts(element)
    elif isinstance(value, dict):
        for element in value.values():
            yield from _graph_parts(element)


def _hydrate_value(value: Any, graph: TableGraph, hydrated: dict[Any, Any]) -> Any:
    """A value as a result has it; `hydrated` has the nodes and relationships that were met before."""
    if type(value) in _PLAIN_TYPES:
        return value
    if isinstance(value, Node | Relationship):
        if value not in hydrated:
            hydrated[value] = _node(value, graph) if isinstance(value, Node) else _edge(value, graph)
        return hydrated[value]
    if isinstance(value, list):
        return [_hydrate_value(element, graph, hydrated) for element in value]
    if isinstance(value, dict):
        return {key: _hydrate_value(element, graph, hydrated) for key, element in value.items()}
    if isinstance(value, Path):
        steps: list[Any] = [value.nodes[0]]
        for edge, node in zip(value.relationships, value.nodes[1:], strict=True):
            steps += (edge, node)
        return GraphPath(tuple(_hydrate_value(step, graph, hydrated) for step in steps))
    return str(value)


def _node(node: Node, graph: TableGraph) -> GraphNode:
    return GraphNode(graph.public_id(node), graph.labels(node), _plain_properties(graph.properties(node)))


def _edge(edge: Relationship, graph: TableGraph) -> GraphEdge:
    start, end = graph.public_id(Node(edge.start)), graph.public_id(Node(edge.end))
    return GraphEdge(graph.public_id(edge), graph.type(edge), start, end, _plain_properties(graph.properties(edge)))


def _plain_properties(properties: Any) -> dict[str, Any]:
    return {key: str(value) if isinstance(value, Temporal) else value for key, value in properties.items()}


def _size(value: Any, sizes: dict[str, int]) -> int:
    """How long a value is when it is written, roughly; `sizes` has those of nodes and relationships by id."""
    kind = type(value)
    if kind is str:
        return len(value) + 2
    if kind is list or kind is tuple:
        return sum([_size(element, sizes) for element in value]) + 2
    if kind is dict:
        return sum([len(key) + _size(element, sizes) + 4 for key, element in value.items()])
    if kind is GraphPath:
        return sum([_size(step, sizes) for step in value.steps])
    if kind is GraphNode or kind is GraphEdge:
        if value.id not in sizes:
            sizes[value.id] = _size(value.properties, sizes) + 100
        return sizes[value.id]
    return 8


def _too_long() -> errors.QueryTooLarge:
    return errors.QueryTooLarge(f"the answer would have more than {MAX_CHARACTERS:,} characters")
