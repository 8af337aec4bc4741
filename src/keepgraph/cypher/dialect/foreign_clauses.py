"""Foreign clauses: recognises SQL and other dialects at the token where the parser failed, and suggests what to write.

A rewrite is a proposal: the caller checks that it can be parsed and bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from keepgraph.cypher.dialect import call_inlining, foreign_functions, from_gql, from_sql
from keepgraph.cypher.repair.tolerant_tokenizer import Tokens


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What to write instead of a foreign clause.

    Attributes:
        name: what the clause is.
        rewrite: the whole query, rewritten; None where that is not possible.
    """

    name: str
    hint: str
    rewrite: str | None = None


def recognise(tokens: Tokens, index: int) -> Suggestion | None:
    """The suggestion for the foreign clause that begins at this token or just before it; None for no such clause."""
    for near in (index, index - 1, index - 2):
        if near < 0 or tokens.kinds[near] != "name" or tokens.kinds[near - 1] == ".":
            continue
        word = tokens.upper[near]
        suggest = _BY_FIRST_WORD.get(word) if near == index or word in _BEFORE_THE_ERROR else None
        suggestion = suggest(tokens, near) if suggest else None
        if suggestion is not None:
            return suggestion
    before_bracket = tokens.kinds[index] == "(" and tokens.kinds[index - 1] == ")" and tokens.partners[index] > 0
    return _quantified(tokens, tokens.partners[index] + 1 if before_bracket else index)


# SQL


def _select(tokens: Tokens, index: int) -> Suggestion:
    rewrite = from_sql.rewrite_select(tokens) if index == 0 else None
    return Suggestion("SQL's SELECT", "Write MATCH (n:Label) WHERE condition RETURN n.key.", rewrite)


def _from(tokens: Tokens, index: int) -> Suggestion:
    return Suggestion("SQL's FROM", "Begin with MATCH (n:Label), and end with RETURN.")


def _group(tokens: Tokens, index: int) -> Suggestion | None:
    if tokens.upper[index + 1] != "BY":
        return None
    hint = "Leave it out: what stands beside an aggregate in RETURN or WITH is what it groups by."
    return Suggestion("SQL's GROUP BY", hint, from_sql.rewrite_group_by(tokens, index))


def _having(tokens: Tokens, index: int) -> Suggestion:
    hint = "Write WITH key, count(*) AS number WHERE number > 1 RETURN key, number."
    return Suggestion("SQL's HAVING", hint, from_sql.rewrite_group_by(tokens, index))


def _over(tokens: Tokens, index: int) -> Suggestion | None:
    if tokens.kinds[index + 1] != "(":
        return None
    return Suggestion(
        "SQL's OVER (…)",
        "There are no windows: order the rows with WITH … ORDER BY, collect them, and go through "
        "range(0, size(list) - 1), which numbers them.",
    )


def _join(tokens: Tokens, index: int) -> Suggestion | None:
    if "JOIN" not in tokens.upper[index : index + 3]:
        return None
    return Suggestion(
        "SQL's JOIN",
        "Relationships join: MATCH (a:A)-[:TYPE]->(b:B), and OPTIONAL MATCH for an outer join. "
        "What has no relationship is joined by WHERE a.key = b.key.",
    )


def _between(tokens: Tokens, index: int) -> Suggestion:
    return Suggestion("SQL's BETWEEN", "Write least <= n.key <= most.", from_sql.rewrite_between(tokens, index))


def _like(tokens: Tokens, index: int) -> Suggestion:
    hint = "Write CONTAINS, STARTS WITH or ENDS WITH; for a pattern, =~ '(?i).*ada.*'."
    return Suggestion(f"SQL's {tokens.upper[index]}", hint, from_sql.rewrite_like(tokens, index))


def _not(tokens: Tokens, index: int) -> Suggestion | None:
    suggest = {"LIKE": _like, "ILIKE": _like, "BETWEEN": _between}.get(tokens.upper[index + 1])
    return suggest(tokens, index + 1) if suggest else None


def _nulls(tokens: Tokens, index: int) -> Suggestion | None:
    if tokens.upper[index + 1] not in ("FIRST", "LAST"):
        return None
    hint = "Nulls come last, or first with DESC; for the other way write ORDER BY n.key IS NULL, n.key."
    return Suggestion(f"SQL's NULLS {tokens.upper[index + 1]}", hint, from_sql.rewrite_nulls(tokens, index))


def _skip(tokens: Tokens, index: int) -> Suggestion | None:
    if index < 2 or tokens.upper[index - 2] != "LIMIT":
        return None
    return Suggestion(
        f"{tokens.upper[index]} after LIMIT", "Write SKIP before LIMIT.", from_sql.swap_limit_and_skip(tokens, index)
    )


# Other dialects of Cypher


def _shortest(tokens: Tokens, index: int) -> Suggestion | None:
    if "SHORTEST" not in tokens.upper[index : index + 2]:
        return None
    hint = "Write MATCH p = shortestPath((a)-[*]-(b)), or allShortestPaths(…) for all that are as short."
    return Suggestion("SHORTEST", hint, from_gql.rewrite_shortest(tokens))


def _quantified(tokens: Tokens, index: int) -> Suggestion | None:
    if tokens.kinds[index] not in ("{", "+", "*", "?") or tokens.kinds[index - 1] not in (")", "-", ">"):
        return None
    hint = "Write the number of hops into the relationship: -[:TYPE*1..3]->."
    return Suggestion("A pattern repeated by {…}, + or *", hint, from_gql.rewrite_quantified(tokens))


def _call(tokens: Tokens, index: int) -> Suggestion | None:
    if tokens.kinds[index + 1] in ("{", "("):
        return Suggestion(
            "CALL { … }",
            "Go on with WITH and OPTIONAL MATCH, or gather values with COLLECT { MATCH … RETURN … }; "
            "there are no transactions.",
            call_inlining.inline_call(tokens, index),
        )
    end = index + 2
    while tokens.kinds[end] == ".":
        end += 2
    name = "".join(tokens.texts[index + 1 : end])
    hint = foreign_functions.procedure_hint(name)
    return Suggestion(name, hint) if hint else None


_BY_FIRST_WORD: dict[str, Callable[[Tokens, int], Suggestion | None]] = {
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
_BEFORE_THE_ERROR = frozenset(("GROUP", "OVER", "JOIN", "BETWEEN", "LIKE", "ILIKE"))
"""Words that may stand one or two tokens before the one where the parser fails."""
