"""What the README and the pages show of Python and of configurations is so; for commands see test_transcripts.py."""

from __future__ import annotations

import json
import re
from pathlib import Path

import keepgraph

DOCS = Path(__file__).parents[2] / "docs"


def test_the_example_for_python_works(tmp_path, monkeypatch, capsys):
    example, *_ = re.findall(r"```python\n(.*?)```", (DOCS / "python.md").read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(example, {})  # our own page

    assert capsys.readouterr().out.startswith("Priya {'method': 'fuzzy'")


def test_the_configuration_is_json():
    (configuration,) = re.findall(r"```json\n(.*?)```", (DOCS / "claude.md").read_text("utf-8"), re.DOTALL)

    assert json.loads(configuration)["mcpServers"]["keepgraph"]["args"] == ["serve"]


def test_the_names_of_the_package_are_few_and_there():
    assert sorted(keepgraph.__all__) == ["Graph", "KeepgraphError", "__version__", "open"]
    assert all(hasattr(keepgraph, name) for name in keepgraph.__all__)
