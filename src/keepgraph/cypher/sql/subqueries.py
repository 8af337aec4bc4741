"""Subqueries in SQL: EXISTS { … }, COUNT { … }, patterns as conditions, and pattern comprehensions."""

from __future__ import annotations

from keepgraph.cypher import value_types
from keepgraph.cypher.plan import planner
from keepgraph.cypher.plan.algebra import Plan
from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.aggregate import list_element
from keepgraph.cypher.sql.blocks import Block, select_unnamed
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.terms import Inexpressible, Term
from keepgraph.cypher.syntax import ast


def subquery(context: Context, expression: ast.Subquery, block: Block) -> Term:
    plan = planner.build_plan(expression.query, tuple(block.columns))
    inner = context.ensure_open(_emit_inner(context, plan, block))
    if expression.kind == "EXISTS":
        return _exists(inner)
    if expression.kind == "COUNT":
        return Term(tree.Scalar(select_unnamed(inner, tree.Aggregate("count"))), value_types.Type(value_types.INTEGER))
    raise Inexpressible


def pattern_predicate(context: Context, expression: ast.PatternPredicate, block: Block) -> Term:
    match = planner.build_pattern_match(expression.pattern, None, tuple(block.columns))
    return _exists(_emit_inner(context, match, block))


def _exists(inner: Block) -> Term:
    return Term(tree.Exists(select_unnamed(inner, tree.Literal(1))), value_types.Type(value_types.BOOLEAN))


def pattern_comprehension(context: Context, expression: ast.PatternComprehension, block: Block) -> Term:
    match = planner.build_pattern_match(expression.pattern, expression.condition, tuple(block.columns))
    inner = _emit_inner(context, match, block)
    inner.columns = {"result": context.term(expression.result, inner)}
    # SQLite takes an aggregate of nothing but outer columns for one of the outer query.
    inner = context.derived_table(inner)
    sql, element_type = list_element(inner.columns["result"])
    collected = tree.Scalar(select_unnamed(inner, tree.Aggregate("json_group_array", sql)))
    return Term(collected, value_types.Type(value_types.LIST, element_type), "json")


def _emit_inner(context: Context, plan: Plan, block: Block) -> Block:
    """The block of a subquery, which sees the columns of the outer block."""
    if block.grouped:
        raise Inexpressible
    return context.subquery(plan, block.columns)
