"""What registries and clients read of Keepgraph is generated from pyproject.toml, the prompts and the documents."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest

from keepgraph import _version
from keepgraph.mcp import prompts
from keepgraph.tools.contract import catalogue

ROOT = Path(__file__).parents[2]

if not (ROOT / "packaging" / "registry").is_dir():
    pytest.skip("what is released is made in a checkout", allow_module_level=True)


@pytest.fixture(scope="module")
def files() -> ModuleType:
    sys.path.insert(0, str(ROOT / "packaging" / "registry"))
    try:
        import files
    finally:
        sys.path.pop(0)
    return files


def test_the_files_are_those_that_are_generated(files, request):
    if request.config.getoption("--update-golden"):
        files.write()
    written = {name: (ROOT / name).read_text(encoding="utf-8") for name in files.contents()}

    assert files.contents() == written


def test_a_skill_is_the_prompt_of_the_server(files):
    """
    But for its head, which says when to use it; what Claude Code fills in stands where the prompt has its argument.
    """
    shown = {tool.name for tool in catalogue.tools(catalogue.DEFAULT_TOOLSETS)}
    for skill, (prompt, _, _) in files.SKILLS.items():
        arguments = {"name": "Atlas"} if prompt == "what_do_i_know" else {}
        (message,) = prompts.fill(prompt, arguments, shown=shown).messages
        head, _, text = files.skill(skill).removeprefix("---\n").partition("---\n\n")

        assert head.splitlines()[0] == f"name: {skill}"
        assert text.replace("$ARGUMENTS", "Atlas").strip() == message.content.text


def test_the_registry_can_check_who_owns_the_package(files):
    """
    It looks for this line in the description of the package, which is the README.
    """
    entry = json.loads(files.contents()["server.json"])
    schema = {
        "required": ["$schema", "name", "description", "version", "packages"],
        "properties": {
            "name": {"pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
            "description": {"maxLength": 100},
            "title": {"maxLength": 100},
            "version": {"const": _version.__version__},
        },
    }
    jsonschema.validate(entry, schema)

    assert f"mcp-name: {entry['name']}\n" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_page_is_in_the_navigation_once(files):
    pages = [page for _, pages in files.navigation() for _, page in pages]

    assert sorted(pages) == sorted(file.name for file in (ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize(
    ("fact", "command"),
    [
        ("back up", "kg backup"),
        ("another laptop", "moving.md"),
        ("stop remembering", "kg forget"),
        ("add a type", "kg vocabulary add"),
        ("lies where", "moving.md#what-lies-where"),
    ],
)
def test_what_people_look_for_is_on_the_first_page(fact, command):
    rows = [line for line in (ROOT / "docs" / "index.md").read_text(encoding="utf-8").splitlines() if fact in line]

    assert len(rows) == 1
    assert command in rows[0]
