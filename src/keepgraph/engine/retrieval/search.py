"""Search: entities, facts, communities and texts for a question, by names, by words, by vectors and along facts.

The steps: analyse the question, run the retrievers of each kind, fuse their rankings, filter, rerank, and read what was
found from the database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.retrieval import fusion, question_analysis, reranking, retrievers, search_request
from keepgraph.engine.retrieval.fusion import Hit, Key, Ranking
from keepgraph.engine.retrieval.question_analysis import SearchContext
from keepgraph.engine.retrieval.retrievers import RETRIEVERS, WORDS
from keepgraph.engine.retrieval.search_request import (
    COMMUNITIES,
    CROSS_ENCODER,
    EDGES,
    EPISODE_MENTIONS,
    EPISODES,
    KINDS,
    NEWEST,
    NODE_DISTANCE,
    NODES,
    RRF,
    WHOLE,
    ChunkResult,
    CommunityResult,
    FactResult,
    NodeResult,
    SearchRequest,
    SearchResults,
)
from keepgraph.model import Fact
from keepgraph.store.derived_tables import CHUNK_VECTORS, FACT_VECTORS, NAME_VECTORS
from keepgraph.store.transactions import Tx

_Result = TypeVar("_Result")

_VECTORS = {
    EPISODES: (CHUNK_VECTORS, 2),
    EDGES: (FACT_VECTORS, 1),
    NODES: (NAME_VECTORS, 2),
}
"""The vectors of each kind; the number of a vector is the row of a hit times this."""


def search(tx: Tx, request: SearchRequest) -> SearchResults:
    """Search for what answers a question, or is near to some node; the best of each kind.

    Raises:
        errors.QueryRequired: there is neither a question nor a node to begin at.
        errors.InvalidArguments: distances are asked for, and there is nothing to measure them from.
        errors.ModelUnavailable: a cross-encoder is asked for, and there is none.
    """
    if request.lists_newest:
        return _newest_texts(tx, request)
    context = analyse(tx, request)
    kinds = _needed_kinds(context)
    early = {kind: _retrieve_early(context, kind) for kind in kinds}  # while the question is embedded
    for kind in kinds:
        rankings = retrieve(context, kind, early[kind])
        hits = fuse(context, kind, rankings)
        context.hits[kind] = hits if request.includes_near else _without_merely_near(kind, hits, rankings)
    abstained = request.may_abstain and reranking.abstains(context)
    results = _results(context)
    if not abstained or request.includes_near:
        return replace(results, abstained=abstained)
    near = {kind: len(hits) for kind in KINDS if (hits := getattr(results, kind))}
    return SearchResults(named=results.named, embedding_state=results.embedding_state, abstained=True, near=near)


def _without_merely_near(kind: str, hits: list[Hit], rankings: Mapping[str, Ranking]) -> list[Hit]:
    """The hits without those that only their vectors have found, and that are clearly farther than the nearest."""
    of_vectors = [retriever.source for retriever in RETRIEVERS[kind] if retriever.compares_vectors]
    cosines: dict[Key, float] = {}
    for source in of_vectors:
        for key, cosine in rankings.get(source, ()):
            cosines[key] = max(cosine, cosines.get(key, 0.0))
    if not cosines or not hits:
        return hits
    others = [ranking for source, ranking in rankings.items() if source not in {*of_vectors, retrievers.SOURCE}]
    found_otherwise = {key for ranking in others for key, _ in ranking}
    least = fusion.NEAR_SHARE_OF_BEST * max(cosines.get(hit.key, 0.0) for hit in hits)
    return [
        hit for hit in hits if hit.key in found_otherwise or cosines.get(hit.key, 0.0) >= least or _SOURCE in hit.why
    ]


def check(tx: Tx, request: SearchRequest) -> None:
    """Refuse a request that cannot be answered, before anything is computed for it.

    Raises:
        errors.QueryRequired: there is neither a question nor a node to begin at.
        errors.ModelUnavailable: a cross-encoder is asked for, and there is none.
    """
    if not request.question.strip() and not request.starting_nodes and not request.lists_newest:
        raise errors.QueryRequired("the query is empty")
    if request.reranker == CROSS_ENCODER:
        reranking.require_cross_encoder(tx)


def can_rerank(tx: Tx, request: SearchRequest) -> bool:
    """Whether the reranker of a request can be used: for want of a cross-encoder or of a centre, it may not be."""
    if request.reranker == CROSS_ENCODER:
        return reranking.has_cross_encoder(tx)
    if request.reranker == NODE_DISTANCE and not request.starting_nodes:
        return bool(question_analysis.analyse(tx, request.question, groups=request.filters.groups).nodes)
    return True


def analyse(tx: Tx, request: SearchRequest) -> SearchContext:
    """The context of a search, with the names and words of the question and its vectors, and without any hit.

    Raises:
        the errors of search.
    """
    check(tx, request)
    question = question_analysis.analyse(tx, request.question, groups=request.filters.groups)
    vectors = question_analysis.embed(tx, question, kinds=request.kinds)
    context = SearchContext(tx, request, question, vectors)
    if request.reranker == NODE_DISTANCE and not context.centres:
        raise errors.InvalidArguments(
            "node_distance needs something to measure from, and the query names nothing that the graph knows",
            hint="Give center_node_uuid: the id of an entity, as `search` gives it.",
        )
    return context


def _retrieve_early(context: SearchContext, kind: str) -> dict[str, Ranking]:
    return {retriever.source: retriever.retrieve(context) for retriever in RETRIEVERS[kind] if retriever.is_independent}


def retrieve(context: SearchContext, kind: str, early: Mapping[str, Ranking] | None = None) -> dict[str, Ranking]:
    """What each retriever of a kind finds, by the name of the retriever.

    Args:
        early: what some of them have found already.
    """
    known = early or {}
    rankings = {
        retriever.source: known[retriever.source] if retriever.source in known else retriever.retrieve(context)
        for retriever in RETRIEVERS[kind]
    }
    if kind == EPISODES and retrievers.feedback_applies(context):
        again = retrievers.documents_by_feedback(context, fuse(context, kind, rankings))
        return rankings | {retrievers.SOURCE: again} if again else rankings
    return rankings


def fuse(
    context: SearchContext, kind: str, rankings: Mapping[str, Ranking], more_weights: Mapping[str, float] | None = None
) -> list[Hit]:
    """The rankings of a kind as one, with what passes the filter by project, and texts boosted by names.

    Args:
        more_weights: of rankings that are not in the table of retrievers, where they do not count 1.
    """
    usual, of_documents = dict(more_weights or {}), {retrievers.SOURCE: fusion.DOCUMENTS_BY_FEEDBACK}
    for retriever in RETRIEVERS[kind]:
        usual[retriever.source] = retriever.weight
        if retriever.weight_of_documents is not None:
            of_documents[retriever.source] = retriever.weight_of_documents
    keys = {key for ranking in rankings.values() for key, _ in ranking}
    exceptions: dict[Key, dict[str, float]] = {}
    if kind == EPISODES:
        # Turns of conversations and documents are one ranking, each with their own weights (ADR 0052).
        exceptions = dict.fromkeys(keys - store.episodes.turns(context.tx, list(keys)), of_documents)
    for key in _waiting(context, kind, keys):
        weight_of = usual | exceptions.get(key, {})
        exceptions[key] = weight_of | {WORDS: weight_of[WORDS] + _weight_of_vectors(kind, rankings, weight_of)}
    hits = _about_project(context, kind, fusion.fuse(rankings, usual, exceptions=exceptions))
    if kind == NODES:
        return fusion.scale_proposals(hits, fusion.PROPOSED_NODE)
    return _apply(context, hits) if kind == EPISODES else hits


def _waiting(context: SearchContext, kind: str, keys: Collection[Key]) -> set[Key]:
    """Those of some hits that have no vector yet."""
    if kind not in _VECTORS or _VECTORS[kind][0] not in context.vectors.waiting:
        return set()
    vectors, factor = _VECTORS[kind]
    missing = store.vectors.missing(context.tx, vectors, [factor * key for key in keys if key > 0])
    return {number // factor for number in missing}


def _weight_of_vectors(kind: str, rankings: Mapping[str, Ranking], weight_of: Mapping[str, float]) -> float:
    """What the rankings by vectors count together, as far as they have found anything."""
    sources = [retriever.source for retriever in RETRIEVERS[kind] if retriever.compares_vectors]
    return sum(weight_of.get(source, 1.0) for source in [*sources, retrievers.SOURCE] if rankings.get(source))


def _about_project(context: SearchContext, kind: str, hits: list[Hit]) -> list[Hit]:
    """The hits that are about the project of the request; all of them where it has none."""
    tx, filters = context.tx, context.request.filters
    if filters.about is None and (filters.days is None or kind != EPISODES):
        return hits
    keys = [hit.key for hit in hits]
    passing: set[int]
    if kind == NODES:
        passing = set(store.retrieval.entities(tx, [key for key in keys if key > 0], filters))
        passing |= {-row for row in store.retrieval.proposals(tx, [-key for key in keys if key < 0], filters)}
    elif kind == EDGES:
        passing = set(store.retrieval.facts(tx, keys, filters))
    elif kind == EPISODES:
        passing = store.retrieval.chunks(tx, keys, filters)
    else:
        passing = store.retrieval.communities(tx, keys, filters)
    return [hit for hit in hits if hit.key in passing]


def _needed_kinds(context: SearchContext) -> list[str]:
    """The kinds up to the last that is asked for: each builds on those before it in the table of retrievers."""
    asked = context.request.kinds
    if COMMUNITIES in asked and not store.communities.any_built(context.tx):
        asked -= {COMMUNITIES}
    kinds = list(RETRIEVERS)
    last = max((kinds.index(kind) for kind in asked), default=-1)
    return kinds[: last + 1]


def _pool_size(request: SearchRequest, *, all_pass: bool = True) -> int:
    """How many hits of a kind are read and reranked.

    Args:
        all_pass: whether each hit is a result. Where the order stays as it is, one more than is wanted is enough then.
    """
    if all_pass and request.reranker in (RRF, NEWEST):
        return request.limit + 1
    return max(fusion.RERANKED_PER_RESULT * request.limit, fusion.MIN_RERANKED)


def _head(context: SearchContext, hits: Sequence[Hit]) -> int:
    """How many of the first hits a reranker may put into another order; all where no question says what is relevant."""
    if not context.question.text:
        return len(hits)
    return reranking.relevant_head(hits, limit=context.request.limit)


def _counted(context: SearchContext, hits: Sequence[Hit]) -> int:
    """How many of the first hits are put in the order of a count: those that are returned, chosen by relevance."""
    return context.request.limit if context.question.text else len(hits)


def _results(context: SearchContext) -> SearchResults:
    """The results of each kind that was asked for, filtered, reranked and read."""
    kinds, limit = context.request.kinds, context.request.limit
    nodes = _nodes(context) if NODES in kinds else []
    edges = knowledge.past_and_future.sort(context.tx, _facts(context), _fact_of) if EDGES in kinds else []
    episodes = _chunks(context) if EPISODES in kinds else []
    communities = _communities(context) if COMMUNITIES in kinds and COMMUNITIES in context.hits else []
    if context.request.reranker == NEWEST:
        edges = _newest_first(edges, limit, lambda result: result.fact.valid_from or result.fact.recorded_at)
        episodes = _newest_first(episodes, limit, lambda result: result.episode.occurred_at)
    lists: dict[str, Sequence[object]] = {
        NODES: nodes,
        EDGES: edges,
        EPISODES: episodes,
        COMMUNITIES: communities,
    }
    return SearchResults(
        nodes=nodes[:limit],
        edges=search_request.add_details(context.tx, edges[:limit]),
        communities=communities[:limit],
        episodes=episodes[:limit],
        truncated_kinds=frozenset(kind for kind, results in lists.items() if len(results) > limit),
        named=tuple(key for key in context.question.nodes if key > 0),
        embedding_state=context.vectors.state,
    )


def _newest_first(results: list[_Result], limit: int, time_of: Callable[[_Result], str]) -> list[_Result]:
    """The best results, the newest of them first; then the others."""
    return [*sorted(results[:limit], key=time_of, reverse=True), *results[limit:]]


def _newest_texts(tx: Tx, request: SearchRequest) -> SearchResults:
    """The newest texts that pass the filters: an answer to no question."""
    rows = store.retrieval.newest_chunks(tx, request.filters, limit=request.limit + 1)
    hits = [Hit(row, 1.0 / rank) for rank, row in enumerate(rows, 1)]
    return SearchResults(
        episodes=search_request.chunks(tx, hits[: request.limit]),
        truncated_kinds=frozenset([EPISODES] if len(rows) > request.limit else []),
    )


def _fact_of(result: FactResult) -> Fact:
    return result.fact


def _nodes(context: SearchContext) -> list[NodeResult]:
    tx, request = context.tx, context.request
    hits = _with_types(context, context.hits[NODES])[: _pool_size(request, all_pass=False)]
    if request.reranker == NODE_DISTANCE:
        hits = reranking.by_distance(hits, context.distances.nodes, head=_head(context, hits))
    elif request.reranker == EPISODE_MENTIONS:
        hits = reranking.by_count(hits, _of_nodes(tx, hits), head=_counted(context, hits))
    return reranking.rerank(context, search_request.nodes(tx, hits, request.filters))


def _with_types(context: SearchContext, hits: list[Hit]) -> list[Hit]:
    """The hits of the types that are asked for; those of proposed names are checked where they are read."""
    filters = context.request.filters
    if filters.types is None:
        return hits
    entities = store.retrieval.entities(context.tx, [hit.key for hit in hits if hit.key > 0], filters)
    return [hit for hit in hits if hit.key < 0 or hit.key in entities]


def _facts(context: SearchContext) -> list[FactResult]:
    tx, request = context.tx, context.request
    hits = context.hits[EDGES][: _pool_size(request)]
    if request.reranker == NODE_DISTANCE:
        hits = reranking.by_distance(hits, _distances_of_facts(context, hits), head=_head(context, hits))
    elif request.reranker == EPISODE_MENTIONS:
        hits = reranking.by_count(hits, _of_facts(tx, hits), head=_counted(context, hits))
    return reranking.rerank(context, search_request.facts(tx, hits))


def _distances_of_facts(context: SearchContext, hits: Sequence[Hit]) -> dict[int, int]:
    """The distance of the nearer end of each fact that can be reached."""
    nodes = context.distances.nodes
    distances = {}
    for fact, ends in store.retrieval.ends_of_facts(context.tx, [hit.key for hit in hits]).items():
        steps = [nodes[end] for end in ends if end in nodes]
        if steps:
            distances[fact] = min(steps)
    return distances


def _chunks(context: SearchContext) -> list[ChunkResult]:
    """The best chunk of each episode, or of each conversation and document."""
    tx, request = context.tx, context.request
    best_chunks = _best_of_wholes if request.rank_texts == WHOLE else _best_chunks
    hits, episode_of = best_chunks(context, _pool_size(request))
    if request.reranker == NODE_DISTANCE:
        reached = context.distances.episodes
        distances = {hit.key: reached[episode_of[hit.key]] for hit in hits if episode_of[hit.key] in reached}
        hits = reranking.by_distance(hits, distances, head=_head(context, hits))
    elif request.reranker == EPISODE_MENTIONS:
        hits = reranking.by_count(hits, _of_chunks(tx, hits), head=_counted(context, hits))
    return reranking.rerank(context, search_request.chunks(tx, hits))


def _best_chunks(context: SearchContext, limit: int) -> tuple[list[Hit], dict[int, int]]:
    """The best chunk of each of the best episodes, and the episodes of these chunks, by their row numbers."""
    all_hits = context.hits[EPISODES]
    best: dict[int, Hit] = {}
    for start in range(0, len(all_hits), 2 * limit):
        block = all_hits[start : start + 2 * limit]
        episode_of = store.retrieval.episodes_of_chunks(context.tx, [hit.key for hit in block])
        for hit in block:
            best.setdefault(episode_of[hit.key], hit)
        if len(best) >= limit:
            break
    hits = dict(list(best.items())[:limit])
    return list(hits.values()), {hit.key: episode for episode, hit in hits.items()}


def _best_of_wholes(context: SearchContext, limit: int) -> tuple[list[Hit], dict[int, int]]:
    """The best chunk of each of the best conversations and documents, and the episodes of these chunks."""
    all_hits = context.hits[EPISODES]
    whole_of = store.episodes.wholes(context.tx, [hit.key for hit in all_hits])
    hits = fusion.combine(all_hits, whole_of, share=fusion.SHARE_OF_NEXT_PART, source=WHOLE)[:limit]
    return hits, store.retrieval.episodes_of_chunks(context.tx, [hit.key for hit in hits])


def _communities(context: SearchContext) -> list[CommunityResult]:
    tx, request = context.tx, context.request
    hits = context.hits[COMMUNITIES][: _pool_size(request, all_pass=False)]
    if request.reranker == EPISODE_MENTIONS:
        hits = reranking.by_count(hits, _of_communities(tx, hits), head=_counted(context, hits))
    return reranking.rerank(context, search_request.communities(tx, hits))


# Counts for the reranker `episode_mentions`: in how many episodes a hit is mentioned, or how much a chunk mentions.

_MAX_MEMBERS = 10_000
"""The members that are counted, of all communities together."""


def _of_nodes(tx: Tx, hits: Sequence[Hit]) -> Mapping[Key, int]:
    """In how many episodes each entity or proposed name is mentioned."""
    entities, proposals = [hit.key for hit in hits if hit.key > 0], [-hit.key for hit in hits if hit.key < 0]
    counts: dict[Key, int] = dict(store.mentions.count_episodes(tx, entities)) if entities else {}
    if proposals:
        counts |= {-row: count for row, count in store.retrieval.count_episodes_of_proposals(tx, proposals).items()}
    return counts


def _of_facts(tx: Tx, hits: Sequence[Hit]) -> Mapping[Key, int]:
    """From how many episodes each fact comes."""
    return store.retrieval.count_episodes_of_facts(tx, [hit.key for hit in hits])


def _of_chunks(tx: Tx, hits: Sequence[Hit]) -> Mapping[Key, int]:
    """How many entities and proposed names each chunk mentions."""
    return Counter(chunk for chunk, _ in store.retrieval.mentioned_in_chunks(tx, [hit.key for hit in hits]))


def _of_communities(tx: Tx, hits: Sequence[Hit]) -> Mapping[Key, int]:
    """In how many episodes the members of each community are mentioned, added up."""
    memberships = store.communities.members(tx, [hit.key for hit in hits], limit=_MAX_MEMBERS)
    counts = store.mentions.count_episodes(tx, list({entity for _, entity in memberships}))
    totals: Counter[int] = Counter()
    for community, entity in memberships:
        totals[community] += counts.get(entity, 0)
    return totals


# The boost of chunks by names: what a named person says, and texts that mention a named entity, come before others.

_SOURCE = "names"
"""Its name in results."""


def _apply(context: SearchContext, chunks: Sequence[Hit]) -> list[Hit]:
    """The chunks with the boost, which takes the place of the names that words and vectors leave out (ADR 0028)."""
    tx, question = context.tx, context.question
    rows = [chunk.key for chunk in chunks]
    entities, proposals = [key for key in question.nodes if key > 0], [-key for key in question.nodes if key < 0]
    known = context.spoken_by_named(rows)
    if entities:
        known |= store.retrieval.unspoken_mentioning(tx, rows, entities, [])
    proposed = store.retrieval.unspoken_mentioning(tx, rows, [], proposals) - known if proposals else set()
    boosted = fusion.boost(chunks, known, by=fusion.NAMED_SPEAKER, source=_SOURCE) if known else list(chunks)
    return fusion.boost(boosted, proposed, by=fusion.PROPOSED_NAME_IN_TEXT, source=_SOURCE) if proposed else boosted
