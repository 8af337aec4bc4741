"""Retrieval by vector: the nearest embeddings, by cosine; what is less similar than a minimum is left out."""

from __future__ import annotations

from keepgraph import store
from keepgraph.engine.retrieval import proposed_name_vectors, weights
from keepgraph.engine.retrieval.fusion import Ranking
from keepgraph.engine.retrieval.search_context import SearchContext


def entities(context: SearchContext) -> Ranking:
    """The entities whose names and aliases are nearest to the question, and proposed names."""
    if not context.vectors.full:
        return []
    nearest = store.vector_search.nearest_names(
        context.tx, context.vectors.full, filters=context.request.filters, limit=weights.CANDIDATES
    )
    proposed = proposed_name_vectors.nearest(context)
    ranking = sorted([*nearest, *proposed], key=lambda scored: -scored[1]) if proposed else nearest
    return _at_least(weights.MIN_COSINE_OF_NAMES, ranking)[: weights.CANDIDATES]


def facts(context: SearchContext) -> Ranking:
    """The facts whose sentences are nearest to the question, of those that pass the filters."""
    if not context.vectors.full:
        return []
    nearest = store.vector_search.nearest_facts(context.tx, context.vectors.full, limit=weights.FACT_VECTORS)
    similar = _at_least(weights.MIN_COSINE_OF_FACTS, nearest)
    rows = [fact for fact, _ in similar]
    passing = set(store.retrieval.facts(context.tx, rows, context.request.filters))
    return [(fact, cosine) for fact, cosine in similar if fact in passing][: weights.CANDIDATES]


def chunks(context: SearchContext) -> Ranking:
    """The chunks that are nearest to the question: turns of conversations to it without the names of persons."""
    vectors = context.vectors
    ranking = _nearest_chunks(context, vectors.without_names, with_turn_before=False)
    if vectors.full == vectors.without_names or not store.conversations.any_document(context.tx):
        return ranking
    of_whole = _nearest_chunks(context, vectors.full, with_turn_before=False)
    turns = store.conversations.turns(context.tx, [chunk for chunk, _ in (*ranking, *of_whole)])
    of_each = [scored for scored in ranking if scored[0] in turns]
    of_each += [scored for scored in of_whole if scored[0] not in turns]
    return sorted(of_each, key=lambda scored: (-scored[1], scored[0]))[: weights.CANDIDATES]


def turns_with_turn_before(context: SearchContext) -> Ranking:
    """The turns of conversations that, read with the turn before them, are nearest to the same."""
    return _nearest_chunks(context, context.vectors.without_names, with_turn_before=True)


def _nearest_chunks(context: SearchContext, vector: tuple[bytes, bytes] | None, *, with_turn_before: bool) -> Ranking:
    if not vector:
        return []
    nearest = store.vector_search.nearest_chunks(
        context.tx,
        vector,
        filters=context.request.filters,
        with_turn_before=with_turn_before,
        limit=weights.CANDIDATES,
    )
    return _at_least(weights.MIN_COSINE_OF_CHUNKS, nearest)


def _at_least(minimum: float, ranking: Ranking) -> Ranking:
    return [(key, cosine) for key, cosine in ranking if cosine >= minimum]
