"""Coherence with a context: of candidates that fit a name equally well, the one that the context is connected with.

The context is the entities that a caller says the conversation is about. As in entity linking, a candidate is the more
likely meant the closer it is to them (Milne and Witten 2008, Hoffart et al. 2011): here it only decides between
candidates that are tied, and only where a single one is closest (ADR 0067).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from keepgraph import store
from keepgraph.model import Candidate, Entity
from keepgraph.store.transactions import Tx
from keepgraph.temporal import timestamps

MAX_PROBABILITY = 0.9
"""The score of what the context has decided is not above this: how often it is right was not measured."""

_MAX_NEIGHBOURS = 2_000
"""So many facts of an entity are looked at for an entity in between."""


def closest(tx: Tx, tied: Sequence[Candidate], context: Sequence[Entity]) -> tuple[Candidate, str] | None:
    """The only candidate that is closest to the context, and in words what connects it; None where several are.

    A candidate that is in the context itself is the closest; then come those that a fact connects with an entity of it,
    then those that a text mentions together with one, and then those that two facts connect, by an entity in between.
    Facts count that hold at the instant of the call.
    """
    connections: tuple[Callable[[Tx, Entity, Entity], str | None], ...] = (_same, _by_fact, _by_text, _by_two_facts)
    for connection in connections:
        connected = []
        for candidate in tied:
            reasons = (connection(tx, candidate.entity, entity) for entity in context)
            if reason := next(filter(None, reasons), None):
                connected.append((candidate, f"of those that fit as well, {reason}"))
        if connected:
            return connected[0] if len(connected) == 1 else None
    return None


def _same(_: Tx, candidate: Entity, entity: Entity) -> str | None:
    return "it is the one in the context" if candidate.row == entity.row else None


def _by_fact(tx: Tx, candidate: Entity, entity: Entity) -> str | None:
    at = timestamps.from_datetime(tx.now)
    facts = store.neighbourhood.facts_between(tx, [candidate.row], [entity.row], predicates=None, at=at, limit=1)
    return f"a fact connects it with “{entity.name}”" if facts else None


def _by_text(tx: Tx, candidate: Entity, entity: Entity) -> str | None:
    chunks = store.mentions.chunks_with_both(tx, candidate, entity, limit=1)
    return f"a text mentions it together with “{entity.name}”" if chunks else None


def _by_two_facts(tx: Tx, candidate: Entity, entity: Entity) -> str | None:
    common = _neighbours(tx, candidate) & _neighbours(tx, entity)
    return f"two facts connect it with “{entity.name}”" if common else None


def _neighbours(tx: Tx, entity: Entity) -> frozenset[int]:
    key = ("neighbours", entity.id)
    if key not in tx.memo:
        at = timestamps.from_datetime(tx.now)
        rows = store.neighbourhood.neighbours(tx, [entity.row], predicates=None, at=at, limit=_MAX_NEIGHBOURS)
        tx.memo[key] = frozenset(rows)
    neighbours: frozenset[int] = tx.memo[key]
    return neighbours
