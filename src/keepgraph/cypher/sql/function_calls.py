"""Function calls in SQL, by the form that each function has in its row: most call Python, some are written out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
from operator import or_

from keepgraph.cypher import functions, value_types
from keepgraph.cypher.catalogue import Code
from keepgraph.cypher.sql import expressions, lists, properties, tree
from keepgraph.cypher.sql.context import Block, Context
from keepgraph.cypher.sql.terms import (
    BOOLEAN_OR_NULL,
    SCALARS,
    STRING_OR_NULL,
    Inexpressible,
    Term,
    literal_or_row,
    literal_text,
    null_propagating,
    plain_class,
    unify,
)
from keepgraph.cypher.sql.tree import Expression
from keepgraph.cypher.syntax import ast


def call(context: Context, expression: ast.Call, block: Block) -> Term:
    return _FORMS[_form(expression)](context, expression, block)


def _form(expression: ast.Call) -> functions.SqlForm:
    return _function(expression).sql


def _function(expression: ast.Call) -> functions.Function:
    function = functions.find(expression.name)
    if function is None:
        raise Inexpressible
    return function


def _call_python(context: Context, expression: ast.Call, block: Block) -> Term:
    function = _function(expression)
    if function.needs or function.result_kinds & ~SCALARS:
        raise Inexpressible
    arguments = _scalar_arguments(context, expression, block)
    sql = context.call(expression.name.lower(), *arguments)
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
    sql = tree.call("coalesce", *(term.sql for term in terms)) if len(terms) > 1 else terms[0].sql
    return Term(sql, value_types.Type(kinds), encoding)


def _is_not_null(context: Context, expression: ast.Call, block: Block) -> Term:
    return expressions.is_null(context, ast.IsNull(expression.arguments[0], True), block)


def _length(context: Context, expression: ast.Call, block: Block) -> Term:
    subject = context.term(expression.arguments[0], block)
    null = subject.kinds & value_types.NULL
    if subject.encoding in ("json", "labels"):
        return Term(tree.call("json_array_length", subject.sql), value_types.Type(value_types.INTEGER | null))
    if plain_class(subject) == value_types.STRING:
        return Term(context.call(expression.name.lower(), subject), value_types.Type(value_types.INTEGER | null))
    raise Inexpressible


def _is_empty(context: Context, expression: ast.Call, block: Block) -> Term:
    """Of a list, by its length; of a text by Python."""
    subject = expression.arguments[0]
    if context.term(subject, block).encoding in ("json", "labels"):
        return lists.is_empty(context, subject, block)
    return _call_python(context, expression, block)


def _substring(context: Context, expression: ast.Call, block: Block) -> Term:
    """The beginning of a timestamp as SQL cuts it; all else is cut by Python."""
    text, *numbers = expression.arguments
    positions = [number.value for number in numbers if isinstance(number, ast.Literal) and type(number.value) is int]
    if expression.name.lower() == "left":
        positions.insert(0, 0)
    if len(positions) != 2 or min(positions) < 0 or not properties.is_timestamp(context, text, block):
        return _call_python(context, expression, block)
    subject = context.term(text, block)
    start, length = positions
    sql = tree.call("substr", subject.sql, tree.Literal(start + 1), tree.Literal(length))
    return Term(sql, value_types.Type(value_types.STRING | subject.kinds & value_types.NULL))


def _letter_case(context: Context, expression: ast.Call, block: Block) -> Term:
    """A column of text in ASCII as SQLite changes its letters; all else by Python, which knows other scripts."""
    by_python = _call_python(context, expression, block)
    subject = context.term(expression.arguments[0], block)
    case = functions.letter_case(expression.name)
    if case is None or plain_class(subject) != value_types.STRING or not isinstance(subject.sql, tree.Column):
        return by_python
    is_ascii = tree.equal(tree.call("length", subject.sql), tree.call("octet_length", subject.sql))
    sql = tree.iif(is_ascii, tree.call(case.of_ascii, subject.sql), by_python.sql)
    return null_propagating(sql, value_types.STRING, subject)


# Ids, types and ends


def _key(context: Context, expression: ast.Call, block: Block) -> Term:
    subject = context.term(expression.arguments[0], block)
    if subject.encoding not in ("node", "edge") or subject.literal:
        raise Inexpressible
    return Term(subject.sql, value_types.Type(value_types.INTEGER | subject.null))


def _public_id(context: Context, expression: ast.Call, block: Block) -> Term:
    subject = context.term(expression.arguments[0], block)
    if subject.encoding not in ("node", "edge"):
        raise Inexpressible
    table = context.catalogue.nodes if subject.encoding == "node" else context.catalogue.edges
    of_literal = tree.infix("||", tree.Literal("literal:"), literal_text(subject))
    sql = literal_or_row(subject, of_literal, properties.row_value(context, block, subject, table.public_id))
    return Term(sql, value_types.Type(value_types.STRING | subject.null))


def _type(context: Context, expression: ast.Call, block: Block) -> Term:
    subject = context.term(expression.arguments[0], block)
    if subject.encoding != "edge":
        raise Inexpressible
    edges = context.catalogue.edges
    code = properties.row_column(context, block, subject, edges.code)
    sql = code if edges.type_is_code else _decode(context, code, edges.types)
    return Term(sql, value_types.Type(value_types.STRING | subject.null), group_by=code)


def _end_node(context: Context, expression: ast.Call, block: Block, *, start: bool) -> Term:
    subject = context.term(expression.arguments[0], block)
    if subject.encoding != "edge":
        raise Inexpressible
    return Term(
        subject.start if start else subject.end,
        value_types.Type(value_types.NODE | subject.null),
        "node",
        literal=not start and context.catalogue.literals is not None,
        nullable=subject.nullable,
    )


def _decode(context: Context, code: Expression, names: Mapping[Code, str]) -> Expression:
    """The name behind a code, as a CASE over all codes."""
    branches = tuple([(context.code(each), context.bindings.constant(name)) for each, name in names.items()])
    return tree.Case(branches, subject=code) if branches else tree.NULL


# Labels


def _labels(context: Context, expression: ast.Call, block: Block) -> Term:
    """The labels of a node as a JSON list; each combination of labels is always the same text."""
    subject = context.term(expression.arguments[0], block)
    sql = _by_labels(context, subject, block, lambda labels: json.dumps(list(labels)))
    type_ = value_types.Type(value_types.LIST | subject.null, value_types.Type(value_types.STRING))
    # Each code has labels of its own, so grouping by the code makes the same groups.
    code = None if subject.literal else properties.row_column(context, block, subject, context.catalogue.nodes.code)
    return Term(sql, type_, "labels", group_by=code)


def _by_labels(
    context: Context, subject: Term, block: Block, value_of: Callable[[Sequence[str]], str | None]
) -> Expression:
    """A text computed from the labels of a node, as a CASE over the codes of labels."""
    if subject.encoding != "node":
        raise Inexpressible
    nodes, literals = context.catalogue.nodes, context.catalogue.literals
    by_code = {code: value_of(labels) for code, labels in nodes.labels.items()}
    texts = {code: text for code, text in by_code.items() if text is not None}
    of_literal = value_of((literals.label,)) if literals is not None else None
    code = properties.row_column(context, block, subject, nodes.code)
    placeholder = tree.NULL if of_literal is None else context.bindings.constant(of_literal)
    return literal_or_row(subject, placeholder, _decode(context, code, texts))


def index(context: Context, expression: ast.Index, block: Block) -> Term:
    """`labels(n)[0]` and `split(n.name, ' ')[-1]`; no other list can be indexed in SQL."""
    subject, position = expression.subject, expression.index
    if not (isinstance(subject, ast.Call) and isinstance(position, ast.Literal) and type(position.value) is int):
        raise Inexpressible
    if _form(subject) == "labels":
        return _label_at(context, subject, position.value, block)
    if subject.name.lower() == "split":
        return _part_at(context, subject, position.value, block)
    raise Inexpressible


def _part_at(context: Context, split: ast.Call, position: int, block: Block) -> Term:
    """What stands in a text before the first delimiter, or behind the last one, which has one character."""
    text, delimiter = context.term(split.arguments[0], block), split.arguments[1]
    is_text = isinstance(delimiter, ast.Literal) and isinstance(delimiter.value, str) and len(delimiter.value) == 1
    if not is_text or position not in (0, -1) or plain_class(text) != value_types.STRING:
        raise Inexpressible
    by = context.term(delimiter, block).sql
    if position == 0:
        place = tree.call("instr", text.sql, by)
        before = tree.call("substr", text.sql, tree.Literal(1), tree.infix("+", place, tree.Literal(-1)))
        sql = tree.iif(tree.infix(">", place, tree.Literal(0)), before, text.sql)
    else:
        # Without everything after its last delimiter, the text ends with the delimiter.
        up_to_last = tree.call("rtrim", text.sql, tree.call("replace", text.sql, by, tree.Literal("")))
        start = tree.infix("+", tree.call("length", up_to_last), tree.Literal(1))
        sql = tree.call("substr", text.sql, start)
    return null_propagating(sql, value_types.STRING, text)


def _first(context: Context, expression: ast.Call, block: Block) -> Term:
    """`head(labels(n))`"""
    return index(context, ast.Index(expression.arguments[0], ast.Literal(0)), block)


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
        group_by=properties.row_column(context, block, subject, nodes.code) if distinct else None,
    )


_FORMS: dict[functions.SqlForm, Callable[[Context, ast.Call, Block], Term]] = {
    "call": _call_python,
    "coalesce": _coalesce,
    "not null": _is_not_null,
    "length": _length,
    "empty": _is_empty,
    "key": _key,
    "public id": _public_id,
    "type": _type,
    "labels": _labels,
    "first": _first,
    "start": partial(_end_node, start=True),
    "end": partial(_end_node, start=False),
    "substring": _substring,
    "letter case": _letter_case,
}
