"""Expressions in SQL: constants, parameters, variables, logic, arithmetic, CASE and IS NULL.

Three-valued logic is SQL's own for AND, OR, NOT and for the comparison of values of one class. What the other modules
of this package express (properties, comparisons, function calls, subqueries) is not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any

from keepgraph.cypher import value_types
from keepgraph.cypher.interpret import evaluate
from keepgraph.cypher.interpret.runtime import Run
from keepgraph.cypher.plan import instant_comparisons
from keepgraph.cypher.sql import comparisons, lists, tree
from keepgraph.cypher.sql.bindings import QUERY_INSTANT, storable
from keepgraph.cypher.sql.blocks import Block
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.terms import (
    NUMBER_OR_NULL,
    SCALARS,
    STRING_OR_NULL,
    Inexpressible,
    Term,
    bag_value,
    null_propagating,
    plain_class,
    unify,
)
from keepgraph.cypher.syntax import ast
from keepgraph.errors import QueryFailed

_NO_GRAPH: Any = None
"""A constant refers to no node."""
_ARITHMETIC = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "modulo", "^": "power"}


def literal(context: Context, expression: ast.Literal, block: Block) -> Term:
    value = expression.value
    if value is None:
        return Term(tree.NULL, value_types.Type(value_types.NULL))
    if isinstance(value, bool):
        # As a digit it would be the number of a column in GROUP BY and ORDER BY.
        return Term(tree.TRUE if value else tree.FALSE, value_types.Type(value_types.BOOLEAN))
    kind = (
        value_types.INTEGER
        if isinstance(value, int)
        else value_types.FLOAT
        if isinstance(value, float)
        else value_types.STRING
    )
    return Term(context.bindings.constant(storable(value)), value_types.Type(kind))


def parameter(context: Context, expression: ast.Parameter, block: Block) -> Term:
    type_ = context.parameters.get(expression.name, value_types.UNKNOWN)
    if type_.kinds & ~SCALARS:
        raise Inexpressible
    if type_.kinds == value_types.NULL:
        return Term(tree.NULL, type_)
    return Term(context.bindings.parameter(expression.name, storable), type_)


def instant(context: Context, expression: ast.Instant, block: Block) -> Term:
    """A constant beside timestamps, computed when the statement is run."""
    if not instant_comparisons.is_constant(expression.value):
        raise Inexpressible
    evaluate_instant = evaluate.build_evaluator(expression, evaluate.NO_COLUMNS)

    def bind(parameters: Mapping[str, Any], names: Mapping[str, Any]) -> Any:
        try:
            value = evaluate_instant((), Run(_NO_GRAPH, parameters, names[QUERY_INSTANT], lambda work: None))
        except QueryFailed:
            # Where no row needs it, it does not fail.
            raise Inexpressible from None
        if value is not None and type(value) is not str:
            raise Inexpressible
        return storable(value)

    return Term(context.bindings.computed(bind, ("instant", expression)), value_types.Type(STRING_OR_NULL))


def variable(context: Context, expression: ast.Variable, block: Block) -> Term:
    term = block.columns.get(expression.name)
    if term is None:
        raise Inexpressible
    return term


def binary(context: Context, expression: ast.Binary, block: Block) -> Term:
    operator = expression.operator
    if operator == "IN":
        if isinstance(expression.right, ast.ListLiteral | ast.Parameter):
            return comparisons.contained(context, expression, block)
        return lists.contained(context, expression, block)
    if operator in ("=", "<>") and (listed := lists.compared_with_empty(expression)) is not None:
        equal = lists.is_empty(context, listed, block)
        return equal if operator == "=" else Term(tree.negate(equal.sql), equal.type)
    left, right = context.term(expression.left, block), context.term(expression.right, block)
    if operator in ("AND", "OR"):
        sql = tree.infix(operator, context.truth(left), context.truth(right))
        return null_propagating(sql, value_types.BOOLEAN, left, right)
    if operator == "XOR":
        sql = tree.infix("<>", context.truth(left), context.truth(right))
        return null_propagating(sql, value_types.BOOLEAN, left, right)
    if operator in ("=", "<>"):
        return comparisons.equality(context, expression, left, right)
    if operator in ("<", "<=", ">", ">="):
        return comparisons.inequality(operator, left, right)
    if operator in comparisons.STRING_TESTS:
        return comparisons.string_test(context, operator, left, right)
    return _arithmetic(context, operator, left, right)


def _arithmetic(context: Context, operator: str, left: Term, right: Term) -> Term:
    """Arithmetic is computed by Python: SQLite's integers overflow into floats, and its division differs."""
    kinds = left.kinds | right.kinds
    if kinds & ~SCALARS:
        raise Inexpressible
    null = kinds & value_types.NULL
    result_kinds = SCALARS
    if not kinds & ~NUMBER_OR_NULL:
        integer = not kinds & value_types.FLOAT and operator != "^"
        result_kinds = (value_types.INTEGER if integer else value_types.NUMBER) | null
    elif not kinds & ~STRING_OR_NULL and operator == "+":
        result_kinds = value_types.STRING | null
    encoding = "tagged" if result_kinds == SCALARS else "plain"
    return Term(context.call(_ARITHMETIC[operator], left, right), value_types.Type(result_kinds), encoding)


def unary(context: Context, expression: ast.Unary, block: Block) -> Term:
    operand = context.term(expression.operand, block)
    if expression.operator == "NOT":
        return null_propagating(tree.negate(context.truth(operand)), value_types.BOOLEAN, operand)
    if operand.encoding not in ("plain", "tagged") or operand.kinds & ~SCALARS:
        raise Inexpressible
    numeric = plain_class(operand) == value_types.NUMBER
    if expression.operator == "+" and numeric:
        return operand
    sql = context.call("plus" if expression.operator == "+" else "negate", operand)
    return Term(sql, operand.type if numeric else value_types.Type(NUMBER_OR_NULL))


def is_null(context: Context, expression: ast.IsNull, block: Block) -> Term:
    operand = context.term(expression.operand, block)
    sql = operand.sql if operand.bag is None else bag_value(operand.bag)
    test = tree.is_not_null(sql) if expression.negated else tree.is_null(sql)
    return Term(test, value_types.Type(value_types.BOOLEAN))


def case(context: Context, expression: ast.Case, block: Block) -> Term:
    tests, terms = [], []
    for when, then in expression.branches:
        test = when if expression.subject is None else ast.Binary("=", expression.subject, when)
        tests.append(context.condition(test, block))
        terms.append(context.term(then, block))
    otherwise = ast.Literal(None) if expression.default is None else expression.default
    terms.append(context.term(otherwise, block))
    if any(term.encoding not in ("plain", "tagged") for term in terms):
        raise Inexpressible
    encoding, terms = unify(terms)
    kinds = reduce(or_, (term.kinds for term in terms))
    branches = tuple([(test, term.sql) for test, term in zip(tests, terms, strict=False)])
    return Term(tree.Case(branches, terms[-1].sql), value_types.Type(kinds), encoding)
