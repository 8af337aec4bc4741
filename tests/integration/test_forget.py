"""What is asked to be forgotten goes, with what falls with it; near names never do; and undo brings it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from keepgraph.cli.root import kg
from keepgraph.engine.exchange import export
from words import Caller, concept, dump, literal, person, project, rows


@pytest.fixture
def call(call: Caller) -> Caller:
    """Bob, who is called Bobby too, two notes, and what blocks Atlas."""
    call.record(person("Bob Keller"), "tagged", literal("holiday"), aliases=["Bobby"], source="standup")
    call.record(person("Bob Keller"), "reports_to", person("Ana Ruiz"))
    call.record(project("Atlas"), "blocked_by", concept("export permit"))
    call("remember", text="The licence has not arrived. Bob Keller asked for it.")
    call("remember", text="Budget meeting\n\nBobby wants more money for the trip.")
    return call


def forgotten(call: Caller, what: str, **more: Any) -> dict[str, Any]:
    """Forget what must be possible to forget."""
    answer = call("forget", what=what, **more)
    assert "error" not in answer, answer
    return answer


def state(call: Caller) -> list[str]:
    return [str(line) for line in export.stream_lines(call.graph.database)]


@pytest.mark.parametrize(
    ("what", "kind", "name"),
    [
        ("Bob Keller", "entity", "Bob Keller"),
        ("bobby", "entity", "Bob Keller"),
        ("person:Bob Keller", "entity", "Bob Keller"),
        ("the person Bobby", "entity", "Bob Keller"),
        ("everything about Bobby", "entity", "Bob Keller"),
        ("everything you know about Bob Keller.", "entity", "Bob Keller"),
        ("the project Atlas", "entity", "Atlas"),
        ("the note about the licence", "text", "The licence has not arrived. Bob Keller asked for it."),
        ("my note on the licence!", "text", "The licence has not arrived. Bob Keller asked for it."),
        ("Budget meeting", "text", "Budget meeting"),
        ("the note called “Budget meeting”", "text", "Budget meeting"),
        ("the trip note", "text", "Budget meeting"),
        ("the licence arrived", "text", "The licence has not arrived. Bob Keller asked for it."),
        ("the last note", "text", "Budget meeting"),
        ("what I just told you", "call", "remember"),
        ("call 3", "call", "record_fact"),
        ("Bob Keller tagged holiday", "fact", "Bob Keller tagged holiday"),
        ("that Bob Keller reports to Ana Ruiz", "fact", "Bob Keller reports to Ana Ruiz"),
        ("Bob Keller reports_to Ana Ruiz", "fact", "Bob Keller reports to Ana Ruiz"),
    ],
)
def test_what_a_person_says_is_one_call(call, what, kind, name):
    answer = call("forget", what=what, dry_run=True)

    assert (kind, name) == (answer.get("kind"), answer.get("forgotten", {}).get("name")), answer


@pytest.mark.parametrize(("what", "kind"), [("licence", "text"), ("holiday", "fact"), ("5", "call"), ("last", "call")])
def test_with_a_kind_words_are_enough(call, what, kind):
    assert kind == forgotten(call, what, kind=kind)["kind"]


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("Bob", "ENTITY_NOT_FOUND"),
        ("Bob Kellar", "ENTITY_NOT_FOUND"),
        ("licence", "ENTITY_NOT_FOUND"),
        ("everything about Zoe", "ENTITY_NOT_FOUND"),
        ("the note about Zoe", "EPISODE_NOT_FOUND"),
        ("that note", "FACT_NOT_FOUND"),
        ("it", "ENTITY_NOT_FOUND"),
        ("ent_00000000000000000000009999", "ENTITY_NOT_FOUND"),
        ("fact_00000000000000000000009999", "FACT_NOT_FOUND"),
        ("ep_00000000000000000000009999", "EPISODE_NOT_FOUND"),
        ("call 999", "CHANGE_NOT_FOUND"),
        ("   ", "ENTITY_NOT_FOUND"),
        ("\0", "INVALID_ARGUMENTS"),
        ('"" OR *', "ENTITY_NOT_FOUND"),
    ],
)
def test_what_is_only_near_is_not_forgotten(call, path, what, error):
    before = dump(path)
    answer = call("forget", what=what)

    assert error == answer.get("error")
    assert before == dump(path)


def test_a_near_name_is_a_candidate_with_its_id(call):
    answer = call("forget", what="Bob")

    assert "Bob Keller" in [candidate["name"] for candidate in answer["candidates"]]
    assert all(candidate["id"] for candidate in answer["candidates"])


def test_where_several_fit_nothing_is_forgotten(call, path):
    call("remember", text="Atlas")
    call("remember", text="The licence costs more.")
    before = dump(path)
    by_name, by_words = call("forget", what="Atlas"), call("forget", what="the note about the licence")

    assert (by_name["error"], by_words["error"]) == ("AMBIGUOUS", "AMBIGUOUS")
    assert {"entity", "text"} == {candidate["kind"] for candidate in by_name["candidates"]}
    assert before == dump(path)


def test_a_name_that_two_share_is_ambiguous(call):
    call.record(project("Bobby"), "tagged", literal("x"))
    answer = call("forget", what="Bobby")

    assert answer["error"] == "AMBIGUOUS"
    assert {"Bob Keller", "Bobby"} == {candidate["name"] for candidate in answer["candidates"]}


def test_an_entity_goes_with_all_that_is_about_it_and_texts_stay(call, path):
    answer = forgotten(call, "Bob Keller")

    assert {"Bob Keller tagged holiday", "Bob Keller reports to Ana Ruiz"} == {fact["name"] for fact in answer["facts"]}
    assert answer["aliases"] == ["Bobby"]
    assert 2 == len(answer["kept_texts"]) == answer["totals"]["mentions"]
    assert call("recall_entity", name_or_alias="Bob Keller")["entity"] is None
    assert call("recall_entity", name_or_alias="Ana Ruiz")["entity"]["name"] == "Ana Ruiz"
    assert rows(path, "SELECT count(*) FROM episode") == [(2,)]


def test_a_fact_goes_and_its_ends_stay(call):
    answer = forgotten(call, "Bob Keller tagged holiday")

    assert answer["totals"]["assertions"] == 1
    assert call("recall_entity", name_or_alias="Bob Keller")["entity"] is not None


def test_a_fact_out_of_a_text_names_the_text_that_stays(call):
    said = {"from": "Ana Ruiz", "type": "works at", "to": "Acme"}
    chunk = {"text": "Ana Ruiz works at Acme.", "entities": [], "relations": [said]}
    text = call("ingest_prechunked", source="a.md", chunks=[chunk])
    answer = forgotten(call, "Ana Ruiz works at Acme")

    assert [text["doc_id"]] == [kept["id"] for kept in answer["kept_texts"]]


def test_proposed_facts_under_the_name_go_too(call, path):
    said = {"from": "Bobby", "type": "juggles beside", "to": "Ana Ruiz"}
    call("submit_session_extraction", entities=[], relations=[said, {**said, "from": "Ana Ruiz", "to": "Kim"}])
    assert rows(path, "SELECT count(*) FROM proposed_fact") == [(2,)]
    answer = forgotten(call, "Bob Keller")

    assert answer["totals"]["proposed_facts"] == 1
    assert rows(path, "SELECT subject FROM proposed_fact") == [("Ana Ruiz",)]


@pytest.mark.parametrize("what", ["Bob Keller", "Bob Keller tagged holiday", "the note about the licence", "call 3"])
def test_the_dry_run_is_what_the_call_does_and_undo_brings_it_back(call, path, what):
    before = state(call)
    plan = forgotten(call, what, dry_run=True)
    assert before == state(call)
    done = forgotten(call, what)
    changing = {"message", "dry_run", "call"}

    assert {k: v for k, v in plan.items() if k not in changing} == {k: v for k, v in done.items() if k not in changing}
    assert state(call) != before
    call("undo", call=done["call"])
    assert before == state(call)


def test_a_call_that_only_deleted_is_not_forgotten_but_undone(call):
    deleted = forgotten(call, "Bob Keller tagged holiday")
    answer = call("forget", what=f"call {deleted['call']}")

    assert answer["error"] == "CHANGE_NOT_FOUND"
    assert "undo" in answer["hint"]


def test_the_owner_can_be_forgotten_and_comes_back_as_the_owner(call):
    call("set_owner", person={"name": "Ana Ruiz"})
    before = state(call)
    done = forgotten(call, "Ana Ruiz")
    assert call("recall_entity", name_or_alias="me")["entity"] is None
    call("undo", call=done["call"])

    assert before == state(call)


@pytest.mark.parametrize("tool", ["forget", "delete_entity_edge", "retract_fact", "clear_graph", "delete_episode"])
def test_a_deleting_tool_says_what_remains(call, tool):
    fact = call("recall_entity", name_or_alias="Bob Keller")["facts"][0]["id"]
    text = call("get_episodes")["episodes"][0]["uuid"]
    arguments = {
        "forget": {"what": fact},
        "delete_entity_edge": {"uuid": fact},
        "retract_fact": {"fact_id": fact},
        "clear_graph": {"confirm": True},
        "delete_episode": {"uuid": text},
    }[tool]

    assert call(tool, **arguments)["remains"]


# kg forget


def run(path: Path, *words: str, input: str | None = None) -> tuple[int, str]:
    done = CliRunner().invoke(kg, ["--db", str(path), *words], input=input)
    return done.exit_code, done.output


def test_the_command_takes_words_without_quotes(call, path):
    code, output = run(path, "forget", "the", "note", "about", "the", "licence", "--yes")

    assert code == 0, output
    assert "kg undo" in output
    assert rows(path, "SELECT count(*) FROM episode") == [(1,)]


def test_without_a_terminal_the_command_needs_a_yes(call, path):
    before = state(call)
    code, output = run(path, "forget", "Bobby")

    assert code == 1
    assert "NOT_CONFIRMED" in output
    assert before == state(call)


def test_a_dry_run_of_the_command_shows_what_falls_and_forgets_nothing(call, path):
    before = state(call)
    code, output = run(path, "forget", "Bobby", "--dry-run")

    assert code == 0
    assert "Bob Keller reports to Ana Ruiz" in output
    assert "still has the name" in output
    assert before == state(call)
