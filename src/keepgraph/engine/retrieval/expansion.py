"""Expansion: what the graph holds around some entities, within some hops: texts, facts and neighbours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from keepgraph import store
from keepgraph.engine.retrieval import hydration
from keepgraph.engine.retrieval.fusion import Hit, Key, round_score
from keepgraph.engine.retrieval.search_results import ChunkResult
from keepgraph.engine.topology import text_graphs
from keepgraph.engine.topology.text_graphs import Node, TextGraph
from keepgraph.model import Entity, Fact
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx

MAX_HOPS = 4


@dataclass(frozen=True, slots=True)
class ReachedEntity:
    """An entity that facts lead to.

    Attributes:
        distance: in facts, from the nearest of the entities at which the expansion begins.
        path: the way from there, in words: `Priya -[belongs_to]-> Atlas`.
    """

    entity: Entity
    distance: int
    path: str


@dataclass(frozen=True, slots=True)
class Expansion:
    """What is around some entities, the nearest by personalised PageRank first.

    Attributes:
        truncated: whether there is more than the limit of a list, or than was read of the graph.
    """

    chunks: Sequence[ChunkResult] = ()
    facts: Sequence[Fact] = ()
    neighbours: Sequence[ReachedEntity] = ()
    truncated: bool = False


def expand(tx: Tx, starts: Sequence[Key], *, hops: int, filters: Filters, limit: int) -> Expansion:
    """Expand some entities or proposed names along facts that hold, and into the texts that mention what is there.

    Args:
        starts: at least one; those of proposals with a minus.
        hops: 1 reaches the texts that mention them, and what is one fact away; 2 also the texts that mention that, or
            that mention what one text mentions with them, and what is two facts away.
        filters: of one group.
        limit: of each list.
    """
    # Nothing that is within the hops is more edges away than it is half steps.
    half_steps_within = 2 * hops - 1
    graph = text_graphs.read(tx, starts, max_steps=half_steps_within)
    ranks, _ = graph.rank(tx, dict.fromkeys(starts, 1.0))
    half_steps = graph.half_steps(starts, limit=half_steps_within)
    chunks = _chunks(tx, list(half_steps), ranks, filters)
    ways = _ways(graph, starts, ranks, hops=hops)
    facts = _facts(tx, graph, starts, ways, ranks, filters, hops=hops, limit=limit)
    reached = [node for node in ways if node not in set(starts)]
    if filters.about is not None:
        passing = store.retrieval.entities(tx, reached, filters)
        reached = [node for node in reached if node in passing]
    return Expansion(
        chunks=hydration.chunks(tx, chunks[:limit]),
        facts=facts[:limit],
        neighbours=_neighbours(tx, starts, reached[:limit], ways),
        truncated=graph.truncated or max(len(chunks), len(facts), len(reached)) > limit,
    )


@dataclass(frozen=True, slots=True)
class _Way:
    """How an entity is reached: its distance in facts, the last fact, and the entity before it; none at the start."""

    distance: int
    fact: int | None = None
    previous: Node | None = None


def _chunks(tx: Tx, nodes: Sequence[Node], ranks: Mapping[Node, float], filters: Filters) -> list[Hit]:
    """The chunks among some nodes, those with the highest ranks first."""
    scored = {row: ranks[node] for node in nodes if (row := text_graphs.chunk_row(node)) is not None}
    passing = scored.keys() if filters.about is None else store.retrieval.chunks(tx, list(scored), filters)
    return [
        Hit(row, round_score(rank))
        for row, rank in sorted(scored.items(), key=lambda chunk: (-chunk[1], chunk[0]))
        if row in passing
    ]


def _ways(graph: TextGraph, starts: Sequence[Key], ranks: Mapping[Node, float], *, hops: int) -> dict[Node, _Way]:
    """The way along facts to each entity within the hops: the nearest entities first, then those of higher rank."""
    facts: dict[Node, list[tuple[Node, int]]] = {}
    for (one, other), fact in graph.facts.items():
        facts.setdefault(one, []).append((other, fact))
        facts.setdefault(other, []).append((one, fact))
    ways = {start: _Way(0) for start in starts}
    frontier: list[Node] = list(starts)
    for distance in range(1, hops + 1):
        reached: dict[Node, _Way] = {}
        for node in frontier:
            for neighbour, fact in facts.get(node, ()):
                if neighbour not in ways:
                    reached.setdefault(neighbour, _Way(distance, fact, node))
        frontier = sorted(reached, key=lambda node: (-ranks[node], node))
        ways |= {node: reached[node] for node in frontier}
    return ways


def _facts(
    tx: Tx,
    graph: TextGraph,
    starts: Sequence[Key],
    ways: Mapping[Node, _Way],
    ranks: Mapping[Node, float],
    filters: Filters,
    *,
    hops: int,
    limit: int,
) -> list[Fact]:
    """Facts of the starts, of each in turn the newest; then those between what is reached, by rank."""
    entities = [start for start in starts if start > 0]
    of_each = max(2, (limit + 1) // max(len(entities), 1))
    of_entities = [
        [fact for fact, _, _ in store.retrieval.facts_of_entities(tx, [entity], filters, limit=of_each)]
        for entity in entities
    ]
    own = [fact for in_turn in zip_longest(*of_entities) for fact in in_turn if fact is not None]
    between = [
        (ranks[one] + ranks[other], fact)
        for (one, other), fact in graph.facts.items()
        if one in ways and other in ways and min(ways[one].distance, ways[other].distance) < hops
    ]
    rows = [*own, *(row for _, row in sorted(between, key=lambda fact: (-fact[0], fact[1])))]
    rows = list(dict.fromkeys(rows))[: 2 * limit]
    return store.facts.by_rows(tx, rows if filters.about is None else store.retrieval.facts(tx, rows, filters))


def _neighbours(
    tx: Tx, starts: Sequence[Key], reached: Sequence[Node], ways: Mapping[Node, _Way]
) -> list[ReachedEntity]:
    nodes: dict[Node, None] = {}
    for node in reached:
        step: Node | None = node
        while step is not None and step not in nodes:
            nodes[step] = None
            step = ways[step].previous
    entities = store.entities.by_rows(tx, [node for node in nodes if node > 0])
    rows = [fact for node in nodes if (fact := ways[node].fact) is not None]
    facts = {fact.row: fact for fact in store.facts.by_rows(tx, rows)}

    def path(node: Node) -> str:
        way = ways[node]
        if way.fact is None or way.previous is None:
            return entities[node].name
        fact = facts[way.fact]
        arrow = f"-[{fact.predicate}]->" if fact.subject.row == way.previous else f"<-[{fact.predicate}]-"
        return f"{path(way.previous)} {arrow} {entities[node].name}"

    return [ReachedEntity(entities[node], ways[node].distance, path(node)) for node in reached if node in entities]
