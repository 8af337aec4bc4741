"""A graph of facts as arrays: who is connected to whom by which fact, in compressed sparse rows.

The format is that of Scott and Corasick ("CSR"): the facts of node n are `edges[offsets[n] : offsets[n + 1]]`, and the
nodes at their other ends are `ends[offsets[n] : offsets[n + 1]]`. Each fact is there from both of its ends; a fact of a
node with itself is left out. Nodes are numbered from 0 in the order of their keys.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class FactColumns:
    """Facts between nodes, a column for each property, all of the same length.

    Attributes:
        facts: the row numbers of the facts.
        sources, targets: the keys of their ends.
        predicates: the row numbers of their predicates.
        valid_from, valid_to: in microseconds since 1970; the ends of the range of int64 where a validity is open.
    """

    facts: Integers
    sources: Integers
    targets: Integers
    predicates: Integers
    valid_from: Integers
    valid_to: Integers


class FactGraph:
    """The facts between nodes, to be followed in both directions.

    Attributes:
        columns: the facts, those of a node with itself left out.
        keys: the keys of the nodes, ascending, each once.
        sources, targets: the numbers of the nodes at the ends of each fact.
        offsets, ends, edges: the compressed sparse rows; `edges` are positions in the columns.
    """

    def __init__(self, columns: FactColumns) -> None:
        proper = columns.sources != columns.targets
        self.columns = FactColumns(
            *(
                getattr(columns, name)[proper]
                for name in ("facts", "sources", "targets", "predicates", "valid_from", "valid_to")
            )
        )
        count = len(self.columns.facts)
        both_ends = np.concatenate([self.columns.sources, self.columns.targets])
        self.keys, numbers = np.unique(both_ends, return_inverse=True)
        self.sources, self.targets = numbers[:count], numbers[count:]
        other_ends = np.concatenate([self.targets, self.sources])
        # By owner, then by other end, then by fact: neighbours that are connected by several facts stand together.
        order = np.argsort(numbers * np.int64(max(len(self.keys), 1)) + other_ends, kind="stable")
        self.ends = other_ends[order]
        self.edges = np.concatenate([np.arange(count), np.arange(count)])[order]
        self.offsets = np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=len(self.keys)))])

    def __len__(self) -> int:
        return len(self.keys)

    @cached_property
    def degrees(self) -> Integers:
        """The number of different neighbours of each node."""
        owners = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        is_first = np.ones(len(owners), dtype=bool)
        is_first[1:] = (owners[1:] != owners[:-1]) | (self.ends[1:] != self.ends[:-1])
        return np.bincount(owners[is_first], minlength=len(self))

    def number(self, key: int) -> int | None:
        """The number of the node with this key; None if no fact connects it to another."""
        number = int(np.searchsorted(self.keys, key))
        return number if number < len(self.keys) and self.keys[number] == key else None

    def mask(self, *, predicates: frozenset[int] | None = None, at: int | None = None) -> Mask | None:
        """Which facts are of some predicates, and hold at an instant; None where all are.

        Args:
            predicates: row numbers; None is any.
            at: in microseconds since 1970; None is any.
        """
        mask = None
        if predicates is not None:
            mask = np.isin(self.columns.predicates, sorted(predicates))
        if at is not None:
            holds = (self.columns.valid_from <= at) & (at < self.columns.valid_to)
            mask = holds if mask is None else mask & holds
        return None if mask is None or mask.all() else mask

    def expand(self, nodes: Integers, mask: Mask | None) -> tuple[Integers, Integers, Integers]:
        """The steps from some nodes: for each the node that it leaves, the one that it reaches, and the fact.

        Args:
            mask: the facts that may be followed, by position; None is all.
        """
        starts, counts = self.offsets[nodes], self.offsets[nodes + 1] - self.offsets[nodes]
        total = int(counts.sum())
        positions = np.repeat(starts - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts) + np.arange(total)
        owners, ends, edges = np.repeat(nodes, counts), self.ends[positions], self.edges[positions]
        if mask is None:
            return owners, ends, edges
        allowed = mask[edges]
        return owners[allowed], ends[allowed], edges[allowed]

    def between(self, node: int, other: int, mask: Mask | None) -> list[int]:
        """The facts between two nodes, by position in the columns, ascending."""
        if self.offsets[node + 1] - self.offsets[node] > self.offsets[other + 1] - self.offsets[other]:
            node, other = other, node
        _, ends, edges = self.expand(np.array([node]), mask)
        return sorted(int(edge) for edge in edges[ends == other])
