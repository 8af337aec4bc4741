"""Optional branches: optional patterns beside each other are added, not multiplied, where duplicates do not count.

`MATCH (q) OPTIONAL MATCH (q)--(d:A) OPTIONAL MATCH (q)--(p:B) RETURN q, count(DISTINCT d), count(DISTINCT p)` makes a
row for each pair of d and p. An aggregate that ignores duplicates and nulls is the same over the rows of the one branch
and those of the other, each with nulls in the place of what the other matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from keepgraph.cypher import functions
from keepgraph.cypher.plan.algebra import Aggregate, Filter, Match, Plan, Project, SingleRow, Union
from keepgraph.cypher.syntax import ast, traversal


def add_branches(aggregate: Aggregate) -> Aggregate:
    """The aggregation over independent optional matches beside each other, where it is over such behind each other.

    Args:
        aggregate: all its aggregates ignore duplicates.
    """
    branches: list[Match] = []
    base: Plan = aggregate.input
    while isinstance(base, Match) and base.optional:
        branches.insert(0, base)
        base = base.input
    if len(branches) < 2 or not _is_repeatable(base):
        return aggregate
    own = [frozenset(branch.columns) - frozenset(branch.input.columns) for branch in branches]
    if not all(map(_is_independent, branches, own, [frozenset(base.columns)] * len(branches))):
        return aggregate
    needed = set()
    for _, expression in aggregate.keys:
        needed |= traversal.free_variables(expression)
    if not needed <= set(base.columns):
        return aggregate
    for column in aggregate.aggregates:
        for argument in column.call.arguments if column.call is not None else ():
            names = traversal.free_variables(argument)
            if not names <= set(base.columns) and not _is_null_without_match(argument):
                return aggregate
            needed |= names
    columns = tuple([name for name in aggregate.input.columns if name in needed])
    if not columns:
        return aggregate
    rows = [_branch(branch, base, own_columns, columns) for branch, own_columns in zip(branches, own, strict=True)]
    united = rows[0]
    for other in rows[1:]:
        united = Union(united, other, columns)
    return replace(aggregate, input=united)


def _branch(branch: Match, base: Plan, own: frozenset[str], columns: Sequence[str]) -> Plan:
    """The rows of one branch alone, with nulls for what others match."""
    match = replace(branch, input=base, columns=(*base.columns, *(name for name in branch.columns if name in own)))
    items = [(name, ast.Variable(name) if name in match.columns else ast.Literal(None)) for name in columns]
    return Project(match, tuple(items), tuple(columns))


def _is_independent(branch: Match, own: frozenset[str], base: frozenset[str]) -> bool:
    """Whether a match uses nothing that another branch has matched."""
    used = {node.column for node in branch.nodes} | {edge.column for edge in branch.edges}
    for condition in (*branch.conditions, *(each for edge in branch.edges for each in edge.conditions)):
        used |= traversal.free_variables(condition)
    hops = {edge.hop_variable for edge in branch.edges}
    return not branch.paths and used - hops <= own | base


def _is_null_without_match(argument: ast.Expression) -> bool:
    """Whether an argument is surely null where the variable in it is."""
    return isinstance(argument, ast.Variable) or (
        isinstance(argument, ast.Property) and isinstance(argument.subject, ast.Variable)
    )


def _is_repeatable(plan: Plan) -> bool:
    """Whether a plan gives the same rows again."""
    while not isinstance(plan, SingleRow):
        if isinstance(plan, Match):
            expressions = [*plan.conditions, *(each for edge in plan.edges for each in edge.conditions)]
        elif isinstance(plan, Filter):
            expressions = [plan.condition]
        elif isinstance(plan, Project):
            expressions = [value for _, value in plan.items]
        else:
            return False
        if any(map(_is_random, expressions)):
            return False
        plan = plan.input
    return True


def _is_random(expression: ast.Expression) -> bool:
    function = functions.find(expression.name) if isinstance(expression, ast.Call) else None
    if function is not None and function.needs == "random":
        return True
    # What a subquery computes is not looked into.
    return isinstance(expression, ast.Subquery) or any(map(_is_random, traversal.children(expression)))
