"""Cross-encoder: scores how well texts answer a question, with a model from a folder on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from keepgraph.errors import ModelUnavailable
from keepgraph.ml import local_cross_encoders

HINT = (
    "Download a cross-encoder yourself (cross-encoder/ms-marco-MiniLM-L6-v2, say), and name its folder in the settings "
    'of the profile: [search] cross_encoder = "/path/to/the/folder". Nothing is ever downloaded by Keepgraph. '
    "The other rerankers need no model."
)

_MAX_CHARACTERS = 4000  # of a question and of a text that are passed on; a cross-encoder truncates long input anyway

_NOUN = "cross-encoder"
_scoring = Lock()


def score(question: str, texts: Sequence[str], *, folder: str | None) -> list[float]:
    """Score how well each text answers the question. The first call loads the model.

    Args:
        folder: the folder of a CrossEncoder of sentence-transformers; None if there is none.

    Returns:
        A score per text, higher is better. The range depends on the model; only the order means anything.

    Raises:
        ModelUnavailable: there is no model, or it cannot be loaded.
    """
    if reason := unavailable_reason(folder):
        raise ModelUnavailable(reason, hint=HINT)
    if not texts:
        return []
    with _scoring:
        encoder = local_cross_encoders.load(str(Path(folder or "").resolve()), noun=_NOUN, hint=HINT)
        pairs = [(question[:_MAX_CHARACTERS], text[:_MAX_CHARACTERS]) for text in texts]
        scores = encoder.predict(pairs, show_progress_bar=False)
    return [float(value) for value in scores]


def unavailable_reason(folder: str | None) -> str | None:
    """Why no cross-encoder can be used, or None. Loads nothing."""
    if folder is None:
        return "no cross-encoder is set for this graph"
    return local_cross_encoders.unavailable_reason(folder, noun=_NOUN)
