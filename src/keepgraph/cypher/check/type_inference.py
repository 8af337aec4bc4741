"""Tells of every expression which kinds of values it may have, and refuses what can never be right. Knows no clause.

Null is no reason to refuse: what is refused would fail for every value but null. Of a stored property nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from keepgraph.cypher import functions, value_types
from keepgraph.cypher.syntax import ast, traversal
from keepgraph.cypher.value_types import (
    ANY,
    BOOLEAN,
    DURATION,
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
)
from keepgraph.errors import QueryInconsistent

Scope = Mapping[str, Type]
"""The variables that can be seen, in the order in which they came into sight."""


def type_of(expression: ast.Expression, scope: Scope, parameters: Mapping[str, Type]) -> Type:
    """The kinds of values that the expression may have.

    Raises:
        QueryInconsistent: it can have no value here.
    """
    return check(expression, scope, Context(parameters))


SUBQUERIES = {"EXISTS": Type(BOOLEAN), "COUNT": Type(INTEGER), "COLLECT": Type(LIST)}


@dataclass(slots=True)
class Context:
    """What holds around an expression, and what was seen in it.

    Attributes:
        subquery: tells the type of a subquery, and may check it.
        no_aggregates: why no aggregate may stand here; empty where one may.
        aggregating: whether we are inside an aggregate.
        aggregates: whether an aggregate was met.
        left_behind: names that were there before, and why they are not any more.
        expanded: queries of subqueries that were rewritten, by the identity of the subquery.
    """

    parameters: Mapping[str, Type]
    subquery: Callable[[ast.Subquery, Scope, Context], Type] = field(default=lambda part, *_: SUBQUERIES[part.which])
    no_aggregates: str = ""
    aggregating: bool = False
    aggregates: bool = False
    left_behind: dict[str, str] = field(default_factory=dict)
    expanded: dict[int, ast.Query] = field(default_factory=dict)


def check(expression: ast.Expression, scope: Scope, context: Context) -> Type:
    """The type of a value."""
    return _RULES[type(expression)](expression, scope, context)


def check_truth(expression: ast.Expression, scope: Scope, context: Context, place: str) -> None:
    """Checks a condition, which may be a pattern."""
    if type(expression) is ast.PatternPredicate:
        _meets(expression.pattern, scope, context)
        return
    found = check(expression, scope, context).kinds & ~NULL
    if found and not found & BOOLEAN:
        raise _mistyped(f"{place} wants a truth value, and this is {_described(found)}", expression)


def declare(paths: Iterable[ast.Path], scope: dict[str, Type], *, null: int = 0) -> None:
    """Adds the variables of patterns that are matched together to the scope.

    Args:
        null: NULL where the variables may stay empty.
    """
    seen: set[str] = set()
    for path in paths:
        _one_relationship_if_shortest(path)
        for node in path.nodes:
            if node.variable is not None:
                _declare_node(node, node.variable, scope, null)
        for relationship in path.relationships:
            name = relationship.variable
            if name is not None:
                _declare_relationship(relationship, name, scope, null)
                _once(relationship, name, seen)
        if path.variable is not None:
            if path.variable in scope:
                raise already_bound(path.variable, path)
            scope[path.variable] = Type(PATH | null)


def check_pattern(path: ast.Path, scope: Scope, context: Context) -> None:
    """Checks the properties and conditions of a pattern whose variables are in the scope."""
    for part in traversal.pattern_parts(path):
        properties = part.properties
        if properties is None and part.condition is None:
            continue
        before, context.no_aggregates = context.no_aggregates, "in a pattern"
        if properties is not None:
            check(properties, scope, context)
        if part.condition is not None:
            # Of a relationship of variable length, the condition is about each of them.
            inner = scope
            if isinstance(part, ast.RelationshipPattern) and part.length is not None and part.variable is not None:
                inner = {**scope, part.variable: Type(RELATIONSHIP)}
            check_truth(part.condition, inner, context, "WHERE")
        context.no_aggregates = before


def either(one: Type, other: Type) -> Type:
    """What a value may be that is of one type or of the other."""
    if one is other:
        return one
    if not one.kinds & LIST:
        element = other.element
    elif not other.kinds & LIST:
        element = one.element
    elif one.element is None or other.element is None:
        element = None
    else:
        element = either(one.element, other.element)
    return Type(one.kinds | other.kinds, element)


def element_of(source: Type) -> Type:
    """What an element of a list may be; UNKNOWN if it is no list."""
    return source.element or UNKNOWN


# Errors


def already_bound(name: str, part: ast.Part) -> QueryInconsistent:
    return QueryInconsistent(
        f"{name} already names something; choose another name here", detail="VariableAlreadyBound", span=part.span
    )


def undefined(name: str, part: ast.Part, scope: Collection[str], context: Context) -> QueryInconsistent:
    candidates = get_close_matches(name, [known for known in scope if not known.startswith(ast.OWN)], n=3)
    if name in context.left_behind:
        message = f"{name} is not known any more: {context.left_behind[name]}"
    elif candidates:
        message = f"{name} is not defined here; did you mean {' or '.join(candidates)}?"
    else:
        message = f"{name} is not defined here; bind it in a MATCH, WITH or UNWIND before"
    return QueryInconsistent(message, detail="UndefinedVariable", span=part.span, candidates=candidates)


def _mistyped(
    message: str, part: ast.Part, *, kind: str = "SyntaxError", detail: str = "InvalidArgumentType"
) -> QueryInconsistent:
    return QueryInconsistent(message, kind=kind, detail=detail, span=part.span)


def _described(found: int) -> str:
    return value_types.described(found) if found & ~NULL != ANY & ~NULL else "anything"


def _conflict(name: str, known: Type, wanted: str, part: ast.Part) -> QueryInconsistent:
    return QueryInconsistent(
        f"{name} is {_described(known.kinds)}, and stands here for {wanted}; choose another name",
        detail="VariableTypeConflict",
        span=part.span,
    )


# Patterns

_NODE, _RELATIONSHIP, _PATH = Type(NODE), Type(RELATIONSHIP), Type(PATH)
_RELATIONSHIPS = Type(LIST, _RELATIONSHIP)


def _declare_node(node: ast.NodePattern, name: str, scope: dict[str, Type], null: int) -> None:
    known = scope.get(name)
    if known is not None:
        _fits_node(node, name, known)
    if known is None:
        scope[name] = Type(NODE | null)
    elif not null:
        scope[name] = _NODE


def _fits_node(node: ast.NodePattern, name: str, known: Type) -> None:
    if known.kinds & ~NULL and not known.kinds & NODE:
        raise _conflict(name, known, "a node", node)


def _declare_relationship(relationship: ast.RelationshipPattern, name: str, scope: dict[str, Type], null: int) -> None:
    known = scope.get(name)
    matched = _RELATIONSHIP if relationship.length is None else _RELATIONSHIPS
    if known is not None:
        _fits_relationship(relationship, name, known)
    if known is None:
        scope[name] = Type(matched.kinds | null, matched.element)
    elif not null:
        scope[name] = matched


def _fits_relationship(relationship: ast.RelationshipPattern, name: str, known: Type) -> None:
    found = known.kinds & ~NULL
    if not found:
        return
    if relationship.length is None:
        if not found & RELATIONSHIP:
            raise _conflict(name, known, "a relationship", relationship)
        return
    element = known.element.kinds & ~NULL if known.element is not None else 0
    if not found & LIST or (element and not element & RELATIONSHIP):
        raise _conflict(name, known, "a list of relationships, since its length varies", relationship)


def _once(relationship: ast.RelationshipPattern, name: str, seen: set[str]) -> None:
    if name in seen:
        raise QueryInconsistent(
            f"{name} stands for two relationships of one pattern, which are always different ones; "
            "give each a name of its own",
            detail="RelationshipUniquenessViolation",
            span=relationship.span,
        )
    seen.add(name)


def _one_relationship_if_shortest(path: ast.Path) -> None:
    if path.shortest is not None and len(path.relationships) != 1:
        raise QueryInconsistent(
            "a shortest path goes from one node to another by one relationship pattern, such as (a)-[*]-(b)",
            detail="InvalidRelationshipPattern",
            span=path.span,
        )


def _meets(path: ast.Path, scope: Scope, context: Context) -> None:
    """Checks a pattern that may only name what is there."""
    _one_relationship_if_shortest(path)
    seen: set[str] = set()
    for part in traversal.pattern_parts(path):
        name = part.variable
        if name is None:
            continue
        known = scope.get(name)
        if known is None:
            raise QueryInconsistent(
                f"a pattern that stands as a condition cannot bring a new variable, and {name} is new; "
                f"leave the name out, or ask EXISTS {{ … }}, which may bring it",
                detail="UndefinedVariable",
                span=part.span,
                candidates=get_close_matches(name, scope, n=3),
            )
        if isinstance(part, ast.NodePattern):
            _fits_node(part, name, known)
        else:
            _fits_relationship(part, name, known)
            _once(part, name, seen)
    check_pattern(path, scope, context)


# Rules: of each kind of expression, its type

_ALWAYS = Type(BOOLEAN)
_TRUTH = Type(BOOLEAN | NULL)
_LITERALS = {
    type(None): Type(NULL),
    bool: _ALWAYS,
    int: Type(INTEGER),
    float: Type(FLOAT),
    str: Type(STRING),
}


def _literal(expression: ast.Literal, scope: Scope, context: Context) -> Type:
    return _LITERALS[type(expression.value)]


def _parameter(expression: ast.Parameter, scope: Scope, context: Context) -> Type:
    found = context.parameters.get(expression.name)
    if found is None:
        raise QueryInconsistent(
            f"the query asks for the parameter ${expression.name}, and it was not given",
            kind="ParameterMissing",
            detail="MissingParameter",
            span=expression.span,
            hint=f"Give a value for {expression.name} among the parameters.",
            candidates=get_close_matches(expression.name, context.parameters, n=3),
        )
    return found


def _variable(expression: ast.Variable, scope: Scope, context: Context) -> Type:
    found = scope.get(expression.name)
    if found is None:
        raise undefined(expression.name, expression, scope, context)
    return found


_HAVING_PROPERTIES = NODE | RELATIONSHIP | MAP | TEMPORAL


def _property(expression: ast.Property, scope: Scope, context: Context) -> Type:
    subject = check(expression.subject, scope, context).kinds & ~NULL
    if subject and not subject & _HAVING_PROPERTIES:
        _refuse_property(expression, subject)
    return UNKNOWN


def _refuse_property(expression: ast.Property, subject: int) -> None:
    hint = None
    if subject & PATH:
        hint = "Take its parts first: nodes(path), relationships(path)."
    elif subject & LIST:
        hint = f"Ask its elements: [x IN list | x.{expression.key}]."
    raise QueryInconsistent(
        f"{_described(subject)} has no properties, so .{expression.key} cannot be asked of it",
        kind="SyntaxError" if subject & PATH else "TypeError",
        detail="InvalidArgumentType",
        span=expression.span,
        hint=hint,
    )


_INDEXED = LIST | MAP | NODE | RELATIONSHIP


def _index(expression: ast.Index, scope: Scope, context: Context) -> Type:
    subject = check(expression.subject, scope, context)
    index = check(expression.index, scope, context).kinds & ~NULL
    found = subject.kinds & ~NULL
    if found and not found & _INDEXED:
        raise _mistyped(
            f"[…] takes an element of a list or a value of a map, and this is {_described(found)}",
            expression,
            kind="TypeError",
        )
    if index and found:
        if found & _INDEXED == LIST and not index & INTEGER:
            raise _mistyped(
                f"a list is indexed by an integer, and this is {_described(index)}",
                expression.index,
                kind="TypeError",
                detail="ListElementAccessByNonInteger",
            )
        if not found & LIST and not index & STRING:
            raise _mistyped(
                f"a property is named by a string, and this is {_described(index)}",
                expression.index,
                kind="TypeError",
                detail="MapElementAccessByNonString",
            )
    if found == LIST and subject.element is not None:
        return Type(subject.element.kinds | NULL, subject.element.element)
    return UNKNOWN


def _slice(expression: ast.Slice, scope: Scope, context: Context) -> Type:
    subject = check(expression.subject, scope, context)
    found = subject.kinds & ~NULL
    if found and not found & LIST:
        raise _mistyped(f"[a..b] takes a part of a list, and this is {_described(found)}", expression, kind="TypeError")
    for bound in (expression.start, expression.end):
        if bound is not None:
            place = check(bound, scope, context).kinds & ~NULL
            if place and not place & INTEGER:
                raise _mistyped(f"[a..b] wants integers, and this is {_described(place)}", bound, kind="TypeError")
    return Type(LIST | NULL, subject.element)


def _list(expression: ast.ListLiteral, scope: Scope, context: Context) -> Type:
    element: Type | None = None
    for part in expression.elements:
        found = check(part, scope, context)
        element = found if element is None else either(element, found)
    return Type(LIST, element)


_MAP = Type(MAP)


def _map(expression: ast.MapLiteral, scope: Scope, context: Context) -> Type:
    for _, value in expression.entries:
        check(value, scope, context)
    return _MAP


def _map_projection(expression: ast.MapProjection, scope: Scope, context: Context) -> Type:
    subject = check(expression.subject, scope, context).kinds
    if subject & ~NULL and not subject & (NODE | RELATIONSHIP | MAP):
        raise _mistyped(
            f"{{…}} after a variable takes properties of a node, a relationship or a map, "
            f"and {expression.subject.name} is {_described(subject)}",
            expression,
        )
    for _, value in expression.entries:
        check(value, scope, context)
    return Type(MAP | (subject & NULL))


# Operators


def _binary(expression: ast.Binary, scope: Scope, context: Context) -> Type:
    operator = expression.operator
    if operator in _LOGICAL:
        check_truth(expression.left, scope, context, operator)
        check_truth(expression.right, scope, context, operator)
        return _TRUTH
    left = check(expression.left, scope, context)
    right = check(expression.right, scope, context)
    if operator == "IN":
        found = right.kinds & ~NULL
        if found and not found & LIST:
            raise _mistyped(
                f"IN wants a list at its right, and this is {_described(found)}; write [value]", expression.right
            )
        return _TRUTH
    if operator not in _ARITHMETIC:
        return _TRUTH
    given = _computed(operator, left.kinds, right.kinds)
    if not given:
        raise _mistyped(f"{_described(left.kinds)} {operator} {_described(right.kinds)} has no value", expression)
    return Type(given, _joined(left, right) if given & LIST else None)


_LOGICAL = frozenset(("AND", "OR", "XOR"))
_INSTANT = TEMPORAL & ~DURATION
_KINDS = tuple(value_types.WORDS)

# What may stand at the left and right of an operator, and the kinds that it may give; 0: that of the left.
_ARITHMETIC: dict[str, tuple[tuple[int, int, int], ...]] = {
    "+": (
        (INTEGER, INTEGER, INTEGER),
        (NUMBER, FLOAT, FLOAT),
        (FLOAT, NUMBER, FLOAT),
        (STRING, STRING | NUMBER, STRING),
        (NUMBER, STRING, STRING),
        (_INSTANT, DURATION, 0),
        (DURATION, DURATION, DURATION),
        *((DURATION, instant, instant) for instant in _KINDS if instant & _INSTANT),
        (LIST, ANY, LIST),
        (ANY, LIST, LIST),
    ),
    "-": (
        (INTEGER, INTEGER, INTEGER),
        (NUMBER, FLOAT, FLOAT),
        (FLOAT, NUMBER, FLOAT),
        (TEMPORAL, DURATION, 0),
    ),
    "*": (
        (INTEGER, INTEGER, INTEGER),
        (NUMBER, FLOAT, FLOAT),
        (FLOAT, NUMBER, FLOAT),
        (DURATION, NUMBER, DURATION),
        (NUMBER, DURATION, DURATION),
    ),
    "/": (
        (INTEGER, INTEGER, INTEGER),
        (NUMBER, FLOAT, FLOAT),
        (FLOAT, NUMBER, FLOAT),
        (DURATION, NUMBER, DURATION),
    ),
    "%": (
        (INTEGER, INTEGER, INTEGER),
        (NUMBER, FLOAT, FLOAT),
        (FLOAT, NUMBER, FLOAT),
    ),
    "^": ((NUMBER, NUMBER, FLOAT),),
}


@lru_cache(maxsize=4096)
def _computed(operator: str, left: int, right: int) -> int:
    """The kinds that an operator may give; 0 if no two values of these kinds go together."""
    given = (left | right) & NULL
    if left == NULL or right == NULL:
        return NULL
    found = 0
    for at_left, at_right, result in _ARITHMETIC[operator]:
        if left & ~NULL & at_left and right & ~NULL & at_right:
            found |= result or left & at_left
    return given | found if found else 0


def _joined(left: Type, right: Type) -> Type | None:
    """The elements of `list + list`, `list + element`, `element + list`."""
    element: Type | None = None
    for part in (left, right):
        added = part if not part.kinds & LIST else part.element if part.kinds & ~NULL == LIST else None
        if added is None:
            return None
        element = added if element is None else either(element, added)
    return element


def _unary(expression: ast.Unary, scope: Scope, context: Context) -> Type:
    if expression.operator == "NOT":
        check_truth(expression.operand, scope, context, "NOT")
        return _TRUTH
    found = check(expression.operand, scope, context).kinds
    if found & ~NULL and not found & NUMBER:
        raise _mistyped(f"{expression.operator} wants a number, and this is {_described(found)}", expression.operand)
    return Type(found & (NUMBER | NULL))


def _is_null(expression: ast.IsNull, scope: Scope, context: Context) -> Type:
    check(expression.operand, scope, context)
    return _ALWAYS


def _has_labels(expression: ast.HasLabels, scope: Scope, context: Context) -> Type:
    found = check(expression.subject, scope, context).kinds & ~NULL
    if found and not found & (NODE | RELATIONSHIP):
        raise _mistyped(f"only a node or a relationship has labels, and this is {_described(found)}", expression)
    return _TRUTH


# Calls


def _call(expression: ast.Call, scope: Scope, context: Context) -> Type:
    name = expression.name.lower()
    function = functions.FUNCTIONS.get(name)
    if function is None:
        return _aggregate(expression, name, scope, context)
    if expression.distinct:
        raise QueryInconsistent(
            f"{function.name}() is no aggregate, so DISTINCT has no place in it",
            detail="UnexpectedSyntax",
            span=expression.span,
        )
    if name == "exists" and len(expression.arguments) == 1 and type(expression.arguments[0]) is ast.PatternPredicate:
        _meets(expression.arguments[0].pattern, scope, context)
        return _ALWAYS
    if context.aggregating and function.needs == "random":
        raise QueryInconsistent(
            f"{function.name}() is another value each time, and cannot be aggregated; compute it in a WITH before",
            detail="NonConstantExpression",
            span=expression.span,
        )
    arguments = _arguments(expression, function, scope, context)
    special = _SPECIAL.get(name)
    if special is not None:
        return special(arguments)
    return Type(function.gives, Type(function.element) if function.element else None)


def _aggregate(expression: ast.Call, name: str, scope: Scope, context: Context) -> Type:
    aggregate = functions.AGGREGATES.get(name)
    if aggregate is None:
        near = functions.near(expression.name)
        message = f"there is no function {expression.name}()"
        if near:
            message += f"; did you mean {' or '.join(near)}?"
        raise QueryInconsistent(message, detail="UnknownFunction", span=expression.span, candidates=near)
    _admit_aggregate(f"{aggregate.name}(…)", expression, context)
    context.aggregating = True
    (found, *_) = _arguments(expression, aggregate, scope, context)
    context.aggregating = False
    if name == "collect":
        return Type(LIST, Type(found.kinds & ~NULL, found.element) if found.kinds != NULL else None)
    if name in ("min", "max"):
        return Type(found.kinds | NULL, found.element)
    return Type(aggregate.gives)


def _admit_aggregate(written: str, expression: ast.Expression, context: Context) -> None:
    if context.aggregating:
        raise QueryInconsistent(
            f"{written} stands inside another aggregate; compute the inner one in a WITH before",
            detail="NestedAggregation",
            span=expression.span,
        )
    if context.no_aggregates:
        raise QueryInconsistent(
            f"{written} cannot stand {context.no_aggregates}; compute it in a WITH before, and use its name",
            detail="InvalidAggregation",
            span=expression.span,
        )
    context.aggregates = True


def _count_all(expression: ast.CountAll, scope: Scope, context: Context) -> Type:
    _admit_aggregate("count(*)", expression, context)
    return _LITERALS[int]


def _arguments(
    expression: ast.Call, function: functions.Function | functions.Aggregate, scope: Scope, context: Context
) -> list[Type]:
    given = len(expression.arguments)
    if given < function.least or (function.most is not None and given > function.most):
        raise QueryInconsistent(
            f"{function.name}() takes {_how_many(function.least, function.most)}, and is given {given}",
            detail="InvalidNumberOfArguments",
            span=expression.span,
        )
    takes = function.takes
    last = len(takes) - 1
    found = []
    for place, argument in enumerate(expression.arguments):
        one = check(argument, scope, context)
        found.append(one)
        wanted = takes[place if place < last else last]
        if not one.kinds & wanted and one.kinds & ~NULL:
            raise _mistyped(
                f"{function.name}() wants {_described(wanted)}, and this is {_described(one.kinds)}", argument
            )
    return found


def _how_many(least: int, most: int | None) -> str:
    if most == 0:
        return "no argument"
    if most == least:
        return f"{least} argument{'s' if least > 1 else ''}"
    return f"at least {least} arguments" if most is None else f"{least} to {most} arguments"


def _first_element(arguments: list[Type]) -> Type:
    element = element_of(arguments[0])
    return Type(element.kinds | NULL, element.element)


def _same(arguments: list[Type]) -> Type:
    return arguments[0]


def _same_or_null(arguments: list[Type]) -> Type:
    return Type(arguments[0].kinds | NULL, arguments[0].element)


def _any_of(arguments: list[Type]) -> Type:
    found = arguments[0]
    for other in arguments[1:]:
        found = either(found, other)
    if any(not argument.kinds & NULL for argument in arguments):
        return Type(found.kinds & ~NULL, found.element)
    return found


def _same_list(arguments: list[Type]) -> Type:
    return Type(LIST | NULL, arguments[0].element)


def _same_list_or_string(arguments: list[Type]) -> Type:
    return Type(arguments[0].kinds & (LIST | STRING) | NULL, arguments[0].element)


# Functions whose result goes by their arguments.
_SPECIAL: dict[str, Callable[[list[Type]], Type]] = {
    "coalesce": _any_of,
    "nullif": _same_or_null,
    "head": _first_element,
    "last": _first_element,
    "tail": _same_list,
    "reverse": _same_list_or_string,
    "abs": _same,
}


# Choices and lists


def _case(expression: ast.Case, scope: Scope, context: Context) -> Type:
    if expression.subject is not None:
        check(expression.subject, scope, context)
    found: Type | None = None
    for when, then in expression.branches:
        if expression.subject is None:
            check_truth(when, scope, context, "WHEN")
        else:
            check(when, scope, context)
        one = check(then, scope, context)
        found = one if found is None else either(found, one)
    last = _LITERALS[type(None)] if expression.otherwise is None else check(expression.otherwise, scope, context)
    return last if found is None else either(found, last)


def _elements_of(source: ast.Expression, scope: Scope, context: Context, place: str) -> Type:
    found = check(source, scope, context)
    if found.kinds & ~NULL and not found.kinds & LIST:
        raise _mistyped(f"{place} goes through a list, and this is {_described(found.kinds)}", source)
    return element_of(found)


def _comprehension(expression: ast.ListComprehension, scope: Scope, context: Context) -> Type:
    element = _elements_of(expression.source, scope, context, "[x IN …]")
    inner = {**scope, expression.variable: element}
    before, context.no_aggregates = context.no_aggregates, context.no_aggregates or "in a list comprehension"
    if expression.condition is not None:
        check_truth(expression.condition, inner, context, "WHERE")
    if expression.result is not None:
        element = check(expression.result, inner, context)
    context.no_aggregates = before
    return Type(LIST | NULL, element)


def _quantifier(expression: ast.Quantifier, scope: Scope, context: Context) -> Type:
    element = _elements_of(expression.source, scope, context, f"{expression.which}(x IN …)")
    before, context.no_aggregates = context.no_aggregates, context.no_aggregates or f"in {expression.which}(…)"
    check_truth(expression.condition, {**scope, expression.variable: element}, context, "WHERE")
    context.no_aggregates = before
    return _TRUTH


def _reduce(expression: ast.Reduce, scope: Scope, context: Context) -> Type:
    initial = check(expression.initial, scope, context)
    element = _elements_of(expression.source, scope, context, "reduce()")
    before, context.no_aggregates = context.no_aggregates, context.no_aggregates or "in reduce(…)"
    inner = {**scope, expression.variable: element}
    # The result is the next round's accumulator: as long as it brings kinds that are new, ask again.
    found = initial
    for _ in range(3):
        inner[expression.accumulator] = found
        result = either(found, check(expression.result, inner, context))
        if result == found:
            break
        found = result
    else:
        found = UNKNOWN
    context.no_aggregates = before
    return Type(found.kinds | NULL, found.element)


def _pattern_comprehension(expression: ast.PatternComprehension, scope: Scope, context: Context) -> Type:
    inner = dict(scope)
    declare((expression.pattern,), inner)
    check_pattern(expression.pattern, inner, context)
    before, context.no_aggregates = context.no_aggregates, context.no_aggregates or "in a pattern comprehension"
    if expression.condition is not None:
        check_truth(expression.condition, inner, context, "WHERE")
    result = check(expression.result, inner, context)
    context.no_aggregates = before
    return Type(LIST, result)


def _pattern_predicate(expression: ast.PatternPredicate, scope: Scope, context: Context) -> Type:
    if expression.span != expression.pattern.span:
        # exists((a)-->(b)), whose span has the word in it
        _meets(expression.pattern, scope, context)
        return _ALWAYS
    raise QueryInconsistent(
        "a pattern stands here as a value, and is only a condition; "
        "ask EXISTS { … } or COUNT { … }, or collect it: [(a)-->(b) | b]",
        detail="UnexpectedSyntax",
        span=expression.span,
    )


def _pattern_path(expression: ast.PatternPath, scope: Scope, context: Context) -> Type:
    _meets(expression.pattern, scope, context)
    return Type(PATH | NULL) if expression.pattern.shortest == "shortest" else Type(LIST, _PATH)


def _subquery(expression: ast.Subquery, scope: Scope, context: Context) -> Type:
    return context.subquery(expression, scope, context)


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
}
