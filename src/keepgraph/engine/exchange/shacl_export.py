"""Export of the vocabulary as SHACL: a shape for each type and each predicate, to validate RDF data against."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from keepgraph.engine.exchange import rdf_description, rdf_export
from keepgraph.engine.exchange.rdf_description import WordIris
from keepgraph.engine.vocabulary.definitions import LabelDefinition, PredicateDefinition, TypeDefinition
from keepgraph.formats import rdf_statements
from keepgraph.formats.rdf_statements import (
    OWL,
    RDF,
    RDFS,
    SHACL,
    TYPE,
    XSD,
    BlankNode,
    Iri,
    Literal,
    Resource,
    Statement,
)
from keepgraph.store.transactions import Tx

_NUMBERS = ("integer", "decimal", "double", "float")
_DATES = ("date", "dateTime", "gYear", "gYearMonth")
_DATATYPE_NAMES = {"number": _NUMBERS, "date": _DATES, "url": ("anyURI",)}
"""The datatypes of XSD that literals of a kind may have; texts and identifiers may have any language too."""


def write_shacl(tx: Tx, set_names: Collection[str]) -> Iterator[str]:
    """The lines of a Turtle document with the shapes of the words of these sets, those aside that are retired.

    Raises:
        errors.VocabularyInvalid: there are no words to write.
    """
    words = rdf_export.read_words(tx, set_names, with_retired=False)
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
                rdf_description.DATATYPES[kind],
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
