"""Function calls in SQL: those about the graph (id, labels, type …) are written out, the others call Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

from keepgraph.cypher import value_types
from keepgraph.cypher.sql import callbacks, expressions, table_rows
from keepgraph.cypher.sql.blocks import Block
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.terms import (
    BOOLEAN_OR_NULL,
    STRING_OR_NULL,
    Inexpressible,
    Term,
    literal_or_row,
    plain_class,
    unify,
)
from keepgraph.cypher.syntax import ast


def call(context: Context, expression: ast.Call, block: Block) -> Term:
    name = expression.name.lower()
    emit = _WRITTEN_OUT.get(name)
    if emit is not None:
        return emit(context, expression, block)
    function = callbacks.expressible(name)
    if function is None:
        raise Inexpressible
    arguments = _scalar_arguments(context, expression, block)
    sql = context.call(name, *arguments)
    kinds = function.result_kinds
    if not kinds & ~BOOLEAN_OR_NULL:
        return Term(sql, value_types.Type(kinds), "tagged")
    return Term(sql, value_types.Type(kinds), "tagged" if kinds & value_types.BOOLEAN else "plain")


def _scalar_arguments(context: Context, expression: ast.Call, block: Block) -> list[Term]:
    arguments = [context.term(argument, block) for argument in expression.arguments]
    if any(argument.encoding not in ("plain", "tagged") for argument in arguments):
        raise Inexpressible
    return arguments


def _coalesce(context: Context, expression: ast.Call, block: Block) -> Term:
    arguments = _scalar_arguments(context, expression, block)
    encoding, terms = unify(arguments)
    kinds = reduce(or_, (argument.kinds for argument in arguments))
    if not all(argument.kinds & value_types.NULL for argument in arguments):
        kinds &= ~value_types.NULL
    values = ", ".join(term.sql for term in terms)
    sql = f"coalesce({values})" if len(terms) > 1 else values
    return Term(sql, value_types.Type(kinds), encoding)


def _exists(context: Context, expression: ast.Call, block: Block) -> Term:
    return expressions.is_null(context, ast.IsNull(expression.arguments[0], True), block)


def _size(context: Context, expression: ast.Call, block: Block) -> Term:
    subject = context.term(expression.arguments[0], block)
    null = subject.kinds & value_types.NULL
    if subject.encoding in ("json", "labels"):
        return Term(f"json_array_length({subject.sql})", value_types.Type(value_types.INTEGER | null))
    if plain_class(subject) == value_types.STRING:
        return Term(context.call("size", subject), value_types.Type(value_types.INTEGER | null))
    raise Inexpressible


# Ids, types and ends


def _id(context: Context, expression: ast.Call, block: Block) -> Term:
    subject = context.term(expression.arguments[0], block)
    if subject.encoding not in ("node", "edge") or subject.literal:
        raise Inexpressible
    return Term(subject.sql, value_types.Type(value_types.INTEGER | subject.null))


def _element_id(context: Context, expression: ast.Call, block: Block) -> Term:
    subject = context.term(expression.arguments[0], block)
    if subject.encoding not in ("node", "edge"):
        raise Inexpressible
    table = context.catalogue.nodes if subject.encoding == "node" else context.catalogue.edges
    of_literal = f"'literal:' || substr({subject.sql}, 2)"
    sql = literal_or_row(subject, of_literal, table_rows.row_sql(context, block, subject, table.public_id))
    return Term(sql, value_types.Type(value_types.STRING | subject.null))


def _type(context: Context, expression: ast.Call, block: Block) -> Term:
    subject = context.term(expression.arguments[0], block)
    if subject.encoding != "edge":
        raise Inexpressible
    edges = context.catalogue.edges
    code = table_rows.column(context, block, subject, edges.code)
    sql = code if edges.type_is_code else _decode(context, code, edges.types)
    return Term(sql, value_types.Type(value_types.STRING | subject.null), group_by=code)


def _end_node(context: Context, expression: ast.Call, block: Block) -> Term:
    """`startNode(r)` and `endNode(r)`."""
    subject = context.term(expression.arguments[0], block)
    if subject.encoding != "edge":
        raise Inexpressible
    start = expression.name.lower() == "startnode"
    return Term(
        subject.start if start else subject.end,
        value_types.Type(value_types.NODE | subject.null),
        "node",
        literal=not start and context.catalogue.literals is not None,
        nullable=subject.nullable,
    )


def _decode(context: Context, code: str, names: Mapping[Any, str]) -> str:
    """The name behind a code, as a CASE over all codes."""
    bind = context.bindings.constant
    cases = " ".join(
        f"WHEN {value if isinstance(value, int) else bind(value)} THEN {bind(name)}" for value, name in names.items()
    )
    return f"CASE {code} {cases} END" if cases else "NULL"


# Labels


def _labels(context: Context, expression: ast.Call, block: Block) -> Term:
    """The labels of a node as a JSON list; each combination of labels is always the same text."""
    subject = context.term(expression.arguments[0], block)
    sql = _by_labels(context, subject, block, lambda labels: json.dumps(list(labels)))
    type_ = value_types.Type(value_types.LIST | subject.null, value_types.Type(value_types.STRING))
    # Each code has labels of its own, so grouping by the code makes the same groups.
    code = "" if subject.literal else table_rows.column(context, block, subject, context.catalogue.nodes.code)
    return Term(sql, type_, "labels", group_by=code)


def _by_labels(context: Context, subject: Term, block: Block, value_of: Callable[[Sequence[str]], str | None]) -> str:
    """A text computed from the labels of a node, as a CASE over the codes of labels."""
    if subject.encoding != "node":
        raise Inexpressible
    nodes, literals = context.catalogue.nodes, context.catalogue.literals
    by_code = {code: value_of(labels) for code, labels in nodes.labels.items()}
    texts = {code: text for code, text in by_code.items() if text is not None}
    of_literal = value_of((literals.label,)) if literals is not None else None
    code = table_rows.column(context, block, subject, nodes.code)
    placeholder = "NULL" if of_literal is None else context.bindings.constant(of_literal)
    return literal_or_row(subject, placeholder, _decode(context, code, texts))


def index(context: Context, expression: ast.Index, block: Block) -> Term:
    """`labels(n)[0]`; no other list can be indexed in SQL."""
    subject, position = expression.subject, expression.index
    if not (
        isinstance(subject, ast.Call)
        and subject.name.lower() == "labels"
        and isinstance(position, ast.Literal)
        and type(position.value) is int
    ):
        raise Inexpressible
    return _label_at(context, subject, position.value, block)


def _head(context: Context, expression: ast.Call, block: Block) -> Term:
    """`head(labels(n))`"""
    argument = expression.arguments[0]
    if isinstance(argument, ast.Call) and argument.name.lower() == "labels":
        return _label_at(context, argument, 0, block)
    raise Inexpressible


def _label_at(context: Context, labels_call: ast.Call, position: int, block: Block) -> Term:
    subject = context.term(labels_call.arguments[0], block)

    def label_at(labels: Sequence[str]) -> str | None:
        return labels[position] if -len(labels) <= position < len(labels) else None

    sql = _by_labels(context, subject, block, label_at)
    nodes = context.catalogue.nodes
    results = [label_at(labels) for labels in nodes.labels.values()]
    # Where no two codes have the same label there, grouping by the code makes the same groups.
    distinct = not subject.literal and len(set(results)) == len(results)
    return Term(
        sql,
        value_types.Type(STRING_OR_NULL),
        group_by=table_rows.column(context, block, subject, nodes.code) if distinct else "",
    )


_WRITTEN_OUT: dict[str, Callable[[Context, ast.Call, Block], Term]] = {
    "coalesce": _coalesce,
    "id": _id,
    "elementid": _element_id,
    "type": _type,
    "labels": _labels,
    "head": _head,
    "size": _size,
    "exists": _exists,
    "startnode": _end_node,
    "endnode": _end_node,
}
