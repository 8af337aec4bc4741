"""Type inference: the kinds of values of each expression, and the variables that a scope and a pattern declare.

A null is never a reason to refuse: what is refused would fail for every value but null. The type of a stored property
is unknown until the query runs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from keepgraph.cypher import aggregates, functions, value_types
from keepgraph.cypher.aggregates import Aggregate
from keepgraph.cypher.functions import Function
from keepgraph.cypher.syntax import ast, tree_walk
from keepgraph.cypher.value_types import (
    ANY,
    BOOLEAN,
    FLOAT,
    INTEGER,
    LIST,
    MAP,
    NODE,
    NULL,
    NUMBER,
    PATH,
    RELATIONSHIP,
    STRING,
    TEMPORAL,
    UNKNOWN,
    Type,
    element_of,
    union,
)
from keepgraph.english import count_noun
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
        no_aggregates: why no aggregate may stand here (`in WHERE`); empty if one may.
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
    for part in tree_walk.pattern_parts(path):
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


def infer(expression: ast.Expression, scope: Scope, context: Context) -> Type:
    """The type of an expression.

    Raises:
        QueryInconsistent: it can have no value here.
    """
    return _RULES[type(expression)](expression, scope, context)


def check_condition(expression: ast.Expression, scope: Scope, context: Context, place: str) -> None:
    """Checks that an expression can be a condition; it may be a pattern. `place` names it in the message: `WHERE`."""
    if type(expression) is ast.PatternPredicate:
        _check_pattern_condition(expression.pattern, scope, context)
        return
    kinds = infer(expression, scope, context).kinds & ~NULL
    if kinds and not kinds & BOOLEAN:
        raise type_error(f"{place} takes a truth value, but this is {describe_kinds(kinds)}", expression)


def check_pattern(path: ast.Path, scope: Scope, context: Context) -> None:
    """Checks the properties and conditions of a pattern whose variables are in the scope."""
    for part in tree_walk.pattern_parts(path):
        properties = part.properties
        if properties is None and part.condition is None:
            continue
        outer_reason, context.no_aggregates = context.no_aggregates, "in a pattern"
        if properties is not None:
            infer(properties, scope, context)
        if part.condition is not None:
            # The variable of a path of variable length is a list; its condition is about one relationship.
            inner = scope
            if isinstance(part, ast.RelationshipPattern) and part.length is not None and part.variable is not None:
                inner = {**scope, part.variable: Type(RELATIONSHIP)}
            check_condition(part.condition, inner, context, "WHERE")
        context.no_aggregates = outer_reason


def _check_pattern_condition(path: ast.Path, scope: Scope, context: Context) -> None:
    """Checks a pattern in an expression, which may only use variables of the scope."""
    check_declared(path, scope)
    check_pattern(path, scope, context)


# Literals, variables and access to parts: each rule gives the type of one kind of expression

_BOOLEAN = Type(BOOLEAN)
_BOOLEAN_OR_NULL = Type(BOOLEAN | NULL)
_LITERAL_TYPES = {
    type(None): Type(NULL),
    bool: _BOOLEAN,
    int: Type(INTEGER),
    float: Type(FLOAT),
    str: Type(STRING),
}


def _literal(expression: ast.Literal, scope: Scope, context: Context) -> Type:
    return _LITERAL_TYPES[type(expression.value)]


def _parameter(expression: ast.Parameter, scope: Scope, context: Context) -> Type:
    type_ = context.parameters.get(expression.name)
    if type_ is None:
        raise QueryInconsistent(
            f"the query needs the parameter ${expression.name}, which was not given",
            kind="ParameterMissing",
            detail="MissingParameter",
            span=expression.span,
            hint=f"Give a value for {expression.name} among the parameters.",
            candidates=get_close_matches(expression.name, context.parameters, n=3),
        )
    return type_


def _variable(expression: ast.Variable, scope: Scope, context: Context) -> Type:
    type_ = scope.get(expression.name)
    if type_ is None:
        raise undefined_variable(expression.name, expression, scope, context)
    return type_


_WITH_PROPERTIES = NODE | RELATIONSHIP | MAP | TEMPORAL


def _property(expression: ast.Property, scope: Scope, context: Context) -> Type:
    subject = infer(expression.subject, scope, context).kinds & ~NULL
    if subject and not subject & _WITH_PROPERTIES:
        raise _property_error(expression, subject)
    return UNKNOWN


def _property_error(expression: ast.Property, subject: int) -> QueryInconsistent:
    hint = None
    if subject & PATH:
        hint = "Take it apart first: nodes(path), relationships(path)."
    elif subject & LIST:
        hint = f"Use its elements: [x IN list | x.{expression.key}]."
    return QueryInconsistent(
        f"{describe_kinds(subject)} has no properties, so it has no .{expression.key}",
        kind="SyntaxError" if subject & PATH else "TypeError",
        detail="InvalidArgumentType",
        span=expression.span,
        hint=hint,
    )


_INDEXABLE = LIST | MAP | NODE | RELATIONSHIP


def _index(expression: ast.Index, scope: Scope, context: Context) -> Type:
    subject = infer(expression.subject, scope, context)
    index = infer(expression.index, scope, context).kinds & ~NULL
    kinds = subject.kinds & ~NULL
    if kinds and not kinds & _INDEXABLE:
        raise type_error(
            f"[…] takes an element of a list or a value of a map, but this is {describe_kinds(kinds)}",
            expression,
            kind="TypeError",
        )
    if index and kinds:
        if kinds & _INDEXABLE == LIST and not index & INTEGER:
            raise type_error(
                f"a list is indexed by an integer, but this is {describe_kinds(index)}",
                expression.index,
                kind="TypeError",
                detail="ListElementAccessByNonInteger",
            )
        if not kinds & LIST and not index & STRING:
            raise type_error(
                f"a property is named by a string, but this is {describe_kinds(index)}",
                expression.index,
                kind="TypeError",
                detail="MapElementAccessByNonString",
            )
    if kinds == LIST and subject.element is not None:
        return Type(subject.element.kinds | NULL, subject.element.element)
    return UNKNOWN


def _slice(expression: ast.Slice, scope: Scope, context: Context) -> Type:
    subject = infer(expression.subject, scope, context)
    kinds = subject.kinds & ~NULL
    if kinds and not kinds & LIST:
        raise type_error(
            f"[a..b] takes a part of a list, but this is {describe_kinds(kinds)}", expression, kind="TypeError"
        )
    for bound in (expression.start, expression.end):
        if bound is not None:
            bound_kinds = infer(bound, scope, context).kinds & ~NULL
            if bound_kinds and not bound_kinds & INTEGER:
                raise type_error(
                    f"[a..b] takes integers, but this is {describe_kinds(bound_kinds)}", bound, kind="TypeError"
                )
    return Type(LIST | NULL, subject.element)


def _list(expression: ast.ListLiteral, scope: Scope, context: Context) -> Type:
    element: Type | None = None
    for value in expression.elements:
        type_ = infer(value, scope, context)
        element = type_ if element is None else union(element, type_)
    return Type(LIST, element)


_MAP = Type(MAP)


def _map(expression: ast.MapLiteral, scope: Scope, context: Context) -> Type:
    for _, value in expression.entries:
        infer(value, scope, context)
    return _MAP


def _map_projection(expression: ast.MapProjection, scope: Scope, context: Context) -> Type:
    subject = infer(expression.subject, scope, context).kinds
    if subject & ~NULL and not subject & (NODE | RELATIONSHIP | MAP):
        raise type_error(
            f"{{…}} after a variable takes properties of a node, a relationship or a map, "
            f"but {expression.subject.name} is {describe_kinds(subject)}",
            expression,
        )
    for _, value in expression.entries:
        infer(value, scope, context)
    return Type(MAP | (subject & NULL))


# Operators


def _binary(expression: ast.Binary, scope: Scope, context: Context) -> Type:
    operator = expression.operator
    if operator in _LOGICAL_OPERATORS:
        check_condition(expression.left, scope, context, operator)
        check_condition(expression.right, scope, context, operator)
        return _BOOLEAN_OR_NULL
    left = infer(expression.left, scope, context)
    right = infer(expression.right, scope, context)
    if operator == "IN":
        kinds = right.kinds & ~NULL
        if kinds and not kinds & LIST:
            raise type_error(
                f"IN takes a list on its right, but this is {describe_kinds(kinds)}; write [value]", expression.right
            )
        return _BOOLEAN_OR_NULL
    if operator not in value_types.SIGNATURES:
        return _BOOLEAN_OR_NULL
    result = value_types.infer(operator, left, right)
    if result is None:
        raise type_error(
            f"{describe_kinds(left.kinds)} {operator} {describe_kinds(right.kinds)} has no value",
            expression,
            hint=_DURATION_HINT if left.kinds & TEMPORAL and right.kinds & NUMBER else None,
        )
    return result


_DURATION_HINT = "Add or subtract a duration: date() - duration({days: 7})."
_LOGICAL_OPERATORS = frozenset(("AND", "OR", "XOR"))


def _unary(expression: ast.Unary, scope: Scope, context: Context) -> Type:
    if expression.operator == "NOT":
        check_condition(expression.operand, scope, context, "NOT")
        return _BOOLEAN_OR_NULL
    kinds = infer(expression.operand, scope, context).kinds
    if kinds & ~NULL and not kinds & NUMBER:
        raise type_error(
            f"{expression.operator} takes a number, but this is {describe_kinds(kinds)}", expression.operand
        )
    return Type(kinds & (NUMBER | NULL))


def _is_null(expression: ast.IsNull, scope: Scope, context: Context) -> Type:
    infer(expression.operand, scope, context)
    return _BOOLEAN


def _has_labels(expression: ast.HasLabels, scope: Scope, context: Context) -> Type:
    kinds = infer(expression.subject, scope, context).kinds & ~NULL
    if kinds and not kinds & (NODE | RELATIONSHIP):
        raise type_error(f"only a node or a relationship has labels, but this is {describe_kinds(kinds)}", expression)
    return _BOOLEAN_OR_NULL


# Calls


def _call(expression: ast.Call, scope: Scope, context: Context) -> Type:
    function = functions.find(expression.name)
    if function is None:
        return _aggregate(expression, scope, context)
    if expression.distinct:
        raise QueryInconsistent(
            f"{function.name}() is not an aggregate, so it cannot take DISTINCT",
            detail="UnexpectedSyntax",
            span=expression.span,
        )
    if context.in_aggregate and function.needs == "random":
        raise QueryInconsistent(
            f"{function.name}() changes with each call and cannot be aggregated; compute it in a WITH first",
            detail="NonConstantExpression",
            span=expression.span,
        )
    return function.result_type(_infer_arguments(expression, function, scope, context))


def _aggregate(expression: ast.Call, scope: Scope, context: Context) -> Type:
    aggregate = aggregates.find(expression.name)
    if aggregate is None:
        candidates = functions.similar_names(expression.name)
        message = f"there is no function {expression.name}()"
        if candidates:
            message += f"; did you mean {' or '.join(candidates)}?"
        raise QueryInconsistent(message, detail="UnknownFunction", span=expression.span, candidates=candidates)
    _check_aggregate_allowed(f"{aggregate.name}(…)", expression, context)
    context.in_aggregate = True
    arguments = _infer_arguments(expression, aggregate, scope, context)
    context.in_aggregate = False
    return aggregate.result_type(arguments)


def _check_aggregate_allowed(text: str, expression: ast.Expression, context: Context) -> None:
    if context.in_aggregate:
        raise QueryInconsistent(
            f"{text} stands inside another aggregate; compute the inner one in a WITH first",
            detail="NestedAggregation",
            span=expression.span,
        )
    if context.no_aggregates:
        raise QueryInconsistent(
            f"{text} cannot stand {context.no_aggregates}; compute it in a WITH first, and use its name",
            detail="InvalidAggregation",
            span=expression.span,
        )
    context.has_aggregate = True


def _count_all(expression: ast.CountAll, scope: Scope, context: Context) -> Type:
    _check_aggregate_allowed("count(*)", expression, context)
    return _LITERAL_TYPES[int]


def _infer_arguments(
    expression: ast.Call, function: Function | Aggregate, scope: Scope, context: Context
) -> list[Type]:
    _check_argument_count(expression, function)
    last = len(function.parameter_kinds) - 1
    types = []
    for position, argument in enumerate(expression.arguments):
        type_ = infer(argument, scope, context)
        types.append(type_)
        expected = function.parameter_kinds[position if position < last else last]
        if not type_.kinds & expected and type_.kinds & ~NULL:
            raise type_error(
                f"{function.name}() takes {describe_kinds(expected)}, but this is {describe_kinds(type_.kinds)}",
                argument,
            )
    return types


def _check_argument_count(call: ast.Call, function: Function | Aggregate) -> None:
    """Check that a call has as many arguments as its function takes."""
    count = len(call.arguments)
    least, most = function.min_arguments, function.max_arguments
    if count < least or (most is not None and count > most):
        raise QueryInconsistent(
            f"{function.name}() takes {_describe_count(least, most)}, and is given {count}",
            detail="InvalidNumberOfArguments",
            span=call.span,
        )


def _describe_count(least: int, most: int | None) -> str:
    if most == 0:
        return "no argument"
    if most == least:
        return count_noun(least, "argument")
    return f"at least {least} arguments" if most is None else f"{least} to {most} arguments"


# Choices and lists


def _case(expression: ast.Case, scope: Scope, context: Context) -> Type:
    if expression.subject is not None:
        infer(expression.subject, scope, context)
    result: Type | None = None
    for when, then in expression.branches:
        if expression.subject is None:
            check_condition(when, scope, context, "WHEN")
        else:
            infer(when, scope, context)
        branch = infer(then, scope, context)
        result = branch if result is None else union(result, branch)
    default = _LITERAL_TYPES[type(None)] if expression.default is None else infer(expression.default, scope, context)
    return default if result is None else union(result, default)


def _infer_element(source: ast.Expression, scope: Scope, context: Context, text: str) -> Type:
    type_ = infer(source, scope, context)
    if type_.kinds & ~NULL and not type_.kinds & LIST:
        raise type_error(f"{text} goes through a list, but this is {describe_kinds(type_.kinds)}", source)
    return element_of(type_)


def _comprehension(expression: ast.ListComprehension, scope: Scope, context: Context) -> Type:
    element = _infer_element(expression.source, scope, context, "[x IN …]")
    inner = {**scope, expression.variable: element}
    outer_reason, context.no_aggregates = context.no_aggregates, context.no_aggregates or "in a list comprehension"
    if expression.condition is not None:
        check_condition(expression.condition, inner, context, "WHERE")
    if expression.result is not None:
        element = infer(expression.result, inner, context)
    context.no_aggregates = outer_reason
    return Type(LIST | NULL, element)


def _quantifier(expression: ast.Quantifier, scope: Scope, context: Context) -> Type:
    element = _infer_element(expression.source, scope, context, f"{expression.quantifier}(x IN …)")
    outer_reason, context.no_aggregates = (
        context.no_aggregates,
        context.no_aggregates or f"in {expression.quantifier}(…)",
    )
    check_condition(expression.condition, {**scope, expression.variable: element}, context, "WHERE")
    context.no_aggregates = outer_reason
    return _BOOLEAN_OR_NULL


def _reduce(expression: ast.Reduce, scope: Scope, context: Context) -> Type:
    initial = infer(expression.initial, scope, context)
    element = _infer_element(expression.source, scope, context, "reduce()")
    outer_reason, context.no_aggregates = context.no_aggregates, context.no_aggregates or "in reduce(…)"
    inner = {**scope, expression.variable: element}
    # The result is the next value of the accumulator, so its type is widened until it stays the same. It may never do:
    # a list can nest deeper in each round. After three rounds the type is unknown.
    type_ = initial
    for _ in range(3):
        inner[expression.accumulator] = type_
        widened = union(type_, infer(expression.result, inner, context))
        if widened == type_:
            break
        type_ = widened
    else:
        type_ = UNKNOWN
    context.no_aggregates = outer_reason
    return Type(type_.kinds | NULL, type_.element)


def _pattern_comprehension(expression: ast.PatternComprehension, scope: Scope, context: Context) -> Type:
    inner = dict(scope)
    declare((expression.pattern,), inner)
    check_pattern(expression.pattern, inner, context)
    outer_reason, context.no_aggregates = context.no_aggregates, context.no_aggregates or "in a pattern comprehension"
    if expression.condition is not None:
        check_condition(expression.condition, inner, context, "WHERE")
    result = infer(expression.result, inner, context)
    context.no_aggregates = outer_reason
    return Type(LIST, result)


def _pattern_predicate(expression: ast.PatternPredicate, scope: Scope, context: Context) -> Type:
    if expression.span != expression.pattern.span:
        # exists((a)-->(b)), whose span has the word in it
        _check_pattern_condition(expression.pattern, scope, context)
        return _BOOLEAN
    raise QueryInconsistent(
        "a pattern stands here as a value, and is only a condition; "
        "ask EXISTS { … } or COUNT { … }, or collect it: [(a)-->(b) | b]",
        detail="UnexpectedSyntax",
        span=expression.span,
    )


def _pattern_path(expression: ast.PatternPath, scope: Scope, context: Context) -> Type:
    _check_pattern_condition(expression.pattern, scope, context)
    return Type(PATH | NULL) if expression.pattern.shortest == "shortest" else Type(LIST, Type(PATH))


def _subquery(expression: ast.Subquery, scope: Scope, context: Context) -> Type:
    return context.infer_subquery(expression, scope, context)


_RULES: dict[type, Callable[[Any, Scope, Context], Type]] = {
    ast.Literal: _literal,
    ast.Parameter: _parameter,
    ast.Variable: _variable,
    ast.Property: _property,
    ast.Index: _index,
    ast.Slice: _slice,
    ast.ListLiteral: _list,
    ast.MapLiteral: _map,
    ast.MapProjection: _map_projection,
    ast.Binary: _binary,
    ast.Unary: _unary,
    ast.IsNull: _is_null,
    ast.HasLabels: _has_labels,
    ast.Call: _call,
    ast.CountAll: _count_all,
    ast.Case: _case,
    ast.ListComprehension: _comprehension,
    ast.Quantifier: _quantifier,
    ast.Reduce: _reduce,
    ast.PatternComprehension: _pattern_comprehension,
    ast.PatternPredicate: _pattern_predicate,
    ast.PatternPath: _pattern_path,
    ast.Subquery: _subquery,
    ast.Instant: lambda expression, scope, context: Type(STRING),
}
