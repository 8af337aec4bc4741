"""Words that are in use: the whole words in the vocabulary that comes with the weights. Knows no vectors."""

from __future__ import annotations

from functools import cache

from keepgraph.ml import minilm

_SHORTEST = 3


@cache
def words() -> frozenset[str]:
    """Frequent English words and names, in small letters; none where the weights are not installed."""
    if minilm.missing() is not None:
        return frozenset()
    pieces = (minilm.folder() / "vocab.txt").read_text(encoding="utf-8").split("\n")
    return frozenset(piece for piece in pieces if len(piece) >= _SHORTEST and piece.isalpha())
