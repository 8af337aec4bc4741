"""Triples of numbers: subjects, predicates and objects of facts between entities, as columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

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
