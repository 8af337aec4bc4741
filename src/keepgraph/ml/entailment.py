"""Entailment: whether one text contradicts, follows from, or is independent of another, with a model from a folder.

Such a model is a cross-encoder of sentence-transformers with three labels (natural language inference). None is part of
Keepgraph, and none is ever downloaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from keepgraph.errors import ModelUnavailable
from keepgraph.ml import local_cross_encoders

HINT = (
    "Name the folder of a model of natural language inference in the settings of the profile: "
    '[verification] entailment_model = "/path/to/the/folder"; or remove the setting. Nothing is ever downloaded.'
)

_MAX_CHARACTERS = 2000

_NOUN = "model of entailment"
_computing = Lock()


@dataclass(frozen=True, slots=True)
class Entailment:
    """The probabilities, which add up to 1, that a text contradicts another, that it follows from it, and neither."""

    contradiction: float
    entailment: float
    neutral: float


def compute(pairs: Sequence[tuple[str, str]], *, folder: str) -> list[Entailment]:
    """The probabilities for each pair of a premise and a hypothesis. The first call loads the model.

    Args:
        folder: the folder of a CrossEncoder of sentence-transformers whose labels are contradiction, entailment and
            neutral, in any order.

    Raises:
        ModelUnavailable: there is no model, it cannot be loaded, or its labels are others.
    """
    import numpy as np

    if reason := unavailable_reason(folder):
        raise ModelUnavailable(reason, hint=HINT)
    if not pairs:
        return []
    with _computing:
        model = local_cross_encoders.load(str(Path(folder).resolve()), noun=_NOUN, hint=HINT)
        order = _label_order(model, folder)
        texts = [(premise[:_MAX_CHARACTERS], hypothesis[:_MAX_CHARACTERS]) for premise, hypothesis in pairs]
        scores = np.asarray(model.predict(texts, show_progress_bar=False), dtype=np.float64).reshape(len(pairs), -1)
    if scores.shape[1] != len(order):
        raise ModelUnavailable(f"the model in {folder!r} gives {scores.shape[1]} scores instead of three", hint=HINT)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares = weights / weights.sum(axis=1, keepdims=True)
    return [Entailment(**{label: float(row[index]) for label, index in order.items()}) for row in shares]


def unavailable_reason(folder: str) -> str | None:
    """Why no such model can be used, or None. Loads nothing."""
    return local_cross_encoders.unavailable_reason(folder, noun=_NOUN)


def _label_order(model: Any, folder: str) -> Mapping[str, int]:
    """The place of each label among the scores of a model."""
    labels = {str(label).lower(): int(index) for index, label in model.config.id2label.items()}
    if labels.keys() != {"contradiction", "entailment", "neutral"}:
        raise ModelUnavailable(
            f"the labels of the model in {folder!r} are {', '.join(sorted(labels))}, and not contradiction, "
            "entailment, neutral",
            hint=HINT,
        )
    return labels
