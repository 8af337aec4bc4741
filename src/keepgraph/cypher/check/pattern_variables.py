"""Variables of patterns: what they declare in a scope, and whether they fit what is declared already."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from keepgraph.cypher import value_types
from keepgraph.cypher.syntax import ast, traversal
from keepgraph.cypher.value_types import ANY, BOOLEAN, INTEGER, LIST, NODE, NULL, PATH, RELATIONSHIP, Type
from keepgraph.errors import QueryInconsistent

# Scopes of variables, and what type inference carries along: the context of an expression, and the common errors.

Scope = Mapping[str, Type]
"""The visible variables with their types, in the order in which they were declared."""

SUBQUERY_TYPES = {"EXISTS": Type(BOOLEAN), "COUNT": Type(INTEGER), "COLLECT": Type(LIST)}


@dataclass(slots=True)
class Context:
    """The context of an expression, and what the inference has seen in it.

    Attributes:
        parameters: the types of the query's parameters.
        infer_subquery: gives the type of a subquery; the binder checks the subquery with it.
        no_aggregates: why no aggregate may stand here (`in WHERE`); empty where one may.
        in_aggregate: whether the expression is an argument of an aggregate.
        has_aggregate: set to True when an aggregate is seen.
        out_of_scope: variables of earlier clauses that are no longer visible, each with the reason.
        bound_subqueries: the queries that replace those of subqueries, by the identity of the subquery.
    """

    parameters: Mapping[str, Type]
    infer_subquery: Callable[[ast.Subquery, Scope, Context], Type] = field(
        default=lambda subquery, *_: SUBQUERY_TYPES[subquery.kind]
    )
    no_aggregates: str = ""
    in_aggregate: bool = False
    has_aggregate: bool = False
    out_of_scope: dict[str, str] = field(default_factory=dict)
    bound_subqueries: dict[int, ast.Query] = field(default_factory=dict)


def already_bound(name: str, part: ast.SyntaxNode) -> QueryInconsistent:
    return QueryInconsistent(
        f"{name} already names something; choose another name here", detail="VariableAlreadyBound", span=part.span
    )


def undefined_variable(name: str, part: ast.SyntaxNode, scope: Collection[str], context: Context) -> QueryInconsistent:
    candidates = get_close_matches(
        name, [visible for visible in scope if not visible.startswith(ast.INTERNAL_PREFIX)], n=3
    )
    if name in context.out_of_scope:
        message = f"{name} is no longer known: {context.out_of_scope[name]}"
    elif candidates:
        message = f"{name} is not defined here; did you mean {' or '.join(candidates)}?"
    else:
        message = f"{name} is not defined here; bind it in a MATCH, WITH or UNWIND first"
    return QueryInconsistent(message, detail="UndefinedVariable", span=part.span, candidates=candidates)


def type_error(
    message: str,
    part: ast.SyntaxNode,
    *,
    kind: str = "SyntaxError",
    detail: str = "InvalidArgumentType",
    hint: str | None = None,
) -> QueryInconsistent:
    return QueryInconsistent(message, kind=kind, detail=detail, span=part.span, hint=hint)


def describe_kinds(kinds: int) -> str:
    """The kinds in words; `anything` where nothing is known."""
    return value_types.describe(kinds) if kinds & ~NULL != ANY & ~NULL else "anything"


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
                f"a pattern used as a condition cannot introduce a variable, and {name} is new; "
                f"leave out the name, or use EXISTS {{ … }}, which can introduce it",
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
            f"{name} stands for two relationships of one pattern, which are always different; give each its own name",
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
        f"{name} is {describe_kinds(declared.kinds)}, but is used here as {used_as}; choose another name",
        detail="VariableTypeConflict",
        span=part.span,
    )
