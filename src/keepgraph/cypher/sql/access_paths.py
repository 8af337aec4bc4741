"""Access paths: by which index the first relationship of a pattern is read, and in which order the others follow.

It tells the join order (plan/join_cost) what the tables offer: ranges and orders that an index serves, and which
relationships an index covers. A scan that an index covers says so (`INDEXED BY`), since SQLite prefers another one; an
end of which no label, property or value is asked is not looked up, because the ends of a fact always exist. CONTAINS
uses no trigram index: a scan of the index over names takes 6 ms at 100,000 names, and folding is not exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Column
from keepgraph.cypher.interpret import evaluate
from keepgraph.cypher.interpret.evaluate import Run
from keepgraph.cypher.plan import instant_comparisons, join_cost, optimizer
from keepgraph.cypher.plan.algebra import Match
from keepgraph.cypher.plan.join_cost import OrderedScan
from keepgraph.cypher.plan.join_order import EdgeScan, Step, is_scannable, is_scannable_both_ways
from keepgraph.cypher.sql import literal_nodes, tree
from keepgraph.cypher.sql.blocks import Block
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.terms import STRING_OR_NULL, Inexpressible, Term
from keepgraph.cypher.sql.tree import Expression
from keepgraph.cypher.syntax import ast, traversal
from keepgraph.errors import QueryError

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_NO_GRAPH: Any = None
"""A constant refers to no node."""


def join_order(context: Context, plan: Match) -> list[Step]:
    """The join order of a match, cheapest as far as the estimates tell."""
    grouped_by, context.start_node = context.start_node, None
    wanted, context.wanted_order = context.wanted_order, None
    ordered_scans = list(_ordered_scans(context, plan, wanted)) if not plan.input.columns else []
    uncovered = {edge.column for edge in plan.edges if not _is_covered(context, edge.column)}
    return join_cost.cheapest_order(
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
            and optimizer.is_constant(condition.right)
        ):
            yield condition


def _sorts_as_stored(column: Column) -> bool:
    """Whether a value that is not there needs no place in the order, so that the index has the order of the values."""
    return not column.kinds & value_types.NULL


def _ranges(plan: Match, variable: str, key: str) -> Iterator[tuple[str, ast.Expression]]:
    """The conditions that bound a property of a relationship by a constant: the operator, and the constant."""
    property_ = ast.Property(ast.Variable(variable), key)
    for condition in plan.conditions:
        if not isinstance(condition, ast.Binary) or not _is_comparison(condition):
            continue
        if condition.left == property_ and _is_constant(condition.right):
            yield condition.operator, condition.right
        elif condition.right == property_ and _is_constant(condition.left):
            yield _FLIPPED[condition.operator], condition.left


def _is_comparison(condition: ast.Expression) -> bool:
    return isinstance(condition, ast.Binary) and condition.operator in _FLIPPED


def _is_constant(expression: ast.Expression) -> bool:
    value = expression.value if isinstance(expression, ast.Instant) else expression
    return instant_comparisons.is_constant(value)


def _share(context: Context, key: str, ranges: list[tuple[str, ast.Expression]]) -> float:
    """Which part of all relationships lies in these ranges, as far as the estimates tell."""
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
    """The text of a constant as it was when the estimates were made; None where a parameter in it was not known."""
    estimates = context.catalogue.estimates
    run = Run(_NO_GRAPH, estimates.parameters, estimates.at, lambda work: None)
    try:
        value = evaluate.build_evaluator(constant, evaluate.NO_COLUMNS)((), run)
    except (QueryError, KeyError):
        return None
    return value if isinstance(value, str) else None


# The index


def index_of_scan(context: Context, step: EdgeScan, plan: Match) -> str | None:
    """The index by which all relationships of some types are read; empty where SQLite may choose, None for no index.

    To group by type, SQLite would read the rows of all relationships in the order of an index, which takes twice as
    long as in that of the table.
    """
    table = context.catalogue.edges
    if step.order_key is not None:
        return table.columns[step.order_key].index
    if _is_covered(context, step.edge.column):
        return table.out_index
    is_whole = len(context.catalogue.type_codes(step.edge.types)) == len(table.types)
    is_tested = any(step.edge.column in traversal.free_variables(condition) for condition in plan.conditions)
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
    """Join the values of a property that other rows have, as far as they fulfil the conditions on it.

    Returns the keys of the relationships that have them, which are read by these; None where the scan is by no values.
    """
    column = context.catalogue.edges.columns[step.order_key] if step.order_key is not None else None
    if step.order_key is None or column is None or not column.values:
        return None
    alias = context.alias("v")
    block.join(context.rows(column.values), alias)
    value = Term(tree.Column(alias, "value"), value_types.Type(column.kinds))
    values = Block(columns={_VALUE: value})
    for condition in _conditions_on(plan, step.edge.column, step.order_key):
        try:
            block.where.append(context.condition(replace(condition, left=ast.Variable(_VALUE)), values))
        except Inexpressible:
            continue
    return tree.Column(alias, "row_key")


_VALUE = f"{ast.INTERNAL_PREFIX}value"


def _is_covered(context: Context, variable: str) -> bool:
    """Whether the covering indexes have all that is asked of a relationship."""
    covered = context.catalogue.edges.covered
    return context.properties_used().get(variable, frozenset()) <= covered
