"""SQL, Python behind SQL and Python alone give one answer; and MATCH gives what trying everything gives."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from plain_tables import PlainTables, TablesWithLiterals

from keepgraph import errors
from keepgraph.cypher import value_types, values
from keepgraph.cypher.catalogue import Catalogue, Column
from keepgraph.cypher.plan import optimizer
from random_cypher import DAYS, INSTANTS, PARAMETERS, TIME_PARAMETERS, TIMESTAMPS, PropertyGraph, Query, graphs, queries

INVERSES, SYMMETRIC = {"I": "R"}, frozenset({"S"})
"""What reads from both ends: R by the name I, and S as it is."""


class TablesReadFromBothEnds(PlainTables):
    """The same, where a type has an inverse and another is symmetric."""

    def read_catalogue(self) -> Catalogue:
        catalogue = super().read_catalogue()
        return replace(catalogue, edges=replace(catalogue.edges, inverse_types=INVERSES, symmetric_types=SYMMETRIC))


TIMED_COLUMNS = {
    key: Column(f"({{row}}.properties ->> '$.{key}')", value_types.STRING | value_types.NULL, is_instant=True)
    for key in ("since", "until")
}


class TablesWithTimes(PlainTables):
    """The same, where `since` and `until` are timestamps."""

    def read_catalogue(self) -> Catalogue:
        catalogue = super().read_catalogue()
        nodes, edges = (replace(table, columns=TIMED_COLUMNS) for table in (catalogue.nodes, catalogue.edges))
        return replace(catalogue, nodes=nodes, edges=edges)


TABLES, WITH_LITERALS, FROM_BOTH_ENDS = PlainTables(), TablesWithLiterals(), TablesReadFromBothEnds()
WITH_TIMES = TablesWithTimes()
FEW, MANY = settings(max_examples=40), settings(max_examples=1_500)

Rows = list[tuple[Any, ...]]


# Both targets


@FEW
@given(graphs(), queries())
def test_sql_answers_as_the_interpreter(graph: PropertyGraph, query: Query) -> None:
    agree(TABLES, graph, query)


@FEW
@given(graphs(literals=True), queries())
def test_sql_answers_as_the_interpreter_where_texts_are_nodes(graph: PropertyGraph, query: Query) -> None:
    agree(WITH_LITERALS, graph, query)


@FEW
@given(graphs(times=True), queries(times=True))
def test_sql_answers_as_the_interpreter_where_properties_are_times(graph: PropertyGraph, query: Query) -> None:
    agree(WITH_TIMES, graph, query, parameters={**PARAMETERS, **TIME_PARAMETERS})


REPEATED = st.builds(
    "MATCH {}(aSTART){}-[NAME{}*{}{}]-{}(b) RETURN {}".format,
    st.sampled_from(["", "p = ", "(c)-[e]->(d), "]),
    st.sampled_from(["", "<"]),
    st.sampled_from(["", ":R", ":R|S", ":I", ":S"]),
    st.sampled_from(["1", "2", "2..2", "3"]),
    st.sampled_from(["", " {q: 1}"]),
    st.sampled_from(["", ">"]),
    st.sampled_from(["id(a) AS a, coalesce(id(b), b.value) AS b", "count(*) AS c", "count(DISTINCT b) AS c"]),
)
"""Queries with a place for the labels of a node, and for the name of a relationship that is repeated."""


@FEW
@given(graphs(literals=True), REPEATED, st.sampled_from(["", ":A", " {q: 1}"]))
def test_a_relationship_that_is_joined_is_one_that_is_searched(graph: PropertyGraph, query: str, start: str) -> None:
    for tables in (WITH_LITERALS, FROM_BOTH_ENDS):
        relationships = [each for each in graph.relationships if tables is WITH_LITERALS or isinstance(each[3], int)]
        tables.load(graph.nodes, relationships)
        texts = [query.replace("START", start).replace("NAME", name) for name in ("", "r")]
        joined, searched = (tables.rows(tables.compile(text, {}), {}) for text in texts)

        assert Counter(map(repr, joined[0])) == Counter(map(repr, searched[0]))


LIMITED = st.builds(
    "MATCH (n){} {} {}, {} AS x ORDER BY {}, id(n) {}LIMIT {}{}".format,
    st.sampled_from(["", "--(k)"]),
    st.sampled_from(["RETURN", "WITH"]),
    st.sampled_from(["n.q AS q, n", "n, 1 AS m", "n, n.s AS q", "n"]),
    st.sampled_from(
        ["[(n)--(m) | m.q]", "COUNT { (n)-->() }", "EXISTS { (n)-->(m) WHERE m.q > n.q }", "size([(n)--() | 1])"]
    ),
    st.sampled_from(["n.q", "n.s DESC", "n.q DESC, n.s", "x"]),
    st.sampled_from(["", "SKIP 2 "]),
    st.sampled_from(["0", "1", "3", "20"]),
    st.sampled_from(["", "", " RETURN n, x"]),
).filter(lambda text: ("WITH" in text) == text.endswith("RETURN n, x"))
"""Queries with a column that matches a pattern of its own, before a limit."""


@FEW
@given(graphs(literals=True), LIMITED)
def test_what_is_computed_after_a_limit_is_what_is_computed_before(graph: PropertyGraph, query: str) -> None:
    WITH_LITERALS.load(graph.nodes, graph.relationships)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(optimizer, "compute_after_limit", lambda plan: plan)
        before = WITH_LITERALS.rows(WITH_LITERALS.compile(query, {}), {})[0]
    after = WITH_LITERALS.rows(WITH_LITERALS.compile(query, {}), {})[0]

    assert list(map(_unordered, after)) == list(map(_unordered, before))


def _unordered(row: Any) -> str:
    """A row in which the elements of a list are in one order: that of matches is not part of the answer."""
    return repr([sorted(map(repr, value)) if isinstance(value, list) else value for value in row])


@pytest.mark.slow
@pytest.mark.timeout(1800)
@MANY
@given(graphs(times=True), queries(times=True))
def test_sql_answers_as_the_interpreter_where_properties_are_times_time_and_again(
    graph: PropertyGraph, query: Query
) -> None:
    agree(WITH_TIMES, graph, query, parameters={**PARAMETERS, **TIME_PARAMETERS})


def test_a_timestamp_compares_with_a_time_by_whichever_way_it_is_read() -> None:
    """By an index, as text in a column of a query, and as what datetime() makes of it."""
    rows = [(key, ["A"], {"since": timestamp}) for key, timestamp in enumerate(TIMESTAMPS, 1)]
    WITH_TIMES.load(rows, [])
    for time in (*DAYS, *INSTANTS):
        for operator in ("=", "<>", "<", "<=", ">", ">="):
            directly = f"MATCH (n) WHERE n.since {operator} {time} RETURN n.since ORDER BY n.since"
            by_name = f"MATCH (n) WITH n.since AS t WHERE t {operator} {time} RETURN t ORDER BY t"
            (fast, meaning), (other, _) = (
                answers(text, {**PARAMETERS, **TIME_PARAMETERS}, tables=WITH_TIMES) for text in (directly, by_name)
            )

            assert fast == meaning == other, (operator, time)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@MANY
@given(graphs(), graphs(literals=True), queries())
def test_sql_answers_as_the_interpreter_time_and_again(
    graph: PropertyGraph, other: PropertyGraph, query: Query
) -> None:
    agree(TABLES, graph, query)
    agree(WITH_LITERALS, other, query)


def agree(tables: PlainTables, graph: PropertyGraph, query: Query, parameters: dict[str, Any] = PARAMETERS) -> None:
    note(query.text)
    tables.load(graph.nodes, graph.relationships)
    try:
        found, wanted = answers(query.text, parameters, tables=tables)
    except errors.QueryInconsistent:
        return
    if isinstance(wanted, errors.QueryFailed) and not isinstance(found, errors.QueryFailed):
        # SQL need not compute what nobody asks for, and so does not fail on it.
        return
    if query.grouped and differ(found, wanted, query):
        # Either of 1 and 1.0 may stand for both: without such pairs they must agree.
        nodes = [(key, labels, _fractions(properties)) for key, labels, properties in graph.nodes]
        relationships = [(*each[:4], _fractions(each[4])) for each in graph.relationships]
        tables.load(nodes, relationships)
        text = query.text.replace("1.0", "1.5").replace("$f", "$half")
        found, wanted = answers(text, parameters, tables=tables)

    assert not differ(found, wanted, query), (found, wanted)


def answers(
    text: str, parameters: dict[str, Any] = PARAMETERS, *, tables: PlainTables | None = None
) -> tuple[Any, Any]:
    """The rows or the error of a query, as it is run and as the interpreter alone runs it."""
    tables = tables or TABLES
    compiled = tables.compile(text, parameters)
    return (
        _caught(lambda: tables.rows(compiled, parameters)[0]),
        _caught(lambda: tables.interpreted_rows(compiled, parameters)),
    )


def _caught(run: Callable[[], Rows]) -> Rows | errors.QueryError:
    try:
        return run()
    except errors.QueryError as error:
        return error


def differ(found: Any, wanted: Any, query: Query) -> bool:
    if isinstance(found, list) and isinstance(wanted, list):
        return comparable(found, query) != comparable(wanted, query)
    return (type(found), getattr(found, "detail", None)) != (type(wanted), getattr(wanted, "detail", None))


def comparable(rows: Rows, query: Query) -> Any:
    """The rows as far as the query says what they are."""
    if query.cut:
        return len(rows)
    written = [repr([plain(value, collected=query.collected) for value in row]) for row in rows]
    return written if query.ordered else sorted(written)


def plain(value: Any, *, collected: bool = False) -> Any:
    """A value as what it is to the reader; of a sum of floats the last digits depend on the order."""
    if isinstance(value, values.Node):
        return ("node", value.id)
    if isinstance(value, values.Relationship):
        return ("relationship", value.id, value.start, value.end)
    if isinstance(value, values.Path):
        return ("path", *(each.id for each in value.nodes), *(each.id for each in value.relationships))
    if isinstance(value, list):
        found = [plain(each, collected=collected) for each in value]
        return sorted(found, key=repr) if collected else found
    if isinstance(value, float):
        return float(f"{value:.12g}") + 0.0
    return value


def _fractions(properties: dict[str, Any]) -> dict[str, Any]:
    """Properties in which no float is an integer."""

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(each) for each in value]
        if isinstance(value, float) and value == int(value):
            return value + 0.5 if abs(value) < 2**50 else 0.75
        return value

    return {key: changed(value) for key, value in properties.items()}


# Both targets, and a third way that tries everything


@dataclass(frozen=True)
class Point:
    """A node of a pattern: its variable, the labels as written, and what `q` must be."""

    variable: str
    labels: str
    q: int | None

    def __str__(self) -> str:
        return f"({self.variable}{self.labels}{'' if self.q is None else f' {{q: {self.q}}}'})"


@dataclass(frozen=True)
class Line:
    """A relationship of a pattern, or a trail of `length` relationships."""

    variable: str
    types: tuple[str, ...]
    direction: str
    length: tuple[int, int] | None
    q: int | None

    def __str__(self) -> str:
        inside = self.variable + "|".join(f":{each}" if not place else each for place, each in enumerate(self.types))
        inside += "" if self.length is None else f"*{self.length[0]}..{self.length[1]}"
        inside += "" if self.q is None else f" {{q: {self.q}}}"
        return {"out": f"-[{inside}]->", "in": f"<-[{inside}]-", "both": f"-[{inside}]-"}[self.direction]


@dataclass(frozen=True)
class Clause:
    """One MATCH: paths of points and lines by turns, and the name of a condition."""

    optional: bool
    paths: tuple[tuple[Point | Line, ...], ...]
    condition: str

    def __str__(self) -> str:
        paths = ", ".join("".join(map(str, path)) for path in self.paths)
        where = f" WHERE {self.condition}" if self.condition else ""
        return f"{'OPTIONAL ' if self.optional else ''}MATCH {paths}{where}"


Found = dict[str, Any]
"""What each variable stands for: the number of a node or relationship, a list of those, or None."""

LABELLED: dict[str, Callable[[list[str]], bool]] = {
    "": lambda labels: True,
    ":A": lambda labels: "A" in labels,
    ":!A": lambda labels: "A" not in labels,
    ":A|B": lambda labels: "A" in labels or "B" in labels,
    ":A:B": lambda labels: "A" in labels and "B" in labels,
    ":%": lambda labels: bool(labels),
}


def _less(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one < other


CONDITIONS: dict[str, Callable[[Found, Callable[[str], int | None]], bool]] = {
    "": lambda found, q: True,
    "a <> b": lambda found, q: None not in (found["a"], found["b"]) and found["a"] != found["b"],
    "a = b": lambda found, q: found["a"] is not None and found["a"] == found["b"],
    "a.q < b.q": lambda found, q: _less(q("a"), q("b")),
    "a.q = 1": lambda found, q: q("a") == 1,
    "NOT a.q = 1": lambda found, q: q("a") not in (None, 1),
    "b IS NULL": lambda found, q: found["b"] is None,
    "a.q = 1 OR b.q > 0": lambda found, q: q("a") == 1 or _less(0, q("b")),
}


Types = tuple[str, ...]
ONE_WAY: list[Types] = [(), (), ("R",), ("R", "S"), ("S",)]
EITHER_WAY: list[Types] = [(), ("R",), ("S",), ("I",), ("R", "S"), ("I", "S"), ("R", "I"), ("I", "S", "R"), ("I", "U")]


@st.composite
def clauses(draw: Callable[..., Any], types: list[Types] = ONE_WAY) -> list[Clause]:
    """One to three MATCH clauses over the variables a to d; every relationship has a name of its own."""
    numbers = itertools.count()
    bound: set[str] = set()

    def point() -> Point:
        labels = draw(st.sampled_from(["", "", "", "", *LABELLED]))
        found = Point(draw(st.sampled_from("abcd")), labels, draw(st.sampled_from([None] * 9 + [1])))
        bound.add(found.variable)
        return found

    def line() -> Line:
        return Line(
            f"r{next(numbers)}",
            draw(st.sampled_from(types)),
            draw(st.sampled_from(["out", "in", "both"])),
            draw(st.sampled_from([None, None, None, (1, 2), (0, 1), (2, 3), (0, 0)])),
            draw(st.sampled_from([None] * 9 + [1])),
        )

    made = []
    for _ in range(draw(st.integers(1, 3))):
        paths = []
        for _ in range(draw(st.sampled_from([1, 1, 2]))):
            path: list[Point | Line] = [point()]
            for _ in range(draw(st.sampled_from([1, 1, 0, 2, 3]))):
                path += (line(), point())
            paths.append(tuple(path))
        conditions = [each for each in CONDITIONS if set(re.findall(r"\b[ab]\b", each)) <= bound]
        made.append(Clause(draw(st.integers(0, 9)) < 3, tuple(paths), draw(st.sampled_from(conditions))))
    return made


class Everything:
    """Tries every way to lay a pattern on a graph."""

    def __init__(
        self, graph: PropertyGraph, inverses: dict[str, str] | None = None, symmetric: frozenset[str] = frozenset()
    ) -> None:
        self.nodes = {key: (labels, properties) for key, labels, properties in graph.nodes}
        self.edges = graph.relationships
        self.inverses, self.symmetric = inverses or {}, symmetric

    def rows(self, written: list[Clause]) -> list[Found]:
        found: list[Found] = [{}]
        for clause in written:
            found = [way for before in found for way in self._or_nulls(clause, before)]
        return found

    def _or_nulls(self, clause: Clause, before: Found) -> list[Found]:
        ways = [way for way in self._paths(clause.paths, before, frozenset()) if self._holds(clause.condition, way)]
        if ways or not clause.optional:
            return ways
        return [{**{part.variable: None for path in clause.paths for part in path}, **before}]

    def _holds(self, condition: str, found: Found) -> bool:
        def q(name: str) -> int | None:
            return None if found[name] is None else self.nodes[found[name]][1].get("q")

        return CONDITIONS[condition](found, q)

    def _paths(self, paths: tuple[Any, ...], found: Found, used: frozenset[int]) -> Iterator[Found]:
        """The ways to lay these paths, where `used` are the relationships of those before."""
        if not paths:
            yield found
            return
        for key in self.nodes:
            for way, taken in self._from(paths[0], key, found, used):
                yield from self._paths(paths[1:], way, taken)

    def _from(
        self, path: tuple[Any, ...], key: int, found: Found, used: frozenset[int]
    ) -> Iterator[tuple[Found, frozenset[int]]]:
        point, *rest = path
        if found.get(point.variable, key) != key or not self._fits(point, key):
            return
        found = {**found, point.variable: key}
        if not rest:
            yield found, used
            return
        line = rest[0]
        for trail, end in self._trails(line, key):
            if not used & set(trail):
                value = list(trail) if line.length else trail[0]
                yield from self._from(tuple(rest[1:]), end, {**found, line.variable: value}, used | set(trail))

    def _fits(self, point: Point, key: int) -> bool:
        labels, properties = self.nodes[key]
        return LABELLED[point.labels](labels) and (point.q is None or properties.get("q") == point.q)

    def _trails(self, line: Line, start: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """All sequences of steps, whether they hang together or not; those that do and repeat nothing."""
        steps = []
        for key, kind, source, target, properties in self.edges:
            if line.q is not None and properties.get("q") != line.q:
                continue
            along, against = self._read(line.types, kind)
            ways = [(source, target)] * along + [(target, source)] * against
            if line.direction == "in":
                ways = [(end, start) for start, end in ways]
            elif line.direction == "both" and ways:
                ways = [(source, target), (target, source)]
            steps += [(key, *way) for way in dict.fromkeys(ways)]
        least, most = line.length or (1, 1)
        for length in range(least, most + 1):
            for steps_taken in itertools.product(steps, repeat=length):
                here = start
                for _, source, target in steps_taken:
                    if source != here:
                        break
                    here = target
                else:
                    keys = tuple(key for key, *_ in steps_taken)
                    if len(set(keys)) == len(keys):
                        yield keys, here

    def _read(self, types: Types, kind: str) -> tuple[bool, bool]:
        """Whether a relationship is one of these types along an arrow, and against it."""
        named = kind in types
        inverted = kind in [self.inverses.get(name) for name in types]
        if kind in self.symmetric and (named or inverted):
            return True, True
        return named or not types, inverted


@st.composite
def small_graphs(draw: Callable[..., Any]) -> PropertyGraph:
    count = draw(st.sampled_from([3, 2, 4, 1]))
    ends = st.integers(1, count)
    q = st.sampled_from([{"q": 1}, {"q": 0}, {}, {"q": 2}])
    nodes = [(key, draw(st.sampled_from([["A"], ["B"], ["A", "B"], []])), draw(q)) for key in range(1, count + 1)]
    relationships = [
        (key, draw(st.sampled_from("RRS")), draw(ends), draw(ends), draw(q))
        for key in range(1, draw(st.sampled_from([4, 3, 5, 6, 2, 0])) + 1)
    ]
    return PropertyGraph(nodes, relationships)


@FEW
@given(small_graphs(), clauses())
def test_match_finds_what_trying_everything_finds(graph: PropertyGraph, written: list[Clause]) -> None:
    tried(graph, written)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@MANY
@given(small_graphs(), clauses())
def test_match_finds_what_trying_everything_finds_time_and_again(graph: PropertyGraph, written: list[Clause]) -> None:
    tried(graph, written)


@FEW
@given(small_graphs(), clauses(EITHER_WAY))
def test_types_are_matched_from_the_ends_that_they_read_from(graph: PropertyGraph, written: list[Clause]) -> None:
    tried(graph, written, tables=FROM_BOTH_ENDS)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@MANY
@given(small_graphs(), clauses(EITHER_WAY))
def test_types_are_matched_from_the_ends_that_they_read_from_time_and_again(
    graph: PropertyGraph, written: list[Clause]
) -> None:
    tried(graph, written, tables=FROM_BOTH_ENDS)


def tried(graph: PropertyGraph, written: list[Clause], *, tables: PlainTables = TABLES) -> None:
    names = list(dict.fromkeys(part.variable for clause in written for path in clause.paths for part in path))
    text = f"{' '.join(map(str, written))} RETURN {', '.join(names)}"
    note(text)
    tables.load(graph.nodes, graph.relationships)
    found, reference = answers(text, tables=tables)
    edges = tables.catalogue.edges
    everything = Everything(graph, dict(edges.inverse_types), edges.symmetric_types)
    expected = Counter(repr([way[name] for name in names]) for way in everything.rows(written))

    assert expected == Counter(repr([_number(value) for value in row]) for row in reference)
    assert expected == Counter(repr([_number(value) for value in row]) for row in found)


def _number(value: Any) -> Any:
    return [each.id for each in value] if isinstance(value, list) else value if value is None else value.id


# Answers worked out by hand

PEOPLE = PropertyGraph(
    [
        (1, ["Person"], {"name": "Ada", "age": 36, "v": 1}),
        (2, ["Person", "Author"], {"name": "Bob", "age": 20, "v": 1.0}),
        (3, ["Person"], {"name": "Cy", "v": True}),
        (4, ["Book"], {"name": "Notes", "v": "1"}),
        (5, ["Book"], {"name": "Loop"}),
        (6, [], {"name": "Nobody", "v": "true"}),
    ],
    [
        (1, "KNOWS", 1, 2, {"since": 1}),
        (2, "KNOWS", 1, 2, {"since": 2}),
        (3, "KNOWS", 2, 3, {}),
        (4, "WROTE", 1, 4, {}),
        (5, "WROTE", 2, 4, {}),
        (6, "CITES", 5, 5, {}),
        (7, "CITES", 4, 5, {}),
    ],
)

BY_HAND: list[tuple[str, list[list[Any]]]] = [
    # Groups
    ("MATCH (n) RETURN labels(n)[0] AS l, count(*) AS c", [["Person", 3], ["Book", 2], [None, 1]]),
    ("MATCH ()-[r]->() RETURN type(r) AS t, count(*) AS c", [["KNOWS", 3], ["WROTE", 2], ["CITES", 2]]),
    ("MATCH (n) WITH n.v AS v, count(*) AS c WHERE v = 1 RETURN c", [[2]]),
    ("MATCH (n) WITH n.v AS v, count(*) AS c WHERE v = true RETURN c", [[1]]),
    ("MATCH (n) RETURN count(DISTINCT n.v) AS d, count(n.v) AS c, count(*) AS a", [[4, 5, 6]]),
    ("MATCH (n) RETURN size(collect(n.age)) AS some, size(collect(DISTINCT n.v)) AS kinds", [[2, 4]]),
    ("MATCH (n:Person) RETURN size(collect(n.age)) AS ages", [[2]]),
    (
        "MATCH (n:Nope) RETURN sum(n.age) AS s, avg(n.age) AS a, max(n.age) AS m, count(*) AS c, collect(n) AS l",
        [[0, None, None, 0, []]],
    ),
    ("MATCH (n:Nope) RETURN n.age AS a, count(*) AS c", []),
    ("MATCH (n:Nope) RETURN true AS t, count(*) AS c", []),
    (
        "MATCH (n:Person) RETURN n.age AS a, n.age + 1 + count(*) AS c ORDER BY a + 1, c DESC",
        [[20, 22], [36, 38], [None, None]],
    ),
    ("MATCH (n) WITH count(*) AS c RETURN 1 AS one", [[1]]),
    ("MATCH (n:Nope) WITH count(*) AS c RETURN 1 AS one, $s AS p ORDER BY c", [[1, "abc"]]),
    (
        "MATCH (n) WITH count(*) AS c WITH null AS x WITH DISTINCT x MATCH (m:Book) RETURN x, m.name AS m",
        [[None, "Notes"], [None, "Loop"]],
    ),
    (
        "MATCH (n) WITH count(*) AS c RETURN 1 AS x UNION ALL MATCH (n) WITH sum(n.age) AS c RETURN 2 AS x SKIP 0",
        [[1], [2]],
    ),
    ("MATCH (n) WITH count(*) AS c WITH [x IN [1, 2] | x] AS l RETURN l", [[[1, 2]]]),
    ("MATCH (n:Person) WITH n ORDER BY n.name DESC RETURN collect(n.name) AS l", [[["Cy", "Bob", "Ada"]]]),
    ("MATCH (a)-[:KNOWS]->(b) RETURN a.no AS g, min(b.v) AS low, max(b.v) AS high", [[None, True, 1.0]]),
    ("MATCH (a:Person) WHERE a.v IN [1, [2]] RETURN a.no AS g, count(*) AS c", [[None, 2]]),
    # Relationships of one pattern, and of two
    (
        "MATCH (a {name: 'Ada'}) OPTIONAL MATCH (a)-[r:KNOWS]->(b) RETURN b.name AS b, r.since AS s",
        [["Bob", 1], ["Bob", 2]],
    ),
    ("MATCH (a)-[r]->(b), (a)-[s]->(b) RETURN count(*) AS c", [[2]]),
    ("MATCH (a)-[r]->(b) MATCH (a)-[s]->(b) RETURN count(*) AS c", [[9]]),
    ("MATCH (a)-[r:KNOWS]->(), (b)-[s:KNOWS]->() RETURN count(*) AS c", [[6]]),
    (
        "MATCH (a)-[:CITES]-(b) RETURN a.name AS a, b.name AS b",
        [["Loop", "Loop"], ["Notes", "Loop"], ["Loop", "Notes"]],
    ),
    ("MATCH (a)-[r:CITES]-(a) RETURN a.name AS a", [["Loop"]]),
    (
        "MATCH (n) OPTIONAL MATCH (n)-[r:WROTE]->() MATCH (x)-[r]->(y) RETURN n.name AS n, x.name AS x, y.name AS y",
        [["Ada", "Ada", "Notes"], ["Bob", "Bob", "Notes"]],
    ),
    # Optional patterns
    (
        "MATCH (a:Person) OPTIONAL MATCH (a)-[:WROTE]->(b) WHERE a.name = 'Ada' RETURN a.name AS a, b.name AS b",
        [["Ada", "Notes"], ["Bob", None], ["Cy", None]],
    ),
    (
        "MATCH (a:Book) OPTIONAL MATCH (a:Person)-[r]-() RETURN a.name AS a, r",
        [["Notes", None], ["Loop", None]],
    ),
    ("OPTIONAL MATCH (n:Nope) RETURN n, n.name AS name, labels(n) AS l, n:Nope AS b", [[None, None, None, None]]),
    ("OPTIONAL MATCH (n:Nope) MATCH (n)-->(m) RETURN m", []),
    ("OPTIONAL MATCH (n:Nope) OPTIONAL MATCH (n)-->(m) RETURN m", [[None]]),
    # Paths
    ("MATCH p = shortestPath((a {name: 'Ada'})-[*]->(b {name: 'Cy'})) RETURN length(p) AS l", [[2]]),
    ("MATCH p = shortestPath((a {name: 'Loop'})-[*]->(b {name: 'Ada'})) RETURN length(p) AS l", []),
    ("MATCH p = allShortestPaths((a {name: 'Ada'})-[*]-(b {name: 'Cy'})) RETURN length(p) AS l", [[2], [2]]),
    ("MATCH (a {name: 'Notes'})-[r*1..3]->(b) RETURN size(r) AS s, b.name AS b", [[1, "Loop"], [2, "Loop"]]),
    (
        "MATCH (a)-[rs:KNOWS*1..1]->(b) MATCH (x)-[rs* {since: 2}]->(y) RETURN x.name AS x, y.name AS y",
        [["Ada", "Bob"]],
    ),
    ("MATCH (a {name: 'Ada'})-[rs*0..1]->(b {name: 'Ada'}) RETURN rs", [[[]]]),
    # Kinds
    ("MATCH (n) WHERE n.v = 1 RETURN n.name AS n", [["Ada"], ["Bob"]]),
    ("MATCH (n) WHERE n.v = true RETURN n.name AS n", [["Cy"]]),
    ("MATCH (n) WHERE n.v = '1' RETURN n.name AS n", [["Notes"]]),
    ("MATCH (n) WHERE n.v <> 1 RETURN n.name AS n", [["Cy"], ["Notes"], ["Nobody"]]),
    ("MATCH (n) WHERE n.v < 2 RETURN n.name AS n", [["Ada"], ["Bob"]]),
    ("MATCH (n) WHERE n.v IN [1, true] RETURN n.name AS n", [["Ada"], ["Bob"], ["Cy"]]),
    ("MATCH (n) WHERE NOT n.v IN [1, null] RETURN n.name AS n", []),
    (
        "MATCH (n:Person) RETURN n.name AS n, CASE WHEN n.age = 36 THEN true ELSE n.name STARTS WITH 'B' END AS b",
        [["Ada", True], ["Bob", True], ["Cy", False]],
    ),
    (
        "RETURN null = null AS a, null IN [] AS b, null IN [1] AS c, 1 IN [null, 1] AS d, 2 IN [null, 1] AS e, "
        "null AND false AS f, null OR true AS g, null XOR true AS h, NOT null AS i",
        [[None, False, None, True, None, False, True, None, None]],
    ),
    ("MATCH (n:Person) RETURN -n.age AS a, +n.age AS b", [[-36, 36], [-20, 20], [None, None]]),
    ("RETURN 5 / 2 AS a, -5 / 2 AS b, -5 % 3 AS c, 5 / 2.0 AS d, 2 ^ 2 AS e", [[2, -2, -2, 2.5, 4.0]]),
    # Order
    (
        "MATCH (n) RETURN n.name AS name ORDER BY n.v, n.name",
        [["Notes"], ["Nobody"], ["Cy"], ["Ada"], ["Bob"], ["Loop"]],
    ),
    (
        "MATCH (n) RETURN n.name AS name ORDER BY n.v DESC, n.name",
        [["Loop"], ["Ada"], ["Bob"], ["Cy"], ["Nobody"], ["Notes"]],
    ),
    ("MATCH (n:Person) RETURN n.name AS n ORDER BY true, n.name DESC", [["Cy"], ["Bob"], ["Ada"]]),
    (
        "MATCH (n:Person) RETURN n.name AS age, n.age AS name ORDER BY age DESC",
        [["Cy", None], ["Bob", 20], ["Ada", 36]],
    ),
    ("MATCH (n:Person) WITH n.name AS n ORDER BY n DESC RETURN n", [["Cy"], ["Bob"], ["Ada"]]),
    ("MATCH (n)-[:KNOWS]->() RETURN DISTINCT n.name AS name ORDER BY n.name DESC", [["Bob"], ["Ada"]]),
    ("MATCH (n:Person) WITH n ORDER BY n.name DESC LIMIT 2 RETURN n.name AS n ORDER BY n", [["Bob"], ["Cy"]]),
    # Names anew
    (
        "MATCH (a {name: 'Ada'}), (b {name: 'Bob'}) WITH a AS b, b AS a RETURN a.name AS a, b.name AS b",
        [["Bob", "Ada"]],
    ),
    (
        "MATCH (n:Person) WITH DISTINCT n.name AS a, n.age AS b WITH b, [x IN [1] | x] AS l RETURN b, l",
        [[36, [1]], [20, [1]], [None, [1]]],
    ),
    (
        "MATCH (`select`)-[`from`:KNOWS]->(`where` {name: 'Cy'}) "
        "RETURN `select`.name AS `order by`, id(`from`) AS `?1`",
        [["Bob", 3]],
    ),
    ("MATCH (`a\"b'c``d` {name: 'Cy'}) WITH `a\"b'c``d` AS `--` RETURN `--`.name AS `; DROP TABLE node`", [["Cy"]]),
    ("MATCH (ünïcode {name: 'Cy'}) RETURN ünïcode.name AS 名前", [["Cy"]]),
    # Unions
    ("RETURN 1 AS x UNION RETURN 1.0 AS x UNION RETURN 1 AS x", [[1]]),
    ("RETURN 1 AS x UNION ALL RETURN 1 AS x", [[1], [1]]),
    ("RETURN 1 AS x UNION RETURN true AS x UNION RETURN '1' AS x UNION RETURN null AS x", [[1], [True], ["1"], [None]]),
    # Subqueries
    (
        "MATCH (a) WHERE EXISTS { MATCH (a)-[:KNOWS]->(b) WHERE EXISTS { (b)-[:KNOWS]->(c) WHERE c <> a } } "
        "RETURN a.name AS a",
        [["Ada"]],
    ),
    ("MATCH (a:Author) RETURN COUNT { (a)-->() } AS out, COUNT { (a)--() } AS all", [[2, 4]]),
    ("MATCH (a:Author) RETURN EXISTS { MATCH (a)-[:NO]->(b) RETURN count(b) AS c } AS e", [[True]]),
    ("MATCH (a:Author) RETURN EXISTS { MATCH (a)<--(b) RETURN DISTINCT b SKIP 1 } AS e", [[False]]),
    ("MATCH (a:Author) RETURN COUNT { MATCH (a)<--(b) RETURN DISTINCT b } AS c", [[1]]),
    ("MATCH (a:Author) RETURN COUNT { MATCH (a)<--() RETURN a.name AS n, count(a.name) AS c } AS c", [[1]]),
    (
        "MATCH (a:Author) WHERE EXISTS { MATCH (a)<--() WITH sum(a.age) AS s WHERE s = 40 RETURN s } RETURN a.age AS a",
        [[20]],
    ),
    ("MATCH (a:Book) RETURN [(a)<-[:WROTE]-(b) | a.name] AS l ORDER BY a.name", [[[]], [["Notes", "Notes"]]]),
    ("MATCH (a) WHERE EXISTS { (b) WHERE b.v = [1] } RETURN a", []),
    ("MATCH (a) WHERE NOT (a)--() RETURN a.name AS a", [["Nobody"]]),
]


@pytest.mark.parametrize(("text", "expected"), BY_HAND, ids=[text for text, _ in BY_HAND])
def test_an_answer_worked_out_by_hand(text: str, expected: list[list[Any]]) -> None:
    answered(TABLES, PEOPLE, text, expected)


TEXTS = PropertyGraph(
    [(1, ["A"], {"s": "one"}), (2, ["B"], {"s": "two"}), (15, ["A"], {"s": "fifteen"})],
    [(1, "R", 1, 2, {}), (2, "R", 1, "5", {}), (3, "S", 2, "", {}), (4, "S", 15, "5", {}), (5, "S", 15, 15, {})],
)
"""Where texts are nodes too, of label C. The key of a row must not be taken for the end of another key."""

BY_HAND_WITH_TEXTS: list[tuple[str, list[list[Any]]]] = [
    (
        "MATCH (a)-->(b)-->(c) RETURN a.s AS a, b.s AS b, c.s AS c",
        [["one", "two", ""], ["fifteen", "fifteen", "5"]],
    ),
    ("MATCH (a)-->(b)-->(b) RETURN a.s AS a", []),
    ("MATCH ()-->(b) WHERE EXISTS { (:A)-->(b) } RETURN b.s AS b", [["two"], ["5"], ["5"], ["fifteen"]]),
    (
        "MATCH (n) RETURN labels(n)[0] AS l, labels(n) AS ls, count(*) AS c",
        [["A", ["A"], 2], ["B", ["B"], 1], ["C", ["C"], 2]],
    ),
    ("MATCH (n:C) RETURN elementId(n) AS e", [["literal:5"], ["literal:"]]),
    ("MATCH (n) RETURN n.s AS s ORDER BY n", [["one"], ["two"], ["fifteen"], [""], ["5"]]),
    ("MATCH (a:B)--(b) RETURN b.s AS b", [["one"], [""]]),
    ("MATCH (a:B) OPTIONAL MATCH (a)-[:S]->(b) RETURN a.s AS a, b.s AS b, labels(b) AS l", [["two", "", ["C"]]]),
]


@pytest.mark.parametrize(("text", "expected"), BY_HAND_WITH_TEXTS, ids=[text for text, _ in BY_HAND_WITH_TEXTS])
def test_an_answer_worked_out_by_hand_where_texts_are_nodes(text: str, expected: list[list[Any]]) -> None:
    answered(WITH_LITERALS, TEXTS, text, expected)


def answered(tables: PlainTables, graph: PropertyGraph, text: str, expected: list[list[Any]]) -> None:
    tables.load(graph.nodes, graph.relationships)
    ordered = " ORDER BY " in text.split("RETURN")[-1]
    found, reference = ([plain(list(row)) for row in rows] for rows in answers(text, tables=tables))

    assert _listed(plain(expected), ordered=ordered) == _listed(reference, ordered=ordered)
    assert _listed(plain(expected), ordered=ordered) == _listed(found, ordered=ordered)


def _listed(rows: list[Any], *, ordered: bool) -> list[str]:
    written = [repr(row) for row in rows]
    return written if ordered else sorted(written)


COMMON = [
    "MATCH (n:Person {name: 'Ada'}) RETURN n.age AS age",
    "MATCH (n) WHERE n.name = $name RETURN n",
    "MATCH (n) WHERE n.name IN $names RETURN n.name AS name",
    "MATCH (n:Person) RETURN n.name AS name ORDER BY n.age DESC, name SKIP 1 LIMIT 2",
    "MATCH (n) RETURN labels(n)[0] AS label, count(*) AS c ORDER BY c DESC",
    "MATCH (n) RETURN labels(n) AS labels, count(*) AS c",
    "MATCH ()-[r]->() RETURN type(r) AS type, count(*) AS c",
    "MATCH (a)-[r:KNOWS]->(b)-[:WROTE]->(c) RETURN a.name AS a, type(r) AS r, c.name AS c",
    "MATCH (a)-[:KNOWS]-(b) WHERE a.name < b.name AND a <> b RETURN a.name AS a, b.name AS b",
    "MATCH (a:Person) OPTIONAL MATCH (a)-[:WROTE]->(b) RETURN a.name AS a, collect(b.name) AS b",
    "MATCH (a:Person) WHERE NOT (a)-[:WROTE]->() RETURN a.name AS a",
    "MATCH (a:Person) RETURN a.name AS a, COUNT { (a)--() } AS degree ORDER BY degree DESC",
    "MATCH (a) RETURN a.name AS a, [(a)-[:WROTE]->(b) | b.name] AS wrote",
    "MATCH (a)-[r]->() WITH a, count(r) AS c WHERE c > 1 RETURN a.name AS a, c",
    "MATCH (n) RETURN count(DISTINCT n.age) AS c, min(n.age) AS least, sum(n.age) AS total, avg(n.age) AS mean",
    "MATCH (n) WHERE toLower(n.name) CONTAINS 'a' AND (n.age IS NULL OR n.age > 1) RETURN n.name AS name",
    "MATCH (n) RETURN n.name AS name, CASE WHEN n.age > 30 THEN 'old' ELSE coalesce(n.age, 'young') END AS is_old",
    "MATCH (n:Person) RETURN n.name AS name UNION MATCH (n:Book) RETURN n.name AS name",
    "UNWIND $names AS name MATCH (n {name: name}) RETURN n",
    "MATCH (n) RETURN DISTINCT n.age AS age ORDER BY age",
    "MATCH (n) RETURN count(*) AS c",
]


@pytest.mark.parametrize("text", COMMON)
@pytest.mark.parametrize("tables", [TABLES, WITH_LITERALS], ids=["nodes", "texts"])
def test_sql_answers_alone_what_is_often_asked(tables: PlainTables, text: str) -> None:
    tables.load(PEOPLE.nodes, PEOPLE.relationships)
    given = {"name": "Ada", "names": ["Ada", "Cy"]}
    _, target = tables.rows(tables.compile(text, given), given)

    assert target == "sql"


FAILING = [
    "RETURN 1 / 0 AS x",
    "MATCH (n) WHERE n.age / 0 = 1 RETURN n",
    "RETURN 9223372036854775807 + 1 AS x",
    "UNWIND [9223372036854775807, 1] AS x RETURN sum(x) AS s",
    "MATCH (n) RETURN sum(n.name) AS s",
    "MATCH (n) RETURN n LIMIT $minus",
    "MATCH (n) RETURN abs(n.v) AS a",
    "MATCH (n) RETURN -n.v AS a",
    "MATCH (n) RETURN +n.name AS a",
    "MATCH (n) WHERE n.v RETURN n",
]


@pytest.mark.parametrize("text", FAILING)
def test_both_fail_alike(text: str) -> None:
    TABLES.load(PEOPLE.nodes, PEOPLE.relationships)
    found, reference = answers(text, {"minus": -1})

    assert isinstance(reference, errors.QueryFailed)
    assert (found.kind, found.detail) == (reference.kind, reference.detail)


# Names and values that would like to be something else

NASTY = [
    *(
        "'",
        '"',
        "`",
        "''",
        '""',
        "';--",
        '"; DROP TABLE node; --',
        "/* */",
        "--",
        "//",
        "?",
        "?1",
        "?999999",
        ":x",
        "@x",
    ),
    *("$x", "{row}", "{}", "{0}", "%s", "\\", "\\'", "\\u0041", "$.a", '$."a"', "[0]", "a.b", "a b", "é", "日本", "😀"),
    *("\u202e", "\ufeff", "\n", "\t", "\x00", "a\x00b", "NULL", "true", "1", "1e5", "c0", "n1", "e1", "rowid", "id"),
    *("labels", " n0", " r1", " a0", " s0", " h0", " path", " ", " Ä", ""),
]


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("nasty", NASTY, ids=map(ascii, NASTY))
def test_a_nasty_name_is_but_a_name(nasty: str) -> None:
    """
    As a value, a parameter and, if the parser takes it, as a label, a type, a key, a variable and an alias.
    """
    TABLES.load(
        [(1, [nasty], {nasty: "found", "p": nasty, "l": [nasty]}), (2, ["Other"], {"p": "other"})],
        [(1, nasty, 1, 2, {nasty: 5}), (2, "OTHER", 1, 2, {})],
    )
    name = "`" + nasty.replace("`", "``") + "`"
    text = "'" + nasty.replace("\\", "\\\\").replace("'", "\\'").replace("\x00", "\\u0000") + "'"
    of_values = {
        f"MATCH (n) WHERE n.p = {text} RETURN n.p AS v": [(nasty,)],
        f"MATCH (n) WHERE n.p IN [{text}, 'x'] RETURN n.p AS v": [(nasty,)],
        f"MATCH (n {{p: {text}}}) RETURN n.p + {text} AS v": [(nasty + nasty,)],
        "MATCH (n) WHERE n.p = $given RETURN n.p AS v": [(nasty,)],
        "MATCH (n) WHERE n.p IN $several RETURN n.p AS v": [(nasty,)],
        "MATCH (n {p: $given}) RETURN $given AS v, n.p AS w": [(nasty, nasty)],
        "UNWIND $several AS v RETURN v": [(nasty,), (nasty,)],
        f"UNWIND [{text}] AS v MATCH (n {{p: v}}) RETURN v, n.p CONTAINS v AS c": [(nasty, True)],
        "MATCH (n) WHERE n.p STARTS WITH $given AND n.p <> 'other' RETURN n.p AS v": [(nasty,)],
        "MATCH (n) WHERE n.p <> 'other' RETURN collect(n.p) AS v, min(n.p) AS w, max(n.p) AS x": [
            ([nasty], nasty, nasty)
        ],
        "MATCH (n) WHERE n.p <> 'other' WITH n.p AS v, count(*) AS c RETURN v, c": [(nasty, 1)],
        "MATCH (n) WHERE n.p <> 'other' RETURN [(n)-->(m) | n.p] AS v": [([nasty, nasty],)],
        "MATCH (n) WHERE n.p <> 'other' RETURN labels(n) AS v, labels(n)[0] AS w": [([nasty], nasty)],
        "MATCH ()-[r]->() WHERE type(r) = $given RETURN type(r) AS v": [(nasty,)],
        "MATCH (n) WHERE n.l = [$given] RETURN n.l AS v": [([nasty],)],
        "RETURN size($given) AS v": [(len(nasty),)],
    }
    of_names = {
        f"MATCH (n:{name}) RETURN id(n) AS v": [(1,)],
        f"MATCH (n) WHERE n:{name} RETURN id(n) AS v": [(1,)],
        f"MATCH (n:!{name}) RETURN id(n) AS v": [(2,)],
        f"MATCH ()-[r:{name}]->() RETURN type(r) AS v": [(nasty,)],
        f"MATCH ()-[r:!{name}]->() RETURN type(r) AS v": [("OTHER",)],
        f"MATCH (n) WHERE n.{name} = 'found' RETURN n.{name} AS v": [("found",)],
        f"MATCH (n {{{name}: 'found'}}) RETURN count(n.{name}) AS v": [(1,)],
        f"MATCH ()-[r {{{name}: 5}}]->() RETURN r.{name} AS v ORDER BY r.{name}": [(5,)],
        f"MATCH ({name}:Other) RETURN {name}.p AS {name}": [("other",)],
        f"MATCH (n:Other) WITH n.p AS {name} ORDER BY {name} RETURN {name}, count(*) AS c": [("other", 1)],
        f"MATCH ({name}:Other)--()--() RETURN {name}.p AS {name}": [("other",), ("other",)],
        f"MATCH ()-[{name}:OTHER]->() RETURN id({name}) AS v, EXISTS {{ ()-[{name}]->() }} AS w": [(2, True)],
        f"RETURN {{{name}: 1}} AS v": [({nasty: 1},)],
    }
    given = {"given": nasty, "several": [nasty, nasty]}
    wrong = {}
    for query, expected in {**of_values, **of_names}.items():
        try:
            found, reference = answers(query, given)
        except errors.QuerySyntaxInvalid:
            # No query may be without a name where one is due, nor hold the sign that ends a text in C.
            if query in of_values or (nasty and "\x00" not in nasty):
                wrong[query] = "cannot be read"
            continue
        if not expected == reference == found:
            wrong[query] = (found, reference)

    assert wrong == {}
