"""Retrieval by pseudo-relevance feedback: the documents nearest to the question moved towards the best documents.

Source: Rocchio, Relevance Feedback in Information Retrieval, 1971; with vectors of a neural encoder as in Wang et al.,
Pseudo-Relevance Feedback for Multiple Representation Dense Retrieval, ICTIR 2021.
"""

from __future__ import annotations

from collections.abc import Sequence

from keepgraph import store
from keepgraph.engine.backfill import vectors
from keepgraph.engine.retrieval import fusion
from keepgraph.engine.retrieval.fusion import Hit, Ranking
from keepgraph.engine.retrieval.question_analysis import SearchContext

SOURCE = "meaning_of_best"
"""Its name in results."""


def applies(context: SearchContext) -> bool:
    """Whether there are documents, and vectors to compare them by."""
    return context.vectors.full is not None and store.conversations.any_document(context.tx)


def documents(context: SearchContext, hits: Sequence[Hit]) -> Ranking:
    """The documents that are nearest to the question and to the best of some hits; turns of conversations are left out.

    The text that answers the second step of a question is often near to the text that answers the first. In
    conversations there is no such gain (ADR 0052).
    """
    tx, question = context.tx, context.vectors.full
    if question is None:
        return []
    first = [hit.key for hit in hits[: fusion.EXPANDED_HITS]]
    turns = store.conversations.turns(tx, first)
    best = [2 * key for key in first if key not in turns][: fusion.FEEDBACK_DOCUMENTS]
    embeddings = store.vector_search.embeddings(tx, store.derived_tables.CHUNK_VECTORS, best)
    if not embeddings:
        return []
    nearest = store.vector_search.nearest_chunks(
        tx,
        _moved(question[0], [embeddings[number] for number in best if number in embeddings]),
        filters=context.request.filters,
        with_turn_before=False,
        limit=fusion.CANDIDATES,
    )
    turns = store.conversations.turns(tx, [chunk for chunk, _ in nearest])
    return [
        (chunk, cosine) for chunk, cosine in nearest if chunk not in turns and cosine >= fusion.MIN_COSINE_OF_CHUNKS
    ]


def _moved(question: bytes, documents: Sequence[bytes]) -> tuple[bytes, bytes]:
    """The vector of a question, moved towards the mean of some documents; as embedding and signs."""
    import numpy as np

    rows = np.stack([np.frombuffer(packed, np.int8) for packed in (question, *documents)]).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return vectors.pack((rows[0] + fusion.FEEDBACK * rows[1:].mean(axis=0))[None, :])[0]
