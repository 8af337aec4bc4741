"""Matches that are rewritten (short paths, the alternatives of an OR, elements of lists) have the same rows."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import laws
from graph_tables import Tables
from keepgraph.cypher.interpret import bfs
from keepgraph.cypher.plan import optimizer, planner
from keepgraph.errors import KeepgraphError
from random_cypher import PropertyGraph, graphs

PATHS = [
    "(n)-[*1..2]->(m)",
    "(n)-[*1..3]-(m)",
    "(n:A)<-[:R*2..3]-(m)",
    "(n)-[:R|S*..2]->(m:B)",
    "(n)-[*1..2 {x: 1}]->(m)",
    "(n)-[:R*1..2]->(m)-[e:S]->(o)",
    "(n)-[:R*1..2]->(n), (m)",
    "(n:A)-[*1..2]-(m:A)",
    "(o)-[e]->(n), (n)-[*1..2]-(m)",
]
PATTERNS = ["(n)-[e]->(m)", "(n:A)-[:R]-(m)", "(n)<-[:S]-(m:B)", "(n)-->(o)-->(m)", "(n)-[*1..2]->(m)", "(n), (m)"]
BEFORE = ["", "MATCH (n) ", "MATCH (n)-[f]->() ", "MATCH (m:B) MATCH (n:A) "]
AFTER = ["", "", " MATCH w = (u:A) WHERE length(w) = 0", " MATCH w = (u:A)-[:R]->(v) WHERE length(w) = 1"]
CONDITIONS = ["", " WHERE n.name <> 'a'", " WHERE n <> m", " WHERE m.x > 1 OR n.x IS NULL", " WHERE (m)-->(n)"]
TESTS = [
    *("{}.name = 'abc'", "{}.name = 'a'", "{}.x = 1", "{}.name IN ['a', 'abc']", "{}.name CONTAINS 'b'", "{}.p = null"),
    *(
        "toLower({}.name) STARTS WITH 'a'",
        "1 = {}.x",
        "{}.x IN [1, null]",
        "NOT {}.x = 1",
        "{}.name = 'a' AND {}.x = 1",
    ),
]
RETURNS = [
    *("n.name, m.name", "count(*)", "m.name AS k, count(*)", "n.id, m.id", "DISTINCT n.name, m.x"),
    *("labels(m) AS k, count(DISTINCT n), sum(n.x)", "n.x AS x, m.name AS y ORDER BY x, y"),
]


@st.composite
def paths(draw: Any) -> str:
    parts = (draw(st.sampled_from(each)) for each in (BEFORE, PATHS, CONDITIONS, AFTER, RETURNS))
    before, pattern, condition, after, returned = parts
    return f"{before}MATCH {pattern}{condition}{after} RETURN {returned}"


@st.composite
def either(draw: Any) -> str:
    def test() -> str:
        return draw(st.sampled_from(TESTS)).replace("{}", draw(st.sampled_from("nm")))  # type: ignore[no-any-return]

    tests = [test() for _ in range(draw(st.integers(2, 4)))]
    joints = [draw(st.sampled_from([" OR ", " OR ", " AND "])) for _ in tests[1:]]
    condition = tests[0] + "".join(joint + other for joint, other in zip(joints, tests[1:], strict=True))
    condition = draw(st.sampled_from([condition, condition, "'a' IN [n.name, m.name]", "n.x IN [m.x, 1, null]"]))
    pattern, returned = draw(st.sampled_from(PATTERNS)), draw(st.sampled_from(RETURNS))
    return f"{draw(st.sampled_from(BEFORE[:2]))}MATCH {pattern} WHERE {condition} RETURN {returned}"


COLLECTED = [
    *("MATCH (a:A)-[e]->(p) WITH collect(p) AS l", "MATCH (a)-[e]->(p) WITH a, collect(p) AS l"),
    *("MATCH (p) WITH collect(p.name) AS l", "OPTIONAL MATCH (p:B)-[e:R]->(a) WITH p, collect(DISTINCT a) AS l"),
    *("MATCH (a)-->(p) WITH a.name AS a, collect(p.x) AS l", "MATCH (a)-[e]->(p) WITH collect(e) AS l, a"),
    *("MATCH (a)-->(p:B) WITH a AS b, collect(p) AS l WHERE size(l) > 1", "MATCH (p) WITH collect([p.x]) AS l"),
]
ASKED = [
    *("MATCH (n)-[f]->(m) WHERE m IN l", "MATCH (n:B)-[f]-(m) WHERE m IN l AND n.name <> 'a'"),
    *("MATCH (n)-[f]->(m) WHERE m.name IN l", "MATCH (m) WHERE m.x IN l AND m.x > 0", "MATCH (n)-[f]-(m) WHERE f IN l"),
    *("MATCH (a)-[f]->(m) WHERE m IN l", "MATCH (m:A) WHERE NOT m IN l", "MATCH (n)-->(m) WHERE m IN l AND n IN l"),
    *(
        "MATCH (m) WHERE m IN l OR m:A",
        "OPTIONAL MATCH (n)-[f]->(m) WHERE m IN l",
        "MATCH (n)-[*1..2]->(m) WHERE m IN l",
    ),
]
OF_ELEMENTS = ["m.name, m.x", "count(*)", "m.name AS k, count(m)", "m.id, size(l)", "DISTINCT labels(m)"]


@pytest.mark.slow
@laws.examples(50, sweep=3_000)
@given(
    graph=graphs(literals=True),
    parts=st.tuples(*map(st.sampled_from, (COLLECTED, ASKED, OF_ELEMENTS))),
    chance=st.randoms(use_true_random=False),
)
def test_what_is_joined_with_the_elements_of_a_list_is_what_is_in_it(
    tables: Tables, graph: PropertyGraph, parts: tuple[str, str, str], chance: random.Random
) -> None:
    collected, asked, returned = parts
    tables.load(graph, chance, crowded=False)
    query = f"{collected} {asked} RETURN {returned}"

    assert rows_of(tables, query) == rows_without(tables, query, optimizer, "join_elements")


@pytest.mark.slow
@laws.examples(50, sweep=3_000)
@given(graph=graphs(literals=True), query=paths(), chance=st.randoms(use_true_random=False))
def test_paths_that_are_joined_are_those_that_are_searched(
    tables: Tables, graph: PropertyGraph, query: str, chance: random.Random
) -> None:
    tables.load(graph, chance, crowded=False)

    assert rows_of(tables, query) == rows_without(tables, query, optimizer, "unite_lengths")


@laws.examples(50, sweep=3_000)
@given(graph=graphs(literals=True), query=either(), chance=st.randoms(use_true_random=False))
def test_what_begins_at_each_alternative_is_what_begins_anywhere(
    tables: Tables, graph: PropertyGraph, query: str, chance: random.Random
) -> None:
    tables.load(graph, chance, crowded=False)

    assert rows_of(tables, query) == rows_without(tables, query, planner, "unite_alternatives")


def rows_without(tables: Tables, query: str, module: Any, rewrite: str) -> list[str]:
    """The rows where a rewrite gives the match itself."""
    same: Callable[..., Any] = lambda match, **_: match  # noqa: E731
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, rewrite, same)
        # a space, so that the compiled query is not found again
        return rows_of(tables, query + " ")


def rows_of(tables: Tables, query: str) -> list[str]:
    try:
        answer = tables.graph.call("run_cypher", query=query, limit=10_000)
    except KeepgraphError as error:
        return [type(error).__name__]
    return sorted(map(str, answer["rows"])) if answer["type"] == "tabular" else [str(answer.get("result", answer))]


SHORTEST = [
    "(n)-[*]-(m)",
    "(n:A)-[:R*]->(m)",
    "(n)<-[*..3]-(m:B)",
    "(n)-[:R|S*]-(m:A)",
    "(n)-[*..2]->(m)",
    "(n)-[:S*1..]-(m)",
]


@laws.examples(30, sweep=2_000)
@given(graph=graphs(literals=True), pattern=st.sampled_from(SHORTEST), chance=st.randoms(use_true_random=False))
def test_all_shortest_paths_are_the_same_from_both_ends_and_from_one(
    tables: Tables, graph: PropertyGraph, pattern: str, chance: random.Random
) -> None:
    tables.load(graph, chance, crowded=False)
    query = f"MATCH p = allShortestPaths({pattern}) RETURN n.id, m.id, [r IN relationships(p) | r.id]"

    def from_one(search: Any, first: Any, last: Any, run: Any) -> Any:
        return bfs._breadth_first(search, (), first, last, run)

    both = rows_of(tables, query)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bfs, "_between", from_one)
        patch.setattr(bfs, "_FEW", 0)
        assert both == rows_of(tables, query + " ")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bfs, "_FEW", 0)
        assert both == rows_of(tables, query + "  ")
