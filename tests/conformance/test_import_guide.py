"""What docs/import.md shows and lists is so."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from keepgraph.cli.root import kg
from keepgraph.formats import csv_tables

GUIDE = (Path(__file__).parents[2] / "docs" / "import.md").read_text(encoding="utf-8")


def test_the_guide_shows_what_happens(path, tmp_path):
    shown = GUIDE.split("$ cat memory.jsonl\n")[1].split("```")[0]
    lines, answer = shown.split("$ kg import memory.jsonl\n")
    file = tmp_path / "memory.jsonl"
    file.write_text(lines, encoding="utf-8")

    assert CliRunner().invoke(kg, ["--db", str(path), "import", str(file)]).output == answer


def test_the_guide_lists_the_columns_of_tables():
    listed = {
        row.split("`")[1]: tuple(row.split("`")[3::2])
        for row in GUIDE.split("## Tables")[1].split("##")[0].splitlines()
        if row.startswith("| `")
    }
    known = {**csv_tables.FACT_COLUMNS, **csv_tables.ENTITY_COLUMNS}

    assert listed == {column: spellings[1:] for column, spellings in known.items()}
