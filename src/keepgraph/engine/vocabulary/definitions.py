"""Definitions of vocabulary sets and words: read from TOML or JSON, checked, and compared with what a graph stores."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from keepgraph import errors, package_files, store
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.lazy import dataclass
from keepgraph.model import EntityType, VocabularyLabel, VocabularyTerm
from keepgraph.store.transactions import Tx

MAX_BYTES = 20_000_000
_SHIPPED = Path(__file__).parent / "shipped_sets"
_ENGLISH = "en"


DETAILS = ("examples", "notation", "uri", "alias")
"""The values of words that share the column `details`."""


@dataclass(frozen=True, slots=True)
class LabelDefinition:
    """A label: its language (a tag of BCP 47), "preferred", "alternative" or "hidden", and its text."""

    language: str
    status: str
    text: str


@dataclass(frozen=True, slots=True)
class TypeDefinition:
    """An entity type of a set; the fields are those of `model.EntityType`; `details` holds what has no column."""

    name: str
    description: str = ""
    style: str | None = None
    is_abstract: bool = False
    parents: tuple[str, ...] = ()
    disjoint: tuple[str, ...] = ()
    labels: tuple[LabelDefinition, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PredicateDefinition:
    """A predicate of a set; the fields are those of `model.Predicate`; `details` holds what has no column."""

    name: str
    description: str = ""
    role: str | None = None
    sources: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    inverse_of: str | None = None
    flags: frozenset[str] = frozenset()
    literal_kind: str | None = None
    sentence: str = ""
    labels: tuple[LabelDefinition, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SetDefinition:
    """A vocabulary set. The inverse of a predicate is a predicate that comes after it."""

    name: str
    version: str
    uri: str = ""
    description: str = ""
    types: tuple[TypeDefinition, ...] = ()
    predicates: tuple[PredicateDefinition, ...] = ()

    @property
    def words(self) -> list[tuple[str, TypeDefinition | PredicateDefinition]]:
        """All words, types first, each with its kind."""
        types = [(store.vocabulary.ENTITY_TYPE, word) for word in self.types]
        return [*types, *((store.vocabulary.PREDICATE, word) for word in self.predicates)]


def shipped_names() -> tuple[str, ...]:
    """The names of the sets that come with this program, in alphabetical order."""
    return _names_in(_SHIPPED)


@cache
def _names_in(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(file.stem for file in folder.glob("*.toml")))


@cache
def shipped(name: str) -> SetDefinition:
    """A set that comes with this program.

    Raises:
        errors.VocabularySetUnknown: no set has that name.
    """
    if name not in shipped_names():
        raise errors.VocabularySetUnknown(
            f"there is no vocabulary set {name[:60]!r}", hint=f"These come with it: {', '.join(shipped_names())}."
        )
    return parse((_SHIPPED / f"{name}.toml").read_text(encoding="utf-8"))


def parse(text: str, *, is_json: bool = False) -> SetDefinition:
    """A set from the text of a TOML or JSON file.

    Raises:
        errors.VocabularyInvalid: it is neither, is too large, or does not fit the schema.
    """
    if len(text) > MAX_BYTES:
        raise errors.VocabularyInvalid(f"a vocabulary set has at most {MAX_BYTES:,} characters")
    import tomllib

    try:
        document = json.loads(text) if is_json else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise errors.VocabularyInvalid(f"it is not {'JSON' if is_json else 'TOML'}: {error}") from error
    return from_document(document)


def from_document(document: Any) -> SetDefinition:
    """A set from a document that fits the schema `transfer/vocabulary_set.json`.

    Raises:
        errors.VocabularyInvalid: it does not fit; the message says where.
    """
    check(document)
    for name in (*document.get("types", {}), *document.get("predicates", {})):
        if graph_vocabulary.spell(name) != name:  # capitals that the schema cannot name
            raise errors.VocabularyInvalid(_describe_spelling(name))
    predicates: list[PredicateDefinition] = []
    for name, values in document.get("predicates", {}).items():
        predicates.append(predicate_from(name, values))
        if inverse := values.get("inverse"):
            predicates.append(inverse_from(inverse, of=predicates[-1]))
    return SetDefinition(
        name=document["name"],
        version=document["version"],
        uri=document.get("uri", ""),
        description=document.get("description", ""),
        types=tuple(type_from(name, values) for name, values in document.get("types", {}).items()),
        predicates=tuple(predicates),
    )


def type_from(name: str, values: Mapping[str, Any]) -> TypeDefinition:
    """An entity type from what the schema calls `type`."""
    return TypeDefinition(
        name=name,
        description=values.get("description", ""),
        style=values.get("style"),
        is_abstract=values.get("abstract", False),
        parents=tuple(values.get("parents", ())),
        disjoint=tuple(values.get("disjoint", ())),
        labels=_labels(values),
        details=_details(values),
    )


def predicate_from(name: str, values: Mapping[str, Any]) -> PredicateDefinition:
    """A predicate from what the schema calls `predicate`; its inverse is left out."""
    return PredicateDefinition(
        name=name,
        description=values.get("description", ""),
        role=values.get("role"),
        sources=tuple(values.get("sources", ())),
        targets=tuple(values.get("targets", ())),
        inverse_of=values.get("inverse_of"),
        flags=frozenset(values.get("flags", ())),
        literal_kind=values.get("literal"),
        sentence=values.get("sentence", ""),
        labels=_labels(values),
        details=_details(values),
    )


def inverse_from(values: Mapping[str, Any], *, of: PredicateDefinition) -> PredicateDefinition:
    """The inverse of a predicate, from what the schema calls `inverse`; its ends are swapped."""
    return PredicateDefinition(
        name=values["name"],
        description=values.get("description") or f"The inverse of {of.name}.",
        sources=of.targets,
        targets=of.sources,
        inverse_of=of.name,
        labels=_labels(values),
        details=_details(values),
    )


def check(document: Any) -> None:
    """Check a document against the schema of sets.

    Raises:
        errors.VocabularyInvalid: it does not fit.
    """
    if problem := find_problem(document):
        place, message = problem
        raise errors.VocabularyInvalid(f"{'.'.join(place)[:200] or 'the set'}: {message}")


def check_word(kind: str, values: Mapping[str, Any]) -> None:
    """Check values of a word against what the schema of sets calls `type` or `predicate`.

    Raises:
        errors.VocabularyInvalid: they do not fit.
    """
    if problem := find_problem(values, part=kind):
        place, message = problem
        raise errors.VocabularyInvalid(f"{'.'.join(place)[:200] or f'the {kind}'}: {message}")


def find_problem(document: Any, *, part: str | None = None) -> tuple[tuple[str, ...], str] | None:
    """The first place where a document does not fit the schema of sets, or a part of it, and the fault there.

    Raises:
        errors.VocabularyInvalid: it is not JSON.
    """
    import jsonschema_rs

    try:
        error = next(iter(_validator(part).iter_errors(document)), None)
    except (ValueError, TypeError, jsonschema_rs.ValidationError) as failure:
        raise errors.VocabularyInvalid(f"a vocabulary set cannot hold this: {failure}") from failure
    if error is None:
        return None
    place = tuple(map(str, error.instance_path))
    if list(error.schema_path)[-2:] == ["word", "pattern"]:
        # An error in a name of an object shows the object.
        words = [error.instance] if isinstance(error.instance, str) else list(error.instance)
        return place, _describe_spelling(
            next((word for word in words if graph_vocabulary.spell(word) != word), words[0])
        )
    return place, error.message[:300]


def _describe_spelling(word: str) -> str:
    """Why a word is not spelled as a word of the vocabulary, and its right spelling."""
    spelled = graph_vocabulary.spell(word)
    problem = f"{word[:60]!r} is not spelled as a word: lower case, joined by underscores"
    return f"{problem}; write {spelled}" if spelled else problem


@cache
def _validator(part: str | None) -> Any:
    import jsonschema_rs

    file = package_files.schemas() / "transfer" / "vocabulary_set.json"
    schema = json.loads(file.read_text(encoding="utf-8"))
    if part is not None:
        schema = {"$schema": schema["$schema"], "$ref": f"#/$defs/{part}", "$defs": schema["$defs"]}
    return jsonschema_rs.Draft202012Validator(schema)


def _labels(values: Mapping[str, Any]) -> tuple[LabelDefinition, ...]:
    labels = [LabelDefinition(_ENGLISH, "alternative", text) for text in values.get("alternative", ())]
    for language, given in values.get("labels", {}).items():
        texts: Sequence[str] = [given] if isinstance(given, str) else given
        labels += [
            LabelDefinition(language, "preferred" if position == 0 else "alternative", text)
            for position, text in enumerate(texts)
        ]
    return tuple(labels)


def _details(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in DETAILS if values.get(name)}


# The words of a graph as definitions, and whether each is as its set ships it.


@dataclass(frozen=True, slots=True)
class StoredWord:
    """A word with everything stored about it.

    Attributes:
        definition: its values, with the labels that came with it.
        added_labels: the labels that it was given later.
        is_as_shipped: whether, apart from its added labels, it is exactly as a set of this program defines it.
    """

    term: VocabularyTerm
    definition: TypeDefinition | PredicateDefinition
    added_labels: tuple[LabelDefinition, ...]
    is_as_shipped: bool


_CACHE_KEY = "stored words"


def read(tx: Tx) -> Mapping[tuple[str, str], StoredWord]:
    """All words of the graph, retired ones too, by kind and name: entity types first, in the order of their rows.

    Reread only when a word or a label has changed.
    """
    cache = graph_vocabulary.cache_of(graph_vocabulary.read(tx).revision)
    labels = store.vocabulary.label_rows(tx)
    cached = cache.get(_CACHE_KEY)
    if cached is None or cached[0] != labels:
        cached = cache[_CACHE_KEY] = labels, _read(tx)
    words: Mapping[tuple[str, str], StoredWord] = cached[1]
    return words


def _read(tx: Tx) -> dict[tuple[str, str], StoredWord]:
    vocabulary = graph_vocabulary.read(tx)
    words: dict[tuple[str, str], StoredWord] = {}
    for kind in store.vocabulary.KINDS:
        labels = store.vocabulary.labels(tx, kind)
        details = store.vocabulary.details(tx, kind)
        digests = _shipped(frozenset(term.set for term in vocabulary.terms(kind)), kind)
        for term in vocabulary.terms(kind):
            of_term = labels.get(term.row, [])
            definition = _definition(term, _stored_labels(of_term, are_added=False), details.get(term.row, {}))
            is_as_shipped = (
                term.retired_at is None
                and term.replaced_by is None
                and _normalised(definition) == digests.get((term.set, term.version, term.name))
            )
            words[kind, term.name] = StoredWord(
                term, definition, _stored_labels(of_term, are_added=True), is_as_shipped
            )
    return words


def _definition(
    term: VocabularyTerm, labels: tuple[LabelDefinition, ...], details: dict[str, Any]
) -> TypeDefinition | PredicateDefinition:
    of_kind = TypeDefinition if isinstance(term, EntityType) else PredicateDefinition
    names = [each.name for each in fields(of_kind) if each.name not in ("labels", "details")]
    return of_kind(**{name: getattr(term, name) for name in names}, labels=labels, details=details)


def _stored_labels(labels: Iterable[VocabularyLabel], *, are_added: bool) -> tuple[LabelDefinition, ...]:
    return tuple(
        LabelDefinition(label.language, label.status, label.label) for label in labels if label.is_added == are_added
    )


@cache
def _shipped(set_names: frozenset[str], kind: str) -> dict[tuple[str, str, str], TypeDefinition | PredicateDefinition]:
    """The definitions of these sets that come with this program, by set, version and name."""
    digests: dict[tuple[str, str, str], TypeDefinition | PredicateDefinition] = {}
    for name in set_names & set(shipped_names()):
        of_set = shipped(name)
        if kind == store.vocabulary.PREDICATE:
            digests |= {(name, of_set.version, word.name): _normalised(word) for word in of_set.predicates}
            continue
        # Of two disjoint types only one says so in a set, but both do in a graph.
        disjoint: dict[str, set[str]] = {word.name: set(word.disjoint) for word in of_set.types}
        for word in of_set.types:
            for other in word.disjoint:
                disjoint.setdefault(other, set()).add(word.name)
        digests |= {
            (name, of_set.version, word.name): _normalised(replace(word, disjoint=tuple(disjoint[word.name])))
            for word in of_set.types
        }
    return digests


def _normalised(word: TypeDefinition | PredicateDefinition) -> TypeDefinition | PredicateDefinition:
    """A definition with unordered parts sorted, each label once, and details as a graph holds them."""
    labels = {(label.language, label.text): label for label in reversed(word.labels)}
    common: dict[str, Any] = {
        "labels": tuple(label for label in word.labels if labels[label.language, label.text] is label),
        "details": {name: value for name, value in word.details.items() if value},
    }
    if isinstance(word, TypeDefinition):
        return replace(word, parents=tuple(sorted(word.parents)), disjoint=tuple(sorted(word.disjoint)), **common)
    return replace(word, sources=tuple(sorted(set(word.sources))), targets=tuple(sorted(set(word.targets))), **common)
