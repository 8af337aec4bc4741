"""The vectors of a question: embedded once, for as many of the kinds of results as are compared with it."""

from __future__ import annotations

from dataclasses import dataclass

from keepgraph import errors, store
from keepgraph.engine.backfill import vectors
from keepgraph.engine.retrieval.question_analysis import MAX_EMBEDDED_CHARACTERS, Question
from keepgraph.engine.retrieval.search_request import EDGES, EPISODES
from keepgraph.store.transactions import Tx

_OTHER_KINDS = (store.derived_tables.NAME_VECTORS, store.derived_tables.FACT_VECTORS)


@dataclass(frozen=True, slots=True)
class QuestionVectors:
    """A question as vectors, each as embedding and signs, in the form in which vectors are stored.

    Attributes:
        full: of the whole question, compared with names, facts and documents; None where there are no vectors.
        without_names: of the question without the names of persons, compared with turns of conversations.
        state: in words: on, how many vectors are missing, or why they are off.
    """

    full: tuple[bytes, bytes] | None = None
    without_names: tuple[bytes, bytes] | None = None
    state: str = "on"


def embed(tx: Tx, question: Question, *, kinds: frozenset[str]) -> QuestionVectors:
    """Embed a question, if there are vectors to compare it with; a model that is missing is a state, and no error."""
    if "embedding" not in tx.settings.rungs:
        return QuestionVectors(state="off: by the settings")
    if reason := vectors.unavailable_reason(tx):
        return QuestionVectors(state=f"off: {reason}")
    state = "; ".join(["on", *_missing_vectors(tx)])
    if not question.text or store.vectors.model_and_dimension(tx) is None:
        return QuestionVectors(state=state)
    from keepgraph.ml import embedder

    # Each text costs a pass of the model, and not every search compares both.
    for_turns = question.without_names if kinds != {EDGES} else question.text
    compares_whole = store.conversations.any_document(tx) or (
        kinds != {EPISODES} and any(store.vectors.any_made(tx, kind) for kind in _OTHER_KINDS)
    )
    texts = list(dict.fromkeys([for_turns, question.text] if compares_whole else [for_turns]))
    try:
        packed = vectors.pack(
            embedder.embed([text[:MAX_EMBEDDED_CHARACTERS] for text in texts], model=tx.settings.model)
        )
        store.vectors.load_extension(tx)
        store.vector_signs.note_search(tx)
    except errors.ModelUnavailable as error:
        return QuestionVectors(state=f"off: {error.message}")
    return QuestionVectors(full=packed[-1], without_names=packed[0], state=state)


def _missing_vectors(tx: Tx) -> list[str]:
    """How many of each kind have no vector yet, or are too many to be compared, in words."""
    # Counted once for each state of the graph: after an import a million may wait.
    counts = store.change_cache.get(
        tx,
        "missing vectors",
        lambda: [(store.vectors.count_missing(tx, kind), kind.noun) for kind in store.derived_tables.VECTOR_KINDS],
    )
    waiting = [vectors.describe_missing(count, noun) for count, noun in counts if count]
    too_many = [kind.noun for kind in store.derived_tables.VECTOR_KINDS if store.vector_search.has_too_many(tx, kind)]
    return waiting + [f"{noun}s are too many to be compared by their meaning" for noun in too_many]
