"""A change is noticed: what stands beside a new fact, where one is usual, is named with the call that would end it."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from keepgraph.cli.root import kg
from keepgraph.model import ADVISORY_FLAGS
from words import Caller, literal, person, project


def organisation(name: str) -> dict[str, str]:
    return {"type": "organisation", "name": name}


def place(name: str) -> dict[str, str]:
    return {"type": "place", "name": name}


def task(name: str) -> dict[str, str]:
    return {"type": "task", "name": name}


LENA, OLAF, RUT = person("Lena Brandt"), person("Olaf Nyberg"), person("Rut Salas")
HELIOS, HARBOUR = project("Helios"), project("Harbour wall")
FIRM, OTHER_FIRM = organisation("Corvus AG"), organisation("Tern Ltd")

CHANGES: list[tuple[tuple[Any, ...], tuple[Any, ...]]] = [
    ((LENA, "works_at", FIRM), (LENA, "works_at", OTHER_FIRM)),
    ((LENA, "works for", FIRM), (LENA, "works for", OTHER_FIRM)),
    ((LENA, "works_at", FIRM), (LENA, "is employed by", OTHER_FIRM)),
    ((FIRM, "employs", LENA), (OTHER_FIRM, "employs", LENA)),
    ((LENA, "arbeitet bei", FIRM), (LENA, "arbeitet bei", OTHER_FIRM)),
    ((LENA, "lives_in", place("Oslo")), (LENA, "lives_in", place("Porto"))),
    ((LENA, "lives in", place("Oslo")), (LENA, "moved_to", place("Porto"))),
    ((LENA, "wohnt in", place("Oslo")), (LENA, "zog nach", place("Porto"))),
    ((LENA, "resides in", place("Oslo")), (LENA, "has moved to", place("Porto"))),
    ((place("Oslo"), "home_of", LENA), (LENA, "relocated to", place("Porto"))),
    ((LENA, "reports_to", OLAF), (LENA, "reports_to", RUT)),
    ((LENA, "reports to", OLAF), (LENA, "reports to", RUT)),
    ((OLAF, "leads", HELIOS), (RUT, "leads", HELIOS)),
    ((OLAF, "is in charge of", HELIOS), (RUT, "heads", HELIOS)),
    ((HELIOS, "led_by", OLAF), (HELIOS, "managed by", RUT)),
    ((OLAF, "is the ceo of", FIRM), (RUT, "is the ceo of", FIRM)),
    ((FIRM, "headed by", OLAF), (RUT, "leads", FIRM)),
    ((OLAF, "responsible_for", HELIOS), (RUT, "responsible_for", HELIOS)),
    ((OLAF, "takes care of", HARBOUR), (RUT, "looks after", HARBOUR)),
    ((LENA, "job_title", literal("engineer")), (LENA, "job_title", literal("head of engineering"))),
    ((LENA, "works as", literal("nurse")), (LENA, "works as", literal("midwife"))),
    ((LENA, "married_to", OLAF), (LENA, "married_to", RUT)),
    ((LENA, "married_to", OLAF), (RUT, "married_to", OLAF)),
    ((LENA, "wife of", OLAF), (OLAF, "husband of", RUT)),
    ((LENA, "assistant_of", OLAF), (LENA, "assistant_of", RUT)),
    ((OLAF, "has_assistant", LENA), (RUT, "is assisted by", LENA)),
    ((LENA, "supervised_by", OLAF), (LENA, "supervised_by", RUT)),
    ((OLAF, "supervises", LENA), (RUT, "advisor of", LENA)),
    ((task("Paint the hull"), "assigned_to", OLAF), (task("Paint the hull"), "assigned_to", RUT)),
    ((OLAF, "has_task", task("Order sand")), (task("Order sand"), "delegated to", RUT)),
    ((HELIOS, "budget", literal("20,000 EUR")), (HELIOS, "budget", literal("35,000 EUR"))),
    ((HELIOS, "has a budget of", literal("small")), (HELIOS, "budget is", literal("large"))),
    ((project("Wing 3"), "costs", literal("12 EUR")), (project("Wing 3"), "costs", literal("15 EUR"))),
    ((LENA, "address", literal("Elm Road 1")), (LENA, "address", literal("Oak Lane 7"))),
    ((HELIOS, "status", literal("open")), (HELIOS, "status", literal("closed"))),
    ((task("Order sand"), "due_on", literal("2026-06-01")), (task("Order sand"), "deadline", literal("2026-07-01"))),
    ((HELIOS, "takes place on", literal("2026-06-01")), (HELIOS, "happened_on", literal("2026-06-03"))),
    ((LENA, "owns", HELIOS), (OLAF, "owns", HELIOS)),
    ((HELIOS, "owned_by", LENA), (HELIOS, "owned_by", OLAF)),
    ((LENA, "born_in", place("Oslo")), (LENA, "born_in", place("Porto"))),
]

NO_CHANGES: list[tuple[tuple[Any, ...], tuple[Any, ...]]] = [
    ((LENA, "has_skill", literal("sailing")), (LENA, "has_skill", literal("welding"))),
    ((LENA, "is good at", literal("chess")), (LENA, "knows how to", literal("knit"))),
    ((LENA, "speaks", literal("Polish")), (LENA, "speaks", literal("Greek"))),
    ((LENA, "is fluent in", literal("Polish")), (LENA, "spricht", literal("Greek"))),
    ((LENA, "parent_of", OLAF), (LENA, "parent_of", RUT)),
    ((LENA, "mother of", OLAF), (LENA, "has daughter", RUT)),
    ((OLAF, "child_of", LENA), (RUT, "child_of", LENA)),
    ((OLAF, "child_of", LENA), (OLAF, "child_of", RUT)),
    ((LENA, "sibling_of", OLAF), (LENA, "sibling_of", RUT)),
    ((LENA, "knows", OLAF), (LENA, "knows", RUT)),
    ((LENA, "works_with", OLAF), (LENA, "works_with", RUT)),
    ((LENA, "works_on", HELIOS), (LENA, "works_on", HARBOUR)),
    ((LENA, "works_on", HELIOS), (OLAF, "works_on", HELIOS)),
    ((LENA, "leads", HELIOS), (LENA, "leads", HARBOUR)),
    ((LENA, "responsible_for", HELIOS), (LENA, "responsible_for", HARBOUR)),
    ((LENA, "member_of", FIRM), (LENA, "member_of", OTHER_FIRM)),
    ((HELIOS, "tagged", literal("urgent")), (HELIOS, "tagged", literal("public"))),
    ((HELIOS, "depends_on", HARBOUR), (HELIOS, "depends_on", project("Quay"))),
    ((OLAF, "reports_to", LENA), (RUT, "reports_to", LENA)),
    ((LENA, "works_at", FIRM), (OLAF, "works_at", FIRM)),
    ((LENA, "lives_in", place("Oslo")), (OLAF, "lives_in", place("Oslo"))),
    ((LENA, "likes", literal("jazz")), (LENA, "likes", literal("rowing"))),
    ((LENA, "dislikes", literal("rain")), (LENA, "dislikes", literal("noise"))),
    ((LENA, "prefers", literal("tea")), (LENA, "prefers", literal("aisle seats"))),
    ((LENA, "uses", literal("vim")), (LENA, "uses", literal("git"))),
    ((LENA, "allergic_to", literal("nuts")), (LENA, "allergic_to", literal("pollen"))),
    ((LENA, "owns", HELIOS), (LENA, "owns", HARBOUR)),
    ((LENA, "founded", FIRM), (LENA, "founded", OTHER_FIRM)),
    ((LENA, "founded", FIRM), (OLAF, "founded", FIRM)),
    ((LENA, "plans", literal("a trip")), (LENA, "plans", literal("a garden"))),
    ((LENA, "goal", literal("run 10 km")), (LENA, "goal", literal("learn to sail"))),
    ((LENA, "said", literal("yes")), (LENA, "said", literal("maybe later"))),
    ((LENA, "email", literal("l@example.org")), (LENA, "email", literal("lena@example.com"))),
    ((LENA, "studied_at", FIRM), (LENA, "studied_at", OTHER_FIRM)),
    ((LENA, "attended", {"type": "event", "name": "Boot 26"}), (LENA, "attended", {"type": "event", "name": "Nor 26"})),
    ((LENA, "authored", HELIOS), (OLAF, "authored", HELIOS)),
    ((FIRM, "customer_of", OTHER_FIRM), (FIRM, "customer_of", organisation("Gull BV"))),
    ((task("Order sand"), "assigned_to", OLAF), (task("Paint the hull"), "assigned_to", OLAF)),
    ((OLAF, "supervised_by", LENA), (RUT, "supervised_by", LENA)),
    ((HELIOS, "part_of", HARBOUR), (project("Quay"), "part_of", HARBOUR)),
]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(("earlier", "later"), CHANGES, ids=lambda case: f"{case[1]}")
def test_a_second_one_where_one_is_usual_names_the_fact_that_stands_and_the_call_that_ends_it(call, earlier, later):
    first = call.record(*earlier, valid_from="2026-03-01")
    second = call.record(*later)

    (conflict,) = second["conflicts"]
    assert [fact["fact_id"] for fact in conflict["facts"]] == [first["fact_id"]]
    assert "since 2026-03-01" in conflict["sentence"]
    settled = call(conflict["settled_by"]["tool"], **conflict["settled_by"]["arguments"])
    assert [fact["fact_id"] for fact in settled["superseded"]] == [first["fact_id"]]
    assert "conflicts" not in settled


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(("earlier", "later"), NO_CHANGES, ids=lambda case: f"{case[1]}")
def test_a_second_one_where_several_are_usual_is_recorded_without_a_word(call, earlier, later):
    call.record(*earlier)

    assert "conflicts" not in call.record(*later)


def test_what_to_do_is_said_in_a_sentence(call):
    first = call.record(LENA, "works_at", FIRM)
    second = call.record(LENA, "works_at", OTHER_FIRM)

    (conflict,) = second["conflicts"]
    assert conflict["kind"] in ADVISORY_FLAGS
    assert conflict["sentence"] == (
        "“Lena Brandt works at Corvus AG” holds, recorded on 2026-05-15, and works_at usually has one object at a time."
    )
    assert f'supersedes: ["{first["fact_id"]}"]' in conflict["advice"]


def test_nothing_is_ended_by_itself_and_what_is_said_again_is_not_asked_again(call):
    call.record(LENA, "works_at", FIRM)
    call.record(LENA, "works_at", OTHER_FIRM)
    again = call.record(LENA, "works_at", FIRM)

    assert "conflicts" not in again
    assert call("recall_entity", name_or_alias="Lena Brandt")["total_facts"] == 2


@pytest.mark.parametrize("more", [{"valid_to": "2020-01-01"}, {"valid_from": "2018-01-01", "valid_to": "2020-01-01"}])
def test_what_has_ended_stands_beside_nothing(call, more):
    call.record(LENA, "works_at", FIRM)

    assert "conflicts" not in call.record(LENA, "works_at", OTHER_FIRM, **more)


def test_what_begins_later_names_what_stands_until_then(call):
    first = call.record(LENA, "works_at", FIRM)
    second = call.record(LENA, "works_at", OTHER_FIRM, valid_from="2027-01-02")

    (conflict,) = second["conflicts"]
    ended = call(conflict["settled_by"]["tool"], **conflict["settled_by"]["arguments"])["superseded"]
    assert [fact["fact_id"] for fact in ended] == [first["fact_id"]]
    assert ended[0]["valid_to"].startswith("2027-01-02")


def test_every_tool_that_records_notices(call):
    call.record(LENA, "works_at", FIRM)
    fact = {"subject": LENA, "predicate": "works_at", "object": OTHER_FIRM}
    (result,) = call("record_facts", facts=[fact])["results"]
    relation = call(
        "create_relation", from_entity="Lena Brandt", relation_type="works_at", to_entity="Gull BV",
        to_type="organisation",
    )  # fmt: skip

    assert [conflict["kind"] for conflict in result["conflicts"]] == ["usually_functional"]
    assert len(relation["conflicts"]) == 2


def test_of_two_that_began_on_one_day_either_may_be_wrong(call):
    first = call.record(LENA, "works_at", FIRM, valid_from="2026-03-01")
    (conflict,) = call.record(LENA, "works_at", OTHER_FIRM, valid_from="2026-03-01")["conflicts"]

    assert conflict["advice"] == f"If {first['fact_id']} is wrong, forget it by this id; if both hold, do nothing."


def test_the_command_prints_the_line_that_ends_what_stands_and_what_rests_on_it(graph, path):
    graph.close()

    def run(*words: str) -> str:
        return CliRunner().invoke(kg, ["--db", str(path), *words]).output

    run("record", "person:Lena Brandt", "works_at", "organisation:Corvus AG", "--from", "2020-02-01")
    run("record", "person:Lena Brandt", "leads", "project:Helios")
    printed = run("record", "person:Lena Brandt", "works_at", "organisation:Tern Ltd", "--from", "2026-02-01")
    line = next(line for line in printed.splitlines() if "if only one of them is true: kg " in line)
    settled = run(*line.partition("kg ")[2].split())

    assert "“Lena Brandt works at Corvus AG” holds, since 2020-02-01" in printed
    assert "Lena Brandt leads Helios" in settled.partition("if they have ended too:")[2]
    assert "until 2026-01-31: works_at Corvus AG" in run("recall", "Lena Brandt")


def learnt(call: Caller, *, subjects: int, with_two: int) -> list[dict[str, Any]]:
    """The conflicts of a second fact in a word of one's own, in a graph of so many subjects before it."""
    call("extend_vocabulary", predicates={"plays_position": {"sources": ["person"]}})
    for number in range(subjects):
        for position in range(2 if number < with_two else 1):
            call.record(person(f"Player {number}"), "plays_position", literal(f"{position} of {number}"))
    return list(call.record(person(f"Player {subjects - 1}"), "plays_position", literal("keeper")).get("conflicts", ()))


@pytest.mark.parametrize(
    ("subjects", "with_two", "expected"),
    [(20, 0, ["usually_functional"]), (20, 2, ["usually_functional"]), (20, 3, []), (19, 0, [])],
)
def test_what_is_usual_for_a_word_of_ones_own_is_learnt_from_the_graph(call, subjects, with_two, expected):
    assert expected == [conflict["kind"] for conflict in learnt(call, subjects=subjects, with_two=with_two)]


# What comes first


def listed(call: Caller) -> dict[str, list[str]]:
    """The objects of Lena's facts in the order in which each tool lists them."""
    name = "Lena Brandt"
    explored = call("explore_node", name=name)
    found = call("search", query=name)
    return {
        "recall_entity": [target(fact["object"]) for fact in call("recall_entity", name_or_alias=name)["facts"]],
        "explore_node": [edge["target_name"] for edge in (*explored["edges"], *explored["facts"])],
        "search": [edge["target_name"] for edge in found["edges"]],
        "search_memory_facts": [edge["target_name"] for edge in call("search_memory_facts", query=name)["facts"]],
        "get_entity_connections": [
            edge["target_name"] for edge in call("get_entity_connections", entity_uuid=name)["facts"]
        ],
        "query_entity_relations": [edge["to"] for edge in call("query_entity_relations", entity_id=name)["facts"]],
    }


def target(object: dict[str, Any]) -> str:
    return object.get("name") or object["literal"]


OF_LENA = [(earlier, later) for earlier, later in CHANGES if earlier[0] == LENA and later[0] == LENA]


@pytest.mark.sampled(one_in=3)
@pytest.mark.parametrize(("earlier", "later"), OF_LENA, ids=lambda case: f"{case[1]}")
def test_the_later_of_two_where_one_is_usual_comes_first_in_every_list(call, clock, earlier, later):
    call.record(*earlier)
    clock.pass_by(days=1)
    call.record(*later)

    for tool, objects in listed(call).items():
        assert objects == [target(later[2]), target(earlier[2])], tool


def test_what_began_later_comes_first_though_it_was_recorded_before(call, clock):
    call.record(LENA, "works_at", OTHER_FIRM, valid_from="2026-02-01")
    clock.pass_by(days=1)
    call.record(LENA, "works_at", FIRM, valid_from="2020-02-01")

    for tool, objects in listed(call).items():
        assert objects == ["Tern Ltd", "Corvus AG"], tool


# What rests on what


def test_ending_a_job_names_what_rests_on_it(call):
    job = call.record(LENA, "works_at", FIRM)
    resting = [
        call.record(LENA, "leads", HELIOS),
        call.record(LENA, "reports_to", OLAF),
        call.record(RUT, "reports_to", LENA),
        call.record(LENA, "belongs_to", organisation("Night shift")),
    ]
    for other in (
        (LENA, "lives_in", place("Oslo")),
        (LENA, "married_to", OLAF),
        (LENA, "has_skill", literal("sailing")),
    ):
        call.record(*other)
    ended = call("end_fact", fact_id=job["fact_id"], valid_to="2026-03-31")

    assert {fact["fact_id"] for fact in ended["may_have_ended"]} == {fact["fact_id"] for fact in resting}
    assert "may_have_ended" in ended["message"]
    assert "may_have_ended" not in call("end_fact", fact_id=resting[0]["fact_id"])


def test_a_new_job_names_what_rested_on_the_one_that_it_takes_the_place_of(call):
    job = call.record(LENA, "works_at", FIRM)
    call.record(LENA, "leads", HELIOS)
    call.record(LENA, "leads", HARBOUR, valid_from="2026-04-02")
    changed = call.record(
        LENA, "works_at", OTHER_FIRM, valid_from="2026-04-01", supersedes=[job["fact_id"]]
    )  # fmt: skip

    assert [fact["text"] for fact in changed["may_have_ended"]] == ["Lena Brandt leads Helios"]


# Other times


def test_what_has_ended_and_what_is_to_come_is_told_in_a_line_a_predicate(call):
    for organisation_, start, end in (
        ("Gull BV", "2015-01-01", "2018-12-31"),
        ("Corvus AG", "2019-01-01", "2026-03-31"),
    ):
        call.record(LENA, "works_at", organisation(organisation_), valid_from=start, valid_to=end)
    call.record(LENA, "lives_in", place("Oslo"), valid_to="2024-06-30")
    call.record(LENA, "works_at", OTHER_FIRM, valid_from="2027-01-02")
    expected = {
        "ended": ["until 2026-03-31: works_at Corvus AG", "until 2024-06-30: lives_in Oslo", "1 more ended"],
        "to_come": ["from 2027-01-02: works_at Tern Ltd"],
    }
    named = {
        "ended": [
            "until 2026-03-31: Lena Brandt works_at Corvus AG",
            "until 2024-06-30: Lena Brandt lives_in Oslo",
            "1 more ended",
        ],
        "to_come": ["from 2027-01-02: Lena Brandt works_at Tern Ltd"],
    }

    for detail in ("brief", "full"):
        for tool, arguments, lines in (
            ("recall_entity", {"name_or_alias": "Lena Brandt"}, expected),
            ("explore_node", {"name": "Lena Brandt"}, expected),
            ("search", {"query": "Lena Brandt"}, named),
            ("search_nodes", {"query": "Lena Brandt"}, named),
            ("search_memory_facts", {"query": "Lena Brandt"}, named),
        ):
            answer = call(tool, detail=detail, **arguments)
            assert {name: answer[name] for name in lines} == lines, (tool, detail)
    around = call("get_entity_neighbors", entity_id="Lena Brandt")
    assert {name: around[name] for name in expected} == expected
    path = call("trace_path", from_entity="Lena Brandt", to_entity="Tern Ltd")
    assert path["to_come"] == named["to_come"]


def test_from_the_other_end_other_times_read_by_the_inverse(call):
    call.record(LENA, "works_at", FIRM, valid_to="2026-03-31")
    call.record(OLAF, "reports_to", LENA, valid_from="2026-06-01")

    assert call("recall_entity", name_or_alias="Corvus AG")["ended"] == ["until 2026-03-31: employs Lena Brandt"]
    assert call("recall_entity", name_or_alias="Lena Brandt")["to_come"] == [
        "from 2026-06-01: Olaf Nyberg reports_to Lena Brandt"
    ]


def test_where_nothing_has_ended_nothing_is_said_of_it(call):
    call.record(LENA, "works_at", FIRM)
    retracted = call.record(LENA, "lives_in", place("Oslo"), valid_to="2024-06-30")
    call("retract_fact", fact_id=retracted["fact_id"])

    for tool, arguments in (("recall_entity", {"name_or_alias": "Lena Brandt"}), ("search", {"query": "Lena Brandt"})):
        assert not {"ended", "to_come"} & call(tool, **arguments).keys()


@pytest.mark.parametrize("detail", ["brief", "full"])
def test_a_fact_that_may_have_begun_later_than_asked_for_is_marked_and_comes_last(call, detail):
    call.record(LENA, "lives_in", place("Oslo"), valid_from="2026-01-01")
    call.record(LENA, "works_at", FIRM)
    facts = call("recall_entity", name_or_alias="Lena Brandt", as_of="2026-04-01", detail=detail)["facts"]

    assert [(fact["predicate"], fact.get("beginning")) for fact in facts] == [
        ("lives_in", None),
        ("works_at", "unknown, recorded 2026-05-15"),
    ]
    explored = call("explore_node", name="Lena Brandt", as_of="2026-04-01")["edges"]
    assert [edge.get("beginning") for edge in explored] == [None, "unknown, recorded 2026-05-15"]
    relations = call("query_entity_relations", entity_id="Lena Brandt", as_of="2026-04-01")["facts"]
    assert [relation.get("beginning") for relation in relations] == [None, "unknown, recorded 2026-05-15"]
    now = call("recall_entity", name_or_alias="Lena Brandt", detail=detail)["facts"]
    assert not any("beginning" in fact for fact in now)
