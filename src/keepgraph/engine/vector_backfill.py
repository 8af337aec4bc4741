"""Vector backfill: embeds names, chunks and facts that have no vector yet, the newest first, in short writes.

All vectors of a graph are of one model, whose name the graph stores. The model runs outside of the writes, so that
other writers never wait for it.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from keepgraph import errors, package_files, store
from keepgraph.model import Entity
from keepgraph.store.database import Database
from keepgraph.store.derived_tables import VECTOR_KINDS, VectorKind
from keepgraph.store.transactions import Tx

if TYPE_CHECKING:
    import numpy as np
from collections.abc import Callable

from keepgraph.store.cancellation import CancellationCheck

BATCH = 16_000
"""So much work is embedded and written together, in characters; where somebody waits, a sixteenth of it."""

_BATCH_OF_A_READ = BATCH // 16

_WORK_OF_A_READ = 8_000
"""The work that is done before a read, at most: about a second's, and in no more time than a read may wait."""

_NEWEST_NUMBERS = 200
"""Where a background task makes all others, a read waits only for what is among these: a hundred texts or names."""

_CHARACTERS_READ = 1_100
_CHARACTERS_PER_TEXT = 40
"""The work of a text: of a long one the model reads no more than so much; of a short one it takes as long as this."""

_MAX_NEAREST = 24


def backfill(
    database: Database,
    *,
    seconds: float | None = None,
    work: int | None = None,
    kinds: Sequence[VectorKind] = VECTOR_KINDS,
) -> int:
    """Embed what has no vector yet, the newest first, in batches.

    Args:
        seconds: stop after the batch in which this time has passed, and do not wait longer for other writers; None
            goes on until all have a vector.
        work: stop after so much, in characters.
        kinds: the kinds to embed.

    Returns:
        How many still have no vector, of all kinds.

    Raises:
        errors.ModelUnavailable: the model, or the extension sqlite-vec, is not installed.
        errors.GraphFileError: the graph cannot be written.
    """
    _embed(database, kinds, seconds=seconds, work=work)
    with database.read("vectors") as tx:
        return count_missing(tx)


def backfill_some(
    database: Database, kinds: Sequence[VectorKind], *, seconds: float, has_background: bool = False
) -> None:
    """Embed as much of these kinds as a read may wait for, the newest first.

    Args:
        has_background: whether all but the newest is left to a background task.

    Raises:
        the errors of backfill.
    """
    numbers = _NEWEST_NUMBERS if has_background else None
    _embed(database, kinds, seconds=seconds, work=_WORK_OF_A_READ, among_newest=numbers)


def _embed(
    database: Database,
    kinds: Sequence[VectorKind],
    *,
    seconds: float | None,
    work: int | None,
    among_newest: int | None = None,
) -> None:
    from keepgraph.ml import embedder

    model = database.settings.model
    deadline = None if seconds is None else time.monotonic() + seconds
    size, left = (BATCH if seconds is None else _BATCH_OF_A_READ), work
    while True:
        with database.read("vectors") as tx:
            if reason := missing_part(model) or unavailable_reason(tx):
                raise errors.ModelUnavailable(f"nothing can be found by meaning: {reason}", hint=install_hint(model))
            batch = _next_batch(tx, kinds, work=size if left is None else min(size, left), among_newest=among_newest)
        if not batch:
            return
        packed = pack(embedder.embed([text for _, _, text in batch], model=model))
        with database.write("vectors", cancellation=short_wait() if deadline else None) as tx:
            if store.vectors.model_and_dimension(tx) is None:
                store.vectors.reset(tx, model, embedder.dimension(model))
            if unavailable_reason(tx) is None:  # another process may have changed the model meanwhile
                for kind in kinds:
                    made = [
                        (number, text, *vector)
                        for (of_kind, number, text), vector in zip(batch, packed, strict=True)
                        if of_kind is kind
                    ]
                    store.vectors.insert(tx, made, kind)
        if left is not None:
            left -= sum(_work(text) for _, _, text in batch)
        if deadline is not None and time.monotonic() > deadline:
            return


def _next_batch(
    tx: Tx, kinds: Sequence[VectorKind], *, work: int, among_newest: int | None
) -> list[tuple[VectorKind, int, str]]:
    """What to embed next, the newest of each kind: the kind, the number and the text.

    The kinds share the work: whatever waits of one, the newest of the others does not wait for it.
    """
    batch: list[tuple[VectorKind, int, str]] = []
    for others, kind in zip(range(len(kinds), 0, -1), kinds, strict=True):
        if work <= 0:
            break
        share = work // others
        texts = store.vectors.next_missing(tx, kind, limit=share // _CHARACTERS_PER_TEXT + 1, among_newest=among_newest)
        for number, text in texts:
            if share <= 0:
                break
            batch.append((kind, number, text))
            share -= _work(text)
            work -= _work(text)
    return batch


def _work(text: str) -> int:
    return _CHARACTERS_PER_TEXT + min(len(text), _CHARACTERS_READ)


def count_missing(tx: Tx) -> int:
    """How many names, texts and facts have no vector yet."""
    return sum(store.vectors.count_missing(tx, kind) for kind in VECTOR_KINDS)


def count_due(database: Database) -> int:
    """How many names, texts and facts have no vector and can get one on this machine. Loads no model."""
    with database.read("vectors") as tx:
        return count_missing(tx) if "embedding" in tx.settings.steps and unavailable_reason(tx) is None else 0


def is_due(tx: Tx, kinds: Sequence[VectorKind]) -> bool:
    """Whether any of these kinds has no vector and can get one on this machine. Loads no model."""
    return (
        "embedding" in tx.settings.steps
        and any(store.vectors.any_missing(tx, kind) for kind in kinds)
        and unavailable_reason(tx) is None
    )


def unavailable_reason(tx: Tx) -> str | None:
    """Why names cannot be found by meaning in this graph, in words to act on; None if they can."""
    model = tx.settings.model
    if part := missing_part(model):
        return f"{part}; `kg doctor` says how to install it" if missing_extra(model) else part
    made_with = store.vectors.model_and_dimension(tx)
    if made_with and made_with[0] != model:
        return f"the vectors are of {made_with[0]}, and the profile names {model}; `kg reindex` makes them anew"
    return None


def missing_part(model: str) -> str | None:
    """What this machine lacks for a model and its vectors, in words; None if nothing. Loads nothing."""
    from keepgraph.ml import embedder

    return store.vectors.extension_missing() or embedder.unavailable_reason(model)


def missing_extra(model: str) -> str | None:
    """The extra of Keepgraph that has what this machine lacks for a model, or None."""
    from keepgraph.ml import embedder

    return "meaning" if store.vectors.extension_missing() else embedder.missing_extra(model)


def install_hint(model: str) -> str | None:
    """How to install what this machine lacks for a model; None if it lacks no package."""
    extra = missing_extra(model)
    return package_files.extra_hint(extra) if extra else None


def describe_state(tx: Tx) -> str:
    """The state of the embedding step of resolution in words: on, with how many names wait, or why it is off."""
    if "embedding" not in tx.settings.steps:
        return "off: by the settings"
    if reason := unavailable_reason(tx):
        return f"off: {reason}"
    missing = store.vectors.count_missing(tx)
    return f"on; {describe_missing(missing)}" if missing else "on"


def describe_missing(count: int, noun: str = "name", *, at_most: int | None = None) -> str:
    """How many names, texts or facts have no vector yet, in words.

    Args:
        at_most: where there are more than this, it is not said how many.
    """
    if at_most is not None and count > at_most:
        return f"more than {at_most:,} {noun}s still wait for their vectors"
    if count == 1:
        return f"1 {noun} still waits for its vector"
    return f"{count:,} {noun}s still wait for their vectors"


def nearest_entities(tx: Tx, name: str, *, of_types: Collection[str] | None) -> list[tuple[Entity, str, float]]:
    """The entities with the nearest names in meaning: each once, with that name and its cosine, nearest first."""
    from keepgraph.ml import embedder

    embedding, signs = pack(embedder.embed([name], model=tx.settings.model))[0]
    hits = store.vectors.nearest_names(tx, embedding, signs, of_types=of_types, limit=_MAX_NEAREST)
    entities = store.entities.by_rows(tx, list({row for row, _, _ in hits}))
    nearest: dict[int, tuple[Entity, str, float]] = {}
    for row, matched_name, cosine in hits:
        if row in entities and row not in nearest:
            nearest[row] = (entities[row], matched_name, float(cosine))
    return list(nearest.values())


def are_of_another_model(database: Database) -> bool:
    """Whether the stored vectors were made by another model than the profile names."""
    with database.read("vectors") as tx:
        made_with = store.vectors.model_and_dimension(tx)
    return made_with is not None and made_with[0] != database.settings.model


def restart(database: Database) -> int:
    """Drop all vectors, so that a backfill makes them with the model of the profile; returns how many are missing.

    Raises:
        errors.ModelUnavailable: the model is not installed; then the old vectors stay.
    """
    from keepgraph.ml import embedder

    model = database.settings.model
    if reason := missing_part(model):
        raise errors.ModelUnavailable(f"names cannot be found by meaning: {reason}", hint=install_hint(model))
    dimension = embedder.dimension(model)
    # Before anything is dropped: a model may be installed and not work.
    embedder.embed(["a name"], model=model)
    with database.write("vectors") as tx:
        store.vectors.reset(tx, model, dimension)
        return count_missing(tx)


def pack(embeddings: np.ndarray) -> Sequence[tuple[bytes, bytes]]:
    """Quantise embeddings for storage: each row as signed bytes, scaled to its largest value, and as sign bits.

    The cosine does not change with the scale; rounding changes it by less than 0.002. The signs are packed with the
    lowest bit first, as sqlite-vec expects.
    """
    import numpy as np

    scaled = np.rint(embeddings / np.abs(embeddings).max(axis=1, keepdims=True) * 127).astype(np.int8)
    signs = np.packbits(embeddings > 0, axis=1, bitorder="little")
    return [(row.tobytes(), bits.tobytes()) for row, bits in zip(scaled, signs, strict=True)]


# Time limits of a backfill that a read waits for.

MAX_SECONDS_OF_A_READ = 1.0
"""How long a read waits for all that is backfilled before it; at most about one batch longer."""

_WAIT_FOR_WRITER_SECONDS = 1.0


def countdown() -> Callable[[], float]:
    """How many seconds a read still waits, counted from now on."""
    until = time.monotonic() + MAX_SECONDS_OF_A_READ
    return lambda: max(until - time.monotonic(), 0.0)


def short_wait() -> CancellationCheck:
    """A cancellation check for the writes of a backfill that a read waits for.

    It gives up waiting for another writer after a second: a better answer is not worth a longer wait.
    """
    until = time.monotonic() + _WAIT_FOR_WRITER_SECONDS
    return lambda: errors.GraphBusy("another program is writing") if time.monotonic() > until else None
