"""Parser of patterns: nodes, relationships, paths, and the label expressions in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from keepgraph.cypher.syntax import expressions, tokenizer
from keepgraph.cypher.syntax.ast import (
    INTERNAL_PREFIX,
    Binary,
    Call,
    Expression,
    HasLabels,
    LabelAnd,
    LabelExpression,
    LabelName,
    LabelNot,
    LabelOr,
    LabelWildcard,
    Length,
    NodePattern,
    Path,
    RelationshipPattern,
    Variable,
)
from keepgraph.cypher.syntax.tokenizer import NAME_KINDS, VARIABLE_KINDS, TokenStream
from keepgraph.errors import QueryUnsupported

MAX_RELATIONSHIPS = 100
MAX_NODES = 500
"""In all patterns of a query together: the time to plan them grows with the square of their number."""

_SHORTEST: dict[str, Literal["shortest", "all shortest"]] = {
    "SHORTESTPATH": "shortest",
    "ALLSHORTESTPATHS": "all shortest",
}
_SELECTORS: dict[str, Literal["shortest", "all shortest"]] = {
    "SHORTEST 1": "shortest",
    "ANY SHORTEST": "shortest",
    "ALL SHORTEST": "all shortest",
}

_ANY_NODE = NodePattern(None, None, None)

_NODE_CONTINUATIONS = frozenset({")", ":", "{", "parameter", "WHERE"})
_RELATIONSHIP_CONTINUATIONS = frozenset({"]", ":", "{", "parameter", "WHERE", "*"})


def parse_paths(tokens: TokenStream) -> tuple[Path, ...]:
    """`p = (a)-->(b), (c)`"""
    paths = [_parse_named_path(tokens)]
    while tokens.accept(","):
        paths.append(_parse_named_path(tokens))
    return tuple(paths)


def _parse_named_path(tokens: TokenStream) -> Path:
    first = tokens.position
    if tokens.kinds[first] in VARIABLE_KINDS and tokens.kinds[first + 1] == "=":
        name = tokens.expect_variable()
        tokens.position += 1
        return parse_path(tokens, variable=name, first=first)
    return parse_path(tokens)


def parse_path(tokens: TokenStream, *, variable: str | None = None, first: int | None = None) -> Path:
    """`(a)-[r]->(b)`, `shortestPath(…)`, or what GQL writes for them: `SHORTEST 1 (a)-[r]->+(b)`.

    Args:
        variable: the name of the path, which has been parsed already.
        first: the position where the path begins, with its name.
    """
    start = tokens.position if first is None else first
    shortest = _SHORTEST.get(tokens.kinds[tokens.position]) if tokens.kinds[tokens.position + 1] == "(" else None
    needs_parentheses = shortest is not None
    if shortest:
        tokens.position += 1
    elif tokens.kinds[tokens.position] != "(":
        shortest = _parse_selector(tokens)
    # Parentheses around a whole path have no meaning; shortestPath needs one pair.
    outer_parentheses = tokens.position
    while tokens.kinds[tokens.position] == "(" and (
        (tokens.kinds[tokens.position + 1] == "(" and not _is_repeated_at(tokens, tokens.position))
        or (needs_parentheses and tokens.position == outer_parentheses)
    ):
        tokens.position += 1
    outer_parentheses = tokens.position - outer_parentheses
    nodes = [_ANY_NODE if tokens.kinds[tokens.position : tokens.position + 2] == ["(", "("] else _parse_node(tokens)]
    relationships = []
    while (kind := tokens.kinds[tokens.position]) in "-<" or (kind == "(" == tokens.kinds[tokens.position + 1]):
        if kind == "(":
            relationships.append(_parse_repeated(tokens))
            ends_here = tokens.kinds[tokens.position] != "(" or tokens.kinds[tokens.position + 1] == "("
            nodes.append(_ANY_NODE if ends_here else _parse_node(tokens))
        else:
            relationships.append(_parse_relationship(tokens))
            nodes.append(_parse_node(tokens))
    if len(relationships) > MAX_RELATIONSHIPS:
        raise tokens.error(
            f"This path has {len(relationships)} relationships; at most {MAX_RELATIONSHIPS} are allowed",
            span=nodes[0].span,
            hint="Write -[:TYPE*1..3]-> for several hops of one kind.",
        )
    tokens.pattern_nodes += len(nodes)
    if tokens.pattern_nodes > MAX_NODES:
        raise tokens.error(
            f"The patterns of this query have too many nodes: at most {MAX_NODES} are allowed",
            span=nodes[0].span,
            hint="Split it into several queries, or pass a list as a parameter: WHERE n.name IN $names.",
        )
    for _ in range(outer_parentheses):
        tokens.expect(")", "after the pattern")
    if tokens.kinds[tokens.position] in "{+*" or (
        tokens.kinds[tokens.position - 1] == ")" and tokens.kinds[tokens.position] == "?"
    ):
        raise _quantified_pattern_error(tokens)
    return Path(variable, shortest, tuple(nodes), tuple(relationships), span=tokens.span(start))


def _parse_selector(tokens: TokenStream) -> Literal["shortest", "all shortest"] | None:
    """`SHORTEST 1`, `ANY SHORTEST` or `ALL SHORTEST`, and perhaps PATH; nothing else is consumed."""
    first, second, third = (word.upper() for word in tokens.texts[tokens.position : tokens.position + 3])
    shortest = _SELECTORS.get(f"{first} {second}")
    if shortest:
        tokens.position += 3 if third in ("PATH", "PATHS") else 2
    return shortest


def _is_repeated_at(tokens: TokenStream, position: int) -> bool:
    """Whether the pattern in the brackets that open here is repeated: `((a)-->(b)){1,3}`."""
    return tokens.kinds[tokens.find_closing(position) + 1] in "{+*"


def _parse_repeated(tokens: TokenStream) -> RelationshipPattern:
    """`((a:Label)-[:TYPE]->(b:Label)){1,3}` of GQL as one relationship, each of which begins and ends with this label.

    The variables of its nodes stand nowhere else: outside, each is a list of nodes. Their labels are the same, since a
    type may be matched from its other end.
    """
    first = tokens.position
    tokens.position += 1
    left = _parse_node(tokens)
    hop = _parse_relationship(tokens)
    right = _parse_node(tokens)
    for node in (left, right):
        is_named_elsewhere = node.variable is not None and tokens.texts.count(node.variable) > 1
        if is_named_elsewhere or node.properties or node.condition or node.labels != left.labels:
            raise _quantified_pattern_error(tokens)
    if tokens.kinds[tokens.position] != ")":
        raise _quantified_pattern_error(tokens)
    tokens.position += 1
    for end, node in (("startNode", left), ("endNode", right)):
        if node.labels:
            name = hop.variable or f"{INTERNAL_PREFIX}hop {first}"
            test = HasLabels(Call(end, (Variable(name),)), node.labels, span=node.span)
            hop = replace(hop, variable=name, condition=Binary("AND", hop.condition, test) if hop.condition else test)
    return _repeat(tokens, hop)


def _repeat(tokens: TokenStream, hop: RelationshipPattern) -> RelationshipPattern:
    """The relationship with the length that `{1,3}`, `{2}`, `+` or `*` behind it says."""
    first = tokens.position
    kind = tokens.kinds[first]
    if kind not in "{+*" or hop.length:
        raise _quantified_pattern_error(tokens)
    tokens.position += 1
    least, most = (1 if kind == "+" else 0), None
    if kind == "{":
        given = _parse_hop_count(tokens)
        least = given or 0
        if tokens.accept(","):
            most = _parse_hop_count(tokens)
        elif given is not None:
            most = given
        else:
            raise tokens.expected("a number of hops")
        tokens.expect("}", "after the number of hops")
    return replace(hop, length=Length(least, most, span=tokens.span(first)))


def is_pattern_at(tokens: TokenStream, position: int) -> bool:
    """Whether a pattern with a relationship begins at this parenthesis, and not an expression."""
    return _is_node_at(tokens, position) and _is_relationship_at(tokens, tokens.find_closing(position) + 1)


def parse_labels(tokens: TokenStream, *, stop_at_bar: bool = False) -> LabelExpression:
    """The label expression after a colon: `A:B`, `A|B`, `A&!B`, `(A|B)&C`, `%`.

    Args:
        stop_at_bar: whether a `|` ends it, as in a list comprehension.
    """
    first = tokens.position
    operands = [_parse_label_and(tokens)]
    while tokens.kinds[tokens.position] == "|" and not stop_at_bar:
        tokens.position += 1
        tokens.accept(":")
        operands.append(_parse_label_and(tokens))
    return operands[0] if len(operands) == 1 else LabelOr(tuple(operands), span=tokens.span(first))


def _parse_label_and(tokens: TokenStream) -> LabelExpression:
    first = tokens.position
    operands = [_parse_label(tokens)]
    while tokens.kinds[tokens.position] in "&:":
        tokens.position += 1
        operands.append(_parse_label(tokens))
    return operands[0] if len(operands) == 1 else LabelAnd(tuple(operands), span=tokens.span(first))


def _parse_label(tokens: TokenStream) -> LabelExpression:
    first = tokens.position
    kind = tokens.kinds[first]
    if kind == "!":
        tokens.position += 1
        tokens.enter()
        operand = _parse_label(tokens)
        tokens.leave()
        return LabelNot(operand, span=tokens.span(first))
    if kind == "(":
        tokens.position += 1
        tokens.enter()
        inner = parse_labels(tokens)
        tokens.leave()
        tokens.expect(")", "after the labels")
        return inner
    if kind == "%":
        tokens.position += 1
        return LabelWildcard(span=tokens.span(first))
    return LabelName(tokens.expect_name("a label or type"), span=tokens.span(first))


def _parse_node(tokens: TokenStream) -> NodePattern:
    first = tokens.position
    if tokens.kinds[first] != "(":
        hint = "Put nodes in round brackets: (a)-[:TYPE]->(b); a comment begins with //."
        if tokens.texts[first].upper() in ("SHORTEST", "ANY", "ALL"):
            hint = "For the shortest way, write p = shortestPath((a)-[*]-(b)), or allShortestPaths(…) for all of them."
        raise tokens.expected("a node, such as (n) or (:Label)", hint=None if tokens.kinds[first] == "&" else hint)
    tokens.position += 1
    variable = _parse_variable(tokens)
    label_expression = parse_labels(tokens) if tokens.accept(":") else None
    properties = _parse_properties(tokens)
    condition = _parse_condition(tokens)
    if tokens.kinds[tokens.position] != ")":
        raise tokens.expected(
            "`)` to close the node",
            hint="A node is written (variable:Label {key: value}), labels joined by one & or |, a label of several "
            "words in back-ticks; a condition goes into WHERE.",
        )
    tokens.position += 1
    return NodePattern(variable, label_expression, properties, condition, span=tokens.span(first))


def _parse_relationship(tokens: TokenStream) -> RelationshipPattern:
    first = tokens.position
    to_left = tokens.accept("<")
    tokens.expect("-", "of the arrow")
    variable = types = properties = length = condition = None
    if tokens.accept("["):
        variable = _parse_variable(tokens)
        types = parse_labels(tokens) if tokens.accept(":") else None
        if tokens.kinds[tokens.position] == "..":
            raise tokens.error(
                "A length begins with *",
                detail="InvalidRelationshipPattern",
                hint="Write -[:TYPE*..3]-> for up to 3 hops.",
            )
        length = _parse_length(tokens) if tokens.kinds[tokens.position] == "*" else None
        properties = _parse_properties(tokens)
        condition = _parse_condition(tokens)
        if tokens.kinds[tokens.position] != "]":
            raise tokens.expected(
                "`]` to close the relationship",
                hint="A relationship is written -[variable:TYPE*1..3 {key: value}]->, its parts in that order, "
                "a type of several words in back-ticks.",
            )
        tokens.position += 1
    if tokens.kinds[tokens.position] != "-":
        raise tokens.expected("`-` of the arrow", hint="An arrow is written -[:TYPE]->, <-[:TYPE]- or -[:TYPE]-.")
    tokens.position += 1
    to_right = tokens.accept(">")
    if tokens.kinds[tokens.position] in (">", "-", "<"):
        raise tokens.error(
            f"An arrow has one head at each end at most, but here comes {tokens.describe_next()}",
            detail="InvalidRelationshipPattern",
            hint="Write -->, <-- or --; with a type -[:TYPE]->.",
        )
    direction: Literal["out", "in", "both"] = "both" if to_left == to_right else "out" if to_right else "in"
    relationship = RelationshipPattern(
        variable, types, direction, properties, length, condition, span=tokens.span(first)
    )
    return _repeat(tokens, relationship) if tokens.kinds[tokens.position] in "{+*" else relationship


def _parse_variable(tokens: TokenStream) -> str | None:
    kind = tokens.kinds[tokens.position]
    return tokens.expect_variable() if kind in NAME_KINDS and kind != "WHERE" else None


def _parse_length(tokens: TokenStream) -> Length:
    first = tokens.position
    tokens.position += 1
    min_hops = _parse_hop_count(tokens)
    max_hops = _parse_hop_count(tokens) if tokens.accept("..") else min_hops
    if tokens.kinds[tokens.position] in ("-", "number", "parameter", ".", ".."):
        raise tokens.error(
            f"The number of hops is written as one or two whole numbers, but here comes {tokens.describe_next()}",
            detail="InvalidRelationshipPattern",
            hint="Write *, *2, *1..3, *..3 or *1..; parameters are not allowed here.",
        )
    return Length(min_hops, max_hops, span=tokens.span(first))


def _parse_hop_count(tokens: TokenStream) -> int | None:
    if tokens.kinds[tokens.position] != "number":
        return None
    hops = tokenizer.number(tokens, tokens.position)
    if not isinstance(hops, int):
        raise tokens.error(
            f"Hops are counted in whole numbers, but here comes {tokens.describe_next()}",
            detail="InvalidRelationshipPattern",
            hint="Write *1..3, with two dots, for one to three hops.",
        )
    tokens.position += 1
    return hops


def _parse_properties(tokens: TokenStream) -> Expression | None:
    kind = tokens.kinds[tokens.position]
    if kind == "{":
        tokens.enter(2)
        properties = expressions.parse_map(tokens)
        tokens.leave(2)
        return properties
    if kind == "parameter":
        raise tokens.error(
            f"{tokens.texts[tokens.position]} cannot provide all properties of a pattern",
            detail="InvalidParameterUse",
            hint="Name each property: (n {name: $name}).",
        )
    return None


def _parse_condition(tokens: TokenStream) -> Expression | None:
    if not tokens.accept("WHERE"):
        return None
    tokens.enter(2)
    condition = expressions.parse_expression(tokens)
    tokens.leave(2)
    return condition


def _is_node_at(tokens: TokenStream, position: int) -> bool:
    """Whether the tokens here can be a node. An expression in parentheses cannot look like one, except `(a)`."""
    kinds = tokens.kinds
    if kinds[position] != "(":
        return False
    second = kinds[position + 1]
    if second not in _NODE_CONTINUATIONS and not (
        second in VARIABLE_KINDS and kinds[position + 2] in _NODE_CONTINUATIONS
    ):
        return False
    return tokens.find_closing(position) > 0


def _is_relationship_at(tokens: TokenStream, position: int) -> bool:
    kinds = tokens.kinds
    if kinds[position] == "<":
        position += 1
    if kinds[position] != "-":
        return False
    position += 1
    if kinds[position] == "[":
        second = kinds[position + 1]
        third = kinds[position + 2]
        if second not in _RELATIONSHIP_CONTINUATIONS and not (
            second in VARIABLE_KINDS and third in _RELATIONSHIP_CONTINUATIONS
        ):
            return False
        if second == ":" or third == ":":
            return True
        position = tokens.find_closing(position) + 1
    if kinds[position] != "-" or position == 0:
        return False
    position += 1
    # `(a)-->` can only be an arrow. `(a)--(b)` could also be a minus of a minus; it is taken for a pattern since (b)
    # looks like a node.
    return kinds[position] == ">" or _is_node_at(tokens, position)


def _quantified_pattern_error(tokens: TokenStream) -> QueryUnsupported:
    place = tokenizer.describe_position(tokens.text, tokens.starts[tokens.position])
    return QueryUnsupported(
        f"This pattern cannot be repeated ({place}).",
        detail="UnexpectedSyntax",
        reason="quantified_pattern_unsupported",
        span=(tokens.starts[tokens.position], tokens.ends[tokens.position]),
        hint="Write the number of hops into the relationship, and conditions on the nodes behind it: "
        "MATCH p = (a)-[:TYPE*1..3]->(b) WHERE all(n IN nodes(p) WHERE n:Person) RETURN b",
    )
