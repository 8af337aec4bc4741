"""The command that adds an extra to this copy of Keepgraph: it is the one of the program that installed it."""

from __future__ import annotations

import json
import shlex
import sys
from importlib import metadata, util
from pathlib import Path

import pytest

from keepgraph import installation


class InstalledCopy:
    """The metadata of an installed copy: the texts of its files, None where there is no such file."""

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


def test_pip_adds_to_what_pip_installed(environment):
    assert installation.extra_hint("meaning") == (
        "Install it: /env/bin/python -m pip install --find-links DIST 'keepgraph[meaning]'"
        "  (DIST is the folder with Keepgraph's wheels)"
    )


def test_uv_adds_where_there_is_no_pip(environment, monkeypatch):
    find_spec = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == "pip" else find_spec(name))
    command = installation.extra_command("meaning")

    assert command[:5] == ["uv", "pip", "install", "--python", "/env/bin/python"]


def test_uv_adds_to_its_tool_from_the_folder_that_it_was_installed_from(environment, dist):
    receipt = f'[tool]\nrequirements = [{{ name = "keepgraph" }}]\n[tool.options]\nfind-links = ["{dist.as_uri()}"]\n'
    (environment / "uv-receipt.toml").write_text(receipt, encoding="utf-8")
    hint = installation.extra_hint("rdf")

    assert hint == f"Install it: uv tool install --find-links {shlex.quote(str(dist))} 'keepgraph[rdf]'"


@pytest.mark.parametrize(
    "receipt",
    [
        "",
        "[tool",
        "tool = 1",
        "[tool.options]\nfind-links = 7",
        '[tool.options]\nfind-links = []\n[tool."x"]',
        '[tool.options]\nfind-links = ["https://example.org/wheels"]',
        '[tool.options]\nfind-links = ["file:///no/such/folder", 7]',
        b"\xff",
    ],
)
def test_a_receipt_that_names_no_folder_leaves_the_folder_open(environment, receipt):
    content = receipt if isinstance(receipt, bytes) else receipt.encode()
    (environment / "uv-receipt.toml").write_bytes(content)

    assert installation.extra_command("meaning") == [
        *("uv", "tool", "install", "--find-links", "DIST", "keepgraph[meaning]")
    ]


@pytest.mark.parametrize(
    "receipt",
    [b"", b"{", b"[]", b"{}", b"\xff", b'{"main_package": {"pip_args": ["--find-links", "/no/such/folder"]}}'],
)
def test_pipx_adds_to_its_own_environment(environment, receipt):
    (environment / "pipx_metadata.json").write_bytes(receipt)

    assert installation.extra_hint("meaning") == (
        "Install it: pipx install --force '--pip-args=--find-links DIST' 'keepgraph[meaning]'"
        "  (DIST is the folder with Keepgraph's wheels)"
    )


def test_pipx_adds_from_the_folder_that_it_was_given(environment, dist):
    receipt = {"main_package": {"pip_args": ["--find-links", str(dist)]}}
    (environment / "pipx_metadata.json").write_text(json.dumps(receipt))
    *_, arguments, _ = installation.extra_command("meaning")

    assert shlex.split(arguments.removeprefix("--pip-args=")) == ["--find-links", str(dist)]


@pytest.mark.parametrize("direct", ["", "{", "[]", "{}", '{"url": 7}', '{"url": "https://example.org/keepgraph.whl"}'])
def test_a_copy_that_does_not_tell_its_folder_leaves_the_folder_open(environment, monkeypatch, direct):
    monkeypatch.setattr(metadata, "distribution", lambda name: InstalledCopy(**{"direct_url.json": direct}))

    assert installation.extra_command("meaning")[-2:] == ["DIST", "keepgraph[meaning]"]


def test_a_copy_installed_from_a_file_is_completed_from_the_folder_of_the_file(environment, monkeypatch, dist):
    direct = json.dumps({"url": (dist / "keepgraph-0.1.0-py3-none-any.whl").as_uri()})
    monkeypatch.setattr(metadata, "distribution", lambda name: InstalledCopy(**{"direct_url.json": direct}))

    assert installation.extra_command("meaning")[-2:] == [str(dist), "keepgraph[meaning]"]


def test_a_copy_that_no_installer_put_there_is_not_added_to(environment, monkeypatch):
    monkeypatch.setattr(metadata, "distribution", lambda name: InstalledCopy(RECORD=None))

    assert installation.extra_command("meaning") is None
    assert "bundle" in installation.extra_hint("meaning")


def test_a_copy_without_metadata_is_not_added_to(monkeypatch):
    def missing(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", missing)

    assert installation.extra_command("meaning") is None
