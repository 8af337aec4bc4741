"""Comparison of values: equality, `<`, IN, string predicates, the order of all values, and the keys of groups.

Comparisons are three-valued: they give True, False, or None for openCypher's null, which means unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from operator import ge, gt, le, lt
from typing import Any, Final

from keepgraph.cypher import value_types, values
from keepgraph.cypher.values import LIST_TYPES, NUMBER_TYPES, Node, Path, Relationship, Value, kind_of
from keepgraph.errors import QueryFailed, QueryTooLarge, QueryUnsupported
from keepgraph.temporal.types import Temporal

_SCALAR_TYPES: Final = frozenset({bool, int, float, str})
_OPERATORS: Final = {"<": lt, "<=": le, ">": gt, ">=": ge}


def equal(left: Value, right: Value) -> bool | None:
    """`a = b`. Values of different kinds are different, except that 1 = 1.0. A null inside a value can make it None."""
    if left is None or right is None:
        return None
    left_type, right_type = type(left), type(right)
    if left_type is not right_type:
        if left_type in NUMBER_TYPES and right_type in NUMBER_TYPES:
            return bool(left == right)
        if isinstance(left, Temporal) or isinstance(right, Temporal):
            return _equal_temporals(left, right)
        return False  # a range is longer than any list
    if left_type in _SCALAR_TYPES or left_type is range:
        return bool(left == right)
    if left_type is list:
        return _equal_lists(left, right)
    if left_type is dict:
        if left.keys() != right.keys():
            return False
        return _equal_lists(list(left.values()), [right[key] for key in left])
    if left_type is Path:
        return _path_ids(left) == _path_ids(right)
    if isinstance(left, Temporal):
        return _equal_temporals(left, right)
    return bool(left.id == right.id)


def _equal_lists(left: list[Value], right: list[Value]) -> bool | None:
    if len(left) != len(right):
        return False
    unknown = False
    for left_element, right_element in zip(left, right, strict=True):
        same = equal(left_element, right_element)
        if same is False:
            return False
        unknown = unknown or same is None
    return None if unknown else True


def _equal_temporals(left: Value, right: Value) -> bool | None:
    """Two values, at least one of them temporal; a text is read as a day or an instant."""
    from keepgraph.temporal import iso8601, operations

    if type(left) is str or type(right) is str:
        return iso8601.equal(left, right)
    return operations.equal(left, right)


def _path_ids(path: Path) -> tuple[int | str, ...]:
    """The ids of its nodes and relationships, alternating."""
    ids = [path.nodes[0].id]
    for relationship, node in zip(path.relationships, path.nodes[1:], strict=True):
        ids += (relationship.id, node.id)
    return tuple(ids)


def compare(operator: str, left: Value, right: Value) -> bool | None:
    """`a < b`, `<=`, `>` or `>=`. None if the two cannot be compared; False if one is NaN."""
    left_type, right_type = type(left), type(right)
    if (left_type in NUMBER_TYPES and right_type in NUMBER_TYPES) or (
        left_type is right_type and left_type in _SCALAR_TYPES
    ):
        return bool(_OPERATORS[operator](left, right))
    if left_type in LIST_TYPES and right_type in LIST_TYPES:
        return _compare_lists(operator, left, right)
    if isinstance(left, Temporal) or isinstance(right, Temporal):
        from keepgraph.temporal import iso8601, operations

        is_text = left_type is str or right_type is str
        order = iso8601.order(left, right) if is_text else operations.compare(left, right)
        return None if order is None else bool(_OPERATORS[operator](order, 0))
    return None


def _compare_lists(operator: str, left: list[Value] | range, right: list[Value] | range) -> bool | None:
    """Lexicographically: the first elements that differ decide, then the lengths."""
    if type(left) is range and type(right) is range and left[:2] == right[:2]:
        return bool(_OPERATORS[operator](len(left), len(right)))
    for left_element, right_element in zip(left, right, strict=False):
        same = equal(left_element, right_element)
        if same is None:
            return None
        if not same:
            return compare(operator[0], left_element, right_element)
    return bool(_OPERATORS[operator](len(left), len(right)))


def is_in(value: Value, elements: Value) -> bool | None:
    """`value IN elements`"""
    if elements is None:
        return None
    if type(elements) is range:
        return None if value is None else type(value) in NUMBER_TYPES and value % 1 == 0 and int(value) in elements
    if type(elements) is not list:
        raise values.wrong_type("IN", "a list on its right", elements)
    unknown = False
    for element in elements:
        same = equal(value, element)
        if same:
            return True
        unknown = unknown or same is None
    return None if unknown else False


def as_timestamp(value: Value, *, is_end: bool) -> Value:
    """A day or an instant as a text beside timestamps: the first one of a day, or the last; any other value itself."""
    if type(value) is not str and not isinstance(value, Temporal):
        return value
    from keepgraph.temporal import iso8601

    bounds = iso8601.bounds(value)
    return value if bounds is None else bounds[is_end]


# String predicates


def starts_with(left: Value, right: Value) -> bool | None:
    return left.startswith(right) if type(left) is str and type(right) is str else None


def ends_with(left: Value, right: Value) -> bool | None:
    return left.endswith(right) if type(left) is str and type(right) is str else None


def contains(left: Value, right: Value) -> bool | None:
    return right in left if type(left) is str and type(right) is str else None


def matches(left: Value, pattern: Value) -> bool | None:
    """`a =~ pattern`: whether the whole string matches. No pattern makes the time grow exponentially (see regex)."""
    return compile_pattern(pattern)(left) if type(left) is str and type(pattern) is str else None


# The order of all values, and the keys of groups

# openCypher orders values of different kinds by these ranks: 0 maps, 1 nodes, 2 relationships, 3 lists, 4 paths,
# then the temporal kinds, then 11 strings, 12 booleans, 13 numbers, 14 NaN, 15 null.
_TEMPORAL_RANK: Final = {
    value_types.DATETIME: 5,
    value_types.LOCAL_DATETIME: 6,
    value_types.DATE: 7,
    value_types.TIME: 8,
    value_types.LOCAL_TIME: 9,
    value_types.DURATION: 10,
}
_NAN_KEY: Final = (14,)
_NULL_KEY: Final = (15,)


def sort_key(value: Value) -> tuple[Any, ...]:
    """A key for Python's sort, which orders any two values: first by kind, then by value.

    Maps are ordered by size, then by their keys, then by their values; NaN is the greatest number, null the last.
    """
    value_type = type(value)
    if value_type is str:
        return (11, value)
    if value_type is int:
        return (13, value)
    if value_type is float:
        return (13, value) if value == value else _NAN_KEY
    if value is None:
        return _NULL_KEY
    if value_type is bool:
        return (12, value)
    if value_type is list:
        return (3, tuple(map(sort_key, value)))
    if value_type is range:
        raise values.list_too_long()
    if value_type is dict:
        keys = sorted(value)
        return (0, len(keys), tuple(keys), tuple(sort_key(value[key]) for key in keys))
    if value_type is Node:
        return (1, type(value.id) is str, value.id)
    if value_type is Relationship:
        return (2, value.id)
    if value_type is Path:
        return (4, tuple((type(id_) is str, id_) for id_ in _path_ids(value)))
    from keepgraph.temporal import operations

    return (_TEMPORAL_RANK[kind_of(value)], operations.sort_key(value))


def group_key(value: Value) -> Any:
    """A hashable key, the same for values that DISTINCT takes for one. 1 and 1.0 are one, and so are two nulls."""
    value_type = type(value)
    if value_type is str or value_type is int or value is None:
        return value
    if value_type is float:
        return value if value == value else _NAN_KEY
    if value_type is bool:
        return (12, value)
    if value_type is Node:
        return (1, value.id)
    if value_type is Relationship:
        return (2, value.id)
    if value_type is list:
        return (3, *map(group_key, value))
    if value_type is range:
        return (3, value)
    if value_type is dict:
        return (0, frozenset((key, group_key(entry)) for key, entry in value.items()))
    if value_type is Path:
        return (4, _path_ids(value))
    from keepgraph.temporal import operations

    return (_TEMPORAL_RANK[kind_of(value)], operations.group_key(value))


# Regular expressions (`=~`) by RE2, whose time is linear in the text, whoever writes the pattern.

_MAX_PATTERN_LENGTH: Final = 1_000
_MAX_STEPS: Final = 500_000_000
"""The greatest product of a text's bytes and a pattern's instructions; RE2 needs at most some seconds for it."""


_HINT: Final = (
    r"Write it as RE2 has it: (?i)ada.*. It has no look-around ((?!…)), no back-references (\1), no possessive repeats "
    r"(a++) and no repeats above 1,000; \x{0061} is its \u0061, \z its \Z, and {0,3} its {,3}. Combine conditions "
    "instead: x =~ 'a.*' AND NOT x =~ '.*b'."
)

_MISREAD: Final = re.compile(
    r"\\Q.*?(?:\\E|\Z)"  # quoted text
    r"|(?P<misread>\\C)"
    r"|\\."
    r"|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]"  # a character class
    r"|(?P<repeat>\{,\d*\})",
    re.DOTALL,
)
"""What RE2 reads otherwise than is meant: `\\C` is one byte, not a character, and `{,3}` these four characters."""


@lru_cache(maxsize=256)
def compile_pattern(pattern: str) -> Callable[[str], bool]:
    """A function that says whether a whole string matches the pattern.

    Raises:
        QueryFailed: RE2 cannot read the pattern.
        QueryTooLarge: it is too long. The function raises this too, if a text needs too many steps.
        QueryUnsupported: RE2 is not installed.
    """
    if len(pattern) > _MAX_PATTERN_LENGTH:
        raise QueryTooLarge(
            f"a regular expression has {len(pattern):,} characters; the most is {_MAX_PATTERN_LENGTH:,}"
        )
    re2 = _load()
    for token in _MISREAD.finditer(pattern):
        if misread := token["misread"] or token["repeat"]:
            raise _invalid(pattern, f"{misread} is not supported")
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True  # faster: only whether it matches is asked
    try:
        compiled = re2.compile(_encode(pattern), options)
    except re2.error as error:
        raise _invalid(pattern, error.args[0].decode(errors="replace")) from error
    size = compiled.programsize

    def match(text: str) -> bool:
        encoded = _encode(text)
        if len(encoded) * size > _MAX_STEPS:
            raise QueryTooLarge(f"{len(text):,} characters are too many for the regular expression {pattern!r}")
        return compiled.fullmatch(encoded) is not None

    return match


def _invalid(pattern: str, reason: str) -> QueryFailed:
    return QueryFailed(
        f"{pattern!r} is not a regular expression: {reason}",
        kind="ArgumentError",
        detail="InvalidArgumentValue",
        hint=_HINT,
    )


def _load() -> Any:
    try:
        import re2
    except ImportError:
        raise QueryUnsupported(
            "=~ needs the package google-re2, which is not installed",
            hint="Install it (pip install google-re2), or use CONTAINS, STARTS WITH, ENDS WITH and toLower().",
        ) from None
    return re2


def _encode(text: str) -> bytes:
    # half a surrogate pair has no UTF-8, and then fits no pattern but "any character"
    return text.encode("utf-8", "surrogatepass")
