"""Writing of statements as Turtle: prefixes first, then a block for each subject."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from keepgraph.formats import rdf_statements
from keepgraph.formats.rdf_statements import Iri, Resource, Statement

_PREFIXES = {
    "dct": rdf_statements.DCT,
    "owl": rdf_statements.OWL,
    "rdf": rdf_statements.RDF,
    "rdfs": rdf_statements.RDFS,
    "schema": rdf_statements.SCHEMA[0],
    "sh": rdf_statements.SHACL,
    "skos": rdf_statements.SKOS,
    "xsd": rdf_statements.XSD,
}
_LOCAL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def write(statements: Iterable[Statement]) -> Iterator[str]:
    """The lines of a Turtle document; subjects stand in the order in which they come first."""
    by_subject: dict[Resource, list[Statement]] = {}
    for statement in statements:
        by_subject.setdefault(statement.subject, []).append(statement)
    for prefix, namespace in _PREFIXES.items():
        yield f"@prefix {prefix}: {rdf_statements.quote_iri(namespace)} ."
    cache: dict[str, str] = {}

    def write_iri(iri: str) -> str:
        written = cache.get(iri)
        if written is None:
            written = cache[iri] = _write_iri(iri)
        return written

    for subject, group in by_subject.items():
        yield ""
        yield rdf_statements.write_term(subject, write_iri)
        lines = [
            f"    {_write_predicate(predicate, write_iri(predicate))} {rdf_statements.write_term(object_, write_iri)}"
            for _, predicate, object_ in group
        ]
        yield from (f"{line} ;" for line in lines[:-1])
        yield f"{lines[-1]} ."


def _write_predicate(predicate: Iri, written: str) -> str:
    return "a" if predicate == rdf_statements.TYPE else written


def _write_iri(iri: str) -> str:
    for prefix, namespace in _PREFIXES.items():
        if iri.startswith(namespace) and _LOCAL_NAME.fullmatch(local := iri[len(namespace) :]):
            return f"{prefix}:{local}"
    return rdf_statements.quote_iri(iri)
