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
from keepgraph.cypher.interpret.evaluate import Run
from keepgraph.cypher.plan import instant_comparisons
from keepgraph.cypher.sql import lists, tree
from keepgraph.cypher.sql.context import (
    QUERY_INSTANT,
    Block,
    Context,
    elements_of,
    json_list,
    looks_like_json,
    not_json,
    storable,
)
from keepgraph.cypher.sql.terms import (
    BOOLEAN_OR_NULL,
    NUMBER_OR_NULL,
    SCALARS,
    STRING_OR_NULL,
    Bag,
    Inexpressible,
    Term,
    bag_holds_number,
    bag_holds_text,
    bag_value,
    common_class,
    has_type,
    null_propagating,
    plain_class,
    tagged,
    unify,
)
from keepgraph.cypher.sql.tree import Expression
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
            return _contained(context, expression, block)
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
        return _equality(context, expression, left, right)
    if operator in ("<", "<=", ">", ">="):
        return _inequality(operator, left, right)
    if operator in _STRING_TESTS:
        return _string_test(context, operator, left, right)
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


# Comparisons in SQL: equality, order, IN, and STARTS WITH, ENDS WITH, CONTAINS and =~.
#
# Values of one class compare in SQL as in openCypher. Where values of several classes may meet, they are compared as
# 'tagged' terms, so that true is not 1 and 1 is not '1'; a value of a property bag is compared by its JSON type.

_FIRST = tree.Literal(1)
_STRING_TESTS = {"STARTS WITH": "starts_with", "ENDS WITH": "ends_with", "CONTAINS": "contains", "=~": "matches"}


# Equality


def _equality(context: Context, expression: ast.Binary, left: Term, right: Term) -> Term:
    """`=` and `<>`, whose operands are these terms."""
    operator = expression.operator
    if left.encoding == right.encoding and left.encoding in ("node", "edge"):
        type_ = value_types.Type(value_types.BOOLEAN | left.null | right.null)
        return Term(tree.infix(operator, left.sql, right.sql), type_)
    if left.always_null or right.always_null:
        return Term(tree.NULL, value_types.Type(value_types.NULL))
    if plain_class(left, right):
        return null_propagating(tree.infix(operator, left.sql, right.sql), value_types.BOOLEAN, left, right)
    for property_, other, other_expression in ((left, right, expression.right), (right, left, expression.left)):
        if property_.bag is None:
            continue
        if plain_class(other) == value_types.NUMBER and not isinstance(other_expression, ast.Literal):
            same_value = tree.equal(bag_value(property_.bag), other.sql)
            equal = tree.infix("AND", bag_holds_number(property_.bag), same_value)
            sql = equal if operator == "=" else tree.negate(equal)
            return null_propagating(sql, value_types.BOOLEAN, property_, other)
        untyped = _untyped_equality(context, property_.bag, other, other_expression, operator)
        if untyped is not None:
            return null_propagating(untyped, value_types.BOOLEAN, property_, other)
    left, right = tagged(left), tagged(right)
    return null_propagating(tree.infix(operator, left.sql, right.sql), value_types.BOOLEAN, left, right)


def _untyped_equality(
    context: Context, bag: Bag, other: Term, other_expression: ast.Expression, operator: str
) -> Expression | None:
    """A property of a bag compared with a constant that equals no value of another class, so no type is tested.

    Read by `->>`, a list begins with a bracket and a boolean is 0 or 1; other constants are unambiguous. The test of
    the type would keep an index over the property from being used.
    """
    value = bag_value(bag)
    if isinstance(other_expression, ast.Literal):
        constant = other_expression.value
        ambiguous = isinstance(constant, bool) or constant in (0, 1) or looks_like_json(constant)
        return None if ambiguous else tree.infix(operator, value, other.sql)
    if isinstance(other_expression, ast.Parameter) and other.kinds == value_types.STRING:
        placeholder = context.bindings.parameter(other_expression.name, not_json)
        return tree.infix(operator, value, placeholder)
    return None


# Order


def _inequality(operator: str, left: Term, right: Term) -> Term:
    """`<`, `<=`, `>` and `>=`: null if the values are of different classes."""
    if left.always_null or right.always_null:
        return Term(tree.NULL, value_types.Type(value_types.NULL))
    if plain_class(left, right):
        return null_propagating(tree.infix(operator, left.sql, right.sql), value_types.BOOLEAN, left, right)
    for property_, other in ((left, right), (right, left)):
        other_class = plain_class(other)
        if property_.bag is not None and other_class in (value_types.NUMBER, value_types.STRING):
            value = bag_value(property_.bag)
            first, second = (value, other.sql) if property_ is left else (other.sql, value)
            numbers = other_class == value_types.NUMBER
            same_class = bag_holds_number(property_.bag) if numbers else bag_holds_text(property_.bag)
            return _comparison_if(same_class, tree.infix(operator, first, second))
    first, second = tagged(left).sql, tagged(right).sql
    comparison = tree.infix(operator, first, second)
    for term, other_sql in ((left, second), (right, first)):
        if plain_class(term) == value_types.NUMBER:
            return _comparison_if(has_type(other_sql, *_NUMBERS), comparison)
        if plain_class(term) == value_types.STRING:
            return _comparison_if(has_type(other_sql, "text"), comparison)
    both = [tree.equal(has_type(first, *names), has_type(second, *names)) for names in (_NUMBERS, ("text",))]
    return _comparison_if(tree.all_of(both), comparison)


_NUMBERS = ("integer", "real")


def _comparison_if(same_class: Expression, comparison: Expression) -> Term:
    """A comparison that is null unless its operands are of one class."""
    return Term(tree.Case(((same_class, comparison),)), value_types.Type(BOOLEAN_OR_NULL))


# Strings


def _string_test(context: Context, operator: str, left: Term, right: Term) -> Term:
    """STARTS WITH, ENDS WITH, CONTAINS and =~; null if an operand is not a string."""
    strings = plain_class(left, right) == value_types.STRING
    if strings and operator in ("CONTAINS", "STARTS WITH"):
        position = tree.call("instr", left.sql, right.sql)
        test = tree.infix(">", position, tree.Literal(0)) if operator == "CONTAINS" else tree.equal(position, _FIRST)
        return null_propagating(test, value_types.BOOLEAN, left, right)
    sql = context.call(_STRING_TESTS[operator], left, right)
    return Term(sql, value_types.Type(BOOLEAN_OR_NULL), "tagged")


# IN


def _contained(context: Context, expression: ast.Binary, block: Block) -> Term:
    """`value IN list`, for a list that is written out or a parameter."""
    left = context.term(expression.left, block)
    scalar = left.encoding in ("plain", "tagged") and not left.always_null
    if isinstance(expression.right, ast.ListLiteral) and (scalar or left.encoding == "node"):
        return _in_elements(left, [context.term(element, block) for element in expression.right.elements])
    if isinstance(expression.right, ast.Parameter) and scalar:
        return _in_parameter(context, left, expression.right.name)
    raise Inexpressible


def _in_elements(left: Term, elements: list[Term]) -> Term:
    terms = [left, *elements]
    if left.encoding == "node":
        if not all(element.encoding == "node" for element in elements):
            raise Inexpressible
        null = reduce(or_, (term.null for term in terms))
        keys = tuple([element.sql for element in elements])
        return Term(tree.In(left.sql, keys), value_types.Type(value_types.BOOLEAN | null))
    _, (first, *others) = unify(terms)
    sql = tree.In(first.sql, tuple([other.sql for other in others]))
    return null_propagating(sql, value_types.BOOLEAN, *terms)


def _in_parameter(context: Context, left: Term, name: str) -> Term:
    type_ = context.parameters.get(name, value_types.UNKNOWN)
    element_kinds = type_.element.kinds if type_.element else 0
    if type_.kinds != value_types.LIST or element_kinds & ~(value_types.STRING | value_types.INTEGER):
        raise Inexpressible
    placeholder = context.bindings.parameter(name, json_list)
    one_class = left.encoding == "plain" and element_kinds and not element_kinds & ~common_class(left)
    first = left if one_class else tagged(left)
    return null_propagating(tree.In(first.sql, elements_of(placeholder)), value_types.BOOLEAN, left)
