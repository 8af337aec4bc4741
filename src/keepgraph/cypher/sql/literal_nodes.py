"""Literals as nodes of a pattern: where one may be there, and the scan of all nodes and literals that match."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from keepgraph.cypher import value_types
from keepgraph.cypher.plan.algebra import EdgeSlot, Match, NodeSlot
from keepgraph.cypher.sql.blocks import Block, render
from keepgraph.cypher.sql.context import Context
from keepgraph.cypher.sql.terms import Inexpressible, Term
from keepgraph.cypher.syntax import ast, traversal

_ROW, _LITERAL = "r", "l"


def may_match(context: Context, plan: Match, node: NodeSlot) -> bool:
    """Whether a node of a pattern may be a literal: by its labels, and since no literal is the source of an edge."""
    if not context.catalogue.literal_matches(node.labels):
        return False
    return all(_source(edge) != node.column for edge in plan.edges)


def _source(edge: EdgeSlot) -> str | None:
    """The node that a relationship leads from; None where it may lead from either."""
    if not edge.has_one_direction:
        return None
    return edge.start if edge.direction == "out" else edge.end


def scan(context: Context, block: Block, node: NodeSlot, conditions: Sequence[ast.Expression]) -> None:
    """Join the nodes and the literals that have the labels and fulfil the conditions on this node alone.

    The conditions stand once more in the WHERE around; here they use the indexes of both tables.
    """
    catalogue = context.catalogue
    nodes, literals = catalogue.nodes, catalogue.literals
    if literals is None:
        raise Inexpressible
    codes = catalogue.node_codes(node.labels)
    own = [condition for condition in conditions if _is_about(condition, node.column)]
    text = f"{_LITERAL}.{literals.column}"
    literal = Term(f"'=' || {text}", _NODE, "node", literal=True, text=text, row_key="NULL", codes=frozenset())
    of_literals = Block([f"{context.table(catalogue.edges)} AS {_LITERAL}"], columns={node.column: literal})
    of_literals.where = [context.catalogue_sql(literals.condition, _LITERAL), *_tests(context, of_literals, own)]
    of_literals.distinct = True
    select = render(of_literals, [f"{literal.sql} AS {nodes.id}", "NULL AS row_key", f"{text} AS text"])
    if codes:
        row = Term(f"{_ROW}.{nodes.id}", _NODE, "node", row=_ROW, codes=codes)
        of_rows = Block([f"{context.table(nodes)} AS {_ROW}"], columns={node.column: row})
        of_rows.where = [
            test
            for test in (
                context.catalogue_sql(nodes.condition, _ROW),
                context.code_test(f"{_ROW}.{nodes.code}", codes, code_count=len(nodes.labels)),
                *_tests(context, of_rows, own),
            )
            if test
        ]
        rows = render(of_rows, [row.sql, f"{row.sql} AS row_key", "NULL AS text"])
        select = f"{rows} UNION ALL {select}"
    alias = context.alias("n")
    block.join(f"({select}) AS {alias}")
    block.columns[node.column] = Term(
        f"{alias}.{nodes.id}",
        _NODE,
        "node",
        codes=codes,
        literal=True,
        row_key=f"{alias}.row_key",
        text=f"{alias}.text",
    )


_NODE = value_types.Type(value_types.NODE)


def _tests(context: Context, block: Block, conditions: Iterable[ast.Expression]) -> list[str]:
    """The conditions as SQL, without those that SQL cannot express."""
    tests = []
    for condition in conditions:
        sources = len(block.sources)
        try:
            tests.append(context.condition(condition, block))
        except Inexpressible:
            del block.sources[sources:]
    return tests


def _is_about(condition: ast.Expression, column: str) -> bool:
    """Whether a condition uses this node and no other variable, and looks for no pattern."""
    return traversal.free_variables(condition) == {column} and not _has_pattern(condition)


def _has_pattern(expression: ast.Expression) -> bool:
    if isinstance(expression, ast.Subquery | ast.PatternPredicate | ast.PatternComprehension):
        return True
    return any(map(_has_pattern, traversal.children(expression)))
