"""A property graph in two plain tables, with the catalogue that describes them: what the compiler is tested on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlcipher3 import dbapi2 as sqlite

from keepgraph import store
from keepgraph.cypher import binder, compiler
from keepgraph.cypher.catalogue import Catalogue, EdgeTable, LiteralNodes, NodeTable, with_row_counts
from keepgraph.cypher.interpret import operators
from keepgraph.cypher.interpret.evaluate import Run
from keepgraph.cypher.plan import planner
from keepgraph.cypher.sql import rendering, terms
from keepgraph.cypher.table_graph import AdjacencyCache, StatementCache, TableGraph

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


def written(properties: Mapping[str, Any]) -> str:
    """Properties as a JSON object; those that are null are not there."""
    return json.dumps({key: value for key, value in properties.items() if value is not None})


class PlainTables:
    """A property graph in two tables, and the catalogue that describes them."""

    tables = TABLES

    def __init__(
        self,
        conn: Any | None = None,
        *,
        write: Callable[[Mapping[str, Any]], str] = written,
        revive: Callable[[dict[str, Any]], Any] | None = None,
    ) -> None:
        """
        Args:
            write: makes a JSON object of properties.
            revive: makes a value of a JSON object among them.
        """
        self.conn = conn or sqlite.connect(":memory:", isolation_level=None)
        self.conn.executescript(self.tables)
        self.write, self.revive = write, revive
        self._registered: set[str] = set()
        self._cache: dict[Any, compiler.CompiledQuery] = {}
        self.catalogue = self.statements = None

    def load(self, nodes: Any, relationships: Any) -> None:
        """Take in nodes (id, labels, properties) and relationships (id, type, source, target, properties)."""
        self.conn.execute("BEGIN")
        self.conn.execute("DELETE FROM node")
        self.conn.execute("DELETE FROM relationship")
        self.conn.executemany(
            "INSERT INTO node VALUES (?, ?, ?)",
            ((key, json.dumps(list(labels)), self.write(properties)) for key, labels, properties in nodes),
        )
        self.conn.executemany(
            "INSERT INTO relationship (id, type, source, target, properties) VALUES (?, ?, ?, ?, ?)",
            (
                (key, kind, source, target, self.write(properties))
                for key, kind, source, target, properties in relationships
            ),
        )
        self.conn.execute("COMMIT")
        self.describe()

    def describe(self) -> None:
        self._cache.clear()
        self.catalogue = self.read_catalogue()
        self.statements = StatementCache(self.catalogue)
        self.arrays = AdjacencyCache()

    def read_catalogue(self) -> Catalogue:
        """The catalogue of what is in the tables now."""
        labels = {row[0]: row[1] for row in self.conn.execute("SELECT labels, count(*) FROM node GROUP BY labels")}
        types = {row[0]: row[1] for row in self.conn.execute("SELECT type, count(*) FROM relationship GROUP BY type")}
        catalogue = Catalogue(
            nodes=NodeTable(
                table="node",
                id="id",
                code="labels",
                labels={code: tuple(json.loads(code)) for code in labels},
                condition="",
                columns={},
                bag="properties",
                public_id="CAST({row}.id AS TEXT)",
            ),
            edges=EdgeTable(
                table="relationship",
                id="id",
                code="type",
                types={name: name for name in types},
                source="source",
                target="target",
                condition="",
                node_end_condition="",
                columns={},
                bag="properties",
                public_id="CAST({row}.id AS TEXT)",
                type_is_code=True,
            ),
            decode_object=self.revive,
        )
        return with_row_counts(catalogue, labels, types)

    def compile(self, text: str, parameter_values: Mapping[str, Any]) -> compiler.CompiledQuery:
        types = binder.infer_types(parameter_values)
        key = (text, tuple(sorted(types.items(), key=lambda entry: entry[0])))
        if key not in self._cache:
            self._cache[key] = self._prepared(compiler.compile_text(text, self.catalogue, types))
        return self._cache[key]

    def _prepared(self, query: compiler.CompiledQuery) -> compiler.CompiledQuery:
        """The query, if SQLite accepts its statements. (A run would not show it: Python answers where SQL fails.)"""
        for statement in query.statements():
            self.register(statement.callbacks)
            self.conn.execute(f"EXPLAIN {statement.sql}", [None] * len(statement.bindings)).close()
        return query

    def rows(
        self, query: compiler.CompiledQuery, parameter_values: Mapping[str, Any]
    ) -> tuple[list[tuple[Any, ...]], str]:
        return compiler.run(query, self.graph(), self.execute, parameter_values, {}, now=NOW, count_work=lambda _: None)

    def interpreted_rows(
        self, query: compiler.CompiledQuery, parameter_values: Mapping[str, Any]
    ) -> list[tuple[Any, ...]]:
        """The rows that the interpreter alone computes from the plan before it is optimized: what the query means."""
        run = operators.build_row_function(planner.build_plan(query.query), query.catalogue.estimates)
        return list(run(Run(self.graph(), parameter_values, NOW, lambda _: None)))

    def graph(self) -> TableGraph:
        return TableGraph(self.statements, self.execute, find_arrays=lambda: self.arrays)

    def execute(self, sql: str, bound: Sequence[Any], functions: frozenset[str]) -> Iterator[tuple[Any, ...]]:
        self.register(functions)
        return store.compiled_queries.run(self, sql, bound, refused=terms.Inexpressible)

    def register(self, functions: frozenset[str]) -> None:
        """Let statements call these functions."""
        for name in functions - self._registered:
            store.compiled_queries.register(self, rendering.PREFIX, name, rendering.function(name))
            self._registered.add(name)


class TablesWithLiterals(PlainTables):
    """The same, where a relationship may end at a text, which is a node too."""

    tables = TABLES.replace("target INTEGER NOT NULL", "target INTEGER, literal TEXT")

    def load(self, nodes: Any, relationships: Any) -> None:
        """Take in relationships of which the target may be a text."""
        relationships = list(relationships)
        super().load(nodes, [each for each in relationships if not isinstance(each[3], str)])
        self.conn.executemany(
            "INSERT INTO relationship (id, type, source, literal, properties) VALUES (?, ?, ?, ?, ?)",
            ((*each[:4], self.write(each[4])) for each in relationships if isinstance(each[3], str)),
        )
        self.describe()

    def read_catalogue(self) -> Catalogue:
        catalogue = super().read_catalogue()
        return replace(
            catalogue,
            edges=replace(catalogue.edges, node_end_condition="+{row}.target IS NOT NULL"),
            literals=LiteralNodes("literal", "C", ("s", "p"), "{row}.literal IS NOT NULL"),
        )
