"""Lays a pattern on a graph, step by step: the heart of MATCH where Python runs it. Knows no SQL.

Each step takes rows and gives rows with one or two more values; the order of the steps is ordering.py's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from keepgraph import errors
from keepgraph.arrays.adjacency import Key, Neighbours
from keepgraph.cypher.interpret import bfs, evaluate
from keepgraph.cypher.interpret.evaluate import Columns, Row, Run
from keepgraph.cypher.plan.algebra import EdgeSlot, Match, NodeSlot, PathSlot
from keepgraph.cypher.plan.join_order import Begin, Estimates, Sweep, Walk, steps
from keepgraph.cypher.syntax import ast, traversal
from keepgraph.cypher.values import Node, Path, Relationship

MOST_HOPS = 1_000

_AGAINST = {"out": "in", "in": "out", "both": "both"}

Ways = Callable[[Iterator[Row], Run], Iterator[Row]]
Test = Callable[[Row, Run], bool]


def ways(match: Match, estimates: Estimates, columns_of: Callable[[tuple[str, ...]], Columns]) -> Ways:
    """The function that gives, for each row, the row with each way to lay the pattern."""
    return _Laying(match, estimates, columns_of).build()


class _Laying:
    """The steps of one pattern as they are put together."""

    def __init__(self, match: Match, estimates: Estimates, columns_of: Callable[[tuple[str, ...]], Columns]) -> None:
        self.match = match
        self.estimates = estimates
        self.columns_of = columns_of
        self.names = match.input.columns
        self.waiting = list(match.conditions)
        self.nodes = {node.column: node for node in match.nodes}
        self.checked: set[str] = set()
        self.ready: list[Ways] = []
        # Of a path that is the shortest of those that satisfy a condition, the condition is part of the search.
        self.searched: dict[str, list[ast.Expression]] = {}

    def build(self) -> Ways:
        self._take_search_conditions()
        for node in self.match.nodes:
            if node.column in self.names:
                self._check_node(node)
        self._check_conditions()
        for step in steps(self.match, self.estimates, sweeping=True):
            if isinstance(step, Begin):
                self._begin(step)
            elif isinstance(step, Sweep):
                self._sweep(step.edge)
            elif step.edge.shortest:
                self._shortest(step)
            elif step.edge.length is not None:
                self._follow_many(step)
            else:
                self._follow(step)
            self._check_conditions()
        for path in self.match.paths:
            self._path(path)
            self._check_conditions()
        self._arrange()
        ready = self.ready

        def lay(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            for step in ready:
                rows = step(rows, run)
            return rows

        return lay

    # What a step may use

    def _place(self, column: str) -> int:
        return self.names.index(column)

    def _columns(self, *more: str) -> Columns:
        return self.columns_of((*self.names, *more))

    def _check_conditions(self) -> None:
        """Filter by the conditions that can be told by now."""
        # A subquery names what it brings itself, too: those are no columns of ours.
        missing = set(self.match.columns) - set(self.names)
        for condition in [each for each in self.waiting if not traversal.free_variables(each) & missing]:
            self.waiting.remove(condition)
            self._keep(evaluate.holds(condition, self._columns()))

    def _keep(self, test: Test) -> None:
        self.ready.append(lambda rows, run: (row for row in rows if test(row, run)))

    def _check_node(self, node: NodeSlot, *, new: bool = False) -> None:
        """Filter by the labels of a node that is bound; what is no node at all goes too, unless it is new."""
        if node.column in self.checked:
            return
        self.checked.add(node.column)
        if new and not node.labels:
            return
        place, labels = self._place(node.column), node.labels

        def test(row: Row, run: Run) -> bool:
            found = row[place]
            return type(found) is Node and all(evaluate.has_labels(found, wanted, run) for wanted in labels)

        self._keep(test)

    def _unused(self, edge: EdgeSlot) -> Callable[[Row, Relationship], bool] | None:
        """Whether a relationship is none of those that the pattern has bound so far."""
        others = [each for each in self.match.edges if each.column in self.names and each is not edge]
        single = [self._place(each.column) for each in others if each.length is None and not each.shortest]
        many = [self._place(each.column) for each in others if each.length is not None and not each.shortest]
        if not single and not many:
            return None

        def unused(row: Row, found: Relationship) -> bool:
            return not any(row[place] == found for place in single) and not any(
                found in row[place] for place in many if row[place] is not None
            )

        return unused

    def _hop_test(self, edge: EdgeSlot) -> Callable[[Row, Relationship, Run], bool] | None:
        if not edge.conditions:
            return None
        columns = self._columns(edge.hop)
        tests = [evaluate.holds(condition, columns) for condition in edge.conditions]
        return lambda row, found, run: all(test((*row, found), run) for test in tests)

    # Steps

    def _begin(self, step: Begin) -> None:
        columns = self._columns()
        wanted = [(key, evaluate.value(expression, columns)) for key, expression in step.equalities]
        labels = step.node.labels

        def begin(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            for row in rows:
                for node in run.graph.nodes(labels, tuple((key, each(row, run)) for key, each in wanted)):
                    run.rest(1)
                    yield (*row, node)

        self.ready.append(begin)
        self.names = (*self.names, step.node.column)
        self.checked.add(step.node.column)

    def _sweep(self, edge: EdgeSlot) -> None:
        """Go through all edges of these types, or take one that is bound already, and bind both ends."""
        types, direction = edge.types, edge.direction
        bound = self._place(edge.column) if edge.column in self.names else None
        unused = self._unused(edge)
        many, hop = edge.length is not None, self._hop_test(edge)
        known = [(which, self._place(end)) for which, end in enumerate((edge.start, edge.end)) if end in self.names]
        new = [which for which, end in enumerate((edge.start, edge.end)) if end not in self.names]
        loop = edge.start == edge.end
        if loop and new:
            new = [0]

        def sweep(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            for row in rows:
                found: Iterator[tuple[Relationship | None, int | str, int | str]]
                if bound is None:
                    found = ((each, each.start, each.end) for each in run.graph.relationships(types))
                elif many:
                    if hop is not None and not all(hop(row, each, run) for each in _relationships(row[bound])):
                        continue
                    found = _laid_out(row[bound], direction, types, edge.length, run)
                else:
                    found = _given(row[bound], types, run)
                for each, start, end in found:
                    run.rest(1)
                    if unused is not None and each is not None and not unused(row, each):
                        continue
                    ways = [(start, end), (end, start)]
                    if many or direction == "out" or start == end:
                        ways = ways[:1]
                    elif direction == "in":
                        ways = ways[1:]
                    for ends in ways:
                        if loop and ends[0] != ends[1]:
                            continue
                        if any(row[place] is None or row[place].id != ends[which] for which, place in known):
                            continue
                        more = () if bound is not None else (each,)
                        yield (*row, *more, *(Node(ends[which]) for which in new))

        self.ready.append(sweep)
        self.names = (
            *self.names,
            *(() if bound is not None else (edge.column,)),
            *((edge.start, edge.end)[which] for which in new),
        )
        for column in dict.fromkeys((edge.start, edge.end)):
            self._check_node(self.nodes[column])

    def _follow(self, step: Walk) -> None:
        edge, direction, types = step.edge, step.direction, step.edge.types
        source = self._place(step.source)
        target = self._place(step.target) if step.closing else None
        bound = self._place(edge.column) if edge.column in self.names else None
        unused = self._unused(edge)

        def follow(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            expand = run.graph.expand
            for row in rows:
                node = row[source]
                if type(node) is not Node:
                    continue
                there = row[target] if target is not None else None
                for each in expand(node, direction, types):
                    run.rest(1)
                    if unused is not None and not unused(row, each):
                        continue
                    other = each.end if each.start == node.id else each.start
                    if target is not None and (there is None or there.id != other):
                        continue
                    if bound is not None:
                        if row[bound] == each:
                            yield row if target is not None else (*row, Node(other))
                    elif target is not None:
                        yield (*row, each)
                    else:
                        yield (*row, each, Node(other))

        self.ready.append(follow)
        self._bind(edge, step, bound is not None)

    def _bind(self, edge: EdgeSlot, step: Walk, known: bool) -> None:
        self.names = (
            *self.names,
            *(() if known else (edge.column,)),
            *(() if step.closing else (step.target,)),
        )
        self._check_node(self.nodes[step.target], new=not step.closing)

    def _follow_many(self, step: Walk) -> None:
        """All trails of a length: depth first, no relationship twice."""
        edge, direction, types = step.edge, step.direction, step.edge.types
        least, most = edge.length or (1, 1)
        source = self._place(step.source)
        target = self._place(step.target) if step.closing else None
        bound = self._place(edge.column) if edge.column in self.names else None
        unused, hop = self._unused(edge), self._hop_test(edge)
        turned = step.source != edge.start
        if edge.ends_only and unused is None and hop is None and bound is None and least <= 1:
            self._reach(step, least, most)
            return

        def follow(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            for row in rows:
                node = row[source]
                if type(node) is not Node:
                    continue
                there = row[target] if target is not None else None
                if target is not None and there is None:
                    continue
                for trail, end in _trails(row, node, direction, types, least, most, unused, hop, run):
                    if there is not None and there.id != end:
                        continue
                    found = trail[::-1] if turned else trail
                    if bound is not None:
                        if row[bound] != found:
                            continue
                        yield row if target is not None else (*row, Node(end))
                    elif target is not None:
                        yield (*row, found)
                    else:
                        yield (*row, found, Node(end))

        self.ready.append(follow)
        self._bind(edge, step, bound is not None)

    def _reach(self, step: Walk, least: int, most: int | None) -> None:
        """The nodes at the ends of trails, each once: nobody asks for the trails."""
        edge, direction = step.edge, step.direction
        source = self._place(step.source)
        target = self._place(step.target) if step.closing else None

        def ends(start: Key, neighbours: Neighbours, run: Run) -> Iterator[Key]:
            # Directed, a walk that comes back has a circle in it, which is a trail.
            directed = direction != "both"
            if least == 0 or (not directed and bfs.returns(neighbours, start, most, run.rest)):
                yield start
            for level in bfs.reached(neighbours, start, most, run.rest, start_too=directed and least == 1):
                run.graph.announce(level)
                yield from level

        def follow(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            neighbours = run.graph.neighbours(direction, edge.types)
            for row in rows:
                node = row[source]
                if type(node) is not Node:
                    continue
                if target is None:
                    for end in ends(node.id, neighbours, run):
                        yield (*row, None, Node(end))
                elif row[target] is not None and any(end == row[target].id for end in ends(node.id, neighbours, run)):
                    yield (*row, None)

        self.ready.append(follow)
        self._bind(edge, step, False)

    def _shortest(self, step: Walk) -> None:
        """Of the trails between two nodes the shortest: one, or all of that length."""
        edge = step.edge
        least, most = edge.length or (1, 1)
        if not step.closing:
            self._begin(Begin(self.nodes[step.target], ()))
        source, target = self._place(step.source), self._place(step.target)
        hop = self._hop_test(edge)
        turned = step.source != edge.start
        direction, types, every = step.direction, edge.types, edge.shortest == "all shortest"
        path = next((each for each in self.match.paths if edge.column in each.edges), None)
        wanted = self._search_test(edge, path)
        single = edge.length is None

        def shortest(rows: Iterator[Row], run: Run) -> Iterator[Row]:
            for row in rows:
                first, last = row[source], row[target]
                if type(first) is not Node or type(last) is not Node:
                    continue
                if wanted is None and hop is None and not every and least <= 1 and first != last:
                    found = _one_shortest_trail(first, last, direction, types, most, run)
                elif wanted is None and least <= 1:
                    found = _shortest_trails(row, first, last, direction, types, least, most, hop, every, run)
                else:
                    found = _first_trails(
                        row, first, last, direction, types, least, most, hop, every, run, wanted, turned
                    )
                for trail in found:
                    yield (*row, trail[0] if single else trail[::-1] if turned else trail)

        self.ready.append(shortest)
        self.names = (*self.names, edge.column)

    def _take_search_conditions(self) -> None:
        """Conditions that are about a shortest path alone are part of the search for it."""
        for edge in self.match.edges:
            if edge.shortest:
                path = next((each for each in self.match.paths if edge.column in each.edges), None)
                own = {edge.column, *([path.column] if path else [])}
                taken = [each for each in self.waiting if traversal.free_variables(each) & own]
                self.searched[edge.column] = taken
                self.waiting = [each for each in self.waiting if each not in taken]

    def _search_test(self, edge: EdgeSlot, path: PathSlot | None) -> Test | None:
        conditions = self.searched.get(edge.column, [])
        if not conditions:
            return None
        names = (*self.names, edge.column)
        build = path_builder(path, names) if path else None
        columns = self.columns_of((*names, path.column) if path else names)
        tests = [evaluate.holds(condition, columns) for condition in conditions]

        def test(row: Row, run: Run) -> bool:
            whole = (*row, build(row)) if build else row
            return all(each(whole, run) for each in tests)

        return test

    def _path(self, path: PathSlot) -> None:
        build = path_builder(path, self.names)
        self.ready.append(lambda rows, run: ((*row, build(row)) for row in rows))
        self.names = (*self.names, path.column)

    def _arrange(self) -> None:
        """The values in the order of the operator's columns."""
        places = [self._place(column) for column in self.match.columns]
        if places != list(range(len(self.names))):
            self.ready.append(lambda rows, run: (tuple([row[place] for place in places]) for row in rows))


def places(path: PathSlot, names: tuple[str, ...]) -> list[int]:
    """Where the parts of a path are in a row."""
    return [names.index(column) for column in (*path.nodes, *path.edges)]


def path_builder(path: PathSlot, names: tuple[str, ...]) -> Callable[[Row], Path]:
    """The function that makes a path of the values of its parts."""
    first = names.index(path.nodes[0])
    edges = [names.index(column) for column in path.edges]

    def build(row: Row) -> Path:
        nodes = [row[first]]
        relationships: list[Relationship] = []
        for place in edges:
            found = row[place]
            for each in found if isinstance(found, list) else (found,):
                here = nodes[-1].id
                nodes.append(Node(each.end if each.start == here else each.start))
                relationships.append(each)
        return Path(tuple(nodes), tuple(relationships))

    return build


def _typed(relationship: Relationship, types: ast.LabelExpression | None, run: Run) -> bool:
    return types is None or evaluate.labelled((run.graph.type(relationship),), types)


def _given(
    given: Any, types: ast.LabelExpression | None, run: Run
) -> Iterator[tuple[Relationship | None, int | str, int | str]]:
    """A relationship that is bound already, with its ends."""
    if type(given) is Relationship and _typed(given, types, run):
        yield given, given.start, given.end


def _relationships(given: Any) -> list[Relationship]:
    return [each for each in given if type(each) is Relationship] if isinstance(given, list) else []


def _laid_out(
    given: Any,
    direction: str,
    types: ast.LabelExpression | None,
    length: tuple[int, int | None] | None,
    run: Run,
) -> Iterator[tuple[Relationship | None, int | str, int | str]]:
    """The ends of a list of relationships that is bound already, as far as it is a way in this direction."""
    if length is None or not isinstance(given, list):
        return
    if not given and length[0] == 0:
        yield from ((None, node.id, node.id) for node in run.graph.nodes((), ()))
    if not given:
        return
    if not all(type(each) is Relationship and _typed(each, types, run) for each in given):
        return
    if len(given) < length[0] or (length[1] is not None and len(given) > length[1]):
        return
    if len({each.id for each in given}) < len(given):
        return
    first = given[0]
    starts = {"out": [first.start], "in": [first.end], "both": list(dict.fromkeys((first.start, first.end)))}
    for start in starts[direction]:
        here = start
        for each in given:
            if direction != "in" and each.start == here:
                here = each.end
            elif direction != "out" and each.end == here:
                here = each.start
            else:
                break
        else:
            yield None, start, here


def _trails(
    row: Row,
    start: Node,
    direction: str,
    types: ast.LabelExpression | None,
    least: int,
    most: int | None,
    unused: Callable[[Row, Relationship], bool] | None,
    hop: Callable[[Row, Relationship, Run], bool] | None,
    run: Run,
) -> Iterator[tuple[list[Relationship], int | str]]:
    """All trails from a node, each with the number of the node it ends at, depth first."""
    if least == 0:
        yield [], start.id
    if most is not None and most < max(least, 1):
        return
    expand = run.graph.expand
    trail: list[Relationship] = []
    used: set[int] = set()
    stack = [(start.id, iter(expand(start, direction, types)))]
    while stack:
        here, rest = stack[-1]
        for each in rest:
            run.rest(1)
            if each.id in used or (unused is not None and not unused(row, each)):
                continue
            if hop is not None and not hop(row, each, run):
                continue
            end = each.end if each.start == here else each.start
            trail.append(each)
            if len(trail) >= least:
                yield trail[:], end
            if most is None or len(trail) < most:
                if len(trail) >= MOST_HOPS:
                    raise _too_long()
                used.add(each.id)
                stack.append((end, iter(expand(Node(end), direction, types))))
                break
            trail.pop()
        else:
            stack.pop()
            if trail:
                used.discard(trail.pop().id)


def _one_shortest_trail(
    first: Node, last: Node, direction: str, types: ast.LabelExpression | None, most: int | None, run: Run
) -> Iterator[list[Relationship]]:
    """Found from both ends; between two nodes on it, the relationship with the lowest number."""
    graph = run.graph
    forwards = graph.neighbours(direction, types)
    backwards = graph.neighbours(_AGAINST[direction], types)
    way = bfs.shortest(forwards, backwards, first.id, last.id, most, run.rest)
    if way is None:
        return
    if len(way) > MOST_HOPS + 1:
        raise _too_long()
    trail = []
    for here, there in pairwise(way):
        between = graph.between(Node(here), Node(there), direction, types)
        trail.append(min(between, key=lambda each: each.id))
    yield trail


def _shortest_trails(
    row: Row,
    first: Node,
    last: Node,
    direction: str,
    types: ast.LabelExpression | None,
    least: int,
    most: int | None,
    hop: Callable[[Row, Relationship, Run], bool] | None,
    every: bool,
    run: Run,
) -> Iterator[list[Relationship]]:
    """Breadth first, with all the ways that a node was first reached by."""
    if first == last:
        if least == 0:
            yield []
        return
    expand = run.graph.expand
    reached: dict[int | str, list[tuple[Relationship, int | str]]] = {first.id: []}
    frontier = [first.id]
    depth = 0
    while frontier and last.id not in reached and (most is None or depth < most):
        depth += 1
        if depth > MOST_HOPS:
            raise _too_long()
        level: dict[int | str, list[tuple[Relationship, int | str]]] = {}
        for here in frontier:
            for each in expand(Node(here), direction, types):
                run.rest(1)
                other = each.end if each.start == here else each.start
                if other in reached or (hop is not None and not hop(row, each, run)):
                    continue
                level.setdefault(other, []).append((each, here))
        reached.update(level)
        frontier = list(level)
    if last.id not in reached:
        return

    stack: list[tuple[int | str, list[Relationship]]] = [(last.id, [])]
    while stack:
        here, trail = stack.pop()
        if here == first.id:
            yield trail[::-1]
            if not every:
                return
            continue
        before = sorted(reached[here], key=lambda each: each[0].id, reverse=True)
        run.rest(len(before))
        stack.extend((came, [*trail, each]) for each, came in before)


def _first_trails(
    row: Row,
    first: Node,
    last: Node,
    direction: str,
    types: ast.LabelExpression | None,
    least: int,
    most: int | None,
    hop: Callable[[Row, Relationship, Run], bool] | None,
    every: bool,
    run: Run,
    wanted: Test | None,
    turned: bool,
) -> Iterator[list[Relationship]]:
    """The shortest of the trails that satisfy a condition: all of one length, then all of the next."""
    length = least
    while most is None or length <= most:
        longer = False
        found = False
        for trail, end in _trails(row, first, direction, types, length, length + 1, None, hop, run):
            if len(trail) > length:
                longer = True
                continue
            if end == last.id and (wanted is None or wanted((*row, trail[::-1] if turned else trail), run)):
                found = True
                yield trail
                if not every:
                    return
        if found or not longer:
            return
        length += 1


def _too_long() -> errors.QueryTooLarge:
    return errors.QueryTooLarge(
        f"a path of this pattern is longer than {MOST_HOPS:,} relationships",
        hint="Give the pattern an end, such as [*1..5], or name its relationship types.",
    )
