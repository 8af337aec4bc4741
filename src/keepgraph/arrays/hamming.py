"""Hamming distance: the rows of a matrix of bits that are nearest to a vector of bits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class BitVectors:
    """Vectors of bits, in the order of their numbers.

    Attributes:
        numbers: ascending, each once.
        bits: of shape (vectors, bytes).
        labels: of each vector, the number of what it is filtered by.
        deleted: which of them no longer count.
    """

    numbers: np.ndarray
    bits: np.ndarray
    labels: np.ndarray
    deleted: np.ndarray


def pack(rows: Sequence[tuple[int, bytes, int]]) -> BitVectors:
    """Vectors from rows of number, bits (all of one length) and label; in any order."""
    numbers = np.fromiter((row[0] for row in rows), np.int64, len(rows))
    labels = np.fromiter((row[2] for row in rows), np.int32, len(rows))
    bits = np.frombuffer(b"".join([row[1] for row in rows]), np.uint8).reshape(len(rows), -1 if rows else 0)
    order = np.argsort(numbers, kind="stable")
    if not np.array_equal(order, np.arange(len(rows))):
        numbers, labels, bits = numbers[order], labels[order], bits[order]
    return BitVectors(numbers, np.ascontiguousarray(bits), labels, np.zeros(len(rows), bool))


def without(vectors: BitVectors, numbers: Collection[int]) -> BitVectors:
    """The same vectors, without those of some numbers; nothing of the given ones is changed."""
    gone = np.isin(vectors.numbers, np.fromiter(numbers, np.int64, len(numbers)))
    return BitVectors(vectors.numbers, vectors.bits, vectors.labels, vectors.deleted | gone)


def nearest(vectors: BitVectors, bits: bytes, *, labels: Collection[int] | None, limit: int) -> list[tuple[int, int]]:
    """The vectors nearest to some bits, nearest first and of equals the lower number first: distance and number.

    Args:
        labels: only vectors with one of these; None is any.
    """
    if not len(vectors.numbers) or limit <= 0:
        return []
    distances = _distances(vectors.bits, bits)
    passing = ~vectors.deleted
    if labels is not None:
        passing &= np.isin(vectors.labels, np.fromiter(labels, np.int32, len(labels)))
    largest = 8 * vectors.bits.shape[1]
    # One more than any distance can be: what does not pass.
    distances = np.where(passing, distances, largest + 1)
    counts = np.cumsum(np.bincount(distances, minlength=largest + 2)[: largest + 1])
    farthest = int(np.searchsorted(counts, min(limit, int(counts[-1])))) if counts[-1] else -1
    rows = np.flatnonzero(distances <= farthest)
    rows = rows[np.lexsort((rows, distances[rows]))][:limit]
    return list(zip(distances[rows].tolist(), vectors.numbers[rows].tolist(), strict=True))


def _distances(matrix: np.ndarray, bits: bytes) -> np.ndarray:
    """The number of bits in which each row of a matrix differs from a row of bits."""
    row = np.frombuffer(bits, np.uint8)
    if matrix.shape[1] % 8 == 0 and hasattr(np, "bitwise_count"):
        # Column by column: a sum along rows of six is four times as slow.
        words, distances = matrix.view(np.uint64), np.zeros(len(matrix), np.uint16)
        for column, word in enumerate(row.view(np.uint64)):
            distances += np.bitwise_count(words[:, column] ^ word)
        return distances.astype(np.int32)
    distances_of_bits: np.ndarray = np.unpackbits(matrix ^ row, axis=1).sum(axis=1, dtype=np.int32)
    return distances_of_bits
