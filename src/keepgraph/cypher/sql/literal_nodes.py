"""Literals as nodes of a pattern: where one may be there, and the scan of all nodes and literals that match.

A literal is never the source of a fact. Where a node or a literal may be meant, the conditions stand inside both
branches, so that each uses its own index. Few entities have a property `value`, and a partial index shows which: while
it is empty, a condition on `value` means a literal, and entities are not scanned for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Code
from keepgraph.cypher.plan.algebra import EdgeSlot, Filter, Match, NodeSlot, Plan, Project, Unwind
from keepgraph.cypher.plan.join_order import equalities
from keepgraph.cypher.sql import edges, tree
from keepgraph.cypher.sql.context import Block, Context, select
from keepgraph.cypher.sql.terms import Inexpressible, Term
from keepgraph.cypher.sql.tree import Column, Expression, Select, Selected
from keepgraph.cypher.syntax import ast, tree_walk

_ROW, _LITERAL = "r", "l"


def may_match(context: Context, plan: Match, node: NodeSlot) -> bool:
    """Whether a node of a pattern may be a literal: by its labels, and since no literal is the source of an edge."""
    if node.never_literal or not context.catalogue.literal_matches(node.labels):
        return False
    return all(_source(edge) != node.column for edge in plan.edges)


def _source(edge: EdgeSlot) -> str | None:
    """The node that a relationship leads from; None if it may lead from either."""
    if not edge.has_one_direction:
        return None
    return edge.start if edge.direction == "out" else edge.end


def must_match(context: Context, plan: Match, node: NodeSlot) -> bool:
    """Whether a node of a pattern is a literal, since no row of the table has a property that a condition is on."""
    literals, absent = context.catalogue.literals, context.catalogue.nodes.absent
    if literals is None or not absent:
        return False
    subject = ast.Variable(node.column)
    return any(
        isinstance(condition, ast.Binary)
        and condition.operator in NULL_REJECTING
        and isinstance(side, ast.Property)
        and side.subject == subject
        and side.key in absent
        for condition in plan.conditions
        for side in _compared(condition)
    )


NULL_REJECTING = frozenset(("=", "<>", "<", "<=", ">", ">=", "IN", "STARTS WITH", "ENDS WITH", "CONTAINS", "=~"))
"""Operators that are never true where the operand on their left is null."""


def _compared(condition: ast.Expression) -> tuple[ast.Expression, ...]:
    """The operands of a comparison that must not be null for it to be true."""
    if not isinstance(condition, ast.Binary):
        return ()
    return (condition.left,) if condition.operator == "IN" else (condition.left, condition.right)


def scan(context: Context, block: Block, node: NodeSlot, plan: Match) -> None:
    """Join the nodes and the literals that have the labels and fulfil the conditions on this node alone.

    The conditions stand once more in the WHERE around; here they use the indexes of both tables.
    """
    catalogue = context.catalogue
    nodes, literals = catalogue.nodes, catalogue.literals
    if literals is None:
        raise Inexpressible
    codes = frozenset() if must_match(context, plan, node) else catalogue.node_codes(node.labels)
    own = [condition for condition in plan.conditions if _is_about(condition, node.column)]
    own += _in_unwound_lists(plan, node)
    text = None if codes else _known_text(context, block, node, plan, own)
    if text is not None:
        select = Select(_columns(context, edges.literal_key(text), tree.NULL, text))
    else:
        select = _select_literals(context, node, own)
        if codes:
            select = replace(_select_rows(context, node, own, codes), union=select)
    alias = context.alias("n")
    block.join(select, alias)
    block.columns[node.column] = Term(
        Column(alias, nodes.id),
        _NODE,
        "node",
        codes=codes,
        literal=True,
        row_key=Column(alias, _ROW_KEY),
        text=Column(alias, _TEXT),
    )


def _in_unwound_lists(plan: Match, node: NodeSlot) -> list[ast.Expression]:
    """What follows where a property must equal an element of a list of UNWIND: it is in the list.

    A table in FROM cannot refer to the element, which is of another table in FROM, but to the list.
    """
    return [
        ast.Binary("IN", ast.Property(ast.Variable(node.column), key), elements)
        for key, value in equalities(plan.conditions, node.column)
        if isinstance(value, ast.Variable) and (elements := _unwound_list(plan.input, value.name)) is not None
    ]


def _unwound_list(plan: Plan, name: str) -> ast.Expression | None:
    """The list, of constants or a parameter, whose elements a variable has; None for any other variable."""
    while isinstance(plan, Match | Unwind | Filter | Project):
        if isinstance(plan, Unwind) and plan.variable == name:
            return plan.source if isinstance(plan.source, ast.Parameter | ast.ListLiteral) else None
        if isinstance(plan, Project) and (name, ast.Variable(name)) not in plan.items:
            return None
        plan = plan.input
    return None


def _columns(context: Context, key: Expression, row_key: Expression, text: Expression) -> tuple[Selected, ...]:
    """The columns that a scan of nodes and literals has."""
    return Selected(key, context.catalogue.nodes.id), Selected(row_key, _ROW_KEY), Selected(text, _TEXT)


_ROW_KEY, _TEXT = "row_key", "text"


def _known_text(
    context: Context, block: Block, node: NodeSlot, plan: Match, conditions: Sequence[ast.Expression]
) -> Expression | None:
    """The one text that a literal must have; None for several, and where no relationship shows that it exists."""
    literals = context.catalogue.literals
    if literals is None or all(node.column not in (edge.start, edge.end) for edge in plan.edges):
        return None
    for key, value in equalities(conditions, node.column):
        if key in literals.properties:
            try:
                term = context.term(value, block)
            except Inexpressible:
                continue
            if term.encoding == "plain" and term.kinds == value_types.STRING:
                return term.sql
    return None


def _select_literals(context: Context, node: NodeSlot, conditions: Sequence[ast.Expression]) -> Select:
    """The literals that fulfil the conditions, each once."""
    catalogue = context.catalogue
    literals = catalogue.literals
    if literals is None:
        raise Inexpressible
    text = Column(_LITERAL, literals.column)
    key = edges.literal_key(text)
    literal = Term(key, _NODE, "node", literal=True, text=text, row_key=tree.NULL, codes=frozenset())
    block = Block(columns={node.column: literal}, distinct=True)
    block.join(context.table(catalogue.edges), _LITERAL)
    block.where = [context.condition_of_row(literals.condition, _LITERAL), *_tests(context, block, conditions)]
    return select(block, _columns(context, key, tree.NULL, text))


def _select_rows(
    context: Context, node: NodeSlot, conditions: Sequence[ast.Expression], codes: frozenset[Code]
) -> Select:
    """The rows of the table of nodes that have the labels and fulfil the conditions."""
    nodes = context.catalogue.nodes
    row = Term(Column(_ROW, nodes.id), _NODE, "node", row=_ROW, codes=codes)
    block = Block(columns={node.column: row})
    block.join(context.table(nodes), _ROW)
    block.where = [
        context.condition_of_row(nodes.condition, _ROW),
        context.code_test(Column(_ROW, nodes.code), codes, code_count=len(nodes.labels)),
        *_tests(context, block, conditions),
    ]
    return select(block, (Selected(row.sql), *_columns(context, row.sql, row.sql, tree.NULL)[1:]))


_NODE = value_types.Type(value_types.NODE)


def _tests(context: Context, block: Block, conditions: Iterable[ast.Expression]) -> list[Expression]:
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
    return tree_walk.free_variables(condition) == {column} and not _has_pattern(condition)


def _has_pattern(expression: ast.Expression) -> bool:
    if isinstance(expression, ast.Subquery | ast.PatternPredicate | ast.PatternComprehension):
        return True
    return any(map(_has_pattern, tree_walk.children(expression)))
