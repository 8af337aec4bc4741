"""Retrieval by distance: what is near in the graph to the nodes where the request begins, along facts and mentions."""

from __future__ import annotations

from keepgraph import store
from keepgraph.engine.retrieval import weights
from keepgraph.engine.retrieval.fusion import Ranking
from keepgraph.engine.retrieval.graph_distances import MAX_STEPS
from keepgraph.engine.retrieval.search_context import SearchContext


def nodes(context: SearchContext) -> Ranking:
    """The nearest entities and proposed names; the score is the distance in steps."""
    if not context.request.starting_nodes:
        return []
    nearest = sorted(context.distances.nodes.items(), key=lambda step: step[1])[: weights.CANDIDATES]
    return [(key, float(distance)) for key, distance in nearest]


def facts(context: SearchContext) -> Ranking:
    """The facts of the nearest entities; the score is the distance of the nearer end."""
    if not context.request.starting_nodes:
        return []
    distances = context.distances.nodes
    entities = sorted((key for key in distances if key > 0), key=lambda key: distances[key])[: weights.CANDIDATES]
    rows = store.retrieval.facts_of_entities(context.tx, entities, context.request.filters, limit=weights.CANDIDATES)
    ranking = [
        (fact, min(distances.get(end, MAX_STEPS) for end in (subject, target or subject)))
        for fact, subject, target in rows
    ]
    return [(fact, float(distance)) for fact, distance in sorted(ranking, key=lambda scored: scored[1])]


def chunks(context: SearchContext) -> Ranking:
    """The chunks that mention the nodes where the request begins, or nodes one step away.

    The score is the distance of the episode.
    """
    if not context.request.starting_nodes:
        return []
    near = [key for key, distance in context.distances.nodes.items() if distance <= 1]
    mentioning = store.retrieval.chunks_mentioning(
        context.tx, [key for key in near if key > 0], [-key for key in near if key < 0], context.request.filters
    )
    distances = context.distances.episodes
    ranking = [(chunk, float(distances.get(episode, MAX_STEPS))) for chunk, episode in mentioning]
    return sorted(ranking, key=lambda scored: scored[1])[: weights.CANDIDATES]
