"""The structure of an ontology: its classes, filtered and most used first, with how many there are of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keepgraph import errors
from keepgraph.engine.analysis import ontology, usage, word_index
from keepgraph.engine.analysis.ontology import Ontology, OntologyClass
from keepgraph.engine.analysis.usage import Usage
from keepgraph.model import VocabularySet
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class SetSize:
    """A set of the vocabulary, with the number of its classes."""

    set: VocabularySet
    entity_classes: int
    relationship_classes: int


@dataclass(frozen=True, slots=True)
class OntologyStructure:
    """The classes that fit a filter, cut to a limit, and how many fit it."""

    usage: Usage
    sets: tuple[SetSize, ...]
    entity_classes: tuple[OntologyClass, ...]
    relationship_classes: tuple[OntologyClass, ...]
    entity_total: int
    relationship_total: int


def read(tx: Tx, *, query: str, set_name: str | None, only_used: bool, limit: int) -> OntologyStructure:
    """The classes of the ontology, most used first and retired ones last.

    Args:
        query: the beginnings of words of their names, labels or codes; empty for any.
        set_name: the set that they are of.
        only_used: those alone that have an entity or a fact.
        limit: the most of each of the two kinds.

    Raises:
        errors.VocabularySetUnknown: the vocabulary has no such set.
    """
    classes = ontology.read(tx)
    used = usage.of_graph(tx)
    _check_set(classes, set_name)
    index = word_index.of_ontology(tx)

    def fitting(entries: Sequence[OntologyClass]) -> list[OntologyClass]:
        return ontology.most_used_first(
            [
                entry
                for entry in entries
                if (set_name is None or entry.term.set == set_name)
                and (not only_used or ontology.count(entry, used))
                and (not query or index.has_all_tokens(entry.position, query))
            ],
            used,
        )

    entity_classes, relationship_classes = fitting(classes.entity_classes), fitting(classes.relationship_classes)
    return OntologyStructure(
        used,
        _sets(classes, set_name),
        tuple(entity_classes[:limit]),
        tuple(relationship_classes[:limit]),
        len(entity_classes),
        len(relationship_classes),
    )


def _check_set(classes: Ontology, set_name: str | None) -> None:
    names = [candidate.name for candidate in classes.vocabulary.sets if candidate.retired_at is None]
    if set_name is not None and set_name not in names:
        raise errors.VocabularySetUnknown(
            f"this graph has no vocabulary set {set_name[:60]!r}", hint=f"It has {', '.join(names)}."
        )


def _sets(classes: Ontology, set_name: str | None) -> tuple[SetSize, ...]:
    return tuple(
        SetSize(
            candidate,
            sum(1 for entry in classes.entity_classes if entry.term.set == candidate.name),
            sum(1 for entry in classes.relationship_classes if entry.term.set == candidate.name),
        )
        for candidate in classes.vocabulary.sets
        if candidate.retired_at is None and set_name in (None, candidate.name)
    )
