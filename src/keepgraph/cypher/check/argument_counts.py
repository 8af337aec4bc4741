"""Checks how many arguments the call of a function or an aggregate has."""

from __future__ import annotations

from keepgraph.cypher.aggregates import Aggregate
from keepgraph.cypher.functions import Function
from keepgraph.cypher.syntax import ast
from keepgraph.errors import QueryInconsistent


def check(call: ast.Call, function: Function | Aggregate) -> None:
    """Checks that a call has as many arguments as its function takes."""
    count = len(call.arguments)
    least, most = function.min_arguments, function.max_arguments
    if count < least or (most is not None and count > most):
        raise QueryInconsistent(
            f"{function.name}() takes {_describe(least, most)}, and is given {count}",
            detail="InvalidNumberOfArguments",
            span=call.span,
        )


def _describe(least: int, most: int | None) -> str:
    if most == 0:
        return "no argument"
    if most == least:
        return f"{least} argument{'s' if least > 1 else ''}"
    return f"at least {least} arguments" if most is None else f"{least} to {most} arguments"
