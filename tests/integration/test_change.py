"""What is kept can be corrected by one tool: names, types, duplicates and texts; undo takes each correction back."""

from __future__ import annotations

import pytest

from keepgraph.model import Settings
from words import Caller, dump, literal, person, project

NOTE = (
    "Kickoff with Marta Lindqvist\n\nWe meet on Tuesday in Lisbon. Marta brings the plan; Tuesday suits all. "
    "The Tuesdays after that are free."
)


def text_of(call: Caller, uuid: str) -> str:
    return call("get_full_document", doc_id=uuid)["text"]


@pytest.fixture
def note(call: Caller) -> str:
    call.record(person("Marta Lindqvist"), "belongs_to", project("Harbour"))
    return call("remember", text=NOTE, project="Harbour", source="minutes")["doc_id"]


# Entities

CHANGES = [
    ({"name": "Marta Holm"}, ["name", "aliases"]),
    ({"type": "concept"}, ["type"]),
    ({"summary": "Runs the harbour works."}, ["summary"]),
    ({"properties": {"role": "engineer"}}, ["properties"]),
    ({"add_aliases": ["ML"]}, ["aliases"]),
    ({"name": "Marta Holm", "remove_aliases": ["Marta Lindqvist"]}, ["name"]),
]


@pytest.mark.parametrize(("given", "changed"), CHANGES)
def test_an_entity_is_corrected_and_undo_brings_it_back(call, note, given, changed):
    before = call("recall_entity", name_or_alias="Marta Lindqvist")
    answer = call("change", entity=person("Marta Lindqvist"), **given)

    assert answer["changed"] == changed
    assert answer["entity"]["id"] == before["entity"]["id"]
    call("undo", call=answer["call"])
    assert call("recall_entity", name_or_alias="Marta Lindqvist") == before


def test_a_renamed_entity_is_found_by_both_names(call, note):
    call("change", entity=person("Marta Lindqvist"), name="Marta Holm")

    assert call("recall_entity", name_or_alias="Marta Lindqvist")["entity"]["name"] == "Marta Holm"
    assert call("recall_entity", name_or_alias="Marta Holm")["texts"]["total"] == 1


def test_a_duplicate_is_merged_and_can_be_renamed_in_the_same_call(call, note):
    call.record(person("M. Lindqvist"), "tagged", literal("engineer"))
    shown = call("change", entity=person("Marta Lindqvist"), merge=person("M. Lindqvist"), dry_run=True)
    two = call("recall_entity", name_or_alias="M. Lindqvist")["entity"]
    answer = call("change", entity=person("Marta Lindqvist"), merge=person("M. Lindqvist"), name="Marta L. Lindqvist")

    assert (shown["dry_run"], shown["call"], shown["merged"]["moved"]) == (True, None, 1)
    assert two["name"] == "M. Lindqvist"
    assert answer["changed"][:2] == ["merged", "name"]
    assert answer["entity"]["name"] == "Marta L. Lindqvist"
    assert call("recall_entity", name_or_alias=two["id"])["entity"] == answer["entity"]
    call("undo", call=answer["call"])
    assert call("recall_entity", name_or_alias="M. Lindqvist")["entity"] == two


def test_what_cannot_be_merged_or_renamed_changes_nothing(call, note):
    call.record(project("Quay"), "tagged", literal("new"))
    before = dump(call.graph.path)

    assert call("change", entity=person("Marta Lindqvist"), merge=project("Quay"))["error"] == "TYPES_DIFFER"
    assert call("change", entity=project("Quay"), name="Harbour")["error"] == "NAME_TAKEN"
    assert call("change", entity=person("Nobody Known"), name="Somebody")["error"] == "ENTITY_NOT_FOUND"
    assert before == dump(call.graph.path)


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"name": "Harbour"},
        {"entity": project("Harbour"), "text": "Kickoff", "name": "Both"},
        {"entity": project("Harbour"), "old": "a", "new": "b"},
        {"entity": project("Harbour")},
        {"text": "Kickoff"},
        {"text": "Kickoff", "old": "Tuesday"},
        {"text": "Kickoff", "new": "x", "merge": project("Harbour")},
    ],
)
def test_a_request_that_names_no_change_says_what_to_give(call, note, arguments):
    answer = call("change", **arguments)

    assert answer["error"] == "INVALID_ARGUMENTS"
    assert "Give " in answer["hint"]


# Texts


def test_words_of_a_text_are_replaced_wherever_they_stand_alone(call, note):
    answer = call("change", text=note, old="Tuesday", new="Thursday")

    assert text_of(call, note) == NOTE.replace("Tuesday ", "Thursday ")
    assert (answer["changed"], answer["text"]["replaced"]) == (["text"], 2)
    assert "on Thursday in Lisbon" in answer["text"]["passage"]
    assert text_of(call, note).endswith("The Tuesdays after that are free.")


def test_mentions_project_source_and_search_follow_a_corrected_text(call, note):
    call.record(person("Ingrid Falk"), "tagged", literal("engineer"))
    call("change", text=note, old="Marta brings", new="Ingrid brings")
    answer = call("change", text=note, old="Marta Lindqvist", new="Ingrid Falk")

    assert [entity["name"] for entity in answer["text"]["mentions"]] == ["Ingrid Falk", "Harbour"]
    assert answer["text"]["name"] == "Kickoff with Ingrid Falk"
    assert answer["changed"] == ["text", "title"]
    assert call("recall_entity", name_or_alias="Marta Lindqvist")["texts"]["total"] == 0
    assert call("recall_entity", name_or_alias="Ingrid Falk")["texts"]["total"] == 1
    assert call("recall_entity", name_or_alias="Harbour")["texts"]["total"] == 1
    hit = call("search", query="kickoff with Ingrid")["episodes"][0]
    assert (hit["uuid"], hit["source_description"]) == (note, "minutes")


def test_what_a_corrected_text_proposes_is_what_it_says_now(call):
    uuid = call("remember", text="Priya Raman reports to Ada Lovelace.")["doc_id"]
    answer = call("change", text=uuid, old="Ada Lovelace", new="Grace Hopper")
    (proposed,) = answer["text"]["proposed_facts"]

    assert proposed["arguments"]["object"]["name"] == "Grace Hopper"
    listed = call("review_proposals", limit=50)["proposals"]
    assert not [each for each in listed if "Ada" in each["statement"]]


def test_facts_recorded_out_of_a_corrected_text_stay_and_are_named(call):
    uuid = call("remember", text="Priya Raman reports to Ada Lovelace.")["doc_id"]
    (proposal,) = [each for each in call("review_proposals", limit=50)["proposals"] if each["kind"] == "new_fact"]
    call("review_proposals", decide=[{"id": proposal["id"], "decision": "accept"}])
    answer = call("change", text=uuid, old="Ada Lovelace", new="Grace Hopper")

    assert [each["text"] for each in answer["text"]["recorded_facts"]] == ["Priya Raman reports to Ada Lovelace"]


@pytest.mark.parametrize(
    "given",
    [{"old": "in  Lisbon", "new": "in Porto"}, {"new": "All is cancelled."}, {"name": "The first meeting"}],
)
def test_undo_brings_a_text_back_as_it_was(call, note, given):
    def state() -> tuple[str, list[str], int]:
        found = call("get_episodes")["episodes"]
        return text_of(call, note), [each["name"] for each in found], len(call("search", query="Lisbon")["episodes"])

    before = state()
    answer = call("change", text=note, **given)

    assert state() != before
    call("undo", call=answer["call"])
    assert state() == before


def test_a_dry_run_shows_a_correction_and_makes_none(call, note):
    tables = ["episode", "chunk", "mention", "proposal", "chunk_text", "journal"]
    before = dump(call.graph.path, tables)
    answer = call("change", text=note, old="Tuesday", new="Thursday", dry_run=True)

    assert (answer["dry_run"], answer["call"], answer["text"]["replaced"]) == (True, None, 2)
    assert "Would correct" in answer["message"]
    assert dump(call.graph.path, tables) == before


@pytest.mark.parametrize(
    "what", ["Kickoff with Marta Lindqvist", "the note about the kickoff", "the last note", "plan that Marta brings"]
)
def test_a_text_is_named_by_its_title_or_by_words_that_only_it_has(call, note, what):
    answer = call("change", text=what, old="Lisbon", new="Porto")

    assert answer["text"]["id"] == note


def test_where_several_texts_fit_none_is_corrected(call, note):
    other = call("remember", text="Kickoff of the quay\n\nMarta and Ivo, in Porto.")["doc_id"]
    answer = call("change", text="kickoff Marta", old="Porto", new="Faro")

    assert answer["error"] == "AMBIGUOUS"
    assert {each["id"] for each in answer["candidates"]} == {note, other}
    assert call("change", text="kickoff of the moon", new="x")["error"] == "EPISODE_NOT_FOUND"


def test_words_that_do_not_stand_in_a_text_are_not_replaced_and_the_nearest_line_is_shown(call, note):
    answer = call("change", text=note, old="We met on Tuesday in Lisbon", new="x")

    assert answer["error"] == "EPISODE_INVALID"
    assert "We meet on Tuesday in Lisbon" in answer["candidates"][0]
    assert text_of(call, note) == NOTE


@pytest.mark.parametrize(("text", "old", "new", "corrected"), [
    ("Der Termin ist am 3.5., nicht am 13.5.", "3.5.", "4.5.", "Der Termin ist am 4.5., nicht am 13.5."),
    ("東京で田中さんに会う", "田中", "佐藤", "東京で佐藤さんに会う"),
    ("a+b costs $5 (net)", "$5 (net)", r"\1 $6", r"a+b costs \1 $6"),
    ("Call\n  Ana today", "Call Ana", "Write to Ana", "Write to Ana today"),
    ("Banana for Ana", "Ana", "Iva", "Banana for Iva"),
    ("It costs 1200 euros", "20", "30", "It costs 1300 euros"),
])  # fmt: skip
def test_words_are_replaced_as_they_are_written(call, text, old, new, corrected):
    uuid = call("remember", text=text)["doc_id"]
    call("change", text=uuid, old=old, new=new)

    assert text_of(call, uuid) == corrected


def test_a_text_that_came_in_chunks_keeps_them_and_what_was_found_in_them(call):
    chunks = [
        {"text": "Chapter one is about Rust.", "entities": [{"name": "Rust"}]},
        {"text": "Chapter two is about Zig.", "entities": [{"name": "Zig"}]},
    ]
    uuid = call("ingest_prechunked", source="book", chunks=chunks)["doc_id"]
    answer = call("change", text=uuid, old="Chapter two", new="The second chapter")

    assert text_of(call, uuid).endswith("The second chapter is about Zig.")
    assert answer["text"]["replaced"] == 1
    assert call("recall_entity", name_or_alias="Zig")["texts"]["total"] == 1
    assert call("change", text=uuid, new="All of it")["error"] == "EPISODE_INVALID"
    assert call("change", text=uuid, name="My book")["changed"] == ["title"]


def test_the_text_of_a_file_is_corrected_in_the_file(open_graph, tmp_path):
    (tmp_path / "plan.md").write_text("# Plan\n\nWe sail on Monday.\n")
    call = Caller(open_graph(settings=Settings(document_roots=(str(tmp_path),))))
    uuid = call("ingest_markdown", file_path="plan.md")["doc_id"]
    answer = call("change", text=uuid, old="Monday", new="Friday")

    assert answer["error"] == "EPISODE_INVALID"
    assert "ingest it again" in answer["hint"]
