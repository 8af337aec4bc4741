"""Arrays in memory that outlive a write answer as arrays that are built anew."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest
from hypothesis import given

import keepgraph
import random_calls
from keepgraph.cypher import table_graph
from laws import examples
from words import Caller, Clock, literal, person, project

WALKS = (
    "MATCH (a)-[*1..3]->(b) RETURN DISTINCT a.name AS a, b.name AS b ORDER BY a, b",
    "MATCH (a {name: 'Ada Lovelace'})-[:KNOWS|WORKS_ON*1..3]-(b) RETURN DISTINCT b.name AS b ORDER BY b",
    "MATCH (a {name: 'iron'})<-[:TAGGED]-(b)<-[:WORKS_ON*1..2]-(c) RETURN DISTINCT c.name AS c ORDER BY c",
)


def answers(graph):
    of_walks = [graph.call("run_cypher", query=query) for query in WALKS]
    return [
        {name: value for name, value in each.items() if name not in ("execution_ms", "warnings")} for each in of_walks
    ]


@pytest.fixture(autouse=True)
def arrays_from_the_start(monkeypatch):
    monkeypatch.setattr(table_graph, "_MIN_WORK_BEFORE_ARRAYS", -1)


@examples(12, sweep=200)
@given(calls=random_calls.sequences)
def test_walks_after_any_calls_are_those_of_a_graph_opened_anew(calls, new_file):
    clock, path = Clock(), new_file()
    options = {"clock": clock, "zone": ZoneInfo("Europe/Zurich")}
    with keepgraph.open(path, **options) as graph:
        call = Caller(graph)
        call.record(person("Ada Lovelace"), "works_on", project("Analytical Engine"))
        call.record(project("Analytical Engine"), "tagged", literal("iron"))
        answers(graph)
        for each in calls:
            clock.pass_by(minutes=1)
            random_calls.make(call, each)
            patched = answers(graph)
        with keepgraph.open(path, **options) as anew:
            built_anew = answers(anew)

        assert built_anew == patched
