"""Comparisons in SQL: equality, order, IN, and STARTS WITH, ENDS WITH, CONTAINS and =~.

Values of one class compare in SQL as in openCypher. Where values of several classes may meet, they are compared as
'tagged' terms, so that true is not 1 and 1 is not '1'; a value of a property bag is compared by its JSON type.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from keepgraph.cypher import value_types
from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.bindings import json_list, looks_like_json, not_json
from keepgraph.cypher.sql.blocks import Block, elements_of
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.terms import (
    BOOLEAN_OR_NULL,
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

_FIRST = tree.Literal(1)
STRING_TESTS = {"STARTS WITH": "starts_with", "ENDS WITH": "ends_with", "CONTAINS": "contains", "=~": "matches"}


# Equality


def equality(context: Context, expression: ast.Binary, left: Term, right: Term) -> Term:
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


def inequality(operator: str, left: Term, right: Term) -> Term:
    """`<`, `<=`, `>` and `>=`: null where the values are of different classes."""
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


def string_test(context: Context, operator: str, left: Term, right: Term) -> Term:
    """STARTS WITH, ENDS WITH, CONTAINS and =~; null where an operand is no string."""
    strings = plain_class(left, right) == value_types.STRING
    if strings and operator in ("CONTAINS", "STARTS WITH"):
        position = tree.call("instr", left.sql, right.sql)
        test = tree.infix(">", position, tree.Literal(0)) if operator == "CONTAINS" else tree.equal(position, _FIRST)
        return null_propagating(test, value_types.BOOLEAN, left, right)
    sql = context.call(STRING_TESTS[operator], left, right)
    return Term(sql, value_types.Type(BOOLEAN_OR_NULL), "tagged")


# IN


def contained(context: Context, expression: ast.Binary, block: Block) -> Term:
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
