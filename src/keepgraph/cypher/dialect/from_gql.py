"""Rewrites of GQL and newer Cypher: SHORTEST.

Each function returns a proposal, or None: the caller checks that it can be parsed and bound.
"""

from __future__ import annotations

from keepgraph.cypher.dialect import quantified_patterns
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
    return quantified_patterns.rewrite(Tokens(shortened)) or shortened
