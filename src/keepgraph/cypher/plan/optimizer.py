"""Optimizer: replaces operators with cheaper ones that mean the same on any graph. It uses no statistics."""

from __future__ import annotations

from dataclasses import replace

from keepgraph.cypher import aggregates
from keepgraph.cypher.plan import planner
from keepgraph.cypher.plan.algebra import (
    Aggregate,
    Argument,
    BuildPaths,
    Distinct,
    Filter,
    Limit,
    Match,
    OuterColumns,
    Plan,
    Project,
    SingleRow,
    Skip,
    Sort,
    SqlRows,
    Union,
    Unwind,
)
from keepgraph.cypher.syntax import ast, traversal


def optimize(plan: Plan) -> Plan:
    """The plan after all rewrites."""
    return build_paths_after_match(search_distinct_ends(plan, duplicates_matter=True))


def build_paths_after_match(plan: Plan) -> Plan:
    """Builds named paths in an operator above the match, so that the match itself can run as SQL.

    Paths with relationships of variable length stay in the match: only the search knows their nodes.
    """
    if isinstance(plan, Union):
        return replace(plan, left=build_paths_after_match(plan.left), right=build_paths_after_match(plan.right))
    if isinstance(plan, SingleRow | Argument | SqlRows):
        return plan
    source = build_paths_after_match(plan.input)
    if source is not plan.input:
        plan = replace(plan, input=source)
    if not isinstance(plan, Match) or not plan.paths or any(edge.length or edge.shortest for edge in plan.edges):
        return plan
    names = {path.column for path in plan.paths}
    on_paths = tuple(condition for condition in plan.conditions if traversal.free_variables(condition) & names)
    if plan.optional and on_paths:
        # Its conditions decide whether a row gets nulls, so none of them can be checked above the match.
        return plan
    others = tuple(condition for condition in plan.conditions if condition not in on_paths)
    columns = tuple(column for column in plan.columns if column not in names)
    rewritten: Plan = replace(plan, paths=(), conditions=others, columns=columns)
    rewritten = BuildPaths(rewritten, plan.paths, (*columns, *(path.column for path in plan.paths)))
    condition = planner.join_conditions(on_paths)
    if condition is not None:
        rewritten = Filter(rewritten, condition, rewritten.columns)
    return Project(rewritten, tuple((name, ast.Variable(name)) for name in plan.columns), plan.columns)


def search_distinct_ends(plan: Plan, *, duplicates_matter: bool) -> Plan:
    """Searches each end node once, instead of every path to it, where an operator above removes duplicates.

    The number of paths between two nodes grows exponentially with their length, the number of nodes does not.

    Args:
        duplicates_matter: whether the operators above give another result when a row comes more often.
    """
    if isinstance(plan, SingleRow | Argument | SqlRows):
        return plan
    if isinstance(plan, Union):
        return replace(
            plan,
            left=search_distinct_ends(plan.left, duplicates_matter=duplicates_matter),
            right=search_distinct_ends(plan.right, duplicates_matter=duplicates_matter),
        )
    if isinstance(plan, Match):
        plan = _with_distinct_ends(plan) if not duplicates_matter else plan
        source = search_distinct_ends(plan.input, duplicates_matter=duplicates_matter)
    elif isinstance(plan, Aggregate):
        source = search_distinct_ends(plan.input, duplicates_matter=not _ignores_duplicates(plan))
    elif isinstance(plan, Distinct):
        source = search_distinct_ends(plan.input, duplicates_matter=False)
    elif isinstance(plan, Skip | Limit):
        source = search_distinct_ends(plan.input, duplicates_matter=True)
    elif isinstance(plan, Filter | Project | Sort | Unwind | BuildPaths | OuterColumns):
        source = search_distinct_ends(plan.input, duplicates_matter=duplicates_matter)
    return replace(plan, input=source) if source is not plan.input else plan


def _ignores_duplicates(plan: Aggregate) -> bool:
    calls = [aggregate.call for aggregate in plan.aggregates]
    return all(
        call is not None and (call.distinct or aggregates.AGGREGATES[call.name.lower()].ignores_duplicates)
        for call in calls
    )


def _with_distinct_ends(plan: Match) -> Match:
    """Only a pattern of one relationship: others must differ from every relationship of the path, so it is needed."""
    if len(plan.edges) != 1 or plan.paths:
        return plan
    [edge] = plan.edges
    if edge.length is None or edge.value_needed or edge.shortest or edge.column in plan.input.columns:
        return plan
    if isinstance(edge.types, ast.TypesByDirection):
        # Whether a walk back to its start is a trail can be told where all types are followed alike.
        return plan
    return replace(plan, edges=(replace(edge, distinct_ends=True),))
