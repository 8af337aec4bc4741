"""Retrieval of entities by links: of the wanted types, linked by the wanted predicates to what the question names.

One more fact, of any predicate, may lie between them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from keepgraph import store
from keepgraph.engine.retrieval import fusion, weights
from keepgraph.engine.retrieval.fusion import Key, Ranking
from keepgraph.engine.retrieval.retrievers import by_words
from keepgraph.engine.retrieval.search_context import SearchContext
from keepgraph.store.search_filters import Filters


def entities(context: SearchContext) -> Ranking:
    """The linked entities, best first: each with the scores of what it is linked to, half of them a fact further."""
    filters = context.request.filters
    if filters.types is None or filters.predicates is None:
        return []
    of_any_type = replace(filters, types=None)
    anchors = dict(by_words.entities_that_pass(context, of_any_type, limit=weights.EXPANDED_HITS))
    around = dict(_neighbours(context, anchors, replace(of_any_type, predicates=None)))
    near = {**{key: score / 2 for key, score in around.items()}, **anchors}
    linked = _neighbours(context, near, of_any_type)
    of_types = store.retrieval.entities(context.tx, [key for key, _ in linked], filters)
    return [(key, score) for key, score in linked if key in of_types][: weights.CANDIDATES]


def _neighbours(context: SearchContext, scores: dict[Key, float], filters: Filters) -> Ranking:
    """The other ends of the facts of some entities, each with the sum of the scores of the entities."""
    facts = store.retrieval.facts_of_entities(context.tx, list(scores), filters, limit=weights.CANDIDATES)
    return fusion.sum_scores(_ends(facts, scores))


def _ends(
    facts: Iterable[tuple[int, int, int | None]], scores: dict[Key, float]
) -> Iterable[tuple[tuple[Key, ...], float]]:
    for _, subject, target in facts:
        for end, other in ((subject, target), (target, subject)):
            if end in scores and other is not None:
                yield (other,), scores[end]
