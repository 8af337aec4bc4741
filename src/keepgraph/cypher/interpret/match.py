"""MATCH in the interpreter: one step for each step of the join order, from rows to rows with more columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from keepgraph.arrays.adjacency import Key, Neighbours
from keepgraph.cypher.interpret import bfs, evaluate
from keepgraph.cypher.interpret.bfs import (
    BoundEdge,
    HopTest,
    PathSearch,
    RowTest,
    UnusedTest,
    build_path_function,
    direction_of,
    ends_of_bound_relationship,
    ends_of_bound_trail,
    find_shortest,
    find_trails,
    relationships_in,
)
from keepgraph.cypher.interpret.evaluate import Columns, Row, Run
from keepgraph.cypher.plan.algebra import EdgeSlot, Match, NodeSlot, PathSlot
from keepgraph.cypher.plan.join_order import EdgeScan, Estimates, Expand, NodeScan, choose_join_order
from keepgraph.cypher.syntax import ast, tree_walk
from keepgraph.cypher.values import Node, Relationship

RowStep = Callable[[Iterator[Row], Run], Iterator[Row]]
EndFinder = Callable[[Iterator[Row], Run], Iterator[Iterable[Key]]]
"""From rows to the keys of the nodes that a search from each of them reaches; one may come more than once."""


def build_matcher(match: Match, estimates: Estimates, columns_of: Callable[[tuple[str, ...]], Columns]) -> RowStep:
    """The function that joins each row with each match of the pattern."""
    return _MatchBuilder(match, estimates, columns_of).build()


def build_end_finder(
    match: Match, estimates: Estimates, columns_of: Callable[[tuple[str, ...]], Columns], variable: str
) -> EndFinder | None:
    """The function that gives the keys that a variable is bound to, where all rows that differ in it are made for it.

    None if the pattern does not end with a search for distinct ends that binds this variable.
    """
    builder = _MatchBuilder(match, estimates, columns_of)
    builder.build()
    return builder.end_finders.get(variable)


class _MatchBuilder:
    """The steps of one pattern while they are put together.

    Attributes:
        names: the columns of the rows after the last step so far.
        pending: the conditions that no step tests so far.
        tested_nodes: the nodes whose labels are tested.
        search_conditions: for each shortest path, the conditions that are part of its search.
        end_finders: by the variable of the end, where a search for distinct ends is the last step.
        steps_before_ends: how many steps come before that search.
    """

    def __init__(self, match: Match, estimates: Estimates, columns_of: Callable[[tuple[str, ...]], Columns]) -> None:
        self.match = match
        self.estimates = estimates
        self.columns_of = columns_of
        self.names = match.input.columns
        self.pending = list(match.conditions)
        self.nodes = {node.column: node for node in match.nodes}
        self.tested_nodes: set[str] = set()
        self.steps: list[RowStep] = []
        self.search_conditions: dict[str, list[ast.Expression]] = {}
        self.end_finders: dict[str, EndFinder] = {}
        self.steps_before_ends = 0

    def build(self) -> RowStep:
        self._take_search_conditions()
        for node in self.match.nodes:
            if node.column in self.names:
                self._test_node(node)
        self._test_conditions()
        for step in choose_join_order(self.match, self.estimates, allow_edge_scans=True):
            if isinstance(step, NodeScan):
                self._scan_nodes(step)
            elif isinstance(step, EdgeScan):
                self._scan_edges(step.edge)
            elif step.edge.shortest:
                self._find_shortest(step)
            elif step.edge.length is not None:
                self._expand_variable_length(step)
            else:
                self._expand(step)
            self._test_conditions()
        for path in self.match.paths:
            self._add_path(path)
            self._test_conditions()
        if len(self.steps) != self.steps_before_ends + 1:
            self.end_finders.clear()
        self._reorder_columns()
        steps = self.steps

        def match_rows(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            for step in steps:
                rows = step(rows, run)
            return rows

        return match_rows

    # Steps

    def _scan_nodes(self, step: NodeScan) -> None:
        """Bind each node that has the labels and the properties."""
        columns = self._columns()
        equalities = [(key, evaluate.build_evaluator(expression, columns)) for key, expression in step.equalities]
        labels = step.node.labels

        def scan(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            for row in rows:
                values = tuple((key, evaluator(row, run)) for key, evaluator in equalities)
                for node in run.graph.nodes(labels, values):
                    run.count_work(1)
                    yield (*row, node)

        self.steps.append(scan)
        self.names = (*self.names, step.node.column)
        self.tested_nodes.add(step.node.column)

    def _scan_edges(self, edge: EdgeSlot) -> None:
        """Bind each relationship of these types, or take one that is bound already, and bind both its ends."""
        bound = edge.column in self.names
        source, unused = self._edge_source(edge), self._unused_test(edge)
        ends = (edge.start, edge.end)
        bound_ends = [(side, self._position(end)) for side, end in enumerate(ends) if end in self.names]
        new_sides = [side for side, end in enumerate(ends) if end not in self.names]
        loop = edge.start == edge.end
        if loop:
            new_sides = new_sides[:1]
        # The orientations that fit the pattern: from start to end, from end to start, or both.
        orientations = {"out": slice(0, 1), "in": slice(1, 2), "both": slice(0, 2)}
        direction, types = edge.direction, edge.types

        def scan(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            for row in rows:
                for relationship, start, end in source(row, run):
                    run.count_work(1)
                    if unused is not None and relationship is not None and not unused(row, relationship):
                        continue
                    both = [(start, end), (end, start)]
                    # A list of relationships has the orientation of the pattern already.
                    followed = "out" if relationship is None else direction_of(relationship, direction, types, run)
                    for keys in both[:1] if start == end else both[orientations[followed]]:
                        if loop and keys[0] != keys[1]:
                            continue
                        if any(
                            row[position] is None or row[position].id != keys[side] for side, position in bound_ends
                        ):
                            continue
                        new_edge = () if bound else (relationship,)
                        yield (*row, *new_edge, *(Node(keys[side]) for side in new_sides))

        self.steps.append(scan)
        self.names = (*self.names, *(() if bound else (edge.column,)), *(ends[side] for side in new_sides))
        for column in dict.fromkeys(ends):
            self._test_node(self.nodes[column])

    def _edge_source(self, edge: EdgeSlot) -> Callable[[Row, Run], Iterator[BoundEdge]]:
        """The function that gives the relationships to go through for a row, each with its ends."""
        types, direction, length = edge.types, edge.direction, edge.length
        if edge.column not in self.names:
            return lambda row, run: (
                (relationship, relationship.start, relationship.end) for relationship in run.graph.relationships(types)
            )
        position = self._position(edge.column)
        if length is None:
            return lambda row, run: ends_of_bound_relationship(row[position], types, run)
        hop_test = self._hop_test(edge)
        if hop_test is None:
            return lambda row, run: ends_of_bound_trail(row[position], direction, types, length, run)

        def tested_trail(row: Row, run: Run) -> Iterator[BoundEdge]:
            if not all(hop_test(row, relationship, run) for relationship in relationships_in(row[position])):
                return iter(())
            return ends_of_bound_trail(row[position], direction, types, length, run)

        return tested_trail

    def _expand(self, step: Expand) -> None:
        """Follow the relationships at a bound node."""
        edge, direction, types = step.edge, step.direction, step.edge.types
        source = self._position(step.source)
        target = self._position(step.target) if step.target_bound else None
        bound = self._position(edge.column) if edge.column in self.names else None
        unused = self._unused_test(edge)

        def expand_rows(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            expand = run.graph.expand
            for row in rows:
                node = row[source]
                if type(node) is not Node:
                    continue
                target_node = row[target] if target is not None else None
                for relationship in expand(node, direction, types):
                    run.count_work(1)
                    if unused is not None and not unused(row, relationship):
                        continue
                    other = relationship.end if relationship.start == node.id else relationship.start
                    if target is not None and (target_node is None or target_node.id != other):
                        continue
                    if bound is not None:
                        if row[bound] == relationship:
                            yield row if target is not None else (*row, Node(other))
                    elif target is not None:
                        yield (*row, relationship)
                    else:
                        yield (*row, relationship, Node(other))

        self.steps.append(expand_rows)
        self._bind_expanded(step, edge_bound=bound is not None)

    def _expand_variable_length(self, step: Expand) -> None:
        """Follow the trails of a length from a bound node."""
        edge = step.edge
        source = self._position(step.source)
        target = self._position(step.target) if step.target_bound else None
        bound = self._position(edge.column) if edge.column in self.names else None
        search = self._path_search(step, unused=self._unused_test(edge))
        if (
            edge.distinct_ends
            and search.unused is None
            and search.hop_test is None
            and bound is None
            and search.least <= 1
        ):
            self._expand_to_distinct_ends(step, search.least, search.most)
            return

        def expand_rows(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            for row in rows:
                node = row[source]
                if type(node) is not Node:
                    continue
                target_node = row[target] if target is not None else None
                if target is not None and target_node is None:
                    continue
                for trail, end in find_trails(search, row, node, run):
                    if target_node is not None and target_node.id != end:
                        continue
                    value = trail[::-1] if search.reversed else trail
                    if bound is not None:
                        if row[bound] != value:
                            continue
                        yield row if target is not None else (*row, Node(end))
                    elif target is not None:
                        yield (*row, value)
                    else:
                        yield (*row, value, Node(end))

        self.steps.append(expand_rows)
        self._bind_expanded(step, edge_bound=bound is not None)

    def _expand_to_distinct_ends(self, step: Expand, least: int, most: int | None) -> None:
        """Bind the nodes at the ends of trails, each once; the trails themselves are not needed (ADR 0024).

        The number of trails between two nodes may grow exponentially; the number of nodes does not.
        """
        edge, direction = step.edge, step.direction
        source = self._position(step.source)
        target = self._position(step.target) if step.target_bound else None
        directed = direction != "both"

        def find_levels(start: Key, neighbours: Neighbours, run: Run) -> Iterator[Iterable[Key]]:
            # With a direction, a walk that comes back to its start has a cycle in it, which is a trail.
            if least == 0 or (not directed and bfs.is_on_cycle(neighbours, start, most, run.count_work)):
                yield (start,)
            include_start = directed and least == 1
            yield from bfs.reachable_levels(neighbours, start, most, run.count_work, include_start=include_start)

        def find_ends(start: Key, neighbours: Neighbours, run: Run) -> Iterator[Key]:
            for level in find_levels(start, neighbours, run):
                run.graph.announce(level)
                yield from level

        def expand_rows(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            neighbours = run.graph.neighbours(direction, edge.types)
            for row in rows:
                node = row[source]
                if type(node) is not Node:
                    continue
                ends = find_ends(node.id, neighbours, run)
                if target is None:
                    for end in ends:
                        yield (*row, None, Node(end))
                elif row[target] is not None and any(end == row[target].id for end in ends):
                    yield (*row, None)

        if target is None:
            before = tuple(self.steps)
            self.steps_before_ends = len(before)

            def find_all_ends(rows: Iterator[Row], run: Run) -> Iterator[Iterable[Key]]:
                neighbours = run.graph.neighbours(direction, edge.types)
                for earlier in before:
                    rows = earlier(rows, run)
                for row in rows:
                    node = row[source]
                    if type(node) is Node:
                        yield from find_levels(node.id, neighbours, run)

            self.end_finders = {step.target: find_all_ends}
        self.steps.append(expand_rows)
        self._bind_expanded(step, edge_bound=False)

    def _bind_expanded(self, step: Expand, *, edge_bound: bool) -> None:
        """Add the columns of a step that follows relationships."""
        self.names = (
            *self.names,
            *(() if edge_bound else (step.edge.column,)),
            *(() if step.target_bound else (step.target,)),
        )
        self._test_node(self.nodes[step.target], new=not step.target_bound)

    def _find_shortest(self, step: Expand) -> None:
        """Bind the shortest trails between two nodes: one, or all of that length."""
        edge = step.edge
        if not step.target_bound:
            self._scan_nodes(NodeScan(self.nodes[step.target], ()))
        source, target = self._position(step.source), self._position(step.target)
        search = self._path_search(
            step, all_shortest=edge.shortest == "all shortest", condition=self._search_test(edge)
        )
        single = edge.length is None

        def find(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            for row in rows:
                first, last = row[source], row[target]
                if type(first) is not Node or type(last) is not Node:
                    continue
                for trail in find_shortest(search, row, first, last, run):
                    yield (*row, trail[0] if single else trail[::-1] if search.reversed else trail)

        self.steps.append(find)
        self.names = (*self.names, edge.column)

    def _path_search(
        self,
        step: Expand,
        *,
        unused: UnusedTest | None = None,
        all_shortest: bool = False,
        condition: RowTest | None = None,
    ) -> PathSearch:
        least, most = step.edge.length or (1, 1)
        return PathSearch(
            direction=step.direction,
            types=step.edge.types,
            least=least,
            most=most,
            reversed=step.source != step.edge.start,
            unused=unused,
            hop_test=self._hop_test(step.edge),
            all_shortest=all_shortest,
            condition=condition,
        )

    def _add_path(self, path: PathSlot) -> None:
        """Bind a named path."""
        build_path = build_path_function(path, self.names)
        self.steps.append(lambda rows, run: ((*row, build_path(row)) for row in rows))
        self.names = (*self.names, path.column)

    def _reorder_columns(self) -> None:
        """Bring the values into the order of the operator's columns."""
        positions = [self._position(column) for column in self.match.columns]
        if positions != list(range(len(self.names))):
            self.steps.append(lambda rows, run: (tuple([row[position] for position in positions]) for row in rows))

    # Tests

    def _test_conditions(self) -> None:
        """Filter by the conditions whose columns are all bound by now."""
        # A condition with a subquery also names its variables, which are not columns of this pattern.
        unbound = set(self.match.columns) - set(self.names)
        ready = [condition for condition in self.pending if not tree_walk.free_variables(condition) & unbound]
        for condition in ready:
            self.pending.remove(condition)
            self._filter(evaluate.build_test(condition, self._columns()))

    def _filter(self, test: RowTest) -> None:
        self.steps.append(lambda rows, run: (row for row in rows if test(row, run)))

    def _test_node(self, node: NodeSlot, *, new: bool = False) -> None:
        """Filter by the labels of a bound node, and drop values that are not nodes."""
        if node.column in self.tested_nodes:
            return
        self.tested_nodes.add(node.column)
        if new and not node.labels:
            return
        position, labels = self._position(node.column), node.labels

        def test(row: Row, run: Run) -> bool:
            value = row[position]
            return type(value) is Node and all(evaluate.has_labels(value, label, run) for label in labels)

        self._filter(test)

    def _unused_test(self, edge: EdgeSlot) -> UnusedTest | None:
        """A test whether a relationship differs from those that the pattern has bound so far; None for no test."""
        others = [other for other in self.match.edges if other.column in self.names and other is not edge]
        others = [other for other in others if not other.shortest]
        single = [self._position(other.column) for other in others if other.length is None]
        trails = [self._position(other.column) for other in others if other.length is not None]
        if not single and not trails:
            return None

        def unused(row: Row, relationship: Relationship) -> bool:
            return not any(row[position] == relationship for position in single) and not any(
                relationship in row[position] for position in trails if row[position] is not None
            )

        return unused

    def _hop_test(self, edge: EdgeSlot) -> HopTest | None:
        """Tells whether a relationship of a trail fulfils the conditions on each of them; None for no test."""
        if not edge.conditions:
            return None
        columns = self._columns(edge.hop_variable)
        tests = [evaluate.build_test(condition, columns) for condition in edge.conditions]
        return lambda row, relationship, run: all(test((*row, relationship), run) for test in tests)

    def _take_search_conditions(self) -> None:
        """Conditions on a shortest path or its relationships are part of the search for it."""
        for edge in self.match.edges:
            if edge.shortest:
                path = self._path_of(edge)
                columns = {edge.column, *([path.column] if path else [])}
                taken = [condition for condition in self.pending if tree_walk.free_variables(condition) & columns]
                self.search_conditions[edge.column] = taken
                self.pending = [condition for condition in self.pending if condition not in taken]

    def _search_test(self, edge: EdgeSlot) -> RowTest | None:
        """Tells of a row that ends with a trail whether it fulfils the conditions of the search; None for no test."""
        conditions = self.search_conditions.get(edge.column, [])
        if not conditions:
            return None
        path = self._path_of(edge)
        names = (*self.names, edge.column)
        build_path = build_path_function(path, names) if path else None
        columns = self.columns_of((*names, path.column) if path else names)
        tests = [evaluate.build_test(condition, columns) for condition in conditions]

        def test_row(row: Row, run: Run) -> bool:
            whole = (*row, build_path(row)) if build_path else row
            return all(test(whole, run) for test in tests)

        return test_row

    def _path_of(self, edge: EdgeSlot) -> PathSlot | None:
        return next((path for path in self.match.paths if edge.column in path.edges), None)

    # Columns

    def _position(self, column: str) -> int:
        return self.names.index(column)

    def _columns(self, *more: str) -> Columns:
        return self.columns_of((*self.names, *more))
