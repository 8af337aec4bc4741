"""Frequent English words and names: the whole words in the token vocabulary of the default embedding model."""

from __future__ import annotations

from functools import cache

from keepgraph.ml import minilm

_MIN_LETTERS = 3


@cache
def load() -> frozenset[str]:
    """The words, in small letters; none where the package with the model is not installed."""
    if minilm.unavailable_reason() is not None:
        return frozenset()
    tokens = (minilm.model_folder() / "vocab.txt").read_text(encoding="utf-8").split("\n")
    return frozenset(token for token in tokens if len(token) >= _MIN_LETTERS and token.isalpha())
