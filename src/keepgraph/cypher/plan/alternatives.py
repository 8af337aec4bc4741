"""Alternatives: a match whose condition is an OR about several nodes becomes the union of one match for each.

`(a)-[r]->(b) WHERE a.name = 'Atlas' OR b.name = 'Atlas'` names no node at which a match could begin, so that every
relationship would be read. The matches that fulfil the first alternative begin at `a`, and those that fulfil the second
and not the first at `b`. At a million facts that takes 30 ms instead of 1.7 s.

It is done where each alternative compares a property of a node of this match with a constant, or asks whether it
contains a text, and no other condition names a node; not in OPTIONAL MATCH, for shortest paths, or behind anything but
matches. Alternatives that ask for a part of a text stay together where rows are sorted and cut: the index over time may
give the latest ten sooner than all can be found that have the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from keepgraph.cypher.plan import instant_comparisons
from keepgraph.cypher.plan.algebra import Match, Plan, Union, is_repeatable
from keepgraph.cypher.syntax import ast, conjunctions, traversal

_MAX_ALTERNATIVES = 4
_EXACT = frozenset(("=", "IN"))
_TEXT = frozenset(("STARTS WITH", "ENDS WITH", "CONTAINS", "=~"))
_CASES = frozenset(("tolower", "toupper", "lower", "upper"))


def unite_alternatives(plan: Match, *, exact_only: bool) -> Plan:
    """The match as the union of its alternatives; the match itself where it has none, or begins somewhere anyway.

    Args:
        exact_only: whether a part of a text may not be an alternative, since few of many rows are wanted.
    """
    if plan.optional or not is_repeatable(plan.input) or any(edge.shortest for edge in plan.edges):
        return plan
    new = {node.column for node in plan.nodes} - {*plan.input.columns}
    for condition in plan.conditions:
        alternatives = list(_alternatives(condition))
        others = tuple(other for other in plan.conditions if other is not condition)
        begins_elsewhere = any(_selects(other, new, _EXACT) for other in others)
        if not begins_elsewhere and _are_worth_it(alternatives, new, _EXACT if exact_only else _EXACT | _TEXT):
            matches: list[Plan] = [replace(plan, conditions=(*others, *each)) for each in _disjoint(alternatives)]
            # What a path consists of is no column where nothing asks for it: how it is found may change.
            unnamed = {edge.column for edge in plan.edges if edge.length is not None and not edge.value_needed}
            columns = tuple(name for name in plan.columns if name not in unnamed)
            return reduce(lambda left, right: Union(left, right, columns), matches)
    return plan


def _are_worth_it(alternatives: list[ast.Expression], new: set[str], operators: frozenset[str]) -> bool:
    """Whether each of some alternatives says where to begin, and they do not all say the same node."""
    if not 1 < len(alternatives) <= _MAX_ALTERNATIVES:
        return False
    about = [frozenset(traversal.free_variables(alternative)) for alternative in alternatives]
    if not all(variables <= new for variables in about) or (len(set(about)) == 1 and len(about[0]) == 1):
        return False
    return all(_selects(alternative, new, operators) for alternative in alternatives)


def _disjoint(alternatives: list[ast.Expression]) -> Iterator[tuple[ast.Expression, ...]]:
    """The conditions of each alternative: that it is true, and that none of those before it is."""
    before: list[ast.Expression] = []
    for alternative in alternatives:
        yield (*conjunctions.split(alternative), *before)
        is_true = ast.Call("coalesce", (alternative, ast.Literal(False)))
        before.append(ast.Unary("NOT", is_true))


def _alternatives(condition: ast.Expression) -> Iterator[ast.Expression]:
    """The alternatives of an OR, those about one node as one; `'x' IN [a.name, b.name]` is an OR, too."""
    about: dict[frozenset[str], ast.Expression] = {}
    for number, alternative in enumerate(_operands(condition)):
        variables = frozenset(traversal.free_variables(alternative))
        key = variables if len(variables) == 1 else frozenset((str(number),))
        about[key] = ast.Binary("OR", about[key], alternative) if key in about else alternative
    yield from about.values()


def _operands(condition: ast.Expression) -> Iterator[ast.Expression]:
    if not isinstance(condition, ast.Binary):
        yield condition
    elif condition.operator == "OR":
        yield from _operands(condition.left)
        yield from _operands(condition.right)
    elif condition.operator == "IN" and isinstance(condition.right, ast.ListLiteral) and condition.right.elements:
        for element in condition.right.elements:
            if not _is_property(element):
                yield condition
                return
        for element in condition.right.elements:
            yield ast.Binary("=", element, condition.left, span=condition.span)
    else:
        yield condition


def _selects(condition: ast.Expression, nodes: set[str], operators: frozenset[str]) -> bool:
    """Whether a condition leaves few of the nodes that one of these variables may stand for."""
    if isinstance(condition, ast.Binary) and condition.operator == "AND":
        return _selects(condition.left, nodes, operators) or _selects(condition.right, nodes, operators)
    if isinstance(condition, ast.Binary) and condition.operator == "OR":
        return _selects(condition.left, nodes, operators) and _selects(condition.right, nodes, operators)
    if not isinstance(condition, ast.Binary) or condition.operator not in operators:
        return False
    sides = [(condition.left, condition.right)]
    if condition.operator == "=":
        sides.append((condition.right, condition.left))
    return any(_is_of_node(one, nodes) and _is_constant(other) for one, other in sides)


def _is_of_node(expression: ast.Expression, nodes: set[str]) -> bool:
    """Whether this is a property of one of these nodes, in any case of its letters."""
    if isinstance(expression, ast.Call) and expression.name.lower() in _CASES and len(expression.arguments) == 1:
        [expression] = expression.arguments
    return _is_property(expression) and traversal.free_variables(expression) <= nodes


def _is_property(expression: ast.Expression) -> bool:
    return isinstance(expression, ast.Property) and isinstance(expression.subject, ast.Variable)


def _is_constant(expression: ast.Expression) -> bool:
    if isinstance(expression, ast.ListLiteral):
        return all(map(_is_constant, expression.elements))
    return instant_comparisons.is_constant(expression)
