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


_MAX_NODES_PATCHED = 1_000
"""The rows of more nodes than this are sorted faster all together."""


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

    def select(self, rows: Integers | Mask) -> FactColumns:
        """Some of the facts, by position or by mask."""
        return FactColumns(*(getattr(self, name)[rows] for name in _COLUMNS))

    def replace(self, removed: Integers, inserted: FactColumns) -> FactColumns:
        """The columns without the facts at some positions, with others at their places in the order of facts."""
        kept = np.delete(self.facts, removed) if len(removed) else self.facts
        places = np.searchsorted(kept, inserted.facts)
        columns = []
        for name in _COLUMNS:
            column = getattr(self, name)
            column = np.delete(column, removed) if len(removed) else column
            columns.append(np.insert(column, places, getattr(inserted, name)))
        return FactColumns(*columns)


_COLUMNS = ("facts", "sources", "targets", "predicates", "valid_from", "valid_to")


class FactGraph:
    """The facts between nodes, to be followed in both directions.

    Attributes:
        columns: the facts, those of a node with itself left out.
        keys: the keys of the nodes, ascending, each once.
        sources, targets: the numbers of the nodes at the ends of each fact.
        offsets, ends, edges: the compressed sparse rows; `edges` are positions in the columns.
    """

    def __init__(self, columns: FactColumns) -> None:
        self.columns = columns.select(columns.sources != columns.targets)
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

    def patch(self, changed: Integers, current: FactColumns) -> FactGraph:
        """The graph after some facts were changed: equal to a new one, in the time of a few copies of the arrays.

        Args:
            changed: the row numbers of all facts that were inserted, updated or deleted, ascending.
            current: those of them that are in the graph now, in the order of row numbers.
        """
        current = current.select(current.sources != current.targets)
        positions = np.searchsorted(self.columns.facts, changed)
        is_old = positions < len(self.columns.facts)
        is_old[is_old] = self.columns.facts[positions[is_old]] == changed[is_old]
        removed = positions[is_old]
        old = self.columns.select(removed)
        columns = self.columns.replace(removed, current)
        touched = np.unique(np.concatenate([old.sources, old.targets, current.sources, current.targets]))
        if len(touched) > _MAX_NODES_PATCHED:
            return FactGraph(columns)
        return self._with_rows(columns, removed, np.searchsorted(columns.facts, current.facts), touched)

    def _with_rows(self, columns: FactColumns, removed: Integers, inserted: Integers, touched: Integers) -> FactGraph:
        """The graph of other columns, with the rows of some nodes sorted again and the other rows unchanged.

        Args:
            removed: positions in the columns of this graph.
            inserted: positions in the other columns.
            touched: the keys of the nodes at the ends of these facts, ascending.
        """
        graph = FactGraph.__new__(FactGraph)
        graph.columns = columns
        new_edge = _renumbering(len(self.columns.facts), removed, inserted)
        edges_of = [self._edges_after(int(key), columns, new_edge, inserted) for key in touched]
        has_facts = np.array([len(edges) > 0 for edges in edges_of], dtype=bool)
        was_there = np.isin(touched, self.keys)
        gone = np.searchsorted(self.keys, touched[was_there & ~has_facts])
        kept = np.delete(self.keys, gone)
        fresh = touched[has_facts & ~was_there]
        graph.keys = np.insert(kept, np.searchsorted(kept, fresh), fresh)
        new_number = _renumbering(len(self.keys), gone, np.searchsorted(graph.keys, fresh))
        ends = _map(self.ends, new_number)
        edges = _map(self.edges, new_edge)
        end_parts, edge_parts, position = [], [], 0
        degrees = np.zeros(len(graph.keys), dtype=np.int64)
        counts = np.zeros(len(graph.keys), dtype=np.int64)
        is_kept = new_number >= 0
        counts[new_number[is_kept]] = np.diff(self.offsets)[is_kept]
        if "degrees" in self.__dict__:
            degrees[new_number[is_kept]] = self.degrees[is_kept]
        for key, of_node in zip(touched, edges_of, strict=True):
            old = int(np.searchsorted(self.keys, key))
            is_old = old < len(self.keys) and self.keys[old] == key
            end_parts.append(ends[position : self.offsets[old]])
            edge_parts.append(edges[position : self.offsets[old]])
            position = self.offsets[old + 1] if is_old else self.offsets[old]
            if not len(of_node):
                continue
            is_source = columns.sources[of_node] == key
            others = np.searchsorted(
                graph.keys, np.where(is_source, columns.targets[of_node], columns.sources[of_node])
            )
            order = np.lexsort((of_node, ~is_source, others))
            end_parts.append(others[order])
            edge_parts.append(of_node[order])
            number = np.searchsorted(graph.keys, key)
            counts[number], degrees[number] = len(of_node), len(np.unique(others))
        graph.ends = np.concatenate([*end_parts, ends[position:]])
        graph.edges = np.concatenate([*edge_parts, edges[position:]])
        graph.offsets = np.concatenate([[0], np.cumsum(counts)])
        graph.sources = _replace(_map(self.sources, new_number), removed, inserted, graph.keys, columns.sources)
        graph.targets = _replace(_map(self.targets, new_number), removed, inserted, graph.keys, columns.targets)
        if "degrees" in self.__dict__:
            graph.degrees = degrees
        return graph

    def _edges_after(self, key: int, columns: FactColumns, new_edge: Integers, inserted: Integers) -> Integers:
        """The positions of the facts of a node in other columns."""
        number = self.number(key)
        before = self.edges[:0] if number is None else self.edges[self.offsets[number] : self.offsets[number + 1]]
        kept = new_edge[before]
        is_at_node = (columns.sources[inserted] == key) | (columns.targets[inserted] == key)
        return np.concatenate([kept[kept >= 0], inserted[is_at_node]])

    def number(self, key: int) -> int | None:
        """The number of the node with this key; None if no fact connects it to another."""
        number = int(np.searchsorted(self.keys, key))
        return number if number < len(self.keys) and self.keys[number] == key else None

    def mask(self, *, predicates: frozenset[int] | None = None, at: int | None = None) -> Mask | None:
        """Which facts are of some predicates, and hold at an instant; None if all are.

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


def _renumbering(count: int, removed: Integers, inserted: Integers) -> Integers:
    """The new number of each of `count` things after removals and insertions; −1 for a removed one.

    Args:
        inserted: the numbers that the inserted ones have afterwards, ascending.
    """
    is_inserted = np.zeros(count - len(removed) + len(inserted), dtype=bool)
    is_inserted[inserted] = True
    is_kept = np.ones(count, dtype=bool)
    is_kept[removed] = False
    numbers = np.full(count, -1, dtype=np.int64)
    numbers[is_kept] = np.flatnonzero(~is_inserted)
    return numbers


def _map(numbers: Integers, new: Integers) -> Integers:
    """Numbers renumbered; as they are where none changes."""
    return numbers if np.array_equal(new, np.arange(len(new))) else new[numbers]


def _replace(numbers: Integers, removed: Integers, inserted: Integers, keys: Integers, ends: Integers) -> Integers:
    """The numbers of the nodes at one end of all facts, without those removed and with those inserted.

    Args:
        ends: the keys of the nodes at this end of all facts afterwards.
    """
    kept = np.delete(numbers, removed) if len(removed) else numbers
    # numpy.insert counts the places before anything is inserted.
    return np.insert(kept, inserted - np.arange(len(inserted)), np.searchsorted(keys, ends[inserted]))
