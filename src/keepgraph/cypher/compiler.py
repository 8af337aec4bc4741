"""Compiler: from the text of a query to SQL, as far as SQL can express it, and a plan for the interpreter.

The pipeline is PASSES. A compiled query holds its statements and knows how to decode their rows; `execution` runs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field

from keepgraph import interruption
from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Catalogue
from keepgraph.cypher.check import binder
from keepgraph.cypher.interpret import operators
from keepgraph.cypher.interpret.runtime import Row, Run
from keepgraph.cypher.plan import day_groups, instant_comparisons, optimizer, planner, type_directions
from keepgraph.cypher.plan.algebra import Limit, Plan, SingleRow, SqlRows
from keepgraph.cypher.sql import pushdown
from keepgraph.cypher.sql.statements import Statement
from keepgraph.cypher.syntax import ast, parser, tree_walk


def compile_text(
    text: str, catalogue: Catalogue, parameters: Mapping[str, value_types.Type], *, row_cap: int | None = None
) -> CompiledQuery:
    """Compile a query.

    Args:
        parameters: the types of its parameters; with others the query must be compiled again.
        row_cap: at most so many rows.

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
        row_cap: at most so many rows are read; None for all.
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
        compilation.query, compilation.notes = type_directions.resolve(
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
        compilation.plan = day_groups.group_by_day(compilation.plan, properties)


def emit_sql(compilation: Compilation) -> None:
    """Operators → one statement; or else statements for parts of the plan, and the interpreter for the rest."""
    plan, catalogue, parameters = compilation.plan, compilation.catalogue, compilation.parameters
    pushed_down = pushdown.push_down(plan, catalogue, parameters)
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
        statement: SQL for the whole plan; None where the interpreter has a part.
        hybrid: the plan with statements in the place of what SQL can express; None where that is all or nothing.
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
        return pushdown.statements_in(self.hybrid) if self.hybrid is not None else []

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
