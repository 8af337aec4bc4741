"""SQL emitter: from a logical plan to SQL, by one table of operators and one of expressions.

What SQL cannot express exactly raises Inexpressible, while the SQL is written or while it runs; the interpreter then
computes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from keepgraph.cypher.catalogue import Catalogue
from keepgraph.cypher.plan.algebra import (
    Aggregate,
    Argument,
    Distinct,
    Filter,
    Limit,
    Match,
    Plan,
    Project,
    SingleRow,
    Skip,
    Sort,
    SqlRows,
    Union,
    Unwind,
)
from keepgraph.cypher.sql import (
    aggregate,
    expressions,
    function_calls,
    lists,
    match,
    optional_patterns,
    project,
    properties,
    sort,
    subqueries,
    union,
)
from keepgraph.cypher.sql.blocks import Block
from keepgraph.cypher.sql.context import Context, ParameterTypes
from keepgraph.cypher.sql.terms import Inexpressible, Term
from keepgraph.cypher.syntax import ast

_OPERATORS: dict[type, Callable[[Context, Any, Block], Block]] = {
    Match: match.emit,
    Unwind: lists.emit_unwind,
    Filter: project.emit_filter,
    Project: project.emit_project,
    Distinct: project.emit_distinct,
    Aggregate: aggregate.emit,
    Sort: sort.emit_sort,
    Skip: sort.emit_skip,
    Limit: sort.emit_limit,
}

_SOURCES = SingleRow | Argument | Union | SqlRows

_EXPRESSIONS: dict[type, Callable[[Context, Any, Block], Term]] = {
    ast.Literal: expressions.literal,
    ast.Parameter: expressions.parameter,
    ast.Variable: expressions.variable,
    ast.Binary: expressions.binary,
    ast.Unary: expressions.unary,
    ast.IsNull: expressions.is_null,
    ast.Instant: expressions.instant,
    ast.Case: expressions.case,
    ast.Property: properties.property_,
    ast.HasLabels: properties.has_labels,
    ast.Call: function_calls.call,
    ast.Index: function_calls.index,
    ast.Quantifier: lists.quantifier,
    ast.ListComprehension: lists.comprehension,
    ast.Subquery: subqueries.subquery,
    ast.PatternPredicate: subqueries.pattern_predicate,
    ast.PatternComprehension: subqueries.pattern_comprehension,
}


def new_context(catalogue: Catalogue, parameters: ParameterTypes, *, lenient: bool = False) -> Context:
    """The context of one query, whose `plan` gives the block of a whole plan.

    Args:
        parameters: the types of the query's parameters.
        lenient: leave out conditions of the last match that SQL cannot express, and keep them in `left_out`.
    """
    return Context(catalogue, parameters, lenient=lenient, emit_plan=_emit_plan, emit_expression=_emit_expression)


def _emit_plan(context: Context, plan: Plan, outer: Mapping[str, Term] | None) -> Block:
    if isinstance(plan, _SOURCES):
        return _emit_source(context, plan, outer)
    if isinstance(plan, Aggregate) and (node := aggregate.grouping_node(plan)) is not None:
        return aggregate.emit_by_node(context, plan, node, outer)
    if isinstance(plan, Match) and outer is None and optional_patterns.is_one(context, plan):
        return optional_patterns.emit(context, plan)
    if isinstance(plan, Limit):
        context.wanted_order = sort.wanted_order(plan)
    block = context.plan(plan.input, outer)
    emit = _OPERATORS.get(type(plan))
    if context.left_out or emit is None:
        # A condition that was left out is tested behind the last match, so no operator may follow in SQL.
        raise Inexpressible
    return emit(context, plan, block)


def _emit_source(
    context: Context, plan: SingleRow | Argument | Union | SqlRows, outer: Mapping[str, Term] | None
) -> Block:
    """The block of an operator that has no input, or two."""
    if isinstance(plan, SingleRow):
        return Block()
    if isinstance(plan, Argument) and outer is not None:
        return Block(columns={name: outer[name] for name in plan.columns if name in outer}, correlated=True)
    if isinstance(plan, Union):
        return union.emit(context, plan, context.plan(plan.left, outer), context.plan(plan.right, outer))
    raise Inexpressible


def _emit_expression(context: Context, expression: ast.Expression, block: Block) -> Term:
    emit = _EXPRESSIONS.get(type(expression))
    if emit is None:
        raise Inexpressible
    return emit(context, expression, block)
