"""Sets and words that the settings of a graph declare: what a new graph begins with, and what an existing one lacks."""

from __future__ import annotations

from typing import Any, TypeAlias

from keepgraph import store
from keepgraph.engine.vocabulary import definitions, graph_vocabulary, sets, wordings
from keepgraph.engine.vocabulary.definitions import SetDefinition
from keepgraph.model import DeclaredVocabulary
from keepgraph.store.transactions import Tx

Problem: TypeAlias = tuple[tuple[str, ...], str]
"""What is wrong in a declaration: the place in it, such as types, engineer, style; and a message."""

_REFERENCES = {"types": ("parents", "disjoint"), "predicates": ("sources", "targets")}


def find_problem(declared: DeclaredVocabulary) -> Problem | None:
    """The first place where a declaration does not fit the schema of sets, or names a set that does not exist."""
    shipped = definitions.shipped_names()
    for name in declared.sets or ():
        if name not in (*shipped, sets.CORE):
            return ("sets",), f"there is no vocabulary set {name[:60]!r}; there are {', '.join(shipped)}"
    return definitions.find_problem(_document(declared)) if declared.types or declared.predicates else None


def find_unknown_type(tx: Tx, declared: DeclaredVocabulary) -> Problem | None:
    """The first place where a word names a type that neither the declaration nor the graph has, after its sets."""
    known = {*declared.types, *graph_vocabulary.read(tx).type_by_name}
    for name in _set_names(declared, is_new=True):
        known |= {word.name for word in definitions.shipped(name).types}
    for group, fields in _REFERENCES.items():
        words: dict[str, Any] = _document(declared)[group]
        for word, values in words.items():
            for field in fields:
                for name in values.get(field, ()):
                    if name not in known:
                        return (group, word, field), f"{word} names the type {name!r}, which does not exist"
    return None


def add_to_new_graph(tx: Tx, declared: DeclaredVocabulary) -> None:
    """Add the declared sets, or those of every new graph, and the declared words."""
    for name in _set_names(declared, is_new=True):
        sets.add(tx, definitions.shipped(name))
    _add_words(tx, declared)


def is_missing(tx: Tx, declared: DeclaredVocabulary) -> bool:
    """Whether the graph lacks a declared set or word. A word that was retired or merged into another is not missing."""
    return bool(_missing_sets(tx, declared)) or bool(_missing_words(tx, declared))


def add_missing(tx: Tx, declared: DeclaredVocabulary) -> None:
    """Add the declared sets and words that the graph lacks."""
    for name in _missing_sets(tx, declared):
        sets.add(tx, definitions.shipped(name))
    _add_words(tx, declared)


def _add_words(tx: Tx, declared: DeclaredVocabulary) -> None:
    missing = _missing_words(tx, declared)
    if missing:
        definition = _definition(declared)
        words = SetDefinition(
            name=sets.OWN,
            version=sets.OWN_VERSION,
            types=tuple(word for word in definition.types if (store.vocabulary.ENTITY_TYPE, word.name) in missing),
            predicates=tuple(
                word for word in definition.predicates if (store.vocabulary.PREDICATE, word.name) in missing
            ),
        )
        sets.add(tx, words)


def _missing_sets(tx: Tx, declared: DeclaredVocabulary) -> list[str]:
    known = {of_set.name for of_set in graph_vocabulary.read(tx).sets}
    return [name for name in _set_names(declared, is_new=False) if name not in known]


def _missing_words(tx: Tx, declared: DeclaredVocabulary) -> set[tuple[str, str]]:
    if not declared.types and not declared.predicates:
        return set()
    definition = _definition(declared)
    vocabulary = graph_vocabulary.read(tx)
    words = [
        *((store.vocabulary.ENTITY_TYPE, word.name) for word in definition.types),
        *((store.vocabulary.PREDICATE, word.name) for word in definition.predicates),
    ]
    return {
        (kind, name) for kind, name in words if vocabulary.term(kind, name) is None and not _was_merged(tx, kind, name)
    }


def _was_merged(tx: Tx, kind: str, name: str) -> bool:
    """Whether a name was made a label of another word."""
    key = wordings.key(name)
    labels = store.vocabulary.labels(tx, kind, store.vocabulary.find_by_label(tx, kind, key))
    return any(label.is_added and wordings.key(label.label) == key for of_word in labels.values() for label in of_word)


def _set_names(declared: DeclaredVocabulary, *, is_new: bool) -> list[str]:
    default = sets.IN_NEW_GRAPHS if is_new else ()
    return [name for name in (default if declared.sets is None else declared.sets) if name != sets.CORE]


def _definition(declared: DeclaredVocabulary) -> SetDefinition:
    return definitions.from_document(_document(declared))


def _document(declared: DeclaredVocabulary) -> dict[str, Any]:
    return {
        "name": sets.OWN,
        "version": sets.OWN_VERSION,
        "types": dict(declared.types),
        "predicates": dict(declared.predicates),
    }
