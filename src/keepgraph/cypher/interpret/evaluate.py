"""Turns expressions into Python functions of a row. Knows no operator but through the subqueries it is handed.

The reference for what an expression means: SQL says the same or is not used.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from keepgraph import errors
from keepgraph.arrays.adjacency import Key, Neighbours
from keepgraph.cypher import functions, values
from keepgraph.cypher.plan import optimizer, planner
from keepgraph.cypher.plan.algebra import Plan
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.values import Node, Relationship

Row = tuple[Any, ...]


class Graph(Protocol):
    """What a query asks of the graph it is laid on. A node and a relationship may have the same number."""

    def nodes(self, labels: tuple[ast.LabelExpression, ...], equalities: tuple[tuple[str, Any], ...]) -> Iterator[Node]:
        """The nodes with these labels, and with these values of properties as far as that is quick to know."""

    def relationships(self, types: ast.LabelExpression | None) -> Iterator[Relationship]:
        """All relationships of these types."""

    def expand(self, node: Node, direction: str, types: ast.LabelExpression | None) -> Iterator[Relationship]:
        """The relationships of these types at a node; one that leads back to its node once."""

    def between(
        self, start: Node, end: Node, direction: str, types: ast.LabelExpression | None
    ) -> Iterator[Relationship]:
        """The relationships of these types from one node to another, as `expand` sees them from the first."""

    def neighbours(self, direction: str, types: ast.LabelExpression | None) -> Neighbours:
        """Who neighbours whom along these types, by keys."""

    def announce(self, keys: Iterable[Key]) -> None:
        """Say which nodes may be asked for soon."""

    def labels(self, node: Node) -> tuple[str, ...]:
        """The labels that a node shows."""

    def all_labels(self, node: Node) -> tuple[str, ...]:
        """The labels that a node answers to: those that it shows, and those that are implied."""

    def type(self, relationship: Relationship) -> str: ...

    def properties(self, of: Node | Relationship) -> Mapping[str, Any]: ...

    def public_id(self, of: Node | Relationship) -> str: ...


def _no_statements(statement: Any) -> Iterator[Row]:
    raise AssertionError("this plan has no statements")


@dataclass(slots=True)
class Run:
    """One run of a query.

    Attributes:
        rest: called now and then; raises where it is time to stop. Its argument is how much was done since.
        fetch: gives the rows of a statement.
    """

    graph: Graph
    parameters: Mapping[str, Any]
    now: datetime
    rest: Callable[[int], None]
    fetch: Callable[[Any], Iterator[Row]] = _no_statements
    random: Any = field(default_factory=random.Random)


Value = Callable[[Row, Run], Any]
Rows = Callable[[Row, Run], Iterator[Row]]
"""The rows of a subquery, for the row around it: that row, and what the subquery adds."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Where a row has its values, and how subqueries are made."""

    names: tuple[str, ...]
    subquery: Callable[[Plan], Rows]

    def place(self, name: str) -> int:
        """The last column of this name: an inner variable hides an outer one."""
        return len(self.names) - 1 - self.names[::-1].index(name)

    def with_(self, *names: str) -> Columns:
        return Columns((*self.names, *names), self.subquery)

    def visible(self) -> tuple[str, ...]:
        """The names by column; one that is hidden goes by a name that nothing asks for."""
        seen = self.names
        return tuple(
            name if self.place(name) == number else f"{ast.OWN}hidden{number}" for number, name in enumerate(seen)
        )


def value(expression: ast.Expression, columns: Columns) -> Value:
    """The function that computes an expression for a row."""
    return _OF[type(expression)](expression, columns)


def holds(expression: ast.Expression, columns: Columns) -> Value:
    """The function that tells whether a condition is true; null is not."""
    inner = value(expression, columns)

    def test(row: Row, run: Run) -> bool:
        found = inner(row, run)
        return found is True or (found is not False and found is not None and values.truth(found) is True)

    return test


def property_of(subject: Any, key: str, run: Run) -> Any:
    """`subject.key` of anything."""
    if subject is None:
        return None
    if type(subject) is Node or type(subject) is Relationship:
        return run.graph.properties(subject).get(key)
    if type(subject) is dict:
        return subject.get(key)
    return values.property_of(subject, key)


def has_labels(subject: Any, wanted: ast.LabelExpression, run: Run) -> bool | None:
    if subject is None:
        return None
    if type(subject) is Node:
        return labelled(run.graph.all_labels(subject), wanted)
    if type(subject) is Relationship:
        return labelled((run.graph.type(subject),), wanted)
    raise errors.QueryFailed(
        f"a label is asked of {values.described(subject)}, and only nodes and relationships have any",
        detail="InvalidArgumentType",
    )


def labelled(labels: tuple[str, ...], wanted: ast.LabelExpression) -> bool:
    """Whether these labels are what is wanted."""
    if isinstance(wanted, ast.LabelName):
        return wanted.name in labels
    if isinstance(wanted, ast.AllLabels):
        return all(labelled(labels, each) for each in wanted.operands)
    if isinstance(wanted, ast.SomeLabel):
        return any(labelled(labels, each) for each in wanted.operands)
    if isinstance(wanted, ast.NotLabel):
        return not labelled(labels, wanted.operand)
    return bool(labels)


def _literal(expression: ast.Literal, columns: Columns) -> Value:
    found = expression.value
    return lambda row, run: found


def _parameter(expression: ast.Parameter, columns: Columns) -> Value:
    name = expression.name
    return lambda row, run: run.parameters[name]


def _variable(expression: ast.Variable, columns: Columns) -> Value:
    place = columns.place(expression.name)
    return lambda row, run: row[place]


def _property(expression: ast.Property, columns: Columns) -> Value:
    subject, key = value(expression.subject, columns), expression.key
    return lambda row, run: property_of(subject(row, run), key, run)


def _index(expression: ast.Index, columns: Columns) -> Value:
    subject, index = value(expression.subject, columns), value(expression.index, columns)

    def find(row: Row, run: Run) -> Any:
        whole, place = subject(row, run), index(row, run)
        if type(whole) is Node or type(whole) is Relationship:
            whole = run.graph.properties(whole)
        return values.index(whole, place)

    return find


def _slice(expression: ast.Slice, columns: Columns) -> Value:
    subject = value(expression.subject, columns)
    start = value(expression.start, columns) if expression.start is not None else None
    end = value(expression.end, columns) if expression.end is not None else None

    def cut(row: Row, run: Run) -> Any:
        whole = subject(row, run)
        first = start(row, run) if start else 0
        last = end(row, run) if end else (len(whole) if isinstance(whole, list) else 0)
        return values.slice_(whole, first, last)

    return cut


def _list(expression: ast.ListLiteral, columns: Columns) -> Value:
    elements = [value(each, columns) for each in expression.elements]
    return lambda row, run: values.bounded([each(row, run) for each in elements])


def _map(expression: ast.MapLiteral, columns: Columns) -> Value:
    entries = [(key, value(each, columns)) for key, each in expression.entries]
    return lambda row, run: values.bounded({key: each(row, run) for key, each in entries})


def _map_projection(expression: ast.MapProjection, columns: Columns) -> Value:
    subject = value(expression.subject, columns)
    entries = [(key, value(each, columns)) for key, each in expression.entries]
    everything = expression.everything

    def project(row: Row, run: Run) -> Any:
        whole = subject(row, run)
        if whole is None:
            return None
        if type(whole) is Node or type(whole) is Relationship:
            there = run.graph.properties(whole)
        elif isinstance(whole, dict):
            there = whole
        else:
            raise errors.QueryFailed(
                f"a map projection is of a node, a relationship or a map, and this is {values.described(whole)}",
                detail="InvalidArgumentType",
            )
        return values.bounded({**(there if everything else {}), **{key: each(row, run) for key, each in entries}})

    return project


def _binary(expression: ast.Binary, columns: Columns) -> Value:
    left, right = value(expression.left, columns), value(expression.right, columns)
    operator = expression.operator
    if operator == "AND":

        def both(row: Row, run: Run) -> Any:
            first = left(row, run)
            return False if first is False else values.and_(first, right(row, run))

        return both
    if operator == "OR":

        def either(row: Row, run: Run) -> Any:
            first = left(row, run)
            return True if first is True else values.or_(first, right(row, run))

        return either
    if operator in ("<", "<=", ">", ">="):
        return lambda row, run: values.compare(operator, left(row, run), right(row, run))
    compute = _BINARY[operator]
    return lambda row, run: compute(left(row, run), right(row, run))


def _differs(left: Any, right: Any) -> bool | None:
    same = values.equal(left, right)
    return None if same is None else not same


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "=": values.equal,
    "<>": _differs,
    "+": values.add,
    "-": values.subtract,
    "*": values.multiply,
    "/": values.divide,
    "%": values.modulo,
    "^": values.power,
    "XOR": values.xor,
    "IN": values.is_in,
    "STARTS WITH": values.starts_with,
    "ENDS WITH": values.ends_with,
    "CONTAINS": values.contains,
    "=~": values.matches,
}


def _unary(expression: ast.Unary, columns: Columns) -> Value:
    operand = value(expression.operand, columns)
    if expression.operator == "NOT":
        return lambda row, run: values.not_(operand(row, run))
    if expression.operator == "-":
        return lambda row, run: values.negate(operand(row, run))
    return lambda row, run: values.plus(operand(row, run))


def _is_null(expression: ast.IsNull, columns: Columns) -> Value:
    operand, negated = value(expression.operand, columns), expression.negated
    return lambda row, run: (operand(row, run) is not None) is negated


def _has_labels(expression: ast.HasLabels, columns: Columns) -> Value:
    subject, wanted = value(expression.subject, columns), expression.labels
    return lambda row, run: has_labels(subject(row, run), wanted, run)


def _call(expression: ast.Call, columns: Columns) -> Value:
    function = functions.FUNCTIONS[expression.name.lower()]
    arguments = [value(each, columns) for each in expression.arguments]
    compute, needs = function.run, function.needs
    if expression.name.lower() == "coalesce":

        def first(row: Row, run: Run) -> Any:
            for argument in arguments:
                found = argument(row, run)
                if found is not None:
                    return found
            return None

        return first
    if needs == "":
        if len(arguments) == 1:
            only = arguments[0]
            return lambda row, run: compute(only(row, run))
        return lambda row, run: compute(*[each(row, run) for each in arguments])
    return lambda row, run: compute(getattr(run, needs), *[each(row, run) for each in arguments])


def _case(expression: ast.Case, columns: Columns) -> Value:
    subject = value(expression.subject, columns) if expression.subject is not None else None
    branches = [(value(when, columns), value(then, columns)) for when, then in expression.branches]
    otherwise = value(expression.otherwise, columns) if expression.otherwise is not None else None

    def choose(row: Row, run: Run) -> Any:
        if subject is None:
            chosen = next((then for when, then in branches if values.truth(when(row, run)) is True), otherwise)
        else:
            known = subject(row, run)
            chosen = next((then for when, then in branches if values.equal(known, when(row, run)) is True), otherwise)
        return chosen(row, run) if chosen is not None else None

    return choose


def _elements(found: Any, run: Run) -> Iterator[Any] | None:
    """The elements of a list to go through; None for null."""
    if found is None:
        return None
    if not isinstance(found, list):
        raise errors.QueryFailed(
            f"this goes through a list, and got {values.described(found)}", detail="InvalidArgumentType"
        )
    return _resting(found, run)


def _resting(found: list[Any], run: Run) -> Iterator[Any]:
    # What is done with an element may take long.
    rest = run.rest
    for element in found:
        rest(1)
        yield element


def _list_comprehension(expression: ast.ListComprehension, columns: Columns) -> Value:
    source = value(expression.source, columns)
    inner = columns.with_(expression.variable)
    condition = holds(expression.condition, inner) if expression.condition is not None else None
    result = value(expression.result, inner) if expression.result is not None else None

    def comprehend(row: Row, run: Run) -> Any:
        whole = _elements(source(row, run), run)
        if whole is None:
            return None
        made = []
        for element in whole:
            extended = (*row, element)
            if condition is None or condition(extended, run):
                made.append(element if result is None else result(extended, run))
        return values.bounded(made)

    return comprehend


def _quantifier(expression: ast.Quantifier, columns: Columns) -> Value:
    source = value(expression.source, columns)
    condition = value(expression.condition, columns.with_(expression.variable))
    which = expression.which

    def quantify(row: Row, run: Run) -> bool | None:
        whole = _elements(source(row, run), run)
        if whole is None:
            return None
        answers = [values.truth(condition((*row, element), run)) for element in whole]
        yes, unknown = answers.count(True), None in answers
        if which == "any":
            return True if yes else None if unknown else False
        if which == "all":
            return False if False in answers else None if unknown else True
        if which == "none":
            return False if yes else None if unknown else True
        return False if yes > 1 else None if unknown else yes == 1

    return quantify


def _reduce(expression: ast.Reduce, columns: Columns) -> Value:
    initial, source = value(expression.initial, columns), value(expression.source, columns)
    result = value(expression.result, columns.with_(expression.accumulator, expression.variable))

    def fold(row: Row, run: Run) -> Any:
        whole = _elements(source(row, run), run)
        if whole is None:
            return None
        accumulated = initial(row, run)
        for element in whole:
            accumulated = result((*row, accumulated, element), run)
        return accumulated

    return fold


def _ways(path: ast.Path, condition: ast.Expression | None, columns: Columns) -> tuple[Rows, tuple[str, ...]]:
    """The rows of a pattern laid on the graph for the row around it, and their columns."""
    match = planner.pattern(path, condition, columns.visible())
    return columns.subquery(match), match.columns


def _pattern_comprehension(expression: ast.PatternComprehension, columns: Columns) -> Value:
    ways, names = _ways(expression.pattern, expression.condition, columns)
    result = value(expression.result, Columns(names, columns.subquery))
    return lambda row, run: values.bounded([result(way, run) for way in ways(row, run)])


def _pattern_predicate(expression: ast.PatternPredicate, columns: Columns) -> Value:
    match = planner.pattern(expression.pattern, None, columns.visible())
    ways = columns.subquery(optimizer.with_ends_only(match, repeats_count=False))
    return lambda row, run: next(ways(row, run), None) is not None


def _pattern_path(expression: ast.PatternPath, columns: Columns) -> Value:
    written = expression.pattern
    column = f"{ast.OWN}path"
    named = ast.Path(column, written.shortest, written.nodes, written.relationships)
    ways, names = _ways(named, None, columns)
    place = names.index(column)
    if written.shortest == "shortest":

        def one(row: Row, run: Run) -> Any:
            way = next(ways(row, run), None)
            return way[place] if way else None

        return one
    return lambda row, run: [way[place] for way in ways(row, run)]


def _subquery(expression: ast.Subquery, columns: Columns) -> Value:
    exists = expression.which == "EXISTS"
    plan = planner.plan(expression.query, columns.visible())
    rows = columns.subquery(optimizer.with_ends_only(plan, repeats_count=not exists))
    if exists:
        return lambda row, run: next(rows(row, run), None) is not None
    if expression.which == "COUNT":
        return lambda row, run: sum(1 for _ in rows(row, run))
    return lambda row, run: values.bounded([found[0] for found in rows(row, run)])


_OF: dict[type, Callable[[Any, Columns], Value]] = {
    ast.Literal: _literal,
    ast.Parameter: _parameter,
    ast.Variable: _variable,
    ast.Property: _property,
    ast.Index: _index,
    ast.Slice: _slice,
    ast.ListLiteral: _list,
    ast.MapLiteral: _map,
    ast.MapProjection: _map_projection,
    ast.Binary: _binary,
    ast.Unary: _unary,
    ast.IsNull: _is_null,
    ast.HasLabels: _has_labels,
    ast.Call: _call,
    ast.Case: _case,
    ast.ListComprehension: _list_comprehension,
    ast.Quantifier: _quantifier,
    ast.Reduce: _reduce,
    ast.PatternComprehension: _pattern_comprehension,
    ast.PatternPredicate: _pattern_predicate,
    ast.PatternPath: _pattern_path,
    ast.Subquery: _subquery,
}
