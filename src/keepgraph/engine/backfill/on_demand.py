"""Backfill on demand: how a read asks for derived data that is missing, vectors or mentions, before it answers.

Derived data is computed after the write that makes it necessary. A read whose answer would be better with data that
is still missing raises `BackfillNeeded`; the dispatcher backfills for as long as there is time, and runs the read once
more. The second time, the read answers with what there is. What the data is, is not known here.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from keepgraph import errors
from keepgraph.store.cancellation import CancellationCheck
from keepgraph.store.database import Database
from keepgraph.store.transactions import Tx

NAME_VECTORS = "vectors of names"
VECTORS = "vectors"
MENTIONS = "mentions"
ALL = frozenset([NAME_VECTORS, VECTORS, MENTIONS])

_WAIT_FOR_WRITER_SECONDS = 1.0
_INCOMPLETE = "incomplete"


class BackfillNeeded(Exception):
    """The answer of a read would be better after a backfill.

    Attributes:
        kind: the kind of data that is missing: NAME_VECTORS, VECTORS or MENTIONS.
        backfill: computes some of it, in transactions of its own.
    """

    def __init__(self, kind: str, backfill: Callable[[Database], object]) -> None:
        super().__init__(kind)
        self.kind = kind
        self.backfill = backfill


def require(tx: Tx, kind: str, backfill: Callable[[Database], object]) -> None:
    """Ask for a backfill of a kind of data of which some is missing. Call it only then.

    Raises:
        BackfillNeeded: none was tried yet for this call. After one was tried, the answer is marked incomplete instead.
    """
    if kind not in tx.backfilled:
        raise BackfillNeeded(kind, backfill)
    tx.memo[_INCOMPLETE, kind] = True


def is_incomplete(tx: Tx, kind: str) -> bool:
    """Whether some data of this kind was asked for in this call, and is missing even after a backfill."""
    return (_INCOMPLETE, kind) in tx.memo


def short_wait() -> CancellationCheck:
    """A cancellation check for the writes of a backfill that a read waits for.

    It gives up waiting for another writer after a second: a better answer is not worth a longer wait.
    """
    until = time.monotonic() + _WAIT_FOR_WRITER_SECONDS
    return lambda: errors.GraphBusy("another program is writing") if time.monotonic() > until else None
