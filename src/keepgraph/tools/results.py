"""What a query found, in the words of an answer: scalar, tabular, graph or path. Knows no query."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from keepgraph.cypher.reading import TableGraph
from keepgraph.cypher.values import Node, Path, Relationship
from keepgraph.engine.queries import Answer


def shown(answer: Answer) -> dict[str, Any]:
    """The part of the answer that depends on what was found.

    One value is a scalar; nodes and relationships alone are a graph; paths alone are paths; all else is a table, and
    nodes in it are objects. A question that found nothing has an empty table with its columns.
    """
    rows, graph = answer.rows, answer.graph
    found = list(_parts(rows))
    nodes = dict.fromkeys(each for each in found if isinstance(each, Node))
    edges = dict.fromkeys(each for each in found if isinstance(each, Relationship))
    ends = {Node(end): None for edge in edges for end in (edge.start, edge.end)}
    graph.prefetch([*nodes, *ends], edges)
    whole = [value for row in rows for value in row if value is not None]
    if whole and all(isinstance(value, Path) for value in whole):
        return {"type": "path", "steps": [_path(value, graph) for row in rows for value in row]}
    if whole and all(map(_is_of_graph, whole)):
        return {
            "type": "graph",
            "nodes": [node(each, graph) for each in nodes],
            "edges": [edge(each, graph) for each in edges],
        }
    if len(rows) == 1 and len(answer.columns) == 1:
        return {"type": "scalar", "result": value_of(rows[0][0], graph)}
    return {"type": "tabular", "rows": [[value_of(value, graph) for value in row] for row in rows]}


def node(of: Node, graph: TableGraph) -> dict[str, Any]:
    return {
        "id": graph.public_id(of),
        "labels": list(graph.labels(of)),
        "properties": {key: value_of(value, graph) for key, value in graph.properties(of).items()},
    }


def edge(of: Relationship, graph: TableGraph) -> dict[str, Any]:
    return {
        "id": graph.public_id(of),
        "type": graph.type(of),
        "src": graph.public_id(Node(of.start)),
        "dest": graph.public_id(Node(of.end)),
        "properties": {key: value_of(value, graph) for key, value in graph.properties(of).items()},
    }


def value_of(value: Any, graph: TableGraph) -> Any:
    """A value as JSON has it. What JSON has no number for, and what is temporal, is text."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value).replace("inf", "Infinity").replace("nan", "NaN")
    if isinstance(value, list):
        return [value_of(each, graph) for each in value]
    if isinstance(value, dict):
        return {key: value_of(each, graph) for key, each in value.items()}
    if isinstance(value, Node):
        return node(value, graph)
    if isinstance(value, Relationship):
        return edge(value, graph)
    if isinstance(value, Path):
        return _path(value, graph)
    return str(value)


def _path(path: Path | None, graph: TableGraph) -> list[dict[str, Any]] | None:
    """The nodes and relationships of a path by turns."""
    if path is None:
        return None
    steps = [node(path.nodes[0], graph)]
    for each, end in zip(path.relationships, path.nodes[1:], strict=True):
        steps += [edge(each, graph), node(end, graph)]
    return steps


def _is_of_graph(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(each is None or _is_of_graph(each) for each in value)
    return isinstance(value, Node | Relationship)


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
