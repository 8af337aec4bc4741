"""A graph in tables, read node by node for what Python runs. Executes nothing itself: it is handed the way to."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from keepgraph.arrays.adjacency import Adjacency, Key, Neighbours, TooSparse
from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Catalogue, Code
from keepgraph.cypher.check import parameters
from keepgraph.cypher.interpret.evaluate import Row
from keepgraph.cypher.plan import algebra
from keepgraph.cypher.sql.blocks import Inexpressible
from keepgraph.cypher.sql.callbacks import PREFIX
from keepgraph.cypher.sql.operators import Emitter
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.values import Node, Relationship

Execute = Callable[[str, Sequence[Any], frozenset[str]], Iterator[Row]]
"""Runs a statement with what it binds and the functions it calls back; raises Inexpressible where one gave up."""

_BATCH = 500
_AHEAD = 100
"""So many rows of a statement are fetched before Python goes on with the first."""
_MOST_EXPECTED = 100_000
_LEAST_WORTH_ARRAYS = 10_000
_COST_OF_A_STATEMENT = 10
"""In relationships that are read."""
_WORTH_A_LIST = 4
"""So many nodes are cheaper asked in one statement."""

_NO_FUNCTIONS: frozenset[str] = frozenset()


def ahead(rows: Iterator[Row], announce: Callable[[list[Row]], None]) -> Iterator[Row]:
    """The same rows, some of which are announced before the first of them is given."""
    while chunk := list(islice(rows, _AHEAD)):
        announce(chunk)
        yield from chunk


class Statements:
    """The statements that read one catalogue's graph, each written once."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._known: dict[Any, Any] = {}

    def remembered(self, key: Any, write: Callable[[], Any]) -> Any:
        if key not in self._known:
            self._known[key] = write()
        return self._known[key]


class Arrays:
    """The arrays of one state of the graph, made when enough was walked without them.

    Attributes:
        walked: how many relationships were read, in all queries of this state.
    """

    def __init__(self) -> None:
        self.walked = 0
        self._made: Adjacency | None = None
        self.read: Callable[[Code], Iterator[tuple[Key, Key]]] | None = None

    @property
    def there(self) -> bool:
        return self._made is not None

    def get(self, read: Callable[[Code], Iterator[tuple[Key, Key]]]) -> Adjacency:
        """The arrays; what they lack yet is read by `read`, which sees the same state of the graph."""
        self.read = read
        if self._made is None:
            self._made = Adjacency(lambda code: self.read(code) if self.read else iter(()))
        return self._made


class TableGraph:
    """The graph that a catalogue describes, during one run of a query."""

    def __init__(
        self,
        statements: Statements,
        execute: Execute,
        names: Mapping[str, Any] | None = None,
        arrays: Arrays | None = None,
    ) -> None:
        """
        Args:
            names: what the conditions of the catalogue bind; None for what it says itself.
            arrays: where the arrays for long walks are kept; None for none.
        """
        self.arrays = arrays
        self.names = statements.catalogue.values if names is None else names
        self.statements = statements
        self.catalogue = statements.catalogue
        self.execute = execute
        self._expected: set[int] = set()
        self._at_once = 1
        self._node_rows: dict[int | str, tuple[tuple[str, ...], dict[str, Any], str]] = {}
        self._edge_rows: dict[int, tuple[str, dict[str, Any], str]] = {}

    def nodes(self, labels: tuple[ast.LabelExpression, ...], equalities: tuple[tuple[str, Any], ...]) -> Iterator[Node]:
        wanted = {f"v{number}": value for number, (_, value) in enumerate(equalities)}
        if any(value is None for value in wanted.values()):
            return iter(())
        types = {name: parameters.type_of(value) for name, value in wanted.items()}
        key = ("nodes", labels, tuple(key for key, _ in equalities), tuple(types.values()))
        sql, bound = self.statements.remembered(key, lambda: self._scan(labels, equalities, types))
        try:
            arguments = [value(wanted, self.names) for value in bound]
        except Inexpressible:
            return self.nodes(labels, ())
        found = self.execute(sql, arguments, _NO_FUNCTIONS)
        return (Node(row[0]) for row in ahead(found, lambda rows: self.announce(row[0] for row in rows)))

    def announce(self, keys: Iterable[Key]) -> None:
        """Say which nodes may be asked for soon: when the row of one is, those of others are read with it."""
        if len(self._expected) > _MOST_EXPECTED:
            self._expected.clear()
        self._expected.update(key for key in keys if isinstance(key, int) and key not in self._node_rows)

    def relationships(self, types: ast.LabelExpression | None) -> Iterator[Relationship]:
        edge = algebra.EdgeSlot("r", "a", "b", types, "out", None, "r", (), True)
        ends = (algebra.NodeSlot("a", ()), algebra.NodeSlot("b", ()))
        match = algebra.Match(algebra.Unit(), ends, (edge,), (), (), False, ("a", "b", "r"))

        def write() -> tuple[str, list[Any]]:
            emitter = Emitter(self.catalogue, {})
            block = emitter.sweep(match)
            term = block.columns["r"]
            return emitter.bindings.of(emitter.text(block, [term.sql, term.start, term.end]))

        sql, bound = self.statements.remembered(("edges", types), write)
        arguments = [value({}, self.names) for value in bound]
        return (Relationship(*row) for row in self.execute(sql, arguments, _NO_FUNCTIONS))

    def expand(self, node: Node, direction: str, types: ast.LabelExpression | None) -> Iterator[Relationship]:
        if direction != "in":
            for row in self._edges_at(node, "out", types):
                yield Relationship(*row)
        if direction != "out":
            for row in self._edges_at(node, "in", types):
                if direction == "in" or row[1] != row[2]:
                    yield Relationship(*row)

    def between(
        self, start: Node, end: Node, direction: str, types: ast.LabelExpression | None
    ) -> Iterator[Relationship]:
        for way in ("out", "in") if direction == "both" else (direction,):
            for row in self._edges_at(start, way, types, other=end):
                if way == direction or way == "out" or row[1] != row[2]:
                    yield Relationship(*row)

    def neighbours(self, direction: str, types: ast.LabelExpression | None) -> Neighbours:
        """Asks the tables; arrays where they are there, or when so much was asked that they pay."""
        arrays = self.arrays
        worth = max(_LEAST_WORTH_ARRAYS, self.catalogue.estimates.edges(types) / 2)
        made: list[Neighbours] = []

        def laid_out() -> bool:
            if not made and arrays is not None and (arrays.there or arrays.walked > worth):
                try:
                    made.append(arrays.get(self.edges).neighbours(self.catalogue.types(types), direction))
                except TooSparse:
                    arrays.walked = 0
            return bool(made)

        def of(node: Key) -> Iterable[Key]:
            if laid_out():
                return made[0].of(node)
            found = self._others(node, direction, types)
            if arrays is not None:
                arrays.walked += len(found) + _COST_OF_A_STATEMENT
            return found

        def of_all(nodes: Collection[Key]) -> set[Key]:
            if laid_out():
                return made[0].of_all(nodes)
            rows = [node for node in nodes if isinstance(node, int)]
            found: set[Key] = set()
            if len(rows) < _WORTH_A_LIST:
                rows = []
            for way in (("out", "in") if direction == "both" else (direction,)) if rows else ():
                found.update(row[0] for row in self._edges_at_all(rows, way, types))
            for node in nodes if not rows else (node for node in nodes if not isinstance(node, int)):
                found.update(self._others(node, direction, types))
            if arrays is not None:
                arrays.walked += len(found) + len(nodes) + _COST_OF_A_STATEMENT
            return found

        return Neighbours(of, of_all)

    def _edges_at_all(self, nodes: list[int], direction: str, types: ast.LabelExpression | None) -> Iterator[Row]:
        """The other ends of the edges at many rows of the table, each once."""

        def write() -> tuple[str, list[Any]]:
            emitter = Emitter(self.catalogue, {})
            block, edge = emitter.edges_at_all(direction, types, "nodes")
            other = edge.end if direction == "out" else edge.start
            return emitter.bindings.of(emitter.text(block, [other]))

        sql, bound = self.statements.remembered(("at all", direction, types), write)
        found = {"nodes": json.dumps(nodes)}
        return self.execute(sql, [value(found, self.names) for value in bound], _NO_FUNCTIONS)

    def _others(self, key: Key, direction: str, types: ast.LabelExpression | None) -> list[Key]:
        """The keys of a node's neighbours; of one that leads back to itself once."""
        node = Node(key)
        found: list[Key] = []
        if direction != "in":
            found = [row[2] for row in self._edges_at(node, "out", types)]
        if direction == "in":
            found = [row[1] for row in self._edges_at(node, "in", types)]
        elif direction == "both":
            found += [row[1] for row in self._edges_at(node, "in", types) if row[1] != row[2]]
        return found

    def edges(self, code: Code) -> Iterator[tuple[Key, Key]]:
        """The ends of all relationships with this code of a type."""
        name = ast.LabelName(self.catalogue.edges.types[code])
        return ((each.start, each.end) for each in self.relationships(name))

    def labels(self, node: Node) -> tuple[str, ...]:
        return self._node_row(node)[0]

    def all_labels(self, node: Node) -> tuple[str, ...]:
        shown = self._node_row(node)[0]
        return shown if isinstance(node.id, str) else (*shown, *self.catalogue.nodes.implied)

    def type(self, relationship: Relationship) -> str:
        return self._edge_row(relationship)[0]

    def properties(self, of: Node | Relationship) -> Mapping[str, Any]:
        return (self._node_row(of) if isinstance(of, Node) else self._edge_row(of))[1]

    def public_id(self, of: Node | Relationship) -> str:
        return (self._node_row(of) if isinstance(of, Node) else self._edge_row(of))[2]

    def prefetch(self, nodes: Iterable[Node], relationships: Iterable[Relationship]) -> None:
        """Read the rows of many nodes and relationships at once."""
        missing = [each.id for each in dict.fromkeys(nodes) if each.id not in self._node_rows]
        keys = [each for each in missing if isinstance(each, int)]
        for start in range(0, len(keys), _BATCH):
            self._read_nodes(keys[start : start + _BATCH])
        edges = [each.id for each in dict.fromkeys(relationships) if each.id not in self._edge_rows]
        for start in range(0, len(edges), _BATCH):
            self._read_edges(edges[start : start + _BATCH])

    def _scan(
        self,
        labels: tuple[ast.LabelExpression, ...],
        equalities: tuple[tuple[str, Any], ...],
        types: Mapping[str, value_types.Type],
    ) -> tuple[str, list[Any]]:
        node = ast.Variable("n")
        conditions = tuple(
            ast.Binary("=", ast.Property(node, key), ast.Parameter(f"v{number}"))
            for number, (key, _) in enumerate(equalities)
        )
        while True:
            emitter = Emitter(self.catalogue, types)
            match = algebra.Match(algebra.Unit(), (algebra.NodeSlot("n", labels),), (), (), conditions, False, ("n",))
            try:
                block = emitter.block(match)
            except Inexpressible:
                # The conditions are tested once more anyway; here they only save rows.
                conditions = ()
                continue
            if PREFIX in emitter.text(block, [block.columns["n"].sql]):
                conditions = ()
                continue
            return emitter.bindings.of(emitter.text(block, [block.columns["n"].sql]))

    def _edges_at(
        self, node: Node, direction: str, types: ast.LabelExpression | None, other: Node | None = None
    ) -> Iterator[Row]:
        ends = tuple(isinstance(each.id, str) if each is not None else None for each in (node, other))
        key = ("at", direction, types, ends)
        sql, bound = self.statements.remembered(key, lambda: self._at(direction, types, *ends))
        found = {"node": node.id, "other": other.id if other is not None else None}
        return self.execute(sql, [value(found, self.names) for value in bound], _NO_FUNCTIONS)

    def _at(
        self, direction: str, types: ast.LabelExpression | None, literal: bool | None, other: bool | None
    ) -> tuple[str, list[Any]]:
        emitter = Emitter(self.catalogue, {})
        block, edge = emitter.edges_at(direction, types, "node", literal=bool(literal))
        if other is not None:
            emitter.lead_to(block, edge, direction, "other", literal=other)
        return emitter.bindings.of(emitter.text(block, [edge.sql, edge.start, edge.end]))

    def _node_row(self, node: Node) -> tuple[tuple[str, ...], dict[str, Any], str]:
        found = self._node_rows.get(node.id)
        if found is None:
            if isinstance(node.id, str):
                literals = self.catalogue.literals
                label, names = (literals.label, literals.properties) if literals else ("", ())
                found = (label,), dict.fromkeys(names, node.id[1:]), f"literal:{node.id[1:]}"
                self._node_rows[node.id] = found
            else:
                self._read_nodes(self._with_expected(node.id))
                found = self._node_rows[node.id]
        return found

    def _with_expected(self, key: int) -> list[int]:
        """A key with others that are expected: more each time, for who asks for one may ask for all."""
        keys = [key]
        self._expected.discard(key)
        while self._expected and len(keys) < self._at_once:
            other = self._expected.pop()
            if other not in self._node_rows:
                keys.append(other)
        self._at_once = min(2 * self._at_once, _BATCH)
        return keys

    def _edge_row(self, edge: Relationship) -> tuple[str, dict[str, Any], str]:
        found = self._edge_rows.get(edge.id)
        if found is None:
            self._read_edges([edge.id])
            found = self._edge_rows[edge.id]
        return found

    def _read_nodes(self, keys: Sequence[int]) -> None:
        nodes = self.catalogue.nodes
        for key, code, public_id, properties in self._read(nodes, keys):
            self._node_rows[key] = nodes.labels.get(code, ()), properties, public_id

    def _read_edges(self, keys: Sequence[int]) -> None:
        edges = self.catalogue.edges
        for key, code, public_id, properties in self._read(edges, keys):
            self._edge_rows[key] = edges.types.get(code, str(code)), properties, public_id

    def _read(self, table: Any, keys: Sequence[int]) -> Iterator[tuple[int, Code, str, dict[str, Any]]]:
        one = len(keys) == 1

        def write() -> tuple[str, list[Any]]:
            emitter = Emitter(self.catalogue, {})
            columns = [
                f"r.{table.id}",
                f"r.{table.code}",
                table.public_id.format(row="r"),
                *(column.sql.format(row="r") for column in table.columns.values()),
                *([f"r.{table.bag}"] if table.bag else []),
            ]
            return emitter.read_rows(table, columns, one=one)

        sql, bound = self.statements.remembered(("read", table.table, one), write)
        found = {"keys": keys[0] if one else json.dumps(keys)}
        arguments = [value(found, self.names) for value in bound]
        names = list(table.columns)
        for row in self.execute(sql, arguments, _NO_FUNCTIONS):
            own = row[3 : 3 + len(names)]
            properties = {
                name: json.loads(value) if column.kinds & value_types.LIST else value
                for (name, column), value in zip(table.columns.items(), own, strict=True)
                if value is not None
            }
            if table.bag and row[-1]:
                properties.update(self._bag(row[-1]))
            yield row[0], row[1], row[2], properties

    def _bag(self, text: str) -> dict[str, Any]:
        # The bag itself is the outermost object, and stands for no value.
        found = {key: self.catalogue.read(value) for key, value in json.loads(text).items()}
        return {key: value for key, value in found.items() if value is not None}
