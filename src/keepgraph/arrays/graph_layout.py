"""Layout of a graph in the plane: discs of its parts, packed by what connects them, with their members inside.

The centres of the parts come from PivotMDS of the quotient graph (U. Brandes, C. Pich, "Eigensolver methods for
progressive multidimensional scaling of large data", Graph Drawing 2006), and are moved to the nearest place where no
discs overlap, the largest first. Inside a part, spectral coordinates (Y. Koren, "Drawing graphs by eigenvectors: theory
and practice", 2005) give the order of the members, which stand in rings, so that all are equally dense. What was placed
before stays there; what is new goes to the nearest free place beside its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SPACING = 10.0
"""The distance between two nodes that stand next to each other. All lengths are in this unit."""

_GAP = 2 * SPACING
"""Between two discs."""

_PIVOTS = 50
_SWEEPS = 60
_WEIGHT_OF_OTHER_PARTS = 0.25
_SPREAD = 1.0
"""How far out a disc should lie, as a multiple of the radius of a disc with room for all further in."""

_PLACES_BESIDE = 24
_DISCS_TRIED_AT_ONCE = 32
_RING_DISTANCE = 0.96
"""Between two rings, in units of SPACING."""

_GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))


@dataclass(frozen=True, slots=True)
class LayoutGraph:
    """What is laid out.

    Attributes:
        sources, targets, weights: the edges, by the numbers of their ends from 0; no loops, each once.
        parts: by node, the number of its part, from 0 without gaps.
    """

    sources: Integers
    targets: Integers
    weights: Floats
    parts: Integers

    def __len__(self) -> int:
        return len(self.parts)


def lay_out(graph: LayoutGraph, *, seed: int = 0) -> Floats:
    """The positions of all nodes, shape (n, 2), centred at the origin; the same graph and seed give the same."""
    if not len(graph):
        return np.empty((0, 2))
    sizes = np.bincount(graph.parts)
    radii = _radius(sizes)
    centres = _pack(_quotient_positions(graph, radii), radii)
    positions = _arrange_members(graph, centres, seed=seed)
    positions -= (positions.min(axis=0) + positions.max(axis=0)) / 2
    return positions


def place_new(graph: LayoutGraph, known: Floats) -> Floats:
    """The positions of all nodes where some are known, shape (n, 2): those stay as they are to the bit.

    Args:
        known: shape (n, 2), NaN for a node that has no place yet.
    """
    positions = known.copy()
    is_placed = ~np.isnan(known[:, 0])
    occupied = {tuple(cell) for cell in np.floor(known[is_placed] / SPACING).astype(int).tolist()}
    reach = float(np.abs(known[is_placed]).max()) if is_placed.any() else 0.0
    neighbours = _neighbour_lists(graph, ~is_placed)
    members = _placed_members(graph.parts, positions, is_placed)
    waiting = sorted(neighbours, key=lambda node: (-sum(is_placed[other] for other in neighbours[node]), node))
    beginnings = 0
    while waiting:
        later = []
        for node in waiting:
            beside = [other for other in neighbours[node] if is_placed[other]]
            part = int(graph.parts[node])
            if beside:
                wish = positions[beside].mean(axis=0)
            elif part in members:
                wish = members[part]
            else:
                later.append(node)
                continue
            _put(node, wish, positions, is_placed, occupied)
            members.setdefault(part, positions[node])
        if len(later) == len(waiting):
            # Nothing of it is known: a place at the border for the first, the others go beside it.
            angle = beginnings * _GOLDEN_ANGLE
            beginnings += 1
            border = (reach + _GAP + SPACING) * np.array([np.cos(angle), np.sin(angle)])
            node = later.pop(0)
            _put(node, border, positions, is_placed, occupied)
            members.setdefault(int(graph.parts[node]), positions[node])
        waiting = later
    return positions


def _radius(sizes: Integers) -> Floats:
    """The radius of a disc with rings for this many members."""
    return SPACING * np.sqrt(np.maximum(sizes, 1) / np.pi) + SPACING / 2


def _quotient_positions(graph: LayoutGraph, radii: Floats) -> Floats:
    """Where the parts would be by PivotMDS, each connection between two as long as their discs side by side."""
    count = len(radii)
    first, second = graph.parts[graph.sources], graph.parts[graph.targets]
    between = first != second
    pairs, places = np.unique(
        np.minimum(first, second)[between] * count + np.maximum(first, second)[between], return_inverse=True
    )
    if count < 3 or not len(pairs):
        return np.zeros((count, 2))
    strengths = np.bincount(places, weights=graph.weights[between])
    ends = np.stack([pairs // count, pairs % count])
    # Parts with much in common are nearer to each other than those with a single fact.
    sizes = np.sqrt(radii[ends[0]] * radii[ends[1]]) / SPACING
    lengths = (radii[ends].sum(axis=0) + _GAP) * (1 + 1 / (1 + strengths / np.maximum(sizes, 1)))
    distances = _distances_from_pivots(count, ends, lengths, pivots=min(_PIVOTS, count))
    squares = distances**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1, keepdims=True) + squares.mean()
    values, vectors = np.linalg.eigh(centred.T @ centred)
    coordinates = -0.5 * centred @ vectors[:, [-1, -2]] / np.sqrt(np.sqrt(np.maximum(values[[-1, -2]], 1e-9)))
    return _with_fixed_signs(coordinates)


def _distances_from_pivots(count: int, ends: Integers, lengths: Floats, *, pivots: int) -> Floats:
    """The lengths of shortest paths to some parts that are far from each other, shape (count, pivots)."""
    sources, targets = np.concatenate([ends, ends[::-1]], axis=1)
    both = np.concatenate([lengths, lengths])
    order = np.argsort(targets, kind="stable")
    sources, targets, both = sources[order], targets[order], both[order]
    reached, starts = np.unique(targets, return_index=True)
    columns: list[Floats] = []
    pivot = int(np.argmax(np.bincount(targets, minlength=count)))
    nearest = np.full(count, np.inf)
    for _ in range(pivots):
        distances = np.full(count, np.inf)
        distances[pivot] = 0.0
        while True:
            shorter = np.minimum(distances[reached], np.minimum.reduceat(distances[sources] + both, starts))
            if np.array_equal(shorter, distances[reached]):
                break
            distances[reached] = shorter
        columns.append(distances)
        nearest = np.minimum(nearest, distances)
        pivot = int(np.argmax(nearest))
    matrix = np.stack(columns, axis=1)
    finite = np.isfinite(matrix)
    # What nothing connects is farther away than anything that is connected.
    matrix[~finite] = 1.5 * matrix[finite].max()
    return matrix


def _with_fixed_signs(coordinates: Floats) -> Floats:
    """The same picture however the eigenvectors were signed."""
    largest = np.abs(coordinates).argmax(axis=0)
    signs = np.sign(coordinates[largest, np.arange(coordinates.shape[1])])
    return coordinates * np.where(signs == 0, 1.0, signs)


def _pack(wishes: Floats, radii: Floats) -> Floats:
    """Centres of discs that do not overlap, each as near to its wish as those before it allow."""
    count = len(radii)
    areas = (radii + _GAP / 2) ** 2
    lengths = np.hypot(wishes[:, 0], wishes[:, 1])
    by_length = np.lexsort((np.arange(count), lengths))
    # As far out as there are discs nearer to the middle, so that they wish to lie equally dense everywhere.
    inside = np.empty(count)
    inside[by_length] = np.cumsum(areas[by_length]) - areas[by_length]
    wishes = wishes * (_SPREAD * np.sqrt(inside) / np.maximum(lengths, 1e-9))[:, None]
    centres = np.zeros((count, 2))
    placed = np.empty(0, dtype=np.int64)
    for part in np.lexsort((np.arange(count), -radii)).tolist():
        centres[part] = _nearest_free(wishes[part], float(radii[part]), centres[placed], radii[placed])
        placed = np.append(placed, part)
    return centres


def _nearest_free(wish: Floats, radius: float, centres: Floats, radii: Floats) -> Floats:
    """The free place for a disc nearest to a wish: the wish itself, or beside one of the discs round it."""
    least = radii + radius + _GAP
    from_wish = np.hypot(centres[:, 0] - wish[0], centres[:, 1] - wish[1]) - least
    if (from_wish >= 0).all():
        return wish
    order = np.argsort(from_wish, kind="stable")
    angles = np.arange(_PLACES_BESIDE) * (2 * np.pi / _PLACES_BESIDE)
    around = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    beginning, at_once = 0, _DISCS_TRIED_AT_ONCE
    while True:
        tried = order[beginning : beginning + at_once]
        candidates = (centres[tried, None, :] + (least[tried] * 1.0001)[:, None, None] * around).reshape(-1, 2)
        candidates = candidates[np.argsort(((candidates - wish) ** 2).sum(axis=1), kind="stable")]
        x, y = candidates[:, :1] - centres[:, 0], candidates[:, 1:] - centres[:, 1]
        free = np.flatnonzero((x * x + y * y >= least**2).all(axis=1))
        if len(free):
            return candidates[free[0]]  # type: ignore[no-any-return]
        # Beside the discs at the border there is always room.
        beginning, at_once = beginning + at_once, 4 * at_once


def _arrange_members(graph: LayoutGraph, centres: Floats, *, seed: int) -> Floats:
    """The positions of the members round the centres of their parts."""
    directions = _spectral_coordinates(graph, centres, seed=seed)
    strengths = np.bincount(graph.sources, graph.weights, len(graph)) + np.bincount(
        graph.targets, graph.weights, len(graph)
    )
    distances = np.hypot(directions[:, 0], directions[:, 1])
    # The most connected in the middle; of those with as much, the ones whose neighbours are on all sides.
    order = np.lexsort((distances, -np.floor(np.log2(1 + strengths)), graph.parts))
    sizes = np.bincount(graph.parts)
    firsts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    ranks = np.arange(len(graph)) - firsts[graph.parts[order]]
    rings = np.ceil((np.sqrt(1 + 4 * ranks / 3) - 1) / 2 - 1e-9).astype(np.int64)  # ring k has 6k places
    angles = np.arctan2(directions[order, 1], directions[order, 0])
    of_ring = np.lexsort((angles, rings, graph.parts[order]))
    order, ranks, rings = order[of_ring], ranks[of_ring], rings[of_ring]
    keys = graph.parts[order] * (int(rings.max()) + 1) + rings
    _, starts, counts = np.unique(keys, return_index=True, return_counts=True)
    place_in_ring = np.arange(len(graph)) - np.repeat(starts, counts)
    in_ring = np.repeat(counts, counts)
    # A ring is turned so that its members are, on average, in the directions of their coordinates.
    turns = angles[of_ring] - 2 * np.pi * place_in_ring / in_ring
    sines = np.add.reduceat(np.sin(turns), starts)
    cosines = np.add.reduceat(np.cos(turns), starts)
    turned = np.repeat(np.arctan2(sines, cosines), counts) + 2 * np.pi * place_in_ring / in_ring
    # With 6k places on ring k, this makes a part just as dense as a disc with an area of SPACING² for each member.
    radii = rings * SPACING * _RING_DISTANCE
    positions = np.empty((len(graph), 2))
    positions[order] = centres[graph.parts[order]] + radii[:, None] * np.stack([np.cos(turned), np.sin(turned)], axis=1)
    return positions


def _spectral_coordinates(graph: LayoutGraph, centres: Floats, *, seed: int) -> Floats:
    """Coordinates of the members within their parts, mean 0 and variance 1 in each: neighbours are near to each other.

    Power iteration of the walk matrix in all parts at once; a connection to another part pulls towards it.
    """
    count, parts = len(graph), graph.parts
    sizes = np.bincount(parts).astype(np.float64)
    inside = parts[graph.sources] == parts[graph.targets]
    sources, targets, weights = graph.sources[inside], graph.targets[inside], graph.weights[inside]
    totals = np.bincount(sources, weights, count) + np.bincount(targets, weights, count) + 1e-9
    pull = _pull_of_other_parts(graph, centres, ~inside)
    coordinates = np.random.default_rng(seed).standard_normal((count, 2))
    for _ in range(_SWEEPS):
        moved = np.empty_like(coordinates)
        for axis in (0, 1):
            column = coordinates[:, axis]
            sums = np.bincount(sources, weights * column[targets], count)
            sums += np.bincount(targets, weights * column[sources], count)
            moved[:, axis] = (column + sums / totals) / 2 + _WEIGHT_OF_OTHER_PARTS * pull[:, axis]
        coordinates = _whitened(moved, parts, sizes)
    return coordinates


def _pull_of_other_parts(graph: LayoutGraph, centres: Floats, crossing: NDArray[np.bool_]) -> Floats:
    """The mean direction of the parts to which a node is connected, of length 1 at most; 0 if there are none."""
    sources, targets = graph.sources[crossing], graph.targets[crossing]
    weights = graph.weights[crossing]
    offsets = centres[graph.parts[targets]] - centres[graph.parts[sources]]
    lengths = np.hypot(offsets[:, 0], offsets[:, 1])
    directions = offsets / np.maximum(lengths, 1e-9)[:, None]
    pull = np.zeros((len(graph), 2))
    totals = np.bincount(sources, weights, len(graph)) + np.bincount(targets, weights, len(graph)) + 1e-9
    for axis in (0, 1):
        pull[:, axis] = np.bincount(sources, weights * directions[:, axis], len(graph))
        pull[:, axis] -= np.bincount(targets, weights * directions[:, axis], len(graph))
    return pull / totals[:, None]


def _whitened(coordinates: Floats, parts: Integers, sizes: Floats) -> Floats:
    """Coordinates with mean 0, variance 1 and no correlation in each part (Gram-Schmidt)."""
    x, y = coordinates.T
    x = x - (np.bincount(parts, x) / sizes)[parts]
    y = y - (np.bincount(parts, y) / sizes)[parts]
    x = x / np.sqrt(np.bincount(parts, x * x) / sizes + 1e-12)[parts]
    y = y - (np.bincount(parts, x * y) / sizes)[parts] * x
    y = y / np.sqrt(np.bincount(parts, y * y) / sizes + 1e-12)[parts]
    return np.stack([x, y], axis=1)


def _neighbour_lists(graph: LayoutGraph, wanted: NDArray[np.bool_]) -> dict[int, list[int]]:
    """The neighbours of some nodes."""
    neighbours: dict[int, list[int]] = {node: [] for node in np.flatnonzero(wanted).tolist()}
    for ends, others in ((graph.sources, graph.targets), (graph.targets, graph.sources)):
        touching = wanted[ends]
        for node, other in zip(ends[touching].tolist(), others[touching].tolist(), strict=True):
            neighbours[node].append(other)
    return neighbours


def _placed_members(parts: Integers, positions: Floats, is_placed: NDArray[np.bool_]) -> dict[int, Floats]:
    """The middle of the members of each part that have a place."""
    numbers = parts[is_placed]
    if not len(numbers):
        return {}
    counts = np.bincount(numbers)
    middles = np.stack([np.bincount(numbers, positions[is_placed, axis]) for axis in (0, 1)], axis=1)
    return {part: middles[part] / counts[part] for part in np.flatnonzero(counts).tolist()}


def _put(
    node: int, wish: Floats, positions: Floats, is_placed: NDArray[np.bool_], occupied: set[tuple[int, ...]]
) -> None:
    """Give a node the free cell nearest to a wish, of those in squares round it."""
    column, row = (int(value) for value in np.floor(wish / SPACING))
    reach = 0
    while True:
        ring = [
            (column + x, row + y)
            for x in range(-reach, reach + 1)
            for y in (range(-reach, reach + 1) if abs(x) == reach else {-reach, reach})
        ]
        free = [cell for cell in ring if cell not in occupied]
        if free:
            cell = min(free, key=lambda cell: ((cell[0] - column) ** 2 + (cell[1] - row) ** 2, cell))
            break
        reach += 1
    occupied.add(cell)
    positions[node] = (np.array(cell) + 0.5) * SPACING
    is_placed[node] = True
