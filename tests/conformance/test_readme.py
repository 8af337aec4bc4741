"""What the README shows is what a reader gets."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from click.testing import CliRunner

import keepgraph
from keepgraph.cli.root import kg

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
A_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def test_the_transcript_is_what_happens(path):
    shown = re.findall(r"^\$ \.venv/bin/kg (.+)\n((?:(?!\$ |```).*\n)*)", README, re.MULTILINE)
    really = [
        CliRunner().invoke(kg, ["--db", str(path), *shlex.split(command)], prog_name="kg").output
        for command, _ in shown
    ]

    assert [A_DAY.sub("DAY", output).strip() for output in really] == [
        A_DAY.sub("DAY", output).strip() for _, output in shown
    ]


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
