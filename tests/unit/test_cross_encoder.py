"""The cross-encoder: scores for texts, from a model in a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from keepgraph import errors
from keepgraph.ml import cross_encoder, minilm


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A minimal cross-encoder with random weights."""
    transformers = pytest.importorskip("transformers")
    made = tmp_path_factory.mktemp("cross-encoder")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(minilm.model_folder() / "tokenizer.json"),
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        unk_token="[UNK]",
        model_max_length=64,
    )
    tokenizer.save_pretrained(made)
    config = transformers.BertConfig(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16, num_labels=1
    )
    transformers.BertForSequenceClassification(config).save_pretrained(made)
    return made


def test_each_text_has_a_score(folder):
    scores = cross_encoder.score("Who leads?", ["Ada leads.", "The soup is cold.", ""], folder=str(folder))

    assert [float, float, float] == list(map(type, scores))


def test_the_same_pair_has_the_same_score(folder):
    texts = ["Ada leads.", "Ada leads."]

    one, other = cross_encoder.score("Who leads?", texts, folder=str(folder))

    assert one == pytest.approx(other, abs=1e-5)


def test_no_texts_have_no_scores(folder):
    assert cross_encoder.score("Who leads?", [], folder=str(folder)) == []


def test_without_a_folder_the_error_says_what_to_do():
    with pytest.raises(errors.ModelUnavailable) as error:
        cross_encoder.score("Who leads?", ["Ada leads."], folder=None)

    assert "cross_encoder =" in (error.value.hint or "")


def test_a_folder_without_a_model_is_refused(tmp_path):
    assert "no model" in (cross_encoder.unavailable_reason(str(tmp_path)) or "")


def test_a_folder_that_holds_something_else_is_refused(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "nonsense"}))

    with pytest.raises(errors.ModelUnavailable):
        cross_encoder.score("Who leads?", ["Ada leads."], folder=str(tmp_path))
