"""Evaluation of link prediction: filtered ranks of held-out triples, with bootstrap intervals.

The protocol is that of A. Bordes et al., "Translating Embeddings for Modeling Multi-relational Data", NeurIPS 2013: for
each triple the missing object, and then the missing subject, is ranked among all entities without those that are known
to be right too. Entities with equal scores share the mean of their ranks, so that a model which says nothing gains
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from keepgraph.arrays.link_prediction.triples import Check, Floats, Integers, Model, Triples

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
