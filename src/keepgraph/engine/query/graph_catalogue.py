"""The Cypher catalogue of the graph: labels, relationship types and properties, their tables, and adjacency arrays.

Labels are entity types in PascalCase, relationship types are predicates in UPPER_SNAKE. An entity has the label of its
type and of its supertypes. A literal is a node with the label Literal; equal texts are one node.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from keepgraph import store
from keepgraph.arrays.adjacency import Adjacency, TooSparse
from keepgraph.cypher import table_graph, value_types
from keepgraph.cypher.catalogue import (
    Catalogue,
    Code,
    Column,
    Connection,
    EdgeTable,
    LiteralNodes,
    NodeTable,
    with_row_counts,
)
from keepgraph.engine.vocabulary import graph_vocabulary
from keepgraph.model import Predicate
from keepgraph.store.fact_columns import JournalPosition
from keepgraph.store.graph_statistics import FactSample
from keepgraph.store.transactions import Tx

LITERAL, ENTITY = graph_vocabulary.RESERVED_LABELS
"""The label of texts, and a hidden one that every entity has because many queries use it."""

LITERAL_PROPERTIES = ("value", "name")
INSTANT_PROPERTIES = frozenset(("created_at", "recorded_at", "valid_from", "valid_to"))
"""Properties whose values are instants as text: UTC, `2026-11-21T08:44:39.123Z`, so that text order is time order."""

_TEXT = value_types.STRING | value_types.NULL
_UNIQUE_SELECTIVITY = 1e-6
"""The share of rows with one value, as the planner estimates it for an id or a name."""

NODE_COLUMNS: Mapping[str, Column] = {
    "id": Column("{row}.public_id", value_types.STRING, _UNIQUE_SELECTIVITY),
    "name": Column("{row}.name", value_types.STRING, _UNIQUE_SELECTIVITY),
    "summary": Column("nullif({row}.summary, '')", _TEXT),
    "aliases": Column(
        store.migrations.ALIASES_OF,
        value_types.LIST,
        values=store.migrations.ALIASES,
        element_kinds=value_types.STRING,
    ),
    "group_id": Column("{row}.group_id", value_types.STRING, 1.0),
    "created_at": Column("{row}.created_at", value_types.STRING, is_instant=True),
}
EDGE_COLUMNS: Mapping[str, Column] = {
    "id": Column("{row}.public_id", value_types.STRING, _UNIQUE_SELECTIVITY),
    "text": Column("{row}.text", value_types.STRING),
    "confidence": Column("{row}.confidence", value_types.FLOAT, 0.1),
    "source": Column(store.migrations.SOURCE_OF, _TEXT, values=store.migrations.SOURCES),
    "recorded_at": Column(
        "{row}.recorded_at", value_types.STRING, is_instant=True, index="fact_recorded", follows_rows=True
    ),
    "valid_from": Column(
        "nullif({row}.valid_from, '')",
        _TEXT,
        is_instant=True,
        index="fact_begins",
        stored="{row}.valid_from",
        absent="''",
    ),
    "valid_to": Column(
        "nullif({row}.valid_to, '~')", _TEXT, is_instant=True, index="fact_ends", stored="{row}.valid_to", absent="'~'"
    ),
}

_EDGE_COLUMNS_AS_KNOWN: Mapping[str, Column] = {
    **EDGE_COLUMNS,
    "valid_from": Column(f"nullif({store.migrations.VALID_FROM_AS_KNOWN}, '')", _TEXT, is_instant=True),
    "valid_to": Column(f"nullif({store.migrations.VALID_TO_AS_KNOWN}, '~')", _TEXT, is_instant=True),
}


label = graph_vocabulary.type_label


@lru_cache(maxsize=2_000)
def relationship_type(predicate: str) -> str:
    """A predicate as a relationship type: `reports_to` is `REPORTS_TO`."""
    return re.sub(r"[\s-]+", "_", predicate).upper()


def statement_cache(tx: Tx, *, of_all_times: bool = False) -> table_graph.StatementCache:
    """The catalogue of the graph at the instant of the call, with the statements that were compiled for it.

    Rebuilt when what it says of the graph has changed: the vocabulary, the groups, whether all facts hold, and
    roughly how many there are.

    Args:
        of_all_times: whether facts that do not hold at the instant are visible, too.
    """
    shape = tx.cached(("shape", tx.group), lambda: _shape(tx))
    # One connection reads as of many instants.
    is_known_now = tx.known_at is None
    all_hold = is_known_now and (of_all_times or shape.all_hold_since <= tx.at)
    key = ("statements", tx.group, is_known_now, all_hold)
    compiled_for, cache = tx.connection_cache.get(key, (None, None))
    # Compare a shape once per revision: then the next transaction finds the same one.
    if compiled_for is not shape:
        if compiled_for != shape:
            cache = table_graph.StatementCache(_catalogue(tx, shape, all_hold=all_hold))
        tx.connection_cache[key] = shape, cache
    statements: table_graph.StatementCache = cache
    return statements


def words(tx: Tx) -> tuple[list[str], list[str]]:
    """The labels, and the relationship types except inverse ones, that a query may name."""
    vocabulary = graph_vocabulary.read(tx)
    types = [relationship_type(term.name) for term in vocabulary.predicates if term.inverse_of is None]
    return [*(label(term.name) for term in vocabulary.types), LITERAL], types


def condition_values(tx: Tx) -> dict[str, object]:
    """The values that the conditions of the catalogue bind."""
    return {"at": tx.at, "group": tx.group, "known": tx.known_at}


def inverse_types(tx: Tx) -> dict[str, str]:
    """The relationship types without stored facts, each with the type that says the same from the other end."""
    return {
        relationship_type(term.name): relationship_type(term.inverse_of)
        for term in graph_vocabulary.read(tx).predicates
        if term.inverse_of is not None
    }


def intended_ends(tx: Tx, predicate: Predicate) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The entity types that a predicate is intended to connect; none means any.

    If some fact has other ends, none are returned: a query may ask for what is in the graph.
    """
    vocabulary = graph_vocabulary.read(tx)
    stored = vocabulary.predicate_by_name[predicate.inverse_of] if predicate.inverse_of is not None else predicate
    sources, targets = stored.sources, stored.targets
    if "symmetric" in stored.flags:
        sources = targets = tuple(dict.fromkeys((*sources, *targets))) if sources and targets else ()
    if not (sources or targets):
        return (), ()
    has_other_ends = tx.cached(
        ("other ends", stored.row),
        lambda: store.graph_statistics.has_other_ends(
            tx,
            stored.row,
            subjects=[vocabulary.type_by_name[name].row for name in vocabulary.with_subtypes(sources)],
            objects=[vocabulary.type_by_name[name].row for name in vocabulary.with_subtypes(targets)],
        ),
    )
    if has_other_ends:
        return (), ()
    return (sources, targets) if stored is predicate else (targets, sources)


class LabelsOfEnds(Mapping[str, tuple[frozenset[str], frozenset[str]]]):
    """For each relationship type, the labels that its start and its end may have; none means any.

    The intended types with their subtypes and supertypes. Whether some fact has other ends is looked up when
    somebody asks about the type. Valid for one transaction.
    """

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._vocabulary = graph_vocabulary.read(tx)
        self._predicates = {relationship_type(term.name): term for term in self._vocabulary.predicates}

    def __getitem__(self, name: str) -> tuple[frozenset[str], frozenset[str]]:
        sources, targets = intended_ends(self._tx, self._predicates[name])
        return self._labels(sources), self._labels(targets)

    def __iter__(self) -> Iterator[str]:
        return iter(self._predicates)

    def __len__(self) -> int:
        return len(self._predicates)

    def _labels(self, entity_types: Sequence[str]) -> frozenset[str]:
        related = {
            name
            for entity_type in self._vocabulary.with_subtypes(entity_types)
            for name in (entity_type, *self._vocabulary.ancestors(entity_type))
        }
        return frozenset(map(label, related))


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a catalogue depends on besides the instant and the group.

    Attributes:
        is_only_group: whether there is no other group.
        all_hold_since: the timestamp from which every fact holds for ever; `~` if there is none.
        magnitude: of the number of facts; at another magnitude, the planner's estimates may be outdated.
        vocabulary_revision: the revision of the vocabulary.
        types, predicates: the rows of those in use. A pattern of any type is looked up
            for these alone, however many words the vocabulary has.
        connections: what each predicate connects: its row, and the rows of the types of subject and
            object, None for a literal; for all facts that are not retracted, whenever they hold.
        has_values: whether some entity has a property `value`, which in queries otherwise means literals.
    """

    is_only_group: bool
    all_hold_since: str = field(compare=False)
    magnitude: int
    vocabulary_revision: str
    types: tuple[int, ...]
    predicates: tuple[int, ...]
    connections: frozenset[Connection]
    has_values: bool


def _shape(tx: Tx) -> _Shape:
    return _Shape(
        is_only_group=store.groups.is_only_group(tx),
        all_hold_since=store.graph_statistics.all_hold_since(tx),
        magnitude=int(4 * math.log2(store.graph_statistics.largest_fact_row(tx) + 1)),
        vocabulary_revision=graph_vocabulary.read(tx).revision,
        types=tuple(store.graph_statistics.used_types(tx)),
        predicates=tuple(store.graph_statistics.used_predicates(tx)),
        connections=frozenset(_connections(tx)),
        has_values=store.graph_statistics.some_entity_has_value(tx),
    )


def _catalogue(tx: Tx, shape: _Shape, *, all_hold: bool) -> Catalogue:
    as_known = tx.known_at is not None
    vocabulary = graph_vocabulary.read(tx)
    current = store.migrations.current_facts(all_hold=all_hold, is_only_group=shape.is_only_group, as_known=as_known)
    catalogue = Catalogue(
        nodes=NodeTable(
            table="entity",
            id="id",
            code="type",
            labels={
                term.row: graph_vocabulary.labels_of_type(tx, term.name)
                for term in vocabulary.types
                if term.row in shape.types
            },
            condition=store.migrations.visible_entities(is_only_group=shape.is_only_group, as_known=as_known),
            columns=NODE_COLUMNS,
            bag="properties",
            public_id="{row}.public_id",
            implied_labels=(ENTITY,),
            absent=frozenset() if shape.has_values else frozenset((LITERAL_PROPERTIES[0],)),
            index_order=("group_id",),
        ),
        edges=EdgeTable(
            table="fact",
            id="id",
            code="predicate",
            types={
                term.row: relationship_type(term.name) for term in vocabulary.predicates if term.row in shape.predicates
            },
            source="subject",
            target="object",
            condition=current,
            node_end_condition=store.migrations.HAS_OBJECT,
            columns=_EDGE_COLUMNS_AS_KNOWN if as_known else EDGE_COLUMNS,
            bag=None,
            public_id="{row}.public_id",
            code_leads=True,
            out_index="fact_by_predicate",
            in_index="fact_in",
            covered=frozenset() if as_known else frozenset(("valid_from", "valid_to")),
            connections=None if as_known else _by_predicate(shape.connections),
            inverse_types=inverse_types(tx),
            symmetric_types=frozenset(
                relationship_type(term.name) for term in vocabulary.predicates if "symmetric" in term.flags
            ),
        ),
        literals=LiteralNodes(
            column="literal",
            label=LITERAL,
            properties=LITERAL_PROPERTIES,
            condition=f"{current} AND {store.migrations.HAS_LITERAL}",
            index="fact_with_literal",
        ),
        condition_values=condition_values(tx),
    )
    connections = _connections(tx)
    sample, at = store.graph_statistics.sample_facts(tx), tx.at
    return with_row_counts(
        catalogue,
        store.cardinalities.entities_by_type(tx),
        sample.counts,
        literals=sum(count for connection, count in connections.items() if connection.target is None),
        connections=connections,
        share_between=lambda key, lower, upper: _share_between(sample, key, lower, upper, at=at),
        at=tx.now,
    )


def _connections(tx: Tx) -> dict[Connection, int]:
    """What each predicate connects, and by how many facts that are not retracted."""
    return {
        Connection(count.predicate, count.subject_type, count.object_type): count.facts
        for count in store.cardinalities.facts_by_ends(tx, group=tx.group)
    }


def _by_predicate(connections: frozenset[Connection]) -> dict[Code, list[Connection]]:
    by_predicate: dict[Code, list[Connection]] = {}
    for connection in connections:
        by_predicate.setdefault(connection.code, []).append(connection)
    return by_predicate


def magnitude(catalogue: Catalogue, value: object) -> Hashable:
    """The rough share of facts that remain where a parameter bounds their times; None if it is not a time.

    Queries with parameters of one magnitude are planned alike.
    """
    text = value if isinstance(value, str) else ""
    if type(value) is int:
        return value.bit_length()
    if _DURATION.fullmatch(text):
        return text
    if not text[:4].isdigit():
        return None
    share_between = catalogue.estimates.share_between
    shares = [share_between("recorded_at", *ends) for ends in ((text, ""), ("", text))]
    return tuple(round(math.log2(max(share, 1e-9))) for share in shares)


_DURATION = re.compile(r"P[\dT.YMWDHS]{1,20}", re.ASCII)


def _share_between(sample: FactSample, key: str, lower: str | None, upper: str | None, *, at: str) -> float:
    """The share of a sample of facts with a timestamp between two; None for an unknown timestamp.

    A query sees the facts that hold at an instant: it does not read facts that ended before or begin later.
    """
    timestamps_ = sample.timestamps.get(key, ())
    if not timestamps_:
        return 0.0 if key in sample.timestamps else 1.0
    first, last = lower or "", upper or ""
    if key == "valid_to":
        first = max(first, at)
    elif key == "valid_from":
        last = min(last or at, at)
    below = bisect_left(timestamps_, last) if last else len(timestamps_)
    share = max(0.5, below - bisect_left(timestamps_, first)) / sample.size
    return share * (0.1 if lower is None or upper is None else 1.0)


# Adjacency arrays of the graph as a transaction sees it: each connection's own, or shared ones built by a server.
#
# Arrays belong to a position in the journal. The ends of facts changed since then are read from the tables.

_MAX_OUTDATED_NODES = 2_000
"""With more nodes to read from the tables, the arrays are rebuilt."""

_MAX_OUTDATED_SHARED = 200
"""With more, the shared arrays are rebuilt when nobody writes."""

MIN_FACTS = 20_000
"""For fewer facts, the query that needs arrays builds them in a moment."""


@dataclass(frozen=True, slots=True)
class _TimedAdjacency:
    """Adjacency arrays, the timestamps between which the same facts hold, and the changes that they include."""

    since: str
    until: str
    position: JournalPosition
    cache: table_graph.AdjacencyCache


@dataclass(frozen=True, slots=True)
class _SharedAdjacency:
    """Complete, immutable arrays of one state of the graph, for all connections of a process.

    Attributes:
        has_all: false where the numbers of nodes are too large for arrays.
    """

    since: str
    until: str
    position: JournalPosition
    adjacency: Adjacency = field(repr=False)
    has_all: bool


def cache(tx: Tx) -> table_graph.AdjacencyCache | None:
    """The adjacency arrays at the instant of the call; None for the past as it was known.

    They survive writes: the ends of changed facts are then outdated in them.
    """
    if tx.known_at is not None:
        return None
    at = tx.at
    position = store.fact_columns.position(tx)
    arrays = _up_to(tx, tx.connection_cache.get(("arrays", tx.group)), position)
    if arrays is None or not arrays.since <= at < arrays.until:
        arrays = None
    if arrays is None or not arrays.cache.is_built:
        arrays = _from_shared(tx, at, position) or arrays
    if arrays is None:
        arrays = _TimedAdjacency(
            at, store.graph_statistics.next_boundary(tx), position, table_graph.AdjacencyCache(note_use=_noting_use(tx))
        )
    tx.connection_cache["arrays", tx.group] = arrays
    return arrays.cache


def share(tx: Tx, execute: table_graph.Execute) -> bool:
    """Build the arrays for all connections of the process if they are missing and worth it; return whether it did.

    Args:
        execute: runs a statement on the connection.
    """
    statements = statement_cache(tx)
    if tx.known_at is not None or statements.catalogue.estimates.edge_count(None) < MIN_FACTS:
        return False
    at = tx.at
    position = store.fact_columns.position(tx)
    known = _shared(tx, at)
    if known is not None:
        arrays = _outdated_up_to(tx, known, position)
        if arrays is not None and len(arrays.cache.outdated) <= _MAX_OUTDATED_SHARED:
            return False
    graph = table_graph.TableGraph(statements, execute, condition_values(tx))
    adjacency = Adjacency(graph.edge_ends)
    codes = statements.catalogue.type_codes(None)
    try:
        adjacency.complete(statements.catalogue.edges.types)
        for direction in ("both", "out"):
            adjacency.neighbours(codes, direction)
        has_all = True
    except TooSparse:
        has_all = False
    tx.shared_cache[_key(tx)] = _SharedAdjacency(
        at, store.graph_statistics.next_boundary(tx), position, adjacency, has_all
    )
    return has_all


def count_uses(tx: Tx) -> int:
    """How often walks of this process needed arrays since the shared ones were dropped."""
    uses: int = tx.shared_cache.get(_uses_key(tx), 0)
    return uses


def drop(tx: Tx) -> None:
    """Free the memory of the shared arrays and of those of this connection."""
    tx.shared_cache.pop(_key(tx), None)
    tx.shared_cache.pop(_uses_key(tx), None)
    tx.connection_cache.pop(("arrays", tx.group), None)


def _noting_use(tx: Tx) -> Callable[[], None]:
    shared, key = tx.shared_cache, _uses_key(tx)

    def note_use() -> None:
        shared[key] = shared.get(key, 0) + 1

    return note_use


def _uses_key(tx: Tx) -> str:
    return f"uses of adjacency arrays of {tx.group}"


def _key(tx: Tx) -> str:
    return f"adjacency arrays of {tx.group}"


def _shared(tx: Tx, at: str) -> _SharedAdjacency | None:
    shared: _SharedAdjacency | None = tx.shared_cache.get(_key(tx))
    return shared if shared is not None and shared.since <= at < shared.until else None


def _from_shared(tx: Tx, at: str, position: JournalPosition) -> _TimedAdjacency | None:
    shared = _shared(tx, at)
    return _outdated_up_to(tx, shared, position) if shared is not None and shared.has_all else None


def _outdated_up_to(tx: Tx, shared: _SharedAdjacency, position: JournalPosition) -> _TimedAdjacency | None:
    """The shared arrays for one connection, with changes up to its position marked outdated."""
    own = table_graph.AdjacencyCache(shared.adjacency, note_use=_noting_use(tx))
    return _up_to(tx, _TimedAdjacency(shared.since, shared.until, shared.position, own), position)


def _up_to(tx: Tx, arrays: _TimedAdjacency | None, position: JournalPosition) -> _TimedAdjacency | None:
    """The arrays with changes up to a position marked outdated; None if too much has changed."""
    if arrays is None or arrays.position == position:
        return arrays
    changes = store.fact_columns.since(tx, arrays.position) if arrays.cache.is_built else None
    if changes is None:
        return None
    outdated = arrays.cache.outdated
    outdated.update(changes.entities, map(table_graph.literal_key, changes.literals))
    return replace(arrays, position=position) if len(outdated) <= _MAX_OUTDATED_NODES else None
