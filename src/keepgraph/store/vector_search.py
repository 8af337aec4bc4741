"""Vector search: the names, facts and chunks whose embeddings are nearest to a vector, by cosine.

A query vector is a pair, embedding and signs, in the form in which vectors are stored (ADR 0011).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from keepgraph.lazy import dataclass
from keepgraph.store import search_filters, vector_signs, vectors
from keepgraph.store.connections import json_array
from keepgraph.store.derived_tables import CHUNK_VECTORS, FACT_VECTORS, NAME_VECTORS, VectorKind
from keepgraph.store.search_filters import Filters
from keepgraph.store.transactions import Tx


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
        # What a project is about is known to SQL alone.
        in_memory=None if passing else _InMemory(int(with_turn_before), lambda label: label[0] in filters.groups),
    )


def embeddings(tx: Tx, kind: VectorKind, numbers: Sequence[int]) -> dict[int, bytes]:
    """The vectors with some numbers, as they are stored: a byte a dimension."""
    return tx.mapping(
        f"SELECT {kind.key}, embedding FROM {kind.vector_table} WHERE {kind.key} IN (SELECT value FROM json_each(?))",
        (json_array(numbers),),
    )


def has_too_many(tx: Tx, kind: VectorKind) -> bool:
    """Whether there are so many vectors of a kind that they are not compared."""
    largest = tx.conn.execute(f"SELECT max({kind.key}) FROM {kind.signs_table}").fetchone()[0]
    return largest is not None and largest > vector_signs.MAX_VECTORS


@dataclass(frozen=True, slots=True)
class _InMemory:
    """How the signs in memory are compared: which part of them, and which pass, by what they are filtered by."""

    part: int = 0
    passes: Callable[[vector_signs.Label], bool] = lambda label: True


def _passes_by_group_and_type(tx: Tx, filters: Filters) -> Callable[[vector_signs.Label], bool]:
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

    The signs are compared in memory where they are there, else by the extension: the same rows come out. The embeddings
    are always compared by the extension.

    Args:
        row: SQL for the row number in the result, by `number`, that of the vector.
        in_memory: None where what passes is known to SQL alone.
    """
    if has_too_many(tx, kind):
        return []
    vectors.load_extension(tx)
    signs = vector_signs.of_snapshot(tx, kind) if in_memory is not None else None
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
        numbers = vector_signs.nearest(
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
