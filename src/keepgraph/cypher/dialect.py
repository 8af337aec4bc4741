"""Errors for SQL and for functions and procedures of other engines: each says what to write instead, with an example.

What is here is never rewritten: whoever asks writes the query anew, in the form of the example.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from typing import Final

from keepgraph.cypher import aggregates, functions
from keepgraph.cypher.syntax import ast, parser
from keepgraph.cypher.syntax.tokenizer import TokenStream, describe_position
from keepgraph.cypher.syntax.tree_walk import walk
from keepgraph.errors import QueryError, QueryRefused, QuerySyntaxInvalid, QueryUnsupported

_MAX_EXPLAINED = 10_000
"""Longer texts keep the error of the parser."""


def explain(text: str, error: QueryError) -> QueryError:
    """The error itself, or a better one where the parser failed at SQL or at a procedure."""
    if (
        error.span is None
        or len(text) > _MAX_EXPLAINED
        or not isinstance(error, (QuerySyntaxInvalid, QueryUnsupported, QueryRefused))
    ):
        return error
    try:
        tokens = TokenStream(text)
    except QuerySyntaxInvalid:
        return error
    index = bisect_left(tokens.starts, error.span[0])
    if error.detail == "ProcedureNotFound":
        procedure = re.compile(r"[\w.]*").match(text, tokens.starts[index + 1])
        error.hint = _procedure_hint(procedure[0].lower() if procedure else "") or error.hint
        return error
    name = next((name for near in (index, index - 1, index - 2) if (name := _sql_clause(tokens, near, index))), None)
    if name is None:
        return error
    return QueryUnsupported(
        f"SQL's {name} is not known here ({describe_position(text, error.span[0])}).",
        detail=error.detail,
        kind=error.kind,
        span=error.span,
        hint=ADVICE[name],
    )


# SQL

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
    "NULLS FIRST": "Nulls come first with DESC; otherwise sort by IS NOT NULL first: "
    "MATCH (n) RETURN n.name ORDER BY n.x IS NOT NULL, n.x",
    "NULLS LAST": "Nulls come last without DESC; otherwise sort by IS NULL first: "
    "MATCH (n) RETURN n.name ORDER BY n.x IS NULL, n.x DESC",
    "SKIP after LIMIT": _SKIP_ADVICE,
    "OFFSET after LIMIT": _SKIP_ADVICE,
}
"""For each clause what to write instead, and behind the colon a query that does."""

_JOINS = frozenset("JOIN INNER LEFT RIGHT FULL CROSS".split())
_BEFORE_THE_ERROR = frozenset(("GROUP", "OVER", "JOIN", "BETWEEN"))
"""Words that may stand one or two tokens before the one where the parser fails."""


def _sql_clause(tokens: TokenStream, index: int, failed_at: int) -> str | None:
    """The clause of SQL that begins at this token, as a key of the advice."""
    words = [tokens.text[start:end].upper() for start, end in zip(tokens.starts, tokens.ends, strict=True)]
    word, following = words[index], words[index + 1]
    if index < 0 or tokens.kinds[index - 1] == "." or (index != failed_at and word not in _BEFORE_THE_ERROR):
        return None
    if word in _JOINS:
        return "JOIN" if "JOIN" in words[index : index + 3] else None
    if word == "NOT":
        return following if following == "BETWEEN" else None
    if word in ("GROUP", "NULLS"):
        word = f"{word} {following}"
    elif word in ("SKIP", "OFFSET") and index > 1 and words[index - 2] == "LIMIT":
        word = f"{word} after LIMIT"
    elif word == "OVER" and tokens.kinds[index + 1] != "(":
        return None
    return word if word in ADVICE else None


# Functions of other engines

_NUMBERS = (
    "Compute it with + - * / ^ %, exp(), sqrt() and reduce(): RETURN (exp(1) - exp(-1)) / 2 AS sinh, 7 % 4 AS rest"
)
_TEXTS = (
    "Compare texts with CONTAINS, STARTS WITH, ENDS WITH or =~, take them apart with split() and substring(), join "
    "them with + and reduce(): RETURN substring(reduce(all = '', one IN ['a', 'b'] | all + ', ' + one), 2) AS joined"
)
_LISTS = (
    "Use a list comprehension [x IN list WHERE … | …], reduce(), IN, or COLLECT { … } to sort and to leave out "
    "duplicates: RETURN COLLECT { UNWIND [3, 1, 3] AS x RETURN DISTINCT x ORDER BY x } AS sorted, "
    "reduce(sum = 0, x IN [3, 1, 3] | sum + x) AS total"
)
_MAPS = (
    "Write a map {key: value}, n {.*, key: value}, or take properties(n) and keys(n): "
    "MATCH (n) RETURN n {.*, type: labels(n)[0]} AS map, properties(n)['name'] AS value"
)
_DATES = (
    "Use date(), datetime(), duration() and their components; they read ISO texts: RETURN date('2026-05-01').year AS "
    "year, datetime.fromEpochMillis(0) AS at, duration.inDays(date('2026-05-01'), date()).days AS days, "
    "date() + duration({days: 1}) AS tomorrow"
)
_PATHS = (
    "Write a pattern of variable length, and take its nodes(p) and relationships(p): "
    "MATCH p = (a:Person)-[*1..3]->(b) RETURN nodes(p), length(p)"
)
_GRAPH = (
    "Count and compare with MATCH, COUNT { … } and aggregates; shortestPath() finds the shortest way: "
    "MATCH (n:Person) RETURN n.name, COUNT { (n)--() } AS degree"
)
_SCHEMA = f"labels(n), type(r) and keys(n) show what one has. {parser.LISTS_OF_NAMES}"
_PLACES = (
    "Keep latitude and longitude as properties, and compute kilometres: "
    "MATCH (a:Person), (b:Person) RETURN 12742 * asin(sqrt(haversin(radians(b.lat - a.lat)) + cos(radians(a.lat)) * "
    "cos(radians(b.lat)) * haversin(radians(b.lon - a.lon)))) AS km"
)
_VECTORS = "Use `search` to find things by meaning; a query compares names and properties."
_CONVERSIONS = (
    "Convert with toInteger(), toFloat(), toBoolean() and toString(), or with their …OrNull and …List kinds: "
    "RETURN toIntegerOrNull('x') AS number"
)
_AGGREGATES = (
    "Use count, sum, avg, min, max, collect, stDev, percentileCont or percentileDisc: "
    "MATCH (n:Person) RETURN percentileCont(n.age, 0.5) AS median, head(collect(n.name)) AS first"
)
_CASES = "Write CASE: RETURN CASE WHEN 1 > 2 THEN 1 ELSE 2 END AS greater"

HINTS_BY_PREFIX: Final[Mapping[str, str]] = {
    "apoc.text.": _TEXTS,
    "apoc.coll.": _LISTS,
    "apoc.map.": _MAPS,
    "apoc.convert.": _CONVERSIONS,
    "apoc.json.": _MAPS,
    "apoc.date.": _DATES,
    "apoc.temporal.": _DATES,
    "apoc.path.": _PATHS,
    "apoc.algo.": _GRAPH,
    "apoc.node": _GRAPH,
    "apoc.rel.": "Use type(r), startNode(r), endNode(r) and properties(r).",
    "apoc.label.": "Write n:Label, or 'Label' IN labels(n).",
    "apoc.agg.": _AGGREGATES,
    "apoc.number.": _NUMBERS,
    "apoc.math.": _NUMBERS,
    "apoc.meta.": _SCHEMA,
    "apoc.schema.": _SCHEMA,
    "apoc.": "APOC is not supported; patterns of variable length, lists and maps replace most of it.",
    "gds.similarity.": _VECTORS,
    "gds.": _GRAPH,
    "algo.": _GRAPH,
    "db.index.fulltext.": "Write WHERE toLower(n.name) CONTAINS 'ada'; search finds names in other spellings.",
    "db.index.vector.": _VECTORS,
    "db.": _SCHEMA,
    "dbms.": _SCHEMA,
    "genai.": _VECTORS,
    "ai.": _VECTORS,
    "vector.": _VECTORS,
    "point.": _PLACES,
    "graph.": "There is only one graph, and every query reads it.",
}
"""By how a name begins; the first that fits counts."""

HINTS_BY_NAME: Final[Mapping[str, str]] = {
    **dict.fromkeys(("point", "distance"), _PLACES),
    **dict.fromkeys(("vector", "vector_distance", "vector_norm", "vector_dimension_count", "embedding"), _VECTORS),
    **dict.fromkeys(("file", "linenumber"), "Queries read only the graph; pass rows as a parameter."),
    **dict.fromkeys(("normalize", "soundex", "levenshtein", "format", "regexp_replace", "instr", "position", "concat",
                     "string_agg", "group_concat", "listagg", "contains", "startswith", "endswith"), _TEXTS),
    **dict.fromkeys(("year", "month", "day", "datediff", "date_diff", "dateadd", "date_add", "date_sub", "date_trunc",
                     "date_part", "strftime", "extract_date", "to_date", "todate"), _DATES),
    **dict.fromkeys(("row_number", "rank", "dense_rank", "lag", "lead"), ADVICE["OVER"]),
    **dict.fromkeys(("cast", "convert", "try_cast"), _CONVERSIONS),
    **dict.fromkeys(("mode", "variance", "var_samp", "var_pop", "median"), _AGGREGATES),
    **dict.fromkeys(("mod", "power", "pow", "cosh", "sinh", "tanh", "coth"), _NUMBERS),
    **dict.fromkeys(("degree", "pagerank"), _GRAPH),
    **dict.fromkeys(("filter", "extract", "allreduce"), _LISTS),
    **dict.fromkeys(("has", "property_exists", "notnull"), "Write n.key IS NOT NULL."),
    **dict.fromkeys(("iif", "if", "greatest", "least"), _CASES),
    "isnull": "Write x IS NULL.",
    "substr": "Write substring(text, start, length); it counts from 0.",
}  # fmt: skip


def refuse(query: ast.Query, text: str) -> None:
    """Refuse functions that only other engines have.

    Raises:
        QueryUnsupported: with what to write instead of the first of them.
    """
    calls = [part for part in walk(query) if isinstance(part, ast.Call) and _is_foreign(part.name)]
    if not calls:
        return
    first = min(calls, key=lambda call: call.span)
    raise QueryUnsupported(
        f"{first.name}() is not known here ({describe_position(text, first.span[0])}).",
        detail="UnknownFunction",
        reason="apoc_unsupported" if first.name.lower().startswith("apoc.") else "function_unsupported",
        span=first.span,
        hint=_hint(first.name.lower()),
    )


def _is_foreign(name: str) -> bool:
    """Whether another engine has a function of this name, and this one has not."""
    return functions.find(name) is None and aggregates.find(name) is None and _hint(name.lower()) is not None


def _hint(name: str) -> str | None:
    """What to do instead, in words; None for a name that no engine has."""
    return HINTS_BY_NAME.get(name) or next(
        (text for prefix, text in HINTS_BY_PREFIX.items() if name.startswith(prefix)), None
    )


def _procedure_hint(name: str) -> str | None:
    """What to do instead of calling this procedure, in words."""
    return _hint(name) if "." in name else None
