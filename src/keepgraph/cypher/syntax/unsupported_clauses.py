"""Errors for clauses that queries do not have: writes, procedures, administration, and clauses of other dialects."""

from __future__ import annotations

from keepgraph.cypher.syntax.tokenizer import NAME_KINDS, TokenStream, describe_position
from keepgraph.errors import QueryError, QueryRefused, QueryUnsupported


def error_for_clause(tokens: TokenStream) -> QueryError | None:
    """The error for the next token, if it begins a clause that queries do not have; None otherwise."""
    word = tokens.texts[tokens.position].upper()
    if tokens.kinds[tokens.position] != "name" or tokens.text[tokens.starts[tokens.position]] == "`":
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


def _error_for_call(tokens: TokenStream) -> QueryError:
    first = tokens.position
    place = describe_position(tokens.text, tokens.starts[first])
    following = tokens.kinds[first + 1]
    if following in ("{", "("):
        return QueryUnsupported(
            f"CALL {{ … }} is not known here ({place}).",
            span=(tokens.starts[first], tokens.ends[first]),
            reason="call_subquery_unsupported",
            hint="Continue with WITH and OPTIONAL MATCH, or gather values with COLLECT { MATCH … RETURN … }.",
        )
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
_ADMINISTRATION_HINT = "There is nothing to administer; read the graph with MATCH."

_WRITES = "writes, but queries are read-only"
_DELETES = "deletes, but queries are read-only"
_ALTERS = "changes the schema, but queries are read-only"
_ADMINISTERS = "is a command, but only queries are supported"

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
    "ALTER": (_ALTERS, _SCHEMA_HINT),
    "RENAME": (_ALTERS, _SCHEMA_HINT),
    "GRANT": (_ADMINISTERS, _ADMINISTRATION_HINT),
    "DENY": (_ADMINISTERS, _ADMINISTRATION_HINT),
    "REVOKE": (_ADMINISTERS, _ADMINISTRATION_HINT),
    "ENABLE": (_ADMINISTERS, _ADMINISTRATION_HINT),
    "START": (_ADMINISTERS, "Begin with MATCH."),
    "STOP": (_ADMINISTERS, _ADMINISTRATION_HINT),
    "TERMINATE": (_ADMINISTERS, _ADMINISTRATION_HINT),
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
    "SELECT": "This is not SQL: write MATCH (n) WHERE condition RETURN n.",
}
