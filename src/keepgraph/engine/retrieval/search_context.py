"""The context of one search: the analysed question, its vectors, and what the retrievers have found so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from keepgraph import store
from keepgraph.engine.retrieval import graph_distances
from keepgraph.engine.retrieval.fusion import Hit, Key, Ranking
from keepgraph.engine.retrieval.graph_distances import Distances
from keepgraph.engine.retrieval.question_analysis import Question
from keepgraph.engine.retrieval.question_vectors import QuestionVectors
from keepgraph.engine.retrieval.search_request import NODE_DISTANCE, SearchRequest
from keepgraph.lazy import dataclass
from keepgraph.store.transactions import Tx


@dataclass(slots=True)
class SearchContext:
    """What all retrievers of one search may use.

    Attributes:
        hits: the fused hits of each kind that has been retrieved already, best first.
        mentioned: what the best chunks mention, once it has been looked up.
    """

    tx: Tx
    request: SearchRequest
    question: Question
    vectors: QuestionVectors
    hits: dict[str, list[Hit]] = field(default_factory=dict)
    mentioned: Ranking | None = None
    _distances: Distances | None = None
    _spoken: dict[Key, bool] = field(default_factory=dict)

    @property
    def centres(self) -> tuple[Key, ...]:
        """The nodes that distances are measured from: those of the request, else those that the question names."""
        if self.request.centre is not None and self.request.reranker == NODE_DISTANCE:
            return (self.request.centre,)
        return self.request.starting_nodes or self.question.nodes

    def spoken_by_named(self, chunks: Sequence[Key]) -> set[Key]:
        """Those of some chunks that a speaker says whom the question names; each chunk is looked at once."""
        speakers = sorted(self.question.speakers)
        if not speakers:
            return set()
        if unknown := [chunk for chunk in chunks if chunk not in self._spoken]:
            spoken = store.conversations.spoken_by(self.tx, unknown, speakers)
            self._spoken.update((chunk, chunk in spoken) for chunk in unknown)
        return {chunk for chunk in chunks if self._spoken[chunk]}

    @property
    def distances(self) -> Distances:
        """The distances from the centres, measured once."""
        if self._distances is None:
            self._distances = graph_distances.measure(self.tx, self.centres, self.request.filters)
        return self._distances
