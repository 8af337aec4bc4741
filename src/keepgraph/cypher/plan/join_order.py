"""Join order: in which order the nodes and relationships of a pattern are matched, chosen by estimated row counts.

The search is greedy. A relationship between two bound nodes comes first, since it only removes rows; then the
relationship from a bound node to the fewest expected nodes; where nothing is bound, the node or the relationship with
the fewest rows is scanned. The estimates decide how long a query takes, never what it answers.

For the first pattern of a query, each node and each relationship is tried as the start, the rest follows greedily, and
the order with the least expected cost is taken. A relationship may be read in the order of an index over one of its
properties: for a range of that property, or for ORDER BY with LIMIT, where reading ends when there are rows enough. A
cost is the number of entries of an index that are read in sequence; a lookup counts as some of them. Measured at a
million facts: 0.04 µs an entry, 0.2 to 0.4 µs a lookup, 1.7 µs the row of a relationship, 0.08 µs that of the one that
was recorded next.

Where a known value leaves a hundredth of the nodes, no other start is tried. A range of a parameter is costed by its
value, and a compiled query is kept by the magnitude of it. Counts come from a sample of 2,000 facts and 2,000 entities,
which takes 1 to 2 ms at any size; they decide how long a query takes, never what it answers. The latest ten of a
million facts take 0.2 ms (3.8 s when relationships were swept only where there are fewer than four to a node).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any

from keepgraph.cypher.plan.algebra import EdgeSlot, Match, NodeSlot
from keepgraph.cypher.syntax import ast, tree_walk

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
            second; None if that is not known.
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
                    and column not in tree_walk.free_variables(value)
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
        is_given = any(not tree_walk.free_variables(value) for _, value in self.equalities[column])
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
            if tree_walk.free_variables(value) <= self.bound:
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
            names = tree_walk.free_variables(value)
            if names and names <= self.bound:
                degree *= self.estimates.selectivity(key)
        return degree * self.shares.get(end, 1.0) * self.shares.get(edge.column, 1.0)

    def _unbound_end(self, edge: EdgeSlot) -> str:
        return edge.end if edge.start in self.bound else edge.start

    def scan_node(self, column: str) -> None:
        known_equalities = tuple(
            (key, value) for key, value in self.equalities[column] if tree_walk.free_variables(value) <= self.bound
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
        names = tree_walk.free_variables(condition)
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
        return _of_value(left if tree_walk.free_variables(left) else right, column, estimates)
    if operator == "IN" and not tree_walk.free_variables(right):
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
"""The row of a relationship, which is long and may be anywhere in the table, in the same unit."""

_ADJACENT_ROW = 3.0
"""The same of rows that lie beside each other, as those of relationships that were recorded one after the other."""

_GROUPED_ROW = 2.0
"""A row that is sorted or grouped, in the same unit."""

_SMALL_SHARE = 0.01
"""Where known values leave so small a part of the nodes, no other node or relationship is tried as the start."""

_UNKNOWN_SHARE = 1e-4
"""The share of rows that fulfil a condition on nodes about which nothing is known; a guess on the low side."""

_UNKNOWN_LIMIT = 100.0


@dataclass(frozen=True, slots=True)
class OrderedScan:
    """A relationship that can be read by the index over one of its properties.

    Attributes:
        key: the property.
        share: the share of relationships within the range that the conditions leave, 0 to 1.
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
    """The steps that bind all nodes and relationships of a pattern, cheapest by the estimates.

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
            for name in tree_walk.free_variables(condition)
            if name in self._nodes
        }
        self._read_nodes = tested | {node.column for node in match.nodes if self._share_of_label(node.column) < 1}
        self._shares = shares
        self._has_unknown_conditions = any(
            not _is_equality(condition) and tree_walk.free_variables(condition) & self._nodes.keys()
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
                    if tree_walk.free_variables(value):
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
