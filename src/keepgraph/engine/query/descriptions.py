"""What a graph adds to tool descriptions: its labels, relationship types and example queries.

Only short words of the vocabulary, as Cypher spells them. Stored names, texts and notes never get here, because a
model reads a description as an instruction. There are no counts either: the text changes only when the graph
changes its shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from keepgraph.cypher.repair.foreign_syntax import quote_name
from keepgraph.engine.query import schema
from keepgraph.engine.query.graph_catalogue import LITERAL
from keepgraph.engine.query.schema import Schema
from keepgraph.engine.vocabulary import common_words
from keepgraph.store.transactions import Tx

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

    graph_schema = schema.of_graph(tx)
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


def _used_labels(graph_schema: Schema) -> list[schema.Label]:
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
