"""Drives the compiler with the openCypher conformance kit: its graphs in two plain tables, its values out of ours.

Run by hand: python -m cyphertck tck_adapter:Keepgraph, with this folder and the kit's on the path.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from cyphertck.adapters.base import Adapter, CypherError
from cyphertck.values import Node, Path, Rel, Temporal
from plain_tables import NOW, PlainTables

from keepgraph import errors
from keepgraph.cypher import compiler, values
from keepgraph.cypher.table_graph import TableGraph


def written(properties: Mapping[str, Any]) -> str:
    """Properties as a JSON object; a temporal value as an object that names its kind."""
    return json.dumps({key: _stored(value) for key, value in properties.items() if value is not None})


def _stored(value: Any) -> Any:
    if isinstance(value, Temporal):
        found = PlainTables()
        found.load([], [])
        [[made]], _ = found.rows(found.compile(f"RETURN {value.source} AS value", {}), {})
        return {"@": value.kind, "is": str(made)}
    if isinstance(value, list):
        return [_stored(each) for each in value]
    return value


def revived(found: dict[str, Any]) -> Any:
    if "@" in found:
        from keepgraph.temporal import operations

        return operations.construct(found["@"], found["is"], NOW)
    return found


class Keepgraph(Adapter):
    """The compiler, as the kit drives it.

    Attributes:
        by: what answered the last query: SQL, Python or both.
    """

    name = "keepgraph"
    by: str | None = None

    def open(self) -> None:
        self.tables = PlainTables(write=written, revive=revived)

    def load(self, graph: Any) -> None:
        self.tables.load(
            ((node.id, node.labels, node.props) for node in graph.nodes.values()),
            ((each.id, each.type, each.src, each.dst, each.props) for each in graph.rels.values()),
        )

    def run(self, query: str, params: Mapping[str, Any]) -> tuple[list[str], list[list[Any]]]:
        try:
            found = self.tables.compile(query, params)
            rows = self.found(found, params)
        except errors.QueryError as error:
            phase = "runtime" if isinstance(error, errors.QueryFailed) else "compile time"
            raise CypherError(error.message, type=error.kind, phase=phase, detail=error.detail) from error
        graph = self.tables.graph()
        return list(found.columns), [[_shown(value, graph) for value in row] for row in rows]

    def found(self, query: compiler.CompiledQuery, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        rows, self.by = self.tables.rows(query, params)
        return rows


class Reference(Keepgraph):
    """The interpreter alone."""

    def found(self, query: compiler.CompiledQuery, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return self.tables.interpreted_rows(query, params)


def _shown(value: Any, graph: TableGraph) -> Any:
    if isinstance(value, values.Node):
        found = {key: _shown(each, graph) for key, each in graph.properties(value).items()}
        return Node(graph.labels(value), found, value.id)
    if isinstance(value, values.Relationship):
        found = {key: _shown(each, graph) for key, each in graph.properties(value).items()}
        return Rel(graph.type(value), found, value.id, value.start, value.end)
    if isinstance(value, values.Path):
        return Path(
            [_shown(each, graph) for each in value.nodes], [_shown(each, graph) for each in value.relationships]
        )
    if isinstance(value, list):
        return [_shown(each, graph) for each in value]
    if isinstance(value, dict):
        return {key: _shown(each, graph) for key, each in value.items()}
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and not math.isnan(value)):
        return value
    return str(value) if not isinstance(value, float) else value
