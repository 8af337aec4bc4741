"""Adjacency in memory: the neighbours of all nodes in flat arrays, by relationship type, for walks of many steps.

The format is compressed sparse rows (CSR): the neighbours of node n are `targets[offsets[n] : offsets[n + 1]]`. There
is one pair of arrays for each combination of types and direction; it takes 8 bytes for each relationship and for each
node. Nodes have their integer keys; a literal, whose key is a text, gets a negative number here.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

Key = int | str


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The neighbours of nodes, along relationships of some types in one direction.

    Attributes:
        of: the neighbours of one node; a neighbour comes once for each relationship to it.
        of_all: the neighbours of many nodes, as a set.
    """

    of: Callable[[Key], Iterable[Key]]
    of_all: Callable[[Collection[Key]], set[Key]]


MAX_KEY = 50_000_000
"""The offsets have an entry for each number up to the greatest key, so very large keys would waste memory."""

_MAX_CACHED_MATRICES = 8
_MIN_RELATIONSHIPS_FOR_NUMPY = 10_000
_MIN_NODES_FOR_NUMPY = 300
"""The targets of fewer nodes are collected one by one in less time."""


class TooSparse(ValueError):
    """The keys of the nodes are too large for flat arrays."""


class Adjacency:
    """The adjacency of a graph; arrays are built for the types and the direction of a walk when they are first used."""

    def __init__(self, edges: Callable[[Any], Iterator[tuple[Key, Key]]]) -> None:
        """
        Args:
            edges: gives the keys of source and target for all relationships of a type, by the code of the type.
        """
        self._read_edges = edges
        self._ends_by_code: dict[Any, tuple[array[int], array[int]]] = {}
        self._matrices: dict[tuple[frozenset[Any], str], _CompressedRows] = {}
        self._number_of_text: dict[str, int] = {}
        self._texts: list[str] = []
        self._is_complete = False

    def complete(self, codes: Iterable[Any]) -> None:
        """Read all relationships now; from then on no type has others, and several threads may use this.

        Args:
            codes: the codes of all types.

        Raises:
            TooSparse: a key is too large.
        """
        for code in codes:
            if code not in self._ends_by_code:
                self._ends_by_code[code] = self._read_ends(code)
        self._is_complete = True
        self._read_edges = lambda _: iter(())

    def neighbours(self, codes: frozenset[Any], direction: str) -> Neighbours:
        """The neighbours along relationships of these types.

        A relationship from a node to itself makes it its own neighbour; with the direction 'both', twice.

        Args:
            codes: the codes of the types.
            direction: 'out', 'in' or 'both'.

        Raises:
            TooSparse: a key is too large.
        """
        rows = self._matrices.get((codes, direction))
        if rows is None:
            if len(self._matrices) >= _MAX_CACHED_MATRICES:
                self._matrices.clear()
            rows = self._matrices[codes, direction] = _CompressedRows(*self._sources_and_targets(codes, direction))
        number_of_text, texts, targets_of = self._number_of_text, self._texts, rows.targets_of

        def of(node: Key) -> Iterable[Key]:
            number = number_of_text.get(node, MAX_KEY) if isinstance(node, str) else node
            return [target if target >= 0 else texts[-1 - target] for target in targets_of(number)]

        def of_all(nodes: Collection[Key]) -> set[Key]:
            numbers = [number_of_text.get(node, MAX_KEY) if isinstance(node, str) else node for node in nodes]
            if len(nodes) >= _MIN_NODES_FOR_NUMPY:
                targets, of_texts = rows.targets_of_all(numbers)
                targets.update(texts[-1 - target] for target in of_texts)
                return targets
            reached: set[Any] = set()
            for number in numbers:
                reached.update(targets_of(number))
            return {target if target >= 0 else texts[-1 - target] for target in reached} if texts else reached

        return Neighbours(of, of_all)

    def _sources_and_targets(self, codes: frozenset[Any], direction: str) -> tuple[array[int], array[int]]:
        """The sources and the targets of all relationships of these types, as they are followed in this direction."""
        sources, targets = array("l"), array("l")
        for code in sorted(codes, key=str):
            if code not in self._ends_by_code:
                if self._is_complete:
                    continue
                self._ends_by_code[code] = self._read_ends(code)
            starts, ends = self._ends_by_code[code]
            if direction != "in":
                sources.extend(starts)
                targets.extend(ends)
            if direction != "out":
                sources.extend(ends)
                targets.extend(starts)
        return sources, targets

    def _read_ends(self, code: Any) -> tuple[array[int], array[int]]:
        starts, ends = array("l"), array("l")
        for start, end in self._read_edges(code):
            starts.append(self._number(start))
            ends.append(self._number(end))
        return starts, ends

    def _number(self, key: Key) -> int:
        if isinstance(key, int):
            if not 0 <= key < MAX_KEY:
                raise TooSparse
            return key
        number = self._number_of_text.get(key)
        if number is None:
            self._texts.append(key)
            number = self._number_of_text[key] = -len(self._texts)
        return number


class _CompressedRows:
    """The targets of each source, in compressed sparse rows; those of literals in a dictionary."""

    __slots__ = ("_offsets", "_targets", "_targets_of_texts")

    def __init__(self, sources: array[int], targets: array[int]) -> None:
        self._targets_of_texts: dict[int, list[int]] = {}
        if len(sources) >= _MIN_RELATIONSHIPS_FOR_NUMPY:
            self._sort_by_source(sources, targets)
            return
        node_count = max(0, max(sources, default=-1) + 1)
        # Count the targets of each source, sum the counts to offsets, and then fill in the targets from there.
        positions = [0] * (node_count + 1)
        for source, target in zip(sources, targets, strict=True):
            if source >= 0:
                positions[source + 1] += 1
            else:
                self._targets_of_texts.setdefault(source, []).append(target)
        positions = list(accumulate(positions))
        self._offsets = array("l", positions)
        self._targets = array("l", bytes(array("l").itemsize * positions[-1]))
        for source, target in zip(sources, targets, strict=True):
            if source >= 0:
                self._targets[positions[source]] = target
                positions[source] += 1

    def _sort_by_source(self, sources: array[int], targets: array[int]) -> None:
        import numpy as np

        of, to = np.frombuffer(sources, dtype="l"), np.frombuffer(targets, dtype="l")
        rows = of >= 0
        for source, target in zip(of[~rows].tolist(), to[~rows].tolist(), strict=True):
            self._targets_of_texts.setdefault(source, []).append(target)
        of, to = of[rows], to[rows]
        offsets = np.zeros(int(of.max(initial=-1)) + 2, dtype="l")
        np.cumsum(np.bincount(of, minlength=len(offsets) - 1), out=offsets[1:])
        self._offsets = array("l", offsets.tobytes())
        self._targets = array("l", to[np.argsort(of, kind="stable")].tobytes())

    def targets_of(self, node: int) -> Iterable[int]:
        if 0 <= node < len(self._offsets) - 1:
            return self._targets[self._offsets[node] : self._offsets[node + 1]]
        return self._targets_of_texts.get(node, ())

    def targets_of_all(self, nodes: list[int]) -> tuple[set[Any], set[int]]:
        """The targets of many nodes, each once: those with integer keys, and the numbers of the literals."""
        import numpy as np

        numbers = np.array(nodes, dtype=np.int64)
        texts = numbers[numbers < 0].tolist() if self._targets_of_texts else []
        targets: set[Any] = set().union(*(self._targets_of_texts.get(text, ()) for text in texts))
        of_texts = {target for target in targets if target < 0}
        targets -= of_texts
        numbers = numbers[(numbers >= 0) & (numbers < len(self._offsets) - 1)]
        if len(numbers) and len(self._targets):
            offsets, ends = np.frombuffer(self._offsets, dtype="l"), np.frombuffer(self._targets, dtype="l")
            starts = offsets[numbers]
            counts = offsets[numbers + 1] - starts
            positions = np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
            reached = ends[positions]
            least = int(reached.min(initial=0))
            is_reached = np.zeros(int(reached.max(initial=0)) - least + 1, dtype=bool)
            is_reached[reached - least] = True
            distinct = np.flatnonzero(is_reached) + least
            targets.update(distinct[distinct >= 0].tolist())
            of_texts.update(distinct[distinct < 0].tolist())
        return targets, of_texts
