"""Arrays in memory that outlive a write answer as arrays that are built anew."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given

import keepgraph
import random_calls
from homes import run_ok
from keepgraph import background
from keepgraph.cypher import table_graph
from keepgraph.engine import topology
from keepgraph.engine.query import graph_catalogue
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


def share_arrays(graph):
    """A walk needs arrays, so the background builds those that connections share."""
    answers(graph)
    background.AdjacencyArrays(graph, threading.Event())()


@pytest.fixture(autouse=True)
def arrays_from_the_start(monkeypatch):
    monkeypatch.setattr(table_graph, "_MIN_WORK_BEFORE_ARRAYS", -1)
    monkeypatch.setattr(graph_catalogue, "MIN_FACTS", 0)


@examples(6, sweep=40)
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


@examples(6, sweep=40)
@given(calls=random_calls.sequences)
def test_walks_by_shared_arrays_are_those_of_a_graph_opened_anew(calls, new_file):
    """
    The arrays are of the graph before the calls; every connection tells which of their nodes are outdated.
    """
    clock, path = Clock(), new_file()
    options = {"clock": clock, "zone": ZoneInfo("Europe/Zurich")}
    with keepgraph.open(path, **options) as graph:
        call = Caller(graph)
        call.record(person("Ada Lovelace"), "works_on", project("Analytical Engine"))
        call.record(project("Analytical Engine"), "tagged", literal("iron"))
        share_arrays(graph)
        with graph.database.read("test") as tx:
            assert graph_catalogue.cache(tx).is_built
        for each in calls:
            clock.pass_by(minutes=1)
            random_calls.make(call, each)
        shared = answers(graph)
    with keepgraph.open(path, **options) as anew:
        built_anew = answers(anew)

    assert built_anew == shared


@examples(8, sweep=60)
@given(calls=random_calls.sequences)
def test_the_fact_graph_after_any_calls_is_the_one_that_is_read_anew(calls, new_file):
    clock = Clock()
    with keepgraph.open(new_file(), clock=clock, zone=ZoneInfo("Europe/Zurich")) as graph:
        call = Caller(graph)
        call.record(person("Ada Lovelace"), "works_on", project("Analytical Engine"))
        call.record(project("Analytical Engine"), "tagged", literal("iron"))
        for each in calls:
            with graph.database.read("test") as tx:
                # The degrees are patched where they were computed.
                assert topology.read(tx).facts.degrees is not None
            clock.pass_by(minutes=1)
            random_calls.make(call, each)
            with graph.database.read("test") as tx:
                patched = arrays(topology.read(tx))
                anew = arrays(topology.read(replace(tx, connection_cache={})))

            assert anew == patched, each


@pytest.mark.parametrize("arguments", [("forget", "Grace Hopper", "--yes"), ("import", "-"), ("undo", "3")])
def test_walks_see_what_another_program_does(arguments, graph_file):
    """
    Nobody purges a graph that another has open.
    """
    lines = json.dumps({"subject": person("Grace Hopper"), "predicate": "knows", "object": person("Edsger Dijkstra")})
    with keepgraph.open(graph_file) as graph:
        call = Caller(graph)
        call.record(person("Ada Lovelace"), "works_on", project("Analytical Engine"))
        call.record(person("Ada Lovelace"), "knows", person("Grace Hopper"))
        call.record(person("Grace Hopper"), "works_on", project("Bletchley Bombe"))
        before = answers(graph)
        run_ok("--db", str(graph_file), *arguments, input=lines)
        after = answers(graph)
        with keepgraph.open(graph_file) as anew:
            built_anew = answers(anew)

    assert built_anew == after
    assert before != after


def arrays(graph):
    facts, columns = graph.facts, graph.facts.columns
    of_graph = [facts.keys, facts.sources, facts.targets, facts.offsets, facts.ends, facts.edges, facts.degrees]
    of_facts = [
        columns.facts,
        columns.sources,
        columns.targets,
        columns.predicates,
        columns.valid_from,
        columns.valid_to,
    ]
    return [each.tolist() for each in of_graph + of_facts], graph.tags, graph.key_of_tag


def test_walks_by_shared_arrays_see_new_ends_of_a_literal_and_facts_that_end(new_file):
    clock, path = Clock(), new_file()
    options = {"clock": clock, "zone": ZoneInfo("Europe/Zurich")}
    counted = "MATCH ({name: 'iron'})<-[:TAGGED|WORKS_ON*1..3]-(c:Person) RETURN count(DISTINCT c) AS c"
    tomorrow = (clock().date() + timedelta(days=1)).isoformat()
    with keepgraph.open(path, **options) as graph:
        call = Caller(graph)
        call.record(person("Ada Lovelace"), "works_on", project("Analytical Engine"), valid_to=tomorrow)
        call.record(project("Analytical Engine"), "tagged", literal("iron"))
        share_arrays(graph)
        call.record(project("Bletchley Bombe"), "tagged", literal("iron"))
        call.record(person("Alan Turing"), "works_on", project("Bletchley Bombe"))
        counts = [graph.call("run_cypher", query=counted)["result"]]
        clock.pass_by(days=2)
        with keepgraph.open(path, **options) as other:
            other.database._shared_cache = graph.database._shared_cache
            counts.append(other.call("run_cypher", query=counted)["result"])

    assert counts == [2, 1]
