"""Drives the compiler with the openCypher conformance kit: its graphs in two plain tables, its values out of ours.

Run by hand: python -m cyphertck tck_adapter:Keepgraph, with this folder and the kit's on the path.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from cyphertck.adapters.base import Adapter, CypherError
from cyphertck.values import Node, Path, Rel, Temporal
from sqlcipher3 import dbapi2 as sqlite

from keepgraph import errors
from keepgraph.cypher import compiler, emit, parameters, running, sql_functions, values
from keepgraph.cypher.catalogue import Catalogue, Edges, Nodes, counted
from keepgraph.cypher.reading import Statements, TableGraph
from keepgraph.store import queries

TABLES = """
CREATE TABLE node (id INTEGER PRIMARY KEY, labels TEXT NOT NULL, properties TEXT NOT NULL) STRICT;
CREATE TABLE relationship (
    id INTEGER PRIMARY KEY, type TEXT NOT NULL, source INTEGER NOT NULL, target INTEGER NOT NULL,
    properties TEXT NOT NULL
) STRICT;
CREATE INDEX node_labels ON node (labels);
CREATE INDEX relationship_out ON relationship (source, type, target);
CREATE INDEX relationship_in ON relationship (target, type, source);
CREATE INDEX relationship_type ON relationship (type, source, target);
"""

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class PlainTables:
    """A property graph in two tables, and the catalogue that describes them."""

    def __init__(self, conn: Any | None = None) -> None:
        self.conn = conn or sqlite.connect(":memory:", isolation_level=None)
        self.conn.executescript(TABLES)
        self._registered: set[str] = set()
        self._cache: dict[Any, compiler.Compiled] = {}
        self.catalogue = self.statements = None

    def load(self, nodes: Any, relationships: Any) -> None:
        """Take in nodes (id, labels, properties) and relationships (id, type, source, target, properties)."""
        self.conn.execute("BEGIN")
        self.conn.execute("DELETE FROM node")
        self.conn.execute("DELETE FROM relationship")
        self.conn.executemany(
            "INSERT INTO node VALUES (?, ?, ?)",
            ((key, json.dumps(list(labels)), written(properties)) for key, labels, properties in nodes),
        )
        self.conn.executemany(
            "INSERT INTO relationship VALUES (?, ?, ?, ?, ?)",
            ((key, kind, source, target, written(found)) for key, kind, source, target, found in relationships),
        )
        self.conn.execute("COMMIT")
        self.describe()

    def describe(self) -> None:
        self._cache.clear()
        labels = {row[0]: row[1] for row in self.conn.execute("SELECT labels, count(*) FROM node GROUP BY labels")}
        types = {row[0]: row[1] for row in self.conn.execute("SELECT type, count(*) FROM relationship GROUP BY type")}
        self.catalogue = Catalogue(
            nodes=Nodes(
                table="node",
                id="id",
                code="labels",
                labels={code: tuple(json.loads(code)) for code in labels},
                condition="",
                columns={},
                bag="properties",
                public_id="CAST({row}.id AS TEXT)",
            ),
            edges=Edges(
                table="relationship",
                id="id",
                code="type",
                types={name: name for name in types},
                source="source",
                target="target",
                condition="",
                to_node="",
                columns={},
                bag="properties",
                public_id="CAST({row}.id AS TEXT)",
                type_is_code=True,
            ),
            revive=revived,
        )
        self.catalogue = counted(self.catalogue, labels, types)
        self.statements = Statements(self.catalogue)

    def compiled(self, text: str, given: Mapping[str, Any]) -> compiler.Compiled:
        types = parameters.types(given)
        key = (text, tuple(sorted(types.items(), key=lambda each: each[0])))
        if key not in self._cache:
            self._cache[key] = compiler.compiled(text, self.catalogue, types)
        return self._cache[key]

    def rows(self, found: compiler.Compiled, given: Mapping[str, Any]) -> tuple[list[tuple[Any, ...]], str]:
        return running.rows(found, self.graph(), self.execute, given, now=NOW, rest=lambda _: None)

    def graph(self) -> TableGraph:
        return TableGraph(self.statements, self.execute)

    def execute(self, sql: str, bound: Sequence[Any], functions: frozenset[str]) -> Iterator[tuple[Any, ...]]:
        for name in functions - self._registered:
            queries.register(self.conn, sql_functions.PREFIX, name, sql_functions.function(name))
            self._registered.add(name)
        return queries.rows(self.conn, sql, bound, refused=emit.Inexpressible)


def written(properties: Mapping[str, Any]) -> str:
    """Properties as a JSON object; a temporal value as an object that names its kind."""
    return json.dumps({key: _stored(value) for key, value in properties.items() if value is not None})


def _stored(value: Any) -> Any:
    if isinstance(value, Temporal):
        found = PlainTables()
        found.load([], [])
        [[made]], _ = found.rows(found.compiled(f"RETURN {value.source} AS value", {}), {})
        return {"@": value.kind, "is": str(made)}
    if isinstance(value, list):
        return [_stored(each) for each in value]
    return value


def revived(found: dict[str, Any]) -> Any:
    if "@" in found:
        from keepgraph.cypher import temporal

        return temporal.construct(found["@"], found["is"], NOW)
    return found


class Keepgraph(Adapter):
    """The compiler, as the kit drives it. `target` picks who finds the rows."""

    name = "keepgraph"

    def open(self) -> None:
        self.tables = PlainTables()

    def load(self, graph: Any) -> None:
        self.tables.load(
            ((node.id, node.labels, node.props) for node in graph.nodes.values()),
            ((each.id, each.type, each.src, each.dst, each.props) for each in graph.rels.values()),
        )

    def run(self, query: str, params: Mapping[str, Any]) -> tuple[list[str], list[list[Any]]]:
        try:
            found = self.tables.compiled(query, params)
            rows = self.found(found, params)
        except errors.QueryError as error:
            phase = "runtime" if isinstance(error, errors.QueryFailed) else "compile time"
            raise CypherError(error.message, type=error.kind, phase=phase, detail=error.detail) from error
        graph = self.tables.graph()
        return list(found.columns), [[_shown(value, graph) for value in row] for row in rows]

    def found(self, query: compiler.Compiled, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return self.tables.rows(query, params)[0]


class Reference(Keepgraph):
    """The interpreter alone."""

    def found(self, query: compiler.Compiled, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        from keepgraph.cypher.evaluate import Run

        return list(query.rows_of_reference(Run(self.tables.graph(), params, NOW, lambda _: None)))


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
