"""Retrieval by mentions: what the texts that answer best mention, and the facts between that."""

from __future__ import annotations

from keepgraph import store
from keepgraph.engine.retrieval import fusion, weights
from keepgraph.engine.retrieval.fusion import Hit, Key, Ranking
from keepgraph.engine.retrieval.retrievers import by_feedback
from keepgraph.engine.retrieval.search_context import SearchContext
from keepgraph.engine.retrieval.search_request import EPISODES


def nodes(context: SearchContext) -> Ranking:
    """What the best chunks mention, each node with the sum of their scores; that somebody speaks is no mention."""
    if context.mentioned is None:
        context.mentioned = _mentioned(context)
    return context.mentioned


def _mentioned(context: SearchContext) -> Ranking:
    best = [chunk for chunk in context.hits[EPISODES][: weights.EXPANDED_HITS] if is_clearly_relevant(chunk)]
    mentioned: dict[int, list[Key]] = {}
    for chunk, key in store.retrieval.mentioned_in_chunks(context.tx, [hit.key for hit in best], with_speakers=False):
        mentioned.setdefault(chunk, []).append(key)
    return fusion.sum_scores((mentioned.get(hit.key, ()), hit.score) for hit in best)


def facts(context: SearchContext) -> Ranking:
    """The facts between two entities that the best chunks mention."""
    scores = {key: score for key, score in nodes(context) if key > 0}
    if not scores:
        return []
    rows = store.retrieval.facts_of_entities(
        context.tx, list(scores), context.request.filters, limit=weights.CANDIDATES
    )
    ranking = [
        (fact, scores[subject] + scores[target])
        for fact, subject, target in rows
        if subject in scores and target in scores
    ]
    return sorted(ranking, key=lambda scored: -scored[1])


def is_clearly_relevant(chunk: Hit) -> bool:
    """Whether a chunk was found by more than its vector, or by a vector that is near to the question.

    Feedback says how near it is to the best documents, which may be itself.
    """
    cosine = 0.0
    for source in chunk.why:
        if not source.startswith("meaning"):
            return True
        if source != by_feedback.SOURCE:
            cosine = max(cosine, chunk.why[source].score or 0.0)
    return cosine >= weights.CLEAR_COSINE
