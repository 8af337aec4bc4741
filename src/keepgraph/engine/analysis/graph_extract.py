"""Extracts of a graph to show elsewhere: all of it, or an entity's surroundings, with places, facts and texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from keepgraph import store
from keepgraph.arrays import community_detection, graph_layout, weighted_graph
from keepgraph.arrays.fact_graph import FactGraph, Integers
from keepgraph.arrays.graph_layout import LayoutGraph
from keepgraph.engine.analysis import graph_map
from keepgraph.engine.analysis.graph_map import Area, GraphMap, MapNode
from keepgraph.engine.topology import paths
from keepgraph.model import Entity
from keepgraph.store.graph_extracts import FactRow, TextRow
from keepgraph.store.transactions import Tx

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
    whole = graph_map.read(tx, limit=limit, at_instant=at_instant)
    return _extract(tx, whole, at_instant=at_instant, texts=texts)


def most_connected(tx: Tx, *, at_instant: bool, limit: int) -> Extract:
    """The entities of the group with the most connections, laid out by themselves."""
    whole = graph_map.read(tx, limit=limit, at_instant=at_instant)
    rows = np.array([node.row for node in whole.nodes], dtype=np.int64)
    part = _lay_out(tx, rows, is_complete=whole.total <= limit, at_instant=at_instant)
    return _extract(tx, part, at_instant=at_instant, texts=False)


def around(tx: Tx, centre: Entity, *, depth: int, at_instant: bool, texts: bool, limit: int) -> Extract:
    """What is connected with an entity within this many facts, nearest first, laid out by itself."""
    facts = paths.read(tx).facts
    rows, is_complete = _reach(facts, centre.row, depth=depth, at=_instant(tx, at_instant), limit=limit)
    part = _lay_out(tx, np.sort(rows), is_complete=is_complete, at_instant=at_instant)
    return _extract(tx, part, at_instant=at_instant, texts=texts)


def _instant(tx: Tx, at_instant: bool) -> int | None:
    return paths.instant(tx) if at_instant else None


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


def _lay_out(tx: Tx, rows: Integers, *, is_complete: bool, at_instant: bool) -> GraphMap:
    """A map of some entities alone, with their own communities; these have no names."""
    entities = store.entities.by_rows(tx, rows.tolist())
    columns = paths.read(tx).facts.columns
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
