"""Values at run time: nodes, relationships and paths, and how values compare and compute. Knows no graph.

null is None; booleans, integers, floats, strings, lists and maps are those of Python; temporal values: temporal/types.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Any, Final, TypeVar

from keepgraph.cypher import regex, value_types
from keepgraph.errors import QueryFailed, QueryTooLarge
from keepgraph.temporal.base import Temporal

V = TypeVar("V", list[Any], dict[str, Any])
Value = Any
"""None, bool, int, float, str, list, dict, Node, Relationship, Path or Temporal."""

LONGEST_LIST: Final = 1_000_000
LONGEST_STRING: Final = 10_000_000
DEEPEST_VALUE: Final = 100
LEAST_INTEGER: Final = -(2**63)
GREATEST_INTEGER: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Node:
    """A node, by its key in the graph: a number, or a text; labels and properties are asked of the graph."""

    id: int | str


@dataclass(frozen=True, slots=True)
class Relationship:
    """A relationship, by its number in the graph, with the numbers of the nodes that it leads from and to."""

    id: int
    start: int | str
    end: int | str


@dataclass(frozen=True, slots=True)
class Path:
    """Nodes and the relationships between them; one node more than relationships."""

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
    dict: value_types.MAP,
    Node: value_types.NODE,
    Relationship: value_types.RELATIONSHIP,
    Path: value_types.PATH,
}


def kind_of(value: Value) -> int:
    kind = KIND_OF.get(type(value))
    if kind is None:
        from keepgraph.temporal import types

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


def described(value: Value) -> str:
    """The value for a message: its kind, and what it is where that is short: `an integer (5)`."""
    kind = kind_of(value)
    words = value_types.described(kind)
    if not kind & (value_types.BOOLEAN | value_types.NUMBER | value_types.STRING):
        return words
    text = repr(value[:31] if kind == value_types.STRING else value)
    if kind == value_types.BOOLEAN:
        text = text.lower()
    return f"{words} ({text if len(text) <= 30 else text[:29] + '…'})"


# Equality and comparison, in three values

PLAIN: Final = frozenset({bool, int, float, str})
NUMBERS: Final = frozenset({int, float})
COMPARISONS: Final = {"<": lt, "<=": le, ">": gt, ">=": ge}


def equal(a: Value, b: Value) -> bool | None:
    """`a = b`. Values of different kinds differ, but for 1 = 1.0; null anywhere inside may leave it unknown."""
    if a is None or b is None:
        return None
    kind, other = type(a), type(b)
    if kind is not other:
        if kind in NUMBERS and other in NUMBERS:
            return bool(a == b)
        if isinstance(a, Temporal) and isinstance(b, Temporal):
            return _equal_temporals(a, b)
        return False
    if kind in PLAIN:
        return bool(a == b)
    if kind is list:
        return _equal_lists(a, b)
    if kind is dict:
        if a.keys() != b.keys():
            return False
        return _equal_lists(list(a.values()), [b[key] for key in a])
    if kind is Path:
        return _elements(a) == _elements(b)
    if isinstance(a, Temporal):
        return _equal_temporals(a, b)
    return bool(a.id == b.id)


def _equal_lists(a: list[Value], b: list[Value]) -> bool | None:
    if len(a) != len(b):
        return False
    known = True
    for one, other in zip(a, b, strict=True):
        same = equal(one, other)
        if same is False:
            return False
        known = known and same is True
    return True if known else None


def _equal_temporals(a: Temporal, b: Temporal) -> bool | None:
    from keepgraph.temporal import operations

    return operations.equal(a, b)


def _elements(path: Path) -> tuple[int | str, ...]:
    """The numbers of its nodes and relationships by turns."""
    numbers = [path.nodes[0].id]
    for relationship, node in zip(path.relationships, path.nodes[1:], strict=True):
        numbers += (relationship.id, node.id)
    return tuple(numbers)


def compare(operator: str, a: Value, b: Value) -> bool | None:
    """`a < b`, `<=`, `>` or `>=`. Null where the two do not compare; false where one is NaN."""
    kind, other = type(a), type(b)
    if (kind in NUMBERS and other in NUMBERS) or (kind is other and kind in PLAIN):
        return bool(COMPARISONS[operator](a, b))
    if kind is list and other is list:
        return _compare_lists(operator, a, b)
    if isinstance(a, Temporal) and isinstance(b, Temporal):
        from keepgraph.temporal import operations

        order = operations.compare(a, b)
        return None if order is None else bool(COMPARISONS[operator](order, 0))
    return None


def _compare_lists(operator: str, a: list[Value], b: list[Value]) -> bool | None:
    """As words in a dictionary: the first place where they differ decides, then the length."""
    for one, other in zip(a, b, strict=False):
        same = equal(one, other)
        if same is None:
            return None
        if not same:
            return compare(operator[0], one, other)
    return bool(COMPARISONS[operator](len(a), len(b)))


def is_in(value: Value, elements: Value) -> bool | None:
    """`value IN elements`"""
    if elements is None:
        return None
    if type(elements) is not list:
        raise wrong("IN", "a list on its right", elements)
    known = True
    for element in elements:
        same = equal(value, element)
        if same:
            return True
        known = known and same is False
    return False if known else None


# Strings


def starts_with(a: Value, b: Value) -> bool | None:
    return a.startswith(b) if type(a) is str and type(b) is str else None


def ends_with(a: Value, b: Value) -> bool | None:
    return a.endswith(b) if type(a) is str and type(b) is str else None


def contains(a: Value, b: Value) -> bool | None:
    return b in a if type(a) is str and type(b) is str else None


def matches(a: Value, pattern: Value) -> bool | None:
    """`a =~ pattern`, of the whole string. In time that grows with its length alone, whatever the pattern."""
    return regex.compiled(pattern)(a) if type(a) is str and type(pattern) is str else None


# The order of all values, and their groups

# 0 maps, 1 nodes, 2 relationships, 3 lists, 4 paths, 11 strings, 12 booleans, 13 numbers; and between them:
TEMPORAL_RANK: Final = {
    value_types.DATETIME: 5,
    value_types.LOCAL_DATETIME: 6,
    value_types.DATE: 7,
    value_types.TIME: 8,
    value_types.LOCAL_TIME: 9,
    value_types.DURATION: 10,
}
NAN: Final = (14,)
NULL: Final = (15,)


def sort_key(value: Value) -> tuple[Any, ...]:
    """A key for Python's sort: any two values have an order, kinds first.

    Maps are ordered by size, then by their keys, then by their values; NaN is the greatest number, null the last.
    """
    kind = type(value)
    if kind is str:
        return (11, value)
    if kind is int:
        return (13, value)
    if kind is float:
        return (13, value) if value == value else NAN
    if value is None:
        return NULL
    if kind is bool:
        return (12, value)
    if kind is list:
        return (3, tuple(map(sort_key, value)))
    if kind is dict:
        keys = sorted(value)
        return (0, len(keys), tuple(keys), tuple(sort_key(value[key]) for key in keys))
    if kind is Node:
        return (1, type(value.id) is str, value.id)
    if kind is Relationship:
        return (2, value.id)
    if kind is Path:
        return (4, tuple((type(each) is str, each) for each in _elements(value)))
    from keepgraph.temporal import operations

    return (TEMPORAL_RANK[kind_of(value)], operations.sort_key(value))


def group_key(value: Value) -> Any:
    """A hashable key: the same for two values if DISTINCT takes them for one. 1 and 1.0 are one, as null and null."""
    kind = type(value)
    if kind is str or kind is int or value is None:
        return value
    if kind is float:
        return value if value == value else NAN
    if kind is bool:
        return (12, value)
    if kind is Node:
        return (1, value.id)
    if kind is Relationship:
        return (2, value.id)
    if kind is list:
        return (3, *map(group_key, value))
    if kind is dict:
        return (0, frozenset((key, group_key(entry)) for key, entry in value.items()))
    if kind is Path:
        return (4, _elements(value))
    from keepgraph.temporal import operations

    return (TEMPORAL_RANK[kind_of(value)], operations.group_key(value))


# Arithmetic. Null in, null out.


def add(a: Value, b: Value) -> Value:
    """`a + b`: numbers, strings, a string and a number, lists, a list and an element, temporal values and durations."""
    kind, other = type(a), type(b)
    if kind is int and other is int:
        return integer(a + b)
    if kind in NUMBERS and other in NUMBERS:
        return a + b
    if a is None or b is None:
        return None
    if kind is list or other is list:
        return _joined(a, b)
    if kind is str and other in TEXTS:
        return string(a + (b if other is str else text(b)))
    if other is str and kind in TEXTS:
        return string(text(a) + b)
    if isinstance(a, Temporal) and isinstance(b, Temporal):
        from keepgraph.temporal import operations

        return operations.add(a, b)
    raise _cannot("+", a, b)


TEXTS: Final = frozenset({str, int, float})


def _joined(a: Value, b: Value) -> list[Value]:
    front = a if type(a) is list else [a]
    back = b if type(b) is list else [b]
    if len(front) + len(back) > LONGEST_LIST:
        raise QueryTooLarge(f"a list would have {len(front) + len(back):,} elements; the most is {LONGEST_LIST:,}")
    return bounded(front + back)


def subtract(a: Value, b: Value) -> Value:
    kind, other = type(a), type(b)
    if kind is int and other is int:
        return integer(a - b)
    if kind in NUMBERS and other in NUMBERS:
        return a - b
    if a is None or b is None:
        return None
    if isinstance(a, Temporal) and isinstance(b, Temporal):
        from keepgraph.temporal import operations

        return operations.subtract(a, b)
    raise _cannot("-", a, b)


def multiply(a: Value, b: Value) -> Value:
    kind, other = type(a), type(b)
    if kind is int and other is int:
        return integer(a * b)
    if kind in NUMBERS and other in NUMBERS:
        return a * b
    if a is None or b is None:
        return None
    if isinstance(b, Temporal):
        a, b, other = b, a, kind
    if isinstance(a, Temporal) and other in NUMBERS:
        from keepgraph.temporal import operations

        return operations.multiply(a, b)
    raise _cannot("*", a, b)


def divide(a: Value, b: Value) -> Value:
    """`a / b`. Of two integers it is an integer, cut off towards zero; of floats it may be infinite or NaN."""
    kind, other = type(a), type(b)
    if kind is int and other is int:
        return integer(_quotient(a, b))
    if kind in NUMBERS and other in NUMBERS:
        return a / b if b else _by_zero(float(a), b)
    if a is None or b is None:
        return None
    if isinstance(a, Temporal) and other in NUMBERS:
        from keepgraph.temporal import operations

        return operations.divide(a, b)
    raise _cannot("/", a, b)


def _quotient(a: int, b: int) -> int:
    if b == 0:
        raise _division_by_zero()
    size = abs(a) // abs(b)
    return size if (a < 0) == (b < 0) else -size


def _by_zero(a: float, zero: float) -> float:
    if a == 0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, zero)


def modulo(a: Value, b: Value) -> Value:
    """`a % b`: the remainder, with the sign of `a`."""
    kind, other = type(a), type(b)
    if kind is int and other is int:
        return a - b * _quotient(a, b)
    if kind in NUMBERS and other in NUMBERS:
        return math.fmod(a, b) if b and math.isfinite(a) else math.nan
    if a is None or b is None:
        return None
    raise _cannot("%", a, b)


def power(a: Value, b: Value) -> float | None:
    """`a ^ b`: a float, always; infinite when too large, NaN when it is no real number."""
    if type(a) in NUMBERS and type(b) in NUMBERS:
        try:
            return math.pow(a, b)
        except OverflowError:
            return -math.inf if a < 0 and b % 2 == 1 else math.inf
        except ValueError:
            if a == 0:
                return math.copysign(math.inf, a) if b % 2 == 1 else math.inf
            return math.nan
    if a is None or b is None:
        return None
    raise _cannot("^", a, b)


def negate(a: Value) -> Value:
    kind = type(a)
    if kind is int:
        return integer(-a)
    if kind is float:
        return -a
    if a is None:
        return None
    raise wrong("-", "a number", a)


def plus(a: Value) -> Value:
    """`+a`"""
    if a is None or type(a) in NUMBERS:
        return a
    raise wrong("+", "a number", a)


def integer(value: int) -> int:
    """The same, if 64 bits hold it."""
    if LEAST_INTEGER <= value <= GREATEST_INTEGER:
        return value
    raise QueryFailed(
        "an integer goes beyond 64 bits",
        kind="ArithmeticError",
        detail="IntegerOverflow",
        hint="Compute with floats where numbers are as large as that: toFloat(…).",
    )


def string(value: str) -> str:
    """The same, if it is not too long."""
    if len(value) <= LONGEST_STRING:
        return value
    raise QueryTooLarge(f"a string would have {len(value):,} characters; the most is {LONGEST_STRING:,}")


def bounded(value: V) -> V:
    """The same, a list or a map, if it has not too many elements, however deep, and is not nested too deeply.

    A list that holds another one twice takes no more room than once, until somebody goes through it.
    """
    count(value)
    return value


def count(value: Value) -> int:
    """How many elements a value has, those of its elements with them, each wherever it stands."""
    if type(value) not in CONTAINERS:
        return 0
    found = 0
    level = [value]
    for _ in range(DEEPEST_VALUE):
        inner: list[Value] = []
        for each in level:
            kind = type(each)
            if kind is Path:
                found += 2 * len(each.relationships)
                continue
            elements = each if kind is list else each.values()
            found += len(elements)
            if found > LONGEST_LIST:
                raise QueryTooLarge(f"a value would have more than {LONGEST_LIST:,} elements, those inside counted")
            if not CONTAINERS.isdisjoint(map(type, elements)):
                inner += [element for element in elements if type(element) in CONTAINERS]
        if not inner:
            return found
        level = inner
    raise QueryTooLarge(f"a value would be nested more than {DEEPEST_VALUE} levels deep")


CONTAINERS: Final = frozenset({list, dict, Path})


def text(value: Value) -> str:
    """A boolean, a number, a string or a temporal value as toString() has it."""
    kind = type(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is not float:
        return str(value)
    if not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    written = repr(value)
    if "e" not in written:
        return written
    digits, exponent = written.split("e")
    return f"{digits if '.' in digits else digits + '.0'}E{int(exponent)}"


# Parts of values


def index(subject: Value, key: Value) -> Value:
    """`subject[key]` of a list or a map; null where there is none. Counts from the end where the key is negative."""
    if subject is None or key is None:
        return None
    if type(subject) is list:
        if type(key) is not int:
            raise wrong("The index of a list", "an integer", key, detail="ListElementAccessByNonInteger")
        return subject[key] if -len(subject) <= key < len(subject) else None
    if type(subject) is dict:
        if type(key) is not str:
            raise wrong("The key of a map", "a string", key, detail="MapElementAccessByNonString")
        return subject.get(key)
    raise wrong("[…]", "a list or a map", subject)


def slice_(elements: Value, start: Value, end: Value) -> list[Value] | None:
    """`elements[start..end]`. A null end is unknown: for an open one, pass 0 or OPEN."""
    if elements is None or start is None or end is None:
        return None
    if type(elements) is not list:
        raise wrong("[…..…]", "a list", elements)
    for bound in (start, end):
        if type(bound) is not int:
            raise wrong("The bound of a slice", "an integer", bound)
    return elements[start:end]


OPEN: Final = GREATEST_INTEGER
"""The end of a slice that has none."""


def property_of(value: Value, key: str) -> Value:
    """`value.key` of a map or a temporal value; of null, null."""
    if type(value) is dict:
        return value.get(key)
    if value is None:
        return None
    if isinstance(value, Temporal):
        from keepgraph.temporal import operations

        return operations.component(value, key)
    raise wrong(f".{key}", "a node, a relationship, a map or a temporal value", value)


# Three-valued logic


def and_(a: Value, b: Value) -> bool | None:
    if a is True and b is True:
        return True
    _booleans("AND", a, b)
    return False if a is False or b is False else None


def or_(a: Value, b: Value) -> bool | None:
    if a is False and b is False:
        return False
    _booleans("OR", a, b)
    return True if a is True or b is True else None


def xor(a: Value, b: Value) -> bool | None:
    _booleans("XOR", a, b)
    return None if a is None or b is None else a is not b


def not_(a: Value) -> bool | None:
    if type(a) is bool:
        return not a
    _booleans("NOT", a)
    return None


def truth(value: Value) -> bool | None:
    """The same, if it is a truth value: what stands in WHERE must be one."""
    if value is None or type(value) is bool:
        return value
    raise wrong("A condition", "a boolean", value)


def _booleans(operator: str, *values: Value) -> None:
    for value in values:
        if value is not None and type(value) is not bool:
            raise wrong(operator, "booleans" if len(values) > 1 else "a boolean", value)


# Errors


def wrong(what: str, wanted: str, value: Value, *, detail: str = "InvalidArgumentType") -> QueryFailed:
    """The error that a value is of a wrong kind."""
    return QueryFailed(f"{what} wants {wanted}, and got {described(value)}", detail=detail)


def _cannot(operator: str, a: Value, b: Value) -> QueryFailed:
    return QueryFailed(
        f"{operator} does not go with {described(a)} and {described(b)}",
        detail="InvalidArgumentType",
    )


def _division_by_zero() -> QueryFailed:
    return QueryFailed(
        "an integer is divided by zero",
        kind="ArithmeticError",
        detail="DivisionByZero",
        hint="Leave out the rows where the divisor is 0, or divide floats: toFloat(…).",
    )
