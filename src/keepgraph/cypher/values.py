"""Values at run time: nodes, relationships and paths, their kinds and limits, access to parts, three-valued logic.

null is None; booleans, integers, floats, strings, lists and maps are those of Python; the temporal values are in
temporal/types.py. Operators: comparison.py and arithmetic.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from keepgraph.cypher import value_types
from keepgraph.errors import QueryFailed, QueryTooLarge
from keepgraph.temporal import types
from keepgraph.temporal.types import Temporal

Container = TypeVar("Container", list[Any], dict[str, Any])
Value = Any
"""None, bool, int, float, str, list, dict, Node, Relationship, Path or Temporal.

A `range` is a list of integers that is too long to be made; it is never inside another value.
"""

# Limits keep one query from using up the memory.
MAX_LIST_LENGTH: Final = 1_000_000
MAX_STRING_LENGTH: Final = 10_000_000
MAX_NESTING: Final = 100
MIN_INTEGER: Final = -(2**63)
MAX_INTEGER: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Node:
    """A node by its key, a number or a text. Its labels and properties are read from the graph when they are used."""

    id: int | str


@dataclass(frozen=True, slots=True)
class Relationship:
    """A relationship by its key, with the keys of the nodes that it leads from and to."""

    id: int
    start: int | str
    end: int | str


@dataclass(frozen=True, slots=True)
class Path:
    """Nodes and the relationships between them: one more node than relationships."""

    nodes: tuple[Node, ...]
    relationships: tuple[Relationship, ...]


# Kinds

KIND_OF: Final = {
    type(None): value_types.NULL,
    bool: value_types.BOOLEAN,
    int: value_types.INTEGER,
    float: value_types.FLOAT,
    str: value_types.STRING,
    list: value_types.LIST,
    range: value_types.LIST,
    dict: value_types.MAP,
    Node: value_types.NODE,
    Relationship: value_types.RELATIONSHIP,
    Path: value_types.PATH,
}

NUMBER_TYPES: Final = frozenset({int, float})
LIST_TYPES: Final = frozenset({list, range})


def kind_of(value: Value) -> int:
    """The kind of a value, one bit of value_types. The temporal types are loaded when the first value of them comes."""
    kind = KIND_OF.get(type(value))
    if kind is None:
        KIND_OF.update(
            {
                types.Date: value_types.DATE,
                types.LocalTime: value_types.LOCAL_TIME,
                types.Time: value_types.TIME,
                types.LocalDateTime: value_types.LOCAL_DATETIME,
                types.DateTime: value_types.DATETIME,
                types.Duration: value_types.DURATION,
            }
        )
        kind = KIND_OF[type(value)]
    return kind


def describe(value: Value) -> str:
    """A value for a message: its kind, and the value itself if it is a scalar: `an integer (5)`."""
    kind = kind_of(value)
    words = value_types.describe(kind)
    if not kind & (value_types.BOOLEAN | value_types.NUMBER | value_types.STRING):
        return words
    text = repr(value[:31] if kind == value_types.STRING else value)
    if kind == value_types.BOOLEAN:
        text = text.lower()
    return f"{words} ({text if len(text) <= 30 else text[:29] + '…'})"


def wrong_type(subject: str, expected: str, value: Value, *, detail: str = "InvalidArgumentType") -> QueryFailed:
    """The error for a value of a wrong kind.

    Args:
        subject: the operator or function: `range()`.
        expected: what it takes: `a number`.
    """
    return QueryFailed(f"{subject} takes {expected}, but got {describe(value)}", detail=detail)


# Limits


def check_integer(value: int) -> int:
    """The integer itself, if it fits into 64 bits."""
    if MIN_INTEGER <= value <= MAX_INTEGER:
        return value
    raise QueryFailed(
        "an integer goes beyond 64 bits",
        kind="ArithmeticError",
        detail="IntegerOverflow",
        hint="Use floats for numbers this large: toFloat(…).",
    )


def check_string(value: str) -> str:
    """The string itself, if it is not too long."""
    if len(value) <= MAX_STRING_LENGTH:
        return value
    raise QueryTooLarge(f"a string would have {len(value):,} characters; the most is {MAX_STRING_LENGTH:,}")


def check_size(value: Container) -> Container:
    """The list or map itself, if it is not nested too deeply and has not too many elements, inner ones included.

    An inner list that occurs twice is counted twice: it takes memory once, but work and output twice.
    """
    count_elements(value)
    return value


def count_elements(value: Value) -> int:
    """How many elements a value has, inner ones included; 0 for a value that has none.

    Raises:
        QueryTooLarge: there are too many, or it is nested too deeply.
    """
    if type(value) not in CONTAINER_TYPES:
        return 0
    total = 0
    level = [value]
    for _ in range(MAX_NESTING):
        inner: list[Value] = []
        for container in level:
            kind = type(container)
            if kind is Path:
                total += 2 * len(container.relationships)
                continue
            if kind is range:
                raise list_too_long()
            elements = container if kind is list else container.values()
            total += len(elements)
            if total > MAX_LIST_LENGTH:
                raise list_too_long()
            if not CONTAINER_TYPES.isdisjoint(map(type, elements)):
                inner += [element for element in elements if type(element) in CONTAINER_TYPES]
        if not inner:
            return total
        level = inner
    raise QueryTooLarge(f"a value would be nested more than {MAX_NESTING} levels deep")


CONTAINER_TYPES: Final = frozenset({list, dict, range, Path})


def shorten(elements: list[Any] | range) -> list[Any] | range:
    """The same list, as a list and no range if it is short enough."""
    return list(elements) if type(elements) is range and not elements[MAX_LIST_LENGTH:] else elements


def list_too_long() -> QueryTooLarge:
    return QueryTooLarge(f"a value would have more than {MAX_LIST_LENGTH:,} elements, including nested ones")


# Conversion to a string, and access to parts


def to_string(value: Value) -> str:
    """A boolean, a number, a string or a temporal value as toString() writes it."""
    kind = type(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is not float:
        return str(value)
    if not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    text = repr(value)
    if "e" not in text:
        return text
    digits, exponent = text.split("e")
    return f"{digits if '.' in digits else digits + '.0'}E{int(exponent)}"


def index(subject: Value, key: Value) -> Value:
    """`subject[key]` of a list or a map; null if there is none. A negative index counts from the end of the list."""
    if subject is None or key is None:
        return None
    if type(subject) in LIST_TYPES:
        if type(key) is not int:
            raise wrong_type("The index of a list", "an integer", key, detail="ListElementAccessByNonInteger")
        return subject[key] if -len(subject) <= key < len(subject) else None
    if type(subject) is dict:
        if type(key) is not str:
            raise wrong_type("The key of a map", "a string", key, detail="MapElementAccessByNonString")
        return subject.get(key)
    raise wrong_type("[…]", "a list or a map", subject)


def slice_list(elements: Value, start: Value, end: Value) -> list[Value] | range | None:
    """`elements[start..end]`; null if a bound is null. A bound that is left out is 0 or NO_END."""
    if elements is None or start is None or end is None:
        return None
    if type(elements) not in LIST_TYPES:
        raise wrong_type("[…..…]", "a list", elements)
    for bound in (start, end):
        if type(bound) is not int:
            raise wrong_type("The bound of a slice", "an integer", bound)
    return shorten(elements[start:end])


NO_END: Final = MAX_INTEGER
"""The end of a slice that is written without one."""


def get_property(value: Value, key: str) -> Value:
    """`value.key` of a map, a temporal value or a text that is an instant; null for null."""
    if type(value) is dict:
        return value.get(key)
    if value is None:
        return None
    if type(value) is str:
        from keepgraph.temporal import iso8601

        value = iso8601.read_instant(value) or value
    if isinstance(value, Temporal):
        from keepgraph.temporal import operations

        return operations.component(value, key)
    raise wrong_type(f".{key}", "a node, a relationship, a map or a temporal value", value)


# Three-valued logic


def and_(a: Value, b: Value) -> bool | None:
    if a is True and b is True:
        return True
    _check_booleans("AND", a, b)
    return False if a is False or b is False else None


def or_(a: Value, b: Value) -> bool | None:
    if a is False and b is False:
        return False
    _check_booleans("OR", a, b)
    return True if a is True or b is True else None


def xor(a: Value, b: Value) -> bool | None:
    _check_booleans("XOR", a, b)
    return None if a is None or b is None else a is not b


def not_(a: Value) -> bool | None:
    if type(a) is bool:
        return not a
    _check_booleans("NOT", a)
    return None


def check_condition(value: Value) -> bool | None:
    """The value itself, if it is a boolean or null, as a condition must be."""
    if value is None or type(value) is bool:
        return value
    raise wrong_type("A condition", "a boolean", value)


def _check_booleans(operator: str, *values: Value) -> None:
    for value in values:
        if value is not None and type(value) is not bool:
            raise wrong_type(operator, "booleans" if len(values) > 1 else "a boolean", value)
