"""Tree walk: all nodes of a syntax tree, of any kind, and all words in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, reduce
from operator import attrgetter
from typing import Any, TypeVar

from keepgraph.cypher.syntax import ast, traversal


def walk(tree: ast.SyntaxNode) -> Iterator[ast.SyntaxNode]:
    """The root of the tree and all nodes below it, in the order of the text as far as the tree keeps it."""
    pending: list[object] = [tree]
    while pending:
        value = pending.pop()
        if isinstance(value, ast.SyntaxNode):
            yield value
            node_class: Any = type(value)
            pending.extend(_fields_of(node_class)(value))
        elif type(value) is tuple:
            pending.extend(reversed(value))


def words(tree: ast.SyntaxNode) -> set[str]:
    """All words in a tree: variables, labels, types, property keys, operators, names of functions, and texts."""
    found: set[str] = set()
    pending: list[object] = [tree]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            found.add(value)
        elif isinstance(value, tuple):
            pending.extend(value)
        elif isinstance(value, ast.SyntaxNode):
            node_class: Any = type(value)
            pending.extend(_fields_of(node_class)(value))
    return found


@cache
def _fields_of(node_class: Any) -> Callable[[object], Sequence[object]]:
    """What gives the fields of a node, the last one first, without the place in the text."""
    names = [field.name for field in reversed(fields(node_class)) if field.name != "span"]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda node: [getattr(node, name) for name in names]


# Conjunctions: a condition as the conditions that all have to be true, and back.


def split_conjunction(condition: ast.Expression | None) -> Iterator[ast.Expression]:
    """The conditions that all have to be true; none if there is no condition."""
    if isinstance(condition, ast.Binary) and condition.operator == "AND":
        yield from split_conjunction(condition.left)
        yield from split_conjunction(condition.right)
    elif condition is not None:
        yield condition


def join_conjunction(conditions: Iterable[ast.Expression]) -> ast.Expression | None:
    """All conditions as one; None if there are none."""
    operands = list(conditions)
    return reduce(lambda left, right: ast.Binary("AND", left, right), operands) if operands else None


# Label expressions: whether labels of a node, or the type of a relationship, match `A`, `A&B`, `A|B`, `!A` or `%`.


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


# Substitution in expressions, and rewriting of the syntax tree. Unchanged nodes stay the same objects.

Tree = TypeVar("Tree", bound=ast.SyntaxNode)
_Substitution = Mapping[ast.Expression, ast.Expression]


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


def _substitute(expression: ast.Expression, mapping: _Substitution, key_classes: frozenset[type]) -> ast.Expression:
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


def _substitute_in(node: ast.SyntaxNode, mapping: _Substitution, key_classes: frozenset[type]) -> ast.SyntaxNode:
    if not mapping:
        return node
    if isinstance(node, ast.Expression):
        return _substitute(node, mapping, key_classes)
    return _map_children(node, lambda child: _substitute_in(child, mapping, key_classes))


def _without(mapping: _Substitution, names: set[str]) -> _Substitution:
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
