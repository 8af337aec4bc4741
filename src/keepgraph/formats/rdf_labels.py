"""Labels and descriptions of resources in RDF: of SKOS, SKOS-XL, RDFS, Dublin Core, FOAF and schema.org."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from keepgraph.formats.rdf_statements import (
    DC,
    DCT,
    RDFS,
    SCHEMA,
    SKOS,
    SKOS_XL,
    BlankNode,
    Iri,
    Literal,
    StatementIndex,
    Term,
)

MAX_LABEL_CHARACTERS = 500
MAX_DESCRIPTION_CHARACTERS = 2000
MAX_LANGUAGE_CHARACTERS = 35

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
    """A label; `status` is "preferred", "alternative" or "hidden", and `language` is empty where none is given."""

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
            return text[:MAX_DESCRIPTION_CHARACTERS]
    return ""


def local_name(iri: str) -> str:
    """The last part of an IRI: what comes after `#`, else after the last `/` or `:`."""
    return re.split(r"[#/:]", iri.rstrip("#/"))[-1]


def preferred_text(labels: Sequence[Label]) -> str:
    """The label to name something by: preferred before others, in English before none and other languages."""

    def rank(label: Label) -> tuple[bool, int]:
        return label.status != "preferred", _language_rank(label.language)

    return min(labels, key=rank).text if labels else ""


def text_in_english(values: Iterable[Term]) -> str:
    texts = [value for value in values if isinstance(value, Literal) and value.text.strip()]
    return min(texts, key=lambda value: _language_rank(value.language)).text if texts else ""


def _is_language(tag: str) -> bool:
    return len(tag) <= MAX_LANGUAGE_CHARACTERS and _LANGUAGE.fullmatch(tag) is not None


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
