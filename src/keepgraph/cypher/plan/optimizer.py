"""Optimizer: replaces operators with cheaper ones that mean the same on any graph. It uses no statistics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from keepgraph.cypher import aggregates
from keepgraph.cypher.plan import alternatives, collected_rows, instant_comparisons, optional_branches, path_lengths
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
from keepgraph.cypher.syntax import ast, conjunctions, substitution, traversal


def optimize(plan: Plan) -> Plan:
    """The plan after all rewrites."""
    plan = add_optional_branches(filter_before_project(plan))
    plan = begin_at_alternatives(join_collected(plan))
    plan = join_short_paths(search_distinct_ends(plan, duplicates_matter=True))
    return build_paths_after_match(compute_after_limit(plan))


def _rewrite_below(plan: Plan, rewrite: Callable[[Plan], Plan]) -> Plan:
    """The plan with what is below its topmost operator rewritten; the plan itself where nothing changes."""
    if isinstance(plan, Union):
        left, right = rewrite(plan.left), rewrite(plan.right)
        return plan if left is plan.left and right is plan.right else replace(plan, left=left, right=right)
    if isinstance(plan, SingleRow | Argument | SqlRows):
        return plan
    source = rewrite(plan.input)
    return plan if source is plan.input else replace(plan, input=source)


def filter_before_project(plan: Plan) -> Plan:
    """Makes conditions on the columns of WITH conditions of the match before it, where an index may serve them.

    Only comparisons of a variable or a property with a constant: what SQL cannot express would be looked up by row.
    """
    if isinstance(plan, Union):
        return replace(plan, left=filter_before_project(plan.left), right=filter_before_project(plan.right))
    if isinstance(plan, SingleRow | Argument | SqlRows):
        return plan
    if isinstance(plan, Filter):
        remaining, source = [], plan.input
        for condition in conjunctions.split(plan.condition):
            with_condition = _with_condition(source, condition) if _compares_with_constant(condition) else None
            if with_condition is None:
                remaining.append(condition)
            else:
                source = with_condition
        if source is not plan.input:
            whole = conjunctions.join(remaining)
            return filter_before_project(source if whole is None else replace(plan, input=source, condition=whole))
    below = filter_before_project(plan.input)
    return replace(plan, input=below) if below is not plan.input else plan


def _with_condition(plan: Plan, condition: ast.Expression) -> Plan | None:
    """The plan with a condition in the match that it is a projection of; None for any other plan."""
    if isinstance(plan, Match):
        is_search = any(edge.length or edge.shortest for edge in plan.edges)
        if plan.optional or plan.paths or is_search:
            return None
        return replace(plan, conditions=(*plan.conditions, condition))
    if isinstance(plan, Filter):
        source = _with_condition(plan.input, condition)
    elif isinstance(plan, Project):
        values: dict[ast.Expression, ast.Expression] = {ast.Variable(name): value for name, value in plan.items}
        used = [values.get(ast.Variable(name)) for name in traversal.free_variables(condition)]
        if not all(value is not None and _is_plain(value) for value in used):
            return None
        source = _with_condition(plan.input, substitution.substitute(condition, values))
    else:
        return None
    return None if source is None else replace(plan, input=source)


def _is_plain(expression: ast.Expression) -> bool:
    """Whether this is a variable, or a property of one."""
    subject = expression.subject if isinstance(expression, ast.Property) else expression
    return isinstance(subject, ast.Variable)


_COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">=", "IN", "STARTS WITH", "ENDS WITH", "CONTAINS"))


def _compares_with_constant(condition: ast.Expression) -> bool:
    if not isinstance(condition, ast.Binary) or condition.operator not in _COMPARISONS:
        return False
    sides = condition.left, condition.right
    return any(_is_plain(one) and is_constant(other) for one, other in (sides, sides[::-1]))


def is_constant(expression: ast.Expression) -> bool:
    """Whether this is a constant, an instant that is one, or a list of such."""
    if isinstance(expression, ast.ListLiteral):
        return all(map(is_constant, expression.elements))
    value = expression.value if isinstance(expression, ast.Instant) else expression
    return instant_comparisons.is_constant(value)


def compute_after_limit(plan: Plan) -> Plan:
    """Computes columns with a pattern of their own after ORDER BY and LIMIT, which ask for other columns alone."""
    plan = _rewrite_below(plan, compute_after_limit)
    if not isinstance(plan, Limit):
        return plan
    skip = plan.input if isinstance(plan.input, Skip) else None
    sort = plan.input if skip is None else skip.input
    if not isinstance(sort, Sort) or not isinstance(sort.input, Project):
        return plan
    project = sort.input
    sorted_by = {name for key, _ in sort.keys for name in traversal.free_variables(key)}
    late = {name: value for name, value in project.items if name not in sorted_by and _matches_pattern(value)}
    needed = {name for value in late.values() for name in traversal.free_variables(value) & {*project.input.columns}}
    early = {name: value for name, value in project.items if name not in late}
    if not late or any(early.get(name, ast.Variable(name)) != ast.Variable(name) for name in needed):
        return plan
    early |= {name: ast.Variable(name) for name in sorted(needed)}
    columns = tuple(early)
    rows: Plan = Sort(Project(project.input, tuple(early.items()), columns), sort.keys, columns)
    if skip is not None:
        rows = Skip(rows, skip.count, columns)
    rows = Limit(rows, plan.count, columns)
    return Project(rows, tuple((name, late.get(name, ast.Variable(name))) for name in plan.columns), plan.columns)


def _matches_pattern(expression: ast.Expression) -> bool:
    if isinstance(expression, ast.PatternComprehension | ast.PatternPredicate | ast.Subquery):
        return True
    return any(map(_matches_pattern, traversal.children(expression)))


def build_paths_after_match(plan: Plan) -> Plan:
    """Builds named paths in an operator above the match, so that the match itself can run as SQL.

    Paths with relationships of variable length stay in the match: only the search knows their nodes.
    """
    plan = _rewrite_below(plan, build_paths_after_match)
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
    condition = conjunctions.join(on_paths)
    if condition is not None:
        rewritten = Filter(rewritten, condition, rewritten.columns)
    return Project(rewritten, tuple((name, ast.Variable(name)) for name in plan.columns), plan.columns)


def add_optional_branches(plan: Plan) -> Plan:
    """Adds the rows of optional patterns beside each other, instead of multiplying them (`optional_branches`)."""
    plan = _rewrite_below(plan, add_optional_branches)
    if isinstance(plan, Aggregate) and _ignores_duplicates(plan):
        return optional_branches.add_branches(plan)
    return plan


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


def join_collected(plan: Plan) -> Plan:
    """Joins the rows of a list that is collected only to be asked what is in it (`collected_rows`)."""
    plan = _rewrite_below(plan, join_collected)
    return collected_rows.join_elements(plan) if isinstance(plan, Aggregate | Project) else plan


def begin_at_alternatives(plan: Plan, *, exact_only: bool = False) -> Plan:
    """Matches what an OR about several nodes leaves as a union, of which each part begins at one (`alternatives`).

    Args:
        exact_only: whether the rows are sorted by something of a relationship and cut, which an index may serve.
    """
    if isinstance(plan, Match):
        return alternatives.unite_alternatives(plan, exact_only=exact_only)
    if isinstance(plan, Aggregate | Distinct):
        exact_only = False
    elif isinstance(plan, Limit):
        below = plan.input.input if isinstance(plan.input, Skip) else plan.input
        exact_only = isinstance(below, Sort)
    return _rewrite_below(plan, lambda below: begin_at_alternatives(below, exact_only=exact_only))


def join_short_paths(plan: Plan) -> Plan:
    """Joins paths of few relationships, instead of searching them (`path_lengths`)."""
    plan = _rewrite_below(plan, join_short_paths)
    return path_lengths.unite_lengths(plan) if isinstance(plan, Match) else plan


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
