"""In which order a pattern is laid on the graph: from what is known outwards. Knows estimates, not tables.

Greedy: what is bound closes first, then the edge that leads from something bound to the fewest, and where nothing is
bound the node or the edge with the fewest rows begins. Estimates decide how long it takes, never what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from keepgraph.cypher.plan.algebra import EdgeSlot, Match, NodeSlot
from keepgraph.cypher.syntax import ast, traversal

Equality = tuple[str, ast.Expression]
"""`node.key = value`, where the value does not depend on the node."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Go through the nodes that may stand here."""

    node: NodeSlot
    equalities: tuple[Equality, ...]


@dataclass(frozen=True, slots=True)
class Walk:
    """Follow an edge from a node that is bound.

    Attributes:
        source, target: the columns it leads from and to; swapped, where the pattern is read from right to left.
        direction: as seen from `source`.
        closing: whether `target` is bound already.
    """

    edge: EdgeSlot
    source: str
    target: str
    direction: str
    closing: bool


@dataclass(frozen=True, slots=True)
class Sweep:
    """Go through all edges that may stand here, where neither end is bound."""

    edge: EdgeSlot


Step = Begin | Walk | Sweep


@dataclass(frozen=True, slots=True)
class Estimates:
    """How many rows to expect; where nothing is known, guesses that keep the usual order."""

    nodes: Callable[[tuple[ast.LabelExpression, ...]], float] = lambda labels: 1_000.0 if labels else 10_000.0
    edges: Callable[[ast.LabelExpression | None], float] = lambda types: 20_000.0 if types else 100_000.0
    matching: Callable[[str], float] = lambda key: 0.01


GUESSES = Estimates()
_REVERSED = {"out": "in", "in": "out", "both": "both"}


def steps(
    match: Match, estimates: Estimates = GUESSES, *, sweeping: bool = False, begin_with: str | None = None
) -> list[Step]:
    """The steps that bind all nodes and edges of a pattern.

    Args:
        sweeping: whether a pattern may begin with an edge.
        begin_with: the node to begin with, whatever the estimates say.
    """
    bound = set(match.input.columns)
    nodes = {node.column: node for node in match.nodes}
    equal = {column: tuple(equalities(match.conditions, column)) for column in nodes}
    missing = [node.column for node in match.nodes if node.column not in bound]
    edges = list(match.edges)
    found: list[Step] = []

    def expected(column: str) -> float:
        rows = estimates.nodes(nodes[column].labels)
        for key, value in equal[column]:
            if traversal.free_variables(value) <= bound:
                rows *= estimates.matching(key)
        return rows

    def begin(column: str) -> None:
        known = tuple((key, value) for key, value in equal[column] if traversal.free_variables(value) <= bound)
        found.append(Begin(nodes[column], known))
        bound.add(column)

    def follow(edge: EdgeSlot) -> None:
        turned = edge.start not in bound
        source, target = (edge.end, edge.start) if turned else (edge.start, edge.end)
        direction = _REVERSED[edge.direction] if turned else edge.direction
        found.append(Walk(edge, source, target, direction, target in bound))
        edges.remove(edge)
        bound.update((edge.column, source, target))

    if begin_with is not None:
        begin(begin_with)
    while edges:
        closing = [edge for edge in edges if edge.start in bound and edge.end in bound]
        leading = [edge for edge in edges if edge.start in bound or edge.end in bound]
        if closing:
            follow(min(closing, key=_reluctance))
        elif any(edge.column in bound for edge in edges):
            # A relationship from an earlier clause: its ends follow from it.
            edge = next(edge for edge in edges if edge.column in bound)
            found.append(Sweep(edge))
            edges.remove(edge)
            bound.update((edge.start, edge.end))
        elif leading and not all(edge.shortest for edge in leading):
            there = {id(edge): edge.end if edge.start in bound else edge.start for edge in leading}
            follow(min(leading, key=lambda edge: (_reluctance(edge), expected(there[id(edge)]))))
        else:
            # The ends of a shortest path are better both known before it is looked for.
            ends = dict.fromkeys(end for edge in edges for end in (edge.start, edge.end) if end not in bound)
            first = min(ends, key=expected)
            swept = [
                each for each in edges if each.length is None and each.direction != "both" and each.start != each.end
            ]
            best = min(swept, key=lambda edge: estimates.edges(edge.types), default=None)
            if (
                sweeping
                and not leading
                and best is not None
                and not equal[first]
                and estimates.edges(best.types) < 4 * expected(first)
            ):
                found.append(Sweep(best))
                edges.remove(best)
                bound.update((best.column, best.start, best.end))
            else:
                begin(first)
    for column in missing:
        if column not in bound:
            begin(column)
    return found


def equalities(conditions: Iterable[ast.Expression], column: str) -> Iterable[Equality]:
    """What conditions of the form `column.key = value` say."""
    for condition in conditions:
        if isinstance(condition, ast.Binary) and condition.operator == "=":
            for one, other in ((condition.left, condition.right), (condition.right, condition.left)):
                if (
                    isinstance(one, ast.Property)
                    and one.subject == ast.Variable(column)
                    and column not in traversal.free_variables(other)
                ):
                    yield one.key, other


def _reluctance(edge: EdgeSlot) -> int:
    return 2 if edge.shortest else 1 if edge.length else 0
