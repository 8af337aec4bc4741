"""Statements: the SELECT of a block with what it binds, and the decoding of its rows into values of the query."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Catalogue
from keepgraph.cypher.interpret.runtime import Row
from keepgraph.cypher.sql.bindings import Binding
from keepgraph.cypher.sql.blocks import Block, stored_properties
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.rendering import render
from keepgraph.cypher.sql.terms import Term
from keepgraph.cypher.values import Node, Relationship


@dataclass(frozen=True, slots=True)
class Statement:
    """One SELECT.

    Attributes:
        callbacks: the names of the Python functions that it calls.
        decode: makes a row of the query of a row of SQLite; None where they are the same.
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
