"""The floor of relevance: whether anything that was found may answer the question, or only happens to be nearest.

Calibrated on questions that were put to the graph they are about, and to others (ADR 0052).
"""

from __future__ import annotations

import math

from keepgraph import store
from keepgraph.engine.retrieval import question_analysis, weights
from keepgraph.engine.retrieval.search_context import SearchContext
from keepgraph.engine.retrieval.search_request import COMMUNITIES, EDGES, EPISODES, NODES
from keepgraph.store.full_text import Index

_INDEXES = {EPISODES: store.full_text.CHUNKS, EDGES: store.full_text.FACTS, NODES: store.full_text.ENTITIES}
_ANSWERING = {
    EPISODES: weights.ANSWERING_CHUNK,
    EDGES: weights.ANSWERING_FACT,
    NODES: weights.ANSWERING_NAME,
}
_ROWS_OF_INDEX = {EPISODES: 1, EDGES: 1, NODES: 2}
"""The row of an index is that of the hit times this; of entities, odd rows are aliases."""


def abstains(context: SearchContext) -> bool:
    """Whether nothing that was found answers the question.

    It never does so where nothing was looked for, where something waits for its vector, where the question names what
    is known or has no word that tells anything, or where something else says what is wanted: a node to begin at, a
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
    more = weights.ANSWERING_PER_ROWS * math.log(max(rows, 1) / weights.ROWS_OF_ANSWERING)
    return min(max(_ANSWERING[kind] + more, weights.MIN_ANSWERING), weights.MAX_ANSWERING)


def _best_cosine(context: SearchContext, kind: str) -> float:
    placements = (hit.why.get("meaning") for hit in context.hits.get(kind, ()))
    return max((placement.score or 0.0 for placement in placements if placement), default=0.0)


def _has_words(context: SearchContext) -> bool:
    """Whether a hit has enough of the words of the question; a text, together with how near the nearest one is."""
    coverage = {kind: _coverage(context, kind, index) for kind, index in _INDEXES.items() if context.hits.get(kind)}
    best = max(coverage.values(), default=0.0)
    if best >= weights.ANSWERING_WORDS:
        return True
    if context.vectors.full is None or context.vectors.state != "on":
        return best >= weights.ANSWERING_WORDS_WITHOUT_VECTORS
    nearness = _best_cosine(context, EPISODES) + weights.COVERAGE_IN_COSINE * coverage.get(EPISODES, 0.0)
    return nearness >= _least_cosine(context, EPISODES)


def _coverage(context: SearchContext, kind: str, index: Index) -> float:
    """The largest share of the question's words that one hit has, weighted by how rare they are; from 0 to 1."""
    by_words = sorted(
        (placement.rank, hit.key)
        for hit in context.hits[kind]
        if (placement := hit.why.get("words")) is not None and placement.rank is not None
    )
    rows = [_ROWS_OF_INDEX[kind] * key for _, key in by_words[: weights.COVERED_HITS] if key > 0]
    if not rows:
        return 0.0
    total, matched = 0.0, dict.fromkeys(rows, 0.0)
    for word in store.full_text.words_in_rows(context.tx, index, context.question.phrases, rows=rows):
        rarity = max(0.0, math.log((word.rows_of_index + 1) / (word.count + 0.5)))
        total += rarity
        for row in word.rows:
            matched[row] += rarity
    return max(matched.values()) / total if total else 0.0
