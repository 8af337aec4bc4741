"""Retrieval by words: full-text search, ranked by BM25."""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph import store
from keepgraph.engine.retrieval import fusion, weights
from keepgraph.engine.retrieval.fusion import Key, Ranking
from keepgraph.engine.retrieval.search_context import SearchContext
from keepgraph.store.search_filters import Filters


def entities(context: SearchContext) -> Ranking:
    """The entities with the words of the question in a name, an alias or the summary."""
    return entities_that_pass(context, context.request.filters, limit=weights.CANDIDATES)


def entities_that_pass(context: SearchContext, filters: Filters, *, limit: int) -> Ranking:
    """The entities with the words of the question that pass these filters, which need not be those of the request."""
    return store.full_text.search(
        context.tx,
        store.full_text.ENTITIES,
        context.question.phrases,
        filters=filters,
        conditions=store.search_filters.entity_conditions(filters),
        limit=limit,
    )


def facts(context: SearchContext) -> Ranking:
    """The facts with the words of the question in their sentences."""
    filters = context.request.filters
    return store.full_text.search(
        context.tx,
        store.full_text.FACTS,
        context.question.phrases,
        filters=filters,
        conditions=store.search_filters.fact_conditions(filters),
        limit=weights.CANDIDATES,
        newest=weights.NEWEST,
    )


def chunks(context: SearchContext) -> Ranking:
    """The chunks with the words of the question in them; of a conversation, also the turns before and after those.

    The names of speakers are left out, for they are in every second turn. Where the other words find little, they are
    looked for, too.
    """
    question = context.question
    ranking = _chunks_with(context, question.phrases_for_chunks)
    if len(ranking) < context.request.limit and question.phrases != question.phrases_for_chunks:
        present = {chunk for chunk, _ in ranking}
        more = [scored for scored in _chunks_with(context, question.phrases) if scored[0] not in present]
        ranking = [*ranking, *more]
    with_neighbours = dict(fusion.spread(ranking, _adjacent_turns(context, ranking))[: weights.CANDIDATES])
    # No neighbour takes the place of what has the words, the newest texts above all.
    return list({**with_neighbours, **{key: score for key, score in ranking if key not in with_neighbours}}.items())


def communities(context: SearchContext) -> Ranking:
    """The communities with the words of the question in their names or summaries."""
    filters = context.request.filters
    return store.full_text.search(
        context.tx,
        store.full_text.COMMUNITIES,
        context.question.phrases,
        filters=filters,
        conditions=store.search_filters.community_conditions(filters),
        limit=weights.CANDIDATES,
    )


def _chunks_with(context: SearchContext, phrases: Sequence[str]) -> Ranking:
    filters = context.request.filters
    return store.full_text.search(
        context.tx,
        store.full_text.CHUNKS,
        phrases,
        filters=filters,
        conditions=store.search_filters.chunk_conditions(filters),
        limit=weights.CANDIDATES,
        newest=weights.NEWEST,
    )


def _adjacent_turns(context: SearchContext, ranking: Ranking) -> dict[Key, list[tuple[Key, float]]]:
    """The turns before and after each of these, with the share of its score that they are given."""
    adjacent = store.conversations.adjacent_turns(context.tx, [chunk for chunk, _ in ranking])
    # To the turn before it, a turn is the turn after.
    shares = (weights.SHARE_OF_TURN_AFTER, weights.SHARE_OF_TURN_BEFORE)
    return {
        chunk: [(turn, share) for turn, share in zip(turns, shares, strict=True) if turn is not None]
        for chunk, turns in adjacent.items()
    }
