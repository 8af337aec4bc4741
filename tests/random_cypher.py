"""Graphs and queries by chance, for tests that compare answers: small graphs full of traps, queries that compose.

Every query can be read by the compiler, but for a few that it refuses. What may be ambiguous in the language (which of
1 and 1.0 stands for a group, the order of a list that was collected) is marked on the query, for the test to allow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

LABELS = ("A", "B", "C", "Ä b")
TYPES = ("R", "S", "T", "x y")

SCALARS = (
    *(0, 1, -1, 2, 3, 7, 1.0, 0.0, -0.0, 2.5, 0.1 + 0.2, 1e300, True, False),
    *("", "1", "1.0", "true", "null", "[1]", "{}", "abc", "ABC", "Äbc", "日本", "a'b", 'a"b', "?1", "a\\b"),
    *(2**53, 2**53 + 1, float(2**53), 2**63 - 1, -(2**63)),
)
LISTS: tuple[Any, ...] = ([], [1], [1, 2], [1, None], ["a"], [1.0], [True, False], ["[1]"], [None])

PARAMETERS: dict[str, Any] = {
    "i": 1,
    "big": 2**53 + 1,
    "f": 1.0,
    "half": 2.5,
    "s": "abc",
    "one": "1",
    "z": "[1]",
    "b": True,
    "n": None,
    "l": [1, "abc", None],
    "li": [1, 2],
    "ls": ["abc", "1", "[1]"],
    "lb": [True, None],
    "le": [],
    "m": {"k": 1, "q": "x"},
}

TIMESTAMPS = (
    "2026-04-30T23:59:59.999Z", "2026-05-01T00:00:00.000Z", "2026-05-01T10:00:00.000Z", "2026-05-01T23:59:59.999Z",
    "2026-05-02T00:00:00.000Z", "2026-11-21T12:00:00.000Z", "2025-12-31T23:00:00.000Z", "9999-12-31T23:59:59.999Z",
)  # fmt: skip
DAYS = ("date('2026-05-01')", "date('2026-05-02')", "date()", "date('+12026-01-01')")
INSTANTS = (
    "datetime('2026-05-01T00:00:00Z')", "datetime('2026-05-01T12:00:00+02:00')", "datetime() - duration('P200D')",
    "datetime('2026-05-01T09:59:59.9999Z')", "datetime('2026-05-01T00:00:00.000000001Z')", "datetime()",
    "localdatetime('2026-05-01T10:00')", "datetime($instant)", "datetime({year: -3})",
)  # fmt: skip
TIMES = (
    *(*DAYS, *INSTANTS, "'2026-05-01'", "'2026-05-01T12:00:00+02:00'", "'2026-05-01 10:00'", "$day", "$instant"),
    *("'2026-05'", "'2026-02-30'", "''", "'x'", "5", "null", "true", "duration('P1D')", "time('10:00Z')", "[1]"),
)
"""What a timestamp may be compared with, in vain or not."""

TIME_PARAMETERS: dict[str, Any] = {
    "day": "2026-05-01",
    "instant": "2026-05-01T10:00:00.000Z",
    "days": ["2026-05-01", "x", "2026-11-21"],
    "mixed": ["2026-05-01", None, 5],
}


@dataclass(frozen=True)
class PropertyGraph:
    """Nodes (id, labels, properties) and relationships (id, type, source, target, properties)."""

    nodes: list[tuple[int, list[str], dict[str, Any]]]
    relationships: list[tuple[int, str, int, int | str, dict[str, Any]]]


@st.composite
def graphs(draw: Callable[..., Any], *, literals: bool = False, times: bool = False) -> PropertyGraph:
    """0 to 8 nodes, 0 to 14 relationships; with literals, some of these end at a text; with times, `since` is one."""
    properties = TIMED_PROPERTIES if times else PROPERTIES
    count = draw(st.sampled_from((3, 4, 5, 2, 6, 7, 8, 1, 0)))
    nodes = [
        (key, draw(st.lists(st.sampled_from(LABELS), max_size=3, unique=True)), draw(properties))
        for key in range(1, count + 1)
    ]
    ends = st.integers(1, max(count, 1))
    targets = ends | st.sampled_from(["a", "1", "abc", "", "[1]"]) if literals else ends
    relationships = [
        (key, draw(st.sampled_from(TYPES)), draw(ends), draw(targets), draw(properties))
        for key in range(1, draw(st.sampled_from((6, 8, 4, 10, 3, 12, 14, 1, 0) if count else (0,))) + 1)
    ]
    return PropertyGraph(nodes, relationships)


_OPTIONAL: dict[str, Any] = {
    "p": st.sampled_from(SCALARS * 3 + LISTS),
    "m": st.sampled_from(SCALARS),
    "q": st.integers(0, 3),
    "s": st.sampled_from(["a", "b", "abc", "", "1", "[1]", "Äbc"]),
    "odd key.$": st.sampled_from([1, "x", None]),
}
PROPERTIES = st.fixed_dictionaries({}, optional=_OPTIONAL)
TIMED_PROPERTIES = st.fixed_dictionaries(
    {}, optional={**_OPTIONAL, "since": st.sampled_from(TIMESTAMPS), "until": st.sampled_from(TIMESTAMPS)}
)


@dataclass
class Query:
    """A query and what a comparison of its answers has to know.

    Attributes:
        ordered: whether the rows have one order, but for rows that are equivalent.
        cut: whether SKIP or LIMIT picks rows without an order that says which.
        collected: whether lists have elements in no order.
        grouped: whether one of several equivalent values stands for all of them.
        times: whether it may ask of timestamps.
    """

    text: str = ""
    ordered: bool = False
    cut: bool = False
    collected: bool = False
    grouped: bool = False
    times: bool = False


@st.composite
def queries(draw: Callable[..., Any], *, times: bool = False) -> Query:
    """A query over graphs of this module, with its PARAMETERS, and with times its TIME_PARAMETERS."""
    query = Query(times=times)
    writer = Writer(draw, query)
    if writer.chance(10):
        width = draw(st.integers(1, 3))
        first = writer.whole(width=width)
        union = writer.pick("UNION", "UNION ALL")
        for _ in range(draw(st.integers(1, 2))):
            first += f" {union} {Writer(draw, query).whole(width=width)}"
        query.grouped, query.ordered = True, False
        query.text = first
    else:
        query.text = writer.whole()
    return query


class Writer:
    """Writes one query, with the variables that it has so far and their kinds."""

    def __init__(self, draw: Callable[..., Any], query: Query, scope: dict[str, str] | None = None) -> None:
        self.draw, self.query = draw, query
        self.scope: dict[str, str] = dict(scope or {})
        self.taken = set(self.scope)
        # Relationships of the clause that is being written: a pattern must not name one twice.
        self.fresh: set[str] = set()
        self.again: set[str] = set()
        # Most queries keep to what SQL can say: no lists, no paths.
        self.simple = self.chance(60)

    # Chance

    def chance(self, percent: int) -> bool:
        return bool(self.draw(st.integers(0, 99)) < percent)

    def pick(self, *options: Any) -> Any:
        return options[0] if len(options) == 1 else options[self.draw(st.integers(0, len(options) - 1))]

    def new(self, kind: str) -> str:
        letter = {"node": "n", "relationship": "r", "trail": "t", "path": "w", "list": "l"}.get(kind, "v")
        name = next(f"{letter}{number}" for number in range(100) if f"{letter}{number}" not in self.taken)
        self.taken.add(name)
        self.fresh.add(name)
        self.scope[name] = kind
        return name

    def known(self, *kinds: str) -> list[str]:
        return [name for name, kind in self.scope.items() if kind in kinds]

    # Clauses

    def whole(self, *, width: int | None = None) -> str:
        clauses = []
        for _ in range(self.pick(1, 1, 1, 1, 2, 2, 3)):
            clauses.append(self.reading())
            if self.chance(25):
                clauses.append(self.with_())
        clauses.append(self.return_(width))
        return " ".join(clauses)

    def reading(self) -> str:
        what = self.draw(st.integers(0, 99))
        self.fresh, self.again = set(), set()
        if what < 12:
            source = self.pick(
                "[1, 2, 3]", "['a', '1']", "$li", "$ls", "$l", "[1, 1.0, true, null]", "[]", "$le", "null"
            )
            source = source if self.simple or self.chance(70) else self.listed(1)
            return f"UNWIND {source} AS {self.new('any')}"
        optional = what < 40 and (not self.simple or bool(self.known("node")))
        if optional and (self.simple or self.chance(40)) and self.known("node"):
            return f"OPTIONAL MATCH {self.path(steps=1, plain=True, linked=True)}{self.where(1)}"
        paths = [self.path() for _ in range(self.pick(1, 1, 1, 1, 2))]
        return f"{'OPTIONAL ' if optional else ''}MATCH {', '.join(paths)}{self.where(2)}"

    def where(self, depth: int) -> str:
        if self.chance(8) and self.known("node"):
            return f" WHERE {self.pick('', 'NOT ')}{self.predicate()}"
        return f" WHERE {self.truth(depth)}" if self.chance(35) else ""

    def path(self, *, steps: int | None = None, plain: bool = False, linked: bool = False) -> str:
        steps = self.pick(0, 1, 1, 1, 2, 2, 3) if steps is None else steps
        plain = plain or self.simple
        if not plain and steps == 1 and self.chance(15):
            return self.shortest()
        before = {name: kind for name, kind in self.scope.items() if name not in self.fresh}
        written = f"({self.pick(*self.known('node'))})" if linked else self.node(plain)
        for _ in range(steps):
            written += self.relationship(plain=plain, known=before) + self.node(plain)
        if not plain and self.chance(12):
            return f"{self.new('path')} = {written}"
        return written

    def shortest(self) -> str:
        function = self.pick("shortestPath", "shortestPath", "allShortestPaths")
        start, end = self.node(False), self.node(False)
        kind = self.pick("", "", ":R", ":R|S")
        left, right = self.pick(("-", "->"), ("<-", "-"), ("-", "-"))
        walked = f"{function}({start}{left}[{kind}{self.pick('*', '*..3', '*0..', '*')}]{right}{end})"
        if function == "shortestPath" and self.chance(90):
            # Which of several is free; how long they are is not.
            return walked
        return f"{self.new('path') if function != 'shortestPath' else self.hidden()} = {walked}"

    def hidden(self) -> str:
        name = self.new("path")
        del self.scope[name]
        return name

    def node(self, plain: bool) -> str:
        nodes = self.known("node")
        if nodes and self.chance(45):
            return f"({self.pick(*nodes)}{self.labels(6)})"
        inside = "" if self.chance(25) else self.new("node")
        inside += self.labels(20)
        if self.chance(5):
            inside += f" {{{self.entry()}}}"
        elif inside and not plain and self.chance(5) and not inside.startswith(":"):
            inside += f" WHERE {self.truth(0)}"
        return f"({inside})"

    def entry(self) -> str:
        return self.pick(
            *("q: 1", "q: $i", "s: 'a'", "p: 1", "p: true", "p: '1'", "p: $one", "p: $z", "m: 1.0", "m: $f", "s: null"),
            *("p: [1]", "p: []", "m: '[1]'", "`odd key.$`: 1"),
        )

    def labels(self, percent: int) -> str:
        if not self.chance(percent):
            return ""
        return self.pick(":A", ":A", ":B", ":A|B", ":!A", ":%", ":A:B", ":!%", ":(A|C)&!B", ":`Ä b`", ":X", ":C")

    def relationship(self, *, plain: bool, known: dict[str, str]) -> str:
        left, right = self.pick(("-", "->"), ("-", "->"), ("<-", "-"), ("-", "-"))
        types = self.pick(":R", ":S", ":R|S", ":!R", ":`x y`", ":R|S|T") if self.chance(30) else ""
        properties = f" {{{self.entry()}}}" if self.chance(4) else ""
        old = [name for name in known if known[name] == "relationship" and name in self.scope]
        if old and not plain and self.chance(12):
            name = self.pick(*old)
            if name not in self.again:
                self.again.add(name)
                return f"{left}[{name}{types}]{right}"
        if not plain and self.chance(14):
            name = "" if self.chance(50) else self.new("trail")
            length = self.pick("*1..2", "*..2", "*0..2", "*2", "*1..3", "*0..1", "*0..0", "*2..1")
            return f"{left}[{name}{types}{length}{properties}]{right}"
        name = "" if self.chance(35) else self.new("relationship")
        if not (name or types or properties) and self.chance(50):
            return {"->": "-->", "-": f"{left}-"}[right]
        return f"{left}[{name}{types}{properties}]{right}"

    def with_(self) -> str:
        items, scope, folded = self.items(keep=True)
        distinct = not folded and self.chance(25)
        self.query.grouped |= folded or distinct
        before, self.scope = self.scope, scope
        written = f"WITH {'DISTINCT ' if distinct else ''}{', '.join(items)}"
        plain = all(kind != "list" for kind in scope.values())
        if plain and self.chance(35):
            written += f" ORDER BY {self.order(before if not (folded or distinct) else {}, scope)}"
            written += self.cut()
        if self.chance(20):
            written += f" WHERE {self.truth(1)}"
        return written

    def return_(self, width: int | None) -> str:
        if width is not None:
            items, scope = [], {}
            for number in range(width):
                items.append(f"{self.any(1)} AS c{number}")
                scope[f"c{number}"] = "any"
            return f"RETURN {self.pick('', 'DISTINCT ')}{', '.join(items)}"
        items, scope, folded = self.items(keep=False)
        distinct = not folded and self.chance(15)
        self.query.grouped |= folded or distinct
        before, self.scope = self.scope, scope
        written = f"RETURN {'DISTINCT ' if distinct else ''}{', '.join(items)}"
        plain = all(kind != "list" for kind in scope.values())
        if plain and self.chance(40):
            self.query.ordered = True
            written += f" ORDER BY {self.order(before if not (folded or distinct) else {}, scope)}"
            written += self.cut()
        elif self.chance(8):
            written += self.pick(" LIMIT 2", " SKIP 1", " SKIP 1 LIMIT 2")
            self.query.cut = True
        return written

    def cut(self) -> str:
        return self.pick(
            *[""] * 5, " LIMIT 3", " SKIP 1", " SKIP 1 LIMIT 2", " LIMIT $i", " LIMIT 0", " SKIP toInteger('1')"
        )

    def order(self, before: dict[str, str], scope: dict[str, str]) -> str:
        """Sort keys, and at last all columns, so that only equivalent rows have no order."""
        keys = []
        for _ in range(self.pick(0, 1, 1, 2)):
            self.scope = {**before, **scope}
            keys.append(f"{self.any(1, plain=True)}{self.pick('', ' DESC', ' ASC')}")
        self.scope = scope
        return ", ".join([*keys, *(f"{name}{self.pick('', ' DESC')}" for name in scope)])

    def items(self, *, keep: bool) -> tuple[list[str], dict[str, str], bool]:
        """What WITH or RETURN projects: the items, the scope behind it, and whether it folds rows."""
        scope: dict[str, str] = {}
        items: list[str] = []
        folded = self.chance(30)
        holds = [name for name, kind in self.scope.items() if kind != "list" or not folded]
        for name in holds:
            if self.chance(55 if keep else 40) and len(items) < 4:
                items.append(name)
                scope[name] = self.scope[name]
        if keep and len(items) >= 2 and self.chance(10):
            one, other = items[:2]
            items[:2] = [f"{one} AS {other}", f"{other} AS {one}"]
            scope[one], scope[other] = scope[other], scope[one]
        for _ in range(self.pick(0, 1, 1, 2) if items else self.pick(1, 2)):
            kind = self.pick("any", "any", "number", "text", "truth")
            written = getattr(self, kind)(2) if kind != "any" else self.any(2, plain=folded)
            name = self.alias(scope)
            items.append(f"{written} AS {name}")
            scope[name] = kind
        if folded:
            for _ in range(self.pick(1, 1, 2)):
                written, kind = self.aggregate()
                name = self.alias(scope)
                items.append(f"{written} AS {name}")
                scope[name] = kind
        return items, scope, folded

    def alias(self, scope: dict[str, str]) -> str:
        old = [name for name in self.scope if name not in scope]
        if old and self.chance(8):
            return str(self.pick(*old))
        name = next(
            f"v{number}" for number in range(100) if f"v{number}" not in self.taken and f"v{number}" not in scope
        )
        self.taken.add(name)
        return name

    def aggregate(self) -> tuple[str, str]:
        distinct = self.pick("", "", "DISTINCT ")
        what = self.draw(st.integers(0, 11))
        if what < 3:
            return "count(*)", "number"
        if what < 5:
            return f"count({distinct}{self.any(1, plain=True)})", "number"
        if what == 5:
            return f"sum({distinct}{self.number(1)})", "number"
        if what == 6:
            return f"avg({distinct}{self.number(1)})", "number"
        if what < 9:
            return f"{self.pick('min', 'max')}({self.any(1, plain=True)})", "any"
        if what == 9:
            return f"size(collect({distinct}{self.any(1, plain=True)}))", "number"
        if what == 10:
            return f"{self.pick('sum', 'avg')}({self.any(1, plain=True)})", "number"
        self.query.collected = True
        return f"collect({distinct}{self.any(1, plain=True)})", "list"

    # Expressions

    def subject(self) -> str | None:
        """A variable that has properties."""
        found = self.known("node", "relationship")
        return self.pick(*found) if found else None

    def any(self, depth: int, *, plain: bool = False) -> str:
        """An expression of any kind; plain: of a kind that has an order everywhere."""
        plain = plain or self.simple
        what = self.draw(st.integers(0, 15))
        subject = self.subject()
        if what < 5 and subject:
            return f"{subject}.{self.pick('p', 'p', 'm', 'q', 's', '`odd key.$`', 'missing')}"
        if what == 5 and self.known("node"):
            return str(self.pick("{}", "labels({})[0]", "head(labels({}))", "id({})", "labels({})[-1]")).format(
                self.pick(*self.known("node"))
            )
        if what == 6 and self.known("relationship"):
            return str(self.pick("type({})", "{}", "id({})", "startNode({}).q", "endNode({})")).format(
                self.pick(*self.known("relationship"))
            )
        if what == 7 and self.known("any", "number", "text", "truth"):
            return str(self.pick(*self.known("any", "number", "text", "truth")))
        if what == 8 and depth:
            return f"coalesce({self.any(depth - 1, plain=plain)}, {self.any(depth - 1, plain=plain)})"
        if what == 9 and depth:
            return self.case(depth - 1, plain)
        if what == 10:
            return self.number(depth)
        if what == 11:
            return self.text(depth)
        if what == 12:
            return self.truth(depth)
        if what == 13 and not plain:
            return self.listed(depth)
        if what == 14 and not plain and self.known("path", "trail"):
            name = self.pick(*self.known("path", "trail"))
            return f"length({name})" if self.scope[name] == "path" else f"size({name})"
        return self.literal()

    def literal(self) -> str:
        return str(
            self.pick(
                *("1", "0", "1.0", "2", "true", "false", "null", "'abc'", "'1'", "'[1]'", "''", "-1", "2.5"),
                *("$i", "$f", "$s", "$one", "$b", "$n", "$z", "$big", "$half", "'Äbc'"),
            )
        )

    def case(self, depth: int, plain: bool) -> str:
        if self.chance(50):
            return (
                f"CASE WHEN {self.truth(depth)} THEN {self.any(depth, plain=plain)} "
                f"ELSE {self.any(depth, plain=plain)} END"
            )
        return (
            f"CASE {self.any(depth, plain=True)} WHEN {self.literal()} THEN {self.any(depth, plain=plain)} "
            f"WHEN {self.any(depth, plain=True)} THEN {self.any(depth, plain=plain)} END"
        )

    def number(self, depth: int) -> str:
        what = self.draw(st.integers(0, 11))
        subject = self.subject()
        if what < 4 and subject:
            return f"{subject}.q"
        if what == 4 and depth:
            return f"({self.number(depth - 1)} {self.pick('+', '-', '*', '/', '%', '^', '+')} {self.number(depth - 1)})"
        if what == 5 and depth:
            return f"size({self.text(depth - 1)})"
        if what == 6 and depth:
            return f"toInteger({self.text(depth - 1)})"
        if what == 7 and self.known("number"):
            return str(self.pick(*self.known("number")))
        if what == 8 and depth:
            return f"COUNT {{ {self.inner(depth - 1)} }}"
        if what == 9 and subject and self.chance(40):
            return f"{self.pick('toFloat', 'abs', '-')}({subject}.{self.pick('p', 'm', 'q')})"
        if what == 10 and self.known("node"):
            self.query.collected = True
            return f"size({self.comprehension(depth)})"
        return str(self.pick("1", "2", "0", "2.5", "1.0", "3", "$i", "$f", "-1", "9223372036854775807"))

    def text(self, depth: int) -> str:
        what = self.draw(st.integers(0, 8))
        subject = self.subject()
        if what < 3 and subject:
            return f"{subject}.s"
        if what == 3 and depth:
            return f"({self.text(depth - 1)} + {self.text(depth - 1)})"
        if what == 4 and depth:
            return str(self.pick("toUpper({})", "toLower({})", "substring({}, 1)", "left({}, 1)", "trim({})")).format(
                self.text(depth - 1)
            )
        if what == 5 and self.known("text"):
            return str(self.pick(*self.known("text")))
        if what == 6 and depth:
            return f"toString({self.pick(self.number(depth - 1), self.truth(depth - 1))})"
        if what == 7 and self.known("relationship"):
            return f"type({self.pick(*self.known('relationship'))})"
        return str(self.pick("'a'", "'abc'", "'1'", "$s", "$one", "''", "'A'"))

    def timed(self, subject: str) -> str:
        """A condition on a timestamp."""
        timestamp = f"{subject}.{self.pick('since', 'since', 'until')}"
        operator, time = self.pick("=", "<>", "<", "<=", ">", ">="), self.pick(*TIMES)
        what = self.draw(st.integers(0, 9))
        if what == 0:
            return f"date({timestamp}) {operator} {self.pick(*DAYS)}"
        if what == 1:
            return f"{timestamp} IN {self.pick('$days', '$mixed', f'[{time}, {self.pick(*TIMES)}]')}"
        if what == 2:
            return f"{timestamp}.{self.pick('year', 'month', 'day', 'epochMillis')} {operator} 5"
        if what == 3:
            return f"{time} {operator} {timestamp}"
        if what == 4:
            return f"{timestamp} {operator} {self.subject()}.until"
        if what == 5:
            return f"(NOT {timestamp} {operator} {time})"
        if what == 6:
            return f"coalesce({timestamp}, {self.pick(*INSTANTS)}) {operator} {time}"
        return f"{timestamp} {operator} {time}"

    def truth(self, depth: int) -> str:
        what = self.draw(st.integers(0, 19))
        subject = self.subject()
        less = max(depth - 1, 0)
        if self.query.times and subject and self.chance(60):
            return self.timed(subject)
        if what < 5:
            return f"{self.any(less, plain=True)} {self.pick('=', '=', '<>', '<', '<=', '>', '>=')} {self.any(less)}"
        if what < 7 and subject:
            operator = self.pick("=", "<>", "<", ">=")
            return f"{subject}.{self.pick('p', 'm', 'q', 's')} {operator} {self.literal()}"
        if what == 7:
            return f"{self.any(less)} IS {self.pick('', 'NOT ')}NULL"
        if what == 8:
            listed = self.pick(
                "$l", "$li", "$ls", "$lb", "$le", "[1, null]", "[1, 'abc', true]", "[]", "['a', 'b']", "[1, 2]"
            )
            return f"{self.any(less)} IN {listed}"
        if what == 9 and depth:
            return f"({self.truth(less)} {self.pick('AND', 'OR', 'XOR')} {self.truth(less)})"
        if what == 10 and depth:
            return f"(NOT ({self.truth(less)}))"
        if what == 11:
            return f"{self.text(less)} {self.pick('STARTS WITH', 'ENDS WITH', 'CONTAINS')} {self.text(less)}"
        if what == 12 and subject:
            return f"{subject}.{self.pick('p', 'm')} {self.pick('STARTS WITH', 'CONTAINS', 'ENDS WITH')} {self.text(0)}"
        if what == 13 and self.known("node"):
            return f"({self.pick(*self.known('node'))}{self.pick(':A', ':A|B', ':!A', ':X', ':%', ':`Ä b`')})"
        if what == 14 and depth:
            return f"EXISTS {{ {self.inner(less)} }}"
        if what == 15 and self.known("node"):
            return f"EXISTS {{ {self.predicate()} }}"
        if what == 16 and len(self.known("node")) > 1:
            nodes = self.known("node")
            return f"{self.pick(*nodes)} {self.pick('=', '<>')} {self.pick(*nodes)}"
        if what == 17 and self.known("truth"):
            return str(self.pick(*self.known("truth")))
        if what == 18 and depth and not self.simple:
            which = self.pick("any", "all", "none", "single")
            return f"{which}(x IN {self.listed(0)} WHERE x {self.pick('=', '<', '<>')} {self.literal()})"
        if what == 19 and self.known("relationship"):
            return f"type({self.pick(*self.known('relationship'))}) = {self.pick(*map(repr, TYPES))}"
        return str(self.pick("true", "1 = 1", "null", "$b", "false"))

    def listed(self, depth: int) -> str:
        what = self.draw(st.integers(0, 6))
        if what == 0 and self.known("node"):
            return f"labels({self.pick(*self.known('node'))})"
        if what == 1 and self.known("node"):
            self.query.collected = True
            return self.comprehension(depth)
        if what == 2:
            return f"[{self.any(0, plain=True)}, {self.any(0, plain=True)}]"
        if what == 3:
            return f"[x IN {self.pick('$li', '[1, 2, null]', '$l')} WHERE x {self.pick('=', '<>')} 1 | x]"
        return str(self.pick("$l", "$li", "[1]", "[1, null]", "[]", "$ls"))

    def predicate(self) -> str:
        start = self.pick(*self.known("node"))
        types = self.pick("", "[:R]", "[:S|T]")
        left, right = self.pick(("-", "->"), ("<-", "-"), ("-", "-"))
        end = self.pick("", ":A", *self.known("node"))
        return f"({start}){left}{types}{right}({end})"

    def comprehension(self, depth: int) -> str:
        start, inner = self.pick(*self.known("node")), "y"
        left, right = self.pick(("-", "->"), ("<-", "-"), ("-", "-"))
        result = self.pick("y.q", "y.s", "y.p", "1", f"{start}.q", "y")
        where = f" WHERE y.q = {self.literal()}" if self.chance(30) else ""
        return (
            f"[({start}){left}[{self.pick('', ':R', ':S|T')}]{right}({inner}{self.pick('', ':A')}){where} | {result}]"
        )

    def inner(self, depth: int) -> str:
        """What stands in a subquery: a pattern, or a query."""
        writer = Writer(self.draw, self.query, self.scope)
        writer.taken = self.taken
        if self.chance(60):
            return f"{writer.path(steps=self.pick(0, 1, 1, 2), plain=True)}{writer.where(depth)}"
        written = f"MATCH {writer.path(steps=1)}{writer.where(depth)}"
        what = self.pick("plain", "distinct", "folded", "skip")
        if what == "folded":
            return f"{written} RETURN {self.pick('', f'{writer.any(0, plain=True)} AS g, ')}count(*) AS c"
        if what == "skip":
            return f"{written} RETURN 1 AS c SKIP 1"
        return f"{written} RETURN {'DISTINCT ' if what == 'distinct' else ''}{writer.any(0, plain=True)} AS c"
