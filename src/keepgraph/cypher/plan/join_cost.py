"""Join cost: of the orders in which the first pattern of a query can be matched, the one with the least expected cost.

Each node and each relationship is tried as the start; the rest follows greedily (join_order). A relationship may be
read in the order of an index over one of its properties: for a range of that property, or for ORDER BY with LIMIT,
where reading ends when there are rows enough. A cost is the number of entries of an index that are read in sequence; a
lookup counts as some of them. Measured at a million facts: 0.04 µs an entry, 0.2 to 0.4 µs a lookup, 1.7 µs the row of
a relationship, 0.08 µs that of the one that was recorded next.

Where a known value leaves a hundredth of the nodes, no other start is tried. A range of a parameter is costed by its
value, and a compiled query is kept by the magnitude of it. Counts come from a sample of 2,000 facts and 2,000 entities,
which takes 1 to 2 ms at any size; they decide how long a query takes, never what it answers. The latest ten of a
million facts take 0.2 ms (3.8 s when relationships were swept only where there are fewer than four to a node).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial

from keepgraph.cypher.plan.algebra import EdgeSlot, Match
from keepgraph.cypher.plan.join_order import (
    EdgeScan,
    Estimates,
    NodeScan,
    Step,
    choose_join_order,
    edges_at,
    is_scannable,
    is_scannable_both_ways,
    known_values,
)
from keepgraph.cypher.syntax import ast, traversal

# Condition shares: about which part of all nodes, or relationships, fulfils the conditions on one of a pattern.
#
# What a property equals has the share of one value; what a text contains, or begins with, is a guess. A share decides
# where a query begins, never what it answers.

_OF_TEXT = 0.01
"""What a text contains, and what is said of an element of a list: a guess that is rather too high."""

_OF_RANGE = 0.3
_UNKNOWN_LENGTH = 10
"""Of a list that is not known yet."""


@dataclass(frozen=True, slots=True)
class _Share:
    """A part of all nodes, or relationships.

    Attributes:
        part: 0 to 1.
        is_looked_up: whether it follows from values, so that an index may find these nodes and no others are read.
    """

    part: float
    is_looked_up: bool = False


_ALL = _Share(1.0)


def _condition_shares(match: Match, estimates: Estimates) -> Mapping[str, _Share]:
    """The share of each node and each single relationship that a condition is on, by its column.

    Conditions on several of them are left out.
    """
    result: dict[str, _Share] = {}
    columns = {node.column for node in match.nodes} | {edge.column for edge in match.edges if edge.length is None}
    for condition in match.conditions:
        names = traversal.free_variables(condition)
        if len(names) == 1 and names <= columns:
            (column,) = names
            share, other = _share(condition, column, estimates), result.get(column, _ALL)
            result[column] = _Share(share.part * other.part, share.is_looked_up or other.is_looked_up)
    return result


def _share(condition: ast.Expression, column: str, estimates: Estimates) -> _Share:
    share = partial(_share, column=column, estimates=estimates)
    if isinstance(condition, ast.Quantifier):
        return _Share(_OF_TEXT) if condition.quantifier in ("any", "single") else _ALL
    if not isinstance(condition, ast.Binary):
        return _ALL
    operator, left, right = condition.operator, condition.left, condition.right
    if operator in ("AND", "OR"):
        first, second = share(left), share(right)
        if operator == "AND":
            return _Share(first.part * second.part, first.is_looked_up or second.is_looked_up)
        return _Share(min(1.0, first.part + second.part), first.is_looked_up and second.is_looked_up)
    if operator == "=":
        return _of_value(left if traversal.free_variables(left) else right, column, estimates)
    if operator == "IN" and not traversal.free_variables(right):
        one = _of_value(left, column, estimates)
        return _Share(min(1.0, one.part * _length(right, estimates)), one.is_looked_up)
    if operator == "IN":
        return _Share(_OF_TEXT)
    if operator in ("CONTAINS", "STARTS WITH", "ENDS WITH", "=~"):
        return _Share(_OF_TEXT)
    return _Share(_OF_RANGE) if operator in ("<", "<=", ">", ">=") else _ALL


def _of_value(expression: ast.Expression, column: str, estimates: Estimates) -> _Share:
    """Of what equals one value."""
    if isinstance(expression, ast.Property) and expression.subject == ast.Variable(column):
        return _Share(estimates.selectivity(expression.key), is_looked_up=True)
    return _Share(_OF_TEXT)


def _length(list_: ast.Expression, estimates: Estimates) -> int:
    if isinstance(list_, ast.ListLiteral):
        return len(list_.elements)
    value = estimates.parameters.get(list_.name) if isinstance(list_, ast.Parameter) else None
    return len(value) if isinstance(value, list | tuple) else _UNKNOWN_LENGTH


_LOOKUP = 4.0
"""A lookup by a key, in entries of an index that are read in sequence."""

_EDGE_ROW = 40.0
"""The row of a relationship, which is long and lies anywhere in the table, in the same unit."""

_ADJACENT_ROW = 3.0
"""The same of rows that lie beside each other, as those of relationships that were recorded one after the other."""

_GROUPED_ROW = 2.0
"""A row that is sorted or grouped, in the same unit."""

_SMALL_SHARE = 0.01
"""Where known values leave so small a part of the nodes, no other node or relationship is tried as the start."""

_UNKNOWN_SHARE = 1e-4
"""Which part of all rows fulfils a condition on nodes of which nothing is known; a guess that is rather too low."""

_UNKNOWN_LIMIT = 100.0


@dataclass(frozen=True, slots=True)
class OrderedScan:
    """A relationship that can be read by the index over one of its properties.

    Attributes:
        key: the property.
        share: which part of all relationships lies in the range that the conditions leave, 0 to 1.
        limit: where rows are wanted in this order, how many (None: not known); 0 where the order is not wanted.
        rows_are_adjacent: whether the rows lie in the table about as in the index.
    """

    edge: EdgeSlot
    key: str
    share: float
    limit: float | None = 0.0
    rows_are_adjacent: bool = False


@dataclass(frozen=True, slots=True)
class CostedOrder:
    """A join order, what it costs, and how many rows it gives."""

    steps: list[Step]
    cost: float
    rows: float


def cheapest_order(
    match: Match,
    estimates: Estimates,
    *,
    ordered_scans: Sequence[OrderedScan] = (),
    uncovered: Set[str] = frozenset(),
    grouped_by: str | None = None,
) -> list[Step]:
    """The steps that bind all nodes and relationships of a pattern, cheapest as far as the estimates tell.

    Args:
        uncovered: the relationships that need the row of the table, since an index does not have all that is asked.
        grouped_by: a node by which the rows are grouped, so that beginning there spares the grouping.
    """
    values = known_values(match)
    shares = _condition_shares(match, estimates)
    parts = {column: share.part for column, share in shares.items()}
    greedy = choose_join_order(match, estimates, allow_edge_scans=True, known=values, shares=parts)
    known = _known_share(greedy[0], estimates) if greedy else 1.0
    if match.input.columns or not match.edges or (known <= _SMALL_SHARE and not ordered_scans):
        return greedy
    cost = _Cost(match, estimates, uncovered, shares)
    wanted = any(scan.limit != 0 for scan in ordered_scans)
    best = _with_grouping(cost.of(greedy), grouped_by, wanted=wanted)
    for start, least in cost.starts() if known > _SMALL_SHARE else ():
        if least < best.cost:
            other = cost.of(choose_join_order(match, estimates, start=start, known=values, shares=parts))
            best = min(best, _with_grouping(other, grouped_by, wanted=wanted), key=_cost)
    for scan in ordered_scans:
        steps = choose_join_order(match, estimates, start=EdgeScan(scan.edge, scan.key), known=values, shares=parts)
        best = min(best, cost.of_ordered(steps, scan, reads_until_limit=scan.limit != 0), key=_cost)
    return best.steps


def _cost(order: CostedOrder) -> float:
    return order.cost


def _known_share(step: Step, estimates: Estimates) -> float:
    """Which part of all nodes with its labels has the property values that the scan of a node looks for."""
    share = 1.0
    for key, _ in step.equalities if isinstance(step, NodeScan) else ():
        share *= estimates.selectivity(key)
    return share


def _with_grouping(order: CostedOrder, grouped_by: str | None, *, wanted: bool) -> CostedOrder:
    """The order with the cost of sorting rows that are wanted in an order, or grouping them, unless they come so."""
    if grouped_by is None and not wanted:
        return order
    first = order.steps[0]
    if isinstance(first, NodeScan) and first.node.column == grouped_by:
        return order
    return CostedOrder(order.steps, order.cost + _GROUPED_ROW * order.rows, order.rows)


class _Cost:
    """The cost of join orders of one pattern."""

    def __init__(self, match: Match, estimates: Estimates, uncovered: Set[str], shares: Mapping[str, _Share]) -> None:
        self._match = match
        self._estimates = estimates
        self._uncovered = uncovered
        self._nodes = {node.column: node for node in match.nodes}
        self._counts = {node.column: estimates.node_count(node.labels) for node in match.nodes}
        self._all_nodes = max(1.0, estimates.node_count(()))
        self._all_edges = max(1.0, estimates.edge_count(None))
        tested = {
            name
            for condition in match.conditions
            for name in traversal.free_variables(condition)
            if name in self._nodes
        }
        self._read_nodes = tested | {node.column for node in match.nodes if self._share_of_label(node.column) < 1}
        self._shares = shares
        self._has_unknown_conditions = any(
            not _is_equality(condition) and traversal.free_variables(condition) & self._nodes.keys()
            for condition in match.conditions
        )

    def starts(self) -> Iterator[tuple[str | EdgeScan, float]]:
        """Each relationship and each node that the pattern may begin with, and what the order costs at the least."""
        edges = self._match.edges
        for edge in edges:
            if is_scannable(edge):
                yield EdgeScan(edge), self._estimates.edge_count(edge.types) * self._entry(edge.column)
            elif is_scannable_both_ways(edge):
                yield EdgeScan(edge), 2 * self._estimates.edge_count(edge.types) * self._entry(edge.column)
        for column in dict.fromkeys(end for edge in edges for end in (edge.start, edge.end)):
            yield column, self._scan_cost(column, self._share(column).part * self._count_at(column))

    def of(self, steps: Sequence[Step]) -> CostedOrder:
        return self._run(steps, range_rows=None)

    def of_ordered(self, steps: Sequence[Step], scan: OrderedScan, *, reads_until_limit: bool) -> CostedOrder:
        """The cost of an order that begins with an ordered scan, which ends when there are rows enough."""
        in_range = scan.share * self._all_edges
        whole = self._run(steps, range_rows=in_range, row=_ADJACENT_ROW if scan.rows_are_adjacent else _EDGE_ROW)
        if not reads_until_limit:
            return whole
        limit = _UNKNOWN_LIMIT if scan.limit is None else scan.limit
        rows = whole.rows * (_UNKNOWN_SHARE if self._has_unknown_conditions else 1.0)
        part = min(1.0, limit / max(rows, 1e-9))
        return CostedOrder(whole.steps, _LOOKUP + whole.cost * part, min(whole.rows, limit))

    def _run(self, steps: Sequence[Step], *, range_rows: float | None, row: float = _EDGE_ROW) -> CostedOrder:
        """The cost of all steps; `range_rows` is how many relationships an ordered scan reads first, each as `row`."""
        rows, cost, bound = 1.0, 0.0, set[str]()
        for step in steps:
            if isinstance(step, NodeScan):
                column = step.node.column
                found = self._count_at(column) * self._share(column).part
                for key, value in step.equalities:
                    if traversal.free_variables(value):
                        found *= self._estimates.selectivity(key)
                cost += rows * self._scan_cost(column, found, by_values=bool(step.equalities))
                rows *= found
                bound.add(column)
                continue
            edge = step.edge
            count = self._estimates.edge_count(edge.types)
            ends = [end for end in (edge.start, edge.end) if end not in bound]
            if isinstance(step, EdgeScan):
                if step.order_key is not None and range_rows is not None:
                    read = rows * range_rows * (1.0 + row)
                    found = rows * range_rows * count / self._all_edges
                else:
                    found = rows * count
                    read = found * self._entry(edge.column)
                cost += read
                found *= 1.0 if edge.has_one_direction else 2.0
                fitting = self._share_of_ends(edge)
            else:
                sources = max(1.0, self._count_at(step.source))
                found = rows * self._edges_at(edge, step.source, None) / sources
                seeks = self._estimates.seeks(edge.types) if step.direction != "in" else 1.0
                cost += rows * seeks * _LOOKUP + (found * self._entry(edge.column) if not step.target_bound else 0.0)
                fitting = self._edges_at(edge, step.source, step.target) / max(
                    1.0, self._edges_at(edge, step.source, None)
                )
                if step.target_bound:
                    fitting /= max(1.0, self._count_at(step.target))
            rows = found * self._share(edge.column).part
            for end in ends:
                if end in self._read_nodes:
                    cost += rows * _LOOKUP
            rows *= min(1.0, fitting)
            for end in ends:
                rows *= self._share(end).part
            bound.update((edge.start, edge.end))
        return CostedOrder(list(steps), cost, rows)

    def _share_of_ends(self, edge: EdgeSlot) -> float:
        """Which part of the relationships of these types has the labels of both ends."""
        if self._estimates.edges_between is None:
            return self._share_of_label(edge.start) * self._share_of_label(edge.end)
        both = 1.0 if edge.has_one_direction else 2.0
        count = self._estimates.edge_count(edge.types)
        return self._edges_at(edge, edge.start, edge.end) / max(1.0, both * count)

    def _edges_at(self, edge: EdgeSlot, source: str, target: str | None) -> float:
        return edges_at(self._estimates, edge, self._nodes, source, target)

    def _entry(self, edge: str) -> float:
        """What one relationship costs, from an index that covers what is asked, or with the row of the table."""
        return 1.0 + _EDGE_ROW if edge in self._uncovered else 1.0

    def _count_at(self, column: str) -> float:
        return self._counts[column]

    def _share(self, column: str) -> _Share:
        """Which part of the nodes, or relationships, of a column fulfils the conditions on it."""
        return self._shares.get(column, _ALL)

    def _scan_cost(self, column: str, found: float, *, by_values: bool = False) -> float:
        """The cost of finding this many nodes of a column, by an index if their values are known."""
        scanned = self._count_at(column)
        if by_values or self._share(column).is_looked_up:
            return min(scanned, _LOOKUP * (1 + found))
        return scanned

    def _share_of_label(self, column: str) -> float:
        """Which part of all nodes has the labels of a node of the pattern."""
        return min(1.0, self._count_at(column) / self._all_nodes)


def _is_equality(condition: ast.Expression) -> bool:
    return isinstance(condition, ast.Binary) and condition.operator == "="
