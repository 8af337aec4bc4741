"""Tree walk: all nodes of a syntax tree, of any kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
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
            pending.extend([getattr(value, name) for name in _field_names(node_class)])
        elif type(value) is tuple:
            pending.extend(reversed(value))


@cache
def _field_names(node_class: Any) -> tuple[str, ...]:
    return tuple(field.name for field in reversed(fields(node_class)) if field.name != "span")
