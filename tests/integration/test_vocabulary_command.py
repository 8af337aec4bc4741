"""`kg vocabulary`, as a person and as a script use it."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import fork_server
import keepgraph
from keepgraph.cli.root import kg
from words import FillOnce, Kg


@pytest.fixture
def ask(run: Kg) -> Callable[..., Any]:
    """What a command answers to a program."""

    def call(*arguments: str) -> Any:
        return json.loads(run("--json", *arguments).output)

    return call


@pytest.fixture
def words(run: Kg, path: Path, fill_once: FillOnce) -> None:
    """Words of one's own, and a fact in them."""

    def fill() -> None:
        for arguments in (
            "add type engineer --parent person --label developer --label-in de Ingenieurin".split(),
            ("add", "predicate", "mentors", "--from", "person", "--to", "person", "--inverse", "mentored_by"),
        ):
            done = run("vocabulary", *arguments)
            assert done.exit_code == 0, done.output
        run("record", "engineer:Ana", "mentors", "person:Bo")

    fill_once(path, fill)


def test_all_words_are_shown_as_a_tree_with_their_counts(words, run):
    shown = run("vocabulary").output.splitlines()
    place = shown.index(next(line for line in shown if line.startswith("  person")))

    assert shown[place + 1].split("·")[:2] == ["    engineer    1 ", " person"]
    assert any("mentors" in line and "person → person · 1" in line for line in shown)
    assert any("mentored_by" in line and "inverse of mentors" in line for line in shown)


def test_unused_words_and_those_of_a_set_can_be_shown_alone(words, ask):
    unused = ask("vocabulary", "--unused")
    own = ask("vocabulary", "--set", "own")

    assert {"engineer", "person"}.isdisjoint(term["name"] for term in unused["entity_types"])
    assert [term["name"] for term in own["entity_types"]] == ["engineer"]
    assert [term["name"] for term in own["predicates"]] == ["mentors", "mentored_by"]


@pytest.mark.parametrize("named", [("engineer",), ("developer",), ("Ingenieurin",), ("show", "engineer")])
def test_a_word_is_shown_under_any_of_its_names(words, run, named):
    shown = run("vocabulary", *named).output

    assert shown.startswith("engineer  type of the set own")
    assert "kind of" in shown
    assert "Ingenieurin (de)" in shown
    assert "Used: 1 entity" in shown
    assert "Ana" in shown


def test_a_predicate_is_shown_with_its_ends_and_its_facts(words, run):
    shown = run("vocabulary", "mentors").output

    assert "person → person" in shown
    assert "mentored_by" in shown
    assert "engineer → person" in shown
    assert "Ana mentors Bo" in shown


def test_a_word_that_is_not_there_is_refused_with_near_ones(words, run):
    refused = run("vocabulary", "enginer")

    assert refused.exit_code == 1
    assert "engineer" in refused.output


def test_a_dry_run_changes_nothing(words, run, ask):
    before = ask("vocabulary")
    for arguments in (
        ("add", "type", "robot", "--dry-run"),
        ("change", "engineer", "--description", "x", "--dry-run"),
        ("retire", "engineer", "--dry-run"),
        ("merge", "engineer", "person", "--dry-run"),
        ("set", "add", "research", "--dry-run"),
        ("set", "remove", "personal", "--dry-run"),
        ("map", "teaches", "mentors", "--dry-run"),
    ):
        done = run("vocabulary", *arguments)
        assert done.exit_code == 0, done.output

    assert ask("vocabulary") == before


def test_a_word_is_changed_and_none_takes_a_value_away(words, run, ask):
    run(
        "vocabulary",
        "change",
        "mentors",
        "--role",
        "reports",
        "--asymmetric",
        "--from",
        "engineer",
        "--label",
        "coaches",
    )
    changed = ask("vocabulary", "mentors")
    run("vocabulary", "change", "mentors", "--role", "none", "--not-asymmetric", "--from", "none")
    run("vocabulary", "change", "mentors", "--remove-label", "coaches")
    cleared = ask("vocabulary", "mentors")

    assert (changed["role"], changed["flags"], changed["sources"]) == ("reports", ["asymmetric"], ["engineer"])
    assert (cleared["role"], cleared["flags"], cleared["sources"], cleared["labels"]) == (None, [], [], [])


def test_words_are_merged_after_a_yes_and_undo_brings_them_back(words, run, ask):
    before = ask("vocabulary")
    refused = run("vocabulary", "merge", "engineer", "person")
    merged = run("vocabulary", "merge", "engineer", "person", "--yes")
    run("undo")

    assert (refused.exit_code, merged.exit_code) == (1, 0)
    assert "--yes" in refused.output
    assert "1 entity moved" in merged.output
    assert ask("vocabulary") == before


def test_a_retired_word_is_shown_as_such_and_can_be_restored(words, run):
    run("vocabulary", "retire", "mentors", "--replaced-by", "knows")
    retired = run("vocabulary", "mentors").output
    run("vocabulary", "restore", "mentors")

    assert "Retired; use knows." in retired
    assert "Retired" not in run("vocabulary", "mentors").output


def test_sets_are_listed_added_and_removed(run, ask):
    before = run("vocabulary", "set")
    run("vocabulary", "set", "add", "research")
    refused = run("vocabulary", "set", "remove", "research")
    removed = run("vocabulary", "set", "remove", "research", "--yes")

    assert before.exit_code == 1  # there is no graph yet
    assert refused.exit_code == 1
    assert removed.exit_code == 0
    assert [entry["name"] for entry in ask("vocabulary", "set")["sets"] if entry["added"] and not entry["retired"]] == [
        "core",
        "personal",
    ]


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_words_of_ones_own_go_to_a_file_and_into_another_graph(words, run, ask, tmp_path, ending):
    file = tmp_path / f"own.{ending}"
    exported = run("vocabulary", "export", str(file))
    again = run("vocabulary", "export", str(file))
    other = CliRunner().invoke(kg, ["--db", str(tmp_path / "other.db"), "vocabulary", "import", str(file)])
    document = tomllib.loads(file.read_text()) if ending == "toml" else json.loads(file.read_text())

    assert (exported.exit_code, again.exit_code, other.exit_code) == (0, 1, 0)
    assert document["types"]["engineer"]["parents"] == ["person"]
    with keepgraph.open(tmp_path / "other.db") as graph:
        assert graph.call("export_vocabulary_set", name="own")["definition"] == document


@pytest.mark.parametrize("content", ["name = ", "{", 'name = "x"\n', 'name = "x"\nversion = "1"\n[types.X]\n', "\0"])
def test_a_file_that_is_no_set_is_refused(run, path, tmp_path, content):
    file = tmp_path / "set.toml"
    file.write_text(content)
    refused = run("vocabulary", "set", "add", str(file))

    assert refused.exit_code == 1
    assert "VOCABULARY_INVALID" in refused.output


def test_what_waits_is_shown_and_becomes_facts_when_its_wording_is_mapped(run, ask, path):
    with keepgraph.open(path) as graph:
        relations = [{"from": "Ana", "to": "Bo", "type": "tutors"}, {"from": "Ana", "to": "Cy", "type": "humms"}]
        entities = [{"name": name, "type": "person"} for name in ("Ana", "Bo", "Cy")]
        chunk = {"text": "Ana tutors Bo. Ana humms Cy.", "idx": 0, "entities": entities, "relations": relations}
        graph.call("ingest_prechunked", source="a.md", chunks=[chunk])
    waiting = run("vocabulary", "proposals").output
    mapped = run("vocabulary", "map", "tutors", "knows")
    dismissed = run("vocabulary", "dismiss", "humms")

    assert "2 proposed facts" in waiting
    assert "tutors × 1" in waiting
    assert "means knows: 1 fact" in mapped.output
    assert "1 proposed fact deleted" in dismissed.output
    assert ask("vocabulary", "proposals")["groups"] == []


@pytest.mark.parametrize(
    ("line", "index", "expected"),
    [
        ("kg vocabulary me", 2, {"merge"}),
        ("kg vocabulary show mentor", 3, {"mentors", "mentored_by"}),
        ("kg vocabulary retire engi", 3, {"engineer"}),
        ("kg vocabulary add type x --parent engi", 6, {"engineer"}),
        ("kg vocabulary set add rese", 4, {"research"}),
    ],
)
def test_the_shell_completes_words_and_sets(words, path, line, index, expected):
    asked = {"_KG_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(index), "KG_DB": str(path)}
    done = subprocess.run(
        [*fork_server.python(), "-m", "keepgraph.cli"], env={**os.environ, **asked}, capture_output=True, text=True
    )

    assert {found.partition(",")[2] for found in done.stdout.split()} == expected


def test_a_word_that_nothing_uses_is_removed_and_undo_brings_it_back(words, run, ask):
    run("vocabulary", "add", "predicate", "tutors", "--from", "person", "--to", "person")
    before = ask("vocabulary")
    refused = run("vocabulary", "remove", "tutors")
    removed = run("vocabulary", "remove", "tutors", "--yes")
    without = [word["name"] for word in ask("vocabulary")["predicates"]]
    run("undo")

    assert (refused.exit_code, removed.exit_code) == (1, 0)
    assert "--yes" in refused.output
    assert "tutors" not in without
    assert ask("vocabulary") == before


def test_a_word_in_use_or_of_the_core_is_not_removed(words, run):
    run("record", "engineer:Ana", "mentors", "engineer:Bob")
    in_use, of_core = (run("vocabulary", "remove", word, "--yes") for word in ("mentors", "person"))

    assert (in_use.exit_code, of_core.exit_code) == (1, 1)
    assert "Retire it instead" in in_use.output
    assert "core" in of_core.output
