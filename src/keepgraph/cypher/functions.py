"""The table of functions and of aggregates: what each takes, what it gives, and how it is computed.

Knows no expression, and asks of the graph what is handed to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, Protocol
from typing import Literal as Word

from keepgraph.cypher import value_types, values
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
)
from keepgraph.cypher.values import Node, Relationship, Value
from keepgraph.errors import QueryFailed, QueryTooLarge
from keepgraph.temporal.base import Temporal

Need = Word["", "graph", "now", "random"]


@dataclass(frozen=True, slots=True)
class Function:
    """One function.

    Attributes:
        name: as it is documented (`toLower`); a query may write it in any case.
        least, most: how many arguments; `most` is None if there is no end.
        takes: the kinds of each argument, and null besides; the last one repeats.
        gives: the kinds that it may return, NULL among them.
        run: computes it. Refuses arguments of a wrong kind, so that any values may be passed.
        needs: what `run` wants before the arguments: the graph, the instant of the query, a source of randomness.
        element: of a list that it returns, the kinds of the elements; 0 if that depends.
        null_in_null_out: whether one null among the arguments makes null of the whole.
    """

    name: str
    least: int
    most: int | None
    takes: tuple[int, ...]
    gives: int
    run: Callable[..., Value]
    needs: Need = ""
    element: int = 0
    null_in_null_out: bool = True


class Accumulator(Protocol):
    """What an aggregate keeps while the rows of a group go by."""

    def add(self, value: Value, *extra: Value) -> None: ...

    def result(self) -> Value: ...


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One aggregate. `start` makes the accumulator of a group, which skips nulls; DISTINCT is done before it."""

    name: str
    least: int
    most: int
    takes: tuple[int, ...]
    gives: int
    start: Callable[[], Accumulator]
    element: int = 0


def find(name: str) -> Function | None:
    return FUNCTIONS.get(name.lower())


def aggregate(name: str) -> Aggregate | None:
    return AGGREGATES.get(name.lower())


def names() -> list[str]:
    """The names of all functions and aggregates, as they are documented."""
    return sorted([row.name for row in FUNCTIONS.values()] + [row.name for row in AGGREGATES.values()], key=str.lower)


def near(name: str) -> list[str]:
    """The names that may have been meant."""
    known = {each.lower(): each for each in names()}
    return [known[found] for found in get_close_matches(name.lower(), known, n=3, cutoff=0.7)]


FUNCTIONS: Final[dict[str, Function]] = {}
AGGREGATES: Final[dict[str, Aggregate]] = {}


def _row(
    name: str,
    takes: tuple[int, ...],
    gives: int,
    compute: Callable[..., Value],
    *,
    least: int | None = None,
    endless: bool = False,
    needs: Need = "",
    element: int = 0,
    nulls: bool = False,
) -> None:
    """Adds a function. `compute` is called with arguments of the right kinds, and with no null unless `nulls`."""
    function = Function(
        name=name,
        least=len(takes) if least is None else least,
        most=None if endless else len(takes),
        takes=takes,
        gives=gives if nulls else gives | NULL,
        run=_checked(name, takes, compute, needs=needs, nulls=nulls),
        needs=needs,
        element=element,
        null_in_null_out=not nulls,
    )
    FUNCTIONS[name.lower()] = function


def _checked(
    name: str, takes: tuple[int, ...], compute: Callable[..., Value], *, needs: str, nulls: bool
) -> Callable[..., Value]:
    """The computation behind a check of the kinds of its arguments."""
    if nulls and all(kinds_ & ANY == ANY for kinds_ in takes):
        return compute
    if len(takes) == 1 and not needs and not nulls:
        (wanted,) = takes

        def run_one(value: Value) -> Value:
            if value is None:
                return None
            if not values.kind_of(value) & wanted:
                raise _wrong(name, wanted, value)
            return compute(value)

        return run_one

    context = 1 if needs else 0
    last = len(takes) - 1

    def run(*arguments: Value) -> Value:
        unknown = False
        for place, value in enumerate(arguments[context:] if context else arguments):
            if value is None:
                unknown = True
            elif not values.kind_of(value) & takes[min(place, last)]:
                raise _wrong(name, takes[min(place, last)], value)
        return None if unknown and not nulls else compute(*arguments)

    return run


def _wrong(name: str, wanted: int, value: Value) -> QueryFailed:
    return values.wrong(f"{name}()", value_types.described(wanted), value, detail="InvalidArgumentValue")


def _out_of_range(message: str, *, hint: str | None = None) -> QueryFailed:
    return QueryFailed(message, kind="ArgumentError", detail="NumberOutOfRange", hint=hint)


# Any value


def _coalesce(*arguments: Value) -> Value:
    return next((value for value in arguments if value is not None), None)


def _null_if(a: Value, b: Value) -> Value:
    return None if values.equal(a, b) else a


TYPE_NAMES: Final = {
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
    if type(value) is not list:
        name = TYPE_NAMES[values.kind_of(value)]
        return name if value is None else f"{name} NOT NULL"
    inner = sorted({_value_type(element) for element in value})
    nullable = "NULL" in inner
    inner = [name.removesuffix(" NOT NULL") if nullable else name for name in inner if name != "NULL"]
    return f"LIST<{' | '.join(inner) or ('NULL' if nullable else 'NOTHING')}> NOT NULL"


def _is_not_null(value: Value) -> bool:
    return value is not None


_row("coalesce", (ANY,), ANY, _coalesce, least=1, endless=True, nulls=True)
_row("nullIf", (ANY, ANY), ANY, _null_if, nulls=True)
_row("exists", (ANY,), BOOLEAN, _is_not_null, nulls=True)
_row("valueType", (ANY,), STRING, _value_type, nulls=True)


# Conversion


def _to_boolean(value: Value) -> bool | None:
    if type(value) is str:
        return {"true": True, "false": False}.get(value.strip().lower())
    return bool(value)


def _to_integer(value: Value) -> int | None:
    if type(value) is str:
        return _integer_of(value.strip())
    if type(value) is float:
        if value != value:
            return None
        if math.isinf(value):
            value = 2**64
    return values.integer(int(value))


def _integer_of(written: str) -> int | None:
    digits = written[1:] if written[:1] in ("+", "-") else written
    if digits.isascii() and digits.isdigit():
        # An integer of thousands of digits is refused by Python, and goes beyond 64 bits anyway.
        return values.integer(int(written) if len(digits) <= 400 else 2**64)
    number = _float_of(written)
    return None if number is None else _to_integer(number)


def _to_float(value: Value) -> float | None:
    return _float_of(value.strip()) if type(value) is str else float(value)


NOT_FINITE: Final = {"NaN": math.nan, "Infinity": math.inf, "+Infinity": math.inf, "-Infinity": -math.inf}


def _float_of(written: str) -> float | None:
    if written in NOT_FINITE:
        return NOT_FINITE[written]
    # Python's float() knows more than Cypher: 1_000, inf, digits of other scripts.
    if written.strip("+-.0123456789eE") != "":
        return None
    try:
        return float(written)
    except ValueError:
        return None


def _or_null(name: str, compute: Callable[[Value], Value], wanted: int) -> Callable[[Value], Value]:
    """The conversion that makes null of what cannot be converted."""

    def convert(value: Value) -> Value:
        if value is None or not values.kind_of(value) & wanted:
            return None
        try:
            return compute(value)
        except QueryFailed:
            return None

    return convert


for _name, _compute, _wanted, _given in (
    ("toBoolean", _to_boolean, BOOLEAN | INTEGER | STRING, BOOLEAN),
    ("toInteger", _to_integer, BOOLEAN | NUMBER | STRING, INTEGER),
    ("toFloat", _to_float, NUMBER | STRING, FLOAT),
    ("toString", values.text, BOOLEAN | NUMBER | STRING | TEMPORAL, STRING),
):
    _lenient = _or_null(_name, _compute, _wanted)
    _row(_name, (_wanted,), _given, _compute)
    _row(f"{_name}OrNull", (ANY,), _given | NULL, _lenient, nulls=True)
    _row(
        f"{_name}List",
        (LIST,),
        LIST,
        lambda elements, convert=_lenient: [convert(element) for element in elements],
        element=_given | NULL,
    )


# The graph


def _type(graph: Any, relationship: Relationship) -> str:
    return str(graph.type(relationship))


def _labels(graph: Any, node: Node) -> list[str]:
    return list(graph.labels(node))


def _properties(graph: Any, of: Value) -> dict[str, Value]:
    return dict(of if type(of) is dict else graph.properties(of))


def _keys(graph: Any, of: Value) -> list[str]:
    return list(of if type(of) is dict else graph.properties(of))


_row("id", (NODE | RELATIONSHIP,), INTEGER, lambda of: of.id)
_row("elementId", (NODE | RELATIONSHIP,), STRING, lambda graph, of: graph.public_id(of), needs="graph")
_row("type", (RELATIONSHIP,), STRING, _type, needs="graph")
_row("labels", (NODE,), LIST, _labels, needs="graph", element=STRING)
_row("properties", (NODE | RELATIONSHIP | MAP,), MAP, _properties, needs="graph")
_row("keys", (NODE | RELATIONSHIP | MAP,), LIST, _keys, needs="graph", element=STRING)
_row("startNode", (RELATIONSHIP,), NODE, lambda relationship: Node(relationship.start))
_row("endNode", (RELATIONSHIP,), NODE, lambda relationship: Node(relationship.end))
_row("nodes", (PATH,), LIST, lambda path: list(path.nodes), element=NODE)
_row("relationships", (PATH,), LIST, lambda path: list(path.relationships), element=RELATIONSHIP)
_row("length", (PATH,), INTEGER, lambda path: len(path.relationships))


# Lists


def _range(start: Value, end: Value, step: Value = 1) -> list[int]:
    for bound in (start, end, step):
        if type(bound) is not int:
            raise QueryFailed(
                f"range() wants integers, and got {values.described(bound)}",
                kind="ArgumentError",
                detail="InvalidArgumentType",
            )
    if step == 0:
        raise _out_of_range("the step of range() is 0", hint="Leave the step out, or use 1 or -1.")
    numbers = range(start, end + (1 if step > 0 else -1), step)
    # len() gives up beyond 64 bits
    if numbers and abs(numbers[-1] - start) // abs(step) >= values.LONGEST_LIST:
        raise QueryTooLarge(f"range() would have more than {values.LONGEST_LIST:,} elements")
    return list(numbers)


_row("size", (STRING | LIST,), INTEGER, len)
_row("isEmpty", (STRING | LIST | MAP,), BOOLEAN, lambda of: not of)
_row("head", (LIST,), ANY, lambda elements: elements[0] if elements else None)
_row("last", (LIST,), ANY, lambda elements: elements[-1] if elements else None)
_row("tail", (LIST,), LIST, lambda elements: elements[1:])
_row("range", (ANY, ANY, ANY), LIST, _range, least=2, element=INTEGER)
_row("reverse", (STRING | LIST,), STRING | LIST, lambda of: of[::-1])


# Strings


def _not_negative(function: str, number: int) -> int:
    if number < 0:
        raise _out_of_range(f"{function}() wants a number from 0 on, and got {number}")
    return number


def _left(text: str, length: int) -> str:
    return text[: _not_negative("left", length)]


def _right(text: str, length: int) -> str:
    return text[max(0, len(text) - _not_negative("right", length)) :]


def _substring(text: str, start: int, length: int = values.GREATEST_INTEGER) -> str:
    return text[_not_negative("substring", start) : start + _not_negative("substring", length)]


def _split(text: str, delimiters: Value) -> list[str]:
    """Cuts at each delimiter; at an empty one, between all characters."""
    if type(delimiters) is str:
        if text.count(delimiters) >= values.LONGEST_LIST:
            raise QueryTooLarge(f"split() would give more than {values.LONGEST_LIST:,} elements")
        return text.split(delimiters) if delimiters else list(text) or [""]
    parts = [text]
    for delimiter in delimiters:
        if type(delimiter) is not str:
            raise _wrong("split", STRING, delimiter)
        parts = [piece for part in parts for piece in _split(part, delimiter)]
        if len(parts) > values.LONGEST_LIST:
            raise QueryTooLarge(f"split() would give more than {values.LONGEST_LIST:,} elements")
    return parts


def _replace(text: str, old: str, new: str) -> str:
    times = text.count(old)
    length = len(text) + times * (len(new) - len(old))
    if length > values.LONGEST_STRING:
        raise QueryTooLarge(f"replace() would give {length:,} characters; the most is {values.LONGEST_STRING:,}")
    return text.replace(old, new)


_row("left", (STRING, INTEGER), STRING, _left)
_row("right", (STRING, INTEGER), STRING, _right)
_row("substring", (STRING, INTEGER, INTEGER), STRING, _substring, least=2)
_row("split", (STRING, STRING | LIST), LIST, _split, element=STRING)
_row("replace", (STRING, STRING, STRING), STRING, _replace)
_row("trim", (STRING,), STRING, str.strip)
_row("ltrim", (STRING, STRING), STRING, str.lstrip, least=1)
_row("rtrim", (STRING, STRING), STRING, str.rstrip, least=1)
_row("btrim", (STRING, STRING), STRING, str.strip, least=1)
for _name in ("toLower", "lower"):
    _row(_name, (STRING,), STRING, str.lower)
for _name in ("toUpper", "upper"):
    _row(_name, (STRING,), STRING, str.upper)
for _name in ("char_length", "character_length"):
    _row(_name, (STRING,), INTEGER, len)


# Mathematics


def _absolute(number: int | float) -> int | float:
    return values.integer(abs(number)) if type(number) is int else abs(number)


def _sign(number: int | float) -> int:
    return (number > 0) - (number < 0)


def _real(compute: Callable[[float], float]) -> Callable[[float], float]:
    """The function of real numbers, NaN where it has no value and infinite where it is too large."""

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


ROUNDINGS: Final = {
    "UP": "ROUND_UP",
    "DOWN": "ROUND_DOWN",
    "CEILING": "ROUND_CEILING",
    "FLOOR": "ROUND_FLOOR",
    "HALF_UP": "ROUND_HALF_UP",
    "HALF_DOWN": "ROUND_HALF_DOWN",
    "HALF_EVEN": "ROUND_HALF_EVEN",
}


def _round(number: int | float, precision: int | None = None, mode: str = "HALF_UP") -> float:
    """Ties go up; with a precision, away from zero, or as the mode has it."""
    if not math.isfinite(number):
        return float(number)
    if precision is None:
        below = math.floor(number)
        return float(below + (number - below >= 0.5))
    if mode.upper() not in ROUNDINGS:
        raise QueryFailed(
            f"round() knows no mode {values.described(mode)}",
            kind="ArgumentError",
            detail="InvalidArgumentValue",
            hint=f"Use one of {', '.join(ROUNDINGS)}.",
        )
    if _not_negative("round", precision) > 400:
        return float(number)
    from decimal import Context, Decimal

    rounded = Decimal(repr(number)).quantize(
        Decimal(1).scaleb(-precision), rounding=ROUNDINGS[mode.upper()], context=Context(prec=800)
    )
    return float(rounded)


_row("abs", (NUMBER,), NUMBER, _absolute)
_row("sign", (NUMBER,), INTEGER, _sign)
_row("isNaN", (NUMBER,), BOOLEAN, lambda number: number != number)
_row("ceil", (NUMBER,), FLOAT, _real(math.ceil))
_row("floor", (NUMBER,), FLOAT, _real(math.floor))
_row("round", (NUMBER, INTEGER, STRING), FLOAT, _round, least=1)
_row("sqrt", (NUMBER,), FLOAT, _real(math.sqrt))
_row("exp", (NUMBER,), FLOAT, _real(math.exp))
_row("log", (NUMBER,), FLOAT, _logarithm(math.log))
_row("log10", (NUMBER,), FLOAT, _logarithm(math.log10))
_row("sin", (NUMBER,), FLOAT, _real(math.sin))
_row("cos", (NUMBER,), FLOAT, _real(math.cos))
_row("tan", (NUMBER,), FLOAT, _real(math.tan))
_row("cot", (NUMBER,), FLOAT, _real(_cotangent))
_row("asin", (NUMBER,), FLOAT, _real(math.asin))
_row("acos", (NUMBER,), FLOAT, _real(math.acos))
_row("atan", (NUMBER,), FLOAT, _real(math.atan))
_row("atan2", (NUMBER, NUMBER), FLOAT, math.atan2)
_row("haversin", (NUMBER,), FLOAT, _real(lambda angle: (1 - math.cos(angle)) / 2))
_row("degrees", (NUMBER,), FLOAT, _real(math.degrees))
_row("radians", (NUMBER,), FLOAT, _real(math.radians))
_row("e", (), FLOAT, lambda: math.e)
_row("pi", (), FLOAT, lambda: math.pi)


# Chance and time


def _random_uuid(random: Any) -> str:
    from uuid import UUID

    return str(UUID(int=random.getrandbits(128), version=4))


def _timestamp(now: Any) -> Value:
    from keepgraph.temporal import operations

    return operations.component(operations.current("datetime", now), "epochMillis")


_row("rand", (), FLOAT, lambda random: random.random(), needs="random")
_row("randomUUID", (), STRING, _random_uuid, needs="random")
_row("timestamp", (), INTEGER, _timestamp, needs="now")


def _constructor(kind: str) -> Callable[..., Value]:
    def construct(now: Any, *argument: Value) -> Value:
        from keepgraph.temporal import operations

        return operations.construct(kind, argument[0], now) if argument else operations.current(kind, now)

    return construct


def _clock(kind: str) -> Callable[..., Value]:
    def read(now: Any, timezone: str | None = None) -> Value:
        from keepgraph.temporal import operations

        return operations.current(kind, now, timezone)

    return read


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
    _row(_name, (STRING | MAP | TEMPORAL,), _kind, _constructor(_name), least=0, needs="now")
    for _when in ("transaction", "statement", "realtime"):
        _row(f"{_name}.{_when}", (STRING,), _kind, _clock(_name), least=0, needs="now")
    _row(f"{_name}.truncate", (STRING, TEMPORAL, MAP), _kind, _truncation(_name), least=1, needs="now")


def _duration(now: Any, argument: Value) -> Value:
    from keepgraph.temporal import operations

    return operations.construct("duration", argument, now)


def _between(name: str) -> Callable[[Value, Value], Value]:
    def measure(start: Value, end: Value) -> Value:
        from keepgraph.temporal import operations

        return getattr(operations, name)(start, end)

    return measure


def _from_epoch(seconds: Value, nanoseconds: Value) -> Value:
    from keepgraph.temporal import operations

    return operations.from_epoch(seconds, nanoseconds)


def _from_epoch_millis(milliseconds: Value) -> Value:
    from keepgraph.temporal import operations

    return operations.from_epoch_millis(milliseconds)


INSTANTS: Final = TEMPORAL & ~DURATION
_row("duration", (STRING | MAP | DURATION,), DURATION, _duration, needs="now")
_row("duration.between", (INSTANTS, INSTANTS), DURATION, _between("between"))
_row("duration.inMonths", (INSTANTS, INSTANTS), DURATION, _between("in_months"))
_row("duration.inDays", (INSTANTS, INSTANTS), DURATION, _between("in_days"))
_row("duration.inSeconds", (INSTANTS, INSTANTS), DURATION, _between("in_seconds"))
_row("datetime.fromEpoch", (NUMBER, NUMBER), DATETIME, _from_epoch)
_row("datetime.fromEpochMillis", (NUMBER,), DATETIME, _from_epoch_millis)


# Aggregates


class Count:
    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0

    def add(self, value: Value) -> None:
        if value is not None:
            self.count += 1

    def result(self) -> int:
        return self.count


class Sum:
    """Numbers, or durations. The sum of integers is exact, and checked when it is asked for.

    Of floats, what is rounded away is added up besides, as SQLite does: ten times 0.1 is 1.0.
    """

    name = "sum"
    __slots__ = ("count", "rounded", "total")

    def __init__(self) -> None:
        self.total: Value = 0
        self.rounded = 0.0
        self.count = 0

    def add(self, value: Value) -> None:
        if value is None:
            return
        kind = values.kind_of(value)
        if not kind & (NUMBER | DURATION):
            raise _wrong(self.name, NUMBER | DURATION, value)
        if kind & NUMBER and not isinstance(self.total, Temporal):
            self._add_number(value)
        elif self.count == 0:
            self.total = value
        else:
            self.total = values.add(self.total, value)
        self.count += 1

    def _add_number(self, value: int | float) -> None:
        before = self.total
        self.total = before + value
        if type(self.total) is float:
            greater, less = (before, value) if abs(before) >= abs(value) else (value, before)
            self.rounded += (greater - self.total) + less

    def result(self) -> Value:
        if type(self.total) is float and math.isfinite(self.rounded):
            return self.total + self.rounded
        return values.integer(self.total) if type(self.total) is int else self.total


class Average(Sum):
    name = "avg"
    __slots__ = ()

    def result(self) -> Value:
        if self.count == 0:
            return None
        if type(self.total) is int:
            return self.total / self.count
        total = super().result()
        return total / self.count if type(total) is float else values.divide(total, self.count)


class Least:
    __slots__ = ("best", "key")

    def __init__(self) -> None:
        self.best: Value = None
        self.key: tuple[Any, ...] = ()

    def add(self, value: Value) -> None:
        if value is None:
            return
        key = values.sort_key(value)
        if self.best is None or self.better(key):
            self.best, self.key = value, key

    def better(self, key: tuple[Any, ...]) -> bool:
        return key < self.key

    def result(self) -> Value:
        return self.best


class Greatest(Least):
    __slots__ = ()

    def better(self, key: tuple[Any, ...]) -> bool:
        return key > self.key


class Collect:
    __slots__ = ("elements", "inner")

    def __init__(self) -> None:
        self.elements: list[Value] = []
        self.inner = 0

    def add(self, value: Value) -> None:
        if value is None:
            return
        if type(value) in values.CONTAINERS:
            self.inner += values.count(value)
        if len(self.elements) + self.inner >= values.LONGEST_LIST:
            raise QueryTooLarge(f"collect() would give more than {values.LONGEST_LIST:,} elements")
        self.elements.append(value)

    def result(self) -> list[Value]:
        return values.bounded(self.elements) if self.inner else self.elements


class Deviation:
    """The standard deviation of a sample, by Welford's method; 0 of fewer than two."""

    name = "stDev"
    missing = 1
    __slots__ = ("count", "mean", "squares")

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self.squares = 0.0

    def add(self, value: Value) -> None:
        if value is None:
            return
        if type(value) not in values.NUMBERS:
            raise _wrong(self.name, NUMBER, value)
        self.count += 1
        difference = value - self.mean
        self.mean += difference / self.count
        self.squares += difference * (value - self.mean)

    def result(self) -> float:
        return math.sqrt(self.squares / (self.count - self.missing)) if self.count > 1 else 0.0


class PopulationDeviation(Deviation):
    name = "stDevP"
    missing = 0
    __slots__ = ()


class PercentileDisc:
    """The value at a percentile: the nearest one that is there."""

    name = "percentileDisc"
    __slots__ = ("numbers", "percentile")

    def __init__(self) -> None:
        self.numbers: list[int | float] = []
        self.percentile = 0.0

    def add(self, value: Value, percentile: Value) -> None:
        if type(percentile) not in values.NUMBERS:
            raise _wrong(self.name, NUMBER, percentile)
        if not 0 <= percentile <= 1:
            raise _out_of_range(
                f"{self.name}() wants a percentile from 0 to 1, and got {percentile}",
                hint="The percentile is the second argument: percentileDisc(n.age, 0.9).",
            )
        if value is None:
            return
        if type(value) not in values.NUMBERS:
            raise _wrong(self.name, NUMBER, value)
        self.percentile = percentile
        self.numbers.append(value)

    def result(self) -> Value:
        if not self.numbers:
            return None
        ordered = sorted(self.numbers, key=values.sort_key)
        return ordered[max(0, math.ceil(self.percentile * len(ordered)) - 1)]


class PercentileCont(PercentileDisc):
    """The value at a percentile, between the two nearest ones where it falls there."""

    name = "percentileCont"
    __slots__ = ()

    def result(self) -> Value:
        if not self.numbers:
            return None
        ordered = sorted(self.numbers, key=values.sort_key)
        place = self.percentile * (len(ordered) - 1)
        below = math.floor(place)
        share = place - below
        if share == 0:
            return float(ordered[below])
        return ordered[below] * (1 - share) + ordered[below + 1] * share


def _aggregates(*rows: Aggregate) -> None:
    AGGREGATES.update((row.name.lower(), row) for row in rows)


_aggregates(
    Aggregate("count", 1, 1, (ANY,), INTEGER, Count),
    Aggregate("sum", 1, 1, (NUMBER | DURATION,), NUMBER | DURATION, Sum),
    Aggregate("avg", 1, 1, (NUMBER | DURATION,), FLOAT | DURATION | NULL, Average),
    Aggregate("min", 1, 1, (ANY,), ANY, Least),
    Aggregate("max", 1, 1, (ANY,), ANY, Greatest),
    Aggregate("collect", 1, 1, (ANY,), LIST, Collect),
    Aggregate("stDev", 1, 1, (NUMBER,), FLOAT, Deviation),
    Aggregate("stDevP", 1, 1, (NUMBER,), FLOAT, PopulationDeviation),
    Aggregate("percentileCont", 2, 2, (NUMBER, NUMBER), FLOAT | NULL, PercentileCont),
    Aggregate("percentileDisc", 2, 2, (NUMBER, NUMBER), NUMBER | NULL, PercentileDisc),
)
