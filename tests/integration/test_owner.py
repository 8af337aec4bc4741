"""The owner of a graph: "me" is a person, on reading, on writing and in questions, until it is said otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph import store
from keepgraph.cli.root import kg
from keepgraph.engine.exchange import export
from laws import examples
from words import Caller, Clock, concept, fact, literal, person, project, rows

ANA = "Ana Ruiz"


@pytest.fixture
def owned(call):
    """A graph in which Ana is the owner, and works with Bob."""
    call.record(person(ANA), "reports_to", person("Bob"))
    answer = call("set_owner", person={"name": ANA})
    assert "error" not in answer, answer
    return call


def run(path: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(kg, ["--db", str(path), *words])
    return done.exit_code, done.output


def exported(graph: keepgraph.Graph) -> list[str]:
    return [json.dumps(line) for line in export.stream_lines(graph.database)]


# Setting


def test_the_person_with_exactly_this_name_becomes_the_owner(call):
    bob = call.record(person(ANA), "reports_to", person("Bob"))["object"]
    answer = call("set_owner", person={"name": "bob"})

    assert (bob, None, False, True) == (answer["owner"], answer["previous"], answer["created"], answer["changed"])


def test_an_owner_who_is_not_known_is_created_and_near_names_are_reported(call):
    near = call.record(person("Sarah Connor"), "tagged", literal("x"))["subject"]
    answer = call("set_owner", person={"name": "Sara Connor"})

    assert answer["created"]
    assert [near["id"]] == [each["id"] for each in answer["possible_duplicates"]]


def test_setting_the_same_owner_again_changes_nothing(owned, path):
    before = rows(path, "SELECT count(*) FROM journal")
    answer = owned("set_owner", person={"name": ANA})

    assert not answer["changed"]
    assert before == rows(path, "SELECT count(*) FROM journal")


def test_another_owner_takes_the_place_of_the_first(owned):
    answer = owned("set_owner", person={"name": "Bob"})

    assert (answer["owner"]["name"], answer["previous"]["name"]) == ("Bob", ANA)
    assert owned.recalled("me") == "Bob"


def test_each_group_has_an_owner_of_its_own(owned, open_graph):
    work = Caller(open_graph(group="work"))
    before = work("recall_entity", name_or_alias="me")["entity"]
    work("set_owner", person={"name": "Carla"})

    assert before is None
    assert (work.recalled("me"), owned.recalled("me")) == ("Carla", ANA)


@pytest.mark.parametrize(
    ("given_person", "code"),
    [
        (project("Atlas"), "ENTITY_TYPE_UNKNOWN"),
        ({"type": "wizard", "name": "Ana"}, "ENTITY_TYPE_UNKNOWN"),
        ({"id": "ent_00000000000000000000000000"}, "ENTITY_NOT_FOUND"),
        ({"name": "me"}, "ENTITY_NOT_FOUND"),
        ({"name": ""}, "ENTITY_NOT_FOUND"),
        ({"name": "\u200b"}, "SUBJECT_REQUIRED"),
        ({"name": "x" * 201}, "ENTITY_NOT_FOUND"),
        ({}, "ENTITY_NOT_FOUND"),
        ("Ana", "ENTITY_NOT_FOUND"),
        (None, "ENTITY_NOT_FOUND"),
    ],
)
def test_who_cannot_be_the_owner_is_refused_and_nothing_is_written(call, path, given_person, code):
    answer = call("set_owner", person=given_person)

    assert code == answer.get("error"), answer
    assert rows(path, "SELECT * FROM owner") == rows(path, "SELECT * FROM entity") == []


# Reading


@pytest.mark.parametrize("word", ["me", "I", "myself", "person:me", "ich", "moi"])
def test_me_is_the_owner_and_the_answer_says_so(owned, word):
    answer = owned("recall_entity", name_or_alias=word)

    assert answer["entity"]["name"] == ANA
    assert ("alias", f"{ANA} is the owner of this graph") == (
        answer["resolution"]["method"],
        answer["resolution"]["because"],
    )


def test_without_an_owner_me_is_nobody_and_the_answer_says_how_to_set_one(call):
    call.record(person("Mel"), "tagged", literal("me"))
    answer = call("recall_entity", name_or_alias="me")

    assert (
        answer["entity"],
        answer["resolution"]["method"],
        answer["resolution"]["candidates"],
    ) == (None, "none", [])
    assert "kg me" in answer["resolution"]["hint"]


def test_what_is_really_called_so_is_meant_before_the_owner(owned):
    owned.record(concept("me"), "tagged", literal("pronoun"))
    answer = owned("recall_entity", name_or_alias="me")

    assert (answer["entity"]["name"], answer["resolution"]["method"]) == ("me", "exact")
    assert owned.recalled("I") == ANA


def test_an_abbreviation_in_capitals_is_not_the_owner(owned):
    assert owned.recalled("EU") is None


def test_the_owner_is_no_project(owned):
    answer = owned("recall_decisions", project="me")

    assert answer["project"] is None


def test_tools_that_take_a_name_take_me(owned):
    answer = owned("explore_node", name="me")

    assert answer["center_node"]["name"] == ANA


# Writing


def test_me_at_an_end_of_a_fact_is_the_owner(owned):
    as_subject = owned.record({"name": "me"}, "decided_in", {"type": "decision", "name": "Go"})
    as_object = owned.record(person("Cy"), "reports_to", {"type": "person", "name": "Me"})

    assert [as_subject["subject"]["name"], as_object["object"]["name"]] == [ANA, ANA]
    assert not as_object["auto_created_entities"][1:]


def test_without_an_owner_me_is_refused_and_no_entity_is_called_so(call, path):
    answer = call("record_fact", **fact({"name": "me"}, "reports_to", person("Bob")))

    assert answer["error"] == "ENTITY_NOT_FOUND"
    assert "aliases" in answer["hint"]
    assert rows(path, "SELECT name FROM entity") == []


def test_a_concept_may_be_called_me(owned):
    recorded = owned.record(concept("I"), "tagged", literal("letter"))

    assert recorded["subject"]["type"] == "concept"


def test_a_person_whose_alias_is_me_becomes_the_owner(call):
    answer = call.record(person(ANA), "reports_to", person("Bob"), aliases=["me", "Anita"])

    assert ANA == answer["owner"]["name"] == call.recalled("me")
    assert call("recall_entity", name_or_alias="me")["entity"]["aliases"] == ["Anita"]


def test_the_given_subject_becomes_the_owner_also_where_the_predicate_is_turned_round(call):
    organisation = {"type": "organisation", "name": "Acme"}
    call.record(person(ANA), "employed by", organisation, aliases=["me"])

    assert call.recalled("me") == ANA


def test_two_persons_cannot_both_be_me(owned):
    answer = owned("record_fact", **fact(person("Bob"), "tagged", literal("x"), aliases=["me"]))

    assert answer["error"] == "ALIAS_TAKEN"
    assert owned.recalled("me") == ANA


def test_what_is_no_person_may_have_me_as_an_alias(call):
    call.record(concept("Windows Millennium"), "tagged", literal("old"), aliases=["Me"])

    assert call.recalled("me") == "Windows Millennium"


def test_an_alias_for_me_can_be_added_later(owned, call):
    answer = call("add_alias", entity=person("Bob"), alias="me")

    assert answer["error"] == "ALIAS_TAKEN"
    assert call("add_alias", entity=person(ANA), alias="I")["added"] is False


# Changes of the owner


def test_merging_the_owner_into_another_entity_moves_the_ownership(owned):
    owned.record(person("Ana R."), "tagged", literal("x"))
    owned("merge_entities", keep=person("Ana R."), absorb=person(ANA))

    assert owned.recalled("me") == "Ana R."


def test_undoing_that_merge_gives_it_back(owned):
    owned.record(person("Ana R."), "tagged", literal("x"))
    owned("merge_entities", keep=person("Ana R."), absorb=person(ANA))
    owned("undo")

    assert owned.recalled("me") == ANA


def test_deleting_the_owner_leaves_nobody(owned, path):
    owned("clear_graph", group_ids=["default"], confirm=True)

    assert rows(path, "SELECT * FROM owner") == []
    assert owned.recalled("me") is None


def test_a_person_who_came_with_a_text_stays_when_it_is_deleted_if_it_is_the_owner(call, graph, path):
    """
    Nothing else may be known of the owner than that it is the owner.
    """
    added = call("remember", text="Ana Ruiz met Bob.")
    call("set_owner", person={"name": ANA})
    call("delete_episode", uuid=added["doc_id"])

    assert call.recalled("me") == ANA


@examples(7, sweep=100)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("own"), st.sampled_from([ANA, "Bob", "Zoë"])),
            st.tuples(st.just("alias"), st.sampled_from([ANA, "Bob"])),
            st.tuples(st.just("clear"), st.just("")),
            st.tuples(st.just("record"), st.sampled_from([ANA, "Bob", "me"])),
            st.tuples(st.just("merge"), st.sampled_from([ANA, "Bob"])),
            st.tuples(st.just("narrate"), st.sampled_from(["2026-W19", "2026-W20"])),
            st.tuples(st.just("narrate Atlas"), st.sampled_from(["2026-W19", "2026-05-15"])),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_undoing_each_call_gives_the_export_of_before(blank, tmp_path_factory, calls):
    file = tmp_path_factory.mktemp("undo") / "graph.db"
    file.write_bytes(blank.read_bytes())
    clock = Clock()
    with keepgraph.open(file, clock=clock) as graph:
        call = Caller(graph)
        call.record(person(ANA), "reports_to", person("Bob"))
        history: list[tuple[list[str], Any]] = []
        for kind, value in calls:
            clock.pass_by(seconds=1)
            before = exported(graph)
            answer = _make(call, kind, value)
            if "error" not in answer and exported(graph) != before:
                history.append((before, answer["call"]))
        for before, number in reversed(history):
            assert "error" not in call("undo", call=number)
            assert before == exported(graph)


def _make(call: Caller, kind: str, value: str) -> dict[str, Any]:
    if kind == "own":
        return call("set_owner", person={"name": value})
    if kind == "alias":
        return call("add_alias", entity=person(value), alias="me")
    if kind == "clear":
        return call("clear_owner")
    if kind == "record":
        return call("record_fact", **fact({"type": "person", "name": value}, "tagged", literal("busy")))
    if kind == "merge":
        other = "Bob" if value == ANA else ANA
        return call("merge_entities", keep=person(value), absorb=person(other))
    more = {"project": "Atlas"} if kind == "narrate Atlas" else {}
    return call("remember", text=f"What happened in {value}.", narrative_for=value, **more)


# Search


def search(call: Caller, question: str) -> list[str]:
    return [node["name"] for node in call("search", query=question)["nodes"]]


@pytest.mark.parametrize("question", ["what do you know about me?", "who am I", "Who is my boss?", "me"])
def test_a_question_about_the_one_who_asks_brings_up_the_owner(owned, question):
    answer = owned("search", query=question)

    assert answer["nodes"][0]["name"] == ANA
    assert f"{ANA} reports to Bob" in [edge["fact"] for edge in answer["edges"]]


@pytest.mark.parametrize("question", ["tell me about databases", "remind me", "what did I write about the budget?"])
def test_a_question_that_is_only_asked_by_the_owner_does_not(owned, question):
    assert ANA not in search(owned, question)


@pytest.mark.parametrize(
    "question",
    ["What do you know about me and Bob?", "tell me about Bob", "is Bob my boss?", "What did Priya tell about me?"],
)
def test_a_question_that_names_somebody_else_is_unchanged_by_an_owner(call, question):
    call.record(person(ANA), "reports_to", person("Bob"))
    without = {**call("search", query=question), "execution_ms": 0}
    call("set_owner", person={"name": ANA})
    with_owner = {**call("search", query=question), "execution_ms": 0}

    assert without == with_owner


# The command


def test_the_command_sets_shows_and_clears_the_owner(path):
    said = [
        run(path, "me", "Ana", "Ruiz"),
        run(path, "record", "me", "reports_to", "person:Bob"),
        run(path, "me"),
        run(path, "recall", "me"),
        run(path, "me", "--clear"),
        run(path, "me"),
        run(path, "me", "--clear"),
    ]

    assert [code for code, _ in said] == [0, 0, 0, 0, 0, 3, 0]
    assert said[0][1].startswith("You are Ana Ruiz.")
    assert "reports_to → Bob" in said[2][1]
    assert "Ana Ruiz" in said[3][1]
    assert "is no longer the owner" in said[4][1]
    assert "kg me NAME" in said[5][1]


def test_the_command_takes_an_id_and_a_type(path):
    run(path, "record", "person:Ana Ruiz", "reports_to", "person:Bob")
    ((bob,),) = rows(path, "SELECT public_id FROM entity WHERE name = 'Bob'")
    said = [run(path, "me", bob), run(path, "me", "person:Ana Ruiz"), run(path, "me", "project:Atlas")]

    assert [code for code, _ in said] == [0, 0, 1]
    assert "You are Ana Ruiz. Before, it was Bob." in said[1][1]


def test_a_name_and_clear_contradict_each_other(path):
    code, said = run(path, "me", "Ana", "--clear")

    assert (code, "INVALID_ARGUMENTS" in said) == (1, True)


# Import


def test_a_file_cannot_change_who_the_owner_is(owned, open_graph, tmp_path):
    lines = "\n".join(exported(owned.graph))
    other = tmp_path / "other.db"
    with keepgraph.open(other) as graph:
        Caller(graph)("set_owner", person={"name": "Carla"})
    done = CliRunner().invoke(kg, ["--db", str(other), "--json", "import", "-"], input=lines)
    report = json.loads(done.stdout)

    assert [each["error"] for each in report["refused"]] == ["IMPORT_CONFLICT"]
    with keepgraph.open(other) as graph:
        assert Caller(graph).recalled("me") == "Carla"


def test_a_graph_without_an_owner_is_exported_as_before(call):
    call.record(person(ANA), "reports_to", person("Bob"))
    before = exported(call.graph)
    call("set_owner", person={"name": ANA})
    with_owner = exported(call.graph)
    call("clear_owner")

    assert before == exported(call.graph) != with_owner


def test_the_store_finds_owners_in_the_order_of_groups(owned):
    with owned.graph.database.read("test") as tx:
        assert store.groups.rows(tx, ["other", "default"]) == [1]


def test_renaming_the_owner_keeps_the_ownership(owned):
    answer = owned("update_entity", entity=person(ANA), name="Ana Ruiz-Soto")

    assert "error" not in answer, answer
    assert owned.recalled("me") == "Ana Ruiz-Soto"


@pytest.mark.parametrize("question", ["what do you know about me?", "who am I", "Who is my boss?", "me"])
def test_a_question_about_me_says_how_to_set_an_owner_where_there_is_none(call, path, question):
    call("remember", text="The boss knows what to do about the boat.")
    call.record(person("Mel"), "tagged", literal("x"))
    answers = [call("search", query=question, detail=detail) for detail in ("full", "brief")]
    call.graph.close()
    code, output = run(path, *question.split())

    assert ["kg me NAME" in answer["hint"] for answer in answers] == [True, True]
    assert question == "me" or "kg me NAME" in output
    assert code in (0, 3)


@pytest.mark.parametrize(
    "question", ["what do you know about Mel?", "tell me about boats", "what did Zoe say about me?"]
)
def test_other_questions_have_no_hint_about_the_owner(call, question):
    call.record(person("Mel"), "tagged", literal("x"))

    answer = call("search", query=question)

    assert "error" not in answer
    assert "hint" not in answer


def test_with_an_owner_a_question_has_no_hint(owned):
    assert "hint" not in owned("search", query="what do you know about me?")


def test_the_owner_stays_a_person(owned, path):
    owned.record(concept("Oracle"), "tagged", literal("x"))
    before = exported(owned.graph)
    retyped = owned("update_entity", entity={"name": ANA}, type="decision")
    merged = owned("merge_entities", keep=concept("Oracle"), absorb=person(ANA), across_types=True)

    assert [answer["error"] for answer in (retyped, merged)] == ["ENTITY_TYPE_UNKNOWN"] * 2
    assert all("kg me --clear" in answer["hint"] for answer in (retyped, merged))
    assert exported(owned.graph) == before
    assert "error" not in owned("merge_entities", keep=person(ANA), absorb=concept("Oracle"), across_types=True)


# Every tool that takes names


def _calls_with(word: str) -> dict[str, dict[str, Any]]:
    """Calls that name somebody by a word for the speaker."""
    relation = {"from": word, "to": "Rust", "type": "likes"}
    chunk = {"text": "I like Rust.", "entities": [{"name": word}, {"name": "Rust"}], "relations": [relation]}
    return {
        "remember": {"text": "Lunch was good.", "about": [word]},
        "add_entity": {"entity": person(word)},
        "record_fact": {"subject": person("Bob"), "predicate": "reports_to", "object": {"name": word}},
        "submit_session_extraction": {"entities": [{"name": word}], "relations": [relation], "session_id": "s"},
        "ingest_prechunked": {"source": "diary", "chunks": [chunk]},
        "explore_node": {"name": word},
        "get_entity_connections": {"entity_uuid": word},
        "get_entity_timeline": {"entity_uuid": word},
        "trace_path": {"from_entity": word, "to_entity": "Bob"},
        "search": {"query": "Bob", "center_node_uuid": word},
        "search_nodes": {"query": "Bob", "center_node_uuid": word},
        "explain": {"what": word},
        "get_history": {"about": word},
    }


@pytest.mark.sampled(one_in=5)
@pytest.mark.parametrize("word", ["me", "I", "myself", "ich"])
@pytest.mark.parametrize("tool", _calls_with("me"))
def test_a_word_for_the_speaker_is_the_owner_in_every_tool(owned, tool, word):
    answer = owned(tool, **_calls_with(word)[tool])

    assert "error" not in answer
    assert "Ana Ruiz" in json.dumps(answer)
    assert not {"me", "I", "myself", "ich"} & {entity["name"] for entity in owned("list_entities")["entities"]}


@pytest.mark.parametrize("tool", _calls_with("me"))
def test_without_an_owner_every_tool_says_how_to_say_who_that_is(call, tool):
    call.record(person("Bob"), "tagged", literal("x"))
    answer = call(tool, **_calls_with("me")[tool])

    assert "kg me NAME" in json.dumps(answer)
    assert [entity["name"] for entity in call("list_entities")["entities"] if entity["name"] != "Rust"] == ["Bob"]
