"""Tree walk: all nodes of a syntax tree, of any kind, and all words in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any

from keepgraph.cypher.syntax import ast


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
