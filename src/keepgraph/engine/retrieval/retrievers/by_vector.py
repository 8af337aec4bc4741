"""Retrieval by vector: the nearest embeddings, by cosine; what is less similar than a minimum is left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from keepgraph import errors, store
from keepgraph.engine.retrieval import fusion
from keepgraph.engine.retrieval.fusion import Key, Ranking
from keepgraph.engine.retrieval.question_analysis import SearchContext
from keepgraph.engine.retrieval.search_request import EPISODES, NODES
from keepgraph.store.transactions import Tx

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def entities(context: SearchContext) -> Ranking:
    """The entities whose names and aliases are nearest to the question, and proposed names."""
    if not context.vectors.full:
        return []
    nearest = store.vector_search.nearest_names(
        context.tx, context.vectors.full, filters=context.request.filters, limit=fusion.CANDIDATES
    )
    proposed = _nearest_proposed_names(context)
    ranking = sorted([*nearest, *proposed], key=lambda scored: -scored[1]) if proposed else nearest
    return _at_least(fusion.MIN_COSINE_OF_NAMES, ranking)[: fusion.CANDIDATES]


def facts(context: SearchContext) -> Ranking:
    """The facts whose sentences are nearest to the question, of those that pass the filters."""
    if not context.vectors.full:
        return []
    nearest = store.vector_search.nearest_facts(context.tx, context.vectors.full, limit=fusion.FACT_VECTORS)
    similar = _at_least(fusion.MIN_COSINE_OF_FACTS, nearest)
    rows = [fact for fact, _ in similar]
    passing = set(store.retrieval.facts(context.tx, rows, context.request.filters))
    return [(fact, cosine) for fact, cosine in similar if fact in passing][: fusion.CANDIDATES]


def chunks(context: SearchContext) -> Ranking:
    """The chunks that are nearest to the question: turns of conversations to it without the names of persons."""
    vectors = context.vectors
    ranking = _nearest_chunks(context, vectors.without_names, with_turn_before=False)
    if vectors.full == vectors.without_names or not store.conversations.any_document(context.tx):
        return ranking
    of_whole = _nearest_chunks(context, vectors.full, with_turn_before=False)
    turns = store.conversations.turns(context.tx, [chunk for chunk, _ in (*ranking, *of_whole)])
    of_each = [scored for scored in ranking if scored[0] in turns]
    of_each += [scored for scored in of_whole if scored[0] not in turns]
    return sorted(of_each, key=lambda scored: (-scored[1], scored[0]))[: fusion.CANDIDATES]


def turns_with_turn_before(context: SearchContext) -> Ranking:
    """The turns of conversations that, read with the turn before them, are nearest to the same."""
    return _nearest_chunks(context, context.vectors.without_names, with_turn_before=True)


def _nearest_chunks(context: SearchContext, vector: tuple[bytes, bytes] | None, *, with_turn_before: bool) -> Ranking:
    if not vector:
        return []
    nearest = store.vector_search.nearest_chunks(
        context.tx,
        vector,
        filters=context.request.filters,
        with_turn_before=with_turn_before,
        limit=fusion.CANDIDATES,
    )
    return _at_least(fusion.MIN_COSINE_OF_CHUNKS, nearest)


def _at_least(minimum: float, ranking: Ranking) -> Ranking:
    return [(key, cosine) for key, cosine in ranking if cosine >= minimum]


# Vectors of proposed names: computed for a search that needs them, and remembered by the process; none is stored.

_CACHE_KEY = "vectors of proposed names"
_MAX_CACHED = 5_000


def _nearest_proposed_names(context: SearchContext) -> Ranking:
    """Proposed names by the cosine of the name and the question, best first.

    Only where nothing but nodes is asked for: elsewhere the texts themselves are found. PROPOSED_NAMES_COMPARED are
    compared, for each goes through the model the first time: those of the best texts, then the newest.
    """
    tx, question = context.tx, context.vectors.full
    if question is None or context.request.kinds != {NODES}:
        return []
    best = [hit.key for hit in context.hits[EPISODES][: fusion.CANDIDATES]]
    rank = {chunk: position for position, chunk in enumerate(best)}
    mentions = store.retrieval.mentioned_in_chunks(tx, best, with_speakers=False)
    keys = [key for _, key in sorted((rank[chunk], key) for chunk, key in mentions if key < 0)]
    limit = fusion.PROPOSED_NAMES_COMPARED
    newest = store.proposals.newest_names(tx, groups=context.request.filters.groups, limit=limit)
    keys = list(dict.fromkeys([*keys, *(-row for row in newest)]))[:limit]
    proposals = store.proposals.by_rows(tx, [-key for key in keys])
    named = [(key, proposals[-key].subject) for key in keys if -key in proposals]
    return _by_cosine(tx, question[0], named) if named else []


def _by_cosine(tx: Tx, question: bytes, named: Sequence[tuple[Key, str]]) -> Ranking:
    import numpy as np

    try:
        vectors = _vectors(tx, [name for _, name in named])
    except errors.ModelUnavailable:
        return []
    asked = np.frombuffer(question, np.int8).astype(np.float32)
    cosines = vectors @ (asked / np.linalg.norm(asked))
    ranking = [(key, float(cosine)) for (key, _), cosine in zip(named, cosines, strict=True)]
    return sorted(ranking, key=lambda scored: (-scored[1], scored[0]))


def _vectors(tx: Tx, names: Sequence[str]) -> NDArray[np.float32]:
    """The vectors of names, of shape (names, dimension); those that were asked for before are not computed again."""
    import numpy as np

    from keepgraph.ml import embedder

    known = dict(tx.shared_cache.get(_CACHE_KEY, {}))
    if missing := [name for name in dict.fromkeys(names) if (tx.settings.model, name) not in known]:
        made = embedder.embed(missing, model=tx.settings.model)
        known = known if len(known) < _MAX_CACHED else {}
        known |= {(tx.settings.model, name): vector for name, vector in zip(missing, made, strict=True)}
        tx.shared_cache[_CACHE_KEY] = known
    return np.stack([known[tx.settings.model, name] for name in names])
