"""The ontology tools: the vocabulary listed, searched and explored, with how the graph uses it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keepgraph
from keepgraph import store
from keepgraph.engine.analysis import ontology, ontology_search
from keepgraph.mcp import resources
from keepgraph.model import Settings
from laws import examples
from vocabularies import AVIATION, add_set
from words import Caller, literal, person, project

ADA, BOB, ATLAS = person("Ada"), person("Bob"), project("Atlas")


def aircraft(name: str) -> dict[str, str]:
    return {"type": "aircraft", "name": name}


def occurrence(name: str) -> dict[str, str]:
    return {"type": "occurrence", "name": name}


def names(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["name"] for entry in entries]


def entry(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(entry for entry in entries if entry["name"] == name)


@pytest.fixture
def graph(open_graph) -> keepgraph.Graph:
    """A graph that compares no meanings, so that every order in its answers is that of words."""
    return open_graph(settings=Settings(steps=("exact", "alias", "fuzzy")))


@pytest.fixture
def aviation(graph, call) -> Caller:
    """A graph with the vocabulary of an aviation authority, and a few occurrences."""
    add_set(graph, AVIATION)
    call.record(occurrence("Bird strike at Bilbao"), "involved_aircraft", aircraft("EC-ABC"))
    call.record(occurrence("Runway excursion at Cork"), "involved_aircraft", aircraft("EI-DEF"))
    call.record(aircraft("EC-ABC"), "registered_as", literal("EC-ABC"))
    call.record(
        {"type": "safety_recommendation", "name": "Inspect it"}, "stems_from", occurrence("Bird strike at Bilbao")
    )
    return call


# get_ontology_structure


def test_a_class_says_what_it_is_and_what_it_is_called(aviation):
    classes = aviation("get_ontology_structure", set="eccairs")["entity_classes"]
    told = entry(classes, "aircraft")

    assert told["label"] == "Aircraft"
    assert told["ontology_type"] == "class"
    assert told["summary"] == "A heavier-than-air flying machine with fixed or rotary wings"
    assert told["alt_labels"] == ["Airplane", "Aeroplane", "Flugzeug", "avión", "aeronave"]
    assert told["inherits_from"] == ["vehicle", "thing"]
    assert told["parents"] == ["vehicle"]
    assert told["examples"] == ["Airbus A321neo"]
    assert entry(classes, "vehicle")["ontology_type"] == "abstract_class"
    assert entry(classes, "pneumatic")["notation"] == "ATA 36"


def test_a_relationship_class_says_what_it_connects(aviation):
    classes = aviation("get_ontology_structure", set="eccairs")["relationship_classes"]
    told = entry(classes, "supersedes")

    assert told["label"] == "SUPERSEDES"
    assert told["ontology_type"] == "relationship_class"
    assert (told["source_entity"], told["target_entity"]) == (["airworthiness_directive"], ["airworthiness_directive"])
    assert told["flags"] == ["acyclic", "transitive"]
    assert told["inverse"] == [
        {"name": "superseded_by", "label": "SUPERSEDED_BY", "alt_labels": ["was replaced by directive"]}
    ]
    assert "superseded_by" not in names(classes)
    assert entry(classes, "registered_as")["literal"] == "identifier"


def test_what_is_used_comes_first_and_subtypes_count(aviation):
    structure = aviation("get_ontology_structure", set="eccairs")

    assert [(told["name"], told["count"]) for told in structure["entity_classes"][:3]] == [
        ("thing", 4),
        ("vehicle", 2),
        ("aircraft", 2),
    ]
    assert entry(structure["entity_classes"], "thing")["own_count"] == 0
    assert names(structure["relationship_classes"])[0] == "involved_aircraft"


def test_only_what_is_used_can_be_listed(aviation):
    structure = aviation("get_ontology_structure", only_used=True)

    assert all(told["count"] for told in [*structure["entity_classes"], *structure["relationship_classes"]])
    assert set(names(structure["relationship_classes"])) == {"involved_aircraft", "stems_from", "registered_as"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("aero", ["aircraft"]),
        ("SCF", ["system_failure"]),
        ("flugzeug", ["aircraft"]),
        ("safety recom", ["safety_recommendation"]),
        ("replaced directive", ["supersedes"]),
        ("zebra", []),
    ],
)
def test_the_structure_can_be_narrowed_by_words(aviation, query, expected):
    structure = aviation("get_ontology_structure", query=query, set="eccairs")

    assert expected == [*names(structure["entity_classes"]), *names(structure["relationship_classes"])]


def test_a_long_structure_is_cut_and_says_so(aviation):
    structure = aviation("get_ontology_structure", limit=3)

    assert len(structure["entity_classes"]) == len(structure["relationship_classes"]) == 3
    assert structure["totals"]["entity_classes"] > 3
    assert structure["truncated"]


def test_the_sets_are_named_with_their_sizes(aviation):
    structure = aviation("get_ontology_structure")
    of_set = entry(structure["sets"], "eccairs")

    assert structure["ontology_graph"] == "core, personal, eccairs"
    assert (of_set["version"], of_set["entity_classes"], of_set["relationship_classes"]) == (
        "4.2",
        len(AVIATION["types"]),
        len(AVIATION["predicates"]),
    )


def test_an_unknown_set_is_refused_with_those_there_are(aviation):
    answer = aviation("get_ontology_structure", set="medicine")

    assert answer["error"] == "VOCABULARY_SET_UNKNOWN"
    assert "eccairs" in answer["hint"]


def test_a_retired_word_comes_last_and_says_what_to_use(graph, aviation):
    with graph.database.write("test") as tx:
        tx = store.journal.begin_call(tx)
        rows = {term.name: term.row for term in ontology.read(tx).vocabulary.types}
        store.vocabulary.update_term(
            tx,
            store.vocabulary.ENTITY_TYPE,
            rows["aircraft"],
            {"retired_at": "2026-05-15T10:00:00.000Z", "replaced_by": rows["balloon"]},
        )
    told = aviation("get_ontology_structure", set="eccairs")["entity_classes"][-1]

    assert (told["name"], told["retired"], told["replaced_by"]) == ("aircraft", True, "balloon")


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": 10_001}, {"query": 3}, {"set": ""}, {"only_used": "yes"}])
def test_what_the_structure_does_not_take_is_refused(call, wrong):
    assert call("get_ontology_structure", **wrong)["error"] in {"INVALID_ARGUMENTS", "VOCABULARY_SET_UNKNOWN"}


# search_ontology


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("aircraft", "aircraft"),
        ("Aeroplane", "aircraft"),
        ("avión", "aircraft"),
        ("SCF-NP", "system_failure"),
        ("ata 36", "pneumatic"),
        ("AirworthinessDirective", "airworthiness_directive"),
        ("airplain", "aircraft"),
        ("ducts and valves", "pneumatic"),
        ("recommendations", "safety_recommendation"),
    ],
)
def test_types_are_searched_by_name_label_code_and_description(aviation, query, first):
    answer = aviation("search_ontology", query=query, search_mode="nodes")

    assert names(answer["nodes"])[0] == first
    assert answer["edges"] == answer["communities"] == []


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("STEMS_FROM", "stems_from"),
        ("superseded by", "supersedes"),
        ("was replaced by directive", "supersedes"),
        ("applies", "applies_to"),
    ],
)
def test_predicates_are_searched_by_their_names_and_by_their_inverses(aviation, query, first):
    answer = aviation("search_ontology", query=query, search_mode="edges")

    assert names(answer["edges"])[0] == first
    assert answer["nodes"] == []


def test_several_codes_in_one_query_are_all_decoded(aviation):
    answer = aviation("search_ontology", query="SCF-NP ATA 36")

    assert set(names(answer["nodes"])[:2]) == {"system_failure", "pneumatic"}
    assert answer["message"].startswith("Ontology:")


def test_a_hit_says_why_and_how_a_fact_is_read(aviation):
    hit = aviation("search_ontology", query="stems from")["edges"][0]

    assert hit["fact"] == "safety recommendation stems from occurrence"
    assert {"name", "words"} <= hit["why"].keys()


@pytest.mark.parametrize("reranker", ["rrf", "mmr"])
def test_a_search_is_cut_to_its_limit_and_says_so(aviation, reranker):
    answer = aviation("search_ontology", query="aircraft occurrence category", reranker=reranker, limit=2)

    assert len(answer["nodes"]) == 2
    assert answer["truncated"]["nodes"]


def test_what_nothing_is_called_has_no_hit(aviation):
    answer = aviation("search_ontology", query="zebra")

    assert (answer["nodes"], answer["edges"]) == ([], [])
    assert answer["embedding"] == "off: by the settings"


def test_a_retired_word_is_found_by_its_name_alone(graph, aviation):
    with graph.database.write("test") as tx:
        tx = store.journal.begin_call(tx)
        row = ontology.read(tx).vocabulary.type_by_name["balloon"].row
        store.vocabulary.update_term(tx, store.vocabulary.ENTITY_TYPE, row, {"retired_at": "2026-05-15T10:00:00.000Z"})

    assert names(aviation("search_ontology", query="balloon")["nodes"])[0] == "balloon"
    assert "balloon" not in names(aviation("search_ontology", query="lighter than air craft")["nodes"])


@pytest.mark.parametrize("query", ["", "  ", "?!"])
def test_a_query_of_nothing_is_refused(call, query):
    assert call("search_ontology", query=query)["error"] == "QUERY_REQUIRED"


@pytest.mark.parametrize(
    "wrong", [{}, {"query": "x", "reranker": "node_distance"}, {"query": "x", "limit": 0}, {"query": "x" * 2001}]
)
def test_what_a_search_does_not_take_is_refused(call, wrong):
    assert call("search_ontology", **wrong)["error"] in {"INVALID_ARGUMENTS", "QUERY_REQUIRED"}


def test_a_cross_encoder_that_is_not_there_is_said_to_be_missing(call):
    assert call("search_ontology", query="person", reranker="cross_encoder")["error"] == "MODEL_UNAVAILABLE"


def test_words_are_compared_by_meaning_where_there_is_a_model(open_graph):
    call = Caller(open_graph())
    answer = call("search_ontology", query="spouse of somebody")
    while "wait" in answer["embedding"]:
        answer = call("search_ontology", query="spouse of somebody")
    if answer["embedding"].startswith("off"):
        pytest.skip(answer["embedding"])

    assert names(answer["edges"])[0] == "married_to"
    assert "meaning" in answer["edges"][0]["why"]


def test_too_many_words_are_compared_by_their_letters_alone(open_graph, monkeypatch):
    monkeypatch.setattr(ontology_search, "MAX_CLASSES", 5)
    answer = Caller(open_graph())("search_ontology", query="person")

    assert answer["embedding"].startswith("off: the vocabulary has")
    assert names(answer["nodes"])[0] == "person"


# explore_ontology


def test_the_hierarchy_of_a_type_is_shown(aviation):
    hierarchy = aviation("explore_ontology", name="aircraft")["hierarchy"]

    assert names(hierarchy["parents"]) == ["vehicle"]
    assert names(hierarchy["siblings"]) == ["balloon"]
    assert names(aviation("explore_ontology", name="vehicle")["hierarchy"]["children"]) == ["aircraft", "balloon"]


def test_the_relationships_of_a_type_say_how_many_have_them(aviation):
    relationships = aviation("explore_ontology", name="aircraft")["relationships"]
    registered, involved = relationships["outgoing"][0], relationships["incoming"][0]

    assert (registered["name"], registered["count"], registered["coverage"]) == ("registered_as", 1, 0.5)
    assert (involved["name"], involved["source_entity"], involved["coverage"]) == (
        "involved_aircraft",
        ["occurrence"],
        1.0,
    )


def test_a_relationship_that_an_ancestor_declares_is_inherited(graph, aviation):
    add_set(
        graph,
        {"name": "more", "version": "1", "predicates": {"insured_by": {"sources": ["vehicle"], "targets": ["person"]}}},
    )
    outgoing = aviation("explore_ontology", name="aircraft")["relationships"]["outgoing"]

    assert entry(outgoing, "insured_by")["inherited_from"] == "vehicle"


def test_the_ends_of_a_predicate_are_shown_with_their_counts(aviation):
    answer = aviation("explore_ontology", node_name="STEMS_FROM")

    assert answer["center"]["uuid"] == "predicate:stems_from"
    assert [(end["name"], end["count"]) for end in answer["relationships"]["outgoing"]] == [("occurrence", 1)]
    assert [(end["name"], end["count"]) for end in answer["relationships"]["incoming"]] == [
        ("safety_recommendation", 1)
    ]


def test_usage_is_shown_with_examples(aviation):
    of_type, of_predicate = (
        aviation("explore_ontology", name=name)["usage"] for name in ("occurrence", "involved_aircraft")
    )

    assert (of_type["count"], names(of_type["entities"])) == (2, ["Bird strike at Bilbao", "Runway excursion at Cork"])
    assert [(path["source"], path["target"]) for path in of_predicate["facts"]] == [
        ("Bird strike at Bilbao", "EC-ABC"),
        ("Runway excursion at Cork", "EI-DEF"),
    ]


def test_neighbours_are_nearest_first_and_within_the_depth(aviation):
    near = aviation("explore_ontology", name="aircraft", depth=1, limit=500)["neighbors"]
    far = aviation("explore_ontology", name="aircraft", depth=2, limit=500)["neighbors"]

    assert {neighbour["distance"] for neighbour in near} == {1}
    assert {"vehicle", "occurrence"} <= set(names(near))
    assert names(far)[: len(near)] == names(near)
    assert entry(far, "safety_recommendation")["via"] == {"from": "occurrence", "by": "stems_from"}


def test_what_is_declared_and_never_used_is_a_gap(aviation):
    of_predicate = aviation("explore_ontology", name="applies_to")["gaps"]
    of_type = aviation("explore_ontology", name="safety_recommendation")["gaps"]

    assert [gap["kind"] for gap in of_predicate] == ["never_used"]
    assert [(gap["kind"], gap["word"]) for gap in of_type if gap["word"] == "issues"] == [
        ("relationship_never_used", "issues")
    ]


def test_what_is_used_outside_its_ends_is_a_gap_with_examples(aviation):
    # The ends of the predicates of the core are advice.
    aviation.record(ATLAS, "reports_to", project("Borealis"))
    gap = entry_of_kind(aviation("explore_ontology", name="reports_to")["gaps"], "outside_ends")

    assert (gap["word"], gap["count"]) == ("reports_to", 1)
    assert [(path["source"], path["target"]) for path in gap["examples"]] == [("Atlas", "Borealis")]


def entry_of_kind(gaps: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(gap for gap in gaps if gap["kind"] == kind)


def test_an_inverse_leads_to_the_predicate_under_which_facts_are_stored(aviation):
    answer = aviation("explore_ontology", name="superseded_by")

    assert answer["center"]["name"] == "supersedes"
    assert "superseded_by is its inverse" in answer["message"]


@pytest.mark.parametrize(
    ("name", "uuid"),
    [
        ("Aeroplane", "entity_type:aircraft"),
        ("SCF-NP", "entity_type:system_failure"),
        ("SafetyRecommendation", "entity_type:safety_recommendation"),
        ("entity_type:aircraft", "entity_type:aircraft"),
    ],
)
def test_a_word_is_explored_by_any_of_its_names(aviation, name, uuid):
    assert aviation("explore_ontology", name=name)["center"]["uuid"] == uuid


def test_a_mistyped_name_has_candidates_and_no_centre(aviation):
    answer = aviation("explore_ontology", name="aircarft")

    assert answer["center"] is None
    assert names(answer["candidates"])[0] == "aircraft"
    assert "aircraft" in answer["message"]


def test_a_name_like_no_other_has_no_candidates(aviation):
    answer = aviation("explore_ontology", name="zzqqxx")

    assert (answer["center"], answer["candidates"]) == (None, [])


@pytest.mark.parametrize("wrong", [{}, {"name": ""}, {"name": " ?! "}, {"name": "x" * 301}, {"name": "x", "depth": 0}])
def test_what_exploring_does_not_take_is_refused(call, wrong):
    codes = {"INVALID_ARGUMENTS", "NAME_OR_ALIAS_REQUIRED", "NAME_OR_ALIAS_TOO_LONG"}

    assert call("explore_ontology", **wrong)["error"] in codes


# Always

texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40)


@examples(25, sweep=500)
@given(query=st.one_of(texts, st.sampled_from(["aircraft", "ATA", "stems", "safety recom", "SCF-NP aircraft"])))
def test_a_query_is_answered_or_refused_and_twice_the_same(aviation, query):
    for tool, argument in (
        ("search_ontology", "query"),
        ("explore_ontology", "name"),
        ("get_ontology_structure", "query"),
    ):
        first, second = (aviation(tool, **{argument: query}) for _ in range(2))

        assert first == second
        assert first.get("error") in {None, "QUERY_REQUIRED", "NAME_OR_ALIAS_REQUIRED"}


def test_every_word_is_found_by_each_of_its_wordings(graph, aviation):
    with graph.database.read("test") as tx:
        classes, index = ontology.read(tx), ontology_search.of_ontology(tx)
        for word in classes.classes:
            for wording in (word.term.name, word.cypher_name, *word.shown_labels):
                assert word.position in index.exact(wording)


def test_answers_about_ten_thousand_words_stay_within_bounds(graph, call):
    types = {
        f"concept_{number}": {"parents": [f"concept_{number // 10}"]} if number else {} for number in range(10_000)
    }
    add_set(graph, {"name": "large", "version": "1", "types": types})

    for tool, arguments in (
        ("get_ontology_structure", {}),
        ("search_ontology", {"query": "concept"}),
        ("explore_ontology", {"name": "concept_0", "depth": 4}),
    ):
        answer = call(tool, **arguments)

        assert len(json.dumps(answer)) < 100_000
        assert answer["truncated"] not in (False, {"nodes": False, "edges": False})
    resource = resources.read(graph, "keepgraph://vocabulary", cancellation=lambda: None)
    assert len(resource["entity_types"]) == resources.MAX_WORDS
    assert resource["omitted"]["entity_types"] > 9_000


# What waits for a word


def test_wordings_in_which_facts_wait_are_shown_by_meaning(call):
    assert "proposals" not in call("get_ontology_structure")

    call(
        "submit_session_extraction",
        session_id="one",
        entities=[{"name": "Ada", "type": "person"}, {"name": "Engine", "type": "concept"}],
        relations=[{"from": "Ada", "to": "Engine", "type": "frobnicates"}],
    )
    proposals = call("get_ontology_structure")["proposals"]

    assert (proposals["total"], proposals["group_total"]) == (1, 1)
    assert proposals["groups"][0]["wordings"] == [{"wording": "frobnicates", "count": 1}]
    assert proposals["groups"][0]["ends"] == [{"source": "person", "target": "concept", "count": 1}]
    assert "frobnicates" not in names(call("get_ontology_structure", limit=1000)["relationship_classes"])


# The size of answers


def extract(call: Caller, wordings: list[str]) -> None:
    call(
        "submit_session_extraction",
        session_id=f"of {wordings[0]}",
        entities=[{"name": "Ada", "type": "person"}, {"name": "Engine", "type": "concept"}],
        relations=[{"from": "Ada", "to": "Engine", "type": wording} for wording in wordings],
    )


def test_the_structure_of_a_large_vocabulary_stays_short_and_names_the_next_words(graph, call):
    description = "What it means, said at the length at which people say such things. " * 3
    types = {f"kind_{number}": {"description": description} for number in range(600)}
    predicates = {f"links_{number}": {"description": description, "sources": ["person"]} for number in range(600)}
    add_set(graph, {"name": "large", "version": "1", "types": types, "predicates": predicates})
    extract(call, [f"wraggles{letter} the quix{letter}{other}" for letter in "abcdefghij" for other in "abcdefghij"])
    answer = call("get_ontology_structure")

    assert len(json.dumps(answer)) < 31_000
    assert answer["truncated"]
    assert answer["totals"]["entity_classes"] > 600
    for kind in ("entity_classes", "relationship_classes"):
        assert answer[kind]
        assert answer["more_classes"][kind][0].keys() == {"name", "label", "count"}
        assert set(names(answer[kind])).isdisjoint(names(answer["more_classes"][kind]))
    assert len(call("get_ontology_structure", limit=300)["entity_classes"]) == 300


def test_a_word_too_long_for_the_answer_leaves_its_place_to_the_next(graph, call):
    long = {f"kind_{number}": {"examples": [f"{number:02} {'x' * 190}" for number in range(90)]} for number in range(3)}
    add_set(graph, {"name": "large", "version": "1", "types": long | {"brief": {}}})
    answer = call("get_ontology_structure", set="large")

    full, short = names(answer["entity_classes"]), names(answer["more_classes"]["entity_classes"])
    assert full[-1] == "brief"
    assert short
    assert sorted([*full, *short]) == sorted([*long, "brief"])


def test_many_waiting_wordings_are_shown_by_the_first_of_each_group_with_totals(call):
    for letter in "abcdefghijkl":
        extract(call, [f"wr{letter}ggles {'so very ' * 12}{letter * 3}{number}" for number in range(20)])
    answer = call("get_ontology_structure")
    proposals = answer["proposals"]

    assert len(json.dumps(answer)) < 31_000
    assert 1 <= len(proposals["groups"]) <= 30
    assert all(len(group["wordings"]) <= 5 for group in proposals["groups"])
    assert (proposals["total"], proposals["wording_total"], proposals["truncated"]) == (240, 240, True)


@pytest.mark.parametrize("mappings", [1, 15])
def test_a_dry_run_over_many_long_wordings_stays_short_with_totals(call, mappings):
    wordings = [f"{'really ' * 20}{number}" for number in range(200)]
    arguments = {
        "types": {f"{'long_' * 15}{number}": {} for number in range(300)},
        "map_wordings": [
            {"wordings": [f"{wording} {mapping}" for wording in wordings], "predicate": "knows"}
            for mapping in range(mappings)
        ],
    }
    answer = call("extend_vocabulary", **arguments, dry_run=True)

    assert "error" not in answer, answer
    assert len(json.dumps(answer)) < 30_000
    assert answer["truncated"]
    assert (answer["totals"]["types"], answer["totals"]["mapped"]) == (300, mappings)
    assert len(answer["mapped"][0]["wordings"]) + answer["mapped"][0]["more_wordings"] == 200


def test_a_short_extension_is_told_in_full(call):
    answer = call("extend_vocabulary", types={"engineer": {}}, dry_run=True)

    assert (answer["types"], answer["totals"]["types"], answer["truncated"]) == (["engineer"], 1, False)
