"""Lookups: statements that read single nodes and relationships, for the interpreter's view of the tables."""

from __future__ import annotations

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Catalogue, Code, EdgeTable, NodeTable
from keepgraph.cypher.plan.algebra import EdgeSlot, Match, NodeSlot, SingleRow
from keepgraph.cypher.plan.join_order import EdgeScan
from keepgraph.cypher.sql import edges, match, tree
from keepgraph.cypher.sql.blocks import Binding, Block, elements_of, select_unnamed
from keepgraph.cypher.sql.context import Context, ParameterTypes
from keepgraph.cypher.sql.emitter import new_context
from keepgraph.cypher.sql.rendering import render
from keepgraph.cypher.sql.terms import Inexpressible, Term
from keepgraph.cypher.sql.tree import Column, Expression
from keepgraph.cypher.syntax import ast

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
