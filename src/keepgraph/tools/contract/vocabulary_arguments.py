"""Filters by entity types and predicates, as callers write them: research_paper, ResearchPaper, paper, STEMS_FROM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from keepgraph import errors, store
from keepgraph.engine.vocabulary import graph_vocabulary, near_words, wordings
from keepgraph.model import VocabularyTerm
from keepgraph.store.transactions import Tx

_ANY_TYPE = "entity"


def entity_types(tx: Tx, names: Sequence[str] | None) -> tuple[str, ...] | None:
    """The entity types that a filter names, with their subtypes; None for any.

    They are named in any spelling, or by a label of the vocabulary.

    Raises:
        errors.EntityTypeUnknown: one is not in the vocabulary.
    """
    if not names or any(_letters(name) == _ANY_TYPE for name in names):
        return None
    terms = [_find(tx, store.vocabulary.ENTITY_TYPE, name) for name in names]
    return graph_vocabulary.read(tx).with_subtypes(
        name for term in terms for name in (term.name, term.replaced_by) if name is not None
    )


def predicates(tx: Tx, names: Sequence[str] | None) -> tuple[str, ...] | None:
    """The predicates that a filter names, for an inverse the one under which its facts are stored; None for any.

    They are named in any spelling, or by a label of the vocabulary.

    Raises:
        errors.PredicateUnknown: one is not in the vocabulary.
    """
    if not names:
        return None
    vocabulary = graph_vocabulary.read(tx)
    stored: dict[str, None] = {}
    for name in names:
        term = _find(tx, store.vocabulary.PREDICATE, name)
        for word in (term.name, term.replaced_by):
            if word is not None:
                stored[vocabulary.predicate_by_name[word].inverse_of or word] = None
    return tuple(stored)


def is_inverse(tx: Tx, name: str) -> bool:
    """Whether a name is that of a predicate under which nothing is stored: the inverse of another."""
    term = _find_or_none(tx, store.vocabulary.PREDICATE, name)
    return term is not None and graph_vocabulary.read(tx).predicate_by_name[term.name].inverse_of is not None


_UNKNOWN: Mapping[str, tuple[type[errors.KeepgraphError], str]] = {
    store.vocabulary.ENTITY_TYPE: (errors.EntityTypeUnknown, "an entity type"),
    store.vocabulary.PREDICATE: (errors.PredicateUnknown, "a predicate"),
}


def _find(tx: Tx, kind: str, name: str) -> VocabularyTerm:
    """The word for a name in any spelling, or for a label."""
    if term := _find_or_none(tx, kind, name):
        return term
    error, noun = _UNKNOWN[kind]
    raise error(
        f"{near_words.quote(name)} is not {noun}",
        hint=near_words.describe_nearest(tx, kind, near_words.nearest(tx, kind, name)),
        candidates=near_words.similar(tx, kind, name),
    )


def _find_or_none(tx: Tx, kind: str, name: str) -> VocabularyTerm | None:
    if term := graph_vocabulary.find(tx, kind, name) or graph_vocabulary.find(tx, kind, wordings.singular(name)):
        return term
    letters = _letters(name)
    return next((term for term in graph_vocabulary.read(tx).terms(kind) if _letters(term.name) == letters), None)


def _letters(word: str) -> str:
    return "".join(c for c in word.casefold() if c.isalnum())
