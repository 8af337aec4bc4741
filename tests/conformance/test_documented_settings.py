"""Every setting that the documents name exists."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from keepgraph.profiles import settings_file

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

EXAMPLE = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
IN_TABLE = re.compile(r"(?:`|: )\[(?P<table>[a-z_]+)\] (?P<name>[a-z_]+)")  # `[names] accept`
BESIDE = re.compile(r"`(?P<name>[a-z_]+)(?: = [^`]*)?` in (?:(?:the|its) settings|`\[(?P<table>[a-z_]+)\]`)")
OF_VOCABULARY_SETS = {"name", "version", "uri", "description", "types", "predicates", "labels"}

ALL = {(table, name) for table, checks in settings_file.TABLES.items() for name in checks} | {
    ("", name) for name in settings_file.PROFILE
}


def named_in_examples(text: str) -> set[tuple[str, str]]:
    """The settings in examples of settings files, by table and name; a vocabulary set is no settings file."""
    named = set()
    for example in EXAMPLE.findall(text):
        values = tomllib.loads(example)
        if values.keys() <= OF_VOCABULARY_SETS:
            continue
        for key, value in values.items():
            named |= {(key, name) for name in value} if isinstance(value, dict) else {("", key)}
    return named


def named_in_text(text: str) -> set[tuple[str, str]]:
    """The settings in sentences; where no table is given, that of any setting of this name."""
    named = {(match["table"], match["name"]) for match in IN_TABLE.finditer(text)}
    for match in BESIDE.finditer(text):
        tables = [match["table"]] if match["table"] else [table for table, name in ALL if name == match["name"]]
        named |= {(table, match["name"]) for table in tables or ["?"]}
    return named


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.stem)
def test_a_setting_that_a_document_names_exists(file):
    text = file.read_text(encoding="utf-8")

    assert (named_in_examples(text) | named_in_text(text)) - ALL == set()


def test_settings_are_found_where_documents_name_them():
    text = "\n".join(file.read_text(encoding="utf-8") for file in DOCUMENTS)

    assert {("names", "accept"), ("garden", "reads")} <= named_in_examples(text)
    assert {("search", "cross_encoder"), ("history", "keep"), ("", "zone"), ("garden", "idle")} <= named_in_text(text)
    assert named_in_text("Old calls go (`history_days` in the settings).") == {("?", "history_days")}
