"""Cycle paths: the way back by which a fact closes a cycle of its predicate, found within a bound."""

from __future__ import annotations

from collections.abc import Mapping

from keepgraph import store
from keepgraph.store.transactions import Tx

MAX_VISITED = 500
"""So many entities are visited in search of a cycle that a fact closes; a longer one is left to the search of all."""


def find(tx: Tx, start: int, end: int, *, predicate: int, now: str) -> list[int]:
    """The facts of a shortest way from an entity to another along a predicate, by row; empty if there is none.

    It is searched from both ends, each time from the side with fewer entities (bidirectional breadth-first search).
    """
    forward: dict[int, tuple[int, int]] = {start: (0, 0)}
    backward: dict[int, tuple[int, int]] = {end: (0, 0)}
    frontiers = {True: [start], False: [end]}
    while all(frontiers.values()) and len(forward) + len(backward) < MAX_VISITED:
        outward = len(frontiers[True]) <= len(frontiers[False])
        reached, others = (forward, backward) if outward else (backward, forward)
        edges = store.conflicts.neighbours_of(
            tx, frontiers[outward], predicate=predicate, outward=outward, now=now, limit=MAX_VISITED
        )
        frontier: list[int] = []
        for near, far, row in edges:
            if far in reached:
                continue
            reached[far] = (near, row)
            if far in others:
                return _rows_of_way(forward, far)[::-1] + _rows_of_way(backward, far)
            frontier.append(far)
        frontiers[outward] = frontier
    return []


def _rows_of_way(reached: Mapping[int, tuple[int, int]], node: int) -> list[int]:
    rows = []
    while (step := reached[node])[1]:
        node = step[0]
        rows.append(step[1])
    return rows
