"""RDF statements that describe words of the vocabulary, in SKOS for concepts and in RDFS and OWL for the rest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from keepgraph.engine.vocabulary.definitions import LabelDefinition, PredicateDefinition, TypeDefinition
from keepgraph.formats import rdf_vocabulary
from keepgraph.formats.rdf_statements import DCT, OWL, RDF, RDFS, SCHEMA, SKOS, TYPE, XSD, Iri, Literal, Statement

WordDefinition: TypeAlias = TypeDefinition | PredicateDefinition

_ENGLISH = "en"
_FLAG_TYPES = {flag: Iri(type_) for type_, flag in rdf_vocabulary.FLAG_BY_TYPE.items()}
DATATYPES: Mapping[str, Iri] = {
    "text": Iri(f"{XSD}string"),
    "number": Iri(f"{XSD}decimal"),
    "date": Iri(f"{XSD}date"),
    "url": Iri(f"{XSD}anyURI"),
    "identifier": Iri(f"{XSD}string"),
}
"""The datatypes of literals, by their kind."""


@dataclass(frozen=True, slots=True)
class WordIris:
    """The IRIs of the words of a vocabulary, by their names."""

    types: Mapping[str, Iri]
    predicates: Mapping[str, Iri]

    def of_type(self, name: str) -> Iri:
        return self.types.get(name) or Iri(f"urn:keepgraph:type:{name}")

    def of_predicate(self, name: str) -> Iri:
        return self.predicates.get(name) or Iri(f"urn:keepgraph:predicate:{name}")


def describe_concept(definition: TypeDefinition, iris: WordIris, *, is_retired: bool = False) -> Iterator[Statement]:
    """An entity type as a concept of SKOS."""
    iri = iris.of_type(definition.name)
    yield Statement(iri, TYPE, Iri(f"{SKOS}Concept"))
    yield from _describe_labels(iri, definition, preferred=Iri(f"{SKOS}prefLabel"))
    yield from _describe_details(iri, definition, comment=Iri(f"{SKOS}definition"))
    for parent in definition.parents:
        yield Statement(iri, Iri(f"{SKOS}broader"), iris.of_type(parent))
    yield from _describe_retirement(iri, is_retired=is_retired)


def describe_class(definition: TypeDefinition, iris: WordIris, *, is_retired: bool = False) -> Iterator[Statement]:
    """An entity type as a class of OWL."""
    iri = iris.of_type(definition.name)
    yield Statement(iri, TYPE, Iri(f"{OWL}Class"))
    yield from _describe_labels(iri, definition, preferred=Iri(f"{RDFS}label"))
    yield from _describe_details(iri, definition, comment=Iri(f"{RDFS}comment"))
    for parent in definition.parents:
        yield Statement(iri, Iri(f"{RDFS}subClassOf"), iris.of_type(parent))
    for other in definition.disjoint:
        yield Statement(iri, Iri(f"{OWL}disjointWith"), iris.of_type(other))
    yield from _describe_retirement(iri, is_retired=is_retired)


def describe_property(
    definition: PredicateDefinition, iris: WordIris, *, is_retired: bool = False
) -> Iterator[Statement]:
    """A predicate as a property of OWL. Of several types at one end, each may stand there, as in schema.org."""
    iri = iris.of_predicate(definition.name)
    if definition.literal_kind is not None:
        kind = "DatatypeProperty"
    elif definition.targets:
        kind = "ObjectProperty"
    else:
        kind = ""
    yield Statement(iri, TYPE, Iri(f"{OWL}{kind}") if kind else Iri(f"{RDF}Property"))
    for flag in sorted(definition.flags & _FLAG_TYPES.keys()):
        yield Statement(iri, TYPE, _FLAG_TYPES[flag])
    yield from _describe_labels(iri, definition, preferred=Iri(f"{RDFS}label"))
    yield from _describe_details(iri, definition, comment=Iri(f"{RDFS}comment"))
    for types, alone, among_others in (
        (definition.sources, "domain", "domainIncludes"),
        (definition.targets, "range", "rangeIncludes"),
    ):
        predicate = Iri(f"{RDFS}{alone}") if len(types) == 1 else Iri(f"{SCHEMA[0]}{among_others}")
        for name in types:
            yield Statement(iri, predicate, iris.of_type(name))
    if definition.literal_kind is not None:
        yield Statement(iri, Iri(f"{RDFS}range"), DATATYPES[definition.literal_kind])
    if definition.inverse_of is not None:
        yield Statement(iri, Iri(f"{OWL}inverseOf"), iris.of_predicate(definition.inverse_of))
    yield from _describe_retirement(iri, is_retired=is_retired)


def _describe_labels(iri: Iri, definition: WordDefinition, *, preferred: Iri) -> Iterator[Statement]:
    labels = definition.labels
    if not any(label.status == "preferred" for label in labels):
        name = LabelDefinition(_ENGLISH, "preferred", definition.name.replace("_", " "))
        labels = (name, *(label for label in labels if (label.language, label.text) != (name.language, name.text)))
    predicates = {
        "preferred": preferred,
        "alternative": Iri(f"{SKOS}altLabel"),
        "hidden": Iri(f"{SKOS}hiddenLabel"),
    }
    for label in labels:
        yield Statement(iri, predicates[label.status], Literal(label.text, label.language))


def _describe_details(iri: Iri, definition: WordDefinition, *, comment: Iri) -> Iterator[Statement]:
    if definition.description:
        yield Statement(iri, comment, Literal(definition.description, _ENGLISH))
    if notation := definition.details.get("notation"):
        yield Statement(iri, Iri(f"{SKOS}notation"), Literal(notation))
    for example in definition.details.get("examples", ()):
        yield Statement(iri, Iri(f"{SKOS}example"), Literal(example, _ENGLISH))


def _describe_retirement(iri: Iri, *, is_retired: bool) -> Iterator[Statement]:
    if is_retired:
        yield Statement(iri, Iri(f"{OWL}deprecated"), Literal("true", datatype=f"{XSD}boolean"))


def describe_set(iri: Iri, *, title: str) -> Iterator[Statement]:
    """A vocabulary set as a concept scheme."""
    yield Statement(iri, TYPE, Iri(f"{SKOS}ConceptScheme"))
    yield Statement(iri, Iri(f"{DCT}title"), Literal(title, _ENGLISH))
