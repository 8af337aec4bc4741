"""Functions that SQL statements of ours call back into Python for. Knows no statement and no connection.

Values cross as SQLite has them; a boolean crosses as the blob 00 or 01. What cannot cross is refused, and Python
runs the query instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from keepgraph.cypher import functions, value_types, values

PREFIX = "cypher_"
SCALARS = value_types.NULL | value_types.BOOLEAN | value_types.INTEGER | value_types.FLOAT | value_types.STRING
TRUE, FALSE = b"\x01", b"\x00"

_GREATEST = 2**63 - 1


class CannotCross(ValueError):
    """This value has no place in SQLite."""


def function(name: str) -> Callable[..., Any]:
    """The Python function behind a name that a statement uses, without the prefix."""
    return _crossing(_OPERATORS.get(name) or functions.FUNCTIONS[name].run)


def expressible(name: str) -> functions.Function | None:
    """A function of openCypher's that takes and gives what SQLite has, and depends on nothing else."""
    found = functions.find(name)
    if found is None or found.needs or found.gives & ~SCALARS:
        return None
    return found


def inexact(*_: Any) -> Any:
    """Called by a statement that met a value it cannot compare exactly."""
    raise CannotCross


def _crossing(compute: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        found = compute(*[each == TRUE if type(each) is bytes else each for each in arguments])
        kind = type(found)
        if found is None or kind is str:
            return found
        if kind is bool:
            return TRUE if found else FALSE
        if kind is int and -_GREATEST - 1 <= found <= _GREATEST:
            return found
        if kind is float and not math.isnan(found):
            return found
        raise CannotCross

    return call


_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": values.add,
    "subtract": values.subtract,
    "multiply": values.multiply,
    "divide": values.divide,
    "modulo": values.modulo,
    "power": values.power,
    "negate": values.negate,
    "plus": values.plus,
    "starts_with": values.starts_with,
    "ends_with": values.ends_with,
    "contains": values.contains,
    "matches": values.matches,
    "inexact": inexact,
}
