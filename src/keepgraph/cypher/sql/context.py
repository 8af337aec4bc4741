"""Emission context: what the modules of this package share while the SQL of one query is written.

It holds the catalogue, the bound values and the aliases given so far, and it calls the tables of `emitter` for the
operators and expressions inside others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Catalogue, Code, EdgeTable, NodeTable, column_name
from keepgraph.cypher.plan.algebra import Plan
from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.blocks import Bindings, Block, select
from keepgraph.cypher.sql.terms import TAGGED_FALSE, TAGGED_TRUE, Inexpressible, Term, plain_class, tagged
from keepgraph.cypher.sql.tree import Column, Expression, Fragment, Placeholder, Select, Selected
from keepgraph.cypher.syntax import ast

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
            (None: not known); None where no order is.
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
