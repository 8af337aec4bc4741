"""The schema of a graph: its labels, relationship types and properties, with counts, in Cypher terms.

The counts equal those of run_cypher. They are cached until somebody writes or a fact begins or ceases to hold.
What cannot be counted in time is estimated, and the schema says so.

What a graph adds to tool descriptions are short words of the vocabulary, as Cypher spells them, and example queries.
Stored names, texts and notes never get here, because a model reads a description as an instruction. There are no counts
either: the text changes only when the graph changes its shape.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from keepgraph import errors, store
from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Column
from keepgraph.cypher.syntax.tokenizer import quote_name
from keepgraph.engine.query import graph_catalogue
from keepgraph.engine.query.bounds import Bounds
from keepgraph.engine.query.graph_catalogue import LITERAL
from keepgraph.engine.vocabulary import common_words, graph_vocabulary
from keepgraph.model import Predicate
from keepgraph.store.transactions import Tx

T = TypeVar("T")

SAMPLE_SIZE = 50
"""At most this many entities of a type are searched for the keys of their properties."""

MAX_SECONDS = 3.0
"""The time for all counts."""

_OR = " or "

INSTANT = "instant"
"""The kind of text that holds an instant in UTC, `2026-11-21T08:44:39.123Z`: text order is time order."""

_COLUMN_TYPES = {value_types.STRING: "string", value_types.FLOAT: "float", value_types.LIST: "list"}
_JSON_TYPES = {
    "text": "string",
    "integer": "integer",
    "real": "float",
    "true": "boolean",
    "false": "boolean",
    "array": "list",
    "object": "map",
}


@dataclass(frozen=True, slots=True)
class Label:
    """A label: how many nodes have it, and the properties they may have, each with its types.

    Attributes:
        count: the nodes that a query for the label matches, including those of its subtypes.
        own_count: the nodes with this as their first label.
        sampled: whether some of the nodes were not examined.
        ancestors: the labels of its supertypes, nearest first.
    """

    name: str
    count: int
    own_count: int
    properties: Mapping[str, str]
    sampled: bool = False
    ancestors: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class Pattern:
    """How many relationships of one type lead from nodes of one label to nodes of another."""

    source: str
    target: str
    count: int


@dataclass(frozen=True, slots=True)
class RelationshipType:
    """A relationship type: what it connects as stored, most frequent first.

    Attributes:
        intended_sources, intended_targets: the labels that it is intended for; none means any.
        inverses: the other types that match it from its other end.
        is_symmetric: whether an arrow matches it from both ends.
        is_transitive: whether two steps imply the relation between their outer ends, as `[:TYPE*]` matches them.
    """

    name: str
    patterns: tuple[Pattern, ...]
    intended_sources: tuple[str, ...] = ()
    intended_targets: tuple[str, ...] = ()
    description: str = ""
    inverses: tuple[str, ...] = ()
    is_symmetric: bool = False
    is_transitive: bool = False

    @property
    def count(self) -> int:
        return sum(pattern.count for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class Schema:
    """The labels and relationship types of a graph, including unused ones of the vocabulary.

    Retired words are included where something has them.

    Attributes:
        incomplete: what could not be counted in time, a sentence each.
    """

    labels: tuple[Label, ...]
    types: tuple[RelationshipType, ...]
    relationship_properties: Mapping[str, str]
    incomplete: tuple[str, ...] = ()

    @property
    def node_properties(self) -> dict[str, str]:
        """The properties of all labels, each with all its types: `integer or string`."""
        types_of: dict[str, dict[str, None]] = defaultdict(dict)
        for label in self.labels:
            for name, types in label.properties.items():
                types_of[name].update(dict.fromkeys(types.split(_OR)))
        return {name: _OR.join(sorted(types)) for name, types in sorted(types_of.items())}


def of_graph(tx: Tx, *, exact: bool = False) -> Schema:
    """The schema at the instant of the call.

    Args:
        exact: examine the properties of every entity, not only of a sample.
    """
    return store.graph_statistics.cached(
        tx, ("schema", exact), lambda: _count(tx, exact=exact), is_final=lambda schema: not schema.incomplete
    )


def _count(tx: Tx, *, exact: bool) -> Schema:
    count = _Count(tx, exact=exact)
    types = tuple(count.relationship_types())
    labels = tuple(count.labels(literals=sum(p.count for t in types for p in t.patterns if p.target == _LITERAL)))
    return Schema(
        labels,
        types,
        relationship_properties=_types_of_columns(graph_catalogue.EDGE_COLUMNS),
        incomplete=tuple(count.estimated),
    )


_LITERAL = graph_catalogue.LITERAL


class _Count:
    """The counts of one schema, and what they take.

    Attributes:
        estimated: what could not be counted in time, a sentence each.
    """

    def __init__(self, tx: Tx, *, exact: bool) -> None:
        self._tx = tx
        self._exact = exact
        self._vocabulary = graph_vocabulary.read(tx)
        self._bounds = Bounds(tx, MAX_SECONDS)
        self.estimated: dict[str, None] = {}

    def _in_time(self, count: Callable[[], T], *, otherwise: Callable[[], T], estimated: str) -> T:
        """What `count` reads, or, if time runs out, what `otherwise` does, with a sentence that says so."""
        counted = self._tx.unless_late(self._bounds.exceeded, count)
        if counted is None:
            reason = self._bounds.reason()
            if reason is not None and not isinstance(reason, errors.QueryError):
                raise reason  # the caller no longer wants an answer
            self.estimated[estimated] = None
            return otherwise()
        return counted

    def labels(self, *, literals: int) -> list[Label]:
        """
        Args:
            literals: how many relationships lead to literals.
        """
        counts = self._counts_by_type()
        vocabulary = self._vocabulary
        keys = {term.name: self._property_keys(term.row) for term in vocabulary.types if counts.get(term.name)}
        labels = []
        for term in vocabulary.types:
            kinds = vocabulary.with_subtypes([term.name])
            count = sum(counts.get(kind, 0) for kind in kinds)
            if term.retired_at is not None and not count:
                continue
            labels.append(
                Label(
                    graph_catalogue.label(term.name),
                    count,
                    counts.get(term.name, 0),
                    {
                        **_types_of_columns(graph_catalogue.NODE_COLUMNS),
                        **_types_of_keys(key for kind in kinds for key in keys.get(kind, ())),
                    },
                    sampled=(not self._exact or _SAMPLED in self.estimated)
                    and any(counts.get(kind, 0) > SAMPLE_SIZE for kind in kinds),
                    ancestors=graph_vocabulary.labels_of_type(self._tx, term.name)[1:],
                    description=term.description,
                )
            )
        if distinct := self._count_literals(literals):
            labels.append(
                Label(
                    _LITERAL,
                    distinct,
                    distinct,
                    dict.fromkeys(graph_catalogue.LITERAL_PROPERTIES, "string"),
                    description="A text at the end of a relationship; equal texts are one node.",
                )
            )
        return labels

    def _counts_by_type(self) -> dict[str, int]:
        counts = store.entities.count_by_type(self._tx)
        if self._tx.known_at is None:
            return counts
        unknown: dict[int, int] = self._in_time(
            lambda: store.graph_statistics.count_unknown_entities(self._tx),
            otherwise=dict,
            estimated="Nodes are counted as of now, not as of the requested instant.",
        )
        return {
            term.name: counts[term.name] - unknown.get(term.row, 0)
            for term in self._vocabulary.types
            if term.name in counts
        }

    def _property_keys(self, type_row: int) -> list[tuple[str, str]]:
        def read(sample: int | None) -> list[tuple[str, str]]:
            return store.graph_statistics.property_keys(self._tx, type_row=type_row, sample=sample)

        if not self._exact:
            return read(SAMPLE_SIZE)
        return self._in_time(lambda: read(None), otherwise=lambda: read(SAMPLE_SIZE), estimated=_SAMPLED)

    def _count_literals(self, most: int) -> int:
        return self._in_time(
            lambda: store.graph_statistics.count_literals(self._tx),
            otherwise=lambda: most,
            estimated="Literals are counted as often as relationships lead to them.",
        )

    def relationship_types(self) -> list[RelationshipType]:
        vocabulary = self._vocabulary
        label_of = {term.row: graph_catalogue.label(term.name) for term in vocabulary.types}
        patterns: dict[int, list[Pattern]] = defaultdict(list)
        for predicate, source, target, count in self._patterns():
            patterns[predicate].append(
                Pattern(label_of[source], _LITERAL if target is None else label_of[target], count)
            )
        relationship_types = []
        for term in vocabulary.predicates:
            if (term.inverse_of is not None or term.retired_at is not None) and not patterns[term.row]:
                continue
            sources, targets = self._intended_ends(term)
            relationship_types.append(
                RelationshipType(
                    graph_catalogue.relationship_type(term.name),
                    tuple(
                        sorted(patterns[term.row], key=lambda pattern: (-pattern.count, pattern.source, pattern.target))
                    ),
                    intended_sources=tuple(sorted(map(graph_catalogue.label, sources))),
                    intended_targets=tuple(sorted(map(graph_catalogue.label, targets))),
                    description=term.description,
                    inverses=tuple(map(graph_catalogue.relationship_type, vocabulary.inverses(term.name))),
                    is_symmetric="symmetric" in term.flags,
                    is_transitive="transitive" in term.flags,
                )
            )
        return relationship_types

    def _patterns(self) -> list[tuple[int, int, int | None, int]]:
        return self._in_time(
            lambda: store.graph_statistics.count_patterns(self._tx),
            otherwise=lambda: store.graph_statistics.count_open_patterns(self._tx),
            estimated="Relationships are counted whatever the instant: those without an end.",
        )

    def _intended_ends(self, term: Predicate) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return self._in_time(
            lambda: graph_catalogue.intended_ends(self._tx, term),
            otherwise=lambda: ((), ()),
            estimated="The intended ends of some relationship types were not looked up.",
        )


_SAMPLED = "For some labels, the properties come from a sample."


def _types_of_columns(columns: Mapping[str, Column]) -> dict[str, str]:
    return {
        name: INSTANT
        if name in graph_catalogue.INSTANT_PROPERTIES
        else _OR.join(name for kind, name in _COLUMN_TYPES.items() if column.kinds & kind)
        for name, column in columns.items()
    }


def _types_of_keys(keys: Iterable[tuple[str, str]]) -> dict[str, str]:
    types_of: dict[str, dict[str, None]] = defaultdict(dict)
    for key, json_type in keys:
        types_of[key][_JSON_TYPES[json_type]] = None
    return {key: _OR.join(sorted(types)) for key, types in types_of.items()}


_MAX_LABELS = 20
_MAX_WORDS_OF_SCHEMA = 8
_MAX_PATTERNS = 8
_MAX_KINDS = 3
_MAX_READINGS = 6
_MAX_UNUSED_LABELS = 6
_MAX_UNUSED_TYPES = 8
_MAX_ALTERNATIVES = 3

# The longest list of labels, types or patterns, in characters.
_MAX_CHARACTERS = 180

_Triple = tuple[str, str, str]
"""Label of the source, relationship type, label of the target."""


def describe_vocabulary(tx: Tx) -> str:
    """The labels and the relationship types that are in use."""
    graph_schema = _of_short_words(tx)
    labels = [label.name for label in _used_labels(graph_schema)]
    used_types = [kind for kind in sorted(graph_schema.types, key=lambda kind: -kind.count) if kind.count]
    if not labels:
        return "The graph is empty."
    types = [kind.name for kind in used_types]
    words = [f"{_listed(labels, _MAX_WORDS_OF_SCHEMA)}", *([_listed(types, _MAX_WORDS_OF_SCHEMA)] if types else [])]
    return f"Now in the graph: {'; '.join(words)}."


def describe_patterns(tx: Tx) -> str:
    """What connects what, most frequent first, and example queries; in an empty graph, those its vocabulary intends."""
    graph_schema = _of_short_words(tx)
    labels = [f":{quote_name(label.name)}" for label in _used_labels(graph_schema)]
    triples = _used_triples(graph_schema)
    lines = [f"This graph has {_listed(labels, _MAX_LABELS)}." if labels else "This graph is empty."]
    if kinds := _kinds(graph_schema):
        lines.append(f"A label matches its kinds: {_first(kinds, _MAX_KINDS)}.")
    if triples:
        lines.append(f"In it: {_listed([_pattern(triple) for triple in triples], _MAX_PATTERNS)}.")
    if readings := _readings(graph_schema):
        lines.append(f"From the other end: {_first(readings, _MAX_READINGS)}.")
    # Where there is much to ask about, the unused words would be too much.
    if len(triples) <= _MAX_PATTERNS and (unused := _unused_terms(graph_schema)):
        lines.append(f"Known, but not used yet: {unused}.")
    lines += [f"Example: {query}" for query in _example_queries(triples or _intended_triples(graph_schema))]
    return "\n".join(lines)


def _of_short_words(tx: Tx) -> Schema:
    """The schema of the graph without words as long as a sentence: see common_words.is_short."""

    def short(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if common_words.is_short(name))

    graph_schema = of_graph(tx)
    labels = [replace(each, ancestors=short(each.ancestors)) for each in graph_schema.labels if short([each.name])]
    types = [
        replace(
            kind,
            patterns=tuple(pattern for pattern in kind.patterns if len(short([pattern.source, pattern.target])) == 2),
            intended_sources=short(kind.intended_sources),
            intended_targets=short(kind.intended_targets),
            inverses=short(kind.inverses),
        )
        for kind in graph_schema.types
        if short([kind.name])
    ]
    return replace(graph_schema, labels=tuple(labels), types=tuple(types))


def _used_labels(graph_schema: Schema) -> list[Label]:
    """The labels that nodes have, most frequent first."""
    return sorted((label for label in graph_schema.labels if label.count), key=lambda label: -label.count)


def _used_triples(graph_schema: Schema) -> list[_Triple]:
    """The patterns in use, most frequent first."""
    patterns = [(pattern, kind.name) for kind in graph_schema.types for pattern in kind.patterns]
    patterns.sort(key=lambda entry: -entry[0].count)
    return [(pattern.source, name, pattern.target) for pattern, name in patterns]


def _intended_triples(graph_schema: Schema) -> list[_Triple]:
    """The patterns that the vocabulary intends."""
    return [
        (kind.intended_sources[0], kind.name, kind.intended_targets[0])
        for kind in graph_schema.types
        if kind.intended_sources and kind.intended_targets
    ]


def _kinds(graph_schema: Schema) -> list[str]:
    """The labels in use that are subtypes: `:Team is a :Organisation`."""
    return [
        f":{quote_name(label.name)} is a :{quote_name(label.ancestors[0])}"
        for label in sorted(graph_schema.labels, key=lambda label: -label.own_count)
        if label.own_count and label.ancestors
    ]


def _readings(graph_schema: Schema) -> list[str]:
    """The types in use that match from both ends, most frequent first: by their inverses or by themselves."""
    readings = []
    for kind in sorted(graph_schema.types, key=lambda kind: -kind.count):
        if kind.count and kind.is_symmetric:
            readings.append(f"[:{quote_name(kind.name)}] leads both ways")
        elif kind.count and kind.inverses:
            readings.append(f"[:{quote_name(kind.name)}] is [:{quote_name(kind.inverses[0])}]")
    return readings


def _unused_terms(graph_schema: Schema) -> str:
    """What the vocabulary has and the graph does not: labels, then types between the labels they are intended for."""
    labels = [f":{quote_name(label.name)}" for label in graph_schema.labels if not label.count]
    types = [
        f"({_label_alternatives(kind.intended_sources)})-[:{quote_name(kind.name)}]->"
        f"({_label_alternatives(kind.intended_targets)})"
        if kind.intended_sources or kind.intended_targets
        else f"[:{quote_name(kind.name)}]"
        for kind in graph_schema.types
        if not kind.count
    ]
    shown = [*labels[:_MAX_UNUSED_LABELS], *types[:_MAX_UNUSED_TYPES]]
    return _listed([*shown, *[""] * (len(labels) + len(types) - len(shown))], len(shown)) if shown else ""


def _example_queries(triples: Sequence[_Triple]) -> Iterable[str]:
    """A query that counts and one that follows two relationships, over the most frequent patterns."""
    between_nodes = [triple for triple in triples if triple[2] != LITERAL]
    if between_nodes:
        source, name, target = between_nodes[0]
        yield (
            f"MATCH (a:{quote_name(source)})-[:{quote_name(name)}]->(b:{quote_name(target)}) "
            "RETURN b.name, count(a) AS n ORDER BY n DESC"
        )
    for first in between_nodes:
        for second in between_nodes:
            if first[2] == second[0] and first[1] != second[1]:
                yield (
                    f"MATCH {_pattern(first, 'a', 'b')}-[:{quote_name(second[1])}]->(c:{quote_name(second[2])}) "
                    "RETURN c.name, collect(DISTINCT a.name)"
                )
                return


def _pattern(triple: _Triple, left: str = "", right: str = "") -> str:
    """A triple in Cypher, with variables for its ends."""
    source, name, target = triple
    return f"({left}:{quote_name(source)})-[:{quote_name(name)}]->({right}:{quote_name(target)})"


def _label_alternatives(labels: Sequence[str]) -> str:
    if not labels:
        return ""
    more = "|…" if len(labels) > _MAX_ALTERNATIVES else ""
    return f":{'|'.join(map(quote_name, labels[:_MAX_ALTERNATIVES]))}{more}"


def _first(words: Sequence[str], limit: int) -> str:
    return ", ".join(common_words.within_characters(words[:limit], limit=_MAX_CHARACTERS))


def _listed(words: Sequence[str], limit: int) -> str:
    shown = common_words.within_characters(words[:limit], limit=_MAX_CHARACTERS)
    omitted = len(words) - len(shown)
    return ", ".join(shown) + (f" and {omitted} more" if omitted > 0 else "")
