"""Implicit grouping: which items of a projection are grouping keys, and what has no single value for a group.

openCypher has no GROUP BY: the items without an aggregate are the keys. Beside an aggregate in the same item, only
keys that are variables or properties may be used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from keepgraph.cypher.check.scope import Scope
from keepgraph.cypher.syntax import ast, traversal
from keepgraph.errors import QueryInconsistent


def find_keys(
    items: Iterable[ast.ProjectionItem], aggregated: Iterable[ast.ProjectionItem] = ()
) -> set[ast.Expression]:
    """The keys that an item with an aggregate may use: variables and properties.

    Args:
        aggregated: those of the items that have an aggregate.
    """
    excluded = {id(item) for item in aggregated}
    return {item.expression for item in items if _is_plain(item.expression) and id(item) not in excluded}


def check(expression: ast.Expression, keys: set[ast.Expression], scope: Scope) -> None:
    """Refuses an item with an aggregate that also uses something without a single value for each group.

    Args:
        scope: the variables before the projection.
    """
    for ungrouped in _find_ungrouped(expression, keys, scope, frozenset()):
        text = _to_text(ungrouped)
        raise QueryInconsistent(
            f"{text} stands beside an aggregate without being a column of its own, so it is not clear how to "
            f"group; pass it on first (WITH … {text} AS x), or make {text} a column",
            detail="AmbiguousAggregationExpression",
            span=ungrouped.span,
        )


def _is_plain(expression: ast.Expression) -> bool:
    """Whether this is a variable, or a property of one."""
    while isinstance(expression, ast.Property):
        expression = expression.subject
    return isinstance(expression, ast.Variable)


def _find_ungrouped(
    expression: ast.Expression, keys: set[ast.Expression], scope: Scope, inner: frozenset[str]
) -> Iterator[ast.Expression]:
    """The variables and properties outside of aggregates that are no keys.

    Args:
        inner: variables that the expression itself declares, such as that of a list comprehension.
    """
    if traversal.is_aggregate(expression):
        return
    if isinstance(expression, ast.Variable | ast.Property):
        if expression in keys:
            return
        if isinstance(expression, ast.Variable):
            if expression.name not in inner:
                yield expression
            return
        if _is_plain(expression):
            if any(_find_ungrouped(expression.subject, keys, scope, inner)):
                yield expression
            return
    declarations = traversal.local_declarations(expression)
    if declarations is not None:
        names, outside, inside = declarations
        for part in outside:
            yield from _find_ungrouped(part, keys, scope, inner)
        for part in inside:
            yield from _find_ungrouped(part, keys, scope, inner | names)
        return
    if isinstance(expression, (ast.PatternComprehension, ast.PatternPredicate, ast.PatternPath, ast.Subquery)):
        # Variables of the outer scope must be keys; all others are declared by the pattern or the subquery.
        for name in sorted(traversal.free_variables(expression)):
            if name in scope and name not in inner and ast.Variable(name) not in keys:
                yield ast.Variable(name, span=expression.span)
        return
    for part in traversal.children(expression):
        yield from _find_ungrouped(part, keys, scope, inner)


def _to_text(expression: ast.Expression) -> str:
    if isinstance(expression, ast.Property):
        return f"{_to_text(expression.subject)}.{expression.key}"
    return expression.name if isinstance(expression, ast.Variable) else "this"
