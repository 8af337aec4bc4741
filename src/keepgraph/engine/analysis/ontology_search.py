"""Search in an ontology: by names, labels and codes, by the words of descriptions, and by vectors of its words.

The index of words finds classes by a wording, a code, or a token of their descriptions. A wording is compared by its
key: words in lower case, one space between.
"""

from __future__ import annotations

import math
import re
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from keepgraph import errors
from keepgraph.engine import vector_backfill
from keepgraph.engine.analysis import ontology
from keepgraph.engine.analysis.ontology import Ontology, OntologyClass
from keepgraph.engine.retrieval import fusion, reranking
from keepgraph.engine.retrieval.fusion import Hit, Key
from keepgraph.engine.retrieval.search_request import CROSS_ENCODER, MMR
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import common_words
from keepgraph.store.transactions import Tx

if TYPE_CHECKING:
    import numpy as np

_INDEX_NAME, _LABEL, _DESCRIPTION = 3.0, 2.0, 1.0
_PREFIX_SHARE = 0.6
"""The weight of a token that begins with the requested one, or the reverse, relative to an equal one."""

_MISTYPED_SHARE = 0.5
_MISTYPED_SIMILARITY = 80
_MIN_PREFIX = 3
_MAX_ENDING = 3
"""How many letters longer a token of the question may be than one of the index: recommendations, recommendation."""

_MAX_PREFIXED = 50
_DIGIT = re.compile(r"\d")


def of_ontology(tx: Tx) -> WordIndex:
    """The index of the ontology of the graph."""
    return tx.cached("word index", lambda: WordIndex(ontology.read(tx)))


@dataclass(frozen=True)
class WordIndex:
    """The index; classes are given by their positions in the ontology."""

    ontology: Ontology

    def exact(self, wording: str) -> list[int]:
        """The classes that have a wording or a code, those first whose name it is."""
        key = graph_vocabulary.wording_key(wording)
        if not key:
            return []
        return sorted(self._weights_by_wording.get(key, ()), key=lambda position: self._rank(position, key))

    def within(self, question: str) -> list[tuple[int, float]]:
        """The classes with a wording or a code that is a part of a question, by the share of it that they are."""
        tokens = _tokens(question)
        shares: dict[int, float] = {}
        for length in range(min(len(tokens), self._longest), 0, -1):
            for start in range(len(tokens) - length + 1):
                key = " ".join(tokens[start : start + length])
                if length == 1 and common_words.is_stop_word(key):
                    continue
                for position, weight in self._weights_by_wording.get(key, {}).items():
                    share = length / len(tokens) * (1.0 if weight >= _INDEX_NAME else 0.9)
                    shares[position] = max(shares.get(position, 0.0), share)
        return _best_first(shares)

    def names_all_of(self, question: str) -> bool:
        """Whether a question is nothing but wordings and codes of classes, one after the other."""
        tokens = _tokens(question)
        start = 0
        while start < len(tokens):
            for end in range(min(len(tokens), start + self._longest), start, -1):
                if " ".join(tokens[start:end]) in self._weights_by_wording:
                    start = end
                    break
            else:
                return False
        return bool(tokens)

    def beginning_with(self, wording: str) -> list[int]:
        """The classes with a wording that begins so, the shortest first."""
        key = graph_vocabulary.wording_key(wording)
        if len(key) < _MIN_PREFIX:
            return []
        matches: dict[int, int] = {}
        for candidate in _with_prefix(self._sorted_wordings, key):
            for position in self._weights_by_wording[candidate]:
                matches[position] = min(matches.get(position, len(candidate)), len(candidate))
        return sorted(matches, key=lambda position: (matches[position], position))

    def by_tokens(self, question: str) -> list[tuple[int, float]]:
        """The classes that have tokens of a question in their wordings and descriptions; rare tokens count more."""
        scores: dict[int, float] = defaultdict(float)
        asked = [token for token in dict.fromkeys(_tokens(question)) if not common_words.is_stop_word(token)]
        for token in asked or dict.fromkeys(_tokens(question)):
            best: dict[int, float] = {}
            for match, share in self._similar_tokens(token):
                postings = self._weights_by_token[match]
                rarity = math.log(1 + len(self.ontology.classes) / len(postings))
                for position, weight in postings.items():
                    best[position] = max(best.get(position, 0.0), share * weight * rarity)
            for position, score in best.items():
                scores[position] += score
        return _best_first(scores)

    def has_all_tokens(self, position: int, query: str) -> bool:
        """Whether each token of a query begins one of a class's names, wordings and codes."""
        own = self._tokens_of_wordings[position]
        return all(any(token.startswith(asked) for token in own) for asked in _tokens(query))

    def similar_wordings(self, wording: str, *, limit: int) -> list[tuple[int, float]]:
        """The classes with the wordings that are spelled most like this one, with the similarity from 0 to 1."""
        from rapidfuzz import fuzz, process

        matches = process.extract(
            graph_vocabulary.wording_key(wording)[: graph_vocabulary.MAX_WORD],
            self._sorted_wordings,
            scorer=fuzz.ratio,
            limit=4 * limit,
            score_cutoff=60,
        )
        similarities: dict[int, float] = {}
        for match, similarity, _ in matches:
            for position in self._weights_by_wording[match]:
                similarities[position] = max(similarities.get(position, 0.0), similarity / 100)
        return _best_first(similarities)[:limit]

    def _rank(self, position: int, key: str) -> tuple[bool, bool, float, int]:
        entry = self.ontology.classes[position]
        return (
            entry.term.retired_at is not None,
            entry.words != key,
            -self._weights_by_wording[key][position],
            position,
        )

    def _similar_tokens(self, token: str) -> Iterator[tuple[str, float]]:
        """The tokens of the index that are meant by one of a question, with the share of the score that they count."""
        is_known = False
        if token in self._weights_by_token:
            is_known = True
            yield token, 1.0
        if len(token) >= _MIN_PREFIX:
            for longer in _with_prefix(self._sorted_tokens, token)[:_MAX_PREFIXED]:
                if longer != token:
                    is_known = True
                    yield longer, _PREFIX_SHARE
            for ending in range(1, _MAX_ENDING + 1):
                shorter = token[:-ending]
                if len(shorter) > _MIN_PREFIX and shorter in self._weights_by_token:
                    is_known = True
                    yield shorter, _PREFIX_SHARE
        if not is_known and len(token) > _MIN_PREFIX and not _DIGIT.search(token):
            yield from ((near, _MISTYPED_SHARE) for near in self._mistyped(token))

    def _mistyped(self, token: str) -> list[str]:
        from rapidfuzz import fuzz, process

        near = process.extract(
            token, self._sorted_tokens, scorer=fuzz.ratio, limit=3, score_cutoff=_MISTYPED_SIMILARITY
        )
        return [match for match, _, _ in near]

    @cached_property
    def _weights_by_wording(self) -> Mapping[str, Mapping[int, float]]:
        weights: dict[str, dict[int, float]] = defaultdict(dict)
        for entry in self.ontology.classes:
            for key, weight in _wordings_of(entry):
                weights[key][entry.position] = max(weights[key].get(entry.position, 0.0), weight)
        return dict(weights)

    @cached_property
    def _weights_by_token(self) -> Mapping[str, Mapping[int, float]]:
        weights: dict[str, dict[int, float]] = defaultdict(dict)
        for entry in self.ontology.classes:
            texts = [*_wordings_of(entry), (graph_vocabulary.wording_key(entry.term.description), _DESCRIPTION)]
            for key, weight in texts:
                for token in key.split():
                    weights[token][entry.position] = max(weights[token].get(entry.position, 0.0), weight)
        return dict(weights)

    @cached_property
    def _tokens_of_wordings(self) -> Sequence[frozenset[str]]:
        return [
            frozenset(token for key, _ in _wordings_of(entry) for token in key.split())
            for entry in self.ontology.classes
        ]

    @cached_property
    def _sorted_wordings(self) -> list[str]:
        return sorted(self._weights_by_wording)

    @cached_property
    def _sorted_tokens(self) -> list[str]:
        return sorted(self._weights_by_token)

    @cached_property
    def _longest(self) -> int:
        return max((key.count(" ") + 1 for key in self._weights_by_wording), default=0)


def _wordings_of(entry: OntologyClass) -> Iterator[tuple[str, float]]:
    """The keys of the wordings of a class, with their weights. A retired one has only its name."""
    yield entry.words, _INDEX_NAME
    if entry.term.retired_at is not None:
        return
    if entry.notation:
        yield graph_vocabulary.wording_key(entry.notation), _INDEX_NAME
    labels = [*entry.labels, *(label for inverse in entry.inverses for label in inverse.labels)]
    texts = [*(label.label for label in labels), *(inverse.term.name for inverse in entry.inverses)]
    for text in texts:
        if key := graph_vocabulary.wording_key(text):
            yield key, _LABEL


def _tokens(text: str) -> list[str]:
    return graph_vocabulary.wording_key(text).split()


def _with_prefix(ordered: Sequence[str], prefix: str) -> list[str]:
    start = bisect_left(ordered, prefix)
    end = start
    while end < len(ordered) and ordered[end].startswith(prefix):
        end += 1
    return list(ordered[start:end])


def _best_first(scores: Mapping[int, float]) -> list[tuple[int, float]]:
    return sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))


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
    index = of_ontology(tx)
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


def _by_name(index: WordIndex, question: str) -> list[tuple[Key, float]]:
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
    """The cosine of two classes; None if one of them has no vector."""
    by_text = _vectors_by_text(tx)
    ours, theirs = by_text.get(_text(one)), by_text.get(_text(other))
    return None if ours is None or theirs is None else float(ours @ theirs)


def _reason_against(tx: Tx, ontology: Ontology) -> str | None:
    from keepgraph.ml import embedder

    if "embedding" not in tx.settings.steps:
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
