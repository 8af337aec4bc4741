"""Recognises clauses of SQL and of other dialects where the parser stumbled, and says what to write. Knows no graph.

A rewrite is a proposal, and may still be wrong: whoever offers it reads it first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from keepgraph.cypher.dialect import call_inlining, foreign_functions, from_gql, from_sql
from keepgraph.cypher.repair.tolerant_tokenizer import Pieces


@dataclass(frozen=True, slots=True)
class Told:
    """What it is, what to do instead, and the query said anew if that could be done."""

    name: str
    hint: str
    rewrite: str | None = None


def recognised(p: Pieces, at: int) -> Told | None:
    """What begins at this piece or right before it, if it is something we know from elsewhere."""
    for near in (at, at - 1, at - 2):
        if near < 0 or p.kinds[near] != "name" or p.kinds[near - 1] == ".":
            continue
        word = p.upper[near]
        tell = _WORDS.get(word) if near == at or word in _LATE else None
        told = tell(p, near) if tell else None
        if told is not None:
            return told
    opened = p.kinds[at] == "(" and p.kinds[at - 1] == ")" and p.partners[at] > 0
    return _quantified(p, p.partners[at] + 1 if opened else at)


# SQL


def _select(p: Pieces, at: int) -> Told:
    rewrite = from_sql.from_select(p) if at == 0 else None
    return Told("SQL's SELECT", "Write MATCH (n:Label) WHERE condition RETURN n.key.", rewrite)


def _from(p: Pieces, at: int) -> Told:
    return Told("SQL's FROM", "Begin with MATCH (n:Label), and end with RETURN.")


def _group(p: Pieces, at: int) -> Told | None:
    if p.upper[at + 1] != "BY":
        return None
    hint = "Leave it out: what stands beside an aggregate in RETURN or WITH is what it groups by."
    return Told("SQL's GROUP BY", hint, from_sql.grouped(p, at))


def _having(p: Pieces, at: int) -> Told:
    hint = "Write WITH key, count(*) AS number WHERE number > 1 RETURN key, number."
    return Told("SQL's HAVING", hint, from_sql.grouped(p, at))


def _over(p: Pieces, at: int) -> Told | None:
    if p.kinds[at + 1] != "(":
        return None
    return Told(
        "SQL's OVER (…)",
        "There are no windows: order the rows with WITH … ORDER BY, collect them, and go through "
        "range(0, size(list) - 1), which numbers them.",
    )


def _join(p: Pieces, at: int) -> Told | None:
    if "JOIN" not in p.upper[at : at + 3]:
        return None
    return Told(
        "SQL's JOIN",
        "Relationships join: MATCH (a:A)-[:TYPE]->(b:B), and OPTIONAL MATCH for an outer join. "
        "What has no relationship is joined by WHERE a.key = b.key.",
    )


def _between(p: Pieces, at: int) -> Told:
    return Told("SQL's BETWEEN", "Write least <= n.key <= most.", from_sql.between(p, at))


def _like(p: Pieces, at: int) -> Told:
    hint = "Write CONTAINS, STARTS WITH or ENDS WITH; for a pattern, =~ '(?i).*ada.*'."
    return Told(f"SQL's {p.upper[at]}", hint, from_sql.like(p, at))


def _not(p: Pieces, at: int) -> Told | None:
    tell = {"LIKE": _like, "ILIKE": _like, "BETWEEN": _between}.get(p.upper[at + 1])
    return tell(p, at + 1) if tell else None


def _nulls(p: Pieces, at: int) -> Told | None:
    if p.upper[at + 1] not in ("FIRST", "LAST"):
        return None
    hint = "Nulls come last, or first with DESC; for the other way write ORDER BY n.key IS NULL, n.key."
    return Told(f"SQL's NULLS {p.upper[at + 1]}", hint, from_sql.nulls(p, at))


def _skip(p: Pieces, at: int) -> Told | None:
    if at < 2 or p.upper[at - 2] != "LIMIT":
        return None
    return Told(f"{p.upper[at]} after LIMIT", "Write SKIP before LIMIT.", from_sql.skip_first(p, at))


# Other dialects of Cypher


def _shortest(p: Pieces, at: int) -> Told | None:
    if "SHORTEST" not in p.upper[at : at + 2]:
        return None
    hint = "Write MATCH p = shortestPath((a)-[*]-(b)), or allShortestPaths(…) for all that are as short."
    return Told("SHORTEST", hint, from_gql.shortened(p))


def _quantified(p: Pieces, at: int) -> Told | None:
    if p.kinds[at] not in ("{", "+", "*", "?") or p.kinds[at - 1] not in (")", "-", ">"):
        return None
    hint = "Write the number of hops into the relationship: -[:TYPE*1..3]->."
    return Told("A pattern repeated by {…}, + or *", hint, from_gql.unquantified(p))


def _call(p: Pieces, at: int) -> Told | None:
    if p.kinds[at + 1] in ("{", "("):
        return Told(
            "CALL { … }",
            "Go on with WITH and OPTIONAL MATCH, or gather values with COLLECT { MATCH … RETURN … }; "
            "there are no transactions.",
            call_inlining.inlined(p, at),
        )
    end = at + 2
    while p.kinds[end] == ".":
        end += 2
    name = "".join(p.words[at + 1 : end])
    hint = foreign_functions.procedure(name)
    return Told(name, hint) if hint else None


_WORDS: dict[str, Callable[[Pieces, int], Told | None]] = {
    "SELECT": _select,
    "FROM": _from,
    "GROUP": _group,
    "HAVING": _having,
    "OVER": _over,
    **dict.fromkeys(("JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS"), _join),
    "BETWEEN": _between,
    **dict.fromkeys(("LIKE", "ILIKE"), _like),
    "NOT": _not,
    "NULLS": _nulls,
    **dict.fromkeys(("SKIP", "OFFSET"), _skip),
    **dict.fromkeys(("SHORTEST", "ANY", "ALL"), _shortest),
    "CALL": _call,
}
_LATE = frozenset(("GROUP", "OVER", "JOIN", "BETWEEN", "LIKE", "ILIKE"))
"""Words that the parser may read past before it stumbles."""
