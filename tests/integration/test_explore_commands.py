"""`kg show`, `kg timeline` and `kg search`, as a person and as a script use them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
import pytest
from click.testing import Result

from keepgraph.cli import explore
from keepgraph.cli.output import pages
from keepgraph.cli.output.pages import Section
from words import FillOnce, Kg


@pytest.fixture
def team(run: Kg, path: Path, fill_once: FillOnce) -> Kg:
    def fill() -> None:
        for words in (
            ("person:Priya", "belongs_to", "project:Atlas", *"--source standup --from 2026-01-01 --alias PR".split()),
            ("person:Ben", "reports_to", "person:Priya", "--confidence", "0.6"),
            ("person:Cleo", "reports_to", "person:Priya", "--from", "2025-01-01", "--to", "2026-02-28"),
            ("project:Atlas", "depends_on", "concept:SQLite"),
            ("person:Priya", "tagged", "=lead"),
        ):
            assert run("record", *words).exit_code == 0
        remember(run, "Week 1", "Cold rain. Priya said that Django is out.", "2026-05-01")

    fill_once(path, fill)
    return run


def remember(run: Kg, name: str, text: str, at: str) -> None:
    given = json.dumps({"name": name, "episode_body": text, "reference_time": at})
    result = run("tool", "call", "add_memory", "--json", given)

    assert result.exit_code == 0, result.output


def lines(result: Result) -> list[str]:
    return [line.rstrip() for line in result.output.splitlines()]


# A page


def test_a_page_shows_facts_by_predicate_in_both_directions(team: Kg) -> None:
    shown = lines(team("show", "Priya"))

    assert shown[:2] == ["Priya  person", "  also called PR"]
    assert shown[shown.index("belongs to") + 1] == "  Atlas  since 2026-01-01, standup"
    assert shown[shown.index("tagged") + 1].startswith("  “lead”  ")
    place = shown.index("… reports to Priya")
    assert shown[place + 1].startswith("  Ben   ")
    assert shown[place + 1].endswith("confidence 0.6")
    assert shown[place + 2] == "  Cleo  since 2025-01-01, until 2026-02-28"


def test_a_page_has_a_timeline_neighbours_texts_and_sources(team: Kg) -> None:
    shown = lines(team("show", "Priya", "--depth", "2"))

    assert "  2026-05-01  “Week 1”: Priya said that Django is out." in shown
    assert "  2026-03-01  no longer: Cleo reports to Priya" in shown
    assert "  Atlas   project, in 2 facts" in shown
    assert "  SQLite  concept, in 1 fact, Priya -[belongs_to]-> Atlas -[depends_on]-> SQLite" in shown
    assert "  Django  perhaps a concept, 1 ×" in shown
    assert "  “Week 1”  2026-05-01, text" in shown
    assert "  standup  1 fact" in shown


def test_a_mistyped_name_is_shown_with_how_it_was_understood(team: Kg) -> None:
    result = team("show", "Pirya")

    assert result.exit_code == 0
    assert "Priya  person  (fuzzy match for “Pirya”" in result.output


def test_a_name_that_only_texts_know_has_a_page_too(team: Kg) -> None:
    result = team("show", "django")

    assert result.exit_code == 0
    assert lines(result)[0] == "Django  a name in texts, perhaps a concept"
    assert "“Week 1”: Priya said that Django is out." in result.output


def test_what_is_left_out_of_a_page_is_counted(run: Kg, path: Path) -> None:
    facts = [
        {
            "subject": {"type": "person", "name": f"P{number:02}"},
            "predicate": "belongs_to",
            "object": {"type": "project", "name": "Atlas"},
            "source": f"mail {number:02}",
        }
        for number in range(30)
    ]
    run("tool", "call", "record_facts", "--json", json.dumps({"facts": facts}))
    shown = lines(run("show", "Atlas"))

    assert "  … and 18 more; --limit shows them" in shown
    assert "  … and 10 more" in shown
    assert "  … and 22 more" in shown
    assert any(line.endswith("`kg timeline` shows all") for line in shown)


def test_older_facts_that_are_not_shown_are_counted(team: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore, "_MAX_CONNECTIONS", 2)

    assert "  … and 2 older facts" in lines(team("show", "Priya"))


@pytest.mark.parametrize("words", [("show",), ("timeline",), ("search", "--in", "communities")])
def test_nothing_found_has_its_own_exit_code(team: Kg, words: tuple[str, ...]) -> None:
    result = team(*words, "Qqxzzv")

    assert result.exit_code == 3
    assert "Qqxzzv" in result.output


@pytest.mark.parametrize("command", ["show", "timeline"])
def test_near_names_are_proposed(team: Kg, command: str) -> None:
    team("record", "project:Q3 2025", "tagged", "=done")
    result = team(command, "Q3", "2026")

    assert result.exit_code == 3
    assert "perhaps Q3 2025 (project" in result.output


def test_with_json_a_page_is_the_answers_it_is_made_of(team: Kg) -> None:
    answer = json.loads(team("--json", "show", "Priya").output)

    assert set(answer) == {"explore_node", "get_entity_connections", "get_entity_timeline"}
    assert answer["explore_node"]["center_node"]["name"] == "Priya"
    assert json.loads(team("--json", "show", "Qqxzzv").output)["explore_node"]["center_node"] is None


def test_stored_text_cannot_steer_the_terminal(run: Kg) -> None:
    run("record", "project:Atlas\x1b[2J", "tagged", "=\x1b]0;pwned\x07", "--source", "\x1b[31m", "--alias", "\x1b[1mA")
    remember(run, "Week \x1b[31m", "Atlas\x1b[2J went on. \x07", "2026-05-01")
    for words in (("show", "Atlas\x1b[2J"), ("timeline", "Atlas\x1b[2J"), ("search", "Atlas went on")):
        result = run(*words)

        assert result.exit_code == 0, words
        assert "\x1b" not in result.output
        assert "\x07" not in result.output


# A timeline


def test_a_timeline_tells_texts_and_facts_in_the_order_of_time(team: Kg) -> None:
    shown = lines(team("timeline", "Cleo"))

    assert shown == [
        "Cleo  person",
        "  2025-01-01  Cleo reports to Priya",
        "  2026-03-01  no longer: Cleo reports to Priya",
    ]


def test_a_timeline_can_begin_with_the_newest(team: Kg) -> None:
    remember(team, "Week 2", "Priya is back.", "2026-05-08")
    oldest = [line for line in lines(team("timeline", "Priya")) if "Week" in line]
    newest = [line for line in lines(team("timeline", "Priya", "--newest")) if "Week" in line]

    assert oldest == [
        "  2026-05-01  “Week 1”: Priya said that Django is out.",
        "  2026-05-08  “Week 2”: Priya is back.",
    ]
    assert newest == list(reversed(oldest))


def test_a_timeline_that_is_cut_says_so(team: Kg) -> None:
    remember(team, "Week 2", "Priya is back.", "2026-05-08")

    assert "  … and newer texts, 2 in all; --limit shows more" in lines(team("timeline", "Priya", "--limit", "1"))


def test_the_timeline_as_json_is_the_answer_of_the_tool(team: Kg) -> None:
    answer = json.loads(team("--json", "timeline", "Priya").output)

    assert [each["name"] for each in answer["episodes"]] == ["Week 1"]
    assert answer["events"]


# A search


def test_a_search_shows_names_facts_and_texts_and_why(team: Kg) -> None:
    shown = team("search", "who", "said", "that", "Django", "is", "out?")

    assert shown.exit_code == 0
    assert "Names" in lines(shown)
    assert "Texts" in lines(shown)
    assert any("2026-05-01, “Week 1”" in line and "(by " in line for line in lines(shown))


def test_a_search_may_look_in_one_place_only(team: Kg) -> None:
    shown = lines(team("search", "Priya", "--in", "edges"))

    assert "Facts" in shown
    assert not {"Names", "Texts"} & set(shown)


def test_a_search_may_be_for_some_facts_only(team: Kg) -> None:
    result = team("--json", "search", "Priya", "--predicate", "REPORTS_TO", "--as-of", "2025-06-01")

    assert {edge["fact"] for edge in json.loads(result.output)["edges"]} == {
        "Cleo reports to Priya",
        "Ben reports to Priya",
    }


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("search", "Priya", "--type", "planet"), 1, "ENTITY_TYPE_UNKNOWN"),
        (("search", "Priya", "--predicate", "orbits"), 1, "PREDICATE_UNKNOWN"),
        (("search", "Priya", "--as-of", "soon"), 1, "MOMENT_INVALID"),
        (("search", "Priya", "--in", "attic"), 2, "attic"),
        (("search", "  "), 1, "QUERY_REQUIRED"),
        (("search",), 1, "Give WORDS"),
        (("show", " "), 1, "NAME_OR_ALIAS_REQUIRED"),
        (("show", "x" * 201), 1, "NAME_OR_ALIAS_TOO_LONG"),
        (("show", "Priya", "--depth", "9"), 2, "9 is not in the range"),
        (("timeline", "Priya", "--limit", "0"), 2, "0 is not in the range"),
    ],
)
def test_what_went_wrong_is_said_and_has_an_exit_code(team: Kg, words: tuple[str, ...], code: int, said: str) -> None:
    result = team(*words)

    assert (result.exit_code, said in result.output) == (code, True), result.output


def test_a_graph_that_is_not_there_is_not_made(run: Kg, path: Path) -> None:
    for command in ("show", "timeline", "search"):
        assert "GRAPH_NOT_FOUND" in run(command, "Priya").output

    assert not path.exists()


# How pages are laid out


def test_on_a_terminal_long_texts_are_wrapped_under_their_column(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "50")
    pages.show_sections(
        [Section("Title", [("left", "word " * 20), ("x" * 60, "right"), ("alone", "")], more="… and more")]
    )
    printed = [line.rstrip() for line in click.unstyle(capsys.readouterr().out).splitlines()]

    assert all(len(line) <= 50 for line in printed)
    assert printed[0] == "Title"
    assert printed[1].startswith("  left ")
    assert printed[2].startswith(" " * 29 + "word")
    assert any(line.startswith("  " + "x" * 24 + "…") for line in printed)
    assert printed[-1] == "  … and more"
