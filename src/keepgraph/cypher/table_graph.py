"""Table graph: the graph of a catalogue, read node by node from the tables for the interpreter.

It executes nothing itself: it is given a function that does. Rows are read many at a time where more of them are
expected, and arrays of all neighbours are built once reading the tables would cost more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

from keepgraph.arrays.adjacency import Adjacency, Key, Neighbours, TooSparse
from keepgraph.cypher import binder, value_types
from keepgraph.cypher.catalogue import Catalogue, Code, EdgeTable, NodeTable
from keepgraph.cypher.interpret.evaluate import Row
from keepgraph.cypher.plan import optimizer
from keepgraph.cypher.plan.algebra import EdgeSlot, Match, NodeSlot, SingleRow
from keepgraph.cypher.plan.join_order import EdgeScan
from keepgraph.cypher.sql import edges, match, tree
from keepgraph.cypher.sql.context import Binding, Block, Context, ParameterTypes, elements_of, select_unnamed
from keepgraph.cypher.sql.emitter import new_context
from keepgraph.cypher.sql.rendering import render
from keepgraph.cypher.sql.terms import Inexpressible, Term
from keepgraph.cypher.sql.tree import Column, Expression
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.values import Node, Relationship

Execute = Callable[[str, Sequence[Any], frozenset[str]], Iterator[Row]]
"""Runs a statement, given what it binds and the callbacks that it calls; raises Inexpressible where one gave up."""

NodeRow = tuple[tuple[str, ...], dict[str, Any], str]
"""Labels, properties and public id of a node."""

EdgeRow = tuple[str, dict[str, Any], str]
"""Type, properties and public id of a relationship."""

_MAX_KEYS_PER_STATEMENT = 500
_ROWS_AHEAD = 100
"""How many rows are read, and their nodes announced, before the first of them is used."""
_MAX_EXPECTED_NODES = 100_000
_MIN_WORK_BEFORE_ARRAYS = 10_000
"""How many relationships are read from the tables, at the least, before arrays are built of them."""
_STATEMENT_COST = 10
"""What the start of a statement costs, in relationships that are read."""
_MIN_NODES_PER_LIST = 4
"""From this many nodes on, one statement for all is cheaper than one for each."""

_NO_CALLBACKS: frozenset[str] = frozenset()


def read_ahead(rows: Iterator[Row], announce: Callable[[list[Row]], None]) -> Iterator[Row]:
    """The same rows, read in chunks; each chunk is announced before its first row is given."""
    while chunk := list(islice(rows, _ROWS_AHEAD)):
        announce(chunk)
        yield from chunk


_MAX_STATEMENTS = 2_000
"""At most this many are kept per catalogue: their keys have names of properties, which a query may invent."""


class StatementCache:
    """What was written for one catalogue: statements, and compiled queries."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._entries: dict[Any, Any] = {}

    def get_or_build(self, key: Any, build: Callable[[], Any]) -> Any:
        entry = self._entries.get(key)
        if entry is None:
            entry = build()
            if len(self._entries) >= _MAX_STATEMENTS:
                self._entries.clear()
            self._entries[key] = entry
        return entry


def literal_key(text: str) -> Key:
    """The key of the node that is a literal."""
    return f"={text}"


class AdjacencyCache:
    """The adjacency arrays of a graph, built when enough was read from the tables without them.

    Attributes:
        work_without: how many relationships were read from the tables, in all queries since the arrays were outdated.
        outdated: nodes with a relationship that was changed since; those are read from the tables. The relationships
            of all others are in the arrays as they are in the graph.
    """

    def __init__(self, adjacency: Adjacency | None = None, *, note_use: Callable[[], None] = lambda: None) -> None:
        """
        Args:
            adjacency: the arrays, complete, where they are built already.
            note_use: called when a walk needs them.
        """
        self._note_use = note_use
        self.work_without = 0
        self.outdated: set[Key] = set()
        self._adjacency = adjacency
        self._read_edges: Callable[[Code], Iterator[tuple[Key, Key]]] = lambda code: iter(())

    @property
    def is_built(self) -> bool:
        return self._adjacency is not None

    def get(self, read_edges: Callable[[Code], Iterator[tuple[Key, Key]]]) -> Adjacency:
        """The arrays.

        Args:
            read_edges: gives the ends of all relationships of a type, in the same state of the graph; it is called for
                types that are not in the arrays yet.
        """
        self._note_use()
        self._read_edges = read_edges
        if self._adjacency is None:
            self._adjacency = Adjacency(lambda code: self._read_edges(code))
        return self._adjacency


class TableGraph:
    """The graph that a catalogue describes, during one run of a query."""

    def __init__(
        self,
        statements: StatementCache,
        execute: Execute,
        catalogue_values: Mapping[str, Any] | None = None,
        find_arrays: Callable[[], AdjacencyCache | None] = lambda: None,
    ) -> None:
        """
        Args:
            catalogue_values: what the conditions of the catalogue bind; None for the values in the catalogue.
            find_arrays: finds where adjacency arrays are kept; None for none. Asked once, where they may be needed.
        """
        self._find_arrays = find_arrays
        self.statements = statements
        self.catalogue = statements.catalogue
        self._catalogue_values = statements.catalogue.condition_values if catalogue_values is None else catalogue_values
        self._execute = execute
        self._expected_rows, self._expected_labels = _ExpectedKeys(), _ExpectedKeys()
        self._node_rows: dict[Key, NodeRow] = {}
        self._node_labels: dict[int, tuple[str, ...]] = {}
        self._edge_rows: dict[int, EdgeRow] = {}

    @cached_property
    def arrays(self) -> AdjacencyCache | None:
        """Where adjacency arrays are kept; None for none."""
        return self._find_arrays()

    # Nodes and relationships

    def nodes(self, labels: tuple[ast.LabelExpression, ...], equalities: tuple[tuple[str, Any], ...]) -> Iterator[Node]:
        values = {f"v{number}": value for number, (_, value) in enumerate(equalities)}
        if any(value is None for value in values.values()):
            return iter(())
        types = {name: binder.infer_type(value) for name, value in values.items()}
        keys = tuple(key for key, _ in equalities)
        sql, bindings = self.statements.get_or_build(
            ("nodes", labels, keys, tuple(types.values())),
            lambda: nodes(self.catalogue, labels, _equality_conditions(keys), types),
        )
        try:
            arguments = [binding(values, self._catalogue_values) for binding in bindings]
        except Inexpressible:
            return self.nodes(labels, ())
        rows = self._execute(sql, arguments, _NO_CALLBACKS)
        return (Node(row[0]) for row in read_ahead(rows, lambda chunk: self.announce(row[0] for row in chunk)))

    def relationships(self, types: ast.LabelExpression | None) -> Iterator[Relationship]:
        return (Relationship(*row) for row in self._run(self._statement_of_relationships(types), {}))

    def _statement_of_relationships(self, types: ast.LabelExpression | None) -> Sql:
        statement: Sql = self.statements.get_or_build(("edges", types), lambda: relationships(self.catalogue, types))
        return statement

    def expand(self, node: Node, direction: str, types: ast.LabelExpression | None) -> Iterator[Relationship]:
        for followed, types_so in optimizer.split(direction, types):
            if followed != "in":
                for row in self._edges_at(node, "out", types_so):
                    yield Relationship(*row)
            if followed != "out":
                for row in self._edges_at(node, "in", types_so):
                    if followed == "in" or row[1] != row[2]:
                        yield Relationship(*row)

    def between(
        self, start: Node, end: Node, direction: str, types: ast.LabelExpression | None
    ) -> Iterator[Relationship]:
        for followed, types_so in optimizer.split(direction, types):
            for one_way in ("out", "in") if followed == "both" else (followed,):
                for row in self._edges_at(start, one_way, types_so, other=end):
                    if one_way == followed or one_way == "out" or row[1] != row[2]:
                        yield Relationship(*row)

    def _edges_at(
        self, node: Node, direction: str, types: ast.LabelExpression | None, other: Node | None = None
    ) -> Iterator[Row]:
        """The rows (key, start, end) of the edges at a node, or of those that connect it with another node."""
        literal = isinstance(node.id, str)
        other_literal = isinstance(other.id, str) if other is not None else None
        statement = self.statements.get_or_build(
            ("at", direction, types, literal, other_literal),
            lambda: edges_at_node(self.catalogue, direction, types, literal=literal, other_literal=other_literal),
        )
        return self._run(statement, {"node": node.id, "other": other.id if other is not None else None})

    # Neighbours

    def neighbours(self, direction: str, types: ast.LabelExpression | None) -> Neighbours:
        """The neighbours from the tables, or from arrays where they are built or worth building."""
        sources = [_NeighbourSource(self, *followed) for followed in optimizer.split(direction, types)]
        if len(sources) == 1:
            return Neighbours(sources[0].of, sources[0].of_all)
        return Neighbours(
            lambda node: [key for source in sources for key in source.of(node)],
            lambda nodes: {key for source in sources for key in source.of_all(nodes)},
        )

    def neighbours_of_rows(self, keys: list[int], direction: str, types: ast.LabelExpression | None) -> Iterator[Row]:
        """The other ends of the edges at many rows of the table of nodes, in one direction, each once."""
        statement = self.statements.get_or_build(
            ("at all", direction, types), lambda: neighbours_of_nodes(self.catalogue, direction, types)
        )
        return self._run(statement, {"nodes": json.dumps(keys)})

    def neighbours_of_node(self, key: Key, direction: str, types: ast.LabelExpression | None) -> list[Key]:
        """The keys of a node's neighbours; its own key once for each relationship that leads back to it."""
        node = Node(key)
        if direction == "in":
            return [row[1] for row in self._edges_at(node, "in", types)]
        keys = [row[2] for row in self._edges_at(node, "out", types)]
        if direction == "both":
            keys += [row[1] for row in self._edges_at(node, "in", types) if row[1] != row[2]]
        return keys

    def edge_ends(self, code: Code) -> Iterator[tuple[Key, Key]]:
        """The ends of all relationships with this code of a type."""
        statement = self._statement_of_relationships(ast.LabelName(self.catalogue.edges.types[code]))
        return ((start, end) for _, start, end in self._run(statement, {}))

    # Rows of nodes and relationships

    def labels(self, node: Node) -> tuple[str, ...]:
        if isinstance(node.id, str) or node.id in self._node_rows:
            return self._node_row(node)[0]
        if node.id not in self._node_labels:
            self._read_labels(self._expected_labels.take_with(node.id, self._node_labels))
        return self._node_labels[node.id]

    def all_labels(self, node: Node) -> tuple[str, ...]:
        labels = self.labels(node)
        return labels if isinstance(node.id, str) else (*labels, *self.catalogue.nodes.implied_labels)

    def type(self, relationship: Relationship) -> str:
        return self._edge_row(relationship)[0]

    def properties(self, of: Node | Relationship) -> Mapping[str, Any]:
        return (self._node_row(of) if isinstance(of, Node) else self._edge_row(of))[1]

    def public_id(self, of: Node | Relationship) -> str:
        return (self._node_row(of) if isinstance(of, Node) else self._edge_row(of))[2]

    def announce(self, keys: Iterable[Key]) -> None:
        """Tell which nodes may be read soon: when the row of one is read, rows of others are read with it."""
        of_rows = [key for key in keys if isinstance(key, int) and key not in self._node_rows]
        self._expected_rows.add(of_rows)
        self._expected_labels.add(of_rows)

    def prefetch(self, nodes: Iterable[Node], relationships: Iterable[Relationship]) -> None:
        """Read the rows of many nodes and relationships at once."""
        missing = [node.id for node in dict.fromkeys(nodes) if node.id not in self._node_rows]
        node_keys = [key for key in missing if isinstance(key, int)]
        for start in range(0, len(node_keys), _MAX_KEYS_PER_STATEMENT):
            self._read_nodes(node_keys[start : start + _MAX_KEYS_PER_STATEMENT])
        edge_keys = [edge.id for edge in dict.fromkeys(relationships) if edge.id not in self._edge_rows]
        for start in range(0, len(edge_keys), _MAX_KEYS_PER_STATEMENT):
            self._read_edges(edge_keys[start : start + _MAX_KEYS_PER_STATEMENT])

    def _node_row(self, node: Node) -> NodeRow:
        row = self._node_rows.get(node.id)
        if row is None:
            if isinstance(node.id, str):
                literals = self.catalogue.literals
                label, names = (literals.label, literals.properties) if literals else ("", ())
                text = node.id[1:]
                row = (label,), dict.fromkeys(names, text), f"literal:{text}"
                self._node_rows[node.id] = row
            else:
                self._read_nodes(self._expected_rows.take_with(node.id, self._node_rows))
                row = self._node_rows[node.id]
        return row

    def _edge_row(self, edge: Relationship) -> EdgeRow:
        row = self._edge_rows.get(edge.id)
        if row is None:
            self._read_edges([edge.id])
            row = self._edge_rows[edge.id]
        return row

    def _read_nodes(self, keys: Sequence[int]) -> None:
        nodes = self.catalogue.nodes
        for key, code, public_id, properties in self._read_rows(nodes, keys):
            self._node_rows[key] = nodes.labels.get(code, ()), properties, public_id

    def _read_labels(self, keys: Sequence[int]) -> None:
        """Read labels alone, which takes a fifth of the time of whole rows."""
        nodes, single = self.catalogue.nodes, len(keys) == 1
        statement = self.statements.get_or_build(
            ("labels", single), lambda: codes_by_key(self.catalogue, nodes, single=single)
        )
        for key, code in self._run(statement, {"keys": keys[0] if single else json.dumps(keys)}):
            self._node_labels[key] = nodes.labels.get(code, ())

    def _read_edges(self, keys: Sequence[int]) -> None:
        edges = self.catalogue.edges
        for key, code, public_id, properties in self._read_rows(edges, keys):
            self._edge_rows[key] = edges.types.get(code, str(code)), properties, public_id

    def _read_rows(
        self, table: NodeTable | EdgeTable, keys: Sequence[int]
    ) -> Iterator[tuple[int, Code, str, dict[str, Any]]]:
        """Key, code, public id and properties of the rows with these keys."""
        single = len(keys) == 1
        statement = self.statements.get_or_build(
            ("read", table.table, single),
            lambda: rows_by_key(self.catalogue, table, single=single),
        )
        for row in self._run(statement, {"keys": keys[0] if single else json.dumps(keys)}):
            column_values = row[3 : 3 + len(table.columns)]
            properties = {
                name: json.loads(value) if column.kinds & value_types.LIST else value
                for (name, column), value in zip(table.columns.items(), column_values, strict=True)
                if value is not None
            }
            if table.bag and row[-1]:
                properties.update(self._decode_bag(row[-1]))
            yield row[0], row[1], row[2], properties

    def _decode_bag(self, text: str) -> dict[str, Any]:
        # Each value is read on its own: the bag itself is an object, too, but never stands for a value.
        properties = {key: self.catalogue.decode(value) for key, value in json.loads(text).items()}
        return {key: value for key, value in properties.items() if value is not None}

    def _run(self, statement: Sql, parameter_values: Mapping[str, Any]) -> Iterator[Row]:
        sql, bindings = statement
        arguments = [binding(parameter_values, self._catalogue_values) for binding in bindings]
        return self._execute(sql, arguments, _NO_CALLBACKS)


def _equality_conditions(keys: tuple[str, ...]) -> tuple[ast.Expression, ...]:
    """`n.key = $v0`, `n.key = $v1` …"""
    node = ast.Variable("n")
    return tuple(
        ast.Binary("=", ast.Property(node, key), ast.Parameter(f"v{number}")) for number, key in enumerate(keys)
    )


class _ExpectedKeys:
    """Keys of nodes that may be read soon: with one, others are read, twice as many each time."""

    def __init__(self) -> None:
        self._keys: set[int] = set()
        self._batch_size = 1

    def add(self, keys: Iterable[int]) -> None:
        if len(self._keys) > _MAX_EXPECTED_NODES:
            self._keys.clear()
        self._keys.update(keys)

    def take_with(self, key: int, known: Mapping[Any, object]) -> list[int]:
        """A key with others that are expected and not known: who reads some nodes may read all."""
        keys = [key]
        self._keys.discard(key)
        while self._keys and len(keys) < self._batch_size:
            other = self._keys.pop()
            if other not in known:
                keys.append(other)
        self._batch_size = min(2 * self._batch_size, _MAX_KEYS_PER_STATEMENT)
        return keys


class _NeighbourSource:
    """The neighbours along some types in one direction, from the tables at first and from arrays when they pay."""

    def __init__(self, graph: TableGraph, direction: str, types: ast.LabelExpression | None) -> None:
        self._graph = graph
        self._direction = direction
        self._types = types
        # To read half of the relationships node by node costs about as much as to read all of them (ADR 0024).
        self._work_limit = max(_MIN_WORK_BEFORE_ARRAYS, graph.catalogue.estimates.edge_count(types) / 2)
        self._from_arrays: Neighbours | None = None
        self._outdated = graph.arrays.outdated if graph.arrays is not None else set()

    def of(self, node: Key) -> Iterable[Key]:
        from_arrays = self._arrays_if_worthwhile()
        if from_arrays is not None and node not in self._outdated:
            return from_arrays.of(node)
        keys = self._graph.neighbours_of_node(node, self._direction, self._types)
        self._add_work(len(keys) + _STATEMENT_COST)
        return keys

    def of_all(self, nodes: Collection[Key]) -> set[Key]:
        from_arrays = self._arrays_if_worthwhile()
        if from_arrays is not None:
            outdated = self._outdated.intersection(nodes) if self._outdated else self._outdated
            if not outdated:
                return from_arrays.of_all(nodes)
            return from_arrays.of_all([node for node in nodes if node not in outdated]) | self._from_tables(outdated)
        return self._from_tables(nodes)

    def _from_tables(self, nodes: Collection[Key]) -> set[Key]:
        rows = [node for node in nodes if isinstance(node, int)]
        if len(rows) < _MIN_NODES_PER_LIST:
            rows = []
        keys: set[Key] = set()
        if rows:
            for one_way in ("out", "in") if self._direction == "both" else (self._direction,):
                keys.update(row[0] for row in self._graph.neighbours_of_rows(rows, one_way, self._types))
        for node in nodes:
            if not rows or not isinstance(node, int):
                keys.update(self._graph.neighbours_of_node(node, self._direction, self._types))
        self._add_work(len(keys) + len(nodes) + _STATEMENT_COST)
        return keys

    def _arrays_if_worthwhile(self) -> Neighbours | None:
        arrays = self._graph.arrays
        if self._from_arrays is None and arrays is not None:
            if not arrays.is_built and arrays.work_without <= self._work_limit:
                return None
            codes = self._graph.catalogue.type_codes(self._types)
            try:
                self._from_arrays = arrays.get(self._graph.edge_ends).neighbours(codes, self._direction)
            except TooSparse:
                arrays.work_without = 0
        return self._from_arrays

    def _add_work(self, relationships: int) -> None:
        if self._graph.arrays is not None:
            self._graph.arrays.work_without += relationships


_ROW = "r"

Sql = tuple[str, tuple[Binding, ...]]
"""The text of a statement and what it binds."""


def rows_by_key(catalogue: Catalogue, table: NodeTable | EdgeTable, *, single: bool) -> Sql:
    """The rows of a table, by a JSON list of keys in the parameter `keys`, or by one key if `single`.

    Their columns: key, code, public id, the properties with columns of their own, and the property bag where there is
    one.
    """
    context = new_context(catalogue, {})
    block = _block_of_keys(context, table, single=single)
    values = [
        context.value_of_row(sql, _ROW) for sql in (table.public_id, *(column.sql for column in table.columns.values()))
    ]
    bag = [Column(_ROW, table.bag)] if table.bag else []
    return _render(context, block, Column(_ROW, table.id), Column(_ROW, table.code), *values, *bag)


def codes_by_key(catalogue: Catalogue, table: NodeTable, *, single: bool) -> Sql:
    """The keys and codes of the rows of a table; the parameter is as of `rows_by_key`."""
    context = new_context(catalogue, {})
    block = _block_of_keys(context, table, single=single)
    return _render(context, block, Column(_ROW, table.id), Column(_ROW, table.code))


def _block_of_keys(context: Context, table: NodeTable | EdgeTable, *, single: bool) -> Block:
    keys, key = context.bindings.parameter("keys"), Column(_ROW, table.id)
    block = Block(where=[tree.equal(key, keys) if single else tree.In(key, elements_of(keys))])
    block.join(context.table(table), _ROW)
    return block


def nodes(
    catalogue: Catalogue,
    labels: tuple[ast.LabelExpression, ...],
    conditions: tuple[ast.Expression, ...],
    parameters: ParameterTypes,
) -> Sql:
    """The keys of the nodes `n` with these labels, filtered by the conditions if SQL can express them all.

    The interpreter tests the conditions once more; here they only make rows fewer.
    """
    try:
        return _nodes_where(catalogue, labels, conditions, parameters)
    except Inexpressible:
        return _nodes_where(catalogue, labels, (), parameters)


def _nodes_where(
    catalogue: Catalogue,
    labels: tuple[ast.LabelExpression, ...],
    conditions: tuple[ast.Expression, ...],
    parameters: ParameterTypes,
) -> Sql:
    context = new_context(catalogue, parameters)
    block = context.plan(Match(SingleRow(), (NodeSlot("n", labels),), (), (), conditions, False, ("n",)))
    rendered = render(select_unnamed(block, block.columns["n"].sql))
    if rendered.callbacks:
        raise Inexpressible
    return rendered.text, context.bindings.of(rendered.placeholders)


def relationships(catalogue: Catalogue, types: ast.LabelExpression | None) -> Sql:
    """The keys of all relationships of these types, each with the keys of its ends."""
    context = new_context(catalogue, {})
    ends = (NodeSlot("a", ()), NodeSlot("b", ()))
    edge = EdgeSlot("r", "a", "b", types, "out", None, "r", (), True)
    block = Block()
    match.scan_edges(context, block, EdgeScan(edge), Match(SingleRow(), ends, (edge,), (), (), False, ("a", "b", "r")))
    term = block.columns["r"]
    return _render(context, block, term.sql, term.start, term.end)


def edges_at_node(
    catalogue: Catalogue,
    direction: str,
    types: ast.LabelExpression | None,
    *,
    literal: bool,
    other_literal: bool | None = None,
) -> Sql:
    """The edges that lead out of the node in the parameter `node`, or into it, with the keys of both ends.

    Args:
        literal: whether the node is a literal.
        other_literal: whether the node in the parameter `other`, at which the edge must end or start, is a literal;
            None for any other end.
    """
    context = new_context(catalogue, {})
    node = _node_parameter(context, "node", literal=literal)
    block = Block()
    edge = _edges_of(context, block, direction, types, node)
    if other_literal is not None:
        other = _node_parameter(context, "other", literal=other_literal)
        if direction == "out":
            block.where.append(edges.ends_at(context, edge, other))
        else:
            block.where.append(edges.leads_from(context, edge, other.sql))
    return _render(context, block, edge.sql, edge.start, edge.end)


def neighbours_of_nodes(catalogue: Catalogue, direction: str, types: ast.LabelExpression | None) -> Sql:
    """The other ends of the edges at rows of the table, each once; their keys are a JSON list in `nodes`."""
    context = new_context(catalogue, {})
    block = Block(distinct=True)
    block.join(tree.call("json_each", context.bindings.parameter("nodes")), "f")
    node = Term(Column("f", "value"), value_types.Type(value_types.NODE), "node")
    edge = _edges_of(context, block, direction, types, node)
    return _render(context, block, edge.end if direction == "out" else edge.start)


def _render(context: Context, block: Block, *values: Expression) -> Sql:
    rendered = render(select_unnamed(block, *values))
    return rendered.text, context.bindings.of(rendered.placeholders)


def _node_parameter(context: Context, name: str, *, literal: bool) -> Term:
    key = context.bindings.parameter(name)
    codes: frozenset[Code] | None = frozenset() if literal else None
    return Term(key, value_types.Type(value_types.NODE), "node", literal=literal, codes=codes)


def _edges_of(context: Context, block: Block, direction: str, types: ast.LabelExpression | None, node: Term) -> Term:
    slot = EdgeSlot("r", "a", "b", types, direction, None, "r", (), True)
    edge = edges.join(context, block, slot, direction, node)
    if direction == "out":
        block.where.extend(edges.starts_at(context, edge, node))
    else:
        block.where.append(edges.ends_at(context, edge, node))
    return edge
