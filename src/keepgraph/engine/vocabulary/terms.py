"""Words of the vocabulary: adding entity types and predicates, with their values, labels, parents and ends."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.engine.vocabulary.definitions import LabelDefinition, PredicateDefinition, TypeDefinition
from keepgraph.model import PREDICATE_FLAGS, VocabularyLabel, VocabularySet
from keepgraph.store.transactions import Tx

FLAGS_OF_TWO_ENTITIES = ("symmetric", "asymmetric", "irreflexive", "transitive", "acyclic")
"""The flags of predicates that concern relations between two entities."""


def insert(
    tx: Tx,
    *,
    types: Sequence[TypeDefinition] = (),
    predicates: Sequence[PredicateDefinition] = (),
    of_set: VocabularySet,
) -> None:
    """Add words, which may refer to each other and to existing ones.

    Raises:
        errors.VocabularyConflict: the vocabulary already has one, or one would be its own supertype; values of one
            contradict each other.
        errors.VocabularyInvalid: one refers to a word that does not exist.
    """
    _refuse_existing(tx, types, predicates)
    _insert_types(tx, types, of_set)
    _insert_predicates(tx, predicates, of_set)


def insert_plain(tx: Tx, kind: str, *, name: str, description: str, of_set: VocabularySet) -> None:
    """Add a word known only by its name and its description."""
    if kind == store.vocabulary.ENTITY_TYPE:
        insert(tx, types=[TypeDefinition(name, description)], of_set=of_set)
    else:
        insert(tx, predicates=[PredicateDefinition(name, description)], of_set=of_set)


def add_labels(tx: Tx, kind: str, row: int, labels: Iterable[LabelDefinition]) -> None:
    """Add labels to an existing word, except those it already has."""
    added = [(replace(label, is_added=True), key) for label, key in _labels(kind, row, labels)]
    store.vocabulary.insert_labels(tx, added)


def replace_labels(tx: Tx, kind: str, row: int, labels: Iterable[LabelDefinition]) -> None:
    """Replace the labels of a word, as if the new ones had come with it."""
    store.vocabulary.delete_labels(tx, kind, row)
    store.vocabulary.insert_labels(tx, _labels(kind, row, labels))


def upgrade_labels(tx: Tx, kind: str, row: int, labels: Iterable[LabelDefinition], *, moved: Container[str]) -> None:
    """Give a word the labels of a newer version of its set, and remove those that new words now have.

    Args:
        moved: the keys of the names and labels of the new words.
    """
    new = _labels(kind, row, labels)
    kept = {label.label for label, _ in new}
    old = [label for label in store.vocabulary.labels(tx, kind, [row]).get(row, ()) if not label.is_added]
    given_away = [
        label.label for label in old if label.label not in kept and graph_vocabulary.wording_key(label.label) in moved
    ]
    if given_away:
        store.vocabulary.delete_labels(tx, kind, row, labels=given_away)
    store.vocabulary.insert_labels(tx, new)


def type_values(definition: TypeDefinition) -> dict[str, Any]:
    """The columns of an entity type besides its name, its description and its set."""
    return {"style": definition.style, "is_abstract": int(definition.is_abstract), "details": dict(definition.details)}


def predicate_values(definition: PredicateDefinition) -> dict[str, Any]:
    """The columns of a predicate besides its name, its description, its set, its inverse and its ends."""
    return {
        "role": definition.role,
        "literal_kind": definition.literal_kind,
        "sentence": definition.sentence,
        "details": dict(definition.details),
        **{f"is_{flag}": int(flag in definition.flags) for flag in PREDICATE_FLAGS},
    }


def refuse_contradictions(tx: Tx, name: str) -> None:
    """Check that the values of a predicate and of its inverses are compatible.

    Raises:
        errors.VocabularyInvalid: two of its flags contradict each other, or it is its own inverse.
        errors.VocabularyConflict: it is symmetric and has an inverse, or it takes literals and has what only
            relations between two entities have.
    """
    vocabulary = graph_vocabulary.read(tx)
    predicate = vocabulary.predicate_by_name[name]
    for flag, other in (("symmetric", "asymmetric"), ("symmetric", "acyclic")):
        if {flag, other} <= predicate.flags:
            raise errors.VocabularyInvalid(f"{name} cannot be {flag} and {other}", hint="Leave one of the two out.")
    if predicate.inverse_of == name:
        raise errors.VocabularyInvalid(f"{name} cannot be its own inverse", hint="Make it symmetric: --symmetric.")
    related = [predicate.inverse_of] if predicate.inverse_of else vocabulary.inverses(name)
    if "symmetric" in predicate.flags and related:
        raise errors.VocabularyConflict(
            f"{name} is symmetric: it is its own inverse, and {related[0]} cannot be another",
            hint=f"Remove the inverse, or the flag: `kg vocabulary change {name} --inverse none`, or "
            f"`kg vocabulary change {name} --not-symmetric`.",
        )
    if predicate.literal_kind is not None:
        for problem, option in (
            (bool(predicate.targets) and f"types of its object ({', '.join(predicate.targets)})", "--to none"),
            (bool(related) and f"an inverse ({', '.join(related)})", "--inverse none"),
            *((flag in predicate.flags and f"the flag {flag}", f"--not-{flag}") for flag in FLAGS_OF_TWO_ENTITIES),
        ):
            if problem:
                raise errors.VocabularyConflict(
                    f"the object of {name} is a literal ({predicate.literal_kind}), so it cannot have {problem}",
                    hint=f"Leave one of the two out; to remove it from an existing word, use "
                    f"`kg vocabulary change {name} {option}`, or `--literal none`.",
                )


def refuse_cycles(tx: Tx, names: Iterable[str]) -> None:
    """Check that none of these types is its own supertype.

    Raises:
        errors.VocabularyConflict: one is.
    """
    vocabulary = graph_vocabulary.read(tx)
    for name in names:
        for parent in vocabulary.type_by_name[name].parents:
            if vocabulary.is_kind_of(parent, name):
                raise errors.VocabularyConflict(f"{name!r} would be a kind of {parent!r}, which is a kind of {name!r}")


def _insert_types(tx: Tx, types: Sequence[TypeDefinition], of_set: VocabularySet) -> None:
    rows = _new_rows(tx, store.vocabulary.ENTITY_TYPE, types)
    store.vocabulary.insert_terms(
        tx,
        store.vocabulary.ENTITY_TYPE,
        [
            {**_common_values(definition, rows[definition.name], of_set), **type_values(definition)}
            for definition in types
        ],
    )
    all_rows = {**{term.name: term.row for term in graph_vocabulary.read(tx).types}, **rows}
    parents = [
        (rows[definition.name], _existing_row(all_rows, parent, of=definition.name))
        for definition in types
        for parent in definition.parents
    ]
    for row, parent in parents:
        if row == parent:
            raise errors.VocabularyConflict("a type cannot be a kind of itself")
    store.vocabulary.insert_parents(tx, parents)
    disjoint = [
        (rows[definition.name], _existing_row(all_rows, other, of=definition.name))
        for definition in types
        for other in definition.disjoint
    ]
    if any(row == other for row, other in disjoint):
        raise errors.VocabularyConflict("a type cannot be disjoint with itself")
    store.vocabulary.insert_disjoint(tx, disjoint)
    _insert_labels(tx, store.vocabulary.ENTITY_TYPE, types, rows)
    refuse_cycles(tx, [definition.name for definition in types if definition.parents])


def _insert_predicates(tx: Tx, predicates: Sequence[PredicateDefinition], of_set: VocabularySet) -> None:
    rows = _new_rows(tx, store.vocabulary.PREDICATE, predicates)
    vocabulary = graph_vocabulary.read(tx)
    all_rows = {**{term.name: term.row for term in vocabulary.predicates}, **rows}
    inverses = {definition.name: definition.inverse_of for definition in predicates}
    for name, inverse in inverses.items():
        if inverse is not None and inverse != name and (inverses.get(inverse) or _is_inverse(vocabulary, inverse)):
            raise errors.VocabularyInvalid(f"{name} is the inverse of {inverse}, which is an inverse itself")
    store.vocabulary.insert_terms(
        tx,
        store.vocabulary.PREDICATE,
        [
            {
                **_common_values(definition, rows[definition.name], of_set),
                **predicate_values(definition),
                "inverse_of": definition.inverse_of
                and _existing_row(all_rows, definition.inverse_of, of=definition.name),
            }
            # Predicates come before their inverses, since the rows refer to each other.
            for definition in sorted(predicates, key=lambda definition: definition.inverse_of is not None)
        ],
    )
    type_rows = {term.name: term.row for term in vocabulary.types}
    store.vocabulary.insert_ends(
        tx,
        [
            (rows[definition.name], side, _existing_row(type_rows, name, of=definition.name))
            for definition in predicates
            for side, names in (("subject", definition.sources), ("object", definition.targets))
            for name in dict.fromkeys(names)
        ],
    )
    _insert_labels(tx, store.vocabulary.PREDICATE, predicates, rows)
    for name in dict.fromkeys([*inverses, *filter(None, inverses.values())]):
        refuse_contradictions(tx, name)


def _insert_labels(
    tx: Tx, kind: str, words: Sequence[TypeDefinition | PredicateDefinition], rows: Mapping[str, int]
) -> None:
    labels = [label for word in words for label in _labels(kind, rows[word.name], word.labels)]
    store.vocabulary.insert_labels(tx, labels)


def _new_rows(tx: Tx, kind: str, definitions: Sequence[TypeDefinition | PredicateDefinition]) -> dict[str, int]:
    first = store.journal.unused_row(tx, kind)
    return {definition.name: row for row, definition in enumerate(definitions, first)}


def _common_values(definition: TypeDefinition | PredicateDefinition, row: int, of_set: VocabularySet) -> dict[str, Any]:
    return {
        "id": row,
        "name": definition.name,
        "description": definition.description,
        "version": of_set.version,
        "vocabulary_set": of_set.row,
    }


def _refuse_existing(tx: Tx, types: Sequence[TypeDefinition], predicates: Sequence[PredicateDefinition]) -> None:
    vocabulary = graph_vocabulary.read(tx)
    for definitions, existing in ((types, vocabulary.type_by_name), (predicates, vocabulary.predicate_by_name)):
        names = [definition.name for definition in definitions]
        for name in names:
            if name in existing:
                raise errors.VocabularyConflict(f"the vocabulary already has {name!r}")
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise errors.VocabularyInvalid(f"{twice!r} is defined twice")


def _existing_row(rows: Mapping[str, int], name: str, *, of: str) -> int:
    if name not in rows:
        raise errors.VocabularyInvalid(f"{of} names {name!r}, which the vocabulary does not have")
    return rows[name]


def _is_inverse(vocabulary: graph_vocabulary.Vocabulary, name: str) -> bool:
    term = vocabulary.predicate_by_name.get(name)
    return term is not None and term.inverse_of is not None


def _labels(kind: str, row: int, labels: Iterable[LabelDefinition]) -> list[tuple[VocabularyLabel, str]]:
    return [
        (VocabularyLabel(kind, row, label.language, label.status, label.text), graph_vocabulary.wording_key(label.text))
        for label in labels
    ]
