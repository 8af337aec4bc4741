"""What the README shows is what a reader gets."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import keepgraph
from keepgraph.cli.root import kg

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
A_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
AN_ID = re.compile(r"ep_[0-9a-z]{26}")


def test_the_transcript_is_what_happens(path):
    shown = re.findall(r"^\$ \.venv/bin/kg (.+)\n((?:(?!\$ |```).*\n)*)", README, re.MULTILINE)
    really = [
        CliRunner().invoke(kg, ["--db", str(path), *shlex.split(command)], prog_name="kg").output
        for command, _ in shown
    ]

    def plain(output: str) -> str:
        return AN_ID.sub("ID", A_DAY.sub("DAY", output)).strip()

    assert [plain(output) for output in really] == [plain(output) for _, output in shown]


@pytest.mark.skipif(sys.platform != "linux", reason="it shows the folders of Linux")
def test_the_transcript_of_profiles_is_what_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, folder in (("XDG_DATA_HOME", ".local/share"), ("XDG_CONFIG_HOME", ".config")):
        monkeypatch.setenv(name, str(tmp_path / folder))
    for name in ("KG_DB", "KG_PROFILE", "KG_KEY", "KG_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)
    shown = re.findall(r"^\$ kg (?!install)(.+)\n((?:(?!\$ |```).*\n)*)", README, re.MULTILINE)
    really = []
    for command, _ in shown:
        output = CliRunner().invoke(kg, shlex.split(command), prog_name="kg").output
        really.append(output.replace(f"{tmp_path}/.", "~/.").replace(f"{tmp_path}/", "").strip())

    assert really == [output.strip() for _, output in shown]


def test_the_example_for_python_works(tmp_path, monkeypatch, capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(example, {})  # our own README

    assert capsys.readouterr().out.startswith("Priya {'method': 'fuzzy'")


def test_the_configuration_is_json():
    (configuration,) = re.findall(r"```json\n(.*?)```", README, re.DOTALL)

    assert json.loads(configuration)["mcpServers"]["keepgraph"]["args"] == ["serve"]


def test_the_names_of_the_package_are_few_and_there():
    assert sorted(keepgraph.__all__) == ["Graph", "KeepgraphError", "__version__", "open"]
    assert all(hasattr(keepgraph, name) for name in keepgraph.__all__)
