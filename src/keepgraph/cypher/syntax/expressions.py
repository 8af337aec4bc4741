"""Reads expressions, operators by their strength. Knows no clause, but asks for them in `EXISTS { … }`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal as Word
from typing import cast

from keepgraph.cypher.syntax import parser, patterns, tokens
from keepgraph.cypher.syntax.ast import (
    Binary,
    Call,
    Case,
    CountAll,
    Expression,
    HasLabels,
    Index,
    IsNull,
    ListComprehension,
    ListLiteral,
    Literal,
    MapLiteral,
    MapProjection,
    Operator,
    Parameter,
    PatternComprehension,
    PatternPath,
    PatternPredicate,
    Property,
    Quantifier,
    Reduce,
    Slice,
    Subquery,
    Unary,
    Variable,
)
from keepgraph.cypher.syntax.tokens import MOST_LEVELS, NAMES, RESERVED, UNRESERVED, VARIABLES, Reader

_NOT = 4
_COMPARISON = 5
_PREDICATE = 6
_UNARY = 10
_POSTFIX = 11

STRENGTHS = {
    "OR": 1, "XOR": 2, "AND": 3,
    "=": _COMPARISON, "<>": _COMPARISON, "<": _COMPARISON, "<=": _COMPARISON, ">": _COMPARISON, ">=": _COMPARISON,
    "IN": _PREDICATE, "STARTS": _PREDICATE, "ENDS": _PREDICATE, "CONTAINS": _PREDICATE, "IS": _PREDICATE,
    "=~": _PREDICATE,
    "+": 7, "-": 7, "*": 8, "/": 8, "%": 8, "^": 9,
    ".": _POSTFIX, "[": _POSTFIX, ":": _POSTFIX,
}  # fmt: skip

_LONG_ROW = 16

_SEPARATORS = frozenset({",", "|", "WHERE"})


def expression(r: Reader, strength: int = 0, bar_ends: bool = False) -> Expression:
    """As much as holds together by operators stronger than this. `bar_ends`: a `|` after it belongs to someone else."""
    r.level += 1
    if r.level > MOST_LEVELS:
        r.enter(0)
    first = r.at
    kinds = r.kinds
    prefix = _PREFIXES.get(kinds[first])
    left = prefix(r) if prefix is not None else _signed(r, strength, bar_ends)
    while True:
        kind = kinds[r.at]
        power = STRENGTHS.get(kind, 0)
        if power <= strength:
            break
        if power == _POSTFIX:
            left = _postfix(r, left, first, bar_ends)
        elif power == _COMPARISON:
            left = _comparison(r, left, first, bar_ends)
        elif power == _PREDICATE:
            left = _predicate(r, left, first, bar_ends)
        elif power < _NOT:
            left = _junction(r, left, first, bar_ends)
        else:
            r.at += 1
            right = expression(r, power, bar_ends)
            left = Binary(cast(Operator, kind), left, right, span=(r.starts[first], r.ends[r.at - 1]))
    r.level -= 1
    return left


def _signed(r: Reader, strength: int, bar_ends: bool) -> Expression:
    """What begins with NOT, + or -."""
    first = r.at
    kind = r.kinds[first]
    if kind == "NOT":
        if strength > _NOT:
            raise r.expected("a value", hint="NOT binds less than what stands before it; write (NOT …).")
        r.at += 1
        operand = expression(r, _NOT, bar_ends)
        return Unary("NOT", operand, span=r.span(first))
    if kind not in ("-", "+"):
        raise r.expected("an expression", hint=_hint(r))
    r.at += 1
    # The least integer has no positive counterpart: a minus and its number are read as one.
    if kind == "-" and r.kinds[r.at] == "number" and STRENGTHS.get(r.kinds[r.at + 1]) != _POSTFIX:
        r.at += 1
        return Literal(tokens.number(r, r.at - 1, negative=True), span=r.span(first))
    operand = expression(r, _UNARY, bar_ends)
    return Unary("-" if kind == "-" else "+", operand, span=r.span(first))


def _hint(r: Reader) -> str | None:
    kind = r.kinds[r.at]
    if kind in RESERVED:
        return f"{kind} is a keyword; as a name, write it in back-ticks: `{r.words[r.at]}`."
    if kind in ")]}," or kind == "end":
        return "Something is missing before this."
    return None


def _junction(r: Reader, left: Expression, first: int, bar_ends: bool) -> Expression:
    """`a OR b OR c`, and AND and XOR: it is all one in which order they are taken."""
    operator = r.kinds[r.at]
    strength = STRENGTHS[operator]
    operands = [left]
    places = [r.span(first)]
    while r.take(operator):
        begin = r.at
        operands.append(expression(r, strength, bar_ends))
        places.append(r.span(begin))

    def joined(start: int, end: int) -> Expression:
        if end - start == 1:
            return operands[start]
        # A long row is halved, so that the tree of a thousand operands is no deeper than that of ten.
        middle = end - 1 if end - start <= _LONG_ROW else (start + end) // 2
        return Binary(
            cast(Operator, operator),
            joined(start, middle),
            joined(middle, end),
            span=(places[start][0], places[end - 1][1]),
        )

    return joined(0, len(operands))


def _postfix(r: Reader, subject: Expression, first: int, bar_ends: bool) -> Expression:
    kind = r.kinds[r.at]
    r.at += 1
    if kind == ".":
        at = r.at
        if r.kinds[at] not in NAMES:
            every = "All properties of n are properties(n), or n {.*}." if r.kinds[at] == "*" else None
            raise r.expected("a property key after the dot", hint=every)
        r.at = at + 1
        return Property(subject, r.words[at], span=(r.starts[first], r.ends[at]))
    if kind == ":":
        of = patterns.labels(r, bar_ends=bar_ends)
        return HasLabels(subject, of, span=r.span(first))
    if r.take(".."):
        end = None if r.kinds[r.at] == "]" else expression(r)
        r.need("]", "after the range")
        return Slice(subject, None, end, span=r.span(first))
    index = expression(r)
    if r.take(".."):
        end = None if r.kinds[r.at] == "]" else expression(r)
        r.need("]", "after the range")
        return Slice(subject, index, end, span=r.span(first))
    r.need("]", "after the index")
    return Index(subject, index, span=r.span(first))


def _comparison(r: Reader, left: Expression, first: int, bar_ends: bool) -> Expression:
    """`a < b <= c` says `a < b AND b <= c`."""
    whole: Expression | None = None
    middle = first
    while STRENGTHS.get(operator := r.kinds[r.at]) == _COMPARISON:
        r.at += 1
        begin = r.at
        right = expression(r, _COMPARISON, bar_ends)
        pair = Binary(cast(Operator, operator), left, right, span=r.span(middle))
        whole = pair if whole is None else Binary("AND", whole, pair, span=r.span(first))
        left, middle = right, begin
    return cast(Expression, whole)


def _predicate(r: Reader, left: Expression, first: int, bar_ends: bool) -> Expression:
    kind = r.kinds[r.at]
    r.at += 1
    if kind == "IS":
        negated = r.take("NOT")
        if not r.take("NULL"):
            raise r.expected("NULL after IS", hint="Only null is tested with IS; compare other values with =.")
        return IsNull(left, negated, span=r.span(first))
    operator = cast(Operator, kind)
    if kind in ("STARTS", "ENDS"):
        r.need("WITH", f"after {kind}")
        operator = "STARTS WITH" if kind == "STARTS" else "ENDS WITH"
    right = expression(r, _PREDICATE, bar_ends)
    return Binary(operator, left, right, span=r.span(first))


# What an expression may begin with


def _number(r: Reader) -> Expression:
    at = r.at
    value = tokens.number(r, at)
    if r.kinds[at + 1] == "." and r.starts[at + 1] == r.ends[at]:
        raise r.error(
            f"{r.words[at]}. is no number",
            detail="InvalidNumberLiteral",
            hint=f"Write {r.words[at]}.0 to have a float.",
        )
    r.at = at + 1
    return Literal(value, span=(r.starts[at], r.ends[at]))


def _string(r: Reader) -> Expression:
    at = r.at
    r.at = at + 1
    return Literal(tokens.string(r, at), span=(r.starts[at], r.ends[at]))


def _parameter(r: Reader) -> Expression:
    at = r.at
    r.at = at + 1
    return Parameter(tokens.parameter(r.words[at]), span=(r.starts[at], r.ends[at]))


def _constant(value: bool | None) -> Callable[[Reader], Expression]:
    def read(r: Reader) -> Expression:
        r.at += 1
        return Literal(value, span=r.span(r.at - 1))

    return read


def _name(r: Reader) -> Expression:
    """A variable, a call or a map projection."""
    at = r.at
    kinds = r.kinds
    following = kinds[at + 1]
    if following == ".":
        end = at + 1
        while kinds[end] == "." and kinds[end + 1] in NAMES:
            end += 2
        if kinds[end] == "(":
            return _call(r, end)
    elif following == "(":
        return _call(r, at + 1)
    elif following == "{":
        return _map_projection(r)
    r.at = at + 1
    return Variable(r.words[at], span=(r.starts[at], r.ends[at]))


def _call(r: Reader, bracket: int) -> Expression:
    first = r.at
    name = "".join(r.words[first:bracket])
    r.at = bracket + 1
    if r.kinds[r.at] == "*" and name.lower() == "count":
        r.at += 1
        r.need(")", "after count(*")
        return CountAll(span=r.span(first))
    distinct = r.take("DISTINCT")
    arguments: list[Expression] = []
    if r.kinds[r.at] != ")" or distinct:
        arguments.append(expression(r))
        while r.take(","):
            arguments.append(expression(r))
    if r.kinds[r.at] != ")":
        raise r.expected(f"`,` or `)` in the call of {name}", hint=_LEGACY.get(name.lower()))
    r.at += 1
    return Call(name, tuple(arguments), distinct, span=r.span(first))


_LEGACY = {
    "filter": "Write a list comprehension: [x IN list WHERE condition].",
    "extract": "Write a list comprehension: [x IN list | result].",
}


def _map_projection(r: Reader) -> Expression:
    first = r.at
    subject = Variable(r.variable(), span=r.span(first))
    r.at += 1
    entries: list[tuple[str, Expression]] = []
    everything = False
    while r.kinds[r.at] != "}" or entries or everything:
        begin = r.at
        if r.take("."):
            if r.take("*"):
                everything = True
            else:
                key = r.name("a property key, or *, after the dot")
                entries.append((key, Property(subject, key, span=r.span(begin))))
        else:
            key = r.name("`.key`, `key: value`, a variable or `.*`")
            if r.take(":"):
                entries.append((key, expression(r)))
            else:
                entries.append((key, Variable(key, span=r.span(begin))))
        if not r.take(","):
            break
    r.need("}", "after the map projection")
    return MapProjection(subject, tuple(entries), everything, span=r.span(first))


def map_literal(r: Reader) -> MapLiteral:
    """`{key: value, …}`"""
    first = r.at
    r.at += 1
    entries: list[tuple[str, Expression]] = []
    if r.kinds[r.at] != "}":
        while True:
            if r.kinds[r.at] == "string":
                raise r.expected("a key", hint="Keys stand without quotes: {name: 'Ada'}; unusual ones in back-ticks.")
            key = r.name("a key")
            if not r.take(":"):
                hint = "A map is written {key: value}, a parameter $name." if r.kinds[r.at] == "}" else None
                raise r.expected("`:` after the key", hint=hint)
            entries.append((key, expression(r)))
            if not r.take(","):
                break
    if r.kinds[r.at] != "}":
        raise r.expected("`,` or `}` in the map")
    r.at += 1
    return MapLiteral(tuple(entries), span=r.span(first))


def _round(r: Reader) -> Expression:
    """A pattern, or an expression in brackets."""
    first = r.at
    if patterns.begins_at(r, first):
        return PatternPredicate(patterns.path(r), span=r.span(first))
    r.at += 1
    inner = expression(r)
    if r.kinds[r.at] != ")":
        raise r.expected("`)` or an operator")
    r.at += 1
    return inner


def _square(r: Reader) -> Expression:
    """A list, or a comprehension."""
    first = r.at
    kinds = r.kinds
    second = kinds[first + 1]
    if second in VARIABLES:
        if kinds[first + 2] == "IN" and r.first_inside(first, _SEPARATORS) != ",":
            return _list_comprehension(r)
        if kinds[first + 2] == "=" and patterns.begins_at(r, first + 3):
            return _pattern_comprehension(r)
    elif second == "(" and patterns.begins_at(r, first + 1) and r.first_inside(first, _SEPARATORS) in ("|", "WHERE"):
        return _pattern_comprehension(r)
    r.at += 1
    elements: list[Expression] = []
    if kinds[r.at] != "]":
        elements.append(expression(r))
        while r.take(","):
            elements.append(expression(r))
    if kinds[r.at] != "]":
        raise r.expected("`,` or `]` in the list")
    r.at += 1
    return ListLiteral(tuple(elements), span=r.span(first))


def _list_comprehension(r: Reader) -> Expression:
    first = r.at
    r.at += 1
    variable, source = _each(r)
    condition = expression(r, 0, True) if r.take("WHERE") else None
    result = expression(r) if r.take("|") else None
    if r.kinds[r.at] != "]":
        raise r.expected("`]` after the list comprehension", hint="Write [x IN list WHERE condition | result].")
    r.at += 1
    return ListComprehension(variable, source, condition, result, span=r.span(first))


def _each(r: Reader) -> tuple[str, Expression]:
    """`variable IN source`"""
    variable = r.variable()
    r.need("IN", "after the variable")
    return variable, expression(r, 0, True)


def _pattern_comprehension(r: Reader) -> Expression:
    first = r.at
    r.at += 1
    begin = r.at
    variable = None
    if r.kinds[begin] != "(":
        variable = r.variable()
        r.at += 1
    pattern = patterns.path(r, variable=variable, first=begin)
    condition = expression(r, 0, True) if r.take("WHERE") else None
    if r.kinds[r.at] != "|":
        raise r.expected("`|` and what to list", hint="Write [(a)-->(b) WHERE condition | result].")
    r.at += 1
    result = expression(r)
    r.need("]", "after the pattern comprehension")
    return PatternComprehension(pattern, condition, result, span=r.span(first))


def _case(r: Reader) -> Expression:
    first = r.at
    r.at += 1
    subject = None if r.kinds[r.at] == "WHEN" else expression(r)
    branches: list[tuple[Expression, Expression]] = []
    while r.take("WHEN"):
        when = expression(r)
        r.need("THEN", "after the condition of WHEN")
        branches.append((when, expression(r)))
    if not branches:
        raise r.expected("WHEN after CASE")
    otherwise = expression(r) if r.take("ELSE") else None
    if r.kinds[r.at] != "END":
        raise r.expected("END of the CASE", hint="Write CASE WHEN condition THEN value ELSE value END.")
    r.at += 1
    return Case(subject, tuple(branches), otherwise, span=r.span(first))


def _quantifier(r: Reader) -> Expression:
    first = r.at
    if r.kinds[first + 1] != "(":
        return _name(r)
    word = cast(Word["all", "any", "none", "single"], r.words[first].lower())
    r.at += 2
    if r.kinds[r.at] not in VARIABLES or r.kinds[r.at + 1] != "IN":
        raise r.expected(f"`variable IN list` in {word}(…)", hint=f"Write {word}(x IN list WHERE condition).")
    variable, source = _each(r)
    if not r.take("WHERE"):
        raise r.expected("WHERE and a condition", hint=f"Write {word}(x IN list WHERE condition).")
    condition = expression(r)
    r.need(")", f"after {word}(…")
    return Quantifier(word, variable, source, condition, span=r.span(first))


def _reduce(r: Reader) -> Expression:
    first = r.at
    if r.kinds[first + 1] != "(":
        return _name(r)
    how = "Write reduce(total = 0, x IN list | total + x)."
    r.at += 2
    accumulator = r.variable("the variable that gathers the result")
    if not r.take("="):
        raise r.expected("`=` and the first value", hint=how)
    initial = expression(r)
    if not r.take(","):
        raise r.expected("`,` and `variable IN list`", hint=how)
    variable, source = _each(r)
    if not r.take("|"):
        raise r.expected("`|` and the next value", hint=how)
    result = expression(r)
    r.need(")", "after reduce(…")
    return Reduce(accumulator, initial, variable, source, result, span=r.span(first))


def _shortest(r: Reader) -> Expression:
    first = r.at
    if r.kinds[first + 1] != "(":
        return _name(r)
    return PatternPath(patterns.path(r), span=r.span(first))


def _subquery(r: Reader) -> Expression:
    """`EXISTS { … }`, or what else begins with that word."""
    first = r.at
    if r.kinds[first + 1] == "{" and r.kinds[first + 2] != ".":
        which = cast(Word["EXISTS", "COUNT", "COLLECT"], r.kinds[first])
        r.at += 2
        r.enter(3)
        query = parser.subquery(r, which)
        r.leave(3)
        return Subquery(which, query, span=r.span(first))
    value = _name(r)
    if isinstance(value, Call) and r.kinds[first] == "EXISTS" and len(value.arguments) == 1:
        (argument,) = value.arguments
        if isinstance(argument, PatternPredicate):
            return PatternPredicate(argument.pattern, span=value.span)
    return value


_PREFIXES: dict[str, Callable[[Reader], Expression]] = {
    **dict.fromkeys(UNRESERVED, _name),
    "name": _name,
    "number": _number,
    "string": _string,
    "parameter": _parameter,
    "TRUE": _constant(True),
    "FALSE": _constant(False),
    "NULL": _constant(None),
    "(": _round,
    "[": _square,
    "{": map_literal,
    "CASE": _case,
    **dict.fromkeys(("ALL", "ANY", "NONE", "SINGLE"), _quantifier),
    "REDUCE": _reduce,
    **dict.fromkeys(("SHORTESTPATH", "ALLSHORTESTPATHS"), _shortest),
    **dict.fromkeys(("EXISTS", "COUNT", "COLLECT"), _subquery),
}
