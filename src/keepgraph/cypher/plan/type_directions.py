"""Type directions: rewrites patterns over types that read from both ends, so that they match what is stored.

A type may have an inverse, a name under which nothing is stored: `(o)-[:EMPLOYS]->(p)` matches what is stored as
`(p)-[:WORKS_AT]->(o)`. A symmetric type says the same from both ends: it matches along and against an arrow. Both hold
for types that a pattern names, as a list (`:A|B`) or in an expression that comes to one (`:A&!B`); a pattern without
types, `%` and `!A` match relationships as they are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import TypeVar

from keepgraph.cypher.syntax import ast, tree_walk
from keepgraph.cypher.syntax.tree_walk import walk
from keepgraph.errors import QueryInconsistent

Tree = TypeVar("Tree", bound=ast.SyntaxNode)
Change = Callable[[ast.SyntaxNode], ast.SyntaxNode | None]

_REVERSED: dict[ast.Direction, ast.Direction] = {"out": "in", "in": "out", "both": "both"}


def resolve(query: ast.Query, inverses: Mapping[str, str], symmetric: Set[str]) -> tuple[ast.Query, tuple[str, ...]]:
    """The query over the types that are stored, and a sentence for each use of an inverse.

    Args:
        inverses: the names under which nothing is stored, each with the type that says the same from the other end.
        symmetric: the stored types that say the same from both ends.

    Raises:
        errors.QueryInconsistent: an inverse is in a type expression that is no list, such as `!A`.
    """
    parts = list(walk(query))
    notes: dict[str, None] = {}
    for part in parts:
        if isinstance(part, ast.Literal) and isinstance(part.value, str) and part.value in inverses:
            stored = inverses[part.value]
            notes[f"{part.value} is the inverse of {stored}: the type(…) of a relationship is {stored}"] = None
    if not any(isinstance(part, ast.LabelName) and (part.name in inverses or part.name in symmetric) for part in parts):
        return query, tuple(notes)

    def change(part: ast.SyntaxNode) -> ast.SyntaxNode | None:
        if isinstance(part, ast.RelationshipPattern):
            return replace(
                _resolve_pattern(part, inverses, symmetric, notes),
                properties=_rewrite(part.properties, change),
                condition=_rewrite(part.condition, change),
            )
        if isinstance(part, ast.HasLabels):
            _note_tested_inverses(part, inverses, notes)
            return replace(
                part,
                subject=tree_walk.rewrite(part.subject, change),
                labels=_with_stored_types(part.labels, inverses),
            )
        return None

    return tree_walk.rewrite(query, change), tuple(notes)


def split(direction: str, types: ast.LabelExpression | None) -> Iterator[tuple[str, ast.LabelExpression | None]]:
    """The directions in which relationships of some types are followed, each with its types; each type comes once.

    Args:
        direction: that of the pattern, as seen from the node from which it is followed.
    """
    if isinstance(types, ast.TypesByDirection):
        yield from (
            (_REVERSED[along] if direction == "in" else along, types_so) for along, types_so in types.directions
        )
    else:
        yield direction, types


def _rewrite(tree: Tree | None, change: Change) -> Tree | None:
    return None if tree is None else tree_walk.rewrite(tree, change)


def _resolve_pattern(
    pattern: ast.RelationshipPattern, inverses: Mapping[str, str], symmetric: Set[str], notes: dict[str, None]
) -> ast.RelationshipPattern:
    """The pattern with stored types, its arrow turned or dropped where that is what they say."""
    if pattern.types is None:
        return pattern
    names = _listed_names(pattern.types)
    if names is None:
        _refuse_inverses(pattern.types, inverses)
        names = _selected_names(pattern.types)
    if inverses.keys().isdisjoint(names) and symmetric.isdisjoint(names):
        return pattern
    for name in inverses.keys() & names:
        notes[f"{name} is the inverse of {inverses[name]}: matched {inverses[name]} from its other end"] = None
    along = {name for name in names if name not in inverses}
    against = {inverses[name] for name in names if name in inverses}
    both = (along & against) | ((along | against) & symmetric)
    span = pattern.types.span
    if pattern.direction == "both":
        return replace(pattern, types=_any_of(along | against, span))
    directed: list[tuple[ast.Direction, set[str]]] = [("out", along - both), ("in", against - both), ("both", both)]
    groups = tuple((direction, _any_of(types, span)) for direction, types in directed if types)
    if len(groups) > 1:
        return replace(pattern, types=ast.TypesByDirection(groups, span=span))
    [(direction, types)] = groups
    return replace(pattern, types=types, direction=_REVERSED[direction] if pattern.direction == "in" else direction)


def _listed_names(types: ast.LabelExpression) -> list[str] | None:
    """The names of a list of types, `A|B`; None for any other expression."""
    if isinstance(types, ast.LabelName):
        return [types.name]
    if not isinstance(types, ast.LabelOr):
        return None
    names: list[str] = []
    for operand in types.operands:
        inner = _listed_names(operand)
        if inner is None:
            return None
        names += inner
    return names


def _selected_names(types: ast.LabelExpression) -> list[str]:
    """The types that an expression such as `A&!B` selects; none where it also selects types that it does not name."""
    names = sorted({part.name for part in walk(types) if isinstance(part, ast.LabelName)})
    not_named = "".join(names) + "_"
    if tree_walk.labels_match((not_named,), types):
        return []
    return [name for name in names if tree_walk.labels_match((name,), types)]


def _refuse_inverses(types: ast.LabelExpression, inverses: Mapping[str, str]) -> None:
    for part in walk(types):
        if isinstance(part, ast.LabelName) and part.name in inverses:
            stored = inverses[part.name]
            raise QueryInconsistent(
                f"{part.name} is the inverse of {stored}, and relationships are stored as {stored}; "
                f"write {stored} here, and turn the arrow",
                detail="InvalidRelationshipPattern",
                span=part.span,
            )


def _any_of(names: Set[str], span: ast.Span) -> ast.LabelExpression:
    operands: Sequence[ast.LabelName] = [ast.LabelName(name, span=span) for name in sorted(names)]
    return operands[0] if len(operands) == 1 else ast.LabelOr(tuple(operands), span=span)


def _note_tested_inverses(test: ast.HasLabels, inverses: Mapping[str, str], notes: dict[str, None]) -> None:
    """Note what `r:A` means of an inverse A: the pattern of `r` stays as it is written."""
    for part in walk(test.labels):
        if isinstance(part, ast.LabelName) and part.name in inverses:
            stored = inverses[part.name]
            notes[
                f"{part.name} is the inverse of {stored}: the test :{part.name} holds of {stored} as its pattern "
                f"reads it; to match it from its other end, write [:{part.name}] in the pattern"
            ] = None


def _with_stored_types(labels: ast.LabelExpression, inverses: Mapping[str, str]) -> ast.LabelExpression:
    """What is tested of a node, or of a relationship, with the stored type beside each inverse."""

    def change(part: ast.SyntaxNode) -> ast.SyntaxNode | None:
        if isinstance(part, ast.LabelName) and part.name in inverses:
            return ast.LabelOr((part, ast.LabelName(inverses[part.name], span=part.span)), span=part.span)
        return None

    return tree_walk.rewrite(labels, change)
