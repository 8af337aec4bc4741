"""The map of a group: where each entity is, what connects them at an instant, and the areas of the communities.

An entity keeps its place. What is new gets one beside its neighbours; only where more is new than old, as after an
import, everything is laid out anew.

An extract of a graph, to show elsewhere, has all of it or the surroundings of an entity, with places, facts and texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from keepgraph import store
from keepgraph.arrays import community_detection, graph_layout, weighted_graph
from keepgraph.arrays.fact_graph import FactGraph, Integers, Mask
from keepgraph.arrays.graph_layout import SPACING, Floats, LayoutGraph
from keepgraph.arrays.weighted_graph import WeightedGraph
from keepgraph.engine import topology
from keepgraph.engine.analysis import communities
from keepgraph.model import Entity
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.communities import Place
from keepgraph.store.database import Database
from keepgraph.store.graph_extracts import FactRow, TextRow
from keepgraph.store.transactions import Tx

_WEIGHT_OF_ANY_FACT = 0.5
"""The weight of a fact at any time, in addition to its weight while it holds: the map also shows the past."""

_SHARE_IN_AREA = 0.9
"""The area of a community reaches as far as this share of its members: one far away does not make it large."""


@dataclass(frozen=True, slots=True)
class Area:
    """The area of a community; lengths in the unit of `graph_layout.SPACING`.

    Attributes:
        id: empty if the communities of the group have not been built, and these were found for the map alone.
    """

    id: str
    name: str
    x: float
    y: float
    radius: float


@dataclass(frozen=True, slots=True)
class MapNode:
    """An entity on the map.

    Attributes:
        degree: how many others it is connected with at the instant of the map.
        community: position in `GraphMap.areas`, or −1.
    """

    row: int
    id: str
    name: str
    type: str
    x: float
    y: float
    degree: int
    community: int


@dataclass(frozen=True, slots=True)
class GraphMap:
    """A map of a group.

    Attributes:
        edges: positions of two nodes, subject and object, and the row number of the predicate.
        total: how many nodes there are without the limit.
    """

    nodes: tuple[MapNode, ...]
    edges: tuple[tuple[int, int, int], ...]
    areas: tuple[Area, ...]
    total: int


@dataclass(frozen=True, slots=True)
class _Membership:
    """Which community each entity is in.

    Attributes:
        labels: by entity, in the order of rows: position in names, or −1.
        names: id and name of each community.
    """

    labels: Integers
    names: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What is the same on the maps of all instants.

    Attributes:
        entities: row, public id, name and type of each, in the order of rows.
        rows: their rows.
        positions: shape (n, 2).
    """

    entities: tuple[tuple[int, str, str, str], ...]
    rows: Integers
    positions: Floats
    membership: _Membership


def read(tx: Tx, *, limit: int, at_instant: bool = True) -> GraphMap:
    """The map of what holds at `tx.now`; what was connected only before or after is left out.

    Args:
        limit: of more nodes, those with the most connections are shown.
        at_instant: false for what holds at any time.
    """
    drawn = tx.cached(("map", tx.group), lambda: _drawing(tx))
    entities, rows, positions, membership = drawn.entities, drawn.rows, drawn.positions, drawn.membership
    sources, targets, predicates, is_shown = _connections(tx, rows, at_instant=at_instant)
    degrees = _degrees(sources, targets, len(rows))
    candidates = np.flatnonzero(is_shown)
    order = candidates[np.lexsort((candidates, -degrees[candidates]))]
    shown = np.sort(order[:limit])
    numbers = np.full(len(rows), -1, dtype=np.int64)
    numbers[shown] = np.arange(len(shown))
    both = (numbers[sources] >= 0) & (numbers[targets] >= 0)
    used, labels = _renumbered(membership.labels[shown])
    shown_entities: list[tuple[int, str, str, str]] = [entities[node] for node in shown.tolist()]
    places = positions[shown].tolist()
    return GraphMap(
        nodes=tuple(
            MapNode(*entity, x, y, degree, label)
            for entity, (x, y), degree, label in zip(
                shown_entities, places, degrees[shown].tolist(), labels.tolist(), strict=True
            )
        ),
        edges=tuple(
            zip(*(column[both].tolist() for column in (numbers[sources], numbers[targets], predicates)), strict=True)
        ),
        areas=_areas([membership.names[label] for label in used], labels, positions[shown]),
        total=len(candidates),
    )


def place_missing(database: Database) -> None:
    """Give every entity of the group its place; those that have one keep it.

    Raises:
        errors.GraphFileError: the graph cannot be written.
    """
    with database.read("map") as tx:
        rows = np.array([row for row, *_ in store.communities.entities(tx)], dtype=np.int64)
        before = {row for row, _, _ in store.communities.places_of_group(tx)}
        positions, is_anew = _lay_out(tx, rows)
    places: list[Place] = [
        (row, x, y)
        for row, (x, y) in zip(rows.tolist(), positions.round(1).tolist(), strict=True)
        if is_anew or row not in before
    ]
    with database.write("map") as tx:
        store.communities.replace(tx, places)


def _drawing(tx: Tx) -> _Drawing:
    entities = store.communities.entities(tx)
    rows = np.array([row for row, *_ in entities], dtype=np.int64)
    # If a place is missing and nothing may be written: where it would be.
    positions, _ = _lay_out(tx, rows)
    return _Drawing(tuple(entities), rows, positions.round(1), _membership(tx, rows))


def _known_positions(tx: Tx, rows: Integers) -> Floats:
    positions = np.full((len(rows), 2), np.nan)
    places = store.communities.places_of_group(tx)
    if places:
        columns = np.array(places, dtype=np.float64)
        positions[np.searchsorted(rows, columns[:, 0].astype(np.int64))] = columns[:, 1:]
    return positions


def _lay_out(tx: Tx, rows: Integers) -> tuple[Floats, bool]:
    """The positions of all entities, and whether those that had one were moved."""
    known = _known_positions(tx, rows)
    is_new = np.isnan(known[:, 0])
    if not is_new.any():
        return known, False
    graph = _layout_graph(tx, rows)
    raise_if_cancelled(tx.cancellation)
    is_anew = 2 * int(is_new.sum()) > len(rows)
    return (graph_layout.lay_out(graph) if is_anew else graph_layout.place_new(graph, known)), is_anew


def _layout_graph(tx: Tx, rows: Integers) -> LayoutGraph:
    graph = _connected_at_any_time(tx)
    owners = graph.owners
    once = owners < graph.ends
    sources = np.searchsorted(rows, graph.keys[owners[once]])
    targets = np.searchsorted(rows, graph.keys[graph.ends[once]])
    weights = graph.weights[once]
    parts = _spread_labels(_membership(tx, rows).labels, sources, targets, weights)
    return LayoutGraph(sources, targets, weights, np.unique(parts, return_inverse=True)[1])


def _connected_at_any_time(tx: Tx) -> WeightedGraph:
    """The entities of the group that are connected, by facts whenever they hold, and by common mentions."""
    now = communities.read(tx)
    facts = topology.read(tx).facts.columns
    proper = (facts.sources > 0) & (facts.targets > 0)
    return weighted_graph.build(
        np.concatenate([now.keys[now.owners], facts.sources[proper]]),
        np.concatenate([now.keys[now.ends], facts.targets[proper]]),
        np.concatenate([now.weights / 2, np.full(int(proper.sum()), _WEIGHT_OF_ANY_FACT)]),
    )


def _spread_labels(labels: Integers, sources: Integers, targets: Integers, weights: Floats) -> Integers:
    """The labels; where missing, that of the strongest neighbour; −1 if no neighbour has one."""
    ends, others = np.concatenate([sources, targets]), np.concatenate([targets, sources])
    wanted = (labels[ends] < 0) & (labels[others] >= 0)
    if not wanted.any():
        return labels
    both = np.concatenate([weights, weights])[wanted]
    ends, others = ends[wanted], others[wanted]
    strongest = np.lexsort((others, -both, ends))
    first = np.unique(ends[strongest], return_index=True)[1]
    labels = labels.copy()
    labels[ends[strongest][first]] = labels[others[strongest][first]]
    return labels


def _membership(tx: Tx, rows: Integers) -> _Membership:
    """The communities as they were built; where they were not, as they would be."""
    if not store.communities.count(tx):
        return tx.cached(("communities of the map", tx.group), lambda: _detected(tx, rows))
    labels = np.full(len(rows), -1, dtype=np.int64)
    built = store.communities.of_group(tx)
    members = store.communities.members_in_group(tx)
    for number, community in enumerate(built):
        _label(labels, rows, members.get(community.row, ()), number)
    return _Membership(labels, tuple((community.id, community.name) for community in built))


def _detected(tx: Tx, rows: Integers) -> _Membership:
    graph = communities.read(tx)
    labels = np.full(len(rows), -1, dtype=np.int64)
    if not len(graph):
        return _Membership(labels, ())
    division = community_detection.detect(graph, seed=0, check=lambda: raise_if_cancelled(tx.cancellation))
    parts = communities.members_of_parts(graph, division.labels)
    for number, part in enumerate(parts):
        _label(labels, rows, part, number)
    return _Membership(labels, tuple(("", name.name) for name in communities.generate(tx, parts)))


def _label(labels: Integers, rows: Integers, members: Sequence[int], number: int) -> None:
    places = np.searchsorted(rows, np.asarray(members, dtype=np.int64))
    labels[places[places < len(rows)]] = number


def _connections(tx: Tx, rows: Integers, *, at_instant: bool) -> tuple[Integers, Integers, Integers, Mask]:
    """The facts that hold at the instant: subjects, objects and predicates; and which entities are on the map then.

    An entity whose facts all hold at other times is not; one that has no fact with another is there always.
    """
    graph = topology.read(tx).facts
    columns = graph.columns
    proper = (columns.sources > 0) & (columns.targets > 0)
    holds = proper
    if at_instant:
        at = topology.instant(tx)
        holds = proper & (columns.valid_from <= at) & (at < columns.valid_to)
    sources = np.searchsorted(rows, columns.sources[holds])
    targets = np.searchsorted(rows, columns.targets[holds])
    is_shown = np.ones(len(rows), dtype=bool)
    is_shown[np.searchsorted(rows, columns.sources[proper])] = False
    is_shown[np.searchsorted(rows, columns.targets[proper])] = False
    is_shown[sources] = True
    is_shown[targets] = True
    return sources, targets, columns.predicates[holds], is_shown


def _degrees(sources: Integers, targets: Integers, count: int) -> Integers:
    pairs = np.unique(np.minimum(sources, targets) * max(count, 1) + np.maximum(sources, targets))
    return np.bincount(pairs // max(count, 1), minlength=count) + np.bincount(pairs % max(count, 1), minlength=count)


def _renumbered(labels: Integers) -> tuple[list[int], Integers]:
    """The labels that occur, ascending, and the labels as positions among them; −1 stays."""
    used = np.unique(labels[labels >= 0])
    return used.tolist(), np.where(labels >= 0, np.searchsorted(used, labels), -1)


def _areas(names: Sequence[tuple[str, str]], labels: Integers, positions: Floats) -> tuple[Area, ...]:
    order = np.argsort(labels, kind="stable")
    bounds = np.searchsorted(labels[order], np.arange(len(names) + 1))
    areas = []
    for (id, name), begin, end in zip(names, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        members = positions[order[begin:end]]
        middle = np.median(members, axis=0)
        distances = np.sort(np.hypot(members[:, 0] - middle[0], members[:, 1] - middle[1]))
        radius = float(distances[int(_SHARE_IN_AREA * (len(distances) - 1))]) + SPACING
        areas.append(Area(id, name, round(float(middle[0]), 1), round(float(middle[1]), 1), round(radius, 1)))
    return tuple(areas)


_MAX_FACTS = 200_000
_MAX_TEXTS = 200
_MAX_CHARACTERS = 2_000
_MAX_CHARACTERS_IN_ALL = 150_000


@dataclass(frozen=True, slots=True)
class Extract:
    """A part of a graph.

    Attributes:
        nodes: in the order of their rows; facts and texts refer to these rows.
        texts: the newest first, each with the rows of the nodes that it mentions.
        truncated: whether something that was asked for is left out.
    """

    nodes: tuple[MapNode, ...]
    areas: tuple[Area, ...]
    facts: tuple[FactRow, ...]
    texts: tuple[tuple[TextRow, tuple[int, ...]], ...]
    truncated: bool


EMPTY = Extract(nodes=(), areas=(), facts=(), texts=(), truncated=False)


def of_group(tx: Tx, *, at_instant: bool, texts: bool, limit: int) -> Extract:
    """The whole group; of more entities than the limit, those with the most connections.

    Args:
        at_instant: only what holds at `tx.now`; else what held and what will hold too.
    """
    whole = read(tx, limit=limit, at_instant=at_instant)
    return _extract(tx, whole, at_instant=at_instant, texts=texts)


def most_connected(tx: Tx, *, at_instant: bool, limit: int) -> Extract:
    """The entities of the group with the most connections, laid out by themselves."""
    whole = read(tx, limit=limit, at_instant=at_instant)
    rows = np.array([node.row for node in whole.nodes], dtype=np.int64)
    part = _lay_out_extract(tx, rows, is_complete=whole.total <= limit, at_instant=at_instant)
    return _extract(tx, part, at_instant=at_instant, texts=False)


def around(tx: Tx, centre: Entity, *, depth: int, at_instant: bool, texts: bool, limit: int) -> Extract:
    """What is connected with an entity within this many facts, nearest first, laid out by itself."""
    facts = topology.read(tx).facts
    rows, is_complete = _reach(facts, centre.row, depth=depth, at=_instant(tx, at_instant), limit=limit)
    part = _lay_out_extract(tx, np.sort(rows), is_complete=is_complete, at_instant=at_instant)
    return _extract(tx, part, at_instant=at_instant, texts=texts)


def _instant(tx: Tx, at_instant: bool) -> int | None:
    return topology.instant(tx) if at_instant else None


def _reach(graph: FactGraph, start: int, *, depth: int, at: int | None, limit: int) -> tuple[Integers, bool]:
    """The rows of the entities within some steps, and whether these are all of them; tags connect nothing here."""
    number = graph.number(start)
    if number is None:
        return np.array([start], dtype=np.int64), True
    mask = graph.mask(at=at)
    is_reached = np.zeros(len(graph), dtype=bool)
    is_reached[number] = True
    order = [np.array([number], dtype=np.int64)]
    for _ in range(depth):
        _, ends, _ = graph.expand(order[-1], mask)
        ends = np.unique(ends)
        ends = ends[~is_reached[ends] & (graph.keys[ends] > 0)]
        # Of those as near, the ones with the most connections.
        order.append(ends[np.lexsort((ends, -graph.degrees[ends]))])
        is_reached[ends] = True
    rows = graph.keys[np.concatenate(order)]
    return rows[:limit], len(rows) <= limit


def _lay_out_extract(tx: Tx, rows: Integers, *, is_complete: bool, at_instant: bool) -> GraphMap:
    """A map of some entities alone, with their own communities; these have no names."""
    entities = store.entities.by_rows(tx, rows.tolist())
    columns = topology.read(tx).facts.columns
    inside = np.isin(columns.sources, rows) & np.isin(columns.targets, rows)
    if (at := _instant(tx, at_instant)) is not None:
        inside &= (columns.valid_from <= at) & (at < columns.valid_to)
    sources, targets = columns.sources[inside], columns.targets[inside]
    graph = weighted_graph.build(sources, targets, np.ones(len(sources)))
    parts = np.zeros(len(rows), dtype=np.int64)
    if len(graph):
        parts[np.searchsorted(rows, graph.keys)] = community_detection.detect(graph, seed=0).labels
    owners = graph.owners
    once = owners < graph.ends
    places = np.searchsorted(rows, graph.keys)
    layout = LayoutGraph(
        places[owners[once]], places[graph.ends[once]], graph.weights[once], np.unique(parts, return_inverse=True)[1]
    )
    positions = graph_layout.lay_out(layout).round(1).tolist()
    degrees = np.zeros(len(rows), dtype=np.int64)
    degrees[places] = graph.degrees
    return GraphMap(
        nodes=tuple(
            MapNode(row, entity.id, entity.name, entity.type, x, y, degree=int(degree), community=-1)
            for row, (x, y), degree in zip(rows.tolist(), positions, degrees, strict=True)
            for entity in [entities[row]]
        ),
        edges=(),
        areas=(),
        total=len(rows) + (not is_complete),
    )


def _extract(tx: Tx, part: GraphMap, *, at_instant: bool, texts: bool) -> Extract:
    rows = [node.row for node in part.nodes]
    at = tx.at if at_instant else None
    facts = store.graph_extracts.facts(tx, rows, at=at, limit=_MAX_FACTS + 1)
    return Extract(
        nodes=part.nodes,
        areas=part.areas,
        facts=tuple(facts[:_MAX_FACTS]),
        texts=tuple(_texts(tx, rows)) if texts else (),
        truncated=part.total > len(part.nodes) or len(facts) > _MAX_FACTS,
    )


def _texts(tx: Tx, rows: Sequence[int]) -> list[tuple[TextRow, tuple[int, ...]]]:
    """The newest texts about some entities, as many as there is room for."""
    texts = store.graph_extracts.texts_about(tx, rows, characters=_MAX_CHARACTERS, limit=_MAX_TEXTS)
    room = _MAX_CHARACTERS_IN_ALL
    fitting = [text for text in texts if (room := room - len(text.text)) >= 0]
    wanted = set(rows)
    mentioned: dict[int, list[int]] = {}
    for text_row, entity in store.graph_extracts.mentions_in(tx, [text.row for text in fitting]):
        if entity in wanted:
            mentioned.setdefault(text_row, []).append(entity)
    return [(text, tuple(mentioned.get(text.row, ()))) for text in fitting]
