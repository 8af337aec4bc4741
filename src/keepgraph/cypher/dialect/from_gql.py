"""Says anew what newer Cypher writes otherwise: SHORTEST, and patterns with a number of repetitions. Knows no tree.

Each gives a proposal, or None: whoever offers it reads it first.
"""

from __future__ import annotations

import re

from keepgraph.cypher.repair.tolerant_tokenizer import Edit, Pieces, edited


def shortened(p: Pieces) -> str | None:
    """`SHORTEST 1 (a)-->+(b)` as `shortestPath((a)-[*1..]->(b))`"""
    edits: list[Edit] = []
    for at in range(p.length):
        if p.upper[at] != "SHORTEST" or p.kinds[at - 1] in (".", ":"):
            continue
        every = p.upper[at - 1] == "ALL"
        first = at - 1 if every or p.upper[at - 1] == "ANY" else at
        after = at + 1
        if p.kinds[after] == "number":
            if p.words[after] != "1":
                return None
            after += 1
        if p.upper[after] in ("PATH", "PATHS"):
            after += 1
        if p.kinds[after] != "(":
            return None
        around = p.around[at]
        most = p.partners[around] if around >= 0 else p.length
        end = after
        while end < most and not (p.around[end] == around and (p.kinds[end] in (",", ";") or p.keywords[end])):
            end += 1
        edits.append((p.starts[first], p.starts[after], "allShortestPaths(" if every else "shortestPath("))
        edits.append((p.ends[end - 1], p.ends[end - 1], ")"))
    shortened = edited(p.text, edits)
    return unquantified(Pieces(shortened)) or shortened


def unquantified(p: Pieces) -> str | None:
    """Every `((a)-[:T]->(b)){1,3}` and `-[:T]->{1,3}` with its number of hops inside."""
    edits: list[Edit] = []
    for at in range(1, p.length):
        if p.kinds[at] not in ("{", "+", "*"):
            continue
        hops, end = hops_at(p, at)
        if hops is None:
            continue
        if p.kinds[at - 1] == ")":
            opening = p.partners[at - 1]
            if opening < 0 or p.kinds[opening + 1] != "(":
                continue
            inside = _only_relationship(p, opening, at - 1)
            if inside is None:
                continue
            first, last = inside
            left = "" if opening and p.kinds[opening - 1] == ")" else "()"
            right = "" if p.kinds[end] == "(" else "()"
            arrow = _withhops_at(p, first, last, hops)
            if arrow is None:
                return None
            edits.append((p.starts[opening], p.ends[end - 1], left + arrow + right))
        elif p.kinds[at - 1] in ("-", ">") and p.kinds[end] == "(":
            first = at - 1
            while first and p.kinds[first - 1] != ")":
                first -= 1
            arrow = _withhops_at(p, first, at - 1, hops)
            if arrow is None:
                return None
            edits.append((p.starts[first], p.ends[end - 1], arrow))
    return edited(p.text, edits) if edits else None


def hops_at(p: Pieces, at: int) -> tuple[str | None, int]:
    """`*1..3` for `{1,3}`, and where that ends."""
    if p.kinds[at] in ("+", "*"):
        return ("*1.." if p.kinds[at] == "+" else "*0.."), at + 1
    closing = p.partners[at]
    inside = "".join(p.words[at + 1 : max(closing, at + 1)])
    bounds = re.fullmatch(r"(\d*)(,?)(\d*)", inside)
    if closing < 0 or not inside or bounds is None:
        return None, at
    least, comma, most = bounds.groups()
    return (f"*{least or 0}..{most}" if comma else f"*{least}"), closing + 1


def _only_relationship(p: Pieces, opening: int, closing: int) -> tuple[int, int] | None:
    """The first and the last piece of the one relationship between two nodes that say nothing."""
    left, right = p.partners[opening + 1], p.partners[closing - 1]
    if left < 0 or right <= left or left - opening > 3 or closing - right > 3:
        return None
    middle = [at for at in range(left + 1, right) if p.kinds[at] in ("(", ")")]
    return None if middle else (left + 1, right - 1)


def _withhops_at(p: Pieces, first: int, last: int, hops: str) -> str | None:
    text = p.text[p.starts[first] : p.ends[last]]
    bracket = next((at for at in range(first, last + 1) if p.kinds[at] == "]"), None)
    if bracket is None:
        return text.replace("--", f"-[{hops}]-", 1) if "--" in text else None
    if any(p.kinds[at] in ("{", "*") or p.upper[at] == "WHERE" for at in range(first, bracket)):
        return None
    place = p.starts[bracket] - p.starts[first]
    return text[:place] + hops + text[place:]
