"""What RDF statements define: classes and concepts, properties, and individuals, in RDFS, OWL, SKOS or schema.org."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from typing import Literal as OneOf

from keepgraph import errors
from keepgraph.formats import rdf_statements
from keepgraph.formats.rdf_statements import (
    DC,
    DCT,
    OWL,
    RDF,
    RDFS,
    SCHEMA,
    SHACL,
    SKOS,
    SKOS_XL,
    TYPE,
    XSD,
    BlankNode,
    Iri,
    Label,
    Literal,
    Resource,
    Statement,
    StatementIndex,
    Term,
)

_MAX_LIST = 10_000
_MAX_EXAMPLES = 100
_MAX_VERSION = 100

LiteralKind = OneOf["text", "number", "date", "url", "identifier"]

_CLASS_TYPES = {f"{OWL}Class", f"{RDFS}Class", f"{OWL}DeprecatedClass"}
_DEPRECATED = {f"{OWL}DeprecatedClass", f"{OWL}DeprecatedProperty"}
_CONCEPT = f"{SKOS}Concept"
_PROPERTY_TYPES = {
    f"{RDF}Property",
    f"{OWL}ObjectProperty",
    f"{OWL}DatatypeProperty",
    f"{OWL}DeprecatedProperty",
    f"{OWL}SymmetricProperty",
    f"{OWL}AsymmetricProperty",
    f"{OWL}IrreflexiveProperty",
    f"{OWL}TransitiveProperty",
    f"{OWL}FunctionalProperty",
    f"{OWL}InverseFunctionalProperty",
}
FLAG_BY_TYPE: Mapping[str, str] = {
    f"{OWL}SymmetricProperty": "symmetric",
    f"{OWL}AsymmetricProperty": "asymmetric",
    f"{OWL}IrreflexiveProperty": "irreflexive",
    f"{OWL}TransitiveProperty": "transitive",
    f"{OWL}FunctionalProperty": "functional",
    f"{OWL}InverseFunctionalProperty": "inverse_functional",
}
_NOT_INDIVIDUALS = {*_CLASS_TYPES, *_PROPERTY_TYPES, f"{OWL}AnnotationProperty", f"{RDFS}Datatype"}
_INDIVIDUAL_TYPES = {f"{OWL}NamedIndividual", f"{OWL}Thing"}
_BUILT_IN = (OWL, RDF, RDFS, SHACL, SKOS, SKOS_XL)
_ANYTHING = {f"{OWL}Thing", f"{OWL}Nothing", f"{RDFS}Resource", f"{RDFS}Class", f"{OWL}Class"}
_DATATYPE_TYPES = {f"{RDFS}Datatype", *(f"{namespace}DataType" for namespace in SCHEMA)}

_KIND_BY_DATATYPE: dict[str, LiteralKind] = {
    **dict.fromkeys(
        [f"{RDFS}Literal", f"{RDF}langString", f"{RDF}PlainLiteral", f"{RDF}HTML", f"{RDF}XMLLiteral"], "text"
    ),
    **dict.fromkeys([f"{XSD}{name}" for name in ("string", "normalizedString", "language", "boolean")], "text"),
    **dict.fromkeys([f"{XSD}{name}" for name in ("token", "NMTOKEN", "Name", "NCName", "ID")], "identifier"),
    **dict.fromkeys(
        [
            f"{XSD}{name}"
            for name in """
            integer decimal float double int long short byte nonNegativeInteger positiveInteger nonPositiveInteger
            negativeInteger unsignedInt unsignedLong unsignedShort unsignedByte
            """.split()
        ],
        "number",
    ),
    **dict.fromkeys([f"{OWL}real", f"{OWL}rational"], "number"),
    **dict.fromkeys([f"{XSD}{name}" for name in ("date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth")], "date"),
    f"{XSD}anyURI": "url",
    **{f"{namespace}{name}": "text" for namespace in SCHEMA for name in ("Text", "Boolean", "Time")},
    **{f"{namespace}{name}": "number" for namespace in SCHEMA for name in ("Number", "Integer", "Float")},
    **{f"{namespace}{name}": "date" for namespace in SCHEMA for name in ("Date", "DateTime")},
    **{f"{namespace}URL": "url" for namespace in SCHEMA},
}

_TITLES = (f"{DCT}title", f"{DC}title", f"{RDFS}label", f"{SKOS}prefLabel")
_SUBCLASS = f"{RDFS}subClassOf"
_BROADER, _NARROWER = f"{SKOS}broader", f"{SKOS}narrower"


@dataclass(frozen=True, slots=True)
class Definition:
    """What the definitions of types and of properties have in common.

    Attributes:
        labels: each text once in a language, at most one of a language preferred.
    """

    iri: Iri
    labels: tuple[Label, ...] = ()
    description: str = ""
    examples: tuple[str, ...] = ()
    notation: str = ""
    is_deprecated: bool = False


@dataclass(frozen=True, slots=True)
class TypeDefinition(Definition):
    """A class, or a concept of SKOS.

    Attributes:
        parents, disjoint: IRIs of types; the parents are in the document, and none is a kind of itself.
    """

    is_concept: bool = False
    parents: tuple[Iri, ...] = ()
    disjoint: tuple[Iri, ...] = ()


@dataclass(frozen=True, slots=True)
class PropertyDefinition(Definition):
    """A property.

    Attributes:
        sources, targets: IRIs of classes, which need not be in the document; none means any.
        inverse_of: a property that is not an inverse itself.
        literal_kind: where its values are literals.
    """

    sources: tuple[Iri, ...] = ()
    targets: tuple[Iri, ...] = ()
    inverse_of: Iri | None = None
    flags: frozenset[str] = frozenset()
    literal_kind: LiteralKind | None = None


@dataclass(frozen=True, slots=True)
class Individual:
    """An individual of a class, or a concept, with the statements about it."""

    iri: Iri
    classes: tuple[Iri, ...]
    labels: tuple[Label, ...]
    description: str
    statements: tuple[Statement, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class RdfVocabulary:
    """What a document defines.

    Attributes:
        iri: that of its ontology or of its concept scheme; empty if it has none.
        imports: ontologies that it says it builds upon; they are not read.
        statements: all of them, by their subject.
    """

    iri: str
    title: str
    version: str
    imports: tuple[str, ...]
    types: tuple[TypeDefinition, ...]
    properties: tuple[PropertyDefinition, ...]
    individuals: tuple[Individual, ...]
    statements: Mapping[Resource, Sequence[Statement]] = field(repr=False)

    @property
    def is_thesaurus(self) -> bool:
        """Whether it consists of concepts rather than of classes."""
        concept_count = sum(definition.is_concept for definition in self.types)
        return concept_count > 0 and 2 * concept_count >= len(self.types)


def define(statements: Iterable[Statement]) -> RdfVocabulary:
    """Read definitions from statements.

    Raises:
        errors.VocabularyConflict: a type would be a kind of itself; the message names the cycle.
        errors.VocabularyInvalid: a hierarchy is too deep, or nothing is defined.
    """
    return _Reader(statements).read()


class _Reader:
    """The statements of a document, by subject and predicate, and what has been read from them."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self._index = StatementIndex(statements)
        self._subjects = [subject for subject in self._index.statements if isinstance(subject, Iri)]

    def read(self) -> RdfVocabulary:
        properties = [iri for iri in self._subjects if self._is_property(iri)]
        datatypes = self._datatypes()
        classes = [iri for iri in self._subjects if self._is_class(iri) and iri not in datatypes]
        concept_classes = {_CONCEPT, *_descendants([_CONCEPT], self._edges(classes, _SUBCLASS))}
        concepts = [iri for iri in self._subjects if not concept_classes.isdisjoint(self._index.types(iri))]
        known_concepts = set(concepts)
        # The classes of a thesaurus's concepts say how it is made; what it is about are the concepts.
        types = [iri for iri in classes if iri not in concept_classes and iri not in known_concepts] + concepts
        parents = self._parents(types, known_concepts)
        _refuse_cycles(parents, self._name)
        individuals = [iri for iri in self._subjects if self._is_individual(iri, known_concepts)]
        head = self._head()
        if not types and not properties and not individuals:
            raise errors.VocabularyInvalid(
                "the file defines no class, no property and no concept",
                hint="Import an ontology (RDFS or OWL) or a thesaurus (SKOS).",
            )
        title, version = "", ""
        imports: tuple[str, ...] = ()
        if head is not None:
            title = rdf_statements.text_in_english(self._index.all_values(head, _TITLES))
            versions = self._index.all_values(head, [f"{OWL}versionInfo", f"{DCT}hasVersion"])
            version = rdf_statements.text_in_english(versions)[:_MAX_VERSION].strip()
            imports = tuple(str(value) for value in self._index.values(head, f"{OWL}imports"))
        inverses = self._inverses(properties)
        return RdfVocabulary(
            iri=head or "",
            title=title,
            version=version,
            imports=imports,
            types=tuple(self._read_type(iri, parents[iri], is_concept=iri in known_concepts) for iri in types),
            properties=tuple(self._read_property(iri, inverses.get(iri), datatypes) for iri in properties),
            individuals=tuple(map(self._read_individual, individuals)),
            statements=self._index.statements,
        )

    # What is what

    def _is_class(self, iri: Iri) -> bool:
        if iri in _ANYTHING or iri.startswith((XSD, RDF)):
            return False
        return not _CLASS_TYPES.isdisjoint(self._index.types(iri)) or bool(self._index.values(iri, _SUBCLASS))

    def _is_property(self, iri: Iri) -> bool:
        types = self._index.types(iri)
        return not _PROPERTY_TYPES.isdisjoint(types) and f"{OWL}AnnotationProperty" not in types

    def _is_individual(self, iri: Iri, concepts: Collection[str]) -> bool:
        types = self._index.types(iri)
        if iri in concepts:
            return True
        is_of_class = any(type_ in _INDIVIDUAL_TYPES or not type_.startswith(_BUILT_IN) for type_ in types)
        return is_of_class and _NOT_INDIVIDUALS.isdisjoint(types) and not self._index.values(iri, _SUBCLASS)

    def _datatypes(self) -> set[Iri]:
        """The resources that are datatypes: as they say, or as what they are a kind of says."""
        declared = [
            iri
            for iri in self._subjects
            if iri in _DATATYPE_TYPES or not _DATATYPE_TYPES.isdisjoint(self._index.types(iri))
        ]
        roots = [*declared, *map(Iri, _KIND_BY_DATATYPE)]
        return {*declared, *_descendants(roots, self._edges(self._subjects, _SUBCLASS))}

    def _edges(self, subjects: Iterable[Iri], predicate: str) -> Iterator[tuple[Iri, Iri]]:
        for subject in subjects:
            for value in self._index.values(subject, predicate):
                if isinstance(value, Iri):
                    yield subject, value

    def _head(self) -> Iri | None:
        """The ontology, or else the concept scheme, that the document is about."""
        for kind in (f"{OWL}Ontology", f"{SKOS}ConceptScheme"):
            for subject in self._subjects:
                if kind in self._index.types(subject):
                    return subject
        return None

    # Types

    def _parents(self, types: Sequence[Iri], concepts: Collection[str]) -> dict[Iri, list[Iri]]:
        """The parents of each type among the types: classes of classes, concepts of concepts."""
        parents: dict[Iri, dict[Iri, None]] = {iri: {} for iri in types}
        edges = [*self._edges(types, _SUBCLASS), *self._edges((iri for iri in types if iri in concepts), _BROADER)]
        edges += [(child, parent) for parent, child in self._edges(types, _NARROWER)]
        for child, parent in edges:
            if child in parents and parent in parents and (parent in concepts) == (child in concepts):
                parents[child][parent] = None
        return {iri: list(above) for iri, above in parents.items()}

    def _read_type(self, iri: Iri, parents: Sequence[Iri], *, is_concept: bool) -> TypeDefinition:
        others = self._index.values(iri, f"{OWL}disjointWith")
        return TypeDefinition(
            **self._shared_values(iri),
            is_concept=is_concept,
            parents=tuple(parents),
            disjoint=tuple(other for other in others if isinstance(other, Iri) and other != iri),
        )

    # Properties

    def _read_property(self, iri: Iri, inverse_of: Iri | None, datatypes: Collection[str]) -> PropertyDefinition:
        types = self._index.types(iri)
        targets, has_open_range = self._ends(iri, [f"{RDFS}range", *(f"{name}rangeIncludes" for name in SCHEMA)])
        sources, has_open_domain = self._ends(iri, [f"{RDFS}domain", *(f"{name}domainIncludes" for name in SCHEMA)])
        kinds = {self._literal_kind(target, datatypes) for target in targets}
        literal_kind: LiteralKind | None = None
        if f"{OWL}DatatypeProperty" in types and not targets:
            literal_kind = "text"
        elif targets and None not in kinds and not has_open_range:
            literal_kind = kinds.pop() if len(kinds) == 1 else "text"
        # Where its values are entities as well as literals, no end can be required.
        if literal_kind or has_open_range or len(kinds) > 1 or None not in kinds:
            targets = []
        flags = {flag for type_, flag in FLAG_BY_TYPE.items() if type_ in types}
        if iri in self._index.values(iri, f"{OWL}inverseOf"):
            flags.add("symmetric")
        if "symmetric" in flags:
            flags.discard("asymmetric")
        return PropertyDefinition(
            **self._shared_values(iri),
            sources=() if has_open_domain else tuple(sources),
            targets=tuple(targets),
            inverse_of=inverse_of,
            flags=frozenset(flags),
            literal_kind=literal_kind,
        )

    def _ends(self, iri: Iri, predicates: Iterable[str]) -> tuple[list[Iri], bool]:
        """The classes at one side of a property; and whether other resources may stand there as well."""
        ends: dict[Iri, None] = {}
        is_open = False
        for value in self._index.all_values(iri, predicates):
            members = self._union(value)
            if members is None or any(member in _ANYTHING for member in members):
                is_open = True
            ends.update(dict.fromkeys(members or ()))
        return list(ends), is_open

    def _union(self, value: Term) -> list[Iri] | None:
        """The classes of which a class is the union, itself if it is named; None if they are not told by name."""
        if isinstance(value, Iri):
            return [value]
        if not isinstance(value, BlankNode):
            return None
        members: list[Iri] = []
        for first in self._index.values(value, f"{OWL}unionOf"):
            for member in self._list(first):
                if not isinstance(member, Iri):
                    return None
                members.append(member)
        return members or None

    def _list(self, node: Term) -> Iterator[Term]:
        for _ in range(_MAX_LIST):
            if not isinstance(node, Iri | BlankNode) or node == f"{RDF}nil":
                return
            yield from self._index.values(node, f"{RDF}first")[:1]
            rest = self._index.values(node, f"{RDF}rest")
            if not rest:
                return
            node = rest[0]

    def _literal_kind(self, iri: Iri, datatypes: Collection[str]) -> LiteralKind | None:
        """The kind of the literals of a datatype; None for a class."""
        seen: set[Iri] = set()
        pending = [iri]
        while pending:
            datatype = pending.pop()
            if kind := _KIND_BY_DATATYPE.get(datatype):
                return kind
            if datatype not in seen:
                seen.add(datatype)
                pending += [value for value in self._index.values(datatype, _SUBCLASS) if isinstance(value, Iri)]
        return "text" if iri in datatypes or iri.startswith(XSD) else None

    def _inverses(self, properties: Sequence[Iri]) -> dict[Iri, Iri]:
        """The properties that are the inverse of another that is not an inverse itself."""
        known = set(properties)
        inverses: dict[Iri, Iri] = {}
        primary: set[Iri] = set()
        for inverse, other in self._edges(properties, f"{OWL}inverseOf"):
            if (
                other in known
                and inverse != other
                and not {inverse, other} & inverses.keys()
                and inverse not in primary
            ):
                inverses[inverse] = other
                primary.add(other)
        return inverses

    # Notes

    def _shared_values(self, iri: Iri) -> dict[str, Any]:
        """What the definitions of types and of properties have in common."""
        notations, examples = (
            [
                value.text
                for value in self._index.values(iri, f"{SKOS}{name}")
                if isinstance(value, Literal) and 0 < len(value.text) <= rdf_statements.MAX_LABEL_CHARACTERS
            ]
            for name in ("notation", "example")
        )
        return {
            "iri": iri,
            "labels": rdf_statements.read_labels(self._index, iri),
            "description": rdf_statements.read_description(self._index, iri),
            "examples": tuple(examples[:_MAX_EXAMPLES]),
            "notation": notations[0] if notations else "",
            "is_deprecated": self._is_deprecated(iri),
        }

    def _is_deprecated(self, iri: Iri) -> bool:
        stated = [value.text for value in self._index.values(iri, f"{OWL}deprecated") if isinstance(value, Literal)]
        return bool({"true", "1"}.intersection(stated)) or not _DEPRECATED.isdisjoint(self._index.types(iri))

    def _name(self, iri: Iri) -> str:
        preferred = [
            label.text for label in rdf_statements.read_labels(self._index, iri) if label.status == "preferred"
        ]
        return preferred[0][:60] if preferred else rdf_statements.local_name(iri)[:60] or iri[:60]

    def _read_individual(self, iri: Iri) -> Individual:
        return Individual(
            iri,
            classes=tuple(value for value in self._index.values(iri, TYPE) if isinstance(value, Iri)),
            labels=rdf_statements.read_labels(self._index, iri),
            description=rdf_statements.read_description(self._index, iri),
            statements=tuple(self._index.statements[iri]),
        )


# Hierarchies in RDF: what is below something, and the refusal of cycles and of what is too deep.

_MAX_DEPTH = 100
"""Levels of a hierarchy, at most."""

_MAX_ANCESTORS = 2_000_000
"""Pairs of a type and of a type above it, at any distance, at most."""


def _descendants(roots: Iterable[str], edges: Iterable[tuple[Iri, Iri]]) -> set[Iri]:
    """What leads to one of the roots, by any number of edges."""
    children: dict[str, list[Iri]] = defaultdict(list)
    for child, parent in edges:
        children[parent].append(child)
    below: set[Iri] = set()
    pending = list(roots)
    while pending:
        for child in children.get(pending.pop(), ()):
            if child not in below:
                below.add(child)
                pending.append(child)
    return below


def _refuse_cycles(parents: Mapping[Iri, Sequence[Iri]], name: Callable[[Iri], str]) -> None:
    """Check that nothing is below itself; `name` names it for people.

    Raises:
        errors.VocabularyConflict: something is below itself.
        errors.VocabularyInvalid: there are too many levels, or too many parents.
    """
    children: dict[Iri, list[Iri]] = defaultdict(list)
    for child, above in parents.items():
        for parent in above:
            children[parent].append(child)
    waiting = {iri: len(above) for iri, above in parents.items()}
    ancestors: dict[Iri, set[Iri]] = {}
    ancestor_count = 0
    level = [iri for iri, count in waiting.items() if count == 0]
    depth = 0
    while level:
        depth += 1
        if depth > _MAX_DEPTH:
            raise errors.VocabularyInvalid(
                f"{name(level[0])!r} is more than {_MAX_DEPTH} levels deep", hint="Import a part of the file."
            )
        below = []
        for iri in level:
            del waiting[iri]
            ancestors[iri] = set(parents[iri]).union(*(ancestors[parent] for parent in parents[iri]))
            ancestor_count += len(ancestors[iri])
            if ancestor_count > _MAX_ANCESTORS:
                raise errors.VocabularyInvalid("its types have too many parents", hint="Import a part of the file.")
            for child in children[iri]:
                waiting[child] -= 1
                if waiting[child] == 0:
                    below.append(child)
        level = below
    if waiting:
        cycle = _find_cycle(parents, waiting)
        shown = [name(iri) for iri in cycle[:10]] + ["…"] * (len(cycle) > 10)
        raise errors.VocabularyConflict(
            f"each of these is a kind of the next, and so of itself: {' → '.join([*shown, name(cycle[0])])}",
            hint="Take one of these statements out of the file: rdfs:subClassOf, skos:broader or skos:narrower.",
        )


def _find_cycle(parents: Mapping[Iri, Sequence[Iri]], waiting: Collection[Iri]) -> list[Iri]:
    """A cycle among what is below itself, or below a cycle: going up from there always ends in one."""
    path: dict[Iri, int] = {}
    iri = next(iter(waiting))
    while iri not in path:
        path[iri] = len(path)
        iri = next(parent for parent in parents[iri] if parent in waiting)
    return list(path)[path[iri] :]
