"""Reranking: another order for hits, by diversity (MMR), by distance, by a count, or by the scores of a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.retrieval import fusion, question_analysis
from keepgraph.engine.retrieval.fusion import Hit, Key, Placement, round_score
from keepgraph.engine.retrieval.question_analysis import SearchContext
from keepgraph.engine.retrieval.search_request import (
    CROSS_ENCODER,
    MMR,
    ChunkResult,
    CommunityResult,
    FactResult,
    NodeResult,
)
from keepgraph.store.transactions import Tx

if TYPE_CHECKING:
    import numpy as np
from keepgraph.engine.retrieval.search_request import COMMUNITIES, EDGES, EPISODES, NODES
from keepgraph.store.full_text import Index


def by_diversity(hits: Sequence[Hit], similarity: Callable[[Key, Key], float], *, limit: int) -> list[Hit]:
    """Maximal marginal relevance, greedy: each next hit is relevant, and unlike those before it.

    Relevance is the fused score, as a share of the best. Source: Carbonell and Goldstein, The Use of MMR,
    Diversity-Based Reranking for Reordering Documents and Producing Summaries, SIGIR 1998.

    Args:
        similarity: of two hits, from 0 (nothing in common) to 1.
    """
    if not hits:
        return []
    top = hits[0].score or 1.0
    remaining = list(hits)
    nearest = dict.fromkeys((hit.key for hit in remaining), 0.0)
    chosen: list[Hit] = []
    while remaining and len(chosen) < limit:
        values = [
            fusion.MMR_BALANCE * hit.score / top - (1 - fusion.MMR_BALANCE) * nearest[hit.key] for hit in remaining
        ]
        best = max(range(len(remaining)), key=values.__getitem__)
        selected = remaining.pop(best)
        chosen.append(_placed(selected, "mmr", len(chosen) + 1, values[best]))
        for hit in remaining:
            nearest[hit.key] = max(nearest[hit.key], similarity(hit.key, selected.key))
    return chosen


def relevant_head(hits: Sequence[Hit], *, limit: int) -> int:
    """How many of the first hits are about as relevant as the best, so that something else may decide their order.

    Args:
        limit: never more than this, because what is not returned is not compared.
    """
    if not hits:
        return 0
    least = fusion.SHARE_OF_BEST_IN_HEAD * hits[0].score
    return sum(hit.score >= least for hit in hits[:limit])


def by_distance(hits: Sequence[Hit], distances: Mapping[Key, int], *, head: int) -> list[Hit]:
    """The nearest of the head first, in steps, and what cannot be reached last; then the other hits.

    Hits at the same distance, and those behind the head, keep their order.
    """
    order = [*sorted(hits[:head], key=lambda hit: distances.get(hit.key, math.inf)), *hits[head:]]
    return [_placed(hit, "node_distance", rank, distances.get(hit.key)) for rank, hit in enumerate(order, 1)]


def by_count(hits: Sequence[Hit], counts: Mapping[Key, int], *, head: int) -> list[Hit]:
    """The hits of the head with the highest count first; equal ones, and those behind the head, keep their order."""
    order = [*sorted(hits[:head], key=lambda hit: -counts.get(hit.key, 0)), *hits[head:]]
    return [_placed(hit, "episode_mentions", rank, counts.get(hit.key, 0)) for rank, hit in enumerate(order, 1)]


def by_score(hits: Sequence[Hit], scores: Mapping[Key, float]) -> list[Hit]:
    """By the scores of a cross-encoder; hits without a score come last, in their order."""
    order = sorted(hits, key=lambda hit: -scores.get(hit.key, -math.inf))
    return [_placed(hit, "cross_encoder", rank, scores.get(hit.key)) for rank, hit in enumerate(order, 1)]


def _placed(hit: Hit, source: str, rank: int, score: float | None) -> Hit:
    """The hit with its placement in another ranking."""
    return hit._replace(why={**hit.why, source: Placement(rank, None if score is None else round_score(score))})


# Reranking by content: by diversity (MMR), which compares results, or by a cross-encoder, which reads them.

Result = TypeVar("Result", NodeResult, FactResult, ChunkResult, CommunityResult)


_VECTORS = {
    NodeResult: (store.derived_tables.NAME_VECTORS, 2),
    FactResult: (store.derived_tables.FACT_VECTORS, 1),
    ChunkResult: (store.derived_tables.CHUNK_VECTORS, 2),
}
"""The vectors of each kind of result; a result has the number of its row, times this factor.

Of names, odd numbers are aliases; of chunks, odd numbers are turns read with the turn before.
"""


def has_cross_encoder(tx: Tx) -> bool:
    """Whether there is a cross-encoder. Loads nothing."""
    from keepgraph.ml import cross_encoders

    return cross_encoders.unavailable_reason(tx.settings.cross_encoder) is None


def require_cross_encoder(tx: Tx) -> None:
    """Check that there is a cross-encoder.

    Raises:
        errors.ModelUnavailable: there is none.
    """
    from keepgraph.ml import cross_encoders

    if reason := cross_encoders.unavailable_reason(tx.settings.cross_encoder):
        raise errors.ModelUnavailable(reason, hint=cross_encoders.HINT)


def rerank(context: SearchContext, results: list[Result]) -> list[Result]:
    """Order results by the reranker of the request, if it is one of these two; else they stay as they are."""
    if context.request.reranker == CROSS_ENCODER:
        return _by_cross_encoder(context, results)
    if context.request.reranker == MMR:
        return _by_diversity(context, results)
    return results


def _by_cross_encoder(context: SearchContext, results: list[Result]) -> list[Result]:
    from keepgraph.ml import cross_encoders

    first = results[: fusion.CROSS_ENCODER_TEXTS]
    scores = cross_encoders.score(
        context.question.text, [_text(result) for result in first], folder=context.tx.settings.cross_encoder
    )
    by_key = {result.hit.key: result for result in results}
    order = by_score(
        [result.hit for result in results],
        {result.hit.key: score for result, score in zip(first, scores, strict=True)},
    )
    return [replace(by_key[hit.key], hit=hit) for hit in order]


def _by_diversity(context: SearchContext, results: list[Result]) -> list[Result]:
    by_key = {result.hit.key: result for result in results}
    order = by_diversity(
        [result.hit for result in results],
        _similarity(context.tx, results),
        limit=context.request.limit + 1,  # one more says that there is more
    )
    return [replace(by_key[hit.key], hit=hit) for hit in order]


def _text(result: NodeResult | FactResult | ChunkResult | CommunityResult) -> str:
    """A result as a text to read and compare."""
    match result:
        case FactResult():
            return knowledge.facts.sentence(result.fact)
        case ChunkResult():
            return result.chunk.text
        case CommunityResult():
            return f"{result.community.name}\n{result.community.summary}"
        case NodeResult(entity=entity, details=details) if entity and details:
            return f"{entity.name}: {details.summary}" if details.summary else entity.name
        case NodeResult(proposal=proposal):
            return f"{proposal.subject}: {proposal.evidence or ''}" if proposal else ""


def _similarity(tx: Tx, results: Sequence[Result]) -> Callable[[Key, Key], float]:
    """How similar two results are, from 0 to 1: by their vectors, or, where one has none, by the words they share."""
    texts = {result.hit.key: _text(result) for result in results}
    vectors = _unit_vectors(tx, results)
    words = {key: frozenset(question_analysis.phrases(text)) for key, text in texts.items() if key not in vectors}

    def similarity(one: Key, other: Key) -> float:
        if one in vectors and other in vectors:
            return max(0.0, float(vectors[one] @ vectors[other]))
        ours, theirs = (words.get(key) or frozenset(question_analysis.phrases(texts[key])) for key in (one, other))
        return len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0

    return similarity


def _unit_vectors(tx: Tx, results: Sequence[Result]) -> dict[Key, np.ndarray]:
    """The vectors of the results that have one, scaled to length 1."""
    import numpy as np

    if not results or type(results[0]) not in _VECTORS:
        return {}
    kind, factor = _VECTORS[type(results[0])]
    stored = store.vector_search.embeddings(tx, kind, [factor * result.hit.key for result in results])
    unit: dict[Key, np.ndarray] = {}
    for result in results:
        if (packed := stored.get(factor * result.hit.key)) is not None:
            vector = np.frombuffer(packed, np.int8).astype(np.float32)
            unit[result.hit.key] = vector / (float(np.linalg.norm(vector)) or 1.0)
    return unit


# The floor of relevance: whether any result may answer the question, or only happens to be nearest.
#
# Calibrated on questions put to their own graphs, and to others (ADR 0052).

_INDEXES = {EPISODES: store.full_text.CHUNKS, EDGES: store.full_text.FACTS, NODES: store.full_text.ENTITIES}
_ANSWERING = {
    EPISODES: fusion.ANSWERING_CHUNK,
    EDGES: fusion.ANSWERING_FACT,
    NODES: fusion.ANSWERING_NAME,
}
_ROWS_OF_INDEX = {EPISODES: 1, EDGES: 1, NODES: 2}
"""The row of an index is that of the hit times this; of entities, odd rows are aliases."""


def abstains(context: SearchContext) -> bool:
    """Whether no result answers the question.

    It never does so if nothing was searched, if something waits for its vector, if the question names what
    is known or has no content word, or something else says what is wanted: a node to begin at, a
    type, a predicate, a project or a time.
    """
    request, filters = context.request, context.request.filters
    is_narrowed = bool(filters.types or filters.predicates or filters.days) or filters.about is not None
    if (
        not context.hits
        or context.vectors.waiting
        or request.starting_nodes
        or is_narrowed
        or not question_analysis.has_content(context.question.text)
    ):
        return False
    return not (
        _names_something_known(context)
        or _is_near(context)
        or _has_words(context)
        or any("words" in hit.why for hit in context.hits.get(COMMUNITIES, ()))
    )


def _names_something_known(context: SearchContext) -> bool:
    """Whether the question names an entity, or somebody who speaks in what was found."""
    question = context.question
    if any(key > 0 for key in question.nodes):
        return True
    chunks = [hit.key for hit in context.hits.get(EPISODES, ())]
    return bool(context.spoken_by_named(chunks))


def _is_near(context: SearchContext) -> bool:
    """Whether the nearest vector of some kind is near enough by itself."""
    return (
        _best_cosine(context, EPISODES) >= _least_cosine(context, EPISODES)
        or _best_cosine(context, EDGES) >= _least_cosine(context, EDGES)
        or _best_cosine(context, NODES) >= _least_cosine(context, NODES)
    )


def _least_cosine(context: SearchContext, kind: str) -> float:
    """The cosine from which the nearest of a kind answers, by how many there are."""
    rows = store.full_text.largest_row(context.tx, _INDEXES[kind]) / _ROWS_OF_INDEX[kind]
    more = fusion.ANSWERING_PER_ROWS * math.log(max(rows, 1) / fusion.ROWS_OF_ANSWERING)
    return min(max(_ANSWERING[kind] + more, fusion.MIN_ANSWERING), fusion.MAX_ANSWERING)


def _best_cosine(context: SearchContext, kind: str) -> float:
    placements = (hit.why.get("meaning") for hit in context.hits.get(kind, ()))
    return max((placement.score or 0.0 for placement in placements if placement), default=0.0)


def _has_words(context: SearchContext) -> bool:
    """Whether a hit has enough of the words of the question; a text, together with how near the nearest one is."""
    coverage = {kind: _coverage(context, kind, index) for kind, index in _INDEXES.items() if context.hits.get(kind)}
    best = max(coverage.values(), default=0.0)
    if best >= fusion.ANSWERING_WORDS:
        return True
    if context.vectors.full is None or context.vectors.state != "on":
        return best >= fusion.ANSWERING_WORDS_WITHOUT_VECTORS
    nearness = _best_cosine(context, EPISODES) + fusion.COVERAGE_IN_COSINE * coverage.get(EPISODES, 0.0)
    return nearness >= _least_cosine(context, EPISODES)


def _coverage(context: SearchContext, kind: str, index: Index) -> float:
    """The largest share of the question's words that one hit has, weighted by how rare they are; from 0 to 1."""
    by_words = sorted(
        (placement.rank, hit.key)
        for hit in context.hits[kind]
        if (placement := hit.why.get("words")) is not None and placement.rank is not None
    )
    rows = [_ROWS_OF_INDEX[kind] * key for _, key in by_words[: fusion.COVERED_HITS] if key > 0]
    if not rows:
        return 0.0
    total, matched = 0.0, dict.fromkeys(rows, 0.0)
    for word in store.full_text.words_in_rows(context.tx, index, context.question.phrases, rows=rows):
        rarity = max(0.0, math.log((word.rows_of_index + 1) / (word.count + 0.5)))
        total += rarity
        for row in word.rows:
            matched[row] += rarity
    return max(matched.values()) / total if total else 0.0
