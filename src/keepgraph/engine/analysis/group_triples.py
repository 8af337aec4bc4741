"""The facts of a group between two entities, as triples of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from keepgraph import store
from keepgraph.arrays.horn_rules import HornRule
from keepgraph.arrays.link_models import Integers, Mask, Triples
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Predicate
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps


@dataclass(frozen=True)
class GroupTriples:
    """The facts of a group between entities, as triples.

    Attributes:
        facts: the rows of the facts that hold.
        triples: these facts, in the same order.
        recorded: the second of 1970 in which each was recorded.
        known: all triples ever recorded, retracted and ended ones too; these are not suggested.
        entities: the row of each entity, by its number.
        predicates: each predicate, by its number.
    """

    facts: Integers
    triples: Triples
    recorded: Integers
    known: Triples
    entities: Integers
    predicates: tuple[Predicate, ...]

    @property
    def is_symmetric(self) -> Mask:
        return np.array(["symmetric" in predicate.flags for predicate in self.predicates], dtype=bool)

    @property
    def symmetric(self) -> frozenset[int]:
        """The numbers of symmetric predicates."""
        return frozenset(np.flatnonzero(self.is_symmetric).tolist())

    @cached_property
    def both_ways(self) -> Triples:
        """The facts that hold, those of symmetric predicates in both directions."""
        return self.triples.with_symmetric(self.is_symmetric)

    @cached_property
    def known_both_ways(self) -> Triples:
        """All triples that were ever recorded, those of symmetric predicates in both directions."""
        return self.known.with_symmetric(self.is_symmetric)

    @cached_property
    def _positions(self) -> Mapping[tuple[int, int, int], int]:
        columns = (self.triples.subjects.tolist(), self.triples.predicates.tolist(), self.triples.objects.tolist())
        return {triple: position for position, triple in enumerate(zip(*columns, strict=True))}

    def body_facts(self, rule: HornRule, subject: int, object: int) -> tuple[int, ...]:
        """The rows of facts with which the body of a rule holds for two entities, by their numbers; one each atom."""
        atoms = rule.body
        if len(atoms) == 1:
            steps = [(subject, atoms[0], object)]
        else:
            middles = np.intersect1d(self._ends(subject, *atoms[0]), self._ends(object, atoms[1][0], not atoms[1][1]))
            middles = middles[(middles != subject) & (middles != object)]
            if not len(middles):
                return ()
            middle = int(middles[0])
            steps = [(subject, atoms[0], middle), (middle, atoms[1], object)]
        return tuple(self._row(start, *atom, end) for start, atom, end in steps)

    def _ends(self, start: int, predicate: int, is_inverse: bool) -> Integers:
        if is_inverse:
            return self.both_ways.subjects_of(predicate, start)
        return self.both_ways.objects_of(start, predicate)

    def _row(self, start: int, predicate: int, is_inverse: bool, end: int) -> int:
        subject, target = (end, start) if is_inverse else (start, end)
        position = self._positions.get((subject, predicate, target))
        if position is None:  # of a symmetric predicate, recorded the other way
            position = self._positions[target, predicate, subject]
        return int(self.facts[position])


def read(tx: Tx) -> GroupTriples:
    """The facts of the group between two entities."""
    rows = store.fact_columns.recorded_between_entities(tx, at=timestamps.from_datetime(tx.now))
    columns = np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, 6)
    ends = np.concatenate([columns[:, 1], columns[:, 2]])
    entities, numbers = np.unique(ends, return_inverse=True)
    subjects, objects = numbers[: len(columns)], numbers[len(columns) :]
    predicate_rows, predicates = np.unique(columns[:, 3], return_inverse=True)
    by_row = graph_vocabulary.read(tx).predicate_by_row
    known = Triples(subjects, predicates, objects, len(entities), len(predicate_rows))
    holds = columns[:, 5] == 1
    return GroupTriples(
        facts=columns[holds, 0],
        triples=known.take(holds),
        recorded=columns[holds, 4],
        known=known,
        entities=entities,
        predicates=tuple(by_row[row] for row in predicate_rows.tolist()),
    )
