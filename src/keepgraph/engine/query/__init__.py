"""Cypher over the product's tables: execution, catalogue, hydration, explanation of empty results."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.query import bounds, empty_results, graph_catalogue, query_pipeline, schema
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
