"""The model of entailment: it is used where there is one, and never downloaded."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from keepgraph import errors
from keepgraph.ml import cross_encoders, embedder

np = pytest.importorskip("numpy")


class Model:
    """Stands for a cross-encoder: its scores for each pair, in the order of its labels."""

    def __init__(self, labels: dict[int, str], scores: list[float]) -> None:
        self.config = SimpleNamespace(id2label=labels)
        self._scores = scores

    def predict(self, pairs: list[tuple[str, str]], *, show_progress_bar: bool) -> Any:
        return np.array([self._scores] * len(pairs))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a configuration, and the loading of models replaced."""
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setattr(embedder, "has_sentence_transformers", lambda: True)
    monkeypatch.setattr(cross_encoders, "_models", {})
    return tmp_path


def test_the_probabilities_follow_the_labels_of_the_model(folder):
    cross_encoders._models[str(folder.resolve())] = Model(
        {0: "ENTAILMENT", 1: "neutral", 2: "contradiction"}, [0, 0, 5]
    )

    (computed,) = cross_encoders.compute_entailment([("It rains.", "It is dry.")], folder=str(folder))

    assert computed.contradiction > 0.95
    assert computed.entailment + computed.neutral + computed.contradiction == pytest.approx(1)


def test_a_model_with_other_labels_is_refused(folder):
    cross_encoders._models[str(folder.resolve())] = Model({0: "LABEL_0", 1: "LABEL_1", 2: "LABEL_2"}, [0, 0, 5])

    with pytest.raises(errors.ModelUnavailable, match="label_0"):
        cross_encoders.compute_entailment([("It rains.", "It is dry.")], folder=str(folder))


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(errors.ModelUnavailable, match="no model") as error:
        cross_encoders.compute_entailment([("It rains.", "It is dry.")], folder=str(tmp_path))

    assert "entailment_model =" in (error.value.hint or "")


def test_nothing_is_loaded_for_no_pairs(folder):
    assert cross_encoders.compute_entailment([], folder=str(folder)) == []
