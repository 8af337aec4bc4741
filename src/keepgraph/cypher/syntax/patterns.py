"""Reads patterns: nodes, relationships, paths, and the labels and types in them. Knows no clause."""

from __future__ import annotations

from typing import Literal as Word

from keepgraph.cypher.syntax import expressions, tokens
from keepgraph.cypher.syntax.ast import (
    AllLabels,
    AnyLabel,
    Expression,
    LabelExpression,
    LabelName,
    Length,
    NodePattern,
    NotLabel,
    Path,
    RelationshipPattern,
    SomeLabel,
)
from keepgraph.cypher.syntax.tokens import NAMES, VARIABLES, Reader
from keepgraph.errors import QueryUnsupported

MOST_RELATIONSHIPS = 100
MOST_NODES = 500
"""In all patterns of a query: the time to plan a pattern grows with their square."""

_SHORTEST: dict[str, Word["shortest", "all shortest"]] = {
    "SHORTESTPATH": "shortest",
    "ALLSHORTESTPATHS": "all shortest",
}

_IN_NODE = frozenset({")", ":", "{", "parameter", "WHERE"})
_IN_RELATIONSHIP = frozenset({"]", ":", "{", "parameter", "WHERE", "*"})


def paths(r: Reader) -> tuple[Path, ...]:
    """`p = (a)-->(b), (c)`"""
    found = [_named_path(r)]
    while r.take(","):
        found.append(_named_path(r))
    return tuple(found)


def _named_path(r: Reader) -> Path:
    first = r.at
    if r.kinds[first] in VARIABLES and r.kinds[first + 1] == "=":
        name = r.variable()
        r.at += 1
        return path(r, variable=name, first=first)
    return path(r)


def path(r: Reader, *, variable: str | None = None, first: int | None = None) -> Path:
    """`(a)-[r]->(b)` or `shortestPath(…)`; what names it has been read."""
    begin = r.at if first is None else first
    shortest = _SHORTEST.get(r.kinds[r.at]) if r.kinds[r.at + 1] == "(" else None
    if shortest:
        r.at += 1
    # Brackets around a whole path say nothing; those of shortestPath are one of them.
    brackets = r.at
    while r.kinds[r.at] == "(" and (r.kinds[r.at + 1] == "(" or (shortest and r.at == brackets)):
        r.at += 1
    brackets = r.at - brackets
    nodes = [_node(r)]
    relationships = []
    while r.kinds[r.at] in "-<":
        relationships.append(_relationship(r))
        nodes.append(_node(r))
    if len(relationships) > MOST_RELATIONSHIPS:
        raise r.error(
            f"This path has {len(relationships)} relationships; {MOST_RELATIONSHIPS} are the most",
            span=nodes[0].span,
            hint="Write -[:TYPE*1..3]-> for several hops of one kind.",
        )
    r.nodes += len(nodes)
    if r.nodes > MOST_NODES:
        raise r.error(
            f"The patterns of this query have too many nodes: {MOST_NODES} are the most",
            span=nodes[0].span,
            hint="Ask in several queries, or pass a list as a parameter: WHERE n.name IN $names.",
        )
    for _ in range(brackets):
        r.need(")", "after the pattern")
    if r.kinds[r.at] in "{+*" or (r.kinds[r.at - 1] == ")" and r.kinds[r.at] == "?"):
        raise _quantified(r)
    return Path(variable, shortest, tuple(nodes), tuple(relationships), span=r.span(begin))


def begins_at(r: Reader, at: int) -> bool:
    """Whether a pattern of at least one relationship begins at this bracket, and not an expression in brackets."""
    return _node_at(r, at) and _relationship_at(r, r.closing(at) + 1)


def labels(r: Reader, *, bar_ends: bool = False) -> LabelExpression:
    """What follows a colon: `A:B`, `A|B`, `A&!B`, `(A|B)&C`, `%`. In a list comprehension, `|` is not of it."""
    first = r.at
    operands = [_all_labels(r)]
    while r.kinds[r.at] == "|" and not bar_ends:
        r.at += 1
        r.take(":")
        operands.append(_all_labels(r))
    return operands[0] if len(operands) == 1 else SomeLabel(tuple(operands), span=r.span(first))


def _all_labels(r: Reader) -> LabelExpression:
    first = r.at
    operands = [_one_label(r)]
    while r.kinds[r.at] in "&:":
        r.at += 1
        operands.append(_one_label(r))
    return operands[0] if len(operands) == 1 else AllLabels(tuple(operands), span=r.span(first))


def _one_label(r: Reader) -> LabelExpression:
    first = r.at
    kind = r.kinds[first]
    if kind == "!":
        r.at += 1
        r.enter()
        operand = _one_label(r)
        r.leave()
        return NotLabel(operand, span=r.span(first))
    if kind == "(":
        r.at += 1
        r.enter()
        inner = labels(r)
        r.leave()
        r.need(")", "after the labels")
        return inner
    if kind == "%":
        r.at += 1
        return AnyLabel(span=r.span(first))
    return LabelName(r.name("a label or type"), span=r.span(first))


def _node(r: Reader) -> NodePattern:
    first = r.at
    if r.kinds[first] != "(":
        raise r.expected(
            "a node, such as (n) or (:Label)",
            hint="For the shortest way, write p = shortestPath((a)-[*]-(b))."
            if r.words[r.at].upper() in ("SHORTEST", "ANY", "ALL")
            else "Nodes stand in round brackets: (a)-[:TYPE]->(b).",
        )
    r.at += 1
    variable = _variable(r)
    of = labels(r) if r.take(":") else None
    properties = _properties(r)
    condition = _condition(r)
    if r.kinds[r.at] != ")":
        raise r.expected(
            "`)` to close the node",
            hint="A node is written (variable:Label {key: value}); a condition goes into WHERE.",
        )
    r.at += 1
    return NodePattern(variable, of, properties, condition, span=r.span(first))


def _relationship(r: Reader) -> RelationshipPattern:
    first = r.at
    to_left = r.take("<")
    r.need("-", "of the arrow")
    variable = types = properties = length = condition = None
    if r.take("["):
        variable = _variable(r)
        types = labels(r) if r.take(":") else None
        if r.kinds[r.at] == "..":
            raise r.error(
                "A length begins with *",
                detail="InvalidRelationshipPattern",
                hint="Write -[:TYPE*..3]-> for up to 3 hops.",
            )
        length = _length(r) if r.kinds[r.at] == "*" else None
        properties = _properties(r)
        condition = _condition(r)
        if r.kinds[r.at] != "]":
            raise r.expected(
                "`]` to close the relationship",
                hint="A relationship is written -[variable:TYPE*1..3 {key: value}]->, with what it has in that order.",
            )
        r.at += 1
    if r.kinds[r.at] != "-":
        raise r.expected("`-` of the arrow", hint="An arrow is written -[:TYPE]->, <-[:TYPE]- or -[:TYPE]-.")
    r.at += 1
    to_right = r.take(">")
    if r.kinds[r.at] in (">", "-", "<"):
        raise r.error(
            f"An arrow has one head at each end at most, but here comes {r.found()}",
            detail="InvalidRelationshipPattern",
            hint="Write -->, <-- or --; with a type -[:TYPE]->.",
        )
    if r.kinds[r.at] in "{+*":
        raise _quantified(r)
    direction: Word["out", "in", "both"] = "both" if to_left == to_right else "out" if to_right else "in"
    return RelationshipPattern(variable, types, direction, properties, length, condition, span=r.span(first))


def _variable(r: Reader) -> str | None:
    kind = r.kinds[r.at]
    return r.variable() if kind in NAMES and kind != "WHERE" else None


def _length(r: Reader) -> Length:
    first = r.at
    r.at += 1
    least = _hops(r)
    most = _hops(r) if r.take("..") else least
    if r.kinds[r.at] in ("-", "number", "parameter", ".", ".."):
        raise r.error(
            f"The number of hops is written as one or two whole numbers, but here comes {r.found()}",
            detail="InvalidRelationshipPattern",
            hint="Write *, *2, *1..3, *..3 or *1..; parameters cannot stand here.",
        )
    return Length(least, most, span=r.span(first))


def _hops(r: Reader) -> int | None:
    if r.kinds[r.at] != "number":
        return None
    hops = tokens.number(r, r.at)
    if not isinstance(hops, int):
        raise r.error(
            f"Hops are counted in whole numbers, but here comes {r.found()}",
            detail="InvalidRelationshipPattern",
            hint="Write *1..3, with two dots, for one to three hops.",
        )
    r.at += 1
    return hops


def _properties(r: Reader) -> Expression | None:
    kind = r.kinds[r.at]
    if kind == "{":
        r.enter(2)
        properties = expressions.map_literal(r)
        r.leave(2)
        return properties
    if kind == "parameter":
        raise r.error(
            f"{r.words[r.at]} cannot stand for all properties of a pattern",
            detail="InvalidParameterUse",
            hint="Name each property: (n {name: $name}).",
        )
    return None


def _condition(r: Reader) -> Expression | None:
    if not r.take("WHERE"):
        return None
    r.enter(2)
    condition = expressions.expression(r)
    r.leave(2)
    return condition


def _node_at(r: Reader, at: int) -> bool:
    """Whether these tokens can be a node; expressions in brackets look otherwise, but for `(a)`."""
    kinds = r.kinds
    if kinds[at] != "(":
        return False
    second = kinds[at + 1]
    if second not in _IN_NODE and not (second in VARIABLES and kinds[at + 2] in _IN_NODE):
        return False
    return r.closing(at) > 0


def _relationship_at(r: Reader, at: int) -> bool:
    kinds = r.kinds
    if kinds[at] == "<":
        at += 1
    if kinds[at] != "-":
        return False
    at += 1
    if kinds[at] == "[":
        second = kinds[at + 1]
        third = kinds[at + 2]
        if second not in _IN_RELATIONSHIP and not (second in VARIABLES and third in _IN_RELATIONSHIP):
            return False
        if second == ":" or third == ":":
            return True
        at = r.closing(at) + 1
    if kinds[at] != "-" or at == 0:
        return False
    at += 1
    # `(a)-->` can only be an arrow; `(a)--(b)` could be a minus, were it not that (b) looks like a node.
    return kinds[at] == ">" or _node_at(r, at)


def _quantified(r: Reader) -> QueryUnsupported:
    return QueryUnsupported(
        f"Patterns repeated by {r.found()} are not known here ({tokens.where(r.text, r.starts[r.at])}).",
        detail="UnexpectedSyntax",
        reason="quantified_pattern_unsupported",
        span=(r.starts[r.at], r.ends[r.at]),
        hint="Write the number of hops into the relationship: -[:TYPE*1..3]->.",
    )
