"""Export of the vocabulary as RDF: entity types as concepts of SKOS, with every statement that an import kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from keepgraph import errors, store
from keepgraph.engine.vocabulary import definitions, graph_vocabulary, sets
from keepgraph.engine.vocabulary.definitions import LabelDefinition, PredicateDefinition, TypeDefinition
from keepgraph.formats import rdf_statements, rdf_vocabulary
from keepgraph.formats.rdf_statements import (
    DCT,
    OWL,
    RDF,
    RDFS,
    SCHEMA,
    SHACL,
    SKOS,
    TYPE,
    XSD,
    BlankNode,
    Iri,
    Literal,
    Resource,
    Statement,
)
from keepgraph.model import Predicate, VocabularyTerm
from keepgraph.store.transactions import Tx

# RDF statements that describe words of the vocabulary, in SKOS for concepts and in RDFS and OWL for the rest.

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


def describe_type(
    definition: TypeDefinition, iris: WordIris, *, as_concept: bool, is_retired: bool = False
) -> Iterator[Statement]:
    """An entity type as a concept of SKOS, or as a class of OWL."""
    iri = iris.of_type(definition.name)
    kind, preferred, comment, broader = (
        (f"{SKOS}Concept", f"{SKOS}prefLabel", f"{SKOS}definition", f"{SKOS}broader")
        if as_concept
        else (f"{OWL}Class", f"{RDFS}label", f"{RDFS}comment", f"{RDFS}subClassOf")
    )
    yield Statement(iri, TYPE, Iri(kind))
    yield from _describe_labels(iri, definition, preferred=Iri(preferred))
    yield from _describe_details(iri, definition, comment=Iri(comment))
    for parent in definition.parents:
        yield Statement(iri, Iri(broader), iris.of_type(parent))
    for other in definition.disjoint if not as_concept else ():
        yield Statement(iri, Iri(f"{OWL}disjointWith"), iris.of_type(other))
    yield from _describe_retirement(iri, is_retired=is_retired)


def describe_property(
    definition: PredicateDefinition, iris: WordIris, *, is_retired: bool = False
) -> Iterator[Statement]:
    """A predicate as a property of OWL. Of several types at one end, each is allowed there, as in schema.org."""
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


def _describe_set(iri: Iri, *, title: str) -> Iterator[Statement]:
    """A vocabulary set as a concept scheme."""
    yield Statement(iri, TYPE, Iri(f"{SKOS}ConceptScheme"))
    yield Statement(iri, Iri(f"{DCT}title"), Literal(title, _ENGLISH))


@dataclass(frozen=True, slots=True)
class ExportedWords:
    """The words of an export as definitions, each with the word itself, and the IRIs of all words of the graph."""

    types: Sequence[tuple[VocabularyTerm, TypeDefinition]]
    predicates: Sequence[tuple[Predicate, PredicateDefinition]]
    iris: WordIris


def choose_sets(tx: Tx, names: Sequence[str], *, with_shipped: bool = False) -> frozenset[str]:
    """The names of these sets; where none is given, of all sets, or of all that did not come with this program.

    Raises:
        errors.VocabularySetUnknown: the graph has no such set.
    """
    if names:
        return frozenset(sets.find(tx, name).name for name in names)
    shipped = {sets.CORE, *definitions.shipped_names()}
    return frozenset(
        known.name
        for known in graph_vocabulary.read(tx).sets
        if known.retired_at is None and (with_shipped or known.name not in shipped)
    )


def write_skos(tx: Tx, set_names: Collection[str]) -> Iterator[str]:
    """The lines of a Turtle document with the words of these sets.

    What was imported from SKOS is given back as it was, statement by statement.

    Raises:
        errors.VocabularyInvalid: there are no words to write.
    """
    return rdf_statements.write(_describe(tx, read_words(tx, set_names), set_names))


def read_words(tx: Tx, set_names: Collection[str], *, with_retired: bool = True) -> ExportedWords:
    """The words of these sets, with their labels and details.

    Raises:
        errors.VocabularyInvalid: there are none.
    """
    types: list[tuple[VocabularyTerm, TypeDefinition]] = []
    predicates: list[tuple[Predicate, PredicateDefinition]] = []
    type_iris: dict[str, Iri] = {}
    predicate_iris: dict[str, Iri] = {}
    for word in definitions.read(tx).values():
        term, uri = word.term, word.definition.details.get("uri")
        definition = replace(word.definition, labels=(*word.definition.labels, *word.added_labels))
        is_wanted = term.set in set_names and (with_retired or term.retired_at is None)
        if isinstance(definition, TypeDefinition):
            type_iris |= {term.name: Iri(uri)} if uri else {}
            types += [(term, definition)] if is_wanted else []
        elif isinstance(term, Predicate):
            predicate_iris |= {term.name: Iri(uri)} if uri else {}
            predicates += [(term, definition)] if is_wanted else []
    words = ExportedWords(types, predicates, WordIris(type_iris, predicate_iris))
    if not words.types and not words.predicates:
        raise errors.VocabularyInvalid(
            "there are no words to export except those that come with Keepgraph",
            hint="Name a set (--set core), or export all words (--everything).",
        )
    return words


def _describe(tx: Tx, words: ExportedWords, set_names: Collection[str]) -> Iterator[Statement]:
    rows = {known.name: known.row for known in graph_vocabulary.read(tx).sets}
    kept = store.vocabulary.set_details(tx)
    for name, row in rows.items():
        if name in set_names:
            yield from _kept_statements(kept.get(row, {}), set_row=row)
    # A set that was imported has a scheme of its own, if it has one.
    own_sets = {
        term.set for term, definition in words.types if rows[term.set] not in kept and "uri" not in definition.details
    }
    for name in sorted(own_sets):
        yield from _describe_set(_scheme(name), title=name)
    for term, definition in words.types:
        iri = words.iris.of_type(term.name)
        described = [
            *describe_type(definition, words.iris, as_concept=True, is_retired=term.retired_at is not None),
            *_describe_replacement(iri, term, words.iris.of_type),
        ]
        if term.set in own_sets:
            described.append(Statement(iri, Iri(f"{SKOS}inScheme"), _scheme(term.set)))
        yield from _with_kept(described, definition.details, set_row=rows[term.set])
    for predicate, predicate_definition in words.predicates:
        iri = words.iris.of_predicate(predicate.name)
        is_retired = predicate.retired_at is not None
        described = [
            *describe_property(predicate_definition, words.iris, is_retired=is_retired),
            *_describe_replacement(iri, predicate, words.iris.of_predicate),
        ]
        yield from _with_kept(described, predicate_definition.details, set_row=rows[predicate.set])


def _with_kept(described: Iterable[Statement], details: Mapping[str, Any], *, set_row: int) -> Iterator[Statement]:
    """The statements about a word without those that its source did not state, and with those that were kept."""
    unstated = {rdf_statements.read_line(line) for line in details.get("unstated", ())}
    remaining = dict.fromkeys(statement for statement in described if statement not in unstated)
    yield from remaining
    yield from (kept for kept in _kept_statements(details, set_row=set_row) if kept not in remaining)


def _kept_statements(details: Mapping[str, Any], *, set_row: int) -> Iterator[Statement]:
    for line in details.get("statements", ()):
        yield rdf_statements.rename_blank_nodes(rdf_statements.read_line(line), f"s{set_row}")


def _describe_replacement(iri: Iri, term: VocabularyTerm, iri_of: Callable[[str], Iri]) -> Iterator[Statement]:
    if term.replaced_by is not None:
        yield Statement(iri, Iri(f"{DCT}isReplacedBy"), iri_of(term.replaced_by))


def _scheme(set_name: str) -> Iri:
    return Iri(f"urn:keepgraph:set:{set_name}")


# Export of the vocabulary as SHACL: a shape for each type and each predicate, to validate RDF data against.

_NUMBERS = ("integer", "decimal", "double", "float")
_DATES = ("date", "dateTime", "gYear", "gYearMonth")
_DATATYPE_NAMES = {"number": _NUMBERS, "date": _DATES, "url": ("anyURI",)}
"""The datatypes of XSD that literals of a kind may have; texts and identifiers may have any language too."""


def write_shacl(tx: Tx, set_names: Collection[str]) -> Iterator[str]:
    """The lines of a Turtle document with the shapes of the words of these sets, without retired ones.

    Raises:
        errors.VocabularyInvalid: there are no words to write.
    """
    words = read_words(tx, set_names, with_retired=False)
    shapes = _Shapes(words.iris)
    statements = [
        *(statement for _, definition in words.types for statement in shapes.describe_type(definition)),
        *(
            statement
            for term, definition in words.predicates
            for statement in shapes.describe_predicate(definition, has_binding_ends=term.has_binding_ends)
        ),
    ]
    return rdf_statements.write(statements)


class _Shapes:
    """The shapes of one document; blank nodes are numbered through it."""

    def __init__(self, iris: WordIris) -> None:
        self._iris = iris
        self._node_count = 0

    def describe_type(self, definition: TypeDefinition) -> Iterator[Statement]:
        """The shape of a type: its place among the types, and what nothing of it can be besides."""
        iri = self._iris.of_type(definition.name)
        shape = Iri(f"urn:keepgraph:shape:type:{definition.name}")
        for parent in definition.parents:
            yield Statement(iri, Iri(f"{RDFS}subClassOf"), self._iris.of_type(parent))
        yield Statement(iri, TYPE, Iri(f"{OWL}Class"))
        yield Statement(shape, TYPE, _shacl("NodeShape"))
        yield Statement(shape, _shacl("targetClass"), iri)
        yield from _describe_name(shape, definition)
        others: list[Statement] = []
        for other in definition.disjoint:
            node = self._new_node()
            yield Statement(shape, _shacl("not"), node)
            others.append(Statement(node, _shacl("class"), self._iris.of_type(other)))
        yield from others

    def describe_predicate(self, definition: PredicateDefinition, *, has_binding_ends: bool) -> Iterator[Statement]:
        """The shape of a predicate: the types at its ends, its literals, and how many values it may have."""
        iri = self._iris.of_predicate(definition.name)
        shape = Iri(f"urn:keepgraph:shape:predicate:{definition.name}")
        values = Iri(f"urn:keepgraph:shape:predicate:{definition.name}:values")
        yield Statement(shape, TYPE, _shacl("NodeShape"))
        yield Statement(shape, _shacl("targetSubjectsOf"), iri)
        if not has_binding_ends:
            yield Statement(shape, _shacl("severity"), _shacl("Warning"))
        nested: list[Statement] = []
        yield from self._describe_classes(shape, definition.sources, nested)
        yield Statement(shape, _shacl("property"), values)
        if "inverse_functional" in definition.flags:
            subjects = Iri(f"urn:keepgraph:shape:predicate:{definition.name}:subjects")
            objects_shape = Iri(f"urn:keepgraph:shape:predicate:{definition.name}:objects")
            path = self._new_node()
            nested += [
                Statement(objects_shape, TYPE, _shacl("NodeShape")),
                Statement(objects_shape, _shacl("targetObjectsOf"), iri),
                Statement(objects_shape, _shacl("property"), subjects),
                Statement(subjects, TYPE, _shacl("PropertyShape")),
                Statement(subjects, _shacl("path"), path),
                Statement(subjects, _shacl("maxCount"), _integer(1)),
                Statement(path, _shacl("inversePath"), iri),
            ]
        yield Statement(values, TYPE, _shacl("PropertyShape"))
        yield Statement(values, _shacl("path"), iri)
        yield from _describe_name(values, definition)
        if not has_binding_ends:
            yield Statement(values, _shacl("severity"), _shacl("Warning"))
        if definition.literal_kind is not None:
            yield from self._describe_literals(values, definition.literal_kind, nested)
        else:
            yield from self._describe_classes(values, definition.targets, nested)
        if "functional" in definition.flags:
            yield Statement(values, _shacl("maxCount"), _integer(1))
        yield from nested

    def _describe_classes(self, shape: Resource, types: Sequence[str], nested: list[Statement]) -> Iterator[Statement]:
        """That a node is of one of these types; none given means any."""
        if len(types) == 1:
            yield Statement(shape, _shacl("class"), self._iris.of_type(types[0]))
        elif types:
            yield from self._describe_alternatives(
                shape, [(_shacl("class"), self._iris.of_type(name)) for name in types], nested
            )

    def _describe_literals(self, shape: Resource, kind: str, nested: list[Statement]) -> Iterator[Statement]:
        yield Statement(shape, _shacl("nodeKind"), _shacl("IRIOrLiteral" if kind == "url" else "Literal"))
        if kind == "url":
            return
        names = _DATATYPE_NAMES.get(kind)
        datatypes = (
            [Iri(f"{XSD}{name}") for name in names]
            if names
            else [
                DATATYPES[kind],
                Iri(f"{RDF}langString"),
            ]
        )
        yield from self._describe_alternatives(
            shape, [(_shacl("datatype"), datatype) for datatype in datatypes], nested
        )

    def _describe_alternatives(
        self, shape: Resource, alternatives: Sequence[tuple[Iri, Iri]], nested: list[Statement]
    ) -> Iterator[Statement]:
        """That one of several constraints holds: `sh:or` with a list of them."""
        nodes = [self._new_node() for _ in alternatives]
        cells = [self._new_node() for _ in alternatives]
        yield Statement(shape, _shacl("or"), cells[0])
        rests: list[Resource] = [*cells[1:], Iri(f"{RDF}nil")]
        for node, cell, rest, (predicate, value) in zip(nodes, cells, rests, alternatives, strict=True):
            nested += [
                Statement(cell, Iri(f"{RDF}first"), node),
                Statement(cell, Iri(f"{RDF}rest"), rest),
                Statement(node, predicate, value),
            ]

    def _new_node(self) -> BlankNode:
        self._node_count += 1
        return BlankNode(f"n{self._node_count}")


def _describe_name(shape: Resource, definition: TypeDefinition | PredicateDefinition) -> Iterator[Statement]:
    labels = [label for label in definition.labels if label.status == "preferred"]
    name = LabelDefinition("en", "preferred", definition.name.replace("_", " "))
    is_property = isinstance(definition, PredicateDefinition)
    for label in labels or [name]:
        yield Statement(
            shape, _shacl("name") if is_property else Iri(f"{RDFS}label"), Literal(label.text, label.language)
        )
    if definition.description:
        predicate = _shacl("description") if is_property else Iri(f"{RDFS}comment")
        yield Statement(shape, predicate, Literal(definition.description, "en"))


def _shacl(name: str) -> Iri:
    return Iri(f"{SHACL}{name}")


def _integer(number: int) -> Literal:
    return Literal(str(number), datatype=f"{XSD}integer")
