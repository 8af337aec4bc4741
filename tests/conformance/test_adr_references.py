"""What we cite can be opened."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CITED = re.compile(r"\bADRs? (\d{4}(?:(?:, | and )\d{4})*)")
TEXTS = ("*.md", "*.py", "*.sql", "*.toml", "*.json", "*.yml", "Makefile")


def texts() -> list[Path]:
    folders = [
        ROOT / name
        for name in ("src", "docs", "migrations", "schemas", "tests", "adr", "packaging")
        if (ROOT / name).is_dir()
    ]
    inside = [file for folder in folders for pattern in TEXTS for file in folder.rglob(pattern)]
    return sorted({*inside, *(file for pattern in TEXTS for file in ROOT.glob(pattern))} - {Path(__file__)})


def test_every_decision_that_is_cited_can_be_opened():
    kept = {file.name[:4] for file in (ROOT / "adr").glob("[0-9][0-9][0-9][0-9]-*.md")}
    dangling = {
        (str(file.relative_to(ROOT)), number)
        for file in texts()
        for cited in CITED.findall(file.read_text(encoding="utf-8"))
        for number in re.findall(r"\d{4}", cited)
        if number not in kept
    }

    assert set() == dangling


def test_no_two_decisions_have_one_number():
    numbers = [file.name[:4] for file in (ROOT / "adr").glob("[0-9][0-9][0-9][0-9]-*.md")]

    assert sorted(set(numbers)) == sorted(numbers)


def test_where_a_decision_changes_another_one_both_say_so():
    status = {
        file.name[:4]: re.findall(
            r"(changes|changed by) (ADRs? [^;\n]+)",
            re.findall(r"^Status: (.+)$", file.read_text("utf-8"), re.MULTILINE)[0],
        )
        for file in (ROOT / "adr").glob("[0-9][0-9][0-9][0-9]-*.md")
    }
    said = {
        verb: {
            (number, other)
            for number, of_file in status.items()
            for its_verb, others in of_file
            if its_verb == verb
            for other in re.findall(r"\d{4}", others)
        }
        for verb in ("changes", "changed by")
    }

    assert said["changes"]
    assert {(newer, older) for older, newer in said["changed by"]} == said["changes"]


def test_the_files_that_implement_a_decision_exist():
    named = [
        (file.name, path)
        for file in (ROOT / "adr").glob("[0-9][0-9][0-9][0-9]-*.md")
        for line in re.findall(r"^Implementation: (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
        for path in line.split(", ")
    ]

    assert named
    assert [(name, path) for name, path in named if not (ROOT / path).exists()] == []


def test_a_file_named_in_a_decision_exists():
    """Paths in back-ticks below `src/keepgraph`, such as `store/facts.py`."""
    named = [
        (file.name, path)
        for file in (ROOT / "adr").glob("[0-9][0-9][0-9][0-9]-*.md")
        for path in re.findall(r"`((?:\w+/)*\w+\.py)`", file.read_text(encoding="utf-8"))
    ]

    assert named
    assert [
        (name, path)
        for name, path in named
        if not (ROOT / path).exists() and not (ROOT / "src/keepgraph" / path).exists()
    ] == []
