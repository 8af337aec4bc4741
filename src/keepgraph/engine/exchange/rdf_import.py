"""Import of an RDF document into the vocabulary: its definitions as a set, its individuals as entities and facts.

Whatever has no field in the vocabulary is kept as statements, so that an export gives it back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.exchange import rdf_export, rdf_individuals
from keepgraph.engine.exchange.import_state import TOOL
from keepgraph.engine.exchange.rdf_export import WordDefinition, WordIris
from keepgraph.engine.exchange.rdf_individuals import IndividualsReport, Recording
from keepgraph.engine.vocabulary import definitions, graph_vocabulary, sets, terms
from keepgraph.engine.vocabulary.definitions import (
    LabelDefinition,
    PredicateDefinition,
    SetDefinition,
    TypeDefinition,
)
from keepgraph.engine.vocabulary.sets import SetChange
from keepgraph.formats import rdf_statements, rdf_vocabulary
from keepgraph.formats.rdf_statements import Iri, Statement
from keepgraph.formats.rdf_vocabulary import Definition, Individual, PropertyDefinition, RdfVocabulary
from keepgraph.model import Predicate
from keepgraph.store import journal
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx

_MAX_SET_NAME = 60
_MAX_URI = 2000
_MAX_INDIVIDUALS_PER_CALL = 1000
"""A call holds the write lock, and others write between calls."""


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import would do.

    Attributes:
        definition: the set with its new words.
        existing: words of the document that the vocabulary has already; they stay as they are.
        retired: words of the set that the document calls deprecated.
        type_names, predicate_names: the words for what the document defines.
        set_statements: what the document states about anything but the words of its set.
    """

    definition: SetDefinition
    existing: tuple[str, ...]
    retired: frozenset[str]
    type_names: Mapping[Iri, str] = field(repr=False)
    predicate_names: Mapping[Iri, str] = field(repr=False)
    set_statements: tuple[str, ...] = field(repr=False)
    individuals: tuple[Individual, ...] = field(repr=False)

    @property
    def kept_count(self) -> int:
        """How many statements are kept because they have no field in the vocabulary."""
        words: list[WordDefinition] = [*self.definition.types, *self.definition.predicates]
        return len(self.set_statements) + sum(len(word.details.get("statements", ())) for word in words)


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did, in which calls."""

    calls: tuple[int | None, ...]
    plan: ImportPlan
    change: SetChange
    individuals: IndividualsReport


def run(
    database: Database, document: RdfVocabulary, *, file_stem: str, with_individuals: bool, file: str | None = None
) -> ImportReport:
    """Add what a document defines, in one call, which can be undone; for the other arguments see `plan`.

    Where there are many individuals, those after the first thousand are recorded in further calls.

    Args:
        file: the name of the file, with which individuals are marked as imported; None is standard input.

    Raises:
        errors.VocabularyInvalid, errors.VocabularyConflict: the vocabulary cannot take it.
    """
    with database.write(TOOL) as tx:
        tx = journal.begin_call(tx)
        first_call = tx.call
        planned = plan(tx, document, file_stem=file_stem, with_individuals=with_individuals)
        change = _add_words(tx, planned)
        recording = Recording(tx, type_names=planned.type_names, predicate_names=planned.predicate_names)
        batches = [
            planned.individuals[start : start + _MAX_INDIVIDUALS_PER_CALL]
            for start in range(0, len(planned.individuals), _MAX_INDIVIDUALS_PER_CALL)
        ]
        recording.record_entities(tx, batches[0] if batches else ())
        if len(batches) == 1:
            recording.record_facts(tx, batches[0])
        store.transfer.note(tx, file=file)
    calls = [first_call]
    if len(batches) > 1:
        steps = [(recording.record_entities, batch) for batch in batches[1:]]
        steps += [(recording.record_facts, batch) for batch in batches]
        for record, batch in steps:
            with database.write(TOOL) as tx:
                tx = journal.begin_call(tx)
                calls.append(tx.call)
                record(tx, batch)
                store.transfer.note(tx, file=file)
    return ImportReport(tuple(calls), planned, change, recording.report())


def plan(tx: Tx, document: RdfVocabulary, *, file_stem: str, with_individuals: bool = False) -> ImportPlan:
    """Choose the names of a document's words, and what becomes of its statements; nothing is changed.

    Args:
        file_stem: names the set if the document has no title.
        with_individuals: individuals become entities; concepts do too, and then are not types.

    Raises:
        errors.VocabularyInvalid: there is nothing but individuals, and they are not wanted.
    """
    if not document.types and not document.properties and not with_individuals:
        raise errors.VocabularyInvalid(
            "the file defines no class, no property and no concept, only individuals",
            hint="--individuals makes them entities.",
        )
    return _Planner(tx, document).plan(file_stem=file_stem, with_individuals=with_individuals)


def _add_words(tx: Tx, planned: ImportPlan) -> SetChange:
    definition = planned.definition
    if not definition.types and not definition.predicates and not planned.existing:
        return SetChange()
    change = sets.add(tx, definition)
    of_set = sets.find(tx, definition.name)
    statements = list(planned.set_statements)
    details = {"statements": statements} if statements else {}
    if details != store.vocabulary.set_details(tx).get(of_set.row, {}):
        store.vocabulary.update_set_details(tx, of_set.row, details)
    if planned.retired:
        vocabulary = graph_vocabulary.read(tx)
        now = tx.at
        for term in (*vocabulary.types, *vocabulary.predicates):
            if term.set == of_set.name and term.name in planned.retired and term.retired_at is None:
                store.vocabulary.update_term(tx, term.kind, term.row, {"retired_at": now})
    return change


class _Planner:
    """The words of a graph and of a document, and the names that the latter get."""

    def __init__(self, tx: Tx, document: RdfVocabulary) -> None:
        self._document = document
        self._vocabulary = graph_vocabulary.read(tx)
        self._iris = {kind: rdf_individuals.iris_of_words(tx, kind) for kind in store.vocabulary.KINDS}

    def plan(self, *, file_stem: str, with_individuals: bool) -> ImportPlan:
        document = self._document
        set_name = self._choose_set_name(file_stem)
        given_types = [term for term in document.types if not (with_individuals and term.is_concept)]
        type_names = self._choose_names(store.vocabulary.ENTITY_TYPE, given_types, set_name)
        predicate_names = self._choose_names(store.vocabulary.PREDICATE, document.properties, set_name)
        iris = WordIris(
            self._with_new_iris(store.vocabulary.ENTITY_TYPE, type_names),
            self._with_new_iris(store.vocabulary.PREDICATE, predicate_names),
        )
        types = [
            self._define_type(term, type_names, iris)
            for term in given_types
            if type_names[term.iri] not in self._vocabulary.type_by_name
        ]
        predicates = self._define_predicates(type_names, predicate_names, iris)
        words: list[WordDefinition] = [*types, *predicates]
        new = {Iri(word.details["uri"]) for word in words}
        described = new | self._iris_of_set(set_name)
        all_names = {**type_names, **predicate_names}
        statements = document.statements if all_names else {}
        return ImportPlan(
            definition=SetDefinition(
                name=set_name,
                version=document.version or "1",
                uri=document.iri if len(document.iri) <= _MAX_URI else "",
                types=tuple(types),
                predicates=tuple(predicates),
            ),
            existing=tuple(sorted({name for iri, name in all_names.items() if iri not in new})),
            retired=frozenset(
                all_names[term.iri] for term in (*given_types, *document.properties) if term.is_deprecated
            ),
            type_names=type_names,
            predicate_names=predicate_names,
            set_statements=tuple(
                rdf_statements.write_line(statement)
                for subject, of_subject in statements.items()
                if subject not in described
                for statement in of_subject
            ),
            individuals=document.individuals if with_individuals else (),
        )

    def _choose_set_name(self, file_stem: str) -> str:
        """The name of the set that this document brought before, or a new one, from its title or its file."""
        for known in self._vocabulary.sets:
            if self._document.iri and known.uri == self._document.iri:
                return known.name
        title = rdf_individuals.spell_set([self._document.title, file_stem], max_characters=_MAX_SET_NAME)
        taken = {known.name for known in self._vocabulary.sets if known.uri or not self._iris_of_set(known.name)}
        taken |= {sets.CORE, sets.OWN, *definitions.shipped_names()}
        name, number = title, 1
        while name in taken:
            number += 1
            name = f"{title}_{number}"
        return name

    def _iris_of_set(self, set_name: str) -> set[Iri]:
        return {
            iri
            for kind, iris in self._iris.items()
            for name, iri in iris.items()
            if (term := self._vocabulary.term(kind, name)) is not None and term.set == set_name
        }

    def _choose_names(
        self, kind: str, terms: Sequence[rdf_vocabulary.TypeDefinition | PropertyDefinition], set_name: str
    ) -> dict[Iri, str]:
        existing = self._vocabulary.terms(kind)
        return rdf_individuals.choose(
            terms,
            known={iri: name for name, iri in self._iris[kind].items()},
            taken={term.name for term in existing},
            # Within a set, another IRI is another word.
            shared={term.name for term in existing if term.set != set_name},
        )

    def _with_new_iris(self, kind: str, names: Mapping[Iri, str]) -> dict[str, Iri]:
        new = {name: iri for iri, name in names.items() if self._vocabulary.term(kind, name) is None}
        return {**self._iris[kind], **new}

    def _define_type(
        self, term: rdf_vocabulary.TypeDefinition, type_names: Mapping[Iri, str], iris: WordIris
    ) -> TypeDefinition:
        # That of the parents, where they are kinds of persons, say; else a term.
        definition = TypeDefinition(
            name=type_names[term.iri],
            description=term.description,
            parents=_names_of(term.parents, type_names),
            disjoint=_names_of(term.disjoint, type_names),
            labels=_labels(term),
            details=_details(term),
        )
        as_concept = term.is_concept or self._document.is_thesaurus
        described = rdf_export.describe_type(definition, iris, as_concept=as_concept, is_retired=term.is_deprecated)
        return replace(definition, details=self._with_statements(definition.details, term.iri, described))

    def _define_predicates(
        self, type_names: Mapping[Iri, str], predicate_names: Mapping[Iri, str], iris: WordIris
    ) -> list[PredicateDefinition]:
        known_types = {**{iri: name for name, iri in self._iris[store.vocabulary.ENTITY_TYPE].items()}, **type_names}
        by_iri = {term.iri: term for term in self._document.properties}
        defined = []
        for term in self._document.properties:
            name = predicate_names[term.iri]
            if name in self._vocabulary.predicate_by_name:
                continue
            inverse_of = self._inverse_of(term, predicate_names, by_iri)
            sources, targets = _ends(term.sources, known_types), _ends(term.targets, known_types)
            if inverse_of is not None and term.inverse_of in by_iri:
                primary = by_iri[term.inverse_of]
                sources = sources or _ends(primary.targets, known_types)
                targets = targets or _ends(primary.sources, known_types)
            literal_kind = None if inverse_of else term.literal_kind
            definition = PredicateDefinition(
                name=name,
                description=term.description,
                sources=sources,
                targets=() if literal_kind else targets,
                inverse_of=inverse_of,
                flags=term.flags - frozenset(terms.FLAGS_OF_TWO_ENTITIES if literal_kind else ()),
                literal_kind=literal_kind,
                labels=_labels(term),
                details=_details(term),
            )
            described = rdf_export.describe_property(definition, iris, is_retired=term.is_deprecated)
            details = self._with_statements(definition.details, term.iri, described)
            defined.append(replace(definition, details=details))
        return defined

    def _inverse_of(
        self,
        term: PropertyDefinition,
        predicate_names: Mapping[Iri, str],
        by_iri: Mapping[Iri, PropertyDefinition],
    ) -> str | None:
        """The predicate that this one is the inverse of, under which its facts are stored."""
        if term.inverse_of is None or term.inverse_of not in predicate_names or "symmetric" in term.flags:
            return None
        primary = by_iri[term.inverse_of]
        name = predicate_names[term.inverse_of]
        existing: Predicate | None = self._vocabulary.predicate_by_name.get(name)
        if existing is not None:
            can_have_inverse = existing.inverse_of is None and "symmetric" not in existing.flags
            return name if can_have_inverse and existing.literal_kind is None else None
        return name if "symmetric" not in primary.flags and primary.literal_kind is None else None

    def _with_statements(self, details: Mapping[str, Any], iri: Iri, described: Iterable[Statement]) -> dict[str, Any]:
        """Details with the statements about a word that differ from those that describe it."""
        stated = dict.fromkeys(self._document.statements[iri])
        generated = dict.fromkeys(described)
        missing = [rdf_statements.write_line(statement) for statement in stated if statement not in generated]
        surplus = [rdf_statements.write_line(statement) for statement in generated if statement not in stated]
        lists = {"statements": missing, "unstated": surplus}
        return {**details, **{name: lines for name, lines in lists.items() if lines}}


def _names_of(iris: Iterable[Iri], names: Mapping[Iri, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names[iri] for iri in iris if iri in names))


def _ends(iris: Sequence[Iri], names: Mapping[Iri, str]) -> tuple[str, ...]:
    """The types at one end of a predicate; none, which means any, where one of them is not known."""
    return _names_of(iris, names) if all(iri in names for iri in iris) else ()


def _labels(term: Definition) -> tuple[LabelDefinition, ...]:
    return tuple(LabelDefinition(label.language, label.status, label.text) for label in term.labels)


def _details(term: Definition) -> dict[str, Any]:
    details = {"uri": str(term.iri), "notation": term.notation, "examples": list(term.examples)}
    return {name: value for name, value in details.items() if value}
