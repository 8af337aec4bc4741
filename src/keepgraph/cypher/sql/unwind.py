"""UNWIND in SQL: a join with the elements of a list, where those are rows."""

from __future__ import annotations

from keepgraph.cypher.plan.algebra import Unwind
from keepgraph.cypher.sql import lists
from keepgraph.cypher.sql.blocks import Block
from keepgraph.cypher.sql.context import Context


def emit(context: Context, plan: Unwind, block: Block) -> Block:
    block = context.ensure_open(block)
    block.columns[plan.variable] = lists.unwind(context, plan.source, block)
    return block
