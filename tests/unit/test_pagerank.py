"""Personalised PageRank and breadth-first distances, compared with plain references on generated graphs."""

from __future__ import annotations

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.arrays import weighted_graph
from keepgraph.arrays.weighted_graph import WeightedGraph
from laws import examples

NODES = range(8)
EDGES = st.dictionaries(
    st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)).filter(lambda pair: pair[0] < pair[1]),
    st.floats(0.01, 1),
    max_size=16,
)


def graph_of(edges: dict[tuple[int, int], float], *, nodes: int = len(NODES)) -> WeightedGraph:
    """All nodes are there, also those without an edge."""
    ends = np.array(list(edges), dtype=np.int64).reshape(-1, 2)
    return weighted_graph.build(ends[:, 0], ends[:, 1], np.array(list(edges.values())), nodes=np.arange(nodes))


def seeds(*nodes: int, count: int = len(NODES)) -> np.ndarray:
    weights = np.zeros(count)
    weights[list(nodes)] = 1.0
    return weights


def dense_ranks(
    edges: dict[tuple[int, int], float], start: np.ndarray, *, restart: float = 0.5, iterations: int = 50
) -> tuple[np.ndarray, int]:
    """The same by whole matrices, row by row."""
    size = len(start)
    chances = np.zeros((size, size))
    for (one, other), weight in edges.items():
        chances[one, other] = chances[other, one] = weight
    start = start / start.sum()
    for row in range(size):
        chances[row] = chances[row] / chances[row].sum() if chances[row].sum() else start
    ranks = start
    for made in range(1, iterations + 1):
        following = (1 - restart) * chances.T @ ranks + restart * start
        following = following / following.sum()
        if np.abs(following - ranks).sum() < 1e-4:
            return following, made
        ranks = following
    return ranks, iterations


def test_a_chain_ranks_by_distance_from_its_seed():
    ranks = weighted_graph.rank(graph_of({(0, 1): 1.0, (1, 2): 1.0, (2, 3): 1.0}, nodes=4), seeds(0, count=4))

    assert [round(value, 3) for value in ranks.values] == [0.578, 0.311, 0.089, 0.022]
    assert (ranks.iterations, ranks.converged) == (15, True)


@examples(40, sweep=1000)
@given(EDGES, st.sets(st.sampled_from(NODES), min_size=1), st.floats(0.1, 1))
def test_ranks_are_those_of_the_dense_iteration(edges, starts, restart):
    ranks = weighted_graph.rank(graph_of(edges), seeds(*starts), restart=restart)
    values, iterations = dense_ranks(edges, seeds(*starts), restart=restart)

    assert iterations == ranks.iterations
    assert ranks.values == pytest.approx(values, abs=1e-9)
    assert float(ranks.values.sum()) == pytest.approx(1)


def test_a_heavier_edge_leads_to_a_higher_rank():
    ranks = weighted_graph.rank(graph_of({(0, 1): 0.9, (0, 2): 0.3}), seeds(0))

    assert ranks.values[1] == pytest.approx(3 * ranks.values[2])


def test_without_a_seed_nothing_has_a_rank():
    ranks = weighted_graph.rank(graph_of({(0, 1): 1.0}), seeds())

    assert (float(ranks.values.sum()), ranks.iterations, ranks.converged) == (0.0, 0, True)


def test_a_seed_without_neighbours_keeps_its_rank():
    ranks = weighted_graph.rank(graph_of({(1, 2): 1.0}), seeds(0))

    assert ranks.values[0] == 1.0
    assert ranks.converged


def test_too_few_iterations_are_said_not_to_converge():
    ranks = weighted_graph.rank(graph_of({(0, 1): 1.0, (1, 2): 1.0}), seeds(0), max_iterations=2)

    assert (ranks.iterations, ranks.converged) == (2, False)


def test_a_cancelled_computation_ends():
    def cancel() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        weighted_graph.rank(graph_of({(0, 1): 1.0}), seeds(0), check=cancel)


@examples(40, sweep=1000)
@given(
    st.dictionaries(
        st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)).filter(lambda pair: pair[0] < pair[1]),
        st.integers(1, 2),
        max_size=16,
    ),
    st.sets(st.sampled_from(NODES), min_size=1),
    st.integers(0, 7),
)
def test_distances_are_those_of_networkx(edges, starts, limit):
    reference = networkx.Graph()
    reference.add_nodes_from(NODES)
    reference.add_weighted_edges_from((one, other, length) for (one, other), length in edges.items())
    graph = graph_of(dict.fromkeys(edges, 1.0))
    length_of = edges | {(other, one): length for (one, other), length in edges.items()}
    lengths = [length_of[pair] for pair in zip(graph.owners.tolist(), graph.ends.tolist(), strict=True)]
    distances = weighted_graph.distances(
        graph, np.array(sorted(starts)), np.array(lengths, dtype=np.int64), limit=limit
    )
    expected = networkx.multi_source_dijkstra_path_length(reference, starts, cutoff=limit)

    assert expected == {node: distance for node, distance in enumerate(distances.tolist()) if distance <= limit}
