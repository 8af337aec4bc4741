"""Conjunctions: a condition as the conditions that all have to be true, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce

from keepgraph.cypher.syntax import ast


def split(condition: ast.Expression | None) -> Iterator[ast.Expression]:
    """The conditions that all have to be true; none if there is no condition."""
    if isinstance(condition, ast.Binary) and condition.operator == "AND":
        yield from split(condition.left)
        yield from split(condition.right)
    elif condition is not None:
        yield condition


def join(conditions: Iterable[ast.Expression]) -> ast.Expression | None:
    """All conditions as one; None if there are none."""
    operands = list(conditions)
    return reduce(lambda left, right: ast.Binary("AND", left, right), operands) if operands else None
