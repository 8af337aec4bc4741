"""Popularity: an entity is as likely at one end of a predicate as it is frequent there. What others have to beat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from keepgraph.arrays.link_prediction.triples import Floats, Integers, Triples


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
