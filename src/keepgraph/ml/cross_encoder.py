"""Reads a question together with texts, with a cross-encoder from a folder on this machine. Knows no graph."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

from keepgraph.errors import ModelUnavailable
from keepgraph.ml import embedder

HINT = (
    "Download a cross-encoder yourself (cross-encoder/ms-marco-MiniLM-L6-v2, say), and name its folder in the settings "
    'of the profile: [search] cross_encoder = "/path/to/the/folder". Nothing is ever downloaded by Keepgraph. '
    "The other rerankers need no model."
)

_LONGEST = 4000

_loaded: dict[str, Any] = {}
_turn = Lock()


def scores(question: str, texts: Sequence[str], *, folder: str | None) -> list[float]:
    """How well each text answers the question; only their order means anything. The first call loads the model.

    Args:
        folder: where a sentence-transformers CrossEncoder is; None is nowhere.

    Raises:
        ModelUnavailable: there is none, or it cannot be loaded.
    """
    if reason := missing(folder):
        raise ModelUnavailable(reason, hint=HINT)
    if not texts:
        return []
    with _turn:
        encoder = _encoder(str(Path(folder or "").resolve()))
        found = encoder.predict([(question[:_LONGEST], text[:_LONGEST]) for text in texts], show_progress_bar=False)
    return [float(score) for score in found]


def missing(folder: str | None) -> str | None:
    """Why there is no cross-encoder to be used, or None. Loads nothing."""
    if folder is None:
        return "no cross-encoder is set for this graph"
    if not (Path(folder) / "config.json").is_file():
        return f"there is no model in {folder!r}, which the settings name as the cross-encoder"
    if not embedder.has_sentence_transformers():
        return "the package sentence-transformers, which a cross-encoder needs, is not installed"
    return None


def _encoder(folder: str) -> Any:
    if folder not in _loaded:
        embedder.silence()
        try:
            _loaded[folder] = import_module("sentence_transformers").CrossEncoder(
                folder, device="cpu", local_files_only=True
            )
        except (OSError, ValueError, LookupError, TypeError, AttributeError, ImportError, RuntimeError) as error:
            raise ModelUnavailable(f"the cross-encoder in {folder!r} cannot be loaded: {error}", hint=HINT) from error
    return _loaded[folder]
