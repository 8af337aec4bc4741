"""Cross-encoders in folders on this machine: how well texts answer a question, whether one text contradicts another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
        encoder = load_model(str(Path(folder or "").resolve()), noun=_NOUN, hint=HINT)
        pairs = [(question[:_MAX_CHARACTERS], text[:_MAX_CHARACTERS]) for text in texts]
        scores = encoder.predict(pairs, show_progress_bar=False)
    return [float(value) for value in scores]


def unavailable_reason(folder: str | None) -> str | None:
    """Why no cross-encoder can be used, or None. Loads nothing."""
    if folder is None:
        return "no cross-encoder is set for this graph"
    return folder_unavailable_reason(folder, noun=_NOUN)


# Local cross-encoders: models of sentence-transformers that read two texts together, from folders on this machine.

_models: dict[str, Any] = {}


def folder_unavailable_reason(folder: str, *, noun: str) -> str | None:
    """Why the model in a folder cannot be used, or None. Loads nothing.

    Args:
        noun: what the settings name it as.
    """
    if not (Path(folder) / "config.json").is_file():
        return f"there is no model in {folder!r}, which the settings name as the {noun}"
    if not embedder.has_sentence_transformers():
        return f"the package sentence-transformers, which a {noun} needs, is not installed"
    return None


def load_model(folder: str, *, noun: str, hint: str) -> Any:
    """The model in a folder, loaded at the first call; one at a time.

    Raises:
        ModelUnavailable: it cannot be loaded.
    """
    if folder not in _models:
        embedder.silence_libraries()
        try:
            _models[folder] = import_module("sentence_transformers").CrossEncoder(
                folder, device="cpu", local_files_only=True
            )
        except (OSError, ValueError, LookupError, TypeError, AttributeError, ImportError, RuntimeError) as error:
            raise ModelUnavailable(f"the {noun} in {folder!r} cannot be loaded: {error}", hint=hint) from error
    return _models[folder]


# Entailment: whether one text contradicts, follows from, or is independent of another, with a model from a folder.
#
# Such a model is a cross-encoder of sentence-transformers with three labels (natural language inference). None is part
# of Keepgraph, and none is ever downloaded.

_ENTAILMENT_HINT = (
    "Name the folder of a model of natural language inference in the settings of the profile: "
    '[verification] entailment_model = "/path/to/the/folder"; or remove the setting. Nothing is ever downloaded.'
)

_MAX_PREMISE = 2000

_ENTAILMENT_NOUN = "model of entailment"
_computing = Lock()


@dataclass(frozen=True, slots=True)
class Entailment:
    """The probabilities, which add up to 1, that a text contradicts another, that it follows from it, and neither."""

    contradiction: float
    entailment: float
    neutral: float


def compute_entailment(pairs: Sequence[tuple[str, str]], *, folder: str) -> list[Entailment]:
    """The probabilities for each pair of a premise and a hypothesis. The first call loads the model.

    Args:
        folder: the folder of a CrossEncoder of sentence-transformers whose labels are contradiction, entailment and
            neutral, in any order.

    Raises:
        ModelUnavailable: there is no model, it cannot be loaded, or its labels are others.
    """
    import numpy as np

    if reason := _entailment_unavailable_reason(folder):
        raise ModelUnavailable(reason, hint=_ENTAILMENT_HINT)
    if not pairs:
        return []
    with _computing:
        model = load_model(str(Path(folder).resolve()), noun=_ENTAILMENT_NOUN, hint=_ENTAILMENT_HINT)
        order = _label_order(model, folder)
        texts = [(premise[:_MAX_PREMISE], hypothesis[:_MAX_PREMISE]) for premise, hypothesis in pairs]
        scores = np.asarray(model.predict(texts, show_progress_bar=False), dtype=np.float64).reshape(len(pairs), -1)
    if scores.shape[1] != len(order):
        raise ModelUnavailable(
            f"the model in {folder!r} gives {scores.shape[1]} scores instead of three", hint=_ENTAILMENT_HINT
        )
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares = weights / weights.sum(axis=1, keepdims=True)
    return [Entailment(**{label: float(row[index]) for label, index in order.items()}) for row in shares]


def _entailment_unavailable_reason(folder: str) -> str | None:
    """Why no such model can be used, or None. Loads nothing."""
    return folder_unavailable_reason(folder, noun=_ENTAILMENT_NOUN)


def _label_order(model: Any, folder: str) -> Mapping[str, int]:
    """The place of each label among the scores of a model."""
    labels = {str(label).lower(): int(index) for index, label in model.config.id2label.items()}
    if labels.keys() != {"contradiction", "entailment", "neutral"}:
        raise ModelUnavailable(
            f"the labels of the model in {folder!r} are {', '.join(sorted(labels))}, and not contradiction, "
            "entailment, neutral",
            hint=_ENTAILMENT_HINT,
        )
    return labels
