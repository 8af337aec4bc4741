"""RDF terms and statements as values, and as lines of N-Triples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
OWL: Final = "http://www.w3.org/2002/07/owl#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
SKOS: Final = "http://www.w3.org/2004/02/skos/core#"
SKOS_XL: Final = "http://www.w3.org/2008/05/skos-xl#"
DCT: Final = "http://purl.org/dc/terms/"
DC: Final = "http://purl.org/dc/elements/1.1/"
SHACL: Final = "http://www.w3.org/ns/shacl#"
SCHEMA: Final = ("https://schema.org/", "http://schema.org/")


class Iri(str):
    """The IRI of a resource."""

    __slots__ = ()


class BlankNode(str):
    """A resource without an IRI, by a label that means something in its document alone."""

    __slots__ = ()


class Literal(NamedTuple):
    """A text with its language or its datatype; at most one of them is not empty."""

    text: str
    language: str = ""
    datatype: str = ""


Resource: TypeAlias = Iri | BlankNode
Term: TypeAlias = Iri | BlankNode | Literal


class Statement(NamedTuple):
    """A triple."""

    subject: Resource
    predicate: Iri
    object: Term


TYPE: Final = Iri(f"{RDF}type")

_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\\x7f-\x9f]')
_NOT_IN_TEXT = re.compile(r'[\x00-\x1f"\\\x7f-\x9f\u2028\u2029\ud800-\udfff]')
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_ESCAPE = re.compile(r'\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([tbnrf"\'\\]))')
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_LINE = re.compile(
    r"""
    (?:<(?P<subject>[^>]*)>|_:(?P<subject_node>\S+))
    \s+<(?P<predicate>[^>]*)>
    \s+(?:
        <(?P<object>[^>]*)>
      | _:(?P<object_node>\S+)
      | "(?P<text>(?:[^"\\]|\\.)*)"(?:@(?P<language>[A-Za-z0-9-]+)|\^\^<(?P<datatype>[^>]*)>)?
    )
    \s*\.\s*
    """,
    re.VERBOSE | re.DOTALL,
)


def write_line(statement: Statement) -> str:
    """A statement as a line of N-Triples, without its end of line; the same statement is always the same line."""
    return f"{write_term(statement.subject)} {write_term(statement.predicate)} {write_term(statement.object)} ."


def write_term(term: Term, write_iri: Callable[[str], str] | None = None) -> str:
    """A term as N-Triples has it; `write_iri` writes IRIs in another way, as Turtle may."""
    write_iri = write_iri or quote_iri
    if isinstance(term, Literal):
        text = f'"{_NOT_IN_TEXT.sub(_escape, term.text)}"'
        if term.language:
            return f"{text}@{term.language}"
        return f"{text}^^{write_iri(term.datatype)}" if term.datatype else text
    return f"_:{term}" if isinstance(term, BlankNode) else write_iri(term)


def quote_iri(iri: str) -> str:
    """An IRI between angle brackets."""
    return f"<{_NOT_IN_IRI.sub(_escape_by_number, iri)}>"


def read_line(line: str) -> Statement:
    """The statement of a line of N-Triples.

    Raises:
        ValueError: it is none.
    """
    parts = _LINE.fullmatch(line)
    if parts is None:
        raise ValueError(f"not a line of N-Triples: {line[:100]!r}")
    object_: Term
    if parts["text"] is not None:
        object_ = Literal(_unescape(parts["text"]), parts["language"] or "", _unescape(parts["datatype"] or ""))
    else:
        object_ = _resource(parts["object"], parts["object_node"])
    return Statement(_resource(parts["subject"], parts["subject_node"]), Iri(_unescape(parts["predicate"])), object_)


def rename_blank_nodes(statement: Statement, prefix: str) -> Statement:
    """A statement whose blank nodes have labels that begin with a prefix, so that documents can be put together."""
    subject, predicate, object_ = statement
    if isinstance(subject, BlankNode):
        subject = BlankNode(prefix + subject)
    if isinstance(object_, BlankNode):
        object_ = BlankNode(prefix + object_)
    return Statement(subject, predicate, object_)


class StatementIndex:
    """The statements of a document by subject, and their objects by subject and predicate.

    Attributes:
        statements: by subject, subjects and statements in the order of the document.
    """

    def __init__(self, statements: Iterable[Statement]) -> None:
        self.statements: dict[Resource, list[Statement]] = {}
        self._values: dict[Resource, dict[str, list[Term]]] = {}
        for statement in statements:
            subject, predicate, object_ = statement
            self.statements.setdefault(subject, []).append(statement)
            self._values.setdefault(subject, {}).setdefault(predicate, []).append(object_)

    def values(self, subject: Resource, predicate: str) -> Sequence[Term]:
        """The objects of statements with this subject and predicate."""
        by_predicate = self._values.get(subject)
        return by_predicate.get(predicate, ()) if by_predicate else ()

    def all_values(self, subject: Resource, predicates: Iterable[str]) -> list[Term]:
        """The objects of statements with this subject and one of these predicates, in the order of the predicates."""
        return [value for predicate in predicates for value in self.values(subject, predicate)]

    def types(self, subject: Resource) -> set[str]:
        """The IRIs of the classes that a resource is said to be of."""
        return {str(value) for value in self.values(subject, TYPE) if isinstance(value, Iri)}


def _resource(iri: str | None, node: str | None) -> Resource:
    return BlankNode(node) if iri is None else Iri(_unescape(iri))


def _escape(match: re.Match[str]) -> str:
    return _SHORT_ESCAPES.get(match[0]) or _escape_by_number(match)


def _escape_by_number(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04X}"


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_unescape_match, text) if "\\" in text else text


def _unescape_match(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else _ESCAPED[match[3]]
