"""Reading of RDF documents by rdflib: Turtle, N-Triples, RDF/XML and JSON-LD, from the given bytes alone.

Nothing is followed or fetched; external entities and contexts at an address are refused. A statement `owl:imports` is
only a statement.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from xml.parsers import expat

from keepgraph import errors, package_files
from keepgraph.formats import records
from keepgraph.formats.rdf_statements import BlankNode, Iri, Literal, Statement, Term

MAX_BYTES = 50_000_000
_MAX_EXPANDED_BYTES = 100_000_000
_MAX_CHARACTERS = 400_000_000
_MAX_ENTITY_CHARACTERS = 500

TURTLE, RDF_XML, JSON_LD = "turtle", "xml", "json-ld"
_TITLES = {TURTLE: "Turtle", RDF_XML: "RDF/XML", JSON_LD: "JSON-LD"}

_XML_START = re.compile(r"\s*<(\?xml|!DOCTYPE|!--|[^\s<>]*\s[^>]*\bxmlns\b)")
_JSON_START = re.compile(r"\s*(\{|\[\s*[\[{\]])")
_OTHER_SYNTAXES = (
    (re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<Ontology\b", re.DOTALL), "OWL/XML"),
    (re.compile(r"\s*(Prefix\s*\(|Ontology\s*\()"), "OWL's functional syntax"),
    (re.compile(r"\s*(Prefix:|Ontology:)"), "OWL's Manchester syntax"),
    (re.compile(r"format-version:"), "OBO"),
    (re.compile(r"\s*<!DOCTYPE html|\s*<html\b", re.IGNORECASE), "a web page"),
)
_READ_AS_TURTLE = "Save it as Turtle, RDF/XML, JSON-LD or N-Triples; the editor that wrote it can do that."


def read(content: bytes, *, file_name: str) -> list[Statement]:
    """The statements of a document, each once, in the order in which they stand there.

    Args:
        file_name: the document's name, without a folder: relative IRIs are resolved against it.

    Raises:
        errors.VocabularyInvalid: it is in none of these formats, is not well-formed, is too large, or asks for
            something that is not in it.
        errors.InvalidArguments: rdflib is not installed.
    """
    if len(content) > MAX_BYTES:
        raise errors.VocabularyInvalid(
            f"the file has {len(content):,} bytes; at most {MAX_BYTES:,} are allowed", hint="Import a part of it."
        )
    format = _detect(content)
    if format == RDF_XML:
        _check_xml(content)
    elif format == JSON_LD:
        content = _check_json(content)
    return list(dict.fromkeys(_parse(content, format, base=f"file:///{quote(file_name)}")))


def _detect(content: bytes) -> str:
    """
    Raises:
        errors.VocabularyInvalid: it is in another syntax.
    """
    start = _decode_start(content)
    if not start.strip():
        raise errors.VocabularyInvalid("there is nothing in the file", hint=_READ_AS_TURTLE)
    for pattern, syntax in _OTHER_SYNTAXES:
        if pattern.match(start):
            raise errors.VocabularyInvalid(f"the file is {syntax}, which cannot be read", hint=_READ_AS_TURTLE)
    if _XML_START.match(start):
        return RDF_XML
    if _JSON_START.match(start) and _is_json(content):
        return JSON_LD
    return TURTLE  # N-Triples is Turtle too


def _decode_start(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content[:20_000].decode("utf-16", "replace")
    return content[:10_000].decode("utf-8-sig", "replace")


def _is_json(content: bytes) -> bool:
    """Whether it is JSON, and not Turtle that begins with a blank node."""
    try:
        json.loads(content)
    except RecursionError:
        return True
    except ValueError:
        return content.lstrip()[:1] == b"{"
    return True


# Hostile documents


def _check_xml(content: bytes) -> None:
    """Refuse entities that stand for a file, for another entity, or for too much.

    Editors of ontologies declare short entities for their namespaces, and these are fine.

    Raises:
        errors.VocabularyInvalid: there are others, or it is not well-formed.
    """
    parser = expat.ParserCreate()
    expanded_size = len(content)

    def refuse(what: str) -> None:
        raise errors.VocabularyInvalid(
            f"line {parser.CurrentLineNumber}: {what}",
            hint="Nothing is fetched, and only short entities are expanded; write the text out instead.",
        )

    def check_doctype(name: str, system_id: str | None, public_id: str | None, has_subset: int) -> None:
        if system_id or public_id:
            refuse(f"the document type is declared elsewhere, at {(system_id or public_id or '')[:100]!r}")

    def check_entity(
        name: str,
        is_parameter: int,
        value: str | None,
        base: str | None,
        system_id: str | None,
        public_id: str | None,
        notation: str | None,
    ) -> None:
        nonlocal expanded_size
        if value is None:
            refuse(f"the entity {name[:60]!r} stands for {(system_id or public_id or 'something')[:100]!r}")
        elif is_parameter or len(value) > _MAX_ENTITY_CHARACTERS or re.search("[&<%]", value):
            refuse(f"the entity {name[:60]!r} stands for other entities, for elements or for a long text")
        else:
            reference = f"&{name};"
            for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
                expanded_size += content.count(reference.encode(encoding)) * len(value.encode())
        if expanded_size > _MAX_EXPANDED_BYTES:
            refuse(f"the entity {name[:60]!r} would make it too large")

    def refuse_attributes(element: str, *_: object) -> None:
        refuse(f"the document type gives attributes to {element[:60]!r}")

    parser.StartDoctypeDeclHandler = check_doctype
    parser.EntityDeclHandler = check_entity
    parser.AttlistDeclHandler = refuse_attributes
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise errors.VocabularyInvalid(f"it is not well-formed XML: {error}") from error
    except (ValueError, LookupError) as error:
        raise errors.VocabularyInvalid(f"its encoding is unknown: {error}") from error


def _check_json(content: bytes) -> bytes:
    """The same JSON, after a check that it refers to no context elsewhere.

    Raises:
        errors.VocabularyInvalid: one does, or it is not JSON.
    """
    try:
        document = json.loads(content)
        for context in _contexts(document):
            if isinstance(context, str):
                raise errors.VocabularyInvalid(
                    f"its context is at {context[:200]!r}, and nothing is fetched",
                    hint="Write that context into the file, in place of its address, and import the file again.",
                )
        return json.dumps(document).encode()
    except (ValueError, RecursionError) as error:
        raise errors.VocabularyInvalid(f"it is not JSON that can be read: {str(error)[:200]}") from error


def _contexts(value: Any) -> Iterator[Any]:
    """All contexts in a JSON-LD document, at any depth; an address for one that is elsewhere."""
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending += value
        elif isinstance(value, dict):
            pending += value.values()
            if "@context" in value:
                context = value["@context"]
                yield from context if isinstance(context, list) else [context]
            if isinstance(value.get("@import"), str):
                yield value["@import"]


# Parsing


def _parse(content: bytes, format: str, *, base: str) -> Iterator[Statement]:
    try:
        import rdflib
        from rdflib.exceptions import ParserError
        from rdflib.plugins.parsers.notation3 import BadSyntax
        from rdflib.store import Store
    except ImportError as error:
        raise errors.InvalidArguments(
            "RDF cannot be read: rdflib is not installed", hint=package_files.extra_hint("rdf")
        ) from error
    import logging
    import warnings
    from xml.sax import SAXException

    class StatementList(Store):
        """A store that only lists what is added to it: nothing is looked up, so nothing has to be indexed."""

        context_aware = True
        graph_aware = True

        def __init__(self) -> None:
            super().__init__()
            self.triples_added: list[Any] = []
            self._character_count = 0

        def add(self, triple: Any, context: Any, quoted: bool = False) -> None:
            self.triples_added.append(triple)
            self._character_count += len(triple[0]) + len(triple[2])
            if self._character_count > _MAX_CHARACTERS:  # a long namespace under a short prefix
                raise errors.VocabularyInvalid("its names and texts are too long", hint="Import a part of it.")

        def bind(self, prefix: str, namespace: Any, override: bool = True) -> None:
            pass

        def namespaces(self) -> Iterator[Any]:
            return iter(())

        def namespace(self, prefix: str) -> None:
            return None

        def prefix(self, namespace: Any) -> None:
            return None

    if format == TURTLE and content.startswith((b"\xff\xfe", b"\xfe\xff")):
        content = content.decode("utf-16", "replace").encode()
    store = StatementList()
    logger = logging.getLogger("rdflib.term")
    was_disabled = logger.disabled
    logger.disabled = True  # it prints every literal that does not fit its datatype
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            graph = rdflib.Graph(store=store, bind_namespaces="none")
            graph.parse(data=content, format=format, publicID=base)
    except (BadSyntax, ParserError, SAXException) as error:
        message = str(getattr(error, "message", None) or error).splitlines()
        raise errors.VocabularyInvalid(
            f"it is not {_TITLES[format]} that can be read: {_describe(error, message)}"
        ) from error
    except RecursionError as error:
        raise errors.VocabularyInvalid("it is nested too deeply to be read") from error
    except (ValueError, LookupError, TypeError, AttributeError, AssertionError) as error:
        # What rdflib raises for documents that no parser should accept; it has no class of its own for them.
        raise errors.VocabularyInvalid(f"it is not {_TITLES[format]} that can be read: {str(error)[:200]}") from error
    finally:
        logger.disabled = was_disabled
    return _statements(store.triples_added, rdflib)


def _describe(error: Exception, lines: list[str]) -> str:
    place = f"line {error.lines + 1}: {error._why}" if hasattr(error, "_why") and hasattr(error, "lines") else ""
    return (place or " ".join(lines))[:300]


def _statements(triples: list[Any], rdflib: Any) -> Iterator[Statement]:
    """The triples of rdflib as statements; blank nodes are numbered in the order in which they come."""
    terms: dict[Any, Term] = {}
    nodes: dict[str, BlankNode] = {}

    def convert(term: Any) -> Term:
        if isinstance(term, rdflib.Literal):
            text = records.replace_invalid(str(term))
            return Literal(text, term.language or "", str(term.datatype or ""))
        if isinstance(term, rdflib.BNode):
            return nodes.setdefault(str(term), BlankNode(f"b{len(nodes) + 1}"))
        return Iri(records.replace_invalid(str(term)))

    def shared(term: Any) -> Any:
        converted = terms.get(term)
        if converted is None:
            converted = terms[term] = convert(term)
        return converted

    for subject, predicate, object_ in triples:
        is_literal = isinstance(object_, rdflib.Literal)
        yield Statement(shared(subject), shared(predicate), convert(object_) if is_literal else shared(object_))
