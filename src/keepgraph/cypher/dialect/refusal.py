"""Refusal: errors that name what belongs to another dialect, and say what to write instead.

A rewrite is given only if it can be parsed and bound, so it can be sent as it is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from keepgraph.cypher import aggregates, functions, value_types
from keepgraph.cypher.check import binder
from keepgraph.cypher.dialect import foreign_clauses, foreign_functions
from keepgraph.cypher.repair import pipeline
from keepgraph.cypher.repair.tolerant_tokenizer import Tokens
from keepgraph.cypher.syntax import ast, parser, traversal
from keepgraph.cypher.syntax.tokenizer import describe_position
from keepgraph.cypher.syntax.tree_walk import walk
from keepgraph.errors import QueryError, QueryRefused, QuerySyntaxInvalid, QueryUnsupported

_MAX_REWRITES = 5
"""How many subqueries and quantified patterns are rewritten in one query."""

_MAX_REWRITTEN = 10_000
"""Longer texts are not rewritten."""


def refuse(query: ast.Query, text: str) -> None:
    """Refuse functions that only other engines have.

    Raises:
        QueryUnsupported: with the query rewritten, if functions of this engine can express it.
    """
    calls = sorted(_foreign_calls(query), key=lambda call: call.span)
    if not calls:
        return
    first = calls[0]
    rewrite = _FunctionRewriter(query, text).rewrite() if len(text) <= _MAX_REWRITTEN else None
    raise QueryUnsupported(
        f"{first.name}() is not known here ({describe_position(text, first.span[0])}).",
        detail="UnknownFunction",
        reason="apoc_unsupported" if first.name.lower().startswith("apoc.") else "function_unsupported",
        span=first.span,
        hint=foreign_functions.hint(first.name),
        rewrite=rewrite,
    )


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


# Functions


def _is_foreign(part: ast.SyntaxNode) -> bool:
    return (
        isinstance(part, ast.Call)
        and functions.find(part.name) is None
        and aggregates.find(part.name) is None
        and foreign_functions.is_known(part.name)
    )


def _foreign_calls(query: ast.Query) -> Iterator[ast.Call]:
    for part in walk(query):
        if isinstance(part, ast.Call) and _is_foreign(part):
            yield part


_AGGREGATES = frozenset(aggregate.name for aggregate in aggregates.AGGREGATES.values())
_OPERATIONS = (ast.Binary, ast.Unary, ast.IsNull, ast.HasLabels, ast.Case)


class _FunctionRewriter:
    """Rewrites a query with functions of this engine."""

    def __init__(self, query: ast.Query, text: str) -> None:
        self.query = query
        self.text = text
        self.words = set(Tokens(text).texts)

    def rewrite(self) -> str | None:
        text = self._rewrite(self.query, 0, len(self.text))
        return make_runnable(text) if text is not None else None

    def _rewrite(self, part: ast.SyntaxNode, start: int, end: int) -> str | None:
        """The text of a part of the tree between two offsets, with each foreign function rewritten.

        None if one of them cannot be rewritten.
        """
        parts: list[str] = []
        offset = start
        for call in _outermost(part):
            new = self._rewrite_call(call)
            if new is None:
                return None
            parts += (self.text[offset : call.span[0]], new)
            offset = call.span[1]
        return "".join((*parts, self.text[offset:end]))

    def _rewrite_call(self, call: ast.Call) -> str | None:
        name = call.name.lower()
        if name in ("point.distance", "distance"):
            return self._rewrite_distance(call)
        inner = call.arguments[0] if call.arguments else None
        if name == "apoc.coll.toset" and isinstance(inner, ast.Call) and inner.name.lower() == "collect":
            # An aggregate belongs to the outer query, and cannot stand in a subquery.
            argument = self._rewrite_argument(inner.arguments[0]) if inner.arguments else None
            return None if argument is None else f"collect(DISTINCT {argument})"
        template = foreign_functions.template(call.name, len(call.arguments))
        if call.distinct and template is not None:
            template = template.replace("(", "(DISTINCT ", 1) if template.partition("(")[0] in _AGGREGATES else None
        if template is None:
            return None
        if "COLLECT" in template and any(map(traversal.has_aggregate, call.arguments)):
            return None
        arguments = [self._bracketed_argument(argument) for argument in call.arguments]
        texts = [text for text in arguments if text is not None]
        # An argument that a template uses twice doubles the text with each nested call.
        if len(texts) < len(arguments) or sum(map(len, texts)) > _MAX_REWRITTEN:
            return None
        return template.format(*texts, each=self._unused_name("one"), all=self._unused_name("whole"))

    def _bracketed_argument(self, argument: ast.Expression) -> str | None:
        """The text of an argument, in brackets where an operator beside it could bind more strongly."""
        text = self._rewrite_argument(argument)
        return f"({text})" if text is not None and isinstance(argument, _OPERATIONS) else text

    def _rewrite_argument(self, argument: ast.Expression) -> str | None:
        if _is_foreign(argument) and isinstance(argument, ast.Call):
            return self._rewrite_call(argument)
        return self._rewrite(argument, *argument.span)

    def _rewrite_distance(self, call: ast.Call) -> str | None:
        """The distance in metres on a sphere between two points that are written out (haversine formula)."""
        coordinates = []
        for point in call.arguments:
            if not isinstance(point, ast.Call) or point.name.lower() != "point" or len(point.arguments) != 1:
                return None
            entries = dict(point.arguments[0].entries) if isinstance(point.arguments[0], ast.MapLiteral) else {}
            if not {"latitude", "longitude"} <= entries.keys():
                return None
            coordinates += [
                self._bracketed_argument(entries["latitude"]),
                self._bracketed_argument(entries["longitude"]),
            ]
        if len(coordinates) != 4 or None in coordinates:
            return None
        lat, lon, other_lat, other_lon = coordinates
        return (
            f"(12742000 * asin(sqrt(haversin(radians({other_lat} - {lat})) + cos(radians({lat})) * "
            f"cos(radians({other_lat})) * haversin(radians({other_lon} - {lon})))))"
        )

    def _unused_name(self, stem: str) -> str:
        name, number = stem, 1
        while name in self.words:
            number += 1
            name = f"{stem}{number}"
        self.words.add(name)
        return name


def _outermost(part: ast.SyntaxNode) -> list[ast.Call]:
    """The foreign calls in a part that are in no other foreign call, in the order of the text."""
    outermost: list[ast.Call] = []
    for call in sorted((call for call in walk(part) if isinstance(call, ast.Call)), key=lambda call: call.span):
        if call is not part and _is_foreign(call) and (not outermost or outermost[-1].span[1] <= call.span[0]):
            outermost.append(call)
    return outermost
