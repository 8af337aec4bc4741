"""Usage of the vocabulary: how many entities each type has, and which types the facts of each predicate connect."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from keepgraph import store
from keepgraph.engine.analysis import timed_cache
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps


def of_graph(tx: Tx) -> Usage:
    """The usage of the vocabulary in the group of the call, by the facts that hold at its instant."""
    vocabulary = graph_vocabulary.read(tx)
    return timed_cache.get(tx, ("usage", vocabulary.revision), lambda: _count(tx, vocabulary))


@dataclass(frozen=True, slots=True)
class Pattern:
    """How many facts of one predicate lead from one type to another; None as the target is a literal."""

    source: str
    target: str | None
    count: int


@dataclass(frozen=True)
class Usage:
    """The usage of a vocabulary; words are given by their names.

    Attributes:
        entities: by type, how many entities have it themselves.
        patterns: by predicate, what its facts connect, most frequent first.
        subjects: by predicate, how many entities are subjects of its facts.
    """

    vocabulary: Vocabulary
    entities: Mapping[str, int]
    patterns: Mapping[str, Sequence[Pattern]]
    subjects: Mapping[str, int]

    def count_entities(self, entity_type: str) -> int:
        """How many entities are of a type or of one of its subtypes."""
        return self._entities_with_subtypes.get(entity_type, 0)

    def count_facts(self, predicate: str) -> int:
        return sum(pattern.count for pattern in self.patterns.get(predicate, ()))

    def outside_ends(self, predicate: str) -> list[Pattern]:
        """What the facts of a predicate connect besides the types that are declared for its ends."""
        term = self.vocabulary.predicate_by_name[predicate]
        return [
            pattern
            for pattern in self.patterns.get(predicate, ())
            if not self.vocabulary.fits_side(term.sources, pattern.source)
            or (pattern.target is not None and not self.vocabulary.fits_side(term.targets, pattern.target))
            or (pattern.target is not None and term.literal_kind is not None)
            or (pattern.target is None and bool(term.targets) and term.literal_kind is None)
        ]

    @cached_property
    def _entities_with_subtypes(self) -> Mapping[str, int]:
        counts: dict[str, int] = defaultdict(int)
        for name, count in self.entities.items():
            if count:
                for kind in (name, *self.vocabulary.ancestors(name)):
                    counts[kind] += count
        return counts


def _count(tx: Tx, vocabulary: Vocabulary) -> Usage:
    at = timestamps.from_datetime(tx.now)
    type_names = {term.row: term.name for term in vocabulary.types}
    patterns: dict[str, list[Pattern]] = defaultdict(list)
    for predicate, source, target, count in store.graph_statistics.count_patterns(tx, at=at):
        patterns[vocabulary.predicate_by_row[predicate].name].append(
            Pattern(type_names[source], None if target is None else type_names[target], count)
        )
    for connected in patterns.values():
        connected.sort(key=lambda pattern: (-pattern.count, pattern.source, pattern.target or ""))
    return Usage(
        vocabulary,
        store.entities.count_by_type(tx),
        dict(patterns),
        {
            vocabulary.predicate_by_row[row].name: count
            for row, count in store.profiling.count_subjects(tx, at=at).items()
        },
    )
