"""The layout keeps parts apart, members together and equally dense, and never moves what has a place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.arrays import graph_layout
from keepgraph.arrays.graph_layout import SPACING, LayoutGraph
from laws import examples


def random_graph(seed: int, *, nodes: int = 60, edges: int = 120, parts: int = 5) -> LayoutGraph:
    """Most edges are within the parts; some nodes have none."""
    random = np.random.default_rng(seed)
    labels = np.unique(random.integers(0, parts, nodes), return_inverse=True)[1]
    ends = random.integers(0, nodes, (2, edges))
    keep = (ends[0] != ends[1]) & ((labels[ends[0]] == labels[ends[1]]) | (random.random(edges) < 0.2))
    low, high = np.minimum(*ends)[keep], np.maximum(*ends)[keep]
    pairs = np.unique(low * nodes + high)
    return LayoutGraph(pairs // nodes, pairs % nodes, random.random(len(pairs)) + 0.1, labels)


def distances(positions: np.ndarray) -> np.ndarray:
    return np.hypot(*(positions[:, None, :] - positions[None, :, :]).transpose(2, 0, 1))


graphs = st.builds(
    random_graph, st.integers(0, 10_000), nodes=st.integers(1, 80), edges=st.integers(0, 150), parts=st.integers(1, 12)
)


@examples(15, sweep=300)
@given(graphs)
def test_every_node_has_a_place_of_its_own(graph):
    positions = graph_layout.lay_out(graph)
    apart = distances(positions) + np.eye(len(graph)) * 1e9

    assert positions.shape == (len(graph), 2)
    assert np.isfinite(positions).all()
    assert apart.min() > 0.75 * SPACING


@examples(15, sweep=300)
@given(graphs)
def test_parts_do_not_overlap(graph):
    """
    Who is nearest to the middle of a part is of this part.
    """
    positions = graph_layout.lay_out(graph)
    middles = np.stack([positions[graph.parts == part].mean(axis=0) for part in range(graph.parts.max() + 1)])
    reach = [np.hypot(*(positions[graph.parts == part] - middle).T).max() for part, middle in enumerate(middles)]
    between = distances(middles)

    for first in range(len(middles)):
        for second in range(first):
            assert between[first, second] >= reach[first] + reach[second]


@examples(5, sweep=50)
@given(graphs)
def test_the_same_graph_gives_the_same_picture(graph):
    assert np.array_equal(graph_layout.lay_out(graph), graph_layout.lay_out(graph))


@examples(15, sweep=300)
@given(graphs, st.integers(0, 10_000), st.floats(0, 1))
def test_what_has_a_place_stays_there_and_what_is_new_gets_a_free_one(graph, seed, share):
    known = graph_layout.lay_out(graph)
    is_new = np.random.default_rng(seed).random(len(graph)) < share
    known[is_new] = np.nan
    positions = graph_layout.place_new(graph, known)
    apart = distances(positions) + np.eye(len(graph)) * 1e9

    assert np.array_equal(positions[~is_new], known[~is_new])
    assert np.isfinite(positions).all()
    assert apart.min() > 0


def test_what_is_new_stands_beside_its_neighbours():
    graph = random_graph(1, nodes=200, edges=600)
    known = graph_layout.lay_out(graph)
    new = int(np.bincount(graph.sources, minlength=200).argmax())
    before = known[new].copy()
    known[new] = np.nan
    neighbours = np.concatenate([graph.targets[graph.sources == new], graph.sources[graph.targets == new]])
    middle = known[neighbours].mean(axis=0)
    placed = graph_layout.place_new(graph, known)[new]

    assert np.hypot(*(placed - middle)) < 6 * SPACING
    assert np.isfinite(before).all()


def test_parts_with_much_in_common_are_nearer():
    """
    A chain of parts: neighbours are nearer to each other, on average, than those that nothing connects.
    """
    members, links = 20, 10
    parts = np.repeat(np.arange(5), members)
    inside = [(part * members + n, part * members + (n + 1) % members) for part in range(5) for n in range(members)]
    between = [(part * members + n, (part + 1) * members + n) for part in range(4) for n in range(links)]
    ends = np.array(sorted({(min(pair), max(pair)) for pair in inside + between})).T
    positions = graph_layout.lay_out(LayoutGraph(ends[0], ends[1], np.ones(ends.shape[1]), parts))
    middles = np.stack([positions[parts == part].mean(axis=0) for part in range(5)])
    between_middles = distances(middles)

    connected = np.abs(np.subtract.outer(np.arange(5), np.arange(5))) == 1

    assert between_middles[connected].mean() < between_middles[~connected & ~np.eye(5, dtype=bool)].mean()


def test_neighbours_within_a_part_are_nearer_than_others():
    """
    A ring of nodes: who is connected stands nearer, on average, than any two.
    """
    count = 120
    sources = np.arange(count - 1)
    graph = LayoutGraph(sources, sources + 1, np.ones(count - 1), np.zeros(count, dtype=np.int64))
    positions = graph_layout.lay_out(graph)
    connected = np.hypot(*(positions[:-1] - positions[1:]).T).mean()

    assert connected < 0.75 * distances(positions).mean()


@pytest.mark.parametrize("count", [0, 1, 2])
def test_hardly_any_nodes_are_laid_out_too(count):
    nothing = np.empty(0, dtype=np.int64)
    graph = LayoutGraph(nothing, nothing, np.empty(0), np.zeros(count, dtype=np.int64))

    assert graph_layout.lay_out(graph).shape == (count, 2)
    assert np.isfinite(graph_layout.place_new(graph, np.full((count, 2), np.nan))).all()
