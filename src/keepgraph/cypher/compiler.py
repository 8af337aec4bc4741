"""Compiler: from the text of a query to SQL, as far as SQL can express it, and a plan for the interpreter.

The pipeline is PASSES. A compiled query holds its statements and knows how to decode their rows; `execution` runs it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from keepgraph import errors, interruption
from keepgraph.cypher import binder, table_graph, value_types, values
from keepgraph.cypher.catalogue import Catalogue
from keepgraph.cypher.interpret import operators
from keepgraph.cypher.interpret.evaluate import Graph, Row, Run
from keepgraph.cypher.plan import algebra, instant_comparisons, optimizer, planner
from keepgraph.cypher.plan.algebra import (
    BuildPaths,
    Filter,
    Limit,
    Match,
    Plan,
    Project,
    SingleRow,
    SqlRows,
    Union,
)
from keepgraph.cypher.sql import rendering
from keepgraph.cypher.sql.context import QUERY_INSTANT, ParameterTypes
from keepgraph.cypher.sql.emitter import new_context
from keepgraph.cypher.sql.rendering import Statement
from keepgraph.cypher.sql.terms import Inexpressible
from keepgraph.cypher.syntax import ast, parser, tree_walk
from keepgraph.cypher.table_graph import Execute
from keepgraph.cypher.values import Node


def compile_text(
    text: str, catalogue: Catalogue, parameters: Mapping[str, value_types.Type], *, row_cap: int | None = None
) -> CompiledQuery:
    """Compile a query.

    Args:
        parameters: the types of its parameters; with others the query must be compiled again.
        row_cap: the most rows.

    Raises:
        errors.QueryError: the query cannot be parsed, or makes no sense.
    """
    return _run_passes(PASSES, Compilation(text, catalogue, parameters, row_cap))


def compile_tree(
    query: ast.Query,
    text: str,
    catalogue: Catalogue,
    parameters: Mapping[str, value_types.Type],
    *,
    row_cap: int | None = None,
) -> CompiledQuery:
    """Compile a query that has been parsed from a text already; arguments and errors as of `compile_text`."""
    return _run_passes(PASSES[1:], Compilation(text, catalogue, parameters, row_cap, query))


def _run_passes(passes: tuple[Callable[[Compilation], None], ...], compilation: Compilation) -> CompiledQuery:
    for run_pass in passes:
        interruption.raise_if_due()
        run_pass(compilation)
    return CompiledQuery(
        compilation.plan.columns,
        compilation.query,
        compilation.plan,
        compilation.statement,
        compilation.hybrid,
        compilation.catalogue,
        compilation.notes,
    )


# The pipeline

_NO_QUERY = ast.Query((), ())
_NO_PLAN = SingleRow()


@dataclass(slots=True)
class Compilation:
    """A query on its way through the passes.

    Attributes:
        text: the text of the query.
        row_cap: the most rows that are read; None for all.
        query: the syntax tree, from `parse`; bound by `bind`, over the types that are stored by `resolve_types`.
        notes: what the rows do not show of how the query was understood, a sentence each, from `resolve_types` and
            `resolve_instants`.
        plan: its operators, from `build_plan`.
        statement: SQL for the whole plan, from `emit_sql`.
        hybrid: the plan with statements in the place of what SQL can express, from `emit_sql`.
        words: all words in the tree that `bind` made; none before anybody asks.
    """

    text: str
    catalogue: Catalogue
    parameters: Mapping[str, value_types.Type]
    row_cap: int | None
    query: ast.Query = _NO_QUERY
    notes: tuple[str, ...] = ()
    plan: Plan = _NO_PLAN
    statement: Statement | None = None
    hybrid: Plan | None = None
    words: Set[str] = frozenset()


def parse(compilation: Compilation) -> None:
    """Text → syntax tree."""
    compilation.query = parser.parse(compilation.text)


def bind(compilation: Compilation) -> None:
    """Check what each clause sees, and the types of expressions; expand `*`."""
    compilation.query = binder.bind(compilation.query, compilation.parameters)


def resolve_types(compilation: Compilation) -> None:
    """Patterns over inverse and symmetric types → patterns over what is stored."""
    edges = compilation.catalogue.edges
    if _mentions(compilation, edges.inverse_types.keys()) or _mentions(compilation, edges.symmetric_types):
        compilation.query, compilation.notes = optimizer.resolve(
            compilation.query, edges.inverse_types, edges.symmetric_types
        )


def resolve_instants(compilation: Compilation) -> None:
    """Comparisons of timestamps with temporal values and texts → comparisons of timestamps."""
    properties = compilation.catalogue.instant_properties
    if _mentions(compilation, properties.nodes | properties.relationships):
        compilation.query, notes = instant_comparisons.resolve(compilation.query, properties, compilation.parameters)
        compilation.notes += notes


def _mentions(compilation: Compilation, names: Set[str]) -> bool:
    """Whether one of these names is anywhere in the query."""
    if not names:
        return False
    if not compilation.words:
        compilation.words = tree_walk.words(compilation.query)
    return not names.isdisjoint(compilation.words)


def build_plan(compilation: Compilation) -> None:
    """Syntax tree → logical operators."""
    compilation.plan = planner.build_plan(compilation.query)


def cap_rows(compilation: Compilation) -> None:
    """Put a limit above all operators."""
    if compilation.row_cap is not None:
        plan = compilation.plan
        compilation.plan = Limit(plan, ast.Literal(compilation.row_cap), plan.columns)


def optimize(compilation: Compilation) -> None:
    """Operators → cheaper operators that mean the same."""
    compilation.plan = optimizer.optimize(compilation.plan)
    properties = compilation.catalogue.instant_properties
    if _mentions(compilation, properties.nodes | properties.relationships):
        compilation.plan = instant_comparisons.group_by_day(compilation.plan, properties)


def emit_sql(compilation: Compilation) -> None:
    """Operators → one statement; or else statements for parts of the plan, and the interpreter for the rest."""
    plan, catalogue, parameters = compilation.plan, compilation.catalogue, compilation.parameters
    pushed_down = push_down(plan, catalogue, parameters)
    if isinstance(pushed_down, SqlRows):
        compilation.statement = pushed_down.statement
    elif pushed_down is not plan:
        compilation.hybrid = pushed_down


PASSES: tuple[Callable[[Compilation], None], ...] = (
    parse,
    bind,
    resolve_types,
    resolve_instants,
    build_plan,
    cap_rows,
    optimize,
    emit_sql,
)


# What comes out


@dataclass(slots=True)
class CompiledQuery:
    """A query that can be run.

    Attributes:
        columns: the names of its columns.
        query: the bound syntax tree, over the types that are stored.
        plan: its operators.
        statement: SQL for the whole plan; None if the interpreter has a part.
        hybrid: the plan with statements in the place of what SQL can express; None if that is all or nothing.
        notes: what the rows do not show of how the query was understood, a sentence each.
    """

    columns: tuple[str, ...]
    query: ast.Query
    plan: Plan
    statement: Statement | None
    hybrid: Plan | None
    catalogue: Catalogue
    notes: tuple[str, ...] = ()
    _row_functions: dict[str, Callable[[Run], Iterator[Row]]] = field(default_factory=dict)

    @property
    def by(self) -> str:
        """What computes the rows, unless a statement gives up: 'sql', 'sql and python' or 'python'."""
        return "sql" if self.statement is not None else "sql and python" if self.hybrid is not None else "python"

    def statements(self) -> list[Statement]:
        """All statements that are written before the query runs."""
        if self.statement is not None:
            return [self.statement]
        return _statements_in(self.hybrid) if self.hybrid is not None else []

    def hybrid_rows(self, run: Run) -> Iterator[Row]:
        """The rows, from statements as far as SQL goes."""
        return self._rows("hybrid", self.hybrid if self.hybrid is not None else self.plan, run)

    def interpreted_rows(self, run: Run) -> Iterator[Row]:
        """The rows as the interpreter alone computes them: the meaning of the query."""
        return self._rows("plan", self.plan, run)

    def _rows(self, name: str, plan: Plan, run: Run) -> Iterator[Row]:
        if name not in self._row_functions:
            self._row_functions[name] = operators.build_row_function(plan, self.catalogue.estimates)
        return self._row_functions[name](run)


# Execution of a compiled query: by its statement, else by SQL and the interpreter together, else by the interpreter.
#
# A statement that meets a value which it cannot treat exactly gives up, and the interpreter starts from the beginning.


def run(
    compiled: CompiledQuery,
    graph: Graph,
    execute: Execute,
    parameters: Mapping[str, Any],
    catalogue_values: Mapping[str, Any],
    *,
    now: datetime,
    count_work: Callable[[int], None],
) -> tuple[list[Row], str]:
    """All rows of a query, and what computed them: 'sql', 'sql and python' or 'python'.

    Args:
        catalogue_values: what the conditions of the catalogue bind.
        count_work: called with how much was done since the last call; raises where it is time to stop.

    Raises:
        errors.QueryError: the query fails on what is in the graph.
    """

    bound_values = {**catalogue_values, QUERY_INSTANT: now}

    def fetch_rows(statement: Statement) -> Iterator[Row]:
        rows = execute(statement.sql, statement.arguments(parameters, bound_values), statement.callbacks)
        return rows if statement.decode is None else map(statement.decode, rows)

    def announce_nodes(chunk: list[Row]) -> None:
        graph.announce(value.id for row in chunk for value in row if type(value) is Node)

    def fetch_rows_ahead(statement: Statement) -> Iterator[Row]:
        return table_graph.read_ahead(fetch_rows(statement), announce_nodes)

    try:
        try:
            if compiled.statement is not None:
                return list(fetch_rows(compiled.statement)), compiled.by
            if compiled.hybrid is not None:
                hybrid_run = Run(graph, parameters, now, count_work, fetch_rows_ahead)
                return _listed(compiled.hybrid_rows(hybrid_run)), compiled.by
        except Inexpressible:
            pass
        return _listed(compiled.interpreted_rows(Run(graph, parameters, now, count_work))), "python"
    except RecursionError:
        raise errors.QueryTooLarge("a value of this query is nested too deeply") from None
    except MemoryError:
        raise errors.QueryTooLarge("the query needs more memory than is available") from None


def _listed(rows: Iterator[Row]) -> list[Row]:
    """The rows as a list, if no value of them is a range, which is too long to be answered."""
    listed = list(rows)
    if any(range in map(type, row) for row in listed):
        raise values.list_too_long()
    return listed


# Pushdown: the largest parts of a plan that SQL can express become statements; the interpreter runs the rest.


def push_down(plan: Plan, catalogue: Catalogue, parameters: ParameterTypes) -> Plan:
    """The plan with its largest parts that SQL can express replaced by their rows; the plan itself if none is.

    Where SQL can express all of it, only rows are left.
    """
    needed = frozenset(plan.columns)
    rows = _emit_rows(plan, catalogue, parameters, needed)
    return _push_down_below(plan, catalogue, parameters, needed) if rows is None else rows


def _statements_in(plan: Plan) -> list[Statement]:
    """The statements that a plan reads rows from."""
    if isinstance(plan, SqlRows):
        return [plan.statement]
    return [statement for below in algebra.inputs(plan) for statement in _statements_in(below)]


def _push_down(plan: Plan, catalogue: Catalogue, parameters: ParameterTypes, needed: frozenset[str]) -> Plan:
    """`needed` are the columns that an operator above uses."""
    tried = len(algebra.inputs(plan)) == 1
    rows = _emit_rows(plan, catalogue, parameters, needed) if tried else None
    return _push_down_below(plan, catalogue, parameters, needed) if rows is None else rows


def _push_down_below(plan: Plan, catalogue: Catalogue, parameters: ParameterTypes, needed: frozenset[str]) -> Plan:
    """The plan, whose topmost operator is for the interpreter."""
    needed |= _used_columns(plan)

    def rewrite(below: Plan) -> Plan:
        return _push_down(below, catalogue, parameters, frozenset(below.columns) if is_union else needed)

    is_union = isinstance(plan, Union)
    return algebra.rewrite_below(plan, rewrite)


def _emit_rows(
    plan: Plan, catalogue: Catalogue, parameters: ParameterTypes, needed: frozenset[str]
) -> SqlRows | Filter | None:
    """The rows of a plan from a statement; None if SQL cannot express it.

    If the plan ends with a match, the conditions of it that SQL cannot express become a filter over these rows.
    """
    context = new_context(catalogue, parameters, lenient=True)
    context.properties_used = cache(lambda: _properties_used(plan))
    try:
        block = context.plan(plan)
        left_out = tree_walk.join_conjunction(context.left_out)
        if left_out is not None:
            needed |= tree_walk.free_variables(left_out)
        names = tuple([name for name in plan.columns if name in needed])
        statement = rendering.build(context, block, plan.columns, names)
    except Inexpressible:
        return None
    rows = SqlRows(statement, plan.columns)
    return rows if left_out is None else Filter(rows, left_out, plan.columns)


def _properties_used(plan: Plan) -> dict[str, set[str]]:
    """The properties that the expressions of a plan ask of each variable, those in subqueries left out."""
    used: dict[str, set[str]] = defaultdict(set)

    def collect(expression: ast.Expression) -> None:
        if isinstance(expression, ast.Property) and isinstance(expression.subject, ast.Variable):
            used[expression.subject.name].add(expression.key)
        for child in tree_walk.children(expression):
            collect(child)

    below: list[Plan] = [plan]
    while below:
        operator = below.pop()
        for expression in _expressions(operator):
            collect(expression)
        below += algebra.inputs(operator)
    return dict(used)


def _used_columns(plan: Plan) -> frozenset[str]:
    """The columns of its input that an operator uses."""
    used: set[str] = set()
    for expression in _expressions(plan):
        used |= tree_walk.free_variables(expression)
    if isinstance(plan, Match):
        used.update(node.column for node in plan.nodes)
        used.update(edge.column for edge in plan.edges)
    if isinstance(plan, BuildPaths):
        used.update(column for path in plan.paths for column in (*path.nodes, *path.edges))
    if isinstance(plan, algebra.Distinct):
        used.update(plan.columns)
    return frozenset(used)


def _expressions(plan: Plan) -> Iterator[ast.Expression]:
    if isinstance(plan, Match):
        yield from plan.conditions
        for edge in plan.edges:
            yield from edge.conditions
    elif isinstance(plan, algebra.Unwind):
        yield plan.source
    elif isinstance(plan, Filter):
        yield plan.condition
    elif isinstance(plan, Project):
        yield from (expression for _, expression in plan.items)
    elif isinstance(plan, algebra.Aggregate):
        yield from (expression for _, expression in plan.keys)
        yield from (aggregate.call for aggregate in plan.aggregates if aggregate.call is not None)
    elif isinstance(plan, algebra.Sort):
        yield from (expression for expression, _ in plan.keys)
