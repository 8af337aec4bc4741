"""The table of retrievers: for each kind of result, the functions whose rankings are fused, and what each counts.

A new retriever is a file in this package and a row here. It takes the context of the search and returns a ranking,
which is empty where it does not apply. It may use the hits of the kinds that stand above its own in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from keepgraph.engine.retrieval import weights
from keepgraph.engine.retrieval.fusion import Ranking
from keepgraph.engine.retrieval.retrievers import (
    by_distance,
    by_fact,
    by_link,
    by_member,
    by_mention,
    by_name,
    by_vector,
    by_words,
)
from keepgraph.engine.retrieval.search_context import SearchContext
from keepgraph.engine.retrieval.search_request import COMMUNITIES, EDGES, EPISODES, NODES
from keepgraph.lazy import dataclass

WORDS = "words"
"""The source that finds by words, and counts for the vectors too where a hit has none yet."""


@dataclass(frozen=True, slots=True)
class Retriever:
    """One retriever of a kind of result.

    Attributes:
        source: its name in results, which say by which retrievers a hit was found (`why`).
        weight: what its ranking counts in the fusion.
        weight_of_documents: what it counts for texts that are no turns of a conversation; None is the same.
        is_independent: whether it needs neither the vectors of the question nor the hits of other kinds.
        compares_vectors: whether it finds nothing that has no vector yet.
    """

    source: str
    retrieve: Callable[[SearchContext], Ranking]
    weight: float = 1.0
    weight_of_documents: float | None = None
    is_independent: bool = False
    compares_vectors: bool = False


RETRIEVERS: Mapping[str, tuple[Retriever, ...]] = {
    EPISODES: (
        Retriever(WORDS, by_words.chunks, weights.TURNS_BY_WORDS, weights.DOCUMENTS_BY_WORDS, is_independent=True),
        Retriever("meaning", by_vector.chunks, 1.0, weights.DOCUMENTS_BY_VECTOR, compares_vectors=True),
        Retriever("meaning_with_turn_before", by_vector.turns_with_turn_before, compares_vectors=True),
        Retriever("graph", by_distance.chunks),
    ),
    EDGES: (
        Retriever(WORDS, by_words.facts, is_independent=True),
        Retriever("meaning", by_vector.facts, compares_vectors=True),
        Retriever("names", by_name.facts, is_independent=True),
        Retriever("texts", by_mention.facts, weights.EDGES_BY_MENTION),
        Retriever("graph", by_distance.facts),
    ),
    NODES: (
        Retriever("names", by_name.nodes, weights.NODES_BY_NAME, is_independent=True),
        Retriever(WORDS, by_words.entities, is_independent=True),
        Retriever("meaning", by_vector.entities, compares_vectors=True),
        Retriever("facts", by_fact.entities),
        Retriever("links", by_link.entities),
        Retriever("texts", by_mention.nodes, weights.NODES_BY_MENTION),
        Retriever("graph", by_distance.nodes),
    ),
    COMMUNITIES: (
        Retriever(WORDS, by_words.communities, is_independent=True),
        Retriever("members", by_member.communities),
    ),
}
