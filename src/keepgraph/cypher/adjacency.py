"""The neighbours of all nodes in flat arrays, by relationship type: for walks of many steps. Knows no tables.

Compressed sparse rows: the neighbours of node n are `targets[offsets[n] : offsets[n + 1]]`, one such pair of arrays
for each type and direction, 8 bytes a relationship and a node. A literal has a negative number here.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, chain
from typing import Any

Key = int | str
Neighbours = Callable[[Key], Iterable[Key]]
"""The nodes at the other ends of a node's relationships; one that two relationships lead to comes twice."""

LARGEST_KEY = 50_000_000


class TooSparse(ValueError):
    """The keys of the nodes are too large for arrays."""


class Adjacency:
    """The relationships of a graph by type, each type laid out when somebody first walks along it."""

    def __init__(self, edges: Callable[[Any], Iterator[tuple[Key, Key]]]) -> None:
        """
        Args:
            edges: gives the ends of all relationships of a type, by its code.
        """
        self._edges = edges
        self._ends: dict[Any, tuple[list[int], list[int]]] = {}
        self._laid: dict[tuple[Any, str], _Rows] = {}
        self._numbers: dict[str, int] = {}
        self._texts: list[str] = []

    def neighbours(self, codes: Iterable[Any], direction: str) -> Neighbours:
        """The function that gives the neighbours of a node along relationships of these types.

        A relationship from a node to itself makes it its own neighbour; where the direction is 'both', twice.

        Raises:
            TooSparse: they cannot be laid in arrays.
        """
        ways = ("out", "in") if direction == "both" else (direction,)
        rows = [self._rows(code, way) for code in sorted(codes, key=str) for way in ways]
        numbers, texts = self._numbers, self._texts

        def of(node: Key) -> Iterable[Key]:
            number = numbers.get(node, LARGEST_KEY) if isinstance(node, str) else node
            found = [each.of(number) for each in rows]
            plain = found[0] if len(found) == 1 else chain.from_iterable(found)
            return [each if each >= 0 else texts[-1 - each] for each in plain] if texts else plain

        return of

    def _rows(self, code: Any, direction: str) -> _Rows:
        found = self._laid.get((code, direction))
        if found is None:
            if code not in self._ends:
                self._ends[code] = self._read(code)
            sources, targets = self._ends[code]
            found = _Rows(sources, targets) if direction == "out" else _Rows(targets, sources)
            self._laid[code, direction] = found
            if (code, "in") in self._laid and (code, "out") in self._laid:
                self._ends[code] = [], []
        return found

    def _read(self, code: Any) -> tuple[list[int], list[int]]:
        sources: list[int] = []
        targets: list[int] = []
        for source, target in self._edges(code):
            sources.append(self._number(source))
            targets.append(self._number(target))
        return sources, targets

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

    def __init__(self, sources: list[int], targets: list[int]) -> None:
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
