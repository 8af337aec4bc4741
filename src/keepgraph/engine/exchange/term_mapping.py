"""Mapping of entity types and predicates of a file to the vocabulary of the graph.

A term is mapped to the term of the vocabulary with the same spelling, else to the one that it is a synonym of. Any
other term is added to the vocabulary if the caller wants that; if not, an entity type becomes `concept`, and a
predicate has no counterpart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from keepgraph import store
from keepgraph.engine.exchange.file_survey import Survey
from keepgraph.model import VocabularyTerm
from keepgraph.store.transactions import Tx

DEFAULT_TYPE = "concept"
_MAX_TERM_LENGTH = 100

_SYNONYMS = {
    store.vocabulary.ENTITY_TYPE: {
        "person": ("people", "persons", "human", "human_being"),
        "project": ("projects",),
        "decision": ("decisions",),
        "concept": ("concepts", "idea", "ideas"),
        "source": ("sources",),
    },
    store.vocabulary.PREDICATE: {
        "belongs_to": ("part_of", "is_part_of"),
        "blocked_by": ("is_blocked_by",),
        "depends_on": ("is_dependent_on", "requires", "needs"),
        "mentioned_in": ("is_mentioned_in",),
        "reports_to": ("reporting_to",),
        "resolved_by": ("is_resolved_by",),
        "tagged": ("has_tag", "tagged_with", "is_tagged"),
    },
}
"""Terms with exactly the meaning of a term of the vocabulary, by that term, normalised."""


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
    """What the terms of a file become, by the terms as they are in the file."""

    entity_types: Mapping[str, TermMapping]
    predicates: Mapping[str, TermMapping]


def map_vocabulary(
    survey: Survey, vocabulary: Mapping[str, Sequence[VocabularyTerm]], *, add_terms: bool
) -> VocabularyMapping:
    """Map the terms of a file to a vocabulary, which is given by kind of term."""
    return VocabularyMapping(
        {
            term: _map_term(term, store.vocabulary.ENTITY_TYPE, vocabulary, add_terms=add_terms)
            for term in survey.entity_types
        },
        {
            term: _map_term(term, store.vocabulary.PREDICATE, vocabulary, add_terms=add_terms)
            for term in survey.predicates
        },
    )


def read_vocabulary(tx: Tx) -> dict[str, list[VocabularyTerm]]:
    """The vocabulary of the graph, by kind of term."""
    return {kind: store.vocabulary.terms(tx, kind) for kind in store.vocabulary.KINDS}


def _map_term(
    term: str, kind: str, vocabulary: Mapping[str, Sequence[VocabularyTerm]], *, add_terms: bool
) -> TermMapping:
    existing = {vocabulary_term.name for vocabulary_term in vocabulary[kind]}
    name = _normalise_term(term)
    if name in existing:
        return TermMapping(name, "same")
    for vocabulary_term, synonyms in _SYNONYMS[kind].items():
        if name in synonyms and vocabulary_term in existing:
            return TermMapping(vocabulary_term, "synonym")
    if add_terms and name:
        return TermMapping(name, "added")
    return TermMapping(DEFAULT_TYPE if kind == store.vocabulary.ENTITY_TYPE else None, "other")


def _normalise_term(term: str) -> str:
    """A term in the spelling of the vocabulary: `Works at` and `worksAt` become `works_at`."""
    separated = re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])", "_", unicodedata.normalize("NFKC", term))
    return re.sub(r"[\W_]+", "_", separated.casefold()).strip("_")[:_MAX_TERM_LENGTH].rstrip("_")
