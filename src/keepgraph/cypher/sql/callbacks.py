"""Callbacks: the Python functions that our SQL statements call.

Values are passed as SQLite has them; a boolean is passed as the blob 00 or 01. A value that cannot be passed exactly
raises CannotCross, and the interpreter runs the query instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from keepgraph.cypher import arithmetic, comparison, functions
from keepgraph.cypher.sql.blocks import MAX_INTEGER

PREFIX = "cypher_"
TRUE, FALSE = b"\x01", b"\x00"


class CannotCross(ValueError):
    """This value has no exact counterpart in SQLite."""


def function(name: str) -> Callable[..., Any]:
    """The Python function behind a name that a statement calls, without the prefix."""
    return _convert_arguments_and_result(_OPERATORS.get(name) or functions.FUNCTIONS[name].run)


def inexact(*_: Any) -> Any:
    """Called by a statement that met a value which it cannot treat exactly."""
    raise CannotCross


def _convert_arguments_and_result(compute: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        result = compute(*[argument == TRUE if type(argument) is bytes else argument for argument in arguments])
        kind = type(result)
        if result is None or kind is str:
            return result
        if kind is bool:
            return TRUE if result else FALSE
        if kind is int and -MAX_INTEGER - 1 <= result <= MAX_INTEGER:
            return result
        if kind is float and not math.isnan(result):
            return result
        raise CannotCross

    return call


_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": arithmetic.add,
    "subtract": arithmetic.subtract,
    "multiply": arithmetic.multiply,
    "divide": arithmetic.divide,
    "modulo": arithmetic.modulo,
    "power": arithmetic.power,
    "negate": arithmetic.negate,
    "plus": arithmetic.plus,
    "starts_with": comparison.starts_with,
    "ends_with": comparison.ends_with,
    "contains": comparison.contains,
    "matches": comparison.matches,
    "inexact": inexact,
}
