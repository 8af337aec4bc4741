"""Condition shares: about which part of all nodes, or relationships, fulfils the conditions on one of a pattern.

What a property equals has the share of one value; what a text contains, or begins with, is a guess. A share decides
where a query begins, never what it answers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from keepgraph.cypher.plan.algebra import Match
from keepgraph.cypher.plan.join_order import Estimates
from keepgraph.cypher.syntax import ast, traversal

_OF_TEXT = 0.01
"""What a text contains, and what is said of an element of a list: a guess that is rather too high."""

_OF_RANGE = 0.3
_UNKNOWN_LENGTH = 10
"""Of a list that is not known yet."""


@dataclass(frozen=True, slots=True)
class Share:
    """A part of all nodes, or relationships.

    Attributes:
        part: 0 to 1.
        is_looked_up: whether it follows from values, so that an index may find these nodes and no others are read.
    """

    part: float
    is_looked_up: bool = False


ALL = Share(1.0)


def shares(match: Match, estimates: Estimates) -> Mapping[str, Share]:
    """The share of each node and each single relationship that a condition is on, by its column.

    Conditions on several of them are left out.
    """
    result: dict[str, Share] = {}
    columns = {node.column for node in match.nodes} | {edge.column for edge in match.edges if edge.length is None}
    for condition in match.conditions:
        names = traversal.free_variables(condition)
        if len(names) == 1 and names <= columns:
            (column,) = names
            share, other = _share(condition, column, estimates), result.get(column, ALL)
            result[column] = Share(share.part * other.part, share.is_looked_up or other.is_looked_up)
    return result


def _share(condition: ast.Expression, column: str, estimates: Estimates) -> Share:
    share = partial(_share, column=column, estimates=estimates)
    if isinstance(condition, ast.Quantifier):
        return Share(_OF_TEXT) if condition.quantifier in ("any", "single") else ALL
    if not isinstance(condition, ast.Binary):
        return ALL
    operator, left, right = condition.operator, condition.left, condition.right
    if operator in ("AND", "OR"):
        first, second = share(left), share(right)
        if operator == "AND":
            return Share(first.part * second.part, first.is_looked_up or second.is_looked_up)
        return Share(min(1.0, first.part + second.part), first.is_looked_up and second.is_looked_up)
    if operator == "=":
        return _of_value(left if traversal.free_variables(left) else right, column, estimates)
    if operator == "IN" and not traversal.free_variables(right):
        one = _of_value(left, column, estimates)
        return Share(min(1.0, one.part * _length(right, estimates)), one.is_looked_up)
    if operator == "IN":
        return Share(_OF_TEXT)
    if operator in ("CONTAINS", "STARTS WITH", "ENDS WITH", "=~"):
        return Share(_OF_TEXT)
    return Share(_OF_RANGE) if operator in ("<", "<=", ">", ">=") else ALL


def _of_value(expression: ast.Expression, column: str, estimates: Estimates) -> Share:
    """Of what equals one value."""
    if isinstance(expression, ast.Property) and expression.subject == ast.Variable(column):
        return Share(estimates.selectivity(expression.key), is_looked_up=True)
    return Share(_OF_TEXT)


def _length(list_: ast.Expression, estimates: Estimates) -> int:
    if isinstance(list_, ast.ListLiteral):
        return len(list_.elements)
    value = estimates.parameters.get(list_.name) if isinstance(list_, ast.Parameter) else None
    return len(value) if isinstance(value, list | tuple) else _UNKNOWN_LENGTH
