"""Substitution in expressions, and rewriting of the syntax tree. Unchanged nodes stay the same objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeVar

from keepgraph.cypher.syntax import ast, traversal

Tree = TypeVar("Tree", bound=ast.SyntaxNode)
Substitution = Mapping[ast.Expression, ast.Expression]


def substitute(expression: ast.Expression, mapping: Mapping[ast.Expression, ast.Expression]) -> ast.Expression:
    """The expression with each part that equals a key replaced by its value, outermost first.

    Inside a part that declares a variable, entries that contain this variable are not replaced (no capture).
    """
    return _substitute(expression, mapping, frozenset(map(type, mapping)))


def rewrite(tree: Tree, change: Callable[[ast.SyntaxNode], ast.SyntaxNode | None]) -> Tree:
    """The tree with each node replaced for which `change` gives another; unchanged nodes stay the same objects."""
    replacement = change(tree)
    if replacement is not None:
        return replacement  # type: ignore[return-value] # `change` replaces a node by one of its class
    return _map_children(tree, lambda child: rewrite(child, change))


def _substitute(expression: ast.Expression, mapping: Substitution, key_classes: frozenset[type]) -> ast.Expression:
    if type(expression) in key_classes:
        replacement = mapping.get(expression)
        if replacement is not None:
            return replacement
    declarations = traversal.local_declarations(expression)
    if declarations is not None:
        names, outside, _ = declarations
        inner = _without(mapping, names)
        # By identity: equal expressions may stand outside and inside.
        outside_ids = {id(part) for part in outside}
        return _map_children(
            expression,
            lambda part: _substitute_in(part, mapping if id(part) in outside_ids else inner, key_classes),
        )
    if isinstance(expression, traversal.PATTERN_EXPRESSIONS):
        inner = _without(mapping, set(traversal.pattern_variables(expression.pattern)))
        return _map_children(expression, lambda part: _substitute_in(part, inner, key_classes))
    if isinstance(expression, ast.Subquery):
        inner = _without(mapping, _declared_in_query(expression.query))
        return _map_children(expression, lambda part: _substitute_in(part, inner, key_classes))
    return _map_children(expression, lambda part: _substitute_in(part, mapping, key_classes))


def _substitute_in(node: ast.SyntaxNode, mapping: Substitution, key_classes: frozenset[type]) -> ast.SyntaxNode:
    if not mapping:
        return node
    if isinstance(node, ast.Expression):
        return _substitute(node, mapping, key_classes)
    return _map_children(node, lambda child: _substitute_in(child, mapping, key_classes))


def _without(mapping: Substitution, names: set[str]) -> Substitution:
    """The entries that contain none of these variables."""
    return {
        old: new
        for old, new in mapping.items()
        if names.isdisjoint(traversal.free_variables(old)) and names.isdisjoint(traversal.free_variables(new))
    }


def _declared_in_query(query: ast.Query) -> set[str]:
    """All variables that a query declares, in any of its clauses."""
    names: set[str] = set()
    for part in query.parts:
        for clause in part.clauses:
            if isinstance(clause, ast.Match):
                for path in clause.paths:
                    names.update(traversal.pattern_variables(path))
            elif isinstance(clause, ast.Unwind):
                names.add(clause.variable)
            else:
                names.update(item.name for item in clause.items)
    return names


def _map_children(node: Tree, change: Callable[[ast.SyntaxNode], ast.SyntaxNode]) -> Tree:
    """The node with `change` applied to each node directly inside it; the same object if none of them changes."""
    changes: dict[str, Any] = {}
    node_class: type = type(node)
    for name in _field_names(node_class):
        old = getattr(node, name)
        new = _map_value(old, change)
        if new is not old:
            changes[name] = new
    return replace(node, **changes) if changes else node


def _map_value(value: Any, change: Callable[[ast.SyntaxNode], ast.SyntaxNode]) -> Any:
    if isinstance(value, ast.SyntaxNode):
        return change(value)
    if type(value) is tuple:
        new = tuple([_map_value(element, change) for element in value])
        return value if all(before is after for before, after in zip(value, new, strict=True)) else new
    return value


@cache
def _field_names(node_class: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(node_class) if field.name != "span")
