"""The overview: what a graph holds, in one short answer, in one command and in one resource."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from keepgraph.cli.root import kg
from keepgraph.mcp import resources
from words import Caller, concept, literal, person, project

MAX_CHARACTERS = 4_800
"""1,500 tokens, where the names are in English and as long as they may be."""


def filled(call: Caller) -> None:
    call.record(person("Bob"), "reports_to", person("Ana Ruiz"))
    call.record(project("Atlas"), "blocked_by", concept("the licence"))
    call.record(project("Beta"), "depends_on", concept("SQLite"))
    call.record(concept("Login"), "tagged", literal("next-action"))
    call("set_owner", person={"name": "Ana Ruiz"})
    call("remember", text="Priya met Bob in Lisbon.", source="a walk")


def test_an_empty_graph_has_an_overview(call):
    answer = call("get_overview")

    assert answer["owner"] is None
    assert answer["counts"] == {"entities": 0, "facts": 0, "texts": 0, "by_type": {}}
    assert [] == answer["projects"] == answer["latest_facts"] == answer["latest_texts"]
    assert not answer["truncated"]


def test_the_overview_shows_the_owner_the_projects_the_latest_and_what_waits(call):
    filled(call)
    answer = call("get_overview")
    waiting = answer["waiting"]

    assert answer["owner"]["name"] == "Ana Ruiz"
    assert answer["counts"]["by_type"] == {"project": 2, "person": 2, "concept": 3}
    assert [(each["name"], each["latest"]["fact"]) for each in answer["projects"]] == [
        ("Beta", "Beta depends on SQLite"),
        ("Atlas", "Atlas blocked by the licence"),
    ]
    assert answer["latest_facts"][0]["fact"] == "Login tagged next-action"
    assert [text["source"] for text in answer["latest_texts"]] == ["a walk"]
    assert [each["fact"] for each in waiting["blockers"]] == ["Atlas blocked by the licence"]
    assert (waiting["blocker_count"], waiting["next_action_count"], waiting["at_least"]) == (1, 1, [])
    assert [each["name"] for each in waiting["next_actions"]] == ["Login"]


def test_what_has_ended_or_was_resolved_is_not_in_the_overview(call):
    filled(call)
    call.record(concept("the licence"), "resolved_by", concept("a call"))
    call.record(project("Beta"), "depends_on", concept("Perl"), valid_to="2026-01-01")
    answer = call("get_overview")

    assert answer["waiting"]["blocker_count"] == 0
    assert "Beta depends on Perl" not in [each["fact"] for each in answer["latest_facts"]]


def test_a_project_that_nothing_is_recorded_about_is_listed_too(call):
    call("remember", text="A note.", project="Quiet")
    answer = call("get_overview")

    assert [(each["name"], each["latest"]) for each in answer["projects"]] == [("Quiet", None)]


def test_only_the_group_of_the_call_is_shown_and_the_others_are_named(call, open_graph):
    filled(call)
    work = Caller(open_graph(group="work"))
    work.record(project("Zeta"), "depends_on", concept("Rust"))
    answer = work("get_overview")

    assert [each["name"] for each in answer["projects"]] == ["Zeta"]
    assert [each["fact"] for each in answer["latest_facts"]] == ["Zeta depends on Rust"]
    assert (answer["other_groups"], answer["owner"], answer["group_id"]) == (["default"], None, "work")


def test_the_overview_of_a_full_graph_stays_short_and_says_what_is_left_out(call):
    names = [f"{'Undertaking ' * 15}{number}" for number in range(40)]
    call(
        "record_facts",
        facts=[
            {"subject": project(name), "predicate": "blocked_by", "object": concept(f"{'Obstacle ' * 20}{name[-2:]}")}
            for name in names
        ]
        + [{"subject": project(name), "predicate": "tagged", "object": literal("next-action")} for name in names],
    )
    for number in range(8):
        call("remember", text=f"{'Very long title ' * 20}{number}", source="s" * 500)
    answer = call("get_overview")

    assert len(json.dumps(answer, ensure_ascii=False, separators=(",", ":"))) <= MAX_CHARACTERS
    assert (answer["totals"]["projects"], answer["truncated"]) == (40, True)
    assert (len(answer["waiting"]["blockers"]), len(answer["latest_facts"])) == (4, 4)


def test_of_many_blockers_at_least_the_newest_are_counted(call):
    facts = [
        {"subject": project(f"P{number}"), "predicate": "blocked_by", "object": literal(f"reason {number}")}
        for number in range(60)
    ]
    call("record_facts", facts=facts)
    waiting = call("get_overview")["waiting"]

    assert waiting["at_least"] == ["blocker_count"]
    assert waiting["blocker_count"] == 30
    assert "reason 59" in waiting["blockers"][0]["fact"]


def test_the_resource_is_the_answer_of_the_tool(call):
    filled(call)
    listed = [str(resource.uri) for resource in resources.all_resources()]

    assert "keepgraph://overview" in listed
    assert call("get_overview") == resources.read(call.graph, "keepgraph://overview", cancellation=lambda: None)


def test_the_command_shows_it_and_hides_control_characters(graph, path: Path):
    call = Caller(graph)
    filled(call)
    call.record(project("Red \x1b[31m"), "depends_on", concept("x"))
    shown = CliRunner().invoke(kg, ["--db", str(path), "overview"]).output

    assert "The graph of Ana Ruiz" in shown
    for title in ("Projects", "Latest facts", "Latest texts", "Waiting"):
        assert title in shown
    assert "1 open blocker\n" in shown
    assert "\x1b[31m" not in shown
