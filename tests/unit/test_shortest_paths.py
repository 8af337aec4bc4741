"""The k shortest paths of a graph of facts, compared with networkx on generated multigraphs."""

from __future__ import annotations

from itertools import islice

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.arrays import shortest_paths
from keepgraph.arrays.fact_graph import FactColumns, FactGraph
from keepgraph.arrays.shortest_paths import Rules

OPEN = np.iinfo(np.int64)
NODES = st.integers(1, 9)
EDGES = st.lists(st.tuples(NODES, NODES, st.integers(1, 3)), min_size=1, max_size=24)


def graph_of(edges: list[tuple[int, int, int]], valid_to: dict[int, int] | None = None) -> FactGraph:
    """Sources, targets and predicates; `valid_to` by the position of the edge."""
    columns = np.array(edges, dtype=np.int64).reshape(-1, 3)
    ends = np.full(len(edges), OPEN.max, dtype=np.int64)
    for position, end in (valid_to or {}).items():
        ends[position] = end
    return FactGraph(
        FactColumns(
            facts=np.arange(1, len(edges) + 1),
            sources=columns[:, 0],
            targets=columns[:, 1],
            predicates=columns[:, 2],
            valid_from=np.full(len(edges), OPEN.min, dtype=np.int64),
            valid_to=ends,
        )
    )


def rules(graph: FactGraph, *, max_hops: int = 6, **options) -> Rules:
    defaults = {"facts": None, "avoided": None, "costs": np.zeros(len(graph), dtype=np.int64)}
    return Rules(max_hops=max_hops, **{**defaults, **options})


@given(
    EDGES,
    st.data(),
    st.integers(1, 6),
    st.sets(st.integers(1, 3), min_size=1),
    st.lists(st.integers(0, 5), min_size=9, max_size=9),
)
def test_all_paths_are_those_of_networkx_in_the_order_of_length_and_cost(edges, data, max_hops, predicates, costs):
    graph = graph_of(edges)
    keys = [int(key) for key in graph.keys]
    if len(keys) < 2:
        return
    start, end = data.draw(st.lists(st.sampled_from(keys), min_size=2, max_size=2, unique=True))
    avoided = data.draw(st.sets(st.sampled_from(keys)))
    simple = networkx.Graph((a, b) for a, b, predicate in edges if a != b and predicate in predicates)
    simple.add_nodes_from([start, end])
    simple.remove_nodes_from(list(avoided - {start, end}))

    found = shortest_paths.find(
        graph,
        keys.index(start),
        keys.index(end),
        rules=Rules(
            max_hops=max_hops,
            facts=graph.mask(predicates=frozenset(predicates)),
            avoided=np.array([key in avoided for key in keys]),
            costs=np.array(costs[: len(keys)], dtype=np.int64),
        ),
    )
    actual = [tuple(keys[node] for node in path) for path in found]

    def rank(path: tuple[int, ...]) -> tuple[int, int]:
        return len(path), sum(costs[keys.index(node)] for node in path[1:-1])

    expected = [tuple(path) for path in networkx.all_simple_paths(simple, start, end, cutoff=max_hops)]
    assert sorted(actual) == sorted(expected)
    assert [rank(path) for path in actual] == sorted(map(rank, expected))


@given(EDGES, st.sets(st.integers(0, 23)), st.integers(-5, 5))
def test_the_mask_of_an_instant_is_of_the_facts_that_hold_then(edges, ended, at):
    graph = graph_of(edges, {position: 0 for position in ended if position < len(edges)})
    mask = graph.mask(at=at)
    followed = (
        {1 + int(p) for p in np.flatnonzero(mask)} if mask is not None else set(range(1, len(graph.columns.facts) + 1))
    )

    expected = {int(row) for row in graph.columns.facts if at < 0 or int(row) - 1 not in ended}
    rows = {int(graph.columns.facts[position - 1]) for position in followed}
    assert rows == expected


@given(EDGES)
def test_degrees_count_different_neighbours(edges):
    graph = graph_of(edges)
    simple = networkx.Graph((a, b) for a, b, _ in edges if a != b)

    assert {int(k): int(d) for k, d in zip(graph.keys, graph.degrees, strict=True)} == dict(simple.degree)


def test_paths_are_found_only_when_they_are_asked_for():
    """
    A complete graph of 60 nodes has more paths than could ever be listed.
    """
    graph = graph_of([(a, b, 1) for a in range(1, 61) for b in range(a + 1, 61)])
    found = list(islice(shortest_paths.find(graph, 0, 59, rules=rules(graph)), 100))

    assert [len(path) for path in found] == [2, *[3] * 58, *[4] * 41]


def test_a_check_ends_a_search():
    graph = graph_of([(node, node + 1, 1) for node in range(1, 50)])

    def stop() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        list(shortest_paths.find(graph, 0, 49, rules=rules(graph, max_hops=60, check=stop)))


def test_a_node_has_the_path_of_itself():
    graph = graph_of([(1, 2, 1)])

    assert list(shortest_paths.find(graph, 0, 0, rules=rules(graph))) == [(0,)]


def test_facts_between_two_nodes_are_all_there():
    graph = graph_of([(1, 2, 1), (2, 1, 2), (1, 3, 1), (1, 2, 1), (2, 2, 1)])
    rows = [int(graph.columns.facts[edge]) for edge in graph.between(0, 1, None)]

    assert rows == [1, 2, 4]
