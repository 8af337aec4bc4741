"""Searches of a traversal: by words (BM25), by the meaning of a text, and by a vector among those reached."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

from keepgraph import errors, store
from keepgraph.engine import vector_backfill
from keepgraph.engine.retrieval import question_analysis
from keepgraph.engine.traversal.streams import Kind, Stream
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

_COMPARED_PER_RESULT = 5
"""How many of the facts nearest to a text are read for each result: some may have ended, or be of another group."""


def by_words(tx: Tx, question: str, *, kind: Kind, types: Sequence[str] | None, limit: int) -> Stream:
    """The entities or triplets with words of a question, best first.

    Args:
        kind: Kind.ENTITIES or Kind.TRIPLETS.
        types: of entities; None is any.
    """
    filters = _filters(tx, types)
    if kind is Kind.ENTITIES:
        index, conditions = store.full_text.ENTITIES, [] if types is None else [store.search_filters.ENTITY_TYPE]
    else:
        index, conditions = store.full_text.FACTS, store.search_filters.fact_conditions(filters)
    phrases = question_analysis.phrases_with_forms(tx, question)
    found = store.full_text.search(tx, index, phrases, filters=filters, conditions=conditions, limit=limit)
    return _ranked(kind, found)


def by_meaning(tx: Tx, text: str, *, k: int) -> Stream:
    """The vectors of the facts that hold whose sentences are nearest to a text, most similar first.

    Raises:
        errors.ModelUnavailable: there is no model, or the facts have no vectors.
    """
    if reason := vector_backfill.unavailable_reason(tx):
        raise errors.ModelUnavailable(f"texts cannot be compared by their meaning: {reason}")
    if store.vectors.model_and_dimension(tx) is None:
        return Stream(Kind.VECTORS)
    from keepgraph.ml import embedder

    packed = vector_backfill.pack(embedder.embed([text], model=tx.settings.model))[0]
    nearest = store.vector_search.nearest_facts(tx, packed, limit=_COMPARED_PER_RESULT * k)
    current = set(store.retrieval.facts(tx, [fact for fact, _ in nearest], _filters(tx, None)))
    return _ranked(Kind.VECTORS, [(fact, cosine) for fact, cosine in nearest if fact in current][:k])


def by_vector(tx: Tx, stream: Stream, vector: Sequence[float], *, k: int, min_score: float) -> Stream:
    """Those of the vectors of a stream that are nearest to a vector, most similar first, above a cosine.

    Raises:
        errors.TraversalEmpty: the stream holds no vectors.
        errors.DimensionMismatch: the vector has another dimension than those of the graph, or no direction.
    """
    if stream.kind is not Kind.VECTORS:
        raise errors.TraversalEmpty(
            "the traversal holds no vectors to compare",
            hint="Lead to them first: n_from_type Triplet, then out_step with Triplet_to_Embedding and vec.",
        )
    model = store.vectors.model_and_dimension(tx)
    if model is not None and len(vector) != model[1]:
        raise errors.DimensionMismatch(f"the vector has {len(vector)} numbers, those of this graph have {model[1]}")
    if not any(vector) or not all(map(math.isfinite, vector)):
        raise errors.DimensionMismatch("the vector has no direction", hint="Give finite numbers, not all of them 0.")
    import numpy as np

    stored = store.vector_search.embeddings(tx, store.derived_tables.FACT_VECTORS, list(dict.fromkeys(stream.rows)))
    rows = [row for row in stream.rows if row in stored]
    if not rows:
        return Stream(Kind.VECTORS)
    matrix = np.stack([np.frombuffer(stored[row], dtype=np.int8) for row in rows]).astype(np.float32)
    query = np.asarray(vector, dtype=np.float32)
    cosines = matrix @ query / (np.linalg.norm(matrix, axis=1) * np.linalg.norm(query))
    best = [int(place) for place in np.argsort(-cosines, kind="stable") if cosines[place] > min_score][:k]
    return _ranked(Kind.VECTORS, [(rows[place], float(cosines[place])) for place in best])


def numbers(tx: Tx, rows: Sequence[int]) -> dict[int, list[float]]:
    """The vectors of facts as numbers, of length 1; none for a fact whose vector is not made yet."""
    import numpy as np

    stored = store.vector_search.embeddings(tx, store.derived_tables.FACT_VECTORS, list(dict.fromkeys(rows)))
    unpacked = {row: np.frombuffer(packed, dtype=np.int8).astype(np.float32) for row, packed in stored.items()}
    return {
        row: [round(float(number), 5) for number in vector / np.linalg.norm(vector)] for row, vector in unpacked.items()
    }


def waiting_note(tx: Tx, stream: Stream) -> str | None:
    """How many vectors are not made yet, where the stream holds vectors or links to them: no step finds these."""
    if stream.kind not in (Kind.VECTORS, Kind.LINKS_TO_VECTOR) or not (
        count := store.vectors.count_missing(tx, store.derived_tables.FACT_VECTORS)
    ):
        return None
    return f"{count} {'fact has' if count == 1 else 'facts have'} no vector yet, and cannot be found by one"


def _ranked(kind: Kind, ranking: Sequence[tuple[int, float]]) -> Stream:
    return Stream(kind, array("q", [row for row, _ in ranking]), [round(score, 4) for _, score in ranking])


def _filters(tx: Tx, types: Sequence[str] | None) -> Filters:
    return Filters((tx.group,), at=timestamps.from_datetime(tx.now), types=None if types is None else tuple(types))
