"""Vectors of names, texts and facts: makes those that wait, in short writes, and finds the names that are near to one.

A graph has the vectors of one model, and says which. Nothing is computed inside a write.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from keepgraph import errors, store
from keepgraph.engine.backfill import requests
from keepgraph.model import Entity
from keepgraph.store.database import Database, Tx

if TYPE_CHECKING:
    import numpy as np

AT_ONCE = {"name": 256, "text": 16, "fact": 64}
"""How many of a kind are embedded and written together: a long text takes as long as fifty names."""

BOUND_SECONDS = 1.5
"""How long a question waits for vectors to be made, at most about one batch longer."""

_NEIGHBOURS = 24


def off(tx: Tx) -> str | None:
    """Why names cannot be found by meaning in this graph, in words to act on, or None."""
    from keepgraph.ml import embedder

    model = tx.settings.model
    reason = store.vectors.missing() or embedder.missing(model)
    if reason:
        return reason
    made_with = store.vectors.space(tx)
    if made_with and made_with[0] != model:
        return f"the vectors are of {made_with[0]}, and the profile names {model}; `kg reindex` makes them anew"
    return None


def state(tx: Tx) -> str:
    """The state of the rung in words: on, with how many names wait, or why it is off."""
    if "embedding" not in tx.settings.rungs:
        return "off: by the settings"
    if reason := off(tx):
        return f"off: {reason}"
    waiting = store.vectors.waiting(tx)
    return f"on; {told(waiting)}" if waiting else "on"


def told(waiting: int, noun: str = "name") -> str:
    """How many names, texts or facts wait, in words."""
    if waiting == 1:
        return f"1 {noun} still waits for its vector"
    return f"{waiting:,} {noun}s still wait for their vectors"


def due(database: Database) -> int:
    """How many names, texts and facts wait for vectors that can be made here. Loads nothing."""
    with database.read("vectors") as tx:
        return waiting(tx) if "embedding" in tx.settings.rungs and off(tx) is None else 0


def some(database: Database) -> None:
    """Make as many vectors as a question may wait for."""
    fill(database, seconds=BOUND_SECONDS)


def some_of_names(database: Database) -> None:
    """Make as many vectors of names as a question for a name may wait for."""
    fill(database, seconds=BOUND_SECONDS, kinds=(store.vectors.NAME,))


def waiting(tx: Tx) -> int:
    """How many names, texts and facts have no vector yet."""
    return sum(store.vectors.waiting(tx, kind) for kind in store.vectors.KINDS)


def nearest(tx: Tx, asked: str, *, of_type: str | None) -> list[tuple[Entity, str, float]]:
    """The entities whose names are nearest in meaning: each once, with that name and the cosine, nearest first."""
    from keepgraph.ml import embedder

    embedding, signs = stored(embedder.embed([asked], model=tx.settings.model))[0]
    found = store.vectors.nearest(tx, embedding, signs, of_type=of_type, limit=_NEIGHBOURS)
    known = store.entities.by_rows(tx, list({row for row, _, _ in found}))
    best: dict[int, tuple[Entity, str, float]] = {}
    for row, name, cosine in found:
        if row in known and row not in best:
            best[row] = (known[row], name, float(cosine))
    return list(best.values())


def fill(
    database: Database,
    *,
    seconds: float | None = None,
    at_most: int | None = None,
    kinds: Sequence[store.vectors.Kind] = store.vectors.KINDS,
) -> int:
    """Make vectors for what waits, some at a time: names, then texts, then facts; returns how many wait still.

    Args:
        seconds: stop after the batch in which these have passed, and do not wait long for other writers; None goes
            on to the end.
        at_most: stop after so many.
        kinds: what is given vectors.

    Raises:
        errors.ModelUnavailable: the model is not here.
        errors.GraphTrouble: the graph cannot be written.
    """
    from keepgraph.ml import embedder

    model = database.settings.model
    until = time.monotonic() + seconds if seconds is not None else None
    made = 0
    while True:
        with database.read("vectors") as tx:
            reason, left = off(tx), waiting(tx)
            kind, batch = _next(tx, kinds, at_most=None if at_most is None else at_most - made)
        if reason:
            raise errors.ModelUnavailable(f"nothing can be found by meaning: {reason}")
        tired = until is not None and made and time.monotonic() > until
        if not batch or tired:
            return left
        packed = stored(embedder.embed([text for _, text in batch], model=model))
        with database.write("vectors", stop=requests.impatient() if until else None) as tx:
            if store.vectors.space(tx) is None:
                store.vectors.set_space(tx, model, embedder.dimension(model))
            if off(tx) is None:
                store.vectors.insert(
                    tx, [(number, text, *both) for (number, text), both in zip(batch, packed, strict=True)], kind
                )
        made += len(batch)


def _next(
    tx: Tx, kinds: Sequence[store.vectors.Kind], *, at_most: int | None
) -> tuple[store.vectors.Kind, list[tuple[int, str]]]:
    """What waits next, all of one kind, and at most so many."""
    for kind in kinds:
        size = AT_ONCE[kind.noun] if at_most is None else min(AT_ONCE[kind.noun], at_most)
        if size > 0 and (batch := store.vectors.next_waiting(tx, kind, limit=size)):
            return kind, batch
    return store.vectors.NAME, []


def made_otherwise(database: Database) -> bool:
    """Whether the vectors there are were made by another model than the profile names."""
    with database.read("vectors") as tx:
        space = store.vectors.space(tx)
    return space is not None and space[0] != database.settings.model


def restart(database: Database) -> int:
    """Drop all vectors, to be made anew with the model of the profile; returns how many wait.

    Raises:
        errors.ModelUnavailable: the model is not here; then the old vectors stay.
    """
    from keepgraph.ml import embedder

    model = database.settings.model
    if reason := store.vectors.missing() or embedder.missing(model):
        raise errors.ModelUnavailable(f"names cannot be found by meaning: {reason}")
    dimension = embedder.dimension(model)
    embedder.embed(["a name"], model=model)  # before anything is dropped: a model may be there and not work
    with database.write("vectors") as tx:
        store.vectors.set_space(tx, model, dimension)
        return waiting(tx)


def stored(embedded: np.ndarray) -> Sequence[tuple[bytes, bytes]]:
    """Each row as it is kept: a byte a dimension, scaled to the largest, and the signs as bits, lowest first.

    Cosines do not change with the scale; rounding moves them by less than 0.002.
    """
    import numpy as np

    scaled = np.rint(embedded / np.abs(embedded).max(axis=1, keepdims=True) * 127).astype(np.int8)
    signs = np.packbits(embedded > 0, axis=1, bitorder="little")
    return [(row.tobytes(), bits.tobytes()) for row, bits in zip(scaled, signs, strict=True)]
