"""Sort, skip and limit in SQL: ORDER BY in openCypher's order of values, LIMIT and OFFSET."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from keepgraph.cypher import functions, value_types
from keepgraph.cypher.interpret import evaluate
from keepgraph.cypher.interpret.runtime import Run
from keepgraph.cypher.plan.algebra import Limit, Match, Plan, Project, Skip, Sort
from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.bindings import MAX_INTEGER
from keepgraph.cypher.sql.blocks import Block
from keepgraph.cypher.sql.context import INEXACT, Context
from keepgraph.cypher.sql.project import needs_no_join
from keepgraph.cypher.sql.terms import Inexpressible, bag_type, bag_value, by_text, plain_class, type_rank
from keepgraph.cypher.sql.tree import Expression, Literal, SortKey
from keepgraph.cypher.syntax import ast, substitution, traversal


def emit_sort(context: Context, plan: Sort, block: Block) -> Block:
    if block.is_cut or (block.distinct and not all(needs_no_join(key) for key, _ in plan.keys)):
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


def wanted_order(plan: Limit) -> tuple[str, str, float | None] | None:
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
        key = substitution.substitute(key, values)
        below = below.input
    if not (isinstance(below, Match) and isinstance(key, ast.Property) and isinstance(key.subject, ast.Variable)):
        return None
    return key.subject.name, key.key, None if rows is None or skipped is None else rows + skipped


def _number(expression: ast.Expression) -> float | None:
    if isinstance(expression, ast.Literal) and type(expression.value) is int:
        return float(expression.value)
    return None


def emit_skip(context: Context, plan: Skip, block: Block) -> Block:
    if block.is_cut:
        block = context.derived_table(block)
    block.skip = _row_count(context, plan.count)
    return block


def emit_limit(context: Context, plan: Limit, block: Block) -> Block:
    if block.limit is not None:
        block = context.derived_table(block)
    block.limit = _row_count(context, plan.count)
    return block


def _row_count(context: Context, expression: ast.Expression) -> Expression:
    """A number of rows: as it is written, or the placeholder of one that is computed before the statement runs.

    SQLite compiles a statement anew whenever a placeholder in its LIMIT is bound.
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
    return any(_is_volatile(child) for child in traversal.children(expression))
