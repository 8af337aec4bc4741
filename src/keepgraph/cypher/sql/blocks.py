"""Blocks: one SELECT while it is put together, and the tree that becomes of it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.terms import Inexpressible, Term, bag_json
from keepgraph.cypher.sql.tree import Expression, Placeholder, Select, Selected, SortKey, Source


@dataclass(slots=True)
class Block:
    """One SELECT while it is put together.

    Attributes:
        sources: what stands after FROM, each with its kind of join.
        columns: the values of the rows, by name.
        joined_rows: the aliases of rows that were joined by a key, by the SQL of the key.
        grouped, keys: whether rows are grouped, and by what.
        inline: whether a property must be fetched by a scalar subquery, because nothing can be joined here.
        sorted_before: whether the rows that it begins with have an order, which `collect` would keep.
        correlated: whether columns of an outer query are among its own.
    """

    sources: list[Source] = field(default_factory=list)
    where: list[Expression] = field(default_factory=list)
    columns: dict[str, Term] = field(default_factory=dict)
    joined_rows: dict[Expression, str] = field(default_factory=dict)
    grouped: bool = False
    keys: list[Expression] = field(default_factory=list)
    distinct: bool = False
    order: list[SortKey] = field(default_factory=list)
    limit: Expression | None = None
    skip: Expression | None = None
    inline: bool = False
    sorted_before: bool = False
    correlated: bool = False

    @property
    def open(self) -> bool:
        """Whether rows may still be joined and filtered."""
        return not (self.grouped or self.distinct or self.order or self.is_cut)

    @property
    def is_cut(self) -> bool:
        """Whether only some of the rows are given."""
        return self.limit is not None or self.skip is not None

    def join(self, rows: tree.Fragment | tree.Call | Select, alias: str, *, index: str | None = "") -> None:
        """Add a source; SQLite keeps the order of a CROSS JOIN, so the join order is ours."""
        self.sources.append(Source(rows, alias, index=index))

    def left_join(
        self, rows: tree.Fragment | tree.Call | Select, alias: str, on: Expression, *, index: str | None = ""
    ) -> None:
        """Add a source whose columns are null where it has no row that fulfils the condition."""
        self._look_up(Source(rows, alias, "LEFT JOIN", on, index))

    def look_up(self, rows: tree.Fragment, alias: str, on: Expression) -> None:
        """Add a source that has one row which fulfils the condition."""
        self._look_up(Source(rows, alias, on=on))

    def _look_up(self, source: Source) -> None:
        if not self.sources:
            self.sources.append(tree.SINGLE_ROW)
        self.sources.append(source)


def select(block: Block, values: Sequence[Selected]) -> Select:
    """The SELECT of these values from a block."""
    return Select(
        tuple(values),
        tuple(block.sources),
        tree.conjuncts(block.where),
        tuple(block.keys),
        tuple(block.order),
        block.limit,
        block.skip,
        block.distinct,
    )


def select_unnamed(block: Block, *values: Expression) -> Select:
    """The same, of columns without names."""
    return select(block, tuple(map(Selected, values)))


def elements_of(json_list: Expression) -> Select:
    """The SELECT of the elements of a JSON list."""
    source = Source(tree.call("json_each", json_list))
    return Select((Selected(tree.Column("", "value")),), (source,))


def stored_properties(block: Block) -> Block:
    """The block with properties of bags as JSON, as they are stored: Python reads them exactly, lists and all."""
    if block.distinct or block.grouped:
        return block
    columns = {
        name: term if term.bag is None else replace(term, sql=bag_json(term.bag), encoding="value")
        for name, term in block.columns.items()
    }
    return replace(block, columns=columns)


# Bound values of a statement: its placeholders, and the check that SQLite can hold a value exactly.

Binding = Callable[[Mapping[str, Any], Mapping[str, Any]], Any]
"""Computes a bound value from the parameters of the query and the values of the catalogue."""

QUERY_INSTANT = "instant of the query"
"""The name of a query's instant among the values of the catalogue; no condition of a catalogue can have it."""

MAX_INTEGER = 2**63 - 1
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
"""What no text in SQLite may hold: SQL functions read only up to a NUL, and half a surrogate pair has no bytes."""


@dataclass(slots=True)
class Bindings:
    """The values that a statement may bind, by the numbers of their placeholders; equal values are bound once."""

    values: list[Binding] = field(default_factory=list)
    placeholders: dict[Any, Placeholder] = field(default_factory=dict)

    def constant(self, value: Any) -> Placeholder:
        return self._add((type(value), repr(value)), lambda parameters, names: value)

    def parameter(self, name: str, convert: Callable[[Any], Any] | None = None) -> Placeholder:
        if convert is None:
            return self._add(("$", name), lambda parameters, names: parameters[name])
        return self._add(("$", name, convert), lambda parameters, names: convert(parameters[name]))

    def catalogue_value(self, name: str) -> Placeholder:
        return self._add((":", name), lambda parameters, names: names[name])

    def computed(self, value: Binding, key: Any = None) -> Placeholder:
        """A value that a function computes; functions with one key compute the same."""
        return self._add(value if key is None else key, value)

    def of(self, placeholders: Sequence[int]) -> tuple[Binding, ...]:
        """What a statement with these placeholders binds; not all that was bound while it was put together is in it."""
        return tuple([self.values[number] for number in placeholders])

    def _add(self, key: Any, value: Binding) -> Placeholder:
        placeholder = self.placeholders.get(key)
        if placeholder is None:
            placeholder = self.placeholders[key] = Placeholder(len(self.values))
            self.values.append(value)
        return placeholder


def storable(value: Any) -> Any:
    """The same scalar, if SQLite holds it exactly.

    Raises:
        Inexpressible: it is an integer of more than 64 bits, not a finite number, or a text that SQLite cannot hold.
    """
    if type(value) is int and not -MAX_INTEGER - 1 <= value <= MAX_INTEGER:
        raise Inexpressible
    if type(value) is float and not math.isfinite(value):
        raise Inexpressible
    if type(value) is str and _UNSTORABLE.search(value):
        raise Inexpressible
    return value


def json_list(value: Any) -> str:
    """A list of scalars as JSON, for `json_each`."""
    for element in value:
        storable(element)
    return json.dumps(value)


def not_json(value: Any) -> Any:
    """The same value, unless it is a text that looks like the JSON of a list or a map.

    Raises:
        Inexpressible: it does.
    """
    if looks_like_json(value):
        raise Inexpressible
    return storable(value)


def looks_like_json(value: Any) -> bool:
    return isinstance(value, str) and value[:1] in ("[", "{")
