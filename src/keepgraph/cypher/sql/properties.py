"""Properties and labels in SQL: a column of its own, a path in the property bag, or the text of a literal."""

from __future__ import annotations

import re
from collections.abc import Callable

from keepgraph.cypher import catalogue, value_types
from keepgraph.cypher.catalogue import Code
from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.context import INEXACT, Block, Context, select_unnamed
from keepgraph.cypher.sql.terms import (
    SCALARS,
    STRING_OR_NULL,
    TAGGED_FALSE,
    TAGGED_TRUE,
    Inexpressible,
    Term,
    bag_type,
    bag_value,
    by_text,
    is_literal,
    literal_or_row,
    literal_text,
    unify,
)
from keepgraph.cypher.sql.tree import Column, Expression
from keepgraph.cypher.syntax import ast


def row_column(context: Context, block: Block, term: Term, name: str) -> Expression:
    """A column of the row that a node or relationship is."""
    return row_sql(context, block, term, lambda row: Column(row, name))


def row_value(context: Context, block: Block, term: Term, template: str) -> Expression:
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
    test = context.code_test(row_column(context, block, term, nodes.code), codes)
    if term.literal and literal:
        return tree.infix("OR", is_literal(term), test)
    if term.literal:
        return tree.infix("AND", tree.negate(is_literal(term)), test)
    if term.nullable:
        return tree.iif(tree.is_null(term.sql), tree.NULL, test)
    return test


_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


_DIGITS_OF_PARTS = {
    "year": (1, 4),
    "month": (6, 2),
    "day": (9, 2),
    "hour": (12, 2),
    "minute": (15, 2),
    "second": (18, 2),
}
"""The number of the first digit of each part of a timestamp, `2026-11-21T08:44:39.123Z`, and how many it has."""


def property_(context: Context, expression: ast.Property, block: Block) -> Term:
    subject = context.term(expression.subject, block)
    compute = _PARTS.get(expression.key)
    if compute is not None and is_timestamp(context, expression.subject, block):
        type_ = value_types.Type(value_types.INTEGER | subject.kinds & value_types.NULL)
        return Term(compute(subject.sql, expression.key), type_)
    if subject.encoding not in ("node", "edge"):
        raise Inexpressible
    key = expression.key
    column = property_column(context, subject, key)
    null = value_types.NULL if subject.nullable or subject.literal else 0
    if subject.encoding == "node" and subject.literal:
        return _of_literal_or_row(context, subject, key, block)
    if column is not None:
        return _from_column(context, subject, column, null, block)
    return _from_bag(context, subject, key, block)


def _digits(timestamp: Expression, part: str) -> Expression:
    start, length = _DIGITS_OF_PARTS[part]
    digits = tree.call("substr", timestamp, tree.Literal(start), tree.Literal(length))
    # Adding makes a number of the digits.
    return tree.infix("+", digits, tree.Literal(0))


def _quarter(timestamp: Expression, part: str) -> Expression:
    return tree.infix("/", tree.infix("+", _digits(timestamp, "month"), tree.Literal(2)), tree.Literal(3))


def _day_of_week(timestamp: Expression, part: str) -> Expression:
    """1 is Monday, where SQLite begins with Sunday as 0."""
    since_sunday = tree.call("strftime", tree.Literal("%w"), timestamp)
    since_monday = tree.infix("%", tree.infix("+", since_sunday, tree.Literal(6)), tree.Literal(7))
    return tree.infix("+", since_monday, tree.Literal(1))


def _day_of_year(timestamp: Expression, part: str) -> Expression:
    return tree.infix("+", tree.call("strftime", tree.Literal("%j"), timestamp), tree.Literal(0))


_PARTS: dict[str, Callable[[Expression, str], Expression]] = {
    **dict.fromkeys(_DIGITS_OF_PARTS, _digits),
    "quarter": _quarter,
    "dayOfWeek": _day_of_week,
    "weekDay": _day_of_week,
    "ordinalDay": _day_of_year,
}
"""The parts of a timestamp that SQL can compute."""


def is_timestamp(context: Context, expression: ast.Expression, block: Block) -> bool:
    """Whether this is a property whose column holds timestamps, null, or nothing."""
    if not isinstance(expression, ast.Property):
        return False
    subject = context.term(expression.subject, block)
    if subject.encoding not in ("node", "edge"):
        return False
    column = property_column(context, subject, expression.key)
    literals = context.catalogue.literals
    of_text = subject.literal and literals is not None and expression.key in literals.properties
    return column is not None and column.is_instant and not of_text


def _from_column(context: Context, subject: Term, column: catalogue.Column, null: int, block: Block) -> Term:
    """A property with a column of its own; `null` is the kind null if there may be no row."""
    type_ = value_types.Type(column.kinds | null)
    if not column.kinds & value_types.LIST:
        return Term(row_value(context, block, subject, column.sql), type_)
    table = context.catalogue.nodes if subject.encoding == "node" else context.catalogue.edges

    # A list that a subquery builds is empty, not null, where there is no row.
    def value_if_there(row: str) -> Expression:
        value = context.value_of_row(column.sql, row)
        return tree.Case(((tree.is_not_null(tree.Column(row, table.id)), value),)) if null else value

    return Term(row_sql(context, block, subject, value_if_there), type_, "json")


def _of_literal_or_row(context: Context, subject: Term, key: str, block: Block) -> Term:
    """A property of a node that may be a literal: its text, or that of the row."""
    literals = context.catalogue.literals
    is_text = literals is not None and key in literals.properties
    column = property_column(context, subject, key)
    of_literal = Term(
        literal_text(subject) if is_text else tree.NULL,
        value_types.Type(STRING_OR_NULL if is_text else value_types.NULL),
    )
    if subject.codes is not None and not subject.codes:
        return of_literal
    if column is not None:
        of_row = _from_column(context, subject, column, value_types.NULL, block)
    else:
        of_row = _from_bag(context, subject, key, block)
    if not is_text:
        return of_row
    type_ = value_types.union(of_literal.type, of_row.type)
    encoding, (of_literal, of_row) = unify([of_literal, of_row])
    return Term(literal_or_row(subject, of_literal.sql, of_row.sql), type_, encoding)


def _from_bag(context: Context, subject: Term, key: str, block: Block) -> Term:
    """A property of the JSON object with all properties that have no column."""
    table = context.catalogue.nodes if subject.encoding == "node" else context.catalogue.edges
    if table.bag is None:
        return Term(tree.NULL, value_types.Type(value_types.NULL))
    if '"' in key or "\\" in key:
        raise Inexpressible
    # An index over the expression is used only for a path that is not bound; only letters and digits are safe.
    is_plain = _PLAIN_KEY.match(key) is not None
    path = tree.Literal(f"$.{key}") if is_plain else context.bindings.constant(f'$."{key}"')
    bag = row_column(context, block, subject, table.bag), path
    return Term(by_text(bag_type(bag), _BY_JSON_TYPE, bag_value(bag)), value_types.Type(SCALARS), "tagged", bag=bag)


_BY_JSON_TYPE = {"true": TAGGED_TRUE, "false": TAGGED_FALSE, "array": INEXACT, "object": INEXACT}
"""What a value in a bag is, by its JSON type, where it is not what `->>` gives."""


def has_labels(context: Context, expression: ast.HasLabels, block: Block) -> Term:
    """`n:Label`, and `r:TYPE` of a relationship."""
    subject = context.term(expression.subject, block)
    if subject.encoding == "node":
        sql = label_test(context, block, subject, (expression.labels,))
        return Term(sql, value_types.Type(value_types.BOOLEAN | subject.null))
    if subject.encoding == "edge" and not subject.nullable:
        codes = context.catalogue.type_codes(expression.labels)
        column = row_column(context, block, subject, context.catalogue.edges.code)
        return Term(context.code_test(column, codes), value_types.Type(value_types.BOOLEAN))
    raise Inexpressible
