"""Retrieval of entities by facts: the ends of the facts that answer best."""

from __future__ import annotations

from keepgraph import store
from keepgraph.engine.retrieval import fusion, weights
from keepgraph.engine.retrieval.fusion import Ranking
from keepgraph.engine.retrieval.search_context import SearchContext
from keepgraph.engine.retrieval.search_request import EDGES


def entities(context: SearchContext) -> Ranking:
    """The entities at the ends of the best facts, each with the sum of the scores of its facts."""
    facts = context.hits[EDGES][: weights.EXPANDED_HITS]
    ends = store.retrieval.ends_of_facts(context.tx, [fact.key for fact in facts])
    return fusion.sum_scores((ends.get(fact.key, ()), fact.score) for fact in facts)
