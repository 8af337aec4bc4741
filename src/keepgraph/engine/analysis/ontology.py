"""The vocabulary as an ontology: entity classes and relationship classes, with labels, descriptions and usage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from keepgraph import store
from keepgraph.engine.query import graph_catalogue
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.model import EntityType, Predicate, VocabularyLabel
from keepgraph.store.transactions import Tx

# Usage of the vocabulary: how many entities each type has, and which types the facts of each predicate connect.


def of_graph(tx: Tx) -> Usage:
    """The usage of the vocabulary in the group of the call, by the facts that hold at its instant."""
    vocabulary = graph_vocabulary.read(tx)
    return store.graph_statistics.cached(tx, ("usage", vocabulary.revision), lambda: _count(tx, vocabulary))


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
    type_names = {term.row: term.name for term in vocabulary.types}
    patterns: dict[str, list[Pattern]] = defaultdict(list)
    for predicate, source, target, count in store.graph_statistics.count_patterns(tx):
        patterns[vocabulary.predicate_by_row[predicate].name].append(
            Pattern(type_names[source], None if target is None else type_names[target], count)
        )
    for connected in patterns.values():
        connected.sort(key=lambda pattern: (-pattern.count, pattern.source, pattern.target or ""))
    return Usage(
        vocabulary,
        store.entities.count_by_type(tx),
        dict(patterns),
        {vocabulary.predicate_by_row[row].name: count for row, count in store.profiling.count_ends(tx).items()},
    )


CLASS = "class"
ABSTRACT_CLASS = "abstract_class"
RELATIONSHIP_CLASS = "relationship_class"

_HIDDEN = "hidden"


def read(tx: Tx) -> Ontology:
    """The ontology of the graph. A predicate and its inverse are one class, that under which facts are stored."""
    return tx.cached("ontology", lambda: _read(tx))


@dataclass(frozen=True, slots=True)
class Inverse:
    """A predicate that says the same as another one with the ends swapped."""

    term: Predicate
    labels: tuple[VocabularyLabel, ...] = ()


@dataclass(frozen=True, slots=True)
class OntologyClass:
    """An entity type or a predicate, with what people read of it.

    Attributes:
        position: its number in the ontology.
        labels: its wordings in any language.
        details: examples, notation and URI, where there are any.
    """

    position: int
    term: EntityType | Predicate
    labels: tuple[VocabularyLabel, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    inverses: tuple[Inverse, ...] = ()

    @property
    def id(self) -> str:
        """Which class it is: a type and a predicate may have one name."""
        return f"{self.term.kind}:{self.term.name}"

    @property
    def ontology_type(self) -> str:
        if isinstance(self.term, Predicate):
            return RELATIONSHIP_CLASS
        return ABSTRACT_CLASS if self.term.is_abstract else CLASS

    @property
    def cypher_name(self) -> str:
        """The class in a query: a label or a relationship type."""
        if isinstance(self.term, Predicate):
            return graph_catalogue.relationship_type(self.term.name)
        return graph_catalogue.label(self.term.name)

    @property
    def words(self) -> str:
        """Its name as people write it: `works at`."""
        return graph_vocabulary.wording_key(self.term.name)

    @property
    def shown_labels(self) -> tuple[str, ...]:
        """Its other wordings, each once, except those meant only for search."""
        return tuple(text for text in shown(self.labels) if text != self.term.name)

    @property
    def notation(self) -> str:
        """Its code in a classification: `SCF-NP`; empty if it has none."""
        return str(self.details.get("notation", ""))


@dataclass(frozen=True)
class Ontology:
    """The classes of a vocabulary: entity classes, then relationship classes, in the order in which they were added."""

    vocabulary: Vocabulary
    classes: tuple[OntologyClass, ...]

    @cached_property
    def by_id(self) -> Mapping[str, OntologyClass]:
        """The classes by their ids; an inverse predicate is the class of its facts."""
        classes = {entry.id: entry for entry in self.classes}
        for entry in self.classes:
            for inverse in entry.inverses:
                classes[f"{store.vocabulary.PREDICATE}:{inverse.term.name}"] = entry
        return classes

    @cached_property
    def entity_classes(self) -> tuple[OntologyClass, ...]:
        return tuple(entry for entry in self.classes if entry.ontology_type != RELATIONSHIP_CLASS)

    @cached_property
    def relationship_classes(self) -> tuple[OntologyClass, ...]:
        return tuple(entry for entry in self.classes if entry.ontology_type == RELATIONSHIP_CLASS)

    @cached_property
    def children(self) -> Mapping[str, tuple[str, ...]]:
        """By type, the types that it is a direct parent of."""
        children: dict[str, list[str]] = {}
        for term in self.vocabulary.types:
            for parent in term.parents:
                children.setdefault(parent, []).append(term.name)
        return {parent: tuple(names) for parent, names in children.items()}

    def entity_class(self, name: str) -> OntologyClass:
        return self.by_id[f"{store.vocabulary.ENTITY_TYPE}:{name}"]


def shown(labels: Sequence[VocabularyLabel]) -> list[str]:
    """The texts of labels, each once, except those meant only for search."""
    return list(dict.fromkeys(label.label for label in labels if label.status != _HIDDEN))


def most_used_first(entries: Sequence[OntologyClass], used: Usage) -> list[OntologyClass]:
    """Classes by how often they are used, retired ones last, equal ones in their own order."""
    return sorted(entries, key=lambda entry: (entry.term.retired_at is not None, -count(entry, used), entry.position))


def count(entry: OntologyClass, used: Usage) -> int:
    """How many entities are of a class or of a subclass, or how many facts are of it."""
    if isinstance(entry.term, Predicate):
        return used.count_facts(entry.term.name)
    return used.count_entities(entry.term.name)


def _read(tx: Tx) -> Ontology:
    vocabulary = graph_vocabulary.read(tx)
    classes: list[OntologyClass] = []
    inverses: dict[str, list[Inverse]] = defaultdict(list)
    for kind, terms in (
        (store.vocabulary.ENTITY_TYPE, vocabulary.types),
        # Inverses come before the predicates whose facts they say.
        (store.vocabulary.PREDICATE, sorted(vocabulary.predicates, key=lambda term: term.inverse_of is None)),
    ):
        labels, details = store.vocabulary.labels(tx, kind), store.vocabulary.details(tx, kind)
        for term in terms:
            of_term = tuple(labels.get(term.row, ()))
            if isinstance(term, Predicate) and term.inverse_of is not None:
                inverses[term.inverse_of].append(Inverse(term, of_term))
                continue
            others = tuple(inverses[term.name]) if isinstance(term, Predicate) else ()
            classes.append(OntologyClass(len(classes), term, of_term, details.get(term.row, {}), others))
    return Ontology(vocabulary, tuple(classes))
