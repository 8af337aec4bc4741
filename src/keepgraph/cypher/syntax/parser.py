"""Parser: builds the syntax tree of a query by recursive descent. This module parses the clauses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Literal, TypeVar, cast

from keepgraph.cypher.syntax import ast, expressions, patterns, tree_walk
from keepgraph.cypher.syntax.ast import (
    Clause,
    Expression,
    Match,
    Projection,
    ProjectionItem,
    Query,
    SingleQuery,
    SortKey,
    SyntaxNode,
    Unwind,
    Variable,
)
from keepgraph.cypher.syntax.tokenizer import (
    NAME_KINDS,
    NO_BACK_TICKS,
    VARIABLE_KINDS,
    TokenStream,
    describe_position,
)
from keepgraph.errors import QueryError, QueryRefused, QueryUnsupported

MAX_TREE_DEPTH = 200
"""How deep the syntax tree may be: the later stages walk it recursively, and Python limits the depth of recursion."""

MAX_CLAUSES = 100


def parse(text: str) -> Query:
    """The syntax tree of a query.

    Raises:
        QueryError: the query cannot run; the message says where and why.
    """
    tokens = TokenStream(text)
    if tokens.kinds[0] == "end":
        raise tokens.error("The query is empty", hint="Begin with MATCH (n) … RETURN …")
    query = _parse_query(tokens, needs_return=True)
    if tokens.accept(";") and tokens.kinds[tokens.position] != "end":
        raise tokens.error(
            f"One query at a time: after the semicolon comes {tokens.describe_next()}",
            hint="Send it as a query of its own.",
        )
    if tokens.kinds[tokens.position] != "end":
        raise tokens.expected("the end of the query")
    if len(tokens.kinds) > MAX_TREE_DEPTH:
        _check_depth(tokens, query)
    return query


def parse_subquery(tokens: TokenStream, kind: Literal["EXISTS", "COUNT", "COLLECT"]) -> Query:
    """Parses what stands in the braces of `EXISTS { … }`, and the closing brace."""
    first = tokens.position
    begins_with = tokens.kinds[first]
    if (
        begins_with == "("
        or (begins_with in ("SHORTESTPATH", "ALLSHORTESTPATHS") and tokens.kinds[first + 1] == "(")
        or (begins_with in VARIABLE_KINDS and tokens.kinds[first + 1] == "=")
    ):
        if kind == "COLLECT":
            raise tokens.expected("MATCH", hint="Write COLLECT { MATCH pattern RETURN value }.")
        match = Match(False, patterns.parse_paths(tokens), _parse_where(tokens), span=tokens.span(first))
        query = Query((SingleQuery((match,), span=match.span),), (), span=match.span)
    else:
        query = _parse_query(tokens, needs_return=kind == "COLLECT")
    if tokens.kinds[tokens.position] != "}":
        raise _unexpected_clause(tokens, after_return=False)
    tokens.position += 1
    return query


def _parse_query(tokens: TokenStream, *, needs_return: bool) -> Query:
    first = tokens.position
    parts = [_parse_single_query(tokens, needs_return=needs_return)]
    union_all: list[bool] = []
    while tokens.kinds[tokens.position] == "UNION":
        union = tokens.position
        tokens.position += 1
        keeps_duplicates = tokens.accept("ALL")
        if not keeps_duplicates:
            tokens.accept("DISTINCT")
        if union_all and union_all[-1] != keeps_duplicates:
            raise tokens.error(
                "UNION and UNION ALL cannot be mixed in one query",
                detail="InvalidClauseComposition",
                span=(tokens.starts[union], tokens.ends[tokens.position - 1]),
                hint="Use the same one throughout; UNION removes duplicate rows, UNION ALL keeps them.",
            )
        union_all.append(keeps_duplicates)
        if len(union_all) >= MAX_CLAUSES:
            raise tokens.error(
                f"UNION joins too many queries: at most {MAX_CLAUSES} are allowed", hint="Ask in several queries."
            )
        parts.append(_parse_single_query(tokens, needs_return=needs_return))
    return Query(tuple(parts), tuple(union_all), span=tokens.span(first))


def _parse_single_query(tokens: TokenStream, *, needs_return: bool) -> SingleQuery:
    first = tokens.position
    clauses: list[Clause] = []
    ended = False
    while not ended:
        if parse_clause := _CLAUSE_PARSERS.get(tokens.kinds[tokens.position]):
            clauses.append(parse_clause(tokens))
        elif tokens.kinds[tokens.position + 1] in ("{", "(") and _is_word(tokens, "CALL"):
            clauses += _parse_call(tokens, clauses)
        else:
            break
        if len(clauses) > MAX_CLAUSES:
            raise tokens.error(
                f"The query has too many clauses: at most {MAX_CLAUSES} are allowed", hint="Ask in several queries."
            )
        last = clauses[-1]
        ended = isinstance(last, Projection) and last.is_return
    if not clauses or tokens.kinds[tokens.position] not in ("end", ";", "UNION", "}"):
        raise _unexpected_clause(tokens, after_return=ended)
    if not ended and (needs_return or isinstance(last, Projection)):
        raise tokens.error(
            f"A query ends with RETURN, but here comes {tokens.describe_next()}",
            detail="InvalidClauseComposition",
            hint="Add RETURN with the values you want.",
        )
    return SingleQuery(tuple(clauses), span=tokens.span(first))


# Clauses


def _parse_match(tokens: TokenStream) -> Match:
    first = tokens.position
    optional = tokens.accept("OPTIONAL")
    if not tokens.accept("MATCH"):
        raise error_for_clause(tokens) or tokens.expected("MATCH after OPTIONAL")
    paths = patterns.parse_paths(tokens)
    return Match(optional, paths, _parse_where(tokens), span=tokens.span(first))


def _parse_unwind(tokens: TokenStream) -> Unwind:
    first = tokens.position
    tokens.position += 1
    source = expressions.parse_expression(tokens)
    if not tokens.accept("AS"):
        raise tokens.expected("AS and a variable", hint="Write UNWIND list AS x.")
    return Unwind(source, tokens.expect_variable(), span=tokens.span(first))


def _parse_call(tokens: TokenStream, before: list[Clause]) -> list[Clause]:
    """`CALL { … }` and `CALL (n) { … }`: the rows of `UNWIND COLLECT { … }`, and behind it a WITH for several columns.

    A subquery in an expression sees all names around it, and CALL only those it imports: a name of both is refused.
    """
    first = tokens.position
    tokens.position += 1
    imported = None
    if tokens.accept("("):
        opening = tokens.position
        while tokens.kinds[tokens.position] in _IMPORTS:
            tokens.position += 1
        imported = frozenset(tokens.texts[opening : tokens.position])
        tokens.expect(")", "after the names that CALL imports")
    tokens.expect("{", "after CALL")
    tokens.enter(3)
    query = parse_subquery(tokens, "COLLECT")
    tokens.leave(3)
    span = tokens.span(first)
    finals = [cast(Projection, part.clauses[-1]) for part in query.parts]
    columns = [item.name for item in finals[0].items]
    if any(final.star or {item.name for item in final.items} != set(columns) for final in finals):
        raise _call_error(tokens, first, "returns columns by name, the same ones in each part of a UNION")
    seen = set(tree_walk.visible_names(SingleQuery((*before, finals[0])))) if not tokens.depth else tokens.texts[:first]
    if any(not _own_names(part, imported).isdisjoint(seen) for part in query.parts):
        raise _call_error(tokens, first, "may use a name from outside only if it imports it")
    if len(columns) == 1:
        return [Unwind(ast.Subquery("COLLECT", query, span=span), columns[0], span=span)]
    row = f"{ast.INTERNAL_PREFIX}row {first}"
    as_map = ast.MapLiteral(tuple((name, Variable(name)) for name in columns))
    returned = Projection(True, False, False, (ProjectionItem(as_map, row, True),), (), None, None)
    parts = [
        replace(part, clauses=(*part.clauses[:-1], replace(final, is_return=False), returned))
        for part, final in zip(query.parts, finals, strict=True)
    ]
    rows = ast.Subquery("COLLECT", replace(query, parts=tuple(parts)), span=span)
    items = tuple(ProjectionItem(ast.Property(Variable(row), name), name, True) for name in columns)
    return [Unwind(rows, row, span=span), Projection(False, False, True, items, (), None, None, span=span)]


_IMPORTS = VARIABLE_KINDS | {",", "*"}


def _own_names(query: SingleQuery, imported: frozenset[str] | None) -> set[str]:
    """The names of the patterns of a CALL, without those that it imports in brackets, or by its first WITH."""
    first = query.clauses[0]
    if imported is None and isinstance(first, Projection) and not first.is_return:
        imported = frozenset(item.name for item in first.items) | frozenset("*" * first.star)
    paths = [path for clause in query.clauses if isinstance(clause, Match) for path in clause.paths]
    names = {name for path in paths for name in tree_walk.pattern_variables(path)}
    return set() if imported and "*" in imported else names - (imported or frozenset())


def _call_error(tokens: TokenStream, first: int, problem: str) -> QueryUnsupported:
    place = describe_position(tokens.text, tokens.starts[first])
    return QueryUnsupported(
        f"CALL {{ … }} {problem} ({place}).",
        span=(tokens.starts[first], tokens.ends[first]),
        reason="call_subquery_unsupported",
        hint="Import what it reads, and name what it returns: "
        "MATCH (n) CALL { WITH n MATCH (n)-->(m) RETURN count(m) AS total } RETURN n.name, total",
    )


_CLAUSE_PARSERS: dict[str, Callable[[TokenStream], Clause]] = {
    "MATCH": _parse_match,
    "OPTIONAL": _parse_match,
    "UNWIND": _parse_unwind,
    "WITH": lambda tokens: _parse_projection(tokens, is_return=False),
    "RETURN": lambda tokens: _parse_projection(tokens, is_return=True),
}


def _parse_projection(tokens: TokenStream, *, is_return: bool) -> Projection:
    first = tokens.position
    tokens.position += 1
    distinct = tokens.accept("DISTINCT")
    star = tokens.accept("*")
    items: tuple[ProjectionItem, ...] = ()
    if not star or tokens.accept(","):
        items = _parse_list(tokens, _parse_return_item)
    order: tuple[SortKey, ...] = ()
    if tokens.accept("ORDER"):
        tokens.expect("BY", "after ORDER")
        order = _parse_list(tokens, _parse_sort_key)
    skip = expressions.parse_expression(tokens) if tokens.accept("SKIP") or tokens.accept("OFFSET") else None
    limit = expressions.parse_expression(tokens) if tokens.accept("LIMIT") else None
    condition = None if is_return else _parse_where(tokens)
    return Projection(is_return, distinct, star, items, order, skip, limit, condition, span=tokens.span(first))


_Parsed = TypeVar("_Parsed")


def _parse_list(tokens: TokenStream, parse_element: Callable[[TokenStream], _Parsed]) -> tuple[_Parsed, ...]:
    """One or more, separated by commas."""
    elements = [parse_element(tokens)]
    while tokens.accept(","):
        elements.append(parse_element(tokens))
    return tuple(elements)


def _parse_return_item(tokens: TokenStream) -> ProjectionItem:
    first = tokens.position
    expression = expressions.parse_expression(tokens)
    last = tokens.position
    if tokens.accept("AS"):
        if tokens.kinds[tokens.position] == "string":
            raise tokens.expected("a name after AS", hint="Names take no quotes; unusual ones take back-ticks.")
        return ProjectionItem(expression, tokens.expect_variable("a name after AS"), True, span=tokens.span(first))
    span = tokens.span(first)
    name = expression.name if type(expression) is Variable and last == first + 1 else tokens.text[span[0] : span[1]]
    return ProjectionItem(expression, name, False, span=span)


def _parse_sort_key(tokens: TokenStream) -> SortKey:
    first = tokens.position
    expression = expressions.parse_expression(tokens)
    descending = tokens.accept("DESC") or tokens.accept("DESCENDING")
    if not descending and not tokens.accept("ASC"):
        tokens.accept("ASCENDING")
    return SortKey(expression, descending, span=tokens.span(first))


def _parse_where(tokens: TokenStream) -> Expression | None:
    return expressions.parse_expression(tokens) if tokens.accept("WHERE") else None


# Errors for what is where a clause should be


def _unexpected_clause(tokens: TokenStream, *, after_return: bool) -> QueryError:
    kind = tokens.kinds[tokens.position]
    if error := error_for_clause(tokens):
        return error
    if hint := _CLAUSE_PLACES.get(kind):
        return tokens.error(f"{kind} cannot stand here", detail="InvalidClauseComposition", hint=hint)
    if kind in _CLAUSE_PARSERS:
        if after_return:
            return tokens.error(
                f"Nothing can follow RETURN, but here comes {kind}",
                detail="InvalidClauseComposition",
                hint="Pass values on with WITH instead of RETURN; RETURN comes once, at the end.",
            )
        return tokens.error(
            f"A bare pattern may have a WHERE and nothing more, but here comes {kind}",
            detail="InvalidClauseComposition",
            hint="Begin with MATCH to add other clauses.",
        )
    what = "the end of the query, or `,` and more to return" if after_return else f"a clause ({_CLAUSE_NAMES})"
    if kind in NAME_KINDS:
        from difflib import get_close_matches

        candidates = get_close_matches(tokens.texts[tokens.position][:40].upper(), _SUGGESTED_KEYWORDS, n=3, cutoff=0.7)
        if candidates:
            hint = f"Perhaps {' or '.join(candidates)} was meant."
            return tokens.error(
                f"Expected {what}, but found {tokens.describe_next()}", hint=hint, candidates=candidates
            )
    is_quoted = tokens.position == 0 and tokens.text.startswith("`", tokens.starts[0])
    return tokens.expected(what, hint=NO_BACK_TICKS if is_quoted else None)


_CLAUSE_PLACES = {
    "WHERE": "WHERE comes once, right after MATCH, OPTIONAL MATCH or WITH; join conditions with AND. "
    "After UNWIND … AS x, write WITH x WHERE.",
    "ORDER": "ORDER BY comes once, after RETURN or WITH and before SKIP and LIMIT.",
    "SKIP": "SKIP comes once, after RETURN or WITH and their ORDER BY, and before LIMIT.",
    "OFFSET": "OFFSET comes once, after RETURN or WITH and their ORDER BY, and before LIMIT.",
    "LIMIT": "LIMIT comes once, last in RETURN or WITH.",
    "UNION": "UNION joins two queries, each of which ends with RETURN.",
}
_CLAUSE_NAMES = "MATCH, OPTIONAL MATCH, WITH, UNWIND or RETURN"
_SUGGESTED_KEYWORDS = [
    "MATCH",
    "OPTIONAL",
    "WITH",
    "UNWIND",
    "RETURN",
    "WHERE",
    "ORDER",
    "SKIP",
    "LIMIT",
    "UNION",
    "AND",
    "OR",
    "AS",
]


def _check_depth(tokens: TokenStream, query: Query) -> None:
    """Refuses a tree that is too deep: 1,000 additions one after another nest as deep as 1,000 brackets."""
    level: list[SyntaxNode] = [query]
    for _ in range(MAX_TREE_DEPTH):
        level = [child for node in level for child in _child_nodes(node)]
        if not level:
            return
    raise tokens.error(
        "The query is nested too deeply: too many operators follow one another",
        span=level[0].span,
        hint="Write x IN [a, b, c] for many alternatives, or pass a list as a parameter.",
    )


def _child_nodes(node: SyntaxNode) -> Iterator[SyntaxNode]:
    values = [getattr(node, field.name) for field in fields(node)]
    while values:
        value = values.pop()
        if isinstance(value, SyntaxNode):
            yield value
        elif type(value) is tuple:
            values.extend(value)


def error_for_clause(tokens: TokenStream) -> QueryError | None:
    """The error for the next token, if it begins a clause that queries do not have; None otherwise."""
    word = tokens.texts[tokens.position].upper()
    if not _is_word(tokens, word):
        return None
    span = (tokens.starts[tokens.position], tokens.ends[tokens.position])
    place = describe_position(tokens.text, span[0])
    if word == "CALL":
        return _error_for_call(tokens)
    if word in _UNSUPPORTED:
        return QueryUnsupported(f"{word} is not known here ({place}).", span=span, hint=_UNSUPPORTED[word])
    if word not in _REFUSED:
        return None
    effect, hint = _REFUSED[word]
    return QueryRefused(
        f"{word} {effect} ({place}).",
        detail="InvalidClauseComposition",
        span=span,
        hint=hint,
    )


def _is_word(tokens: TokenStream, word: str) -> bool:
    """Whether the next token is this word in any case, and not in back-ticks."""
    position = tokens.position
    return (
        tokens.kinds[position] == "name"
        and tokens.text[tokens.starts[position] : tokens.ends[position]].upper() == word
    )


def _error_for_call(tokens: TokenStream) -> QueryError:
    first = tokens.position
    place = describe_position(tokens.text, tokens.starts[first])
    end = first + 2
    while tokens.kinds[end] == "." and tokens.kinds[end + 1] in NAME_KINDS:
        end += 2
    name = "".join(tokens.texts[first + 1 : end])
    refusal = QueryUnsupported if name.lower().startswith(_READING_PROCEDURES) else QueryRefused
    return refusal(
        f"CALL runs a procedure, {name[:80] or 'without a name'}, but there are none ({place}).",
        kind="ProcedureError",
        detail="ProcedureNotFound",
        reason="procedure_call",
        span=(tokens.starts[first], tokens.ends[first]),
        hint=f"{LISTS_OF_NAMES} Use MATCH for everything else too.",
        rewrite=_PROCEDURE_QUERIES.get(name.lower()),
    )


_READING_PROCEDURES = (
    "db.labels", "db.relationshiptypes", "db.propertykeys", "db.schema.", "db.indexes", "db.index.fulltext.query",
    "db.index.vector.query", "db.constraints", "db.info", "db.ping", "dbms.components", "dbms.procedures",
    "dbms.functions", "apoc.meta.",
)  # fmt: skip
"""How the names of procedures begin that only read, and that queries do not have all the same."""

# Queries that answer what these procedures of Neo4j answer.
_PROCEDURE_QUERIES = {
    "db.labels": "MATCH (n) UNWIND labels(n) AS label RETURN DISTINCT label",
    "db.relationshiptypes": "MATCH ()-[r]->() RETURN DISTINCT type(r) AS relationshipType",
    "db.propertykeys": "MATCH (n) UNWIND keys(n) AS propertyKey RETURN DISTINCT propertyKey",
}

LISTS_OF_NAMES = (
    "MATCH (n) UNWIND labels(n) AS label RETURN DISTINCT label lists labels, MATCH ()-[r]->() RETURN DISTINCT type(r) "
    "relationship types."
)

_RECORD_HINT = "Write with record_fact; MATCH … RETURN only reads."
_RETRACT_HINT = "Retract facts with retract_fact; queries delete nothing."
_SCHEMA_HINT = f"There is no schema to change. {LISTS_OF_NAMES}"

_WRITES = "writes, but queries are read-only"
_DELETES = "deletes, but queries are read-only"

# What the clause does, and what to do instead.
_REFUSED = {
    "CREATE": (_WRITES, _RECORD_HINT),
    "INSERT": (_WRITES, _RECORD_HINT),
    "MERGE": (_WRITES, "Write with record_fact; merge duplicates with merge_entities."),
    "SET": (_WRITES, "Write with record_fact; correct facts with `change`."),
    "UPDATE": (_WRITES, _RECORD_HINT),
    "DELETE": (_DELETES, _RETRACT_HINT),
    "DETACH": (_DELETES, _RETRACT_HINT),
    "NODETACH": (_DELETES, _RETRACT_HINT),
    "REMOVE": (_DELETES, _RETRACT_HINT),
    "FOREACH": (_WRITES, "Go through a list with UNWIND list AS x, and read with MATCH."),
    "LOAD": (
        "reads files, but queries read only the graph",
        "Pass rows as a parameter and go through them with UNWIND $rows AS row.",
    ),
    "DROP": (_DELETES, _SCHEMA_HINT),
    "USE": ("chooses another graph, but there is only this one", "Leave it out: there is one graph."),
}

# Clauses and prefixes of other dialects that only read.
_UNSUPPORTED = {
    "EXPLAIN": "Leave it out; the query is planned and run at once.",
    "PROFILE": "Leave it out; the query is planned and run at once.",
    "USING": "Leave it out; indexes are chosen without hints.",
    "FILTER": "Write WITH * WHERE condition.",
    "LET": "Write WITH *, value AS name.",
    "SHOW": f"There are no indexes to list. {LISTS_OF_NAMES}",
    "FINISH": "Leave it out, and end with RETURN.",
}
