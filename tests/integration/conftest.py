"""What tests of the public interface share: a text is embedded once in a run, and a graph whose tables a test fills."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import keepgraph
from graph_tables import Tables
from keepgraph.ml import embedder

_vectors: dict[str, Any] = {}


@pytest.fixture(autouse=True)
def vectors_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The vectors of the default model are those that it makes, kept for the next test that needs the same text.

    Hundreds of tests have the same names in graphs of their own. That a batch gives what each of its texts gives alone
    is tested in tests/unit/test_embedder.py.
    """
    embed = embedder.embed

    def embed_once(texts: Sequence[str], *, model: str = embedder.DEFAULT_MODEL) -> Any:
        if model != embedder.DEFAULT_MODEL or not texts or embedder.unavailable_reason(model):
            return embed(texts, model=model)
        new = [text for text in dict.fromkeys(texts) if text not in _vectors]
        if new:
            _vectors.update(zip(new, embed(new, model=model), strict=True))
        import numpy as np

        return np.stack([_vectors[text] for text in texts])

    monkeypatch.setattr(embedder, "embed", embed_once)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    """A graph whose tables a test fills itself."""
    with keepgraph.open(tmp_path_factory.mktemp("tables") / "graph.db") as graph:
        made = Tables(graph)
        yield made
        made.conn.close()
