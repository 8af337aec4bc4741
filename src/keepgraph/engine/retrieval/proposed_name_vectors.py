"""Vectors of proposed names: computed for a search that needs them, and remembered by the process; none is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from keepgraph import errors, store
from keepgraph.engine.retrieval import weights
from keepgraph.engine.retrieval.fusion import Key, Ranking
from keepgraph.engine.retrieval.search_context import SearchContext
from keepgraph.engine.retrieval.search_request import EPISODES, NODES
from keepgraph.store.transactions import Tx

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CACHE_KEY = "vectors of proposed names"
_MAX_CACHED = 5_000


def nearest(context: SearchContext) -> Ranking:
    """Proposed names by the cosine of the name and the question, best first.

    Only where nothing but nodes is asked for: elsewhere the texts themselves are found. PROPOSED_NAMES_COMPARED are
    compared, for each goes through the model the first time: those of the best texts, then the newest.
    """
    tx, question = context.tx, context.vectors.full
    if question is None or context.request.kinds != {NODES}:
        return []
    best = [hit.key for hit in context.hits[EPISODES][: weights.CANDIDATES]]
    rank = {chunk: position for position, chunk in enumerate(best)}
    mentions = store.retrieval.mentioned_in_chunks(tx, best, with_speakers=False)
    keys = [key for _, key in sorted((rank[chunk], key) for chunk, key in mentions if key < 0)]
    limit = weights.PROPOSED_NAMES_COMPARED
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
