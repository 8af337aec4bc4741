"""Triples as steps in both directions: the paths of one and two steps between entities, by joins of sorted arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from keepgraph.arrays.link_prediction.triples import Integers, Triples

_ROWS_OF_A_PART = 500_000


class StepGraph:
    """Triples as steps in both directions, in compressed sparse rows.

    A step is a predicate, or a predicate plus the number of predicates where it is read backwards. A path of two steps
    q and r is the number q * width + r; a path of one step q has no second: r is `width - 1`.
    """

    def __init__(self, triples: Triples, *, max_rows: int) -> None:
        proper = triples.take(triples.subjects != triples.objects)
        self.entity_count, self.predicate_count = triples.entity_count, triples.predicate_count
        self.width = 2 * self.predicate_count + 1
        owners = np.concatenate([proper.subjects, proper.objects])
        ends = np.concatenate([proper.objects, proper.subjects])
        steps = np.concatenate([proper.predicates, proper.predicates + self.predicate_count])
        order = np.lexsort((ends, steps, owners))
        columns = np.stack([owners[order], steps[order], ends[order]])
        if columns.shape[1]:
            is_first = np.ones(columns.shape[1], dtype=bool)
            is_first[1:] = (columns[:, 1:] != columns[:, :-1]).any(axis=0)
            columns = columns[:, is_first]
        self.owners, self.steps, self.ends = (np.ascontiguousarray(column) for column in columns)
        self.degrees = np.bincount(self.owners, minlength=self.entity_count)
        self.offsets = np.concatenate([[0], np.cumsum(self.degrees)])
        self.is_passable = self.degrees <= _largest_degree(self.degrees, max_rows)
        forward = self.steps < self.predicate_count
        pairs = self.owners[forward] * self.entity_count + self.ends[forward]
        by_pair = np.argsort(pairs, kind="stable")
        self._pairs, self._pair_predicates = pairs[by_pair], self.steps[forward][by_pair]

    def atoms(self, path: int) -> tuple[tuple[int, bool], ...]:
        steps = (path // self.width, path % self.width)
        return tuple(
            (step % self.predicate_count, step >= self.predicate_count) for step in steps if step != self.width - 1
        )

    def parts(self, starts: Integers) -> Iterator[Integers]:
        """Some entities in parts whose joins have some hundred thousand rows each, or one entity."""
        passed = np.where(self.is_passable, self.degrees, 0)
        sums = np.concatenate([[0], np.cumsum(passed[self.ends])])
        rows = (sums[self.offsets[starts + 1]] - sums[self.offsets[starts]]) + self.degrees[starts]
        starts, rows = starts[rows > 0], rows[rows > 0]
        part = np.cumsum(rows) // _ROWS_OF_A_PART
        yield from np.split(starts, np.flatnonzero(np.diff(part)) + 1) if len(starts) else []

    def bodies(self, starts: Integers, *, backwards: bool) -> tuple[Integers, Integers]:
        """The paths of one and two steps from some entities, each with the pair of its ends as one number.

        Each path and pair is there once.

        Args:
            backwards: whether the paths lead to the entities, so that these are the objects; their pairs still have
                the start first.
        """
        first, ends = self._expand(starts)
        pairs, paths = starts[first] * self.entity_count + self.ends[ends], self._single(self.steps[ends], backwards)
        passed = self.is_passable[self.ends[ends]]
        first, middle = first[passed], ends[passed]
        again, second = self._expand(self.ends[middle])
        is_other = self.ends[second] != starts[first][again]
        again, second = again[is_other], second[is_other]
        longer = self._pair_path(self.steps[middle][again], self.steps[second], backwards)
        longer_pairs = starts[first][again] * self.entity_count + self.ends[second]
        # Two nodes may be connected by several middle nodes: one is enough.
        columns = np.concatenate([pairs, longer_pairs]), np.concatenate([paths, longer])
        order = np.lexsort(columns)
        all_pairs, all_paths = columns[0][order], columns[1][order]
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = (all_pairs[1:] != all_pairs[:-1]) | (all_paths[1:] != all_paths[:-1])
        return all_paths[is_first], all_pairs[is_first]

    def predicates_between(self, pairs: Integers) -> tuple[Integers, Integers]:
        """The predicates that lead from the first to the second of each pair: positions in `pairs`, predicates."""
        first = np.searchsorted(self._pairs, pairs, side="left")
        counts = np.searchsorted(self._pairs, pairs, side="right") - first
        owners, places = ranges(first, counts)
        return owners, self._pair_predicates[places]

    def _expand(self, nodes: Integers) -> tuple[Integers, Integers]:
        """The steps from some nodes: positions in `nodes`, and positions of the steps."""
        return ranges(self.offsets[nodes], self.degrees[nodes])

    def _single(self, steps: Integers, backwards: bool) -> Integers:
        return (self._inverse(steps) if backwards else steps) * self.width + (self.width - 1)

    def _pair_path(self, first: Integers, second: Integers, backwards: bool) -> Integers:
        if backwards:
            first, second = self._inverse(second), self._inverse(first)
        return first * self.width + second

    def _inverse(self, steps: Integers) -> Integers:
        return np.where(steps < self.predicate_count, steps + self.predicate_count, steps - self.predicate_count)


def _largest_degree(degrees: Integers, max_rows: int) -> int:
    """The largest number of triples of nodes that may be passed through: each takes its square in rows."""
    ascending = np.sort(degrees)
    rows = np.cumsum(ascending.astype(np.float64) ** 2)
    count = int(np.searchsorted(rows, max_rows, side="right"))
    return int(ascending[count - 1]) if count == len(ascending) and count else int(ascending[count]) - 1 if count else 0


def ranges(starts: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """The positions of several ranges, one after the other, each with the number of its range."""
    owners = np.repeat(np.arange(len(starts)), counts)
    before = np.cumsum(counts) - counts
    return owners, np.arange(len(owners)) - np.repeat(before - starts, counts)
