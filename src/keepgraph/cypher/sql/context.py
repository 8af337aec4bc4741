"""Emission context: what the modules of this package share while the SQL of one query is written.

It holds the catalogue, the bound values and the aliases given so far, and it calls the tables of `emitter` for the
operators and expressions inside others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Catalogue, Code, EdgeTable, NodeTable
from keepgraph.cypher.plan.algebra import Plan
from keepgraph.cypher.sql.bindings import Bindings
from keepgraph.cypher.sql.blocks import Block, render
from keepgraph.cypher.sql.callbacks import PREFIX
from keepgraph.cypher.sql.terms import Inexpressible, Term, plain_class, tagged
from keepgraph.cypher.syntax import ast

ParameterTypes = Mapping[str, value_types.Type]

_MAX_EXPRESSION_LENGTH = 100_000
"""How many characters of SQL one expression may be: WITH x + x AS x, repeated, doubles the SQL each time."""


class Context:
    """What is known of one query while its SQL is written.

    Attributes:
        lenient: leave out conditions of the last match that SQL cannot express, and keep them in `left_out`.
        start_node: the node that rows of the next match are grouped by.
        wanted_order: the relationship and the property in whose order rows of the next match are wanted, and how many
            (None: not known); None where no order is.
        properties_used: the properties that the query asks of each variable.
        callbacks: the names of the Python functions that the SQL calls.
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
        self.properties_used: Mapping[str, Set[str]] = {}
        self.bindings = Bindings()
        self.callbacks: set[str] = set()
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
        if len(term.sql) > _MAX_EXPRESSION_LENGTH:
            raise Inexpressible
        return term

    def condition(self, expression: ast.Expression, block: Block) -> str:
        """SQL that is true exactly where the expression is true."""
        return self.truth(self.term(expression, block))

    def truth(self, term: Term) -> str:
        """The SQL of a truth value as 0, 1 or null."""
        if term.always_null:
            return "NULL"
        if plain_class(term) == value_types.BOOLEAN:
            return term.sql
        if term.encoding == "tagged":
            sql = term.sql
            return f"CASE {sql} WHEN x'01' THEN 1 WHEN x'00' THEN 0 ELSE iif({sql} IS NULL, NULL, {self.inexact()}) END"
        raise Inexpressible

    # Python functions that SQL calls

    def call(self, name: str, *arguments: Term) -> str:
        """A call of one of the functions that Python computes."""
        self.callbacks.add(name)
        return f"{PREFIX}{name}({', '.join(tagged(argument).sql for argument in arguments)})"

    def inexact(self) -> str:
        """SQL that stops the statement where it is evaluated; the interpreter then runs the query."""
        self.callbacks.add("inexact")
        return f"{PREFIX}inexact()"

    # Tables of the catalogue

    def table(self, table: NodeTable | EdgeTable) -> str:
        """What stands in FROM for the table of nodes or edges."""
        return self.catalogue_sql(table.table, None) if "{" in table.table else table.table

    def catalogue_sql(self, sql: str, row: str | None) -> str:
        """SQL of the catalogue, such as a condition, for the row with this alias, with its values bound."""
        if not sql:
            return ""
        names = {
            name: self.bindings.catalogue_value(name)
            for name in self.catalogue.condition_values
            if f"{{{name}}}" in sql
        }
        return sql.format(row=row, **names)

    def code_test(self, column: str, codes: frozenset[Code], *, code_count: int | None = None) -> str:
        """The condition that a code is one of these.

        Args:
            code_count: how many codes there are; with all of them the condition is empty.
        """
        if not codes:
            return "FALSE"
        if len(codes) == code_count:
            return ""
        values = [
            str(code) if isinstance(code, int) else self.bindings.constant(code) for code in sorted(codes, key=str)
        ]
        return f"{column} = {values[0]}" if len(values) == 1 else f"{column} IN ({', '.join(values)})"

    # Blocks inside blocks

    def alias(self, letter: str) -> str:
        """A name for a source that no other source of the query has."""
        self._alias_number += 1
        return f"{letter}{self._alias_number}"

    def select(self, block: Block, names: Sequence[str], *, in_compound: bool = False) -> str:
        """The SELECT of a block, its columns called c0, c1 …; a relationship has two more, with its ends.

        Args:
            in_compound: whether it stands beside UNION ALL, where SQLite allows no ORDER BY and no LIMIT.
        """
        if block.distinct and not block.columns.keys() <= set(names):
            block = self.derived_table(block)
        values = []
        for number, name in enumerate(names):
            term = block.columns[name]
            values.append(f"{term.sql} AS c{number}")
            if term.encoding == "edge":
                values.extend((f"{term.start} AS c{number}s", f"{term.end} AS c{number}e"))
        if block.grouped and not block.keys and not any(part in value for part in block.aggregates for value in values):
            values[:1] = [_aggregation(values[0] if values else "1 AS c0")]
        if in_compound and (block.order or block.limit or block.skip):
            return f"SELECT * FROM ({render(block, values)})"
        return render(block, values)

    def ensure_open(self, block: Block) -> Block:
        """The block, or a new one around it, in which rows may still be joined and filtered."""
        return block if block.open else self.derived_table(block)

    def derived_table(self, block: Block) -> Block:
        """A new block that selects from this one."""
        if block.order and not block.limit:
            # SQLite drops the ORDER BY of a derived table, unless it has a LIMIT.
            block = replace(block, limit="-1")
        names = list(block.columns)
        alias = self.alias("s")
        outer = Block(
            sources=[f"({self.select(block, names)}) AS {alias}"],
            sorted_before=bool(block.order) or block.sorted_before,
        )
        for number, name in enumerate(names):
            term = block.columns[name]
            column = f"{alias}.c{number}"
            outer.columns[name] = replace(
                term,
                sql=column,
                row=None,
                bag=None,
                group_by="",
                row_key="",
                text="",
                start=f"{column}s" if term.encoding == "edge" else "",
                end=f"{column}e" if term.encoding == "edge" else "",
            )
        return outer


def _aggregation(value: str) -> str:
    """A selected value that makes its SELECT an aggregation: one row, though it shows none of its aggregates."""
    sql, _, name = value.rpartition(" AS ")
    return f"iif(count(*) >= 0, {sql}, NULL) AS {name}"
