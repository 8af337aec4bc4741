"""Frequent English words and names: the whole words in the token vocabulary of the default embedding model."""

from __future__ import annotations

from functools import cache

from keepgraph.ml import minilm

_MIN_LETTERS = 3
_VERY_FREQUENT_TOKENS = 9_000
"""The tokens stand in the order of their frequency."""


@cache
def load() -> frozenset[str]:
    """The words, in small letters; none if the package with the model is not installed."""
    return frozenset([token for token in _tokens() if len(token) >= _MIN_LETTERS and token.isalpha()])


@cache
def very_frequent() -> frozenset[str]:
    """The more frequent half of the words."""
    return load().intersection(_tokens()[:_VERY_FREQUENT_TOKENS])


@cache
def _tokens() -> list[str]:
    if minilm.unavailable_reason() is not None:
        return []
    return (minilm.model_folder() / "vocab.txt").read_text(encoding="utf-8").split("\n")
