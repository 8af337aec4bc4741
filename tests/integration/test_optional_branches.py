"""Optional patterns beside each other: added or multiplied, what aggregates without duplicates give is the same."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
import laws
from graph_tables import Tables
from keepgraph.cypher.plan import optimizer
from keepgraph.errors import KeepgraphError
from random_cypher import PropertyGraph, graphs
from words import Caller, decision, fact, person, project

BASES = [
    "MATCH (n)",
    "MATCH (n:A)",
    "MATCH (n:A)-[r]->(m)",
    "MATCH (n) WHERE n.name <> 'a' WITH n",
    "MATCH (n:A), (m:B)",
]
FIRST = ["(n)-[e]->(a)", "(n)<-[e:R]-(a:A)", "(n)-[e]-(a)-[]->(b:B)", "(n)-[e:S]-(a) WHERE a.name <> n.name", "(a:A)"]
SECOND = [
    "(n)-[f]->(c)",
    "(n)<-[f:R]-(c:B)",
    "(c)-[f]-(n)",
    "(n)-[f]->(c) WHERE c.name = 'abc'",
    "(a)-[f]->(c)",
    "(c:C)",
]
KEYS = ["", "n.name AS k, ", "n.name AS k, n.summary AS l, ", "n.id AS k, a.name AS l, "]
AGGREGATES = [
    *(
        "count(DISTINCT a)",
        "count(DISTINCT c)",
        "collect(DISTINCT c.name)",
        "min(a.name)",
        "max(c.x)",
        "count(DISTINCT e)",
    ),
    *("count(DISTINCT n)", "count(a)", "count(DISTINCT coalesce(a.name, 'none'))", "sum(DISTINCT c.x)", "count(*)"),
    *("count(DISTINCT a.name + c.name)", "min(n.name)", "count(DISTINCT type(f))"),
]


@st.composite
def queries(draw: Any) -> str:
    first, second = draw(st.sampled_from(FIRST)), draw(st.sampled_from(SECOND))
    found = draw(st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=3))
    columns = ", ".join(f"{each} AS x{number}" for number, each in enumerate(found))
    e_is_there, f_is_there = "[e" in first, "[f" in second
    text = f"{draw(st.sampled_from(BASES))} OPTIONAL MATCH {first} OPTIONAL MATCH {second} "
    text += f"RETURN {draw(st.sampled_from(KEYS))}{columns}"
    text = text if e_is_there else text.replace("count(DISTINCT e)", "count(DISTINCT a)")
    return text if f_is_there else text.replace("count(DISTINCT type(f))", "count(DISTINCT c)")


@laws.examples(50, sweep=3_000)
@given(graph=graphs(literals=True), query=queries(), chance=st.randoms(use_true_random=False))
def test_branches_that_are_added_give_what_those_that_are_multiplied_do(
    tables: Tables, graph: PropertyGraph, query: str, chance: random.Random
) -> None:
    tables.load(graph, chance, crowded=False)
    added = rows_of(tables.graph, query)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimizer, "add_branches", lambda aggregate: aggregate)
        # a space, so that the compiled query is not found again
        multiplied = rows_of(tables.graph, query + " ")

    assert added == multiplied


def rows_of(graph: keepgraph.Graph, query: str) -> list[str]:
    """The rows, sorted, with their lists sorted."""
    try:
        answer = graph.call("run_cypher", query=query, limit=200)
    except KeepgraphError as error:
        return [type(error).__name__]
    rows = [[answer["result"]]] if answer["type"] == "scalar" else answer.get("rows", [])
    return sorted(
        repr([sorted(map(repr, value)) if isinstance(value, list) else value for value in row]) for row in rows
    )


def test_a_project_with_many_decisions_and_many_members_is_counted_by_each(call: Caller) -> None:
    atlas, empty = project("Atlas"), project("Empty")
    for number in range(30):
        call("record_fact", **fact(decision(f"Decide on {number}"), "belongs_to", atlas))
        call("record_fact", **fact(person(f"Member {number:02}"), "belongs_to", atlas))
    call("record_fact", **fact(person("Ada"), "belongs_to", project("Borealis")))
    call("record_fact", **fact(empty, "tagged", {"literal": "new"}))
    answer = call(
        "run_cypher",
        query="""
        MATCH (q:Project)
        OPTIONAL MATCH (q)<-[:BELONGS_TO]-(d:Decision)
        OPTIONAL MATCH (q)<-[:BELONGS_TO]-(p:Person)
        RETURN q.name, count(DISTINCT d), count(DISTINCT p), min(p.name) ORDER BY q.name
        """,
    )

    assert answer["rows"] == [["Atlas", 30, 30, "Member 00"], ["Borealis", 0, 1, "Ada"], ["Empty", 0, 0, None]]
