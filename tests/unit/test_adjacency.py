"""The neighbours of many nodes together are those of each of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.arrays import adjacency
from laws import examples

keys = st.one_of(st.integers(0, 12), st.sampled_from(["=iron", "=brass"]))


@pytest.fixture(autouse=True, params=[0, 100], ids=["numpy", "python"])
def arrays_for_few_nodes(monkeypatch, request):
    monkeypatch.setattr(adjacency, "_MIN_NODES_FOR_NUMPY", 0)
    monkeypatch.setattr(adjacency, "_MIN_RELATIONSHIPS_FOR_NUMPY", request.param)


@examples(50, sweep=2_000)
@given(
    edges=st.lists(st.tuples(keys, keys), max_size=20), nodes=st.sets(keys), direction=st.sampled_from(["out", "in"])
)
def test_many_nodes_have_the_neighbours_of_each(edges, nodes, direction):
    neighbours = adjacency.Adjacency(lambda _: iter(edges)).neighbours(frozenset([1]), direction)
    each = {
        end if direction == "out" else start for start, end in edges if (start if direction == "out" else end) in nodes
    }

    assert each == neighbours.of_all(nodes)
