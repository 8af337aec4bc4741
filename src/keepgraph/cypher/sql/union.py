"""UNION ALL in SQL; UNION without ALL is a distinct above it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from keepgraph.cypher import value_types
from keepgraph.cypher.plan.algebra import Union
from keepgraph.cypher.sql import tree
from keepgraph.cypher.sql.blocks import Block
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.terms import Inexpressible, Term, tagged
from keepgraph.cypher.sql.tree import Column, Select, Selected, Source


def emit(context: Context, plan: Union, left: Block, right: Block) -> Block:
    names = plan.columns
    merged = [_merge(left.columns[name], right.columns[name]) for name in names]
    for block in (left, right):
        for name, (_, convert) in zip(names, merged, strict=True):
            block.columns[name] = convert(block.columns[name])
    alias = context.alias("s")
    first, second = context.select(left, names), context.select(right, names)
    outer = Block()
    # Beside UNION ALL, SQLite allows no ORDER BY and no LIMIT.
    outer.join(replace(_all_of(first), union=_all_of(second) if second.order or right.is_cut else second), alias)
    outer.columns = {
        name: _column(term, alias, f"c{number}")
        for number, (name, (term, _)) in enumerate(zip(names, merged, strict=True))
    }
    return outer


def _column(term: Term, alias: str, name: str) -> Term:
    if term.encoding != "edge":
        return replace(term, sql=Column(alias, name))
    return replace(term, sql=Column(alias, name), start=Column(alias, f"{name}s"), end=Column(alias, f"{name}e"))


def null_like(term: Term) -> Term:
    """Null, encoded as a node or relationship is."""
    return Term(tree.NULL, value_types.Type(value_types.NULL), term.encoding, codes=frozenset(), nullable=True)


def _all_of(select: Select) -> Select:
    """All columns of a SELECT, from a derived table."""
    return Select((Selected(tree.STAR),), (Source(select),))


def _merge(left: Term, right: Term) -> tuple[Term, Callable[[Term], Term]]:
    """The term of one column with the values of both, and the function that brings each to its encoding."""
    type_ = value_types.union(left.type, right.type)
    if left.always_null != right.always_null:
        known = right if left.always_null else left
        if known.encoding in ("node", "edge"):
            merged = replace(known, sql=tree.NULL, row=None, row_key=None, text=None, type=type_, nullable=True)
            return merged, lambda term: null_like(known) if term.always_null else term
    if left.encoding == right.encoding and left.encoding in ("node", "edge"):
        codes = None if left.codes is None or right.codes is None else left.codes | right.codes
        literal = left.literal or right.literal
        return Term(tree.NULL, type_, left.encoding, codes=codes, literal=literal, nullable=True), lambda term: term
    if left.encoding == right.encoding == "plain" and left.kinds == right.kinds:
        return Term(tree.NULL, type_), lambda term: term
    if {left.encoding, right.encoding} <= {"plain", "tagged"}:
        return Term(tree.NULL, type_, "tagged"), tagged
    raise Inexpressible
