"""Mapping of entity types and predicates of a file to the vocabulary of the graph.

A term is mapped to the word of the vocabulary that has this name or label. Any other term is added to the vocabulary if
the caller wants that; if not, an entity type becomes the default type of terms, and a predicate has no counterpart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from keepgraph import store
from keepgraph.engine.exchange.file_survey import Survey
from keepgraph.engine.vocabulary import graph_vocabulary, wordings
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class TermMapping:
    """What a term of the file becomes.

    Attributes:
        term: a term of the vocabulary; None for a predicate without a counterpart.
        how: "same", "synonym", "added" to the vocabulary, or "other" if the vocabulary has no counterpart.
    """

    term: str | None
    how: str


@dataclass(frozen=True, slots=True)
class VocabularyMapping:
    """What the terms of a file become, by the terms as they are in the file.

    Attributes:
        default_type: the entity type where the file names none, or one that has no counterpart.
    """

    entity_types: Mapping[str, TermMapping]
    predicates: Mapping[str, TermMapping]
    default_type: str


def map_vocabulary(tx: Tx, survey: Survey, *, add_terms: bool) -> VocabularyMapping:
    """Map the terms of a file to the vocabulary of the graph."""
    default_type = graph_vocabulary.read(tx).default_type("term")
    return VocabularyMapping(
        {
            term: _map_term(tx, store.vocabulary.ENTITY_TYPE, term, default=default_type, add_terms=add_terms)
            for term in survey.entity_types
        },
        {
            term: _map_term(tx, store.vocabulary.PREDICATE, term, default=None, add_terms=add_terms)
            for term in survey.predicates
        },
        default_type,
    )


def _map_term(tx: Tx, kind: str, term: str, *, default: str | None, add_terms: bool) -> TermMapping:
    name = wordings.spell(term)
    existing = graph_vocabulary.find(tx, kind, term)
    if existing is None and kind == store.vocabulary.ENTITY_TYPE:
        existing = graph_vocabulary.find(tx, kind, name.removesuffix("s"))  # files often name types in the plural
    if existing is not None:
        return TermMapping(existing.name, "same" if existing.name == name else "synonym")
    return TermMapping(name, "added") if add_terms and name else TermMapping(default, "other")
