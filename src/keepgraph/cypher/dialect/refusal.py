"""Refusal: errors that name what belongs to another dialect, and say what to write instead.

A rewrite is given only if it can be parsed and bound, so it can be sent as it is.
"""

from __future__ import annotations

from bisect import bisect_left

from keepgraph.cypher import value_types
from keepgraph.cypher.check import binder
from keepgraph.cypher.dialect import foreign_clauses
from keepgraph.cypher.repair import pipeline
from keepgraph.cypher.repair.tolerant_tokenizer import Tokens
from keepgraph.cypher.syntax import ast, parser
from keepgraph.cypher.syntax.tokenizer import describe_position
from keepgraph.cypher.syntax.tree_walk import walk
from keepgraph.errors import QueryError, QueryRefused, QuerySyntaxInvalid, QueryUnsupported

_MAX_REWRITES = 5
"""How many subqueries and quantified patterns are rewritten in one query."""

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
    suggestion = foreign_clauses.recognise(tokens, index)
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


def _suggestion(text: str, error: QueryError) -> foreign_clauses.Suggestion | None:
    is_syntax = isinstance(error, (QuerySyntaxInvalid, QueryUnsupported))
    if error.span is None or not is_syntax or len(text) > _MAX_REWRITTEN:
        return None
    tokens = Tokens(text)
    return foreign_clauses.recognise(tokens, min(bisect_left(tokens.starts, error.span[0]), tokens.length))


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
