"""Filter, project and distinct in SQL: WHERE, the selected columns, and SELECT DISTINCT."""

from __future__ import annotations

from keepgraph.cypher.plan.algebra import Distinct, Filter, Project
from keepgraph.cypher.sql.blocks import Block
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.terms import Inexpressible
from keepgraph.cypher.syntax import ast, traversal


def emit_filter(context: Context, plan: Filter, block: Block) -> Block:
    block = context.ensure_open(block)
    block.where.append(context.condition(plan.condition, block))
    return block


def emit_project(context: Context, plan: Project, block: Block) -> Block:
    if block.distinct or block.order or block.is_cut:
        only_renames = all(isinstance(expression, ast.Variable) for _, expression in plan.items)
        if block.distinct or not only_renames:
            block = context.derived_table(block)
    elif block.grouped and not all(needs_no_join(expression) for _, expression in plan.items):
        block = context.derived_table(block)
    by_name = {name: context.term(expression, block) for name, expression in plan.items}
    block.columns = {name: by_name[name] for name in plan.columns}
    return block


def emit_distinct(context: Context, plan: Distinct, block: Block) -> Block:
    if block.distinct or block.order or block.is_cut:
        block = context.derived_table(block)
    if any(term.encoding == "json" for term in block.columns.values()):
        # Equal lists may be different texts.
        raise Inexpressible
    block.columns = {name: block.columns[name] for name in plan.columns}
    block.distinct = True
    return block


def needs_no_join(expression: ast.Expression) -> bool:
    """Whether an expression over columns needs no row of a table, which could not be joined any more."""
    if isinstance(expression, _NEED_TABLES):
        return False
    return all(needs_no_join(child) for child in traversal.children(expression))


_NEED_TABLES = ast.Property | ast.HasLabels | ast.Subquery | ast.PatternPredicate | ast.PatternComprehension
