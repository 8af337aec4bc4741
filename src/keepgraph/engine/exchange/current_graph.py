"""The current graph of a group for other programs: a table of facts, GraphML, and RDF statements.

Current facts are neither retracted nor ended; facts that begin later are included, with their beginning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from xml.sax import saxutils

from keepgraph import store
from keepgraph.engine.exchange import rdf_export
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.formats import csv_tables, rdf_statements
from keepgraph.formats.rdf_statements import RDF, RDFS, SCHEMA, SKOS, TYPE, XSD, Iri, Literal, Resource, Statement
from keepgraph.store.transactions import Tx
from keepgraph.store.transfer import EntityRow, FactExportRow
from keepgraph.temporal import timestamps

TABLE_COLUMNS = tuple(csv_tables.FACT_COLUMNS)
"""The columns of a table of facts, in the order in which `table` has them."""


class _Fact(NamedTuple):
    """A current fact; its validity as days where it begins and ends with them.

    Attributes:
        assertions: each source, None for none, with a confidence from 0 to 1; each pair once.
        scope: the projects in which it holds, as `project:Atlas`; empty: everywhere.
    """

    row: FactExportRow
    valid_from: str | None
    valid_to: str | None
    assertions: tuple[tuple[str | None, float], ...]
    scope: tuple[str, ...]

    @property
    def sources(self) -> list[str]:
        return list(dict.fromkeys(source for source, _ in self.assertions if source))


def _entities(tx: Tx) -> dict[str, EntityRow]:
    """The entities of the group by id, in the order of their ids."""
    return {row.id: row for batch in store.transfer.entities(tx) for row in batch if row.group == tx.group}


def _facts(tx: Tx, entities: Mapping[str, EntityRow]) -> Iterator[_Fact]:
    """The current facts about these entities, in the order of their ids."""
    now = tx.at
    by_row = {entity.row: entity for entity in entities.values()}
    projects = {id: f"{entity.type}:{entity.name}" for id, entity in entities.items()}
    for row, former in store.transfer.former_ids(tx, by_row).items():
        projects |= {id: projects[by_row[row].id] for (id,) in former}
    for batch in store.transfer.facts(tx):
        current = [
            fact
            for fact in batch
            if fact.retracted_at is None and fact.subject in entities and (fact.valid_to is None or fact.valid_to > now)
        ]
        assertions = store.transfer.assertions(tx, [fact.row for fact in current])
        for fact in current:
            yield _Fact(
                fact,
                timestamps.since(fact.valid_from, tx.zone),
                timestamps.until(fact.valid_to, tx.zone),
                tuple(dict.fromkeys((each.source, each.confidence) for _, each in assertions.get(fact.row, ()))),
                tuple(projects.get(id, id) for id in json.loads(fact.scope)),
            )


def _aliases(tx: Tx, entities: Mapping[str, EntityRow]) -> dict[int, list[str]]:
    """The aliases of entities by entity row."""
    found = store.transfer.aliases(tx, [entity.row for entity in entities.values()])
    return {row: [alias for alias, *_ in aliases] for row, aliases in found.items()}


# A table of facts, as formats/csv_tables.py reads it


def table(tx: Tx) -> Iterator[list[str | None]]:
    """Rows of TABLE_COLUMNS: one for each fact, source and project in which it holds."""
    entities = _entities(tx)
    for fact in _facts(tx, entities):
        subject = entities[fact.row.subject]
        object_ = entities[fact.row.object] if fact.row.object else None
        for source, confidence in fact.assertions or ((None, fact.row.confidence),):
            for project in fact.scope or (None,):
                cells = {
                    "subject_type": subject.type,
                    "subject": subject.name,
                    "predicate": fact.row.predicate,
                    "object_type": object_ and object_.type,
                    "object": object_ and object_.name,
                    "literal": fact.row.literal,
                    "source": source,
                    "confidence": str(confidence),
                    "valid_from": fact.valid_from,
                    "valid_to": fact.valid_to,
                    "scope": project,
                }
                yield [cells[column] for column in TABLE_COLUMNS]


# GraphML: an entity is a node, a fact an edge, and each literal a node of its own

GRAPHML_BEGINNING = '<?xml version="1.0" encoding="UTF-8"?>\n<!-- A Keepgraph graph -->'

_KEYS = {
    "node": ("label", "type", "summary", "aliases"),
    "edge": ("label", "valid_from", "valid_to", "confidence", "sources", "scope"),
}
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_CONTROL = re.compile("[\r\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def graphml(tx: Tx) -> Iterator[str]:
    """The lines of a GraphML document. Several aliases, sources or projects are lines of one value."""
    yield GRAPHML_BEGINNING
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for element, names in _KEYS.items():
        for name in names:
            kind = "double" if name == "confidence" else "string"
            yield f'<key id="{element}_{name}" for="{element}" attr.name="{name}" attr.type="{kind}"/>'
    yield '<graph id="keepgraph" edgedefault="directed">'
    entities = _entities(tx)
    aliases = _aliases(tx, entities)
    for entity in entities.values():
        values = (entity.name, entity.type, entity.summary, "\n".join(aliases.get(entity.row, ())))
        yield _element("node", f'id="{entity.id}"', values)
    for fact in _facts(tx, entities):
        target = fact.row.object or f"{fact.row.id}.literal"
        if fact.row.literal is not None:
            yield _element("node", f'id="{target}"', (fact.row.literal, "literal", "", ""))
        confidence, sources = str(fact.row.confidence), "\n".join(fact.sources)
        yield _element(
            "edge",
            f'id="{fact.row.id}" source="{fact.row.subject}" target="{target}"',
            (fact.row.predicate, fact.valid_from, fact.valid_to, confidence, sources, "\n".join(fact.scope)),
        )
    yield "</graph>"
    yield "</graphml>"


def _element(element: str, attributes: str, values: tuple[str | None, ...]) -> str:
    data = "".join(
        f'<data key="{element}_{name}">{_escape(value)}</data>'
        for name, value in zip(_KEYS[element], values, strict=True)
        if value
    )
    return f"<{element} {attributes}>{data}</{element}>"


def _escape(text: str) -> str:
    """A text in XML; what XML cannot hold becomes �, and what a terminal would interpret a reference."""
    escaped = saxutils.escape(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text))
    return _CONTROL.sub(lambda match: f"&#{ord(match[0])};", escaped)


# RDF: an entity is a resource, a fact a triple, and an rdf:Statement says where and since when it holds

TURTLE_BEGINNING = "# A Keepgraph graph"

_KEEPGRAPH = "urn:keepgraph:"
_DCT_SOURCE = Iri("http://purl.org/dc/terms/source")
_DATATYPES = {
    "number": ((r"[+-]?(\d+(\.\d*)?|\.\d+)", "decimal"), (r"[+-]?(\d+(\.\d*)?|\.\d+)[eE][+-]?\d+", "double")),
    "date": (
        (r"\d{4}", "gYear"),
        (r"\d{4}-\d\d", "gYearMonth"),
        (r"\d{4}-\d\d-\d\d", "date"),
        (r"--\d\d-\d\d", "gMonthDay"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?", "dateTime"),
    ),
    "url": ((r"https?://.*", "anyURI"),),
}
"""The datatypes of XSD for the kinds of literals, by how the literal is written; others are plain texts."""


def turtle(tx: Tx) -> Iterator[str]:
    """The lines of a Turtle document; words have the IRIs that `kg vocabulary export` gives them."""
    yield TURTLE_BEGINNING
    yield from rdf_statements.write(_statements(tx))


def _statements(tx: Tx) -> Iterator[Statement]:
    shipped = rdf_export.choose_sets(tx, (), with_shipped=True)
    iris = rdf_export.read_words(tx, shipped).iris
    predicates = graph_vocabulary.read(tx).predicate_by_name
    entities = _entities(tx)
    aliases = _aliases(tx, entities)
    for entity in entities.values():
        iri = _entity_iri(entity.id)
        yield Statement(iri, TYPE, iris.of_type(entity.type))
        yield Statement(iri, Iri(f"{RDFS}label"), Literal(entity.name))
        for alias in aliases.get(entity.row, ()):
            yield Statement(iri, Iri(f"{SKOS}altLabel"), Literal(alias))
        if entity.summary:
            yield Statement(iri, Iri(f"{RDFS}comment"), Literal(entity.summary))
    for fact in _facts(tx, entities):
        predicate, literal = iris.of_predicate(fact.row.predicate), fact.row.literal
        kind = predicates[fact.row.predicate].literal_kind
        object_ = _entity_iri(fact.row.object or "") if literal is None else _typed(literal, kind)
        triple = Statement(_entity_iri(fact.row.subject), predicate, object_)
        yield triple
        yield from _describe(Iri(f"{_KEEPGRAPH}fact:{fact.row.id}"), triple, fact)


def _describe(iri: Resource, triple: Statement, fact: _Fact) -> Iterator[Statement]:
    """A triple as a resource, with its validity, sources, confidence and scope."""
    yield Statement(iri, TYPE, Iri(f"{RDF}Statement"))
    for name, term in zip(("subject", "predicate", "object"), triple, strict=True):
        yield Statement(iri, Iri(f"{RDF}{name}"), term)
    for name, day in (("validFrom", fact.valid_from), ("validThrough", fact.valid_to)):
        if day is not None:
            yield Statement(iri, Iri(f"{SCHEMA[0]}{name}"), _typed(day, "date"))
    for source in fact.sources:
        yield Statement(iri, _DCT_SOURCE, Literal(source))
    yield Statement(iri, Iri(f"{_KEEPGRAPH}confidence"), _typed(str(fact.row.confidence), "number"))
    for project in fact.scope:
        yield Statement(iri, Iri(f"{_KEEPGRAPH}scope"), Literal(project))


def _entity_iri(id: str) -> Iri:
    return Iri(f"{_KEEPGRAPH}entity:{id}")


def _typed(text: str, kind: str | None) -> Literal:
    """A literal with the datatype that its kind and its writing give."""
    for pattern, datatype in _DATATYPES.get(kind or "", ()):
        if re.fullmatch(pattern, text, re.ASCII):
            return Literal(text, datatype=f"{XSD}{datatype}")
    return Literal(text)
