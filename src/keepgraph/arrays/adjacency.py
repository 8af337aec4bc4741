"""The neighbours of all nodes in flat arrays, by relationship type: for walks of many steps. Knows no tables.

Compressed sparse rows: the neighbours of node n are `targets[offsets[n] : offsets[n + 1]]`, one such pair of arrays
for the types and the direction of a walk, 8 bytes a relationship and a node. A literal has a negative number here.
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
    """Who neighbours whom, along some types in one direction.

    Attributes:
        of: the nodes at the other ends of a node's relationships; one that two relationships lead to comes twice.
        of_all: those of many nodes, each at least once.
    """

    of: Callable[[Key], Iterable[Key]]
    of_all: Callable[[Collection[Key]], set[Key]]


LARGEST_KEY = 50_000_000
_LAID_AT_ONCE = 8


class TooSparse(ValueError):
    """The keys of the nodes are too large for arrays."""


class Adjacency:
    """The relationships of a graph, laid out for the types and the direction that somebody walks along."""

    def __init__(self, edges: Callable[[Any], Iterator[tuple[Key, Key]]]) -> None:
        """
        Args:
            edges: gives the ends of all relationships of a type, by its code.
        """
        self._edges = edges
        self._ends: dict[Any, tuple[array[int], array[int]]] = {}
        self._laid: dict[tuple[frozenset[Any], str], _Rows] = {}
        self._numbers: dict[str, int] = {}
        self._texts: list[str] = []

    def neighbours(self, codes: frozenset[Any], direction: str) -> Neighbours:
        """Who neighbours whom along relationships of these types.

        A relationship from a node to itself makes it its own neighbour; where the direction is 'both', twice.

        Raises:
            TooSparse: they cannot be laid in arrays.
        """
        rows = self._laid.get((codes, direction))
        if rows is None:
            if len(self._laid) >= _LAID_AT_ONCE:
                self._laid.clear()
            rows = self._laid[codes, direction] = _Rows(*self._joined(codes, direction))
        numbers, texts, of_number = self._numbers, self._texts, rows.of

        def number(node: Key) -> int:
            return numbers.get(node, LARGEST_KEY) if isinstance(node, str) else node

        def of(node: Key) -> Iterable[Key]:
            return [each if each >= 0 else texts[-1 - each] for each in of_number(number(node))]

        def of_all(nodes: Collection[Key]) -> set[Key]:
            found: set[Any] = set()
            for node in nodes:
                found.update(of_number(number(node)))
            return {each if each >= 0 else texts[-1 - each] for each in found} if texts else found

        return Neighbours(of, of_all)

    def _joined(self, codes: frozenset[Any], direction: str) -> tuple[array[int], array[int]]:
        """Where the relationships of these types lead from and to, as they are walked along."""
        sources, targets = array("l"), array("l")
        for code in sorted(codes, key=str):
            if code not in self._ends:
                self._ends[code] = self._read(code)
            starts, ends = self._ends[code]
            if direction != "in":
                sources.extend(starts)
                targets.extend(ends)
            if direction != "out":
                sources.extend(ends)
                targets.extend(starts)
        return sources, targets

    def _read(self, code: Any) -> tuple[array[int], array[int]]:
        starts, ends = array("l"), array("l")
        for start, end in self._edges(code):
            starts.append(self._number(start))
            ends.append(self._number(end))
        return starts, ends

    def _number(self, key: Key) -> int:
        if isinstance(key, int):
            if not 0 <= key < LARGEST_KEY:
                raise TooSparse
            return key
        found = self._numbers.get(key)
        if found is None:
            self._texts.append(key)
            found = self._numbers[key] = -len(self._texts)
        return found


class _Rows:
    """One type in one direction."""

    __slots__ = ("_of_texts", "_offsets", "_targets")

    def __init__(self, sources: array[int], targets: array[int]) -> None:
        nodes = max(sources, default=-1) + 1
        places = [0] * (nodes + 1)
        self._of_texts: dict[int, list[int]] = {}
        for source, target in zip(sources, targets, strict=True):
            if source >= 0:
                places[source + 1] += 1
            else:
                self._of_texts.setdefault(source, []).append(target)
        places = list(accumulate(places))
        self._offsets = array("l", places)
        self._targets = array("l", bytes(array("l").itemsize * places[-1]))
        for source, target in zip(sources, targets, strict=True):
            if source >= 0:
                self._targets[places[source]] = target
                places[source] += 1

    def of(self, node: int) -> Iterable[int]:
        if 0 <= node < len(self._offsets) - 1:
            return self._targets[self._offsets[node] : self._offsets[node + 1]]
        return self._of_texts.get(node, ())
