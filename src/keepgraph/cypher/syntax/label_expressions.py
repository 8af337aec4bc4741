"""Label expressions: whether labels of a node, or the type of a relationship, match `A`, `A&B`, `A|B`, `!A` or `%`."""

from __future__ import annotations

from keepgraph.cypher.syntax import ast


def labels_match(labels: tuple[str, ...], expression: ast.LabelExpression) -> bool:
    """Whether labels, or the one type of a relationship, match an expression such as `A|!B`."""
    if isinstance(expression, ast.LabelName):
        return expression.name in labels
    if isinstance(expression, ast.LabelAnd):
        return all(labels_match(labels, operand) for operand in expression.operands)
    if isinstance(expression, ast.LabelOr):
        return any(labels_match(labels, operand) for operand in expression.operands)
    if isinstance(expression, ast.LabelNot):
        return not labels_match(labels, expression.operand)
    if isinstance(expression, ast.TypesByDirection):
        return any(labels_match(labels, types) for _, types in expression.directions)
    return bool(labels)
