"""Table rows behind nodes and relationships: their columns, joined by key or fetched by a scalar subquery."""

from __future__ import annotations

from keepgraph.cypher.catalogue import Column
from keepgraph.cypher.sql.blocks import Block
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.terms import Term, is_literal
from keepgraph.cypher.syntax import ast


def column(context: Context, block: Block, term: Term, name: str) -> str:
    """The SQL of a column of the row that a node or relationship is."""
    return row_sql(context, block, term, f"{{row}}.{name}")


def row_sql(context: Context, block: Block, term: Term, template: str) -> str:
    """SQL with `{row}`, for the row that a node or relationship is; the row is joined where that is possible."""
    table = context.catalogue.nodes if term.encoding == "node" else context.catalogue.edges
    row = term.row or block.joined_rows.get(term.sql)
    if row is None:
        key = term.row_key or term.sql
        row = context.alias("n" if term.encoding == "node" else "e")
        if block.inline or not block.open:
            value = template.format(row=row)
            return f"(SELECT {value} FROM {context.table(table)} AS {row} WHERE {row}.{table.id} = {key})"
        kind = "LEFT JOIN" if term.nullable or term.literal else "CROSS JOIN"
        if not block.sources:
            block.sources.append("(SELECT 1)")
        block.sources.append(f"{kind} {context.table(table)} AS {row} ON {row}.{table.id} = {key}")
        block.joined_rows[term.sql] = row
    return template.format(row=row)


def property_column(context: Context, term: Term, key: str) -> Column | None:
    """The column of its own that a property has; None for one in the property bag."""
    table = context.catalogue.nodes if term.encoding == "node" else context.catalogue.edges
    return table.columns.get(key)


def label_test(context: Context, block: Block, term: Term, labels: tuple[ast.LabelExpression, ...]) -> str:
    """The condition that a node has these labels; null for null."""
    nodes = context.catalogue.nodes
    codes, literal = context.catalogue.node_codes(labels), context.catalogue.literal_matches(labels)
    if term.literal and literal and not codes:
        return is_literal(term)
    if not term.literal and len(codes) == len(nodes.labels) and not term.nullable:
        return "TRUE"
    test = context.code_test(column(context, block, term, nodes.code), codes)
    if term.literal and literal:
        return f"({is_literal(term)} OR {test})"
    if term.literal:
        return f"(NOT {is_literal(term)} AND {test})"
    if term.nullable:
        return f"iif({term.sql} IS NULL, NULL, {test})"
    return test
