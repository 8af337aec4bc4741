"""The words of a graph as definitions, and whether each is as its set ships it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from keepgraph import store
from keepgraph.engine.vocabulary import definitions, graph_vocabulary
from keepgraph.engine.vocabulary.definitions import LabelDefinition, PredicateDefinition, TypeDefinition
from keepgraph.model import EntityType, Predicate, VocabularyLabel, VocabularyTerm
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class StoredWord:
    """A word with everything stored about it.

    Attributes:
        definition: its values, with the labels that came with it.
        added_labels: the labels that it was given later.
        is_as_shipped: whether, apart from its added labels, it is exactly as a set of this program defines it.
    """

    term: VocabularyTerm
    definition: TypeDefinition | PredicateDefinition
    added_labels: tuple[LabelDefinition, ...]
    is_as_shipped: bool


_CACHE_KEY = "stored words"


def read(tx: Tx) -> Mapping[tuple[str, str], StoredWord]:
    """All words of the graph, retired ones too, by kind and name: entity types first, in the order of their rows.

    Reread only when a word or a label has changed.
    """
    cache = graph_vocabulary.cache_of(graph_vocabulary.read(tx).revision)
    labels = store.vocabulary.label_rows(tx)
    cached = cache.get(_CACHE_KEY)
    if cached is None or cached[0] != labels:
        cached = cache[_CACHE_KEY] = labels, _read(tx)
    words: Mapping[tuple[str, str], StoredWord] = cached[1]
    return words


def _read(tx: Tx) -> dict[tuple[str, str], StoredWord]:
    vocabulary = graph_vocabulary.read(tx)
    words: dict[tuple[str, str], StoredWord] = {}
    for kind in store.vocabulary.KINDS:
        labels = store.vocabulary.labels(tx, kind)
        details = store.vocabulary.details(tx, kind)
        shipped = _shipped(frozenset(term.set for term in vocabulary.terms(kind)), kind)
        for term in vocabulary.terms(kind):
            of_term = labels.get(term.row, [])
            definition = _definition(term, _labels(of_term, are_added=False), details.get(term.row, {}))
            is_as_shipped = (
                term.retired_at is None
                and term.replaced_by is None
                and _normalised(definition) == shipped.get((term.set, term.version, term.name))
            )
            words[kind, term.name] = StoredWord(term, definition, _labels(of_term, are_added=True), is_as_shipped)
    return words


def _definition(
    term: VocabularyTerm, labels: tuple[LabelDefinition, ...], details: dict[str, Any]
) -> TypeDefinition | PredicateDefinition:
    if isinstance(term, EntityType):
        return TypeDefinition(
            name=term.name,
            description=term.description,
            style=term.style,
            is_abstract=term.is_abstract,
            parents=term.parents,
            disjoint=term.disjoint,
            labels=labels,
            details=details,
        )
    if isinstance(term, Predicate):
        return PredicateDefinition(
            name=term.name,
            description=term.description,
            role=term.role,
            sources=term.sources,
            targets=term.targets,
            inverse_of=term.inverse_of,
            flags=term.flags,
            literal_kind=term.literal_kind,
            sentence=term.sentence,
            labels=labels,
            details=details,
        )
    raise TypeError(term)


def _labels(labels: Iterable[VocabularyLabel], *, are_added: bool) -> tuple[LabelDefinition, ...]:
    return tuple(
        LabelDefinition(label.language, label.status, label.label) for label in labels if label.is_added == are_added
    )


@cache
def _shipped(set_names: frozenset[str], kind: str) -> dict[tuple[str, str, str], TypeDefinition | PredicateDefinition]:
    """The definitions of these sets that come with this program, by set, version and name."""
    shipped: dict[tuple[str, str, str], TypeDefinition | PredicateDefinition] = {}
    for name in set_names & set(definitions.shipped_names()):
        of_set = definitions.shipped(name)
        if kind == store.vocabulary.PREDICATE:
            shipped |= {(name, of_set.version, word.name): _normalised(word) for word in of_set.predicates}
            continue
        # Of two disjoint types only one says so in a set, but both do in a graph.
        disjoint: dict[str, set[str]] = {word.name: set(word.disjoint) for word in of_set.types}
        for word in of_set.types:
            for other in word.disjoint:
                disjoint.setdefault(other, set()).add(word.name)
        shipped |= {
            (name, of_set.version, word.name): _normalised(replace(word, disjoint=tuple(disjoint[word.name])))
            for word in of_set.types
        }
    return shipped


def _normalised(word: TypeDefinition | PredicateDefinition) -> TypeDefinition | PredicateDefinition:
    """A definition with unordered parts sorted, each label once, and details as a graph holds them."""
    labels = {(label.language, label.text): label for label in reversed(word.labels)}
    common: dict[str, Any] = {
        "labels": tuple(label for label in word.labels if labels[label.language, label.text] is label),
        "details": {name: value for name, value in word.details.items() if value},
    }
    if isinstance(word, TypeDefinition):
        return replace(word, parents=tuple(sorted(word.parents)), disjoint=tuple(sorted(word.disjoint)), **common)
    return replace(word, sources=tuple(sorted(set(word.sources))), targets=tuple(sorted(set(word.targets))), **common)
