"""Individuals of an RDF document as entities, their labels as aliases, and their statements as facts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from keepgraph import errors, store
from keepgraph.engine import knowledge
from keepgraph.engine.exchange import import_state
from keepgraph.engine.exchange.export import Survey
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.formats import rdf_statements
from keepgraph.formats.rdf_statements import TYPE, Iri, Literal, Statement, Term
from keepgraph.formats.rdf_vocabulary import Definition, Individual, PropertyDefinition, TypeDefinition
from keepgraph.language import normalisation
from keepgraph.model import Entity, Ref
from keepgraph.store.transactions import Tx


@dataclass(frozen=True, slots=True)
class IndividualsReport:
    """What came of individuals: how many entities, aliases and facts were new.

    Attributes:
        left_out: statements without a predicate in the vocabulary, by the IRI of their property.
        refusals: the first of the names and facts that were refused, each with the reason.
    """

    entities: int = 0
    aliases: int = 0
    facts: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    refusals: tuple[str, ...] = ()
    refused_count: int = 0


class Recording:
    """The individuals of one document, recorded in as many calls as they need: all entities first, then the facts.

    Args:
        type_names, predicate_names: the words for classes and properties of the document; for others the vocabulary is
            searched for a word with the same IRI, or else with the same name or label and ends that fit.
    """

    def __init__(self, tx: Tx, *, type_names: Mapping[Iri, str], predicate_names: Mapping[Iri, str]) -> None:
        self._words: dict[tuple[str, Iri], str | None] = {
            **{(store.vocabulary.ENTITY_TYPE, iri): name for iri, name in type_names.items()},
            **{(store.vocabulary.PREDICATE, iri): name for iri, name in predicate_names.items()},
        }
        for kind in store.vocabulary.KINDS:
            for name, iri in iris_of_words(tx, kind).items():
                self._words.setdefault((kind, iri), name)
        self._defined = {iri for kind, iri in self._words if kind == store.vocabulary.PREDICATE}
        self._entities: dict[Iri, Entity] = {}
        self._taken: set[int] = set()
        self._counts: Counter[str] = Counter()
        self._left_out: Counter[str] = Counter()
        self._refusals: list[str] = []

    def record_entities(self, tx: Tx, individuals: Sequence[Individual]) -> None:
        """Record individuals with their labels."""
        for individual in individuals:
            self._record_entity(tx, individual)

    def record_facts(self, tx: Tx, individuals: Sequence[Individual]) -> None:
        """Record the statements about individuals, when all of them are recorded."""
        for individual in individuals:
            if individual.iri in self._entities:
                for statement in individual.statements:
                    self._record_fact(tx, statement, self._entities[individual.iri])

    def report(self) -> IndividualsReport:
        """What came of them up to now."""
        return IndividualsReport(
            entities=self._counts["entities"],
            aliases=self._counts["aliases"],
            facts=self._counts["facts"],
            left_out=dict(self._left_out.most_common()),
            refusals=tuple(self._refusals[: import_state.MAX_REFUSALS]),
            refused_count=len(self._refusals),
        )

    def _record_entity(self, tx: Tx, individual: Individual) -> None:
        label = rdf_statements.preferred_text(individual.labels)
        local_name = rdf_statements.local_name(individual.iri)
        name = (label or local_name.replace("_", " ")).strip()[: knowledge.entities.MAX_NAME]
        entity_type = self._entity_type(tx, individual)
        try:
            with tx.savepoint():
                entity, is_new = self._find_or_create(tx, entity_type, name)
                if entity.row in self._taken:  # another individual of the same name
                    distinct = f"{name[: knowledge.entities.MAX_NAME // 2]} ({local_name[:80] or individual.iri[-80:]})"
                    entity, is_new = self._find_or_create(tx, entity_type, distinct)
        except (errors.InvalidRequest, errors.Conflict) as error:
            self._refusals.append(f"{name[:60]}: {error.message}")
            return
        self._taken.add(entity.row)
        self._entities[individual.iri] = entity
        self._counts["entities"] += is_new
        if is_new and individual.description:
            store.entities.set_particulars(tx, entity.row, summary=individual.description, properties="{}")
        self._add_aliases(tx, individual, entity)

    def _find_or_create(self, tx: Tx, entity_type: str, name: str) -> tuple[Entity, bool]:
        return knowledge.entities.find_or_create(
            tx, Ref(type=entity_type, name=name), error_class=errors.InvalidArguments
        )

    def _add_aliases(self, tx: Tx, individual: Individual, entity: Entity) -> None:
        names = (entity.name, rdf_statements.preferred_text(individual.labels))
        known = {normalisation.key(text) for text in (*names, *store.entities.aliases(tx, entity))}
        for label in individual.labels:
            key = normalisation.key(label.text)
            if key in known:
                continue
            known.add(key)
            try:
                with tx.savepoint():
                    knowledge.entities.add_aliases(tx, entity, [label.text])
                self._counts["aliases"] += 1
            except (errors.AliasTaken, errors.AliasInvalid) as error:
                self._refusals.append(f"{entity.name[:60]}: {error.message}")

    def _entity_type(self, tx: Tx, individual: Individual) -> str:
        """The most specific of the classes that the vocabulary knows; else the type for terms."""
        vocabulary = graph_vocabulary.read(tx)
        names = [self._word(tx, store.vocabulary.ENTITY_TYPE, iri) for iri in individual.classes]
        usable = {term.name for term in vocabulary.usable_types}
        known = [name for name in names if name in usable]
        specific = [
            name for name in known if not any(name in vocabulary.ancestors(other) for other in known if other != name)
        ]
        return specific[0] if specific and specific[0] else vocabulary.default_type("term")

    def _record_fact(self, tx: Tx, statement: Statement, subject: Entity) -> None:
        if statement.predicate == TYPE or statement.predicate in rdf_statements.NAMING_PREDICATES:
            return
        predicate = self._word(tx, store.vocabulary.PREDICATE, statement.predicate)
        object_ = self._object(tx, statement.object, predicate) if predicate is not None else None
        if predicate is None or object_ is None:
            self._left_out[statement.predicate] += 1
            return
        try:
            with tx.savepoint():
                recorded = knowledge.facts.record(
                    tx,
                    subject=Ref(id=subject.id),
                    predicate=predicate,
                    object=object_,
                    # A word of the same name may mean something else: only what fits it is taken for it.
                    refuse_misfits=statement.predicate not in self._defined,
                )
            self._counts["facts"] += not recorded.deduplicated
        except (errors.EndsInvalid, errors.LiteralInvalid):
            self._left_out[statement.predicate] += 1
        except (errors.InvalidRequest, errors.Conflict) as error:
            self._refusals.append(f"{subject.name[:60]} {predicate}: {error.message}")

    def _object(self, tx: Tx, term: Term, predicate: str) -> Ref | str | None:
        """An entity or a text; of anything else its address, where the predicate takes literals; None for nothing."""
        if isinstance(term, Literal):
            return term.text if term.text.strip() else None
        if isinstance(term, Iri) and term in self._entities:
            return Ref(id=self._entities[term].id)
        takes_literals = graph_vocabulary.read(tx).predicate_by_name[predicate].literal_kind is not None
        return str(term) if isinstance(term, Iri) and takes_literals else None

    def _word(self, tx: Tx, kind: str, iri: Iri) -> str | None:
        key = (kind, iri)
        if key not in self._words:
            term = graph_vocabulary.find(tx, kind, rdf_statements.local_name(iri))
            self._words[key] = term.name if term is not None else None
        return self._words[key]


def iris_of_words(tx: Tx, kind: str) -> dict[str, Iri]:
    """The IRIs of the words that the vocabulary has from RDF, by name."""
    details = store.vocabulary.details(tx, kind)
    return {
        term.name: Iri(uri)
        for term in graph_vocabulary.read(tx).terms(kind)
        if (uri := details.get(term.row, {}).get("uri"))
    }


# Mapping of entity types and predicates of a file to the vocabulary of the graph.
#
# A term is mapped to the word of the vocabulary that has this name or label. Any other term is added to the vocabulary
# if the caller wants that; if not, an entity type becomes the default type of terms, and a predicate has no
# counterpart.


@dataclass(frozen=True, slots=True)
class TermMapping:
    """What a term of the file becomes.

    Attributes:
        term: a term of the vocabulary; None for a predicate without a counterpart.
        how: "same", "synonym", "added" to the vocabulary, or "other" if the vocabulary has no counterpart.
    """

    term: str | None
    how: str


@dataclass(frozen=True, slots=True)
class VocabularyMapping:
    """What the terms of a file become, by the terms as they are in the file.

    Attributes:
        default_type: the entity type where the file names none, or one that has no counterpart.
    """

    entity_types: Mapping[str, TermMapping]
    predicates: Mapping[str, TermMapping]
    default_type: str


def map_vocabulary(tx: Tx, survey: Survey, *, add_terms: bool) -> VocabularyMapping:
    """Map the terms of a file to the vocabulary of the graph."""
    default_type = graph_vocabulary.read(tx).default_type("term")
    return VocabularyMapping(
        {
            term: _map_term(tx, store.vocabulary.ENTITY_TYPE, term, default=default_type, add_terms=add_terms)
            for term in survey.entity_types
        },
        {
            term: _map_term(tx, store.vocabulary.PREDICATE, term, default=None, add_terms=add_terms)
            for term in survey.predicates
        },
        default_type,
    )


def _map_term(tx: Tx, kind: str, term: str, *, default: str | None, add_terms: bool) -> TermMapping:
    name = graph_vocabulary.spell(term)
    existing = graph_vocabulary.find(tx, kind, term)
    if existing is None and kind == store.vocabulary.ENTITY_TYPE:
        existing = graph_vocabulary.find(tx, kind, name.removesuffix("s"))  # files often name types in the plural
    if existing is not None:
        return TermMapping(existing.name, "same" if existing.name == name else "synonym")
    return TermMapping(name, "added") if add_terms and name else TermMapping(default, "other")


# Names of words for what an RDF document defines: from IRIs that can be read, else from labels.

_MIN_LETTERS = 2
_LONG_NUMBER = re.compile(r"\d{4}")


def choose(
    definitions: Sequence[TypeDefinition | PropertyDefinition],
    *,
    known: Mapping[Iri, str],
    taken: Collection[str],
    shared: Collection[str],
) -> dict[Iri, str]:
    """A different name for each definition.

    Args:
        known: names of words that the vocabulary has with their IRIs.
        taken: names that the vocabulary has.
        shared: those of them that a definition of the same name means as well.
    """
    names = {definition.iri: known[definition.iri] for definition in definitions if definition.iri in known}
    used = set(names.values())
    next_numbers: dict[str, int] = {}
    for definition in definitions:
        if definition.iri in names:
            continue
        spelled = map(graph_vocabulary.spell, _candidates(definition))
        wording = next(filter(None, spelled), "word")
        name = wording
        while name in used or (name in taken and name not in shared) or (name != wording and name in taken):
            number = next_numbers[wording] = next_numbers.get(wording, 1) + 1
            name = f"{wording[: graph_vocabulary.MAX_WORD - 8].rstrip('_')}_{number}"
        names[definition.iri] = name
        used.add(name)
    return names


def spell_set(wordings_: Iterable[str], *, max_characters: int) -> str:
    """The first wording that can be the name of a set; "imported_set" if there is none."""
    for wording in wordings_:
        name = graph_vocabulary.spell(wording)
        if name and len(name) <= max_characters:
            return name
    return "imported_set"


def _candidates(definition: Definition) -> Iterator[str]:
    """Wordings of a definition, the best first: of a concept its label, else the end of the IRI if it reads well."""
    label = rdf_statements.preferred_text(definition.labels)
    local_name = rdf_statements.local_name(definition.iri)
    is_concept = isinstance(definition, TypeDefinition) and definition.is_concept
    yield from (label, local_name) if is_concept or not _reads_well(local_name) else (local_name, label)


def _reads_well(local_name: str) -> bool:
    """Whether it consists of words rather than of a number: `worksAt` and `E21_Person`, not `Q42` or `GO_0008150`."""
    letter_count = sum(character.isalpha() for character in local_name)
    digit_count = sum(character.isdigit() for character in local_name)
    return letter_count >= _MIN_LETTERS and letter_count > digit_count and not _LONG_NUMBER.search(local_name)
