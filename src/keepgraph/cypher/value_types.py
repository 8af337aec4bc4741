"""The types of values: which kinds a value may have, as far as that is known before a query runs.

A set of kinds is an integer with one bit for each kind: `kinds & NUMBER` says whether a value may be a number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce

NULL = 1
BOOLEAN = 2
INTEGER = 4
FLOAT = 8
STRING = 16
LIST = 32
MAP = 64
NODE = 128
RELATIONSHIP = 256
PATH = 512
DATE = 1024
LOCAL_TIME = 2048
TIME = 4096
LOCAL_DATETIME = 8192
DATETIME = 16384
DURATION = 32768

NUMBER = INTEGER | FLOAT
TEMPORAL = DATE | LOCAL_TIME | TIME | LOCAL_DATETIME | DATETIME | DURATION
ANY = 65535

DESCRIPTIONS = {
    NULL: "null",
    BOOLEAN: "a boolean",
    INTEGER: "an integer",
    FLOAT: "a float",
    STRING: "a string",
    LIST: "a list",
    MAP: "a map",
    NODE: "a node",
    RELATIONSHIP: "a relationship",
    PATH: "a path",
    DATE: "a date",
    LOCAL_TIME: "a local time",
    TIME: "a time",
    LOCAL_DATETIME: "a local datetime",
    DATETIME: "a datetime",
    DURATION: "a duration",
}


@dataclass(frozen=True, slots=True)
class Type:
    """The type of an expression.

    Attributes:
        kinds: the set of kinds that its value may have, NULL among them where it may be null.
        element: for a list, the type of its elements; None if that is not known.
    """

    kinds: int
    element: Type | None = None

    def __or__(self, other: Type) -> Type:
        """As `union`, but without the elements where the two lists have different ones."""
        element = self.element if self.element == other.element else None
        return Type(self.kinds | other.kinds, element)


UNKNOWN = Type(ANY)

ResultType = Callable[[Sequence[Type]], Type]
"""The type of what a function returns, for arguments of these types."""


def union(left: Type, right: Type) -> Type:
    """The type of a value that is of one type or of the other."""
    if left is right:
        return left
    if not left.kinds & LIST:
        element = right.element
    elif not right.kinds & LIST:
        element = left.element
    elif left.element is None or right.element is None:
        element = None
    else:
        element = union(left.element, right.element)
    return Type(left.kinds | right.kinds, element)


def element_of(source: Type) -> Type:
    """The type of the elements of a list; UNKNOWN if it is not a list, or a list of anything."""
    return source.element or UNKNOWN


# Types of results that depend on the types of the arguments: the tables of functions and aggregates name them


def first_not_null(arguments: Sequence[Type]) -> Type:
    result = reduce(union, arguments)
    if any(not argument.kinds & NULL for argument in arguments):
        return Type(result.kinds & ~NULL, result.element)
    return result


def first_element(arguments: Sequence[Type]) -> Type:
    element = element_of(arguments[0])
    return Type(element.kinds | NULL, element.element)


def same(arguments: Sequence[Type]) -> Type:
    return arguments[0]


def same_or_null(arguments: Sequence[Type]) -> Type:
    return Type(arguments[0].kinds | NULL, arguments[0].element)


def same_list(arguments: Sequence[Type]) -> Type:
    return Type(LIST | NULL, arguments[0].element)


def same_list_or_string(arguments: Sequence[Type]) -> Type:
    return Type(arguments[0].kinds & (LIST | STRING) | NULL, arguments[0].element)


def list_of_first(arguments: Sequence[Type]) -> Type:
    kinds, element = arguments[0].kinds, arguments[0].element
    return Type(LIST, Type(kinds & ~NULL, element) if kinds != NULL else None)


def describe(kinds: int) -> str:
    """The kinds in words, for messages: `an integer or a string`."""
    words = [word for kind, word in DESCRIPTIONS.items() if kinds & kind and kind != NULL] or ["null"]
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


# Types of the arithmetic operators: what may stand on their two sides, and what comes out.


def infer(operator: str, left: Type, right: Type) -> Type | None:
    """The type of `left operator right`; None if no two values of these types can be combined."""
    kinds = _result_kinds(operator, left.kinds, right.kinds)
    if not kinds:
        return None
    return Type(kinds, _concatenated_element(left, right) if kinds & LIST else None)


_INSTANT = TEMPORAL & ~DURATION
_KINDS = tuple(DESCRIPTIONS)

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
        element = added if element is None else union(element, added)
    return element
