"""Optimizer: replaces operators with cheaper ones that mean the same on any graph. It uses no statistics.

Patterns over types that read from both ends are rewritten, so that they match what is stored. A type may have an
inverse, a name under which nothing is stored: `(o)-[:EMPLOYS]->(p)` matches what is stored as `(p)-[:WORKS_AT]->(o)`. A
symmetric type says the same from both ends: it matches along and against an arrow. Both hold for types that a pattern
names, as a list (`:A|B`) or in an expression that comes to one (`:A&!B`); a pattern without types, `%` and `!A` match
relationships as they are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import pairwise
from typing import TypeVar

from keepgraph.cypher import aggregates
from keepgraph.cypher.plan import instant_comparisons, planner
from keepgraph.cypher.plan.algebra import (
    Aggregate,
    BuildPaths,
    Distinct,
    EdgeSlot,
    Filter,
    Limit,
    Match,
    NodeSlot,
    Plan,
    Project,
    SingleRow,
    Skip,
    Sort,
    Union,
    is_repeatable,
    rewrite_below,
)
from keepgraph.cypher.syntax import ast, tree_walk
from keepgraph.cypher.syntax.tree_walk import walk
from keepgraph.errors import QueryInconsistent


def optimize(plan: Plan) -> Plan:
    """The plan after all rewrites."""
    plan = add_optional_branches(filter_before_project(plan))
    plan = begin_at_alternatives(join_collected(plan))
    plan = join_short_paths(search_distinct_ends(plan, duplicates_matter=True))
    return build_paths_after_match(compute_after_limit(plan))


def filter_before_project(plan: Plan) -> Plan:
    """Makes conditions on the columns of WITH conditions of the match before it, where an index may serve them.

    Only comparisons of a variable or a property with a constant: what SQL cannot express would be looked up by row.
    """
    if isinstance(plan, Filter):
        remaining, source = [], plan.input
        for condition in tree_walk.split_conjunction(plan.condition):
            with_condition = _with_condition(source, condition) if _compares_with_constant(condition) else None
            if with_condition is None:
                remaining.append(condition)
            else:
                source = with_condition
        if source is not plan.input:
            whole = tree_walk.join_conjunction(remaining)
            return filter_before_project(source if whole is None else replace(plan, input=source, condition=whole))
    return rewrite_below(plan, filter_before_project)


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
        used = [values.get(ast.Variable(name)) for name in tree_walk.free_variables(condition)]
        if not all(value is not None and _is_plain(value) for value in used):
            return None
        source = _with_condition(plan.input, tree_walk.substitute(condition, values))
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
    return any(_is_plain(one) and instant_comparisons.is_constant(other) for one, other in (sides, sides[::-1]))


def compute_after_limit(plan: Plan) -> Plan:
    """Computes columns with a pattern of their own after ORDER BY and LIMIT, which ask for other columns alone."""
    plan = rewrite_below(plan, compute_after_limit)
    if not isinstance(plan, Limit):
        return plan
    skip = plan.input if isinstance(plan.input, Skip) else None
    sort = plan.input if skip is None else skip.input
    if not isinstance(sort, Sort) or not isinstance(sort.input, Project):
        return plan
    project = sort.input
    sorted_by = {name for key, _ in sort.keys for name in tree_walk.free_variables(key)}
    late = {name: value for name, value in project.items if name not in sorted_by and _matches_pattern(value)}
    needed = {name for value in late.values() for name in tree_walk.free_variables(value) & {*project.input.columns}}
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
    patterns = ast.PatternComprehension | ast.PatternPredicate | ast.Subquery
    return any(isinstance(part, patterns) for part in walk(expression))


def build_paths_after_match(plan: Plan) -> Plan:
    """Builds named paths in an operator above the match, so that the match itself can run as SQL.

    Paths with relationships of variable length stay in the match: only the search knows their nodes.
    """
    plan = rewrite_below(plan, build_paths_after_match)
    if not isinstance(plan, Match) or not plan.paths or any(edge.length or edge.shortest for edge in plan.edges):
        return plan
    names = {path.column for path in plan.paths}
    on_paths = tuple(condition for condition in plan.conditions if tree_walk.free_variables(condition) & names)
    if plan.optional and on_paths:
        # Its conditions decide whether a row gets nulls, so none of them can be checked above the match.
        return plan
    others = tuple(condition for condition in plan.conditions if condition not in on_paths)
    columns = tuple(column for column in plan.columns if column not in names)
    rewritten: Plan = replace(plan, paths=(), conditions=others, columns=columns)
    rewritten = BuildPaths(rewritten, plan.paths, (*columns, *(path.column for path in plan.paths)))
    condition = tree_walk.join_conjunction(on_paths)
    if condition is not None:
        rewritten = Filter(rewritten, condition, rewritten.columns)
    return Project(rewritten, tuple((name, ast.Variable(name)) for name in plan.columns), plan.columns)


def add_optional_branches(plan: Plan) -> Plan:
    """Adds the rows of optional patterns beside each other, instead of multiplying them (`optional_branches`)."""
    plan = rewrite_below(plan, add_optional_branches)
    if isinstance(plan, Aggregate) and _ignores_duplicates(plan):
        return add_branches(plan)
    return plan


def search_distinct_ends(plan: Plan, *, duplicates_matter: bool) -> Plan:
    """Searches each end node once, instead of every path to it, where an operator above removes duplicates.

    The number of paths between two nodes grows exponentially with their length, the number of nodes does not.

    Args:
        duplicates_matter: whether the operators above give another result when a row comes more often.
    """
    if isinstance(plan, Match) and not duplicates_matter:
        plan = _with_distinct_ends(plan)
    elif isinstance(plan, Aggregate):
        duplicates_matter = not _ignores_duplicates(plan)
    elif isinstance(plan, Distinct | Skip | Limit):
        duplicates_matter = not isinstance(plan, Distinct)
    return rewrite_below(plan, lambda below: search_distinct_ends(below, duplicates_matter=duplicates_matter))


def join_collected(plan: Plan) -> Plan:
    """Joins the rows of a list that is collected only to be asked what is in it (`collected_rows`)."""
    plan = rewrite_below(plan, join_collected)
    return join_elements(plan) if isinstance(plan, Aggregate | Project) else plan


def begin_at_alternatives(plan: Plan, *, exact_only: bool = False) -> Plan:
    """Matches what an OR about several nodes leaves as a union, of which each part begins at one (`alternatives`).

    Args:
        exact_only: whether the rows are sorted by something of a relationship and cut, which an index may serve.
    """
    if isinstance(plan, Match):
        return planner.unite_alternatives(plan, exact_only=exact_only)
    if isinstance(plan, Aggregate | Distinct):
        exact_only = False
    elif isinstance(plan, Limit):
        below = plan.input.input if isinstance(plan.input, Skip) else plan.input
        exact_only = isinstance(below, Sort)
    return rewrite_below(plan, lambda below: begin_at_alternatives(below, exact_only=exact_only))


def join_short_paths(plan: Plan) -> Plan:
    """Joins paths of few relationships, instead of searching them (`path_lengths`)."""
    plan = rewrite_below(plan, join_short_paths)
    return unite_lengths(plan) if isinstance(plan, Match) else plan


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


# Path lengths: a path of at most some relationships is one of one, of two or of three, each of them a join.
#
# `(a)-[:T*1..2]->(b)` becomes the rows of `(a)-[:T]->(b)` and those of `(a)-[:T]->()-[:T]->(b)`. A join is run as SQL,
# and its order can be chosen; a search by the interpreter takes ten times as long. Where each end is wanted once, the
# search is the better one: there are far more paths than ends.
#
# It is done for one to at most four relationships, and not where the path has a name, in OPTIONAL MATCH, for a length
# of 0, or behind anything but other matches, whose rows would be computed once for each length. At a million facts the
# paths of one to three from one person are counted in 1.5 s, which the search did not do in 20.

_MAX_LENGTH = 4


def unite_lengths(plan: Match) -> Plan:
    """The match as the union of those of each length; the match itself if that is not the same, or has no end."""
    if plan.optional or plan.paths or not is_repeatable(plan.input):
        return plan
    searches = [edge for edge in plan.edges if edge.length is not None or edge.shortest]
    if len(searches) != 1 or (bounds := _bounds(searches[0], plan)) is None:
        return plan
    [edge] = searches
    columns = tuple(name for name in plan.columns if name != edge.column)
    united: Plan | None = None
    for length in range(bounds[0], bounds[1] + 1):
        one = _of_length(plan, edge, length, columns)
        united = one if united is None else Union(united, one, columns)
    if united is None:
        return plan
    # What asks for rows of this match finds its columns: nobody reads the relationships of the path.
    items = ((name, ast.Literal(None) if name == edge.column else ast.Variable(name)) for name in plan.columns)
    return Project(united, tuple(items), plan.columns)


def _bounds(edge: EdgeSlot, plan: Match) -> tuple[int, int] | None:
    if edge.length is None or edge.shortest or edge.distinct_ends or edge.value_needed:
        return None
    least, most = edge.length
    if most is None or not 0 < least <= most <= _MAX_LENGTH or edge.column in plan.input.columns:
        return None
    return least, most


def _of_length(plan: Match, edge: EdgeSlot, length: int, columns: tuple[str, ...]) -> Match:
    """The match with this many single relationships instead of one of variable length."""
    numbers = planner.unused_numbers(plan.columns)
    inner = [f"{ast.INTERNAL_PREFIX}n{next(numbers)}" for _ in range(length - 1)]
    hops = []
    for start, end in pairwise((edge.start, *inner, edge.end)):
        column = f"{ast.INTERNAL_PREFIX}r{next(numbers)}"
        hop = replace(edge, column=column, start=start, end=end, length=None, hop_variable=column, conditions=())
        hops.append(hop)
    position = plan.edges.index(edge)
    return replace(
        plan,
        nodes=(*plan.nodes, *(NodeSlot(name, ()) for name in inner)),
        edges=(*plan.edges[:position], *hops, *plan.edges[position + 1 :]),
        conditions=(*plan.conditions, *(condition for hop in hops for condition in _conditions(edge, hop))),
        columns=(*columns, *inner, *(hop.column for hop in hops)),
    )


def _conditions(edge: EdgeSlot, hop: EdgeSlot) -> Iterator[ast.Expression]:
    """What each relationship of the path must fulfil, of one of them."""
    renamed: dict[ast.Expression, ast.Expression] = {ast.Variable(edge.hop_variable): ast.Variable(hop.column)}
    for condition in edge.conditions:
        yield tree_walk.substitute(condition, renamed)


# Collected rows: a list that is collected only to be asked what is in it becomes a join with its elements.
#
# `WITH collect(p) AS mine MATCH (b)-[:BELONGS_TO]->(q) WHERE q IN mine` would match every `q` and look each up in a
# list. Each distinct `p` as `q` instead, the match begins there. An element is in the list once, so no row comes more
# often; null is in no list, and equal to nothing. At a million facts that takes 0.1 s instead of more than 20. Any
# other list is decoded once where the same text comes again.


def join_elements(plan: Aggregate | Project) -> Plan:
    """An operator above a match that asks for elements of a list, with the list's rows; any other unchanged."""
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
    return any(name in tree_walk.free_variables(condition) for condition in others) or name in {
        column for path in match.paths for column in (path.column, *path.nodes, *path.edges)
    }


def _names_in(plan: Aggregate | Project) -> set[str]:
    expressions = [value for _, value in (plan.keys if isinstance(plan, Aggregate) else plan.items)]
    if isinstance(plan, Aggregate):
        expressions += [column.call for column in plan.aggregates if column.call is not None]
    return {name for expression in expressions for name in tree_walk.free_variables(expression)}


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


# Optional branches: optional patterns beside each other are added, not multiplied, where duplicates do not count.
#
# `MATCH (q) OPTIONAL MATCH (q)--(d:A) OPTIONAL MATCH (q)--(p:B) RETURN q, count(DISTINCT d), count(DISTINCT p)` makes a
# row for each pair of d and p. An aggregate that ignores duplicates and nulls is the same over the rows of the one
# branch and those of the other, each with nulls in the place of what the other matches.


def add_branches(aggregate: Aggregate) -> Aggregate:
    """The aggregation with its independent optional matches side by side instead of one after the other.

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
        needed |= tree_walk.free_variables(expression)
    if not needed <= set(base.columns):
        return aggregate
    for column in aggregate.aggregates:
        for argument in column.call.arguments if column.call is not None else ():
            names = tree_walk.free_variables(argument)
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
        used |= tree_walk.free_variables(condition)
    hops = {edge.hop_variable for edge in branch.edges}
    return not branch.paths and used - hops <= own | base


def _is_null_without_match(argument: ast.Expression) -> bool:
    """Whether an argument is certainly null if the variable in it is."""
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
        if any(map(instant_comparisons.is_random, expressions)):
            return False
        plan = plan.input
    return True


Tree = TypeVar("Tree", bound=ast.SyntaxNode)
Change = Callable[[ast.SyntaxNode], ast.SyntaxNode | None]

_REVERSED: dict[ast.Direction, ast.Direction] = {"out": "in", "in": "out", "both": "both"}


def resolve(query: ast.Query, inverses: Mapping[str, str], symmetric: Set[str]) -> tuple[ast.Query, tuple[str, ...]]:
    """The query over the types that are stored, and a sentence for each use of an inverse.

    Args:
        inverses: the names under which nothing is stored, each with the type that says the same from the other end.
        symmetric: the stored types that say the same from both ends.

    Raises:
        errors.QueryInconsistent: an inverse is in a type expression that is not a list, such as `!A`.
    """
    parts = list(walk(query))
    notes: dict[str, None] = {}
    for part in parts:
        if isinstance(part, ast.Literal) and isinstance(part.value, str) and part.value in inverses:
            stored = inverses[part.value]
            notes[f"{part.value} is the inverse of {stored}: the type(…) of a relationship is {stored}"] = None
    if not any(isinstance(part, ast.LabelName) and (part.name in inverses or part.name in symmetric) for part in parts):
        return query, tuple(notes)

    def change(part: ast.SyntaxNode) -> ast.SyntaxNode | None:
        if isinstance(part, ast.RelationshipPattern):
            return replace(
                _resolve_pattern(part, inverses, symmetric, notes),
                properties=_rewrite(part.properties, change),
                condition=_rewrite(part.condition, change),
            )
        if isinstance(part, ast.HasLabels):
            _note_tested_inverses(part, inverses, notes)
            return replace(
                part,
                subject=tree_walk.rewrite(part.subject, change),
                labels=_with_stored_types(part.labels, inverses),
            )
        return None

    return tree_walk.rewrite(query, change), tuple(notes)


def split(direction: str, types: ast.LabelExpression | None) -> Iterator[tuple[str, ast.LabelExpression | None]]:
    """The directions in which relationships of some types are followed, each with its types; each type comes once.

    Args:
        direction: that of the pattern, as seen from the node from which it is followed.
    """
    if isinstance(types, ast.TypesByDirection):
        yield from (
            (_REVERSED[along] if direction == "in" else along, types_so) for along, types_so in types.directions
        )
    else:
        yield direction, types


def _rewrite(tree: Tree | None, change: Change) -> Tree | None:
    return None if tree is None else tree_walk.rewrite(tree, change)


def _resolve_pattern(
    pattern: ast.RelationshipPattern, inverses: Mapping[str, str], symmetric: Set[str], notes: dict[str, None]
) -> ast.RelationshipPattern:
    """The pattern with stored types, its arrow turned or dropped where that is what they say."""
    if pattern.types is None:
        return pattern
    names = _listed_names(pattern.types)
    if names is None:
        _refuse_inverses(pattern.types, inverses)
        names = _selected_names(pattern.types)
    if inverses.keys().isdisjoint(names) and symmetric.isdisjoint(names):
        return pattern
    for name in inverses.keys() & names:
        notes[f"{name} is the inverse of {inverses[name]}: matched {inverses[name]} from its other end"] = None
    along = {name for name in names if name not in inverses}
    against = {inverses[name] for name in names if name in inverses}
    both = (along & against) | ((along | against) & symmetric)
    span = pattern.types.span
    if pattern.direction == "both":
        return replace(pattern, types=_any_of(along | against, span))
    directed: list[tuple[ast.Direction, set[str]]] = [("out", along - both), ("in", against - both), ("both", both)]
    groups = tuple((direction, _any_of(types, span)) for direction, types in directed if types)
    if len(groups) > 1:
        return replace(pattern, types=ast.TypesByDirection(groups, span=span))
    [(direction, types)] = groups
    return replace(pattern, types=types, direction=_REVERSED[direction] if pattern.direction == "in" else direction)


def _listed_names(types: ast.LabelExpression) -> list[str] | None:
    """The names of a list of types, `A|B`; None for any other expression."""
    if isinstance(types, ast.LabelName):
        return [types.name]
    if not isinstance(types, ast.LabelOr):
        return None
    names: list[str] = []
    for operand in types.operands:
        inner = _listed_names(operand)
        if inner is None:
            return None
        names += inner
    return names


def _selected_names(types: ast.LabelExpression) -> list[str]:
    """The types that an expression such as `A&!B` selects; none if it also selects types that it does not name."""
    names = sorted({part.name for part in walk(types) if isinstance(part, ast.LabelName)})
    not_named = "".join(names) + "_"
    if tree_walk.labels_match((not_named,), types):
        return []
    return [name for name in names if tree_walk.labels_match((name,), types)]


def _refuse_inverses(types: ast.LabelExpression, inverses: Mapping[str, str]) -> None:
    for part in walk(types):
        if isinstance(part, ast.LabelName) and part.name in inverses:
            stored = inverses[part.name]
            raise QueryInconsistent(
                f"{part.name} is the inverse of {stored}, and relationships are stored as {stored}; "
                f"write {stored} here, and turn the arrow",
                detail="InvalidRelationshipPattern",
                span=part.span,
            )


def _any_of(names: Set[str], span: ast.Span) -> ast.LabelExpression:
    operands: Sequence[ast.LabelName] = [ast.LabelName(name, span=span) for name in sorted(names)]
    return operands[0] if len(operands) == 1 else ast.LabelOr(tuple(operands), span=span)


def _note_tested_inverses(test: ast.HasLabels, inverses: Mapping[str, str], notes: dict[str, None]) -> None:
    """Note what `r:A` means of an inverse A: the pattern of `r` stays as it is written."""
    for part in walk(test.labels):
        if isinstance(part, ast.LabelName) and part.name in inverses:
            stored = inverses[part.name]
            notes[
                f"{part.name} is the inverse of {stored}: the test :{part.name} holds of {stored} as its pattern "
                f"reads it; to match it from its other end, write [:{part.name}] in the pattern"
            ] = None


def _with_stored_types(labels: ast.LabelExpression, inverses: Mapping[str, str]) -> ast.LabelExpression:
    """What is tested of a node, or of a relationship, with the stored type beside each inverse."""

    def change(part: ast.SyntaxNode) -> ast.SyntaxNode | None:
        if isinstance(part, ast.LabelName) and part.name in inverses:
            return ast.LabelOr((part, ast.LabelName(inverses[part.name], span=part.span)), span=part.span)
        return None

    return tree_walk.rewrite(labels, change)
