"""Retrieval of communities by members: those to which the best entities belong."""

from __future__ import annotations

from keepgraph import store
from keepgraph.engine.retrieval import fusion, weights
from keepgraph.engine.retrieval.fusion import Ranking
from keepgraph.engine.retrieval.search_context import SearchContext
from keepgraph.engine.retrieval.search_request import NODES


def communities(context: SearchContext) -> Ranking:
    """The communities of the best entities, each with the sum of the scores of its members."""
    entities = [hit for hit in context.hits[NODES][: weights.EXPANDED_HITS] if hit.key > 0]
    communities_of: dict[int, list[int]] = {}
    for entity, community in store.communities.memberships(
        context.tx, [hit.key for hit in entities], groups=context.request.filters.groups
    ):
        communities_of.setdefault(entity, []).append(community)
    return fusion.sum_scores((communities_of.get(hit.key, ()), hit.score) for hit in entities)
