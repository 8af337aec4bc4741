"""The rows of a query as an answer: scalar, tabular, graph or path."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from keepgraph.model import GraphEdge, GraphNode, GraphPath

_JSON_TYPES = {str, int, bool}
"""The types of values that JSON has as they are."""


def summarise(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """The part of the answer whose form depends on the rows.

    Only nodes and relationships: a graph, with each of them once. Only paths: paths. One value: a scalar. Otherwise,
    also without any row: a table, in which nodes and relationships are objects.
    """
    values = [value for row in rows for value in row if value is not None]
    if _JSON_TYPES.issuperset(map(type, values)):
        if len(rows) == 1 and len(columns) == 1:
            return {"type": "scalar", "result": rows[0][0]}
        return {"type": "tabular", "rows": list(map(list, rows))}
    if all(isinstance(value, GraphPath) for value in values):
        return {"type": "path", "steps": [to_json(value) for row in rows for value in row]}
    if all(map(_is_graph_element, values)):
        elements = {element.id: element for value in values for element in _elements(value)}
        return {
            "type": "graph",
            "nodes": [to_json(element) for element in elements.values() if isinstance(element, GraphNode)],
            "edges": [to_json(element) for element in elements.values() if isinstance(element, GraphEdge)],
        }
    if len(rows) == 1 and len(columns) == 1:
        return {"type": "scalar", "result": to_json(rows[0][0])}
    return {"type": "tabular", "rows": [[to_json(value) for value in row] for row in rows]}


def to_json(value: Any) -> Any:
    """A value as JSON. Infinity and NaN, which JSON has no numbers for, become text."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value).replace("inf", "Infinity").replace("nan", "NaN")
    if isinstance(value, list):
        return [to_json(inner) for inner in value]
    if isinstance(value, GraphNode):
        return {"id": value.id, "labels": list(value.labels), "properties": to_json(dict(value.properties))}
    if isinstance(value, GraphEdge):
        return {
            "id": value.id,
            "type": value.type,
            "src": value.start,
            "dest": value.end,
            "properties": to_json(dict(value.properties)),
        }
    if isinstance(value, GraphPath):
        return [to_json(inner) for inner in value.steps]
    return {key: to_json(inner) for key, inner in value.items()}


def _is_graph_element(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(element is None or _is_graph_element(element) for element in value)
    return isinstance(value, GraphNode | GraphEdge)


def _elements(value: Any) -> Iterator[GraphNode | GraphEdge]:
    if isinstance(value, list):
        for element in value:
            yield from _elements(element)
    elif value is not None:
        yield value
