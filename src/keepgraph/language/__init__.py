"""Text processing without a graph: normalisation, similarity, tokens, sentences, mentions, relations, chunks."""

from typing import TYPE_CHECKING

if not TYPE_CHECKING:
    from keepgraph import lazy_submodules

    __getattr__ = lazy_submodules.getter(__name__)
