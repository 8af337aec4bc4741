"""Search in an ontology: by names, labels and codes, by the words of descriptions, and by meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from keepgraph.engine.analysis import ontology, usage, word_index, word_vectors
from keepgraph.engine.analysis.ontology import Ontology, OntologyClass
from keepgraph.engine.retrieval import fusion, reranking
from keepgraph.engine.retrieval.fusion import Hit, Key
from keepgraph.engine.retrieval.search_request import CROSS_ENCODER, MMR
from keepgraph.store.transactions import Tx

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
    first = [entry.position for entry in ontology.most_used_first(classes.classes, usage.of_graph(tx))]
    may_wait = not index.names_all_of(question)
    cosines, state = word_vectors.compare(tx, classes, question, first=first, may_wait=may_wait)
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
        cosine = word_vectors.similarity(tx, ours, theirs)
        if cosine is not None:
            return max(0.0, cosine)
        words, other_words = (set(_sentence(entry).split()) for entry in (ours, theirs))
        return len(words & other_words) / len(words | other_words)

    return similarity


def _sentence(entry: OntologyClass) -> str:
    return f"{entry.words}: {', '.join(entry.shown_labels)}. {entry.term.description}"
