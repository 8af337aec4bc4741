"""Rewrites of GQL and newer Cypher: SHORTEST, and quantified patterns such as `-[:T]->{1,3}`.

Each function returns a proposal, or None: the caller checks that it can be parsed and bound.
"""

from __future__ import annotations

import re

from keepgraph.cypher.repair.tolerant_tokenizer import Edit, Tokens, apply_edits


def rewrite_shortest(tokens: Tokens) -> str | None:
    """Write `SHORTEST 1 (a)-->+(b)` as `shortestPath((a)-[*1..]->(b))`."""
    edits: list[Edit] = []
    for index in range(tokens.length):
        if tokens.upper[index] != "SHORTEST" or tokens.kinds[index - 1] in (".", ":"):
            continue
        all_paths = tokens.upper[index - 1] == "ALL"
        first = index - 1 if all_paths or tokens.upper[index - 1] == "ANY" else index
        after = index + 1
        if tokens.kinds[after] == "number":
            if tokens.texts[after] != "1":
                return None
            after += 1
        if tokens.upper[after] in ("PATH", "PATHS"):
            after += 1
        if tokens.kinds[after] != "(":
            return None
        bracket = tokens.enclosing[index]
        limit = tokens.partners[bracket] if bracket >= 0 else tokens.length
        end = after
        while end < limit and not (
            tokens.enclosing[end] == bracket and (tokens.kinds[end] in (",", ";") or tokens.keywords[end])
        ):
            end += 1
        edits.append(
            (tokens.starts[first], tokens.starts[after], "allShortestPaths(" if all_paths else "shortestPath(")
        )
        edits.append((tokens.ends[end - 1], tokens.ends[end - 1], ")"))
    shortened = apply_edits(tokens.text, edits)
    return rewrite_quantified(Tokens(shortened)) or shortened


def rewrite_quantified(tokens: Tokens) -> str | None:
    """Write the number of hops of `((a)-[:T]->(b)){1,3}` and `-[:T]->{1,3}` into the relationship."""
    edits: list[Edit] = []
    for index in range(1, tokens.length):
        if tokens.kinds[index] not in ("{", "+", "*"):
            continue
        hops, end = parse_quantifier(tokens, index)
        if hops is None:
            continue
        if tokens.kinds[index - 1] == ")":
            opening = tokens.partners[index - 1]
            if opening < 0 or tokens.kinds[opening + 1] != "(":
                continue
            relationship = _only_relationship(tokens, opening, index - 1)
            if relationship is None:
                continue
            first, last = relationship
            left = "" if opening and tokens.kinds[opening - 1] == ")" else "()"
            right = "" if tokens.kinds[end] == "(" else "()"
            arrow = _add_hops(tokens, first, last, hops)
            if arrow is None:
                return None
            edits.append((tokens.starts[opening], tokens.ends[end - 1], left + arrow + right))
        elif tokens.kinds[index - 1] in ("-", ">") and tokens.kinds[end] == "(":
            first = index - 1
            while first and tokens.kinds[first - 1] != ")":
                first -= 1
            arrow = _add_hops(tokens, first, index - 1, hops)
            if arrow is None:
                return None
            edits.append((tokens.starts[first], tokens.ends[end - 1], arrow))
    return apply_edits(tokens.text, edits) if edits else None


def parse_quantifier(tokens: Tokens, index: int) -> tuple[str | None, int]:
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


def _only_relationship(tokens: Tokens, opening: int, closing: int) -> tuple[int, int] | None:
    """The first and the last token of the one relationship between two nodes without labels or properties."""
    left, right = tokens.partners[opening + 1], tokens.partners[closing - 1]
    if left < 0 or right <= left or left - opening > 3 or closing - right > 3:
        return None
    middle = [index for index in range(left + 1, right) if tokens.kinds[index] in ("(", ")")]
    return None if middle else (left + 1, right - 1)


def _add_hops(tokens: Tokens, first: int, last: int, hops: str) -> str | None:
    text = tokens.text[tokens.starts[first] : tokens.ends[last]]
    closing = next((index for index in range(first, last + 1) if tokens.kinds[index] == "]"), None)
    if closing is None:
        return text.replace("--", f"-[{hops}]-", 1) if "--" in text else None
    if any(tokens.kinds[index] in ("{", "*") or tokens.upper[index] == "WHERE" for index in range(first, closing)):
        return None
    offset = tokens.starts[closing] - tokens.starts[first]
    return text[:offset] + hops + text[offset:]
