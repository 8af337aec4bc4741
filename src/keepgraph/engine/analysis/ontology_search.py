"""Search in an ontology: by names, labels and codes, by the words of descriptions, and by vectors of its words."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from keepgraph import errors
from keepgraph.engine import vector_backfill
from keepgraph.engine.analysis import ontology, word_index
from keepgraph.engine.analysis.ontology import Ontology, OntologyClass
from keepgraph.engine.retrieval import fusion, reranking
from keepgraph.engine.retrieval.fusion import Hit, Key
from keepgraph.engine.retrieval.search_request import CROSS_ENCODER, MMR
from keepgraph.store.transactions import Tx

if TYPE_CHECKING:
    import numpy as np


_NAME, _WORDS, _MEANING = "name", "words", "meaning"
_WEIGHTS = {_NAME: 2.0, _WORDS: 1.0, _MEANING: 1.0}
_MIN_COSINE = 0.28
"""Below it, two texts have nothing in common that could be meant: of random words, 0.25 is the most."""

_MAX_BY_MEANING = 10

_PREFIX_SCORE = 0.5
_CANDIDATES = 100


@dataclass(frozen=True, slots=True)
class ClassHit:
    """A class that a search has as a result, and why."""

    entry: OntologyClass
    hit: Hit


@dataclass(frozen=True, slots=True)
class OntologyResults:
    """The results of a search, best first, cut to its limit, each kind; and how far meaning was compared."""

    entity_classes: tuple[ClassHit, ...]
    relationship_classes: tuple[ClassHit, ...]
    entity_total: int
    relationship_total: int
    embedding_state: str


def search(tx: Tx, question: str, *, reranker: str, limit: int) -> OntologyResults:
    """Search for the classes that a question is about: those it names first.

    Raises:
        errors.ModelUnavailable: a cross-encoder is asked for, and there is none.
    """
    if reranker == CROSS_ENCODER:
        reranking.require_cross_encoder(tx)
    classes = ontology.read(tx)
    index = word_index.of_ontology(tx)
    first = [entry.position for entry in ontology.most_used_first(classes.classes, ontology.of_graph(tx))]
    may_wait = not index.names_all_of(question)
    cosines, state = _compare(tx, classes, question, first=first, may_wait=may_wait)
    by_name = _by_name(index, question)
    hits = fusion.fuse(
        {
            _NAME: by_name,
            _WORDS: index.by_tokens(question)[:_CANDIDATES],
            _MEANING: sorted(
                ((position, cosine) for position, cosine in cosines.items() if cosine >= _MIN_COSINE),
                key=lambda scored: (-scored[1], scored[0]),
            )[:_MAX_BY_MEANING],
        },
        _WEIGHTS,
    )
    named = dict(by_name)
    hits = [hit for hit in hits if classes.classes[hit.key].term.retired_at is None or hit.key in named]
    hits.sort(key=lambda hit: -named.get(hit.key, 0.0))  # stable: those that the question names come first
    entity_hits = [hit for hit in hits if classes.classes[hit.key].ontology_type != ontology.RELATIONSHIP_CLASS]
    relationship_hits = [hit for hit in hits if classes.classes[hit.key].ontology_type == ontology.RELATIONSHIP_CLASS]

    def best(of_kind: list[Hit]) -> tuple[ClassHit, ...]:
        ordered = _rerank(tx, classes, question, of_kind, reranker=reranker, limit=limit)
        return tuple(ClassHit(classes.classes[hit.key], hit) for hit in ordered[:limit])

    return OntologyResults(
        best(entity_hits), best(relationship_hits), len(entity_hits), len(relationship_hits), embedding_state=state
    )


def _by_name(index: word_index.WordIndex, question: str) -> list[tuple[Key, float]]:
    """The classes that a question names: by the whole of it, by a part of it, or by the beginning of a wording."""
    scores: dict[int, float] = dict.fromkeys(index.exact(question), 1.0)
    for position, share in index.within(question):
        scores.setdefault(position, share)
    for position in index.beginning_with(question):
        scores.setdefault(position, _PREFIX_SCORE)
    order = {position: rank for rank, position in enumerate(scores)}
    return sorted(scores.items(), key=lambda scored: (-scored[1], order[scored[0]]))[:_CANDIDATES]


def _rerank(tx: Tx, classes: Ontology, question: str, hits: Sequence[Hit], *, reranker: str, limit: int) -> list[Hit]:
    if reranker == MMR:
        return reranking.by_diversity(hits, _similarity(tx, classes), limit=limit)
    if reranker == CROSS_ENCODER:
        from keepgraph.ml import cross_encoders

        compared = hits[:_CANDIDATES]
        scores = cross_encoders.score(
            question, [_sentence(classes.classes[hit.key]) for hit in compared], folder=tx.settings.cross_encoder
        )
        return reranking.by_score(hits, {hit.key: score for hit, score in zip(compared, scores, strict=True)})
    return [hit._replace(score=fusion.round_score(hit.score)) for hit in hits]


def _similarity(tx: Tx, classes: Ontology) -> Callable[[Key, Key], float]:
    """How similar two classes are, from 0 to 1: by their vectors, else by the words they share."""

    def similarity(one: Key, other: Key) -> float:
        ours, theirs = classes.classes[one], classes.classes[other]
        cosine = _similarity_of_words(tx, ours, theirs)
        if cosine is not None:
            return max(0.0, cosine)
        words, other_words = (set(_sentence(entry).split()) for entry in (ours, theirs))
        return len(words & other_words) / len(words | other_words)

    return similarity


def _sentence(entry: OntologyClass) -> str:
    return f"{entry.words}: {', '.join(entry.shown_labels)}. {entry.term.description}"


# Vectors of the words of an ontology, computed for their texts and shared by all calls of a database.

MAX_CLASSES = 2_000
"""In a larger ontology, words are compared by their letters alone."""

_BATCH = 16
_MAX_LABELS = 3
_MAX_CHARACTERS = 160
_CACHE_KEY = "vectors of the ontology"


def _compare(
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


def _similarity_of_words(tx: Tx, one: OntologyClass, other: OntologyClass) -> float | None:
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
