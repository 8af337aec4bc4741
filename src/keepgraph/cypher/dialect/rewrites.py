"""Rewrites of other dialects: quantified patterns as variable lengths, and subqueries in CALL as UNWIND COLLECT.

Labels that both nodes of a repeated pattern have become a condition on the nodes of the path; other conditions have no
rewrite. The caller checks that the query can be parsed and bound.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from keepgraph.cypher.repair.tolerant_tokenizer import Edit, Tokens, apply_edits, quote_name
from keepgraph.cypher.syntax import ast, parser, traversal
from keepgraph.errors import QueryError


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
        names = {name for path in paths for name in traversal.pattern_variables(path)}
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
    return set(traversal.visible_names(tree.parts[-1]))


def _is_in_subquery(tokens: Tokens, place: int) -> bool:
    """Whether a token stands in `COUNT { … }` or its kind, whose names are not seen outside."""
    bracket = tokens.enclosing[place]
    while bracket >= 0:
        if tokens.kinds[bracket] == "{" and tokens.upper[bracket - 1] in ("COUNT", "COLLECT", "EXISTS"):
            return True
        bracket = tokens.enclosing[bracket]
    return False
