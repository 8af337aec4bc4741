"""Quantified patterns: rewrites `-[:T]->{1,3}` and `((a:A)-[:T]->(b:B)){1,3}` as relationships of variable length.

Conditions on the nodes of a repeated pattern become conditions on the nodes of the path: those on its first node hold
for all nodes but the last, those on its second node for all but the first. The caller checks that the query can be
parsed and bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

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


@dataclass(slots=True)
class _Node:
    """A node of a repeated pattern.

    Attributes:
        variable: empty where it has none.
        parts: what its labels and properties say, behind the variable: `:Person`, `.name = 'Ada'`.
        conditions: its conditions in WHERE.
    """

    variable: str = ""
    parts: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)

    def test(self, variable: str) -> str:
        return " AND ".join([*(variable + part for part in self.parts), *self.conditions])


def _rewrite_repeated(tokens: Tokens, opening: int, closing: int, end: int, hops: str) -> list[Edit] | None:
    """The edits of a pattern in brackets, and of the clause that it stands in; None where it has no such meaning.

    Args:
        opening, closing: its brackets.
        end: the token behind its quantifier.
    """
    left = tokens.partners[opening + 1]
    right = next((index for index in range(left + 1, closing) if tokens.kinds[index] == "("), -1)
    right_end = tokens.partners[right]
    if left < 0 or right < 0 or right_end < 0 or (right_end + 1 < closing and tokens.upper[right_end + 1] != "WHERE"):
        return None
    first, second = _parse_node(tokens, opening + 1), _parse_node(tokens, right)
    arrow = _add_hops(tokens, left + 1, right - 1, hops)
    if first is None or second is None or arrow is None or (first.variable and first.variable == second.variable):
        return None
    if not _assign_conditions(tokens, right_end + 2, closing, first, second):
        return None
    names = {first.variable, second.variable} - {""}
    outside = [*range(opening), *range(end, tokens.length)]
    if any(tokens.texts[index] in names and _is_variable(tokens, index) for index in outside):
        return None  # one variable for one node outside, and for several here
    before = "" if opening and tokens.kinds[opening - 1] == ")" else "()"
    after = "" if tokens.kinds[end] == "(" else "()"
    edit = (tokens.starts[opening], tokens.ends[end - 1], before + arrow + after)
    if not first.test("") and not second.test(""):
        return [edit]
    return _with_conditions(tokens, opening, end, edit, first, second, may_be_empty=hops.startswith("*0"))


def _variables(tokens: Tokens, start: int, end: int) -> set[str]:
    return {tokens.texts[index] for index in range(start, end) if _is_variable(tokens, index)}


def _is_variable(tokens: Tokens, index: int) -> bool:
    """Whether a token is a variable, as far as its neighbours tell, and no label, key or function."""
    behind_name = index > 0 and tokens.kinds[index - 1] in (".", ":", "|", "&", "!")
    return tokens.is_variable(index) and not behind_name and tokens.kinds[index + 1] != "("


def _parse_node(tokens: Tokens, opening: int) -> _Node | None:
    """A node in brackets; None where it is none, or one whose properties are a parameter."""
    closing, index, node = tokens.partners[opening], opening + 1, _Node()
    if closing < 0:
        return None
    if _is_variable(tokens, index) and tokens.upper[index] != "WHERE":
        node.variable = tokens.texts[index]
        index += 1
    start = index
    while index < closing and tokens.kinds[index] not in ("{", "parameter") and tokens.upper[index] != "WHERE":
        index += 1
    if index > start:
        node.parts.append(_text(tokens, start, index))
    if tokens.kinds[index] == "{":
        brace = tokens.partners[index]
        for key, first, last in _entries(tokens, index + 1, brace):
            node.parts.append(f".{key} = ({_text(tokens, first, last)})")
        index = brace + 1
    if index < closing and tokens.upper[index] == "WHERE":
        node.conditions.append(f"({_text(tokens, index + 1, closing)})")
        return node if _variables(tokens, index + 1, closing) <= {node.variable} else None
    return node if index == closing else None


def _entries(tokens: Tokens, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """The keys of a map, each with the first token of its value, and the token behind it."""
    while start < end:
        stop = next(
            (
                index
                for index in range(start, end)
                if tokens.kinds[index] == "," and tokens.enclosing[index] == tokens.enclosing[start]
            ),
            end,
        )
        yield tokens.texts[start], start + 2, stop
        start = stop + 1


def _assign_conditions(tokens: Tokens, start: int, end: int, first: _Node, second: _Node) -> bool:
    """Give each condition of the WHERE of a repeated pattern to the node that it is on; False where it is on both."""
    while start < end:
        level = tokens.enclosing[start]
        words = {index: tokens.upper[index] for index in range(start, end) if tokens.enclosing[index] == level}
        if not {"OR", "XOR"}.isdisjoint(words.values()):
            words = {}
        stop = next((index for index, word in words.items() if word == "AND"), end)
        names = _variables(tokens, start, stop)
        node = next((node for node in (first, second) if node.variable and names == {node.variable}), None)
        if node is None:
            return False
        node.conditions.append(f"({_text(tokens, start, stop)})")
        start = stop + 1
    return True


def _text(tokens: Tokens, start: int, end: int) -> str:
    return tokens.text[tokens.starts[start] : tokens.ends[end - 1]]


# The clause around it


def _with_conditions(
    tokens: Tokens, opening: int, end: int, edit: Edit, first: _Node, second: _Node, *, may_be_empty: bool
) -> list[Edit] | None:
    """The edits with a name for the path, and with the conditions on its nodes in the WHERE of its MATCH."""
    bracket = tokens.enclosing[opening]
    limit = tokens.partners[bracket] if bracket >= 0 else tokens.length
    while tokens.kinds[limit - 1] == ";":
        limit -= 1
    on_level = [index for index in range(bracket + 1, limit) if tokens.enclosing[index] == bracket]
    if tokens.clauses[opening] != "MATCH":
        return None
    where = next((index for index in on_level if index >= end and tokens.clauses[index] != "MATCH"), limit)
    behind = next((index for index in on_level if end <= index < where and tokens.kinds[index] == ","), where)
    part = 1 + max(
        index
        for index in on_level
        if index < opening and (tokens.keywords[index] == "MATCH" or tokens.kinds[index] == ",")
    )
    is_named = tokens.kinds[part + 1] == "="
    before = [index for index in on_level if part + 2 * is_named <= index < opening]
    after = [index for index in on_level if end <= index < behind]
    if _has_variable_length(tokens, part, opening) or _has_variable_length(tokens, end, behind):
        return None  # where this one begins in the path is not known
    path = tokens.texts[part] if is_named else _new_name(tokens, "path")
    hops_before, hops_after = _count_hops(tokens, before), _count_hops(tokens, after)
    tests = _tests(tokens, path, first, second, hops_before, hops_after, may_be_empty=may_be_empty)
    edits = [edit] if is_named else [(tokens.starts[part], tokens.starts[part], f"{path} = "), edit]
    condition = " AND ".join(tests)
    last = tokens.ends[where - 1]
    if where == limit or tokens.keywords[where] != "WHERE":
        # Behind the quantifier itself, the condition belongs to the same edit.
        if last == edit[1]:
            return [*edits[:-1], (edit[0], edit[1], f"{edit[2]} WHERE {condition}")]
        return [*edits, (last, last, f" WHERE {condition}")]
    stop = next((index for index in on_level if index > where and tokens.clauses[index] != "WHERE"), limit)
    edits.append((tokens.starts[where + 1], tokens.starts[where + 1], f"{condition} AND ("))
    return [*edits, (tokens.ends[stop - 1], tokens.ends[stop - 1], ")")]


def _has_variable_length(tokens: Tokens, start: int, end: int) -> bool:
    """Whether a number of hops or a quantifier is among these tokens."""
    return any(
        tokens.kinds[index] in ("*", "+") or (tokens.kinds[index] == "{" and tokens.kinds[index - 1] in (")", "-", ">"))
        for index in range(start, end)
    )


def _count_hops(tokens: Tokens, on_level: list[int]) -> int:
    """How many relationships are between the nodes of a part of a path."""
    return max(sum(tokens.kinds[index] == "(" for index in on_level) - 1, 0)


def _tests(
    tokens: Tokens, path: str, first: _Node, second: _Node, before: int, after: int, *, may_be_empty: bool
) -> Iterator[str]:
    """The conditions on the nodes of a path, of which some relationships before and after it are no repetitions."""
    variable = second.variable or first.variable or _new_name(tokens, "node")
    same = not first.conditions and not second.conditions and first.parts == second.parts
    if same and not may_be_empty:
        yield _all(variable, path, before, after, second.test(variable))
        return
    if first.test(""):
        variable = first.variable or _new_name(tokens, "node")
        yield _all(variable, path, before, after + 1, first.test(variable))
    if second.test(""):
        variable = second.variable or _new_name(tokens, "node")
        yield _all(variable, path, before + 1, after, second.test(variable))


def _all(variable: str, path: str, skipped: int, left_out: int, condition: str) -> str:
    """All nodes of a path, but for some at its beginning and at its end, fulfil a condition."""
    nodes = f"nodes({path})"
    if skipped or left_out:
        nodes += f"[{skipped or ''}..{-left_out or ''}]"
    return f"all({variable} IN {nodes} WHERE {condition})"


def _new_name(tokens: Tokens, name: str) -> str:
    """A name that the query does not have."""
    number = 1
    while (numbered := name if number == 1 else f"{name}{number}") in tokens.texts:
        number += 1
    return numbered
