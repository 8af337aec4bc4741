"""Memory of a server: what calls leave behind has a bound."""

from __future__ import annotations

import functools
import gc
import threading

import pytest

from keepgraph import background
from keepgraph.cypher import table_graph
from keepgraph.engine.query import graph_catalogue
from keepgraph.language import given_names
from keepgraph.store import vector_search
from keepgraph.store.derived_tables import FACT_VECTORS
from words import person, project


@pytest.fixture
def look(graph, monkeypatch):
    """Let the server look at once for what nobody uses; how many idle connections there are afterwards."""
    monkeypatch.setattr(background, "_MEMORY_SECONDS", -1)
    task = background._Memory(graph)

    def look():
        task()
        return len(graph.database._readers._idle)

    return look


def test_connections_of_calls_at_once_are_closed_again_but_for_one(graph, look):
    with graph.database.read("one"), graph.database.read("two"), graph.database.read("three"):
        pass

    assert [look(), look()] == [3, 1]
    assert graph.call("get_status")["facts"] == 0


def test_connections_that_are_used_again_and_again_stay(graph, look):
    counts = []
    for _ in range(3):
        with graph.database.read("one"), graph.database.read("two"):
            pass
        counts.append(look())

    assert counts == [2, 2, 2]


def test_arrays_are_there_once_a_walk_needs_them_and_until_none_does(graph, call, monkeypatch):
    monkeypatch.setattr(table_graph, "_MIN_WORK_BEFORE_ARRAYS", -1)
    monkeypatch.setattr(graph_catalogue, "MIN_FACTS", 0)
    call.record(person("Ada Lovelace"), "works_on", project("Analytical Engine"))
    task = background.AdjacencyArrays(graph, threading.Event())

    def shared():
        task()
        return any("arrays" in key and "uses" not in key for key in graph.database._shared_cache)

    before = shared()
    graph.call("run_cypher", query="MATCH (a)-[*1..3]->(b) RETURN count(DISTINCT b)")
    needed = shared()
    monkeypatch.setattr(background, "_IDLE_SECONDS", 0)

    assert [before, needed, shared()] == [False, True, False]


def test_signs_are_there_once_somebody_searches_and_until_nobody_does(graph, monkeypatch):
    task = background.VectorSigns(graph)

    def loaded():
        task()
        with graph.database.read("search") as tx:
            return vector_search.of_snapshot(tx, FACT_VECTORS) is not None

    before = loaded()
    with graph.database.read("search") as tx:
        vector_search.note_search(tx)
    searched = loaded()
    monkeypatch.setattr(background, "_IDLE_SECONDS", 0)

    assert [before, searched, loaded()] == [False, True, False]


def test_free_memory_is_given_back_on_every_system():
    background.release_free_memory()

    assert background._library() is None or background._library().malloc_trim


def test_statements_of_properties_that_queries_invent_are_not_kept_for_ever(monkeypatch):
    monkeypatch.setattr(table_graph, "_MAX_STATEMENTS", 3)
    cache = table_graph.StatementCache(None)
    built = [cache.get_or_build(number, lambda number=number: [number]) for number in range(5)]

    assert built == [[number] for number in range(5)]
    assert len(cache._entries) <= 3


def test_caches_of_words_have_a_bound():
    """
    A cache without a bound is for what the program itself names; names and words come from whoever calls.
    """
    given_names.nicknames("ada")
    without = {
        f"{cached.__module__}.{cached.__qualname__}"
        for cached in gc.get_objects()
        if isinstance(cached, functools._lru_cache_wrapper)
        and cached.__module__.startswith("keepgraph.language")
        and cached.cache_info().maxsize is None
        and cached.__wrapped__.__code__.co_argcount
    }

    assert without <= {"keepgraph.language.lexicons.words", "keepgraph.language.first_person._words"}
