"""What waits to be made from what is there, and how a question asks for it. Knows not what it is.

Vectors, and readings of texts, are made after the write that makes them due. A question that is answered better with
them asks for some, once: the door makes as many as there is time for, and puts the question again.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from keepgraph import errors
from keepgraph.store.database import Database, Stop, Tx

NAMES = "vectors of names"
VECTORS = "vectors"
READINGS = "readings"
EVERYTHING = frozenset([NAMES, VECTORS, READINGS])

_TO_WRITE_SECONDS = 1.0


class Wanted(Exception):
    """A question would be answered better if some of what waits were made: make some, and ask again."""

    def __init__(self, what: str, fill: Callable[[Database], object]) -> None:
        super().__init__(what)
        self.what = what
        self.fill = fill


def want(tx: Tx, what: str, fill: Callable[[Database], object]) -> None:
    """Ask for what waits, unless it was seen to already.

    Raises:
        Wanted: it was not.
    """
    if what not in tx.filled:
        raise Wanted(what, fill)
    tx.memo["wanted", what] = True


def was_wanted(tx: Tx, what: str) -> bool:
    """Whether something was asked for, and some of it waits still."""
    return ("wanted", what) in tx.memo


def impatient() -> Stop:
    """Gives up waiting for another writer after a second: a question is not worth more of them."""
    until = time.monotonic() + _TO_WRITE_SECONDS
    return lambda: errors.GraphBusy("another program is writing") if time.monotonic() > until else None
