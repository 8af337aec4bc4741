"""The nearest rows of bits are those that differ in the fewest bits; of equals, those with the lower numbers."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("numpy")

from keepgraph.arrays import hamming


def rows(width: int) -> list[tuple[int, bytes, int]]:
    """Forty rows of so many bytes, some of them the same, with one of three labels."""
    chance = random.Random(width)
    kinds = [chance.randbytes(width) for _ in range(12)]
    return [(number, chance.choice(kinds), number % 3) for number in chance.sample(range(1000), 40)]


@pytest.mark.parametrize("width", [48, 5])
@pytest.mark.parametrize("limit", [0, 1, 7, 100])
@pytest.mark.parametrize("labels", [None, {1}, {0, 2}, set()])
def test_the_nearest_differ_in_the_fewest_bits(width, limit, labels):
    given, asked, gone = rows(width), random.Random(7).randbytes(width), {rows(width)[0][0], 4711}
    counted = sorted(
        (sum((one ^ other).bit_count() for one, other in zip(bits, asked, strict=True)), number)
        for number, bits, label in given
        if number not in gone and (labels is None or label in labels)
    )
    vectors = hamming.without(hamming.pack(given), gone)

    assert counted[:limit] == hamming.nearest(vectors, asked, labels=labels, limit=limit)


def test_of_nothing_nothing_is_near():
    assert hamming.nearest(hamming.pack([]), b"\x00" * 8, labels=None, limit=5) == []
