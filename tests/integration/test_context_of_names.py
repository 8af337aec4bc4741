"""Names in a context: it decides between entities that fit equally well, says why, and does nothing else."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph.model import Settings
from laws import examples
from words import NOON, Caller, Clock, concept, counted, person, project

MILLER, CHEN, WEBER = person("Alex Miller"), person("Alex Chen"), person("Alex Weber")
ATLAS, BOREALIS = project("Atlas"), project("Borealis")


@pytest.fixture
def known(call: Caller) -> Caller:
    """Three of one given name; one works on Borealis, one reports to somebody who does, one does neither."""
    for each in (MILLER, CHEN, WEBER, ATLAS, concept("Atlas")):
        call("add_entity", entity=each)
    call.record(CHEN, "works_on", BOREALIS)
    call.record(person("Sarah Ito"), "reports_to", CHEN)
    call.record(person("Sarah Weiss"), "reports_to", MILLER)
    return call


def meant(call: Caller, name: str, *context: str, **more: Any) -> str | None:
    entity = call("recall_entity", name_or_alias=name, context=list(context), **more)["entity"]
    return entity and entity["name"]


@pytest.mark.parametrize(
    ("name", "context", "wanted", "why"),
    [
        ("Alex", "Borealis", "Alex Chen", "a fact connects it with “Borealis”"),
        ("Alex", "borealys", "Alex Chen", "a fact connects it with “Borealis”"),
        ("alex", "Sarah Ito", "Alex Chen", "a fact connects it with “Sarah Ito”"),
        ("Alex", "Alex Weber", "Alex Weber", "in the context"),
        ("Sarah", "Borealis", "Sarah Ito", "two facts connect it with “Borealis”"),
        ("Sara", "Sarah Weiss", "Sarah Weiss", "in the context"),
        ("person:Alex", "Borealis", "Alex Chen", "a fact connects it"),
    ],
)
def test_of_several_that_fit_the_one_connected_with_the_context_is_meant(known, name, context, wanted, why):
    answer = known("recall_entity", name_or_alias=name, context=[context])

    assert known("recall_entity", name_or_alias=name)["entity"] is None
    assert answer["entity"]["name"] == wanted
    assert why in answer["resolution"]["because"]
    assert answer["resolution"]["score"] == 0.9
    assert answer["resolution"]["candidates"]


def test_of_entities_with_the_same_name_one_is_meant_that_a_text_mentions_with_it(known):
    known("remember", text="Atlas is behind. Sarah Weiss says that it will not be ready.", project="Atlas")
    known.record(concept("Atlas"), "tagged", {"literal": "maps"})
    answer = known("recall_entity", name_or_alias="Atlas", context=["Borealis"])

    assert answer["entity"] is None
    known.record(person("Ines Roy"), "works_on", ATLAS)
    answer = known("recall_entity", name_or_alias="Atlas", context=["Ines Roy"])
    assert (answer["entity"]["type"], answer["resolution"]["method"]) == ("project", "exact")
    assert [each["type"] for each in answer["resolution"]["candidates"]] == ["concept"]


def test_a_text_that_mentions_two_connects_them(call):
    for each in (person("Alex Miller"), person("Alex Chen"), concept("Photolithography")):
        call("add_entity", entity=each)
    call("remember", text="Alex Miller gave a talk. It was about Photolithography, said Alex Miller.")

    answer = call("recall_entity", name_or_alias="Alex", context=["Photolithography"])
    assert answer["entity"]["name"] == "Alex Miller"
    assert "a text mentions it together with “Photolithography”" in answer["resolution"]["because"]


@pytest.mark.parametrize(
    ("name", "context"),
    [
        ("Alex", ["Alex Chen", "Alex Weber"]),
        ("Alex", ["Atlas"]),
        ("Alex", []),
        ("Alex Brown", ["Borealis"]),
        ("Borealis 2", ["Alex Chen"]),
        ("Zoltan", ["Borealis"]),
    ],
)
def test_it_stays_open_where_several_are_as_close_or_none_would_be_accepted(known, name, context):
    assert meant(known, name, *context) is None
    answer, without = (
        known("recall_entity", name_or_alias=name, context=context),
        known("recall_entity", name_or_alias=name),
    )
    assert answer["resolution"]["candidates"] == without["resolution"]["candidates"]


def test_a_name_of_one_entity_is_not_overruled(known):
    assert meant(known, "Alex Weber", "Borealis") == "Alex Weber"
    assert meant(known, "Alex Miler", "Borealis") == "Alex Miller"


def test_facts_count_at_the_moment_that_is_asked_about(known, clock):
    known.record(WEBER, "works_on", ATLAS, valid_from="2026-01-01", valid_to="2026-02-01")
    known.record(MILLER, "works_on", ATLAS, valid_from="2026-03-01")

    about = ["project:Atlas"]
    assert meant(known, "Alex", *about) == "Alex Miller"
    assert meant(known, "Alex", *about, as_of="2026-01-15") == "Alex Weber"
    assert meant(known, "Alex", *about, known_at=(clock.now - timedelta(days=1)).isoformat()) is None


def test_a_context_that_means_nothing_is_named(known):
    resolution = known("recall_entity", name_or_alias="Alex", context=["Borealis", "Nowhere Land"])["resolution"]

    assert resolution["method"] == "fuzzy"
    assert "“Nowhere Land” could not be resolved" in resolution["hint"]


def test_a_threshold_above_its_score_turns_it_off(path):
    with keepgraph.open(path, settings=Settings(accept=0.95)) as graph:
        call = Caller(graph)
        for each in (MILLER, WEBER):
            call("add_entity", entity=each)
        call.record(CHEN, "works_on", BOREALIS)

        assert meant(call, "Alex", "Borealis") is None


def test_the_project_of_a_call_decides_for_the_tools_that_walk(known):
    near = known("get_entity_neighbors", entity_id="Alex", project="Borealis")
    facts = known("query_entity_relations", entity_id="Alex", project="Borealis")
    path = known("trace_path", from_entity="Alex", to_entity="Sarah Ito", project="Borealis")

    assert [near["entity"]["name"], facts["entity"]] == ["Alex Chen", "Alex Chen"]
    assert path["found"], path
    assert known("query_entity_relations", entity_id="Alex")["entity"] is None


@pytest.mark.parametrize("context", [7, [1], ["x"] * 11, ["y" * 201], [""]])
def test_a_context_that_is_no_list_of_names_is_refused(known, context):
    answer = known("recall_entity", name_or_alias="Alex", context=context)

    assert answer["error"] == "INVALID_ARGUMENTS"
    assert "context" in answer["message"]


GIVEN_NAMES, SURNAMES = ("Alex", "Sarah", "Priya"), ("Miller", "Chen", "Weber")
PEOPLE = [f"{given_name} {surname}" for given_name in GIVEN_NAMES for surname in SURNAMES]


@examples(7, sweep=300)
@given(
    people=st.lists(st.sampled_from(PEOPLE), unique=True, min_size=1, max_size=6),
    works=st.lists(st.tuples(st.sampled_from(PEOPLE), st.sampled_from(["Atlas", "Borealis"])), max_size=6),
    name=st.sampled_from([*GIVEN_NAMES, *PEOPLE, "Aleks", "Prya", "Zed"]),
    context=st.lists(st.sampled_from(["Atlas", "Borealis", *PEOPLE, "Nobody"]), max_size=3),
)
def test_it_only_chooses_among_those_that_were_candidates(tmp_path_factory, people, works, name, context):
    folder = tmp_path_factory.mktemp("graph")
    with keepgraph.open(folder / "graph.db", clock=Clock(NOON), new_id=counted()) as graph:
        call = Caller(graph)
        for each in people:
            call("add_entity", entity=person(each))
        for who, what in works:
            call.record(person(who), "works_on", project(what))
        without = call("recall_entity", name_or_alias=name)
        within = call("recall_entity", name_or_alias=name, context=context)

    candidates = [each["id"] for each in without["resolution"]["candidates"]]
    if without["entity"] or within["entity"] is None:
        assert within["entity"] == without["entity"]
    else:
        assert within["entity"]["id"] in candidates
        assert within["resolution"]["because"]
        assert within["resolution"]["score"] <= 0.9
        assert {within["entity"]["id"], *(each["id"] for each in within["resolution"]["candidates"])} <= {*candidates}
