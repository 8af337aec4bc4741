"""Entity types and predicates as callers write them: research_paper, ResearchPaper, RESEARCH_PAPER."""

from __future__ import annotations

import re
from collections.abc import Sequence

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.query import graph_catalogue
from keepgraph.model import VocabularyTerm
from keepgraph.store.transactions import Tx

_ANY_TYPE = "entity"


def entity_types(tx: Tx, names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Entity types as the vocabulary spells them; None for any. Labels are accepted too: SafetyRecommendation.

    Raises:
        errors.EntityTypeUnknown: one is not in the vocabulary.
    """
    if not names or any(_letters(name) == _ANY_TYPE for name in names):
        return None
    terms = store.vocabulary.terms(tx, store.vocabulary.ENTITY_TYPE)
    return tuple(_find(name, terms) or _raise_unknown_type(name, terms) for name in names)


def predicates(tx: Tx, names: Sequence[str] | None) -> tuple[str, ...] | None:
    """Predicates as the vocabulary spells them; None for any. Relationship types are accepted too: STEMS_FROM.

    Raises:
        errors.PredicateUnknown: one is not in the vocabulary.
    """
    if not names:
        return None
    terms = store.vocabulary.terms(tx, store.vocabulary.PREDICATE)
    return tuple(_find(name, terms) or _raise_unknown_predicate(name, terms) for name in names)


def _find(name: str, terms: Sequence[VocabularyTerm]) -> str | None:
    """The word of the vocabulary for a name in any spelling; None if there is none."""
    for term in terms:
        if name in (term.name, graph_catalogue.label(term.name), graph_catalogue.relationship_type(term.name)):
            return term.name
    return next((term.name for term in terms if _letters(term.name) == _letters(name)), None)


def _letters(word: str) -> str:
    return "".join(c for c in word.casefold() if c.isalnum())


def _raise_unknown_type(name: str, terms: Sequence[VocabularyTerm]) -> str:
    raise errors.EntityTypeUnknown(
        f"{name[:60]!r} is not an entity type",
        hint=f"Use one of {', '.join(term.name for term in terms)}.",
        candidates=knowledge.entities.similar_words(_snake_case(name), terms),
    )


def _raise_unknown_predicate(name: str, terms: Sequence[VocabularyTerm]) -> str:
    raise errors.PredicateUnknown(
        f"{name[:60]!r} is not a predicate",
        hint=f"Use one of {', '.join(term.name for term in terms)}.",
        candidates=knowledge.entities.similar_words(_snake_case(name), terms),
    )


def _snake_case(word: str) -> str:
    """safety_recommendation, for SafetyRecommendation."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", word[:100]).casefold()
