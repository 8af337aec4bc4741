"""Refuses by name what other dialects have and this one has not, and says what to write. Knows no graph.

A rewrite is given only once it was read and bound: it can be sent as it is.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from keepgraph.cypher import functions, value_types
from keepgraph.cypher.check import binder
from keepgraph.cypher.dialect import foreign_clauses, foreign_functions
from keepgraph.cypher.repair import pipeline
from keepgraph.cypher.repair.spelling import parts
from keepgraph.cypher.repair.tolerant_tokenizer import Pieces
from keepgraph.cypher.syntax import ast, parser, traversal
from keepgraph.cypher.syntax.tokens import where
from keepgraph.errors import QueryError, QueryRefused, QuerySyntaxInvalid, QueryUnsupported

_LONGEST = 10_000
"""Longer texts are not said anew."""


def refuse(query: ast.Query, text: str) -> None:
    """Refuses functions that other engines have.

    Raises:
        QueryUnsupported: with the query as it would run, if there is a way to say it here.
    """
    calls = sorted(_foreign_calls(query), key=lambda call: call.span)
    if not calls:
        return
    first = calls[0]
    rewrite = _Rewriting(query, text).whole() if len(text) <= _LONGEST else None
    raise QueryUnsupported(
        f"{first.name}() is not known here ({where(text, first.span[0])}).",
        detail="UnknownFunction",
        reason="apoc_unsupported" if first.name.lower().startswith("apoc.") else "function_unsupported",
        span=first.span,
        hint=foreign_functions.hint(first.name),
        rewrite=rewrite,
    )


def explain(text: str, error: QueryError) -> QueryError:
    """The error itself, or a better one where it is SQL or another dialect that the parser stumbled over."""
    if (
        error.span is None
        or len(text) > _LONGEST
        or not isinstance(error, (QuerySyntaxInvalid, QueryUnsupported, QueryRefused))
    ):
        return error
    pieces = Pieces(text)
    at = min(bisect_left(pieces.starts, error.span[0]), pieces.length)
    told = foreign_clauses.recognised(pieces, at)
    if told is None:
        return error
    rewrite = runnable(told.rewrite) if told.rewrite else None
    if isinstance(error, QueryRefused):
        return QueryRefused(
            error.message,
            detail=error.detail,
            kind=error.kind,
            span=error.span,
            hint=told.hint,
            rewrite=error.rewrite or rewrite,
        )
    return QueryUnsupported(
        f"{told.name} is not known here ({where(text, error.span[0])}).",
        detail=error.detail,
        span=error.span,
        hint=told.hint,
        rewrite=rewrite,
    )


_NOTHING = pipeline.Known(frozenset(), frozenset(), {}, frozenset())


def runnable(text: str) -> str | None:
    """The query, repaired if it must be, if it can be read and makes sense."""
    mended = pipeline.repaired(text, _NOTHING).text
    try:
        query = parser.parse(mended)
        names = {part.name for part in parts(query) if isinstance(part, ast.Parameter)}
        binder.bind(query, dict.fromkeys(names, value_types.UNKNOWN))
    except QueryError:
        return None
    return mended


# Functions


def _is_foreign(part: ast.Part) -> bool:
    return (
        isinstance(part, ast.Call)
        and functions.find(part.name) is None
        and functions.aggregate(part.name) is None
        and foreign_functions.is_known(part.name)
    )


def _foreign_calls(query: ast.Query) -> Iterator[ast.Call]:
    for part in parts(query):
        if isinstance(part, ast.Call) and _is_foreign(part):
            yield part


_AGGREGATES = frozenset(each.name for each in functions.AGGREGATES.values())
_LOOSE = (ast.Binary, ast.Unary, ast.IsNull, ast.HasLabels, ast.Case)


class _Rewriting:
    """A query, said anew with the functions there are."""

    def __init__(self, query: ast.Query, text: str) -> None:
        self.query = query
        self.text = text
        self.words = set(Pieces(text).words)

    def whole(self) -> str | None:
        said = self._said(self.query, 0, len(self.text))
        return runnable(said) if said is not None else None

    def _said(self, part: ast.Part, start: int, end: int) -> str | None:
        """The text of a part from here to there, in which no foreign function is left."""
        pieces: list[str] = []
        at = start
        for call in _outermost(part):
            new = self._call(call)
            if new is None:
                return None
            pieces += (self.text[at : call.span[0]], new)
            at = call.span[1]
        return "".join((*pieces, self.text[at:end]))

    def _call(self, call: ast.Call) -> str | None:
        name = call.name.lower()
        if name in ("point.distance", "distance"):
            return self._metres(call)
        inner = call.arguments[0] if call.arguments else None
        if name == "apoc.coll.toset" and isinstance(inner, ast.Call) and inner.name.lower() == "collect":
            # An aggregate belongs to the query around, and cannot stand in a subquery.
            of = self._argument(inner.arguments[0]) if inner.arguments else None
            return None if of is None else f"collect(DISTINCT {of})"
        template = foreign_functions.template(call.name, len(call.arguments))
        if call.distinct and template is not None:
            template = template.replace("(", "(DISTINCT ", 1) if template.partition("(")[0] in _AGGREGATES else None
        if template is None:
            return None
        if "COLLECT" in template and any(map(traversal.has_aggregate, call.arguments)):
            return None
        said = [self._held(argument) for argument in call.arguments]
        texts = [each for each in said if each is not None]
        # What is said twice in each of many layers grows without end.
        if len(texts) < len(said) or sum(map(len, texts)) > _LONGEST:
            return None
        return template.format(*texts, each=self._fresh("one"), all=self._fresh("whole"))

    def _held(self, argument: ast.Expression) -> str | None:
        """The text of an argument, in brackets where an operator beside it could tear it apart."""
        said = self._argument(argument)
        return f"({said})" if said is not None and isinstance(argument, _LOOSE) else said

    def _argument(self, argument: ast.Expression) -> str | None:
        if _is_foreign(argument) and isinstance(argument, ast.Call):
            return self._call(argument)
        return self._said(argument, *argument.span)

    def _metres(self, call: ast.Call) -> str | None:
        """The distance on the sphere of two points that are written out."""
        places = []
        for point in call.arguments:
            if not isinstance(point, ast.Call) or point.name.lower() != "point" or len(point.arguments) != 1:
                return None
            entries = dict(point.arguments[0].entries) if isinstance(point.arguments[0], ast.MapLiteral) else {}
            if not {"latitude", "longitude"} <= entries.keys():
                return None
            places += [self._held(entries["latitude"]), self._held(entries["longitude"])]
        if len(places) != 4 or None in places:
            return None
        lat, lon, other_lat, other_lon = places
        return (
            f"(12742000 * asin(sqrt(haversin(radians({other_lat} - {lat})) + cos(radians({lat})) * "
            f"cos(radians({other_lat})) * haversin(radians({other_lon} - {lon})))))"
        )

    def _fresh(self, stem: str) -> str:
        name, number = stem, 1
        while name in self.words:
            number += 1
            name = f"{stem}{number}"
        self.words.add(name)
        return name


def _outermost(part: ast.Part) -> list[ast.Call]:
    """The foreign calls in a part that stand in no other, as they come in the text."""
    found: list[ast.Call] = []
    for call in sorted((each for each in parts(part) if isinstance(each, ast.Call)), key=lambda each: each.span):
        if call is not part and _is_foreign(call) and (not found or found[-1].span[1] <= call.span[0]):
            found.append(call)
    return found
