"""What SQL is put together from: terms, the blocks they stand in, and what a statement binds. Writes none itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Code

Parameters = Mapping[str, value_types.Type]
"""What is known of the parameters of a query."""

Bound = Callable[[Mapping[str, Any], Mapping[str, Any]], Any]
"""What a statement binds, of the parameters and of the catalogue's values."""


class Inexpressible(Exception):
    """SQL cannot say this exactly."""


@dataclass(frozen=True, slots=True)
class Term:
    """The SQL of a value, and how the value is written in it.

    Attributes:
        sql: the value; of a node or relationship its key.
        type: what is known of its kind.
        form: 'plain' as SQLite has it, with booleans as 0 and 1 where it can be nothing else; 'tagged' as SQLite has
            it, with booleans as the blobs 00 and 01; 'node', 'edge'; 'json' for a list; 'value' for any value of a
            bag as JSON, only to be read.
        row: the alias of the table's row that a node or relationship is, where it is joined.
        start, end: of a relationship, the keys of its ends.
        codes: the codes of labels or types that it may have; None for any.
        literal: whether a node may be a literal.
        nullable: whether a node or relationship may be null.
        bag: of a property from a bag, the SQL of the bag and of the path in it.
        stands_for: what the value is made of, one to one: SQL that groups the same and costs less.
    """

    sql: str
    type: value_types.Type
    form: str = "plain"
    row: str | None = None
    start: str = ""
    end: str = ""
    codes: frozenset[Code] | None = None
    literal: bool = False
    nullable: bool = False
    bag: tuple[str, str] | None = None
    stands_for: str = ""

    @property
    def kinds(self) -> int:
        return self.type.kinds

    @property
    def always_null(self) -> bool:
        return not self.kinds & ~value_types.NULL

    @property
    def null(self) -> int:
        """Of a node or relationship: the kind null, where it may be null; what is asked of it is null then too."""
        return value_types.NULL if self.nullable else 0


@dataclass(slots=True)
class Bindings:
    """The values that a statement binds, in the order of their numbers."""

    values: list[Bound] = field(default_factory=list)
    known: dict[Any, str] = field(default_factory=dict)

    def constant(self, value: Any) -> str:
        return self._add((type(value), repr(value)), lambda parameters, names: value)

    def parameter(self, name: str, convert: Callable[[Any], Any] | None = None) -> str:
        if convert is None:
            return self._add(("$", name), lambda parameters, names: parameters[name])
        return self._add(("$", name, convert), lambda parameters, names: convert(parameters[name]))

    def name(self, name: str) -> str:
        return self._add((":", name), lambda parameters, names: names[name])

    def computed(self, value: Bound) -> str:
        return self._add(value, value)

    def of(self, sql: str) -> tuple[str, list[Bound]]:
        """A statement numbered anew, with what it binds: not everything that was bound got into it."""
        used: dict[int, int] = {}

        def number(found: re.Match[str]) -> str:
            return f"?{used.setdefault(int(found[1]), len(used) + 1)}"

        return re.sub(r"\?(\d+)", number, sql), [self.values[each - 1] for each in used]

    def _add(self, known: Any, value: Bound) -> str:
        if known not in self.known:
            self.values.append(value)
            self.known[known] = f"?{len(self.values)}"
        return self.known[known]


@dataclass(slots=True)
class Block:
    """One SELECT as it is put together.

    Attributes:
        sources: what stands after FROM, each with its kind of join.
        columns: the values of the rows, by name.
        rows: the aliases of rows that were joined for a key.
        grouped, keys, aggregates: whether rows are folded, by what, and the SQL of the aggregates.
        inline: whether a property must be fetched where it stands, because nothing can be joined here.
        sorted_before: whether the rows that it begins with have an order, which `collect` would keep.
        correlated: whether columns of a query around are among its own.
    """

    sources: list[str] = field(default_factory=list)
    where: list[str] = field(default_factory=list)
    columns: dict[str, Term] = field(default_factory=dict)
    rows: dict[str, str] = field(default_factory=dict)
    grouped: bool = False
    keys: list[str] = field(default_factory=list)
    aggregates: list[str] = field(default_factory=list)
    distinct: bool = False
    order: list[str] = field(default_factory=list)
    limit: str | None = None
    skip: str | None = None
    inline: bool = False
    sorted_before: bool = False
    correlated: bool = False

    @property
    def open(self) -> bool:
        """Whether rows may still be joined and left out."""
        return not (self.grouped or self.distinct or self.order or self.limit or self.skip)
