"""SQL emitter: from a logical plan to SQL, by one table of operators and one of expressions.

What SQL cannot express exactly raises Inexpressible, while the SQL is written or while it runs; the interpreter then
computes it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from keepgraph.cypher import functions, value_types
from keepgraph.cypher.catalogue import Catalogue
from keepgraph.cypher.interpret import evaluate
from keepgraph.cypher.interpret.evaluate import Run
from keepgraph.cypher.plan import planner
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
from keepgraph.cypher.plan.join_order import NodeScan, choose_join_order
from keepgraph.cypher.sql import expressions, function_calls, lists, literal_nodes, match, properties, tree
from keepgraph.cypher.sql.context import INEXACT, MAX_INTEGER, Block, Context, ParameterTypes, select_unnamed
from keepgraph.cypher.sql.lists import list_element
from keepgraph.cypher.sql.terms import Inexpressible, Term, bag_type, bag_value, by_text, plain_class, tagged, type_rank
from keepgraph.cypher.sql.tree import Column, Expression, Literal, Select, Selected, SortKey, Source
from keepgraph.cypher.syntax import ast, tree_walk

# Filter, project and distinct in SQL: WHERE, the selected columns, and SELECT DISTINCT.


def _emit_filter(context: Context, plan: Filter, block: Block) -> Block:
    block = context.ensure_open(block)
    block.where.append(context.condition(plan.condition, block))
    return block


def _emit_project(context: Context, plan: Project, block: Block) -> Block:
    if block.distinct or block.order or block.is_cut:
        only_renames = all(isinstance(expression, ast.Variable) for _, expression in plan.items)
        if block.distinct or not only_renames:
            block = context.derived_table(block)
    elif block.grouped and not all(_needs_no_join(expression) for _, expression in plan.items):
        block = context.derived_table(block)
    by_name = {name: context.term(expression, block) for name, expression in plan.items}
    block.columns = {name: by_name[name] for name in plan.columns}
    return block


def _emit_distinct(context: Context, plan: Distinct, block: Block) -> Block:
    if block.distinct or block.order or block.is_cut:
        block = context.derived_table(block)
    if any(term.encoding == "json" for term in block.columns.values()):
        # Equal lists may be different texts.
        raise Inexpressible
    block.columns = {name: block.columns[name] for name in plan.columns}
    block.distinct = True
    return block


def _needs_no_join(expression: ast.Expression) -> bool:
    """Whether an expression over columns needs no row of a table, which could no longer be joined."""
    if isinstance(expression, _NEED_TABLES):
        return False
    return all(_needs_no_join(child) for child in tree_walk.children(expression))


_NEED_TABLES = ast.Property | ast.HasLabels | ast.Subquery | ast.PatternPredicate | ast.PatternComprehension


# Sort, skip and limit in SQL: ORDER BY in openCypher's order of values, LIMIT and OFFSET.


def _emit_sort(context: Context, plan: Sort, block: Block) -> Block:
    if block.is_cut or (block.distinct and not all(_needs_no_join(key) for key, _ in plan.keys)):
        block = context.derived_table(block)
    block.order = [
        key
        for expression, descending in plan.keys
        for key in _order_by(context, expression, block, descending=descending)
    ]
    return block


def _order_by(context: Context, expression: ast.Expression, block: Block, *, descending: bool) -> list[SortKey]:
    """What stands in ORDER BY for a key: openCypher's order, null the greatest."""
    term = context.term(expression, block)
    nulls = ""
    if term.kinds & value_types.NULL or term.nullable:
        # Where there is no null, SQLite may read an index in this order.
        nulls = "FIRST" if descending else "LAST"
    if term.encoding in ("node", "edge") or plain_class(term):
        return [SortKey(term.sql, descending, nulls)]
    if term.always_null:
        return [SortKey(tree.NULL)]
    if term.bag is not None:
        rank = by_text(bag_type(term.bag), _RANKS_BY_JSON_TYPE, tree.Literal(3))
        return [SortKey(rank, descending), SortKey(bag_value(term.bag), descending, nulls)]
    if term.encoding == "tagged":
        return [SortKey(type_rank(term.sql), descending), SortKey(term.sql, descending, nulls)]
    raise Inexpressible


_RANKS_BY_JSON_TYPE = {
    "text": tree.Literal(0),
    **dict.fromkeys(("true", "false"), tree.Literal(1)),
    **dict.fromkeys(("integer", "real"), tree.Literal(2)),
    **dict.fromkeys(("array", "object"), INEXACT),
}
"""The places of the types of values in openCypher's order; null is the last."""


def _wanted_order(plan: Limit) -> tuple[str, str, float | None] | None:
    """The relationship and the property whose order rows are sorted in first, below a limit, and how many are read.

    None for the number where it is not known before the query runs; None altogether for any other sort.
    """
    rows: float | None = math.inf
    below: Plan = plan
    skipped: float | None = 0.0
    while isinstance(below, Limit | Skip):
        count = _number(below.count)
        if isinstance(below, Skip):
            skipped = None if count is None or skipped is None else skipped + count
        else:
            rows = None if count is None or rows is None else min(rows, count)
        below = below.input
    if not isinstance(below, Sort):
        return None
    key: ast.Expression = below.keys[0][0]
    below = below.input
    while isinstance(below, Project):
        values: dict[ast.Expression, ast.Expression] = {ast.Variable(name): value for name, value in below.items}
        key = tree_walk.substitute(key, values)
        below = below.input
    if not (isinstance(below, Match) and isinstance(key, ast.Property) and isinstance(key.subject, ast.Variable)):
        return None
    return key.subject.name, key.key, None if rows is None or skipped is None else rows + skipped


def _number(expression: ast.Expression) -> float | None:
    if isinstance(expression, ast.Literal) and type(expression.value) is int:
        return float(expression.value)
    return None


def _emit_skip(context: Context, plan: Skip, block: Block) -> Block:
    if block.is_cut:
        block = context.derived_table(block)
    block.skip = _row_count(context, plan.count)
    return block


def _emit_limit(context: Context, plan: Limit, block: Block) -> Block:
    if block.limit is not None:
        block = context.derived_table(block)
    block.limit = _row_count(context, plan.count)
    return block


def _row_count(context: Context, expression: ast.Expression) -> Expression:
    """A number of rows: as it is written, or the placeholder of one that is computed before the statement runs.

    SQLite compiles a statement again whenever a placeholder in its LIMIT is bound.
    """
    if isinstance(expression, ast.Literal):
        if type(expression.value) is int and 0 <= expression.value <= MAX_INTEGER:
            return Literal(expression.value)
        raise Inexpressible
    compute = evaluate.build_evaluator(expression, evaluate.Columns((), _no_subquery))

    def count(parameters: Mapping[str, Any], names: Mapping[str, Any]) -> int:
        value = compute((), _run_without_graph(parameters))
        if type(value) is not int or not 0 <= value <= MAX_INTEGER:
            raise Inexpressible
        return value

    if _is_volatile(expression):
        raise Inexpressible
    return context.bindings.computed(count)


def _no_subquery(plan: Any) -> Any:
    raise AssertionError("the binder allows no subquery here")


def _run_without_graph(parameters: Mapping[str, Any]) -> Any:
    # Expressions that use the graph or the clock are refused below, so neither is ever asked for.
    return Run(None, parameters, datetime.min, lambda _: None)  # type: ignore[arg-type] # noqa: DTZ901


def _is_volatile(expression: ast.Expression) -> bool:
    """Whether a value depends on the clock, on chance or on the graph."""
    if isinstance(expression, ast.Call):
        function = functions.find(expression.name)
        if function is None or function.needs:
            return True
    return any(_is_volatile(child) for child in tree_walk.children(expression))


# Subqueries in SQL: EXISTS { … }, COUNT { … }, patterns as conditions, and pattern comprehensions.


def _subquery(context: Context, expression: ast.Subquery, block: Block) -> Term:
    plan = planner.build_plan(expression.query, tuple(block.columns))
    inner = context.ensure_open(_emit_inner(context, plan, block))
    if expression.kind == "EXISTS":
        return _exists(inner)
    if expression.kind == "COUNT":
        return Term(tree.Scalar(select_unnamed(inner, tree.Aggregate("count"))), value_types.Type(value_types.INTEGER))
    raise Inexpressible


def _pattern_predicate(context: Context, expression: ast.PatternPredicate, block: Block) -> Term:
    match = planner.build_pattern_match(expression.pattern, None, tuple(block.columns))
    return _exists(_emit_inner(context, match, block))


def _exists(inner: Block) -> Term:
    return Term(tree.Exists(select_unnamed(inner, tree.Literal(1))), value_types.Type(value_types.BOOLEAN))


def _pattern_comprehension(context: Context, expression: ast.PatternComprehension, block: Block) -> Term:
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


_OPERATORS: dict[type, Callable[[Context, Any, Block], Block]] = {
    Match: match.emit,
    Unwind: lists.emit_unwind,
    Filter: _emit_filter,
    Project: _emit_project,
    Distinct: _emit_distinct,
    Aggregate: lists.emit,
    Sort: _emit_sort,
    Skip: _emit_skip,
    Limit: _emit_limit,
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
    ast.Subquery: _subquery,
    ast.PatternPredicate: _pattern_predicate,
    ast.PatternComprehension: _pattern_comprehension,
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
    if isinstance(plan, Aggregate) and (node := lists.grouping_node(plan)) is not None:
        return lists.emit_by_node(context, plan, node, outer)
    if isinstance(plan, Match) and outer is None and _is_one(context, plan):
        return _emit_optional(context, plan)
    if isinstance(plan, Limit):
        context.wanted_order = _wanted_order(plan)
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
        return _emit(context, plan, context.plan(plan.left, outer), context.plan(plan.right, outer))
    raise Inexpressible


def _emit_expression(context: Context, expression: ast.Expression, block: Block) -> Term:
    emit = _EXPRESSIONS.get(type(expression))
    if emit is None:
        raise Inexpressible
    return emit(context, expression, block)


# OPTIONAL MATCH of a pattern of several steps in SQL: its matches, and the rows that have none (UNION ALL).
#
# SQLite computes a join in brackets behind LEFT JOIN as a table of its own, without a look at the row before it. So the
# input stands twice: joined with the pattern, and where the pattern does not exist, with nulls in its place.

_Repeatable = Match | Filter | Project | Unwind


def _is_one(context: Context, plan: Match) -> bool:
    """Whether an OPTIONAL MATCH is more than a left join of one table."""
    if not plan.optional or not _is_repeatable(plan.input):
        return False
    order = choose_join_order(plan, context.catalogue.estimates)
    if len(order) != 1:
        return True
    [step] = order
    return isinstance(step, NodeScan) and literal_nodes.may_match(context, plan, step.node)


def _is_repeatable(plan: Plan) -> bool:
    """Whether a plan gives the same rows again, in no order that is asked for."""
    while isinstance(plan, _Repeatable):
        plan = plan.input
    return isinstance(plan, SingleRow)


def _emit_optional(context: Context, plan: Match) -> Block:
    matched = context.plan(replace(plan, optional=False))
    without = context.ensure_open(context.plan(plan.input))
    if context.left_out:
        raise Inexpressible
    pattern = replace(plan, input=Argument(plan.input.columns), optional=False)
    exists = tree.Exists(select_unnamed(context.subquery(pattern, without.columns), tree.Literal(1)))
    without.where.append(tree.negate(exists))
    for name in plan.columns:
        if name not in without.columns:
            without.columns[name] = _null_like(matched.columns[name])
    return _emit(context, Union(plan, plan, plan.columns), matched, without)


# UNION ALL in SQL; UNION without ALL is a distinct above it.


def _emit(context: Context, plan: Union, left: Block, right: Block) -> Block:
    names = plan.columns
    merged = [_merge(left.columns[name], right.columns[name]) for name in names]
    for block in (left, right):
        for name, (_, convert) in zip(names, merged, strict=True):
            block.columns[name] = convert(block.columns[name])
    alias = context.alias("s")
    first, second = context.select(left, names), context.select(right, names)
    outer = Block()
    # Beside UNION ALL, SQLite allows no ORDER BY and no LIMIT.
    outer.join(replace(_all_of(first), union=_all_of(second) if second.order or right.is_cut else second), alias)
    outer.columns = {
        name: _column(term, alias, f"c{number}")
        for number, (name, (term, _)) in enumerate(zip(names, merged, strict=True))
    }
    return outer


def _column(term: Term, alias: str, name: str) -> Term:
    if term.encoding != "edge":
        return replace(term, sql=Column(alias, name))
    return replace(term, sql=Column(alias, name), start=Column(alias, f"{name}s"), end=Column(alias, f"{name}e"))


def _null_like(term: Term) -> Term:
    """Null, encoded as a node or relationship is."""
    return Term(tree.NULL, value_types.Type(value_types.NULL), term.encoding, codes=frozenset(), nullable=True)


def _all_of(select: Select) -> Select:
    """All columns of a SELECT, from a derived table."""
    return Select((Selected(tree.STAR),), (Source(select),))


def _merge(left: Term, right: Term) -> tuple[Term, Callable[[Term], Term]]:
    """The term of one column with the values of both, and the function that brings each to its encoding."""
    type_ = value_types.union(left.type, right.type)
    if left.always_null != right.always_null:
        known = right if left.always_null else left
        if known.encoding in ("node", "edge"):
            merged = replace(known, sql=tree.NULL, row=None, row_key=None, text=None, type=type_, nullable=True)
            return merged, lambda term: _null_like(known) if term.always_null else term
    if left.encoding == right.encoding and left.encoding in ("node", "edge"):
        codes = None if left.codes is None or right.codes is None else left.codes | right.codes
        literal = left.literal or right.literal
        return Term(tree.NULL, type_, left.encoding, codes=codes, literal=literal, nullable=True), lambda term: term
    if left.encoding == right.encoding == "plain" and left.kinds == right.kinds:
        return Term(tree.NULL, type_), lambda term: term
    if {left.encoding, right.encoding} <= {"plain", "tagged"}:
        return Term(tree.NULL, type_, "tagged"), tagged
    raise Inexpressible
