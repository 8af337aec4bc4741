"""Reads a query into its syntax tree: clauses, and how they follow one another. Knows no graph and no meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Literal as Word
from typing import TypeVar

from keepgraph.cypher.syntax import expressions, patterns
from keepgraph.cypher.syntax.ast import (
    Clause,
    Expression,
    Item,
    Match,
    Part,
    Projection,
    Query,
    SingleQuery,
    SortKey,
    Unwind,
    Variable,
)
from keepgraph.cypher.syntax.tokens import NAMES, VARIABLES, Reader, where
from keepgraph.errors import QueryError, QueryRefused, QueryUnsupported

MOST_DEPTH = 200
"""How deep a tree may be, so that whoever walks it may call itself for each part."""


MOST_CLAUSES = 100


def parse(text: str) -> Query:
    """The tree of a query, or a QueryError that says what is wrong with it."""
    r = Reader(text)
    if r.kinds[0] == "end":
        raise r.error("The query is empty", hint="Begin with MATCH (n) … RETURN …")
    query = _query(r, needs_return=True)
    if r.take(";") and r.kinds[r.at] != "end":
        raise r.error(
            f"One query at a time: after the semicolon comes {r.found()}", hint="Send it as a query of its own."
        )
    if r.kinds[r.at] != "end":
        raise r.expected("the end of the query")
    if len(r.kinds) > MOST_DEPTH:
        _measure(r, query)
    return query


def subquery(r: Reader, which: Word["EXISTS", "COUNT", "COLLECT"]) -> Query:
    """What stands in the braces of `EXISTS { … }`, with the brace that closes it."""
    first = r.at
    kind = r.kinds[first]
    if (
        kind == "("
        or (kind in ("SHORTESTPATH", "ALLSHORTESTPATHS") and r.kinds[first + 1] == "(")
        or (kind in VARIABLES and r.kinds[first + 1] == "=")
    ):
        if which == "COLLECT":
            raise r.expected("MATCH", hint="Write COLLECT { MATCH pattern RETURN value }.")
        match = Match(False, patterns.paths(r), _where(r), span=r.span(first))
        query = Query((SingleQuery((match,), span=match.span),), (), span=match.span)
    else:
        query = _query(r, needs_return=which == "COLLECT")
    if r.kinds[r.at] != "}":
        raise _out_of_place(r, after_return=False)
    r.at += 1
    return query


def _query(r: Reader, *, needs_return: bool) -> Query:
    first = r.at
    parts = [_single_query(r, needs_return=needs_return)]
    all_rows: list[bool] = []
    while r.kinds[r.at] == "UNION":
        union = r.at
        r.at += 1
        every = r.take("ALL")
        if not every:
            r.take("DISTINCT")
        if all_rows and all_rows[-1] != every:
            raise r.error(
                "UNION and UNION ALL cannot be mixed in one query",
                detail="InvalidClauseComposition",
                span=(r.starts[union], r.ends[r.at - 1]),
                hint="Use the same one throughout; UNION leaves out rows that come twice, UNION ALL keeps them.",
            )
        all_rows.append(every)
        if len(all_rows) >= MOST_CLAUSES:
            raise r.error(f"UNION joins too many queries: {MOST_CLAUSES} are the most", hint="Ask in several queries.")
        parts.append(_single_query(r, needs_return=needs_return))
    return Query(tuple(parts), tuple(all_rows), span=r.span(first))


def _single_query(r: Reader, *, needs_return: bool) -> SingleQuery:
    first = r.at
    clauses: list[Clause] = []
    final = False
    while not final and (read := _CLAUSES.get(r.kinds[r.at])):
        clause = read(r)
        clauses.append(clause)
        if len(clauses) > MOST_CLAUSES:
            raise r.error(
                f"The query has too many clauses: {MOST_CLAUSES} are the most", hint="Ask in several queries."
            )
        final = isinstance(clause, Projection) and clause.final
    if not clauses or r.kinds[r.at] not in ("end", ";", "UNION", "}"):
        raise _out_of_place(r, after_return=final)
    last = clauses[-1]
    if not final and (needs_return or isinstance(last, Projection)):
        raise r.error(
            f"A query ends with RETURN, but here comes {r.found()}",
            detail="InvalidClauseComposition",
            hint="Add RETURN and what you want to know.",
        )
    return SingleQuery(tuple(clauses), span=r.span(first))


# Clauses


def _match(r: Reader) -> Match:
    first = r.at
    optional = r.take("OPTIONAL")
    if not r.take("MATCH"):
        raise _refused(r) or r.expected("MATCH after OPTIONAL")
    paths = patterns.paths(r)
    return Match(optional, paths, _where(r), span=r.span(first))


def _unwind(r: Reader) -> Unwind:
    first = r.at
    r.at += 1
    source = expressions.expression(r)
    if not r.take("AS"):
        raise r.expected("AS and a variable", hint="Write UNWIND list AS x.")
    return Unwind(source, r.variable(), span=r.span(first))


def _with(r: Reader) -> Projection:
    return _projection(r, final=False)


def _return(r: Reader) -> Projection:
    return _projection(r, final=True)


_CLAUSES: dict[str, Callable[[Reader], Clause]] = {
    "MATCH": _match,
    "OPTIONAL": _match,
    "UNWIND": _unwind,
    "WITH": _with,
    "RETURN": _return,
}


def _projection(r: Reader, *, final: bool) -> Projection:
    first = r.at
    r.at += 1
    distinct = r.take("DISTINCT")
    everything = r.take("*")
    items: tuple[Item, ...] = ()
    if not everything or r.take(","):
        items = _list(r, _final_item if final else _item)
    order: tuple[SortKey, ...] = ()
    if r.take("ORDER"):
        r.need("BY", "after ORDER")
        order = _list(r, _sort_key)
    skip = expressions.expression(r) if r.take("SKIP") or r.take("OFFSET") else None
    limit = expressions.expression(r) if r.take("LIMIT") else None
    condition = None if final else _where(r)
    return Projection(final, distinct, everything, items, order, skip, limit, condition, span=r.span(first))


_Listed = TypeVar("_Listed")


def _list(r: Reader, read: Callable[[Reader], _Listed]) -> tuple[_Listed, ...]:
    """One or more, with commas between."""
    found = [read(r)]
    while r.take(","):
        found.append(read(r))
    return tuple(found)


def _final_item(r: Reader) -> Item:
    first = r.at
    expression = expressions.expression(r)
    last = r.at
    if r.take("AS"):
        if r.kinds[r.at] == "string":
            raise r.expected("a name after AS", hint="A name stands without quotes; an unusual one in back-ticks.")
        return Item(expression, r.variable("a name after AS"), True, span=r.span(first))
    span = r.span(first)
    name = expression.name if type(expression) is Variable and last == first + 1 else r.text[span[0] : span[1]]
    return Item(expression, name, False, span=span)


def _item(r: Reader) -> Item:
    item = _final_item(r)
    if item.aliased:
        return item
    if isinstance(item.expression, Variable):
        return Item(item.expression, item.expression.name, False, span=item.span)
    raise r.error(
        f"In WITH, {item.name} needs a name",
        detail="NoExpressionAlias",
        span=item.span,
        hint=f"Write {item.name} AS name.",
    )


def _sort_key(r: Reader) -> SortKey:
    first = r.at
    expression = expressions.expression(r)
    descending = r.take("DESC") or r.take("DESCENDING")
    if not descending and not r.take("ASC"):
        r.take("ASCENDING")
    return SortKey(expression, descending, span=r.span(first))


def _where(r: Reader) -> Expression | None:
    return expressions.expression(r) if r.take("WHERE") else None


# What stands where a clause should


def _out_of_place(r: Reader, *, after_return: bool) -> QueryError:
    kind = r.kinds[r.at]
    if refused := _refused(r):
        return refused
    if hint := _WRONG_PLACE.get(kind):
        return r.error(f"{kind} cannot stand here", detail="InvalidClauseComposition", hint=hint)
    if kind in _CLAUSES:
        if after_return:
            return r.error(
                f"Nothing can follow RETURN, but here comes {kind}",
                detail="InvalidClauseComposition",
                hint="Hand values on with WITH instead of RETURN; RETURN stands once, at the end.",
            )
        return r.error(
            f"A bare pattern may have a WHERE and nothing more, but here comes {kind}",
            detail="InvalidClauseComposition",
            hint="Begin with MATCH to go on with other clauses.",
        )
    what = "the end of the query, or `,` and more to return" if after_return else f"a clause ({_CLAUSE_WORDS})"
    if kind in NAMES:
        from difflib import get_close_matches

        near = get_close_matches(r.words[r.at][:40].upper(), _NEAR, n=3, cutoff=0.7)
        if near:
            hint = f"Perhaps {' or '.join(near)} was meant."
            return r.error(f"Expected {what}, but found {r.found()}", hint=hint, candidates=near)
    return r.expected(what)


_WRONG_PLACE = {
    "WHERE": "WHERE stands once, right after MATCH, OPTIONAL MATCH or WITH; join conditions by AND.",
    "ORDER": "ORDER BY stands once, after RETURN or WITH and before SKIP and LIMIT.",
    "SKIP": "SKIP stands once, after RETURN or WITH and their ORDER BY, and before LIMIT.",
    "OFFSET": "OFFSET stands once, after RETURN or WITH and their ORDER BY, and before LIMIT.",
    "LIMIT": "LIMIT stands once, last in RETURN or WITH.",
    "UNION": "UNION stands between two queries, each of which ends with RETURN.",
}
_CLAUSE_WORDS = "MATCH, OPTIONAL MATCH, WITH, UNWIND or RETURN"
_NEAR = ["MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "WHERE", "ORDER", "SKIP", "LIMIT", "UNION", "AND", "OR", "AS"]


def _refused(r: Reader) -> QueryError | None:
    """The error for a clause that queries do not have; None if it is none we know."""
    word = r.words[r.at].upper()
    if r.kinds[r.at] != "name" or r.text[r.starts[r.at]] == "`":
        return None
    span = (r.starts[r.at], r.ends[r.at])
    place = where(r.text, span[0])
    if word == "CALL":
        return _call(r)
    if word in _UNKNOWN_HERE:
        return QueryUnsupported(f"{word} is not known here ({place}).", span=span, hint=_UNKNOWN_HERE[word])
    if word not in _REFUSED:
        return None
    does, hint = _REFUSED[word]
    return QueryRefused(
        f"{word} {does} ({place}).",
        detail="InvalidClauseComposition",
        span=span,
        hint=hint,
    )


def _call(r: Reader) -> QueryError:
    first = r.at
    place = where(r.text, r.starts[first])
    following = r.kinds[first + 1]
    if following in ("{", "("):
        return QueryUnsupported(
            f"CALL {{ … }} is not known here ({place}).",
            span=(r.starts[first], r.ends[first]),
            reason="call_subquery_unsupported",
            hint="Go on with WITH and OPTIONAL MATCH, or gather values with COLLECT { MATCH … RETURN … }.",
        )
    end = first + 2
    while r.kinds[end] == "." and r.kinds[end + 1] in NAMES:
        end += 2
    name = "".join(r.words[first + 1 : end])
    return QueryRefused(
        f"CALL runs a procedure, {name[:80] or 'without a name'}, and there are none ({place}).",
        kind="ProcedureError",
        detail="ProcedureNotFound",
        reason="procedure_call",
        span=(r.starts[first], r.ends[first]),
        hint="get_schema lists labels, relationship types and property keys; all else is asked with MATCH.",
        rewrite=_REWRITES.get(name.lower()),
    )


_REWRITES = {
    "db.labels": "MATCH (n) UNWIND labels(n) AS label RETURN DISTINCT label",
    "db.relationshiptypes": "MATCH ()-[r]->() RETURN DISTINCT type(r) AS relationshipType",
    "db.propertykeys": "MATCH (n) UNWIND keys(n) AS propertyKey RETURN DISTINCT propertyKey",
}

_RECORD = "Write with record_fact; MATCH … RETURN only reads."
_RETRACT = "Take back facts with retract_fact; nothing is erased by a query."
_SCHEMA = "There is no schema to change; get_schema shows the one there is."
_NO_DUTY = "There is nothing to administer; get_schema shows what the graph holds."

_WRITES = "writes, and queries are read-only"
_DELETES = "deletes, and queries are read-only"
_ALTERS = "changes the schema, and queries are read-only"
_ADMINISTERS = "is a command, and there are only queries"

_REFUSED = {
    "CREATE": (_WRITES, _RECORD),
    "INSERT": (_WRITES, _RECORD),
    "MERGE": (_WRITES, "Write with record_fact; to join two entities that are one, merge_entities."),
    "SET": (_WRITES, "Write with record_fact; to put right what is there, correct it with a new fact."),
    "UPDATE": (_WRITES, _RECORD),
    "DELETE": (_DELETES, _RETRACT),
    "DETACH": (_DELETES, _RETRACT),
    "NODETACH": (_DELETES, _RETRACT),
    "REMOVE": (_DELETES, _RETRACT),
    "FOREACH": (_WRITES, "Go through a list with UNWIND list AS x, and read with MATCH."),
    "LOAD": (
        "reads files, and queries read nothing but the graph",
        "Pass rows as a parameter and go through them with UNWIND $rows AS row.",
    ),
    "DROP": (_DELETES, _SCHEMA),
    "ALTER": (_ALTERS, _SCHEMA),
    "RENAME": (_ALTERS, _SCHEMA),
    "GRANT": (_ADMINISTERS, _NO_DUTY),
    "DENY": (_ADMINISTERS, _NO_DUTY),
    "REVOKE": (_ADMINISTERS, _NO_DUTY),
    "ENABLE": (_ADMINISTERS, _NO_DUTY),
    "SHOW": (_ADMINISTERS, _NO_DUTY),
    "START": (_ADMINISTERS, "Begin with MATCH."),
    "STOP": (_ADMINISTERS, _NO_DUTY),
    "TERMINATE": (_ADMINISTERS, _NO_DUTY),
    "USE": ("chooses another graph, and there is only this one", "Leave it out: there is one graph."),
}

_UNKNOWN_HERE = {
    "EXPLAIN": "Leave it out; the query is planned and run at once.",
    "PROFILE": "Leave it out; the query is planned and run at once.",
    "USING": "Leave it out; which index to use is decided without hints.",
    "FILTER": "Write WITH * WHERE condition.",
    "LET": "Write WITH *, value AS name.",
    "FINISH": "Leave it out, and end with RETURN.",
    "SELECT": "This is not SQL: write MATCH (n) WHERE condition RETURN n.",
}


def _measure(r: Reader, query: Query) -> None:
    """Refuses a tree that is too deep to be walked: a row of 1,000 additions nests as deep as 1,000 brackets."""
    layer: list[Part] = [query]
    for _ in range(MOST_DEPTH):
        layer = [child for part in layer for child in _children(part)]
        if not layer:
            return
    raise r.error(
        "The query is nested too deeply: too many operators follow one another",
        span=layer[0].span,
        hint="Write x IN [a, b, c] for many alternatives, or pass a list as a parameter.",
    )


def _children(part: Part) -> Iterator[Part]:
    values = [getattr(part, each.name) for each in fields(part)]
    while values:
        value = values.pop()
        if isinstance(value, Part):
            yield value
        elif type(value) is tuple:
            values.extend(value)
