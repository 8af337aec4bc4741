"""Runs operators over rows in Python: the second target of the compiler, and the reference for the first.

Small and complete: every operator and every expression. Rows are tuples in the order of an operator's columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any

from keepgraph import errors
from keepgraph.cypher import functions, values
from keepgraph.cypher.interpret import evaluate, match
from keepgraph.cypher.interpret.evaluate import Columns, Row, Rows, Run
from keepgraph.cypher.plan.algebra import (
    Aggregate,
    Aggregated,
    Argument,
    Around,
    Distinct,
    Fetched,
    Filter,
    Limit,
    Match,
    Plan,
    Project,
    Skip,
    Sort,
    Trace,
    Union,
    Unit,
    Unwind,
)
from keepgraph.cypher.plan.join_order import GUESSES, Estimates
from keepgraph.cypher.syntax import ast


def rows(plan: Plan, estimates: Estimates = GUESSES) -> Callable[[Run], Iterator[Row]]:
    """The function that gives the rows of a whole query."""
    found = _rows(plan, estimates)
    return lambda run: found((), run)


def _rows(plan: Plan, estimates: Estimates) -> Rows:
    """The function that gives the rows of an operator, for the row around it."""
    return _OF[type(plan)](plan, estimates)


def _columns(names: tuple[str, ...], estimates: Estimates) -> Columns:
    return Columns(names, lambda plan: _rows(plan, estimates))


def _unit(plan: Unit, estimates: Estimates) -> Rows:
    return lambda outer, run: iter(((),))


def _argument(plan: Argument, estimates: Estimates) -> Rows:
    return lambda outer, run: iter((outer,))


def _match(plan: Match, estimates: Estimates) -> Rows:
    before = _rows(plan.input, estimates)
    lay = match.ways(plan, estimates, lambda names: _columns(names, estimates))
    if not plan.optional:
        return lambda outer, run: lay(before(outer, run), run)
    nulls = (None,) * (len(plan.columns) - len(plan.input.columns))

    def optional(outer: Row, run: Run) -> Iterator[Row]:
        for row in before(outer, run):
            found = False
            for way in lay(iter((row,)), run):
                found = True
                yield way
            if not found:
                yield (*row, *nulls)

    return optional


def _unwind(plan: Unwind, estimates: Estimates) -> Rows:
    before = _rows(plan.input, estimates)
    source = evaluate.value(plan.source, _columns(plan.input.columns, estimates))

    def unwind(outer: Row, run: Run) -> Iterator[Row]:
        for row in before(outer, run):
            found = source(row, run)
            if found is None:
                continue
            for element in found if isinstance(found, list) else (found,):
                run.rest(1)
                yield (*row, element)

    return unwind


def _filter(plan: Filter, estimates: Estimates) -> Rows:
    before = _rows(plan.input, estimates)
    condition = evaluate.holds(plan.condition, _columns(plan.input.columns, estimates))
    return lambda outer, run: (row for row in before(outer, run) if condition(row, run))


def _project(plan: Project, estimates: Estimates) -> Rows:
    before = _rows(plan.input, estimates)
    columns = _columns(plan.input.columns, estimates)
    by_name = {name: evaluate.value(expression, columns) for name, expression in plan.items}
    items = [by_name[name] for name in plan.columns]

    def project(outer: Row, run: Run) -> Iterator[Row]:
        for row in before(outer, run):
            run.rest(1)
            yield tuple([item(row, run) for item in items])

    return project


def _aggregate(plan: Aggregate, estimates: Estimates) -> Rows:
    before = _rows(plan.input, estimates)
    columns = _columns(plan.input.columns, estimates)
    if (counted := _counted_alone(plan)) is not None:
        return _count_distinct(before, columns.place(counted))
    keys = [evaluate.value(expression, columns) for _, expression in plan.keys]
    folds = [_fold(each, columns) for each in plan.aggregates]

    def aggregate(outer: Row, run: Run) -> Iterator[Row]:
        groups: dict[Any, tuple[Row, list[_Fold]]] = {}
        if not keys:
            groups[()] = ((), [start() for start in folds])
        for row in before(outer, run):
            key = tuple([each(row, run) for each in keys])
            known = tuple(map(values.group_key, key))
            group = groups.get(known)
            if group is None:
                run.rest(8)
                group = groups[known] = (key, [start() for start in folds])
            for fold in group[1]:
                fold.add(row, run)
        for key, folded in groups.values():
            yield (*key, *(fold.result() for fold in folded))

    return aggregate


def _counted_alone(plan: Aggregate) -> str | None:
    """The variable of `count(DISTINCT variable)`, where nothing else is asked for."""
    if plan.keys or len(plan.aggregates) != 1:
        return None
    call = plan.aggregates[0].call
    if call is None or call.name.lower() != "count" or not call.distinct:
        return None
    [argument] = call.arguments
    return argument.name if isinstance(argument, ast.Variable) else None


def _count_distinct(before: Rows, place: int) -> Rows:
    def count(outer: Row, run: Run) -> Iterator[Row]:
        seen: set[Any] = set()
        for row in before(outer, run):
            found = row[place]
            if found is not None:
                run.rest(1)
                seen.add(values.group_key(found))
        yield (len(seen),)

    return count


class _Fold:
    """One aggregate of one group."""

    __slots__ = ("_accumulator", "_arguments", "_seen")

    def __init__(self, accumulator: Any, arguments: list[evaluate.Value] | None, *, distinct: bool) -> None:
        self._accumulator = accumulator
        self._arguments = arguments
        self._seen: set[Any] | None = set() if distinct else None

    def add(self, row: Row, run: Run) -> None:
        run.rest(1)
        if self._arguments is None:
            self._accumulator.add(True)
            return
        first, *others = [argument(row, run) for argument in self._arguments]
        if self._seen is not None:
            known = values.group_key(first)
            if known in self._seen:
                return
            self._seen.add(known)
        self._accumulator.add(first, *others)

    def result(self) -> Any:
        return self._accumulator.result()


def _fold(aggregated: Aggregated, columns: Columns) -> Callable[[], _Fold]:
    call = aggregated.call
    if call is None:
        return lambda: _Fold(functions.AGGREGATES["count"].start(), None, distinct=False)
    start = functions.AGGREGATES[call.name.lower()].start
    arguments = [evaluate.value(each, columns) for each in call.arguments]
    return lambda: _Fold(start(), arguments, distinct=call.distinct)


def _distinct(plan: Distinct, estimates: Estimates) -> Rows:
    before = _rows(plan.input, estimates)

    def distinct(outer: Row, run: Run) -> Iterator[Row]:
        seen: set[Any] = set()
        for row in before(outer, run):
            known = tuple(map(values.group_key, row))
            if known not in seen:
                run.rest(4)
                seen.add(known)
                yield row

    return distinct


def _sort(plan: Sort, estimates: Estimates) -> Rows:
    before = _rows(plan.input, estimates)
    columns = _columns(plan.input.columns, estimates)
    keys = [(evaluate.value(expression, columns), descending) for expression, descending in plan.keys]

    def sort(outer: Row, run: Run) -> Iterator[Row]:
        found = []
        for row in before(outer, run):
            run.rest(4)
            found.append((tuple([values.sort_key(key(row, run)) for key, _ in keys]), row))
        for place in reversed(range(len(keys))):
            found.sort(key=lambda each: each[0][place], reverse=keys[place][1])
        return map(itemgetter(1), found)

    return sort


def _count(expression: ast.Expression, run: Run, word: str) -> int:
    found = evaluate.value(expression, Columns((), _no_subquery))((), run)
    if type(found) is not int:
        raise errors.QueryFailed(
            f"{word} takes an integer, and this is {values.described(found)}",
            detail="InvalidArgumentType",
            kind="SyntaxError",
            span=expression.span,
        )
    if found < 0:
        raise errors.QueryFailed(
            f"{word} takes an integer that is not negative, and this is {found}",
            detail="NegativeIntegerArgument",
            kind="SyntaxError",
            span=expression.span,
        )
    return found


def _no_subquery(plan: Plan) -> Rows:
    raise AssertionError("the binder allows no subquery here")


def _skip(plan: Skip, estimates: Estimates) -> Rows:
    before = _rows(plan.input, estimates)

    def skip(outer: Row, run: Run) -> Iterator[Row]:
        count = _count(plan.count, run, "SKIP")
        for number, row in enumerate(before(outer, run)):
            if number >= count:
                yield row

    return skip


def _limit(plan: Limit, estimates: Estimates) -> Rows:
    before = _rows(plan.input, estimates)

    def limit(outer: Row, run: Run) -> Iterator[Row]:
        count = _count(plan.count, run, "LIMIT")
        if not count:
            return
        for number, row in enumerate(before(outer, run), start=1):
            yield row
            if number == count:
                return

    return limit


def _union(plan: Union, estimates: Estimates) -> Rows:
    left, right = _rows(plan.left, estimates), _rows(plan.right, estimates)
    places = [plan.right.columns.index(name) for name in plan.columns]

    def union(outer: Row, run: Run) -> Iterator[Row]:
        yield from left(outer, run)
        for row in right(outer, run):
            yield tuple([row[place] for place in places])

    return union


def _trace(plan: Trace, estimates: Estimates) -> Rows:
    before = _rows(plan.input, estimates)
    names = plan.input.columns
    builders = [(match.path_builder(path, names), match.places(path, names)) for path in plan.paths]

    def trace(outer: Row, run: Run) -> Iterator[Row]:
        for row in before(outer, run):
            yield (
                *row,
                *(None if any(row[each] is None for each in needed) else build(row) for build, needed in builders),
            )

    return trace


def _around(plan: Around, estimates: Estimates) -> Rows:
    before = _rows(plan.input, estimates)
    places = plan.places
    return lambda outer, run: ((*row, *(outer[place] for place in places)) for row in before(outer, run))


def _fetched(plan: Fetched, estimates: Estimates) -> Rows:
    def fetch(outer: Row, run: Run) -> Iterator[Row]:
        for row in run.fetch(plan.statement):
            run.rest(1)
            yield row

    return fetch


_OF: dict[type, Callable[[Any, Estimates], Rows]] = {
    Unit: _unit,
    Argument: _argument,
    Match: _match,
    Unwind: _unwind,
    Filter: _filter,
    Project: _project,
    Aggregate: _aggregate,
    Distinct: _distinct,
    Sort: _sort,
    Skip: _skip,
    Limit: _limit,
    Union: _union,
    Trace: _trace,
    Around: _around,
    Fetched: _fetched,
}
