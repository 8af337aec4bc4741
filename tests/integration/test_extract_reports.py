"""An extract of a graph has its decisions and its week, and says nothing in them of what is not in the extract."""

from __future__ import annotations

import json

import pytest

from words import Caller, concept, decision, person, project

SECRET = "the merger"


@pytest.fixture
def two_projects(call: Caller, clock) -> Caller:
    """A public project and a secret one, whose names, texts and sources must not be in an extract of the other."""
    day = clock().date().isoformat()
    for name, who, source in (("Use SQLite", "Ana", "minutes"), (f"Plan {SECRET}", "Zoe", f"notes of {SECRET}")):
        where = project("Atlas") if who == "Ana" else project("Zulu")
        call.record(decision(name), "belongs_to", where, valid_from=day, source=source)
        call.record(person(who), "decided_in", decision(name), source=source)
        call.record(where, "blocked_by", concept("the licence" if who == "Ana" else SECRET))
        call.record(decision(name), "tagged", {"literal": "next-action"})
    call.record(person("Ana"), "decided_in", {"literal": "Meet on Mondays"})
    call.record(decision("Use DuckDB"), "belongs_to", project("Atlas"), valid_from=day)
    year, week, _ = clock().date().isocalendar()
    call("remember", text=f"A week about {SECRET}.", narrative_for=f"{year}-W{week:02}")
    return call


def names(extract: dict, rows: list) -> list[str]:
    """The names of entities that are referred to by their position."""
    return [extract["nodes"]["name"][int(row["id"])] for row in rows if row["id"]]


def test_the_whole_has_the_decisions_and_the_week_that_the_tools_answer(two_projects):
    extract = two_projects("extract_graph")
    recalled, week = two_projects("recall_decisions"), two_projects("weekly_rollup")
    steps = two_projects("list_next_steps")

    assert [each["name"] for each in extract["decisions"]] == [each["name"] for each in recalled["decisions"]]
    assert extract["decision_total"] == recalled["total"]
    assert extract["week"]["summary"] == week["summary"]
    assert extract["week"]["period"] == week["period"]
    assert [each["name"] for each in extract["week"]["decisions"]] == [each["name"] for each in week["decisions"]]
    assert len(extract["week"]["blockers"]) == len(week["blockers"]) == 2
    assert extract["week"]["next_actions"] == week["next_actions"]
    assert len(extract["week"]["steps"]["actions"]) == len(steps["actions"])


def test_entities_in_reports_have_their_positions_as_ids(two_projects):
    extract = two_projects("extract_graph")
    [sqlite] = [each for each in extract["decisions"] if each["name"] == "Use SQLite"]
    [monday] = [each for each in extract["decisions"] if each["name"] == "Meet on Mondays"]

    assert names(extract, [sqlite, *sqlite["decided_by"]]) == ["Use SQLite", "Ana"]
    assert monday["id"] == ""
    assert "fact_" not in json.dumps(extract["week"])
    assert "ent_" not in json.dumps(extract)


def test_an_extract_of_a_part_says_nothing_of_the_rest(two_projects):
    extract = two_projects("extract_graph", about="Atlas", depth=2, texts=False)

    assert {"Use SQLite", "Meet on Mondays", "Use DuckDB"} == {each["name"] for each in extract["decisions"]}
    assert len(extract["week"]["blockers"]) == 1
    assert extract["week"]["steps"]["actions"]
    assert extract["week"]["summary"] == ""
    assert "Zulu" not in json.dumps(extract)
    assert "Zoe" not in json.dumps(extract)
    assert SECRET not in json.dumps(extract)


def test_the_narrative_is_a_text_and_only_where_texts_are(two_projects):
    with_texts, without = two_projects("extract_graph"), two_projects("extract_graph", texts=False)
    part = two_projects("extract_graph", about="Atlas")

    assert SECRET in with_texts["week"]["narrative"]
    assert (without["week"]["narrative"], part["week"]["narrative"]) == ("", "")


def test_as_of_a_day_the_week_is_that_which_ended_then(two_projects):
    extract = two_projects("extract_graph", as_of="2020-01-05")

    assert extract["week"]["period"] == {"start": "2019-12-30", "end": "2020-01-05"}
    assert extract["week"]["decisions"] == []
    assert extract["week"]["steps"] is None


def test_an_empty_graph_has_an_empty_week(call):
    extract = call("extract_graph")

    assert (extract["decisions"], extract["decision_total"], extract["week"]["blockers"]) == ([], 0, [])
