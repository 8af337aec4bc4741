"""Edges in SQL: the join of the table of relationships, and the conditions that tie an edge to its two nodes.

There is no table of edges beside the facts: the indexes over facts cover what a pattern needs, and a second table would
make the file larger by a twelfth. They end with `retracted_at`, because SQLite counts a condition on it as a use of the
column. A pattern that leads out of a node names all predicates where the query names none, since the index begins with
the predicate.

Where the facts at a node have several indexes (an open direction, a node or a literal), the condition is an OR. Without
statistics SQLite takes `predicate = ?` for as selective as `object = ?` and reads all facts of the type for each node.
So the type outside the OR is written `+predicate`, which no index serves, and only the branch whose index begins with
the type names it without the sign: 40 to 160 ms for two steps at a million facts instead of more than 20 s. ANALYZE
would decide differently from file to file.
"""

from __future__ import annotations

from dataclasses import replace

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Code
from keepgraph.cypher.plan.algebra import EdgeSlot
from keepgraph.cypher.sql import properties, tree
from keepgraph.cypher.sql.context import Block, Context
from keepgraph.cypher.sql.terms import Term, is_literal, literal_text
from keepgraph.cypher.sql.tree import Column, Expression


def join(
    context: Context,
    block: Block,
    edge: EdgeSlot,
    direction: str = "both",
    source: Term | None = None,
    *,
    index: str | None = "",
) -> Term:
    """Join the table of relationships, restricted to the types of a pattern's relationship, and bind its column.

    Args:
        direction, source: the direction and the bound node from which the edges are looked up; they choose the index.
        index: the index to read them by where they are not looked up from a node; empty if SQLite may choose,
            None if it may use none.
    """
    edges = context.catalogue.edges
    codes = context.catalogue.type_codes(edge.types)
    alias = context.alias("e")
    name = (_index_from_node(context, direction, source) if index == "" else index) if codes else ""
    block.join(context.table(edges), alias, index=name)
    block.where.append(context.condition_of_row(edges.condition, alias))
    code: Expression = Column(alias, edges.code)
    if source is not None and _has_several_ways(direction, source):
        # The plus sign: SQLite would rather read all edges of a type by one index than those at a node by several.
        code = tree.Prefix("+", code)
    if not codes:
        # A LEFT JOIN on FALSE would read the table for each row; on this it looks up a key that nothing has.
        block.where.append(tree.equal(Column(alias, edges.id), tree.NULL))
    # With all types the condition is left out; `starts_at` names them all where the index begins with the type.
    block.where.append(context.code_test(code, codes, code_count=len(edges.types)))
    term = _edge_term(context, alias, codes)
    block.columns[edge.column] = term
    return term


def _index_from_node(context: Context, direction: str, source: Term | None) -> str:
    """The covering index to use: SQLite prefers the unique index, which lacks a column and so needs the table, too.

    With covering indexes, grouping a million facts took 219 ms instead of 403 ms.
    """
    edges, literals = context.catalogue.edges, context.catalogue.literals
    if direction == "out":
        return edges.out_index
    if direction == "in" and source is not None and not source.literal:
        return edges.in_index
    if direction == "in" and source is not None and literals is not None and source.codes == frozenset():
        return literals.index
    return ""


def _has_several_ways(direction: str, source: Term) -> bool:
    """Whether the edges at a node are found by more than one index."""
    return direction == "both" or (direction == "in" and source.literal and source.codes != frozenset())


def _edge_term(context: Context, alias: str, codes: frozenset[Code]) -> Term:
    edges = context.catalogue.edges
    return Term(
        Column(alias, edges.id),
        value_types.Type(value_types.RELATIONSHIP),
        "edge",
        row=alias,
        start=Column(alias, edges.source),
        end=_end_key(context, alias, literal=context.catalogue.literals is not None),
        codes=codes,
    )


def _end_key(context: Context, row: str, *, literal: bool) -> Expression:
    """The key of the node that an edge leads to; of a literal it is `=` and its text."""
    edges, literals = context.catalogue.edges, context.catalogue.literals
    if not literal or literals is None:
        return Column(row, edges.target)
    return tree.call("coalesce", Column(row, edges.target), literal_key(Column(row, literals.column)))


def literal_key(text: Expression) -> Expression:
    """The key of the node that is a literal with this text."""
    return tree.infix("||", tree.Literal("="), text)


def start_node(edge: Term) -> Term:
    """The node that an edge leads from, which is never a literal."""
    return Term(edge.start, value_types.Type(value_types.NODE), "node")


def end_node(context: Context, edge: Term, *, literal: bool) -> Term:
    """The node that an edge leads to.

    Args:
        literal: whether it may be a literal.
    """
    table, literals = context.catalogue.edges, context.catalogue.literals
    key = edge.end if edge.row is None else _end_key(context, edge.row, literal=literal)
    node = Term(key, value_types.Type(value_types.NODE), "node", literal=literal)
    if not literal or literals is None or edge.row is None:
        return node
    return replace(node, row_key=Column(edge.row, table.target), text=Column(edge.row, literals.column))


def starts_at(context: Context, edge: Term, node: Term) -> list[Expression]:
    """The conditions that an edge starts at a node; they name its types where the index begins with them."""
    edges = context.catalogue.edges
    at_node = leads_from(context, edge, node.row_key if node.row_key is not None else node.sql)
    if not edges.code_leads or edge.row is None:
        return [at_node]
    return [context.code_test(Column(edge.row, edges.code), edge.codes or frozenset()), at_node]


def leads_from(context: Context, edge: Term, key: Expression) -> Expression:
    """The condition that an edge starts at the row of the table of nodes with a key."""
    return tree.equal(edge.start if edge.row is None else Column(edge.row, context.catalogue.edges.source), key)


def ends_at(context: Context, edge: Term, node: Term) -> Expression:
    """The condition that an edge ends at a node that is bound."""
    return tree.any_of(ways_to_end(context, edge, node))


def ways_to_end(context: Context, edge: Term, node: Term) -> list[Expression]:
    """The same as alternatives, one for each index that finds such edges."""
    edges, literals = context.catalogue.edges, context.catalogue.literals
    row = edge.row
    if row is None:
        return [tree.equal(edge.end, node.sql)]
    at_node = tree.equal(Column(row, edges.target), node.row_key if node.row_key is not None else node.sql)
    if not node.literal or literals is None:
        return [at_node]
    literal_condition = context.condition_of_row(literals.condition, row)
    always_literal = node.codes is not None and not node.codes
    # Only a text key is compared as a text: the key of a row must not be taken for one.
    text = literal_text(node)
    if not always_literal and node.text is None:
        text = tree.iif(is_literal(node), text, tree.NULL)
    at_text = tree.all_of([literal_condition, tree.equal(Column(row, literals.column), text)])
    if always_literal:
        return [at_text]
    edge_condition = context.condition_of_row(edges.condition, row)
    return [tree.all_of([edge_condition, at_node]), at_text]


def test_types(context: Context, block: Block, edge: EdgeSlot, term: Term) -> None:
    """Filter by the types of an edge that is bound already."""
    if edge.types is None:
        return
    codes = context.catalogue.type_codes(edge.types)
    if term.codes is not None and term.codes <= codes:
        return
    block.where.append(
        context.code_test(properties.row_column(context, block, term, context.catalogue.edges.code), codes)
    )
