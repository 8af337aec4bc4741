"""SQL: which of its clauses begins at a token, and what to write instead, with an example.

A rewrite is a proposal: the caller checks that it can be parsed and bound.
"""

from __future__ import annotations

from keepgraph.cypher.repair.operands import find_operand_start
from keepgraph.cypher.repair.tolerant_tokenizer import Tokens

_LIKE_ADVICE = (
    "Write CONTAINS, STARTS WITH or ENDS WITH, or =~ for a pattern: "
    "MATCH (p:Person) WHERE p.name =~ '(?i)a.*a' RETURN p.name"
)
_SKIP_ADVICE = "SKIP stands before LIMIT: MATCH (p:Person) RETURN p.name SKIP 10 LIMIT 5"
ADVICE = {
    "SELECT": "A query begins with MATCH and ends with RETURN: MATCH (p:Person) WHERE p.name = 'Ana' RETURN p.name",
    "FROM": "What is read stands in MATCH: MATCH (p:Person) RETURN p.name",
    "GROUP BY": "Leave it out; what is returned beside an aggregate is what it groups by: "
    "MATCH (p:Person)-->(n) RETURN p.name, count(n)",
    "HAVING": "Write WITH and WHERE: MATCH (p:Person)-->(n) WITH p, count(n) AS total WHERE total > 3 "
    "RETURN p.name, total",
    "OVER": "There are no windows; collect ordered rows and number them: MATCH (p:Person) WITH p.name AS name "
    "ORDER BY name WITH collect(name) AS names UNWIND range(0, size(names) - 1) AS i RETURN i + 1, names[i]",
    "JOIN": "Relationships join, and OPTIONAL MATCH is an outer join: "
    "MATCH (p:Person) OPTIONAL MATCH (p)-->(n) RETURN p.name, n.name",
    "BETWEEN": "Write two comparisons: MATCH (n) WHERE 1 <= n.x <= 5 RETURN n",
    "LIKE": _LIKE_ADVICE,
    "ILIKE": _LIKE_ADVICE,
    "NULLS FIRST": "Nulls come first with DESC; else sort by IS NOT NULL before: "
    "MATCH (n) RETURN n.name ORDER BY n.x IS NOT NULL, n.x",
    "NULLS LAST": "Nulls come last without DESC; else sort by IS NULL before: "
    "MATCH (n) RETURN n.name ORDER BY n.x IS NULL, n.x DESC",
    "SKIP after LIMIT": _SKIP_ADVICE,
    "OFFSET after LIMIT": _SKIP_ADVICE,
}
"""For each clause what to write instead, and behind the colon a query that does."""

_JOINS = frozenset("JOIN INNER LEFT RIGHT FULL CROSS".split())
FIRST_WORDS = _JOINS | {"NOT"} | {name.partition(" ")[0] for name in ADVICE}


def find_clause(tokens: Tokens, index: int) -> str | None:
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


def rewrite_between(tokens: Tokens, index: int) -> str | None:
    """Write `x BETWEEN least AND most` as `least <= x <= most`."""
    negated = tokens.upper[index - 1] == "NOT"
    end, text = index - negated, tokens.text
    first = find_operand_start(tokens, end)
    bracket = tokens.enclosing[index]
    last = index + 1
    while last < tokens.length and not (tokens.upper[last] == "AND" and tokens.enclosing[last] == bracket):
        last += 1
    if first is None or first == end or last == tokens.length:
        return None
    value, least = (
        text[tokens.starts[first] : tokens.ends[end - 1]],
        text[tokens.starts[index + 1] : tokens.ends[last - 1]],
    )
    return f"{text[: tokens.starts[first]]}{'NOT ' * negated}{least} <= {value} <={text[tokens.ends[last] :]}"


def swap_limit_and_skip(tokens: Tokens, index: int) -> str:
    """Write `LIMIT 10 SKIP 5` as `SKIP 5 LIMIT 10`."""
    limit, end = tokens.starts[index - 2], tokens.ends[index + 1]
    skips, limits = tokens.text[tokens.starts[index] : end], tokens.text[limit : tokens.ends[index - 1]]
    return f"{tokens.text[:limit]}{skips} {limits}{tokens.text[end:]}"
