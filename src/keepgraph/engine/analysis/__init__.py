"""Analysis of the graph as a whole: its vocabulary as an ontology, and a profile of its contents."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from keepgraph.engine.analysis import (
        communities,
        connection_weights,
        doubtful_facts,
        graph_extract,
        graph_map,
        graph_profile,
        group_triples,
        likely_facts,
        link_prediction,
        ontology,
        ontology_exploration,
        ontology_search,
        ontology_structure,
        overview,
        rule_descriptions,
        timed_cache,
        usage,
        word_index,
        word_vectors,
    )
else:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
