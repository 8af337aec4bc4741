"""MATCH in SQL: each step of the join order joins a table, and the conditions of the pattern become WHERE.

OPTIONAL MATCH is a LEFT JOIN where its pattern has one step. Paths of variable length, shortest paths and named paths
are left to the interpreter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Code
from keepgraph.cypher.plan import type_directions
from keepgraph.cypher.plan.algebra import EdgeSlot, Match, NodeSlot
from keepgraph.cypher.plan.join_order import EdgeScan, Expand, NodeScan, choose_join_order
from keepgraph.cypher.sql import access_paths, edges, literal_nodes, table_rows
from keepgraph.cypher.sql.blocks import Block, conjunction
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.terms import Inexpressible, Term
from keepgraph.cypher.syntax import ast


def emit(context: Context, plan: Match, block: Block) -> Block:
    """The block with the tables of a pattern joined, and its nodes and relationships as columns."""
    if plan.paths or any(edge.length is not None or edge.shortest for edge in plan.edges):
        raise Inexpressible
    block = context.ensure_open(block)
    if plan.optional:
        return _emit_optional(context, plan, block)
    for node in plan.nodes:
        if node.column in block.columns:
            _test_labels(context, block, node)
    joined: list[EdgeSlot] = []
    for step in access_paths.join_order(context, plan):
        if isinstance(step, NodeScan):
            scan_nodes(context, block, step, plan)
            continue
        if isinstance(step, EdgeScan):
            scan_edges(context, block, step, plan)
        else:
            _expand(context, block, step, plan)
        _test_different(block, step.edge, joined)
        joined.append(step.edge)
    if context.left_out:
        # A condition that was left out is tested behind the last match, so no match may follow.
        raise Inexpressible
    for condition in plan.conditions:
        try:
            block.where.append(context.condition(condition, block))
        except Inexpressible:
            if not context.lenient:
                raise
            context.left_out.append(condition)
    return block


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
    if not block.sources:
        block.sources.append("(SELECT 1)")
    block.sources.append(f"LEFT JOIN {source} ON {conjunction(inner.where) or 'TRUE'}")
    for name, term in inner.columns.items():
        if name not in block.columns:
            column = replace(term, nullable=True, type=value_types.Type(term.kinds | value_types.NULL))
            if term.encoding == "node" and isinstance(step, Expand):
                column = replace(column, sql=_null_without_edge(term, inner.columns[step.edge.column]))
            block.columns[name] = column
    return block


def _null_without_edge(node: Term, edge: Term) -> str:
    """The key of a node at the far end; a computed key must be null where the edge is."""
    if not node.sql.startswith("iif("):
        return node.sql
    return f"iif({edge.sql} IS NULL, NULL, {node.sql})"


# Steps of the join order


def scan_nodes(context: Context, block: Block, step: NodeScan, plan: Match) -> None:
    """Join the table of nodes; with it, or instead of it, the literals where the node may be one."""
    node, nodes = step.node, context.catalogue.nodes
    if literal_nodes.may_match(context, plan, node):
        literal_nodes.scan(context, block, node, plan)
        return
    codes = context.catalogue.node_codes(node.labels)
    alias = context.alias("n")
    block.join(f"{context.table(nodes)} AS {alias}")
    if nodes.condition:
        block.where.append(context.catalogue_sql(nodes.condition, alias))
    label_test = context.code_test(f"{alias}.{nodes.code}", codes, code_count=len(nodes.labels))
    if label_test:
        block.where.append(label_test)
    key = f"{alias}.{nodes.id}"
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
            block.where.append(f"{term.sql} IS NOT NULL")
        edges.test_types(context, block, edge, term)
    else:
        term = edges.join(context, block, edge, index=access_paths.index_of_scan(context, step))
        block.where.extend(access_paths.index_conditions(context, block, step, plan))
    if not edge.has_one_direction:
        _bind_both_ways(context, block, edge, term, plan)
        return
    start, end = (edge.start, edge.end) if edge.direction == "out" else (edge.end, edge.start)
    literal = _may_be_literal(context, plan, end)
    _bind_node(context, block, plan, start, edges.start_node(term))
    to_node = context.catalogue.edges.node_end_condition
    if not literal and term.row and to_node:
        block.where.append(context.catalogue_sql(to_node, term.row))
    _bind_node(context, block, plan, end, edges.end_node(context, term, literal=literal))


def _bind_both_ways(context: Context, block: Block, edge: EdgeSlot, term: Term, plan: Match) -> None:
    """Bind both ends of a relationship twice, in either direction; once where it leads from a node to itself."""
    table, row = context.catalogue.edges, term.row
    turned = f"{context.alias('d')}.turned"
    block.join(f"(SELECT 0 AS turned UNION ALL SELECT 1) AS {turned.removesuffix('.turned')}")
    block.where.append(f"({turned} = 0 OR {row}.{table.source} IS NOT {row}.{table.target})")
    literals = [_may_be_literal(context, plan, column) for column in (edge.start, edge.end)]
    if row and table.node_end_condition and not all(literals):
        to_node = context.catalogue_sql(table.node_end_condition, row)
        at_end = [f"{turned} = {side}" for side, literal in ((1, literals[0]), (0, literals[1])) if literal]
        block.where.append(f"({' OR '.join([*at_end, to_node])})" if at_end else to_node)
    for column, literal, leads_in in ((edge.start, literals[0], 1), (edge.end, literals[1], 0)):
        target = edges.end_node(context, term, literal=literal)
        is_target = f"{turned} = {leads_in}"
        node = replace(
            target,
            sql=f"iif({is_target}, {target.sql}, {term.start})",
            row_key=f"iif({is_target}, {target.row_key}, {term.start})" if literal else "",
            text=f"iif({is_target}, {target.text}, NULL)" if literal else "",
        )
        _bind_node(context, block, plan, column, node)


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
    elif not literal and context.catalogue.edges.node_end_condition and edge.row:
        block.where.append(context.catalogue_sql(context.catalogue.edges.node_end_condition, edge.row))
    return other_end


def _expand_in(context: Context, block: Block, edge: Term, source: Term, target: Term | None) -> Term:
    """The conditions of an edge that leads into a node; returns its other end."""
    block.where.append(edges.ends_at(context, edge, source))
    if target is not None:
        block.where.append(f"{edge.row}.{context.catalogue.edges.source} = {target.sql}")
    return edges.start_node(edge)


def _expand_both(
    context: Context, block: Block, step: Expand, source: Term, target: Term | None, *, literal: bool
) -> Term:
    """The conditions of an edge in either direction, by its type where that decides; returns its other end."""
    edge = block.columns[step.edge.column]
    table, row = context.catalogue.edges, edge.row
    codes_out, codes_in = (_codes_followed(context, step, direction) for direction in ("out", "in"))
    forwards = edges.starts_at(context, replace(edge, codes=codes_out), source)
    backwards = [edges.ends_at(context, edge, source)]
    if codes_out != edge.codes and not table.code_leads:
        forwards.append(context.code_test(f"{row}.{table.code}", codes_out))
    if codes_in != edge.codes:
        backwards.append(context.code_test(f"{row}.{table.code}", codes_in))
    if target is not None:
        forwards.append(edges.ends_at(context, edge, target))
        backwards.append(f"{row}.{table.source} = {target.sql}")
    elif not literal:
        forwards.append(context.catalogue_sql(table.node_end_condition, row))
    end = edges.end_node(context, edge, literal=literal)
    leads_out = f"{row}.{table.source} = {source.row_key or source.sql}"
    other_end = replace(
        end,
        sql=f"iif({leads_out}, {end.sql}, {edge.start})",
        row_key=f"iif({leads_out}, {end.row_key}, {edge.start})" if literal else "",
        text=f"iif({leads_out}, {end.text}, NULL)" if literal else "",
    )
    # A partial index serves a branch of OR only if that branch itself has the condition of the index.
    condition = context.catalogue_sql(table.condition, row)
    block.where.append(f"({conjunction([condition, *forwards])} OR {conjunction([condition, *backwards])})")
    return other_end


def _codes_followed(context: Context, step: Expand, wanted: str) -> frozenset[Code]:
    """The codes of the types that a step follows in a direction, as seen from the node that it starts at."""
    return frozenset(
        code
        for direction, types in type_directions.split(step.direction, step.edge.types)
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
    forwards = f"({term.start} = {source.sql} AND {term.end} = {target.sql})"
    backwards = f"({term.end} = {source.sql} AND {term.start} = {target.sql})"
    block.where.append({"out": forwards, "in": backwards, "both": f"({forwards} OR {backwards})"}[step.direction])


def _test_different(block: Block, edge: EdgeSlot, others: Sequence[EdgeSlot]) -> None:
    """Relationships of one pattern are pairwise different; those of different types are so anyway."""
    term = block.columns[edge.column]
    for other_edge in others:
        other = block.columns[other_edge.column]
        if term.codes is None or other.codes is None or term.codes & other.codes:
            block.where.append(f"{term.sql} <> {other.sql}")


# Nodes of the pattern


def _may_be_literal(context: Context, plan: Match, column: str) -> bool:
    return literal_nodes.may_match(context, plan, _node_slot(plan, column))


def _bind_node(context: Context, block: Block, plan: Match, column: str, node: Term) -> None:
    """Give a node of the pattern its term; a node that has one already must be the same."""
    bound = block.columns.get(column)
    if bound is not None:
        if bound.encoding != "node":
            raise Inexpressible
        block.where.append(f"{bound.sql} = {node.sql}")
        return
    block.columns[column] = node
    _test_labels(context, block, _node_slot(plan, column))


def _test_labels(context: Context, block: Block, node: NodeSlot) -> None:
    """Filter by the labels of a node that is bound, and remember them for later conditions."""
    term = block.columns[node.column]
    if term.encoding != "node":
        raise Inexpressible
    if term.nullable:
        block.where.append(f"{term.sql} IS NOT NULL")
    if not node.labels:
        return
    block.where.append(table_rows.label_test(context, block, term, node.labels))
    codes = context.catalogue.node_codes(node.labels)
    block.columns[node.column] = replace(
        block.columns[node.column],
        codes=codes if term.codes is None else term.codes & codes,
        literal=term.literal and context.catalogue.literal_matches(node.labels),
    )


def _node_slot(plan: Match, column: str) -> NodeSlot:
    return next(node for node in plan.nodes if node.column == column)
