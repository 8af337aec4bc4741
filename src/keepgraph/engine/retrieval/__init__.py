"""Search and neighbourhood: retrievers, fusion of their rankings, and reranking."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.retrieval import (
        content_reranking,
        expansion,
        fusion,
        graph_distances,
        hydration,
        mention_counts,
        multi_hop_search,
        name_boost,
        neighbourhood,
        node_lookup,
        passages,
        proposed_name_vectors,
        question_analysis,
        question_names,
        question_vectors,
        relevance_floor,
        reranking,
        retrievers,
        search,
        search_context,
        search_request,
        search_results,
        weights,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
