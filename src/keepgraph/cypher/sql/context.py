"""Emission context: what the modules of this package share while SQL is written, and the SELECT under construction.

It holds the catalogue, the bound values and the aliases given so far, and it calls the tables of `emitter` for the
operators and expressions inside others.
A block is one SELECT under construction, which becomes a tree.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Catalogue, Code, EdgeTable, NodeTable, column_name
from keepgraph.cypher.plan.algebra import Plan
from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.terms import TAGGED_FALSE, TAGGED_TRUE, Inexpressible, Term, bag_json, plain_class, tagged
from keepgraph.cypher.sql.tree import Column, Expression, Fragment, Placeholder, Select, Selected, SortKey, Source
from keepgraph.cypher.syntax import ast


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
        """Add a source whose columns are null if it has no row that fulfils the condition."""
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
"""The name of a query's instant among the values of the catalogue, which no condition of a catalogue uses."""

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


ParameterTypes = Mapping[str, value_types.Type]

INEXACT = tree.Callback("inexact")
"""SQL that stops the statement where it is evaluated; the interpreter then runs the query."""

_MAX_EXPRESSION_SIZE = 10_000
"""How many nodes one expression may have: WITH x + x AS x, repeated, doubles the SQL each time."""


class Context:
    """What is known of one query while its SQL is written.

    Attributes:
        lenient: leave out conditions of the last match that SQL cannot express, and keep them in `left_out`.
        start_node: the node that rows of the next match are grouped by.
        wanted_order: the relationship and the property in whose order rows of the next match are wanted, and how many
            (None: not known); None if no order is.
        properties_used: gives the properties that the query asks of each variable.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        parameters: ParameterTypes,
        *,
        lenient: bool,
        emit_plan: Callable[[Context, Plan, Mapping[str, Term] | None], Block],
        emit_expression: Callable[[Context, ast.Expression, Block], Term],
    ) -> None:
        self.catalogue = catalogue
        self.parameters = parameters
        self.lenient = lenient
        self.left_out: list[ast.Expression] = []
        self.start_node: str | None = None
        self.wanted_order: tuple[str, str, float | None] | None = None
        self.properties_used: Callable[[], Mapping[str, Set[str]]] = dict
        self.bindings = Bindings()
        self._emit_plan = emit_plan
        self._emit_expression = emit_expression
        self._alias_number = 0

    # Operators and expressions inside others

    def plan(self, plan: Plan, outer: Mapping[str, Term] | None = None) -> Block:
        """The block of an operator and all below it.

        Args:
            outer: the columns of the outer query, for a subquery.

        Raises:
            Inexpressible: SQL cannot express it exactly.
        """
        return self._emit_plan(self, plan, outer)

    def subquery(self, plan: Plan, outer: Mapping[str, Term]) -> Block:
        """The block of a subquery. No condition of it is left out, even where the outer match may leave some out."""
        saved = self.lenient, self.left_out
        self.lenient, self.left_out = False, []
        try:
            return self.plan(plan, outer)
        finally:
            self.lenient, self.left_out = saved

    def term(self, expression: ast.Expression, block: Block) -> Term:
        """The term of an expression.

        Raises:
            Inexpressible: SQL cannot express it exactly.
        """
        term = self._emit_expression(self, expression, block)
        if term.sql.size > _MAX_EXPRESSION_SIZE:
            raise Inexpressible
        return term

    def condition(self, expression: ast.Expression, block: Block) -> Expression:
        """SQL that is true exactly where the expression is true."""
        return self.truth(self.term(expression, block))

    def truth(self, term: Term) -> Expression:
        """The SQL of a truth value as 0, 1 or null."""
        if term.always_null:
            return tree.NULL
        if plain_class(term) == value_types.BOOLEAN:
            return term.sql
        if term.encoding == "tagged":
            branches = ((TAGGED_TRUE, tree.Literal(1)), (TAGGED_FALSE, tree.Literal(0)))
            return tree.Case(branches, tree.iif(tree.is_null(term.sql), tree.NULL, INEXACT), term.sql)
        raise Inexpressible

    # Python functions that SQL calls

    def call(self, name: str, *arguments: Term) -> Expression:
        """A call of one of the functions that Python computes."""
        return tree.Callback(name, tuple([tagged(argument).sql for argument in arguments]))

    # Tables of the catalogue

    def table(self, table: NodeTable | EdgeTable) -> Fragment:
        """What stands in FROM for the table of nodes or edges."""
        return self._fragment(table.table, "", is_condition=False)

    def rows(self, template: str) -> Fragment:
        """Rows that the catalogue selects, as they stand in FROM."""
        return self._fragment(template, "", is_condition=False)

    def value_of_row(self, template: str, row: str) -> Expression:
        """A value that the catalogue has, for the row with this alias."""
        name = column_name(template)
        return self._fragment(template, row, is_condition=False) if name is None else Column(row, name)

    def condition_of_row(self, template: str, row: str) -> Expression:
        """A condition that the catalogue has, for the row with this alias; TRUE for none."""
        return self._fragment(template, row, is_condition=True) if template else tree.TRUE

    def _fragment(self, template: str, row: str, *, is_condition: bool) -> Fragment:
        unbound = tree.fragment(template, row, is_condition=is_condition)
        if unbound is not None:
            return unbound
        parts: list[str | Placeholder] = []
        for text, name in tree.template_fields(template):
            parts.append(text)
            if name is not None:
                parts.append(row if name == "row" else self.bindings.catalogue_value(name))
        return Fragment(tuple(parts), is_condition)

    def code_test(self, column: Expression, codes: frozenset[Code], *, code_count: int | None = None) -> Expression:
        """The condition that a code is one of these.

        Args:
            code_count: how many codes there are; with all of them the condition is TRUE.
        """
        if not codes:
            return tree.FALSE
        if len(codes) == code_count:
            return tree.TRUE
        values = tuple([self.code(code) for code in sorted(codes, key=str)])
        return tree.equal(column, values[0]) if len(values) == 1 else tree.In(column, values)

    def code(self, code: Code) -> Expression:
        return tree.Literal(code) if isinstance(code, int) else self.bindings.constant(code)

    # Blocks inside blocks

    def alias(self, letter: str) -> str:
        """A name for a source that no other source of the query has."""
        self._alias_number += 1
        return f"{letter}{self._alias_number}"

    def select(self, block: Block, names: Sequence[str]) -> Select:
        """The SELECT of a block, its columns called c0, c1 …; a relationship has two more, with its ends."""
        if block.distinct and not block.columns.keys() <= set(names):
            block = self.derived_table(block)
        values = []
        for number, name in enumerate(names):
            term = block.columns[name]
            values.append(Selected(term.sql, f"c{number}"))
            if term.encoding == "edge":
                values += (Selected(term.start, f"c{number}s"), Selected(term.end, f"c{number}e"))
        if block.grouped and not block.keys and not any(tree.has_aggregate(selected.value) for selected in values):
            values[:1] = [_aggregation(values[0] if values else Selected(tree.Literal(1), "c0"))]
        return select(block, values)

    def ensure_open(self, block: Block) -> Block:
        """The block, or a new one around it, in which rows may still be joined and filtered."""
        return block if block.open else self.derived_table(block)

    def derived_table(self, block: Block) -> Block:
        """A new block that selects from this one."""
        if block.order and block.limit is None:
            # SQLite drops the ORDER BY of a derived table, unless it has a LIMIT.
            block = replace(block, limit=tree.Literal(-1))
        names = list(block.columns)
        alias = self.alias("s")
        outer = Block(sorted_before=bool(block.order) or block.sorted_before)
        outer.join(self.select(block, names), alias)
        for number, name in enumerate(names):
            term = block.columns[name]
            is_edge = term.encoding == "edge"
            outer.columns[name] = Term(
                Column(alias, f"c{number}"),
                term.type,
                term.encoding,
                start=Column(alias, f"c{number}s") if is_edge else tree.NULL,
                end=Column(alias, f"c{number}e") if is_edge else tree.NULL,
                codes=term.codes,
                literal=term.literal,
                nullable=term.nullable,
            )
        return outer


def _aggregation(selected: Selected) -> Selected:
    """A selected value that makes its SELECT an aggregation: one row, though it shows none of its aggregates."""
    is_group = tree.infix(">=", tree.Aggregate("count"), tree.Literal(0))
    return Selected(tree.iif(is_group, selected.value, tree.NULL), selected.name)
