"""CALL inlining: rewrites a subquery in CALL { … } as clauses of the outer query.

The result is a proposal: the caller checks that it can be parsed and bound.
"""

from __future__ import annotations

from keepgraph.cypher.repair.tolerant_tokenizer import Tokens, quote_name
from keepgraph.cypher.syntax import ast, parser, traversal
from keepgraph.errors import QueryError


def inline_call(tokens: Tokens, index: int) -> str | None:
    """The query with clauses that do the same in the place of the CALL at this token; None if there are none."""
    opening = index + 1 if tokens.kinds[index + 1] == "{" else tokens.partners[index + 1] + 1
    closing = tokens.partners[opening]
    if tokens.enclosing[index] >= 0 or tokens.kinds[opening] != "{" or closing < 0 or tokens.upper[closing + 1] == "IN":
        return None
    first = opening + 1
    imported = set(tokens.texts[index + 2 : opening - 1]) if opening > index + 1 else set()
    if opening == index + 1 and tokens.upper[first] == "WITH":
        while tokens.kinds[first + 1] in ("name", "quoted", ",", "*") and not tokens.keywords[first + 1]:
            first += 1
            imported.add(tokens.texts[first])
        first += 1
    inner = tokens.text[tokens.starts[first] : tokens.ends[closing - 1]]
    try:
        query = parser.parse(inner)
    except QueryError:
        return None
    if len(query.parts) != 1 or not isinstance(final := query.parts[0].clauses[-1], ast.Projection):
        return None
    before, after = tokens.text[: tokens.starts[index]], tokens.text[tokens.ends[closing] :]
    body = inner[: final.span[0]]
    as_with = f"{body}WITH{inner[final.span[0] + len('RETURN') :]}"
    if index == 0:
        return before + as_with + after
    if final.star:
        return None
    words_before = _names_before(tokens, before, index)
    own_names = set() if "*" in imported else _pattern_names(query.parts[0]) - imported
    # A subquery in an expression sees all names around it, and CALL only those it imports.
    if own_names & words_before:
        return None
    words_after = set(tokens.texts[closing + 1 : tokens.length]) - {item.name for item in final.items}
    replacement = _as_clauses(inner, body, query.parts[0], final, clashes=bool(own_names & words_after))
    if replacement is None:
        columns = [quote_name(item.name) for item in final.items]
        row = "row" if "row" not in tokens.texts else "row_2"
        entries = ", ".join(f"{name}: {name}" for name in columns)
        columns_of_row = ", ".join(f"{row}.{name} AS {name}" for name in columns)
        replacement = (
            f"UNWIND COLLECT {{ {inner} }} AS {columns[0]}"
            if len(columns) == 1
            else f"UNWIND COLLECT {{ {as_with} RETURN {{{entries}}} }} AS {row} WITH *, {columns_of_row}"
        )
    return before + replacement + after


def _names_before(tokens: Tokens, before: str, index: int) -> set[str]:
    """The names that are visible at a token; all words before it where the text there cannot be parsed."""
    try:
        tree = parser.parse(f"{before} RETURN 1")
    except QueryError:
        return {tokens.texts[place] for place in range(index) if not _is_in_subquery(tokens, place)}
    return set(traversal.visible_names(tree.parts[-1]))


def _is_in_subquery(tokens: Tokens, place: int) -> bool:
    """Whether a token stands in `COUNT { … }` or its kind, whose names are not seen outside."""
    bracket = tokens.enclosing[place]
    while bracket >= 0:
        if tokens.kinds[bracket] == "{" and tokens.upper[bracket - 1] in ("COUNT", "COLLECT", "EXISTS"):
            return True
        bracket = tokens.enclosing[bracket]
    return False


def _as_clauses(inner: str, body: str, query: ast.SingleQuery, final: ast.Projection, *, clashes: bool) -> str | None:
    """The clauses themselves where each of their rows is a row of the query; else a count or a collection of rows."""
    only_returns = not (final.distinct or final.order or final.skip or final.limit or final.star)
    if not only_returns or not all(isinstance(clause, ast.Match) for clause in query.clauses[:-1]):
        return None
    if not any(traversal.has_aggregate(item.expression) for item in final.items):
        if clashes:
            return None
        new = [item for item in final.items if not isinstance(item.expression, ast.Variable) or item.has_alias]
        items = ", ".join(inner[item.span[0] : item.span[1]] for item in new)
        return body + (f"WITH *, {items}" if new else "").rstrip()
    (item, *others) = final.items
    if others:
        return None
    name, result = quote_name(item.name), item.expression
    required = not any(clause.optional for clause in query.clauses[:-1] if isinstance(clause, ast.Match))
    if isinstance(result, ast.CountAll):
        return f"WITH *, COUNT {{ {body.strip()} }} AS {name}"
    if not required or not isinstance(result, ast.Call) or result.distinct or len(result.arguments) != 1:
        return None
    (argument,) = result.arguments
    if result.name.lower() == "count" and isinstance(argument, ast.Variable) and argument.name in _pattern_names(query):
        return f"WITH *, COUNT {{ {body.strip()} }} AS {name}"
    if result.name.lower() == "collect":
        return f"WITH *, COLLECT {{ {body}RETURN {inner[argument.span[0] : argument.span[1]]} }} AS {name}"
    return None


def _pattern_names(query: ast.SingleQuery) -> set[str]:
    names: set[str] = set()
    for clause in query.clauses:
        if isinstance(clause, ast.Match):
            for path in clause.paths:
                names.update(traversal.pattern_variables(path))
    return names
