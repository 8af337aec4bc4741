"""Sets and words that the settings of a graph declare: a new graph begins with them, an existing one may lack some."""

from __future__ import annotations

from typing import Any, TypeAlias

from keepgraph import store
from keepgraph.engine.vocabulary import changes, definitions, graph_vocabulary, sets
from keepgraph.engine.vocabulary.definitions import SetDefinition
from keepgraph.model import DeclaredVocabulary, VocabularyTerm
from keepgraph.store.transactions import Tx

Problem: TypeAlias = tuple[tuple[str, ...], str]
"""A fault in a declaration: its place, such as types, engineer, style; and a message."""

_REFERENCES = {"types": ("parents", "disjoint"), "predicates": ("sources", "targets")}


def find_problem(declared: DeclaredVocabulary) -> Problem | None:
    """The first place where a declaration does not fit the schema of sets, or names a set that does not exist."""
    shipped = definitions.shipped_names()
    for name in declared.sets or ():
        if name not in (*shipped, sets.CORE):
            return ("sets",), f"there is no vocabulary set {name[:60]!r}; there are {', '.join(shipped)}"
    return definitions.find_problem(_document(declared)) if declared.types or declared.predicates else None


def find_unknown_type(tx: Tx, declared: DeclaredVocabulary) -> Problem | None:
    """The first place where a word names a type that neither the declaration with its sets nor the graph has."""
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


def find_dropped(tx: Tx, declared: DeclaredVocabulary) -> Problem | None:
    """The first declared value of a word that another set of the graph already has with a different value."""
    shipped = {sets.CORE, *definitions.shipped_names()}
    for kind, group in (
        (store.vocabulary.ENTITY_TYPE, declared.types),
        (store.vocabulary.PREDICATE, declared.predicates),
    ):
        for name, values in group.items():
            term = graph_vocabulary.read(tx).term(kind, name)
            if term is None or term.set not in shipped or term.retired_at is not None:
                continue
            for field, value in values.items():
                if not _has_value(tx, term, field, value):
                    table = "types" if kind == store.vocabulary.ENTITY_TYPE else "predicates"
                    return (table, name, field), (
                        f"{name} belongs to the set {term.set}, and is declared with another value of {field}: only "
                        f"words of your own are declared here; `kg vocabulary change {name}` changes one of a set"
                    )
    return None


def _has_value(tx: Tx, term: VocabularyTerm, field: str, value: Any) -> bool:
    if field not in ("alternative", "labels"):
        return changes.is_value_of(tx, term, field, value)
    definition = definitions.type_from(term.name, {field: value})
    labels = store.vocabulary.labels(tx, term.kind, [term.row]).get(term.row, [])
    return {label.text for label in definition.labels} <= {label.label for label in labels}


def find_unrelated_inverse(tx: Tx, declared: DeclaredVocabulary) -> Problem | None:
    """The first inverse of a declared predicate that is an independent word in the graph."""
    known = graph_vocabulary.read(tx).predicate_by_name
    for name, values in declared.predicates.items():
        inverse = values.get("inverse", {}).get("name")
        existing = known.get(inverse) if inverse else None
        if existing is not None and existing.inverse_of != name and name in known and known[name].set == sets.OWN:
            return ("predicates", name, "inverse"), (
                f"{inverse} is a predicate of its own, so it cannot be the inverse of {name}: choose another name"
            )
    return None


def add_to_new_graph(tx: Tx, declared: DeclaredVocabulary) -> None:
    """Add the declared sets, or those of every new graph, and the declared words."""
    for name in _set_names(declared, is_new=True):
        sets.add(tx, definitions.shipped(name))
    _add_words(tx, declared)


def is_missing(tx: Tx, declared: DeclaredVocabulary) -> bool:
    """Whether the graph lacks a declared set or word. A retired or merged word is not missing."""
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
    vocabulary = graph_vocabulary.read(tx)
    return {
        (kind, word.name)
        for kind, word in _definition(declared).words
        if vocabulary.term(kind, word.name) is None and not _was_merged(tx, kind, word.name)
    }


def _was_merged(tx: Tx, kind: str, name: str) -> bool:
    """Whether a name became a label of another word."""
    key = graph_vocabulary.wording_key(name)
    labels = store.vocabulary.labels(tx, kind, store.vocabulary.find_by_label(tx, kind, key))
    return any(
        label.is_added and graph_vocabulary.wording_key(label.label) == key
        for of_word in labels.values()
        for label in of_word
    )


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
