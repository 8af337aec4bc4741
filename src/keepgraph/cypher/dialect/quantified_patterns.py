"""Quantified patterns: rewrites `-[:T]->{1,3}` and `((a:A)-[:T]->(b:B)){1,3}` as relationships of variable length.

Labels that both nodes of a repeated pattern have become a condition on the nodes of the path; other conditions have no
rewrite. The caller checks that the query can be parsed and bound.
"""

from __future__ import annotations

import re

from keepgraph.cypher.repair.tolerant_tokenizer import Edit, Tokens, apply_edits


def rewrite(tokens: Tokens) -> str | None:
    """The query with relationships of variable length in place of quantified patterns.

    None where it has no such pattern, or where no relationship of variable length means the same.
    """
    edits: list[Edit] = []
    for index in range(1, tokens.length):
        if tokens.kinds[index] not in ("{", "+", "*"):
            continue
        hops, end = _parse_quantifier(tokens, index)
        if hops is None:
            continue
        if tokens.kinds[index - 1] == ")":
            opening = tokens.partners[index - 1]
            if opening < 0 or tokens.kinds[opening + 1] != "(":
                continue
            rewritten = _rewrite_repeated(tokens, opening, index - 1, end, hops)
        elif tokens.kinds[index - 1] in ("-", ">") and tokens.kinds[end] == "(":
            rewritten = _rewrite_arrow(tokens, index - 1, hops)
        else:
            continue
        if rewritten is None:
            return None
        edits += rewritten
    starts_of_conditions = [start for start, end, text in edits if start == end]
    if len(starts_of_conditions) > len(set(starts_of_conditions)):
        return None  # several patterns whose conditions meet in one place
    return apply_edits(tokens.text, edits) if edits else None


def _parse_quantifier(tokens: Tokens, index: int) -> tuple[str | None, int]:
    """`*1..3` for `{1,3}`, and the index of the token behind it; None for no quantifier."""
    if tokens.kinds[index] in ("+", "*"):
        return ("*1.." if tokens.kinds[index] == "+" else "*0.."), index + 1
    closing = tokens.partners[index]
    quantifier = "".join(tokens.texts[index + 1 : max(closing, index + 1)])
    bounds = re.fullmatch(r"(\d*)(,?)(\d*)", quantifier)
    if closing < 0 or not quantifier or bounds is None:
        return None, index
    least, comma, most = bounds.groups()
    return (f"*{least or 0}..{most}" if comma else f"*{least}"), closing + 1


def _rewrite_arrow(tokens: Tokens, last: int, hops: str) -> list[Edit] | None:
    """The edits of an arrow with a quantifier behind it."""
    first = last
    while first and tokens.kinds[first - 1] != ")":
        first -= 1
    _, end = _parse_quantifier(tokens, last + 1)
    arrow = _add_hops(tokens, first, last, hops)
    return None if arrow is None else [(tokens.starts[first], tokens.ends[end - 1], arrow)]


def _add_hops(tokens: Tokens, first: int, last: int, hops: str) -> str | None:
    """The arrow between two tokens with a number of hops; None where it has one, or a condition with WHERE."""
    text = tokens.text[tokens.starts[first] : tokens.ends[last]]
    closing = next((index for index in range(first, last + 1) if tokens.kinds[index] == "]"), None)
    if closing is None:
        return text.replace("--", f"-[{hops}]-", 1) if "--" in text else None
    inside = range(first, closing)
    if any(tokens.kinds[index] == "*" or tokens.upper[index] == "WHERE" for index in inside):
        return None
    end = next((index for index in inside if tokens.kinds[index] == "{"), closing)
    offset = tokens.starts[end] - tokens.starts[first]
    return f"{text[:offset].rstrip()}{hops}{' ' if end != closing else ''}{text[offset:]}"


# A pattern in brackets

_Node = tuple[str, str]
"""The variable of a node, and its labels with their colon; empty where it has none."""


def _rewrite_repeated(tokens: Tokens, opening: int, closing: int, end: int, hops: str) -> list[Edit] | None:
    """The edits of a pattern in brackets, and of the clause that it stands in; None where it has no such meaning.

    Args:
        opening, closing: its brackets.
        end: the token behind its quantifier.
    """
    left = tokens.partners[opening + 1]
    right = next((index for index in range(left + 1, closing) if tokens.kinds[index] == "("), -1)
    if left < 0 or right < 0 or tokens.partners[right] + 1 != closing:
        return None
    first, second = _parse_node(tokens, opening + 1), _parse_node(tokens, right)
    arrow = _add_hops(tokens, left + 1, right - 1, hops)
    if first is None or second is None or arrow is None or (first[0] and first[0] == second[0]):
        return None
    names = {first[0], second[0]} - {""}
    outside = [*range(opening), *range(end, tokens.length)]
    if any(tokens.texts[index] in names and _is_variable(tokens, index) for index in outside):
        return None  # one variable for one node outside, and for several here
    before = "" if opening and tokens.kinds[opening - 1] == ")" else "()"
    after = "" if tokens.kinds[end] == "(" else "()"
    edit = (tokens.starts[opening], tokens.ends[end - 1], before + arrow + after)
    if not first[1] and not second[1]:
        return [edit]
    return _with_labels(tokens, opening, end, edit, second) if first[1] == second[1] and hops[1] != "0" else None


def _is_variable(tokens: Tokens, index: int) -> bool:
    """Whether a token is a variable, as far as its neighbours tell, and no label, key or function."""
    behind_name = index > 0 and tokens.kinds[index - 1] in (".", ":", "|", "&", "!")
    return tokens.is_variable(index) and not behind_name and tokens.kinds[index + 1] != "("


def _parse_node(tokens: Tokens, opening: int) -> _Node | None:
    """A node in brackets; None where it has properties or a condition."""
    closing = tokens.partners[opening]
    inside = range(opening + 1, closing)
    if closing < 0 or any(tokens.kinds[each] in ("{", "parameter") or tokens.upper[each] == "WHERE" for each in inside):
        return None
    labels = next((index for index in inside if tokens.kinds[index] == ":"), closing)
    return tokens.text[tokens.ends[opening] : tokens.starts[labels]].strip(), "".join(tokens.texts[labels:closing])


def _with_labels(tokens: Tokens, opening: int, end: int, edit: Edit, node: _Node) -> list[Edit] | None:
    """The edits with a name for the path, and with the labels of its nodes in a WHERE.

    None where the clause has a WHERE, or more than this path of no other hops.
    """
    start = opening - 1
    if tokens.kinds[start] == ")":
        start = tokens.partners[start] - 1
    behind = tokens.partners[end] + 1 if tokens.kinds[end] == "(" else end
    if tokens.keywords[start] != "MATCH" or tokens.clauses[behind] in ("MATCH", "WHERE"):
        return None
    path, variable = _new_name(tokens, "path"), node[0] or _new_name(tokens, "node")
    condition = f" WHERE all({variable} IN nodes({path}) WHERE {variable}{node[1]})"
    named = (tokens.starts[start + 1], tokens.starts[start + 1], f"{path} = ")
    if behind == end:
        return [named, (*edit[:2], edit[2] + condition)]
    return [named, edit, (tokens.ends[behind - 1], tokens.ends[behind - 1], condition)]


def _new_name(tokens: Tokens, name: str) -> str:
    """A name that the query does not have."""
    number = 1
    while (numbered := name if number == 1 else f"{name}{number}") in tokens.texts:
        number += 1
    return numbered
