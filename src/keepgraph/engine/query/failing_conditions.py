"""Failing conditions: which clause of a query leaves no row, and which condition in it (minimal failing subqueries).

After Godfrey, "Minimization in cooperative response to failing database queries" (1997): a part of the query fails if
the query has rows without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from keepgraph.cypher import functions
from keepgraph.cypher.repair.tolerant_tokenizer import shorten
from keepgraph.cypher.syntax import ast, conjunctions, parser
from keepgraph.engine.query.graph_probe import GraphProbe

_MAX_RELAXATIONS = 16
_MAX_REPORTED = 3
_SHARE_OF_TIME = 0.3
"""Which part of the time that is left a probe may take: one that has rows has them soon, others may take long."""

_ONE_ROW = ast.Projection(
    is_return=True,
    distinct=False,
    star=False,
    items=(ast.ProjectionItem(ast.Literal(1), "one", has_alias=True),),
    order=(),
    skip=None,
    limit=ast.Literal(1),
)
_TESTS_OF_TEXTS = frozenset(("=", "CONTAINS", "STARTS WITH", "ENDS WITH", "=~"))


@dataclass(frozen=True, slots=True)
class FailingCondition:
    """A part of a query that no row passes.

    Attributes:
        written: the part, as the query says it.
        message: what is wrong with it.
        near: what has rows in its place; empty where only leaving it out does.
        is_direction: whether it is an arrow.
    """

    written: str
    message: str
    near: str = ""
    is_direction: bool = False


def find(
    graph: GraphProbe, text: str, parameters: Mapping[str, Any], *, has_rows: bool, found_nothing: bool
) -> Iterator[FailingCondition]:
    """The conditions of a query that no row passes; the query itself where there is no time to find out.

    Args:
        text: the query as it ran.
        has_rows: whether it had rows, with nothing in a column of them.
        found_nothing: whether it had no rows, or one with nothing in it.
    """
    search = _Search(graph, text, parameters)
    parts = parser.parse(text).parts
    failing = [each for part in parts for each in search.failures(part.clauses, has_rows=has_rows)]
    yield from failing
    if not failing and found_nothing and search.ran_out_of_time:
        dropping = [clause for part in parts for clause in part.clauses[:-1] if _may_drop_rows(clause)]
        written = shorten(text[dropping[0].span[0] : dropping[-1].span[1]])
        yield FailingCondition(written, "Nothing fits this; there was no time to find out which part of it fails.")


@dataclass(frozen=True, slots=True)
class _Relaxation:
    """A clause with less in it, and what is to be said if it has rows."""

    clause: ast.Clause
    failing: FailingCondition


class _Search:
    """The search in one query."""

    def __init__(self, graph: GraphProbe, text: str, parameters: Mapping[str, Any]) -> None:
        self._graph = graph
        self._text = text
        self._parameters = parameters
        self.ran_out_of_time = False

    def failures(self, clauses: Sequence[ast.Clause], *, has_rows: bool) -> list[FailingCondition]:
        """What fails in the first clause behind which there is no row."""
        last = clauses[-1]
        skip = last.skip if isinstance(last, ast.Projection) else None
        dropping = [index for index, clause in enumerate(clauses[:-1]) if _may_drop_rows(clause)]
        for index in dropping:
            # To find out that there are no rows takes as long as the query did: of the last clause that is known.
            is_empty = not has_rows and index == dropping[-1] and not any(map(_may_cut_all, clauses[index:]))
            if is_empty or self._has_rows(clauses[: index + 1]) is False:
                return self._failures_in(clauses[:index], clauses[index])
        if not has_rows:
            return [FailingCondition(f"SKIP {self._written(skip)}", "SKIP skips all rows.")] if skip else []
        for index, clause in enumerate(clauses[:-1]):
            if isinstance(clause, ast.Match) and clause.optional:
                required = replace(clause, optional=False)
                if self._has_rows([*clauses[:index], required]) is False:
                    return self._failures_in(clauses[:index], required)
        return []

    def _failures_in(self, before: Sequence[ast.Clause], clause: ast.Clause) -> list[FailingCondition]:
        if isinstance(clause, ast.Unwind):
            return [FailingCondition(self._written(clause), "UNWIND gives no rows: its list is empty, or null.")]
        failing = self._first_failing(before, self._without_conditions(clause))
        if failing:
            return failing
        bare = _without_conditions(clause)
        if bare != clause and self._has_rows([*before, bare]):
            return [FailingCondition(self._written(clause), "No row passes all conditions of this together.")]
        hop = self._failing_hop(before, bare) if isinstance(bare, ast.Match) else []
        return [*hop, *self._first_failing(before, self._without_names(clause))][:_MAX_REPORTED]

    def _first_failing(
        self, before: Sequence[ast.Clause], relaxations: Iterator[_Relaxation]
    ) -> list[FailingCondition]:
        """What fails by relaxations that have rows; of two of one condition the first, which asks for more."""
        failing: dict[str, FailingCondition] = {}
        for each in islice(relaxations, _MAX_RELAXATIONS):
            if len(failing) < _MAX_REPORTED and self._has_rows([*before, each.clause]):
                failing.setdefault(each.failing.written, each.failing)
        return list(failing.values())

    def _failing_hop(self, before: Sequence[ast.Clause], clause: ast.Match) -> list[FailingCondition]:
        """The shortest beginning of a pattern that nothing fits."""
        for number, path in enumerate(clause.paths):
            for hops in range(len(path.relationships) + 1):
                start = replace(path, nodes=path.nodes[: hops + 1], relationships=path.relationships[:hops])
                shorter = replace(clause, paths=(*clause.paths[:number], start))
                if path.shortest and hops < len(path.relationships):
                    continue
                if self._has_rows([*before, shorter]) is False:
                    written = shorten(self._text[path.nodes[0].span[0] : path.nodes[hops].span[1]])
                    behind = " in the rows so far" if before else ""
                    return [FailingCondition(written, f"Nothing fits {written}{behind}.")]
        return []

    def _without_conditions(self, clause: _Filtering) -> Iterator[_Relaxation]:
        """The clause with each arrow turned, and without each condition and each property of a pattern."""
        if isinstance(clause, ast.Match):
            yield from self._turned_arrows(clause)
        for condition in conjunctions.split(clause.condition):
            yield from self._relaxed_condition(clause, condition)
        for part in _parts(clause):
            for condition in conjunctions.split(part.condition):
                rest = conjunctions.join([each for each in conjunctions.split(part.condition) if each is not condition])
                yield self._without(clause, part, replace(part, condition=rest), self._written(condition))
            if isinstance(part.properties, ast.MapLiteral):
                for key, value in part.properties.entries:
                    entries = tuple(entry for entry in part.properties.entries if entry[0] != key)
                    properties = ast.MapLiteral(entries) if entries else None
                    yield self._without(
                        clause, part, replace(part, properties=properties), f"{{{key}: {self._written(value)}}}"
                    )

    def _without_names(self, clause: _Filtering) -> Iterator[_Relaxation]:
        """The clause without the labels, or the types, of each part of its patterns."""
        for part in _parts(clause):
            if isinstance(part, ast.NodePattern) and part.labels is not None:
                yield self._without(clause, part, replace(part, labels=None), f"the label in {self._written(part)}")
            elif isinstance(part, ast.RelationshipPattern) and part.types is not None:
                yield self._without(clause, part, replace(part, types=None), f"the type in {self._written(part)}")

    def _turned_arrows(self, clause: ast.Match) -> Iterator[_Relaxation]:
        for path in clause.paths:
            for left, edge, right in zip(path.nodes, path.relationships, path.nodes[1:], strict=False):
                if edge.direction != "both":
                    written, near = self._turned(left, edge, right)
                    yield _Relaxation(_with_part(clause, edge, _turned(edge)), _wrong_direction(written, near))

    def _turned_predicate(
        self, clause: _Filtering, predicate: ast.PatternPredicate, others: Sequence[ast.Expression]
    ) -> Iterator[_Relaxation]:
        path = predicate.pattern
        if len(path.relationships) == 1 and path.relationships[0].direction != "both":
            edge = path.relationships[0]
            turned = replace(predicate, pattern=replace(path, relationships=(_turned(edge),)))
            written, near = self._turned(path.nodes[0], edge, path.nodes[1])
            relaxed = replace(clause, condition=conjunctions.join([*others, turned]))
            yield _Relaxation(relaxed, _wrong_direction(written, near))

    def _turned(self, left: ast.NodePattern, edge: ast.RelationshipPattern, right: ast.NodePattern) -> tuple[str, str]:
        """A hop as it is written, and with its arrow turned."""
        arrow = self._written(edge)
        other = f"<{arrow[:-1]}" if edge.direction == "out" else f"{arrow[1:]}>"
        ends = self._written(left), self._written(right)
        return arrow.join(ends), other.join(ends)

    def _relaxed_condition(self, clause: _Filtering, condition: ast.Expression) -> Iterator[_Relaxation]:
        """A clause with a condition that ignores case, then without it."""
        others = [each for each in conjunctions.split(clause.condition) if each is not condition]
        written = self._written(condition)
        folded = self._ignoring_case(condition)
        if isinstance(condition, ast.PatternPredicate):
            yield from self._turned_predicate(clause, condition, others)
        if folded is not None:
            expression, near = folded
            yield _Relaxation(
                replace(clause, condition=conjunctions.join([*others, expression])),
                FailingCondition(
                    written, f"No row passes {written}; where case is ignored there are rows: {near}.", near
                ),
            )
        rest = " and the rest of the condition" if others else ""
        message = f"No row passes {written}{rest}; without it there are rows. {self._advice(condition)}"
        yield _Relaxation(
            replace(clause, condition=conjunctions.join(others)), FailingCondition(written, message.rstrip())
        )

    def _ignoring_case(self, condition: ast.Expression) -> tuple[ast.Expression, str] | None:
        """A test of a text that ignores case, and how it is written; None for any other condition."""
        if not isinstance(condition, ast.Binary) or condition.operator not in _TESTS_OF_TEXTS:
            return None
        left, right = condition.left, condition.right
        text = self._constant(right)
        if not isinstance(text, str) or isinstance(left, ast.Literal | ast.Parameter) or not text:
            return None
        if not isinstance(right, ast.Literal | ast.Parameter):
            return None
        subject, operator = self._written(left), condition.operator
        if operator == "=~":
            if text.startswith("(?"):
                return None
            folded = ast.Binary("+", ast.Literal("(?i)"), right)
            pattern = self._written(right)
            written = f"'(?i){pattern[1:]}" if isinstance(right, ast.Literal) else f"'(?i)' + {pattern}"
            return replace(condition, right=folded), f"{subject} =~ {written}"
        case = functions.letter_case(left.name) if isinstance(left, ast.Call) else None
        if case is not None and text == case.change(text):
            return None
        name = (case or functions.LOWER_CASE).names[0]
        if case is None:
            left, subject = ast.Call(name, (left,)), f"{name}({subject})"
        changed = replace(condition, left=left, right=ast.Call(name, (right,)))
        return changed, f"{subject} {operator} {name}({self._written(right)})"

    def _advice(self, condition: ast.Expression) -> str:
        if not isinstance(condition, ast.Binary):
            return ""
        if condition.operator == "=~":
            return "=~ matches the whole text: '.*word.*' finds a word in it, '(?i)' ignores case."
        text = self._constant(condition.right)
        if isinstance(text, str) and isinstance(condition.left, ast.Call):
            case = functions.letter_case(condition.left.name)
            if case is not None and text != case.change(text):
                return f"{condition.left.name}() never gives {text!r}."
        return ""

    def _constant(self, expression: ast.Expression) -> Any:
        if isinstance(expression, ast.Parameter):
            return self._parameters.get(expression.name)
        return expression.value if isinstance(expression, ast.Literal) else None

    def _without(self, clause: _Filtering, old: _Part, new: _Part, written: str) -> _Relaxation:
        message = f"No row passes {written}; without it there are rows."
        return _Relaxation(_with_part(clause, old, new), FailingCondition(written, message))

    def _has_rows(self, clauses: Sequence[ast.Clause]) -> bool | None:
        """Whether the clauses give a row; None where there is no time to find out."""
        query = ast.Query((ast.SingleQuery((*clauses, _ONE_ROW)),), ())
        rows = self._graph.rows_of_tree(query, self._text, self._parameters, share=_SHARE_OF_TIME)
        self.ran_out_of_time |= rows is None
        return None if rows is None else bool(rows)

    def _written(self, node: ast.SyntaxNode) -> str:
        return shorten(self._text[slice(*node.span)])


_Part = ast.NodePattern | ast.RelationshipPattern
_Filtering = ast.Match | ast.Projection


def _turned(edge: ast.RelationshipPattern) -> ast.RelationshipPattern:
    return replace(edge, direction="in" if edge.direction == "out" else "out")


def _wrong_direction(written: str, near: str) -> FailingCondition:
    message = f"Nothing fits {written}; with the arrow turned there are rows: {near}."
    return FailingCondition(written, message, near, is_direction=True)


def _may_drop_rows(clause: ast.Clause) -> bool:
    if isinstance(clause, ast.Match):
        return not clause.optional
    return isinstance(clause, ast.Unwind) or clause.condition is not None


def _may_cut_all(clause: ast.Clause) -> bool:
    """Whether SKIP or LIMIT may leave no row."""
    if not isinstance(clause, ast.Projection):
        return False
    keeps_one = clause.limit is None or (isinstance(clause.limit, ast.Literal) and clause.limit.value != 0)
    return clause.skip is not None or not keeps_one


def _parts(clause: _Filtering) -> list[_Part]:
    if isinstance(clause, ast.Projection):
        return []
    parts: list[_Part] = []
    for path in clause.paths:
        parts += [*path.nodes, *path.relationships]
    return parts


def _with_part(clause: _Filtering, old: _Part, new: _Part) -> _Filtering:
    """The clause with another part of a pattern in the place of one, by identity: equal parts may stand elsewhere."""
    if isinstance(clause, ast.Projection):
        return clause

    def put(parts: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(new if part is old else part for part in parts)

    paths = (replace(path, nodes=put(path.nodes), relationships=put(path.relationships)) for path in clause.paths)
    return replace(clause, paths=tuple(paths))


def _without_conditions(clause: _Filtering) -> _Filtering:
    if isinstance(clause, ast.Projection):
        return replace(clause, condition=None)
    for part in _parts(clause):
        clause = _with_part(clause, part, replace(part, properties=None, condition=None))
    return replace(clause, condition=None)
