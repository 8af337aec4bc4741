"""Adjacency arrays of the graph as a transaction sees it: each connection's own, or shared ones built by a server.

Arrays belong to a position in the journal. The ends of facts changed since then are read from the tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from keepgraph import store
from keepgraph.arrays.adjacency import Adjacency, TooSparse
from keepgraph.cypher.table_graph import AdjacencyCache, Execute, TableGraph, literal_key
from keepgraph.engine.query import graph_catalogue
from keepgraph.store.fact_changes import JournalPosition
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

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
    cache: AdjacencyCache


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


def cache(tx: Tx) -> AdjacencyCache | None:
    """The adjacency arrays at the instant of the call; None for the past as it was known.

    They survive writes: the ends of changed facts are then outdated in them.
    """
    if tx.known_at is not None:
        return None
    at = timestamps.from_datetime(tx.now)
    position = store.fact_changes.position(tx)
    arrays = _up_to(tx, tx.connection_cache.get(("arrays", tx.group)), position)
    if arrays is None or not arrays.since <= at < arrays.until:
        arrays = None
    if arrays is None or not arrays.cache.is_built:
        arrays = _from_shared(tx, at, position) or arrays
    if arrays is None:
        arrays = _TimedAdjacency(
            at, store.graph_statistics.next_boundary(tx, at=at), position, AdjacencyCache(note_use=_noting_use(tx))
        )
    tx.connection_cache["arrays", tx.group] = arrays
    return arrays.cache


def share(tx: Tx, execute: Execute) -> bool:
    """Build the arrays for all connections of the process if they are missing and worth it; return whether it did.

    Args:
        execute: runs a statement on the connection.
    """
    statements = graph_catalogue.statement_cache(tx)
    if tx.known_at is not None or statements.catalogue.estimates.edge_count(None) < MIN_FACTS:
        return False
    at = timestamps.from_datetime(tx.now)
    position = store.fact_changes.position(tx)
    known = _shared(tx, at)
    if known is not None:
        arrays = _outdated_up_to(tx, known, position)
        if arrays is not None and len(arrays.cache.outdated) <= _MAX_OUTDATED_SHARED:
            return False
    graph = TableGraph(statements, execute, graph_catalogue.condition_values(tx))
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
        at, store.graph_statistics.next_boundary(tx, at=at), position, adjacency, has_all
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
    own = AdjacencyCache(shared.adjacency, note_use=_noting_use(tx))
    return _up_to(tx, _TimedAdjacency(shared.since, shared.until, shared.position, own), position)


def _up_to(tx: Tx, arrays: _TimedAdjacency | None, position: JournalPosition) -> _TimedAdjacency | None:
    """The arrays with changes up to a position marked outdated; None where too much has changed."""
    if arrays is None or arrays.position == position:
        return arrays
    changes = store.fact_changes.since(tx, arrays.position) if arrays.cache.is_built else None
    if changes is None:
        return None
    outdated = arrays.cache.outdated
    outdated.update(changes.entities, map(literal_key, changes.literals))
    return replace(arrays, position=position) if len(outdated) <= _MAX_OUTDATED_NODES else None
