"""Arithmetic of values: `+`, `-`, `*`, `/`, `%` and `^`. If an operand is null, so is the result."""

from __future__ import annotations

import math
from typing import Final

from keepgraph.cypher import values
from keepgraph.cypher.values import (
    LIST_TYPES,
    MAX_LIST_LENGTH,
    NUMBER_TYPES,
    Value,
    check_integer,
    check_size,
    check_string,
    to_string,
)
from keepgraph.errors import QueryFailed, QueryTooLarge
from keepgraph.temporal.types import Temporal


def add(left: Value, right: Value) -> Value:
    """`a + b`: numbers, strings, a string and a number, lists, a list and an element, temporal values and durations."""
    left_type, right_type = type(left), type(right)
    if left_type is int and right_type is int:
        return check_integer(left + right)
    if left_type in NUMBER_TYPES and right_type in NUMBER_TYPES:
        return left + right
    if left is None or right is None:
        return None
    if left_type in LIST_TYPES or right_type in LIST_TYPES:
        return _concatenate(left, right)
    if left_type is str and right_type in _CONCATENABLE_TYPES:
        return check_string(left + (right if right_type is str else to_string(right)))
    if right_type is str and left_type in _CONCATENABLE_TYPES:
        return check_string(to_string(left) + right)
    if isinstance(left, Temporal) and isinstance(right, Temporal):
        from keepgraph.temporal import operations

        return operations.add(left, right)
    if (instant := _instant_beside(left, right)) is not None:
        return add(instant, right)
    if (instant := _instant_beside(right, left)) is not None:
        return add(left, instant)
    raise _operands_error("+", left, right)


_CONCATENABLE_TYPES: Final = frozenset({str, int, float})


def _concatenate(left: Value, right: Value) -> list[Value]:
    front = left if type(left) in LIST_TYPES else [left]
    back = right if type(right) in LIST_TYPES else [right]
    if len(front) + len(back) > MAX_LIST_LENGTH:
        raise QueryTooLarge(f"a list would have {len(front) + len(back):,} elements; the most is {MAX_LIST_LENGTH:,}")
    return check_size(front + back)


def subtract(left: Value, right: Value) -> Value:
    """`a - b`: numbers, a temporal value and a duration, two durations."""
    left_type, right_type = type(left), type(right)
    if left_type is int and right_type is int:
        return check_integer(left - right)
    if left_type in NUMBER_TYPES and right_type in NUMBER_TYPES:
        return left - right
    if left is None or right is None:
        return None
    if isinstance(left, Temporal) and isinstance(right, Temporal):
        from keepgraph.temporal import operations

        return operations.subtract(left, right)
    if (instant := _instant_beside(left, right)) is not None:
        return subtract(instant, right)
    raise _operands_error("-", left, right)


def _instant_beside(text: Value, duration: Value) -> Value:
    """The day or the instant that a text is, beside a duration; None for other values."""
    if type(text) is not str or not isinstance(duration, Temporal):
        return None
    from keepgraph.temporal import iso8601, types

    return iso8601.read_instant(text) if isinstance(duration, types.Duration) else None


def multiply(left: Value, right: Value) -> Value:
    """`a * b`: numbers, a duration and a number."""
    left_type, right_type = type(left), type(right)
    if left_type is int and right_type is int:
        return check_integer(left * right)
    if left_type in NUMBER_TYPES and right_type in NUMBER_TYPES:
        return left * right
    if left is None or right is None:
        return None
    if isinstance(right, Temporal):
        left, right, right_type = right, left, left_type
    if isinstance(left, Temporal) and right_type in NUMBER_TYPES:
        from keepgraph.temporal import operations

        return operations.multiply(left, right)
    raise _operands_error("*", left, right)


def divide(left: Value, right: Value) -> Value:
    """`a / b`. Two integers give an integer, truncated towards zero; floats may give an infinity or NaN."""
    left_type, right_type = type(left), type(right)
    if left_type is int and right_type is int:
        return check_integer(_truncated_quotient(left, right))
    if left_type in NUMBER_TYPES and right_type in NUMBER_TYPES:
        return left / right if right else _divide_by_zero(float(left), right)
    if left is None or right is None:
        return None
    if isinstance(left, Temporal) and right_type in NUMBER_TYPES:
        from keepgraph.temporal import operations

        return operations.divide(left, right)
    raise _operands_error("/", left, right)


def _truncated_quotient(left: int, right: int) -> int:
    if right == 0:
        raise _division_by_zero_error()
    size = abs(left) // abs(right)
    return size if (left < 0) == (right < 0) else -size


def _divide_by_zero(left: float, zero: float) -> float:
    if left == 0 or left != left:
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, zero)


def modulo(left: Value, right: Value) -> Value:
    """`a % b`: the remainder, with the sign of `a`."""
    left_type, right_type = type(left), type(right)
    if left_type is int and right_type is int:
        return left - right * _truncated_quotient(left, right)
    if left_type in NUMBER_TYPES and right_type in NUMBER_TYPES:
        return math.fmod(left, right) if right and math.isfinite(left) else math.nan
    if left is None or right is None:
        return None
    raise _operands_error("%", left, right)


def power(left: Value, right: Value) -> float | None:
    """`a ^ b`: always a float; infinite if it overflows, NaN if it is not a real number."""
    if type(left) in NUMBER_TYPES and type(right) in NUMBER_TYPES:
        try:
            return math.pow(left, right)
        except OverflowError:
            return -math.inf if left < 0 and right % 2 == 1 else math.inf
        except ValueError:
            if left == 0:
                return math.copysign(math.inf, left) if right % 2 == 1 else math.inf
            return math.nan
    if left is None or right is None:
        return None
    raise _operands_error("^", left, right)


def negate(left: Value) -> Value:
    """`-a`"""
    left_type = type(left)
    if left_type is int:
        return check_integer(-left)
    if left_type is float:
        return -left
    if left is None:
        return None
    raise values.wrong_type("-", "a number", left)


def plus(left: Value) -> Value:
    """`+a`"""
    if left is None or type(left) in NUMBER_TYPES:
        return left
    raise values.wrong_type("+", "a number", left)


# Errors


def _operands_error(operator: str, left: Value, right: Value) -> QueryFailed:
    return QueryFailed(
        f"{operator} does not go with {values.describe(left)} and {values.describe(right)}",
        detail="InvalidArgumentType",
        hint=_BETWEEN_HINT if operator == "-" and (isinstance(left, Temporal) or type(left) is str) else None,
    )


_BETWEEN_HINT: Final = "The time from one instant to another is duration.between(from, to)."


def _division_by_zero_error() -> QueryFailed:
    return QueryFailed(
        "division of an integer by zero",
        kind="ArithmeticError",
        detail="DivisionByZero",
        hint="Exclude rows where the divisor is 0, or divide floats: toFloat(…).",
    )
