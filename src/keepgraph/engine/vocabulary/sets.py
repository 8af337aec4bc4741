"""Vocabulary sets: adding one to a graph, upgrading it, and removing it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.vocabulary import definitions, graph_vocabulary, terms
from keepgraph.engine.vocabulary.definitions import PredicateDefinition, SetDefinition, TypeDefinition
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.lazy import dataclass
from keepgraph.model import (
    ADVISORY_FLAGS,
    PREDICATE_FLAGS,
    EntityType,
    Predicate,
    VocabularyLabel,
    VocabularySet,
    VocabularyTerm,
)
from keepgraph.store.transactions import Tx

CORE = "core"
OWN = "own"
"""The set of the words that no other set defines."""

OWN_VERSION = "1"

IN_NEW_GRAPHS = ("personal",)


@dataclass(frozen=True, slots=True)
class SetChange:
    """What adding or removing a set did: words that were added, restored, deleted, retired, or already there.

    Attributes:
        separate: pairs of a predicate and another that is its inverse in the set but not in the graph.
    """

    added: tuple[str, ...] = ()
    revived: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    existing: tuple[str, ...] = ()
    separate: tuple[tuple[str, str], ...] = ()


def add(tx: Tx, definition: SetDefinition) -> SetChange:
    """Add the words of a set to the vocabulary. An existing word stays as it is; a retired one becomes usable again.

    Raises:
        errors.VocabularyInvalid: a word names a type that neither the set nor the vocabulary has.
        errors.VocabularyConflict: a type would be its own supertype; or the set has the name of one that comes with
            this program, and differs from it.
    """
    _refuse_other_shipped(definition)
    of_set = find_or_insert(tx, definition.name, version=definition.version, uri=definition.uri)
    vocabulary = graph_vocabulary.read(tx)
    new_types = [term for term in definition.types if term.name not in vocabulary.type_by_name]
    new_predicates = [term for term in definition.predicates if term.name not in vocabulary.predicate_by_name]
    existing = [term for kind, word in definition.words if (term := vocabulary.term(kind, word.name))]
    for term in existing:
        if term.retired_at is not None:
            store.vocabulary.update_term(tx, term.kind, term.row, {"retired_at": None, "replaced_by": None})
    terms.insert(tx, types=new_types, predicates=new_predicates, of_set=of_set)
    return SetChange(
        added=tuple(sorted([new.name for new in new_types] + [new.name for new in new_predicates])),
        revived=tuple(term.name for term in existing if term.retired_at is not None),
        existing=tuple(term.name for term in existing if term.retired_at is None),
        separate=tuple(_separate_inverses(tx, definition)),
    )


def is_shipped(name: str) -> bool:
    """Whether a set of this name comes with this program, so that flags state all that its words mean."""
    return name == CORE or name in definitions.shipped_names()


def upgrade(tx: Tx) -> None:
    """Upgrade the shipped sets of the graph to the versions that come with this program.

    Missing words are added; existing ones get the new labels, the advisory flags and the mark of aliases. Everything
    else about a word may have been changed in the graph, and stays; so do the flags that put facts in
    conflict.
    """
    for of_set in graph_vocabulary.read(tx).sets:
        if of_set.retired_at is None and of_set.name in definitions.shipped_names():
            definition = definitions.shipped(of_set.name)
            if definition.version != of_set.version:
                _upgrade(tx, of_set, definition)


def _upgrade(tx: Tx, of_set: VocabularySet, definition: SetDefinition) -> None:
    of_set = find_or_insert(tx, of_set.name, version=definition.version, uri=of_set.uri)
    vocabulary = graph_vocabulary.read(tx)
    new_types = [term for term in definition.types if term.name not in vocabulary.type_by_name]
    new_predicates = [term for term in definition.predicates if term.name not in vocabulary.predicate_by_name]
    new_names = {term.name for term in new_types} | {term.name for term in new_predicates}
    terms.insert(tx, types=new_types, predicates=new_predicates, of_set=of_set)
    vocabulary = graph_vocabulary.read(tx)
    moved: dict[str, set[str]] = {kind: set() for kind in store.vocabulary.KINDS}
    for kind, new in definition.words:
        if new.name in new_names:
            moved[kind] |= {
                graph_vocabulary.wording_key(text) for text in (new.name, *(one.text for one in new.labels))
            }
    for kind, new in definition.words:
        term = vocabulary.term(kind, new.name)
        if term is None or term.set != of_set.name:
            continue
        advice = {"version": definition.version, **_advice(tx, term, new)}
        store.vocabulary.update_term(tx, kind, term.row, advice)
        if new.name not in new_names:
            terms.upgrade_labels(tx, kind, term.row, new.labels, moved=moved[kind])


def _advice(tx: Tx, term: VocabularyTerm, new: TypeDefinition | PredicateDefinition) -> dict[str, Any]:
    if not isinstance(term, Predicate) or not isinstance(new, PredicateDefinition):
        return {}
    advice: dict[str, Any] = {f"is_{flag}": 1 for flag in ADVISORY_FLAGS if flag in new.flags}
    if new.details.get("alias") and not term.is_alias:
        details = store.vocabulary.details(tx, term.kind, [term.row]).get(term.row, {})
        advice["details"] = {**details, "alias": True}
    return advice


def _separate_inverses(tx: Tx, definition: SetDefinition) -> list[tuple[str, str]]:
    """The predicates of a set with their inverses, where the graph has an unrelated word of one of these names."""
    known = graph_vocabulary.read(tx).predicate_by_name
    return [
        (new.inverse_of, new.name)
        for new in definition.predicates
        if new.inverse_of
        and known[new.name].inverse_of != new.inverse_of
        and known[new.inverse_of].inverse_of != new.name
    ]


def _refuse_other_shipped(definition: SetDefinition) -> None:
    """
    Raises:
        errors.VocabularyConflict: the definition differs from the set of its name that comes with this program.
    """
    if definition.name == CORE or (
        definition.name in definitions.shipped_names() and definition != definitions.shipped(definition.name)
    ):
        raise errors.VocabularyConflict(
            f"the set {definition.name} comes with Keepgraph, and this is a different one",
            hint="Give the set another name.",
        )


def remove(tx: Tx, name: str) -> SetChange:
    """Remove a set from the vocabulary: unused words are deleted, others retired.

    Raises:
        errors.VocabularySetUnknown: the graph has no such set.
        errors.VocabularyConflict: it is the core.
    """
    of_set = find(tx, name)
    if of_set.name == CORE:
        raise errors.VocabularyConflict("the set core belongs to every graph", hint="Retire single words instead.")
    now = tx.at
    remaining = [
        (kind, term.row, term.name)
        for kind in reversed(store.vocabulary.KINDS)
        for term in graph_vocabulary.read(tx).terms(kind)
        if term.set == of_set.name
    ]
    deleted: list[str] = []
    is_progressing = True
    while is_progressing:
        unused = [word for word in remaining if not store.vocabulary.is_in_use(tx, word[0], word[1])]
        for kind, row, _ in unused:
            store.vocabulary.delete_term(tx, kind, row)
        deleted += [word for _, _, word in unused]
        gone = set(unused)
        remaining = [word for word in remaining if word not in gone]
        is_progressing = bool(unused)
    vocabulary = graph_vocabulary.read(tx)
    for kind, row, word in remaining:
        term = vocabulary.term(kind, word)
        if term is not None and term.retired_at is None:
            store.vocabulary.update_term(tx, kind, row, {"retired_at": now})
    retired = [word for _, _, word in remaining]
    store.vocabulary.update_set(tx, of_set.row, version=of_set.version, retired_at=now)
    return SetChange(deleted=tuple(sorted(deleted)), retired=tuple(sorted(retired)))


def find(tx: Tx, name: str) -> VocabularySet:
    """The set of this name that was added and is not retired.

    Raises:
        errors.VocabularySetUnknown: there is none.
    """
    active = [candidate for candidate in store.vocabulary.sets(tx) if candidate.retired_at is None]
    for candidate in active:
        if candidate.name == name:
            return candidate
    raise errors.VocabularySetUnknown(
        f"this graph has no vocabulary set {name[:60]!r}",
        hint=f"It has {', '.join(candidate.name for candidate in active)}.",
    )


def find_or_insert(tx: Tx, name: str, *, version: str = "1", uri: str = "") -> VocabularySet:
    """The set of this name and version; inserted if missing, restored if retired."""
    for candidate in store.vocabulary.sets(tx):
        if candidate.name == name:
            if candidate.version != version or candidate.retired_at is not None:
                store.vocabulary.update_set(tx, candidate.row, version=version, retired_at=None)
            return VocabularySet(candidate.row, name, version, candidate.uri, candidate.added_at, None)
    added_at = tx.at
    row = store.vocabulary.insert_set(tx, name=name, version=version, uri=uri, added_at=added_at)
    return VocabularySet(row, name, version, uri, added_at, None)


# Documents of vocabulary sets: the words of a set as the published schema describes them, for a file.

_ENGLISH = "en"


def write(tx: Tx, name: str) -> dict[str, Any]:
    """A set of the graph as a document; `definitions.from_document` reads it. Retired words are left out.

    Raises:
        errors.VocabularySetUnknown: the graph has no such set.
    """
    of_set = find(tx, name)
    vocabulary = graph_vocabulary.read(tx)
    types = [term for term in vocabulary.types if term.set == name and term.retired_at is None]
    predicates = [term for term in vocabulary.predicates if term.set == name and term.retired_at is None]
    document: dict[str, Any] = {"name": name, "version": of_set.version, "uri": of_set.uri}
    document["types"] = {
        term.name: without_empty(values_of(term) | shared)
        for term, shared in _with_shared_values(tx, store.vocabulary.ENTITY_TYPE, types)
    }
    shared_by_name = {
        term.name: shared for term, shared in _with_shared_values(tx, store.vocabulary.PREDICATE, predicates)
    }
    document["predicates"] = {
        term.name: without_empty(
            values_of(term) | shared_by_name[term.name] | _inverse(vocabulary, term, shared_by_name)
        )
        for term in predicates
        if term.inverse_of not in shared_by_name
    }
    return without_empty(document)


def values_of(word: EntityType | Predicate | TypeDefinition | PredicateDefinition) -> dict[str, Any]:
    """A word as the schema of sets describes it, without its labels, details and inverse."""
    if isinstance(word, EntityType | TypeDefinition):
        return {
            "description": word.description,
            "style": word.style,
            "abstract": word.is_abstract,
            "parents": sorted(word.parents),
            "disjoint": sorted(word.disjoint),
        }
    return {
        "description": word.description,
        "role": word.role,
        "sources": sorted(word.sources),
        "targets": sorted(word.targets),
        "inverse_of": word.inverse_of,
        "flags": [flag for flag in PREDICATE_FLAGS if flag in word.flags],
        "literal": word.literal_kind,
        "sentence": word.sentence,
    }


def _inverse(vocabulary: Vocabulary, term: Predicate, shared_by_name: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The first inverse in the set. A set gives a predicate one; others become its labels."""
    names = [name for name in vocabulary.inverses(term.name) if name in shared_by_name]
    if not names:
        return {}
    inverse = vocabulary.predicate_by_name[names[0]]
    shared = {name: value for name, value in shared_by_name[names[0]].items() if name not in definitions.DETAILS}
    alternative = [*shared.get("alternative", ()), *(name.replace("_", " ") for name in names[1:])]
    return {
        "inverse": without_empty(
            {"name": inverse.name, "description": inverse.description, **shared, "alternative": alternative}
        )
    }


def _with_shared_values(tx: Tx, kind: str, terms: Iterable[VocabularyTerm]) -> list[tuple[Any, dict[str, Any]]]:
    """Words, each with the values that types and predicates share: labels and details."""
    words = list(terms)
    rows = [term.row for term in words]
    labels = store.vocabulary.labels(tx, kind, rows)
    details = store.vocabulary.details(tx, kind, rows)
    return [
        (
            term,
            {
                **_label_values(labels.get(term.row, ())),
                **{name: value for name, value in details.get(term.row, {}).items() if name in definitions.DETAILS},
            },
        )
        for term in words
    ]


def _label_values(labels: Iterable[VocabularyLabel]) -> dict[str, Any]:
    """Labels in the schema's form: alternative English ones in a list, all others by language."""
    preferred = {label.language: label.label for label in reversed(list(labels)) if label.status == "preferred"}
    alternative: list[str] = []
    by_language: dict[str, list[str]] = {language: [text] for language, text in sorted(preferred.items())}
    for label in labels:
        language = label.language or "und"
        if label.status == "preferred" and preferred.get(label.language) == label.label:
            continue
        if language == _ENGLISH or language not in by_language:
            alternative.append(label.label)
        else:
            by_language[language].append(label.label)
    return {
        "alternative": alternative,
        "labels": {language: texts[0] if len(texts) == 1 else texts for language, texts in by_language.items()},
    }


def without_empty(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that say something."""
    return {name: value for name, value in values.items() if value not in (None, "", [], {}, False)}
