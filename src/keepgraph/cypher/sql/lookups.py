"""Lookups: statements that read single nodes and relationships, for the interpreter's view of the tables."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Catalogue, Code, EdgeTable, NodeTable
from keepgraph.cypher.plan.algebra import EdgeSlot, Match, NodeSlot, SingleRow
from keepgraph.cypher.plan.join_order import EdgeScan
from keepgraph.cypher.sql import edges, match
from keepgraph.cypher.sql.bindings import Binding
from keepgraph.cypher.sql.blocks import Block, render
from keepgraph.cypher.sql.callbacks import PREFIX
from keepgraph.cypher.sql.context import Context, ParameterTypes
from keepgraph.cypher.sql.emitter import new_context
from keepgraph.cypher.sql.terms import Inexpressible, Term
from keepgraph.cypher.syntax import ast

Sql = tuple[str, list[Binding]]
"""The text of a statement and what it binds."""


def rows_by_key(catalogue: Catalogue, table: NodeTable | EdgeTable, columns: Sequence[str], *, single: bool) -> Sql:
    """Columns of the rows `r` of a table, by a JSON list of keys in the parameter `keys`, or by one key if `single`."""
    context = new_context(catalogue, {})
    keys = context.bindings.parameter("keys")
    test = f"= {keys}" if single else f"IN (SELECT value FROM json_each({keys}))"
    return context.bindings.renumber(
        f"SELECT {', '.join(columns)} FROM {context.table(table)} AS r WHERE r.{table.id} {test}"
    )


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
    sql = render(block, [block.columns["n"].sql])
    if PREFIX in sql:
        raise Inexpressible
    return context.bindings.renumber(sql)


def relationships(catalogue: Catalogue, types: ast.LabelExpression | None) -> Sql:
    """The keys of all relationships of these types, each with the keys of its ends."""
    context = new_context(catalogue, {})
    ends = (NodeSlot("a", ()), NodeSlot("b", ()))
    edge = EdgeSlot("r", "a", "b", types, "out", None, "r", (), True)
    block = Block()
    match.scan_edges(context, block, EdgeScan(edge), Match(SingleRow(), ends, (edge,), (), (), False, ("a", "b", "r")))
    term = block.columns["r"]
    return context.bindings.renumber(render(block, [term.sql, term.start, term.end]))


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
            block.where.append(f"{edge.row}.{catalogue.edges.source} = {other.sql}")
    return context.bindings.renumber(render(block, [edge.sql, edge.start, edge.end]))


def neighbours_of_nodes(catalogue: Catalogue, direction: str, types: ast.LabelExpression | None) -> Sql:
    """The other ends of the edges at rows of the table, each once; their keys are a JSON list in `nodes`."""
    context = new_context(catalogue, {})
    block = Block(sources=[f"json_each({context.bindings.parameter('nodes')}) AS f"], distinct=True)
    node = Term("f.value", value_types.Type(value_types.NODE), "node")
    edge = _edges_of(context, block, direction, types, node)
    return context.bindings.renumber(render(block, [edge.end if direction == "out" else edge.start]))


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
