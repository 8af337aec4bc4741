"""Collected rows: a list that is collected only to be asked what is in it becomes a join with its elements.

`WITH collect(p) AS mine MATCH (b)-[:BELONGS_TO]->(q) WHERE q IN mine` would match every `q` and look each up in a list.
Each distinct `p` as `q` instead, the match begins there. An element is in the list once, so no row comes more often;
null is in no list, and equal to nothing. At a million facts that takes 0.1 s instead of more than 20. Any other list is
decoded once where the same text comes again.
"""

from __future__ import annotations

from dataclasses import replace

from keepgraph.cypher.plan.algebra import Aggregate, Distinct, Filter, Match, Plan, Project
from keepgraph.cypher.syntax import ast, traversal


def join_elements(plan: Aggregate | Project) -> Plan:
    """An operator above a match that asks for elements of a list, with the list's rows; itself where it is no such."""
    match = plan.input
    if not isinstance(match, Match) or match.optional or not isinstance(match.input, Project):
        return plan
    collected = match.input
    if not isinstance(collected.input, Aggregate) or (found := _list_of(collected)) is None:
        return plan
    name, element = found
    tests = [test for test in match.conditions if isinstance(test, ast.Binary) and _asks_for_element(test, name)]
    if len(tests) != 1 or name in _names_in(plan) or _is_used_elsewhere(match, name, tests[0]):
        return plan
    [test] = tests
    value = test.left
    nodes = {node.column for node in match.nodes} - {*collected.columns}
    is_node = isinstance(value, ast.Variable) and value.name in nodes and _is_node(element, collected.input.input)
    column = value.name if is_node and isinstance(value, ast.Variable) else name
    rows = _rows(collected, collected.input, name, element, column)
    conditions = tuple(condition for condition in match.conditions if condition is not test)
    if column == name:
        conditions += (ast.Binary("=", value, ast.Variable(name), span=test.span),)
    columns = tuple(dict.fromkeys((*rows.columns, *(each for each in match.columns if each != name))))
    return replace(plan, input=replace(match, input=rows, conditions=conditions, columns=columns))


def _list_of(collected: Project) -> tuple[str, ast.Expression] | None:
    """The name of the one list that is collected beside the columns it is grouped by, and what its elements are."""
    aggregate = collected.input
    if not isinstance(aggregate, Aggregate) or len(aggregate.aggregates) != 1:
        return None
    [column] = aggregate.aggregates
    if column.call is None or column.call.name.lower() != "collect":
        return None
    keys = {name for name, _ in aggregate.keys}
    names = [name for name, value in collected.items if value == ast.Variable(column.column)]
    others = [value for name, value in collected.items if name not in names]
    if len(names) != 1 or not all(isinstance(value, ast.Variable) and value.name in keys for value in others):
        return None
    if len(others) != len(keys):
        return None
    [element] = column.call.arguments
    return (names[0], element) if isinstance(element, ast.Variable | ast.Property) else None


def _asks_for_element(test: ast.Binary, name: str) -> bool:
    return test.operator == "IN" and test.right == ast.Variable(name)


def _is_used_elsewhere(match: Match, name: str, test: ast.Binary) -> bool:
    """Whether the list is used by another condition, or by the value that is looked for in it."""
    others = [condition for condition in match.conditions if condition is not test]
    others += [test.left, *(condition for edge in match.edges for condition in edge.conditions)]
    return any(name in traversal.free_variables(condition) for condition in others) or name in {
        column for path in match.paths for column in (path.column, *path.nodes, *path.edges)
    }


def _names_in(plan: Aggregate | Project) -> set[str]:
    expressions = [value for _, value in (plan.keys if isinstance(plan, Aggregate) else plan.items)]
    if isinstance(plan, Aggregate):
        expressions += [column.call for column in plan.aggregates if column.call is not None]
    return {name for expression in expressions for name in traversal.free_variables(expression)}


def _is_node(element: ast.Expression, source: Plan) -> bool:
    """Whether an element is a node of the match that the list is collected from."""
    if not isinstance(element, ast.Variable) or not isinstance(source, Match):
        return False
    return any(node.column == element.name for node in source.nodes)


def _rows(collected: Project, aggregate: Aggregate, name: str, element: ast.Expression, column: str) -> Plan:
    """The distinct elements, beside what they are grouped by."""
    keys = dict(aggregate.keys)
    items = tuple(
        (column, element) if item == name else (item, keys[value.name])
        for item, value in collected.items
        if isinstance(value, ast.Variable)
    )
    columns = tuple(item for item, _ in items)
    present = Filter(aggregate.input, ast.IsNull(element, negated=True), aggregate.input.columns)
    return Distinct(Project(present, items, columns), columns)
