"""Vector search: the names, facts and chunks whose embeddings are nearest to a vector, by cosine.

A query vector is a pair, embedding and signs, in the form in which vectors are stored (ADR 0011).

The sign bits of all vectors are in the memory of a process, about 60 bytes a vector, and updated by the changes that
the graph notes. If they are not, or in another state than the transaction sees, the extension sqlite-vec compares all
rows instead. numpy compares 200,000 sets of 384 bits in 1.7 ms; a search of 20,000 turns takes 29 ms instead of 42.

Signs are read at the third search of a process, and by a server in the background after the first, so that a command
that searches once never reads them; nor are those of a kind with numbers above 600,000. Triggers note the newest 10,000
to 20,000 numbers of changed vectors; a transaction compares those separately, and after 2,000 changes all are read
again. The journal does not have them, since a vector is made after what it stands for. A transaction that writes or is
older than the memory, and a search limited to a project, use sqlite-vec. Of equal distances the lower number comes
first, so that both ways give the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from keepgraph.lazy import dataclass
from keepgraph.store import search_filters, vectors
from keepgraph.store.connections import json_array
from keepgraph.store.derived_tables import CHUNK_VECTORS, FACT_VECTORS, NAME_VECTORS, VECTOR_KINDS, VectorKind
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx

if TYPE_CHECKING:
    from keepgraph.arrays.hamming import BitVectors


def nearest_names(tx: Tx, query: tuple[bytes, bytes], *, filters: Filters, limit: int) -> list[tuple[int, float]]:
    """The entities with a name or alias nearest to a vector, each once, with the cosine."""
    types = "1" if filters.types is None else search_filters.ENTITY_TYPE.replace("entity.type", "type")
    # Names are not limited to a project here: `search` leaves out those that are not about it.
    names = _nearest(
        tx,
        NAME_VECTORS,
        query,
        condition=f"group_id IN (SELECT value FROM json_each(:groups)) AND {types}",
        values=filters.values,
        row="iif(number % 2 = 0, number / 2, (SELECT entity FROM alias WHERE id = number / 2))",
        limit=2 * limit,
        in_memory=_InMemory(passes=_passes_by_group_and_type(tx, filters)),
    )
    best: dict[int, float] = {}
    for entity, cosine in names:
        if entity is not None:
            best.setdefault(entity, cosine)
    return list(best.items())[:limit]


def nearest_facts(tx: Tx, query: tuple[bytes, bytes], *, limit: int) -> list[tuple[int, float]]:
    """The facts whose sentences are nearest to a vector, with the cosine; of any group and time."""
    return _nearest(tx, FACT_VECTORS, query, condition="1", values={}, row="number", limit=limit, in_memory=_InMemory())


def nearest_chunks(
    tx: Tx, query: tuple[bytes, bytes], *, filters: Filters, with_turn_before: bool, limit: int
) -> list[tuple[int, float]]:
    """The chunks that are nearest to a vector, with the cosine.

    Args:
        with_turn_before: compare the vectors of turns that were read with the turn before, and no others.
    """
    in_groups = (
        "1"
        if search_filters.is_only_group(tx, filters.groups)
        else "group_id IN (SELECT value FROM json_each(:groups))"
    )
    passing = " AND ".join(search_filters.chunk_conditions(filters))
    of_chunks = f"reading / 2 IN (SELECT chunk.id FROM chunk WHERE {passing})" if passing else "1"
    return _nearest(
        tx,
        CHUNK_VECTORS,
        query,
        condition=f"{in_groups} AND reading % 2 = {int(with_turn_before)} AND {of_chunks}",
        values=filters.values,
        row="number / 2",
        limit=limit,
        # Only SQL knows what belongs to a project.
        in_memory=None if passing else _InMemory(int(with_turn_before), lambda label: label[0] in filters.groups),
    )


def embeddings(tx: Tx, kind: VectorKind, numbers: Sequence[int]) -> dict[int, bytes]:
    """The vectors with these numbers, as stored: one byte a dimension."""
    return tx.mapping(
        f"SELECT {kind.key}, embedding FROM {kind.vector_table} WHERE {kind.key} IN (SELECT value FROM json_each(?))",
        (json_array(numbers),),
    )


def has_too_many(tx: Tx, kind: VectorKind) -> bool:
    """Whether a kind has too many vectors to compare."""
    largest = tx.conn.execute(f"SELECT max({kind.key}) FROM {kind.signs_table}").fetchone()[0]
    return largest is not None and largest > MAX_VECTORS


@dataclass(frozen=True, slots=True)
class _InMemory:
    """Which signs in memory are compared: the part, and the labels that pass."""

    part: int = 0
    passes: Callable[[Label], bool] = lambda label: True


def _passes_by_group_and_type(tx: Tx, filters: Filters) -> Callable[[Label], bool]:
    if filters.types is None:
        return lambda label: label[1] in filters.groups
    rows = tx.conn.execute(
        "SELECT id FROM entity_type WHERE name IN (SELECT value FROM json_each(?))", (json_array(filters.types),)
    )
    types = {row[0] for row in rows}
    return lambda label: label[0] in types and label[1] in filters.groups


def _nearest(
    tx: Tx,
    kind: VectorKind,
    query: tuple[bytes, bytes],
    *,
    condition: str,
    values: Mapping[str, str | int | bytes | None],
    row: str,
    limit: int,
    in_memory: _InMemory | None,
) -> list[tuple[int, float]]:
    """The nearest rows in two passes: the signs of all are compared, then the embeddings of twice the limit.

    The signs are compared in memory if they are there, else by the extension, with the same result. The embeddings are
    always compared by the extension.

    Args:
        row: SQL for the row number in the result, from `number`, that of the vector.
        in_memory: None if only SQL knows what passes.
    """
    if has_too_many(tx, kind):
        return []
    vectors.load_extension(tx)
    signs = of_snapshot(tx, kind) if in_memory is not None else None
    near = f"""
        SELECT {kind.key} AS number
        FROM {kind.signs_table}
        WHERE {condition}
        ORDER BY vec_distance_hamming(vec_bit(signs), vec_bit(:signs)), {kind.key}
        LIMIT +:compared
    """
    values = {**values, "embedding": query[0], "compared": 2 * limit, "limit": limit}
    if in_memory is not None and signs is not None:
        labels = [label for label in signs.labels if in_memory.passes(label)]
        numbers = nearest(
            signs,
            query[1],
            part=in_memory.part,
            labels=None if len(labels) == len(signs.labels) else labels,
            limit=2 * limit,
        )
        near, values = "SELECT value AS number FROM json_each(:near)", {**values, "near": json_array(numbers)}
    else:
        values = {**values, "signs": query[1]}
    return tx.rows(
        f"""
        WITH near AS MATERIALIZED ({near})
        SELECT {row}, 1 - vec_distance_cosine(vec_int8(embedding), vec_int8(:embedding)) AS cosine
        FROM near
        JOIN {kind.vector_table} ON {kind.key} = number
        ORDER BY cosine DESC, number
        LIMIT +:limit
        """,
        values,
    )


MAX_VECTORS = 600_000
"""A kind with a larger number than this is not compared: it would take seconds, and memory."""

_MAX_CHANGES = 2_000
"""After more changes, the block of signs is made again; until then, changed ones are compared separately."""

_LOADED_AT_SEARCH = 3
"""From this search on, a process has the signs in memory; reading them takes about as long as two comparisons."""

_CACHE_KEY = "signs of vectors"
_SEARCHES = "searches that compare vectors"

Label = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Signs:
    """The signs of the vectors of a kind in one state of the graph; never changed in place.

    Attributes:
        change: the number of the last change of any vector that it includes.
        blocks: of even and of odd numbers for readings of chunks, else one.
        newer: vectors changed since these blocks were made, divided in the same way.
        changed: the numbers of all vectors changed since.
        labels: what vectors are filtered by, such as their group, and its label in the blocks.
    """

    change: int
    blocks: tuple[BitVectors, ...]
    newer: tuple[BitVectors, ...]
    changed: frozenset[int]
    labels: dict[Label, int] = field(default_factory=dict)


def of_snapshot(tx: Tx, kind: VectorKind) -> Signs | None:
    """The signs as this transaction sees them, if they are in memory, up to a few changes.

    None for a transaction that may write, since its changes may be rolled back.
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
    """Note that a search compares vectors: at the third of this process, the signs are loaded.

    A server loads them in the background after the first; a command that searches once never does.
    """
    tx.shared_cache[_SEARCHES] = tx.shared_cache.get(_SEARCHES, 0) + 1
    if tx.shared_cache[_SEARCHES] >= _LOADED_AT_SEARCH:
        load(tx)


def count_searches(tx: Tx) -> int:
    """How often this process has compared vectors since the signs were dropped."""
    searches: int = tx.shared_cache.get(_SEARCHES, 0)
    return searches


def drop(tx: Tx) -> None:
    """Free the memory of all signs."""
    for key in (_SEARCHES, *map(_key, VECTOR_KINDS)):
        tx.shared_cache.pop(key, None)


def load(tx: Tx) -> None:
    """Load the signs of all kinds, unless they are in memory in nearly this state."""
    for kind in VECTOR_KINDS:
        if of_snapshot(tx, kind) is None and _only_reads(tx) and not has_too_many(tx, kind):
            tx.shared_cache[_key(kind)] = _read_all(tx, kind)


def nearest(signs: Signs, bits: bytes, *, part: int, labels: Collection[Label] | None, limit: int) -> list[int]:
    """The numbers of the vectors nearest to some bits, nearest first, then by number.

    Args:
        part: for readings of chunks, 0 for even and 1 for odd numbers; else 0.
        labels: only vectors with one of these; None for any.
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
    """The numbers that changed after a change; None if that is unknown, or later than the transaction."""
    oldest = tx.conn.execute("SELECT min(id) FROM vector_change").fetchone()[0]
    if change > latest or oldest is None or oldest > change + 1:
        return None
    rows = tx.conn.execute("SELECT number FROM vector_change WHERE id > ? AND kind = ?", (change, kind.noun))
    return frozenset(row[0] for row in rows)


def _read_all(tx: Tx, kind: VectorKind) -> Signs:
    labels: dict[Label, int] = {}
    blocks = _read_blocks(tx, kind, labels, "")
    nothing = _read_blocks(tx, kind, labels, "WHERE 0")
    return Signs(_latest_change(tx), blocks, nothing, frozenset(), labels)


def _with_changes(tx: Tx, kind: VectorKind, signs: Signs, numbers: frozenset[int], latest: int) -> Signs:
    """The signs with what has changed since."""
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
    """The vectors of a kind by parts; adds labels for what they are filtered by."""
    from keepgraph.arrays import hamming

    parts = 2 if kind is CHUNK_VECTORS else 1
    columns = "".join(f", {column}" for column in kind.filter_columns)
    rows: list[list[tuple[int, bytes, int]]] = [[] for _ in range(parts)]
    for number, bits, *label in tx.conn.execute(
        f"SELECT {kind.key}, signs{columns} FROM {kind.signs_table} {where} ORDER BY {kind.key}", values
    ):
        rows[number % parts].append((number, bits, labels.setdefault(tuple(label), len(labels))))
    return tuple(hamming.pack(part) for part in rows)
