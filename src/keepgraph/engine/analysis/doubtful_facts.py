"""Facts of a group as triples, and those in doubt: they do not follow from others, where nearly all of their kind do.

Each fact is scored by Horn rules that were mined without it, from four of five folds of the facts. Nothing is pruned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from keepgraph import store
from keepgraph.arrays import horn_rules
from keepgraph.arrays.horn_rules import HornRule, HornRuleModel
from keepgraph.arrays.link_models import Check, Floats, Integers, Mask, Triples
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Predicate
from keepgraph.store.transactions import Tx

# The facts of a group between two entities, as triples of numbers.


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
    rows = store.fact_columns.recorded_between_entities(tx)
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


MAX_DOUBTFUL = 1_000

_FOLDS = 5
_MIN_FACTS_OF_PREDICATE = 20
_IMPLIED = 0.5
"""A fact with this score follows from others."""

_NEARLY_ALL = 0.9
"""Where a smaller share of the facts of a predicate follows, the rules have to say another object of the subject."""

_MIN_NEIGHBOURS = 2
_Z = 1.96


@dataclass(frozen=True, slots=True)
class DoubtfulFact:
    """A fact that does not follow from others, where nearly all facts of its predicate do.

    Attributes:
        fact: its row.
        score: from 0 to 1: the share that follows, times how little this one does.
        share: of the facts of its predicate that follow from others, the lower end of its interval.
    """

    fact: int
    score: float
    share: float


def find(
    graph: GroupTriples, model: HornRuleModel, *, threshold: float, seed: int, max_rows: int, check: Check
) -> tuple[DoubtfulFact, ...]:
    """The facts that do not follow from others where those of their predicate do, most doubtful first.

    A fact at a leaf (an entity with one neighbour) has nothing around it that could support it, and is no evidence.

    Args:
        model: the rules of all facts.
        threshold: the score from which a fact is doubtful, from 0 to 1.
    """
    scores = _scores_by_folds(graph, seed=seed, max_rows=max_rows, check=check)
    neighbours = _count_neighbours(graph.triples)
    is_examined = (neighbours[graph.triples.subjects] >= _MIN_NEIGHBOURS) & (
        neighbours[graph.triples.objects] >= _MIN_NEIGHBOURS
    )
    predicates = graph.triples.predicates
    count = len(graph.predicates)
    examined = np.bincount(predicates[is_examined], minlength=count)
    implied = np.bincount(predicates[is_examined & (scores >= _IMPLIED)], minlength=count)
    shares = np.where(examined >= _MIN_FACTS_OF_PREDICATE, _lower_end(implied, np.maximum(examined, 1)), 0.0)
    doubts = np.where(is_examined, shares[predicates] * (1 - scores), 0.0)
    order = np.lexsort((graph.facts, -doubts))
    chosen = order[doubts[order] >= threshold] if threshold > 0 else order[doubts[order] > 0]
    found = []
    for position in chosen.tolist():
        check()
        share = float(shares[predicates[position]])
        if share >= _NEARLY_ALL or _has_alternative(graph, model, position):
            found.append(DoubtfulFact(int(graph.facts[position]), round(float(doubts[position]), 4), round(share, 4)))
        if len(found) == MAX_DOUBTFUL:
            break
    return tuple(found)


def _has_alternative(graph: GroupTriples, model: HornRuleModel, position: int) -> bool:
    """Whether rules conclude another object instead of that of a fact."""
    triples = graph.triples
    scores = model.score_objects(int(triples.subjects[position]), int(triples.predicates[position]))
    scores[triples.objects[position]] = 0
    return bool(scores.max() >= _IMPLIED)


def _scores_by_folds(graph: GroupTriples, *, seed: int, max_rows: int, check: Check) -> Floats:
    """How surely each fact follows from the other facts, by rules mined from the other folds, from 0 to 1.

    No body of a rule holds by the fact that it concludes, so the rules are applied to all facts.
    """
    folds = np.random.default_rng(seed).permutation(len(graph.triples)) % _FOLDS
    scores = np.zeros(len(graph.triples))
    for fold in range(_FOLDS):
        others = graph.triples.take(folds != fold).with_symmetric(graph.is_symmetric)
        rules = horn_rules.mine(others, symmetric=graph.symmetric, max_rows=max_rows, check=check)
        model = HornRuleModel(graph.both_ways, rules, max_rows=max_rows)
        scores[folds == fold] = model.score(graph.triples.take(folds == fold), check=check)
    return scores


def _count_neighbours(triples: Triples) -> Integers:
    """The number of different neighbours of each entity."""
    pairs = np.concatenate(
        [
            triples.subjects * triples.entity_count + triples.objects,
            triples.objects * triples.entity_count + triples.subjects,
        ]
    )
    unique = np.unique(pairs[np.concatenate([triples.subjects != triples.objects] * 2)])
    return np.bincount(unique // max(triples.entity_count, 1), minlength=triples.entity_count)


def _lower_end(count: Integers, total: Integers) -> Floats:
    """The lower end of the 95 % interval of a share (Wilson, 1927)."""
    share = count / total
    centre = share + _Z**2 / (2 * total)
    spread = _Z * np.sqrt(share * (1 - share) / total + _Z**2 / (4 * total**2))
    return (centre - spread) / (1 + _Z**2 / total)
