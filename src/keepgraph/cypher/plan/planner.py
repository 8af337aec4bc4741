"""Planner: turns a bound syntax tree into logical operators. The order inside a pattern is chosen in join_order.

A pattern becomes one Match of slots and conditions. A WITH or RETURN becomes, as far as it needs them: aggregate,
project, distinct, sort, skip, limit, filter, project.

A relationship without a name that is repeated exactly one to four times (`-[:R*2]-`) is planned as so many
relationships with unnamed nodes between them, which means the same and is joined instead of searched.
"""

from __future__ import annotations

import itertools
from collections import ChainMap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from keepgraph.cypher.plan.algebra import (
    Aggregate,
    AggregateColumn,
    Argument,
    Distinct,
    EdgeSlot,
    Filter,
    Limit,
    Match,
    NodeSlot,
    OuterColumns,
    PathSlot,
    Plan,
    Project,
    SingleRow,
    Skip,
    Sort,
    Union,
    Unwind,
)
from keepgraph.cypher.syntax import ast, conjunctions, substitution, traversal

_MAX_UNROLLED = 4
"""How many repetitions of a relationship are written out at most."""


def build_plan(query: ast.Query, outer: tuple[str, ...] = ()) -> Plan:
    """The operators of a bound query.

    Args:
        outer: for a subquery, the columns of the outer row.
    """
    plan = _plan_single_query(query.parts[0], outer)
    for part, keep_duplicates in zip(query.parts[1:], query.union_all, strict=True):
        plan = Union(plan, _plan_single_query(part, outer), plan.columns)
        if not keep_duplicates:
            plan = Distinct(plan, plan.columns)
    return plan


def build_pattern_match(path: ast.Path, condition: ast.Expression | None, outer: tuple[str, ...]) -> Match:
    """The Match of a pattern inside an expression, for one row of the outer query."""
    return _plan_match(Argument(outer), ast.Match(False, (path,), condition), unused_numbers(outer))


def _plan_single_query(query: ast.SingleQuery, outer: tuple[str, ...]) -> Plan:
    numbers = unused_numbers(outer)
    plan: Plan = Argument(outer) if outer else SingleRow()
    for clause in query.clauses:
        if isinstance(clause, ast.Match):
            plan = _plan_match(plan, clause, numbers)
        elif isinstance(clause, ast.Unwind):
            plan = Unwind(plan, clause.source, clause.variable, (*plan.columns, clause.variable))
        else:
            plan = _plan_projection(plan, clause)
            hidden = tuple(name for name in outer if name not in plan.columns)
            if hidden and not clause.is_return:
                positions = tuple(outer.index(name) for name in hidden)
                plan = OuterColumns(plan, hidden, positions, (*plan.columns, *hidden))
    return plan


def unused_numbers(columns: tuple[str, ...]) -> Iterator[int]:
    """Numbers for the columns of unnamed parts; none of these columns has one of them."""
    used = [
        int(name.lstrip(f"{ast.INTERNAL_PREFIX}abcdefghijklmnopqrstuvwxyz") or 0)
        for name in columns
        if name.startswith(ast.INTERNAL_PREFIX)
    ]
    return itertools.count(max(used, default=-1) + 1)


# Patterns


def _plan_match(source: Plan, clause: ast.Match, numbers: Iterator[int]) -> Match:
    """One Match for all patterns of a clause; a node with a name occurs once, with the labels of all its places."""
    nodes: dict[str, list[ast.LabelExpression]] = {}
    edges: list[EdgeSlot] = []
    paths: list[PathSlot] = []
    conditions: list[ast.Expression] = []
    for path in map(_unroll, clause.paths):
        columns = [_plan_node(node, nodes, conditions, numbers) for node in path.nodes]
        path_edges = [
            _plan_edge(relationship, path, (start, end), conditions, numbers)
            for relationship, start, end in zip(path.relationships, columns, columns[1:], strict=False)
        ]
        edges += path_edges
        if path.variable:
            paths.append(PathSlot(path.variable, tuple(columns), tuple(edge.column for edge in path_edges)))
    if clause.condition is not None:
        conditions.extend(conjunctions.split(clause.condition))
    new = [*nodes, *(edge.column for edge in edges), *(path.column for path in paths)]
    return Match(
        input=source,
        nodes=tuple(NodeSlot(column, tuple(labels)) for column, labels in nodes.items()),
        edges=tuple(edges),
        paths=tuple(paths),
        conditions=tuple(dict.fromkeys(conditions)),
        optional=clause.optional,
        columns=tuple(dict.fromkeys((*source.columns, *new))),
    )


def _unroll(path: ast.Path) -> ast.Path:
    """The path with `-[:R*2]-` written as `-[:R]-()-[:R]-`: a join, whose order can be chosen, and no search."""
    if path.shortest is not None or not any(map(_repetitions, path.relationships)):
        return path
    nodes, relationships = [path.nodes[0]], []
    for relationship, node in zip(path.relationships, path.nodes[1:], strict=True):
        count = _repetitions(relationship)
        if count:
            relationship = replace(relationship, length=None)
        relationships += [relationship] * max(count, 1)
        nodes += [ast.NodePattern(None, None, None)] * (count - 1) + [node]
    return replace(path, nodes=tuple(nodes), relationships=tuple(relationships))


def _repetitions(relationship: ast.RelationshipPattern) -> int:
    """How often a relationship without a name is repeated, where that is exactly a small number of times; else 0."""
    bounds = _hop_bounds(relationship.length)
    if bounds is None or relationship.variable is not None or bounds[0] != bounds[1]:
        return 0
    return bounds[0] if bounds[0] <= _MAX_UNROLLED else 0


def _plan_node(
    node: ast.NodePattern,
    nodes: dict[str, list[ast.LabelExpression]],
    conditions: list[ast.Expression],
    numbers: Iterator[int],
) -> str:
    """Adds a node and its conditions to those of the Match; returns its column."""
    column = node.variable or f"{ast.INTERNAL_PREFIX}n{next(numbers)}"
    labels = nodes.setdefault(column, [])
    if node.labels is not None and node.labels not in labels:
        labels.append(node.labels)
    conditions.extend(_pattern_conditions(column, node.properties, node.condition))
    return column


def _plan_edge(
    relationship: ast.RelationshipPattern,
    path: ast.Path,
    ends: tuple[str, str],
    conditions: list[ast.Expression],
    numbers: Iterator[int],
) -> EdgeSlot:
    """The slot of a relationship; the conditions of a single one are added to those of the Match."""
    column = relationship.variable or f"{ast.INTERNAL_PREFIX}r{next(numbers)}"
    hop_variable = column if relationship.length is None else f"{ast.INTERNAL_PREFIX}h{next(numbers)}"
    condition = _rename_relationship(relationship.condition, relationship.variable, hop_variable)
    hop_conditions = tuple(_pattern_conditions(hop_variable, relationship.properties, condition))
    if relationship.length is None and path.shortest is None:
        conditions.extend(hop_conditions)
        hop_conditions = ()
    start, end = ends
    return EdgeSlot(
        column=column,
        start=start,
        end=end,
        types=relationship.types,
        direction=relationship.direction,
        length=_hop_bounds(relationship.length),
        hop_variable=hop_variable,
        conditions=hop_conditions,
        value_needed=relationship.variable is not None or path.variable is not None,
        shortest=path.shortest,
    )


def _pattern_conditions(
    column: str, properties: ast.Expression | None, condition: ast.Expression | None
) -> Iterator[ast.Expression]:
    """The properties and the WHERE of one node or relationship of a pattern, as conditions."""
    subject = ast.Variable(column)
    if isinstance(properties, ast.MapLiteral):
        for key, value in properties.entries:
            yield ast.Binary("=", ast.Property(subject, key, span=value.span), value, span=value.span)
    if condition is not None:
        yield from conjunctions.split(condition)


def _rename_relationship(
    condition: ast.Expression | None, variable: str | None, hop_variable: str
) -> ast.Expression | None:
    """The condition with the name of a single relationship of the path instead of the name of the list."""
    if condition is None or variable is None or variable == hop_variable:
        return condition
    return substitution.substitute(condition, {ast.Variable(variable): ast.Variable(hop_variable)})


def _hop_bounds(length: ast.Length | None) -> tuple[int, int | None] | None:
    if length is None:
        return None
    return (1 if length.min_hops is None else length.min_hops), length.max_hops


# Projections


def _plan_projection(source: Plan, clause: ast.Projection) -> Plan:
    """The operators of a WITH or RETURN, in the order in which openCypher applies its parts."""
    names = tuple(item.name for item in clause.items)
    expressions = [(item.name, item.expression) for item in clause.items]
    order = list(clause.order)
    aggregated = any(
        map(traversal.has_aggregate, [item.expression for item in clause.items] + [key.expression for key in order])
    )
    if aggregated:
        source, expressions, order = _plan_aggregation(source, clause)
    carried: tuple[str, ...] = ()
    if not aggregated and not clause.distinct:
        carried = _columns_used_later(source, clause, names)
    elif order:
        # After DISTINCT or an aggregation only the columns are left, so the keys are computed from them.
        column_of = {expression: ast.Variable(name) for name, expression in expressions}
        order = [ast.SortKey(_read_from_column(key.expression, column_of, names), key.descending) for key in order]
    sort_columns = tuple(name for name, _ in expressions if name not in names)
    plan = _drop_if_identity(
        Project(
            source,
            (*expressions, *((column, ast.Variable(column)) for column in carried)),
            (*names, *sort_columns, *carried),
        )
    )
    if clause.distinct:
        plan = Distinct(plan, plan.columns)
    if order:
        plan = Sort(plan, tuple((key.expression, key.descending) for key in order), plan.columns)
    if clause.skip is not None:
        plan = Skip(plan, clause.skip, plan.columns)
    if clause.limit is not None:
        plan = Limit(plan, clause.limit, plan.columns)
    if clause.condition is not None:
        plan = Filter(plan, clause.condition, plan.columns)
    if plan.columns != names:
        plan = Project(plan, tuple((name, ast.Variable(name)) for name in names), names)
    return plan


def _columns_used_later(source: Plan, clause: ast.Projection, names: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that are not projected, but that ORDER BY or WHERE use: they are carried until then."""
    expressions = [key.expression for key in clause.order]
    if clause.condition is not None:
        expressions.append(clause.condition)
    if not expressions:
        return ()
    used = set().union(*map(traversal.free_variables, expressions)) - set(names)
    return tuple(column for column in source.columns if column in used)


def _drop_if_identity(projection: Project) -> Plan:
    """The input of a projection that changes nothing."""
    same = all(isinstance(value, ast.Variable) and value.name == name for name, value in projection.items)
    return projection.input if same and projection.columns == projection.input.columns else projection


def _read_from_column(
    expression: ast.Expression, column_of: dict[ast.Expression, ast.Variable], names: Sequence[str]
) -> ast.Expression:
    """The expression with the column in the place of what was projected into it."""
    if isinstance(expression, ast.Variable) and expression.name in names:
        return expression
    return substitution.substitute(expression, column_of)


def _plan_aggregation(
    source: Plan, clause: ast.Projection
) -> tuple[Plan, list[tuple[str, ast.Expression]], list[ast.SortKey]]:
    """The grouped rows, and what is projected and sorted, as expressions over their columns.

    Items without aggregates are the grouping keys; each different aggregate gets a column.
    """
    keys = [(item.name, item.expression) for item in clause.items if not traversal.has_aggregate(item.expression)]
    key_columns: dict[ast.Expression, ast.Expression] = {}
    for name, expression in keys:
        key_columns.setdefault(expression, ast.Variable(name))
    aggregates: dict[ast.Expression, AggregateColumn] = {}
    aggregate_columns: dict[ast.Expression, ast.Expression] = {}

    def over_groups(expression: ast.Expression) -> ast.Expression:
        """The expression with columns in the place of its aggregates and grouping keys."""
        if isinstance(expression, ast.Variable) and any(expression.name == name for name, _ in keys):
            return expression
        for aggregate in _find_aggregates(expression):
            if aggregate not in aggregates:
                call = aggregate if isinstance(aggregate, ast.Call) else None
                column = AggregateColumn(f"{ast.INTERNAL_PREFIX}a{len(aggregates)}", call)
                aggregates[aggregate] = column
                aggregate_columns[aggregate] = ast.Variable(column.column)
        return substitution.substitute(expression, ChainMap(aggregate_columns, key_columns))

    items = [
        (
            item.name,
            over_groups(item.expression) if traversal.has_aggregate(item.expression) else ast.Variable(item.name),
        )
        for item in clause.items
    ]
    expression_of = {item.name: expression for item, (_, expression) in zip(clause.items, items, strict=True)}
    by_alias: dict[ast.Expression, ast.Expression] = {
        ast.Variable(name): expression for name, expression in expression_of.items()
    }
    order = []
    for number, key in enumerate(clause.order):
        if isinstance(key.expression, ast.Variable) and key.expression.name in expression_of:
            order.append(key)
            continue
        sort_column = f"{ast.INTERNAL_PREFIX}s{number}"
        items.append((sort_column, substitution.substitute(over_groups(key.expression), by_alias)))
        order.append(ast.SortKey(ast.Variable(sort_column), key.descending))
    columns = (*(name for name, _ in keys), *(aggregate.column for aggregate in aggregates.values()))
    return Aggregate(source, tuple(keys), tuple(aggregates.values()), columns), items, order


def _find_aggregates(expression: ast.Expression) -> Iterable[ast.Expression]:
    if traversal.is_aggregate(expression):
        yield expression
        return
    for child in traversal.children(expression):
        yield from _find_aggregates(child)
