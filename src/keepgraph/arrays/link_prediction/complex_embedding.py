"""ComplEx: entities and predicates as complex vectors, a triple as likely as the real part of their product is large.

Sources: T. Trouillon et al., "Complex Embeddings for Simple Link Prediction", ICML 2016; T. Lacroix, N. Usunier,
G. Obozinski, "Canonical Tensor Decomposition for Knowledge Base Completion", ICML 2018, for the predicates read
backwards, the loss over all entities and the N3 penalty. Adagrad, in numpy, with single precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from keepgraph.arrays.link_prediction.triples import Check, Floats, Integers, Triples

DIMENSIONS = 64
"""Complex ones; each takes two numbers."""

MAX_WORK = 10_000_000
"""Triples times entities: more takes minutes on one core. Graphs of that size are too sparse for it anyway."""

_EPOCHS = 30
_BATCH = 256
_LEARNING_RATE = 0.1
_PENALTY = 1e-3
_SCALE = 0.2
"""Of the first vectors."""

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class ComplexModel:
    """Vectors, with the real parts in the first half of the columns and the imaginary parts in the second.

    Attributes:
        entities: by the number of an entity.
        predicates: by the number of a predicate; then the same again, for reading them from object to subject.
    """

    entities: Vectors
    predicates: Vectors

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
    return len(triples) * triples.entity_count <= MAX_WORK


def fit(
    triples: Triples, *, seed: int, dimensions: int = DIMENSIONS, epochs: int = _EPOCHS, check: Check = lambda: None
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


def _random(generator: np.random.Generator, count: int, dimensions: int) -> Vectors:
    return (generator.standard_normal((count, 2 * dimensions)) * _SCALE).astype(np.float32)


def _gradients(
    entities: Vectors, predicates: Vectors, starts: Integers, relations: Integers, ends: Integers
) -> tuple[Vectors, Vectors]:
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


def _multiply(left: Vectors, right: Vectors) -> Vectors:
    half = left.shape[1] // 2
    a, b, c, d = left[:, :half], left[:, half:], right[:, :half], right[:, half:]
    return np.concatenate([a * c - b * d, a * d + b * c], axis=1)


def _conjugate(vectors: Vectors) -> Vectors:
    half = vectors.shape[1] // 2
    return np.concatenate([vectors[:, :half], -vectors[:, half:]], axis=1)


def _penalise(vectors: Vectors) -> Vectors:
    """The gradient of a third of the sum of the cubes of the moduli."""
    half = vectors.shape[1] // 2
    moduli = np.sqrt(vectors[:, :half] ** 2 + vectors[:, half:] ** 2)
    return np.concatenate([moduli, moduli], axis=1) * vectors
