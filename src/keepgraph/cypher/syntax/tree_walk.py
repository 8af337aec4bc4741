"""Tree walk: all nodes and words of a syntax tree, the children of an expression, its aggregates and free variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache, reduce
from operator import attrgetter
from typing import Any, TypeVar

from keepgraph.cypher import aggregates
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
    declarations = local_declarations(expression)
    if declarations is not None:
        names, outside, _ = declarations
        inner = _without(mapping, names)
        # By identity: equal expressions may stand outside and inside.
        outside_ids = {id(part) for part in outside}
        return _map_children(
            expression,
            lambda part: _substitute_in(part, mapping if id(part) in outside_ids else inner, key_classes),
        )
    if isinstance(expression, PATTERN_EXPRESSIONS):
        inner = _without(mapping, set(pattern_variables(expression.pattern)))
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
        if names.isdisjoint(free_variables(old)) and names.isdisjoint(free_variables(new))
    }


def _declared_in_query(query: ast.Query) -> set[str]:
    """All variables that a query declares, in any of its clauses."""
    names: set[str] = set()
    for part in query.parts:
        for clause in part.clauses:
            if isinstance(clause, ast.Match):
                for path in clause.paths:
                    names.update(pattern_variables(path))
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


def children(expression: ast.Expression) -> tuple[ast.Expression, ...]:
    """The expressions directly inside this one, those in its patterns included. Subqueries are not entered."""
    return _CHILDREN[type(expression)](expression)


def is_aggregate(expression: ast.Expression) -> bool:
    """Whether this is `count(*)` or a call of `count`, `sum` …"""
    return type(expression) is ast.CountAll or (
        type(expression) is ast.Call and expression.name.lower() in aggregates.AGGREGATES
    )


def has_aggregate(expression: ast.Expression) -> bool:
    """Whether it contains an aggregate; those in subqueries belong to the subqueries and do not count."""
    return is_aggregate(expression) or any(map(has_aggregate, children(expression)))


def free_variables(expression: ast.Expression) -> set[str]:
    """The variables that it may take from the scope around it.

    A variable of an inner pattern is among them: only the scope shows whether the pattern uses or declares it.
    """
    if isinstance(expression, ast.Variable):
        return {expression.name}
    if isinstance(expression, ast.Subquery):
        return set(_free_variables_of_query(expression.query))
    declarations = local_declarations(expression)
    if declarations is None:
        free: set[str] = set()
        for child in children(expression):
            free |= free_variables(child)
        return free | set(_pattern_variables(expression))
    names, outside, inside = declarations
    free = set()
    for child in inside:
        free |= free_variables(child)
    free -= names
    for child in outside:
        free |= free_variables(child)
    return free


def local_declarations(
    expression: ast.Expression,
) -> tuple[set[str], tuple[ast.Expression, ...], tuple[ast.Expression, ...]] | None:
    """The variables that an expression declares for its own parts, as a list comprehension does.

    Returns:
        their names, the parts that do not see them, and the parts that do; None for an expression that declares none.
    """
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


def pattern_variables(path: ast.Path) -> Iterator[str]:
    """The variables of a pattern: those of its nodes and relationships, then that of the path."""
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


# Children


def _no_children(_: Any) -> tuple[ast.Expression, ...]:
    return ()


def _pattern_children(expression: Any) -> tuple[ast.Expression, ...]:
    return tuple(pattern_expressions(expression.pattern))


def _pattern_comprehension_children(expression: ast.PatternComprehension) -> tuple[ast.Expression, ...]:
    own = (expression.result,) if expression.condition is None else (expression.condition, expression.result)
    return (*pattern_expressions(expression.pattern), *own)


def _case_children(expression: ast.Case) -> tuple[ast.Expression, ...]:
    branches = (part for branch in expression.branches for part in branch)
    return tuple(part for part in (expression.subject, *branches, expression.default) if part is not None)


_CHILDREN: dict[type, Callable[[Any], tuple[ast.Expression, ...]]] = {
    ast.Literal: _no_children,
    ast.Parameter: _no_children,
    ast.Variable: _no_children,
    ast.CountAll: _no_children,
    ast.Subquery: _no_children,
    ast.Property: lambda e: (e.subject,),
    ast.Index: lambda e: (e.subject, e.index),
    ast.Slice: lambda e: tuple(part for part in (e.subject, e.start, e.end) if part is not None),
    ast.ListLiteral: lambda e: e.elements,
    ast.MapLiteral: lambda e: tuple(value for _, value in e.entries),
    ast.MapProjection: lambda e: (e.subject, *(value for _, value in e.entries)),
    ast.Binary: lambda e: (e.left, e.right),
    ast.Unary: lambda e: (e.operand,),
    ast.IsNull: lambda e: (e.operand,),
    ast.Instant: lambda e: (e.value,),
    ast.HasLabels: lambda e: (e.subject,),
    ast.Call: lambda e: e.arguments,
    ast.Case: _case_children,
    ast.ListComprehension: lambda e: tuple(part for part in (e.source, e.condition, e.result) if part is not None),
    ast.Quantifier: lambda e: (e.source, e.condition),
    ast.Reduce: lambda e: (e.initial, e.source, e.result),
    ast.PatternComprehension: _pattern_comprehension_children,
    ast.PatternPredicate: _pattern_children,
    ast.PatternPath: _pattern_children,
}


# Variables

PATTERN_EXPRESSIONS = (ast.PatternComprehension, ast.PatternPredicate, ast.PatternPath)
"""The expressions that have a pattern."""


def _pattern_variables(expression: ast.Expression) -> Iterable[str]:
    return pattern_variables(expression.pattern) if isinstance(expression, PATTERN_EXPRESSIONS) else ()


def _free_variables_of_query(query: ast.Query) -> Iterator[str]:
    for part in query.parts:
        declared: set[str] = set()
        for clause in part.clauses:
            if isinstance(clause, ast.Match):
                for path in clause.paths:
                    yield from pattern_variables(path)
            for expression in _clause_expressions(clause):
                yield from free_variables(expression) - declared
            if isinstance(clause, ast.Unwind):
                declared.add(clause.variable)
            elif isinstance(clause, ast.Projection):
                new = {item.name for item in clause.items}
                for expression in _expressions_after_projection(clause):
                    yield from free_variables(expression) - declared - new
                declared |= new


def _clause_expressions(clause: ast.Clause) -> Iterator[ast.Expression]:
    """The expressions that see the variables before the clause, and those of its pattern."""
    if isinstance(clause, ast.Match):
        for path in clause.paths:
            yield from pattern_expressions(path)
        if clause.condition is not None:
            yield clause.condition
    elif isinstance(clause, ast.Unwind):
        yield clause.source
    else:
        yield from (item.expression for item in clause.items)


def _expressions_after_projection(clause: ast.Projection) -> Iterator[ast.Expression]:
    """The expressions that see the columns of a WITH or RETURN."""
    yield from (key.expression for key in clause.order)
    yield from (part for part in (clause.skip, clause.limit, clause.condition) if part is not None)


def visible_names(query: ast.SingleQuery) -> list[str]:
    """The names that are visible at the end of a query, before its RETURN, in the order of the text."""
    names: dict[str, None] = {}
    for clause in query.clauses[:-1]:
        if isinstance(clause, ast.Match):
            named = [
                (part.span[0], part.variable)
                for path in clause.paths
                for part in (*pattern_parts(path), path)
                if part.variable is not None
            ]
            names.update((name, None) for _, name in sorted(named, key=lambda named_part: named_part[0]))
        elif isinstance(clause, ast.Unwind):
            names[clause.variable] = None
        else:
            names = dict(names) if clause.star else {}
            names.update((item.name, None) for item in clause.items)
    return list(names)
