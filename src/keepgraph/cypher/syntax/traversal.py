"""Goes through expressions: their parts, the names they use, equal parts in exchange. Knows no kind and no graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeVar

from keepgraph.cypher import functions
from keepgraph.cypher.syntax import ast

P = TypeVar("P", bound=ast.Part)


def children(expression: ast.Expression) -> tuple[ast.Expression, ...]:
    """The expressions directly inside, those in patterns with them. The query of a subquery is not entered."""
    return _CHILDREN[type(expression)](expression)


def is_aggregate(expression: ast.Expression) -> bool:
    """Whether this is `count(*)` or a call of `count`, `sum` …"""
    return type(expression) is ast.CountAll or (
        type(expression) is ast.Call and expression.name.lower() in functions.AGGREGATES
    )


def has_aggregate(expression: ast.Expression) -> bool:
    """Whether an aggregate stands in it. Those in subqueries are theirs alone."""
    return is_aggregate(expression) or any(map(has_aggregate, children(expression)))


def free_variables(expression: ast.Expression) -> set[str]:
    """The names that it may take from around.

    A name in an inner pattern is among them: only the scope tells whether the pattern meets it or brings it.
    """
    if isinstance(expression, ast.Variable):
        return {expression.name}
    if isinstance(expression, ast.Subquery):
        return set(_used_by_query(expression.query))
    bound = bound_inside(expression)
    if bound is None:
        found: set[str] = set()
        for child in children(expression):
            found |= free_variables(child)
        return found | set(_named(expression))
    names, outside, inside = bound
    found = set()
    for child in inside:
        found |= free_variables(child)
    found -= names
    for child in outside:
        found |= free_variables(child)
    return found


def bound_inside(
    expression: ast.Expression,
) -> tuple[set[str], tuple[ast.Expression, ...], tuple[ast.Expression, ...]] | None:
    """The names that it brings, its parts that do not see them, and those that do. None for most expressions."""
    kind = type(expression)
    if kind is ast.ListComprehension:
        part: Any = expression
        return {part.variable}, (part.source,), tuple(filter(None, (part.condition, part.result)))
    if kind is ast.Quantifier:
        part = expression
        return {part.variable}, (part.source,), (part.condition,)
    if kind is ast.Reduce:
        part = expression
        return {part.accumulator, part.variable}, (part.initial, part.source), (part.result,)
    return None


def pattern_parts(path: ast.Path) -> tuple[ast.NodePattern | ast.RelationshipPattern, ...]:
    """The nodes of a pattern, then its relationships."""
    return (*path.nodes, *path.relationships)


def pattern_names(path: ast.Path) -> Iterator[str]:
    """The variables of a pattern: of its nodes and relationships, then its own."""
    for part in pattern_parts(path):
        if part.variable is not None:
            yield part.variable
    if path.variable is not None:
        yield path.variable


def pattern_expressions(path: ast.Path) -> Iterator[ast.Expression]:
    """The properties and conditions of a pattern's nodes and relationships."""
    for part in pattern_parts(path):
        if part.properties is not None:
            yield part.properties
        if part.condition is not None:
            yield part.condition


def substitute(expression: ast.Expression, mapping: Mapping[ast.Expression, ast.Expression]) -> ast.Expression:
    """The expression with other expressions in the place of parts equal to the keys, outermost first.

    Within a part that brings a name of its own, nothing that has to do with this name is exchanged.
    """
    return _substituted(expression, mapping, frozenset(map(type, mapping)))


def rewrite(part: P, change: Callable[[ast.Part], ast.Part | None]) -> P:
    """The tree with other parts where `change` gives one; a part without a change is the same object."""
    changed = change(part)
    if changed is not None:
        return changed  # type: ignore[return-value] # `change` gives a part for a part of its own kind
    return _rebuilt(part, lambda inner: rewrite(inner, change))


# Parts


def _none(_: Any) -> tuple[ast.Expression, ...]:
    return ()


def _pattern(expression: Any) -> tuple[ast.Expression, ...]:
    return tuple(pattern_expressions(expression.pattern))


def _pattern_comprehension(expression: ast.PatternComprehension) -> tuple[ast.Expression, ...]:
    inner = (expression.result,) if expression.condition is None else (expression.condition, expression.result)
    return (*pattern_expressions(expression.pattern), *inner)


def _case(expression: ast.Case) -> tuple[ast.Expression, ...]:
    branches = (part for branch in expression.branches for part in branch)
    return tuple(part for part in (expression.subject, *branches, expression.otherwise) if part is not None)


_CHILDREN: dict[type, Callable[[Any], tuple[ast.Expression, ...]]] = {
    ast.Literal: _none,
    ast.Parameter: _none,
    ast.Variable: _none,
    ast.CountAll: _none,
    ast.Subquery: _none,
    ast.Property: lambda e: (e.subject,),
    ast.Index: lambda e: (e.subject, e.index),
    ast.Slice: lambda e: tuple(part for part in (e.subject, e.start, e.end) if part is not None),
    ast.ListLiteral: lambda e: e.elements,
    ast.MapLiteral: lambda e: tuple(value for _, value in e.entries),
    ast.MapProjection: lambda e: (e.subject, *(value for _, value in e.entries)),
    ast.Binary: lambda e: (e.left, e.right),
    ast.Unary: lambda e: (e.operand,),
    ast.IsNull: lambda e: (e.operand,),
    ast.HasLabels: lambda e: (e.subject,),
    ast.Call: lambda e: e.arguments,
    ast.Case: _case,
    ast.ListComprehension: lambda e: tuple(part for part in (e.source, e.condition, e.result) if part is not None),
    ast.Quantifier: lambda e: (e.source, e.condition),
    ast.Reduce: lambda e: (e.initial, e.source, e.result),
    ast.PatternComprehension: _pattern_comprehension,
    ast.PatternPredicate: _pattern,
    ast.PatternPath: _pattern,
}


# Names

_WITH_PATTERN = (ast.PatternComprehension, ast.PatternPredicate, ast.PatternPath)


def _named(expression: ast.Expression) -> Iterable[str]:
    return pattern_names(expression.pattern) if isinstance(expression, _WITH_PATTERN) else ()


def _used_by_query(query: ast.Query) -> Iterator[str]:
    for part in query.parts:
        local: set[str] = set()
        for clause in part.clauses:
            if isinstance(clause, ast.Match):
                for path in clause.paths:
                    yield from pattern_names(path)
            for expression in _expressions(clause):
                yield from free_variables(expression) - local
            if isinstance(clause, ast.Unwind):
                local.add(clause.variable)
            elif isinstance(clause, ast.Projection):
                new = {item.name for item in clause.items}
                for expression in _after(clause):
                    yield from free_variables(expression) - local - new
                local |= new


def _expressions(clause: ast.Clause) -> Iterator[ast.Expression]:
    """The expressions that see the names before the clause, and those that its pattern brings."""
    if isinstance(clause, ast.Match):
        for path in clause.paths:
            yield from pattern_expressions(path)
        if clause.condition is not None:
            yield clause.condition
    elif isinstance(clause, ast.Unwind):
        yield clause.source
    else:
        yield from (item.expression for item in clause.items)


def _after(clause: ast.Projection) -> Iterator[ast.Expression]:
    """The expressions that see what was projected."""
    yield from (key.expression for key in clause.order)
    yield from (part for part in (clause.skip, clause.limit, clause.condition) if part is not None)


def _brought_by_query(query: ast.Query) -> set[str]:
    """All names that a query gives a meaning of its own, somewhere."""
    found: set[str] = set()
    for part in query.parts:
        for clause in part.clauses:
            if isinstance(clause, ast.Match):
                for path in clause.paths:
                    found.update(pattern_names(path))
            elif isinstance(clause, ast.Unwind):
                found.add(clause.variable)
            else:
                found.update(item.name for item in clause.items)
    return found


# Exchange

Exchange = Mapping[ast.Expression, ast.Expression]


def _substituted(expression: ast.Expression, mapping: Exchange, kinds: frozenset[type]) -> ast.Expression:
    if type(expression) in kinds:
        found = mapping.get(expression)
        if found is not None:
            return found
    bound = bound_inside(expression)
    if bound is not None:
        names, outside, _ = bound
        inner = _apart_from(mapping, names)
        # By identity: the same text may stand on both sides of the border.
        seen_outside = {id(part) for part in outside}
        return _rebuilt(
            expression,
            lambda part: _exchanged(part, mapping if id(part) in seen_outside else inner, kinds),
        )
    if isinstance(expression, _WITH_PATTERN):
        inner = _apart_from(mapping, set(pattern_names(expression.pattern)))
        return _rebuilt(expression, lambda part: _exchanged(part, inner, kinds))
    if isinstance(expression, ast.Subquery):
        inner = _apart_from(mapping, _brought_by_query(expression.query))
        return _rebuilt(expression, lambda part: _exchanged(part, inner, kinds))
    return _rebuilt(expression, lambda part: _exchanged(part, mapping, kinds))


def _exchanged(part: ast.Part, mapping: Exchange, kinds: frozenset[type]) -> ast.Part:
    if not mapping:
        return part
    if isinstance(part, ast.Expression):
        return _substituted(part, mapping, kinds)
    return _rebuilt(part, lambda inner: _exchanged(inner, mapping, kinds))


def _apart_from(mapping: Exchange, names: set[str]) -> Exchange:
    return {
        old: new
        for old, new in mapping.items()
        if names.isdisjoint(free_variables(old)) and names.isdisjoint(free_variables(new))
    }


def _rebuilt(part: P, change: Callable[[ast.Part], ast.Part]) -> P:
    """The part with each part directly inside it changed."""
    changes: dict[str, Any] = {}
    kind: type = type(part)
    for name in _inside(kind):
        old = getattr(part, name)
        new = _changed(old, change)
        if new is not old:
            changes[name] = new
    return replace(part, **changes) if changes else part


def _changed(value: Any, change: Callable[[ast.Part], ast.Part]) -> Any:
    if isinstance(value, ast.Part):
        return change(value)
    if type(value) is tuple:
        new = tuple([_changed(each, change) for each in value])
        return value if all(one is other for one, other in zip(value, new, strict=True)) else new
    return value


@cache
def _inside(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.name != "span")
