"""What has a verb of its own on the command line is recorded whole, in one call, or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date

import pytest
from click.testing import CliRunner

from keepgraph.cli import explore
from keepgraph.cli.root import kg
from keepgraph.engine.retrieval import retrievers
from words import Kg

FACTS = "MATCH (a)-[r]->(b) RETURN a.name, type(r), coalesce(b.name, b.value) ORDER BY 1, 2, 3"


@pytest.fixture
def facts(run: Kg) -> Callable[[], list[tuple[str, ...]]]:
    return lambda: [tuple(row) for row in json.loads(run("--json", "query", FACTS).output)["rows"]]


@pytest.mark.parametrize(
    ("words", "recorded"),
    [
        (
            ["decide", "Use", "SQLite", "--by", "Ana", "--project", "Atlas"],
            [("Ana", "DECIDED_IN", "Use SQLite"), ("Use SQLite", "BELONGS_TO", "Atlas")],
        ),
        (["decide", "Wait", "--by", "team:Board"], [("Board", "DECIDED_IN", "Wait")]),
        (["decide", "decision:Wait: a week", "--by", "Bo"], [("Bo", "DECIDED_IN", "Wait: a week")]),
        (["remind", "me", "to", "task:Call", "--due", "2030-01-02"], [("Call", "DUE_ON", "2030-01-02")]),
        (
            ["remind", "me", "to", "call", "Bo", "--due", "2030-01-02", "--project", "Atlas"],
            [("call Bo", "BELONGS_TO", "Atlas"), ("call Bo", "DUE_ON", "2030-01-02")],
        ),
        (["remind", "Mend the roof", "--due", "2030-01-02"], [("Mend the roof", "DUE_ON", "2030-01-02")]),
        (
            ["tag", "project:Atlas", "a b", "c"],
            [("Atlas", "TAGGED", "a b"), ("Atlas", "TAGGED", "c")],
        ),
        (["add", "task:Call", "--due", "2030-01-02", "--alias", "Ring"], [("Call", "DUE_ON", "2030-01-02")]),
        (["add", "person:Ana", "--project", "Atlas"], [("Ana", "BELONGS_TO", "Atlas")]),
    ],
)
def test_a_verb_records_what_it_says(run, facts, words, recorded):
    result = run(*words)

    assert (result.exit_code, facts()) == (0, recorded)


def test_a_decision_is_by_the_owner_unless_somebody_is_named(run, facts):
    unknown = run("decide", "Adopt SQLite", "--project", "Atlas")
    run("me", "Ana")
    run("decide", "Adopt SQLite", "--on", "2020-01-02", "--source", "standup")

    assert unknown.exit_code == 1
    assert "facts[" not in unknown.output
    assert ("--by" in unknown.output, "me NAME" in unknown.output) == (True, True)
    assert facts() == [("Ana", "DECIDED_IN", "Adopt SQLite")]


def test_what_was_added_in_one_line_is_taken_back_by_one_undo(run, facts):
    run("remind", "Call Bo", "--due", "2030-01-02", "--project", "Atlas")
    run("undo")

    assert facts() == []


@pytest.mark.parametrize("words", [["add", "person:Ana"], ["add", "Ana", "tagged", "x"]])
def test_an_alias_finds_what_was_added(run, words):
    run("add", "person:Ana")
    run(*words, "--alias", "Annie")

    assert run("recall", "Annie").output.startswith("Ana  person")


def test_a_note_is_about_the_project_that_is_given(run):
    run("add", "The licence came.", "--project", "Atlas")

    assert "The licence came." in run("recall", "Atlas").output


@pytest.mark.parametrize("when", ["Friday", "Monday", "next Friday", "tomorrow", "3 May", "in 10 days"])
def test_a_day_is_read_as_by_kg_record(run, facts, when):
    """
    A day to come: “Friday” is the next one.
    """
    run("remind", "A", "--due", when)
    run("record", "task:B", "due_on", when)
    (_, _, day), (_, _, recorded) = facts()

    assert day == recorded >= date.today().isoformat()


def test_a_reminder_that_is_not_shown_says_so(run):
    run("remind", "Mend the roof", "--due", "2030-01-02")
    known = run("remind", "Mend the roof")
    run("tag", "Mend the roof", "done")
    done = run("remind", "Mend the roof", "--due", "2030-02-03")

    assert ["no day" in known.output, "kg next" in known.output, "kg next" in done.output] == [False, False, True]


def test_a_reminder_without_a_day_says_so(run):
    assert "--due" in run("remind", "Call Bo").output
    assert "--due" not in run("remind", "Call Cy", "--due", "2030-01-02").output


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    "words",
    [
        ["add", "person:A", "person:B", "--due", "2030-01-02"],
        ["add", "a note of mine", "--alias", "x"],
        ["add", "Ana", "works_on", "Atlas", "--due", "2030-01-02"],
        ["add", "task:X", "--due", "blue"],
        ["add", "task:", "--due", "2030-01-02"],
        ["add", "task:X", "--due", "2030-01-02", "--alias", ""],
        ["decide", " ", "--by", "Ana"],
        ["decide", "Adopt SQLite", "--by", ":"],
        ["decide", "Adopt SQLite", "--by", "Ana", "--project", "starship:Enterprise"],
        ["remind", ""],
        ["remind", "me", "to"],
        ["remind", "Call", "--project", " "],
        ["tag", "Nobody", "x"],
        ["tag", "project:Atlas", ""],
    ],
)
def test_what_cannot_be_recorded_leaves_nothing(run, facts, words):
    result = run(*words)
    run("add", "concept:Anything")

    assert result.exit_code == 1
    assert "{" not in result.output
    assert facts() == []
    assert "1 concept" in run("overview").output.partition("Latest")[0]
    assert "1 entity:" in run("overview").output


def test_help_of_a_command_is_asked_for_in_two_ways(run):
    assert run("help").output == run("HELP").output == run("--help").output
    assert run("help", "record").output == run("record", "--help").output
    assert run("help", "ls").output == run("list", "--help").output
    assert run("help", "vocabulary", "add").output == run("vocabulary", "add", "--help").output
    assert run("help", "nonsense").exit_code == 2


@pytest.mark.parametrize(
    ("name", "is_written"),
    [("a.jsonl", True), ("a.json", True), ("a", True), ("a.csv", True), ("a.md", False), ("a.xlsx", False)],
)
def test_an_export_is_not_named_as_something_else(run, tmp_path, name, is_written):
    run("add", "person:Ana")
    result = run("export", str(tmp_path / name))

    assert ((tmp_path / name).exists(), result.exit_code) == (is_written, 0 if is_written else 1)


def test_the_screen_names_retrievers_in_words():
    names = {retriever.source for kind in retrievers.RETRIEVERS.values() for retriever in kind}

    assert {name for name in names if "_" in explore._RETRIEVERS.get(name, name)} == set()


def test_the_settings_of_a_profile_are_shown_in_words():
    shown = CliRunner().invoke(kg, ["profile", "show"], prog_name="kg").output

    assert [
        word for word in ("None", "True", "False", "()", "_", "steps") if word in shown.partition("offline")[2]
    ] == []


@pytest.mark.parametrize("sentence", ["Ana works on Atlas", "ana leitet atlas", "Atlas is led by Ana", "Bo knows Ana."])
def test_a_sentence_about_known_names_is_recorded_as_the_fact_it_says(run, sentence):
    for name in ("person:Ana", "person:Bo", "project:Atlas"):
        run("add", name)
    recorded = run("record", sentence)

    assert (recorded.exit_code, recorded.output.startswith("Recorded: ")) == (0, True)
    assert run("record", sentence).output.startswith("Nothing changed")


@pytest.mark.parametrize(
    "words",
    [
        ("Ana Koch works on Borea",),
        ("Ana Koch sleeps on Atlas",),
        ("Ana Koch leads Atlas nicht",),
        ("Ana Koch barely leads Atlas",),
        ("Frau Koch leads Atlas",),
        ("Ana Koch",),
        ("",),
        ("Ana Koch", "leads"),
    ],
)
def test_what_is_no_sentence_about_known_names_records_nothing_and_says_how_to(run, words):
    for name in ("person:Ana Koch", "project:Atlas"):
        run("add", name)
    refused = run("record", *words)

    assert (refused.exit_code, "record" in refused.output.partition("hint")[2]) == (1, True)
    assert "facts: 0" in run("status").output
