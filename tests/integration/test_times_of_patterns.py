"""Patterns with ranges, orders and counts by time give what a look at every fact gives: by SQL, and by Python alone.

Over the tables of a real graph with literals, facts that end, subtypes, a symmetric and an inverse predicate.
"""

from __future__ import annotations

import itertools
import operator
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from hypothesis import given, note
from hypothesis import strategies as st

from graph_tables import STAMPS, Tables
from keepgraph.cypher import binder, compiler
from keepgraph.cypher.interpret.evaluate import Run
from keepgraph.cypher.table_graph import TableGraph
from keepgraph.engine.query import bounds, graph_catalogue, query_pipeline
from keepgraph.tools.contract import catalogue
from laws import examples
from random_cypher import PropertyGraph

OPERATORS: dict[str, Callable[[str, str], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq,
}  # fmt: skip
MOMENTS = [*STAMPS, "2020-06-01T00:00:00.000Z", "2089-12-31T23:59:59.999Z", "2021-01-01T00:00:00.001Z"]
KEYS = ("recorded_at", "valid_from", "valid_to")
LABELS = {"": "abcp=", ":A": "ab", ":B": "b", ":C": "c", ":Literal": "=", ":Entity": "abcp", ":A|Literal": "ab="}
TYPES = ((), (), ("R",), ("S",), ("T",), ("R", "S"), ("T", "S"), ("R", "T"))
VIEWS: list[dict[str, str]] = [{}, {}, {"as_of": "2021-06-01T00:00:00Z"}, {"known_at": "2020-06-01"}]


@dataclass(frozen=True)
class Hop:
    """A relationship of a pattern: its types, its direction, and the conditions on its times."""

    types: tuple[str, ...]
    direction: str
    ranges: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Asked:
    """A pattern of the nodes n0, n1 … and the relationships r0, r1 …, and what is asked of it.

    Attributes:
        labels, values: of each node, what stands behind its name, and the value that it must have; None for any.
        by_name: whether times are compared by names that WITH gives them.
        is_split: whether the last hop has a MATCH of its own, so that it may be the same relationship again.
    """

    hops: tuple[Hop, ...]
    labels: tuple[str, ...]
    values: tuple[str | None, ...]
    is_split: bool
    form: str
    descending: bool
    limit: int
    as_parameters: bool
    by_name: bool

    def text(self) -> tuple[str, dict[str, str]]:
        """The query, and its parameters."""
        given: dict[str, str] = {}
        conditions = []
        for place, hop in enumerate(self.hops):
            for key, sign, moment in hop.ranges:
                written = f"datetime('{moment}')" if moment.startswith("2089") else f"'{moment}'"
                if self.as_parameters:
                    written = f"$p{len(given)}"
                    given[written[1:]] = moment
                conditions.append((place, f"r{place}.{key} {sign} {written}"))
        if self.by_name and len(self.hops) == 1:
            named = ", ".join(f"r0.{key} AS w{place}" for place, key in enumerate(KEYS))
            where = _where(condition for _, condition in conditions)
            for place, key in enumerate(KEYS):
                where = where.replace(f"r0.{key} ", f"w{place} ")
            return f"MATCH {self._path(0, 1)} WITH r0, n0, n1, {named}{where} {self._returned()}", given
        last = len(self.hops) - 1 if self.is_split else len(self.hops)
        text = f"MATCH {self._path(0, last)}{_where(c for place, c in conditions if place < last)}"
        if last < len(self.hops):
            text += f" MATCH {self._path(last, len(self.hops))}{_where(c for place, c in conditions if place >= last)}"
        return f"{text} {self._returned()}", given

    def _path(self, first: int, last: int) -> str:
        path = self._node(first)
        for place in range(first, last):
            hop = self.hops[place]
            inside = f"[r{place}{':' * bool(hop.types)}{'|'.join(hop.types)}]"
            path += {"out": f"-{inside}->", "in": f"<-{inside}-", "both": f"-{inside}-"}[hop.direction]
            path += self._node(place + 1)
        return path

    def _node(self, place: int) -> str:
        value = "" if self.values[place] is None else f" {{value: '{self.values[place]}'}}"
        return f"(n{place}{self.labels[place]}{value})"

    def _returned(self) -> str:
        ids = ", ".join(f"r{place}.id AS i{place}" for place in range(len(self.hops)))
        direction = " DESC" if self.descending else ""
        order = ", ".join(f"i{place}" for place in range(len(self.hops)))
        return {
            "rows": f"RETURN {ids}",
            "count": "RETURN count(*) AS c",
            "facts": "RETURN count(DISTINCT r0) AS c",
            "nodes": "RETURN count(DISTINCT n0) AS c",
            "types": "RETURN type(r0) AS t, count(*) AS c",
            "labels": "RETURN labels(n1)[0] AS l, count(r0) AS c",
            "latest": f"RETURN r0.recorded_at AS at, {ids} ORDER BY at{direction}, {order} LIMIT {self.limit}",
            "any latest": f"RETURN r0.recorded_at AS at, {ids} ORDER BY r0.recorded_at{direction} LIMIT {self.limit}",
            "with latest": f"WITH r0, n0 ORDER BY r0.recorded_at{direction}, r0.id LIMIT {self.limit} "
            "RETURN count(r0) AS c",
            "ends next": f"RETURN r0.valid_to AS at, {ids} ORDER BY at{direction}, {order} LIMIT {self.limit}",
        }[self.form]


FORMS = (
    "rows",
    "rows",
    "count",
    "facts",
    "nodes",
    "types",
    "labels",
    "latest",
    "any latest",
    "with latest",
    "ends next",
)


def _where(conditions: Iterator[str]) -> str:
    joined = " AND ".join(conditions)
    return f" WHERE {joined}" if joined else ""


@st.composite
def questions(draw: Callable[..., Any]) -> Asked:
    count = draw(st.sampled_from((1, 1, 1, 2, 2, 3)))
    ranges = st.tuples(st.sampled_from(KEYS), st.sampled_from(list(OPERATORS)), st.sampled_from(MOMENTS))
    hop = st.builds(
        Hop,
        st.sampled_from(TYPES),
        st.sampled_from(("out", "in", "both")),
        st.lists(ranges, max_size=2).map(tuple),
    )
    values = st.sampled_from((None, None, None, None, None, None, "x", "y", "?"))
    return Asked(
        hops=tuple(draw(hop) for _ in range(count)),
        labels=tuple(draw(st.sampled_from([""] * 6 + [*LABELS])) for _ in range(count + 1)),
        values=tuple(draw(values) for _ in range(count + 1)),
        is_split=count > 1 and draw(st.booleans()),
        form=draw(st.sampled_from(FORMS)),
        descending=draw(st.booleans()),
        limit=draw(st.sampled_from((1, 2, 3, 10))),
        as_parameters=draw(st.booleans()),
        by_name=draw(st.booleans()),
    )


@examples(30, sweep=4_000)
@given(asked=questions(), seed=st.integers(0, 2**32), view=st.sampled_from(VIEWS))
def test_a_question_about_times_gives_what_a_look_at_every_fact_gives(
    tables: Tables, asked: Asked, seed: int, view: dict[str, str]
) -> None:
    agree(tables, asked, random.Random(seed), view)


def agree(tables: Tables, asked: Asked, chance: random.Random, view: dict[str, str]) -> None:
    text, given_values = asked.text()
    note(f"{text} {given_values} {view}")
    size = chance.choice((3, 6, 10)), chance.choice((4, 12, 40, 90) if len(asked.hops) < 3 else (4, 12, 25))
    nodes = [(key, [chance.choice("ABC")], {}) for key in range(1, size[0])]
    targets = [*range(1, size[0]), "x", "y"]
    facts = [
        (key, chance.choice("RS"), chance.randrange(1, size[0]), chance.choice(targets), {})
        for key in range(1, size[1])
    ]
    tables.load(PropertyGraph(nodes, facts), chance, crowded=chance.random() < 0.2)
    with tables.graph.database.read("run_cypher") as tx:
        tx = catalogue.to(tx, as_of=view.get("as_of"), known_at=view.get("known_at"))
        expected = list(every_row(asked, visible_facts(tx)))
        by_sql, by_python = both_ways(tx, text, given_values)

    for rows in (by_sql, by_python):
        assert matches(asked, rows, expected), (text, len(expected), rows[:5])


# What a look at every fact gives


@dataclass(frozen=True)
class Fact:
    """A fact: its ends are keys of nodes, with the letter of their type; `=` is a literal."""

    id: str
    type: str
    ends: tuple[str, str]
    times: dict[str, str | None]


def visible_facts(tx: Any) -> list[Fact]:
    """The facts that a query sees, by a look at every row."""
    at = tx.now.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    rows = tx.conn.execute(
        """
        SELECT fact.public_id, upper(predicate.name), s.type || ':' || s.id, o.type || ':' || o.id, literal,
               recorded_at, valid_from, valid_to, retracted_at, s.group_id
        FROM fact JOIN predicate ON predicate.id = fact.predicate
        JOIN (SELECT entity.id, substr(entity_type.name, 1, 1) AS type, group_id
              FROM entity JOIN entity_type ON entity_type.id = entity.type) AS s ON s.id = subject
        LEFT JOIN (SELECT entity.id, substr(entity_type.name, 1, 1) AS type
                   FROM entity JOIN entity_type ON entity_type.id = entity.type) AS o ON o.id = object
        """
    ).fetchall()
    known = tx.known_at
    return [
        Fact(
            row[0],
            row[1],
            (row[2], row[3] or f"=:{row[4]}"),
            dict(zip(KEYS, (row[5], row[6] or None, None if row[7] == "~" else row[7]), strict=True)),
        )
        for row in rows
        if row[6] <= at < row[7]
        and (row[8] is None or (known is not None and row[8] > known))
        and (known is None or row[5] <= known)
        and row[9] == tx.group
    ]


Way = tuple[tuple[Fact, ...], tuple[str, ...]]


def every_row(asked: Asked, facts: list[Fact]) -> Iterator[Way]:
    """Every way to lay the pattern: its facts and its nodes."""
    starts = {end for fact in facts for end in fact.ends}
    ways: list[Way] = [((), (start,)) for start in sorted(starts) if fits(asked, 0, start)]
    first_of_last = len(asked.hops) - 1 if asked.is_split else len(asked.hops)
    for place, hop in enumerate(asked.hops):
        longer = []
        for (laid, nodes), fact in itertools.product(ways, facts):
            if fact in laid and place < first_of_last:
                continue
            for source, target in steps(hop, fact):
                if source == nodes[-1] and fits(asked, place + 1, target) and is_within(hop, fact):
                    longer.append(((*laid, fact), (*nodes, target)))
        ways = longer
    yield from ways


def fits(asked: Asked, place: int, node: str) -> bool:
    value = asked.values[place]
    return node[0] in LABELS[asked.labels[place]] and (value is None or node == f"=:{value}")


def steps(hop: Hop, fact: Fact) -> list[tuple[str, str]]:
    """The ways along which a fact may be gone, from left to right."""
    there, back = fact.ends, (fact.ends[1], fact.ends[0])
    ways = []
    if not hop.types or fact.type in hop.types:
        ways.append(there)
    if fact.type == "R" and "T" in hop.types:
        ways.append(back)
    if fact.type == "S" and "S" in hop.types:
        ways = [there, back]
    if hop.direction == "both" and ways:
        ways = [there, back]
    if hop.direction == "in":
        ways = [(target, source) for source, target in ways]
    return list(dict.fromkeys(ways))


def is_within(hop: Hop, fact: Fact) -> bool:
    def holds(key: str, sign: str, moment: str) -> bool:
        value = fact.times[key]
        return value is not None and OPERATORS[sign](value, moment)

    return all(holds(*each) for each in hop.ranges)


def matches(asked: Asked, rows: list[list[Any]], ways: list[Way]) -> bool:
    """Whether these are the rows of the question, where every way to lay its pattern is known."""
    if asked.form == "rows":
        return Counter(map(tuple, rows)) == Counter(_ids(way) for way in ways)
    if asked.form in ("count", "with latest"):
        return rows == [[min(len(ways), asked.limit) if asked.form == "with latest" else len(ways)]]
    if asked.form == "facts":
        return rows == [[len({way[0][0].id for way in ways})]]
    if asked.form == "nodes":
        return rows == [[len({way[1][0] for way in ways})]]
    if asked.form in ("types", "labels"):
        letters = {"=": "Literal", "p": "Person", "a": "A", "b": "B", "c": "C"}
        keys = [way[0][0].type if asked.form == "types" else letters[way[1][1][0]] for way in ways]
        return sorted(map(tuple, rows)) == sorted(Counter(keys).items())
    key = "valid_to" if asked.form == "ends next" else "recorded_at"
    ordered = sorted(((way[0][0].times[key], *_ids(way)) for way in ways), key=lambda row: row[1:])
    ordered.sort(key=lambda row: (row[0] is None, row[0] or ""), reverse=asked.descending)
    if asked.form == "any latest":
        total = Counter(ordered)
        return [row[0] for row in rows] == [row[0] for row in ordered[: asked.limit]] and all(
            total[row] >= count for row, count in Counter(map(tuple, rows)).items()
        )
    return [tuple(row) for row in rows] == ordered[: asked.limit]


def _ids(way: Way) -> tuple[str, ...]:
    return tuple(fact.id for fact in way[0])


def both_ways(tx: Any, text: str, values: dict[str, str]) -> tuple[list[list[Any]], list[list[Any]]]:
    """The rows as a query runs, and the rows by Python alone."""
    statements, names = graph_catalogue.statement_cache(tx), graph_catalogue.condition_values(tx)
    execute = query_pipeline.executor(tx, bounds.Bounds(tx, 30))
    compiled = compiler.compile_text(text, statements.catalogue, binder.infer_types(values))
    seen = TableGraph(statements, execute, names, lambda: graph_catalogue.cache(tx))
    rows, _ = compiler.run(compiled, seen, execute, values, names, now=tx.now, count_work=lambda _: None)
    meant = compiled.interpreted_rows(Run(seen, values, tx.now, lambda _: None))
    return [list(row) for row in rows], [list(row) for row in meant]
