"""Puts the stages together: text → tree → bound tree → operators → SQL as far as it goes, Python for the rest.

A compiled query knows its statements and how to read their rows; whoever runs it hands it the way to execute them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Catalogue
from keepgraph.cypher.check import binder
from keepgraph.cypher.interpret import operators
from keepgraph.cypher.interpret.evaluate import Row, Run
from keepgraph.cypher.plan import algebra, optimizer, planner
from keepgraph.cypher.plan.algebra import Argument, Fetched, Filter, Limit, Match, Plan, Project, Trace, Union, Unit
from keepgraph.cypher.sql.blocks import Block, Bound, Inexpressible, Term
from keepgraph.cypher.sql.callbacks import PREFIX
from keepgraph.cypher.sql.operators import Emitter
from keepgraph.cypher.syntax import ast, parser, traversal
from keepgraph.cypher.values import Node, Relationship


@dataclass(frozen=True, slots=True)
class Statement:
    """One SELECT: its text, what it binds, the functions it calls back, and how its rows are read."""

    sql: str
    bound: tuple[Bound, ...]
    functions: frozenset[str]
    read: Callable[[Row], Row] | None

    def arguments(self, parameters: Mapping[str, Any], names: Mapping[str, Any]) -> list[Any]:
        """What the statement binds.

        Raises:
            Inexpressible: a parameter has a value that SQL would take for something else.
        """
        return [value(parameters, names) for value in self.bound]


@dataclass(slots=True)
class Compiled:
    """A query that can be run.

    Attributes:
        columns: the names of its columns.
        query: the bound tree.
        plan: its operators.
        statement: SQL that says all of it; None where Python has a part.
        hybrid: the operators with statements for those that SQL says; None where it says all or nothing.
    """

    columns: tuple[str, ...]
    query: ast.Query
    plan: Plan
    statement: Statement | None
    hybrid: Plan | None
    catalogue: Catalogue
    _made: dict[str, Callable[[Run], Iterator[Row]]] = field(default_factory=dict)

    @property
    def by(self) -> str:
        """Who finds the rows, unless a statement gives up: 'sql', 'sql and python' or 'python'."""
        return "sql" if self.statement is not None else "sql and python" if self.hybrid is not None else "python"

    def statements(self) -> list[Statement]:
        """All statements that are written before it runs."""
        if self.statement is not None:
            return [self.statement]
        return _statements(self.hybrid) if self.hybrid is not None else []

    def rows_of_hybrid(self, run: Run) -> Iterator[Row]:
        """The rows, from statements as far as SQL goes."""
        return self._rows("hybrid", self.hybrid if self.hybrid is not None else self.plan, run)

    def rows_of_reference(self, run: Run) -> Iterator[Row]:
        """The rows as Python alone finds them: the meaning of the query."""
        return self._rows("plan", self.plan, run)

    def _rows(self, name: str, plan: Plan, run: Run) -> Iterator[Row]:
        if name not in self._made:
            self._made[name] = operators.rows(plan, self.catalogue.estimates)
        return self._made[name](run)


def compiled(
    text: str, catalogue: Catalogue, parameters: Mapping[str, value_types.Type], *, cap: int | None = None
) -> Compiled:
    """Compile a query.

    Args:
        parameters: the types of its parameters; a query is compiled anew for others.
        cap: at most so many rows.

    Raises:
        errors.QueryError: it cannot be read, or makes no sense.
    """
    return of_tree(parser.parse(text), catalogue, parameters, cap=cap)


def of_tree(
    query: ast.Query, catalogue: Catalogue, parameters: Mapping[str, value_types.Type], *, cap: int | None = None
) -> Compiled:
    """Compile a query that was parsed already."""
    bound = binder.bind(query, parameters)
    plan = planner.plan(bound)
    columns = plan.columns
    if cap is not None:
        plan = Limit(plan, ast.Literal(cap), columns)
    plan = optimizer.rewritten(plan)
    statement, hybrid = _split(plan, catalogue, parameters)
    return Compiled(columns, bound, plan, statement, hybrid, catalogue)


def _statements(plan: Plan) -> list[Statement]:
    if isinstance(plan, Fetched):
        return [plan.statement]
    if isinstance(plan, Union):
        return _statements(plan.left) + _statements(plan.right)
    return [] if isinstance(plan, Unit | Argument) else _statements(plan.input)


# What Python does behind SQL


def _split(
    plan: Plan, catalogue: Catalogue, parameters: Mapping[str, value_types.Type]
) -> tuple[Statement | None, Plan | None]:
    """The statement that says all of a plan; or else the plan with statements for what SQL can say."""
    emitter = Emitter(catalogue, parameters)
    try:
        return _statement(emitter, emitter.block(plan), plan.columns), None
    except Inexpressible:
        pass
    hybrid = _with_statements(plan, catalogue, parameters, frozenset(plan.columns))
    return None, hybrid if hybrid is not plan else None


def _with_statements(
    plan: Plan, catalogue: Catalogue, parameters: Mapping[str, value_types.Type], wanted: frozenset[str]
) -> Plan:
    """The plan with its largest parts that SQL can say replaced by their rows.

    Args:
        wanted: the columns that somebody above asks for.
    """
    if isinstance(plan, Union):
        return replace(
            plan,
            left=_with_statements(plan.left, catalogue, parameters, frozenset(plan.left.columns)),
            right=_with_statements(plan.right, catalogue, parameters, frozenset(plan.right.columns)),
        )
    if isinstance(plan, Unit | Argument | Fetched):
        return plan
    inner = plan.input
    fetched = _fetched(plan, catalogue, parameters, wanted)
    if fetched is not None:
        return fetched
    below = _with_statements(inner, catalogue, parameters, wanted | _asked(plan))
    return replace(plan, input=below) if below is not inner else plan


def _fetched(
    plan: Plan, catalogue: Catalogue, parameters: Mapping[str, value_types.Type], wanted: frozenset[str]
) -> Plan | None:
    """The rows of a plan from a statement; of a match whose conditions SQL cannot all say, with a filter behind it."""
    names = tuple(name for name in plan.columns if name in wanted)
    for lenient in (False, True):
        emitter = Emitter(catalogue, parameters, lenient=lenient)
        try:
            block = emitter.block(plan)
            late = planner.conjunction(emitter.refused)
            if late is not None:
                more = wanted | traversal.free_variables(late)
                names = tuple(name for name in plan.columns if name in more)
            statement = _statement(emitter, block, plan.columns, names)
        except Inexpressible:
            continue
        found: Plan = Fetched(statement, plan.columns)
        return found if late is None else Filter(found, late, plan.columns)
    return None


def _asked(plan: Plan) -> frozenset[str]:
    """The columns that an operator asks its input for."""
    asked: set[str] = set()
    for expression in _expressions(plan):
        asked |= traversal.free_variables(expression)
    if isinstance(plan, Match):
        asked.update(node.column for node in plan.nodes)
        asked.update(edge.column for edge in plan.edges)
    if isinstance(plan, Trace):
        asked.update(column for path in plan.paths for column in (*path.nodes, *path.edges))
    if isinstance(plan, algebra.Distinct):
        asked.update(plan.columns)
    return frozenset(asked)


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
        yield from (each.call for each in plan.aggregates if each.call is not None)
    elif isinstance(plan, algebra.Sort):
        yield from (expression for expression, _ in plan.keys)


# Statements


def _statement(emitter: Emitter, block: Block, columns: Sequence[str], names: Sequence[str] | None = None) -> Statement:
    """The statement of a block, for these of its columns; the others read as null."""
    chosen = tuple(columns if names is None else names)
    block = emitter.as_read(block)
    sql, bound = emitter.bindings.of(emitter.select(block, chosen))
    readers: dict[str, Callable[[Row], Any]] = {}
    place = 0
    plain = chosen == tuple(columns)
    for name in chosen:
        term = block.columns[name]
        readers[name], width, same = _reader(term, place, emitter.catalogue)
        place += width
        plain = plain and same
    if plain:
        read = None
    else:
        ordered = [readers.get(name, _nothing) for name in columns]

        def read(row: Row) -> Row:
            return tuple([reader(row) for reader in ordered])

    called = frozenset(name for name in emitter.expressions.functions if f"{PREFIX}{name}(" in sql)
    return Statement(sql, tuple(bound), called, read)


def _nothing(row: Row) -> None:
    return None


def _reader(term: Term, place: int, catalogue: Catalogue) -> tuple[Callable[[Row], Any], int, bool]:
    """How a value is read from a row, how many columns it takes, and whether it is the column as it is."""
    if term.form == "value":
        return lambda row: _of_bag(row[place], catalogue), 1, False
    if term.form == "node":
        return lambda row: None if row[place] is None else Node(row[place]), 1, False
    if term.form == "edge":
        return lambda row: None if row[place] is None else Relationship(*row[place : place + 3]), 3, False
    if term.form in ("json", "labels"):
        element = term.type.element
        if element == value_types.UNKNOWN:
            return lambda row: None if row[place] is None else catalogue.read(json.loads(row[place])), 1, False
        if element is not None and element.kinds & value_types.NODE:
            return lambda row: [None if each is None else Node(each) for each in json.loads(row[place])], 1, False
        return lambda row: None if row[place] is None else json.loads(row[place]), 1, False
    if term.form == "tagged":
        return lambda row: row[place] == b"\x01" if type(row[place]) is bytes else row[place], 1, False
    if term.kinds & value_types.BOOLEAN:
        return lambda row: None if row[place] is None else bool(row[place]), 1, False
    return lambda row: row[place], 1, True


def _of_bag(written: str | None, catalogue: Catalogue) -> Any:
    """A value as it lies in a bag."""
    if written is None:
        return None
    if written[0] == '"' and "\\" not in written:
        return written[1:-1]
    return catalogue.read(json.loads(written))
