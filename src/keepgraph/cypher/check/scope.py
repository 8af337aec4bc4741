"""Scopes of variables, and what type inference carries along: the context of an expression, and the common errors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from keepgraph.cypher import value_types
from keepgraph.cypher.syntax import ast
from keepgraph.cypher.value_types import ANY, BOOLEAN, INTEGER, LIST, NULL, Type
from keepgraph.errors import QueryInconsistent

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
        message = f"{name} is not known any more: {context.out_of_scope[name]}"
    elif candidates:
        message = f"{name} is not defined here; did you mean {' or '.join(candidates)}?"
    else:
        message = f"{name} is not defined here; bind it in a MATCH, WITH or UNWIND before"
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
