"""Blocks: one SELECT while it is put together, and the tree that becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.terms import Term, bag_json
from keepgraph.cypher.sql.tree import Expression, Select, Selected, SortKey, Source


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
