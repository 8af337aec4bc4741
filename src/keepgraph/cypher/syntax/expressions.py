"""Parser of expressions, by precedence climbing (Pratt). The query in `EXISTS { … }` is parsed by the parser module."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable
from typing import cast

from keepgraph.cypher.syntax import parser, patterns, tokenizer
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
from keepgraph.cypher.syntax.tokenizer import (
    MAX_NESTING,
    NAME_KINDS,
    RESERVED_WORDS,
    UNRESERVED_WORDS,
    VARIABLE_KINDS,
    TokenStream,
)

_NOT = 4
_COMPARISON = 5
_PREDICATE = 6
_UNARY = 10
_POSTFIX = 11

PRECEDENCE = {
    "OR": 1, "XOR": 2, "AND": 3,
    "=": _COMPARISON, "<>": _COMPARISON, "<": _COMPARISON, "<=": _COMPARISON, ">": _COMPARISON, ">=": _COMPARISON,
    "IN": _PREDICATE, "STARTS": _PREDICATE, "ENDS": _PREDICATE, "CONTAINS": _PREDICATE, "IS": _PREDICATE,
    "=~": _PREDICATE, "NOT": _PREDICATE, "LIKE": _PREDICATE, "ILIKE": _PREDICATE,
    "+": 7, "-": 7, "*": 8, "/": 8, "%": 8, "^": 9,
    ".": _POSTFIX, "[": _POSTFIX, ":": _POSTFIX,
}  # fmt: skip

_MAX_UNBALANCED_OPERANDS = 16
"""Up to this many operands of AND, OR or XOR make a left-deep tree; more make a balanced one."""

_SEPARATORS = frozenset({",", "|", "WHERE"})


def parse_expression(tokens: TokenStream, precedence: int = 0, stop_at_bar: bool = False) -> Expression:
    """Parses an expression of operators that bind more strongly than `precedence`.

    Args:
        stop_at_bar: whether a `|` ends it, as in a list comprehension, instead of joining two labels.
    """
    tokens.depth += 1
    if tokens.depth > MAX_NESTING:
        tokens.enter(0)
    first = tokens.position
    kinds = tokens.kinds
    prefix = _PREFIX_PARSERS.get(kinds[first])
    left = prefix(tokens) if prefix is not None else _parse_prefix_operator(tokens, precedence, stop_at_bar)
    while True:
        kind = kinds[tokens.position]
        next_precedence = PRECEDENCE.get(kind, 0)
        if next_precedence <= precedence:
            break
        if next_precedence == _POSTFIX:
            left = _parse_postfix(tokens, left, first, stop_at_bar)
        elif next_precedence == _COMPARISON:
            left = _parse_comparison(tokens, left, first, stop_at_bar)
        elif next_precedence == _PREDICATE:
            left = _parse_predicate(tokens, left, first, stop_at_bar)
        elif next_precedence < _NOT:
            left = _parse_logical(tokens, left, first, stop_at_bar)
        else:
            tokens.position += 1
            right = parse_expression(tokens, next_precedence, stop_at_bar)
            left = Binary(
                cast(Operator, kind), left, right, span=(tokens.starts[first], tokens.ends[tokens.position - 1])
            )
    tokens.depth -= 1
    return left


def _parse_prefix_operator(tokens: TokenStream, precedence: int, stop_at_bar: bool) -> Expression:
    """Parses an expression that begins with NOT, + or -."""
    first = tokens.position
    kind = tokens.kinds[first]
    if kind == "NOT":
        if precedence > _NOT:
            raise tokens.expected("a value", hint="NOT binds more loosely than the operator before it; write (NOT …).")
        tokens.position += 1
        operand = parse_expression(tokens, _NOT, stop_at_bar)
        return Unary("NOT", operand, span=tokens.span(first))
    if kind not in ("-", "+"):
        raise tokens.expected("an expression", hint=_hint_for_missing_value(tokens))
    tokens.position += 1
    # The least integer has no positive counterpart, so a minus and its number are one literal.
    if (
        kind == "-"
        and tokens.kinds[tokens.position] == "number"
        and PRECEDENCE.get(tokens.kinds[tokens.position + 1]) != _POSTFIX
    ):
        tokens.position += 1
        return Literal(tokenizer.number(tokens, tokens.position - 1, negative=True), span=tokens.span(first))
    operand = parse_expression(tokens, _UNARY, stop_at_bar)
    return Unary("-" if kind == "-" else "+", operand, span=tokens.span(first))


def _hint_for_missing_value(tokens: TokenStream) -> str | None:
    kind = tokens.kinds[tokens.position]
    if kind in RESERVED_WORDS:
        return f"{kind} is a keyword; as a name, write it in back-ticks: `{tokens.texts[tokens.position]}`."
    if kind in ")]}," or kind == "end":
        return "Something is missing before this."
    return None


def _parse_logical(tokens: TokenStream, left: Expression, first: int, stop_at_bar: bool) -> Expression:
    """`a OR b OR c`, and the same with AND and XOR, which are associative: the tree may have any shape."""
    operator = tokens.kinds[tokens.position]
    precedence = PRECEDENCE[operator]
    operands = [left]
    spans = [tokens.span(first)]
    while tokens.accept(operator):
        operand = tokens.position
        operands.append(parse_expression(tokens, precedence, stop_at_bar))
        spans.append(tokens.span(operand))

    def join(start: int, end: int) -> Expression:
        if end - start == 1:
            return operands[start]
        # Halving keeps the tree shallow: a thousand operands are only ten levels deep.
        middle = end - 1 if end - start <= _MAX_UNBALANCED_OPERANDS else (start + end) // 2
        return Binary(
            cast(Operator, operator),
            join(start, middle),
            join(middle, end),
            span=(spans[start][0], spans[end - 1][1]),
        )

    return join(0, len(operands))


def _parse_postfix(tokens: TokenStream, subject: Expression, first: int, stop_at_bar: bool) -> Expression:
    kind = tokens.kinds[tokens.position]
    tokens.position += 1
    if kind == ".":
        position = tokens.position
        if tokens.kinds[position] not in NAME_KINDS:
            hint = "All properties of n are properties(n), or n {.*}." if tokens.kinds[position] == "*" else None
            raise tokens.expected("a property key after the dot", hint=hint)
        tokens.position = position + 1
        return Property(subject, tokens.texts[position], span=(tokens.starts[first], tokens.ends[position]))
    if kind == ":":
        labels = patterns.parse_labels(tokens, stop_at_bar=stop_at_bar)
        return HasLabels(subject, labels, span=tokens.span(first))
    if tokens.accept(".."):
        end = None if tokens.kinds[tokens.position] == "]" else parse_expression(tokens)
        tokens.expect("]", "after the range")
        return Slice(subject, None, end, span=tokens.span(first))
    index = parse_expression(tokens)
    if tokens.accept(".."):
        end = None if tokens.kinds[tokens.position] == "]" else parse_expression(tokens)
        tokens.expect("]", "after the range")
        return Slice(subject, index, end, span=tokens.span(first))
    tokens.expect("]", "after the index")
    return Index(subject, index, span=tokens.span(first))


def _parse_comparison(tokens: TokenStream, left: Expression, first: int, stop_at_bar: bool) -> Expression:
    """`a < b <= c`, which means `a < b AND b <= c`."""
    comparison: Expression | None = None
    left_start = first
    while PRECEDENCE.get(operator := tokens.kinds[tokens.position]) == _COMPARISON:
        tokens.position += 1
        right_start = tokens.position
        right = parse_expression(tokens, _COMPARISON, stop_at_bar)
        pair = Binary(cast(Operator, operator), left, right, span=tokens.span(left_start))
        comparison = pair if comparison is None else Binary("AND", comparison, pair, span=tokens.span(first))
        left, left_start = right, right_start
    return cast(Expression, comparison)


def _parse_predicate(tokens: TokenStream, left: Expression, first: int, stop_at_bar: bool) -> Expression:
    kind = tokens.kinds[tokens.position]
    tokens.position += 1
    if kind == "IS":
        negated = tokens.accept("NOT")
        if not tokens.accept("NULL"):
            raise tokens.expected("NULL after IS", hint="Only null is tested with IS; compare other values with =.")
        return IsNull(left, negated, span=tokens.span(first))
    if kind == "NOT":
        if tokens.kinds[tokens.position] not in ("IN", "CONTAINS", "STARTS", "ENDS", "=~", "LIKE", "ILIKE"):
            raise tokens.expected("IN, CONTAINS, STARTS WITH, ENDS WITH, =~ or LIKE after NOT")
        return Unary("NOT", _parse_predicate(tokens, left, first, stop_at_bar), span=tokens.span(first))
    if kind in ("LIKE", "ILIKE"):
        return _parse_like(tokens, left, first, stop_at_bar)
    operator = cast(Operator, kind)
    if kind in ("STARTS", "ENDS"):
        tokens.expect("WITH", f"after {kind}")
        operator = "STARTS WITH" if kind == "STARTS" else "ENDS WITH"
    right = parse_expression(tokens, _PREDICATE, stop_at_bar)
    return Binary(operator, left, right, span=tokens.span(first))


def _parse_like(tokens: TokenStream, left: Expression, first: int, stop_at_bar: bool) -> Expression:
    """`a LIKE '%x_'` of SQL, and ILIKE for any case, as a regular expression."""
    like, start = tokens.position - 1, tokens.position
    pattern = parse_expression(tokens, _PREDICATE, stop_at_bar)
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        tokens.position = start + (tokens.kinds[start] == "string")
        raise tokens.expected(
            "only a text in quotes after LIKE",
            hint="Compare with CONTAINS, STARTS WITH or ENDS WITH: WHERE toLower(n.name) CONTAINS toLower($part).",
        )
    escaped = _PUNCTUATION.sub(r"\\\g<0>", pattern.value)
    flags = "(?s)" if tokens.kinds[like] == "LIKE" else "(?is)"
    regular = Literal(flags + escaped.replace("\\%", ".*").replace("_", "."), span=pattern.span)
    return Binary("=~", left, regular, span=tokens.span(first))


_PUNCTUATION = re.compile(r"[!-/:-@\[-^`{-~]")

# Expressions by their first token


def _parse_number(tokens: TokenStream) -> Expression:
    position = tokens.position
    value = tokenizer.number(tokens, position)
    if tokens.kinds[position + 1] == "." and tokens.starts[position + 1] == tokens.ends[position]:
        raise tokens.error(
            f"{tokens.texts[position]}. is no number",
            detail="InvalidNumberLiteral",
            hint=f"Write {tokens.texts[position]}.0 to have a float.",
        )
    tokens.position = position + 1
    return Literal(value, span=(tokens.starts[position], tokens.ends[position]))


def _parse_string(tokens: TokenStream) -> Expression:
    position = tokens.position
    tokens.position = position + 1
    return Literal(tokenizer.string(tokens, position), span=(tokens.starts[position], tokens.ends[position]))


def _parse_parameter(tokens: TokenStream) -> Expression:
    position = tokens.position
    tokens.position = position + 1
    return Parameter(tokenizer.parameter(tokens.texts[position]), span=(tokens.starts[position], tokens.ends[position]))


def _constant_parser(value: bool | None) -> Callable[[TokenStream], Expression]:
    def parse(tokens: TokenStream) -> Expression:
        tokens.position += 1
        return Literal(value, span=tokens.span(tokens.position - 1))

    return parse


def _parse_name(tokens: TokenStream) -> Expression:
    """A variable, a call or a map projection."""
    position = tokens.position
    kinds = tokens.kinds
    following = kinds[position + 1]
    if following == ".":
        end = position + 1
        while kinds[end] == "." and kinds[end + 1] in NAME_KINDS:
            end += 2
        if kinds[end] == "(":
            return _parse_call(tokens, end)
    elif following == "(":
        return _parse_call(tokens, position + 1)
    elif following == "{":
        return _parse_map_projection(tokens)
    tokens.position = position + 1
    return Variable(tokens.texts[position], span=(tokens.starts[position], tokens.ends[position]))


def _parse_call(tokens: TokenStream, parenthesis: int) -> Expression:
    first = tokens.position
    name = "".join(tokens.texts[first:parenthesis])
    tokens.position = parenthesis + 1
    if tokens.kinds[tokens.position] == "*" and name.lower() == "count":
        tokens.position += 1
        tokens.expect(")", "after count(*")
        return CountAll(span=tokens.span(first))
    distinct = tokens.accept("DISTINCT")
    arguments: list[Expression] = []
    if tokens.kinds[tokens.position] != ")" or distinct:
        arguments.append(parse_expression(tokens))
        while tokens.accept(","):
            arguments.append(parse_expression(tokens))
    if tokens.kinds[tokens.position] != ")":
        raise tokens.expected(f"`,` or `)` in the call of {name}", hint=_REMOVED_FUNCTION_HINTS.get(name.lower()))
    tokens.position += 1
    return Call(name, tuple(arguments), distinct, span=tokens.span(first))


_REMOVED_FUNCTION_HINTS = {
    "filter": "Write a list comprehension: [x IN list WHERE condition].",
    "extract": "Write a list comprehension: [x IN list | result].",
}


def _parse_map_projection(tokens: TokenStream) -> Expression:
    first = tokens.position
    subject = Variable(tokens.expect_variable(), span=tokens.span(first))
    tokens.position += 1
    entries: list[tuple[str, Expression]] = []
    all_properties = False
    while tokens.kinds[tokens.position] != "}" or entries or all_properties:
        start = tokens.position
        if tokens.accept("."):
            if tokens.accept("*"):
                all_properties = True
            else:
                key = tokens.expect_name("a property key, or *, after the dot")
                entries.append((key, Property(subject, key, span=tokens.span(start))))
        else:
            key = tokens.expect_name("`.key`, `key: value`, a variable or `.*`")
            if tokens.accept(":"):
                entries.append((key, parse_expression(tokens)))
            else:
                entries.append((key, Variable(key, span=tokens.span(start))))
        if not tokens.accept(","):
            break
    tokens.expect("}", "after the map projection")
    return MapProjection(subject, tuple(entries), all_properties, span=tokens.span(first))


_MAP_HINT = (
    "A map is written {key: value}; a key of several words takes back-ticks, a parameter is written $name, and "
    "comparisons go into WHERE."
)


def parse_map(tokens: TokenStream) -> MapLiteral:
    """`{key: value, …}`"""
    first = tokens.position
    tokens.position += 1
    entries: list[tuple[str, Expression]] = []
    if tokens.kinds[tokens.position] != "}":
        while True:
            if tokens.kinds[tokens.position] == "string":  # as in JSON
                key = tokenizer.string(tokens, tokens.position)
                tokens.position += 1
            else:
                key = tokens.expect_name("a key")
            if not tokens.accept(":"):
                raise tokens.expected("`:` after the key", hint=_MAP_HINT)
            entries.append((key, parse_expression(tokens)))
            if not tokens.accept(","):
                break
    if tokens.kinds[tokens.position] != "}":
        raise tokens.expected("`,` or `}` in the map")
    tokens.position += 1
    return MapLiteral(tuple(entries), span=tokens.span(first))


def _parse_parenthesised(tokens: TokenStream) -> Expression:
    """A pattern, an expression in parentheses, or the list of `x IN (1, 2)`, as in SQL."""
    first = tokens.position
    if patterns.is_pattern_at(tokens, first):
        return PatternPredicate(patterns.parse_path(tokens), span=tokens.span(first))
    tokens.position += 1
    inner = parse_expression(tokens)
    if tokens.kinds[tokens.position] == "," and tokens.kinds[first - 1] == "IN":
        elements = [inner]
        while tokens.accept(","):
            elements.append(parse_expression(tokens))
        inner = ListLiteral(tuple(elements), span=(tokens.starts[first], tokens.ends[tokens.position]))
    if tokens.kinds[tokens.position] != ")":
        is_list = tokens.kinds[tokens.position] == ","
        raise tokens.expected("`)` or an operator", hint="A list is written [1, 2]." if is_list else None)
    tokens.position += 1
    return inner


def _parse_bracketed(tokens: TokenStream) -> Expression:
    """A list, or a comprehension."""
    first = tokens.position
    kinds = tokens.kinds
    second = kinds[first + 1]
    if second in VARIABLE_KINDS:
        if kinds[first + 2] == "IN" and tokens.find_inside(first, _SEPARATORS) != ",":
            return _parse_list_comprehension(tokens)
        if kinds[first + 2] == "=" and patterns.is_pattern_at(tokens, first + 3):
            return _parse_pattern_comprehension(tokens)
    elif (
        second == "("
        and patterns.is_pattern_at(tokens, first + 1)
        and tokens.find_inside(first, _SEPARATORS) in ("|", "WHERE")
    ):
        return _parse_pattern_comprehension(tokens)
    tokens.position += 1
    elements: list[Expression] = []
    if kinds[tokens.position] != "]":
        elements.append(parse_expression(tokens))
        while tokens.accept(","):
            elements.append(parse_expression(tokens))
    if kinds[tokens.position] != "]":
        raise tokens.expected("`,` or `]` in the list")
    tokens.position += 1
    return ListLiteral(tuple(elements), span=tokens.span(first))


def _parse_list_comprehension(tokens: TokenStream) -> Expression:
    first = tokens.position
    tokens.position += 1
    variable, source = _parse_variable_in_list(tokens)
    condition = parse_expression(tokens, 0, True) if tokens.accept("WHERE") else None
    result = parse_expression(tokens) if tokens.accept("|") else None
    if tokens.kinds[tokens.position] != "]":
        raise tokens.expected("`]` after the list comprehension", hint="Write [x IN list WHERE condition | result].")
    tokens.position += 1
    return ListComprehension(variable, source, condition, result, span=tokens.span(first))


def _parse_variable_in_list(tokens: TokenStream) -> tuple[str, Expression]:
    """`variable IN source`"""
    variable = tokens.expect_variable()
    tokens.expect("IN", "after the variable")
    return variable, parse_expression(tokens, 0, True)


def _parse_pattern_comprehension(tokens: TokenStream) -> Expression:
    first = tokens.position
    tokens.position += 1
    start = tokens.position
    variable = None
    if tokens.kinds[start] != "(":
        variable = tokens.expect_variable()
        tokens.position += 1
    pattern = patterns.parse_path(tokens, variable=variable, first=start)
    condition = parse_expression(tokens, 0, True) if tokens.accept("WHERE") else None
    if tokens.kinds[tokens.position] != "|":
        raise tokens.expected("`|` and the value to list", hint="Write [(a)-->(b) WHERE condition | result].")
    tokens.position += 1
    result = parse_expression(tokens)
    tokens.expect("]", "after the pattern comprehension")
    return PatternComprehension(pattern, condition, result, span=tokens.span(first))


def _parse_case(tokens: TokenStream) -> Expression:
    first = tokens.position
    tokens.position += 1
    subject = None if tokens.kinds[tokens.position] == "WHEN" else parse_expression(tokens)
    branches: list[tuple[Expression, Expression]] = []
    while tokens.accept("WHEN"):
        when = parse_expression(tokens)
        tokens.expect("THEN", "after the condition of WHEN")
        branches.append((when, parse_expression(tokens)))
    if not branches:
        raise tokens.expected("WHEN after CASE")
    default = parse_expression(tokens) if tokens.accept("ELSE") else None
    if tokens.kinds[tokens.position] != "END":
        raise tokens.expected("END of the CASE", hint="Write CASE WHEN condition THEN value ELSE value END.")
    tokens.position += 1
    return Case(subject, tuple(branches), default, span=tokens.span(first))


def _parse_quantifier(tokens: TokenStream) -> Expression:
    first = tokens.position
    if tokens.kinds[first + 1] != "(":
        return _parse_name(tokens)
    quantifier = cast(typing.Literal["all", "any", "none", "single"], tokens.texts[first].lower())
    tokens.position += 2
    if tokens.kinds[tokens.position] not in VARIABLE_KINDS or tokens.kinds[tokens.position + 1] != "IN":
        raise tokens.expected(
            f"`variable IN list` in {quantifier}(…)", hint=f"Write {quantifier}(x IN list WHERE condition)."
        )
    variable, source = _parse_variable_in_list(tokens)
    if not tokens.accept("WHERE"):
        raise tokens.expected("WHERE and a condition", hint=f"Write {quantifier}(x IN list WHERE condition).")
    condition = parse_expression(tokens)
    tokens.expect(")", f"after {quantifier}(…")
    return Quantifier(quantifier, variable, source, condition, span=tokens.span(first))


def _parse_reduce(tokens: TokenStream) -> Expression:
    first = tokens.position
    if tokens.kinds[first + 1] != "(":
        return _parse_name(tokens)
    hint = "Write reduce(total = 0, x IN list | total + x)."
    tokens.position += 2
    accumulator = tokens.expect_variable("the variable that gathers the result")
    if not tokens.accept("="):
        raise tokens.expected("`=` and the first value", hint=hint)
    initial = parse_expression(tokens)
    if not tokens.accept(","):
        raise tokens.expected("`,` and `variable IN list`", hint=hint)
    variable, source = _parse_variable_in_list(tokens)
    if not tokens.accept("|"):
        raise tokens.expected("`|` and the next value", hint=hint)
    result = parse_expression(tokens)
    tokens.expect(")", "after reduce(…")
    return Reduce(accumulator, initial, variable, source, result, span=tokens.span(first))


def _parse_shortest_path(tokens: TokenStream) -> Expression:
    first = tokens.position
    if tokens.kinds[first + 1] != "(":
        return _parse_name(tokens)
    return PatternPath(patterns.parse_path(tokens), span=tokens.span(first))


def _parse_subquery(tokens: TokenStream) -> Expression:
    """`EXISTS { … }`, or another expression that begins with this word: a variable or a call."""
    first = tokens.position
    if tokens.kinds[first + 1] == "{" and tokens.kinds[first + 2] != ".":
        kind = cast(typing.Literal["EXISTS", "COUNT", "COLLECT"], tokens.kinds[first])
        tokens.position += 2
        tokens.enter(3)
        query = parser.parse_subquery(tokens, kind)
        tokens.leave(3)
        return Subquery(kind, query, span=tokens.span(first))
    value = _parse_name(tokens)
    if isinstance(value, Call) and tokens.kinds[first] == "EXISTS" and len(value.arguments) == 1:
        (argument,) = value.arguments
        if isinstance(argument, PatternPredicate):
            return PatternPredicate(argument.pattern, span=value.span)
    return value


_PREFIX_PARSERS: dict[str, Callable[[TokenStream], Expression]] = {
    **dict.fromkeys(UNRESERVED_WORDS, _parse_name),
    "name": _parse_name,
    "number": _parse_number,
    "string": _parse_string,
    "parameter": _parse_parameter,
    "TRUE": _constant_parser(True),
    "FALSE": _constant_parser(False),
    "NULL": _constant_parser(None),
    "(": _parse_parenthesised,
    "[": _parse_bracketed,
    "{": parse_map,
    "CASE": _parse_case,
    **dict.fromkeys(("ALL", "ANY", "NONE", "SINGLE"), _parse_quantifier),
    "REDUCE": _parse_reduce,
    **dict.fromkeys(("SHORTESTPATH", "ALLSHORTESTPATHS"), _parse_shortest_path),
    **dict.fromkeys(("EXISTS", "COUNT", "COLLECT"), _parse_subquery),
}
