"""Cycles: one shortest for each strongly connected component, none where there is none."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from keepgraph.arrays import shortest_paths
from laws import examples


def find(*edges: tuple[int, int], limit: int = 100) -> list[list[int]]:
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return shortest_paths.find_cycles(ends[:, 0], ends[:, 1], limit=limit)


def test_what_has_no_cycle_has_none():
    assert find() == []
    assert find((1, 2), (2, 3), (1, 3), (3, 4)) == []
    assert find((5, 5)) == []


def test_a_shortest_cycle_of_each_component_is_given_in_order():
    assert find((1, 2), (2, 3), (3, 1)) == [[1, 2, 3]]
    assert find((7, 8), (8, 7), (1, 2), (2, 3), (3, 4), (4, 1), (3, 1), (4, 7)) == [[1, 2, 3], [7, 8]]
    assert find((7, 8), (8, 7), (1, 2), (2, 1), limit=1) == [[1, 2]]


def test_a_long_chain_and_a_long_circle_are_no_burden():
    chain = [(number, number + 1) for number in range(3_000)]

    assert find(*chain) == []
    assert [len(cycle) for cycle in find(*chain, (3_000, 0))] == [3_001]


@examples(50, sweep=2_000)
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20))
def test_there_is_a_cycle_exactly_if_a_node_reaches_itself_and_each_is_one(edges):
    reached = {(one, other) for one, other in edges if one != other}
    for _ in range(8):
        reached |= {(one, end) for one, middle in reached for start, end in reached if middle == start}
    found = find(*edges)

    assert bool(found) == any(one == other for one, other in reached)
    for cycle in found:
        assert len(cycle) == len(set(cycle)) > 1
        assert all(step in edges for step in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
