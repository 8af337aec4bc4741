"""Blocks: one SELECT while it is put together, and its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from keepgraph.cypher.sql.terms import Term


@dataclass(slots=True)
class Block:
    """One SELECT while it is put together.

    Attributes:
        sources: what stands after FROM, each with its kind of join.
        columns: the values of the rows, by name.
        joined_rows: the aliases of rows that were joined by a key, by the SQL of the key.
        grouped, keys, aggregates: whether rows are grouped, by what, and the SQL of the aggregates.
        inline: whether a property must be fetched by a scalar subquery, because nothing can be joined here.
        sorted_before: whether the rows that it begins with have an order, which `collect` would keep.
        correlated: whether columns of an outer query are among its own.
    """

    sources: list[str] = field(default_factory=list)
    where: list[str] = field(default_factory=list)
    columns: dict[str, Term] = field(default_factory=dict)
    joined_rows: dict[str, str] = field(default_factory=dict)
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
        """Whether rows may still be joined and filtered."""
        return not (self.grouped or self.distinct or self.order or self.limit or self.skip)

    def join(self, source: str) -> None:
        """Add a source; SQLite keeps the order of a CROSS JOIN, so the join order is ours."""
        self.sources.append(f"CROSS JOIN {source}" if self.sources else source)


def render(block: Block, values: Sequence[str]) -> str:
    """The text of a block that selects these values."""
    parts = [f"SELECT {'DISTINCT ' if block.distinct else ''}{', '.join(values) or '1'}"]
    if block.sources:
        parts.append("FROM " + "\n  ".join(block.sources))
    if block.where:
        parts.append("WHERE " + "\n  AND ".join(dict.fromkeys(block.where)))
    if block.keys:
        parts.append("GROUP BY " + ", ".join(block.keys))
    if block.order:
        parts.append("ORDER BY " + ", ".join(block.order))
    if block.limit or block.skip:
        parts.append(f"LIMIT {block.limit or -1}" + (f" OFFSET {block.skip}" if block.skip else ""))
    return "\n".join(parts)


def conjunction(conditions: Sequence[str]) -> str:
    """All conditions that are not empty, in brackets; empty for none."""
    present = [condition for condition in conditions if condition]
    return f"({' AND '.join(present)})" if present else ""


def stored_properties(block: Block) -> Block:
    """The block with properties of bags as JSON, as they are stored: Python reads them exactly, lists and all."""
    if block.distinct or block.grouped:
        return block
    columns = {
        name: term if term.bag is None else replace(term, sql=f"{term.bag[0]} -> {term.bag[1]}", encoding="value")
        for name, term in block.columns.items()
    }
    return replace(block, columns=columns)
