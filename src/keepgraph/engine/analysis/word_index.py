"""An index of the words of an ontology: which classes have a wording, a code, or a token of their descriptions.

A wording is compared by its key: words in lower case, one space between.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from keepgraph import store
from keepgraph.engine.analysis import ontology
from keepgraph.engine.analysis.ontology import Ontology, OntologyClass
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.language import common_words
from keepgraph.store.transactions import Tx

_NAME, _LABEL, _DESCRIPTION = 3.0, 2.0, 1.0
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
    return store.fact_columns.cached(tx, "word index", lambda: WordIndex(ontology.read(tx)))


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
                    share = length / len(tokens) * (1.0 if weight >= _NAME else 0.9)
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
    yield entry.words, _NAME
    if entry.term.retired_at is not None:
        return
    if entry.notation:
        yield graph_vocabulary.wording_key(entry.notation), _NAME
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
