"""Texts that are remembered: kept once, read at once, looked back on, and deleted with what nothing else supports."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from words import concept, person, project

STACK = {"name": "Tech stack", "episode_body": "Using Django with PostgreSQL"}
ATLAS = {"name": "Standup", "episode_body": "Priya reports to Ada Lovelace. Atlas is blocked by the vendor contract."}


def names_of(found):
    return [each["name"] for each in found]


def known_in(context):
    return [each["name"] for each in context["nodes"] if not each.get("proposed")]


def proposed_in(context):
    return [each["name"] for each in context["nodes"] if each.get("proposed")]


def arguments_of(answer):
    return [
        (each["arguments"]["subject"]["name"], each["arguments"]["predicate"], each["arguments"]["object"]["name"])
        for each in answer["proposed_facts"]
    ]


# Adding


def test_a_text_is_kept_as_it_is(call):
    text = "First line.\n\n  Second, with  spaces…\r\nThird 東京\n"
    added = call("add_memory", name="Notes", episode_body=text)

    assert call("get_full_document", doc_id=added["uuid"])["text"] == text


def test_a_text_creates_no_entity_and_no_fact(call):
    call("add_memory", **ATLAS)
    status = call("get_schema")

    assert (status["node_count"], status["relationship_count"]) == (0, 0)


def test_the_answer_tells_what_is_known_and_what_is_only_proposed(call):
    call("record_fact", subject=person("Ada Lovelace"), predicate="belongs_to", object=project("Engines"))
    added = call("add_memory", **ATLAS)

    assert names_of(added["mentions"]) == ["Ada Lovelace"]
    assert names_of(added["proposed_entities"]) == ["Priya", "Atlas"]
    assert arguments_of(added) == [("Priya", "reports_to", "Ada Lovelace"), ("Atlas", "blocked_by", "vendor contract")]
    assert added["proposed_facts"][0]["evidence"] == "Priya reports to Ada Lovelace."


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("We signed with Lumen Labs Ltd yesterday.", "Lumen Labs", "organisation"),
        ("She moved to Mercy Hospital last year.", "Mercy Hospital", "organisation"),
        ("We met [[Kestrel AG]] in the afternoon.", "Kestrel", "organisation"),
        ("We met [[Анна Смирнова]] in the afternoon.", "Анна Смирнова", "person"),
        ("They asked about [[Новый Проект]] and left.", "Новый Проект", "concept"),
    ],
)
def test_a_proposed_name_has_the_type_that_it_shows(call, text, name, expected):
    added = call("add_memory", name="Visit", episode_body=text)

    assert {name: expected} == {entity["name"]: entity["type"] for entity in added["proposed_entities"]}


def test_a_proposed_fact_is_ready_to_be_recorded(call):
    added = call("add_memory", **ATLAS)
    recorded = call("record_fact", **added["proposed_facts"][0]["arguments"])

    assert names_of(recorded["auto_created_entities"]) == ["Priya", "Ada Lovelace"]


@pytest.mark.parametrize(
    ("reference_time", "valid_from", "decided_on"),
    [("2026-03-02", "2026-03-02", "2026-03-02"), (None, None, "2026-05-15"), ("2031-01-01", None, "2026-05-15")],
)
def test_a_decision_that_is_read_in_a_text_is_of_the_day_of_the_text(call, reference_time, valid_from, decided_on):
    given = {"reference_time": reference_time} if reference_time else {}
    text = "Atlas: we decided to use PostgreSQL for storage. Ada reports to Ben."
    told = call("remember", text=text, project="Atlas", **given)
    arguments = [proposed["arguments"] for proposed in told["proposed_facts"]]
    for each in arguments:
        call("record_fact", **each)
    [made] = call("recall_decisions", project="Atlas")["decisions"]

    assert [valid_from, None] == [each.get("valid_from") for each in arguments]
    assert decided_on == made["decided_on"]


def test_a_decision_is_of_the_day_that_its_sentence_gives(call):
    text = "On 2025-01-05 Robert Hale decided to use Go. Robert Hale decided to drop Perl on 3 March 2025."
    told = call("remember", text=text, reference_time="2026-05-01")
    arguments = [proposed["arguments"] for proposed in told["proposed_facts"]]

    assert {("Use Go", "2025-01-05"), ("Drop Perl", "2025-03-03")} == {
        (each["object"]["name"], each["valid_from"]) for each in arguments
    }


def test_what_has_been_recorded_is_no_longer_proposed(call):
    added = call("add_memory", **ATLAS)
    call("record_fact", **added["proposed_facts"][0]["arguments"])
    context = call("get_episode_context", episode_uuids=[added["uuid"]])

    assert known_in(context) == ["Priya", "Ada Lovelace"]
    assert [each["arguments"]["predicate"] for each in context["proposed_facts"]] == ["blocked_by"]


def test_the_same_text_under_the_same_name_is_kept_once(call):
    first = call("add_memory", **STACK)
    again = call("add_memory", **STACK)

    assert again["uuid"] == first["uuid"]
    assert again["deduplicated"]
    assert call("get_episodes")["total"] == 1


def test_the_same_text_under_another_name_or_at_another_time_is_another_and_says_so(call):
    first = call("add_memory", **STACK, reference_time="2026-05-01")
    named = call("add_memory", **{**STACK, "name": "Again"})
    later = call("add_memory", **STACK, reference_time="2026-05-02")

    assert [each["id"] for each in named["identical_to"]] == [first["uuid"]]
    assert not later["deduplicated"]
    assert {each["id"] for each in later["identical_to"]} == {first["uuid"], named["uuid"]}


def test_notes_that_begin_alike_are_two(call):
    start = "The same beginning. " * 50
    call("add_memory", name="a", episode_body=start + "One end")
    call("add_memory", name="a", episode_body=start + "Another end")

    assert call("get_episodes")["total"] == 2


def test_groups_keep_texts_apart(call):
    here = call("add_memory", **STACK)
    there = call("add_memory", **STACK, group_id="work")

    assert not there["deduplicated"]
    assert [each["uuid"] for each in call("get_episodes")["episodes"]] == [here["uuid"]]
    assert call("get_episodes", group_ids=["work", "default"])["total"] == 2


def test_the_text_of_an_episode_is_replaced_and_its_id_stays(call):
    first = call("add_memory", **STACK, reference_time="2026-05-01")
    second = call("add_memory", uuid=first["uuid"], name="Stack", episode_body="Using Rails with MySQL")
    kept = call("get_episodes")["episodes"]

    assert second["replaced"]
    assert [(each["uuid"], each["name"], each["content"]) for each in kept] == [
        (first["uuid"], "Stack", "Using Rails with MySQL")
    ]
    assert kept[0]["valid_at"] == first["episode"]["valid_at"]
    assert "Django" not in names_of(second["proposed_entities"])


def test_replacing_a_text_by_itself_changes_nothing(call):
    first = call("add_memory", **STACK)

    assert call("add_memory", uuid=first["uuid"], **STACK)["deduplicated"]


@pytest.mark.parametrize("body", [{"a": ["Ada", 1]}, ["Ada"], '{"a": "Ada"}'])
def test_json_is_taken_as_a_text_or_as_it_is(call, body):
    added = call("add_memory", name="Data", episode_body=body, source="json")
    text = call("get_full_document", doc_id=added["uuid"])["text"]

    assert json.loads(text) == (json.loads(body) if isinstance(body, str) else body)


def test_the_turns_of_a_message_mention_who_speaks(call):
    call("record_fact", subject=person("Ada"), predicate="tagged", object={"literal": "here"})
    added = call("add_memory", name="Chat", episode_body="Ada: hello\nBob: hi there", source="message")

    assert names_of(added["mentions"]) == ["Ada"]
    assert names_of(added["proposed_entities"]) == ["Bob"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "EPISODE_INVALID"),
        ({"name": "x"}, "EPISODE_INVALID"),
        ({"episode_body": "x"}, "EPISODE_INVALID"),
        ({"name": " ", "episode_body": "x"}, "EPISODE_INVALID"),
        ({"name": "x" * 501, "episode_body": "x"}, "EPISODE_INVALID"),
        ({"name": "x", "episode_body": " \n"}, "EPISODE_INVALID"),
        ({"name": "x", "episode_body": {"a": 1}}, "EPISODE_INVALID"),
        ({"name": "x", "episode_body": "{", "source": "json"}, "EPISODE_INVALID"),
        ({"name": "x", "episode_body": "[" * 100_000, "source": "json"}, "EPISODE_INVALID"),
        ({"name": "x", "episode_body": "x", "source": "video"}, "EPISODE_INVALID"),
        ({"name": "x", "episode_body": "x", "reference_time": "yesterday"}, "MOMENT_INVALID"),
        ({"name": "x", "episode_body": "x", "reference_time": "2026-02-30"}, "MOMENT_INVALID"),
        ({"name": "x", "episode_body": "x", "uuid": "ep_" + "0" * 26}, "EPISODE_NOT_FOUND"),
        ({"name": "x", "episode_body": "x", "uuid": "nonsense"}, "EPISODE_NOT_FOUND"),
        ({"name": "x", "episode_body": "x", "group_id": "x" * 201}, "INVALID_ARGUMENTS"),
        ({"episodes": []}, "EPISODE_INVALID"),
        ({"episodes": [{"name": "a", "content": "b"}], "name": "c"}, "EPISODE_INVALID"),
        ({"episodes": [{"name": "a", "content": "b"}] * 1001}, "EPISODE_INVALID"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_code(call, arguments, code):
    assert call("add_memory", **arguments)["error"] == code
    assert call("get_episodes")["total"] == 0


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=200))
@example(" \n\u2003")
def test_any_text_is_kept_to_the_letter_or_refused(call, text):
    added = call("add_memory", name="Any", episode_body=text)

    if text.strip():
        assert call("get_full_document", doc_id=added["uuid"])["text"] == text
    else:
        assert added["error"] == "EPISODE_INVALID"


# Many at once


def test_many_are_kept_in_one_call(call):
    added = call("add_memory", episodes=[{"name": f"Week {n}", "content": f"Note {n} on Django"} for n in range(1, 4)])

    assert added["added"] == 3
    assert names_of(added["episodes"]) == ["Week 1", "Week 2", "Week 3"]
    assert all(each["proposed_entities"] == ["Django"] for each in added["episodes"])


@pytest.mark.parametrize(
    "bad",
    [
        {"name": "c"},
        {"content": "c"},
        {"name": "c", "content": ""},
        {"name": "c", "content": "d", "source": "video"},
        {"name": "c", "content": "d", "reference_time": "soon"},
    ],
)
def test_of_many_all_are_kept_or_none_and_the_error_names_the_index(call, bad):
    refused = call("add_memory", episodes=[{"name": "a", "content": "b"}, bad])

    assert "index 1" in refused["message"]
    assert call("get_episodes")["total"] == 0


# Remembering


def test_a_note_gets_its_first_line_as_a_name(call):
    text = "# Standup of the team with a heading that goes on for very much longer than eighty characters\nMore"
    told = call("remember", text=text)

    assert told["name"] == "Standup of the team with a heading that goes on for very much longer than…"
    assert (told["chunks_added"], told["entities_added"], told["source"]) == (1, 0, "chat-note")
    assert call("remember", text=text)["deduplicated"]


def test_a_note_is_about_what_the_caller_says(call):
    call("record_fact", subject=project("Atlas"), predicate="tagged", object={"literal": "active"})
    told = call("remember", text="We decided to use PostgreSQL. Blocked by the vendor contract.", about=["Atlas"])

    assert names_of(told["mentions"]) == ["Atlas"]
    assert arguments_of(told) == [
        ("Use PostgreSQL", "belongs_to", "Atlas"),
        ("Atlas", "blocked_by", "vendor contract"),
    ]


# Names that come later


def test_a_name_that_comes_later_is_found_in_texts_that_were_there(call):
    added = call("add_memory", **STACK)
    call("record_fact", subject=concept("Django"), predicate="tagged", object={"literal": "web"})
    context = call("get_episode_context", episode_uuids=[added["uuid"]])

    assert known_in(context) == ["Django"]
    assert proposed_in(context) == ["PostgreSQL"]


def test_a_first_name_is_nobodys_once_two_have_it(call):
    call("record_fact", subject=person("Priya Raman"), predicate="tagged", object={"literal": "one"})
    added = call("add_memory", name="Note", episode_body="Talked to Priya about it")
    call("record_fact", subject=person("Priya Sharma"), predicate="tagged", object={"literal": "two"})
    context = call("get_episode_context", episode_uuids=[added["uuid"]])

    assert names_of(added["mentions"]) == ["Priya Raman"]
    assert known_in(context) == []


def test_an_alias_and_a_merge_are_followed(call):
    call("record_fact", subject=person("Ada Lovelace"), predicate="tagged", object={"literal": "x"})
    call("record_fact", subject=person("Lady Byron"), predicate="tagged", object={"literal": "x"})
    added = call("add_memory", name="Note", episode_body="The Countess met Lady Byron")
    call("add_alias", entity=person("Ada Lovelace"), alias="The Countess")
    call("merge_entities", keep=person("Ada Lovelace"), absorb=person("Lady Byron"))
    context = call("get_episode_context", episode_uuids=[added["uuid"]])

    assert known_in(context) == ["Ada Lovelace"]


def test_many_names_at_once_are_all_looked_for(call):
    added = call("add_memory", name="Note", episode_body="zeta12 and zeta77 are old")
    facts = [{"subject": concept(f"zeta{n}"), "predicate": "tagged", "object": {"literal": "x"}} for n in range(300)]
    call("record_facts", facts=facts)
    context = call("get_episode_context", episode_uuids=[added["uuid"]])

    assert known_in(context) == ["zeta12", "zeta77"]


# Looking back


def test_the_newest_episodes_come_first_by_their_own_time(call):
    for day in ("2026-05-02", "2026-05-03", "2026-05-01"):
        call("add_memory", name=day, episode_body=f"Note of {day}", reference_time=day)
    found = call("get_episodes", max_episodes=2)

    assert names_of(found["episodes"]) == ["2026-05-03", "2026-05-02"]
    assert (found["total"], found["truncated"]) == (3, True)
    assert call("get_episodes", last_n=2) == found


def test_nothing_found_is_said(call):
    assert call("get_episodes")["message"] == "No episodes found"


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_limit_is_from_1_to_1000(call, limit):
    assert call("get_episodes", max_episodes=limit)["error"] == "INVALID_ARGUMENTS"


def test_of_a_long_text_the_list_shows_the_beginning(call):
    call("add_memory", name="Long", episode_body="word " * 4_000)
    shown = call("get_episodes")["episodes"][0]

    assert shown["content_truncated"]
    assert len(shown["content"]) == 10_000


@pytest.mark.parametrize(
    ("uuids", "named"), [([], "episode_uuids"), (["ep_" + "9" * 26], "ep_" + "9" * 26), (["x"], "'x'")]
)
def test_an_unknown_episode_is_named(call, uuids, named):
    refused = call("get_episode_context", episode_uuids=uuids)

    assert refused["error"] == "EPISODE_NOT_FOUND"
    assert named in refused["message"]


# Deleting


DOCUMENT = {
    "source": "notes.md",
    "chunks": [
        {
            "text": "Atlas depends on Redis and on Kafka.",
            "entities": [
                {"name": n, "type": "project" if n == "Atlas" else "concept"} for n in ("Atlas", "Redis", "Kafka")
            ],
            "relations": [{"from": "Atlas", "to": n, "type": "depends_on"} for n in ("Redis", "Kafka")],
        }
    ],
}


def test_with_an_episode_goes_what_nothing_else_supports(call):
    added = call("ingest_prechunked", **DOCUMENT)
    deleted = call("delete_episode", uuid=added["uuid"])

    assert len(deleted["facts"]) == 2
    assert sorted(names_of(deleted["entities"])) == ["Atlas", "Kafka", "Redis"]
    assert deleted["kept"] == []
    assert call("get_schema")["node_count"] == 0
    assert call("get_episodes")["total"] == 0


def test_what_others_say_or_mention_stays(call):
    added = call("ingest_prechunked", **DOCUMENT)
    call("record_fact", subject=project("Atlas"), predicate="depends_on", object=concept("Redis"), source="me")
    call("add_memory", name="Other", episode_body="We also run Kafka")
    deleted = call("delete_episode", uuid=added["uuid"])

    assert names_of(deleted["facts"]) == ["Atlas depends on Kafka"]
    assert deleted["entities"] == []
    assert {each["name"]: each["why"] for each in deleted["kept"]} == {
        "Atlas depends on Redis": "it has 1 other assertion",
        "Atlas": "1 other fact is about it",
        "Redis": "1 other fact is about it",
        "Kafka": "1 other episode mentions it",
    }


def test_what_was_there_before_stays(call, clock):
    call("record_fact", subject=project("Atlas"), predicate="tagged", object={"literal": "x"})
    fact = call("record_fact", subject=concept("Redis"), predicate="tagged", object={"literal": "x"})
    call("delete_entity_edge", uuid=fact["fact_id"])
    clock.pass_by(hours=1)
    added = call("ingest_prechunked", **DOCUMENT)
    deleted = call("delete_episode", uuid=added["uuid"])

    assert names_of(deleted["entities"]) == ["Kafka"]


def test_a_dry_run_shows_the_same_and_changes_nothing(call):
    added = call("ingest_prechunked", **DOCUMENT)
    foreseen = call("delete_episode", uuid=added["uuid"], dry_run=True)
    before = call("get_schema")["node_count"]
    done = call("delete_episode", uuid=added["uuid"])

    assert before == 3
    assert {**foreseen, "call": None, "dry_run": None} == {**done, "call": None, "dry_run": None}


def test_undo_brings_all_of_it_back(call):
    added = call("ingest_prechunked", **DOCUMENT)
    before = call("get_episode_context", episode_uuids=[added["uuid"]])
    call("delete_episode", uuid=added["uuid"])
    call("undo")

    assert call("get_episode_context", episode_uuids=[added["uuid"]]) == before
    assert call("get_full_document", doc_id=added["uuid"])["text"] == DOCUMENT["chunks"][0]["text"]


def test_undo_takes_an_added_text_back(call):
    call("add_memory", **STACK)
    call("undo")

    assert call("get_episodes")["total"] == 0


def test_an_unknown_episode_cannot_be_deleted(call):
    assert call("delete_episode", uuid="ep_" + "0" * 26)["error"] == "EPISODE_NOT_FOUND"
