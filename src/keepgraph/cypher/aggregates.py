"""Aggregate functions: the table of them, and the accumulators that compute them row by row.

DISTINCT is applied before an accumulator sees a value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol
from typing import Literal as Word

from keepgraph.cypher import arithmetic, comparison, value_types, values
from keepgraph.cypher.value_types import ANY, DURATION, FLOAT, INTEGER, LIST, NULL, NUMBER, ResultType, Type
from keepgraph.cypher.values import Value
from keepgraph.errors import QueryFailed, QueryTooLarge
from keepgraph.temporal.types import Temporal

SqlForm = Word["", "count", "sum", "avg", "min", "max", "collect"]


class Accumulator(Protocol):
    """The state of an aggregate for one group of rows."""

    def add(self, value: Value, *extra: Value) -> None: ...

    def result(self) -> Value: ...


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One aggregate function.

    Attributes:
        name: as it is documented (`stDev`); a query may write it in any case.
        min_arguments, max_arguments: how many arguments it takes.
        parameter_kinds: the kinds that each argument may have, besides null; a set of bits of value_types.
        result_kinds: the kinds that it may return, NULL among them.
        start: makes the accumulator of a group. It ignores nulls.
        infer: the type of the result, if it depends on the types of the arguments.
        ignores_duplicates: whether the result is the same if a row comes more often.
        sql: how it is written in SQL; empty if SQL cannot express it.
    """

    name: str
    min_arguments: int
    max_arguments: int
    parameter_kinds: tuple[int, ...]
    result_kinds: int
    start: Callable[[], Accumulator]
    infer: ResultType | None = None
    ignores_duplicates: bool = False
    sql: SqlForm = ""

    def result_type(self, arguments: Sequence[Type]) -> Type:
        """The type of what it returns, for arguments of these types."""
        return self.infer(arguments) if self.infer is not None else Type(self.result_kinds)


def find(name: str) -> Aggregate | None:
    """The aggregate of this name, in any case."""
    return AGGREGATES.get(name.lower())


class Count:
    """How many values are not null."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0

    def add(self, value: Value) -> None:
        if value is not None:
            self.count += 1

    def result(self) -> int:
        return self.count


class Sum:
    """The sum of numbers or of durations. A sum of integers is exact, and may exceed 64 bits until it is asked for.

    Floats are summed by Neumaier's method, as SQLite does: what rounding loses is added up separately, so that ten
    times 0.1 is 1.0.
    """

    name = "sum"
    __slots__ = ("compensation", "count", "total")

    def __init__(self) -> None:
        self.total: Value = 0
        self.compensation = 0.0
        self.count = 0

    def add(self, value: Value) -> None:
        if value is None:
            return
        kind = values.kind_of(value)
        if not kind & (NUMBER | DURATION):
            raise _argument_error(self.name, NUMBER | DURATION, value)
        if kind & NUMBER and not isinstance(self.total, Temporal):
            self._add_number(value)
        elif self.count == 0:
            self.total = value
        else:
            self.total = arithmetic.add(self.total, value)
        self.count += 1

    def _add_number(self, value: int | float) -> None:
        before = self.total
        self.total = before + value
        if type(self.total) is float:
            greater, less = (before, value) if abs(before) >= abs(value) else (value, before)
            self.compensation += (greater - self.total) + less

    def result(self) -> Value:
        if type(self.total) is float and math.isfinite(self.compensation):
            return self.total + self.compensation
        return values.check_integer(self.total) if type(self.total) is int else self.total


class Average(Sum):
    name = "avg"
    __slots__ = ()

    def result(self) -> Value:
        if self.count == 0:
            return None
        if type(self.total) is int:
            return self.total / self.count
        total = super().result()
        return total / self.count if type(total) is float else arithmetic.divide(total, self.count)


class Minimum:
    """The least value in openCypher's order of all values."""

    __slots__ = ("best", "key")

    def __init__(self) -> None:
        self.best: Value = None
        self.key: tuple[Any, ...] = ()

    def add(self, value: Value) -> None:
        if value is None:
            return
        key = comparison.sort_key(value)
        if self.best is None or self.better(key):
            self.best, self.key = value, key

    def better(self, key: tuple[Any, ...]) -> bool:
        return key < self.key

    def result(self) -> Value:
        return self.best


class Maximum(Minimum):
    """The greatest value in openCypher's order of all values."""

    __slots__ = ()

    def better(self, key: tuple[Any, ...]) -> bool:
        return key > self.key


class Collect:
    """The list of all values that are not null.

    The limit counts the elements of lists and maps inside too, as values.check_size does.
    """

    __slots__ = ("elements", "nested_elements")

    def __init__(self) -> None:
        self.elements: list[Value] = []
        self.nested_elements = 0

    def add(self, value: Value) -> None:
        if value is None:
            return
        if type(value) in values.CONTAINER_TYPES:
            self.nested_elements += values.count_elements(value)
        if len(self.elements) + self.nested_elements >= values.MAX_LIST_LENGTH:
            raise QueryTooLarge(f"collect() would give more than {values.MAX_LIST_LENGTH:,} elements")
        self.elements.append(value)

    def result(self) -> list[Value]:
        return values.check_size(self.elements) if self.nested_elements else self.elements


class StandardDeviation:
    """The standard deviation of a sample, by Welford's method; 0 for fewer than two numbers."""

    name = "stDev"
    degrees_lost = 1
    """The variance is divided by the count minus this: 1 for a sample, 0 for a whole population."""
    __slots__ = ("count", "mean", "squares")

    def __init__(self) -> None:
        self.count = 0
        self.mean = 0.0
        self.squares = 0.0

    def add(self, value: Value) -> None:
        if value is None:
            return
        if type(value) not in values.NUMBER_TYPES:
            raise _argument_error(self.name, NUMBER, value)
        self.count += 1
        difference = value - self.mean
        self.mean += difference / self.count
        self.squares += difference * (value - self.mean)

    def result(self) -> float:
        return math.sqrt(self.squares / (self.count - self.degrees_lost)) if self.count > 1 else 0.0


class PopulationStandardDeviation(StandardDeviation):
    name = "stDevP"
    degrees_lost = 0
    __slots__ = ()


class DiscretePercentile:
    """The number at a percentile: always one of the group, the nearest."""

    name = "percentileDisc"
    __slots__ = ("numbers", "percentile")

    def __init__(self) -> None:
        self.numbers: list[int | float] = []
        self.percentile = 0.0

    def add(self, value: Value, percentile: Value) -> None:
        if type(percentile) not in values.NUMBER_TYPES:
            raise _argument_error(self.name, NUMBER, percentile)
        if not 0 <= percentile <= 1:
            raise QueryFailed(
                f"{self.name}() takes a percentile from 0 to 1, but got {percentile}",
                kind="ArgumentError",
                detail="NumberOutOfRange",
                hint="The percentile is the second argument: percentileDisc(n.age, 0.9).",
            )
        if value is None:
            return
        if type(value) not in values.NUMBER_TYPES:
            raise _argument_error(self.name, NUMBER, value)
        self.percentile = percentile
        self.numbers.append(value)

    def result(self) -> Value:
        return self.at_percentile(sorted(self.numbers, key=comparison.sort_key)) if self.numbers else None

    def at_percentile(self, ordered: list[int | float]) -> int | float:
        return ordered[max(0, math.ceil(self.percentile * len(ordered)) - 1)]


class ContinuousPercentile(DiscretePercentile):
    """The number at a percentile, interpolated between the two nearest numbers of the group."""

    name = "percentileCont"
    __slots__ = ()

    def at_percentile(self, ordered: list[int | float]) -> float:
        position = self.percentile * (len(ordered) - 1)
        below = math.floor(position)
        fraction = position - below
        if fraction == 0:
            return float(ordered[below])
        return ordered[below] * (1 - fraction) + ordered[below + 1] * fraction


def _argument_error(name: str, expected_kinds: int, value: Value) -> QueryFailed:
    return values.wrong_type(f"{name}()", value_types.describe(expected_kinds), value, detail="InvalidArgumentValue")


AGGREGATES: Final[dict[str, Aggregate]] = {
    row.name.lower(): row
    for row in (
        Aggregate("count", 1, 1, (ANY,), INTEGER, Count, sql="count"),
        Aggregate("sum", 1, 1, (NUMBER | DURATION,), NUMBER | DURATION, Sum, sql="sum"),
        Aggregate("avg", 1, 1, (NUMBER | DURATION,), FLOAT | DURATION | NULL, Average, sql="avg"),
        Aggregate("min", 1, 1, (ANY,), ANY, Minimum, value_types.same_or_null, ignores_duplicates=True, sql="min"),
        Aggregate("max", 1, 1, (ANY,), ANY, Maximum, value_types.same_or_null, ignores_duplicates=True, sql="max"),
        Aggregate("collect", 1, 1, (ANY,), LIST, Collect, value_types.list_of_first, sql="collect"),
        Aggregate("stDev", 1, 1, (NUMBER,), FLOAT, StandardDeviation),
        Aggregate("stDevP", 1, 1, (NUMBER,), FLOAT, PopulationStandardDeviation),
        Aggregate("percentileCont", 2, 2, (NUMBER, NUMBER), FLOAT | NULL, ContinuousPercentile),
        Aggregate("percentileDisc", 2, 2, (NUMBER, NUMBER), NUMBER | NULL, DiscretePercentile),
    )
}
"""By their names in lower case."""
