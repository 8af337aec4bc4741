"""MATCH in SQL: each step of the join order joins a table, and the conditions of the pattern become WHERE.

OPTIONAL MATCH is a LEFT JOIN where its pattern has one step. Paths of variable length, shortest paths and named paths
are left to the interpreter.

Its access paths say what the tables offer to the join order: ranges and orders that an index serves, and which
relationships an index covers. A scan that an index covers says so (`INDEXED BY`), since SQLite prefers another one; an
end of which no label, property or value is asked is not looked up, because the ends of a fact always exist. CONTAINS
uses no trigram index: a scan of the index over names takes 6 ms at 100,000 names, and folding is not exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from keepgraph.cypher import catalogue, value_types
from keepgraph.cypher.catalogue import Catalogue, Code, Connection
from keepgraph.cypher.interpret import evaluate
from keepgraph.cypher.interpret.evaluate import Run
from keepgraph.cypher.plan import instant_comparisons, join_order, optimizer
from keepgraph.cypher.plan.algebra import EdgeSlot, Match, NodeSlot
from keepgraph.cypher.plan.join_order import (
    EdgeScan,
    Expand,
    NodeScan,
    OrderedScan,
    Step,
    choose_join_order,
    is_scannable,
    is_scannable_both_ways,
)
from keepgraph.cypher.sql import edges, literal_nodes, properties, tree
from keepgraph.cypher.sql.context import Block, Context
from keepgraph.cypher.sql.terms import STRING_OR_NULL, Inexpressible, Term
from keepgraph.cypher.sql.tree import Column, Expression, Select, Selected
from keepgraph.cypher.syntax import ast, tree_walk
from keepgraph.errors import QueryError

# Type pruning: leaves out of a pattern the types, directions and literals that no stored relationship has there.
#
# A graph knows which types connect which labels. `(p:Person)-[r]-(q:Project)` then follows only the types between
# persons and projects, and only along the arrows that these have: what is left out could not match. What may stand at a
# node is narrowed from both sides until nothing changes (arc consistency; A. K. Mackworth, Consistency in Networks of
# Relations, Artificial Intelligence 8, 1977).
#
# The combinations come from counts that triggers keep (ADR 0057), and statements are compiled anew when one appears or
# disappears. With `known_at` nothing is pruned, since retracted facts are not counted; paths of variable length are
# left as they are. Of 200 random patterns at a million facts, 2 take more than 500 ms, and 12 without pruning.

_Domain = Set[Code | None]
"""The codes of labels that a node of a pattern may have; None is a literal."""

_MAX_ROUNDS = 4
_NOTHING = ast.LabelAnd((ast.LabelName(""), ast.LabelNot(ast.LabelName(""))))


def _prune(match: Match, catalogue: Catalogue, bound: Mapping[str, _Domain | None]) -> Match:
    """The match with fewer types and directions, where it is known which types connect which labels.

    Args:
        bound: what may stand at the nodes that have a value already; None for anything.
    """
    if catalogue.edges.connections is None or not match.edges:
        return match
    search = _Search(match, catalogue, bound)
    search.run()
    edges = tuple([search.narrowed_edge(edge) for edge in match.edges])
    nodes = tuple([node if node.column in bound else search.narrowed_node(node) for node in match.nodes])
    return match if edges == match.edges and nodes == match.nodes else replace(match, edges=edges, nodes=nodes)


class _Search:
    """What each node may be and each relationship may match, as far as it was narrowed."""

    def __init__(self, match: Match, catalogue: Catalogue, bound: Mapping[str, _Domain | None]) -> None:
        self._catalogue = catalogue
        self._all = frozenset(catalogue.nodes.labels) | {None}
        self.domains: dict[str, _Domain] = {node.column: self._domain(node, bound) for node in match.nodes}
        self._edges = [edge for edge in match.edges if _is_single(edge)]
        self.forwards: dict[str, list[Connection]] = {}
        self.backwards: dict[str, list[Connection]] = {}
        for edge in self._edges:
            codes = catalogue.type_codes(edge.types)
            connections = [each for code in codes for each in (catalogue.edges.connections or {}).get(code, ())]
            self.forwards[edge.column] = connections if edge.direction != "in" else []
            self.backwards[edge.column] = connections if edge.direction != "out" else []

    def _domain(self, node: NodeSlot, bound: Mapping[str, _Domain | None]) -> _Domain:
        known = bound.get(node.column) if node.column in bound else None
        domain = self._all if known is None else known
        if not node.labels:
            return domain
        codes: set[Code | None] = set(self._catalogue.node_codes(node.labels))
        return domain & (codes | {None} if self._catalogue.literal_matches(node.labels) else codes)

    def run(self) -> None:
        """Narrow from both sides until nothing changes; stopping early leaves more than could match, never less."""
        for _ in range(_MAX_ROUNDS):
            before = sum(map(len, self.domains.values()))
            for edge in self._edges:
                self._narrow(edge)
            if sum(map(len, self.domains.values())) == before:
                return

    def _narrow(self, edge: EdgeSlot) -> None:
        start, end = self.domains[edge.start], self.domains[edge.end]
        forwards = [each for each in self.forwards[edge.column] if each.source in start and each.target in end]
        backwards = [each for each in self.backwards[edge.column] if each.source in end and each.target in start]
        self.forwards[edge.column], self.backwards[edge.column] = forwards, backwards
        self.domains[edge.start] = start & _values(forwards, backwards)
        self.domains[edge.end] &= _values(backwards, forwards)

    def narrowed_edge(self, edge: EdgeSlot) -> EdgeSlot:
        """The relationship with the types that are left, and with a direction where one is left."""
        if not _is_single(edge):
            return edge
        codes = {code: {each.code for each in side[edge.column]} for code, side in self._sides()}
        left = codes["out"] | codes["in"]
        direction = edge.direction
        if direction == "both" and left and not (codes["out"] and codes["in"]):
            direction = "out" if codes["out"] else "in"
        if left == self._catalogue.type_codes(edge.types):
            return edge if direction == edge.direction else replace(edge, direction=direction)
        return replace(edge, types=self._named(left), direction=direction)

    def _sides(self) -> tuple[tuple[str, Mapping[str, list[Connection]]], ...]:
        return ("out", self.forwards), ("in", self.backwards)

    def _named(self, codes: Iterable[Code]) -> ast.LabelExpression:
        names = tuple([ast.LabelName(self._catalogue.edges.types[code]) for code in sorted(codes, key=str)])
        return _NOTHING if not names else names[0] if len(names) == 1 else ast.LabelOr(names)

    def narrowed_node(self, node: NodeSlot) -> NodeSlot:
        """The node, marked as a literal, or as not one, if only that is possible."""
        literals, domain = self._catalogue.literals, self.domains[node.column]
        if literals is None or not domain or not self._catalogue.literal_matches(node.labels):
            return node
        if None not in domain:
            return replace(node, never_literal=True)
        if len(domain) == 1 and self._catalogue.node_codes(node.labels):
            return replace(node, labels=(*node.labels, ast.LabelName(literals.label)))
        return node


def _is_single(edge: EdgeSlot) -> bool:
    """Whether this is one relationship whose types do not depend on its direction."""
    return edge.length is None and not edge.shortest and not edge.typed_by_direction


def _values(along: Iterable[Connection], against: Iterable[Connection]) -> set[Code | None]:
    """What stands at the start of relationships along the pattern, and at the end of those against it."""
    return {each.source for each in along} | {each.target for each in against}


def emit(context: Context, plan: Match, block: Block) -> Block:
    """The block with the tables of a pattern joined, and its nodes and relationships as columns."""
    if plan.paths or any(edge.length is not None or edge.shortest for edge in plan.edges):
        raise Inexpressible
    block = context.ensure_open(block)
    plan = _prune(plan, context.catalogue, _bound_domains(plan, block))
    if plan.optional:
        return _emit_optional(context, plan, block)
    for node in plan.nodes:
        if node.column in block.columns:
            _test_labels(context, block, node)
    if context.left_out:
        # A condition that was left out is tested behind the last match, so no match may follow.
        raise Inexpressible
    joined: list[EdgeSlot] = []
    conditions: Sequence[ast.Expression] = plan.conditions
    for step in cheapest_order(context, plan):
        if isinstance(step, NodeScan):
            scan_nodes(context, block, step, plan)
        else:
            if isinstance(step, EdgeScan):
                scan_edges(context, block, step, plan)
            else:
                _expand(context, block, step, plan)
            _test_different(block, step.edge, joined)
            joined.append(step.edge)
        conditions = _test_conditions(context, block, conditions, plan)
    for condition in conditions:
        _test_condition(context, block, condition)
    return block


def _test_conditions(
    context: Context, block: Block, conditions: Sequence[ast.Expression], plan: Match
) -> list[ast.Expression]:
    """Test those that are about what is bound by now, and give the others.

    A property that needs a row of its own is joined here: behind the next step it would be looked up for each of its
    rows.
    """
    missing = set(plan.columns) - block.columns.keys()
    later = []
    for condition in conditions:
        if tree_walk.free_variables(condition) & missing:
            later.append(condition)
        else:
            _test_condition(context, block, condition)
    return later


def _test_condition(context: Context, block: Block, condition: ast.Expression) -> None:
    try:
        block.where.append(context.condition(condition, block))
    except Inexpressible:
        if not context.lenient:
            raise
        context.left_out.append(condition)


def _bound_domains(plan: Match, block: Block) -> dict[str, _Domain | None]:
    """What may stand at the nodes of a pattern that have a value already."""
    domains: dict[str, _Domain | None] = {}
    for node in plan.nodes:
        term = block.columns.get(node.column)
        if term is not None:
            codes: set[Code | None] = set(term.codes or ())
            domains[node.column] = None if term.codes is None else codes | {None} if term.literal else codes
    return domains


# OPTIONAL MATCH


def _emit_optional(context: Context, plan: Match, block: Block) -> Block:
    """A left join of a pattern of one step; all conditions stand in its ON."""
    order = choose_join_order(plan, context.catalogue.estimates)
    if len(order) != 1 or any(edge.column in block.columns for edge in plan.edges):
        raise Inexpressible
    inner = Block(columns=dict(block.columns), inline=True)
    for node in plan.nodes:
        if node.column in inner.columns:
            _test_labels(context, inner, node)
    step = order[0]
    if isinstance(step, NodeScan):
        if literal_nodes.may_match(context, plan, step.node):
            raise Inexpressible
        scan_nodes(context, inner, step, plan)
    elif isinstance(step, Expand):
        _expand(context, inner, step, plan)
    else:
        raise Inexpressible
    inner.where.extend(context.condition(condition, inner) for condition in plan.conditions)
    source = inner.sources[0]
    block.left_join(source.rows, source.alias, tree.all_of(tree.conjuncts(inner.where)), index=source.index)
    for name, term in inner.columns.items():
        if name not in block.columns:
            column = replace(term, nullable=True, type=value_types.Type(term.kinds | value_types.NULL))
            if term.encoding == "node" and isinstance(step, Expand):
                column = replace(column, sql=_null_without_edge(term, inner.columns[step.edge.column]))
            block.columns[name] = column
    return block


def _null_without_edge(node: Term, edge: Term) -> Expression:
    """The key of a node at the far end; a computed key must be null if the edge is."""
    if edge.row is not None and tree.is_null_without(node.sql, edge.row):
        return node.sql
    return tree.iif(tree.is_null(edge.sql), tree.NULL, node.sql)


# Steps of the join order


def scan_nodes(context: Context, block: Block, step: NodeScan, plan: Match) -> None:
    """Join the table of nodes; with it, or instead of it, the literals where the node may be one."""
    node, nodes = step.node, context.catalogue.nodes
    if literal_nodes.may_match(context, plan, node):
        literal_nodes.scan(context, block, node, plan)
        return
    codes = context.catalogue.node_codes(node.labels)
    alias = context.alias("n")
    block.join(context.table(nodes), alias)
    block.where.append(context.condition_of_row(nodes.condition, alias))
    block.where.append(context.code_test(Column(alias, nodes.code), codes, code_count=len(nodes.labels)))
    key = Column(alias, nodes.id)
    if not codes:
        # See edges.join.
        block.where.append(tree.equal(key, tree.NULL))
    block.joined_rows[key] = alias
    block.columns[node.column] = Term(key, value_types.Type(value_types.NODE), "node", row=alias, codes=codes)


def scan_edges(context: Context, block: Block, step: EdgeScan, plan: Match) -> None:
    """Join the table of relationships, or take a relationship that is bound already, and bind both ends."""
    edge = step.edge
    if edge.column in block.columns:
        term = block.columns[edge.column]
        if term.encoding != "edge" or not edge.has_one_direction:
            raise Inexpressible  # its ends cannot be told from it
        if term.nullable:
            block.where.append(tree.is_not_null(term.sql))
        edges.test_types(context, block, edge, term)
    else:
        key = join_values(context, block, step, plan)
        term = edges.join(context, block, edge, index=index_of_scan(context, step, plan))
        if key is not None:
            block.where.append(tree.equal(term.sql, key))
        block.where.extend(index_conditions(context, block, step, plan))
    if not edge.has_one_direction:
        _bind_both_ways(context, block, edge, term, plan)
        return
    start, end = (edge.start, edge.end) if edge.direction == "out" else (edge.end, edge.start)
    literal = _may_be_literal(context, plan, end)
    _bind_node(context, block, plan, start, edges.start_node(term))
    if not literal and term.row is not None:
        block.where.append(context.condition_of_row(context.catalogue.edges.node_end_condition, term.row))
    _bind_node(context, block, plan, end, edges.end_node(context, term, literal=literal))


def _bind_both_ways(context: Context, block: Block, edge: EdgeSlot, term: Term, plan: Match) -> None:
    """Bind both ends of a relationship twice, in either direction; once where it leads from a node to itself."""
    table, row = context.catalogue.edges, term.row
    if row is None:
        raise Inexpressible
    turned = Column(context.alias("d"), "turned")
    block.join(_BOTH_WAYS, turned.row)
    is_loop = tree.infix("IS NOT", Column(row, table.source), Column(row, table.target))
    block.where.append(tree.infix("OR", _equals(turned, 0), is_loop))
    literals = [_may_be_literal(context, plan, column) for column in (edge.start, edge.end)]
    if table.node_end_condition and not all(literals):
        to_node = context.condition_of_row(table.node_end_condition, row)
        at_end = [_equals(turned, side) for side, literal in ((1, literals[0]), (0, literals[1])) if literal]
        block.where.append(tree.any_of([*at_end, to_node]))
    for column, literal, leads_in in ((edge.start, literals[0], 1), (edge.end, literals[1], 0)):
        target = edges.end_node(context, term, literal=literal)
        node = _either_end(_equals(turned, leads_in), target, term.start)
        _bind_node(context, block, plan, column, node)


_BOTH_WAYS = Select((Selected(tree.Literal(0), "turned"),), union=Select((Selected(tree.Literal(1)),)))


def _equals(column: Expression, number: int) -> Expression:
    return tree.equal(column, tree.Literal(number))


def _either_end(is_end: Expression, end: Term, start: Expression) -> Term:
    """The end of an edge where a condition holds, and else its start, which is never a literal."""
    return replace(
        end,
        sql=tree.iif(is_end, end.sql, start),
        row_key=None if end.row_key is None else tree.iif(is_end, end.row_key, start),
        text=None if end.text is None else tree.iif(is_end, end.text, tree.NULL),
    )


def _expand(context: Context, block: Block, step: Expand, plan: Match) -> None:
    """Join the edges at a bound node, and bind the node at their other end, or test that it is the bound one."""
    edge, source = step.edge, block.columns[step.source]
    if source.encoding != "node":
        raise Inexpressible
    if edge.column in block.columns:
        _test_bound_edge(context, block, step, source)
        return
    target = block.columns.get(step.target) if step.target_bound else None
    if target is not None and target.encoding != "node":
        raise Inexpressible
    direction = step.direction if edge.has_one_direction else "both"
    term = edges.join(context, block, edge, direction, source)
    literal = _may_be_literal(context, plan, step.target) if target is None else target.literal
    if direction == "out":
        other_end = _expand_out(context, block, term, source, target, literal=literal)
    elif direction == "in":
        other_end = _expand_in(context, block, term, source, target)
    else:
        other_end = _expand_both(context, block, step, source, target, literal=literal)
    if target is None:
        _bind_node(context, block, plan, step.target, other_end)


def _expand_out(
    context: Context, block: Block, edge: Term, source: Term, target: Term | None, *, literal: bool
) -> Term:
    """The conditions of an edge that leads out of a node; returns its other end."""
    block.where.extend(edges.starts_at(context, edge, source))
    other_end = edges.end_node(context, edge, literal=literal)
    if target is not None:
        block.where.append(edges.ends_at(context, edge, target))
    elif not literal and edge.row is not None:
        block.where.append(context.condition_of_row(context.catalogue.edges.node_end_condition, edge.row))
    return other_end


def _expand_in(context: Context, block: Block, edge: Term, source: Term, target: Term | None) -> Term:
    """The conditions of an edge that leads into a node; returns its other end."""
    block.where.append(edges.ends_at(context, edge, source))
    if target is not None:
        block.where.append(edges.leads_from(context, edge, target.sql))
    return edges.start_node(edge)


def _expand_both(
    context: Context, block: Block, step: Expand, source: Term, target: Term | None, *, literal: bool
) -> Term:
    """The conditions of an edge in either direction, by its type where that decides; returns its other end."""
    edge = block.columns[step.edge.column]
    table, row = context.catalogue.edges, edge.row
    if row is None:
        raise Inexpressible
    codes_out, codes_in = (_codes_followed(context, step, direction) for direction in ("out", "in"))
    forwards = edges.starts_at(context, replace(edge, codes=codes_out), source)
    backwards: list[Expression] = []
    # A type that all branches of OR name would be read whole, so only the first names it for its index.
    hidden_code = tree.Prefix("+", Column(row, table.code))
    if codes_out != edge.codes and not table.code_leads:
        forwards.append(context.code_test(hidden_code, codes_out))
    if table.in_index and codes_in and (target is not None or len(codes_in) <= _FEW_TYPES):
        backwards.append(_named_again(context, Column(row, table.code), codes_in))
    elif codes_in != edge.codes:
        backwards.append(context.code_test(hidden_code, codes_in))
    if target is not None:
        forwards.append(edges.ends_at(context, edge, target))
        backwards.append(edges.leads_from(context, edge, target.sql))
    elif not literal:
        forwards.append(context.condition_of_row(table.node_end_condition, row))
    leads_out = edges.leads_from(context, edge, source.row_key if source.row_key is not None else source.sql)
    # A partial index serves a branch of OR only if that branch itself has the condition of the index.
    condition = context.condition_of_row(table.condition, row)
    ways_in = edges.ways_to_end(context, edge, source)
    ways = [[condition, *forwards], *([condition, way, *backwards] for way in ways_in)]
    block.where.append(tree.any_of([tree.all_of(tree.conjuncts(way)) for way in ways]))
    return _either_end(leads_out, edges.end_node(context, edge, literal=literal), edge.start)


_FEW_TYPES = 2
"""With this many types, an index of nodes and types is better searched by both if the other end is unknown."""


def _named_again(context: Context, column: Expression, codes: frozenset[Code]) -> Expression:
    """The condition that a code is one of these, worded unlike `code_test`: one code is listed twice.

    SQLite takes a condition out of OR that all branches have, and would read all relationships of the types by it.
    """
    values = [context.code(code) for code in sorted(codes, key=str)]
    return tree.In(column, (*values, values[-1]))


def _codes_followed(context: Context, step: Expand, wanted: str) -> frozenset[Code]:
    """The codes of the types that a step follows in a direction, as seen from the node that it starts at."""
    return frozenset(
        code
        for direction, types in optimizer.split(step.direction, step.edge.types)
        if direction in (wanted, "both")
        for code in context.catalogue.type_codes(types)
    )


def _test_bound_edge(context: Context, block: Block, step: Expand, source: Term) -> None:
    """Test a relationship that an earlier clause has bound: its types, and that it connects the two nodes."""
    term = block.columns[step.edge.column]
    if term.encoding != "edge" or not step.target_bound or isinstance(step.edge.types, ast.TypesByDirection):
        raise Inexpressible
    edges.test_types(context, block, step.edge, term)
    target = block.columns[step.target]
    forwards = tree.all_of([tree.equal(term.start, source.sql), tree.equal(term.end, target.sql)])
    backwards = tree.all_of([tree.equal(term.end, source.sql), tree.equal(term.start, target.sql)])
    directions = {"out": [forwards], "in": [backwards], "both": [forwards, backwards]}
    block.where.append(tree.any_of(directions[step.direction]))


def _test_different(block: Block, edge: EdgeSlot, others: Sequence[EdgeSlot]) -> None:
    """Relationships of one pattern are pairwise different; those of different types are so anyway."""
    term = block.columns[edge.column]
    for other_edge in others:
        other = block.columns[other_edge.column]
        if term.codes is None or other.codes is None or term.codes & other.codes:
            block.where.append(tree.infix("<>", term.sql, other.sql))


# Nodes of the pattern


def _may_be_literal(context: Context, plan: Match, column: str) -> bool:
    return literal_nodes.may_match(context, plan, _node_slot(plan, column))


def _bind_node(context: Context, block: Block, plan: Match, column: str, node: Term) -> None:
    """Give a node of the pattern its term; a node that has one already must be the same."""
    bound = block.columns.get(column)
    if bound is not None:
        if bound.encoding != "node":
            raise Inexpressible
        block.where.append(tree.equal(bound.sql, node.sql))
        return
    block.columns[column] = node
    _test_labels(context, block, _node_slot(plan, column))


def _test_labels(context: Context, block: Block, node: NodeSlot) -> None:
    """Filter by the labels of a node that is bound, and remember them for later conditions."""
    term = block.columns[node.column]
    if term.encoding != "node":
        raise Inexpressible
    if term.nullable:
        block.where.append(tree.is_not_null(term.sql))
    if not node.labels:
        return
    block.where.append(properties.label_test(context, block, term, node.labels))
    codes = context.catalogue.node_codes(node.labels)
    codes = codes if term.codes is None else term.codes & codes
    literal = term.literal and context.catalogue.literal_matches(node.labels)
    if codes != term.codes or literal != term.literal:
        block.columns[node.column] = replace(term, codes=codes, literal=literal)


def _node_slot(plan: Match, column: str) -> NodeSlot:
    return next(node for node in plan.nodes if node.column == column)


_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NO_GRAPH: Any = None
"""A constant refers to no node."""


def cheapest_order(context: Context, plan: Match) -> list[Step]:
    """The join order of a match, cheapest by the estimates."""
    grouped_by, context.start_node = context.start_node, None
    wanted, context.wanted_order = context.wanted_order, None
    ordered_scans = list(_ordered_scans(context, plan, wanted)) if not plan.input.columns else []
    uncovered = {edge.column for edge in plan.edges if not _is_covered(context, edge.column)}
    return join_order.cheapest_order(
        plan, context.catalogue.estimates, ordered_scans=ordered_scans, uncovered=uncovered, grouped_by=grouped_by
    )


_SHARE_OF_VALUES = 0.13
"""Going through the table with the values of a property costs about as much as reading this share of the edges."""

_TELLING = literal_nodes.NULL_REJECTING - {"<>"}
"""Comparisons that are never true where there is no value, and do not leave most of the values."""


def _ordered_scans(
    context: Context, plan: Match, wanted: tuple[str, str, float | None] | None
) -> Iterator[OrderedScan]:
    """The relationships that may be read by the index over a property that a range or the order of the rows is on.

    Or by the values of a property that another table has, where a condition is on that.
    """
    columns = context.catalogue.edges.columns
    for edge in plan.edges:
        if is_scannable(edge) or is_scannable_both_ways(edge):
            for key, column in columns.items():
                if column.values and _must_have(plan, edge.column, key):
                    yield OrderedScan(edge, key, _SHARE_OF_VALUES)
    if wanted is None and not any(map(_is_comparison, plan.conditions)):
        return
    for edge in plan.edges:
        if not is_scannable(edge) and not is_scannable_both_ways(edge):
            continue
        for key, column in columns.items():
            if not column.index:
                continue
            ranges = list(_ranges(plan, edge.column, key))
            limit = wanted[2] if wanted is not None and wanted[:2] == (edge.column, key) else 0.0
            if limit != 0 and not _sorts_as_stored(column):
                limit = 0.0
            if ranges or limit != 0:
                share = _share(context, key, ranges)
                yield OrderedScan(edge, key, share, limit, rows_are_adjacent=column.follows_rows)


def _must_have(plan: Match, variable: str, key: str) -> bool:
    """Whether a condition is never true where a property has no value."""
    is_present = ast.IsNull(ast.Property(ast.Variable(variable), key), negated=True)
    return is_present in plan.conditions or any(_conditions_on(plan, variable, key))


def _conditions_on(plan: Match, variable: str, key: str) -> Iterator[ast.Binary]:
    """The comparisons of a property with a constant that are never true where it has no value."""
    property_ = ast.Property(ast.Variable(variable), key)
    for condition in plan.conditions:
        if (
            isinstance(condition, ast.Binary)
            and condition.operator in _TELLING
            and condition.left == property_
            and instant_comparisons.is_constant(condition.right)
        ):
            yield condition


def _sorts_as_stored(column: catalogue.Column) -> bool:
    """Whether a value that is not there needs no place in the order, so that the index has the order of the values."""
    return not column.kinds & value_types.NULL


def _ranges(plan: Match, variable: str, key: str) -> Iterator[tuple[str, ast.Expression]]:
    """The conditions that bound a property of a relationship by a constant: the operator, and the constant."""
    property_ = ast.Property(ast.Variable(variable), key)
    for condition in plan.conditions:
        if not isinstance(condition, ast.Binary) or not _is_comparison(condition):
            continue
        if condition.left == property_ and instant_comparisons.is_constant(condition.right):
            yield condition.operator, condition.right
        elif condition.right == property_ and instant_comparisons.is_constant(condition.left):
            yield _FLIPPED[condition.operator], condition.left


def _is_comparison(condition: ast.Expression) -> bool:
    return isinstance(condition, ast.Binary) and condition.operator in _FLIPPED


def _share(context: Context, key: str, ranges: list[tuple[str, ast.Expression]]) -> float:
    """The estimated share of relationships within these ranges."""
    lower: str | None = ""
    upper: str | None = ""
    for operator, constant in ranges:
        value = _text(context, constant)
        if operator in (">", ">="):
            lower = value
        else:
            upper = value
    return context.catalogue.estimates.share_between(key, lower, upper) if ranges else 1.0


def _text(context: Context, constant: ast.Expression) -> str | None:
    """The text of a constant as it was when the estimates were made; None if a parameter in it was not known."""
    estimates = context.catalogue.estimates
    run = Run(_NO_GRAPH, estimates.parameters, estimates.at, lambda work: None)
    try:
        value = evaluate.build_evaluator(constant, evaluate.NO_COLUMNS)((), run)
    except (QueryError, KeyError):
        return None
    return value if isinstance(value, str) else None


# The index


def index_of_scan(context: Context, step: EdgeScan, plan: Match) -> str | None:
    """The index by which all relationships of some types are read; empty if SQLite may choose, None for no index.

    To group by type, SQLite would read the rows of all relationships in the order of an index, which takes twice as
    long as in that of the table.
    """
    table = context.catalogue.edges
    if step.order_key is not None:
        return table.columns[step.order_key].index
    if _is_covered(context, step.edge.column):
        return table.out_index
    is_whole = len(context.catalogue.type_codes(step.edge.types)) == len(table.types)
    is_tested = any(step.edge.column in tree_walk.free_variables(condition) for condition in plan.conditions)
    return None if is_whole and not is_tested else ""


def index_conditions(context: Context, block: Block, step: EdgeScan, plan: Match) -> Iterator[Expression]:
    """The ranges of the property that an index is over, as conditions on what it stores.

    They stand once more in the WHERE, as conditions on the property, whose SQL is none that the index is over.
    """
    if step.order_key is None:
        return
    column = context.catalogue.edges.columns[step.order_key]
    term = block.columns[step.edge.column]
    if not column.stored or term.row is None:
        return
    stored = context.value_of_row(column.stored, term.row)
    if column.absent:
        yield tree.infix("<>", stored, context.value_of_row(column.absent, term.row))
    for operator, constant in _ranges(plan, step.edge.column, step.order_key):
        try:
            bound = context.term(constant, block)
        except Inexpressible:
            continue
        if bound.encoding == "plain" and not bound.kinds & ~STRING_OR_NULL:
            yield tree.infix(operator, stored, bound.sql)


def join_values(context: Context, block: Block, step: EdgeScan, plan: Match) -> Expression | None:
    """Join the values of a property that other rows have, if they fulfil the conditions on it.

    Returns the keys of the relationships that have them, which are read by these; None if the scan is by no values.
    """
    column = context.catalogue.edges.columns[step.order_key] if step.order_key is not None else None
    if step.order_key is None or column is None or not column.values:
        return None
    alias = context.alias("v")
    block.join(context.rows(column.values), alias)
    value = Term(Column(alias, "value"), value_types.Type(column.kinds))
    values = Block(columns={_VALUE: value})
    for condition in _conditions_on(plan, step.edge.column, step.order_key):
        try:
            block.where.append(context.condition(replace(condition, left=ast.Variable(_VALUE)), values))
        except Inexpressible:
            continue
    return Column(alias, "row_key")


_VALUE = f"{ast.INTERNAL_PREFIX}value"


def _is_covered(context: Context, variable: str) -> bool:
    """Whether the covering indexes have all that is asked of a relationship."""
    covered = context.catalogue.edges.covered
    return context.properties_used().get(variable, frozenset()) <= covered
