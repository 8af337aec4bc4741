"""Models of sentence-transformers from a folder: vectors and scores, quiet, without network."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from diverse_texts import DIVERSE
from keepgraph import errors
from keepgraph.ml import cross_encoders, embedder, minilm

pytestmark = pytest.mark.slow  # the import of torch alone takes longer than most files of tests

np = pytest.importorskip("numpy")
pytest.importorskip("tokenizers")
for package in ("torch", "sentence_transformers"):
    if find_spec(package) is None:
        # To import them takes seconds, so that is left to the tests.
        pytest.skip(f"the package {package} is not installed", allow_module_level=True)
if embedder.unavailable_reason() is not None:
    pytest.skip(str(embedder.unavailable_reason()), allow_module_level=True)

QUIET_AND_OFFLINE = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        raise SystemExit(f"{event} {arguments}")
sys.addaudithook(refuse)
from keepgraph.ml import embedder, minilm
print(embedder.embed(["Ada"], model=str(minilm.model_folder())).shape)
"""


def test_it_is_kept_from_the_network_and_quiet():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", QUIET_AND_OFFLINE], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "(1, 384)\n", "")


# Vectors


def test_a_model_in_a_folder_gives_the_vectors_that_numpy_gives():
    folder = str(minilm.model_folder())
    assert embedder.unavailable_reason(folder) is None
    ours, theirs = embedder.embed(DIVERSE), embedder.embed(DIVERSE, model=folder)
    cosines = (ours * theirs).sum(axis=1)

    assert len(DIVERSE) >= 60
    assert cosines.min() > 1 - 1e-4
    assert np.abs(ours - theirs).max() < 1e-5


def test_a_folder_without_weights_is_refused(tmp_path):
    for name, content in {
        "modules.json": [{"path": ""}, {"path": "1_Pooling"}, {"path": "2_Normalize"}],
        "config.json": {"hidden_size": 48},
        "1_Pooling/config.json": {"word_embedding_dimension": 48, "pooling_mode_mean_tokens": True},
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(content))

    with pytest.raises(errors.ModelUnavailable, match="cannot be loaded"):
        embedder.embed(["Ada"], model=str(tmp_path))


def test_a_model_of_another_width_than_it_says_is_refused(monkeypatch):
    monkeypatch.setattr(embedder, "_models", {})
    monkeypatch.setattr(embedder, "dimension", lambda model: 512)

    with pytest.raises(errors.ModelUnavailable, match="not 512 long"):
        embedder.embed(["Ada"], model=str(minilm.model_folder()))


# Scores of a cross-encoder


@pytest.fixture(scope="module")
def cross_encoder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A minimal cross-encoder with random weights."""
    import transformers

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


def test_each_text_has_a_score(cross_encoder_folder):
    scores = cross_encoders.score(
        "Who leads?", ["Ada leads.", "The soup is cold.", ""], folder=str(cross_encoder_folder)
    )

    assert [float, float, float] == list(map(type, scores))


def test_the_same_pair_has_the_same_score(cross_encoder_folder):
    texts = ["Ada leads.", "Ada leads."]

    one, other = cross_encoders.score("Who leads?", texts, folder=str(cross_encoder_folder))

    assert one == pytest.approx(other, abs=1e-5)


def test_no_texts_have_no_scores(cross_encoder_folder):
    assert cross_encoders.score("Who leads?", [], folder=str(cross_encoder_folder)) == []


def test_a_folder_that_holds_something_else_is_refused(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "nonsense"}))

    with pytest.raises(errors.ModelUnavailable):
        cross_encoders.score("Who leads?", ["Ada leads."], folder=str(tmp_path))
