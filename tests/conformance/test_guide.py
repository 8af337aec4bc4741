"""What the guide to queries shows is what a reader gets."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from keepgraph.cli.root import kg

GUIDE = Path(__file__).parents[2] / "docs" / "cypher.md"
A_COMMAND = re.compile(r"^\$ kg (record|query) (.+)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)


def test_the_guide_shows_what_happens(tmp_path):
    """
    All its commands in order, on one new graph; the answers of its questions are those that it shows.
    """
    runner, where = CliRunner(), {"KG_DB": str(tmp_path / "graph.db")}
    shown = A_COMMAND.findall(GUIDE.read_text(encoding="utf-8"))
    really = [runner.invoke(kg, [command, *shlex.split(words)], env=where).output for command, words, _ in shown]
    asked = [place for place, (command, _, _) in enumerate(shown) if command == "query"]

    assert len(asked) >= 10
    assert [shown[place][2].strip() for place in asked] == [really[place].strip() for place in asked]
