"""Errors for SQL, GQL and other dialects of Cypher: each names what belongs there, and says what to write instead.

A rewrite is given only if it can be parsed and bound, so it can be sent as it is: quantified patterns become variable
lengths, and subqueries in CALL become UNWIND COLLECT. Labels that both nodes of a repeated pattern have become a
condition on the nodes of the path; other conditions have no rewrite.

Functions of other engines that this one lacks are refused, with what means the same here. In a template `{0}` is the
first argument, and `{each}` and `{all}` are variables that the query does not use.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from keepgraph.cypher import aggregates, binder, functions, query_repair, value_types
from keepgraph.cypher.foreign_syntax import Edit, Tokens, apply_edits, quote_name
from keepgraph.cypher.syntax import ast, parser, tree_walk
from keepgraph.cypher.syntax.tokenizer import describe_position
from keepgraph.cypher.syntax.tree_walk import walk
from keepgraph.errors import QueryError, QueryRefused, QuerySyntaxInvalid, QueryUnsupported


def rewrite(tokens: Tokens) -> str | None:
    """The query with relationships of variable length in place of quantified patterns.

    None where it has no such pattern, or where no relationship of variable length means the same.
    """
    edits: list[Edit] = []
    for index in range(1, tokens.length):
        if tokens.kinds[index] not in ("{", "+", "*"):
            continue
        hops, end = _parse_quantifier(tokens, index)
        if hops is None:
            continue
        if tokens.kinds[index - 1] == ")":
            opening = tokens.partners[index - 1]
            if opening < 0 or tokens.kinds[opening + 1] != "(":
                continue
            rewritten = _rewrite_repeated(tokens, opening, index - 1, end, hops)
        elif tokens.kinds[index - 1] in ("-", ">") and tokens.kinds[end] == "(":
            rewritten = _rewrite_arrow(tokens, index - 1, hops)
        else:
            continue
        if rewritten is None:
            return None
        edits += rewritten
    starts_of_conditions = [start for start, end, text in edits if start == end]
    if len(starts_of_conditions) > len(set(starts_of_conditions)):
        return None  # several patterns whose conditions meet in one place
    return apply_edits(tokens.text, edits) if edits else None


def _parse_quantifier(tokens: Tokens, index: int) -> tuple[str | None, int]:
    """`*1..3` for `{1,3}`, and the index of the token behind it; None for no quantifier."""
    if tokens.kinds[index] in ("+", "*"):
        return ("*1.." if tokens.kinds[index] == "+" else "*0.."), index + 1
    closing = tokens.partners[index]
    quantifier = "".join(tokens.texts[index + 1 : max(closing, index + 1)])
    bounds = re.fullmatch(r"(\d*)(,?)(\d*)", quantifier)
    if closing < 0 or not quantifier or bounds is None:
        return None, index
    least, comma, most = bounds.groups()
    return (f"*{least or 0}..{most}" if comma else f"*{least}"), closing + 1


def _rewrite_arrow(tokens: Tokens, last: int, hops: str) -> list[Edit] | None:
    """The edits of an arrow with a quantifier behind it."""
    first = last
    while first and tokens.kinds[first - 1] != ")":
        first -= 1
    _, end = _parse_quantifier(tokens, last + 1)
    arrow = _add_hops(tokens, first, last, hops)
    return None if arrow is None else [(tokens.starts[first], tokens.ends[end - 1], arrow)]


def _add_hops(tokens: Tokens, first: int, last: int, hops: str) -> str | None:
    """The arrow between two tokens with a number of hops; None where it has one, or a condition with WHERE."""
    text = tokens.text[tokens.starts[first] : tokens.ends[last]]
    closing = next((index for index in range(first, last + 1) if tokens.kinds[index] == "]"), None)
    if closing is None:
        return text.replace("--", f"-[{hops}]-", 1) if "--" in text else None
    inside = range(first, closing)
    if any(tokens.kinds[index] == "*" or tokens.upper[index] == "WHERE" for index in inside):
        return None
    end = next((index for index in inside if tokens.kinds[index] == "{"), closing)
    offset = tokens.starts[end] - tokens.starts[first]
    return f"{text[:offset].rstrip()}{hops}{' ' if end != closing else ''}{text[offset:]}"


# A pattern in brackets

_Node = tuple[str, str]
"""The variable of a node, and its labels with their colon; empty where it has none."""


def _rewrite_repeated(tokens: Tokens, opening: int, closing: int, end: int, hops: str) -> list[Edit] | None:
    """The edits of a pattern in brackets, and of the clause that it stands in; None where it has no such meaning.

    Args:
        opening, closing: its brackets.
        end: the token behind its quantifier.
    """
    left = tokens.partners[opening + 1]
    right = next((index for index in range(left + 1, closing) if tokens.kinds[index] == "("), -1)
    if left < 0 or right < 0 or tokens.partners[right] + 1 != closing:
        return None
    first, second = _parse_node(tokens, opening + 1), _parse_node(tokens, right)
    arrow = _add_hops(tokens, left + 1, right - 1, hops)
    if first is None or second is None or arrow is None or (first[0] and first[0] == second[0]):
        return None
    names = {first[0], second[0]} - {""}
    outside = [*range(opening), *range(end, tokens.length)]
    if any(tokens.texts[index] in names and _is_variable(tokens, index) for index in outside):
        return None  # one variable for one node outside, and for several here
    before = "" if opening and tokens.kinds[opening - 1] == ")" else "()"
    after = "" if tokens.kinds[end] == "(" else "()"
    edit = (tokens.starts[opening], tokens.ends[end - 1], before + arrow + after)
    if not first[1] and not second[1]:
        return [edit]
    return _with_labels(tokens, opening, end, edit, second) if first[1] == second[1] and hops[1] != "0" else None


def _is_variable(tokens: Tokens, index: int) -> bool:
    """Whether a token is a variable, as far as its neighbours tell, and no label, key or function."""
    behind_name = index > 0 and tokens.kinds[index - 1] in (".", ":", "|", "&", "!")
    return tokens.is_variable(index) and not behind_name and tokens.kinds[index + 1] != "("


def _parse_node(tokens: Tokens, opening: int) -> _Node | None:
    """A node in brackets; None where it has properties or a condition."""
    closing = tokens.partners[opening]
    inside = range(opening + 1, closing)
    if closing < 0 or any(tokens.kinds[each] in ("{", "parameter") or tokens.upper[each] == "WHERE" for each in inside):
        return None
    labels = next((index for index in inside if tokens.kinds[index] == ":"), closing)
    return tokens.text[tokens.ends[opening] : tokens.starts[labels]].strip(), "".join(tokens.texts[labels:closing])


def _with_labels(tokens: Tokens, opening: int, end: int, edit: Edit, node: _Node) -> list[Edit] | None:
    """The edits with a name for the path, and with the labels of its nodes in a WHERE.

    None where the clause has a WHERE, or more than this path of no other hops.
    """
    start = opening - 1
    if tokens.kinds[start] == ")":
        start = tokens.partners[start] - 1
    behind = tokens.partners[end] + 1 if tokens.kinds[end] == "(" else end
    if tokens.keywords[start] != "MATCH" or tokens.clauses[behind] in ("MATCH", "WHERE"):
        return None
    path, variable = _new_name(tokens, "path"), node[0] or _new_name(tokens, "node")
    condition = f" WHERE all({variable} IN nodes({path}) WHERE {variable}{node[1]})"
    named = (tokens.starts[start + 1], tokens.starts[start + 1], f"{path} = ")
    if behind == end:
        return [named, (*edit[:2], edit[2] + condition)]
    return [named, edit, (tokens.ends[behind - 1], tokens.ends[behind - 1], condition)]


def _new_name(tokens: Tokens, name: str) -> str:
    """A name that the query does not have."""
    number = 1
    while (numbered := name if number == 1 else f"{name}{number}") in tokens.texts:
        number += 1
    return numbered


# CALL inlining: rewrites a subquery in CALL { … } as `UNWIND COLLECT { … }`, whose rows are the same.
#
# The result is a proposal: the caller checks that it can be parsed and bound.


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the UNION in a CALL, or all of it, without the WITH by which it imports names.

    Attributes:
        text: the text of all of the CALL, where the spans of the clauses are.
        clauses: those before its RETURN.
        final: its RETURN.
        imported: the names that it sees of those outside; `*` is all.
    """

    text: str
    clauses: Sequence[ast.Clause]
    final: ast.Projection
    imported: frozenset[str]

    @property
    def body(self) -> str:
        """What stands before its RETURN."""
        start = self.clauses[0].span[0] if self.clauses else self.final.span[0]
        return self.text[start : self.final.span[0]]

    @property
    def columns(self) -> list[str]:
        return [item.name for item in self.final.items]

    @property
    def query(self) -> str:
        return self.body + self._of_return(0)

    @property
    def query_with(self) -> str:
        """The query with WITH instead of RETURN."""
        return f"{self.body}WITH{self._of_return(len('RETURN'))}"

    @property
    def own_names(self) -> set[str]:
        """The names of its patterns that it does not import."""
        paths = [path for clause in self.clauses if isinstance(clause, ast.Match) for path in clause.paths]
        names = {name for path in paths for name in tree_walk.pattern_variables(path)}
        return set() if "*" in self.imported else names - self.imported

    def _of_return(self, start: int) -> str:
        return self.text[self.final.span[0] + start : self.final.span[1]]


def inline_call(tokens: Tokens, index: int) -> str | None:
    """The query with its rows unwound in the place of the CALL at this token; None if that is not the same."""
    opening = index + 1 if tokens.kinds[index + 1] == "{" else tokens.partners[index + 1] + 1
    closing = tokens.partners[opening]
    if tokens.enclosing[index] >= 0 or tokens.kinds[opening] != "{" or closing < 0 or tokens.upper[closing + 1] == "IN":
        return None
    inner = tokens.text[tokens.starts[opening + 1] : tokens.ends[closing - 1]]
    imported = frozenset(tokens.texts[index + 2 : opening - 1]) if opening > index + 1 else None
    try:
        query = parser.parse(inner)
    except QueryError:
        return None
    parts = [part for written in query.parts if (part := _part(inner, written, imported)) is not None]
    if len(parts) < len(query.parts):
        return None
    before, after = tokens.text[: tokens.starts[index]], tokens.text[tokens.ends[closing] :]
    if any(part.final.star or set(part.columns) != set(parts[0].columns) for part in parts):
        return None
    # A subquery in an expression sees all names around it, and CALL only those it imports.
    own_names = set().union(*(part.own_names for part in parts))
    if own_names & _names_before(tokens, before, index):
        return None
    return before + _as_rows(tokens, parts, query.union_all) + after


def _part(text: str, query: ast.SingleQuery, imported: frozenset[str] | None) -> _Part | None:
    """
    Args:
        imported: the names in the parentheses of CALL; None where each part begins with those that it imports.
    """
    *clauses, final = query.clauses
    if not isinstance(final, ast.Projection):
        return None
    if imported is None and clauses:
        imported = _imported_names(clauses[0])
        clauses = clauses[imported is not None :]
    return _Part(text, clauses, final, imported or frozenset())


def _imported_names(clause: ast.Clause) -> frozenset[str] | None:
    """The names of a WITH that has nothing but names; None of another clause."""
    if not isinstance(clause, ast.Projection):
        return None
    names = tuple(item.name for item in clause.items)
    items = tuple(ast.ProjectionItem(ast.Variable(name), name, has_alias=False) for name in names)
    only_names = ast.Projection(
        is_return=False, distinct=False, star=clause.star, items=items, order=(), skip=None, limit=None
    )
    return frozenset(names + ("*",) * clause.star) if clause == only_names else None


def _as_rows(tokens: Tokens, parts: Sequence[_Part], union_all: Sequence[bool]) -> str:
    """The rows of the subquery as a list that is unwound."""
    columns = [quote_name(name) for name in parts[0].columns]
    if len(columns) == 1:
        return f"UNWIND COLLECT {{ {_union([part.query for part in parts], union_all)} }} AS {columns[0]}"
    row = "row" if "row" not in tokens.texts else "row_2"
    entries = ", ".join(f"{name}: {name}" for name in columns)
    rows = [f"{part.query_with} RETURN {{{entries}}} AS {row}" for part in parts]
    columns_of_row = ", ".join(f"{row}.{name} AS {name}" for name in columns)
    return f"UNWIND COLLECT {{ {_union(rows, union_all)} }} AS {row} WITH *, {columns_of_row}"


def _union(queries: Sequence[str], union_all: Sequence[bool]) -> str:
    (text, *others) = queries
    for query, is_all in zip(others, union_all, strict=True):
        text += f" UNION {'ALL ' if is_all else ''}{query}"
    return text


def _names_before(tokens: Tokens, before: str, index: int) -> set[str]:
    """The names that are visible at a token; all words before it where the text there cannot be parsed."""
    try:
        tree = parser.parse(f"{before} RETURN 1")
    except QueryError:
        return {tokens.texts[place] for place in range(index) if not _is_in_subquery(tokens, place)}
    return set(tree_walk.visible_names(tree.parts[-1]))


def _is_in_subquery(tokens: Tokens, place: int) -> bool:
    """Whether a token stands in `COUNT { … }` or its kind, whose names are not seen outside."""
    bracket = tokens.enclosing[place]
    while bracket >= 0:
        if tokens.kinds[bracket] == "{" and tokens.upper[bracket - 1] in ("COUNT", "COLLECT", "EXISTS"):
            return True
        bracket = tokens.enclosing[bracket]
    return False


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
    return rewrite(Tokens(shortened)) or shortened


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
        rewrite(tokens),
        "Wrote the number of hops into the relationship",
    )


def _call(tokens: Tokens, index: int) -> _Suggestion | None:
    if tokens.kinds[index + 1] in ("{", "("):
        return _Suggestion(
            "CALL { … }",
            "Continue with WITH and OPTIONAL MATCH, or gather values with COLLECT { MATCH … RETURN … }; "
            "there are no transactions.",
            inline_call(tokens, index),
            "Wrote the subquery in CALL { … } as UNWIND COLLECT { … }",
        )
    end = index + 2
    while tokens.kinds[end] == ".":
        end += 2
    name = "".join(tokens.texts[index + 1 : end])
    hint = procedure_hint(name)
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


_NO_VOCABULARY = query_repair.Vocabulary(frozenset(), frozenset(), {})


def make_runnable(text: str) -> str | None:
    """The query, repaired if needed; None if it cannot be parsed or bound even so."""
    repaired = query_repair.repair(text, _NO_VOCABULARY).text
    try:
        query = parser.parse(repaired)
        names = {part.name for part in walk(query) if isinstance(part, ast.Parameter)}
        binder.bind(query, dict.fromkeys(names, value_types.UNKNOWN))
    except QueryError:
        return None
    return repaired


_MAX_SHOWN = 400
"""A longer expression is not useful advice."""

_NUMBERS = "Compute it with + - * / ^, sqrt(), reduce() and the aggregates."
_TEXTS = "Compare texts with CONTAINS, STARTS WITH, ENDS WITH or =~, and take them apart with split() and substring()."
_LISTS = "Use a list comprehension [x IN list WHERE … | …], reduce(), UNWIND or COLLECT { … }."
_MAPS = "Write a map {key: value}, n {.*, key: value}, or take properties(n) and keys(n)."
_DATES = "Use date(), datetime(), duration() and their components (d.year, d.epochSeconds); they read ISO texts."
_PATHS = "Write a pattern of variable length, MATCH p = (a)-[:TYPE*1..3]->(b), and take nodes(p) and relationships(p)."
_GRAPH = "Count and compare with MATCH, COUNT { … } and aggregates; shortestPath() finds the shortest way."
_SCHEMA = f"labels(n), type(r) and keys(n) show what one has. {parser.LISTS_OF_NAMES}"
_PLACES = (
    "Keep latitude and longitude as properties, and compute kilometres: 12742 * asin(sqrt(haversin(radians(b.lat - "
    "a.lat)) + cos(radians(a.lat)) * cos(radians(b.lat)) * haversin(radians(b.lon - a.lon))))."
)
_VECTORS = "Use `search` to find things by meaning; a query compares names and properties."
_CONVERSIONS = "Convert with toInteger(), toFloat(), toBoolean() and toString(), or with their …OrNull and …List kinds."
_AGGREGATES = "Use count, sum, avg, min, max, collect, stDev, percentileCont or percentileDisc."

_TEMPLATES: Final = {
    "apoc.text.join/2": "substring(reduce({all} = '', {each} IN {0} | {all} + {1} + {each}), size({1}))",
    "apoc.text.capitalize/1": "(toUpper(left({0}, 1)) + substring({0}, 1))",
    "apoc.text.decapitalize/1": "(toLower(left({0}, 1)) + substring({0}, 1))",
    "apoc.text.repeat/2": "reduce({all} = '', {each} IN range(1, {1}) | {all} + {0})",
    "apoc.coll.toset/1": "COLLECT {{ UNWIND {0} AS {each} RETURN DISTINCT {each} }}",
    "apoc.coll.sort/1": "COLLECT {{ UNWIND {0} AS {each} RETURN {each} ORDER BY {each} }}",
    "apoc.coll.sum/1": "reduce({all} = 0, {each} IN {0} | {all} + {each})",
    "apoc.coll.avg/1": "(reduce({all} = 0.0, {each} IN {0} | {all} + {each}) / size({0}))",
    "apoc.coll.max/1": "reduce({all} = head({0}), {each} IN {0} | CASE WHEN {each} > {all} THEN {each} ELSE {all} END)",
    "apoc.coll.min/1": "reduce({all} = head({0}), {each} IN {0} | CASE WHEN {each} < {all} THEN {each} ELSE {all} END)",
    "apoc.coll.contains/2": "({1} IN {0})",
    "apoc.coll.containsall/2": "all({each} IN {1} WHERE {each} IN {0})",
    "apoc.coll.flatten/1": "reduce({all} = [], {each} IN {0} | {all} + {each})",
    "apoc.coll.union/2": "COLLECT {{ UNWIND {0} + {1} AS {each} RETURN DISTINCT {each} }}",
    "apoc.coll.unionall/2": "({0} + {1})",
    "apoc.coll.intersection/2": "COLLECT {{ UNWIND [{all} IN {0} WHERE {all} IN {1}] AS {each} "
    "RETURN DISTINCT {each} }}",
    "apoc.coll.subtract/2": "COLLECT {{ UNWIND [{all} IN {0} WHERE NOT {all} IN {1}] AS {each} "
    "RETURN DISTINCT {each} }}",
    "apoc.coll.removeall/2": "[{each} IN {0} WHERE NOT {each} IN {1}]",
    "apoc.coll.occurrences/2": "size([{each} IN {0} WHERE {each} = {1}])",
    "apoc.coll.reverse/1": "reverse({0})",
    "apoc.coll.pairsmin/1": "[{each} IN range(0, size({0}) - 2) | [{0}[{each}], {0}[{each} + 1]]]",
    "apoc.map.get/2": "{0}[{1}]",
    "apoc.map.get/3": "coalesce({0}[{1}], {2})",
    "apoc.map.values/2": "[{each} IN {1} | {0}[{each}]]",
    "apoc.convert.tointeger/1": "toIntegerOrNull({0})",
    "apoc.convert.tofloat/1": "toFloatOrNull({0})",
    "apoc.convert.tostring/1": "toStringOrNull({0})",
    "apoc.convert.toboolean/1": "toBooleanOrNull({0})",
    "apoc.convert.tomap/1": "properties({0})",
    "apoc.date.currenttimestamp/0": "timestamp()",
    "apoc.date.parse/1": "datetime({0}).epochMillis",
    "apoc.date.format/1": "toString(datetime.fromEpochMillis({0}))",
    "apoc.date.fromiso8601/1": "datetime({0}).epochMillis",
    "apoc.date.toiso8601/1": "toString(datetime.fromEpochMillis({0}))",
    "apoc.path.elements/1": "reduce({all} = [head(nodes({0}))], {each} IN range(0, length({0}) - 1) | "
    "{all} + [relationships({0})[{each}], nodes({0})[{each} + 1]])",
    "apoc.agg.first/1": "head(collect({0}))",
    "apoc.agg.last/1": "last(collect({0}))",
    "apoc.agg.median/1": "percentileCont({0}, 0.5)",
    "apoc.node.degree/1": "COUNT {{ ({0})--() }}",
    "apoc.node.degree.out/1": "COUNT {{ ({0})-->() }}",
    "apoc.node.degree.in/1": "COUNT {{ ({0})<--() }}",
    "apoc.create.uuid/0": "randomUUID()",
    "cosh/1": "((exp({0}) + exp(-({0}))) / 2)",
    "sinh/1": "((exp({0}) - exp(-({0}))) / 2)",
    "tanh/1": "((exp({0}) - exp(-({0}))) / (exp({0}) + exp(-({0}))))",
    "coth/1": "((exp({0}) + exp(-({0}))) / (exp({0}) - exp(-({0}))))",
    "concat/2": "({0} + {1})",
    "concat/3": "({0} + {1} + {2})",
    "contains/2": "({0} CONTAINS {1})",
    "startswith/2": "({0} STARTS WITH {1})",
    "endswith/2": "({0} ENDS WITH {1})",
    "year/1": "date({0}).year",
    "month/1": "date({0}).month",
    "day/1": "date({0}).day",
}

_RENAMED: Final = {
    "apoc.text.tolower": "toLower", "apoc.text.toupper": "toUpper", "apoc.text.split": "split",
    "apoc.text.replace": "replace", "ceiling": "ceil", "ln": "log", "now": "datetime", "current_date": "date",
    "current_timestamp": "datetime", "local_time": "localtime", "local_datetime": "localdatetime",
    "zoned_time": "time", "zoned_datetime": "datetime", "duration_between": "duration.between",
    "path_length": "length", "element_id": "elementId", "collect_list": "collect", "array_agg": "collect",
    "stdev_samp": "stDev", "stdev_pop": "stDevP", "stddev": "stDev", "percentile_cont": "percentileCont",
    "percentile_disc": "percentileDisc", "to_string": "toString", "to_integer": "toInteger",
    "tostr": "toString", "tolowercase": "toLower", "touppercase": "toUpper", "nodeid": "id",
}  # fmt: skip

_HINTS_BY_PREFIX: Final[Mapping[str, str]] = {
    "apoc.text.": _TEXTS,
    "apoc.coll.": _LISTS,
    "apoc.map.": _MAPS,
    "apoc.convert.": _CONVERSIONS,
    "apoc.json.": _MAPS,
    "apoc.date.": _DATES,
    "apoc.temporal.": _DATES,
    "apoc.path.": _PATHS,
    "apoc.algo.": _GRAPH,
    "apoc.node.": _GRAPH,
    "apoc.nodes.": _GRAPH,
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
    "db.": _SCHEMA,
    "dbms.": _SCHEMA,
    "genai.": _VECTORS,
    "ai.": _VECTORS,
    "vector.": _VECTORS,
    "point.": _PLACES,
    "graph.": "There is only one graph, and every query reads it.",
}

_HINTS_BY_NAME: Final[Mapping[str, str]] = {
    **dict.fromkeys(("point", "distance"), _PLACES),
    **dict.fromkeys(("vector", "vector_distance", "vector_norm", "vector_dimension_count", "embedding"), _VECTORS),
    **dict.fromkeys(("file", "linenumber"), "Queries read only the graph; pass rows as a parameter."),
    **dict.fromkeys(("normalize", "soundex", "levenshtein", "format", "regexp_replace", "instr", "position"), _TEXTS),
    **dict.fromkeys(("string_agg", "group_concat", "listagg"), "Collect the texts, and join them with reduce()."),
    **dict.fromkeys(("datediff", "date_diff"), "Write duration.inDays(from, to).days."),
    **dict.fromkeys(("dateadd", "date_add", "date_sub"), "Write date + duration({days: 1})."),
    **dict.fromkeys(("date_trunc", "date_part", "strftime", "extract_date", "to_date", "todate"), _DATES),
    **dict.fromkeys(("row_number", "rank", "dense_rank", "lag", "lead"), "Order the rows, collect them, and number "
                    "them with range(0, size(list) - 1)."),
    **dict.fromkeys(("cast", "convert", "try_cast"), _CONVERSIONS),
    **dict.fromkeys(("mode", "variance", "var_samp", "var_pop", "median"), _AGGREGATES),
    "filter": "Write a list comprehension: [x IN list WHERE condition].",
    "extract": "Write a list comprehension: [x IN list | result].",
    "has": "Write n.key IS NOT NULL.",
    "property_exists": "Write n.key IS NOT NULL.",
    "isnull": "Write x IS NULL.",
    "notnull": "Write x IS NOT NULL.",
    "iif": "Write CASE WHEN condition THEN value ELSE value END.",
    "if": "Write CASE WHEN condition THEN value ELSE value END.",
    "greatest": "Take the last of a sorted list, or write CASE WHEN a > b THEN a ELSE b END.",
    "least": "Take the first of a sorted list, or write CASE WHEN a < b THEN a ELSE b END.",
    "mod": "Write a % b.",
    "power": "Write a ^ b.",
    "pow": "Write a ^ b.",
    "substr": "Write substring(text, start, length); it counts from 0.",
    "degree": _GRAPH,
    "pagerank": _GRAPH,
    "allreduce": _LISTS,
}  # fmt: skip

_TEMPLATES.update({"mod/2": "({0} % {1})", "power/2": "({0} ^ {1})", "pow/2": "({0} ^ {1})"})
_TEMPLATES.update(
    {"isnull/1": "({0} IS NULL)", "notnull/1": "({0} IS NOT NULL)", "median/1": "percentileCont({0}, 0.5)"}
)
_TEMPLATES.update(
    dict.fromkeys(("greatest/2",), "CASE WHEN {0} > {1} THEN {0} ELSE {1} END")
    | dict.fromkeys(("least/2",), "CASE WHEN {0} < {1} THEN {0} ELSE {1} END")
    | dict.fromkeys(("iif/3", "if/3"), "CASE WHEN {0} THEN {1} ELSE {2} END")
)

_NAMES: Final = frozenset(key.partition("/")[0] for key in _TEMPLATES) | _RENAMED.keys() | _HINTS_BY_NAME.keys()


_OPERATIONS = (ast.Binary, ast.Unary, ast.IsNull, ast.HasLabels, ast.Case)


def refuse(query: ast.Query, text: str) -> None:
    """Refuse functions that only other engines have.

    Raises:
        QueryUnsupported: with the expression that means the same here, where there is one, for the first of them.
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
        hint=_advice(first, text),
    )


def _is_foreign(name: str) -> bool:
    """Whether another engine has a function of this name, and this one has not."""
    if functions.find(name) is not None or aggregates.find(name) is not None:
        return False
    lower = name.lower()
    return lower in _NAMES or any(lower.startswith(prefix) for prefix in _HINTS_BY_PREFIX)


def _advice(call: ast.Call, text: str) -> str | None:
    """What to write for a call: its arguments in the template of the function, or else advice in words."""
    lower, count = call.name.lower(), len(call.arguments)
    arguments = [text[slice(*each.span)] for each in call.arguments]
    if lower in _RENAMED:
        written = f"{_RENAMED[lower]}({'DISTINCT ' * call.distinct}{', '.join(arguments)})"
    elif f"{lower}/{count}" in _TEMPLATES and not call.distinct:
        operands = [
            f"({argument})" if isinstance(each, _OPERATIONS) else argument
            for each, argument in zip(call.arguments, arguments, strict=True)
        ]
        written = _TEMPLATES[f"{lower}/{count}"].format(*operands, each="one", all="whole")
    else:
        return _hint(lower)
    return f"Write {written}." if len(written) <= _MAX_SHOWN else _hint(lower)


def _hint(name: str) -> str | None:
    """What to do instead, in words."""
    return _HINTS_BY_NAME.get(name) or next(
        (text for prefix, text in _HINTS_BY_PREFIX.items() if name.startswith(prefix)), None
    )


def procedure_hint(name: str) -> str | None:
    """What to do instead of calling this procedure, in words."""
    lower = name.lower()
    if lower.startswith("db.index.fulltext."):
        return "Write WHERE toLower(n.name) CONTAINS 'ada'; search finds names in other spellings."
    if lower.startswith("db.index.vector."):
        return _VECTORS
    return _hint(lower) if "." in name else None
