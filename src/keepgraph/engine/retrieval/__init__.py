"""Search and neighbourhood: retrievers, fusion of their rankings, and reranking."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.retrieval import (
        expansion,
        fusion,
        message_context,
        neighbourhood,
        node_lookup,
        passages,
        question_analysis,
        reranking,
        retrievers,
        search,
        search_request,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
