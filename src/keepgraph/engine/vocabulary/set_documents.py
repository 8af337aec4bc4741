"""Documents of vocabulary sets: the words of a set as the published schema describes them, for a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from keepgraph import store
from keepgraph.engine.vocabulary import definitions, graph_vocabulary, sets
from keepgraph.engine.vocabulary.graph_vocabulary import Vocabulary
from keepgraph.model import PREDICATE_FLAGS, EntityType, Predicate, VocabularyLabel, VocabularyTerm
from keepgraph.store.transactions import Tx

_ENGLISH = "en"


def write(tx: Tx, name: str) -> dict[str, Any]:
    """A set that the graph has as a document; `definitions.from_document` reads it. Retired words are left out.

    Raises:
        errors.VocabularySetUnknown: the graph has no such set.
    """
    of_set = sets.find(tx, name)
    vocabulary = graph_vocabulary.read(tx)
    types = [term for term in vocabulary.types if term.set == name and term.retired_at is None]
    predicates = [term for term in vocabulary.predicates if term.set == name and term.retired_at is None]
    document: dict[str, Any] = {"name": name, "version": of_set.version, "uri": of_set.uri}
    document["types"] = {
        term.name: _without_empty(_type_values(term) | shared)
        for term, shared in _with_shared_values(tx, store.vocabulary.ENTITY_TYPE, types)
    }
    shared_by_name = {
        term.name: shared for term, shared in _with_shared_values(tx, store.vocabulary.PREDICATE, predicates)
    }
    document["predicates"] = {
        term.name: _without_empty(
            _predicate_values(term) | shared_by_name[term.name] | _inverse(vocabulary, term, shared_by_name)
        )
        for term in predicates
        if term.inverse_of not in shared_by_name
    }
    return _without_empty(document)


def _type_values(term: EntityType) -> dict[str, Any]:
    return {
        "description": term.description,
        "parents": list(term.parents),
        "disjoint": list(term.disjoint),
        "abstract": term.is_abstract,
        "style": term.style,
    }


def _predicate_values(term: Predicate) -> dict[str, Any]:
    return {
        "description": term.description,
        "role": term.role,
        "sources": list(term.sources),
        "targets": list(term.targets),
        "inverse_of": term.inverse_of,
        "literal": term.literal_kind,
        "flags": [flag for flag in PREDICATE_FLAGS if flag in term.flags],
        "sentence": term.sentence,
    }


def _inverse(vocabulary: Vocabulary, term: Predicate, shared_by_name: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The first inverse that the set has. A set gives a predicate one; others are labels of it."""
    names = [name for name in vocabulary.inverses(term.name) if name in shared_by_name]
    if not names:
        return {}
    inverse = vocabulary.predicate_by_name[names[0]]
    shared = {name: value for name, value in shared_by_name[names[0]].items() if name not in definitions.DETAILS}
    alternative = [*shared.get("alternative", ()), *(name.replace("_", " ") for name in names[1:])]
    return {
        "inverse": _without_empty(
            {"name": inverse.name, "description": inverse.description, **shared, "alternative": alternative}
        )
    }


def _with_shared_values(tx: Tx, kind: str, terms: Iterable[VocabularyTerm]) -> list[tuple[Any, dict[str, Any]]]:
    """Words, each with the values that types and predicates have alike: labels and details."""
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
    """Labels as the schema has them: alternative ones in English in a list, all others by language."""
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


def _without_empty(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "", [], {}, False)}
