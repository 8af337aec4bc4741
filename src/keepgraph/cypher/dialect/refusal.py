"""Refusal: errors that name what belongs to another dialect, and say what to write instead.

A rewrite is given only if it can be parsed and bound, so it can be sent as it is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

from keepgraph.cypher import value_types
from keepgraph.cypher.check import binder
from keepgraph.cypher.dialect import foreign_functions, rewrites
from keepgraph.cypher.repair import pipeline
from keepgraph.cypher.repair.tolerant_tokenizer import Edit, Tokens, apply_edits
from keepgraph.cypher.syntax import ast, parser
from keepgraph.cypher.syntax.tokenizer import describe_position
from keepgraph.cypher.syntax.tree_walk import walk
from keepgraph.errors import QueryError, QueryRefused, QuerySyntaxInvalid, QueryUnsupported

# Foreign clauses: recognises SQL and other dialects at the token where the parser failed, and suggests what to write.
#
# A rewrite is a proposal: the caller checks that it can be parsed and bound.


@dataclass(frozen=True, slots=True)
class _Suggestion:
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


def _recognise(tokens: Tokens, index: int) -> _Suggestion | None:
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


# SQL


def _sql(tokens: Tokens, index: int) -> _Suggestion | None:
    name = _sql_clause(tokens, index)
    return None if name is None else _Suggestion(f"SQL's {name}", ADVICE[name])


_LIKE_ADVICE = (
    "Write CONTAINS, STARTS WITH or ENDS WITH, or =~ for a pattern: "
    "MATCH (p:Person) WHERE p.name =~ '(?i)a.*a' RETURN p.name"
)
_SKIP_ADVICE = "SKIP comes before LIMIT: MATCH (p:Person) RETURN p.name SKIP 10 LIMIT 5"
ADVICE = {
    "SELECT": "A query begins with MATCH and ends with RETURN: MATCH (p:Person) WHERE p.name = 'Ana' RETURN p.name",
    "FROM": "Read with MATCH: MATCH (p:Person) RETURN p.name",
    "GROUP BY": "Leave it out; an aggregate groups by the other returned values: "
    "MATCH (p:Person)-->(n) RETURN p.name, count(n)",
    "HAVING": "Write WITH and WHERE: MATCH (p:Person)-->(n) WITH p, count(n) AS total WHERE total > 3 "
    "RETURN p.name, total",
    "OVER": "There are no window functions; collect ordered rows and number them: MATCH (p:Person) WITH p.name AS name "
    "ORDER BY name WITH collect(name) AS names UNWIND range(0, size(names) - 1) AS i RETURN i + 1, names[i]",
    "JOIN": "Relationships join, and OPTIONAL MATCH is an outer join: "
    "MATCH (p:Person) OPTIONAL MATCH (p)-->(n) RETURN p.name, n.name",
    "BETWEEN": "Write two comparisons: MATCH (n) WHERE 1 <= n.x <= 5 RETURN n",
    "LIKE": _LIKE_ADVICE,
    "ILIKE": _LIKE_ADVICE,
    "NULLS FIRST": "Nulls come first with DESC; otherwise sort by IS NOT NULL first: "
    "MATCH (n) RETURN n.name ORDER BY n.x IS NOT NULL, n.x",
    "NULLS LAST": "Nulls come last without DESC; otherwise sort by IS NULL first: "
    "MATCH (n) RETURN n.name ORDER BY n.x IS NULL, n.x DESC",
    "SKIP after LIMIT": _SKIP_ADVICE,
    "OFFSET after LIMIT": _SKIP_ADVICE,
}
"""For each clause what to write instead, and behind the colon a query that does."""

_JOINS = frozenset("JOIN INNER LEFT RIGHT FULL CROSS".split())
_FIRST_WORDS = _JOINS | {"NOT"} | {name.partition(" ")[0] for name in ADVICE}


def _sql_clause(tokens: Tokens, index: int) -> str | None:
    """The clause of SQL that begins at this token, as a key of the advice."""
    word, following = tokens.upper[index], tokens.upper[index + 1]
    if word in _JOINS:
        return "JOIN" if "JOIN" in tokens.upper[index : index + 3] else None
    if word == "NOT":
        return following if following in ("LIKE", "ILIKE", "BETWEEN") else None
    if word in ("GROUP", "NULLS"):
        word = f"{word} {following}"
    elif word in ("SKIP", "OFFSET") and index > 1 and tokens.upper[index - 2] == "LIMIT":
        word = f"{word} after LIMIT"
    elif word == "OVER" and tokens.kinds[index + 1] != "(":
        return None
    return word if word in ADVICE else None


# Other dialects of Cypher


def _shortest(tokens: Tokens, index: int) -> _Suggestion | None:
    if "SHORTEST" not in tokens.upper[index : index + 2]:
        return None
    hint = "Write MATCH p = shortestPath((a)-[*]-(b)), or allShortestPaths(…) for all of that length."
    return _Suggestion("SHORTEST", hint, _rewrite_shortest(tokens), "Wrote SHORTEST as shortestPath()")


def _rewrite_shortest(tokens: Tokens) -> str | None:
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
    return rewrites.rewrite(Tokens(shortened)) or shortened


def _quantified(tokens: Tokens, index: int) -> _Suggestion | None:
    if tokens.kinds[index] not in ("{", "+", "*", "?") or tokens.kinds[index - 1] not in (")", "-", ">"):
        return None
    hint = (
        "Write the number of hops into the relationship, and conditions on the nodes behind it: "
        "MATCH p = (a)-[:TYPE*1..3]->(b) WHERE all(n IN nodes(p) WHERE …)."
    )
    return _Suggestion(
        "A pattern repeated by {…}, + or *",
        hint,
        rewrites.rewrite(tokens),
        "Wrote the number of hops into the relationship",
    )


def _call(tokens: Tokens, index: int) -> _Suggestion | None:
    if tokens.kinds[index + 1] in ("{", "("):
        return _Suggestion(
            "CALL { … }",
            "Continue with WITH and OPTIONAL MATCH, or gather values with COLLECT { MATCH … RETURN … }; "
            "there are no transactions.",
            rewrites.inline_call(tokens, index),
            "Wrote the subquery in CALL { … } as UNWIND COLLECT { … }",
        )
    end = index + 2
    while tokens.kinds[end] == ".":
        end += 2
    name = "".join(tokens.texts[index + 1 : end])
    hint = foreign_functions.procedure_hint(name)
    return _Suggestion(name, hint) if hint else None


_BY_FIRST_WORD: dict[str, Callable[[Tokens, int], _Suggestion | None]] = {
    **dict.fromkeys(_FIRST_WORDS, _sql),
    **dict.fromkeys(("SHORTEST", "ANY", "ALL"), _shortest),
    "CALL": _call,
}
_BEFORE_THE_ERROR = frozenset(("GROUP", "OVER", "JOIN", "BETWEEN", "LIKE", "ILIKE"))
"""Words that may stand one or two tokens before the one where the parser fails."""


_MAX_REWRITES = 5
"""The most subqueries and quantified patterns rewritten in one query."""

_MAX_REWRITTEN = 10_000
"""Longer texts are not rewritten."""


def explain(text: str, error: QueryError) -> QueryError:
    """The error itself, or a better one where the parser failed at SQL or another dialect."""
    if (
        error.span is None
        or len(text) > _MAX_REWRITTEN
        or not isinstance(error, (QuerySyntaxInvalid, QueryUnsupported, QueryRefused))
    ):
        return error
    tokens = Tokens(text)
    index = min(bisect_left(tokens.starts, error.span[0]), tokens.length)
    suggestion = _recognise(tokens, index)
    if suggestion is None:
        return error
    rewrite = make_runnable(suggestion.rewrite) if suggestion.rewrite else None
    if isinstance(error, QueryRefused):
        return QueryRefused(
            error.message,
            detail=error.detail,
            kind=error.kind,
            span=error.span,
            hint=suggestion.hint,
            rewrite=error.rewrite or rewrite,
        )
    return QueryUnsupported(
        f"{suggestion.name} is not known here ({describe_position(text, error.span[0])}).",
        detail=error.detail,
        kind=error.kind,
        reason=error.reason if error.rewrite else None,
        span=error.span,
        hint=suggestion.hint,
        rewrite=rewrite or error.rewrite,
    )


def rewrite_newer_cypher(text: str, error: QueryError) -> tuple[str, str] | None:
    """A query with CALL { … } or quantified patterns as one that means the same and runs, and what was rewritten.

    None where it has none of them, or where no query is known that means the same.

    Args:
        error: that of the parser.
    """
    sentences: list[str] = []
    failure: QueryError | None = error
    while failure is not None and len(sentences) < _MAX_REWRITES:
        suggestion = _suggestion(text, failure)
        if suggestion is None or not suggestion.sentence or suggestion.rewrite is None:
            return None
        text, failure = suggestion.rewrite, _parse_error(suggestion.rewrite)
        sentences.append(suggestion.sentence)
    runnable = make_runnable(text)
    return None if runnable is None else (runnable, sentences[0])


def _parse_error(text: str) -> QueryError | None:
    try:
        parser.parse(text)
    except QueryError as error:
        return error
    return None


def _suggestion(text: str, error: QueryError) -> _Suggestion | None:
    is_syntax = isinstance(error, (QuerySyntaxInvalid, QueryUnsupported))
    if error.span is None or not is_syntax or len(text) > _MAX_REWRITTEN:
        return None
    tokens = Tokens(text)
    return _recognise(tokens, min(bisect_left(tokens.starts, error.span[0]), tokens.length))


_NO_VOCABULARY = pipeline.Vocabulary(frozenset(), frozenset(), {})


def make_runnable(text: str) -> str | None:
    """The query, repaired if needed; None if it cannot be parsed or bound even so."""
    repaired = pipeline.repair(text, _NO_VOCABULARY).text
    try:
        query = parser.parse(repaired)
        names = {part.name for part in walk(query) if isinstance(part, ast.Parameter)}
        binder.bind(query, dict.fromkeys(names, value_types.UNKNOWN))
    except QueryError:
        return None
    return repaired
