"""Day groups: aggregates by what follows from the day of a timestamp, computed from partial aggregates by that day.

`date.truncate('month', r.recorded_at), count(*)` has a key that SQL cannot express. But the month follows from the day,
which is how the timestamp begins: SQL counts by day, and the interpreter adds up some hundred days instead of a million
relationships. Partial aggregation below another (Larson 2002, "Data reduction by partial preaggregation").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from keepgraph.cypher.plan.algebra import (
    Aggregate,
    AggregateColumn,
    Argument,
    Filter,
    Match,
    Plan,
    Project,
    SingleRow,
    SqlRows,
    Union,
    Unwind,
)
from keepgraph.cypher.plan.instant_comparisons import InstantProperties
from keepgraph.cypher.syntax import ast, traversal, tree_walk

_DAY_LENGTH = 10
_START_OF_DAY = "T00:00:00.000Z"
_CONVERSIONS = frozenset(("date", "datetime", "localdatetime"))
_TRUNCATIONS = frozenset(f"{name}.truncate" for name in _CONVERSIONS)
_UNITS = frozenset("day week weekyear month quarter year decade century millennium".split())
_PARTS = frozenset("year quarter month week weekyear day ordinalday dayofquarter quarterday dayofweek weekday".split())
_DIGITS = frozenset(("year", "month", "day"))
"""The parts of a day that are digits of the text of a timestamp."""
_CUTS = frozenset(("substring", "left"))
_RANDOM = frozenset(("rand", "randomuuid"))
_FROM_PARTS: Mapping[str, str] = {"count": "sum", "min": "min", "max": "max"}
"""The aggregates that can be put together from those of parts, and by which. Adding floats in parts would round."""


def group_by_day(plan: Plan, properties: InstantProperties) -> Plan:
    """The plan with such aggregates divided in two."""
    if isinstance(plan, Union):
        return replace(plan, left=group_by_day(plan.left, properties), right=group_by_day(plan.right, properties))
    if isinstance(plan, SingleRow | Argument | SqlRows):
        return plan
    source = group_by_day(plan.input, properties)
    if source is not plan.input:
        plan = replace(plan, input=source)
    return (_divided(plan, properties) or plan) if isinstance(plan, Aggregate) else plan


def _divided(plan: Aggregate, properties: InstantProperties) -> Aggregate | None:
    """The aggregate over one by days; None where it cannot be put together from that."""
    calls = [column.call for column in plan.aggregates]
    if any(call is not None and (call.distinct or call.name.lower() not in _FROM_PARTS) for call in calls):
        return None
    plan = _without_project(plan)
    timestamps: dict[ast.Expression, str] = {}
    keys: list[tuple[str, ast.Expression]] = []
    others: list[tuple[str, ast.Expression]] = []
    for name, key in plan.keys:
        found = list(dict.fromkeys(_timestamps(key, plan.input, properties))) if _converts(key) else []
        if len(found) == 1 and _follows_from_day(key, found[0]):
            column = timestamps.setdefault(found[0], f"{ast.INTERNAL_PREFIX}d{len(timestamps)}")
            keys.append((name, _of_day(key, found[0], column)))
        else:
            keys.append((name, ast.Variable(name)))
            others.append((name, key))
    if not timestamps:
        return None
    days = [(column, _cut(timestamp, _DAY_LENGTH)) for timestamp, column in timestamps.items()]
    below = (*days, *others)
    names = (*(name for name, _ in below), *(column.column for column in plan.aggregates))
    partial = Aggregate(plan.input, below, plan.aggregates, names)
    return Aggregate(partial, tuple(keys), tuple(map(_put_together, plan.aggregates)), plan.columns)


def _without_project(plan: Aggregate) -> Aggregate:
    """The aggregate over the input of a projection: `WITH n, date(n.created_at) AS day RETURN day, count(n)`."""
    project = plan.input
    if not isinstance(project, Project) or not isinstance(project.input, Match):
        return plan
    if any(_is_random(value) for _, value in project.items):
        return plan
    values: dict[ast.Expression, ast.Expression] = {ast.Variable(name): value for name, value in project.items}
    return replace(
        plan,
        input=project.input,
        keys=tuple((name, tree_walk.substitute(key, values)) for name, key in plan.keys),
        aggregates=tuple(_substituted(column, values) for column in plan.aggregates),
    )


def _substituted(column: AggregateColumn, values: Mapping[ast.Expression, ast.Expression]) -> AggregateColumn:
    if column.call is None:
        return column
    arguments = tuple(tree_walk.substitute(argument, values) for argument in column.call.arguments)
    return replace(column, call=replace(column.call, arguments=arguments))


def _put_together(column: AggregateColumn) -> AggregateColumn:
    name = "count" if column.call is None else column.call.name.lower()
    return AggregateColumn(column.column, ast.Call(_FROM_PARTS[name], (ast.Variable(column.column),)))


def _converts(expression: ast.Expression) -> bool:
    """Whether it makes a date of something, or asks for its day of the week, which SQL cannot."""
    if _is_call(expression, _CONVERSIONS | _TRUNCATIONS):
        return True
    if isinstance(expression, ast.Property) and isinstance(expression.subject, ast.Property):
        return expression.key.lower() in _PARTS - _DIGITS
    return any(map(_converts, traversal.children(expression)))


def _timestamps(expression: ast.Expression, source: Plan, properties: InstantProperties) -> Iterator[ast.Expression]:
    """The properties in it that hold timestamps, of nodes and relationships of a pattern."""
    if isinstance(expression, ast.Property) and isinstance(expression.subject, ast.Variable):
        if expression.key in _instants_of(expression.subject.name, source, properties):
            yield expression
        return
    for child in traversal.children(expression):
        yield from _timestamps(child, source, properties)


def _instants_of(name: str, source: Plan, properties: InstantProperties) -> frozenset[str]:
    """The properties of a variable that hold timestamps; none where it is no node and no single relationship."""
    while isinstance(source, Match | Filter | Unwind | Project):
        if isinstance(source, Match):
            if any(node.column == name for node in source.nodes):
                return frozenset(properties.nodes)
            if any(edge.column == name and edge.length is None and not edge.shortest for edge in source.edges):
                return frozenset(properties.relationships)
        elif isinstance(source, Unwind):
            if source.variable == name:
                break
        elif isinstance(source, Project) and (name, ast.Variable(name)) not in source.items:
            break
        source = source.input
    return frozenset()


def _follows_from_day(expression: ast.Expression, timestamp: ast.Expression) -> bool:
    """Whether its value is the same for all timestamps of one day in UTC, and follows from nothing else."""
    if expression == timestamp or isinstance(expression, ast.Variable) or _is_random(expression):
        return False
    if isinstance(expression, ast.Property) and expression.key.lower() in _PARTS:
        subject = expression.subject
        if subject == timestamp or (_is_call(subject, _CONVERSIONS) and _arguments(subject) == (timestamp,)):
            return True
    if _is_call(expression, frozenset(("date",))) and _arguments(expression) == (timestamp,):
        return True
    if _is_call(expression, _TRUNCATIONS) and _arguments(expression)[1:2] == (timestamp,):
        unit = _arguments(expression)[0]
        is_long = isinstance(unit, ast.Literal) and isinstance(unit.value, str) and unit.value.lower() in _UNITS
        return is_long and all(_follows_from_day(each, timestamp) for each in _arguments(expression)[2:])
    if _is_call(expression, _CUTS) and _arguments(expression)[:1] == (timestamp,):
        numbers = [each.value if isinstance(each, ast.Literal) else None for each in _arguments(expression)[1:]]
        whole = [*([] if _is_call(expression, frozenset(("left",))) else [0]), _DAY_LENGTH]
        return len(numbers) == len(whole) and all(
            type(number) is int and 0 <= number <= most for number, most in zip(numbers, whole, strict=True)
        )
    if isinstance(expression, ast.Subquery | ast.PatternPredicate | ast.PatternComprehension):
        return False
    return all(_follows_from_day(child, timestamp) for child in traversal.children(expression))


def _is_random(expression: ast.Expression) -> bool:
    return _is_call(expression, _RANDOM) or any(map(_is_random, traversal.children(expression)))


def _of_day(expression: ast.Expression, timestamp: ast.Expression, column: str) -> ast.Expression:
    """The expression with the first instant of the day in the column in the place of the timestamp."""
    start = ast.Binary("+", ast.Variable(column), ast.Literal(_START_OF_DAY))
    values: dict[ast.Expression, ast.Expression] = {timestamp: start}
    for part in _properties_of(expression, timestamp):
        values[part] = replace(part, subject=ast.Call("datetime", (start,)))
    return tree_walk.substitute(expression, values)


def _properties_of(expression: ast.Expression, subject: ast.Expression) -> Iterator[ast.Property]:
    if isinstance(expression, ast.Property) and expression.subject == subject:
        yield expression
    for child in traversal.children(expression):
        yield from _properties_of(child, subject)


def _cut(timestamp: ast.Expression, length: int) -> ast.Expression:
    return ast.Call("substring", (timestamp, ast.Literal(0), ast.Literal(length)))


def _is_call(expression: ast.Expression, names: frozenset[str]) -> bool:
    return isinstance(expression, ast.Call) and expression.name.lower() in names


def _arguments(expression: ast.Expression) -> Sequence[ast.Expression]:
    return expression.arguments if isinstance(expression, ast.Call) else ()
