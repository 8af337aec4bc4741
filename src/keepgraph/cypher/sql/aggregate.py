"""Aggregation in SQL: GROUP BY, and count, sum, avg, min, max and collect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from keepgraph.cypher import aggregates, value_types
from keepgraph.cypher.plan.algebra import Aggregate, Match, NodeSlot, Plan
from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.blocks import Block
from keepgraph.cypher.sql.context import INEXACT, Context
from keepgraph.cypher.sql.terms import (
    NUMBER_OR_NULL,
    TAGGED_TRUE,
    Inexpressible,
    Term,
    bag_json,
    bag_value,
    by_text,
    has_type,
    plain_class,
    tagged,
    type_rank,
)
from keepgraph.cypher.sql.tree import Column, Expression
from keepgraph.cypher.syntax import ast


def emit(context: Context, plan: Aggregate, block: Block) -> Block:
    ordered = bool(block.order) or block.sorted_before
    # SQLite takes an aggregate of nothing but outer columns for one of the outer query.
    block = context.derived_table(block) if block.correlated else context.ensure_open(block)
    keys = {name: context.term(expression, block) for name, expression in plan.keys}
    columns = dict(keys)
    for aggregate in plan.aggregates:
        columns[aggregate.column] = _aggregate_term(context, aggregate.call, block, ordered=ordered)
    block.columns = columns
    block.grouped = True
    block.keys = [_group_key(term) for term in keys.values()]
    return block


def _group_key(term: Term) -> Expression:
    if term.encoding == "json":
        raise Inexpressible
    return term.group_by if term.group_by is not None else term.sql


# Two aggregations: by the node, then by its properties


def emit_by_node(context: Context, plan: Aggregate, node: str, outer: Mapping[str, Term] | None) -> Block:
    """Aggregation by properties of one node: first by the node itself, then the partial results by the properties.

    The key of the node is short, and an index may give the rows in its order: grouping a million facts took 89 ms
    instead of 219 ms.
    """
    context.start_node = node
    block = context.ensure_open(context.plan(plan.input, outer))
    context.start_node = None
    if context.left_out:
        raise Inexpressible
    term = block.columns[node]
    if term.encoding != "node" or term.literal or block.inline or block.correlated:
        return emit(context, plan, block)
    partial: dict[str, Term] = {node: term}
    for aggregate in plan.aggregates:
        partial[aggregate.column] = _aggregate_term(context, aggregate.call, block, ordered=False)
    row = term.row or block.joined_rows.get(term.sql)
    index_columns = [Column(row, name) for name in context.catalogue.nodes.index_order] if row is not None else []
    block.columns, block.grouped = partial, True
    block.keys = [*index_columns, term.sql]
    block = context.derived_table(block)
    columns = {name: context.term(expression, block) for name, expression in plan.keys}
    block.keys = [_group_key(columns[name]) for name, _ in plan.keys]
    for aggregate in plan.aggregates:
        part = block.columns[aggregate.column]
        form = _form(aggregate.call)
        if form in ("min", "max"):
            columns[aggregate.column] = _extreme(form, part)
        else:
            columns[aggregate.column] = replace(part, sql=tree.Aggregate("sum", part.sql))
    block.columns, block.grouped = columns, True
    return block


def grouping_node(plan: Aggregate) -> str | None:
    """The node whose properties are the keys, where its groups can be put together from partial results."""
    subjects = {
        expression.subject.name
        for _, expression in plan.keys
        if isinstance(expression, ast.Property) and isinstance(expression.subject, ast.Variable)
    }
    variables = {expression.name for _, expression in plan.keys if isinstance(expression, ast.Variable)}
    only_properties = all(isinstance(expression, ast.Property | ast.Variable) for _, expression in plan.keys)
    if len(subjects) != 1 or not only_properties or not variables <= subjects or not isinstance(plan.input, Match):
        return None
    [node] = subjects
    if all(slot.column != node for slot in _matched_nodes(plan.input)):
        return None
    calls = [aggregate.call for aggregate in plan.aggregates]
    if any(_form(call) not in _FROM_PARTS or (call is not None and call.distinct) for call in calls):
        return None
    return node


def _matched_nodes(plan: Plan) -> Iterator[NodeSlot]:
    while isinstance(plan, Match):
        yield from plan.nodes
        plan = plan.input


# Aggregate functions, by the form that each has in its row

_FROM_PARTS: Final = frozenset(("count", "sum", "min", "max"))
"""The forms whose results for parts of a group give the result for the group."""


def _form(call: ast.Call | None) -> aggregates.SqlForm:
    """The form of an aggregate; None stands for `count(*)`."""
    return "count" if call is None else aggregates.AGGREGATES[call.name.lower()].sql


def _aggregate_term(context: Context, call: ast.Call | None, block: Block, *, ordered: bool) -> Term:
    """The term of an aggregate over the rows of a group; None stands for `count(*)`."""
    if call is None:
        return Term(tree.Aggregate("count"), value_types.Type(value_types.INTEGER))
    form = _form(call)
    term = context.term(call.arguments[0], block)
    if form == "count":
        return _count(term, distinct=call.distinct)
    if form == "sum":
        total = tree.Aggregate("sum", _number(term), call.distinct)
        return Term(tree.call("coalesce", total, tree.Literal(0)), value_types.Type(value_types.NUMBER))
    if form == "avg":
        type_ = value_types.Type(value_types.FLOAT | value_types.NULL)
        return Term(tree.Aggregate("avg", _number(term), call.distinct), type_)
    if form in ("min", "max"):
        return _extreme(form, term)
    if form == "collect" and not ordered:
        return _collect(term, distinct=call.distinct)
    raise Inexpressible


def _count(term: Term, *, distinct: bool) -> Term:
    if term.encoding in ("json", "labels"):
        raise Inexpressible
    # Whether a value is there can be told of a list in a bag, too; whether two are equal cannot.
    sql = bag_value(term.bag) if term.bag is not None and not distinct else term.sql
    return Term(tree.Aggregate("count", sql, distinct), value_types.Type(value_types.INTEGER))


def _number(term: Term) -> Expression:
    """A value that is added up, which must be a number or null."""
    if term.encoding == "plain" and not term.kinds & ~NUMBER_OR_NULL:
        return term.sql
    if term.encoding == "tagged":
        return by_text(tree.call("typeof", term.sql), {"text": INEXACT, "blob": INEXACT}, term.sql)
    raise Inexpressible


def _extreme(name: str, term: Term) -> Term:
    """`min` or `max`. SQLite's order is openCypher's within one class of values, and no further."""
    if plain_class(term):
        return Term(tree.Aggregate(name, term.sql), value_types.Type(term.kinds | value_types.NULL))
    if term.encoding != "tagged":
        raise Inexpressible
    rank, not_null = type_rank(term.sql), tree.is_not_null(term.sql)
    least, greatest = (tree.Aggregate(extreme, rank, where=not_null) for extreme in ("min", "max"))
    sql = tree.iif(tree.infix("IS", least, greatest), tree.Aggregate(name, term.sql), INEXACT)
    return Term(sql, value_types.Type(term.kinds | value_types.NULL), "tagged")


def _collect(term: Term, *, distinct: bool) -> Term:
    if term.bag is not None and not distinct:
        # As they are stored in the bag, values are JSON already, and are read exactly.
        stored = tree.Aggregate("group_concat", bag_json(term.bag), where=tree.is_not_null(bag_value(term.bag)))
        elements = tree.call("coalesce", stored, tree.Literal(""))
        list_type = value_types.Type(value_types.LIST, value_types.UNKNOWN)
        return Term(tree.infix("||", tree.Literal("["), elements, tree.Literal("]")), list_type, "json")
    sql, element_type = list_element(term)
    collected: Expression = tree.Aggregate("json_group_array", sql, distinct, where=tree.is_not_null(term.sql))
    if distinct and term.encoding == "tagged":
        # In JSON, DISTINCT would take true and the text 'true' for the same.
        kinds = (has_type(term.sql, "blob"), tree.is_one_of(term.sql, "true", "false"))
        ambiguous = tree.all_of([tree.Aggregate("max", kind) for kind in kinds])
        collected = tree.iif(ambiguous, INEXACT, collected)
    return Term(collected, value_types.Type(value_types.LIST, element_type), "json")


def list_element(term: Term) -> tuple[Expression, value_types.Type]:
    """A value as an element of a JSON list, and its type."""
    if term.encoding == "node" or (term.encoding == "plain" and not term.kinds & value_types.BOOLEAN):
        return term.sql, term.type
    if term.encoding not in ("plain", "tagged"):
        raise Inexpressible
    sql = tagged(term).sql
    text = tree.iif(tree.equal(sql, TAGGED_TRUE), tree.Literal("true"), tree.Literal("false"))
    return by_text(tree.call("typeof", sql), {"blob": tree.call("json", text)}, sql), term.type
