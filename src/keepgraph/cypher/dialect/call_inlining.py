"""Says anew what stands in CALL { … } as clauses of the query around it. Knows no graph.

It gives a proposal, or None: whoever offers it reads it first.
"""

from __future__ import annotations

from keepgraph.cypher.repair.tolerant_tokenizer import Pieces, quoted
from keepgraph.cypher.syntax import ast, parser, traversal
from keepgraph.errors import QueryError


def inlined(p: Pieces, at: int) -> str | None:
    """The query without this CALL, and what it did in its place."""
    opening = at + 1 if p.kinds[at + 1] == "{" else p.partners[at + 1] + 1
    closing = p.partners[opening]
    if p.around[at] >= 0 or p.kinds[opening] != "{" or closing < 0 or p.upper[closing + 1] == "IN":
        return None
    first = opening + 1
    imported = set(p.words[at + 2 : opening - 1]) if opening > at + 1 else set()
    if opening == at + 1 and p.upper[first] == "WITH":
        while p.kinds[first + 1] in ("name", "quoted", ",", "*") and not p.keywords[first + 1]:
            first += 1
            imported.add(p.words[first])
        first += 1
    inner = p.text[p.starts[first] : p.ends[closing - 1]]
    try:
        query = parser.parse(inner)
    except QueryError:
        return None
    if len(query.parts) != 1 or not isinstance(final := query.parts[0].clauses[-1], ast.Projection):
        return None
    before, after = p.text[: p.starts[at]], p.text[p.ends[closing] :]
    body = inner[: final.span[0]]
    as_with = f"{body}WITH{inner[final.span[0] + len('RETURN') :]}"
    if at == 0:
        return before + as_with + after
    if final.everything:
        return None
    before_it = set(p.words[:at])
    own = set() if "*" in imported else _own_names(query.parts[0]) - imported
    # A subquery in an expression sees all names around it, and CALL only those it imports.
    if own & before_it:
        return None
    after_it = set(p.words[closing + 1 : p.length]) - {item.name for item in final.items}
    said = _row_by_row(inner, body, query.parts[0], final, clashes=bool(own & after_it))
    if said is None:
        columns = [quoted(item.name) for item in final.items]
        row = "row" if "row" not in p.words else "row_2"
        made = ", ".join(f"{name}: {name}" for name in columns)
        taken = ", ".join(f"{row}.{name} AS {name}" for name in columns)
        said = (
            f"UNWIND COLLECT {{ {inner} }} AS {columns[0]}"
            if len(columns) == 1
            else f"UNWIND COLLECT {{ {as_with} RETURN {{{made}}} }} AS {row} WITH *, {taken}"
        )
    return before + said + after


def _row_by_row(inner: str, body: str, query: ast.SingleQuery, final: ast.Projection, *, clashes: bool) -> str | None:
    """The clauses themselves where each row of theirs is a row of the query; a count or a collection of them."""
    plain = not (final.distinct or final.order or final.skip or final.limit or final.everything)
    if not plain or not all(isinstance(clause, ast.Match) for clause in query.clauses[:-1]):
        return None
    if not any(traversal.has_aggregate(item.expression) for item in final.items):
        if clashes:
            return None
        new = [item for item in final.items if not isinstance(item.expression, ast.Variable) or item.aliased]
        items = ", ".join(inner[item.span[0] : item.span[1]] for item in new)
        return body + (f"WITH *, {items}" if new else "").rstrip()
    (item, *others) = final.items
    if others:
        return None
    name, made = quoted(item.name), item.expression
    required = not any(clause.optional for clause in query.clauses[:-1] if isinstance(clause, ast.Match))
    if isinstance(made, ast.CountAll):
        return f"WITH *, COUNT {{ {body.strip()} }} AS {name}"
    if not required or not isinstance(made, ast.Call) or made.distinct or len(made.arguments) != 1:
        return None
    (of,) = made.arguments
    if made.name.lower() == "count" and isinstance(of, ast.Variable) and of.name in _own_names(query):
        return f"WITH *, COUNT {{ {body.strip()} }} AS {name}"
    if made.name.lower() == "collect":
        return f"WITH *, COLLECT {{ {body}RETURN {inner[of.span[0] : of.span[1]]} }} AS {name}"
    return None


def _own_names(query: ast.SingleQuery) -> set[str]:
    found: set[str] = set()
    for clause in query.clauses:
        if isinstance(clause, ast.Match):
            for path in clause.paths:
                found.update(traversal.pattern_names(path))
    return found
