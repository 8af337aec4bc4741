"""Turns a bound query into operators: patterns into slots and conditions, projections into their steps. Picks no order.

A WITH or RETURN becomes, as far as it needs them: aggregate, project, distinct, sort, skip, limit, filter, project.
"""

from __future__ import annotations

import itertools
from collections import ChainMap
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

from keepgraph.cypher.plan.algebra import (
    Aggregate,
    Aggregated,
    Argument,
    Around,
    Distinct,
    EdgeSlot,
    Filter,
    Limit,
    Match,
    NodeSlot,
    PathSlot,
    Plan,
    Project,
    Skip,
    Sort,
    Union,
    Unit,
    Unwind,
)
from keepgraph.cypher.syntax import ast, traversal


def plan(query: ast.Query, outer: tuple[str, ...] = ()) -> Plan:
    """The operators of a query that was bound.

    Args:
        outer: the columns of the row around, for a subquery.
    """
    built = _single(query.parts[0], outer)
    for part, keeps_all in zip(query.parts[1:], query.all_rows, strict=True):
        built = Union(built, _single(part, outer), built.columns)
        if not keeps_all:
            built = Distinct(built, built.columns)
    return built


def pattern(path: ast.Path, condition: ast.Expression | None, outer: tuple[str, ...]) -> Match:
    """A pattern that stands in an expression, matched for one row of the query around."""
    return _match(Argument(outer), ast.Match(False, (path,), condition), _numbers(outer))


def _single(query: ast.SingleQuery, outer: tuple[str, ...]) -> Plan:
    numbers = _numbers(outer)
    built: Plan = Argument(outer) if outer else Unit()
    for clause in query.clauses:
        if isinstance(clause, ast.Match):
            built = _match(built, clause, numbers)
        elif isinstance(clause, ast.Unwind):
            built = Unwind(built, clause.source, clause.variable, (*built.columns, clause.variable))
        else:
            built = _projection(built, clause)
            hidden = tuple(name for name in outer if name not in built.columns)
            if hidden and not clause.final:
                places = tuple(outer.index(name) for name in hidden)
                built = Around(built, hidden, places, (*built.columns, *hidden))
    return built


def _numbers(outer: tuple[str, ...]) -> Iterator[int]:
    """Numbers for parts without a name, none of which is taken in the row around."""
    taken = [
        int(name.lstrip(f"{ast.OWN}abcdefghijklmnopqrstuvwxyz") or 0) for name in outer if name.startswith(ast.OWN)
    ]
    return itertools.count(max(taken, default=-1) + 1)


# Patterns


def _match(before: Plan, clause: ast.Match, numbers: Iterator[int]) -> Match:
    nodes: dict[str, list[ast.LabelExpression]] = {}
    edges: list[EdgeSlot] = []
    paths: list[PathSlot] = []
    conditions: list[ast.Expression] = []

    def node(written: ast.NodePattern) -> str:
        column = written.variable or f"{ast.OWN}n{next(numbers)}"
        labels = nodes.setdefault(column, [])
        if written.labels is not None and written.labels not in labels:
            labels.append(written.labels)
        conditions.extend(_wanted(column, written.properties, written.condition))
        return column

    for path in clause.paths:
        columns = [node(each) for each in path.nodes]
        hops: list[str] = []
        for written, start, end in zip(path.relationships, columns, columns[1:], strict=False):
            column = written.variable or f"{ast.OWN}r{next(numbers)}"
            hop = column if written.length is None else f"{ast.OWN}h{next(numbers)}"
            wanted = tuple(_wanted(hop, written.properties, _renamed(written.condition, written.variable, hop)))
            if written.length is None and path.shortest is None:
                conditions.extend(wanted)
                wanted = ()
            edges.append(
                EdgeSlot(
                    column=column,
                    start=start,
                    end=end,
                    types=written.types,
                    direction=written.direction,
                    length=_bounds(written.length),
                    hop=hop,
                    conditions=wanted,
                    named=written.variable is not None or path.variable is not None,
                    shortest=path.shortest,
                )
            )
            hops.append(column)
        if path.variable:
            paths.append(PathSlot(path.variable, tuple(columns), tuple(hops)))
    if clause.condition is not None:
        conditions.extend(_conjuncts(clause.condition))
    new = [*nodes, *(edge.column for edge in edges), *(path.column for path in paths)]
    return Match(
        input=before,
        nodes=tuple(NodeSlot(column, tuple(labels)) for column, labels in nodes.items()),
        edges=tuple(edges),
        paths=tuple(paths),
        conditions=tuple(dict.fromkeys(conditions)),
        optional=clause.optional,
        columns=tuple(dict.fromkeys((*before.columns, *new))),
    )


def _wanted(
    column: str, properties: ast.Expression | None, condition: ast.Expression | None
) -> Iterator[ast.Expression]:
    """What a pattern says of one node or relationship, as conditions."""
    subject = ast.Variable(column)
    if isinstance(properties, ast.MapLiteral):
        for key, value in properties.entries:
            yield ast.Binary("=", ast.Property(subject, key, span=value.span), value, span=value.span)
    if condition is not None:
        yield from _conjuncts(condition)


def _renamed(condition: ast.Expression | None, written: str | None, hop: str) -> ast.Expression | None:
    if condition is None or written is None or written == hop:
        return condition
    return traversal.substitute(condition, {ast.Variable(written): ast.Variable(hop)})


def _bounds(length: ast.Length | None) -> tuple[int, int | None] | None:
    if length is None:
        return None
    return (1 if length.least is None else length.least), length.most


def _conjuncts(condition: ast.Expression) -> Iterator[ast.Expression]:
    if isinstance(condition, ast.Binary) and condition.operator == "AND":
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


# Projections


def _projection(before: Plan, clause: ast.Projection) -> Plan:
    names = tuple(item.name for item in clause.items)
    keys = [(item.name, item.expression) for item in clause.items]
    order = list(clause.order)
    condition = clause.condition
    folded = any(
        map(traversal.has_aggregate, [item.expression for item in clause.items] + [k.expression for k in order])
    )
    if folded:
        before, keys, order = _aggregate(before, clause)
    carried: tuple[str, ...] = ()
    if not folded and not clause.distinct:
        asked = [key.expression for key in order] + ([condition] if condition is not None else [])
        wanted = set().union(*map(traversal.free_variables, asked)) - set(names) if asked else set()
        carried = tuple(column for column in before.columns if column in wanted)
    elif order:
        # What was projected goes by its column, however it was written.
        known = {expression: ast.Variable(name) for name, expression in keys}
        order = [ast.SortKey(_by_column(key.expression, known, names), key.descending) for key in order]
    hidden = [(name, expression) for name, expression in keys if name not in names]
    projected = Project(
        before,
        (*((name, expression) for name, expression in keys), *((column, ast.Variable(column)) for column in carried)),
        (*names, *(name for name, _ in hidden), *carried),
    )
    built = _unless_same(projected)
    if clause.distinct:
        built = Distinct(built, built.columns)
    if order:
        built = Sort(built, tuple((key.expression, key.descending) for key in order), built.columns)
    if clause.skip is not None:
        built = Skip(built, clause.skip, built.columns)
    if clause.limit is not None:
        built = Limit(built, clause.limit, built.columns)
    if condition is not None:
        built = Filter(built, condition, built.columns)
    if built.columns != names:
        built = Project(built, tuple((name, ast.Variable(name)) for name in names), names)
    return built


def _unless_same(projected: Project) -> Plan:
    """What goes in, where nothing is changed."""
    same = all(isinstance(value, ast.Variable) and value.name == name for name, value in projected.items)
    return projected.input if same and projected.columns == projected.input.columns else projected


def _by_column(
    expression: ast.Expression, known: dict[ast.Expression, ast.Variable], names: Sequence[str]
) -> ast.Expression:
    if isinstance(expression, ast.Variable) and expression.name in names:
        return expression
    return traversal.substitute(expression, known)


def _aggregate(
    before: Plan, clause: ast.Projection
) -> tuple[Plan, list[tuple[str, ast.Expression]], list[ast.SortKey]]:
    """The grouped rows, and what is projected and sorted as expressions over their columns.

    Items without aggregates are the grouping keys; each aggregate is a column of its own.
    """
    keys = [(item.name, item.expression) for item in clause.items if not traversal.has_aggregate(item.expression)]
    by_key: dict[ast.Expression, ast.Expression] = {}
    for name, expression in keys:
        by_key.setdefault(expression, ast.Variable(name))
    aggregates: dict[ast.Expression, Aggregated] = {}
    columns: dict[ast.Expression, ast.Expression] = {}

    def over_groups(expression: ast.Expression) -> ast.Expression:
        if isinstance(expression, ast.Variable) and any(expression.name == name for name, _ in keys):
            return expression
        for found in _aggregates_in(expression):
            if found not in aggregates:
                call = found if isinstance(found, ast.Call) else None
                aggregates[found] = Aggregated(f"{ast.OWN}a{len(aggregates)}", call)
                columns[found] = ast.Variable(aggregates[found].column)
        return traversal.substitute(expression, ChainMap(columns, by_key))

    items = [
        (
            item.name,
            over_groups(item.expression) if traversal.has_aggregate(item.expression) else ast.Variable(item.name),
        )
        for item in clause.items
    ]
    alias = {item.name: expression for item, (_, expression) in zip(clause.items, items, strict=True)}
    order = []
    for number, key in enumerate(clause.order):
        if isinstance(key.expression, ast.Variable) and key.expression.name in alias:
            order.append(key)
            continue
        seen = over_groups(key.expression)
        column = f"{ast.OWN}s{number}"
        items.append((column, traversal.substitute(seen, {ast.Variable(name): value for name, value in alias.items()})))
        order.append(ast.SortKey(ast.Variable(column), key.descending))
    grouped = Aggregate(
        before,
        tuple(keys),
        tuple(aggregates.values()),
        (*(name for name, _ in keys), *(each.column for each in aggregates.values())),
    )
    return grouped, items, order


def _aggregates_in(expression: ast.Expression) -> Iterable[ast.Expression]:
    if traversal.is_aggregate(expression):
        yield expression
        return
    for child in traversal.children(expression):
        yield from _aggregates_in(child)


def conjunction(conditions: Iterable[ast.Expression]) -> ast.Expression | None:
    """All of these as one condition; None for none."""
    found = list(conditions)
    return reduce(lambda left, right: ast.Binary("AND", left, right), found) if found else None
