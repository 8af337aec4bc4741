"""Community detection over arrays: what is planted is found, what is asked twice is answered alike."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keepgraph.arrays import community_detection, weighted_graph
from keepgraph.arrays.weighted_graph import WeightedGraph

EDGES = st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25), st.integers(1, 4)), max_size=80)
METHODS = {
    "leiden": lambda graph: community_detection.find_by_leiden(graph, seed=1),
    "label propagation": lambda graph: community_detection.propagate_labels(graph, seed=1),
}
each_method = pytest.mark.parametrize("divide", METHODS.values(), ids=METHODS)


def graph_of(edges: list[tuple[int, int, int]]) -> WeightedGraph:
    columns = np.array(edges, dtype=np.int64).reshape(-1, 3)
    return weighted_graph.build(columns[:, 0], columns[:, 1], columns[:, 2].astype(float))


def planted(nodes: int, parts: int, edges: int, inside: float, *, seed: int) -> tuple[WeightedGraph, np.ndarray]:
    """Random edges, so many of them between two nodes of one part; with the part of each node."""
    generator = np.random.default_rng(seed)
    sources = generator.integers(0, nodes, edges)
    targets = generator.integers(0, nodes, edges)
    size = nodes // parts
    of_part = (sources // size * size + generator.integers(0, size, edges)).clip(max=nodes - 1)
    targets = np.where(generator.random(edges) < inside, of_part, targets)
    graph = weighted_graph.build(sources, targets, np.ones(edges))
    return graph, graph.keys // size


def mutual_information(one: np.ndarray, other: np.ndarray) -> float:
    """Normalised by the mean of the entropies."""
    pairs = Counter(zip(one.tolist(), other.tolist(), strict=True))
    ones, others, count = Counter(one.tolist()), Counter(other.tolist()), len(one)

    def entropy(counts: Counter) -> float:
        return -sum(n / count * math.log(n / count) for n in counts.values())

    common = sum(n / count * math.log(n * count / ones[a] / others[b]) for (a, b), n in pairs.items())
    return 2 * common / (entropy(ones) + entropy(others))


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    ("nodes", "parts", "edges", "inside"), [(500, 5, 3_000, 0.7), (1_000, 50, 8_000, 0.7), (3_000, 300, 20_000, 0.8)]
)
def test_planted_communities_are_found_large_and_small(nodes, parts, edges, inside):
    graph, truth = planted(nodes, parts, edges, inside, seed=3)

    assert mutual_information(truth, community_detection.detect(graph, seed=0).labels) >= 0.9


@settings(max_examples=60, deadline=None)
@given(EDGES)
def test_leiden_is_never_below_label_propagation(edges):
    graph = graph_of(edges)
    found, propagated = (weighted_graph.modularity(graph, divide(graph)) for divide in METHODS.values())

    assert found >= propagated - 1e-9


@each_method
@settings(max_examples=30, deadline=None)
@given(edges=EDGES)
def test_every_node_is_in_one_part_and_the_same_seed_gives_the_same(divide, edges):
    graph = graph_of(edges)
    labels = divide(graph)

    assert labels.tolist() == divide(graph).tolist()
    assert sorted(set(labels.tolist())) == list(range(len(set(labels.tolist()))))
    assert len(labels) == len(graph)


@each_method
def test_two_edges_between_one_pair_end(divide):
    graph = graph_of([(1, 2, 1), (2, 1, 1)])

    assert divide(graph).tolist() == [0, 0]


@each_method
def test_what_is_not_connected_is_never_together(divide):
    graph = graph_of([(1, 2, 1), (2, 3, 1), (1, 3, 1), (7, 8, 1), (8, 9, 1), (7, 9, 1)])

    assert divide(graph).tolist() == [0, 0, 0, 1, 1, 1]


def test_without_the_package_labels_are_propagated_and_the_method_says_so(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "graspologic_native", None)
    division = community_detection.detect(graph_of([(1, 2, 1), (2, 3, 1), (1, 3, 1)]), seed=0)

    assert (division.method, division.labels.tolist()) == ("label_propagation", [0, 0, 0])


def test_edges_of_one_pair_are_added_and_loops_left_out():
    graph = graph_of([(5, 3, 1), (3, 5, 2), (3, 3, 9)])

    assert (graph.keys.tolist(), graph.ends.tolist(), graph.weights.tolist()) == ([3, 5], [1, 0], [3.0, 3.0])


def test_only_what_goes_to_a_hub_weighs_less():
    star = [(0, leaf, 1) for leaf in range(1, 101)] + [(1, 2, 1)]
    damped = weighted_graph.damp_hubs(graph_of(star), percentile=99, min_degree=30)

    assert max(damped.weights[: damped.offsets[1]]) < 0.5
    assert damped.weights[damped.offsets[1] : damped.offsets[2]].tolist()[1] == 1.0


@settings(max_examples=40, deadline=None)
@given(EDGES, st.integers(0, 3))
def test_modularity_is_that_of_networkx(edges, seed):
    networkx = pytest.importorskip("networkx")
    graph = graph_of(edges)
    labels = community_detection.propagate_labels(graph, seed=seed)
    if not len(graph):
        return
    known = networkx.Graph()
    known.add_weighted_edges_from(zip(graph.owners.tolist(), graph.ends.tolist(), graph.weights.tolist(), strict=True))
    parts = [set(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())]

    assert networkx.community.modularity(known, parts) == pytest.approx(weighted_graph.modularity(graph, labels))


def test_a_set_is_continued_by_the_one_that_has_most_of_it():
    old = {10: [1, 2, 3, 4], 20: [5, 6, 7]}
    new = [[1, 2], [3, 4, 8, 9, 10, 11], [5, 6, 7, 12], [90, 91]]

    assert community_detection.match(old, new, least=0.25) == {0: 10, 2: 20}
