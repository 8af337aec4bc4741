"""Nothing of an extraction is lost: relations wait in every project, and unknown types are kept."""

from __future__ import annotations

import json

import pytest

from homes import run
from words import Caller, person


def submit(call, *relations, entities=(), **more):
    answer = call("submit_session_extraction", entities=list(entities), relations=list(relations), **more)
    assert "error" not in answer, answer
    return answer


def relation(subject, wording, object, **more):
    return {"from": subject, "type": wording, "to": object, **more}


def type_of(call, name):
    return call("recall_entity", name_or_alias=name)["entity"]["type"]


def test_a_person_and_a_place_of_one_name_can_be_related(call):
    entities = [{"name": "Georgia", "type": "person"}, {"name": "Georgia", "type": "place"}]
    answer = submit(call, relation("Georgia", "lives in", "Georgia"), entities=entities)

    assert [fact["fact"] for fact in answer["facts"]] == ["Georgia lives in Georgia"]


@pytest.mark.parametrize(
    ("given", "expected"), [(95, 0.95), (100, 1.0), (0.4, 0.4), ("high", 1.0), (-3, 1.0), (None, 1.0)]
)
def test_a_relation_with_an_odd_confidence_is_recorded(call, given, expected):
    answer = submit(call, relation("Ana", "knows", "Dora", confidence=given))

    assert answer["relations_accepted"] == 1
    assert expected == call("recall_entity", name_or_alias="Ana")["facts"][0]["confidence"]


def test_another_name_that_something_else_has_waits(call):
    entities = [{"name": "Thin Man", "type": "concept"}, {"name": "Little Boy", "type": "concept"}]
    answer = submit(call, relation("Thin Man", "also known as", "Little Boy"), entities=entities)

    assert (answer["relations_accepted"], answer["relations_waiting"]) == (0, 1)


@pytest.mark.parametrize("wording", ["x" * 201, "is connected " * 100, "→", "???"])
def test_a_relation_in_an_odd_wording_waits(call, wording):
    answer = submit(call, relation("Ana", wording, "Dora"))

    assert (answer["relations_waiting"], answer["relations_rejected"]) == (1, 0)
    again = submit(call, relation("Ana", wording, "Dora"))
    assert again["relations_waiting_before"] == 1
    assert call("get_ontology_structure")["proposals"]["total"] == 1


@pytest.mark.parametrize(
    ("given", "expected"),
    [("Companies", "organisation"), ("cities", "place"), ("people", "person"), ("dogs", "animal")],
)
def test_a_plural_names_the_type(call, given, expected):
    submit(call, entities=[{"name": "Xylo", "type": given}])

    assert expected == type_of(call, "Xylo")


def test_record_fact_takes_a_plural_of_a_type(call):
    answer = call(
        "record_fact", subject=person("Ana"), predicate="works_at", object={"type": "companies", "name": "Acme"}
    )

    assert answer["object"]["type"] == "organisation"


@pytest.fixture
def second_group(open_graph) -> None:
    Caller(open_graph(group="p2")).record(person("Zelda"), "tagged", {"literal": "princess"})


def test_what_waits_in_another_group_is_counted_and_admitted_there(call, second_group):
    submit(call, relation("Ana Silva", "smorgles", "Dora Lopes"), project="p2")
    proposals = call("get_ontology_structure")["proposals"]
    listed = call("list_proposed_wordings")
    extended = call("extend_vocabulary", map_wordings=[{"wordings": ["smorgles"], "predicate": "knows"}])

    assert [{"project": "p2", "count": 1}] == proposals["elsewhere"] == listed["elsewhere"]
    assert extended["mapped"][0]["admitted"] == 1
    again = submit(call, relation("Ana Silva", "smorgles", "Dora Lopes"), project="p2")
    assert (again["relations_accepted"], again["relations_waiting"]) == (1, 0)


def test_what_waits_in_another_group_is_dismissed_there(call, second_group):
    submit(call, relation("Ana Silva", "smorgles", "Dora Lopes"), project="p2")
    extended = call("extend_vocabulary", dismiss_wordings=["smorgles"])
    again = submit(call, relation("Ana Silva", "smorgles", "Dora Lopes"), project="p2")

    assert (extended["dismissed"], again["relations_waiting"], again["relations_rejected"]) == (1, 0, 1)


def test_adding_a_set_admits_what_waits_for_its_words(call):
    call("remove_vocabulary_set", name="personal")
    submit(call, relation("Ana Silva", "works at", "Acme Inc"))
    tried = call("add_vocabulary_set", name="personal", dry_run=True)
    added = call("add_vocabulary_set", name="personal")

    assert (tried["admitted"], added["admitted"]) == (1, 1)
    assert "proposals" not in call("get_ontology_structure")


def test_a_new_label_admits_what_waits_in_it(call):
    submit(call, relation("Ana Silva", "smorgles", "Dora Lopes"))
    changed = call("change_word", word="knows", values={"alternative": ["smorgles"]})

    assert changed.get("admitted") == 1, changed


def test_restoring_a_word_admits_what_waits_for_it(call):
    call("retire_word", word="works_at")
    submit(call, relation("Ana Silva", "works at", "Acme Inc"))
    restored = call("restore_word", word="works_at")

    assert restored["admitted"] == 1


def test_an_unknown_type_is_told_and_given_to_its_entities_when_it_is_added(call):
    answer = submit(call, entities=[{"name": "Enterprise", "type": "spaceship"}, {"name": "Rex", "type": "dog"}])
    before = type_of(call, "Enterprise")
    call("extend_vocabulary", types={"spaceship": {}})

    assert answer["unknown_types"] == [{"type": "spaceship", "entities": 1}]
    assert (before, type_of(call, "Enterprise")) == ("concept", "spaceship")


def test_mapping_the_word_of_an_unknown_type_gives_the_type_to_its_entities(call):
    submit(call, entities=[{"name": "Enterprise", "type": "Starships"}])
    call("extend_vocabulary", map_wordings=[{"wordings": ["starships"], "entity_type": "product"}])

    assert type_of(call, "Enterprise") == "product"


def test_lines_of_an_import_in_unknown_words_wait(tmp_path):
    lines = [
        {"subject": person("Ana"), "predicate": "blorps", "object": person("Dora")},
        {
            "subject": {"type": "spaceship", "name": "S"},
            "predicate": "part_of",
            "object": {"type": "project", "name": "B"},
        },
        {"subject": person("Ana"), "predicate": "is", "object": person("Dora"), "valid_from": "2026-01-01"},
    ]
    file = tmp_path / "lines.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    graph = str(tmp_path / "graph.db")
    imported = json.loads(run("import", str(file), "--db", graph, "--json").stdout)
    again = json.loads(run("import", str(file), "--db", graph, "--json").stdout)
    waiting = json.loads(run("vocabulary", "proposals", "--db", graph, "--json").stdout)

    assert (imported["waiting"], imported["refused"]) == (3, [])
    assert (again["waiting"], waiting["total"]) == (3, 3)
