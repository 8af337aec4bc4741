"""Relations: verified by five judges, created as their caller says, deleted by type; and the faults of HydraMem."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph.engine.analysis import link_prediction
from laws import examples
from words import NOON, Caller, Clock, concept, counted, dump, literal, person, project, rows

LEVELS = ("known", "contradicted", "grounded", "supported", "unverified")


@pytest.fixture
def call(call: Caller) -> Caller:
    call.record(person("Ana"), "works_at", {"type": "organisation", "name": "Acme"}, source="the contract")
    return call


def verify(call: Caller, subject: str, relation: str, target: str, **more: Any) -> dict[str, Any]:
    return call("verify_relation", from_entity=subject, relation_type=relation, to_entity=target, **more)


def create(call: Caller, subject: str, relation: str, target: str, **more: Any) -> dict[str, Any]:
    return call("create_relation", from_entity=subject, relation_type=relation, to_entity=target, **more)


def delete(call: Caller, subject: str, relation: str, target: str, **more: Any) -> dict[str, Any]:
    return call("delete_relation", from_entity=subject, relation_type=relation, to_entity=target, **more)


def says(answer: dict[str, Any], judge: str) -> tuple[str, str]:
    """The word and the sentence of one judge."""
    (said,) = [reason for reason in answer["reasons"] if reason["judge"] == judge]
    return said["verdict"], said["sentence"]


def test_a_recorded_relation_is_known_with_its_source_whatever_it_is_called(call):
    acme = call("recall_entity", name_or_alias="Acme")["entity"]["id"]
    answers = [
        verify(call, "Ana", "works_at", "Acme"),
        verify(call, "ana", "works for", acme),
        verify(call, "Acme", "employs", "person:Ana"),
        verify(call, "Ana", "is working at", "Acme"),
    ]

    assert [(answer["accepted"], answer["level"]) for answer in answers] == [(True, "known")] * 4
    assert [evidence["source"] for evidence in answers[0]["evidence"]] == ["the contract"]
    assert answers[0]["predicate"] == "works_at"


def test_each_judge_has_a_sentence_of_its_own(call):
    answer = verify(call, "Ana", "works_at", "Acme")

    assert [reason["judge"] for reason in answer["reasons"]] == ["known", "vocabulary", "rules", "text", "structure"]
    assert all(reason["sentence"].endswith(".") for reason in answer["reasons"])
    assert len({reason["sentence"] for reason in answer["reasons"]}) == 5


def test_what_only_the_caller_says_is_unverified_however_sure_it_is(call):
    call.record(person("Bo"), "knows", person("Ana"))
    answer = verify(call, "Bo", "works_at", "Acme", confidence=1.0)

    assert (answer["accepted"], answer["level"], answer["vog_score"]) == (False, "unverified", None)
    assert says(answer, "known") == ("unknown", "“Bo works at Acme” is not recorded.")


def test_a_sentence_that_says_it_grounds_it_and_one_that_does_not_say_it_does_not(call):
    call.record(person("Bo"), "knows", person("Ana"))
    says_it = verify(call, "Bo", "works_at", "Acme", source_text="Lunch was good. Bo works at Acme.")
    denies_it = verify(call, "Bo", "works_at", "Acme", source_text="Bo does not work at Acme.")
    asks = verify(call, "Bo", "works_at", "Acme", source_text="Does Bo work at Acme?")
    silent = verify(call, "Bo", "works_at", "Acme", source_text="Bo has a dog.")

    assert (says_it["accepted"], says_it["level"], says_it["vog_score"]) == (True, "grounded", 1)
    assert {"kind": "says", "text": "Bo works at Acme."} in says_it["evidence"]
    assert (denies_it["accepted"], denies_it["level"], denies_it["vog_score"]) == (False, "contradicted", 0)
    assert (asks["accepted"], silent["accepted"]) == (False, False)


def test_a_stored_text_grounds_a_relation_and_is_named(call):
    call.record(person("Bo"), "knows", person("Ana"))
    text = call("remember", text="Bo works at Acme.")["doc_id"]
    answer = verify(call, "Bo", "works_at", "Acme")

    assert (answer["accepted"], answer["level"]) == (True, "grounded")
    assert [evidence["doc_id"] for evidence in answer["evidence"]] == [text]


def test_a_text_with_the_word_ungrounded_grounds_nothing(call):
    """
    In HydraMem "UNGROUNDED" and "REJECTED – not grounded" were read as GROUNDED, because that is in them.
    """
    for text in ("UNGROUNDED", "REJECTED – not grounded", "PARTIAL: Ana is partially grounded at Beta", "GROUNDED"):
        answer = verify(call, "Ana", "knows", "Beta", source_text=text, target_text=text)

        assert (answer["accepted"], answer["level"]) == (False, "unverified"), text


def test_the_thirty_first_relation_is_judged_as_the_first(call):
    """
    In HydraMem everything was accepted after thirty calls.
    """
    levels = {verify(call, "Ana", "works_at", f"Nowhere {number}", confidence=0.9)["level"] for number in range(33)}
    created = {create(call, "Ana", "works_at", f"Nowhere {number}", verify=True)["created"] for number in range(33)}

    assert levels == {"unverified"}
    assert created == {False}


def test_a_relation_that_was_retracted_says_when_and_by_whom(call, clock):
    clock.pass_by(days=1)
    delete(call, "Ana", "works_at", "Acme", session_id="a talk")
    answer = verify(call, "Ana", "works_at", "Acme")

    assert (answer["accepted"], answer["level"]) == (False, "contradicted")
    assert says(answer, "known") == (
        "retracted",
        "“Ana works at Acme” was recorded once, and retracted on 2026-05-16 by delete_relation in the conversation "
        "a talk.",
    )


def test_a_relation_that_has_ended_does_not_hold_unless_a_new_text_says_so(call):
    call("end_fact", subject=person("Ana"), predicate="works_at", valid_to="2026-01-31")
    answer = verify(call, "Ana", "works_at", "Acme")

    assert (answer["accepted"], answer["level"]) == (False, "contradicted")
    assert says(answer, "known") == ("ended", "“Ana works at Acme” was recorded, and held until 2026-01-31.")
    assert verify(call, "Ana", "works_at", "Acme", source_text="Ana works at Acme.")["level"] == "grounded"


def test_a_stored_text_from_before_does_not_speak_against_what_came_after_it(call):
    call("remember", text="Bo does not work at Acme.", reference_time="2024-01-01")
    create(call, "Bo", "works_at", "Acme", valid_from="2025-01-01")
    call("remember", text="Cy works at Acme.", reference_time="2024-01-01")
    create(call, "Cy", "works_at", "Acme", valid_to="2025-01-01")

    assert verify(call, "Bo", "works_at", "Acme")["level"] == "known"
    assert verify(call, "Cy", "works_at", "Acme")["level"] == "contradicted"


def test_a_rule_contradicts_what_a_text_says(call):
    call.record(person("Ana"), "born_in", {"type": "place", "name": "Oslo"})
    call.record(person("Bo"), "born_in", {"type": "place", "name": "Rome"})
    answer = verify(call, "Ana", "born_in", "Rome", source_text="Ana was born in Rome.")

    assert (answer["accepted"], answer["level"]) == (False, "contradicted")
    assert [conflict["kind"] for conflict in answer["conflicts"]] == ["functional"]
    assert answer["conflicts"][0]["facts"][0]["text"] == "Ana was born in Oslo"


def test_ends_that_no_such_relation_has_contradict_it(call):
    answer = verify(call, "Acme", "works_at", "Ana")

    assert (answer["accepted"], answer["level"]) == (False, "contradicted")
    assert says(answer, "vocabulary")[0] == "misfit"


@pytest.mark.parametrize(
    ("subject", "relation", "target", "judge", "verdict"),
    [
        ("Nobody Known", "works_at", "Acme", "vocabulary", "unknown_name"),
        ("Ana", "works_at", "Nowhere Known", "vocabulary", "unknown_name"),
        ("Ana", "flurbs with", "Acme", "vocabulary", "unknown_word"),
        ("ent_00000000000000000000000000", "works_at", "Acme", "vocabulary", "unknown_name"),
        ("!!!", "works_at", "Acme", "vocabulary", "unknown_name"),
    ],
)
def test_unknown_names_and_words_get_an_answer(call, subject, relation, target, judge, verdict):
    answer = verify(call, subject, relation, target)

    assert (answer["accepted"], answer["level"]) == (False, "unverified")
    assert says(answer, judge)[0] == verdict


def test_many_common_neighbours_support_a_relation_and_do_not_accept_it(call):
    for number in range(4):
        for name in ("Bo", "Cy"):
            call.record(person(name), "knows", person(f"Friend {number}"))
    answer = verify(call, "Bo", "works_with", "Cy", confidence=0.8)

    assert (answer["accepted"], answer["level"]) == (False, "supported")
    assert answer["srmkg_score"] == pytest.approx(0.4 * 0.8 + 0.4 * 4 / 4 + 0.05)
    assert "4 neighbours in common" in says(answer, "structure")[1]


def test_a_rule_that_the_facts_teach_supports_a_relation_and_does_not_accept_it(call, monkeypatch):
    monkeypatch.setattr(link_prediction, "MIN_FACTS", 100)
    companies = [{"type": "organisation", "name": f"Company {number}"} for number in range(8)]
    facts = [
        {"subject": person(f"P{number}"), "predicate": predicate, "object": companies[number % 8]}
        for number in range(80)
        for predicate in ("works_at", "member_of")
    ]
    call("record_facts", facts=facts)
    call.record(person("New"), "works_at", companies[0])
    answer = verify(call, "New", "member_of", "Company 0")

    assert (answer["accepted"], answer["level"]) == (False, "supported")
    assert says(answer, "structure")[1].endswith("If A works at B, then A is a member of B.")


def test_literals_are_verified_as_entities_are(call):
    call.record(project("Atlas"), "tagged", literal("urgent"))
    call.record(person("Ana"), "born_on", literal("1990-05-03"))

    assert verify(call, "Atlas", "tagged", "Urgent")["level"] == "known"
    assert verify(call, "Ana", "born_on", "1990-05-03")["level"] == "known"
    assert verify(call, "Ana", "born_on", "1991-05-03")["level"] == "contradicted"
    assert verify(call, "Ana", "born_on", "long ago")["level"] == "contradicted"


def test_to_verify_changes_nothing(call, path):
    before = dump(path)
    verify(call, "Ana", "works_at", "Acme", source_text="Ana works at Acme.")

    assert dump(path) == before


def test_a_relation_is_recorded_as_its_caller_says_by_default(call):
    """
    In HydraMem `create_relation` was refused each time, unless thirty others had been judged before it.
    """
    answer = create(call, "Bo", "works_at", "Acme", source="Ana", session_id="a talk")

    assert answer["created"]
    assert answer["relation"]["text"] == "Bo works at Acme"
    assert answer["verification"]["level"] == "unverified"
    assert [entity["name"] for entity in answer["auto_created_entities"]] == ["Bo"]
    (said,) = call("get_entity_edge", uuid=answer["relation"]["fact_id"])["sources"]
    assert (said["session"], said["tool"]) == ("a talk", "create_relation")
    assert not create(call, "Bo", "works_at", "Acme")["created"]


def test_with_verify_only_what_is_known_or_said_is_recorded(call, path):
    before = dump(path)
    refused = create(call, "Bo", "works_at", "Acme", verify=True)

    assert not refused["created"]
    assert refused["reason"].startswith("It is unverified: ")
    assert "relation" not in refused
    assert rows(path, "SELECT count(*) FROM fact") == [(len(before["fact"]),)]
    assert create(call, "Bo", "works_at", "Acme", verify=True, source_text="Bo works at Acme.")["created"]
    assert create(call, "Ana", "works_at", "Acme", verify=True)["verification"]["level"] == "known"


def test_two_relation_types_between_one_pair_are_both_kept_and_deleted_one_by_one(call):
    """
    In HydraMem the second replaced the first, and `delete_relation` deleted whatever there was.
    """
    create(call, "Ana", "leads", "Acme")
    refused = delete(call, "Ana", "founded", "Acme")
    deleted = delete(call, "Ana", "works for", "Acme")

    assert (refused["deleted"], refused["count"]) == (False, 0)
    assert {fact["text"] for fact in refused["others"]} == {"Ana leads Acme", "Ana works at Acme"}
    assert (deleted["deleted"], deleted["count"]) == (True, 1)
    assert deleted["message"] == "Retracted 1 fact: Ana works at Acme."
    assert [fact["text"] for fact in deleted["others"]] == ["Ana leads Acme"]
    assert verify(call, "Ana", "leads", "Acme")["level"] == "known"
    call("undo", call=deleted["call"])
    assert verify(call, "Ana", "works_at", "Acme")["level"] == "known"


def test_all_facts_of_a_type_are_deleted_whenever_they_held(call):
    create(call, "Ana", "lives_in", "Oslo", valid_from="2010-01-01", valid_to="2012-01-01")
    create(call, "Ana", "lives_in", "Oslo", valid_from="2020-01-01")

    assert delete(call, "Ana", "lives in", "Oslo")["count"] == 2


def test_only_the_direction_that_is_named_is_deleted(call):
    create(call, "person:Bo", "reports_to", "person:Cy")
    create(call, "person:Cy", "reports_to", "person:Bo")

    assert [fact["text"] for fact in delete(call, "Bo", "reports_to", "Cy")["facts"]] == ["Bo reports to Cy"]
    assert delete(call, "Acme", "employs", "Ana")["count"] == 1


@pytest.mark.parametrize(
    ("subject", "relation", "target", "message"),
    [
        ("Zed", "works_at", "Acme", "Nothing was deleted: “Zed” is not known."),
        ("Ana", "works_at", "Beta", "Nothing was deleted: “Beta” is not known."),
        ("Anna", "works_at", "Acme", "Nothing was deleted: “Anna” is not known."),
        ("Ana", "flurbs", "Acme", "Nothing was deleted: “flurbs” is not a relation type of the vocabulary."),
        (
            "Ana",
            "founded",
            "Acme",
            "Nothing was deleted: founded is not recorded between the two. There is: Ana works at Acme.",
        ),
    ],
)
def test_what_is_not_there_is_not_deleted_and_the_answer_says_what_is(call, path, subject, relation, target, message):
    facts = rows(path, "SELECT * FROM fact")
    answer = delete(call, subject, relation, target)

    assert (answer["deleted"], answer["count"], answer["message"]) == (False, 0, message)
    assert rows(path, "SELECT * FROM fact") == facts


def test_a_tag_is_created_and_deleted_as_a_literal(call):
    assert create(call, "project:Atlas", "tagged", "urgent")["relation"]["to"] == "urgent"
    assert delete(call, "Atlas", "tagged", "urgent")["count"] == 1


def test_new_names_get_the_types_that_the_relation_wants(call):
    created = create(call, "LanceDB", "part_of", "vector search")["auto_created_entities"]

    assert [entity["name"] for entity in created] == ["LanceDB", "vector search"]
    assert create(call, "Rex", "lives_in", "Oslo", from_type="animal")["auto_created_entities"][0]["type"] == "animal"


def test_a_relation_type_that_is_not_known_is_answered_with_the_words_that_are(call, path):
    facts = rows(path, "SELECT * FROM fact")
    answer = create(call, "Ana", "flurbs", "Acme")

    assert not answer["created"]
    assert answer["reason"].startswith("'flurbs' is not a predicate. ")
    assert "`kg vocabulary` shows all" in answer["reason"]
    assert rows(path, "SELECT * FROM fact") == facts


def test_what_a_created_relation_conflicts_with_is_in_the_answer(call):
    create(call, "Ana", "born_in", "Oslo")
    answer = create(call, "Ana", "born_in", "Rome")

    assert answer["created"]
    assert [conflict["kind"] for conflict in answer["conflicts"]] == ["functional"]
    assert answer["verification"]["level"] == "contradicted"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"from_entity": ""}, "INVALID_ARGUMENTS"),
        ({"from_entity": "\u200b"}, "SUBJECT_REQUIRED"),
        ({"to_entity": "\u200b"}, "OBJECT_REQUIRED"),
        ({"valid_from": "soon"}, "VALIDITY_INVALID"),
        ({"valid_from": "2026-01-02", "valid_to": "2026-01-01"}, "VALIDITY_INVALID"),
        ({"confidence": 2}, "CONFIDENCE_OUT_OF_RANGE"),
        ({"to_type": "flurb", "to_entity": "New"}, "ENTITY_TYPE_UNKNOWN"),
        ({"from_entity": "Acme", "to_entity": "Ana"}, "ENDS_INVALID"),
    ],
)
def test_a_bad_argument_of_a_new_relation_is_refused_and_leaves_nothing(call, path, arguments, code):
    before = rows(path, "SELECT * FROM entity"), rows(path, "SELECT * FROM fact")
    given = {"from_entity": "Ana", "relation_type": "works_at", "to_entity": "Acme", **arguments}
    answer = call("create_relation", **given)

    assert answer["error"] == code
    assert (rows(path, "SELECT * FROM entity"), rows(path, "SELECT * FROM fact")) == before


def test_the_names_of_hydramem_are_answered(call):
    answer = call("verify_relation_tool", from_entity="Ana", relation_type="works_at", to_entity="Acme", project="")

    assert answer["level"] == "known"


NAMES = st.sampled_from(["Ana", "Acme", "Oslo", "Bo", "urgent"])
WORDS = st.sampled_from(["works_at", "employs", "knows", "lives in", "tagged", "flurbs", "part_of"])


@examples(6, sweep=200)
@given(st.lists(st.tuples(st.booleans(), NAMES, WORDS, NAMES), min_size=1, max_size=8))
def test_undo_of_all_that_was_created_and_deleted_gives_the_facts_of_before(new_file, drawn):
    path = new_file()
    with keepgraph.open(path, clock=Clock(NOON), new_id=counted()) as graph:
        call = Caller(graph)
        call.record(person("Ana"), "works_at", {"type": "organisation", "name": "Acme"})
        call.record(concept("Oslo"), "part_of", concept("Norway"))
        before = rows(path, "SELECT * FROM entity"), rows(path, "SELECT * FROM fact")
        calls = [
            (create if is_creation else delete)(call, subject, word, target).get("call")
            for is_creation, subject, word, target in drawn
        ]
        for _, subject, word, target in drawn:
            answer = verify(call, subject, word, target)
            assert answer["level"] in LEVELS
            assert answer["accepted"] == (answer["level"] in ("known", "grounded"))
        changed = {row[0] for row in rows(path, "SELECT DISTINCT call FROM journal")}
        for number in reversed([number for number in calls if number in changed]):
            assert "error" not in call("undo", call=number)

        assert (rows(path, "SELECT * FROM entity"), rows(path, "SELECT * FROM fact")) == before
