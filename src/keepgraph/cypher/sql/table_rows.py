"""Table rows behind nodes and relationships: their columns, joined by key or fetched by a scalar subquery."""

from __future__ import annotations

from collections.abc import Callable

from keepgraph.cypher import catalogue
from keepgraph.cypher.catalogue import Code
from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.blocks import Block, select_unnamed
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.terms import Term, is_literal
from keepgraph.cypher.sql.tree import Column, Expression
from keepgraph.cypher.syntax import ast


def column(context: Context, block: Block, term: Term, name: str) -> Expression:
    """A column of the row that a node or relationship is."""
    return row_sql(context, block, term, lambda row: Column(row, name))


def value(context: Context, block: Block, term: Term, template: str) -> Expression:
    """A value that the catalogue has, for the row that a node or relationship is."""
    return row_sql(context, block, term, lambda row: context.value_of_row(template, row))


def row_sql(context: Context, block: Block, term: Term, of_row: Callable[[str], Expression]) -> Expression:
    """SQL of the row that a node or relationship is, by the row's alias; it is joined where that is possible."""
    table = context.catalogue.nodes if term.encoding == "node" else context.catalogue.edges
    row = term.row or block.joined_rows.get(term.sql)
    if row is None:
        key = term.row_key if term.row_key is not None else term.sql
        row = context.alias("n" if term.encoding == "node" else "e")
        if block.inline or not block.open:
            inner = Block(where=[tree.equal(Column(row, table.id), key)])
            inner.join(context.table(table), row)
            return tree.Scalar(select_unnamed(inner, of_row(row)))
        join = block.left_join if term.nullable or term.literal else block.look_up
        join(context.table(table), row, tree.equal(Column(row, table.id), key))
        block.joined_rows[term.sql] = row
    return of_row(row)


def property_column(context: Context, term: Term, key: str) -> catalogue.Column | None:
    """The column of its own that a property has; None for one in the property bag."""
    table = context.catalogue.nodes if term.encoding == "node" else context.catalogue.edges
    return table.columns.get(key)


def label_test(context: Context, block: Block, term: Term, labels: tuple[ast.LabelExpression, ...]) -> Expression:
    """The condition that a node has these labels; null for null."""
    codes, literal = context.catalogue.node_codes(labels), context.catalogue.literal_matches(labels)
    return code_test(context, block, term, codes, literal=literal)


def code_test(context: Context, block: Block, term: Term, codes: frozenset[Code], *, literal: bool) -> Expression:
    """The condition that a node has one of these codes of labels, or is a literal; null for null."""
    nodes = context.catalogue.nodes
    if term.literal and literal and not codes:
        return is_literal(term)
    if not term.literal and len(codes) == len(nodes.labels) and not term.nullable:
        return tree.TRUE
    test = context.code_test(column(context, block, term, nodes.code), codes)
    if term.literal and literal:
        return tree.infix("OR", is_literal(term), test)
    if term.literal:
        return tree.infix("AND", tree.negate(is_literal(term)), test)
    if term.nullable:
        return tree.iif(tree.is_null(term.sql), tree.NULL, test)
    return test
