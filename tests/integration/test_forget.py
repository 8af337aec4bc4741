"""What is asked to be forgotten goes, with what falls with it; near names never do; and undo brings it back."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import keepgraph
from keepgraph.cli.root import kg
from keepgraph.engine.exchange import export
from words import Caller, Clock, concept, dump, literal, person, project, rows


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
        ("the note “Budget meeting”", "text", "Budget meeting"),
        ("The note about the LICENCE", "text", "The licence has not arrived. Bob Keller asked for it."),
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


@pytest.mark.parametrize("what", ["5", "last"])
def test_with_the_kind_call_its_number_is_enough(call, what):
    assert forgotten(call, what, kind="call")["kind"] == "call"


@pytest.mark.sampled(one_in=3)
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


NAMES = ("Café Sonntag", "Dana Whitfield", "Blue Heron", "Quarry Lane", "東京支社")
"""They stand in one text, in one fact, or in both, and nothing is called so."""

WITHOUT_A_NOTE = (
    *("{}", "{0} {0}", "the {}", "“{}”", "{}.", "{} Note", "The {} Letters", "Minutes of {}", "notes from {}"),
    *(
        "Last Letters from {}",
        "everything about {}",
        "all about {}",
        "who {} is",
        "that {}",
        "the fact that {}",
        "fact {}",
    ),
    *("person:{}", "project:{}", "PERSON: {}", "the person {}", "document:{}", "person:the note about {}", "call {}"),
)


@pytest.fixture
def mentioned(call: Caller) -> Caller:
    """Texts and facts that mention names which nothing has."""
    for name in NAMES:
        call("remember", text=f"Minutes of the spring meeting\n\n{name} was there, and talked to Bob about the organs.")
        call.record(project("Atlas"), "tagged", literal(f"{name} agreed"))
        call("remember", text=f"On the walls of {name} hang two maps.")
    return call


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", [None, "entity", "fact", "text"])
def test_no_name_takes_what_only_mentions_it(mentioned, path, name, kind):
    before = dump(path)
    requests = [form.format(name) for form in WITHOUT_A_NOTE]
    if kind:
        requests += [f"the note about {name} and Bob", f"the {name} note"]
    answers = {what: mentioned("forget", what=what, **({"kind": kind} if kind else {})) for what in requests}

    assert {what: answer["forgotten"] for what, answer in answers.items() if "error" not in answer} == {}
    assert before == dump(path)


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(
    "what",
    [
        *(
            "person:Atlas",
            "concept:Bob Keller",
            "person:export permit",
            "project:Bobby",
            "the concept Atlas",
            "Project Atlas",
        ),
        *(
            "fact:Bob Keller",
            "the fact about Bob Keller",
            "that Bob Keller",
            "All About Bob Keller",
            "Bob Keller Letters",
        ),
        *("Last Minutes", "the Last Letter", "Previous Conversations", "the Trip Note", "Trip Minutes", "licence note"),
        *(
            "the note about licences",
            "the note about Bob Kellers",
            "the note about the budget licence",
            "the note about it",
        ),
        *(
            "call one",
            "call -1",
            "the call of Atlas",
            "the last Call",
            "Bob Keller tagged",
            "holiday",
            "tagged holiday",
        ),
    ],
)
def test_nothing_is_forgotten_by_another_type_or_by_some_of_its_words(call, path, what):
    before = dump(path)
    answer = call("forget", what=what)

    assert "error" in answer
    assert before == dump(path)


def test_words_that_only_mention_a_thing_lead_to_candidates(mentioned):
    answer = mentioned("forget", what="Café Sonntag")

    assert answer["error"] == "ENTITY_NOT_FOUND"
    assert {"text", "fact"} == {candidate["kind"] for candidate in answer["candidates"]}


def test_a_note_that_may_be_something_called_so_is_a_question(call, path):
    call.record(concept("Trip Memo"), "tagged", literal("x"))
    before = dump(path)
    answer = call("forget", what="the trip memo")

    assert answer["error"] == "AMBIGUOUS"
    assert {"entity", "text"} == {candidate["kind"] for candidate in answer["candidates"]}
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


def test_what_comes_back_by_undo_takes_two_statements_a_row(call, path):
    hub = {"name": "Atlas", "type": "project"}
    many = [{"subject": person(f"Nr {n}"), "predicate": "works_on", "object": hub} for n in range(100)]
    call("record_facts", facts=many)
    number = forgotten(call, "project:Atlas")["call"]
    ((rows_deleted,),) = rows(path, f"SELECT count(*) FROM journal WHERE call = {number}")
    asked: set[str] = set()  # a statement is traced again by each of its triggers
    with call.graph.database.write("test") as tx:
        writer = tx.conn
    writer.set_trace_callback(lambda text: asked.add(text) if not text.startswith("--") else None)
    call("undo", call=number)
    writer.set_trace_callback(None)

    assert rows_deleted > 200
    assert len(asked) <= 2 * rows_deleted + 50


def test_a_call_that_only_deleted_is_not_forgotten_but_undone(call):
    deleted = forgotten(call, "Bob Keller tagged holiday")
    answer = call("forget", what=f"call {deleted['call']}")

    assert answer["error"] == "CHANGE_NOT_FOUND"
    assert "undo" in answer["hint"]


def test_undo_without_a_number_takes_back_the_forgetting_of_a_call(call):
    before = state(call)
    call.record(person("Cleo"), "tagged", literal("new"))
    with_cleo = state(call)
    done = forgotten(call, "call 3")
    taken_back = [call("undo") for _ in range(2)]

    assert [each["undone_call"] for each in taken_back] == [done["call"], done["call"] - 1]
    assert state(call) == before
    assert with_cleo != before


def test_forgetting_the_last_call_twice_does_not_forget_another(call):
    forgotten(call, "the last call")
    before = state(call)
    answer = call("forget", what="the last call")

    assert answer["error"] == "CHANGE_NOT_FOUND"
    assert state(call) == before


def test_what_forgetting_an_undo_took_back_comes_again_by_undo(call):
    deleted = forgotten(call, "Bob Keller tagged holiday")
    without = state(call)
    brought_back = call("undo", call=deleted["call"])
    before = state(call)
    again = forgotten(call, f"call {brought_back['call']}")
    assert state(call) == without
    answer = call("undo")

    assert answer["undone_call"] == again["call"]
    assert state(call) == before


@given(steps=st.lists(st.sampled_from(["record", "remember", "forget", "forget first", "undo"]), max_size=8))
@settings(max_examples=25)
def test_undo_after_any_forgetting_gives_what_was_before(new_file, steps):
    with keepgraph.open(new_file(), clock=Clock()) as graph:
        call = Caller(graph)
        for number, step in enumerate(steps):
            if step == "record":
                call.record(person("Ana"), "tagged", literal(str(number)))
            elif step == "remember":
                call("remember", text=f"Note {number}.")
            elif step == "undo":
                call("undo")
            else:
                before = state(call)
                answer = call("forget", what="call 1" if step == "forget first" else "last call")
                if "error" not in answer:
                    undone = call("undo")
                    assert (undone["undone_call"], state(call)) == (answer["call"], before)
                    again = call("undo", call=undone["call"])
                    assert "error" not in again


@pytest.mark.parametrize("what", ["call 2", "Call #2", "the call 2", "last call", "the last note"])
def test_what_is_also_called_so_is_a_question(call, path, what):
    named = call.record(concept(what), "tagged", literal("x"))["subject"]
    before = dump(path)
    answer = call("forget", what=what)

    assert answer["error"] == "AMBIGUOUS"
    assert named["id"] in [candidate["id"] for candidate in answer["candidates"]]
    assert {candidate["kind"] for candidate in answer["candidates"]} > {"entity"}
    assert dump(path) == before
    for candidate in answer["candidates"]:
        meant = call("forget", what=candidate["id"], kind=candidate["kind"], dry_run=True)
        assert (candidate["id"], candidate["kind"]) == (meant["forgotten"]["id"], meant["kind"])


@pytest.mark.parametrize(("what", "kind"), [("call 2", "entity"), ("call 911", None), ("last call", "entity")])
def test_a_name_like_a_call_is_forgotten_where_no_call_is_meant(call, what, kind):
    call.record(concept(what), "tagged", literal("x"))
    answer = forgotten(call, what, **({"kind": kind} if kind else {}))

    assert (answer["kind"], answer["forgotten"]["name"]) == ("entity", what)


def test_the_command_names_texts_and_calls_that_may_be_meant(call, path):
    text = call("remember", text="Atlas")
    named = call.record(concept("call 2"), "tagged", literal("x"))
    call.graph.close()
    by_word, by_name, by_number = (
        CliRunner().invoke(kg, ["--db", str(path), "forget", what, "--yes"]) for what in ("trip", "Atlas", "call 2")
    )

    assert "Budget meeting (text)" in by_word.output
    assert text["doc_id"] in by_name.output
    assert "project:Atlas" in by_name.output
    assert "call 2  record_fact: " in by_number.output
    assert "concept:call 2" in by_number.output
    assert all("recall_entity" not in done.output for done in (by_word, by_name, by_number))
    done = CliRunner().invoke(kg, ["--db", str(path), "forget", "call", "2", "--kind", "call", "--yes"])
    assert done.exit_code == 0, done.output
    assert named["subject"]["id"] in CliRunner().invoke(kg, ["--db", str(path), "--json", "recall", "call 2"]).output


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
    assert "keeps the text that names it" in output
    assert before == state(call)


def test_forgetting_a_resolution_says_which_blockers_it_opens_again(call, clock, path):
    clock.pass_by(days=1)
    resolution = call.record(project("Atlas"), "resolved_by", literal("mail"))["fact_id"]
    closed = state(call)
    plan = forgotten(call, resolution, dry_run=True)
    assert state(call) == closed
    done = forgotten(call, resolution)

    assert [blocker["name"] for blocker in plan["reopened_blockers"]] == ["Atlas blocked by export permit"]
    assert plan["reopened_blockers"] == done["reopened_blockers"]
    assert "1 blocker is open again." in done["message"]
    assert [fact["id"] for fact in call("weekly_rollup")["blockers"]] == [done["reopened_blockers"][0]["id"]]
    call("undo")
    assert state(call) == closed


@pytest.mark.parametrize(("tool", "argument"), [("retract_fact", "fact_id"), ("delete_entity_edge", "uuid")])
def test_other_tools_that_withdraw_a_resolution_say_what_it_opens_again(call, clock, tool, argument):
    clock.pass_by(days=1)
    resolution = call.record(project("Atlas"), "resolved_by", literal("mail"))["fact_id"]
    answer = call(tool, **{argument: resolution})

    assert [blocker["name"] for blocker in answer["reopened_blockers"]] == ["Atlas blocked by export permit"]


def test_what_opens_no_blocker_says_nothing_of_blockers(call):
    assert "reopened_blockers" not in forgotten(call, "Bob Keller tagged holiday")


# Much at once


def test_a_dry_run_writes_nothing_at_all(call, path):
    before = dump(path)
    for what in ("Bob Keller", "Bob Keller tagged holiday", "the note about the licence", "call 3"):
        forgotten(call, what, dry_run=True)

    assert before == dump(path)


@pytest.mark.parametrize("dry_run", [True, False])
def test_the_facts_of_an_entity_are_deleted_by_as_many_statements_however_many_they_are(call, dry_run):
    counts = []
    for number, many in enumerate((3, 60)):
        hub = concept(f"Hub {number}")
        for n in range(many):
            call.record(person(f"Kim {n}"), "depends_on", hub)
        executed = []

        def note(_: object, event: str, function: Any, executed: list[str] = executed) -> None:
            if event == "c_call" and function.__name__ == "execute":
                executed.append(event)

        sys.setprofile(note)
        answer = call("forget", what=f"Hub {number}", dry_run=dry_run)
        sys.setprofile(None)
        assert answer["totals"]["facts"] == many
        counts.append(len(executed))

    assert counts[0] == counts[1]
