"""The functions of openCypher: a table with one row for each, and what computes it. Aggregates: aggregates.py.

Each section holds its computations, then the rows of the table that use them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final
from typing import Literal as Word

from keepgraph.cypher import aggregates, comparison, value_types, values
from keepgraph.cypher.value_types import (
    ANY,
    BOOLEAN,
    DATE,
    DATETIME,
    DURATION,
    FLOAT,
    INTEGER,
    LIST,
    LOCAL_DATETIME,
    LOCAL_TIME,
    MAP,
    NODE,
    NULL,
    NUMBER,
    PATH,
    RELATIONSHIP,
    STRING,
    TEMPORAL,
    TIME,
    ResultType,
    Type,
)
from keepgraph.cypher.values import Node, Relationship, Value
from keepgraph.errors import QueryFailed, QueryTooLarge

Needs = Word["", "graph", "now", "random"]
SqlForm = Word[
    "call",
    "coalesce",
    "not null",
    "length",
    "empty",
    "key",
    "public id",
    "type",
    "labels",
    "first",
    "start",
    "end",
    "substring",
    "letter case",
]


@dataclass(frozen=True, slots=True)
class Function:
    """One function.

    Attributes:
        name: as it is documented (`toLower`); a query may write it in any case.
        min_arguments, max_arguments: how many arguments it takes; `max_arguments` is None if there is no limit.
        parameter_kinds: the kinds that each argument may have, besides null; a set of bits of value_types. The last
            one also holds for all further arguments.
        result_kinds: the kinds that it may return, NULL among them.
        run: computes it. It refuses arguments of a wrong kind, so any values may be passed.
        needs: what `run` takes before the arguments: the graph, the instant of the query, a random generator.
        element_kinds: the kinds of the elements of a list that it returns; 0 if they depend on the arguments.
        infer: the type of the result, if it depends on the types of the arguments.
        propagates_null: whether the result is null as soon as one argument is.
        stops_at: if given, arguments are evaluated one by one, up to the first value for which it is true.
        sql: how the call is written in SQL; 'call' lets SQL call `run`, where all values are scalars.
    """

    name: str
    min_arguments: int
    max_arguments: int | None
    parameter_kinds: tuple[int, ...]
    result_kinds: int
    run: Callable[..., Value]
    needs: Needs = ""
    element_kinds: int = 0
    infer: ResultType | None = None
    propagates_null: bool = True
    stops_at: Callable[[Value], bool] | None = None
    sql: SqlForm = "call"

    def result_type(self, arguments: Sequence[Type]) -> Type:
        """The type of what it returns, for arguments of these types."""
        if self.infer is not None:
            return self.infer(arguments)
        return Type(self.result_kinds, Type(self.element_kinds) if self.element_kinds else None)


def find(name: str) -> Function | None:
    """The function of this name, in any case."""
    return FUNCTIONS.get(name.lower())


@dataclass(frozen=True, slots=True)
class LetterCase:
    """What functions that change the case of letters make of a text.

    Attributes:
        names: of the functions; the first is that of openCypher.
        change: what they compute.
        of_ascii: the function of SQLite that computes the same of a text in ASCII.
        missing: the letters that are in no result, 'upper-case' or 'lower-case'.
    """

    names: tuple[str, ...]
    change: Callable[[str], str]
    of_ascii: str
    missing: str


LOWER_CASE: Final = LetterCase(("toLower", "lower"), str.lower, "lower", "upper-case")
UPPER_CASE: Final = LetterCase(("toUpper", "upper"), str.upper, "upper", "lower-case")
_LETTER_CASES = {name.lower(): case for case in (LOWER_CASE, UPPER_CASE) for name in case.names}


def letter_case(name: str) -> LetterCase | None:
    """What the function of this name, in any case, changes letters to; None for any other function."""
    return _LETTER_CASES.get(name.lower())


def names() -> list[str]:
    """The names of all functions and aggregates, as they are documented."""
    functions = [function.name for function in FUNCTIONS.values()]
    return sorted(functions + [aggregate.name for aggregate in aggregates.AGGREGATES.values()], key=str.lower)


def similar_names(name: str) -> list[str]:
    """At most three names of functions and aggregates that are spelt like this one, the most similar first."""
    documented = {known.lower(): known for known in names()}
    return [documented[match] for match in get_close_matches(name.lower(), documented, n=3, cutoff=0.7)]


FUNCTIONS: Final[dict[str, Function]] = {}
"""By their names in lower case."""


def define(
    name: str,
    parameter_kinds: tuple[int, ...],
    result_kinds: int,
    compute: Callable[..., Value],
    *,
    min_arguments: int | None = None,
    variadic: bool = False,
    needs: Needs = "",
    element_kinds: int = 0,
    infer: ResultType | None = None,
    accepts_null: bool = False,
    stops_at: Callable[[Value], bool] | None = None,
    sql: SqlForm = "call",
    table: dict[str, Function] = FUNCTIONS,
) -> None:
    """Adds one row to the table; what is not said here is said at `Function`.

    Args:
        compute: called with arguments of the right kinds, and with no null unless `accepts_null`.
        min_arguments: as many as there are parameters, unless it is given.
    """
    table[name.lower()] = Function(
        name=name,
        min_arguments=len(parameter_kinds) if min_arguments is None else min_arguments,
        max_arguments=None if variadic else len(parameter_kinds),
        parameter_kinds=parameter_kinds,
        result_kinds=result_kinds if accepts_null else result_kinds | NULL,
        run=_check_arguments(name, parameter_kinds, compute, needs=needs, accepts_null=accepts_null),
        needs=needs,
        element_kinds=element_kinds,
        infer=infer,
        propagates_null=not accepts_null,
        stops_at=stops_at,
        sql=sql,
    )


def _check_arguments(
    name: str, parameter_kinds: tuple[int, ...], compute: Callable[..., Value], *, needs: str, accepts_null: bool
) -> Callable[..., Value]:
    """The computation, after a check of the kinds of its arguments."""
    if accepts_null and all(kinds & ANY == ANY for kinds in parameter_kinds):
        return compute
    if len(parameter_kinds) == 1 and not needs and not accepts_null:
        (expected,) = parameter_kinds

        def run_unary(value: Value) -> Value:
            if value is None:
                return None
            if not values.kind_of(value) & expected:
                value = _as_instant(name, expected, value)
            return compute(value)

        return run_unary

    first_argument = 1 if needs else 0
    last = len(parameter_kinds) - 1

    def run(*arguments: Value) -> Value:
        has_null = False
        for position, value in enumerate(arguments[first_argument:] if first_argument else arguments):
            if value is None:
                has_null = True
            elif not values.kind_of(value) & (expected := parameter_kinds[min(position, last)]):
                place = first_argument + position
                arguments = (*arguments[:place], _as_instant(name, expected, value), *arguments[place + 1 :])
        return None if has_null and not accepts_null else compute(*arguments)

    return run


def _as_instant(name: str, expected_kinds: int, value: Value) -> Value:
    """The day or the instant that a text is, for a function that takes these and no texts: a timestamp is a text.

    Raises:
        QueryFailed: it is none, or the function takes none.
    """
    if type(value) is str and expected_kinds & DATETIME:
        from keepgraph.temporal import iso8601

        instant = iso8601.read_instant(value)
        if instant is not None and values.kind_of(instant) & expected_kinds:
            return instant
    raise _argument_error(name, expected_kinds, value)


def _argument_error(name: str, expected_kinds: int, value: Value) -> QueryFailed:
    return values.wrong_type(f"{name}()", value_types.describe(expected_kinds), value, detail="InvalidArgumentValue")


def _range_error(message: str, *, hint: str | None = None) -> QueryFailed:
    return QueryFailed(message, kind="ArgumentError", detail="NumberOutOfRange", hint=hint)


# Functions of any value


def _coalesce(*arguments: Value) -> Value:
    return next((value for value in arguments if value is not None), None)


def _null_if(value: Value, other: Value) -> Value:
    return None if comparison.equal(value, other) else value


_TYPE_NAMES: Final = {
    NULL: "NULL",
    BOOLEAN: "BOOLEAN",
    INTEGER: "INTEGER",
    FLOAT: "FLOAT",
    STRING: "STRING",
    MAP: "MAP",
    NODE: "NODE",
    RELATIONSHIP: "RELATIONSHIP",
    PATH: "PATH",
    DATE: "DATE",
    LOCAL_TIME: "LOCAL TIME",
    TIME: "ZONED TIME",
    LOCAL_DATETIME: "LOCAL DATETIME",
    DATETIME: "ZONED DATETIME",
    DURATION: "DURATION",
}


def _value_type(value: Value) -> str:
    """`INTEGER NOT NULL`, `LIST<INTEGER | STRING NOT NULL> NOT NULL` …"""
    if type(value) not in values.LIST_TYPES:
        name = _TYPE_NAMES[values.kind_of(value)]
        return name if value is None else f"{name} NOT NULL"
    inner = sorted({_value_type(element) for element in (value if type(value) is list else value[:1])})
    nullable = "NULL" in inner
    inner = [name.removesuffix(" NOT NULL") if nullable else name for name in inner if name != "NULL"]
    return f"LIST<{' | '.join(inner) or ('NULL' if nullable else 'NOTHING')}> NOT NULL"


def _is_not_null(value: Value) -> bool:
    return value is not None


define(
    "coalesce",
    (ANY,),
    ANY,
    _coalesce,
    min_arguments=1,
    variadic=True,
    infer=value_types.first_not_null,
    accepts_null=True,
    stops_at=_is_not_null,
    sql="coalesce",
)
define("nullIf", (ANY, ANY), ANY, _null_if, infer=value_types.same_or_null, accepts_null=True)
define("exists", (ANY,), BOOLEAN, _is_not_null, accepts_null=True, sql="not null")
define("valueType", (ANY,), STRING, _value_type, accepts_null=True)


# Conversions


def _to_boolean(value: Value) -> bool | None:
    if type(value) is str:
        return {"true": True, "false": False}.get(value.strip().lower())
    return bool(value)


def _to_integer(value: Value) -> int | None:
    if type(value) is str:
        return _parse_integer(value.strip())
    if type(value) is float:
        if value != value:
            return None
        if math.isinf(value):
            value = 2**64
    return values.check_integer(int(value))


def _parse_integer(text: str) -> int | None:
    digits = text[1:] if text[:1] in ("+", "-") else text
    if digits.isascii() and digits.isdigit():
        # Python refuses to parse thousands of digits; 2**64 raises the same error as any integer beyond 64 bits.
        return values.check_integer(int(text) if len(digits) <= 400 else 2**64)
    number = _parse_float(text)
    return None if number is None else _to_integer(number)


def _to_float(value: Value) -> float | None:
    return _parse_float(value.strip()) if type(value) is str else float(value)


_NOT_FINITE: Final = {"NaN": math.nan, "Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}


def _parse_float(text: str) -> float | None:
    if text in _NOT_FINITE:
        return _NOT_FINITE[text]
    # Python's float() accepts more than Cypher: 1_000, inf, digits of other scripts.
    if text.strip("+-.0123456789eE") != "":
        return None
    try:
        return float(text)
    except ValueError:
        return None


def _or_null(compute: Callable[[Value], Value], kinds: int) -> Callable[[Value], Value]:
    """The conversion that gives null for a value that cannot be converted."""

    def convert(value: Value) -> Value:
        if value is None or not values.kind_of(value) & kinds:
            return None
        try:
            return compute(value)
        except QueryFailed:
            return None

    return convert


for _name, _compute, _parameter_kinds, _result_kind in (
    ("toBoolean", _to_boolean, BOOLEAN | INTEGER | STRING, BOOLEAN),
    ("toInteger", _to_integer, BOOLEAN | NUMBER | STRING, INTEGER),
    ("toFloat", _to_float, NUMBER | STRING, FLOAT),
    ("toString", values.to_string, BOOLEAN | NUMBER | STRING | TEMPORAL, STRING),
):
    _lenient = _or_null(_compute, _parameter_kinds)
    define(_name, (_parameter_kinds,), _result_kind, _compute)
    define(f"{_name}OrNull", (ANY,), _result_kind | NULL, _lenient, accepts_null=True)
    define(
        f"{_name}List",
        (LIST,),
        LIST,
        lambda elements, convert=_lenient: [convert(element) for element in values.check_size(elements)],
        element_kinds=_result_kind | NULL,
    )


# Nodes, relationships and paths


def _element_id(graph: Any, entity: Node | Relationship) -> str:
    return str(graph.public_id(entity))


def _type(graph: Any, relationship: Relationship) -> str:
    return str(graph.type(relationship))


def _labels(graph: Any, node: Node) -> list[str]:
    return list(graph.labels(node))


def _properties(graph: Any, subject: Value) -> dict[str, Value]:
    return dict(subject if type(subject) is dict else graph.properties(subject))


def _keys(graph: Any, subject: Value) -> list[str]:
    return list(subject if type(subject) is dict else graph.properties(subject))


define("id", (NODE | RELATIONSHIP,), INTEGER, lambda entity: entity.id, sql="key")
define("elementId", (NODE | RELATIONSHIP,), STRING, _element_id, needs="graph", sql="public id")
define("type", (RELATIONSHIP,), STRING, _type, needs="graph", sql="type")
define("labels", (NODE,), LIST, _labels, needs="graph", element_kinds=STRING, sql="labels")
define("properties", (NODE | RELATIONSHIP | MAP,), MAP, _properties, needs="graph")
define("keys", (NODE | RELATIONSHIP | MAP,), LIST, _keys, needs="graph", element_kinds=STRING)
define("startNode", (RELATIONSHIP,), NODE, lambda relationship: Node(relationship.start), sql="start")
define("endNode", (RELATIONSHIP,), NODE, lambda relationship: Node(relationship.end), sql="end")
define("nodes", (PATH,), LIST, lambda path: list(path.nodes), element_kinds=NODE)
define("relationships", (PATH,), LIST, lambda path: list(path.relationships), element_kinds=RELATIONSHIP)
define("length", (PATH,), INTEGER, lambda path: len(path.relationships))


# Lists


def _range(start: Value, end: Value, step: Value = 1) -> list[int] | range:
    for bound in (start, end, step):
        if type(bound) is not int:
            raise QueryFailed(
                f"range() takes integers, but got {values.describe(bound)}",
                kind="ArgumentError",
                detail="InvalidArgumentType",
            )
    if step == 0:
        raise _range_error("the step of range() is 0", hint="Leave the step out, or use 1 or -1.")
    numbers = range(start, end + (1 if step > 0 else -1), step)
    # not len(numbers), which fails beyond 64 bits
    if numbers and abs(numbers[-1] - start) // abs(step) >= values.MAX_INTEGER:
        raise QueryTooLarge(f"range() would have more than {values.MAX_INTEGER:,} elements")
    return values.shorten(numbers)


define("size", (STRING | LIST,), INTEGER, len, sql="length")
define("isEmpty", (STRING | LIST | MAP,), BOOLEAN, lambda value: not value, sql="empty")
define("head", (LIST,), ANY, lambda elements: values.index(elements, 0), infer=value_types.first_element, sql="first")
define("last", (LIST,), ANY, lambda elements: values.index(elements, -1), infer=value_types.first_element)
define("tail", (LIST,), LIST, lambda elements: values.shorten(elements[1:]), infer=value_types.same_list)
define("range", (ANY, ANY, ANY), LIST, _range, min_arguments=2, element_kinds=INTEGER)
define("reverse", (STRING | LIST,), STRING | LIST, lambda value: value[::-1], infer=value_types.same_list_or_string)


# Strings


def _check_not_negative(function: str, number: int) -> int:
    if number < 0:
        raise _range_error(f"{function}() takes a number of at least 0, but got {number}")
    return number


def _left(text: str, length: int) -> str:
    return text[: _check_not_negative("left", length)]


def _right(text: str, length: int) -> str:
    return text[max(0, len(text) - _check_not_negative("right", length)) :]


def _substring(text: str, start: int, length: int = values.MAX_INTEGER) -> str:
    return text[_check_not_negative("substring", start) : start + _check_not_negative("substring", length)]


def _split(text: str, delimiters: Value) -> list[str]:
    """Splits at each delimiter; an empty one splits between all characters."""
    if type(delimiters) is str:
        if text.count(delimiters) >= values.MAX_LIST_LENGTH:
            raise QueryTooLarge(f"split() would give more than {values.MAX_LIST_LENGTH:,} elements")
        return text.split(delimiters) if delimiters else list(text) or [""]
    parts = [text]
    for delimiter in delimiters:
        if type(delimiter) is not str:
            raise _argument_error("split", STRING, delimiter)
        parts = [inner for part in parts for inner in _split(part, delimiter)]
        if len(parts) > values.MAX_LIST_LENGTH:
            raise QueryTooLarge(f"split() would give more than {values.MAX_LIST_LENGTH:,} elements")
    return parts


def _replace(text: str, old: str, new: str) -> str:
    length = len(text) + text.count(old) * (len(new) - len(old))
    if length > values.MAX_STRING_LENGTH:
        raise QueryTooLarge(f"replace() would give {length:,} characters; the most is {values.MAX_STRING_LENGTH:,}")
    return text.replace(old, new)


define("left", (STRING, INTEGER), STRING, _left, sql="substring")
define("right", (STRING, INTEGER), STRING, _right)
define("substring", (STRING, INTEGER, INTEGER), STRING, _substring, min_arguments=2, sql="substring")
define("split", (STRING, STRING | LIST), LIST, _split, element_kinds=STRING)
define("replace", (STRING, STRING, STRING), STRING, _replace)
define("trim", (STRING,), STRING, str.strip)
define("ltrim", (STRING, STRING), STRING, str.lstrip, min_arguments=1)
define("rtrim", (STRING, STRING), STRING, str.rstrip, min_arguments=1)
define("btrim", (STRING, STRING), STRING, str.strip, min_arguments=1)
for _case in (LOWER_CASE, UPPER_CASE):
    for _name in _case.names:
        define(_name, (STRING,), STRING, _case.change, sql="letter case")
for _name in ("char_length", "character_length"):
    define(_name, (STRING,), INTEGER, len)


# Mathematics


def _absolute(number: int | float) -> int | float:
    return values.check_integer(abs(number)) if type(number) is int else abs(number)


def _sign(number: int | float) -> int:
    return (number > 0) - (number < 0)


def _real(compute: Callable[[float], float]) -> Callable[[float], float]:
    """The function of real numbers as IEEE 754 has it: NaN where it is not defined, infinite where it overflows."""

    def run(number: float) -> float:
        try:
            return float(compute(number))
        except OverflowError:
            return number if math.isinf(number) else math.inf
        except ValueError:
            return math.nan

    return run


def _logarithm(compute: Callable[[float], float]) -> Callable[[float], float]:
    return _real(lambda number: compute(number) if number else -math.inf)


def _cotangent(angle: float) -> float:
    return 1 / math.tan(angle) if angle else math.copysign(math.inf, angle)


_ROUNDING_MODES: Final = {
    "UP": "ROUND_UP",
    "DOWN": "ROUND_DOWN",
    "CEILING": "ROUND_CEILING",
    "FLOOR": "ROUND_FLOOR",
    "HALF_UP": "ROUND_HALF_UP",
    "HALF_DOWN": "ROUND_HALF_DOWN",
    "HALF_EVEN": "ROUND_HALF_EVEN",
}


def _round(number: int | float, precision: int | None = None, mode: str = "HALF_UP") -> float:
    """Without a precision, ties go up; with one, away from zero unless a mode says otherwise."""
    if not math.isfinite(number):
        return float(number)
    if precision is None:
        below = math.floor(number)
        return float(below + (number - below >= 0.5))
    if mode.upper() not in _ROUNDING_MODES:
        raise QueryFailed(
            f"round() knows no mode {values.describe(mode)}",
            kind="ArgumentError",
            detail="InvalidArgumentValue",
            hint=f"Use one of {', '.join(_ROUNDING_MODES)}.",
        )
    if _check_not_negative("round", precision) > 400:
        return float(number)
    from decimal import Context, Decimal

    rounded = Decimal(repr(number)).quantize(
        Decimal(1).scaleb(-precision), rounding=_ROUNDING_MODES[mode.upper()], context=Context(prec=800)
    )
    return float(rounded)


define("abs", (NUMBER,), NUMBER, _absolute, infer=value_types.same)
define("sign", (NUMBER,), INTEGER, _sign)
define("isNaN", (NUMBER,), BOOLEAN, lambda number: number != number)
define("ceil", (NUMBER,), FLOAT, _real(math.ceil))
define("floor", (NUMBER,), FLOAT, _real(math.floor))
define("round", (NUMBER, INTEGER, STRING), FLOAT, _round, min_arguments=1)
define("sqrt", (NUMBER,), FLOAT, _real(math.sqrt))
define("exp", (NUMBER,), FLOAT, _real(math.exp))
define("log", (NUMBER,), FLOAT, _logarithm(math.log))
define("log10", (NUMBER,), FLOAT, _logarithm(math.log10))
define("sin", (NUMBER,), FLOAT, _real(math.sin))
define("cos", (NUMBER,), FLOAT, _real(math.cos))
define("tan", (NUMBER,), FLOAT, _real(math.tan))
define("cot", (NUMBER,), FLOAT, _real(_cotangent))
define("asin", (NUMBER,), FLOAT, _real(math.asin))
define("acos", (NUMBER,), FLOAT, _real(math.acos))
define("atan", (NUMBER,), FLOAT, _real(math.atan))
define("atan2", (NUMBER, NUMBER), FLOAT, math.atan2)
define("haversin", (NUMBER,), FLOAT, _real(lambda angle: (1 - math.cos(angle)) / 2))
define("degrees", (NUMBER,), FLOAT, _real(math.degrees))
define("radians", (NUMBER,), FLOAT, _real(math.radians))
define("e", (), FLOAT, lambda: math.e)
define("pi", (), FLOAT, lambda: math.pi)


# Random numbers and time


def _random_uuid(random: Any) -> str:
    from uuid import UUID

    return str(UUID(int=random.getrandbits(128), version=4))


def _timestamp(now: Any) -> Value:
    from keepgraph.temporal import operations

    return operations.component(operations.current("datetime", now), "epochMillis")


define("rand", (), FLOAT, lambda random: random.random(), needs="random")
define("randomUUID", (), STRING, _random_uuid, needs="random")
define("timestamp", (), INTEGER, _timestamp, needs="now")


def _constructor(kind: str) -> Callable[..., Value]:
    def construct(now: Any, *argument: Value) -> Value:
        from keepgraph.temporal import iso8601, operations

        if not argument:
            return operations.current(kind, now)
        [value] = argument
        if kind != "datetime" and type(value) is str and (instant := iso8601.read_timestamp(value)) is not None:
            value = instant
        return operations.construct(kind, value, now)

    return construct


def _temporal(operation: str, *first: Value) -> Callable[..., Value]:
    """An operation on temporal values, whose module is loaded at its first call.

    Args:
        first: its first arguments.
    """

    def compute(*arguments: Value) -> Value:
        from keepgraph.temporal import operations

        return getattr(operations, operation)(*first, *arguments)

    return compute


def _truncation(kind: str) -> Callable[..., Value]:
    def truncate(now: Any, unit: str, *rest: Value) -> Value:
        from keepgraph.temporal import operations

        value = rest[0] if rest else operations.current(kind, now)
        return operations.truncate(kind, unit, value, rest[1] if len(rest) > 1 else {})

    return truncate


for _name, _kind in (
    ("date", DATE),
    ("time", TIME),
    ("localtime", LOCAL_TIME),
    ("datetime", DATETIME),
    ("localdatetime", LOCAL_DATETIME),
):
    define(_name, (STRING | MAP | TEMPORAL,), _kind, _constructor(_name), min_arguments=0, needs="now")
    for _clock in ("transaction", "statement", "realtime"):
        define(f"{_name}.{_clock}", (STRING,), _kind, _temporal("current", _name), min_arguments=0, needs="now")
    define(f"{_name}.truncate", (STRING, TEMPORAL, MAP), _kind, _truncation(_name), min_arguments=1, needs="now")


def _duration(now: Any, argument: Value) -> Value:
    from keepgraph.temporal import operations

    return operations.construct("duration", argument, now)


_INSTANTS: Final = TEMPORAL & ~DURATION
define("duration", (STRING | MAP | DURATION,), DURATION, _duration, needs="now")
define("duration.between", (_INSTANTS, _INSTANTS), DURATION, _temporal("between"))
define("duration.inMonths", (_INSTANTS, _INSTANTS), DURATION, _temporal("in_months"))
define("duration.inDays", (_INSTANTS, _INSTANTS), DURATION, _temporal("in_days"))
define("duration.inSeconds", (_INSTANTS, _INSTANTS), DURATION, _temporal("in_seconds"))
define("datetime.fromEpoch", (NUMBER, NUMBER), DATETIME, _temporal("from_epoch"))
define("datetime.fromEpochMillis", (NUMBER,), DATETIME, _temporal("from_epoch_millis"))
