"""Join order: in which order the nodes and relationships of a pattern are matched, chosen by estimated row counts.

The search is greedy. A relationship between two bound nodes comes first, since it only removes rows; then the
relationship from a bound node to the fewest expected nodes; where nothing is bound, the node or the relationship with
the fewest rows is scanned. The estimates decide how long a query takes, never what it answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from keepgraph.cypher.plan.algebra import EdgeSlot, Match, NodeSlot
from keepgraph.cypher.syntax import ast, traversal

Equality = tuple[str, ast.Expression]
"""A property key and the value that it must have: `node.key = value`, where the value does not use the node."""


@dataclass(frozen=True, slots=True)
class NodeScan:
    """Go through all nodes that may be this node of the pattern."""

    node: NodeSlot
    equalities: tuple[Equality, ...]


@dataclass(frozen=True, slots=True)
class Expand:
    """Follow a relationship from a node that is bound.

    Attributes:
        source, target: the columns it leads from and to; swapped where the pattern is followed from right to left.
        direction: 'out', 'in' or 'both', as seen from `source`.
        target_bound: whether `target` is bound already, so that the step only checks that the two are connected.
    """

    edge: EdgeSlot
    source: str
    target: str
    direction: str
    target_bound: bool


@dataclass(frozen=True, slots=True)
class EdgeScan:
    """Go through all relationships that may be this one of the pattern; it binds both of their ends.

    Attributes:
        order_key: the property in whose order they are read, by its index; None for any order.
    """

    edge: EdgeSlot
    order_key: str | None = None


Step = NodeScan | Expand | EdgeScan


_UNKNOWN_INSTANT = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Estimates:
    """Cardinality estimates. The defaults are guesses that keep the usual order: labels and types make rows fewer.

    Attributes:
        node_count: how many nodes have these labels.
        edge_count: how many relationships have these types.
        edges_between: how many relationships of these types lead from nodes with the first labels to nodes with the
            second; None where that is not known.
        selectivity: which part of all nodes has one given value of a property, 0 to 1.
        seeks: by how many lookups in an index the relationships of these types that lead out of a node are found.
        share_between: which part of all relationships has a value of a property between two, 0 to 1; None for a
            bound that is not known yet, an empty text for none.
        at: the instant of the estimates, for constants such as `datetime()`.
        parameters: values that parameters may have, for constants with them; none for those that are not known.
    """

    node_count: Callable[[tuple[ast.LabelExpression, ...]], float] = lambda labels: 1_000.0 if labels else 10_000.0
    edge_count: Callable[[ast.LabelExpression | None], float] = lambda types: 20_000.0 if types else 100_000.0
    edges_between: (
        Callable[[ast.LabelExpression | None, tuple[ast.LabelExpression, ...], tuple[ast.LabelExpression, ...]], float]
        | None
    ) = None
    selectivity: Callable[[str], float] = lambda key: 0.01
    seeks: Callable[[ast.LabelExpression | None], float] = lambda types: 1.0
    share_between: Callable[[str, str | None, str | None], float] = lambda key, lower, upper: 0.1
    at: datetime = _UNKNOWN_INSTANT
    parameters: Mapping[str, Any] = field(default_factory=dict)


DEFAULT_ESTIMATES = Estimates()

_EDGE_SCAN_COST = 4
"""A scan of relationships is chosen only if it gives less than this many times the rows of the best node scan."""

_NAMED_ROWS = 2.0
"""At most this many nodes are expected if a node of the pattern is named."""

_OPPOSITE = {"out": "in", "in": "out", "both": "both"}


def choose_join_order(
    match: Match,
    estimates: Estimates = DEFAULT_ESTIMATES,
    *,
    allow_edge_scans: bool = False,
    start: str | EdgeScan | None = None,
    known: Mapping[str, tuple[Equality, ...]] | None = None,
    shares: Mapping[str, float] | None = None,
) -> list[Step]:
    """The steps that bind all nodes and relationships of a pattern.

    Args:
        allow_edge_scans: whether the first step of a pattern may go through relationships.
        start: the column of the node to begin with, or the scan of relationships, whatever the estimates say.
        known: the `known_values` of the pattern, where they were looked for already.
        shares: which part of all nodes, or relationships, of a column fulfils the conditions on it alone; 1 if missing.
    """
    order = _JoinOrder(match, estimates, known_values(match) if known is None else known, shares or {})
    unbound = [node.column for node in match.nodes if node.column not in order.bound]
    if isinstance(start, EdgeScan):
        order.scan_edge(start.edge, start.order_key)
    elif start is not None:
        order.scan_node(start)
    while order.edges:
        order.add_next_edge(allow_edge_scans=allow_edge_scans)
    for column in unbound:
        if column not in order.bound:
            order.scan_node(column)
    return order.steps


def edges_at(
    estimates: Estimates, edge: EdgeSlot, nodes: Mapping[str, NodeSlot], source: str, target: str | None
) -> float:
    """How many relationships of a pattern to expect between all nodes like its source and those like its target.

    Args:
        target: None for any nodes.
    """
    at_source, at_target = nodes[source].labels, nodes[target].labels if target is not None else ()
    if estimates.edges_between is None:
        count = estimates.edge_count(edge.types)
        fitting = estimates.node_count(at_target) / max(1.0, estimates.node_count(())) if at_target else 1.0
        return count * min(1.0, fitting) * (2.0 if edge.direction == "both" else 1.0)
    along, against = (at_source, at_target), (at_target, at_source)
    ways = [along, against] if edge.direction == "both" or edge.typed_by_direction else [along]
    if len(ways) == 1 and (edge.direction == "out") != (edge.start == source):
        ways = [against]
    return sum([estimates.edges_between(edge.types, *ends) for ends in ways])


def known_values(match: Match) -> dict[str, tuple[Equality, ...]]:
    """The values that properties of each node of a pattern must have."""
    return {node.column: tuple(equalities(match.conditions, node.column)) for node in match.nodes}


def equalities(conditions: Iterable[ast.Expression], column: str) -> Iterable[Equality]:
    """The conditions of the form `column.key = value` or `value = column.key`."""
    for condition in conditions:
        if isinstance(condition, ast.Binary) and condition.operator == "=":
            for side, value in ((condition.left, condition.right), (condition.right, condition.left)):
                if (
                    isinstance(side, ast.Property)
                    and side.subject == ast.Variable(column)
                    and column not in traversal.free_variables(value)
                ):
                    yield side.key, value


def is_scannable(edge: EdgeSlot) -> bool:
    """Whether one row of the table of edges can match a relationship of a pattern, in one way."""
    return edge.length is None and edge.has_one_direction and edge.start != edge.end


def is_scannable_both_ways(edge: EdgeSlot) -> bool:
    """Whether one row of the table of edges can match a relationship of a pattern in both directions."""
    return edge.length is None and edge.direction == "both" and edge.start != edge.end and not edge.typed_by_direction


class _JoinOrder:
    """The steps chosen so far, and what is left to match.

    Attributes:
        bound: the columns that have a value after these steps.
        edges: the relationships that no step matches yet.
    """

    __slots__ = ("bound", "edges", "equalities", "estimates", "nodes", "shares", "steps")

    def __init__(
        self,
        match: Match,
        estimates: Estimates,
        known: Mapping[str, tuple[Equality, ...]],
        shares: Mapping[str, float],
    ) -> None:
        self.estimates = estimates
        self.shares = shares
        self.bound = set(match.input.columns)
        self.nodes = {node.column: node for node in match.nodes}
        self.equalities = known
        self.edges = list(match.edges)
        self.steps: list[Step] = []

    def add_next_edge(self, *, allow_edge_scans: bool) -> None:
        """Adds the step that matches the cheapest relationship, or the scan of a node to start from."""
        bound = self.bound
        closing = [edge for edge in self.edges if edge.start in bound and edge.end in bound]
        if closing:
            self.expand(min(closing, key=_expansion_cost))
            return
        matched_before = next((edge for edge in self.edges if edge.column in bound), None)
        if matched_before is not None:
            # A relationship from an earlier clause: its ends follow from it.
            self.scan_edge(matched_before)
            return
        leading = [edge for edge in self.edges if edge.start in bound or edge.end in bound]
        if leading and (named := self._another_named_node()) is not None:
            self.scan_node(named)
            return
        # A shortest path is searched last: the search is cheaper from two known ends than from one.
        if leading and not all(edge.shortest for edge in leading):
            self.expand(min(leading, key=lambda edge: (_expansion_cost(edge), self._growth(edge))))
            return
        self._add_scan(allow_edge_scans=allow_edge_scans and not leading)

    def _another_named_node(self) -> str | None:
        """A node at an end of a relationship that its values leave hardly any choice for; None after other steps.

        Beside the node that the pattern begins with, the relationships between them need not be followed to all nodes
        but to these. After a relationship, the node would be looked up for each row.
        """
        if not self.steps or not all(isinstance(step, NodeScan) for step in self.steps):
            return None
        for edge in self.edges:
            for column in (edge.start, edge.end):
                if column not in self.bound and self._is_named(column):
                    return column
        return None

    def _is_named(self, column: str) -> bool:
        is_given = any(not traversal.free_variables(value) for _, value in self.equalities[column])
        return is_given and self.row_count(column) <= _NAMED_ROWS

    def _add_scan(self, *, allow_edge_scans: bool) -> None:
        """Adds the scan with the fewest rows: of a node at an end of a relationship, or of the relationship itself."""
        ends = (end for edge in self.edges for end in (edge.start, edge.end) if end not in self.bound)
        node = min(dict.fromkeys(ends), key=self.row_count)
        if allow_edge_scans and not self.equalities[node]:
            edge = self._smallest_edge_scan()
            if edge is not None and (self.estimates.edge_count(edge.types) < _EDGE_SCAN_COST * self.row_count(node)):
                self.scan_edge(edge)
                return
        self.scan_node(node)

    def _smallest_edge_scan(self) -> EdgeSlot | None:
        """Of the relationships that one row of the table of edges can match, the one with the fewest rows."""
        scannable = [edge for edge in self.edges if is_scannable(edge)]
        return min(scannable, key=lambda edge: self.estimates.edge_count(edge.types), default=None)

    def row_count(self, column: str) -> float:
        """How many nodes to expect for a column, given the property values that are known by now."""
        rows = self.estimates.node_count(self.nodes[column].labels)
        for key, value in self.equalities[column]:
            if traversal.free_variables(value) <= self.bound:
                rows *= self.estimates.selectivity(key)
        return rows

    def _growth(self, edge: EdgeSlot) -> float:
        """How many rows to expect for each row so far, once a relationship at a bound node is matched."""
        end = self._unbound_end(edge)
        start = edge.end if end == edge.start else edge.start
        degree = edges_at(self.estimates, edge, self.nodes, start, end) / max(
            1.0, self.estimates.node_count(self.nodes[start].labels)
        )
        for key, value in self.equalities[end]:
            names = traversal.free_variables(value)
            if names and names <= self.bound:
                degree *= self.estimates.selectivity(key)
        return degree * self.shares.get(end, 1.0) * self.shares.get(edge.column, 1.0)

    def _unbound_end(self, edge: EdgeSlot) -> str:
        return edge.end if edge.start in self.bound else edge.start

    def scan_node(self, column: str) -> None:
        known_equalities = tuple(
            (key, value) for key, value in self.equalities[column] if traversal.free_variables(value) <= self.bound
        )
        self.steps.append(NodeScan(self.nodes[column], known_equalities))
        self.bound.add(column)

    def scan_edge(self, edge: EdgeSlot, order_key: str | None = None) -> None:
        self.steps.append(EdgeScan(edge, order_key))
        self.edges.remove(edge)
        self.bound.update((edge.column, edge.start, edge.end))

    def expand(self, edge: EdgeSlot) -> None:
        reverse = edge.start not in self.bound
        source, target = (edge.end, edge.start) if reverse else (edge.start, edge.end)
        direction = _OPPOSITE[edge.direction] if reverse else edge.direction
        self.steps.append(Expand(edge, source, target, direction, target in self.bound))
        self.edges.remove(edge)
        self.bound.update((edge.column, source, target))


def _expansion_cost(edge: EdgeSlot) -> int:
    """Single relationships before paths of variable length, and shortest paths last."""
    return 2 if edge.shortest else 1 if edge.length else 0
