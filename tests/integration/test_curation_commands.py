"""The commands that put right what was recorded and look back on it, as a person and as a script use them."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fork_server import python
from keepgraph.cli.root import kg
from words import Kg


@pytest.fixture
def ask(run: Kg) -> Callable[..., Any]:
    """What a command answers to a program."""

    def call(*words: str) -> Any:
        return json.loads(run("--json", *words).output)

    return call


@pytest.fixture(scope="module")
def file_of_two(blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = Path(shutil.copy(blank, tmp_path_factory.mktemp("two") / "graph.db"))
    for words in (
        ("person:Sarah", "tagged", "=lead", "--source", "mail"),
        ("person:Sara", "tagged", "=lead", "--alias", "Sally"),
        ("person:Sara", "decided_in", "decision:Go"),
        ("person:Sara", "reports_to", "person:Sarah"),
    ):
        assert CliRunner().invoke(kg, ["--db", str(file), "record", *words], prog_name="kg").exit_code == 0
    return file


@pytest.fixture
def two(file_of_two: Path, path: Path) -> None:
    """Two who may be one: they share a tag, and one reports to the other."""
    shutil.copy(file_of_two, path)


def facts(ask: Callable[..., Any], name: str, *options: str) -> list[str]:
    """The objects of the facts about an entity, oldest first."""
    found = ask("recall", name, *options)["facts"]
    return [each["object"].get("literal") or each["object"]["name"] for each in reversed(found)]


# kg alias


def test_an_alias_is_added_and_told(run, ask):
    run("record", "person:Priya", "tagged", "=lead")
    first, again = run("alias", "priya", "Pri"), run("alias", "person:Priya", "PRI")

    assert (first.exit_code, first.output) == (0, "Priya is also called Pri\n")
    assert (again.exit_code, again.output) == (0, "Priya is already also called Pri\n")
    assert ask("recall", "Pri")["resolution"]["method"] == "alias"


def test_an_alias_is_answered_in_json(run, ask):
    run("record", "person:Priya", "tagged", "=lead")
    answer = ask("alias", "Priya", "Pri")

    assert (answer["added"], answer["entity"]["aliases"], answer["call"]) == (True, ["Pri"], 2)


# kg merge


def test_a_dry_run_shows_the_merge_and_makes_none(run, ask, two):
    result = run("merge", "Sarah", "Sara", "--dry-run")

    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "Sara (person) would become Sarah (person)",
        "  Sara tagged lead = a fact it already has",
        "  Sara decided in Go → Sarah decided in Go",
        "  Sara reports to Sarah: retracted, since it would connect the entity to itself",
        "  also called Sally, Sara",
        "  facts: 1 moved, 1 folded, 1 retracted",
    ]
    assert ask("merge", "Sarah", "Sara", "--dry-run")["dry_run"] is True
    assert ask("recall", "Sara")["entity"]["name"] == "Sara"
    assert [each["tool"] for each in ask("log")] == ["record_fact"] * 4


def test_a_merge_with_yes_is_made_and_told(run, ask, two):
    result = run("merge", "person:Sarah", ask("recall", "Sara")["entity"]["id"], "--yes")

    assert result.exit_code == 0
    assert result.output.startswith("Sara (person) became Sarah (person)\n")
    assert ask("recall", "sally")["entity"]["aliases"] == ["Sally", "Sara"]


def test_a_merge_in_json_says_only_what_was_done(run, ask, two):
    answer = ask("merge", "Sarah", "Sara", "--yes")

    assert (answer["dry_run"], answer["call"]) == (False, ask("log")[0]["call"])
    assert [answer[effect] for effect in ("moved", "folded", "retracted")] == [1, 1, 1]


@pytest.mark.parametrize("words", [("merge", "Sarah", "Sara"), ("clear",)])
def test_what_nobody_is_there_to_confirm_is_refused(run, ask, two, words):
    before = ask("log")
    refused, envelope = run(*words), run("--json", *words)

    assert (refused.exit_code, envelope.exit_code) == (1, 1)
    assert "NOT_CONFIRMED" in refused.output
    assert "Add --yes" in refused.output
    assert json.loads(envelope.output)["error"] == "NOT_CONFIRMED"
    assert ask("log") == before


@pytest.mark.parametrize(("answer", "code", "merged"), [("y", 0, True), ("n", 1, False), ("", 1, False)])
def test_a_person_at_the_terminal_is_shown_the_merge_and_asked(path, ask, two, answer, code, merged):
    terminal, end = pty.openpty()
    with subprocess.Popen(
        [*python(), "-m", "keepgraph.cli", "--db", str(path), "merge", "Sarah", "Sara"],
        stdin=end,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as asked:
        os.write(terminal, f"{answer}\n".encode())
        said = asked.communicate()[0]
    os.close(terminal)
    os.close(end)

    assert asked.returncode == code
    assert said.startswith("Sara (person) would become Sarah (person)\n")
    assert "Merge them? [y/N]" in said
    assert bool(re.search(r"Merged\. `kg undo \d+` takes it back\.\n$", said)) == merged
    assert (ask("recall", "Sara")["resolution"]["method"] == "alias") == merged


# kg retract


def test_a_retracted_fact_is_told_and_no_longer_shown(run, ask):
    run("record", "project:Atlas", "tagged", "=active")
    known = ask("recall", "Atlas")["facts"][0]["id"]
    first, again = run("retract", known), run("retract", known)

    assert (first.exit_code, first.output) == (0, "Retracted: Atlas tagged “active”\n  To take it back: kg undo 2\n")
    assert (again.exit_code, again.output) == (0, "Retracted before: Atlas tagged “active”\n")
    assert facts(ask, "Atlas") == []
    assert ask("retract", known)["already_retracted"] is True


# kg undo, kg log


def test_undo_takes_back_the_last_call_and_says_how_to_have_it_again(run, ask):
    for tag in ("one", "two", "three"):
        run("record", "project:Atlas", "tagged", f"={tag}")
    result = run("undo")
    again = re.search(r"To redo it: kg undo (\d+)\n$", result.output)

    assert result.exit_code == 0
    assert result.output.startswith("Took back call 3 (record_fact): Atlas tagged three.")
    assert facts(ask, "Atlas") == ["one", "two"]
    run("undo", again[1])
    assert facts(ask, "Atlas") == ["one", "two", "three"]
    assert ask("undo", "2")["undone_call"] == 2
    assert facts(ask, "Atlas") == ["one", "three"]


def test_one_change_is_taken_back_by_its_number(run, ask):
    run("record", "project:Atlas", "tagged", "=active", "--alias", "Titan")
    number = next(each["change"] for each in ask("history", "Atlas")["events"] if each["what"] == "alias added")
    result = run("undo", "--change", str(number))

    assert result.output.startswith("Took back part of call 1 (record_fact): 1 × alias.")
    assert ask("recall", "Atlas")["entity"]["aliases"] == []


def test_the_log_lists_calls_with_what_was_taken_back(run, ask):
    run("record", "project:Atlas", "tagged", "=active")
    run("record", "project:Atlas", "tagged", "=late")
    run("recall", "Atlas")
    run("undo")
    lines = run("log").output.splitlines()

    assert [re.split(r"\s{2,}", line.strip())[2:] for line in lines] == [
        ["undo", "of call 2 (record_fact): Atlas tagged late"],
        ["record_fact", "Atlas tagged late", "taken back by 3"],
        ["record_fact", "Atlas tagged active"],
    ]
    assert [line.split()[0] for line in lines] == ["3", "2", "1"]
    assert [(each["call"], each["undoes"], each["undone_by"]) for each in ask("log")] == [
        (3, 2, None),
        (2, None, 3),
        (1, None, None),
    ]
    assert len(run("log", "-n", "1").output.splitlines()) == 1


# kg history


def test_a_history_is_told_the_newest_first_with_the_numbers_undo_takes(run, ask):
    run("record", "project:Atlas", "tagged", "=active", "--source", "mail")
    known = ask("recall", "Atlas")["facts"][0]["id"]
    run("retract", known)
    of_entity, of_fact = run("history", "atlas").output.splitlines(), run("history", known).output.splitlines()

    assert of_entity[0] == "Atlas  project"
    assert [re.sub(r"^\s*\S+ \S+\s+", "", line) for line in of_entity[1:]] == [
        "retracted: Atlas tagged active  (retract_fact; call 2, change 4)",
        "recorded: Atlas tagged active  (record_fact, mail; call 1, change 2)",
        "created: Atlas (project)  (record_fact; call 1, change 1)",
    ]
    assert of_fact == of_entity[1:3]
    assert "… and older events; --limit shows more" in run("history", "Atlas", "-n", "2").output
    assert [each["what"] for each in ask("history", "Atlas")["events"]] == ["retracted", "recorded", "created"]


def test_a_history_of_nobody_exits_with_3(run, ask):
    run("record", "person:Priya", "tagged", "=lead")
    result = run("history", "Priyanka", "Unknown")

    assert result.exit_code == 3
    assert "Nothing called “Priyanka Unknown” is known." in result.output
    assert ask("history", "Zebulon")["events"] == []


# kg duplicates


def test_duplicates_are_proposed_with_the_command_that_merges_them(run, ask, two):
    run("record", "project:Atlas", "tagged", "=x")
    ids = {name: ask("recall", name)["entity"]["id"] for name in ("Sarah", "Sara")}
    result = run("duplicates")
    (pair,) = ask("duplicates")

    assert result.exit_code == 0
    assert re.fullmatch(
        r"Sarah \(person\)  and  Sara \(person\)  0\.\d\d  “sarah” is another spelling of “sara”  "
        r"kg merge person:Sarah person:Sara\n",
        result.output,
    )
    assert (pair["entity"]["id"], pair["duplicate"]["id"]) == (ids["Sarah"], ids["Sara"])
    run("merge", ids["Sarah"], ids["Sara"], "--yes")
    assert run("duplicates").output == "No duplicates found.\n"


def test_duplicates_of_one_name_are_proposed(run, ask, two):
    run("record", "project:Go", "tagged", "=x")

    assert [each["duplicate"]["name"] for each in ask("duplicates", "Sarah")] == ["Sarah"]
    assert [each["entity"]["name"] for each in ask("duplicates", "person:Sarah")] == ["Sara"]
    assert run("duplicates", "project:Go").output.startswith("Go (decision)  and  Go (project)  1.00")
    assert run("duplicates", "Zebulon").exit_code == 1


@pytest.mark.parametrize("is_reversed", [False, True])
def test_duplicates_are_found_whichever_was_recorded_first(run, ask, is_reversed):
    """
    Each pair once, the likeliest first, with the reason.
    """
    doubles = [
        ("person:Katalin Novak", "person:Katlain Novak"),
        ("person:Oskar Lindholm", "person:O. Lindholm"),
        ("source:Envisioning Information", "source:Envisioning Information by Edward Tufte"),
        ("project:Harbour Festival", "project:Harbour Festval"),
    ]
    for double in doubles:
        for name in reversed(double) if is_reversed else double:
            run("record", name, "tagged", "=x")
    pairs = ask("duplicates")
    found = [
        frozenset(f"{each['type']}:{each['name']}" for each in (pair["entity"], pair["duplicate"])) for pair in pairs
    ]
    scores = [pair["score"] for pair in pairs]

    assert sorted(map(sorted, doubles)) == sorted(map(sorted, found))
    assert sorted(scores, reverse=True) == scores
    assert any("initial" in pair.get("reason", "") for pair in pairs)


def test_a_part_of_another_known_name_is_no_double(run, ask):
    """
    Basalt and Basalt Museum are two projects, and somebody recorded both.
    """
    for name in ("project:Basalt", "project:Basalt Museum", "project:Basalt Museum Roof"):
        run("record", name, "tagged", "=x")

    assert ask("duplicates") == []


# kg clear


def test_clearing_says_what_went_and_how_to_bring_it_back(run, ask, two):
    exported = run("export").output
    result = run("clear", "--yes")
    number = re.search(r"`kg undo (\d+)` brings all of it back", result.output)[1]

    assert result.exit_code == 0
    assert result.output.startswith("Cleared group 'default': 3 entities, 4 facts and 0 episodes.")
    assert len(run("export").output.splitlines()) == 1  # what kind of file it is
    assert run("undo", number).exit_code == 0
    assert run("export").output == exported
    assert ask("clear", "--yes", "--everything")["facts"] == 4


# Looking back


def test_recall_shows_what_held_and_what_was_known_then(run, ask):
    run("record", "project:Atlas", "tagged", "=planned", "--from", "2020-01-01", "--to", "2020-12-31")
    run("record", "project:Atlas", "tagged", "=active")

    assert facts(ask, "Atlas", "--as-of", "2020-06-01") == ["active", "planned"]  # when active began is unknown
    assert facts(ask, "Atlas") == ["active"]
    assert facts(ask, "Atlas", "--known-at", "2020-06-01") == []
    assert "planned" in run("recall", "Atlas", "--as-of", "2020-06-01").output
    assert run("recall", "Atlas", "--known-at", "2020-06-01").output == "Atlas  project\n"


def test_decisions_and_week_show_what_was_known_then(run, ask):
    run("record", "decision:Go", "belongs_to", "project:Atlas", "--from", "2020-03-02")

    assert [each["name"] for each in ask("decisions", "Atlas", "--as-of", "2020-03-02")["decisions"]] == ["Go"]
    assert ask("decisions", "Atlas", "--known-at", "2020-03-02")["decisions"] == []
    assert ask("week", "--as-of", "2020-03-08")["totals"]["decisions"] == 1
    assert run("week", "Atlas", "--as-of", "2020-03-08").output.startswith("2020-03-02 to 2020-03-08\n")


def test_ids_are_shown_where_they_are_wanted(run, ask):
    run("record", "project:Atlas", "tagged", "=active")
    known = ask("recall", "Atlas")["facts"][0]["id"]

    assert f"  {known}  tagged → “active”" in run("recall", "Atlas", "--ids").output
    assert known not in run("recall", "Atlas").output


def test_what_is_recorded_may_take_the_place_of_what_held(run, ask):
    for tag in ("planned", "waiting"):
        run("record", "project:Atlas", "tagged", f"={tag}", "--from", "2020-01-01")
    old = [each["id"] for each in ask("recall", "Atlas")["facts"]]
    options = [word for each in old for word in ("--supersedes", each)]
    answer = ask("record", "project:Atlas", "tagged", "=active", "--from", "2020-05-01", *options)

    assert [each["fact_id"] for each in answer["superseded"]] == old
    assert facts(ask, "Atlas") == ["active"]
    assert facts(ask, "Atlas", "--as-of", "2020-04-30") == ["planned", "waiting"]


# What goes wrong


MISTAKES = [
    (("alias", "Zebulon", "Z"), 1, "ENTITY_NOT_FOUND"),
    (("alias", "Sara", "Sarah"), 1, "ALIAS_TAKEN"),
    (("alias", "Sara", " "), 1, "ALIAS_INVALID"),
    (("alias", "Sara"), 2, "Missing argument"),
    (("merge", "Sarah", "Zebulon", "--yes"), 1, "ENTITY_NOT_FOUND"),
    (("merge", "Sarah", "sarah", "--yes"), 1, "ENTITY_NOT_FOUND"),
    (("merge", "Sarah", "go", "--yes"), 1, "AMBIGUOUS"),
    (("merge", "Sarah", "go"), 1, "AMBIGUOUS"),
    (("retract", "fact_1"), 1, "FACT_NOT_FOUND"),
    (("undo", "99"), 1, "CHANGE_NOT_FOUND"),
    (("undo", "--change", "99"), 1, "CHANGE_NOT_FOUND"),
    (("undo", "1", "--change", "1"), 1, "INVALID_ARGUMENTS"),
    (("undo", "1"), 1, "call 1 cannot be taken back: something recorded later depends on it, see call 4"),
    (("undo", "0"), 2, "0 is not in the range"),
    (("undo", "last"), 2, "not a valid integer"),
    (("log", "-n", "0"), 2, "0 is not in the range"),
    (("history", "fact_1"), 1, "FACT_NOT_FOUND"),
    (("history", " "), 1, "NAME_OR_ALIAS_REQUIRED"),
    (("history", "Go"), 3, "Go (decision)"),
    (("duplicates", "Zebulon"), 1, "ENTITY_NOT_FOUND"),
    (("recall", "Sara", "--as-of", "soon"), 1, "MOMENT_INVALID"),
    (("week", "--known-at", "2026-02-30"), 1, "MOMENT_INVALID"),
    (("record", "person:Sara", "tagged", "=x", "--supersedes", "fact_1"), 1, "FACT_NOT_FOUND"),
]


def test_what_went_wrong_is_said_and_nothing_is_changed(run, ask, two):
    run("record", "project:Go", "tagged", "=x")
    before = run("export").output, ask("log")
    for words, code, said in MISTAKES:
        result = run(*words)

        assert (result.exit_code, said in result.output) == (code, True), result.output
    assert (run("export").output, ask("log")) == before


@pytest.mark.parametrize("words", [("undo",), ("log",), ("history", "x"), ("duplicates",), ("clear", "--yes")])
def test_a_graph_that_is_not_there_is_not_made(run, path, words):
    result = run(*words)

    assert (result.exit_code, "GRAPH_NOT_FOUND" in result.output) == (1, True)
    assert not path.exists()


def test_an_empty_graph_has_nothing_to_take_back_or_to_tell(run, ask):
    run("record", "person:Priya", "tagged", "=lead")
    run("undo")

    assert "there is nothing to take back" in run("undo").output
    assert ask("undo")["error"] == "CHANGE_NOT_FOUND"
    assert run("duplicates").output == "No duplicates found.\n"
    assert run("clear", "--yes").output.startswith("Cleared group 'default': 0 entities, 0 facts and 0 episodes.")


def test_stored_text_steers_the_terminal_by_no_command(run, ask):
    evil = "\x1b]0;pwned\x07\x1b[2J\u202e"
    run("record", f"person:Sarah{evil}", "tagged", f"={evil}", "--alias", f"Sally{evil}", "--source", evil)
    run("record", f"person:Sara{evil}", "tagged", f"={evil}", "--source", evil)
    one, other = (ask("recall", name)["entity"]["id"] for name in (f"Sarah{evil}", f"Sara{evil}"))
    known = ask("recall", one)["facts"][0]["id"]
    said = [
        run(*words).output
        for words in (
            ("alias", one, f"S{evil}"),
            ("duplicates",),
            ("history", one),
            ("history", known),
            ("retract", known),
            ("merge", one, other, "--dry-run"),
            ("merge", one, other, "--yes"),
            ("merge", one, f"Nobody{evil}", "--yes"),
            ("undo",),
            ("log",),
        )
    ]

    assert [text for text in said if re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", text)] == []
