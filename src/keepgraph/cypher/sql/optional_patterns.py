"""OPTIONAL MATCH of a pattern of several steps in SQL: its matches, and the rows that have none (UNION ALL).

SQLite computes a join in brackets behind LEFT JOIN as a table of its own, without a look at the row before it. So the
input stands twice: joined with the pattern, and where the pattern does not exist, with nulls in its place.
"""

from __future__ import annotations

from dataclasses import replace

from keepgraph.cypher.plan.algebra import Argument, Filter, Match, Plan, Project, SingleRow, Union, Unwind
from keepgraph.cypher.plan.join_order import NodeScan, choose_join_order
from keepgraph.cypher.sql import literal_nodes, tree, union
from keepgraph.cypher.sql.blocks import Block, select_unnamed
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.terms import Inexpressible

_Repeatable = Match | Filter | Project | Unwind


def is_one(context: Context, plan: Match) -> bool:
    """Whether an OPTIONAL MATCH is no left join of one table."""
    if not plan.optional or not _is_repeatable(plan.input):
        return False
    order = choose_join_order(plan, context.catalogue.estimates)
    if len(order) != 1:
        return True
    [step] = order
    return isinstance(step, NodeScan) and literal_nodes.may_match(context, plan, step.node)


def _is_repeatable(plan: Plan) -> bool:
    """Whether a plan gives the same rows again, in no order that is asked for."""
    while isinstance(plan, _Repeatable):
        plan = plan.input
    return isinstance(plan, SingleRow)


def emit(context: Context, plan: Match) -> Block:
    matched = context.plan(replace(plan, optional=False))
    without = context.ensure_open(context.plan(plan.input))
    if context.left_out:
        raise Inexpressible
    pattern = replace(plan, input=Argument(plan.input.columns), optional=False)
    exists = tree.Exists(select_unnamed(context.subquery(pattern, without.columns), tree.Literal(1)))
    without.where.append(tree.negate(exists))
    for name in plan.columns:
        if name not in without.columns:
            without.columns[name] = union.null_like(matched.columns[name])
    return union.emit(context, Union(plan, plan, plan.columns), matched, without)
