"""The sign bits of all vectors in the memory of a process, brought up to date by the changes that the graph notes.

About 60 bytes a vector. Where they are not in memory, or of another state of the graph than a transaction sees, the
extension sqlite-vec compares all rows instead. numpy compares 200,000 sets of 384 bits in 1.7 ms; a search of 20,000
turns takes 29 ms instead of 42.

Signs are read at the third search of a process, and by a server in the background after the first, so that a command
that searches once never reads them; of a kind with a number above 600,000 none is held. Triggers note the number of
every vector that changes, the newest 10,000 to 20,000; a transaction compares those apart, and after 2,000 changes all
are read anew. The journal does not have them: vectors are made later than what they are of. A transaction that writes,
or is older than what is in memory, and a search limited to a project leave the work to sqlite-vec. Of equal distances
the lower number comes first, so that both ways give the same rows.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field
from typing import TYPE_CHECKING

from keepgraph.lazy import dataclass
from keepgraph.store.connections import json_array
from keepgraph.store.derived_tables import CHUNK_VECTORS, VECTOR_KINDS, VectorKind
from keepgraph.store.transactions import Tx

if TYPE_CHECKING:
    from keepgraph.arrays.hamming import BitVectors

MAX_VECTORS = 600_000
"""Of a kind with a larger number than this no vector is compared: it would take seconds, and memory."""

_MAX_CHANGES = 2_000
"""After more changes, a new block is made of the signs; until then, what has changed is compared apart."""

_LOADED_AT_SEARCH = 3
"""A process that searches so often has the signs in memory; reading them takes about as long as two comparisons."""

_CACHE_KEY = "signs of vectors"
_SEARCHES = "searches that compare vectors"

Label = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs of the vectors of a kind in one state of the graph; never changed in place.

    Attributes:
        change: the number of the last change of any vector that it includes.
        blocks: of even and of odd numbers for readings of chunks, else one.
        newer: what has changed since these blocks were made, divided in the same way.
        changed: the numbers of all that has changed since.
        labels: what vectors are filtered by, such as their group, with the label in the blocks.
    """

    change: int
    blocks: tuple[BitVectors, ...]
    newer: tuple[BitVectors, ...]
    changed: frozenset[int]
    labels: dict[Label, int] = field(default_factory=dict)


def of_snapshot(tx: Tx, kind: VectorKind) -> Signs | None:
    """The signs as this transaction sees them, if they are in memory, or a few changes away from what is there.

    A transaction that may write gets none, for what it has changed may be rolled back.
    """
    signs: Signs | None = tx.shared_cache.get(_key(kind))
    if signs is None or not _only_reads(tx):
        return None
    latest = _latest_change(tx)
    if latest != signs.change:
        numbers = _changed_since(tx, kind, signs.change, latest)
        if numbers is None or len(numbers | signs.changed) > _MAX_CHANGES:
            return None
        signs = _with_changes(tx, kind, signs, numbers, latest)
        tx.shared_cache[_key(kind)] = signs
    return signs


def note_search(tx: Tx) -> None:
    """Note that a search compares vectors: at the third of this process, the signs are brought into memory.

    A server brings them there in the background, after the first; a command that searches once never does.
    """
    tx.shared_cache[_SEARCHES] = tx.shared_cache.get(_SEARCHES, 0) + 1
    if tx.shared_cache[_SEARCHES] >= _LOADED_AT_SEARCH:
        load(tx)


def count_searches(tx: Tx) -> int:
    """How often this process has compared vectors, since the signs were dropped."""
    searches: int = tx.shared_cache.get(_SEARCHES, 0)
    return searches


def drop(tx: Tx) -> None:
    """Give back the memory of the signs of all kinds."""
    for key in (_SEARCHES, *map(_key, VECTOR_KINDS)):
        tx.shared_cache.pop(key, None)


def load(tx: Tx) -> None:
    """Bring the signs of all kinds into memory, as far as they are not there in nearly this state."""
    for kind in VECTOR_KINDS:
        if of_snapshot(tx, kind) is None and _only_reads(tx) and not _has_too_many(tx, kind):
            tx.shared_cache[_key(kind)] = _read_all(tx, kind)


def nearest(signs: Signs, bits: bytes, *, part: int, labels: Collection[Label] | None, limit: int) -> list[int]:
    """The numbers of the vectors nearest to some bits, nearest first and of equals the lower number first.

    Args:
        part: 0 for even and 1 for odd numbers of the readings of chunks, else 0.
        labels: only vectors with one of these; None is any.
    """
    from keepgraph.arrays import hamming

    wanted = None if labels is None else [signs.labels[label] for label in labels]
    pairs = hamming.nearest(signs.blocks[part], bits, labels=wanted, limit=limit)
    if newer := hamming.nearest(signs.newer[part], bits, labels=wanted, limit=limit):
        pairs = sorted([*pairs, *newer])[:limit]
    return [number for _, number in pairs]


def _key(kind: VectorKind) -> str:
    return f"{_CACHE_KEY} of {kind.noun}s"


def _only_reads(tx: Tx) -> bool:
    return tx.is_true("PRAGMA query_only")


def _latest_change(tx: Tx) -> int:
    return int(tx.conn.execute("SELECT max(id) FROM vector_change").fetchone()[0] or 0)


def _changed_since(tx: Tx, kind: VectorKind, change: int, latest: int) -> frozenset[int] | None:
    """The numbers that changed after a change; None where that is not known, or is later than the transaction."""
    oldest = tx.conn.execute("SELECT min(id) FROM vector_change").fetchone()[0]
    if change > latest or oldest is None or oldest > change + 1:
        return None
    rows = tx.conn.execute("SELECT number FROM vector_change WHERE id > ? AND kind = ?", (change, kind.noun))
    return frozenset(row[0] for row in rows)


def _has_too_many(tx: Tx, kind: VectorKind) -> bool:
    largest = tx.conn.execute(f"SELECT max({kind.key}) FROM {kind.signs_table}").fetchone()[0]
    return largest is not None and largest > MAX_VECTORS


def _read_all(tx: Tx, kind: VectorKind) -> Signs:
    labels: dict[Label, int] = {}
    blocks = _read_blocks(tx, kind, labels, "")
    nothing = _read_blocks(tx, kind, labels, "WHERE 0")
    return Signs(_latest_change(tx), blocks, nothing, frozenset(), labels)


def _with_changes(tx: Tx, kind: VectorKind, signs: Signs, numbers: frozenset[int], latest: int) -> Signs:
    """The same signs, with what has changed."""
    from keepgraph.arrays import hamming

    changed, labels = signs.changed | numbers, dict(signs.labels)
    if not numbers:
        return Signs(latest, signs.blocks, signs.newer, changed, labels)
    newer = _read_blocks(
        tx, kind, labels, f"WHERE {kind.key} IN (SELECT value FROM json_each(?))", json_array(sorted(changed))
    )
    blocks = tuple(hamming.without(block, numbers) for block in signs.blocks)
    return Signs(latest, blocks, newer, changed, labels)


def _read_blocks(
    tx: Tx, kind: VectorKind, labels: dict[Label, int], where: str, *values: object
) -> tuple[BitVectors, ...]:
    """The vectors of a kind by parts; what they are filtered by that has no label yet is given one."""
    from keepgraph.arrays import hamming

    parts = 2 if kind is CHUNK_VECTORS else 1
    columns = "".join(f", {column}" for column in kind.filter_columns)
    rows: list[list[tuple[int, bytes, int]]] = [[] for _ in range(parts)]
    for number, bits, *label in tx.conn.execute(
        f"SELECT {kind.key}, signs{columns} FROM {kind.signs_table} {where} ORDER BY {kind.key}", values
    ):
        rows[number % parts].append((number, bits, labels.setdefault(tuple(label), len(labels))))
    return tuple(hamming.pack(part) for part in rows)
