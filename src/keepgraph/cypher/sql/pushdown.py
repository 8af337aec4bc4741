"""Pushdown: the largest parts of a plan that SQL can express become statements; the interpreter runs the rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from keepgraph.cypher.catalogue import Catalogue
from keepgraph.cypher.plan import algebra
from keepgraph.cypher.plan.algebra import (
    Argument,
    BuildPaths,
    Filter,
    Match,
    Plan,
    Project,
    SingleRow,
    SqlRows,
    Union,
)
from keepgraph.cypher.sql import statements
from keepgraph.cypher.sql.context import ParameterTypes
from keepgraph.cypher.sql.emitter import new_context
from keepgraph.cypher.sql.statements import Statement
from keepgraph.cypher.sql.terms import Inexpressible
from keepgraph.cypher.syntax import ast, conjunctions, traversal


def push_down(plan: Plan, catalogue: Catalogue, parameters: ParameterTypes) -> Plan:
    """The plan with its largest parts that SQL can express replaced by their rows; the plan itself where none is.

    Where SQL can express all of it, only rows are left.
    """
    needed = frozenset(plan.columns)
    rows = _emit_rows(plan, catalogue, parameters, needed)
    return _push_down_below(plan, catalogue, parameters, needed) if rows is None else rows


def statements_in(plan: Plan) -> list[Statement]:
    """The statements that a plan reads rows from."""
    if isinstance(plan, SqlRows):
        return [plan.statement]
    if isinstance(plan, Union):
        return statements_in(plan.left) + statements_in(plan.right)
    return [] if isinstance(plan, SingleRow | Argument) else statements_in(plan.input)


def _push_down(plan: Plan, catalogue: Catalogue, parameters: ParameterTypes, needed: frozenset[str]) -> Plan:
    """`needed` are the columns that an operator above uses."""
    tried = not isinstance(plan, Union | SingleRow | Argument | SqlRows)
    rows = _emit_rows(plan, catalogue, parameters, needed) if tried else None
    return _push_down_below(plan, catalogue, parameters, needed) if rows is None else rows


def _push_down_below(plan: Plan, catalogue: Catalogue, parameters: ParameterTypes, needed: frozenset[str]) -> Plan:
    """The plan, whose topmost operator is for the interpreter."""
    if isinstance(plan, Union):
        return replace(
            plan,
            left=_push_down(plan.left, catalogue, parameters, frozenset(plan.left.columns)),
            right=_push_down(plan.right, catalogue, parameters, frozenset(plan.right.columns)),
        )
    if isinstance(plan, SingleRow | Argument | SqlRows):
        return plan
    below = _push_down(plan.input, catalogue, parameters, needed | _used_columns(plan))
    return replace(plan, input=below) if below is not plan.input else plan


def _emit_rows(
    plan: Plan, catalogue: Catalogue, parameters: ParameterTypes, needed: frozenset[str]
) -> SqlRows | Filter | None:
    """The rows of a plan from a statement; None where SQL cannot express it.

    If the plan ends with a match, the conditions of it that SQL cannot express become a filter over these rows.
    """
    context = new_context(catalogue, parameters, lenient=True)
    context.properties_used = cache(lambda: _properties_used(plan))
    try:
        block = context.plan(plan)
        left_out = conjunctions.join(context.left_out)
        if left_out is not None:
            needed |= traversal.free_variables(left_out)
        names = tuple([name for name in plan.columns if name in needed])
        statement = statements.build(context, block, plan.columns, names)
    except Inexpressible:
        return None
    rows = SqlRows(statement, plan.columns)
    return rows if left_out is None else Filter(rows, left_out, plan.columns)


def _properties_used(plan: Plan) -> dict[str, set[str]]:
    """The properties that the expressions of a plan ask of each variable, those in subqueries left out."""
    used: dict[str, set[str]] = defaultdict(set)

    def collect(expression: ast.Expression) -> None:
        if isinstance(expression, ast.Property) and isinstance(expression.subject, ast.Variable):
            used[expression.subject.name].add(expression.key)
        for child in traversal.children(expression):
            collect(child)

    below: list[Plan] = [plan]
    while below:
        operator = below.pop()
        for expression in _expressions(operator):
            collect(expression)
        if isinstance(operator, Union):
            below += (operator.left, operator.right)
        elif not isinstance(operator, SingleRow | Argument | SqlRows):
            below.append(operator.input)
    return dict(used)


def _used_columns(plan: Plan) -> frozenset[str]:
    """The columns of its input that an operator uses."""
    used: set[str] = set()
    for expression in _expressions(plan):
        used |= traversal.free_variables(expression)
    if isinstance(plan, Match):
        used.update(node.column for node in plan.nodes)
        used.update(edge.column for edge in plan.edges)
    if isinstance(plan, BuildPaths):
        used.update(column for path in plan.paths for column in (*path.nodes, *path.edges))
    if isinstance(plan, algebra.Distinct):
        used.update(plan.columns)
    return frozenset(used)


def _expressions(plan: Plan) -> Iterator[ast.Expression]:
    if isinstance(plan, Match):
        yield from plan.conditions
        for edge in plan.edges:
            yield from edge.conditions
    elif isinstance(plan, algebra.Unwind):
        yield plan.source
    elif isinstance(plan, Filter):
        yield plan.condition
    elif isinstance(plan, Project):
        yield from (expression for _, expression in plan.items)
    elif isinstance(plan, algebra.Aggregate):
        yield from (expression for _, expression in plan.keys)
        yield from (aggregate.call for aggregate in plan.aggregates if aggregate.call is not None)
    elif isinstance(plan, algebra.Sort):
        yield from (expression for expression, _ in plan.keys)
