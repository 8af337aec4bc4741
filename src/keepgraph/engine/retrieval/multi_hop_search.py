"""Multi-hop search: texts and facts by words and vectors, and by the graph around what the question is about.

To what `search` finds come two rankings: breadth first, the texts nearest to the entities of the question; and
personalised PageRank over facts and mentions, where names that lead from a text to another count, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from keepgraph import store
from keepgraph.engine.retrieval import hydration, search, weights
from keepgraph.engine.retrieval.fusion import Hit, Key, Ranking
from keepgraph.engine.retrieval.retrievers import by_mention
from keepgraph.engine.retrieval.search_context import SearchContext
from keepgraph.engine.retrieval.search_request import BFS, EDGES, EPISODES, NODES, PPR, SearchRequest
from keepgraph.engine.retrieval.search_results import ChunkResult
from keepgraph.engine.topology import text_graphs
from keepgraph.engine.topology.text_graphs import Node, TextGraph
from keepgraph.model import Entity, Fact, Proposal
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx

MAX_SEEDS = 8
MAX_FACTS = 10


@dataclass(frozen=True, slots=True)
class RankReport:
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
    """What was found.

    Attributes:
        traversal: the one that was asked for.
        chunks: the best, best first; several of one text where they are the best.
        facts: current ones, the nearest to the question first.
        seeds: the entities and proposed names where the graph was entered.
        ranks: None where the traversal has no PageRank.
        candidates: how many chunks were ranked.
        candidates_by_words: how many of them by their words.
        graph_truncated: whether the graph around the seeds is larger than was read.
        embedding_state: as in `SearchResults`.
    """

    traversal: str
    chunks: Sequence[ChunkResult]
    facts: Sequence[Fact]
    seeds: Sequence[Entity | Proposal]
    ranks: RankReport | None
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
    request = SearchRequest(question, frozenset((EPISODES, EDGES, NODES)), filters, limit=max(limit, MAX_FACTS))
    context = search.analyse(tx, request)
    rankings = search.retrieve(context, EPISODES)
    context.hits[EPISODES] = search.fuse(context, EPISODES, rankings)
    fact_rankings = search.retrieve(context, EDGES)
    context.hits[EDGES] = search.fuse(context, EDGES, fact_rankings)
    seeds = _seeds(context)
    best_chunks = _seed_chunks(context) if traversal != BFS else []
    graph = text_graphs.read(tx, [*seeds, *(text_graphs.chunk_node(hit.key) for hit in best_chunks)])
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
        report = RankReport(
            ranks.iterations,
            ranks.converged,
            seeds=len(weights_of_seeds),
            scored=sum(rank > 0 for rank in nearness.values()),
        )
    hits = search.fuse(context, EPISODES, rankings, {BFS: weights.CHUNKS_BY_DISTANCE, PPR: weights.CHUNKS_BY_PAGERANK})
    fact_rankings["graph"] = _facts_by_nearness(graph, nearness)
    facts = search.fuse(context, EDGES, fact_rankings)
    return MultiHopResults(
        traversal=traversal,
        chunks=hydration.chunks(tx, hits[:limit]),
        facts=[result.fact for result in hydration.facts(tx, facts[:MAX_FACTS])],
        seeds=_nodes(tx, list(seeds)),
        ranks=report,
        candidates=len(hits),
        candidates_by_words=len(rankings["words"]),
        graph_truncated=graph.truncated,
        embedding_state=context.vectors.state,
    )


def _seeds(context: SearchContext) -> dict[Key, float]:
    """The nodes that the question names, with how surely; where it names none, the best that search finds."""
    by_name: dict[Key, float] = {}
    for name in context.question.names:
        for key, score in (*name.entities, *((-row, weights.PROPOSED_NAME) for row in name.proposals)):
            by_name[key] = max(score, by_name.get(key, 0.0))
    if not by_name:
        context.hits[NODES] = search.fuse(context, NODES, search.retrieve(context, NODES))
        by_name = {hit.key: hit.score for hit in context.hits[NODES][: weights.SEEDS_WITHOUT_NAME]}
    return dict(sorted(by_name.items(), key=lambda seed: -seed[1])[:MAX_SEEDS])


def _seed_chunks(context: SearchContext) -> list[Hit]:
    """The best chunks, but for those that are only a little like the question."""
    return [hit for hit in context.hits[EPISODES][: weights.SEED_CHUNKS] if by_mention.is_clearly_relevant(hit)]


def _weights(seeds: Mapping[Key, float], chunks: Sequence[Hit]) -> dict[Node, float]:
    """What each seed weighs: names together, and the best chunks together, a share each."""
    of_names, of_chunks = sum(seeds.values()), sum(hit.score for hit in chunks)
    share = weights.SHARE_OF_SEED_CHUNKS if seeds else 1.0
    return {key: (1 - share) * score / of_names for key, score in seeds.items()} | {
        text_graphs.chunk_node(hit.key): share * hit.score / of_chunks for hit in chunks
    }


def _chunks_by_distance(half_steps: Mapping[Node, int], hits: Sequence[Hit]) -> Ranking:
    """The nearest chunks; of those at the same distance, first what words and vectors find, then the newest."""
    order = {hit.key: number for number, hit in enumerate(hits)}
    chunks = [
        (row, float(distance))
        for node, distance in half_steps.items()
        if (row := text_graphs.chunk_row(node)) is not None
    ]
    return sorted(chunks, key=lambda chunk: (chunk[1], order.get(chunk[0], len(order)), -chunk[0]))[
        : weights.CANDIDATES
    ]


def _chunks_by_rank(ranks: Mapping[Node, float]) -> Ranking:
    chunks = [(row, rank) for node, rank in ranks.items() if rank and (row := text_graphs.chunk_row(node)) is not None]
    return sorted(chunks, key=lambda chunk: (-chunk[1], chunk[0]))[: weights.CANDIDATES]


def _facts_by_nearness(graph: TextGraph, nearness: Mapping[Node, float]) -> Ranking:
    """The facts between two entities, those first whose ends are nearest to the seeds."""
    facts = [
        (fact, nearness[one] + nearness[other])
        for (one, other), fact in graph.facts.items()
        if one in nearness and other in nearness
    ]
    return sorted(facts, key=lambda fact: (-fact[1], fact[0]))[: weights.CANDIDATES]


def _nodes(tx: Tx, keys: Sequence[Key]) -> list[Entity | Proposal]:
    entities = store.entities.by_rows(tx, [key for key in keys if key > 0])
    proposals = store.proposals.by_rows(tx, [-key for key in keys if key < 0])
    nodes = (entities.get(key) if key > 0 else proposals.get(-key) for key in keys)
    return [node for node in nodes if node is not None]
