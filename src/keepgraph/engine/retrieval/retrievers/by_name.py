"""Retrieval by name: what the names in the question mean, and the facts of that."""

from __future__ import annotations

from keepgraph import store
from keepgraph.engine.retrieval import weights
from keepgraph.engine.retrieval.fusion import Key, Ranking
from keepgraph.engine.retrieval.search_context import SearchContext


def nodes(context: SearchContext) -> Ranking:
    """The entities and the proposed names that the names in the question mean, the surest first."""
    scores: dict[Key, float] = {}
    for name in context.question.names:
        for key, score in (*name.entities, *((-row, weights.PROPOSED_NAME) for row in name.proposals)):
            scores[key] = max(score, scores.get(key, 0.0))
    return sorted(scores.items(), key=lambda scored: -scored[1])


def facts(context: SearchContext) -> Ranking:
    """The facts of the entities that the question names: those between two of them first, then the newest."""
    entities = [key for key in context.question.nodes if key > 0]
    if not entities:
        return []
    rows = store.retrieval.facts_of_entities(context.tx, entities, context.request.filters, limit=weights.CANDIDATES)
    named = set(entities)
    ranking = [(fact, float(len({subject, target} & named))) for fact, subject, target in rows]
    return sorted(ranking, key=lambda scored: -scored[1])
