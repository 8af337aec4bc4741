"""Vectors of the words of an ontology, computed for their texts and shared by all calls of a database."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from keepgraph import errors
from keepgraph.engine import vector_backfill
from keepgraph.engine.analysis.ontology import Ontology, OntologyClass
from keepgraph.store.transactions import Tx

if TYPE_CHECKING:
    import numpy as np

MAX_CLASSES = 2_000
"""In a larger ontology, words are compared by their letters alone."""

_BATCH = 16
_MAX_LABELS = 3
_MAX_CHARACTERS = 160
_CACHE_KEY = "vectors of the ontology"


def compare(
    tx: Tx, ontology: Ontology, question: str, *, first: Sequence[int], may_wait: bool = True
) -> tuple[dict[int, float], str]:
    """The cosines of a question with the classes that have a vector, by position; and the state in words.

    Args:
        first: the positions of the classes whose vectors are computed before those of others.
        may_wait: whether vectors that are missing are computed, for as long as a read may wait.
    """
    if reason := _reason_against(tx, ontology):
        return {}, f"off: {reason}"
    if not may_wait and not _vectors_by_text(tx):
        return {}, "not needed: the query names words of the vocabulary"
    from keepgraph.ml import embedder

    try:
        by_text = dict(_complete(tx, ontology, first) if may_wait else _vectors_by_text(tx))
        asked = embedder.embed([question[:_MAX_CHARACTERS]], model=tx.settings.model)[0]
    except errors.ModelUnavailable as error:
        return {}, f"off: {error.message}"
    cosines = {
        entry.position: float(by_text[text] @ asked) for entry in ontology.classes if (text := _text(entry)) in by_text
    }
    missing = len(ontology.classes) - len(cosines)
    return cosines, f"on; {vector_backfill.describe_missing(missing, 'word')}" if missing else "on"


def similarity(tx: Tx, one: OntologyClass, other: OntologyClass) -> float | None:
    """The cosine of two classes; None where one of them has no vector."""
    by_text = _vectors_by_text(tx)
    ours, theirs = by_text.get(_text(one)), by_text.get(_text(other))
    return None if ours is None or theirs is None else float(ours @ theirs)


def _reason_against(tx: Tx, ontology: Ontology) -> str | None:
    from keepgraph.ml import embedder

    if "embedding" not in tx.settings.rungs:
        return "by the settings"
    if len(ontology.classes) > MAX_CLASSES:
        return f"the vocabulary has {len(ontology.classes):,} words; up to {MAX_CLASSES:,} are compared by meaning"
    return embedder.unavailable_reason(tx.settings.model)


def _complete(tx: Tx, ontology: Ontology, first: Sequence[int]) -> Mapping[str, np.ndarray]:
    """The vectors by text, after as many of those that are missing have been computed as a read may wait for."""
    from keepgraph.ml import embedder

    by_text = _vectors_by_text(tx)
    order = dict.fromkeys([*first, *range(len(ontology.classes))])
    texts = dict.fromkeys(_text(ontology.classes[position]) for position in order)
    missing = [text for text in texts if text not in by_text]
    deadline = time.monotonic() + vector_backfill.MAX_SECONDS_OF_A_READ
    for start in range(0, len(missing), _BATCH):
        batch = missing[start : start + _BATCH]
        by_text.update(zip(batch, embedder.embed(batch, model=tx.settings.model), strict=True))
        if time.monotonic() > deadline:
            break
    for outdated in [text for text in list(by_text) if text not in texts]:
        by_text.pop(outdated, None)
    return by_text


def _vectors_by_text(tx: Tx) -> dict[str, np.ndarray]:
    by_text: dict[str, np.ndarray] = tx.shared_cache.setdefault(f"{_CACHE_KEY} by {tx.settings.model}", {})
    return by_text


def _text(entry: OntologyClass) -> str:
    """A class as a text to embed: its name, its first labels, its description."""
    wordings = ", ".join([entry.words, *entry.shown_labels[:_MAX_LABELS]])
    return f"{wordings}: {entry.term.description}"[:_MAX_CHARACTERS]
