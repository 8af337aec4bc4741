"""UNWIND in SQL: a join with `json_each`, for lists of texts or integers whose elements are known to be such."""

from __future__ import annotations

from keepgraph.cypher import value_types
from keepgraph.cypher.plan.algebra import Unwind
from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.bindings import json_list
from keepgraph.cypher.sql.blocks import Block
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.terms import Inexpressible, Term
from keepgraph.cypher.sql.tree import Column, Placeholder
from keepgraph.cypher.syntax import ast


def emit(context: Context, plan: Unwind, block: Block) -> Block:
    block = context.ensure_open(block)
    elements, element_type = _bind_elements(context, plan.source)
    alias = context.alias("u")
    block.join(tree.call("json_each", elements), alias)
    block.columns[plan.variable] = Term(Column(alias, "value"), element_type)
    return block


def _bind_elements(context: Context, source: ast.Expression) -> tuple[Placeholder, value_types.Type]:
    """The placeholder of a list as JSON, and the type of its elements."""
    if isinstance(source, ast.Parameter):
        type_ = context.parameters.get(source.name, value_types.UNKNOWN)
        element_kinds = type_.element.kinds if type_.element else 0
        if type_.kinds == value_types.LIST and element_kinds in (value_types.STRING, value_types.INTEGER):
            return context.bindings.parameter(source.name, json_list), value_types.Type(element_kinds)
    if isinstance(source, ast.ListLiteral):
        constants = [element.value for element in source.elements if isinstance(element, ast.Literal)]
        if len(constants) == len(source.elements) and constants:
            for python_type, kind in ((str, value_types.STRING), (int, value_types.INTEGER)):
                if all(type(constant) is python_type for constant in constants):
                    return context.bindings.constant(json_list(constants)), value_types.Type(kind)
    raise Inexpressible
