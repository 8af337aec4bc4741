"""Analysis of the graph as a whole: its vocabulary as an ontology, and a profile of its contents."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.analysis import (
        communities,
        graph_map,
        graph_profile,
        link_prediction,
        ontology,
        ontology_exploration,
        ontology_search,
        overview,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
