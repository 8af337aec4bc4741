"""Operators in the interpreter: each operator of a plan becomes a function that gives its rows, as a generator.

It covers every operator, and is the reference for what SQL means. A row is a tuple in the order of the operator's
columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any

from keepgraph import errors
from keepgraph.cypher import aggregates, comparison, values
from keepgraph.cypher.interpret import bfs, evaluate, match
from keepgraph.cypher.interpret.evaluate import Columns, Row, RowSource, Run
from keepgraph.cypher.plan.algebra import (
    Aggregate,
    AggregateColumn,
    Argument,
    BuildPaths,
    Distinct,
    Filter,
    Limit,
    Match,
    OuterColumns,
    Plan,
    Project,
    SingleRow,
    Skip,
    Sort,
    SqlRows,
    Union,
    Unwind,
)
from keepgraph.cypher.plan.join_order import DEFAULT_ESTIMATES, Estimates
from keepgraph.cypher.syntax import ast


def build_row_function(plan: Plan, estimates: Estimates = DEFAULT_ESTIMATES) -> Callable[[Run], Iterator[Row]]:
    """The function that gives the rows of a whole query."""
    rows_of = _build(plan, estimates)
    return lambda run: rows_of((), run)


def _build(plan: Plan, estimates: Estimates) -> RowSource:
    """The function that gives the rows of an operator, for a row of the outer query."""
    return _BUILDERS[type(plan)](plan, estimates)


def _columns(names: tuple[str, ...], estimates: Estimates) -> Columns:
    return Columns(names, lambda plan: _build(plan, estimates))


def _single_row(plan: SingleRow, estimates: Estimates) -> RowSource:
    return lambda outer, run: iter(((),))


def _argument(plan: Argument, estimates: Estimates) -> RowSource:
    return lambda outer, run: iter((outer,))


def _match(plan: Match, estimates: Estimates) -> RowSource:
    rows_of_input = _build(plan.input, estimates)
    match_rows = match.build_matcher(plan, estimates, lambda names: _columns(names, estimates))
    if not plan.optional:
        return lambda outer, run: match_rows(rows_of_input(outer, run), run)
    nulls = (None,) * (len(plan.columns) - len(plan.input.columns))

    def optional(outer: Row, run: Run) -> Iterator[Row]:
        for row in rows_of_input(outer, run):
            matched = False
            for match_row in match_rows(iter((row,)), run):
                matched = True
                yield match_row
            if not matched:
                yield (*row, *nulls)

    return optional


def _unwind(plan: Unwind, estimates: Estimates) -> RowSource:
    rows_of_input = _build(plan.input, estimates)
    source = evaluate.build_evaluator(plan.source, _columns(plan.input.columns, estimates))

    def unwind(outer: Row, run: Run) -> Iterator[Row]:
        for row in rows_of_input(outer, run):
            value = source(row, run)
            if value is None:
                continue
            for number, element in enumerate(value if type(value) in values.LIST_TYPES else (value,)):
                if number % 8 == 0:
                    run.count_work(8)
                yield (*row, element)

    return unwind


def _filter(plan: Filter, estimates: Estimates) -> RowSource:
    rows_of_input = _build(plan.input, estimates)
    condition = evaluate.build_test(plan.condition, _columns(plan.input.columns, estimates))
    return lambda outer, run: (row for row in rows_of_input(outer, run) if condition(row, run))


def _project(plan: Project, estimates: Estimates) -> RowSource:
    rows_of_input = _build(plan.input, estimates)
    columns = _columns(plan.input.columns, estimates)
    by_name = {name: evaluate.build_evaluator(expression, columns) for name, expression in plan.items}
    evaluators = [by_name[name] for name in plan.columns]

    def project(outer: Row, run: Run) -> Iterator[Row]:
        for row in rows_of_input(outer, run):
            run.count_work(1)
            yield tuple([evaluator(row, run) for evaluator in evaluators])

    return project


def _aggregate(plan: Aggregate, estimates: Estimates) -> RowSource:
    rows_of_input = _build(plan.input, estimates)
    columns = _columns(plan.input.columns, estimates)
    if (variable := _only_count_distinct(plan)) is not None:
        if (count_ends := _count_ends(plan.input, variable, estimates)) is not None:
            return count_ends
        return _count_distinct(rows_of_input, columns.position(variable))
    keys = [evaluate.build_evaluator(expression, columns) for _, expression in plan.keys]
    start_groups = [_group_starter(aggregate, columns) for aggregate in plan.aggregates]

    def aggregate(outer: Row, run: Run) -> Iterator[Row]:
        groups: dict[Any, tuple[Row, list[_GroupAggregate]]] = {}
        if not keys:
            only = [start() for start in start_groups]
            for row in rows_of_input(outer, run):
                for group_aggregate in only:
                    group_aggregate.add(row, run)
            yield tuple([group_aggregate.result() for group_aggregate in only])
            return
        for row in rows_of_input(outer, run):
            key = tuple([evaluator(row, run) for evaluator in keys])
            group_key = tuple(map(comparison.group_key, key))
            group = groups.get(group_key)
            if group is None:
                run.count_work(8)
                group = groups[group_key] = (key, [start() for start in start_groups])
            for group_aggregate in group[1]:
                group_aggregate.add(row, run)
        for key, group_aggregates in groups.values():
            yield (*key, *(group_aggregate.result() for group_aggregate in group_aggregates))

    return aggregate


def _only_count_distinct(plan: Aggregate) -> str | None:
    """The variable of `count(DISTINCT variable)`, where the operator computes nothing else."""
    if plan.keys or len(plan.aggregates) != 1:
        return None
    call = plan.aggregates[0].call
    if call is None or not call.distinct or aggregates.AGGREGATES[call.name.lower()].start is not aggregates.Count:
        return None
    [argument] = call.arguments
    return argument.name if isinstance(argument, ast.Variable) else None


def _count_ends(plan: Plan, variable: str, estimates: Estimates) -> RowSource | None:
    """The number of nodes that a search reaches, without a row for each; None if the plan is not such a search."""
    if not isinstance(plan, Match) or plan.optional:
        return None
    find_ends = match.build_end_finder(plan, estimates, lambda names: _columns(names, estimates), variable)
    if find_ends is None:
        return None
    rows_of_input = _build(plan.input, estimates)

    def count(outer: Row, run: Run) -> Iterator[Row]:
        reached: set[Any] = set()
        for keys in find_ends(rows_of_input(outer, run), run):
            reached.update(keys)
        yield (len(reached),)

    return count


def _count_distinct(rows_of_input: RowSource, position: int) -> RowSource:
    def count(outer: Row, run: Run) -> Iterator[Row]:
        seen: set[Any] = set()
        for row in rows_of_input(outer, run):
            value = row[position]
            if value is not None:
                run.count_work(1)
                seen.add(comparison.group_key(value))
        yield (len(seen),)

    return count


class _GroupAggregate:
    """One aggregate of one group."""

    __slots__ = ("_accumulator", "_arguments", "_seen")

    def __init__(self, accumulator: Any, arguments: list[evaluate.Evaluator] | None, *, distinct: bool) -> None:
        self._accumulator = accumulator
        self._arguments = arguments
        self._seen: set[Any] | None = set() if distinct else None

    def add(self, row: Row, run: Run) -> None:
        run.count_work(1)
        if self._arguments is None:
            self._accumulator.add(True)
            return
        arguments = [argument(row, run) for argument in self._arguments]
        if self._seen is not None:
            group_key = comparison.group_key(arguments[0])
            if group_key in self._seen:
                return
            self._seen.add(group_key)
        self._accumulator.add(*arguments)

    def result(self) -> Any:
        return self._accumulator.result()


def _group_starter(aggregate: AggregateColumn, columns: Columns) -> Callable[[], _GroupAggregate]:
    call = aggregate.call
    if call is None:
        return lambda: _GroupAggregate(aggregates.Count(), None, distinct=False)
    start = aggregates.AGGREGATES[call.name.lower()].start
    arguments = [evaluate.build_evaluator(argument, columns) for argument in call.arguments]
    return lambda: _GroupAggregate(start(), arguments, distinct=call.distinct)


def _distinct(plan: Distinct, estimates: Estimates) -> RowSource:
    rows_of_input = _build(plan.input, estimates)

    def distinct(outer: Row, run: Run) -> Iterator[Row]:
        seen: set[Any] = set()
        for row in rows_of_input(outer, run):
            group_key = tuple(map(comparison.group_key, row))
            if group_key not in seen:
                run.count_work(4)
                seen.add(group_key)
                yield row

    return distinct


def _sort(plan: Sort, estimates: Estimates) -> RowSource:
    rows_of_input = _build(plan.input, estimates)
    columns = _columns(plan.input.columns, estimates)
    keys = [(evaluate.build_evaluator(expression, columns), descending) for expression, descending in plan.keys]

    def sort(outer: Row, run: Run) -> Iterator[Row]:
        keyed_rows = []
        for row in rows_of_input(outer, run):
            run.count_work(4)
            keyed_rows.append((tuple([comparison.sort_key(key(row, run)) for key, _ in keys]), row))
        # The sort is stable: by the last key first, and by the first key last.
        for number in reversed(range(len(keys))):
            keyed_rows.sort(key=lambda keyed: keyed[0][number], reverse=keys[number][1])
        return map(itemgetter(1), keyed_rows)

    return sort


def _row_count(expression: ast.Expression, run: Run, keyword: str) -> int:
    count = evaluate.build_evaluator(expression, Columns((), _no_subquery))((), run)
    if type(count) is not int:
        raise errors.QueryFailed(
            f"{keyword} takes an integer, but this is {values.describe(count)}",
            detail="InvalidArgumentType",
            kind="SyntaxError",
            span=expression.span,
        )
    if count < 0:
        raise errors.QueryFailed(
            f"{keyword} takes an integer that is not negative, but this is {count}",
            detail="NegativeIntegerArgument",
            kind="SyntaxError",
            span=expression.span,
        )
    return count


def _no_subquery(plan: Plan) -> RowSource:
    raise AssertionError("the binder allows no subquery here")


def _skip(plan: Skip, estimates: Estimates) -> RowSource:
    rows_of_input = _build(plan.input, estimates)

    def skip(outer: Row, run: Run) -> Iterator[Row]:
        count = _row_count(plan.count, run, "SKIP")
        for number, row in enumerate(rows_of_input(outer, run)):
            if number >= count:
                yield row

    return skip


def _limit(plan: Limit, estimates: Estimates) -> RowSource:
    rows_of_input = _build(plan.input, estimates)

    def limit(outer: Row, run: Run) -> Iterator[Row]:
        count = _row_count(plan.count, run, "LIMIT")
        if not count:
            return
        for number, row in enumerate(rows_of_input(outer, run), start=1):
            yield row
            if number == count:
                return

    return limit


def _union(plan: Union, estimates: Estimates) -> RowSource:
    left, right = _build(plan.left, estimates), _build(plan.right, estimates)
    positions = [plan.right.columns.index(name) for name in plan.columns]

    def union(outer: Row, run: Run) -> Iterator[Row]:
        yield from left(outer, run)
        for row in right(outer, run):
            yield tuple([row[position] for position in positions])

    return union


def _build_paths(plan: BuildPaths, estimates: Estimates) -> RowSource:
    rows_of_input = _build(plan.input, estimates)
    names = plan.input.columns
    named_paths = [(bfs.build_path_function(path, names), bfs.part_positions(path, names)) for path in plan.paths]

    def add_paths(outer: Row, run: Run) -> Iterator[Row]:
        for row in rows_of_input(outer, run):
            yield (
                *row,
                *(
                    None if any(row[part] is None for part in parts) else build_path(row)
                    for build_path, parts in named_paths
                ),
            )

    return add_paths


def _outer_columns(plan: OuterColumns, estimates: Estimates) -> RowSource:
    rows_of_input = _build(plan.input, estimates)
    positions = plan.positions
    return lambda outer, run: (
        (*row, *(outer[position] for position in positions)) for row in rows_of_input(outer, run)
    )


def _sql_rows(plan: SqlRows, estimates: Estimates) -> RowSource:
    def fetch(outer: Row, run: Run) -> Iterator[Row]:
        for row in run.fetch_rows(plan.statement):
            run.count_work(1)
            yield row

    return fetch


_BUILDERS: dict[type, Callable[[Any, Estimates], RowSource]] = {
    SingleRow: _single_row,
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
    BuildPaths: _build_paths,
    OuterColumns: _outer_columns,
    SqlRows: _sql_rows,
}
