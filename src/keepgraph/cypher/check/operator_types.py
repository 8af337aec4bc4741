"""Types of the arithmetic operators: what may stand on their two sides, and what comes out."""

from __future__ import annotations

from functools import lru_cache

from keepgraph.cypher import value_types
from keepgraph.cypher.value_types import ANY, DURATION, FLOAT, INTEGER, LIST, NULL, NUMBER, STRING, TEMPORAL, Type


def infer(operator: str, left: Type, right: Type) -> Type | None:
    """The type of `left operator right`; None if no two values of these types can be combined."""
    kinds = _result_kinds(operator, left.kinds, right.kinds)
    if not kinds:
        return None
    return Type(kinds, _concatenated_element(left, right) if kinds & LIST else None)


_INSTANT = TEMPORAL & ~DURATION
_KINDS = tuple(value_types.DESCRIPTIONS)

SIGNATURES: dict[str, tuple[tuple[int, int, int], ...]] = {
    "+": (
        (INTEGER, INTEGER, INTEGER),
        (NUMBER, FLOAT, FLOAT),
        (FLOAT, NUMBER, FLOAT),
        (STRING, STRING | NUMBER, STRING),
        (NUMBER, STRING, STRING),
        (_INSTANT, DURATION, 0),
        (DURATION, DURATION, DURATION),
        *((DURATION, instant, instant) for instant in _KINDS if instant & _INSTANT),
        (LIST, ANY, LIST),
        (ANY, LIST, LIST),
    ),
    "-": (
        (INTEGER, INTEGER, INTEGER),
        (NUMBER, FLOAT, FLOAT),
        (FLOAT, NUMBER, FLOAT),
        (TEMPORAL, DURATION, 0),
    ),
    "*": (
        (INTEGER, INTEGER, INTEGER),
        (NUMBER, FLOAT, FLOAT),
        (FLOAT, NUMBER, FLOAT),
        (DURATION, NUMBER, DURATION),
        (NUMBER, DURATION, DURATION),
    ),
    "/": (
        (INTEGER, INTEGER, INTEGER),
        (NUMBER, FLOAT, FLOAT),
        (FLOAT, NUMBER, FLOAT),
        (DURATION, NUMBER, DURATION),
    ),
    "%": (
        (INTEGER, INTEGER, INTEGER),
        (NUMBER, FLOAT, FLOAT),
        (FLOAT, NUMBER, FLOAT),
    ),
    "^": ((NUMBER, NUMBER, FLOAT),),
}
"""For each operator: the kinds of its left operand, its right operand, and the result; 0 for those of the left."""


@lru_cache(maxsize=4096)
def _result_kinds(operator: str, left: int, right: int) -> int:
    """The kinds that the result may have; 0 if there are none."""
    if left == NULL or right == NULL:
        return NULL
    result = 0
    for left_kinds, right_kinds, result_kinds in SIGNATURES[operator]:
        if left & ~NULL & left_kinds and right & ~NULL & right_kinds:
            result |= result_kinds or left & left_kinds
    return (left | right) & NULL | result if result else 0


def _concatenated_element(left: Type, right: Type) -> Type | None:
    """The type of the elements of `list + list`, `list + element` or `element + list`."""
    element: Type | None = None
    for operand in (left, right):
        if not operand.kinds & LIST:
            added: Type | None = operand
        else:
            added = operand.element if operand.kinds & ~NULL == LIST else None
        if added is None:
            return None
        element = added if element is None else value_types.union(element, added)
    return element
