"""Path lengths: a path of at most some relationships is one of one, of two or of three, each of them a join.

`(a)-[:T*1..2]->(b)` becomes the rows of `(a)-[:T]->(b)` and those of `(a)-[:T]->()-[:T]->(b)`. A join is run as SQL,
and its order can be chosen; a search by the interpreter takes ten times as long. Where each end is wanted once, the
search is the better one: there are far more paths than ends.

It is done for one to at most four relationships, and not where the path has a name, in OPTIONAL MATCH, for a length of
0, or behind anything but other matches, whose rows would be computed once for each length. At a million facts the paths
of one to three from one person are counted in 1.5 s, which the search did not do in 20.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from keepgraph.cypher.plan import planner
from keepgraph.cypher.plan.algebra import EdgeSlot, Match, NodeSlot, Plan, Union, is_repeatable
from keepgraph.cypher.syntax import ast, substitution

_MAX_LENGTH = 4


def unite_lengths(plan: Match) -> Plan:
    """The match as the union of those of each length; the match itself where that is not the same, or has no end."""
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
    return plan if united is None else united


def _bounds(edge: EdgeSlot, plan: Match) -> tuple[int, int] | None:
    if edge.length is None or edge.shortest or edge.distinct_ends or edge.value_needed:
        return None
    least, most = edge.length
    if most is None or not 0 < least <= most <= _MAX_LENGTH or edge.column in plan.input.columns:
        return None
    return least, most


def _of_length(plan: Match, edge: EdgeSlot, length: int, columns: tuple[str, ...]) -> Match:
    """The match with so many single relationships in the place of one of variable length."""
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
        yield substitution.substitute(condition, renamed)
