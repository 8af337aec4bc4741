"""What a query found, in the words of an answer: scalar, tabular, graph or path. Knows no query."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from keepgraph.model import GraphEdge, GraphNode, GraphPath


def shown(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """The part of the answer that depends on what was found.

    One value is a scalar; nodes and relationships alone are a graph, each in it once; paths alone are paths; all else
    is a table, and nodes in it are objects. A question that found nothing has an empty table with its columns.
    """
    whole = [value for row in rows for value in row if value is not None]
    if whole and all(isinstance(value, GraphPath) for value in whole):
        return {"type": "path", "steps": [value_of(value) for row in rows for value in row]}
    if whole and all(map(_is_of_graph, whole)):
        found = {each.id: each for value in whole for each in _parts(value)}
        return {
            "type": "graph",
            "nodes": [value_of(each) for each in found.values() if isinstance(each, GraphNode)],
            "edges": [value_of(each) for each in found.values() if isinstance(each, GraphEdge)],
        }
    if len(rows) == 1 and len(columns) == 1:
        return {"type": "scalar", "result": value_of(rows[0][0])}
    return {"type": "tabular", "rows": [[value_of(value) for value in row] for row in rows]}


def value_of(value: Any) -> Any:
    """A value as JSON has it. What JSON has no number for is text."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value).replace("inf", "Infinity").replace("nan", "NaN")
    if isinstance(value, list):
        return [value_of(each) for each in value]
    if isinstance(value, GraphNode):
        return {"id": value.id, "labels": list(value.labels), "properties": value_of(dict(value.properties))}
    if isinstance(value, GraphEdge):
        return {
            "id": value.id,
            "type": value.type,
            "src": value.start,
            "dest": value.end,
            "properties": value_of(dict(value.properties)),
        }
    if isinstance(value, GraphPath):
        return [value_of(each) for each in value.steps]
    return {key: value_of(each) for key, each in value.items()}


def _is_of_graph(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(each is None or _is_of_graph(each) for each in value)
    return isinstance(value, GraphNode | GraphEdge)


def _parts(value: Any) -> Iterator[GraphNode | GraphEdge]:
    if isinstance(value, list):
        for each in value:
            yield from _parts(each)
    elif value is not None:
        yield value
