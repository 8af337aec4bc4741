"""Says the same with operators that cost less. Knows no tables: what it does is right on any graph."""

from __future__ import annotations

from dataclasses import replace

from keepgraph.cypher.plan import planner
from keepgraph.cypher.plan.algebra import (
    Aggregate,
    Argument,
    Around,
    Distinct,
    Fetched,
    Filter,
    Limit,
    Match,
    Plan,
    Project,
    Skip,
    Sort,
    Trace,
    Union,
    Unit,
    Unwind,
)
from keepgraph.cypher.syntax import ast, traversal

_THROWS_REPEATS_AWAY = ("min", "max")


def rewritten(plan: Plan) -> Plan:
    """The plan after all rewrites."""
    return with_paths_behind(with_ends_only(plan, repeats_count=True))


def with_paths_behind(plan: Plan) -> Plan:
    """Named paths are laid behind the match, so that SQL can have the match."""
    if isinstance(plan, Union):
        return replace(plan, left=with_paths_behind(plan.left), right=with_paths_behind(plan.right))
    if isinstance(plan, Unit | Argument | Fetched):
        return plan
    inner = with_paths_behind(plan.input)
    if inner is not plan.input:
        plan = replace(plan, input=inner)
    if not isinstance(plan, Match) or not plan.paths or any(edge.length or edge.shortest for edge in plan.edges):
        return plan
    names = {path.column for path in plan.paths}
    late = tuple(each for each in plan.conditions if traversal.free_variables(each) & names)
    if plan.optional and late:
        return plan
    early = tuple(each for each in plan.conditions if each not in late)
    columns = tuple(column for column in plan.columns if column not in names)
    found: Plan = replace(plan, paths=(), conditions=early, columns=columns)
    found = Trace(found, plan.paths, (*columns, *(path.column for path in plan.paths)))
    condition = planner.conjunction(late)
    if condition is not None:
        found = Filter(found, condition, found.columns)
    return Project(found, tuple((name, ast.Variable(name)) for name in plan.columns), plan.columns)


def with_ends_only(plan: Plan, *, repeats_count: bool) -> Plan:
    """Of trails whose rows are made distinct above, only the ends are looked for.

    The number of trails between two nodes grows without end where the number of nodes does not.

    Args:
        repeats_count: whether it makes a difference above how often a row comes.
    """
    if isinstance(plan, Unit | Argument | Fetched):
        return plan
    if isinstance(plan, Union):
        return replace(
            plan,
            left=with_ends_only(plan.left, repeats_count=repeats_count),
            right=with_ends_only(plan.right, repeats_count=repeats_count),
        )
    if isinstance(plan, Match):
        plan = _match_of_ends(plan) if not repeats_count else plan
        inner = with_ends_only(plan.input, repeats_count=repeats_count)
    elif isinstance(plan, Aggregate):
        inner = with_ends_only(plan.input, repeats_count=not _is_distinct(plan))
    elif isinstance(plan, Distinct):
        inner = with_ends_only(plan.input, repeats_count=False)
    elif isinstance(plan, Skip | Limit):
        inner = with_ends_only(plan.input, repeats_count=True)
    elif isinstance(plan, Filter | Project | Sort | Unwind | Trace | Around):
        inner = with_ends_only(plan.input, repeats_count=repeats_count)
    return replace(plan, input=inner) if inner is not plan.input else plan


def _is_distinct(plan: Aggregate) -> bool:
    return all(
        each.call is not None and (each.call.distinct or each.call.name.lower() in _THROWS_REPEATS_AWAY)
        for each in plan.aggregates
    )


def _match_of_ends(plan: Match) -> Match:
    """Only of a pattern of one relationship: others must differ from those of the trail, one by one."""
    if len(plan.edges) != 1 or plan.paths:
        return plan
    [edge] = plan.edges
    if edge.length is None or edge.named or edge.shortest or edge.column in plan.input.columns:
        return plan
    return replace(plan, edges=(replace(edge, ends_only=True),))
