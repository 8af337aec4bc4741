"""Export of the vocabulary as RDF: entity types as concepts of SKOS, with every statement that an import kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from keepgraph import errors, store
from keepgraph.engine.exchange import rdf_description
from keepgraph.engine.exchange.rdf_description import WordIris
from keepgraph.engine.vocabulary import definitions, graph_vocabulary, sets, stored_words
from keepgraph.engine.vocabulary.definitions import PredicateDefinition, TypeDefinition
from keepgraph.formats import rdf_statements
from keepgraph.formats.rdf_statements import DCT, SKOS, Iri, Statement
from keepgraph.model import Predicate, VocabularyTerm
from keepgraph.store.transactions import Tx


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
    for word in stored_words.read(tx).values():
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
            "there are no words to export but those that came with Keepgraph",
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
        yield from rdf_description.describe_set(_scheme(name), title=name)
    for term, definition in words.types:
        iri = words.iris.of_type(term.name)
        described = [
            *rdf_description.describe_concept(definition, words.iris, is_retired=term.retired_at is not None),
            *_describe_replacement(iri, term, words.iris.of_type),
        ]
        if term.set in own_sets:
            described.append(Statement(iri, Iri(f"{SKOS}inScheme"), _scheme(term.set)))
        yield from _with_kept(described, definition.details, set_row=rows[term.set])
    for predicate, predicate_definition in words.predicates:
        iri = words.iris.of_predicate(predicate.name)
        is_retired = predicate.retired_at is not None
        described = [
            *rdf_description.describe_property(predicate_definition, words.iris, is_retired=is_retired),
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
