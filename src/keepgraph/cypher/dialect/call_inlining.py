"""CALL inlining: rewrites a subquery in CALL { … } as `UNWIND COLLECT { … }`, whose rows are the same.

The result is a proposal: the caller checks that it can be parsed and bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keepgraph.cypher.repair.tolerant_tokenizer import Tokens, quote_name
from keepgraph.cypher.syntax import ast, parser, traversal
from keepgraph.errors import QueryError


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
