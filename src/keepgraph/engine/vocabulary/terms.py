"""Words of the vocabulary: types and predicates are added, with labels, parents and ends; what is near an unknown one.

Refusals name the words near an unknown wording, and the calls that would add it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.vocabulary import definitions, graph_vocabulary
from keepgraph.engine.vocabulary.definitions import LabelDefinition, PredicateDefinition, TypeDefinition
from keepgraph.model import PREDICATE_FLAGS, VocabularyLabel, VocabularySet, VocabularyTerm
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
    for new, existing in ((types, vocabulary.type_by_name), (predicates, vocabulary.predicate_by_name)):
        names = [definition.name for definition in new]
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


MAX_NEAR = 8
_MAX_SIMILAR = 2
_SIMILAR = 80
"""The similarity, out of 100, from which a word may be what was meant."""

_NEAR = 65
"""The similarity from which a word counts as near. For 35 of 37 other wordings and 95 of 103 names with two typos, the
word that was meant is this near. An unrelated word has 1.5 words this near; without a floor, 7.2 were named.
"""

_MAX_COMPARED = 200


def similar(tx: Tx, kind: str, wording: str) -> list[str]:
    """Up to two words that may be meant: their names or labels are spelled like the wording; nearest first.

    Typos rarely change the first letter: "caused by" is not a typo of "used by".
    """
    initial = graph_vocabulary.wording_key(wording)[:1]
    ranked = _rank(tx, kind, wording, is_compared=lambda key: key.startswith(initial))
    return [name for name, similarity in ranked if similarity >= _SIMILAR][:_MAX_SIMILAR]


def nearest(tx: Tx, kind: str, wording: str, *, first: Sequence[str] = (), limit: int = MAX_NEAR) -> list[str]:
    """The usable words near a wording, by their names and labels; those of `first` come first.

    All are returned if there are no more than `limit`, or if there is nothing to compare with.
    """
    usable = [term.name for term in _usable(tx, kind)]
    names_all = len(usable) <= limit or not wording
    ranked = [name for name, similarity in _rank(tx, kind, wording) if names_all or similarity >= _NEAR]
    return list(dict.fromkeys([*first, *ranked, *(usable if names_all else ())]))[:limit]


def describe_nearest(tx: Tx, kind: str, names: Sequence[str], *, fitting: Sequence[str] = ()) -> str:
    """The nearest words in a sentence, with how to see the others.

    Args:
        fitting: words that would fit in place of the wording, however they are spelled.
    """
    fitting = fitting[:MAX_NEAR]
    if len({*names, *fitting}) == len(_usable(tx, kind)):
        return f"Use one of {', '.join(dict.fromkeys([*names, *fitting]))}."
    near = [name for name in names if name not in fitting]
    parts = [f"Nearest {'is' if len(near) == 1 else 'are'} {', '.join(near)}"] if near else []
    if fitting:
        parts.append(f"{', '.join(fitting)} {'fits' if len(fitting) == 1 else 'fit'} here")
    return f"{'; '.join(parts) or 'None is near'}; get_ontology_structure or `kg vocabulary` shows all."


def describe_addition(tx: Tx, kind: str, wording: str, definition: Mapping[str, Any]) -> str:
    """How to add a word that the vocabulary lacks: with a set that has it, or as a new word.

    Args:
        definition: its definition, in the form of `schemas/v1/transfer/vocabulary_set.json`.
    """
    sentences = [f"The set {name} has it: `kg vocabulary set add {name}`." for name in _sets_with(tx, kind, wording)]
    name = graph_vocabulary.spell(wording)
    if name and name not in {term.name for term in graph_vocabulary.read(tx).terms(kind)}:
        group = "types" if kind == store.vocabulary.ENTITY_TYPE else "predicates"
        arguments = json.dumps({group: {name: dict(definition)}}, ensure_ascii=False)
        sentences.append(
            f"If none says it, add it: extend_vocabulary {arguments}, or `{_command(kind, name, definition)}`."
        )
    return " ".join(sentences)


def _usable(tx: Tx, kind: str) -> tuple[VocabularyTerm, ...]:
    vocabulary = graph_vocabulary.read(tx)
    return vocabulary.usable_types if kind == store.vocabulary.ENTITY_TYPE else vocabulary.usable_predicates


def _rank(tx: Tx, kind: str, wording: str, *, is_compared: Callable[[str], bool] = bool) -> list[tuple[str, float]]:
    """Usable words with their similarity to a wording, nearest first; only as many as a hint may need.

    Args:
        is_compared: whether the key of a name or a label is compared with that of the wording.
    """
    from rapidfuzz import fuzz, process

    terms = _usable(tx, kind)
    labels = store.vocabulary.labels(tx, kind)
    choices = [
        (term.name, key)
        for term in terms
        for text in (term.name, *(label.label for label in labels.get(term.row, ()) if label.status != "hidden"))
        if is_compared(key := graph_vocabulary.wording_key(text))
    ]
    wanted, keys = graph_vocabulary.wording_key(wording[:_MAX_COMPARED]), [key for _, key in choices]
    similarities: dict[str, float] = {}
    # Not a partial ratio: by that, a short label such as "in" resembles most wordings.
    for scorer in (fuzz.ratio, fuzz.token_sort_ratio):
        for _, similarity, position in process.extract(wanted, keys, scorer=scorer, limit=_MAX_COMPARED):
            name = choices[position][0]
            similarities[name] = max(similarity, similarities.get(name, 0.0))
    return sorted(similarities.items(), key=lambda pair: -pair[1])


def _sets_with(tx: Tx, kind: str, wording: str) -> list[str]:
    """The sets that come with this program, are not in the graph, and have a wording as a name or a label."""
    present = {added.name for added in graph_vocabulary.read(tx).sets if added.retired_at is None}
    key = graph_vocabulary.wording_key(wording)
    if not key:
        return []
    return [name for name in definitions.shipped_names() if name not in present and key in _keys(name, kind)]


def _keys(set_name: str, kind: str) -> set[str]:
    definition = definitions.shipped(set_name)
    words = definition.types if kind == store.vocabulary.ENTITY_TYPE else definition.predicates
    return {
        graph_vocabulary.wording_key(text)
        for word in words
        for text in (word.name, *(label.text for label in word.labels))
    }


def _command(kind: str, name: str, definition: Mapping[str, Any]) -> str:
    options = [
        *(f"--parent {parent}" for parent in definition.get("parents", ())),
        *(f"--from {source}" for source in definition.get("sources", ())),
        *(f"--to {target}" for target in definition.get("targets", ())),
        *([f"--literal {definition['literal']}"] if "literal" in definition else []),
        *([f"--style {definition['style']}"] if "style" in definition else []),
    ]
    noun = "type" if kind == store.vocabulary.ENTITY_TYPE else "predicate"
    return " ".join(["kg vocabulary add", noun, name, *options])
