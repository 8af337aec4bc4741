"""The vectors of a question: embedded once, for as many of the kinds of results as are compared with it.

A model that is loaded computes them in a thread of its own: what is found by words and names is looked up meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import copy_context
from functools import cached_property
from typing import TypeVar

from keepgraph import errors, store
from keepgraph.engine.backfill import vectors
from keepgraph.engine.retrieval.question_analysis import MAX_EMBEDDED_CHARACTERS, Question
from keepgraph.engine.retrieval.search_request import EDGES, EPISODES
from keepgraph.store.derived_tables import FACT_VECTORS, NAME_VECTORS, VECTOR_KINDS, VectorKind
from keepgraph.store.transactions import Tx

T = TypeVar("T")
_OTHER_KINDS = (NAME_VECTORS, FACT_VECTORS)

_MAX_COUNTED = 10_000
"""Of what waits for a vector, no more are counted: after an import it may be a million."""

Packed = tuple[bytes, bytes]
"""A vector as embedding and signs, in the form in which vectors are stored."""


class QuestionVectors:
    """A question as vectors, which whoever reads them first waits for.

    Args:
        state: in words: on, how many vectors are missing, or why they are off.
        packed: waits for the vectors, that of the whole question last; None where there are none.
        waiting: the kinds of which some have no vector yet.
    """

    def __init__(
        self,
        state: str = "on",
        packed: Callable[[], Sequence[Packed]] | None = None,
        *,
        waiting: frozenset[VectorKind] = frozenset(),
    ) -> None:
        self.state = state
        self.waiting = waiting
        self._wait = packed

    @property
    def full(self) -> Packed | None:
        """Of the whole question, compared with names, facts and documents; None where there are no vectors."""
        return self._packed[-1] if self._packed else None

    @property
    def without_names(self) -> Packed | None:
        """Of the question without the names of persons, compared with turns of conversations."""
        return self._packed[0] if self._packed else None

    @cached_property
    def _packed(self) -> Sequence[Packed]:
        return self._wait() if self._wait is not None else ()


def embed(tx: Tx, question: Question, *, kinds: frozenset[str]) -> QuestionVectors:
    """Embed a question, if there are vectors to compare it with; a model that is missing is a state, and no error."""
    if "embedding" not in tx.settings.rungs:
        return QuestionVectors(state="off: by the settings")
    if reason := vectors.unavailable_reason(tx):
        return QuestionVectors(state=f"off: {reason}")
    missing = _missing_vectors(tx)
    waiting = frozenset(kind for kind, count in missing.items() if count)
    state = "; ".join(["on", *_describe(tx, missing)])
    if not question.text or store.vectors.model_and_dimension(tx) is None:
        return QuestionVectors(state, waiting=waiting)
    from keepgraph.ml import embedder

    # Each text costs a pass of the model, and not every search compares both.
    for_turns = question.without_names if kinds != {EDGES} else question.text
    compares_whole = store.conversations.any_document(tx) or (
        kinds != {EPISODES} and any(store.vectors.any_made(tx, kind) for kind in _OTHER_KINDS)
    )
    texts = list(dict.fromkeys([for_turns, question.text] if compares_whole else [for_turns]))

    def compute() -> Sequence[Packed]:
        beginnings = [text[:MAX_EMBEDDED_CHARACTERS] for text in texts]
        return vectors.pack(embedder.embed(beginnings, model=tx.settings.model))

    try:
        store.vectors.load_extension(tx)
        wait = _in_thread(compute) if embedder.is_loaded(tx.settings.model) else _at_once(compute)
        store.vector_signs.note_search(tx)
    except errors.ModelUnavailable as error:
        return QuestionVectors(state=f"off: {error.message}")
    return QuestionVectors(state, wait, waiting=waiting)


def _at_once(compute: Callable[[], T]) -> Callable[[], T]:
    """Compute now, in this thread."""
    computed = compute()
    return lambda: computed


def _in_thread(compute: Callable[[], T]) -> Callable[[], T]:
    """Begin to compute in another thread; who calls the function that is returned waits for what was computed."""
    from concurrent.futures import ThreadPoolExecutor

    thread = ThreadPoolExecutor(1, thread_name_prefix="question vectors")
    # What interrupts the call interrupts the thread too.
    computed = thread.submit(copy_context().run, compute)
    thread.shutdown(wait=False)
    return computed.result


def _missing_vectors(tx: Tx) -> Mapping[VectorKind, int]:
    """How many of each kind have no vector yet; counted once for each state of the graph, and not to the end."""
    return store.change_cache.get(
        tx,
        "missing vectors",
        lambda: {kind: store.vectors.count_missing(tx, kind, at_most=_MAX_COUNTED) for kind in VECTOR_KINDS},
    )


def _describe(tx: Tx, missing: Mapping[VectorKind, int]) -> list[str]:
    """How many of each kind have no vector yet, or are too many to be compared, in words."""
    waiting = [
        vectors.describe_missing(count, kind.noun, at_most=_MAX_COUNTED) for kind, count in missing.items() if count
    ]
    too_many = [kind.noun for kind in VECTOR_KINDS if store.vector_search.has_too_many(tx, kind)]
    return waiting + [f"{noun}s are too many to be compared by their meaning" for noun in too_many]
