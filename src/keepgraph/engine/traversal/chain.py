"""The chain of a traversal: its searches, and the sessions in which a stream grows step by step."""

from __future__ import annotations

import math
import secrets
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

from keepgraph import errors, store
from keepgraph.engine import vector_backfill
from keepgraph.engine.retrieval import question_analysis
from keepgraph.engine.traversal.records import Kind, Stream
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx

# Searches of a traversal: by words (BM25), by the meaning of a text, and by a vector among those reached.

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
    return Filters((tx.group,), at=tx.at, types=None if types is None else tuple(types))


# Traversal sessions: handles to streams, in the memory of the process, that grow by one step with each call.
#
# A handle lives for 30 minutes after its last use. 64 are open at once; one more closes that which was used longest
# ago. A step that fails changes nothing.

MAX_OPEN = 64
MAX_STEPS = 64
IDLE = timedelta(minutes=30)

_MAX_CLOSED_REMEMBERED = 1_000
_CACHE_KEY = "traversals"


@dataclass(slots=True)
class Traversal:
    """A stream and how far it was read.

    Attributes:
        position: of the next row that `next` gives.
        steps: the number of steps that led to the stream.
        skipped: the number of rows that were skipped because they were deleted meanwhile.
    """

    id: str
    used_at: datetime
    stream: Stream = field(default_factory=Stream)
    position: int = 0
    steps: int = 0
    skipped: int = 0
    lock: Lock = field(default_factory=Lock)

    def reset(self) -> None:
        """Make it blank again."""
        self.stream, self.position, self.steps, self.skipped = Stream(), 0, 0, 0

    def advance(self, step: Callable[[Stream], Stream]) -> None:
        """Let a step lead on to another stream; reading begins at its first row.

        Raises:
            errors.TraversalTooLarge: there were MAX_STEPS steps already.
        """
        if self.steps >= MAX_STEPS:
            raise errors.TraversalTooLarge(
                f"a traversal has at most {MAX_STEPS} steps", hint="Collect what there is, or begin again after reset."
            )
        self.stream = step(self.stream)
        self.position, self.skipped = 0, 0
        self.steps += 1


class Sessions:
    """The open traversals of a process, least recently used first."""

    def __init__(self) -> None:
        self._open: OrderedDict[str, Traversal] = OrderedDict()
        self._closed: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def begin(self, now: datetime) -> Traversal:
        """A new, blank traversal."""
        traversal = Traversal(f"trav_{secrets.token_hex(13)}", used_at=now)
        with self._lock:
            self._close_idle(now)
            while len(self._open) >= MAX_OPEN:
                oldest, _ = self._open.popitem(last=False)
                self._remember(oldest, f"it was closed, since {MAX_OPEN} others were used after it")
            self._open[traversal.id] = traversal
        return traversal

    @contextmanager
    def use(self, id: str, now: datetime) -> Iterator[Traversal]:
        """The traversal with this id, for one call at a time.

        Raises:
            errors.TraversalNotFound: there is none, or it was closed.
        """
        with self._lock:
            self._close_idle(now)
            traversal = self._open.get(id)
            if traversal is None:
                reason = self._closed.get(id, "there is none with this id in this process")
                raise errors.TraversalNotFound(f"the traversal {id[:60]!r} is not open: {reason}")
            traversal.used_at = now
            self._open.move_to_end(id)
        with traversal.lock:
            yield traversal

    def _close_idle(self, now: datetime) -> None:
        while self._open:
            oldest = next(iter(self._open.values()))
            if now - oldest.used_at <= IDLE:
                return
            del self._open[oldest.id]
            self._remember(oldest.id, f"it was not used for {IDLE.seconds // 60} minutes")

    def _remember(self, id: str, reason: str) -> None:
        self._closed[id] = reason
        while len(self._closed) > _MAX_CLOSED_REMEMBERED:
            self._closed.popitem(last=False)


def of_process(tx: Tx) -> Sessions:
    """The sessions of the process that has this graph open."""
    sessions: Sessions = tx.shared_cache.setdefault(_CACHE_KEY, Sessions())
    return sessions
