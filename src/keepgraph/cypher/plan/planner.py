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
from functools import reduce

from keepgraph.cypher.plan import instant_comparisons
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
    is_repeatable,
)
from keepgraph.cypher.syntax import ast, tree_walk

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
        conditions.extend(tree_walk.split_conjunction(clause.condition))
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
        yield from tree_walk.split_conjunction(condition)


def _rename_relationship(
    condition: ast.Expression | None, variable: str | None, hop_variable: str
) -> ast.Expression | None:
    """The condition with the name of a single relationship of the path instead of the name of the list."""
    if condition is None or variable is None or variable == hop_variable:
        return condition
    return tree_walk.substitute(condition, {ast.Variable(variable): ast.Variable(hop_variable)})


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
        map(tree_walk.has_aggregate, [item.expression for item in clause.items] + [key.expression for key in order])
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
    used = set().union(*map(tree_walk.free_variables, expressions)) - set(names)
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
    return tree_walk.substitute(expression, column_of)


def _plan_aggregation(
    source: Plan, clause: ast.Projection
) -> tuple[Plan, list[tuple[str, ast.Expression]], list[ast.SortKey]]:
    """The grouped rows, and what is projected and sorted, as expressions over their columns.

    Items without aggregates are the grouping keys; each different aggregate gets a column.
    """
    keys = [(item.name, item.expression) for item in clause.items if not tree_walk.has_aggregate(item.expression)]
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
        return tree_walk.substitute(expression, ChainMap(aggregate_columns, key_columns))

    items = [
        (
            item.name,
            over_groups(item.expression) if tree_walk.has_aggregate(item.expression) else ast.Variable(item.name),
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
        items.append((sort_column, tree_walk.substitute(over_groups(key.expression), by_alias)))
        order.append(ast.SortKey(ast.Variable(sort_column), key.descending))
    columns = (*(name for name, _ in keys), *(aggregate.column for aggregate in aggregates.values()))
    return Aggregate(source, tuple(keys), tuple(aggregates.values()), columns), items, order


def _find_aggregates(expression: ast.Expression) -> Iterable[ast.Expression]:
    if tree_walk.is_aggregate(expression):
        yield expression
        return
    for child in tree_walk.children(expression):
        yield from _find_aggregates(child)


# Alternatives: a match whose condition is an OR about several nodes becomes the union of one match for each.
#
# `(a)-[r]->(b) WHERE a.name = 'Atlas' OR b.name = 'Atlas'` names no node at which a match could begin, so that every
# relationship would be read. The matches that fulfil the first alternative begin at `a`, and those that fulfil the
# second and not the first at `b`. At a million facts that takes 30 ms instead of 1.7 s.
#
# It is done where each alternative compares a property of a node of this match with a constant, or asks whether it
# contains a text, and no other condition names a node; not in OPTIONAL MATCH, for shortest paths, or behind anything
# but matches. Alternatives that ask for a part of a text stay together where rows are sorted and cut: the index over
# time may give the latest ten sooner than all can be found that have the text.

_MAX_ALTERNATIVES = 4
_EXACT = frozenset(("=", "IN"))
_TEXT = frozenset(("STARTS WITH", "ENDS WITH", "CONTAINS", "=~"))
_CASES = frozenset(("tolower", "toupper", "lower", "upper"))


def unite_alternatives(plan: Match, *, exact_only: bool) -> Plan:
    """The match as the union of its alternatives; the match itself if it has none, or begins somewhere anyway.

    Args:
        exact_only: whether a part of a text may not be an alternative, since few of many rows are wanted.
    """
    if plan.optional or not is_repeatable(plan.input) or any(edge.shortest for edge in plan.edges):
        return plan
    new = {node.column for node in plan.nodes} - {*plan.input.columns}
    for condition in plan.conditions:
        alternatives = list(_alternatives(condition))
        others = tuple(other for other in plan.conditions if other is not condition)
        begins_elsewhere = any(_selects(other, new, _EXACT) for other in others)
        if not begins_elsewhere and _are_worth_it(alternatives, new, _EXACT if exact_only else _EXACT | _TEXT):
            matches: list[Plan] = [replace(plan, conditions=(*others, *each)) for each in _disjoint(alternatives)]
            # The parts of a path are not columns unless something asks for them: how it is found may change.
            unnamed = {edge.column for edge in plan.edges if edge.length is not None and not edge.value_needed}
            columns = tuple(name for name in plan.columns if name not in unnamed)
            return reduce(lambda left, right: Union(left, right, columns), matches)
    return plan


def _are_worth_it(alternatives: list[ast.Expression], new: set[str], operators: frozenset[str]) -> bool:
    """Whether each of some alternatives says where to begin, and they do not all say the same node."""
    if not 1 < len(alternatives) <= _MAX_ALTERNATIVES:
        return False
    about = [frozenset(tree_walk.free_variables(alternative)) for alternative in alternatives]
    if not all(variables <= new for variables in about) or (len(set(about)) == 1 and len(about[0]) == 1):
        return False
    return all(_selects(alternative, new, operators) for alternative in alternatives)


def _disjoint(alternatives: list[ast.Expression]) -> Iterator[tuple[ast.Expression, ...]]:
    """The conditions of each alternative: that it is true, and that none of those before it is."""
    before: list[ast.Expression] = []
    for alternative in alternatives:
        yield (*tree_walk.split_conjunction(alternative), *before)
        is_true = ast.Call("coalesce", (alternative, ast.Literal(False)))
        before.append(ast.Unary("NOT", is_true))


def _alternatives(condition: ast.Expression) -> Iterator[ast.Expression]:
    """The alternatives of an OR, those about one node as one; `'x' IN [a.name, b.name]` is an OR, too."""
    about: dict[frozenset[str], ast.Expression] = {}
    for number, alternative in enumerate(_operands(condition)):
        variables = frozenset(tree_walk.free_variables(alternative))
        key = variables if len(variables) == 1 else frozenset((str(number),))
        about[key] = ast.Binary("OR", about[key], alternative) if key in about else alternative
    yield from about.values()


def _operands(condition: ast.Expression) -> Iterator[ast.Expression]:
    if not isinstance(condition, ast.Binary):
        yield condition
    elif condition.operator == "OR":
        yield from _operands(condition.left)
        yield from _operands(condition.right)
    elif condition.operator == "IN" and isinstance(condition.right, ast.ListLiteral) and condition.right.elements:
        for element in condition.right.elements:
            if not _is_property(element):
                yield condition
                return
        for element in condition.right.elements:
            yield ast.Binary("=", element, condition.left, span=condition.span)
    else:
        yield condition


def _selects(condition: ast.Expression, nodes: set[str], operators: frozenset[str]) -> bool:
    """Whether a condition leaves few of the nodes that one of these variables may stand for."""
    if isinstance(condition, ast.Binary) and condition.operator == "AND":
        return _selects(condition.left, nodes, operators) or _selects(condition.right, nodes, operators)
    if isinstance(condition, ast.Binary) and condition.operator == "OR":
        return _selects(condition.left, nodes, operators) and _selects(condition.right, nodes, operators)
    if not isinstance(condition, ast.Binary) or condition.operator not in operators:
        return False
    sides = [(condition.left, condition.right)]
    if condition.operator == "=":
        sides.append((condition.right, condition.left))
    return any(_is_of_node(one, nodes) and instant_comparisons.is_constant(other) for one, other in sides)


def _is_of_node(expression: ast.Expression, nodes: set[str]) -> bool:
    """Whether this is a property of one of these nodes, in any case of its letters."""
    if isinstance(expression, ast.Call) and expression.name.lower() in _CASES and len(expression.arguments) == 1:
        [expression] = expression.arguments
    return _is_property(expression) and tree_walk.free_variables(expression) <= nodes


def _is_property(expression: ast.Expression) -> bool:
    return isinstance(expression, ast.Property) and isinstance(expression.subject, ast.Variable)
