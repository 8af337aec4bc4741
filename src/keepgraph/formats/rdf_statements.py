"""RDF terms and statements as values, and as lines of N-Triples."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
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

_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\\x7f-\x9f\u202a-\u202e\u2066-\u2069]')
_NOT_IN_TEXT = re.compile(r'[\x00-\x1f"\\\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]')
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


# Labels and descriptions of resources in RDF: of SKOS, SKOS-XL, RDFS, Dublin Core, FOAF and schema.org.

MAX_LABEL_CHARACTERS = 500
_MAX_DESCRIPTION_CHARACTERS = 2000
_MAX_LANGUAGE_CHARACTERS = 35

_PREFERRED_LABELS = (
    f"{SKOS}prefLabel",
    f"{RDFS}label",
    "http://xmlns.com/foaf/0.1/name",
    *(f"{namespace}name" for namespace in SCHEMA),
    f"{DCT}title",
    f"{DC}title",
)
_ALTERNATIVE_LABELS = (f"{SKOS}altLabel", "http://www.geneontology.org/formats/oboInOwl#hasExactSynonym")
_HIDDEN_LABELS = (f"{SKOS}hiddenLabel",)
_DESCRIPTIONS = (
    f"{SKOS}definition",
    f"{RDFS}comment",
    "http://purl.obolibrary.org/obo/IAO_0000115",
    f"{DCT}description",
    f"{DC}description",
    f"{SKOS}scopeNote",
)
NAMING_PREDICATES = frozenset([*_PREFERRED_LABELS, *_ALTERNATIVE_LABELS, *_HIDDEN_LABELS, *_DESCRIPTIONS])
"""What is said by labels and descriptions."""

_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


@dataclass(frozen=True, slots=True)
class Label:
    """A label; `status` is "preferred", "alternative" or "hidden", and `language` is empty if none is given."""

    language: str
    status: str
    text: str


def read_labels(index: StatementIndex, iri: Iri) -> tuple[Label, ...]:
    """The labels of a resource, each text once in a language, at most one of a language preferred."""
    labels: dict[tuple[str, str], Label] = {}
    with_preferred: set[str] = set()
    for status, predicates, form in (
        ("preferred", _PREFERRED_LABELS, f"{SKOS_XL}prefLabel"),
        ("alternative", _ALTERNATIVE_LABELS, f"{SKOS_XL}altLabel"),
        ("hidden", _HIDDEN_LABELS, f"{SKOS_XL}hiddenLabel"),
    ):
        for value in (*index.all_values(iri, predicates), *_label_forms(index, iri, form)):
            if not isinstance(value, Literal) or not value.text.strip() or len(value.text) > MAX_LABEL_CHARACTERS:
                continue
            language = value.language if _is_language(value.language) else ""
            given = status
            if status == "preferred":
                given = "alternative" if language in with_preferred else "preferred"
                with_preferred.add(language)
            labels.setdefault((language, value.text), Label(language, given, value.text))
    return tuple(labels.values())


def read_description(index: StatementIndex, iri: Iri) -> str:
    """What a resource means, in English if there is such a text; empty if nothing is said of it."""
    for predicate in _DESCRIPTIONS:
        if text := text_in_english(index.values(iri, predicate)):
            return text[:_MAX_DESCRIPTION_CHARACTERS]
    return ""


def local_name(iri: str) -> str:
    """The last part of an IRI: what comes after `#`, else after the last `/` or `:`."""
    return re.split(r"[#/:]", iri.rstrip("#/"))[-1]


def preferred_text(labels: Sequence[Label]) -> str:
    """The label used as a name: preferred labels first, English before no language and other languages."""

    def rank(label: Label) -> tuple[bool, int]:
        return label.status != "preferred", _language_rank(label.language)

    return min(labels, key=rank).text if labels else ""


def text_in_english(values: Iterable[Term]) -> str:
    texts = [value for value in values if isinstance(value, Literal) and value.text.strip()]
    return min(texts, key=lambda value: _language_rank(value.language)).text if texts else ""


def _is_language(tag: str) -> bool:
    return len(tag) <= _MAX_LANGUAGE_CHARACTERS and _LANGUAGE.fullmatch(tag) is not None


def _language_rank(language: str) -> int:
    tag = language.lower()
    if tag == "en":
        return 0
    if tag.startswith("en-"):
        return 1
    return 3 if tag else 2


def _label_forms(index: StatementIndex, iri: Iri, predicate: str) -> Iterator[Term]:
    for label in index.values(iri, predicate):
        if isinstance(label, Iri | BlankNode):
            yield from index.values(label, f"{SKOS_XL}literalForm")


# Writing of statements as Turtle: prefixes first, then a block for each subject.

_PREFIXES = {
    "dct": DCT,
    "owl": OWL,
    "rdf": RDF,
    "rdfs": RDFS,
    "schema": SCHEMA[0],
    "sh": SHACL,
    "skos": SKOS,
    "xsd": XSD,
}
_LOCAL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def write(statements: Iterable[Statement]) -> Iterator[str]:
    """The lines of a Turtle document; subjects stand in the order in which they come first."""
    by_subject: dict[Resource, list[Statement]] = {}
    for statement in statements:
        by_subject.setdefault(statement.subject, []).append(statement)
    for prefix, namespace in _PREFIXES.items():
        yield f"@prefix {prefix}: {quote_iri(namespace)} ."
    cache: dict[str, str] = {}

    def write_iri(iri: str) -> str:
        written = cache.get(iri)
        if written is None:
            written = cache[iri] = _write_iri(iri)
        return written

    for subject, group in by_subject.items():
        yield ""
        yield write_term(subject, write_iri)
        lines = [
            f"    {_write_predicate(predicate, write_iri(predicate))} {write_term(object_, write_iri)}"
            for _, predicate, object_ in group
        ]
        yield from (f"{line} ;" for line in lines[:-1])
        yield f"{lines[-1]} ."


def _write_predicate(predicate: Iri, written: str) -> str:
    return "a" if predicate == TYPE else written


def _write_iri(iri: str) -> str:
    for prefix, namespace in _PREFIXES.items():
        if iri.startswith(namespace) and _LOCAL_NAME.fullmatch(local := iri[len(namespace) :]):
            return f"{prefix}:{local}"
    return quote_iri(iri)
