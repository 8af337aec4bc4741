"""Foreign clauses: recognises SQL and other dialects at the token where the parser failed, and suggests what to write.

A rewrite is a proposal: the caller checks that it can be parsed and bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from keepgraph.cypher.dialect import call_inlining, foreign_functions, from_gql, from_sql, quantified_patterns
from keepgraph.cypher.repair.tolerant_tokenizer import Tokens


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What to write instead of a foreign clause.

    Attributes:
        name: what the clause is.
        rewrite: the whole query, rewritten; None where that is not possible.
        sentence: what the rewrite does, where it means the same and may run in place of the query; else empty.
    """

    name: str
    hint: str
    rewrite: str | None = None
    sentence: str = ""


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
    if tokens.upper[index] == "WHERE" and tokens.enclosing[index] >= 0:
        # The parser fails at the condition of a pattern in brackets, before it sees that the pattern is repeated.
        index = tokens.partners[tokens.enclosing[index]] + 1
    before_bracket = tokens.kinds[index] == "(" and tokens.kinds[index - 1] == ")" and tokens.partners[index] > 0
    return _quantified(tokens, tokens.partners[index] + 1 if before_bracket else index)


def _sql(tokens: Tokens, index: int) -> Suggestion | None:
    name = from_sql.find_clause(tokens, index)
    if name is None:
        return None
    rewrite = None
    if name == "BETWEEN":
        rewrite = from_sql.rewrite_between(tokens, index + (tokens.upper[index] == "NOT"))
    elif name.endswith("LIMIT"):
        rewrite = from_sql.swap_limit_and_skip(tokens, index)
    return Suggestion(f"SQL's {name}", from_sql.ADVICE[name], rewrite)


# Other dialects of Cypher


def _shortest(tokens: Tokens, index: int) -> Suggestion | None:
    if "SHORTEST" not in tokens.upper[index : index + 2]:
        return None
    hint = "Write MATCH p = shortestPath((a)-[*]-(b)), or allShortestPaths(…) for all that are as short."
    return Suggestion("SHORTEST", hint, from_gql.rewrite_shortest(tokens), "Wrote SHORTEST as shortestPath()")


def _quantified(tokens: Tokens, index: int) -> Suggestion | None:
    if tokens.kinds[index] not in ("{", "+", "*", "?") or tokens.kinds[index - 1] not in (")", "-", ">"):
        return None
    hint = "Write the number of hops into the relationship: -[:TYPE*1..3]->."
    return Suggestion(
        "A pattern repeated by {…}, + or *",
        hint,
        quantified_patterns.rewrite(tokens),
        "Wrote the number of hops into the relationship",
    )


def _call(tokens: Tokens, index: int) -> Suggestion | None:
    if tokens.kinds[index + 1] in ("{", "("):
        return Suggestion(
            "CALL { … }",
            "Go on with WITH and OPTIONAL MATCH, or gather values with COLLECT { MATCH … RETURN … }; "
            "there are no transactions.",
            call_inlining.inline_call(tokens, index),
            "Wrote the subquery in CALL { … } as clauses of the query",
        )
    end = index + 2
    while tokens.kinds[end] == ".":
        end += 2
    name = "".join(tokens.texts[index + 1 : end])
    hint = foreign_functions.procedure_hint(name)
    return Suggestion(name, hint) if hint else None


_BY_FIRST_WORD: dict[str, Callable[[Tokens, int], Suggestion | None]] = {
    **dict.fromkeys(from_sql.FIRST_WORDS, _sql),
    **dict.fromkeys(("SHORTEST", "ANY", "ALL"), _shortest),
    "CALL": _call,
}
_BEFORE_THE_ERROR = frozenset(("GROUP", "OVER", "JOIN", "BETWEEN", "LIKE", "ILIKE"))
"""Words that may stand one or two tokens before the one where the parser fails."""
