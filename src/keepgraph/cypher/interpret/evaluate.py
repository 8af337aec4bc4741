"""Expressions in the interpreter: each expression becomes a Python function of a row.

It is the reference for what an expression means: SQL is used only where it means the same. Subqueries are built by a
function in `Columns`, so that nothing here depends on the operators.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from keepgraph import errors
from keepgraph.arrays.adjacency import Key, Neighbours
from keepgraph.cypher import arithmetic, comparison, functions, values
from keepgraph.cypher.plan import optimizer, planner
from keepgraph.cypher.plan.algebra import Plan
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.syntax.tree_walk import labels_match
from keepgraph.cypher.values import Node, Relationship

# Runtime of the interpreter: rows, the graph as a query reads it, and one run with its parameters and limits.

Row = tuple[Any, ...]


class Graph(Protocol):
    """The graph as a query reads it. A node and a relationship may have the same key."""

    def nodes(self, labels: tuple[ast.LabelExpression, ...], equalities: tuple[tuple[str, Any], ...]) -> Iterator[Node]:
        """The nodes with these labels; also with these values of properties, if an index finds them quickly."""

    def relationships(self, types: ast.LabelExpression | None) -> Iterator[Relationship]:
        """All relationships of these types."""

    def expand(self, node: Node, direction: str, types: ast.LabelExpression | None) -> Iterator[Relationship]:
        """The relationships of these types at a node; one that leads back to the same node comes once."""

    def between(
        self, start: Node, end: Node, direction: str, types: ast.LabelExpression | None
    ) -> Iterator[Relationship]:
        """The relationships of `expand` at the start that lead to the end."""

    def neighbours(self, direction: str, types: ast.LabelExpression | None) -> Neighbours:
        """The neighbours of nodes along relationships of these types, by keys."""

    def announce(self, keys: Iterable[Key]) -> None:
        """Tell which nodes may be read soon, so that many can be read at once."""

    def labels(self, node: Node) -> tuple[str, ...]:
        """The labels that a node shows."""

    def all_labels(self, node: Node) -> tuple[str, ...]:
        """The labels that a node matches: those that it shows, and those that are implied."""

    def type(self, relationship: Relationship) -> str: ...

    def properties(self, of: Node | Relationship) -> Mapping[str, Any]: ...

    def public_id(self, of: Node | Relationship) -> str: ...


def _no_statements(statement: Any) -> Iterator[Row]:
    raise AssertionError("this plan has no statements")


@dataclass(slots=True)
class Run:
    """One run of a query.

    Attributes:
        count_work: called with how many rows or values were handled since the last call; raises where the query has to
            stop.
        fetch_rows: gives the rows of a SQL statement.
        members: the list that an IN has last had on its right, by the identity of the expression, and its elements
            where they are all texts or all nodes and it has come more than once; None before.
    """

    graph: Graph
    parameters: Mapping[str, Any]
    now: datetime
    count_work: Callable[[int], None]
    fetch_rows: Callable[[Any], Iterator[Row]] = _no_statements
    random: Any = field(default_factory=random.Random)
    members: dict[int, tuple[list[Any], frozenset[Any] | None]] = field(default_factory=dict)


Evaluator = Callable[[Row, Run], Any]
RowSource = Callable[[Row, Run], Iterator[Row]]
"""The rows of a plan, for a row of the outer query: that row, extended by the columns of the plan."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns of a row, and the function that builds subqueries."""

    names: tuple[str, ...]
    subquery: Callable[[Plan], RowSource]

    def position(self, name: str) -> int:
        """Where the value of a name is: in the last column of this name, since an inner variable hides an outer one."""
        return len(self.names) - 1 - self.names[::-1].index(name)

    def extend(self, *names: str) -> Columns:
        return Columns((*self.names, *names), self.subquery)

    def visible_names(self) -> tuple[str, ...]:
        """The names by column; a hidden column has a name that no query can use."""
        return tuple(
            name if self.position(name) == number else f"{ast.INTERNAL_PREFIX}hidden{number}"
            for number, name in enumerate(self.names)
        )


def _no_subquery(plan: Plan) -> RowSource:
    raise AssertionError("no subquery is in a constant")


NO_COLUMNS = Columns((), _no_subquery)
"""For expressions that have one value for all rows."""


def build_evaluator(expression: ast.Expression, columns: Columns) -> Evaluator:
    """The function that computes an expression for a row."""
    return _BUILDERS[type(expression)](expression, columns)


def build_test(expression: ast.Expression, columns: Columns) -> Evaluator:
    """A function that says whether a condition is true; null is not true."""
    evaluator = build_evaluator(expression, columns)

    def test(row: Row, run: Run) -> bool:
        value = evaluator(row, run)
        return value is True or (value is not False and value is not None and values.check_condition(value) is True)

    return test


def get_property(subject: Any, key: str, run: Run) -> Any:
    """`subject.key` of a node, a relationship, a map, or a temporal value; null for null."""
    if subject is None:
        return None
    if type(subject) is Node or type(subject) is Relationship:
        return run.graph.properties(subject).get(key)
    if type(subject) is dict:
        return subject.get(key)
    return values.get_property(subject, key)


def has_labels(subject: Any, labels: ast.LabelExpression, run: Run) -> bool | None:
    """Whether a node matches a label expression, or a relationship a type expression; null for null."""
    if subject is None:
        return None
    if type(subject) is Node:
        return labels_match(run.graph.all_labels(subject), labels)
    if type(subject) is Relationship:
        return labels_match((run.graph.type(subject),), labels)
    raise errors.QueryFailed(
        f"{values.describe(subject)} has no labels; only nodes and relationships do",
        detail="InvalidArgumentType",
    )


def _literal(expression: ast.Literal, columns: Columns) -> Evaluator:
    constant = expression.value
    return lambda row, run: constant


def _parameter(expression: ast.Parameter, columns: Columns) -> Evaluator:
    name = expression.name
    return lambda row, run: run.parameters[name]


def _variable(expression: ast.Variable, columns: Columns) -> Evaluator:
    position = columns.position(expression.name)
    return lambda row, run: row[position]


def _property(expression: ast.Property, columns: Columns) -> Evaluator:
    subject, key = build_evaluator(expression.subject, columns), expression.key
    return lambda row, run: get_property(subject(row, run), key, run)


def _index(expression: ast.Index, columns: Columns) -> Evaluator:
    subject, index = build_evaluator(expression.subject, columns), build_evaluator(expression.index, columns)

    def get_element(row: Row, run: Run) -> Any:
        container, key = subject(row, run), index(row, run)
        if type(container) is Node or type(container) is Relationship:
            container = run.graph.properties(container)
        return values.index(container, key)

    return get_element


def _slice(expression: ast.Slice, columns: Columns) -> Evaluator:
    subject = build_evaluator(expression.subject, columns)
    start = build_evaluator(expression.start, columns) if expression.start is not None else None
    end = build_evaluator(expression.end, columns) if expression.end is not None else None

    def get_slice(row: Row, run: Run) -> Any:
        value = subject(row, run)
        first = start(row, run) if start else 0
        last = end(row, run) if end else (len(value) if type(value) in values.LIST_TYPES else 0)
        return values.slice_list(value, first, last)

    return get_slice


def _list(expression: ast.ListLiteral, columns: Columns) -> Evaluator:
    elements = [build_evaluator(element, columns) for element in expression.elements]
    return lambda row, run: values.check_size([element(row, run) for element in elements])


def _map(expression: ast.MapLiteral, columns: Columns) -> Evaluator:
    entries = [(key, build_evaluator(value, columns)) for key, value in expression.entries]
    return lambda row, run: values.check_size({key: evaluator(row, run) for key, evaluator in entries})


def _map_projection(expression: ast.MapProjection, columns: Columns) -> Evaluator:
    subject = build_evaluator(expression.subject, columns)
    entries = [(key, build_evaluator(value, columns)) for key, value in expression.entries]
    all_properties = expression.all_properties

    def project(row: Row, run: Run) -> Any:
        value = subject(row, run)
        if value is None:
            return None
        if type(value) is Node or type(value) is Relationship:
            properties = run.graph.properties(value)
        elif isinstance(value, dict):
            properties = value
        else:
            raise errors.QueryFailed(
                f"a map projection is of a node, a relationship or a map, but this is {values.describe(value)}",
                detail="InvalidArgumentType",
            )
        projected = {key: evaluator(row, run) for key, evaluator in entries}
        return values.check_size({**(properties if all_properties else {}), **projected})

    return project


def _binary(expression: ast.Binary, columns: Columns) -> Evaluator:
    left, right = build_evaluator(expression.left, columns), build_evaluator(expression.right, columns)
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
        return lambda row, run: comparison.compare(operator, left(row, run), right(row, run))
    if operator == "IN":
        return lambda row, run: _is_in(left(row, run), right(row, run), run, id(expression))
    compute = _BINARY[operator]
    return lambda row, run: compute(left(row, run), right(row, run))


def _is_in(value: Any, elements: Any, run: Run, expression_id: int) -> bool | None:
    """`value IN elements`; texts and nodes are looked up in a list that comes again, however long it is."""
    if type(elements) is list and len(elements) >= _LONG_LIST and type(value) in _LOOKED_UP:
        listed, members = run.members.get(expression_id, (None, None))
        if listed is not elements:
            run.members[expression_id] = elements, None
        elif members is None:
            alike = all(type(element) is type(value) for element in elements)
            run.members[expression_id] = elements, frozenset(elements if alike else ())
        elif members and type(next(iter(members))) is type(value):
            return value in members
    return comparison.is_in(value, elements)


_LOOKED_UP = frozenset((str, values.Node))
_LONG_LIST = 10
"""The least number of elements among which looking one up is worth the while."""


def _not_equal(left: Any, right: Any) -> bool | None:
    same = comparison.equal(left, right)
    return None if same is None else not same


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "=": comparison.equal,
    "<>": _not_equal,
    "+": arithmetic.add,
    "-": arithmetic.subtract,
    "*": arithmetic.multiply,
    "/": arithmetic.divide,
    "%": arithmetic.modulo,
    "^": arithmetic.power,
    "XOR": values.xor,
    "STARTS WITH": comparison.starts_with,
    "ENDS WITH": comparison.ends_with,
    "CONTAINS": comparison.contains,
    "=~": comparison.matches,
}


def _unary(expression: ast.Unary, columns: Columns) -> Evaluator:
    operand = build_evaluator(expression.operand, columns)
    if expression.operator == "NOT":
        return lambda row, run: values.not_(operand(row, run))
    if expression.operator == "-":
        return lambda row, run: arithmetic.negate(operand(row, run))
    return lambda row, run: arithmetic.plus(operand(row, run))


def _is_null(expression: ast.IsNull, columns: Columns) -> Evaluator:
    operand, negated = build_evaluator(expression.operand, columns), expression.negated
    return lambda row, run: (operand(row, run) is not None) is negated


def _instant(expression: ast.Instant, columns: Columns) -> Evaluator:
    value, is_end = build_evaluator(expression.value, columns), expression.is_end
    return lambda row, run: comparison.as_timestamp(value(row, run), is_end=is_end)


def _has_labels(expression: ast.HasLabels, columns: Columns) -> Evaluator:
    subject, labels = build_evaluator(expression.subject, columns), expression.labels
    return lambda row, run: has_labels(subject(row, run), labels, run)


def _call(expression: ast.Call, columns: Columns) -> Evaluator:
    function = functions.FUNCTIONS[expression.name.lower()]
    arguments = [build_evaluator(argument, columns) for argument in expression.arguments]
    compute, needs = function.run, function.needs
    stops_at = function.stops_at
    if stops_at is not None:

        def call_with_first(row: Row, run: Run) -> Any:
            evaluated = []
            for argument in arguments:
                evaluated.append(argument(row, run))
                if stops_at(evaluated[-1]):
                    break
            return compute(*evaluated)

        return call_with_first
    if needs == "":
        if len(arguments) == 1:
            only = arguments[0]
            return lambda row, run: compute(only(row, run))
        return lambda row, run: compute(*[argument(row, run) for argument in arguments])
    return lambda row, run: compute(getattr(run, needs), *[argument(row, run) for argument in arguments])


def _case(expression: ast.Case, columns: Columns) -> Evaluator:
    subject = build_evaluator(expression.subject, columns) if expression.subject is not None else None
    branches = [(build_evaluator(when, columns), build_evaluator(then, columns)) for when, then in expression.branches]
    otherwise = build_evaluator(expression.default, columns) if expression.default is not None else None

    def choose(row: Row, run: Run) -> Any:
        if subject is None:
            chosen = next(
                (then for when, then in branches if values.check_condition(when(row, run)) is True), otherwise
            )
        else:
            value = subject(row, run)
            chosen = next(
                (then for when, then in branches if comparison.equal(value, when(row, run)) is True), otherwise
            )
        return chosen(row, run) if chosen is not None else None

    return choose


def _iterate_list(value: Any, run: Run) -> Iterator[Any] | None:
    """The elements of a list; None for null."""
    if value is None:
        return None
    if type(value) not in values.LIST_TYPES:
        raise errors.QueryFailed(
            f"this goes through a list, but got {values.describe(value)}", detail="InvalidArgumentType"
        )
    return _count_elements(value, run)


def _count_elements(elements: list[Any] | range, run: Run) -> Iterator[Any]:
    # A list may be long, and the work for each element too.
    count_work = run.count_work
    for element in elements:
        count_work(1)
        yield element


def _list_comprehension(expression: ast.ListComprehension, columns: Columns) -> Evaluator:
    source = build_evaluator(expression.source, columns)
    inner = columns.extend(expression.variable)
    condition = build_test(expression.condition, inner) if expression.condition is not None else None
    result = build_evaluator(expression.result, inner) if expression.result is not None else None

    def comprehend(row: Row, run: Run) -> Any:
        elements = _iterate_list(source(row, run), run)
        if elements is None:
            return None
        results = []
        for element in elements:
            extended = (*row, element)
            if condition is None or condition(extended, run):
                results.append(element if result is None else result(extended, run))
                if len(results) > values.MAX_LIST_LENGTH:
                    raise values.list_too_long()
        return values.check_size(results)

    return comprehend


def _quantifier(expression: ast.Quantifier, columns: Columns) -> Evaluator:
    source = build_evaluator(expression.source, columns)
    condition = build_evaluator(expression.condition, columns.extend(expression.variable))
    quantifier = expression.quantifier

    def quantify(row: Row, run: Run) -> bool | None:
        elements = _iterate_list(source(row, run), run)
        if elements is None:
            return None
        answers = [values.check_condition(condition((*row, element), run)) for element in elements]
        count, unknown = answers.count(True), None in answers
        if quantifier == "any":
            return True if count else None if unknown else False
        if quantifier == "all":
            return False if False in answers else None if unknown else True
        if quantifier == "none":
            return False if count else None if unknown else True
        return False if count > 1 else None if unknown else count == 1

    return quantify


def _reduce(expression: ast.Reduce, columns: Columns) -> Evaluator:
    initial, source = build_evaluator(expression.initial, columns), build_evaluator(expression.source, columns)
    result = build_evaluator(expression.result, columns.extend(expression.accumulator, expression.variable))

    def fold(row: Row, run: Run) -> Any:
        elements = _iterate_list(source(row, run), run)
        if elements is None:
            return None
        accumulated = initial(row, run)
        for element in elements:
            accumulated = result((*row, accumulated, element), run)
        return accumulated

    return fold


def _pattern_rows(
    path: ast.Path, condition: ast.Expression | None, columns: Columns
) -> tuple[RowSource, tuple[str, ...]]:
    """The matches of a pattern for a row of the outer query, and their columns."""
    match = planner.build_pattern_match(path, condition, columns.visible_names())
    return columns.subquery(match), match.columns


def _pattern_comprehension(expression: ast.PatternComprehension, columns: Columns) -> Evaluator:
    matches, names = _pattern_rows(expression.pattern, expression.condition, columns)
    result = build_evaluator(expression.result, Columns(names, columns.subquery))
    return lambda row, run: values.check_size([result(match, run) for match in matches(row, run)])


def _pattern_predicate(expression: ast.PatternPredicate, columns: Columns) -> Evaluator:
    match = planner.build_pattern_match(expression.pattern, None, columns.visible_names())
    matches = columns.subquery(optimizer.search_distinct_ends(match, duplicates_matter=False))
    return lambda row, run: next(matches(row, run), None) is not None


def _pattern_path(expression: ast.PatternPath, columns: Columns) -> Evaluator:
    pattern = expression.pattern
    column = f"{ast.INTERNAL_PREFIX}path"
    named = ast.Path(column, pattern.shortest, pattern.nodes, pattern.relationships)
    matches, names = _pattern_rows(named, None, columns)
    position = names.index(column)
    if pattern.shortest == "shortest":

        def one(row: Row, run: Run) -> Any:
            match = next(matches(row, run), None)
            return match[position] if match else None

        return one
    return lambda row, run: [match[position] for match in matches(row, run)]


def _subquery(expression: ast.Subquery, columns: Columns) -> Evaluator:
    exists = expression.kind == "EXISTS"
    plan = planner.build_plan(expression.query, columns.visible_names())
    rows = columns.subquery(optimizer.search_distinct_ends(plan, duplicates_matter=not exists))
    if exists:
        return lambda row, run: next(rows(row, run), None) is not None
    if expression.kind == "COUNT":
        return lambda row, run: sum(1 for _ in rows(row, run))
    return lambda row, run: values.check_size([inner[0] for inner in rows(row, run)])


_BUILDERS: dict[type, Callable[[Any, Columns], Evaluator]] = {
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
    ast.Instant: _instant,
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
