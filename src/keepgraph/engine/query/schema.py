"""What kinds of things the graph holds, what connects them and what they may be asked for, in the words of queries.

It counts exactly what run_cypher would count. It is counted once for as long as nobody writes and no fact begins or
ceases to hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from keepgraph import store
from keepgraph.cypher import value_types
from keepgraph.cypher.catalogue import Column
from keepgraph.engine.query import graph_catalogue
from keepgraph.store.database import Tx
from keepgraph.temporal import timestamps

SAMPLE = 50
"""So many entities of a type are looked at for the keys of their properties."""

_KEPT_AT_ONCE = 8
_OR = " or "

INSTANT = "instant"
"""The kind of a text that holds a moment in UTC, `2026-11-21T08:44:39.123Z`: text order is time order."""

_OF_COLUMNS = {value_types.STRING: "string", value_types.FLOAT: "float", value_types.LIST: "list"}
_OF_JSON = {
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
    """A label: how many nodes have it, and the properties they may have, each with its kinds.

    Attributes:
        sampled: whether some of the nodes were not looked at.
        ancestors: the labels that it is a kind of.
    """

    name: str
    count: int
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
class Type:
    """A relationship type: what it connects, most first, and the labels it is meant for (none: any)."""

    name: str
    patterns: tuple[Pattern, ...]
    meant_sources: tuple[str, ...] = ()
    meant_targets: tuple[str, ...] = ()
    description: str = ""

    @property
    def count(self) -> int:
        return sum(each.count for each in self.patterns)


@dataclass(frozen=True, slots=True)
class Schema:
    """The labels and the relationship types of a graph, those of the vocabulary that nothing has yet among them."""

    labels: tuple[Label, ...]
    types: tuple[Type, ...]
    relationship_properties: Mapping[str, str]

    @property
    def node_properties(self) -> dict[str, str]:
        """The properties of all labels together, each with all its kinds."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for label in self.labels:
            for name, words in label.properties.items():
                found[name].update(dict.fromkeys(words.split(_OR)))
        return {name: _OR.join(sorted(words)) for name, words in sorted(found.items())}


def of_graph(tx: Tx, *, exact: bool = False) -> Schema:
    """The schema as it is at the instant of the call.

    Args:
        exact: look at the properties of every entity, not at those of a sample.
    """
    found = at_hand(tx, exact=exact)
    if found is None:
        found = _counted(tx, exact=exact)
        if tx.known_at is None:
            at, kept = timestamps.stamp(tx.now), _kept(tx, exact=exact)
            del kept[: len(kept) + 1 - _KEPT_AT_ONCE]
            kept.append(_Kept(at, store.schema_counts.next_change(tx, after=at), found))
    return found


def at_hand(tx: Tx, *, exact: bool = False) -> Schema | None:
    """The schema where it has been counted already, and nothing has changed since."""
    if tx.known_at is not None:
        return None
    at = timestamps.stamp(tx.now)
    for each in _kept(tx, exact=exact):
        if each.since <= at and (each.until is None or at < each.until):
            return each.schema
    return None


@dataclass(frozen=True, slots=True)
class _Kept:
    """A schema, and from when until when it is the same if nobody writes."""

    since: str
    until: str | None
    schema: Schema


def _kept(tx: Tx, *, exact: bool) -> list[_Kept]:
    return store.change_cache.kept(tx, ("schema", tx.group, exact), list)


def _counted(tx: Tx, *, exact: bool) -> Schema:
    types, predicates = graph_catalogue.words(tx)
    at = timestamps.stamp(tx.now)
    counts = store.entities.count_by_type(tx)
    labels = []
    for word in types:
        count = counts[word.name]
        keys = store.schema_counts.keys(tx, type_row=word.row, sample=None if exact else SAMPLE) if count else ()
        labels.append(
            Label(
                graph_catalogue.label(word.name),
                count,
                {**_kinds_of_columns(graph_catalogue.NODE_COLUMNS), **_kinds_of_keys(keys)},
                sampled=count > SAMPLE and not exact,
                description=word.description,
            )
        )
    if literals := store.schema_counts.count_literals(tx, at=at):
        labels.append(
            Label(
                graph_catalogue.LITERAL,
                literals,
                dict.fromkeys(graph_catalogue.LITERAL_PROPERTIES, "string"),
                description="A text at the end of a relationship; equal texts are one node.",
            )
        )
    name = {word.row: graph_catalogue.label(word.name) for word in types}
    found: dict[int, list[Pattern]] = defaultdict(list)
    for predicate, source, target, count in store.schema_counts.patterns(tx, at=at):
        end = graph_catalogue.LITERAL if target is None else name[target]
        found[predicate].append(Pattern(name[source], end, count))
    meant = graph_catalogue.Directions(tx)
    links = []
    for word in predicates:
        shown = graph_catalogue.relationship_type(word.name)
        sources, targets = meant[shown]
        links.append(
            Type(
                shown,
                tuple(sorted(found[word.row], key=lambda each: (-each.count, each.source, each.target))),
                meant_sources=tuple(sorted(sources)),
                meant_targets=tuple(sorted(targets)),
                description=word.description,
            )
        )
    return Schema(tuple(labels), tuple(links), relationship_properties=_kinds_of_columns(graph_catalogue.EDGE_COLUMNS))


def _kinds_of_columns(columns: Mapping[str, Column]) -> dict[str, str]:
    return {
        name: INSTANT
        if name in graph_catalogue.DATES
        else _OR.join(word for kind, word in _OF_COLUMNS.items() if column.kinds & kind)
        for name, column in columns.items()
    }


def _kinds_of_keys(keys: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for key, kind in keys:
        found[key][_OF_JSON[kind]] = None
    return {key: _OR.join(sorted(words)) for key, words in found.items()}
