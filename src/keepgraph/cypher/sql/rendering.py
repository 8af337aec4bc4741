"""Rendering: the text of a statement from its tree, and what it binds and calls, in the order of the text."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph.cypher import arithmetic, comparison, functions, value_types
from keepgraph.cypher.catalogue import Catalogue
from keepgraph.cypher.interpret.evaluate import Row
from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.context import MAX_INTEGER, Binding, Block, Context, stored_properties
from keepgraph.cypher.sql.terms import Term
from keepgraph.cypher.sql.tree import Expression, Select
from keepgraph.cypher.values import Node, Relationship


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text of a statement.

    Attributes:
        placeholders: for each number that the text binds, from 1, the number of the placeholder in the tree.
        callbacks: the names of the Python functions that it calls.
    """

    text: str
    placeholders: tuple[int, ...]
    callbacks: frozenset[str]


def render(select: Select) -> Rendered:
    """The text of a statement. Brackets stand where the operators need them."""
    writer = _Writer()
    text = writer.select(select)
    return Rendered(text, tuple(writer.numbers), frozenset(writer.callbacks))


class _Writer:
    """Writes the text of one statement from left to right."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.callbacks: set[str] = set()

    # SELECTs

    def select(self, select: Select) -> str:
        values = ", ".join([self._selected(value) for value in select.values]) or "1"
        parts = [f"SELECT DISTINCT {values}" if select.distinct else f"SELECT {values}"]
        if select.sources:
            first, *others = select.sources
            joined = [self._source(first), *(f"{source.join} {self._source(source)}" for source in others)]
            parts.append("FROM " + "\n  ".join(joined))
        if select.where:
            parts.append("WHERE " + "\n  AND ".join([self._operand(test, "AND") for test in select.where]))
        if select.group_by:
            parts.append("GROUP BY " + self._list(select.group_by))
        if select.union is not None:
            return "\n".join(parts) + " UNION ALL " + self.select(select.union)
        if select.order:
            parts.append("ORDER BY " + ", ".join([self._sort_key(key) for key in select.order]))
        if select.limit is not None or select.skip is not None:
            limit = "-1" if select.limit is None else self.expression(select.limit)
            parts.append(f"LIMIT {limit}" + ("" if select.skip is None else f" OFFSET {self.expression(select.skip)}"))
        return "\n".join(parts)

    def _selected(self, selected: tree.Selected) -> str:
        value = self.expression(selected.value)
        return f"{value} AS {selected.name}" if selected.name else value

    def _source(self, source: tree.Source) -> str:
        rows = source.rows
        text = f"({self.select(rows)})" if isinstance(rows, Select) else self.expression(rows)
        if source.alias:
            text = f"{text} AS {source.alias}"
        if source.index:
            text = f"{text} INDEXED BY {source.index}"
        elif source.index is None:
            text = f"{text} NOT INDEXED"
        return text if source.on is None else f"{text} ON {self.expression(source.on)}"

    def _sort_key(self, key: tree.SortKey) -> str:
        text = self.expression(key.value)
        if key.descending:
            text += " DESC"
        return f"{text} NULLS {key.nulls}" if key.nulls else text

    # Expressions, by one row of _WRITERS each

    def expression(self, expression: Expression) -> str:
        return _WRITERS[type(expression)](self, expression)

    def _operand(self, operand: Expression, operator: str) -> str:
        """An expression inside an operator, in brackets unless its parts are bound more tightly than by this one."""
        text = _WRITERS[type(operand)](self, operand)
        inner = tree.operator_of(operand)
        if inner is None or tree.LEVELS[inner] > tree.LEVELS[operator]:
            return text
        return text if inner == operator and operator in tree.ASSOCIATIVE else f"({text})"

    def _list(self, expressions: tuple[Expression, ...]) -> str:
        return ", ".join([_WRITERS[type(expression)](self, expression) for expression in expressions])

    def keyword(self, keyword: tree.Keyword) -> str:
        return keyword.word

    def literal(self, literal: tree.Literal) -> str:
        value = literal.value
        if isinstance(value, bytes):
            return f"x'{value.hex()}'"
        return str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"

    def placeholder(self, placeholder: tree.Placeholder) -> str:
        return f"?{self.numbers.setdefault(placeholder.number, len(self.numbers) + 1)}"

    def column(self, column: tree.Column) -> str:
        return f"{column.row}.{column.name}" if column.row else column.name

    def fragment(self, fragment: tree.Fragment) -> str:
        return "".join([part if isinstance(part, str) else self.placeholder(part) for part in fragment.parts])

    def call(self, call: tree.Call) -> str:
        return f"{call.function}({self._list(call.arguments)})"

    def callback(self, callback: tree.Callback) -> str:
        self.callbacks.add(callback.name)
        return f"{PREFIX}{callback.name}({self._list(callback.arguments)})"

    def aggregate(self, aggregate: tree.Aggregate) -> str:
        distinct = "DISTINCT " if aggregate.distinct else ""
        text = f"{aggregate.function}({distinct}{self.expression(aggregate.argument)})"
        return text if aggregate.where is None else f"{text} FILTER (WHERE {self.expression(aggregate.where)})"

    def prefix(self, prefix: tree.Prefix) -> str:
        operand = self._operand(prefix.operand, tree.prefix_operator(prefix))
        return f"{prefix.operator} {operand}" if prefix.operator.isalpha() else f"{prefix.operator}{operand}"

    def infix(self, infix: tree.Infix) -> str:
        operator = infix.operator
        return f" {operator} ".join([self._operand(operand, operator) for operand in infix.operands])

    def is_in(self, test: tree.In) -> str:
        value = self._operand(test.value, "IN")
        return (
            f"{value} IN ({self.select(test.others) if isinstance(test.others, Select) else self._list(test.others)})"
        )

    def case(self, case: tree.Case) -> str:
        parts = ["CASE"] if case.subject is None else ["CASE", self.expression(case.subject)]
        parts += [f"WHEN {self.expression(when)} THEN {self.expression(then)}" for when, then in case.branches]
        if case.otherwise is not None:
            parts.append(f"ELSE {self.expression(case.otherwise)}")
        return " ".join([*parts, "END"])

    def scalar(self, scalar: tree.Scalar) -> str:
        return f"({self.select(scalar.select)})"

    def exists(self, exists: tree.Exists) -> str:
        return f"EXISTS ({self.select(exists.select)})"


_WRITERS: dict[type[Expression], Callable[[_Writer, Any], str]] = {
    tree.Keyword: _Writer.keyword,
    tree.Literal: _Writer.literal,
    tree.Placeholder: _Writer.placeholder,
    tree.Column: _Writer.column,
    tree.Fragment: _Writer.fragment,
    tree.Call: _Writer.call,
    tree.Callback: _Writer.callback,
    tree.Aggregate: _Writer.aggregate,
    tree.Prefix: _Writer.prefix,
    tree.Infix: _Writer.infix,
    tree.In: _Writer.is_in,
    tree.Case: _Writer.case,
    tree.Scalar: _Writer.scalar,
    tree.Exists: _Writer.exists,
}


# Statements: the SELECT of a block with what it binds, and the decoding of its rows into values of the query.


@dataclass(frozen=True, slots=True)
class Statement:
    """One SELECT.

    Attributes:
        callbacks: the names of the Python functions that it calls.
        decode: makes a row of the query of a row of SQLite; None if they are the same.
    """

    sql: str
    bindings: tuple[Binding, ...]
    callbacks: frozenset[str]
    decode: Callable[[Row], Row] | None

    def arguments(self, parameters: Mapping[str, Any], catalogue_values: Mapping[str, Any]) -> list[Any]:
        """The values that the statement binds.

        Args:
            catalogue_values: what the conditions of the catalogue bind, and as `QUERY_INSTANT` the instant of the
                query.

        Raises:
            Inexpressible: a parameter has a value that SQL would take for something else.
        """
        return [binding(parameters, catalogue_values) for binding in self.bindings]


_MAX_KEPT = 1_000_000
"""The greatest length of a text whose decoded value is kept with the statement."""


def build(context: Context, block: Block, columns: Sequence[str], needed: Sequence[str] | None = None) -> Statement:
    """The statement of a block.

    Args:
        columns: the columns of its decoded rows.
        needed: those that are selected; the others are null. None for all.
    """
    selected = tuple(columns if needed is None else needed)
    block = stored_properties(block)
    rendered = render(context.select(block, selected))
    bindings = context.bindings.of(rendered.placeholders)
    decoders: dict[str, Callable[[Row], Any]] = {}
    position = 0
    unchanged = selected == tuple(columns)
    for name in selected:
        decoders[name], width, same = _decoder(block.columns[name], position, context.catalogue)
        position += width
        unchanged = unchanged and same
    if unchanged:
        return Statement(rendered.text, bindings, rendered.callbacks, None)
    in_order = [decoders.get(name, _null) for name in columns]

    def decode(row: Row) -> Row:
        return tuple([decoder(row) for decoder in in_order])

    return Statement(rendered.text, bindings, rendered.callbacks, decode)


def _null(row: Row) -> None:
    return None


def _decoder(term: Term, at: int, catalogue: Catalogue) -> tuple[Callable[[Row], Any], int, bool]:
    """How a value is decoded from a row, how many columns it takes, and whether it is the column unchanged."""
    if term.encoding == "value":
        return lambda row: _decode_stored_property(row[at], catalogue), 1, False
    if term.encoding == "node":
        return lambda row: None if row[at] is None else Node(row[at]), 1, False
    if term.encoding == "edge":
        return lambda row: None if row[at] is None else Relationship(*row[at : at + 3]), 3, False
    if term.encoding in ("json", "labels"):
        decode = _once(_list_decoder(term, catalogue))
        return lambda row: None if row[at] is None else decode(row[at]), 1, False
    if term.encoding == "tagged":
        return lambda row: row[at] == b"\x01" if type(row[at]) is bytes else row[at], 1, False
    if term.kinds & value_types.BOOLEAN:
        return lambda row: None if row[at] is None else bool(row[at]), 1, False
    return lambda row: row[at], 1, True


def _list_decoder(term: Term, catalogue: Catalogue) -> Callable[[str], Any]:
    element = term.type.element
    if element == value_types.UNKNOWN:
        return lambda text: catalogue.decode(json.loads(text))
    if element is not None and element.kinds & value_types.NODE:
        return lambda text: [None if key is None else Node(key) for key in json.loads(text)]
    return lambda text: json.loads(text)


def _once(decode: Callable[[str], Any]) -> Callable[[str], Any]:
    """The same, which gives the same list again where the same text comes again, as that of WITH does in each row."""
    last: tuple[str | None, Any] = None, None

    def decode_or_repeat(text: str) -> Any:
        nonlocal last
        if text == last[0]:
            return last[1]
        decoded = decode(text)
        if len(text) <= _MAX_KEPT:
            last = text, decoded
        return decoded

    return decode_or_repeat


def _decode_stored_property(stored: str | None, catalogue: Catalogue) -> Any:
    """A value of a property bag, from its JSON."""
    if stored is None:
        return None
    if stored[0] == '"' and "\\" not in stored:
        # A plain text is the usual case, and needs no JSON parser.
        return stored[1:-1]
    return catalogue.decode(json.loads(stored))


# Callbacks: the Python functions that our SQL statements call.
#
# Values are passed as SQLite has them; a boolean is passed as the blob 00 or 01. A value that cannot be passed exactly
# raises CannotCross, and the interpreter runs the query instead.

PREFIX = "cypher_"
_TRUE, _FALSE = b"\x01", b"\x00"


class _CannotCross(ValueError):
    """This value has no exact counterpart in SQLite."""


def function(name: str) -> Callable[..., Any]:
    """The Python function behind a name that a statement calls, without the prefix."""
    return _convert_arguments_and_result(_OPERATORS.get(name) or functions.FUNCTIONS[name].run)


def _inexact(*_: Any) -> Any:
    """Called by a statement that met a value which it cannot treat exactly."""
    raise _CannotCross


def _convert_arguments_and_result(compute: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        result = compute(*[argument == _TRUE if type(argument) is bytes else argument for argument in arguments])
        kind = type(result)
        if result is None or kind is str:
            return result
        if kind is bool:
            return _TRUE if result else _FALSE
        if kind is int and -MAX_INTEGER - 1 <= result <= MAX_INTEGER:
            return result
        if kind is float and not math.isnan(result):
            return result
        raise _CannotCross

    return call


_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": arithmetic.add,
    "subtract": arithmetic.subtract,
    "multiply": arithmetic.multiply,
    "divide": arithmetic.divide,
    "modulo": arithmetic.modulo,
    "power": arithmetic.power,
    "negate": arithmetic.negate,
    "plus": arithmetic.plus,
    "starts_with": comparison.starts_with,
    "ends_with": comparison.ends_with,
    "contains": comparison.contains,
    "matches": comparison.matches,
    "inexact": _inexact,
}
