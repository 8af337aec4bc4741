"""Models of links: triples of numbers, ComplEx and popularity, and the evaluation of any model by filtered ranks.

The protocol is that of A. Bordes et al., "Translating Embeddings for Modeling Multi-relational Data", NeurIPS 2013: for
each triple the missing object, and then the missing subject, is ranked among all entities without those that are known
to be right too. Entities with equal scores share the mean of their ranks, so that a model which says nothing gains
nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

# Triples of numbers: subjects, predicates and objects of facts between entities, as columns.

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Check = Callable[[], None]
"""Called now and then; what it raises ends the work."""


class Model(Protocol):
    """What was learned from triples: scores of all entities as the missing end of a triple.

    Scores of one question compare with each other, and not with those of another question.
    """

    def score_objects(self, subject: int, predicate: int) -> Floats: ...

    def score_subjects(self, predicate: int, object: int) -> Floats: ...


@dataclass(frozen=True)
class Triples:
    """Facts between entities, each triple as often as it is given.

    Attributes:
        subjects, predicates, objects: numbers from 0, of the same length.
        entity_count, predicate_count: above every number of an entity, and of a predicate.
    """

    subjects: Integers
    predicates: Integers
    objects: Integers
    entity_count: int
    predicate_count: int

    def __len__(self) -> int:
        return len(self.subjects)

    def take(self, chosen: Integers | Mask) -> Triples:
        """Those at some positions, or of a mask."""
        return Triples(
            self.subjects[chosen],
            self.predicates[chosen],
            self.objects[chosen],
            self.entity_count,
            self.predicate_count,
        )

    def with_symmetric(self, is_symmetric: Mask) -> Triples:
        """The same, and those of symmetric predicates with their ends exchanged; each triple once.

        Args:
            is_symmetric: by the number of a predicate.
        """
        exchanged = is_symmetric[self.predicates]
        columns = np.stack(
            [
                np.concatenate([self.subjects, self.objects[exchanged]]),
                np.concatenate([self.predicates, self.predicates[exchanged]]),
                np.concatenate([self.objects, self.subjects[exchanged]]),
            ]
        )
        unique = np.unique(columns, axis=1)
        return Triples(unique[0], unique[1], unique[2], self.entity_count, self.predicate_count)

    @cached_property
    def degrees(self) -> Integers:
        """The number of triples of each entity, at either end."""
        ends = np.concatenate([self.subjects, self.objects])
        return np.bincount(ends, minlength=self.entity_count)

    @cached_property
    def _by_subject(self) -> tuple[Integers, Integers]:
        """The objects, sorted by subject and predicate, and the sorted keys of these two."""
        keys = self.subjects * np.int64(self.predicate_count) + self.predicates
        order = np.argsort(keys, kind="stable")
        return self.objects[order], keys[order]

    @cached_property
    def _by_object(self) -> tuple[Integers, Integers]:
        keys = self.objects * np.int64(self.predicate_count) + self.predicates
        order = np.argsort(keys, kind="stable")
        return self.subjects[order], keys[order]

    def objects_of(self, subject: int, predicate: int) -> Integers:
        """The objects of the triples with this subject and predicate."""
        return self._between(self._by_subject, subject, predicate)

    def subjects_of(self, predicate: int, object: int) -> Integers:
        """The subjects of the triples with this predicate and object."""
        return self._between(self._by_object, object, predicate)

    def _between(self, index: tuple[Integers, Integers], entity: int, predicate: int) -> Integers:
        others, keys = index
        key = entity * self.predicate_count + predicate
        first, last = np.searchsorted(keys, [key, key + 1])
        return others[first:last]


_RESAMPLES = 1_000
_CONFIDENCE = 0.95
_QUESTIONS_BETWEEN_CHECKS = 50


@dataclass(frozen=True, slots=True)
class Figures:
    """How well a model ranks held-out triples, as shares from 0 to 1.

    Attributes:
        mrr: the mean of the reciprocal ranks.
        low, high: the ends of its bootstrap interval of 95 %.
        hits_at_1, hits_at_10: the share of ranks that are at most 1, and at most 10.
        questions: how many ranks they were computed from, two for each triple.
    """

    mrr: float
    low: float
    high: float
    hits_at_1: float
    hits_at_10: float
    questions: int


def evaluate(model: Model, held_out: Triples, *, known: Triples, seed: int, check: Check = lambda: None) -> Figures:
    """The figures of a model on triples that it was not fitted to; all 0 where there are none.

    Args:
        known: all triples that are true, those held out too: the others that answer a question are left out of it.
        seed: of the resampling.
    """
    return summarise(rank(model, held_out, known=known, check=check), seed=seed)


def rank(model: Model, held_out: Triples, *, known: Triples, check: Check = lambda: None) -> Floats:
    """The filtered ranks of the held-out triples: a row for each, with that of its object and that of its subject."""
    ranks = np.empty((len(held_out), 2))
    columns = (held_out.subjects.tolist(), held_out.predicates.tolist(), held_out.objects.tolist())
    for position, (subject, predicate, target) in enumerate(zip(*columns, strict=True)):
        if position % _QUESTIONS_BETWEEN_CHECKS == 0:
            check()
        objects, subjects = known.objects_of(subject, predicate), known.subjects_of(predicate, target)
        ranks[position, 0] = filtered_rank(model.score_objects(subject, predicate), target, objects)
        ranks[position, 1] = filtered_rank(model.score_subjects(predicate, target), subject, subjects)
    return ranks


def filtered_rank(scores: Floats, answer: int, right: Integers) -> float:
    """The rank of an answer by its score, without the others that are right; equals share the mean of their ranks."""
    score = scores[answer]
    others = np.unique(right[right != answer])
    above = int((scores > score).sum()) - int((scores[others] > score).sum())
    equal = int((scores == score).sum()) - int((scores[others] == score).sum()) - 1
    return 1 + above + equal / 2


def summarise(ranks: Floats, *, seed: int) -> Figures:
    """The figures of some ranks; triples are resampled, each with both of its ranks."""
    if not len(ranks):
        return Figures(0.0, 0.0, 0.0, 0.0, 0.0, 0)
    reciprocal = (1 / ranks).mean(axis=1)
    generator = np.random.default_rng(seed)
    means = np.sort(
        [reciprocal[generator.integers(0, len(reciprocal), len(reciprocal))].mean() for _ in range(_RESAMPLES)]
    )
    tail = (1 - _CONFIDENCE) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Figures(
        mrr=float(reciprocal.mean()),
        low=float(low),
        high=float(high),
        hits_at_1=float((ranks <= 1).mean()),
        hits_at_10=float((ranks <= 10).mean()),
        questions=ranks.size,
    )


# Popularity: an entity is as likely at one end of a predicate as it is frequent there. What others have to beat.


@dataclass(frozen=True)
class PopularityModel:
    """How often each entity is at each end of each predicate, as shares from 0 to 1.

    Attributes:
        triples: what they are counted in.
        totals: the number of triples of each predicate.
    """

    triples: Triples
    totals: Integers

    def score_objects(self, subject: int, predicate: int) -> Floats:
        return self._share(predicate, self.triples.objects)

    def score_subjects(self, predicate: int, object: int) -> Floats:
        return self._share(predicate, self.triples.subjects)

    def _share(self, predicate: int, ends: Integers) -> Floats:
        first, last = np.searchsorted(self.triples.predicates, [predicate, predicate + 1])
        counts = np.bincount(ends[first:last], minlength=self.triples.entity_count)
        return counts / max(int(self.totals[predicate]), 1)


def fit(triples: Triples) -> PopularityModel:
    """Count the ends of each predicate."""
    sorted_triples = triples.take(np.argsort(triples.predicates, kind="stable"))
    return PopularityModel(sorted_triples, np.bincount(triples.predicates, minlength=triples.predicate_count))


# ComplEx: entities and predicates as complex vectors, a triple as likely as the real part of their product is large.
#
# Sources: T. Trouillon et al., "Complex Embeddings for Simple Link Prediction", ICML 2016; T. Lacroix, N. Usunier,
# G. Obozinski, "Canonical Tensor Decomposition for Knowledge Base Completion", ICML 2018, for the predicates read
# backwards, the loss over all entities and the N3 penalty. Adagrad, in numpy, with single precision.

_DIMENSIONS = 64
"""Complex ones; each takes two numbers."""

_MAX_WORK = 10_000_000
"""Triples times entities: more takes minutes on one core. Graphs of that size are too sparse for it anyway."""

_EPOCHS = 30
_BATCH = 256
_LEARNING_RATE = 0.1
_PENALTY = 1e-3
_SCALE = 0.2
"""Of the first vectors."""

_Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class ComplexModel:
    """Vectors, with the real parts in the first half of the columns and the imaginary parts in the second.

    Attributes:
        entities: by the number of an entity.
        predicates: by the number of a predicate; then the same again, for reading them from object to subject.
    """

    entities: _Vectors
    predicates: _Vectors

    def score_objects(self, subject: int, predicate: int) -> Floats:
        return self._score(subject, predicate)

    def score_subjects(self, predicate: int, object: int) -> Floats:
        return self._score(object, predicate + len(self.predicates) // 2)

    def _score(self, start: int, relation: int) -> Floats:
        question = _multiply(self.entities[start : start + 1], self.predicates[relation : relation + 1])[0]
        scores: Floats = (self.entities @ question).astype(np.float64)
        return scores


def is_affordable(triples: Triples) -> bool:
    """Whether an embedding of this many triples is learned in about a minute."""
    return len(triples) * triples.entity_count <= _MAX_WORK


def fit_complex(
    triples: Triples, *, seed: int, dimensions: int = _DIMENSIONS, epochs: int = _EPOCHS, check: Check = lambda: None
) -> ComplexModel:
    """Learn vectors; the same triples and seed give the same ones on one machine."""
    generator = np.random.default_rng(seed)
    entities = _random(generator, triples.entity_count, dimensions)
    predicates = _random(generator, 2 * triples.predicate_count, dimensions)
    squares = np.zeros_like(entities), np.zeros_like(predicates)
    starts = np.concatenate([triples.subjects, triples.objects])
    relations = np.concatenate([triples.predicates, triples.predicates + triples.predicate_count])
    ends = np.concatenate([triples.objects, triples.subjects])
    for _ in range(epochs):
        order = generator.permutation(len(starts))
        for first in range(0, len(order), _BATCH):
            check()
            batch = order[first : first + _BATCH]
            gradients = _gradients(entities, predicates, starts[batch], relations[batch], ends[batch])
            for vectors, gradient, square in zip((entities, predicates), gradients, squares, strict=True):
                square += gradient * gradient
                vectors -= _LEARNING_RATE * gradient / (np.sqrt(square) + 1e-8)
    return ComplexModel(entities, predicates)


def _random(generator: np.random.Generator, count: int, dimensions: int) -> _Vectors:
    return (generator.standard_normal((count, 2 * dimensions)) * _SCALE).astype(np.float32)


def _gradients(
    entities: _Vectors, predicates: _Vectors, starts: Integers, relations: Integers, ends: Integers
) -> tuple[_Vectors, _Vectors]:
    """The gradients of the mean cross-entropy of the right ends among all entities, and of the penalty."""
    start, relation, end = entities[starts], predicates[relations], entities[ends]
    question = _multiply(start, relation)
    scores = question @ entities.T
    scores -= scores.max(axis=1, keepdims=True)
    errors = np.exp(scores)
    errors /= errors.sum(axis=1, keepdims=True)
    errors[np.arange(len(ends)), ends] -= 1
    errors /= len(ends)
    of_question = errors @ entities
    of_entities = errors.T @ question
    of_predicates = np.zeros_like(predicates)
    scale = np.float32(3 * _PENALTY / len(ends))
    np.add.at(of_entities, starts, _multiply(of_question, _conjugate(relation)) + scale * _penalise(start))
    np.add.at(of_entities, ends, scale * _penalise(end))
    np.add.at(of_predicates, relations, _multiply(of_question, _conjugate(start)) + scale * _penalise(relation))
    return of_entities, of_predicates


def _multiply(left: _Vectors, right: _Vectors) -> _Vectors:
    half = left.shape[1] // 2
    a, b, c, d = left[:, :half], left[:, half:], right[:, :half], right[:, half:]
    return np.concatenate([a * c - b * d, a * d + b * c], axis=1)


def _conjugate(vectors: _Vectors) -> _Vectors:
    half = vectors.shape[1] // 2
    return np.concatenate([vectors[:, :half], -vectors[:, half:]], axis=1)


def _penalise(vectors: _Vectors) -> _Vectors:
    """The gradient of a third of the sum of the cubes of the moduli."""
    half = vectors.shape[1] // 2
    moduli = np.sqrt(vectors[:, :half] ** 2 + vectors[:, half:] ** 2)
    return np.concatenate([moduli, moduli], axis=1) * vectors
