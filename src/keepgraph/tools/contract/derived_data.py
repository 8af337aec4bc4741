"""Derived data that a tool declares to need, such as vectors or mentions: whether some is missing, and its backfill.

Derived data is computed after the write that makes it necessary. Before a call whose answer would be better with data
that is still missing, dispatch backfills for as long as there is time; then the tool answers with what there is.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from keepgraph import store
from keepgraph.engine import backfill, texts
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx

if TYPE_CHECKING:
    from keepgraph.store.derived_tables import VectorKind


class Need(Enum):
    """A kind of derived data. Kinds are backfilled in this order."""

    MENTIONS = "mentions"
    NAME_VECTORS = "vectors of names"
    VECTORS = "vectors"
    MAP_PLACES = "places on the map"


_MAX_WAITED_FOR = 100
"""A call to a server waits for the mentions or the vectors of so many names and texts: a tenth of a second or two."""

NeedsOfCall = Callable[..., frozenset[Need]]
"""What a call needs: a function of a transaction and the arguments of the call."""

NOTHING: frozenset[Need] = frozenset()
NAME_VECTORS = frozenset([Need.NAME_VECTORS])
MENTIONS = frozenset([Need.MENTIONS])
MAP_PLACES = frozenset([Need.MAP_PLACES])
MENTIONS_AND_VECTORS = frozenset([Need.MENTIONS, Need.VECTORS])


def is_missing(tx: Tx, need: Need) -> bool:
    """Whether some data of this kind is missing and can be backfilled on this machine. Loads no model."""
    if need is Need.MENTIONS:
        return store.mention_queue.any_unread(tx)
    if need is Need.MAP_PLACES:
        return store.map_places.any_missing(tx)
    return backfill.vectors.is_due(tx, _vector_kinds(need))


def is_left_to_background(tx: Tx, need: Need) -> bool:
    """Whether a server that makes this data in the background does not let a call wait for it.

    Vectors cost a pass of the model for each, and are always left to it; mentions and vectors of names where many wait.
    """
    if need is Need.MENTIONS:
        return sum(store.mention_queue.count(tx)) > _MAX_WAITED_FOR
    if need is Need.NAME_VECTORS:
        return store.vectors.count_missing(tx, store.derived_tables.NAME_VECTORS) > _MAX_WAITED_FOR
    return need is Need.VECTORS


def backfill_some(database: Database, need: Need) -> None:
    """Backfill as much of this kind as a read may wait for.

    Raises:
        errors.ModelUnavailable: vectors are needed, and the model cannot be used.
        errors.GraphFileError: the graph cannot be written.
    """
    if need is Need.MENTIONS:
        texts.mention_index.backfill_some(database)
    elif need is Need.MAP_PLACES:
        from keepgraph.engine.analysis import graph_map  # which loads numpy

        graph_map.place_missing(database)
    else:
        backfill.vectors.backfill_some(database, _vector_kinds(need))


def _vector_kinds(need: Need) -> tuple[VectorKind, ...]:
    if need is Need.NAME_VECTORS:
        return (store.derived_tables.NAME_VECTORS,)
    return store.derived_tables.VECTOR_KINDS
