"""Variables of patterns: what they declare in a scope, and whether they fit what is declared already."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from keepgraph.cypher.check.scope import Scope, already_bound, describe_kinds
from keepgraph.cypher.syntax import ast, traversal
from keepgraph.cypher.value_types import LIST, NODE, NULL, PATH, RELATIONSHIP, Type
from keepgraph.errors import QueryInconsistent

_NODE, _RELATIONSHIP = Type(NODE), Type(RELATIONSHIP)
_RELATIONSHIPS = Type(LIST, _RELATIONSHIP)


def declare(paths: Iterable[ast.Path], scope: dict[str, Type], *, null: int = 0) -> None:
    """Adds the variables of patterns that are matched together to the scope.

    Args:
        null: NULL where the variables may stay empty.
    """
    seen: set[str] = set()
    for path in paths:
        _check_shortest(path)
        for node in path.nodes:
            if node.variable is not None:
                _declare_node(node, node.variable, scope, null)
        for relationship in path.relationships:
            name = relationship.variable
            if name is not None:
                _declare_relationship(relationship, name, scope, null)
                _check_unique(relationship, name, seen)
        if path.variable is not None:
            if path.variable in scope:
                raise already_bound(path.variable, path)
            scope[path.variable] = Type(PATH | null)


def check_declared(path: ast.Path, scope: Scope) -> None:
    """Checks a pattern in an expression: it may only use variables of the scope, for what they stand for there."""
    _check_shortest(path)
    seen: set[str] = set()
    for part in traversal.pattern_parts(path):
        name = part.variable
        if name is None:
            continue
        declared = scope.get(name)
        if declared is None:
            raise QueryInconsistent(
                f"a pattern that stands as a condition cannot bring a new variable, and {name} is new; "
                f"leave the name out, or ask EXISTS {{ … }}, which may bring it",
                detail="UndefinedVariable",
                span=part.span,
                candidates=get_close_matches(name, scope, n=3),
            )
        if isinstance(part, ast.NodePattern):
            _check_node(part, name, declared)
        else:
            _check_relationship(part, name, declared)
            _check_unique(part, name, seen)


def _declare_node(node: ast.NodePattern, name: str, scope: dict[str, Type], null: int) -> None:
    declared = scope.get(name)
    if declared is not None:
        _check_node(node, name, declared)
    if declared is None:
        scope[name] = Type(NODE | null)
    elif not null:
        scope[name] = _NODE


def _check_node(node: ast.NodePattern, name: str, declared: Type) -> None:
    if declared.kinds & ~NULL and not declared.kinds & NODE:
        raise _conflict(name, declared, "a node", node)


def _declare_relationship(relationship: ast.RelationshipPattern, name: str, scope: dict[str, Type], null: int) -> None:
    declared = scope.get(name)
    matched = _RELATIONSHIP if relationship.length is None else _RELATIONSHIPS
    if declared is not None:
        _check_relationship(relationship, name, declared)
    if declared is None:
        scope[name] = Type(matched.kinds | null, matched.element)
    elif not null:
        scope[name] = matched


def _check_relationship(relationship: ast.RelationshipPattern, name: str, declared: Type) -> None:
    kinds = declared.kinds & ~NULL
    if not kinds:
        return
    if relationship.length is None:
        if not kinds & RELATIONSHIP:
            raise _conflict(name, declared, "a relationship", relationship)
        return
    element = declared.element.kinds & ~NULL if declared.element is not None else 0
    if not kinds & LIST or (element and not element & RELATIONSHIP):
        raise _conflict(name, declared, "a list of relationships, since its length varies", relationship)


def _check_unique(relationship: ast.RelationshipPattern, name: str, seen: set[str]) -> None:
    if name in seen:
        raise QueryInconsistent(
            f"{name} stands for two relationships of one pattern, which are always different ones; "
            "give each a name of its own",
            detail="RelationshipUniquenessViolation",
            span=relationship.span,
        )
    seen.add(name)


def _check_shortest(path: ast.Path) -> None:
    if path.shortest is not None and len(path.relationships) != 1:
        raise QueryInconsistent(
            "a shortest path goes from one node to another by one relationship pattern, such as (a)-[*]-(b)",
            detail="InvalidRelationshipPattern",
            span=path.span,
        )


def _conflict(name: str, declared: Type, used_as: str, part: ast.SyntaxNode) -> QueryInconsistent:
    return QueryInconsistent(
        f"{name} is {describe_kinds(declared.kinds)}, and stands here for {used_as}; choose another name",
        detail="VariableTypeConflict",
        span=part.span,
    )
