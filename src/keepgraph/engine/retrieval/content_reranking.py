"""Reranking by content: by diversity (MMR), which compares results, or by a cross-encoder, which reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.retrieval import question_analysis, reranking, weights
from keepgraph.engine.retrieval.fusion import Key
from keepgraph.engine.retrieval.search_context import SearchContext
from keepgraph.engine.retrieval.search_request import CROSS_ENCODER, MMR
from keepgraph.engine.retrieval.search_results import ChunkResult, CommunityResult, FactResult, NodeResult
from keepgraph.store.transactions import Tx

if TYPE_CHECKING:
    import numpy as np

Result = TypeVar("Result", NodeResult, FactResult, ChunkResult, CommunityResult)


_VECTORS = {
    NodeResult: (store.derived_tables.NAME_VECTORS, 2),
    FactResult: (store.derived_tables.FACT_VECTORS, 1),
    ChunkResult: (store.derived_tables.CHUNK_VECTORS, 2),
}
"""The vectors of each kind of result; a result has the number of its row, times this factor.

Of names, odd numbers are aliases; of chunks, odd numbers are turns read with the turn before.
"""


def has_cross_encoder(tx: Tx) -> bool:
    """Whether there is a cross-encoder. Loads nothing."""
    from keepgraph.ml import cross_encoder

    return cross_encoder.unavailable_reason(tx.settings.cross_encoder) is None


def require_cross_encoder(tx: Tx) -> None:
    """Check that there is a cross-encoder.

    Raises:
        errors.ModelUnavailable: there is none.
    """
    from keepgraph.ml import cross_encoder

    if reason := cross_encoder.unavailable_reason(tx.settings.cross_encoder):
        raise errors.ModelUnavailable(reason, hint=cross_encoder.HINT)


def rerank(context: SearchContext, results: list[Result]) -> list[Result]:
    """Order results by the reranker of the request, if it is one of these two; else they stay as they are."""
    if context.request.reranker == CROSS_ENCODER:
        return _by_cross_encoder(context, results)
    if context.request.reranker == MMR:
        return _by_diversity(context, results)
    return results


def _by_cross_encoder(context: SearchContext, results: list[Result]) -> list[Result]:
    from keepgraph.ml import cross_encoder

    first = results[: weights.CROSS_ENCODER_TEXTS]
    scores = cross_encoder.score(
        context.question.text, [_text(result) for result in first], folder=context.tx.settings.cross_encoder
    )
    by_key = {result.hit.key: result for result in results}
    order = reranking.by_score(
        [result.hit for result in results],
        {result.hit.key: score for result, score in zip(first, scores, strict=True)},
    )
    return [replace(by_key[hit.key], hit=hit) for hit in order]


def _by_diversity(context: SearchContext, results: list[Result]) -> list[Result]:
    by_key = {result.hit.key: result for result in results}
    order = reranking.by_diversity(
        [result.hit for result in results],
        _similarity(context.tx, results),
        limit=context.request.limit + 1,  # one more says that there is more
    )
    return [replace(by_key[hit.key], hit=hit) for hit in order]


def _text(result: NodeResult | FactResult | ChunkResult | CommunityResult) -> str:
    """A result as a text that can be read and compared."""
    match result:
        case FactResult():
            return knowledge.facts.sentence(result.fact)
        case ChunkResult():
            return result.chunk.text
        case CommunityResult():
            return f"{result.community.name}\n{result.community.summary}"
        case NodeResult(entity=entity, details=details) if entity and details:
            return f"{entity.name}: {details.summary}" if details.summary else entity.name
        case NodeResult(proposal=proposal):
            return f"{proposal.subject}: {proposal.evidence or ''}" if proposal else ""


def _similarity(tx: Tx, results: Sequence[Result]) -> Callable[[Key, Key], float]:
    """How similar two results are, from 0 to 1: by their vectors, or, where one has none, by the words they share."""
    texts = {result.hit.key: _text(result) for result in results}
    vectors = _unit_vectors(tx, results)
    words = {key: frozenset(question_analysis.phrases(text)) for key, text in texts.items() if key not in vectors}

    def similarity(one: Key, other: Key) -> float:
        if one in vectors and other in vectors:
            return max(0.0, float(vectors[one] @ vectors[other]))
        ours, theirs = (words.get(key) or frozenset(question_analysis.phrases(texts[key])) for key in (one, other))
        return len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0

    return similarity


def _unit_vectors(tx: Tx, results: Sequence[Result]) -> dict[Key, np.ndarray]:
    """The vectors of the results that have one, scaled to length 1."""
    import numpy as np

    if not results or type(results[0]) not in _VECTORS:
        return {}
    kind, factor = _VECTORS[type(results[0])]
    stored = store.vector_search.embeddings(tx, kind, [factor * result.hit.key for result in results])
    unit: dict[Key, np.ndarray] = {}
    for result in results:
        if (packed := stored.get(factor * result.hit.key)) is not None:
            vector = np.frombuffer(packed, np.int8).astype(np.float32)
            unit[result.hit.key] = vector / (float(np.linalg.norm(vector)) or 1.0)
    return unit
