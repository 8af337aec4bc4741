"""Search and neighbourhood: retrievers, fusion of their rankings, and reranking."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.retrieval import neighbourhood, question_analysis, reranking, search
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
