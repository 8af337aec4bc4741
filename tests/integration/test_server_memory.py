"""Memory of a server: what calls leave behind has a bound."""

from __future__ import annotations

import functools
import gc

import pytest

from keepgraph import allocator, background
from keepgraph.cypher import table_graph
from keepgraph.language import given_names


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


def test_free_memory_is_given_back_on_every_system():
    allocator.release_free_memory()

    assert allocator._library() is None or allocator._library().malloc_trim


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
