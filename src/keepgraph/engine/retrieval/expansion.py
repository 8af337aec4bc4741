"""Expansion: what surrounds some entities in the graph, within some hops: texts, facts and neighbours.

The graph consists of entities, proposed names and chunks, connected by facts that hold and by mentions. It is read
outward from where a question begins, nearest first, until nothing more is connected or a bound is reached. So a large
graph and a hub cost no more than a small one, and a graph within the bounds is read whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

import numpy as np

from keepgraph import store
from keepgraph.arrays import weighted_graph
from keepgraph.arrays.weighted_graph import Integers, Ranks, WeightedGraph
from keepgraph.engine.retrieval import fusion, retrievers, search, search_request
from keepgraph.engine.retrieval.fusion import Hit, Key, Ranking, round_score
from keepgraph.engine.retrieval.question_analysis import SearchContext
from keepgraph.engine.retrieval.search_request import BFS, EDGES, EPISODES, NODES, PPR, ChunkResult, SearchRequest
from keepgraph.model import Entity, Fact, Proposal
from keepgraph.store.cancellation import raise_if_cancelled
from keepgraph.store.graph_extracts import FactEdge, Mention
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx

MAX_HOPS = 4


@dataclass(frozen=True, slots=True)
class ReachedEntity:
    """An entity that facts lead to.

    Attributes:
        distance: in facts, from the nearest entity where the expansion begins.
        path: the way from there, in words: `Priya -[belongs_to]-> Atlas`.
    """

    entity: Entity
    distance: int
    path: str


@dataclass(frozen=True, slots=True)
class Expansion:
    """What surrounds some entities, the nearest by personalised PageRank first.

    Attributes:
        truncated: whether there is more than the limit of a list, or more of the graph than was read.
    """

    chunks: Sequence[ChunkResult] = ()
    facts: Sequence[Fact] = ()
    neighbours: Sequence[ReachedEntity] = ()
    truncated: bool = False


def expand(tx: Tx, starts: Sequence[Key], *, hops: int, filters: Filters, limit: int) -> Expansion:
    """Expand some entities or proposed names along current facts, and into the texts that mention what is there.

    Args:
        starts: at least one; those of proposals with a minus.
        hops: 1 reaches the texts that mention them, and what is one fact away; 2 also the texts that mention that, or
            that mention what one text mentions with them, and what is two facts away.
        filters: of one group.
        limit: of each list.
    """
    # Nothing that is within the hops is more edges away than it is half steps.
    half_steps_within = 2 * hops - 1
    graph = read(tx, starts, max_steps=half_steps_within)
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
        chunks=search_request.chunks(tx, chunks[:limit]),
        facts=facts[:limit],
        neighbours=_neighbours(tx, reached[:limit], ways),
        truncated=graph.truncated or max(len(chunks), len(facts), len(reached)) > limit,
    )


@dataclass(frozen=True, slots=True)
class _Way:
    """How an entity is reached: its distance in facts, the last fact, and the previous entity; none at the start."""

    distance: int
    fact: int | None = None
    previous: Node | None = None


def _chunks(tx: Tx, nodes: Sequence[Node], ranks: Mapping[Node, float], filters: Filters) -> list[Hit]:
    """The chunks among some nodes, those with the highest ranks first."""
    scored = {row: ranks[node] for node in nodes if (row := chunk_row(node)) is not None}
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
    """Facts of the starts, the newest of each in turn; then those between what is reached, by rank."""
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


def _neighbours(tx: Tx, reached: Sequence[Node], ways: Mapping[Node, _Way]) -> list[ReachedEntity]:
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


# Multi-hop search: texts and facts by words and vectors, and by the graph around what the question is about.
#
# Two rankings join what `search` finds: breadth first, the texts nearest to the entities of the question; and
# personalised PageRank over facts and mentions, where names that connect texts count, too.

_MAX_SEEDS = 8
_MAX_FACTS = 10


@dataclass(frozen=True, slots=True)
class _RankReport:
    """How the ranks were computed.

    Attributes:
        seeds: how many nodes the walk returns to.
        scored: how many entities, proposed names and chunks have a rank.
    """

    iterations: int
    converged: bool
    seeds: int
    scored: int


@dataclass(frozen=True, slots=True)
class MultiHopResults:
    """The results.

    Attributes:
        traversal: the requested one.
        chunks: the best, best first; several of one text if they are the best.
        facts: current ones, nearest to the question first.
        seeds: the entities and proposed names where the graph was entered.
        ranks: None if the traversal has no PageRank.
        candidates: how many chunks were ranked.
        candidates_by_words: how many of them by their words.
        graph_truncated: whether the graph around the seeds is larger than was read.
        embedding_state: as in `SearchResults`.
    """

    traversal: str
    chunks: Sequence[ChunkResult]
    facts: Sequence[Fact]
    seeds: Sequence[Entity | Proposal]
    ranks: _RankReport | None
    candidates: int
    candidates_by_words: int
    graph_truncated: bool
    embedding_state: str


def find(tx: Tx, question: str, *, filters: Filters, traversal: str, hops: int, limit: int) -> MultiHopResults:
    """Find the texts and the facts for a question.

    Args:
        filters: of one group.
        traversal: of TRAVERSALS.
        hops: how far from the seeds breadth-first search goes: 1 finds the texts that mention them, 2 also those that
            mention what is one fact, or one common text, away.
        limit: of chunks.

    Raises:
        errors.QueryRequired: the question is empty.
    """
    request = SearchRequest(question, frozenset((EPISODES, EDGES, NODES)), filters, limit=max(limit, _MAX_FACTS))
    context = search.analyse(tx, request)
    rankings = search.retrieve(context, EPISODES)
    context.hits[EPISODES] = search.fuse(context, EPISODES, rankings)
    fact_rankings = search.retrieve(context, EDGES)
    context.hits[EDGES] = search.fuse(context, EDGES, fact_rankings)
    seeds = _seeds(context)
    best_chunks = _seed_chunks(context) if traversal != BFS else []
    graph = read(tx, [*seeds, *(chunk_node(hit.key) for hit in best_chunks)])
    nearness: Mapping[Node, float] = {}
    report = None
    if traversal != PPR:
        half_steps = graph.half_steps(seeds, limit=2 * hops - 1)
        nearness = {node: 1 / (1 + distance) for node, distance in half_steps.items()}
        rankings[BFS] = _chunks_by_distance(half_steps, context.hits[EPISODES])
    if traversal != BFS:
        weights_of_seeds = _weights(seeds, best_chunks)
        nearness, ranks = graph.rank(tx, weights_of_seeds)
        rankings[PPR] = _chunks_by_rank(nearness)
        report = _RankReport(
            ranks.iterations,
            ranks.converged,
            seeds=len(weights_of_seeds),
            scored=sum(rank > 0 for rank in nearness.values()),
        )
    hits = search.fuse(context, EPISODES, rankings, {BFS: fusion.CHUNKS_BY_DISTANCE, PPR: fusion.CHUNKS_BY_PAGERANK})
    fact_rankings["graph"] = _facts_by_nearness(graph, nearness)
    facts = search.fuse(context, EDGES, fact_rankings)
    return MultiHopResults(
        traversal=traversal,
        chunks=search_request.chunks(tx, hits[:limit]),
        facts=[result.fact for result in search_request.facts(tx, facts[:_MAX_FACTS])],
        seeds=_nodes(tx, list(seeds)),
        ranks=report,
        candidates=len(hits),
        candidates_by_words=len(rankings["words"]),
        graph_truncated=graph.truncated,
        embedding_state=context.vectors.state,
    )


def _seeds(context: SearchContext) -> dict[Key, float]:
    """The nodes that the question names, and how certainly; if it names none, the best that search finds."""
    seeds = retrievers.nodes_by_name(context)
    if not seeds:
        context.hits[NODES] = search.fuse(context, NODES, search.retrieve(context, NODES))
        seeds = [(hit.key, hit.score) for hit in context.hits[NODES][: fusion.SEEDS_WITHOUT_NAME]]
    return dict(seeds[:_MAX_SEEDS])


def _seed_chunks(context: SearchContext) -> list[Hit]:
    """The best chunks, except those only slightly similar to the question."""
    return [hit for hit in context.hits[EPISODES][: fusion.SEED_CHUNKS] if retrievers.is_clearly_relevant(hit)]


def _weights(seeds: Mapping[Key, float], chunks: Sequence[Hit]) -> dict[Node, float]:
    """The weight of each seed: a share for all names, and one for all of the best chunks."""
    of_names, of_chunks = sum(seeds.values()), sum(hit.score for hit in chunks)
    share = fusion.SHARE_OF_SEED_CHUNKS if seeds else 1.0
    return {key: (1 - share) * score / of_names for key, score in seeds.items()} | {
        chunk_node(hit.key): share * hit.score / of_chunks for hit in chunks
    }


def _chunks_by_distance(half_steps: Mapping[Node, int], hits: Sequence[Hit]) -> Ranking:
    """The nearest chunks; of those at the same distance, first what words and vectors find, then the newest."""
    order = {hit.key: number for number, hit in enumerate(hits)}
    chunks = [(row, float(distance)) for node, distance in half_steps.items() if (row := chunk_row(node)) is not None]
    return sorted(chunks, key=lambda chunk: (chunk[1], order.get(chunk[0], len(order)), -chunk[0]))[: fusion.CANDIDATES]


def _chunks_by_rank(ranks: Mapping[Node, float]) -> Ranking:
    chunks = [(row, rank) for node, rank in ranks.items() if rank and (row := chunk_row(node)) is not None]
    return sorted(chunks, key=lambda chunk: (-chunk[1], chunk[0]))[: fusion.CANDIDATES]


def _facts_by_nearness(graph: TextGraph, nearness: Mapping[Node, float]) -> Ranking:
    """The facts between two entities, those whose ends are nearest to the seeds first."""
    facts = [
        (fact, nearness[one] + nearness[other])
        for (one, other), fact in graph.facts.items()
        if one in nearness and other in nearness
    ]
    return sorted(facts, key=lambda fact: (-fact[1], fact[0]))[: fusion.CANDIDATES]


def _nodes(tx: Tx, keys: Sequence[Key]) -> list[Entity | Proposal]:
    entities = store.entities.by_rows(tx, [key for key in keys if key > 0])
    proposals = store.proposals.by_rows(tx, [-key for key in keys if key < 0])
    nodes = (entities.get(key) if key > 0 else proposals.get(-key) for key in keys)
    return [node for node in nodes if node is not None]


MAX_EDGES = 10_000
"""At most this many facts and mentions are read."""

MAX_EDGES_OF_NODE = 300
"""At most this many facts of an entity in each direction, chunks of a name, and names of a chunk are read."""

MAX_STEPS = 10
"""Less than a thousandth of the rank of a walk that returns to its seeds every second step is farther away."""

WEIGHT_OF_SPEAKER = 0.2
"""The weight of a speaker's link to a turn: less than that of a name in a text."""

_MIN_WEIGHT = 0.01
_LENGTH_OF_FACT, _LENGTH_OF_MENTION = 2, 1
"""Half steps: from one name to another in the same text is as far as from one end of a fact to the other."""

_CHUNKS_FROM = 1 << 48

Node = int
"""An entity by its row number, a proposed name by that with a minus, a chunk by `chunk_node`."""


@dataclass(frozen=True, slots=True)
class TextGraph:
    """What is around some nodes.

    Attributes:
        graph: the keys are nodes; an edge weighs the confidence of the most certain fact between its ends, or 1 for a
            mention, less if the entity only speaks the text.
        facts: the row number of the most certain fact between two entities, by their row numbers, the lower first.
        truncated: whether a bound was reached, so that there is more.
    """

    graph: WeightedGraph
    facts: Mapping[tuple[int, int], int]
    truncated: bool

    def rank(self, tx: Tx, seeds: Mapping[Node, float]) -> tuple[Mapping[Node, float], Ranks]:
        """The personalised PageRank of the nodes, by node and as it was computed."""
        weights = np.zeros(len(self.graph))
        weights[np.searchsorted(self.graph.keys, list(seeds))] = list(seeds.values())
        ranks = weighted_graph.rank(self.graph, weights, check=lambda: raise_if_cancelled(tx.cancellation))
        return dict(zip(self.graph.keys.tolist(), ranks.values.tolist(), strict=True)), ranks

    def half_steps(self, starts: Iterable[Node], *, limit: int) -> dict[Node, int]:
        """How far the nodes within the limit are from the nearest start: a fact counts two, a mention one."""
        keys, graph = self.graph.keys, self.graph
        is_chunk = keys >= _CHUNKS_FROM
        lengths = np.where(is_chunk[graph.owners] | is_chunk[graph.ends], _LENGTH_OF_MENTION, _LENGTH_OF_FACT)
        numbers: Integers = np.searchsorted(keys, np.array(list(starts), dtype=np.int64))
        distances = weighted_graph.distances(graph, numbers, lengths, limit=limit)
        reached = np.flatnonzero(distances <= limit)
        return dict(zip(keys[reached].tolist(), distances[reached].tolist(), strict=True))


def chunk_node(row: int) -> Node:
    return _CHUNKS_FROM + row


def chunk_row(node: Node) -> int | None:
    """The row number of a chunk; None if the node is not a chunk."""
    return node - _CHUNKS_FROM if node >= _CHUNKS_FROM else None


def read(tx: Tx, starts: Sequence[Node], *, max_steps: int = MAX_STEPS) -> TextGraph:
    """Read the graph around some nodes of the group, as it holds at `tx.now`.

    Args:
        max_steps: how many edges away; what is farther is not part of the graph, and does not make it truncated.
    """
    weights: dict[tuple[Node, Node], float] = {}
    facts: dict[tuple[int, int], int] = {}
    visited = frontier = list(dict.fromkeys(starts))
    truncated = False
    for _ in range(max_steps):
        raise_if_cancelled(tx.cancellation)
        room = MAX_EDGES - len(weights)
        if not frontier or room <= 0:
            truncated = truncated or bool(frontier)
            break
        edges, mentions = _read_edges(tx, frontier, room=room)
        truncated = truncated or _is_cut(edges, mentions, room=room)
        # A hub of facts may not take the room of the texts, nor the other way round.
        for fact, subject, target, confidence in edges[: max(room - len(mentions), room // 2)]:
            pair = (min(subject, target), max(subject, target))
            if max(confidence, _MIN_WEIGHT) > weights.get(pair, 0.0):
                weights[pair], facts[pair] = max(confidence, _MIN_WEIGHT), fact
        for chunk, node, is_speaker in mentions[: max(room - len(edges), room // 2)]:
            weights[node, chunk_node(chunk)] = WEIGHT_OF_SPEAKER if is_speaker else 1.0
        known = set(visited)
        frontier = [node for node in dict.fromkeys(chain.from_iterable(weights)) if node not in known]
        visited = visited + frontier
    return TextGraph(_arrays(visited, weights), facts, truncated)


def _read_edges(tx: Tx, frontier: Sequence[Node], *, room: int) -> tuple[list[FactEdge], list[Mention]]:
    """The facts and mentions of some nodes, of each at most one more than MAX_EDGES_OF_NODE."""
    each = MAX_EDGES_OF_NODE + 1
    entities = [node for node in frontier if 0 < node < _CHUNKS_FROM]
    proposals = [-node for node in frontier if node < 0]
    chunks = [node - _CHUNKS_FROM for node in frontier if node >= _CHUNKS_FROM]
    facts = store.graph_extracts.facts_of(tx, entities, per_entity=each, limit=room + 1) if entities else []
    mentions = []
    if entities or proposals:
        mentions += store.graph_extracts.mentions_of(tx, entities, proposals, per_node=each, limit=room + 1)
    if chunks:
        mentions += store.graph_extracts.text_mentions_in(tx, chunks, per_chunk=each, limit=room + 1)
    return facts, mentions


def _is_cut(facts: Sequence[FactEdge], mentions: Sequence[Mention], *, room: int) -> bool:
    """Whether there is more than was read, or more than there is room for."""
    if len(facts) + len(mentions) > room:
        return True
    counts = (
        Counter(subject for _, subject, _, _ in facts),
        Counter(target for _, _, target, _ in facts),
        Counter(node for _, node, _ in mentions),
        Counter(chunk for chunk, _, _ in mentions),
    )
    return any(max(count.values(), default=0) > MAX_EDGES_OF_NODE for count in counts)


def _arrays(nodes: Sequence[Node], weights: Mapping[tuple[Node, Node], float]) -> WeightedGraph:
    ends = np.fromiter(chain.from_iterable(weights), dtype=np.int64, count=2 * len(weights)).reshape(-1, 2)
    return weighted_graph.build(
        ends[:, 0], ends[:, 1], np.array(list(weights.values())), nodes=np.array(nodes, dtype=np.int64)
    )
